// The product of simplices: exact minima, against the simplex method for one group, against optimality conditions for
// many, and against a plain projected gradient.
#include "test.h"

#include "solve/group_qp.h"
#include "solve/simplex_qp.h"

#define MOST LM_GROUP_QP_MAX

static void random_matrix(int n, int rank, uint64_t* seed, double* G)
{
	double A[MOST * MOST];
	for (int i = 0; i < rank * n; ++i)
		A[i] = test_random(seed);
	for (int i = 0; i < n; ++i)
		for (int j = 0; j < n; ++j)
		{
			G[i * n + j] = 0;
			for (int k = 0; k < rank; ++k)
				G[i * n + j] += A[k * n + i] * A[k * n + j];
		}
}

static double value(int n, const double* G, const double* b, const double* w)
{
	double sum = 0;
	for (int i = 0; i < n; ++i)
	{
		sum -= b[i] * w[i];
		for (int j = 0; j < n; ++j)
			sum += 0.5 * w[i] * G[i * n + j] * w[j];
	}
	return sum;
}

// How far the optimality conditions are from fulfilled, relative to the gradient's terms.
static double violation(int n, const double* G, const double* b, int groups, const int32_t* start, const double* w)
{
	double worst = 0;
	for (int g = 0; g < groups; ++g)
	{
		double sum = 0, lowest = INFINITY, gradient[MOST], terms = 1e-30;
		for (int i = start[g]; i < start[g + 1]; ++i)
		{
			gradient[i] = -b[i];
			for (int j = 0; j < n; ++j)
				gradient[i] += G[i * n + j] * w[j], terms = fmax(terms, fabs(G[i * n + j]));
			terms = fmax(terms, fabs(b[i]));
			lowest = fmin(lowest, gradient[i]);
			sum += w[i];
			if (!(w[i] >= 0) || !(sum <= 1))
				return INFINITY;
		}
		double level = sum < 1 - 1e-12 ? 0 : fmin(0, lowest); // the multiplier of the sum
		for (int i = start[g]; i < start[g + 1]; ++i)
		{
			worst = fmax(worst, (level - gradient[i]) / terms);
			worst = fmax(worst, w[i] * fabs(gradient[i] - level) / terms);
		}
	}
	return worst;
}

static void one_group_is_the_simplex(void** state)
{
	(void)state;
	uint64_t seed = 1;
	for (int trial = 0; trial < 300; ++trial)
	{
		int n = 1 + trial % 9;
		int32_t start[2] = { 0, n };
		double G[MOST * MOST], b[MOST], w[MOST] = { 0 }, exact[MOST];
		random_matrix(n, trial % 3 ? n : 1 + n / 2, &seed, G);
		for (int i = 0; i < n; ++i)
			b[i] = 2 * test_random(&seed), w[i] = test_random(&seed);
		lm_simplex_qp(n, G, b, exact);
		lm_group_qp(n, G, b, 1, start, w);
		assert_near(value(n, G, b, w), value(n, G, b, exact), 1e-12);
		assert_true(violation(n, G, b, 1, start, w) < 1e-10);
	}
}

static void many_groups_are_optimal(void** state)
{
	(void)state;
	uint64_t seed = 2;
	for (int trial = 0; trial < 200; ++trial)
	{
		int32_t start[MOST + 1] = { 0 };
		int groups = 0, n = 0;
		while (n < 3 + trial % 40)
			n += 1 + (int)(2.5 * (1 + test_random(&seed))), start[++groups] = n;
		double G[MOST * MOST], b[MOST], w[MOST] = { 0 };
		random_matrix(n, trial % 4 ? n : n / 2, &seed, G);
		for (int i = 0; i < n; ++i)
			b[i] = 3 * test_random(&seed);
		int steps = lm_group_qp(n, G, b, groups, start, w);
		assert_true(steps < 40 * (n + 2));
		assert_true(violation(n, G, b, groups, start, w) < 1e-9);
		// another start, the same minimum
		double other[MOST];
		for (int i = 0; i < n; ++i)
			other[i] = test_random(&seed);
		lm_group_qp(n, G, b, groups, start, other);
		assert_near(value(n, G, b, other), value(n, G, b, w), 1e-11);
	}
}

static void corners_and_insides(void** state)
{
	(void)state;
	const int32_t start[3] = { 0, 2, 3 };
	const double G[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
	double inside[3] = { 0.25, 0.5, 0.125 }, w[3] = { 0 };
	lm_group_qp(3, G, inside, 2, start, w);
	for (int i = 0; i < 3; ++i)
		assert_near(w[i], inside[i], 1e-12);
	const double outside[3] = { 5, 4.5, -1 };
	lm_group_qp(3, G, outside, 2, start, w);
	assert_near(w[0], 0.75, 1e-12);
	assert_near(w[1], 0.25, 1e-12);
	assert_true(w[2] == 0);
	const double bad[3] = { NAN, 1, 1 };
	w[0] = 0.5;
	lm_group_qp(3, G, bad, 2, start, w);
	assert_true(w[0] == 0.5); // as it came
}

// No direction along the way to any point of the simplex may lead closer: (wanted - w) . (z - w) <= 0.
static void nearest_points(void** state)
{
	(void)state;
	uint64_t seed = 3;
	for (int trial = 0; trial < 200; ++trial)
	{
		int n = 1 + trial % 12;
		double wanted[MOST], w[MOST], sum = 0, scale = trial % 5 == 0 ? 1e200 : 2;
		for (int i = 0; i < n; ++i)
			w[i] = wanted[i] = scale * test_random(&seed);
		lm_group_nearest(n, w);
		double level = 0;
		for (int i = 0; i < n; ++i)
		{
			assert_true(w[i] >= 0);
			sum += w[i];
			level += (wanted[i] - w[i]) * w[i];
		}
		assert_true(sum <= 1);
		for (int i = 0; i < n; ++i) // z: a corner; and the origin
			assert_true(wanted[i] - w[i] - level <= 1e-12 * scale);
		assert_true(-level <= 1e-12 * scale);
	}
	double mad[2] = { NAN, -INFINITY };
	lm_group_nearest(2, mad);
	assert_true(mad[0] == 0 && mad[1] == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_group_is_the_simplex),
		cmocka_unit_test(many_groups_are_optimal),
		cmocka_unit_test(corners_and_insides),
		cmocka_unit_test(nearest_points),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
