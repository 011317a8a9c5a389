// The closest positive semidefinite matrix R of A is the one with R >= 0, R - A >= 0 and R (R - A) = 0.
#include "test.h"

#include "elastic/psd.h"

// x^T A x over many x, unit vectors among them.
static double smallest_form(int n, const double* A, uint64_t* seed)
{
	double least = INFINITY;
	for (int k = 0; k < 400; ++k)
	{
		double x[12], form = 0, norm = 0;
		for (int i = 0; i < n; ++i)
			x[i] = k < n ? i == k : test_random(seed);
		for (int i = 0; i < n; ++i)
		{
			norm += x[i] * x[i];
			for (int j = 0; j < n; ++j)
				form += x[i] * A[i * n + j] * x[j];
		}
		least = fmin(least, form / norm);
	}
	return least;
}

static void check(int n, const double* A, const double* R, uint64_t* seed)
{
	double D[144], size = 0, most = 0;
	for (int i = 0; i < n * n; ++i)
	{
		D[i] = R[i] - A[i];
		size = fmax(size, fabs(A[i]));
	}
	for (int i = 0; i < n; ++i)
		for (int j = 0; j < n; ++j)
		{
			double sum = 0;
			for (int k = 0; k < n; ++k)
				sum += R[i * n + k] * D[k * n + j];
			most = fmax(most, fabs(sum));
			assert_near(R[i * n + j], R[j * n + i], 1e-12 * size);
		}
	assert_true(smallest_form(n, R, seed) > -1e-7 * size);
	assert_true(smallest_form(n, D, seed) > -1e-7 * size);
	assert_true(most < 1e-7 * size * size);
}

// A random symmetric matrix that does not see translations.
static void random_element(int corners, int d, uint64_t* seed, double* A)
{
	int n = corners * d;
	double S[144], rows[12][3];
	for (int i = 0; i < n; ++i)
		for (int j = 0; j <= i; ++j)
			S[i * n + j] = S[j * n + i] = test_random(seed);
	// A = Q S Q, Q = I - averages
	for (int pass = 0; pass < 2; ++pass)
	{
		memset(rows, 0, sizeof rows);
		for (int i = 0; i < n; ++i)
			for (int j = 0; j < n; ++j)
				rows[i][j % d] += S[i * n + j] / corners;
		for (int i = 0; i < n; ++i)
			for (int j = 0; j < n; ++j)
				A[j * n + i] = S[i * n + j] - rows[i][j % d];
		memcpy(S, A, (size_t)(n * n) * sizeof *S);
	}
}

static void closest(void** state)
{
	(void)state;
	uint64_t seed = 1;
	int changed = 0;
	for (int k = 0; k < 60; ++k)
	{
		int d = 2 + k % 2, corners = d == 2 ? 2 + k % 4 / 2 : 2 + k % 3;
		double A[144], R[144], scale = pow(10, k % 7 * 20 - 60);
		random_element(corners, d, &seed, A);
		for (int i = 0; i < corners * d * corners * d; ++i)
			A[i] *= scale;
		memcpy(R, A, sizeof R);
		lm_psd_project(corners, d, R);
		changed += memcmp(A, R, (size_t)(corners * d * corners * d) * sizeof *A) != 0;
		check(corners * d, A, R, &seed);
		double again[144];
		memcpy(again, R, sizeof again);
		lm_psd_project(corners, d, again);
		for (int i = 0; i < corners * d * corners * d; ++i)
			assert_near(again[i], R[i], 1e-7 * scale);
	}
	assert_true(changed > 40); // almost all random matrices are indefinite
}

static void edges_in_closed_form(void** state)
{
	(void)state;
	uint64_t seed = 2;
	for (int k = 0; k < 60; ++k)
	{
		int d = 2 + k % 2, n = 2 * d;
		double x[6], A[144], R[144], G[144], alpha = test_random(&seed), beta = k % 5 * 0.4;
		for (int i = 0; i < n; ++i)
			x[i] = k % 10 == 9 ? 0 : test_random(&seed); // sometimes without length
		for (int i = 0; i < n; ++i)
			for (int j = 0; j < n; ++j)
			{
				double e = x[d + i % d] - x[i % d], f = x[d + j % d] - x[j % d];
				A[i * n + j] = (i / d == j / d ? 1 : -1) * (beta * e * f + (i % d == j % d ? alpha : 0));
			}
		memcpy(R, A, sizeof R);
		memcpy(G, A, sizeof G);
		lm_psd_project_edge(d, x, R);
		lm_psd_project(2, d, G);
		check(n, A, R, &seed);
		for (int i = 0; i < n * n; ++i)
			assert_near(R[i], G[i], 1e-8);
	}
}

static void semidefinite_stays(void** state)
{
	(void)state;
	uint64_t seed = 3;
	double A[144], R[144], J[12];
	for (int k = 0; k < 20; ++k)
	{
		for (int i = 0; i < 9; ++i)
			J[3 + i] = test_random(&seed);
		for (int i = 0; i < 3; ++i)
			J[i] = -J[3 + i] - J[6 + i] - J[9 + i];
		for (int i = 0; i < 144; ++i)
			A[i] = J[i / 12] * J[i % 12]; // rank one: singular but not negative
		memcpy(R, A, sizeof R);
		lm_psd_project(4, 3, R);
		assert_memory_equal(A, R, sizeof A);
	}
	memset(R, 0, sizeof R);
	lm_psd_project(4, 3, R);
	for (int i = 0; i < 144; ++i)
		assert_true(R[i] == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closest),
		cmocka_unit_test(edges_in_closed_form),
		cmocka_unit_test(semidefinite_stays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
