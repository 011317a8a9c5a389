// Newton's method on functions made to break it: curved valleys, indefinite and singular Hessians, points that do not
// exist, rounding, lying callbacks.
#include "test.h"

#include "solve/line_search.h"
#include "solve/newton.h"
#include "sparse/dense.h"

#define MOST 20

// A function by its value, gradient and full Hessian (row by row); Hessians and Jacobians are factorised densely.
typedef struct function
{
	int n;
	double (*value)(const double* x);
	void (*gradient)(const double* x, double* g);
	void (*hessian)(const double* x, double* H);
	bool unsymmetric;
	// what happens
	double H[MOST * MOST];
	int32_t pivots[MOST];
	double lowest;
	int rises;
} function;

static double call_value(void* context, const double* x)
{
	function* f = context;
	return f->value(x);
}

static void call_gradient(void* context, const double* x, double* g)
{
	function* f = context;
	f->gradient(x, g);
}

static bool call_factorize(void* context, const double* x, double shift)
{
	function* f = context;
	if (f->value) // x is where the method stands: it must never have risen
	{
		double value = f->value(x);
		f->rises += value > f->lowest + 1e-12 * fabs(f->lowest);
		f->lowest = fmin(f->lowest, value);
	}
	memset(f->H, 0, sizeof f->H);
	f->hessian(x, f->H);
	for (int i = 0; i < f->n; ++i)
		f->H[i * f->n + i] += shift;
	return (f->unsymmetric ? lm_dense_lu(f->n, f->H, f->pivots) : lm_dense_cholesky(f->n, f->H)).status == LM_FACTOR_OK;
}

static bool call_solve(void* context, const double* g, double* d)
{
	function* f = context;
	memcpy(d, g, (size_t)f->n * sizeof *d);
	if (f->unsymmetric)
		lm_dense_lu_solve(f->n, f->H, f->pivots, 1, d);
	else
		lm_dense_cholesky_solve(f->n, f->H, 1, d);
	return true;
}

static lm_newton_problem problem_of(function* f)
{
	f->lowest = INFINITY, f->rises = 0;
	return (lm_newton_problem){ .context = f,
		                        .n = f->n,
		                        .value = f->value ? call_value : NULL,
		                        .gradient = call_gradient,
		                        .factorize = call_factorize,
		                        .solve = call_solve };
}

static lm_newton_report run(function* f, double* x, double tolerance)
{
	lm_newton_problem problem = problem_of(f);
	lm_newton_settings settings = lm_newton_settings_default();
	settings.tolerance = tolerance, settings.most_iterations = 200;
	double work[4 * MOST];
	lm_newton_report report = lm_newton_solve(&problem, &settings, x, work);
	assert_int_equal(f->rises, 0);
	for (int i = 0; i < f->n; ++i)
		assert_true(isfinite(x[i]));
	assert_true(isfinite(report.residual) && isfinite(report.value));
	return report;
}

// Rosenbrock's valley, chained: sum of 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2.
#define CHAIN 12
static double valley_value(const double* x)
{
	double sum = 0;
	for (int i = 0; i + 1 < CHAIN; ++i)
		sum += 100 * pow(x[i + 1] - x[i] * x[i], 2) + pow(1 - x[i], 2);
	return sum;
}

static void valley_gradient(const double* x, double* g)
{
	memset(g, 0, CHAIN * sizeof *g);
	for (int i = 0; i + 1 < CHAIN; ++i)
	{
		double r = x[i + 1] - x[i] * x[i];
		g[i] += -400 * r * x[i] - 2 * (1 - x[i]);
		g[i + 1] += 200 * r;
	}
}

static void valley_hessian(const double* x, double* H)
{
	for (int i = 0; i + 1 < CHAIN; ++i)
	{
		H[i * CHAIN + i] += -400 * (x[i + 1] - 3 * x[i] * x[i]) + 2;
		H[i * CHAIN + i + 1] -= 400 * x[i];
		H[(i + 1) * CHAIN + i] -= 400 * x[i];
		H[(i + 1) * CHAIN + i + 1] += 200;
	}
}

