// Averages under test functions; see rows.h.
#include "track/rows.h"

#include "base/alloc.h"
#include "base/error.h"
#include "math/vec.h"
#include "mesh/topology.h"
#include "sparse/dense.h"

#include <stdlib.h>

void lm_rows_release(lm_rows* rows, const lm_host* host)
{
	lm_free(host, rows->start);
	lm_free(host, rows->index);
	lm_free(host, rows->value);
	*rows = (lm_rows){ 0 };
}

static lm_status make_room(lm_rows* rows, int32_t count, int64_t numbers, const lm_host* host, lm_error* error)
{
	rows->count = count;
	rows->start = LM_NEW(host, (int64_t)count + 1, int64_t);
	rows->index = LM_NEW(host, numbers, int32_t);
	rows->value = LM_NEW(host, numbers, double);
	if (rows->start != NULL && rows->index != NULL && rows->value != NULL)
		return LM_OK;
	lm_rows_release(rows, host);
	return lm_fail_memory(error);
}

lm_status lm_rows_of_regions(const int32_t* region, int32_t vertex_count, int32_t region_count, const lm_host* host,
                             lm_rows* S, lm_error* error)
{
	int64_t numbers = 0;
	for (int32_t v = 0; v < vertex_count; ++v)
		numbers += region[v] >= 0;
	lm_status status = make_room(S, region_count, numbers, host, error);
	if (status != LM_OK)
		return status;
	for (int32_t v = 0; v < vertex_count; ++v)
		if (region[v] >= 0)
			++S->start[region[v] + 1];
	for (int32_t r = 0; r < region_count; ++r)
		S->start[r + 1] += S->start[r];
	for (int32_t v = 0; v < vertex_count; ++v) // starts move to the ends, and back
		if (region[v] >= 0)
		{
			int64_t at = S->start[region[v]]++;
			S->index[at] = v, S->value[at] = 1;
		}
	for (int32_t r = region_count; r > 0; --r)
		S->start[r] = S->start[r - 1];
	S->start[0] = 0;
	return LM_OK;
}

// ---- averages ----------------------------------------------------------------------------------------------------

typedef struct averaging
{
	const double* areas; // of triangles
	const int32_t* triangles;
	const lm_adjacency* around; // triangles of each vertex
	double* sum;                // [vertex_count] of the row at work
	bool* touched;
	int32_t* list; // vertices of the row
	int32_t count;
} averaging;

static void add(averaging* a, int32_t vertex, double value)
{
	if (!a->touched[vertex])
		a->touched[vertex] = true, a->list[a->count++] = vertex;
	a->sum[vertex] += value;
}

// sum += value (row j of M): a triangle gives each of its corners A / 6 for itself and A / 12 for the two others
static void add_mass_row(averaging* a, int32_t j, double value)
{
	for (int64_t k = a->around->starts[j]; k < a->around->starts[j + 1]; ++k)
	{
		int32_t t = a->around->items[k];
		const int32_t* v = a->triangles + 3 * (int64_t)t;
		for (int i = 0; i < 3; ++i)
			add(a, v[i], value * a->areas[t] / (v[i] == j ? 6 : 12));
	}
}

static int by_number(const void* a, const void* b)
{
	int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
	return (x > y) - (x < y);
}

// Row i of S M into sum and list, sorted.
static void compute_row(averaging* a, const lm_rows* S, int32_t i)
{
	for (int32_t k = 0; k < a->count; ++k)
		a->sum[a->list[k]] = 0, a->touched[a->list[k]] = false;
	a->count = 0;
	for (int64_t k = S->start[i]; k < S->start[i + 1]; ++k)
		if (S->value[k] != 0)
			add_mass_row(a, S->index[k], S->value[k]);
	qsort(a->list, (size_t)a->count, sizeof *a->list, by_number);
}

static lm_status fail_at(int32_t row, lm_error* error, const char* what)
{
	return lm_fail_element(error, row, "region %d %s", row, what);
}

static lm_status fill_rows(averaging* a, const lm_rows* S, int64_t numbers, const lm_host* host, lm_rows* C,
                           lm_error* error)
{
	lm_status status = make_room(C, S->count, numbers, host, error);
	for (int32_t i = 0; status == LM_OK && i < S->count; ++i)
	{
		compute_row(a, S, i);
		double total = 0, size = 0;
		for (int32_t k = 0; k < a->count; ++k)
			total += a->sum[a->list[k]], size += fabs(a->sum[a->list[k]]);
		if (!isfinite(total))
			status = fail_at(i, error, "has weights that are not finite");
		else if (!(fabs(total) > 1e-12 * size))
			status = fail_at(i, error, "is empty: none of its vertices has a triangle, or its weights cancel");
		for (int32_t k = 0; status == LM_OK && k < a->count; ++k)
		{
			int64_t at = C->start[i] + k;
			C->index[at] = a->list[k], C->value[at] = a->sum[a->list[k]] / total;
		}
		C->start[i + 1] = C->start[i] + a->count;
	}
	if (status != LM_OK)
		lm_rows_release(C, host);
	return status;
}

