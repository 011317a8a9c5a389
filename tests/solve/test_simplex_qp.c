// The nearest point of a simplex: against all active sets (n <= 6), against the optimality conditions (n <= 64), for
// simplices of every bad shape.
#include "test.h"

#include "solve/simplex_qp.h"

#define N LM_SIMPLEX_MAX

static double objective(int n, const double* G, const double* b, const double* w)
{
	double sum = 0;
	for (int i = 0; i < n; ++i)
	{
		double row = 0;
		for (int j = 0; j < n; ++j)
			row += G[i * n + j] * w[j];
		sum += w[i] * (0.5 * row - b[i]);
	}
	return sum;
}

// w >= 0, sum <= 1, and with g = G w - b and mu = max(0, -min g): g_i + mu >= 0, zero where w_i > 0, mu (1 - sum) = 0.
// Everything to tolerance, relative to the largest number.
static void check_optimal(int n, const double* G, const double* b, const double* w, double tolerance)
{
	double largest = 0, sum = 0, mu = 0, g[N];
	for (int i = 0; i < n * n; ++i)
		largest = fmax(largest, fabs(G[i]));
	for (int i = 0; i < n; ++i)
	{
		largest = fmax(largest, fabs(b[i]));
		assert_true(w[i] >= 0);
		sum += w[i];
		g[i] = -b[i];
		for (int j = 0; j < n; ++j)
			g[i] += G[i * n + j] * w[j];
		mu = fmax(mu, -g[i]);
	}
	assert_true(sum <= 1);
	if (largest == 0)
		largest = 1; // everything is optimal
	for (int i = 0; i < n; ++i)
		assert_near(w[i] * (g[i] + mu) / largest, 0, tolerance);
	assert_near((1 - sum) * mu / largest, 0, tolerance);
}

static int solve(int n, const double* G, const double* b, double* w)
{
	int steps = lm_simplex_qp(n, G, b, w);
	assert_in_range(steps, 0, 21 * (n + 3));
	for (int i = 0; i < n; ++i)
		assert_true(isfinite(w[i]));
	return steps;
}

// G = E^T E, b = E^T q for E with dimension rows.
static void gram(int n, int dimension, const double* E, const double* q, double* G, double* b)
{
	for (int i = 0; i < n; ++i)
	{
		b[i] = 0;
		for (int d = 0; d < dimension; ++d)
			b[i] += E[i * dimension + d] * q[d];
		for (int j = 0; j < n; ++j)
		{
			G[i * n + j] = 0;
			for (int d = 0; d < dimension; ++d)
				G[i * n + j] += E[i * dimension + d] * E[j * dimension + d];
		}
	}
}

// Solves the k x k system in place with full pivoting; false when it is singular.
static bool eliminate(int k, double A[8][9])
{
	for (int step = 0; step < k; ++step)
	{
		int pivot = step;
		for (int i = step; i < k; ++i)
			if (fabs(A[i][step]) > fabs(A[pivot][step]))
				pivot = i;
		if (fabs(A[pivot][step]) < 1e-12)
			return false;
		for (int j = 0; j <= k; ++j)
		{
			double old = A[step][j];
			A[step][j] = A[pivot][j], A[pivot][j] = old;
		}
		for (int i = 0; i < k; ++i)
			if (i != step)
				for (int j = k; j >= step; --j)
					A[i][j] -= A[i][step] / A[step][step] * A[step][j];
	}
	for (int i = 0; i < k; ++i)
		A[i][k] /= A[i][i];
	return true;
}

// The smallest objective over all faces: for every set of vertices with positive weight, with and without the slack.
// Faces with a singular system are skipped: by Caratheodory's argument a minimum lies on a regular one, too.
static double brute_force(int n, const double* G, const double* b)
{
	double best = 0; // w = 0
	for (int mask = 1; mask < 1 << n; ++mask)
		for (int full = 0; full < 2; ++full)
		{
			int set[8], k = 0;
			for (int i = 0; i < n; ++i)
				if (mask >> i & 1)
					set[k++] = i;
			double A[8][9] = { { 0 } }, w[N] = { 0 }, sum = 0;
			for (int i = 0; i < k; ++i)
			{
				for (int j = 0; j < k; ++j)
					A[i][j] = G[set[i] * n + set[j]];
				A[i][k] = full ? 1 : b[set[i]];
				if (full)
					A[k][i] = 1, A[i][k + 1] = b[set[i]];
			}
			A[k][k + 1] = 1;
			if (!eliminate(k + full, A))
				continue;
			bool feasible = true;
			for (int i = 0; i < k; ++i)
			{
				w[set[i]] = A[i][k + full];
				feasible = feasible && w[set[i]] >= -1e-13;
				sum += w[set[i]];
			}
			if (feasible && sum <= 1 + 1e-13)
				best = fmin(best, objective(n, G, b, w));
		}
	return best;
}

