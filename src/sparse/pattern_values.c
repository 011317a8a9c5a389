// What is done with the numbers of a pattern: assembly and products.
#include "base/parallel.h"
#include "sparse/pattern.h"

#include <string.h>

typedef struct gathering
{
	const lm_pattern* pattern;
	const double* locals;
	double* values;
} gathering;

static void gather_range(void* context, int64_t begin, int64_t end)
{
	const gathering* g = context;
	const int32_t *start = g->pattern->gather_start, *gather = g->pattern->gather;
	for (int64_t entry = begin; entry < end; ++entry)
	{
		double sum = 0;
		for (int32_t k = start[entry]; k < start[entry + 1]; ++k)
			sum += g->locals[gather[k]];
		g->values[entry] = sum;
	}
}

void lm_pattern_gather(const lm_pattern* pattern, const double* locals, int threads, double* values)
{
	gathering g = { pattern, locals, values };
	lm_parallel_for(threads, pattern->entries, 4096, gather_range, &g);
}

void lm_pattern_scatter(const lm_pattern* pattern, int64_t element, const double* local, double* values)
{
	int64_t first = pattern->local_start[element], count = pattern->local_start[element + 1] - first;
	const int32_t* place = pattern->place + first;
	for (int64_t k = 0; k < count; ++k)
		if (place[k] >= 0)
			values[place[k]] += local[k];
}

void lm_pattern_diagonal(const lm_pattern* pattern, const double* values, double* diagonal)
{
	for (int32_t i = 0; i < pattern->n; ++i)
		diagonal[i] = values[pattern->diagonal[i]];
}

void lm_pattern_add_diagonal(const lm_pattern* pattern, double scale, const double* d, double* values)
{
	for (int32_t i = 0; i < pattern->n; ++i)
		values[pattern->diagonal[i]] += d ? scale * d[i] : scale;
}

// Each column of the upper triangle is also a row of the lower one: y_j gets the row's dot product, and the entries
// above the diagonal hand x_j to their rows.
static void multiply_symmetric(const lm_pattern* A, const double* values, const double* x, double* y)
{
	for (int32_t j = 0; j < A->n; ++j)
	{
		double sum = 0, xj = x[j];
		int32_t diagonal = A->diagonal[j]; // the last of its column
		for (int32_t k = A->start[j]; k < diagonal; ++k)
		{
			sum += values[k] * x[A->row[k]];
			y[A->row[k]] += values[k] * xj;
		}
		y[j] = sum + values[diagonal] * xj; // rows below add theirs later
	}
}

void lm_pattern_multiply(const lm_pattern* A, const double* values, const double* x, double* y)
{
	if (A->symmetric)
	{
		multiply_symmetric(A, values, x, y);
		return;
	}
	memset(y, 0, (size_t)A->n * sizeof *y);
	for (int32_t j = 0; j < A->n; ++j)
		for (int32_t k = A->start[j]; k < A->start[j + 1]; ++k)
			y[A->row[k]] += values[k] * x[j];
}

void lm_pattern_multiply_transposed(const lm_pattern* A, const double* values, const double* x, double* y)
{
	if (A->symmetric)
	{
		multiply_symmetric(A, values, x, y);
		return;
	}
	for (int32_t j = 0; j < A->n; ++j)
	{
		double sum = 0;
		for (int32_t k = A->start[j]; k < A->start[j + 1]; ++k)
			sum += values[k] * x[A->row[k]];
		y[j] = sum;
	}
}

// y += a x
static void add_row(int64_t count, double a, const double* restrict x, double* restrict y)
{
	for (int64_t k = 0; k < count; ++k)
		y[k] += a * x[k];
}

void lm_pattern_multiply_rows(const lm_pattern* A, const double* values, int64_t count, const double* X, int64_t stride,
                              double* Y)
{
	for (int64_t i = 0; i < A->n; ++i)
		memset(Y + i * stride, 0, (size_t)count * sizeof *Y);
	for (int64_t j = 0; j < A->n; ++j)
		for (int32_t k = A->start[j]; k < A->start[j + 1]; ++k)
		{
			int64_t i = A->row[k];
			add_row(count, values[k], X + j * stride, Y + i * stride);
			if (A->symmetric && i != j)
				add_row(count, values[k], X + i * stride, Y + j * stride);
		}
}

double lm_pattern_form(const lm_pattern* A, const double* values, const double* x, const double* y)
{
	double total = 0;
	for (int32_t j = 0; j < A->n; ++j)
	{
		double straight = 0, mirrored = 0; // of the entries off the diagonal
		for (int32_t k = A->start[j]; k < A->start[j + 1]; ++k)
		{
			int32_t i = A->row[k];
			if (i != j)
				straight += values[k] * x[i], mirrored += values[k] * y[i];
		}
		total += straight * y[j] + values[A->diagonal[j]] * x[j] * y[j];
		if (A->symmetric)
			total += mirrored * x[j];
	}
	return total;
}
