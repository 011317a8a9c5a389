// Factorisations: residuals, reports of matrices that are not positive definite, singular or not finite,
// no growth over many factorisations, inertia of quasi-definite matrices.
#include "test.h"

#include "matrices.h"
#include "sparse/cholesky.h"

static lm_cholesky* create(const test_grid* grid, lm_cholesky_kind kind)
{
	lm_host host = lm_host_default();
	lm_cholesky* cholesky = NULL;
	assert_int_equal(lm_cholesky_create(grid->pattern, kind, &host, &cholesky, NULL), LM_OK);
	return cholesky;
}

// |(A + shift I) x - b| against |A| |x| + |b|, for each right side.
static void check_solution(const test_grid* grid, double shift, int64_t count, const double* B, const double* X)
{
	int64_t n = grid->n;
	double* r = malloc((size_t)n * sizeof *r);
	for (int64_t k = 0; k < count; ++k)
	{
		const double *b = B + k * n, *x = X + k * n;
		lm_pattern_multiply(grid->pattern, grid->values, x, r);
		for (int64_t i = 0; i < n; ++i)
			r[i] += shift * x[i] - b[i];
		double scale = test_largest(grid->pattern->entries, grid->values) * test_largest(n, x) + test_largest(n, b);
		assert_true(test_largest(n, r) <= 1e-13 * scale);
	}
	free(r);
}

static void test_solves(void** state)
{
	(void)state;
	for (int side = 2; side <= 7; side += 5)
		for (int kind = LM_CHOLESKY_LL; kind <= LM_CHOLESKY_LDL; ++kind)
			for (int shift = 0; shift < 2; ++shift)
			{
				test_grid grid = test_grid_create(side, true);
				lm_cholesky* cholesky = create(&grid, kind);
				lm_factor_report report = lm_cholesky_factorize(cholesky, grid.values, shift);
				assert_int_equal(report.status, LM_FACTOR_OK);
				assert_int_equal(report.column, -1);
				assert_int_equal(report.negative, 0);
				assert_true(report.rcond > 0 && report.rcond <= 1);
				double *B = test_vector(7 * grid.n, 11), *X = calloc((size_t)(7 * grid.n + 1), sizeof(double));
				X[7 * grid.n] = 77;
				for (int count = 7; count >= 1; count -= 3)
				{
					assert_true(lm_cholesky_solve(cholesky, count, B, X));
					check_solution(&grid, shift, count, B, X);
				}
				assert_true(X[7 * grid.n] == 77); // nothing behind the end was written
				double* in_place = test_vector(7 * grid.n, 11);
				assert_true(lm_cholesky_solve(cholesky, 7, in_place, in_place));
				assert_true(lm_cholesky_solve(cholesky, 7, B, X));
				assert_memory_equal(in_place, X, (size_t)(7 * grid.n) * sizeof(double));
				assert_true(lm_cholesky_solve(cholesky, 0, B, X));
				free(B), free(X), free(in_place);
				lm_cholesky_destroy(cholesky);
				test_grid_destroy(&grid);
			}
}

static void test_no_growth(void** state)
{
	(void)state;
	for (int kind = LM_CHOLESKY_LL; kind <= LM_CHOLESKY_LDL; ++kind)
	{
		test_grid grid = test_grid_create(6, true);
		test_memory memory = { 0 };
		lm_host host = test_host(&memory);
		lm_cholesky* cholesky = NULL;
		assert_int_equal(lm_cholesky_create(grid.pattern, kind, &host, &cholesky, NULL), LM_OK);
		double* x = test_vector(4 * grid.n, 1);
		int64_t requests = memory.requests;
		for (uint64_t round = 0; round < 8; ++round)
		{
			test_grid_random(&grid, round);
			double shift = round == 5 ? -1e6 : 0; // a failure in between changes nothing
			lm_factor_report report = lm_cholesky_factorize(cholesky, grid.values, shift);
			assert_int_equal(report.status == LM_FACTOR_OK, round != 5 || kind >= LM_CHOLESKY_LDL);
			assert_int_equal(lm_cholesky_solve(cholesky, 4, x, x), report.status == LM_FACTOR_OK);
			assert_true(isfinite(test_largest(4 * grid.n, x)));
			assert_int_equal(memory.requests, requests);
		}
		free(x);
		lm_cholesky_destroy(cholesky);
		test_grid_destroy(&grid);
	}
}