static void random_points(double* x, int count, uint64_t* seed)
{
	for (int i = 0; i < count; ++i)
		x[i] = test_random(seed);
}

static void against_all_active_sets(void** state)
{
	(void)state;
	uint64_t seed = 1;
	int interior = 0, edge = 0, corner = 0;
	for (int round = 0; round < 3000; ++round)
	{
		int n = 1 + round % 6, dimension = 1 + round / 6 % 8; // also more vertices than dimensions: singular
		double E[6 * 8], q[8], G[36], b[6], w[6];
		random_points(E, n * dimension, &seed);
		random_points(q, dimension, &seed);
		if (round % 5 == 0)
			for (int d = 0; d < dimension; ++d) // inside the simplex
			{
				q[d] = 0;
				for (int i = 0; i < n; ++i)
					q[d] += E[i * dimension + d] / (n + 1);
			}
		gram(n, dimension, E, q, G, b);
		solve(n, G, b, w);
		check_optimal(n, G, b, w, 1e-12);
		assert_near(objective(n, G, b, w), brute_force(n, G, b), 1e-12);
		int positive = 0;
		for (int i = 0; i < n; ++i)
			positive += w[i] > 0;
		corner += positive <= 1;
		edge += positive > 1 && positive < n;
		interior += n > 1 && positive == n;
	}
	assert_true(corner > 100 && edge > 100 && interior > 100); // all kinds were there
}

static void large(void** state)
{
	(void)state;
	uint64_t seed = 2;
	static double E[N * 80], q[80], G[N * N], b[N], w[N];
	int most = 0;
	for (int round = 0; round < 200; ++round)
	{
		int n = 7 + round % (N - 6), dimension = round % 3 == 0 ? 3 : round % 3 == 1 ? n : 80;
		random_points(E, n * dimension, &seed);
		random_points(q, dimension, &seed);
		if (round % 2)
			for (int d = 0; d < dimension; ++d) // near the middle: many vertices carry weight
				for (int i = 0; i < n; ++i)
					q[d] = (i ? q[d] : 0.01 * q[d]) + E[i * dimension + d] / (n + 0.5);
		gram(n, dimension, E, q, G, b);
		int steps = solve(n, G, b, w);
		most = steps > most ? steps : most;
		check_optimal(n, G, b, w, 1e-12);
	}
	assert_true(most > 10);
}

static void scaled_by_anything(void** state)
{
	(void)state;
	uint64_t seed = 3;
	for (int round = 0; round < 2000; ++round)
	{
		int n = 2 + round % 10, dimension = 2 + round % 7;
		double E[12 * 9], q[9], G[144], b[12], w[12], v[12];
		random_points(E, n * dimension, &seed);
		random_points(q, dimension, &seed);
		gram(n, dimension, E, q, G, b);
		solve(n, G, b, w);
		double scale = pow(10, 290 * test_random(&seed)); // all together
		for (int i = 0; i < n * n; ++i)
			G[i] *= scale;
		for (int i = 0; i < n; ++i)
			b[i] *= scale;
		solve(n, G, b, v);
		check_optimal(n, G, b, v, 1e-11);

		for (int i = 0; i < n; ++i) // each vertex on its own
		{
			double own = pow(10, 8 * test_random(&seed));
			for (int d = 0; d < dimension; ++d)
				E[i * dimension + d] *= own;
		}
		gram(n, dimension, E, q, G, b);
		solve(n, G, b, w);
		check_optimal(n, G, b, w, 1e-11);
		double far = pow(10, 12 * test_random(&seed));
		for (int i = 0; i < n; ++i) // and the target
			b[i] *= far;
		solve(n, G, b, w);
		check_optimal(n, G, b, w, 1e-11);
	}
}

// Optimality of small vertices beside enormous ones, which a tolerance relative to the largest number does not see.
static void small_beside_large(void** state)
{
	(void)state;
	const double G[] = { 1e16, 0, 0, 1 }, b[] = { 1e8, 0.3 };
	double w[2];
	solve(2, G, b, w);
	assert_near(w[0], 1e-8, 1e-20);
	assert_near(w[1], 0.3, 1e-12);
}

