// Fronts of floats against fronts of doubles: every size of a front, many right sides, threads, and constraints whose
// own pivots are next to nothing.
#include "test.h"

#include "matrices.h"
#include "sparse/cholesky.h"

static lm_cholesky* create(const lm_pattern* pattern, lm_cholesky_kind kind, int threads, lm_simd simd)
{
	lm_host host = lm_host_default();
	host.threads = threads, host.simd = simd;
	lm_cholesky* cholesky = NULL;
	assert_int_equal(lm_cholesky_create(pattern, kind, &host, &cholesky, NULL), LM_OK);
	return cholesky;
}

static int64_t entry(const lm_pattern* A, int64_t i, int64_t j)
{
	return lm_pattern_find(A, i < j ? i : j, i < j ? j : i);
}

// A full matrix of n unknowns, every third of them negative, and `tail` more that are coupled with the last one only.
static void check_full(int32_t n, int32_t tail, lm_simd simd)
{
	enum
	{
		most = 220,
		sides = 9
	};
	lm_host host = lm_host_default();
	int32_t full[most], pairs[2 * most];
	for (int32_t i = 0; i < n; ++i)
		full[i] = i;
	for (int32_t i = 0; i < tail; ++i)
		pairs[2 * i] = n - 1, pairs[2 * i + 1] = n + i;
	const lm_element_list lists[2] = { { .count = 1, .index = full, .size = n, .block = 1 },
		                               { .count = tail, .index = pairs, .size = 2, .block = 1 } };
	lm_pattern* A = NULL;
	assert_int_equal(lm_pattern_create(n + tail, true, lists, 2, &host, &A, NULL), LM_OK);
	double* values = calloc((size_t)A->entries, sizeof *values);
	uint64_t seed = (uint64_t)n;
	int64_t all = n + tail, negative = 0;
	for (int64_t i = 0; i < all; ++i)
		for (int64_t j = i; j < all; ++j)
			if (entry(A, i, j) >= 0)
				values[entry(A, i, j)] = test_random(&seed);
	for (int64_t i = 0; i < all; ++i)
		values[entry(A, i, i)] = (i % 3 == 2 ? -1.0 : 1.0) * (double)all, negative += i % 3 == 2;
	double *b = test_vector(sides * (int)all, 5), *x[2];
	for (int k = 0; k < 2; ++k)
	{
		lm_cholesky* cholesky = create(A, k == 0 ? LM_CHOLESKY_LDL : LM_CHOLESKY_LDL_SINGLE, 1, simd);
		lm_factor_report report = lm_cholesky_factorize(cholesky, values, 0);
		assert_int_equal(report.status, LM_FACTOR_OK);
		assert_int_equal(report.negative, negative);
		x[k] = calloc((size_t)(sides * all), sizeof(double));
		assert_true(lm_cholesky_solve(cholesky, 1, b, x[k]));
		assert_true(lm_cholesky_solve(cholesky, sides - 1, b + all, x[k] + all));
		lm_cholesky_destroy(cholesky);
	}
	double size = test_largest(sides * (int)all, x[0]);
	for (int64_t i = 0; i < sides * all; ++i)
		assert_near(x[1][i], x[0][i], 2e-6 * size);
	free(b), free(x[0]), free(x[1]), free(values);
	lm_pattern_destroy(A);
}

static void every_size(void** state)
{
	(void)state;
	for (int32_t n = 1; n <= 200; n += n < 90 ? 1 : 7)
		check_full(n, n % 20, LM_SIMD_AUTO), check_full(n, n % 20, LM_SIMD_PLAIN);
}

