// Unsymmetric corrections of low rank against dense LU of the whole matrix.
#include "test.h"

#include "matrices.h"
#include "sparse/dense.h"
#include "sparse/woodbury.h"

#define RANK 9

// Each column of U has three numbers, of V six; some columns share rows, as contacts of neighbours do.
typedef struct correction
{
	int32_t u_start[RANK + 1], v_start[RANK + 1], u_index[3 * RANK], v_index[6 * RANK];
	double u[3 * RANK], v[6 * RANK];
	lm_sparse_columns U, V;
} correction;

static void make_correction(int32_t n, double size, uint64_t seed, correction* c)
{
	for (int k = 0; k < RANK; ++k)
	{
		c->u_start[k + 1] = 3 * (k + 1), c->v_start[k + 1] = 6 * (k + 1);
		for (int i = 0; i < 6; ++i)
		{
			c->v_index[6 * k + i] = (int32_t)((k * 7 + i * 5) % n);
			c->v[6 * k + i] = size * test_random(&seed);
			if (i < 3)
				c->u_index[3 * k + i] = (int32_t)((k * 7 + i) % n), c->u[3 * k + i] = test_random(&seed);
		}
	}
	c->u_start[0] = c->v_start[0] = 0;
	c->U = (lm_sparse_columns){ RANK, c->u_start, c->u_index, c->u };
	c->V = (lm_sparse_columns){ RANK, c->v_start, c->v_index, c->v };
}

static double* dense_sum(const test_grid* grid, const correction* c)
{
	double* A = test_dense(grid->pattern, grid->values);
	for (int k = 0; k < RANK; ++k)
		for (int i = 3 * k; i < 3 * (k + 1); ++i)
			for (int j = 6 * k; j < 6 * (k + 1); ++j)
				A[c->u_index[i] * grid->n + c->v_index[j]] += c->u[i] * c->v[j];
	return A;
}

static void test_against_dense(void** state)
{
	(void)state;
	test_grid grid = test_grid_create(3, true);
	int32_t n = grid.n;
	lm_host host = lm_host_default();
	lm_cholesky* cholesky = NULL;
	lm_woodbury* woodbury = NULL;
	assert_int_equal(lm_cholesky_create(grid.pattern, LM_CHOLESKY_LL, &host, &cholesky, NULL), LM_OK);
	assert_int_equal(lm_woodbury_create(cholesky, &host, &woodbury, NULL), LM_OK);
	double *B = test_vector(2 * n, 4), *X = calloc((size_t)(2 * n), sizeof *X);
	assert_false(lm_woodbury_solve(woodbury, 1, B, X));
	assert_false(lm_woodbury_solve_transposed(woodbury, 1, B, X));
	assert_int_equal(lm_cholesky_factorize(cholesky, grid.values, 0).status, LM_FACTOR_OK);
	int32_t* pivots = malloc((size_t)n * sizeof *pivots);
	for (int round = 0; round < 6; ++round)
	{
		correction c;
		make_correction(n, pow(10, round - 3), (uint64_t)round, &c);
		double *A = dense_sum(&grid, &c), *reference = test_vector(2 * n, 4);
		assert_int_equal(lm_dense_lu(n, A, pivots).status, LM_FACTOR_OK);
		assert_int_equal(lm_woodbury_update(woodbury, &c.U, &c.V).status, LM_FACTOR_OK);
		for (int transposed = 0; transposed < 2; ++transposed)
		{
			memcpy(reference, B, (size_t)(2 * n) * sizeof *B);
			memcpy(X, B, (size_t)(2 * n) * sizeof *B);
			(transposed ? lm_dense_lu_solve_transposed : lm_dense_lu_solve)(n, A, pivots, 2, reference);
			bool in_place = round % 2;
			assert_true(
				(transposed ? lm_woodbury_solve_transposed : lm_woodbury_solve)(woodbury, 2, in_place ? X : B, X));
			double size = test_largest(2 * n, reference);
			for (int i = 0; i < 2 * n; ++i)
				assert_near(X[i], reference[i], 1e-9 * size);
		}
		free(A), free(reference);
	}
	free(B), free(X), free(pivots);
	lm_woodbury_destroy(woodbury);
	lm_woodbury_destroy(NULL);
	lm_cholesky_destroy(cholesky);
	test_grid_destroy(&grid);
}