static void repeated_zero_and_dependent_vertices(void** state)
{
	(void)state;
	uint64_t seed = 4;
	for (int round = 0; round < 3000; ++round)
	{
		int n = 2 + round % 5, dimension = 1 + round % 5;
		double E[6 * 5], q[5], G[36], b[6], w[6];
		random_points(E, n * dimension, &seed);
		random_points(q, dimension, &seed);
		for (int i = 0; i < n; ++i)
		{
			double kind = test_random(&seed);
			int other = (int)(3 * fabs(test_random(&seed))) % n;
			for (int d = 0; d < dimension; ++d)
			{
				double* entry = &E[i * dimension + d];
				double model = E[other * dimension + d];
				*entry = kind < -0.6 ? 0 : kind < -0.2 ? model : kind < 0 ? 0.5 * model : kind < 0.1 ? -model : *entry;
				if (kind > 0.1 && kind < 0.3)
					*entry = model + 1e-9 * *entry; // nearly the same
			}
		}
		gram(n, dimension, E, q, G, b);
		solve(n, G, b, w);
		check_optimal(n, G, b, w, 1e-12);
		assert_near(objective(n, G, b, w), brute_force(n, G, b), 1e-12);
	}
}

// b outside the range of G: a linear part that no quadratic term stops.
static void linear_programs(void** state)
{
	(void)state;
	uint64_t seed = 5;
	for (int round = 0; round < 1000; ++round)
	{
		int n = 1 + round % 6;
		double G[36] = { 0 }, b[6], w[6];
		random_points(b, n, &seed);
		solve(n, G, b, w);
		check_optimal(n, G, b, w, 0);
		double best = 0;
		for (int i = 0; i < n; ++i)
			best = fmin(best, -b[i]);
		assert_near(objective(n, G, b, w), best, 0);
		for (int i = 0; i < n; ++i) // rank one, and b anything
			for (int j = 0; j < n; ++j)
				G[i * n + j] = 1 + (i % 2) * (j % 2);
		solve(n, G, b, w);
		check_optimal(n, G, b, w, 1e-12);
	}
}

static void known_answers(void** state)
{
	(void)state;
	double w[3];
	const double one[] = { 4 };
	lm_simplex_qp(1, one, (double[]){ 2 }, w);
	assert_near(w[0], 0.5, 1e-15);
	lm_simplex_qp(1, one, (double[]){ 8 }, w);
	assert_near(w[0], 1, 1e-15);
	lm_simplex_qp(1, one, (double[]){ -1 }, w);
	assert_near(w[0], 0, 0);
	const double two[] = { 1, 0, 0, 1 }; // a right angle and a point beyond the long side
	lm_simplex_qp(2, two, (double[]){ 1, 1 }, w);
	assert_near(w[0], 0.5, 1e-15);
	assert_near(w[1], 0.5, 1e-15);
	lm_simplex_qp(2, two, (double[]){ 0.25, -3 }, w);
	assert_near(w[0], 0.25, 1e-15);
	assert_near(w[1], 0, 0);
	// unconstrained (2, -1): nearest is (1, 0)
	lm_simplex_qp(2, two, (double[]){ 2, -1 }, w);
	assert_near(w[0], 1, 1e-15);
	assert_near(w[1], 0, 0);
	assert_int_equal(lm_simplex_qp(0, NULL, NULL, NULL), 0);
}

static void bad_input_gives_finite_weights(void** state)
{
	(void)state;
	uint64_t seed = 6;
	double w[4];
	for (int round = 0; round < 300; ++round)
	{
		double G[16], b[4];
		random_points(G, 16, &seed); // neither symmetric nor semidefinite: a bug elsewhere, but no NaN and no hang
		random_points(b, 4, &seed);
		solve(4, G, b, w);
		double sum = w[0] + w[1] + w[2] + w[3];
		assert_true(sum <= 1);
		(round % 2 ? G : b)[round % 4] = round % 3 ? NAN : INFINITY;
		assert_int_equal(solve(4, G, b, w), 0);
		assert_near(w[0] + w[1] + w[2] + w[3], 0, 0);
	}
}

static void same_bits_every_time(void** state)
{
	(void)state;
	uint64_t seed = 7;
	double E[8 * 3], q[3], G[64], b[8], w[8], v[8];
	random_points(E, 24, &seed);
	random_points(q, 3, &seed);
	gram(8, 3, E, q, G, b);
	memset(w, 0xff, sizeof w); // what was there does not matter
	memset(v, 0, sizeof v);
	lm_simplex_qp(8, G, b, w);
	lm_simplex_qp(8, G, b, v);
	assert_memory_equal(w, v, sizeof w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers),
		cmocka_unit_test(against_all_active_sets),
		cmocka_unit_test(large),
		cmocka_unit_test(scaled_by_anything),
		cmocka_unit_test(small_beside_large),
		cmocka_unit_test(repeated_zero_and_dependent_vertices),
		cmocka_unit_test(linear_programs),
		cmocka_unit_test(bad_input_gives_finite_weights),
		cmocka_unit_test(same_bits_every_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