// A grid, and the same bits for any number of threads.
static void threads(void** state)
{
	(void)state;
	test_grid grid = test_grid_create(11, true);
	grid.pattern->block_size = 3;
	double *b = test_vector(grid.n, 3), *x[4];
	for (int k = 0; k < 4; ++k)
	{
		x[k] = calloc((size_t)grid.n, sizeof(double));
		lm_cholesky* cholesky =
			create(grid.pattern, k == 0 ? LM_CHOLESKY_LDL : LM_CHOLESKY_LDL_SINGLE, k < 2 ? 1 : k, LM_SIMD_AUTO);
		assert_int_equal(lm_cholesky_factorize(cholesky, grid.values, 0.5).status, LM_FACTOR_OK);
		assert_true(lm_cholesky_get_info(cholesky).factor_entries > 100000);
		assert_true(lm_cholesky_solve(cholesky, 1, b, x[k]));
		lm_cholesky_destroy(cholesky);
	}
	double size = test_largest(grid.n, x[0]);
	for (int i = 0; i < grid.n; ++i)
		assert_near(x[1][i], x[0][i], 1e-4 * size);
	assert_memory_equal(x[2], x[1], (size_t)grid.n * sizeof(double));
	assert_memory_equal(x[3], x[1], (size_t)grid.n * sizeof(double));
	for (int k = 0; k < 4; ++k)
		free(x[k]);
	free(b);
	test_grid_destroy(&grid);
}

// [H C^T; C -D] with D nearly zero, each constraint coupled with three vertices, with one of them weakly, and each of
// these with all others: left to itself the order takes constraints first.
static void factorize_saddle(int weak)
{
	enum
	{
		vertices = 12,
		rows = 4,
		each = vertices / rows,
		n = 3 * (vertices + rows)
	};
	lm_host host = lm_host_default();
	int32_t full[vertices], pairs[2 * vertices];
	for (int32_t i = 0; i < vertices; ++i)
		full[i] = pairs[2 * i] = i, pairs[2 * i + 1] = vertices + i / each;
	const lm_element_list lists[2] = { { .count = 1, .index = full, .size = vertices, .block = 3 },
		                               { .count = vertices, .index = pairs, .size = 2, .block = 3 } };
	lm_pattern* A = NULL;
	assert_int_equal(lm_pattern_create(n, true, lists, 2, &host, &A, NULL), LM_OK);
	A->block_size = 3, A->first_late = 3 * vertices;
	double *values = calloc((size_t)A->entries, sizeof *values), *b = test_vector(n, 2), x[2][n];
	for (int64_t i = 0; i < 3 * vertices; ++i)
		for (int64_t j = i; j < 3 * vertices; ++j)
			values[entry(A, i, j)] = i == j ? 1000 : 1;
	for (int64_t i = 0; i < 3 * rows; ++i)
		values[entry(A, 3 * vertices + i, 3 * vertices + i)] = -1e-11;
	for (int64_t i = 0; i < 3 * vertices; ++i)
		values[entry(A, i, 3 * (vertices + i / 3 / each) + i % 3)] = i / 3 % each == weak ? 1e-4 : 0.2;
	for (int k = 0; k < 2; ++k)
	{
		lm_cholesky* cholesky = create(A, k == 0 ? LM_CHOLESKY_LDL : LM_CHOLESKY_LDL_SINGLE, 1, LM_SIMD_AUTO);
		lm_factor_report report = lm_cholesky_factorize(cholesky, values, 0);
		assert_int_equal(report.status, LM_FACTOR_OK);
		assert_int_equal(report.negative, 3 * rows);
		assert_true(lm_cholesky_solve(cholesky, 1, b, x[k]));
		lm_cholesky_destroy(cholesky);
	}
	for (int i = 0; i < n; ++i)
		assert_near(x[1][i], x[0][i], 1e-5 * fmax(i < 3 * vertices ? 1 : 1e4, fabs(x[0][i])));
	free(values), free(b);
	lm_pattern_destroy(A);
}

static void constraints_are_late(void** state)
{
	(void)state;
	for (int weak = 0; weak < 3; ++weak)
		factorize_saddle(weak);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_size),
		cmocka_unit_test(threads),
		cmocka_unit_test(constraints_are_late),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