// A = 2 I, U = e_1, V = -2 e_1: the sum has a row of zeros. And rank 0 is no correction.
static void test_singular_and_none(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_pattern* A = NULL;
	lm_cholesky* cholesky = NULL;
	lm_woodbury* woodbury = NULL;
	assert_int_equal(lm_pattern_create(3, true, NULL, 0, &host, &A, NULL), LM_OK);
	assert_int_equal(lm_cholesky_create(A, LM_CHOLESKY_LL, &host, &cholesky, NULL), LM_OK);
	assert_int_equal(lm_woodbury_create(cholesky, &host, &woodbury, NULL), LM_OK);
	double values[3] = { 2, 2, 2 }, u = 1, v = -2, x[3] = { 2, 4, 6 };
	int32_t start[2] = { 0, 1 }, index = 1;
	assert_int_equal(lm_cholesky_factorize(cholesky, values, 0).status, LM_FACTOR_OK);
	lm_sparse_columns U = { 1, start, &index, &u }, V = { 1, start, &index, &v };
	lm_factor_report report = lm_woodbury_update(woodbury, &U, &V);
	assert_int_equal(report.status, LM_FACTOR_SINGULAR);
	assert_int_equal(report.column, 0);
	assert_false(lm_woodbury_solve(woodbury, 1, x, x));
	U.count = V.count = 0;
	assert_int_equal(lm_woodbury_update(woodbury, &U, &V).status, LM_FACTOR_OK);
	assert_true(lm_woodbury_solve(woodbury, 1, x, x));
	assert_true(lm_woodbury_solve_transposed(woodbury, 1, x, x));
	assert_near(x[2], 1.5, 1e-15);
	lm_woodbury_destroy(woodbury);
	lm_cholesky_destroy(cholesky);
	lm_pattern_destroy(A);
}

static void test_memory_fails(void** state)
{
	(void)state;
	test_grid grid = test_grid_create(3, true);
	lm_host host = lm_host_default();
	lm_cholesky* cholesky = NULL;
	assert_int_equal(lm_cholesky_create(grid.pattern, LM_CHOLESKY_LL, &host, &cholesky, NULL), LM_OK);
	assert_int_equal(lm_cholesky_factorize(cholesky, grid.values, 0).status, LM_FACTOR_OK);
	correction c;
	make_correction(grid.n, 1, 1, &c);
	double* x = test_vector(grid.n, 1);
	for (int64_t fail_at = 1; fail_at <= 6; ++fail_at)
	{
		test_memory memory = { .fail_at = fail_at };
		lm_host failing = test_host(&memory);
		lm_woodbury* woodbury = NULL;
		lm_status status = lm_woodbury_create(cholesky, &failing, &woodbury, NULL);
		assert_int_equal(status, fail_at == 1 ? LM_NO_MEMORY : LM_OK);
		if (status == LM_OK)
		{
			lm_factor_report report = lm_woodbury_update(woodbury, &c.U, &c.V);
			assert_int_equal(report.status, fail_at <= 5 ? LM_FACTOR_NO_MEMORY : LM_FACTOR_OK);
			assert_int_equal(lm_woodbury_solve(woodbury, 1, x, x), fail_at > 5);
			if (fail_at <= 5) // and the next time all is well
				assert_int_equal(lm_woodbury_update(woodbury, &c.U, &c.V).status, LM_FACTOR_OK);
		}
		lm_woodbury_destroy(woodbury);
		assert_int_equal(memory.held, 0);
	}
	free(x);
	lm_cholesky_destroy(cholesky);
	test_grid_destroy(&grid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_dense),
		cmocka_unit_test(test_singular_and_none),
		cmocka_unit_test(test_memory_fails),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
