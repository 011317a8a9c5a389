// The metric of a drag: that its directions solve the matrix it was given and fit the steps it was told, whatever the
// scale of the unknowns and the machine.
#include "test.h"

#include "design/drag_metric.h"

enum
{
	MOST = 60 // unknowns
};

static lm_host host;
static double A[MOST][MOST];

// Noise in -1 .. 1, the same every time.
static double noise(int i)
{
	double x = sin(12.9898 * i + 4.1) * 43758.5453;
	return 2 * (x - floor(x)) - 1;
}

// R R^T and something on the diagonal; node k weighs `weight` to the power of k.
static void make_matrix(int nodes, double weight, double diagonal, float* blocks)
{
	int n = 3 * nodes;
	for (int i = 0; i < n; ++i)
		for (int j = 0; j < n; ++j)
		{
			A[i][j] = i == j ? diagonal : 0;
			for (int k = 0; k < n; ++k)
				A[i][j] += noise(i * n + k) * noise(j * n + k) / n;
			A[i][j] *= pow(weight, i / 3) * pow(weight, j / 3);
		}
	for (int b = 0; b < nodes; ++b)
		for (int a = b; a < nodes; ++a)
			for (int k = 0; k < LM_ELASTIC_BLOCK; ++k)
				blocks[LM_ELASTIC_BLOCK * lm_design_block(nodes, b, a) + k] =
					k < 12 && k % 4 < 3 ? (float)A[3 * a + k % 4][3 * b + k / 4] : 0;
}

static void with_kernels(const lm_design_drag_kernels* kernels, int nodes, double weight)
{
	lm_design_drag_metric m;
	float blocks[LM_ELASTIC_BLOCK * (MOST / 3) * (MOST / 3 + 1) / 2];
	double g[MOST], d[MOST], zero[MOST] = { 0 }, after[MOST];
	int n = 3 * nodes;
	assert_true(lm_design_drag_metric_create(&m, &host, nodes));
	m.kernels = kernels != NULL ? kernels : m.kernels;
	make_matrix(nodes, weight, 0.1, blocks);
	assert_true(lm_design_drag_metric_factorize(&m, blocks));
	for (int i = 0; i < n; ++i)
		g[i] = noise(7 * i) * pow(weight, i / 3);
	lm_design_drag_metric_direction(&m, g, d);
	for (int i = 0; i < n; ++i)
	{
		double sum = 0;
		for (int j = 0; j < n; ++j)
			sum += A[i][j] * d[j];
		assert_near(sum / pow(weight, i / 3), g[i] / pow(weight, i / 3), 1e-3);
	}
	for (int round = 0; round < 40; ++round) // steps -0.5 d that changed the gradient by twice what A says
	{
		for (int i = 0; i < n; ++i)
			d[i] = noise(31 * round + i) / pow(weight, i / 3);
		for (int i = 0; i < n; ++i)
		{
			after[i] = 0;
			for (int j = 0; j < n; ++j)
				after[i] -= A[i][j] * d[j];
		}
		lm_design_drag_metric_remember(&m, 0.5, d, zero, after);
	}
	assert_int_equal(m.count, LM_DRAG_MEMORY);
	double learnt[MOST];
	lm_design_drag_metric_direction(&m, after, learnt); // the last step is known exactly
	for (int i = 0; i < n; ++i)
		assert_near(learnt[i] * pow(weight, i / 3), -0.5 * d[i] * pow(weight, i / 3), 2e-3);
	lm_design_drag_metric_release(&m, &host);
}

static void directions_solve_the_matrix_and_fit_the_steps(void** state)
{
	(void)state;
	for (int nodes = 1; nodes <= MOST / 3; nodes += nodes < 16 ? 1 : 4)
	{
		with_kernels(NULL, nodes, 1);
		with_kernels(&lm_design_drag_kernels_plain, nodes, 1);
	}
	with_kernels(NULL, 8, 30); // squares from 1 to 2e20
}

static void what_is_not_positive_is_told(void** state)
{
	(void)state;
	lm_design_drag_metric m;
	float blocks[LM_ELASTIC_BLOCK * 6 * 7 / 2];
	assert_true(lm_design_drag_metric_create(&m, &host, 6));
	make_matrix(6, 1, -0.3, blocks);
	assert_false(lm_design_drag_metric_factorize(&m, blocks));
	make_matrix(6, 1, 0.1, blocks);
	blocks[LM_ELASTIC_BLOCK * lm_design_block(6, 3, 3)] = NAN;
	assert_false(lm_design_drag_metric_factorize(&m, blocks));
	make_matrix(6, 1, 0.1, blocks);
	assert_true(lm_design_drag_metric_factorize(&m, blocks));
	lm_design_drag_metric_release(&m, &host);
}

// A step along which the energy curves downwards is not kept.
static void bad_steps_are_forgotten(void** state)
{
	(void)state;
	lm_design_drag_metric m;
	float blocks[LM_ELASTIC_BLOCK * 2 * 3 / 2];
	double d[6] = { 1, 0, 0, 0, 0, 0 }, g[6] = { 0 }, next[6] = { 1, 0, 0, 0, 0, 0 };
	assert_true(lm_design_drag_metric_create(&m, &host, 2));
	make_matrix(2, 1, 1, blocks);
	assert_true(lm_design_drag_metric_factorize(&m, blocks));
	lm_design_drag_metric_remember(&m, 1, d, g, next);
	assert_int_equal(m.count, 0);
	lm_design_drag_metric_remember(&m, 1, d, next, g);
	assert_int_equal(m.count, 1);
	assert_true(lm_design_drag_metric_factorize(&m, blocks));
	assert_int_equal(m.count, 0);
	lm_design_drag_metric_release(&m, &host);
}

static int set_up(void** state)
{
	(void)state;
	host = lm_host_default();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(directions_solve_the_matrix_and_fit_the_steps),
		cmocka_unit_test(what_is_not_positive_is_told),
		cmocka_unit_test(bad_steps_are_forgotten),
	};
	return cmocka_run_group_tests(tests, set_up, NULL);
}