static void test_valley(void** state)
{
	(void)state;
	function f = { .n = CHAIN, .value = valley_value, .gradient = valley_gradient, .hessian = valley_hessian };
	uint64_t seed = 1;
	for (int round = 0; round < 20; ++round)
	{
		double x[CHAIN];
		for (int i = 0; i < CHAIN; ++i)
			x[i] = 3 * test_random(&seed);
		lm_newton_report report = run(&f, x, 1e-10);
		assert_int_equal(report.outcome, LM_NEWTON_CONVERGED);
		assert_in_range(report.iterations, 1, 150);
		double g[CHAIN];
		valley_gradient(x, g);
		for (int i = 0; i < CHAIN; ++i)
			assert_near(g[i], 0, 1e-10);
		assert_near(report.value, valley_value(x), 0);
	}
	double x[CHAIN] = { 0 }; // here the way leads to the lowest point of all
	run(&f, x, 1e-10);
	for (int i = 0; i < CHAIN; ++i)
		assert_near(x[i], 1, 1e-9);
}

// Two wells and a saddle: (x^2 - 1)^2 + y^2 (1 + x^2) - 0.1 y.
static double wells_value(const double* x)
{
	return pow(x[0] * x[0] - 1, 2) + x[1] * x[1] * (1 + x[0] * x[0]) - 0.1 * x[1];
}

static void wells_gradient(const double* x, double* g)
{
	g[0] = 4 * x[0] * (x[0] * x[0] - 1) + 2 * x[0] * x[1] * x[1];
	g[1] = 2 * x[1] * (1 + x[0] * x[0]) - 0.1;
}

static void wells_hessian(const double* x, double* H)
{
	H[0] = 12 * x[0] * x[0] - 4 + 2 * x[1] * x[1], H[1] = H[2] = 4 * x[0] * x[1], H[3] = 2 * (1 + x[0] * x[0]);
}

static void test_indefinite_start(void** state)
{
	(void)state;
	function f = { .n = 2, .value = wells_value, .gradient = wells_gradient, .hessian = wells_hessian };
	for (int side = -1; side <= 1; side += 2)
	{
		double x[2] = { 1e-3 * side, 0.3 };
		lm_newton_report report = run(&f, x, 1e-12);
		assert_int_equal(report.outcome, LM_NEWTON_CONVERGED);
		assert_true(report.factorizations > report.iterations); // shifts were needed
		assert_true(report.shift == 0);                         // and at the end were not
		assert_near(fabs(x[0]), 1, 2e-3);
		assert_true(report.value < 0);
	}
}

// x^4: the Hessian vanishes at the solution.
static double flat_value(const double* x)
{
	return pow(x[0], 4);
}

static void flat_gradient(const double* x, double* g)
{
	g[0] = 4 * pow(x[0], 3);
}

static void flat_hessian(const double* x, double* H)
{
	H[0] = 12 * x[0] * x[0];
}

static void test_flat(void** state)
{
	(void)state;
	function f = { .n = 1, .value = flat_value, .gradient = flat_gradient, .hessian = flat_hessian };
	double x = 1e3;
	assert_int_equal(run(&f, &x, 1e-15).outcome, LM_NEWTON_CONVERGED);
	assert_near(x, 0, 1e-5);
	x = 0; // at the solution there is nothing to do, though the Hessian is singular
	lm_newton_report report = run(&f, &x, 0);
	assert_int_equal(report.outcome, LM_NEWTON_CONVERGED);
	assert_int_equal(report.iterations, 0);
}

// -log x - log (1 - x) + 1000 x: NaN outside of (0, 1), which full steps leave.
static double walls_value(const double* x)
{
	return -log(x[0]) - log(1 - x[0]) + 1000 * x[0];
}

static void walls_gradient(const double* x, double* g)
{
	g[0] = -1 / x[0] + 1 / (1 - x[0]) + 1000;
}

