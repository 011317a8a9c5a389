// Factorising front by front. Symbols as in fronts.h.
#include "sparse/dense_update.h"
#include "sparse/fronts.h"

#include <math.h>
#include <string.h>

#define BLOCK 8 // columns of a panel that are finished before they are taken from the others

// The update matrix that front s hands up, where it lies on the stack.
typedef struct update
{
	double* W;
	int64_t stride;
} update;

// panel and W take in what child hands up: column j of the child's update goes to the place of its row in the front.
static void take_up(const lm_fronts* f, int32_t child, const double* from, int32_t s, update own)
{
	int64_t m = lm_front_rows(f, child), stride = lm_front_padded(m), k = lm_front_columns(f, s);
	const int32_t* place = f->relative + f->row_start[child];
	double* panel = f->L + f->panel[s];
	int64_t panel_stride = lm_front_stride(f, s);
	for (int64_t j = 0; j < m; ++j)
	{
		const double* column = from + j * stride;
		double* to = place[j] < k ? panel + place[j] * panel_stride : own.W + (place[j] - k) * own.stride - k;
		for (int64_t i = j; i < m; ++i)
			to[place[i]] += column[i];
	}
}

// Finishes columns first .. end - 1 of a panel. Returns the column whose pivot is not positive, or end.
static int64_t finish_columns(double* panel, int64_t stride, int64_t rows, int64_t first, int64_t end)
{
	for (int64_t j = first; j < end; ++j)
	{
		double* column = panel + j * stride;
		for (int64_t i = first; i < j; ++i)
			lm_subtract_row((int)(rows - j), panel[i * stride + j], panel + i * stride + j, column + j);
		if (!(column[j] > 0) || !isfinite(column[j]))
			return j;
		double root = sqrt(column[j]), scale = 1 / root;
		column[j] = root;
		for (int64_t i = j + 1; i < rows; ++i)
			column[i] *= scale;
	}
	return end;
}

// L11 and L21 of front s. Returns the column whose pivot is not positive, or k.
static int64_t factorize_panel(const lm_fronts* f, int32_t s)
{
	double* panel = f->L + f->panel[s];
	int64_t k = lm_front_columns(f, s), stride = lm_front_stride(f, s), rows = k + lm_front_rows(f, s);
	for (int64_t first = 0; first < k; first += BLOCK)
	{
		int64_t end = first + BLOCK < k ? first + BLOCK : k;
		int64_t bad = finish_columns(panel, stride, rows, first, end);
		if (bad < end)
			return bad;
		// Rows and columns from end on. Starting at a multiple of BLOCK, rows in fours stay within the stride.
		const double* A = panel + first * stride + end;
		lm_product rest = { rows - end, k - end, end - first, A, stride, A, stride, 1, panel + end * stride + end,
			                stride };
		if (rest.columns > 0)
			f->kernels->subtract_lower(&rest);
	}
	return k;
}

static void compute_update(const lm_fronts* f, int32_t s, update own)
{
	int64_t k = lm_front_columns(f, s), m = lm_front_rows(f, s), stride = lm_front_stride(f, s);
	const double* L21 = f->L + f->panel[s] + k;
	lm_product product = { m, m, k, L21, stride, L21, stride, 1, own.W, own.stride };
	f->kernels->subtract_lower(&product);
}

// One front. *used counts the numbers on the stack, *top the updates. Returns as factorize_panel.
static int64_t eliminate(lm_fronts* f, int32_t s, int32_t* waiting, int32_t* top, int64_t* used)
{
	int64_t m = lm_front_rows(f, s);
	update own = { f->stack + *used, lm_front_padded(m) };
	size_t size = (size_t)(own.stride * own.stride) * sizeof(double);
	memset(own.W, 0, size);
	for (; *top > 0 && f->parent[waiting[*top - 1]] == s; --*top)
	{
		*used = f->held[waiting[*top - 1]];
		take_up(f, waiting[*top - 1], f->stack + *used, s, own);
	}
	int64_t bad = factorize_panel(f, s);
	if (bad < lm_front_columns(f, s) || m == 0)
		return bad;
	compute_update(f, s, own);
	memmove(f->stack + *used, own.W, size); // to where the children's lay
	f->held[s] = *used, *used += own.stride * own.stride;
	waiting[(*top)++] = s;
	return bad;
}

static void fill_panels(lm_fronts* f, const double* values, double shift)
{
	const lm_pattern* A = f->pattern;
	memset(f->L, 0, (size_t)(f->panel[f->count] + 4) * sizeof(double));
	for (int64_t k = 0; k < A->entries; ++k)
		f->L[f->target[k]] = values[k];
	for (int32_t j = 0; j < A->n; ++j)
		f->L[f->target[A->diagonal[j]]] += shift;
}

lm_factor_report lm_fronts_factorize(lm_fronts* f, const double* values, double shift)
{
	fill_panels(f, values, shift);
	int32_t top = 0;
	int64_t used = 0;
	double smallest = INFINITY, largest = 0;
	for (int32_t s = 0; s < f->count; ++s)
	{
		int64_t k = lm_front_columns(f, s), stride = lm_front_stride(f, s),
				bad = eliminate(f, s, f->waiting, &top, &used);
		const double* panel = f->L + f->panel[s];
		if (bad < k)
		{
			bool finite = isfinite(panel[bad * stride + bad]);
			return (lm_factor_report){ finite ? LM_FACTOR_NOT_POSITIVE : LM_FACTOR_NOT_FINITE,
				                       f->order[f->first[s] + bad], 0, 0 };
		}
		for (int64_t j = 0; j < k; ++j)
		{
			double pivot = panel[j * stride + j];
			smallest = fmin(smallest, pivot), largest = fmax(largest, pivot);
		}
	}
	double ratio = f->n > 0 ? smallest / largest : 1;
	return (lm_factor_report){ LM_FACTOR_OK, -1, 0, ratio * ratio };
}
