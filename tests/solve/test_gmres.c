// test_gmres.c: minimal residuals: exact after as many iterations as the correction has ranks, and safe.
#include "test.h"

#include "solve/gmres.h"

#define N 40
#define RANK 3

// A = diag(d) + U V^T, with diag(d) as the preconditioner.
typedef struct problem
{
	double d[N], U[RANK][N], V[RANK][N];
	int rank;
	bool broken; // the preconditioner cannot
	double offset;
} problem;

static void multiply(void* context, const double* x, double* y)
{
	const problem* p = context;
	for (int i = 0; i < N; ++i)
		y[i] = p->d[i] * x[i] + p->offset;
	for (int r = 0; r < p->rank; ++r)
	{
		double along = 0;
		for (int i = 0; i < N; ++i)
			along += p->V[r][i] * x[i];
		for (int i = 0; i < N; ++i)
			y[i] += along * p->U[r][i];
	}
}

static bool precondition(void* context, const double* x, double* y)
{
	const problem* p = context;
	for (int i = 0; i < N; ++i)
		y[i] = x[i] / p->d[i];
	return !p->broken;
}

static problem make(int rank)
{
	problem p = { .rank = rank };
	uint64_t seed = 4;
	for (int i = 0; i < N; ++i)
	{
		p.d[i] = 2 + test_random(&seed);
		for (int r = 0; r < RANK; ++r)
			p.U[r][i] = test_random(&seed), p.V[r][i] = test_random(&seed);
	}
	return p;
}

static void corrections_take_as_many_iterations_as_ranks(void** state)
{
	(void)state;
	for (int rank = 0; rank <= RANK; ++rank)
	{
		problem p = make(rank);
		double x[N], b[N], z[N], work[(2 * N + 1) * N];
		uint64_t seed = 8;
		for (int i = 0; i < N; ++i)
			x[i] = test_random(&seed);
		multiply(&p, x, b);
		lm_gmres_problem g = { &p, N, multiply, precondition };
		lm_gmres_report report = lm_gmres_solve(&g, b, 1e-12, N, z, work);
		assert_true(report.converged);
		assert_true(report.iterations <= rank + 1);
		for (int i = 0; i < N; ++i)
			assert_near(z[i], x[i], 1e-10);
		// fewer iterations than it needs: not converged, but no worse than nothing
		if (rank == RANK)
		{
			report = lm_gmres_solve(&g, b, 1e-12, 2, z, work);
			assert_true(!report.converged && report.iterations == 2 && report.residual < 1);
		}
	}
}

static void nothing_goes_wrong_where_nothing_can_be_solved(void** state)
{
	(void)state;
	problem p = make(1);
	double b[N] = { 0 }, z[N], work[(2 * N + 1) * N];
	lm_gmres_problem g = { &p, N, multiply, precondition };
	lm_gmres_report report = lm_gmres_solve(&g, b, 1e-8, 5, z, work);
	assert_true(report.converged && report.iterations == 0 && z[0] == 0);
	b[3] = 1;
	p.broken = true;
	report = lm_gmres_solve(&g, b, 1e-8, 5, z, work);
	assert_true(!report.converged && report.iterations == 0 && z[3] == 0);
	p.broken = false;
	p.offset = NAN;
	report = lm_gmres_solve(&g, b, 1e-8, 5, z, work);
	assert_true(!report.converged && z[3] == 0);
	b[3] = INFINITY;
	report = lm_gmres_solve(&g, b, 1e-8, 5, z, work);
	assert_true(!report.converged && z[3] == 0);
	// singular: A = 0 after one rank is taken away
	problem zero = { .rank = 0 };
	for (int i = 0; i < N; ++i)
		zero.d[i] = 1;
	zero.rank = 1, zero.U[0][0] = -1, zero.V[0][0] = 1;
	g.context = &zero;
	memset(b, 0, sizeof b);
	b[0] = 1;
	report = lm_gmres_solve(&g, b, 1e-8, 5, z, work);
	assert_true(!report.converged);
	for (int i = 0; i < N; ++i)
		assert_true(isfinite(z[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(corrections_take_as_many_iterations_as_ranks),
		cmocka_unit_test(nothing_goes_wrong_where_nothing_can_be_solved),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