static void walls_hessian(const double* x, double* H)
{
	H[0] = 1 / (x[0] * x[0]) + 1 / ((1 - x[0]) * (1 - x[0]));
}

static void test_points_that_do_not_exist(void** state)
{
	(void)state;
	function f = { .n = 1, .value = walls_value, .gradient = walls_gradient, .hessian = walls_hessian };
	for (double start = 0.01; start < 1; start += 0.07)
	{
		double x = start;
		assert_int_equal(run(&f, &x, 1e-6).outcome, LM_NEWTON_CONVERGED);
		assert_near(x, 0.001 - 1e-6, 1e-8);
	}
	double outside = -1;
	lm_newton_problem problem = problem_of(&f);
	lm_newton_settings settings = lm_newton_settings_default();
	double work[4];
	lm_newton_report report = lm_newton_solve(&problem, &settings, &outside, work);
	assert_int_equal(report.outcome, LM_NEWTON_BAD_START);
	assert_true(outside == -1);
	outside = NAN;
	assert_int_equal(lm_newton_solve(&problem, &settings, &outside, work).outcome, LM_NEWTON_BAD_START);
}

// 1e9 + quadratic with curvatures from 1e-3 to 1e6: the value's digits end long before the gradient's.
#define STIFF 8
static double stiff_value(const double* x)
{
	double sum = 1e9;
	for (int i = 0; i < STIFF; ++i)
		sum += 0.5 * pow(10, i - 3) * (x[i] - 1) * (x[i] - 1) + 1e-3 * pow(x[i] - 1, 4);
	return sum;
}

static void stiff_gradient(const double* x, double* g)
{
	for (int i = 0; i < STIFF; ++i)
		g[i] = pow(10, i - 3) * (x[i] - 1) + 4e-3 * pow(x[i] - 1, 3);
}

static void stiff_hessian(const double* x, double* H)
{
	for (int i = 0; i < STIFF; ++i)
		H[i * STIFF + i] = pow(10, i - 3) + 12e-3 * pow(x[i] - 1, 2);
}

static void test_below_the_noise(void** state)
{
	(void)state;
	function f = { .n = STIFF, .value = stiff_value, .gradient = stiff_gradient, .hessian = stiff_hessian };
	double x[STIFF] = { 5, -5, 4, -4, 3, -3, 2, -2 };
	lm_newton_report report = run(&f, x, 1e-10);
	assert_int_equal(report.outcome, LM_NEWTON_CONVERGED);
	assert_in_range(report.iterations, 1, 20);
}

// Callbacks that fail or lie.
static bool never(void* context, const double* x, double shift)
{
	(void)context, (void)x, (void)shift;
	return false;
}

static bool nothing_but_nan(void* context, const double* g, double* d)
{
	(void)context, (void)g;
	d[0] = NAN, d[1] = 0;
	return true;
}

static bool uphill(void* context, const double* g, double* d)
{
	(void)context;
	d[0] = -g[0], d[1] = -g[1];
	return true;
}

static void half_gradient(const double* x, double* g)
{
	wells_gradient(x, g);
	if (x[0] > 0.75) // where the value is finite and lower, but this is not
		g[0] = NAN;
}

static void test_bad_callbacks(void** state)
{
	(void)state;
	function f = { .n = 2, .value = wells_value, .gradient = wells_gradient, .hessian = wells_hessian };
	lm_newton_settings settings = lm_newton_settings_default();
	double work[8];
	for (int kind = 0; kind < 3; ++kind)
	{
		lm_newton_problem problem = problem_of(&f);
		if (kind == 0)
			problem.factorize = never;
		else
			problem.solve = kind == 1 ? nothing_but_nan : uphill;
		double x[2] = { 0.5, 0.5 };
		lm_newton_report report = lm_newton_solve(&problem, &settings, x, work);
		assert_int_equal(report.outcome, LM_NEWTON_STALLED);
		assert_int_equal(report.iterations, 0);
		assert_in_range(report.factorizations, 1, 40);
		assert_true(x[0] == 0.5 && x[1] == 0.5);
	}
	function g = { .n = 2, .value = wells_value, .gradient = half_gradient, .hessian = wells_hessian };
	double x[2] = { 0.3, 0.3 };
	lm_newton_report report = run(&g, x, 1e-9);
	assert_int_equal(report.outcome, LM_NEWTON_STALLED); // before the wall, which hides the minimum
	assert_true(x[0] <= 0.75 && report.value < wells_value((double[]){ 0.3, 0.3 }));
}

