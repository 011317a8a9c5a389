// matrices.h: what the tests of sparse share: random elements, and dense copies to compare with.
#ifndef LIMBER_TESTS_MATRICES_H
#define LIMBER_TESTS_MATRICES_H

#include "test.h"

#include "sparse/pattern.h"

// A grid of side^3 points, each cell coupling its 8 corners in blocks of 3: n = 3 side^3.
typedef struct test_grid
{
	int32_t side, n;
	lm_element_list list;
	int32_t* index;
	lm_pattern* pattern;
	double *locals, *values;
} test_grid;

// Fills the local matrices with random, symmetric, positive semidefinite ones.
static inline void test_grid_random(test_grid* grid, uint64_t seed)
{
	int64_t w = 24;
	for (int64_t e = 0; e < grid->list.count; ++e)
	{
		double* local = grid->locals + e * w * w;
		memset(local, 0, (size_t)(w * w) * sizeof *local);
		for (int k = 0; k < 6; ++k)
		{
			double v[24];
			for (int i = 0; i < w; ++i)
				v[i] = test_random(&seed);
			for (int i = 0; i < w; ++i)
				for (int j = 0; j < w; ++j)
					local[i * w + j] += v[i] * v[j];
		}
	}
	lm_pattern_gather(grid->pattern, grid->locals, 1, grid->values);
	lm_pattern_add_diagonal(grid->pattern, 0.1, NULL, grid->values);
}

static inline test_grid test_grid_create(int32_t side, bool symmetric)
{
	int64_t cells = (int64_t)(side - 1) * (side - 1) * (side - 1);
	test_grid grid = { .side = side,
		               .n = 3 * side * side * side,
		               .index = malloc((size_t)cells * 8 * sizeof(int32_t)) };
	int64_t count = 0;
	for (int32_t z = 0; z + 1 < side; ++z)
		for (int32_t y = 0; y + 1 < side; ++y)
			for (int32_t x = 0; x + 1 < side; ++x)
				for (int32_t c = 0; c < 8; ++c)
					grid.index[count++] = (x + (c & 1)) + side * ((y + (c >> 1 & 1)) + side * (z + (c >> 2)));
	grid.list = (lm_element_list){ .count = cells, .index = grid.index, .size = 8, .block = 3 };
	lm_host host = lm_host_default();
	assert_int_equal(lm_pattern_create(grid.n, symmetric, &grid.list, 1, &host, &grid.pattern, NULL), LM_OK);
	grid.locals = calloc((size_t)grid.pattern->local_count, sizeof(double));
	grid.values = calloc((size_t)grid.pattern->entries, sizeof(double));
	test_grid_random(&grid, 7);
	return grid;
}

static inline void test_grid_destroy(test_grid* grid)
{
	lm_pattern_destroy(grid->pattern);
	free(grid->index), free(grid->locals), free(grid->values);
}

// Dense, row by row; the caller frees.
static inline double* test_dense(const lm_pattern* A, const double* values)
{
	int64_t n = A->n;
	double* dense = calloc((size_t)(n * n), sizeof(double));
	for (int64_t j = 0; j < n; ++j)
		for (int32_t k = A->start[j]; k < A->start[j + 1]; ++k)
		{
			dense[A->row[k] * n + j] = values[k];
			if (A->symmetric)
				dense[j * n + A->row[k]] = values[k];
		}
	return dense;
}

static inline double test_largest(int64_t n, const double* a)
{
	double largest = 0;
	for (int64_t i = 0; i < n; ++i)
		largest = a[i] == a[i] ? fmax(largest, fabs(a[i])) : INFINITY;
	return largest;
}

static inline double* test_vector(int64_t n, uint64_t seed)
{
	double* v = malloc((size_t)n * sizeof *v);
	for (int64_t i = 0; i < n; ++i)
		v[i] = test_random(&seed);
	return v;
}

#endif
