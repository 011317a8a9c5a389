// The block band against a plain dense factorisation.
#include "test.h"

#include "design/band.h"
#include "sparse/dense.h"

static void solves_as_a_dense_matrix_does(void** state)
{
	(void)state;
	const int sizes[3] = { 3, 30, 61 };
	lm_host host = lm_host_default();
	lm_design_band band = { 0 };
	for (int round = 0; round < 9; ++round)
	{
		int size = sizes[round % 3], width = round / 3, count = 1 + 2 * width, n = size * count;
		double* dense = calloc((size_t)(n * n), sizeof(double));
		double *g = malloc(sizeof(double) * 2 * (size_t)n), *d = g + n;
		uint64_t seed = (uint64_t)round;
		assert_true(lm_design_band_resize(&band, &host, size, width, count));
		for (int j = 0; j < count; ++j)
			for (int below = 0; below <= width && j + below < count; ++below)
				for (int c = 0; c < size; ++c)
					for (int r = below == 0 ? c : 0; r < size; ++r)
					{
						double v = 0.1 * test_random(&seed) + (below == 0 && r == c ? 4 + 0.3 * size : 0);
						lm_design_band_block(&band, j, below)[c * band.stride + r] = v;
						dense[(j * size + c) * n + (j + below) * size + r] = v;
					}
		for (int i = 0; i < n; ++i)
			g[i] = d[i] = test_random(&seed), dense[i * n + i] += 0.5;
		assert_int_equal(lm_dense_cholesky(n, dense).status, LM_FACTOR_OK);
		lm_dense_cholesky_solve(n, dense, 1, d);
		assert_true(lm_design_band_factorize(&band, 0.5));
		lm_design_band_solve(&band, g, g);
		for (int i = 0; i < n; ++i)
			assert_near(g[i], d[i], 1e-12);
		free(dense);
		free(g);
	}
	assert_true(lm_design_band_resize(&band, &host, 5, 1, 3));
	assert_false(lm_design_band_factorize(&band, -1));
	lm_design_band_release(&band);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(solves_as_a_dense_matrix_does) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