static double most_a_tenth(void* context, const double* x, const double* d)
{
	(void)context, (void)x, (void)d;
	return 0.1;
}

static double weighted(void* context, const double* g)
{
	(void)context;
	return 1e-3 * fabs(g[0]) + fabs(g[1]);
}

static void test_limits(void** state)
{
	(void)state;
	function f = { .n = 2, .value = wells_value, .gradient = wells_gradient, .hessian = wells_hessian };
	lm_newton_settings settings = lm_newton_settings_default();
	lm_newton_problem problem = problem_of(&f);
	double work[8], x[2] = { 3, 3 };
	settings.most_iterations = 2;
	lm_newton_report report = lm_newton_solve(&problem, &settings, x, work);
	assert_int_equal(report.outcome, LM_NEWTON_BUDGET);
	assert_int_equal(report.iterations, 2);

	settings.longest_step = 0.01;
	double before[2] = { x[0], x[1] };
	lm_newton_solve(&problem, &settings, x, work);
	assert_true(fabs(x[0] - before[0]) <= 0.02 * (1 + 1e-12) && fabs(x[1] - before[1]) <= 0.02 * (1 + 1e-12));
	assert_true(x[0] != before[0]);

	settings = lm_newton_settings_default(), settings.most_iterations = 500;
	problem.longest = most_a_tenth;
	assert_int_equal(lm_newton_solve(&problem, &settings, x, work).outcome, LM_NEWTON_CONVERGED);

	problem.longest = NULL, problem.norm = weighted, settings.tolerance = 1e-6;
	x[0] = 2, x[1] = 2;
	report = lm_newton_solve(&problem, &settings, x, work);
	double g[2];
	wells_gradient(x, g);
	assert_near(report.residual, weighted(NULL, g), 1e-20);
	assert_true(report.residual <= 1e-6);
	problem.n = 0, problem.norm = NULL;
	f.n = 0;
	assert_int_equal(lm_newton_solve(&problem, &settings, x, work).outcome, LM_NEWTON_CONVERGED);
}

// Roots. Unguarded Newton runs x^3 - 2 x + 2 in a circle 0, 1, 0, 1, and atan to infinity.
static void circle(const double* x, double* g)
{
	g[0] = pow(x[0], 3) - 2 * x[0] + 2;
}

static void circle_jacobian(const double* x, double* H)
{
	H[0] = 3 * x[0] * x[0] - 2;
}

static void far(const double* x, double* g)
{
	g[0] = atan(x[0]);
}

static void far_jacobian(const double* x, double* H)
{
	H[0] = 1 / (1 + x[0] * x[0]);
}

// Unsymmetric: a spring in y, dragged in x by friction that grows with the load.
static void drag(const double* x, double* g)
{
	g[0] = x[0] + 0.8 * (exp(x[1]) - 1) * tanh(5 * x[0]) - 1;
	g[1] = 2 * (exp(x[1]) - 1) + x[1] - 3;
}

static void drag_jacobian(const double* x, double* H)
{
	H[0] = 1 + 4 * (exp(x[1]) - 1) / pow(cosh(5 * x[0]), 2), H[1] = 0.8 * exp(x[1]) * tanh(5 * x[0]);
	H[2] = 0, H[3] = 2 * exp(x[1]) + 1;
}

