// Small dense factorisations: residuals and inertia of random, structured, badly scaled, singular and infinite
// matrices of every size up to past a few blocks.
#include "test.h"

#include "matrices.h"
#include "sparse/dense.h"

#define MOST 75

typedef struct sample
{
	int n;
	double A[MOST * MOST], F[MOST * MOST]; // the matrix and its factors
	double B[3 * MOST], X[3 * MOST];
	int32_t pivots[MOST];
} sample;

static void fill_right_sides(sample* s)
{
	uint64_t seed = 99;
	for (int i = 0; i < 3 * s->n; ++i)
		s->X[i] = s->B[i] = test_random(&seed);
	memcpy(s->F, s->A, sizeof s->F);
}

// A random symmetric matrix with eigenvalues of known signs: C^T diag(sign) C.
static int symmetric_sample(sample* s, int n, int positive, uint64_t seed)
{
	s->n = n;
	double C[MOST * MOST];
	int negative = 0;
	for (int i = 0; i < n * n; ++i)
		C[i] = test_random(&seed);
	memset(s->A, 0, sizeof s->A);
	for (int k = 0; k < n; ++k)
	{
		double sign = positive || test_random(&seed) > 0 ? 1 : -1;
		negative += sign < 0;
		for (int i = 0; i < n; ++i)
			for (int j = 0; j < n; ++j)
				s->A[i * n + j] += sign * C[k * n + i] * C[k * n + j];
	}
	fill_right_sides(s);
	return negative;
}

// Spoils what must not be read.
static void spoil_lower(sample* s)
{
	for (int i = 0; i < s->n; ++i)
		for (int j = 0; j < i; ++j)
			s->F[i * s->n + j] = NAN;
}

static void check_residual(const sample* s, bool transposed)
{
	int n = s->n;
	for (int c = 0; c < 3; ++c)
	{
		double size = test_largest(n * n, s->A) * test_largest(n, s->X + c * n) * n + 1;
		for (int i = 0; i < n; ++i)
		{
			double sum = 0;
			for (int j = 0; j < n; ++j)
				sum += (transposed ? s->A[j * n + i] : s->A[i * n + j]) * s->X[c * n + j];
			assert_near(sum, s->B[c * n + i], 1e-14 * size);
		}
	}
}

static void test_cholesky(void** state)
{
	(void)state;
	static sample s;
	for (int n = 0; n <= MOST; n += n < 20 ? 1 : 11)
	{
		symmetric_sample(&s, n, true, (uint64_t)n);
		spoil_lower(&s);
		lm_factor_report report = lm_dense_cholesky(n, s.F);
		assert_int_equal(report.status, LM_FACTOR_OK);
		assert_int_equal(report.column, -1);
		assert_true(report.rcond > 0 && report.rcond <= 1);
		lm_dense_cholesky_solve(n, s.F, 3, s.X);
		check_residual(&s, false);
	}
}

static void test_not_positive(void** state)
{
	(void)state;
	static sample s;
	for (int n = 1; n <= 30; ++n)
		for (int bad = 0; bad < n; bad += 3)
		{
			symmetric_sample(&s, n, true, (uint64_t)(n + 100 * bad));
			s.F[bad * n + bad] = 0;
			lm_factor_report report = lm_dense_cholesky(n, s.F);
			assert_int_equal(report.status, LM_FACTOR_NOT_POSITIVE);
			assert_int_equal(report.column, bad);
			memcpy(s.F, s.A, sizeof s.F);
			s.F[bad * n + bad] = NAN;
			report = lm_dense_cholesky(n, s.F);
			assert_int_equal(report.status, LM_FACTOR_NOT_FINITE);
			assert_int_equal(report.column, bad);
			// row bad repeats row 0: positive semidefinite, and rounding must not hide it
			memcpy(s.F, s.A, sizeof s.F);
			if (bad == 0)
				continue;
			for (int j = 0; j < n; ++j)
				s.F[bad * n + j] = s.F[j * n + bad] = 3 * s.A[j];
			s.F[bad * n + bad] = 9 * s.A[0];
			report = lm_dense_cholesky(n, s.F);
			assert_int_equal(report.status, LM_FACTOR_NOT_POSITIVE);
			assert_int_equal(report.column, bad);
		}
	// badly scaled is not singular
	double scaled[9] = { 1e-200, 0, 0, 0, 1e200, 0, 0, 0, 1 };
	assert_int_equal(lm_dense_cholesky(3, scaled).status, LM_FACTOR_OK);
	double negative[4] = { 4, 0, 0, -1 };
	lm_factor_report report = lm_dense_cholesky(2, negative);
	assert_int_equal(report.status, LM_FACTOR_NOT_POSITIVE);
	assert_int_equal(report.column, 1);
}

static void test_ldl(void** state)
{
	(void)state;
	static sample s;
	for (int n = 0; n <= MOST; n += n < 20 ? 1 : 11)
		for (uint64_t seed = 0; seed < 20; ++seed)
		{
			int negative = symmetric_sample(&s, n, false, seed * 1000 + (uint64_t)n);
			spoil_lower(&s);
			for (int i = 0; seed == 7 && i < n; ++i) // no number on the diagonal: blocks of 2 everywhere
				s.F[i * n + i] = s.A[i * n + i] = 0;
			lm_factor_report report = lm_dense_ldl(n, s.F, s.pivots);
			if (seed == 7 && n < 2)
				continue;
			assert_int_equal(report.status, LM_FACTOR_OK);
			if (seed != 7)
				assert_int_equal(report.negative, negative);
			assert_true(report.rcond > 0 && report.rcond <= 1);
			lm_dense_ldl_solve(n, s.F, s.pivots, 3, s.X);
			check_residual(&s, false);
		}
}