static double area_of(const double* X, const int32_t v[3])
{
	lm_vec3 a = lm_v3_at(X, v[0]);
	return lm_length(lm_cross(lm_sub(lm_v3_at(X, v[1]), a), lm_sub(lm_v3_at(X, v[2]), a))) / 2;
}

lm_status lm_rows_average(const lm_rows* S, const double* undeformed, int32_t vertex_count, const int32_t* triangles,
                          int32_t triangle_count, const lm_host* host, lm_rows* C, lm_error* error)
{
	lm_adjacency around = { 0 };
	lm_status status =
		lm_topology_elements_of_vertices(triangles, triangle_count, 3, vertex_count, host, &around, error);
	if (status != LM_OK)
		return status;
	double *areas = LM_NEW(host, triangle_count, double), *sum = LM_NEW(host, vertex_count, double);
	bool* touched = LM_NEW(host, vertex_count, bool);
	int32_t* list = LM_NEW(host, vertex_count, int32_t);
	averaging a = { areas, triangles, &around, sum, touched, list, 0 };
	if (areas != NULL && sum != NULL && touched != NULL && list != NULL)
	{
		int64_t numbers = 0;
		for (int32_t t = 0; t < triangle_count; ++t)
			areas[t] = area_of(undeformed, triangles + 3 * (int64_t)t);
		for (int32_t i = 0; i < S->count; ++i)
		{
			compute_row(&a, S, i);
			numbers += a.count;
		}
		status = fill_rows(&a, S, numbers, host, C, error);
	}
	else
		status = lm_fail_memory(error);
	lm_free(host, areas), lm_free(host, sum), lm_free(host, touched), lm_free(host, list);
	lm_adjacency_release(&around, host);
	return status;
}

// ---- use ---------------------------------------------------------------------------------------------------------

void lm_rows_apply(const lm_rows* C, const double* x, double* b)
{
	for (int32_t i = 0; i < C->count; ++i)
	{
		lm_vec3 sum = lm_v3(0, 0, 0);
		for (int64_t k = C->start[i]; k < C->start[i + 1]; ++k)
			sum = lm_add_scaled(sum, C->value[k], lm_v3_at(x, C->index[k]));
		lm_v3_store(b, i, sum);
	}
}

// C C^T, rows of length 1, has a Cholesky factorisation as long as each row has a part of its own.
lm_status lm_rows_check_independent(const lm_rows* C, int32_t vertex_count, const lm_host* host, lm_error* error)
{
	int64_t m = C->count;
	double *gram = LM_NEW(host, m * m, double), *row = LM_NEW(host, vertex_count, double);
	if (gram == NULL || row == NULL)
	{
		lm_free(host, gram), lm_free(host, row);
		return lm_fail_memory(error);
	}
	for (int64_t i = 0; i < m; ++i)
	{
		for (int64_t k = C->start[i]; k < C->start[i + 1]; ++k)
			row[C->index[k]] = C->value[k];
		for (int64_t j = 0; j < m; ++j)
			for (int64_t k = C->start[j]; k < C->start[j + 1]; ++k)
				gram[i * m + j] += C->value[k] * row[C->index[k]];
		for (int64_t k = C->start[i]; k < C->start[i + 1]; ++k)
			row[C->index[k]] = 0;
	}
	for (int64_t i = 0; i < m; ++i) // rows of length 1: the diagonal last, because it is needed for all
		for (int64_t j = 0; j < m; ++j)
			if (i != j)
				gram[i * m + j] /= sqrt(gram[i * m + i]) * sqrt(gram[j * m + j]);
	for (int64_t i = 0; i < m; ++i)
		gram[i * m + i] = 1 - 1e-10; // what is left of a dependent row after rounding is below zero
	lm_factor_report report = lm_dense_cholesky((int)m, gram);
	lm_free(host, gram), lm_free(host, row);
	if (report.status == LM_FACTOR_OK)
		return LM_OK;
	return fail_at(
		(int32_t)report.column, error,
		"depends on the regions before it: their constraints repeat or contradict each other; leave one out");
}