static void test_roots(void** state)
{
	(void)state;
	function f = { .n = 1, .gradient = far, .hessian = far_jacobian, .unsymmetric = true };
	for (double start = -1e4; start <= 1e4; start += 2e3)
	{
		double x = start;
		assert_int_equal(run(&f, &x, 1e-13).outcome, LM_NEWTON_CONVERGED);
		assert_near(x, 0, 1e-12);
	}
	f = (function){ .n = 1, .gradient = circle, .hessian = circle_jacobian, .unsymmetric = true };
	double x = -0.5; // on the right side of the bump
	lm_newton_report report = run(&f, &x, 1e-12);
	assert_true(report.value <= 2.875);
	x = -3;
	report = run(&f, &x, 1e-12);
	assert_int_equal(report.outcome, LM_NEWTON_CONVERGED);
	assert_near(x, -1.7692923542386314, 1e-12);
	assert_near(report.value, 0, 1e-12);
	x = 0; // ends at the smallest |g| that it can reach downhill, and says so
	report = run(&f, &x, 1e-12);
	assert_int_equal(report.outcome, LM_NEWTON_STALLED);
	assert_true(report.value < 2);

	f = (function){ .n = 2, .gradient = drag, .hessian = drag_jacobian, .unsymmetric = true };
	for (double start = -6; start <= 6; start += 1.5)
	{
		double y[2] = { start, 0.5 * start };
		assert_int_equal(run(&f, y, 1e-12).outcome, LM_NEWTON_CONVERGED);
	}
}

// A singular Jacobian at the start: x^2 = 4 from 0.
static void parabola(const double* x, double* g)
{
	g[0] = x[0] * x[0] - 4;
}

static void parabola_jacobian(const double* x, double* H)
{
	H[0] = 2 * x[0];
}

static void test_singular_jacobian(void** state)
{
	(void)state;
	function f = { .n = 1, .gradient = parabola, .hessian = parabola_jacobian, .unsymmetric = true };
	double x = 0;
	lm_newton_report report = run(&f, &x, 1e-12);
	assert_true(report.outcome == LM_NEWTON_STALLED && report.residual == 4); // no way is down to first order
	x = 1e-8;
	assert_int_equal(run(&f, &x, 1e-12).outcome, LM_NEWTON_CONVERGED);
	assert_near(x, 2, 1e-12);
}

// Line searches of their own.
static double cliff(void* context, double step)
{
	++*(int*)context;
	return step > 1e-3 ? (step > 0.1 ? NAN : INFINITY) : -step;
}

static double valley(void* context, double step)
{
	++*(int*)context;
	return 50 * step * step - step;
}

static double never_decreases(void* context, double step)
{
	++*(int*)context;
	return step;
}

static void test_line_search(void** state)
{
	(void)state;
	int calls = 0;
	lm_line line = { .value = 0, .slope = -1, .first = 1, .armijo = 1e-4, .shortest = 1e-12 };
	lm_line_result result = lm_line_search(&line, cliff, &calls);
	assert_true(result.step > 1e-5 && result.step <= 1e-3);
	assert_near(result.value, -result.step, 0);
	assert_int_equal(result.trials, calls);
	calls = 0;
	result = lm_line_search(&line, valley, &calls);
	assert_near(result.value, 50 * result.step * result.step - result.step, 1e-18);
	assert_true(result.value <= -1e-4 * result.step && calls <= 4);
	calls = 0;
	result = lm_line_search(&line, never_decreases, &calls);
	assert_true(result.step == 0 && result.value == 0);
	assert_in_range(calls, 12, 60);
	line.first = 0, calls = 0;
	assert_int_equal(lm_line_search(&line, never_decreases, &calls).trials, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_valley),
		cmocka_unit_test(test_indefinite_start),
		cmocka_unit_test(test_flat),
		cmocka_unit_test(test_points_that_do_not_exist),
		cmocka_unit_test(test_below_the_noise),
		cmocka_unit_test(test_bad_callbacks),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_roots),
		cmocka_unit_test(test_singular_jacobian),
		cmocka_unit_test(test_line_search),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