// [H B^T; B 0]: as many negative eigenvalues as B has rows.
static void test_ldl_saddle(void** state)
{
	(void)state;
	static sample s;
	for (int n = 3; n <= 60; n += 3)
	{
		symmetric_sample(&s, n, true, (uint64_t)n);
		int rows = n / 3;
		for (int i = n - rows; i < n; ++i)
			for (int j = n - rows; j < n; ++j)
				s.A[i * n + j] = 0;
		fill_right_sides(&s);
		lm_factor_report report = lm_dense_ldl(n, s.F, s.pivots);
		assert_int_equal(report.status, LM_FACTOR_OK);
		assert_int_equal(report.negative, rows);
		lm_dense_ldl_solve(n, s.F, s.pivots, 3, s.X);
		check_residual(&s, false);
	}
}

static void test_ldl_singular(void** state)
{
	(void)state;
	static sample s;
	double zero[4] = { 0 };
	int32_t pivots[2];
	lm_factor_report report = lm_dense_ldl(2, zero, pivots);
	assert_int_equal(report.status, LM_FACTOR_SINGULAR);
	assert_int_equal(report.column, 0);
	for (int n = 2; n <= 40; n += 2)
	{
		symmetric_sample(&s, n, false, (uint64_t)n);
		for (int j = 0; j < n; ++j)
			s.F[(n / 2) * n + j] = s.F[j * n + n / 2] = -2 * s.A[j];
		s.F[(n / 2) * n + n / 2] = 4 * s.A[0];
		assert_int_equal(lm_dense_ldl(n, s.F, s.pivots).status, LM_FACTOR_SINGULAR);
		symmetric_sample(&s, n, false, (uint64_t)n);
		s.F[n - 1] = INFINITY;
		report = lm_dense_ldl(n, s.F, s.pivots);
		assert_int_equal(report.status, LM_FACTOR_NOT_FINITE);
		assert_int_equal(report.column, n - 1);
	}
	// a row and column of zeros is found under its own number, wherever exchanges have moved it
	for (int bad = 0; bad < 9; ++bad)
	{
		symmetric_sample(&s, 9, false, 5);
		for (int j = 0; j < 9; ++j)
			s.F[bad * 9 + j] = s.F[j * 9 + bad] = 0;
		report = lm_dense_ldl(9, s.F, s.pivots);
		assert_int_equal(report.status, LM_FACTOR_SINGULAR);
		assert_int_equal(report.column, bad);
	}
}

static void test_lu(void** state)
{
	(void)state;
	static sample s;
	for (int n = 0; n <= MOST; n += n < 20 ? 1 : 11)
		for (int transposed = 0; transposed < 2; ++transposed)
		{
			uint64_t seed = (uint64_t)n;
			s.n = n;
			for (int i = 0; i < n * n; ++i)
				s.A[i] = test_random(&seed);
			for (int i = 0; i < n && n > 1; ++i)
				s.A[i * n + i] = 0; // exchanges everywhere
			fill_right_sides(&s);
			lm_factor_report report = lm_dense_lu(n, s.F, s.pivots);
			assert_int_equal(report.status, LM_FACTOR_OK);
			assert_true(report.rcond > 0 && report.rcond <= 1);
			if (transposed)
				lm_dense_lu_solve_transposed(n, s.F, s.pivots, 3, s.X);
			else
				lm_dense_lu_solve(n, s.F, s.pivots, 3, s.X);
			check_residual(&s, transposed);
		}
}

static void test_lu_singular(void** state)
{
	(void)state;
	static sample s;
	for (int n = 1; n <= 40; ++n)
	{
		uint64_t seed = (uint64_t)n;
		s.n = n;
		for (int i = 0; i < n * n; ++i)
			s.A[i] = test_random(&seed);
		for (int i = 0; i < n; ++i) // the last column depends on the others
		{
			s.A[i * n + n - 1] = 0;
			for (int j = 0; j + 1 < n; ++j)
				s.A[i * n + n - 1] += s.A[i * n + j];
		}
		fill_right_sides(&s);
		lm_factor_report report = lm_dense_lu(n, s.F, s.pivots);
		assert_int_equal(report.status, LM_FACTOR_SINGULAR);
		assert_int_equal(report.column, n - 1);
		memcpy(s.F, s.A, sizeof s.F);
		s.F[n * n - 1] = NAN, s.F[0] = n == 1 ? NAN : s.F[0];
		assert_int_equal(lm_dense_lu(n, s.F, s.pivots).status, LM_FACTOR_NOT_FINITE);
	}
	double scaled[4] = { 0, 1e-200, 1e200, 0 };
	assert_int_equal(lm_dense_lu(2, scaled, s.pivots).status, LM_FACTOR_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cholesky),    cmocka_unit_test(test_not_positive), cmocka_unit_test(test_ldl),
		cmocka_unit_test(test_ldl_saddle),  cmocka_unit_test(test_ldl_singular), cmocka_unit_test(test_lu),
		cmocka_unit_test(test_lu_singular),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