// A diagonal matrix, but for one pair (0, 4): where it fails does not hang on the order.
static void test_where_it_fails(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const int32_t index[] = { 0, 4 };
	lm_element_list list = { .count = 1, .index = index, .size = 2, .block = 1 };
	lm_pattern* A = NULL;
	assert_int_equal(lm_pattern_create(6, true, &list, 1, &host, &A, NULL), LM_OK);
	for (int kind = LM_CHOLESKY_LL; kind <= LM_CHOLESKY_LDL; ++kind)
	{
		lm_cholesky* cholesky = NULL;
		assert_int_equal(lm_cholesky_create(A, kind, &host, &cholesky, NULL), LM_OK);
		double values[8] = { 0 }, x[6] = { 1, 2, 3, 4, 5, 6 };
		assert_false(lm_cholesky_solve(cholesky, 1, x, x)); // nothing factorised yet
		lm_pattern_add_diagonal(A, 2, NULL, values);
		assert_int_equal(lm_cholesky_factorize(cholesky, values, 0).status, LM_FACTOR_OK);

		bool ldl = kind >= LM_CHOLESKY_LDL;
		values[A->diagonal[3]] = -1;
		lm_factor_report report = lm_cholesky_factorize(cholesky, values, 0);
		assert_int_equal(report.status, ldl ? LM_FACTOR_OK : LM_FACTOR_NOT_POSITIVE);
		assert_int_equal(report.column, ldl ? -1 : 3);
		assert_int_equal(report.negative, ldl);
		assert_int_equal(lm_cholesky_solve(cholesky, 1, x, x), ldl);
		assert_int_equal(lm_cholesky_factorize(cholesky, values, 1.5).status, LM_FACTOR_OK); // shifted far enough

		values[A->diagonal[3]] = 0;
		report = lm_cholesky_factorize(cholesky, values, 0);
		assert_int_equal(report.status, ldl ? LM_FACTOR_SINGULAR : LM_FACTOR_NOT_POSITIVE);
		assert_int_equal(report.column, 3);
		assert_false(lm_cholesky_solve(cholesky, 1, x, x));

		values[A->diagonal[3]] = 1, values[lm_pattern_find(A, 4, 0)] = NAN;
		report = lm_cholesky_factorize(cholesky, values, 0);
		assert_int_equal(report.status, LM_FACTOR_NOT_FINITE);
		assert_int_equal(report.column, 4);
		values[lm_pattern_find(A, 4, 0)] = 1e200; // overflows in the elimination, and is not positive definite
		assert_int_not_equal(lm_cholesky_factorize(cholesky, values, 0).status, LM_FACTOR_OK);
		assert_int_equal(lm_cholesky_factorize(cholesky, values, INFINITY).status, LM_FACTOR_NOT_FINITE);
		for (int i = 0; i < 6; ++i)
			assert_true(isfinite(x[i]));
		lm_cholesky_destroy(cholesky);
	}
	lm_pattern_destroy(A);
}

// [H B^T; B -I] has as many negative eigenvalues as the second block has rows, in any order.
static void check_quasi_definite(int side, lm_cholesky_kind kind)
{
	test_grid grid = test_grid_create(side, true);
	int64_t n = grid.n, negative = 0;
	for (int64_t j = 0; j < n; ++j)
	{
		negative += j % 3 == 0;
		for (int32_t k = grid.pattern->start[j]; k < grid.pattern->start[j + 1]; ++k)
			grid.values[k] *= (j % 3 == 0 && grid.pattern->row[k] % 3 == 0) ? -1 : 1;
	}
	lm_cholesky* cholesky = create(&grid, kind);
	lm_factor_report report = lm_cholesky_factorize(cholesky, grid.values, 0);
	assert_int_equal(report.status, LM_FACTOR_OK);
	assert_int_equal(report.negative, negative);
	double *b = test_vector(5 * n, 2), *x = calloc((size_t)(5 * n), sizeof *x);
	for (int count = 1; count <= 5; count += 4)
	{
		assert_true(lm_cholesky_solve(cholesky, count, b, x));
		check_solution(&grid, 0, count, b, x);
	}
	lm_cholesky* plain = create(&grid, LM_CHOLESKY_LL);
	assert_int_equal(lm_cholesky_factorize(plain, grid.values, 0).status, LM_FACTOR_NOT_POSITIVE);
	lm_cholesky_destroy(plain);
	lm_cholesky_destroy(cholesky);
	free(b), free(x);
	test_grid_destroy(&grid);
}

static void test_quasi_definite(void** state)
{
	(void)state;
	for (int side = 2; side <= 12; side += 5)
		check_quasi_definite(side, LM_CHOLESKY_LDL);
}

static void test_empty_and_memory(void** state)
{
	(void)state;
	test_memory memory = { 0 };
	lm_host host = test_host(&memory);
	lm_pattern* A = NULL;
	assert_int_equal(lm_pattern_create(0, true, NULL, 0, &host, &A, NULL), LM_OK);
	lm_cholesky* cholesky = NULL;
	assert_int_equal(lm_cholesky_create(A, LM_CHOLESKY_LL, &host, &cholesky, NULL), LM_OK);
	double none = 5;
	assert_int_equal(lm_cholesky_factorize(cholesky, &none, 0).status, LM_FACTOR_OK);
	assert_true(lm_cholesky_solve(cholesky, 3, &none, &none));
	lm_cholesky_destroy(cholesky);
	memory.fail_at = memory.requests + 1, cholesky = NULL;
	assert_int_equal(lm_cholesky_create(A, LM_CHOLESKY_LL, &host, &cholesky, NULL), LM_NO_MEMORY);
	assert_null(cholesky);
	lm_pattern_destroy(A);
	lm_cholesky_destroy(NULL);
	assert_int_equal(memory.held, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_solves),           cmocka_unit_test(test_no_growth),
		cmocka_unit_test(test_where_it_fails),   cmocka_unit_test(test_quasi_definite),
		cmocka_unit_test(test_empty_and_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
