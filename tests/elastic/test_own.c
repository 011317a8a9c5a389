// Energies of a program's own: every derivative that a body assembles from them, in both forms; the check that finds
// mistakes in them; the neo-Hookean solid, which is one of them.
#include "shapes.h"

#include "limber/elastic.h"

#define NEO 1e-6

// ---- the check

static void the_neo_hookean_solid_is_right(void** state)
{
	(void)state;
	for (int32_t d = 2; d <= 3; ++d)
		for (int soft = 0; soft < 2; ++soft)
		{
			lm_elastic_check_report report;
			lm_error error = { 0 };
			if (lm_elastic_check(lm_elastic_neo_hookean(d), 30, soft ? 0 : 70, NEO, &report, &error) != LM_OK)
				fail_msg("%s", error.message);
			for (int k = 0; k < LM_ELASTIC_DERIVATIVES; ++k)
				assert_true(report.off[k] < NEO);
			assert_true(report.off[LM_ELASTIC_X_REST] > 0); // it was compared
			assert_true(report.rest < 1e-12);
		}
}

// The neo-Hookean one with one entry of one derivative changed by a hundredth of the largest.
typedef struct wrong
{
	int derivative; // lm_elastic_derivative
} wrong;

static void spoil(const wrong* w, int k, int count, double* values)
{
	double largest = 0;
	for (int i = 0; values != NULL && i < count; ++i)
		largest = fmax(largest, fabs(values[i]));
	if (values != NULL && w->derivative == k)
		values[count - 1] += 0.01 * largest + 1e-3;
}

static double wrong_energy(const lm_elastic_at* at)
{
	return lm_elastic_neo_hookean(at->count == 4 ? 2 : 3)->energy(at);
}

static void wrong_first(const lm_elastic_at* at, double* x, double* X)
{
	lm_elastic_neo_hookean(at->count == 4 ? 2 : 3)->first(at, x, X);
	spoil(at->data, LM_ELASTIC_X, at->count, x);
	spoil(at->data, LM_ELASTIC_REST, at->count, X);
}

static void wrong_second(const lm_elastic_at* at, double* xx, double* xX, double* XX)
{
	int n = at->count * at->count;
	lm_elastic_neo_hookean(at->count == 4 ? 2 : 3)->second(at, xx, xX, XX);
	spoil(at->data, LM_ELASTIC_XX, n, xx);
	spoil(at->data, LM_ELASTIC_X_REST, n, xX);
	spoil(at->data, LM_ELASTIC_REST_REST, n, XX);
}

static void wrong_third(const lm_elastic_at* at, const double* r, double* xx, double* xX, double* XX)
{
	int n = at->count * at->count;
	lm_elastic_neo_hookean(at->count == 4 ? 2 : 3)->third(at, r, xx, xX, XX);
	spoil(at->data, LM_ELASTIC_R_XX, n, xx);
	spoil(at->data, LM_ELASTIC_R_X_REST, n, xX);
	spoil(at->data, LM_ELASTIC_R_REST_REST, n, XX);
}

static void every_wrong_derivative_is_found(void** state)
{
	(void)state;
	for (int32_t d = 2; d <= 3; ++d)
		for (int k = 0; k < LM_ELASTIC_DERIVATIVES; ++k)
		{
			wrong which = { k };
			lm_elastic_model model = { "wrong",      d,           LM_ELASTIC_STRAINS, &which,
				                       wrong_energy, wrong_first, wrong_second,       wrong_third };
			lm_elastic_check_report report;
			lm_error error = { 0 };
			assert_int_equal(lm_elastic_check(&model, 30, 70, NEO, &report, &error), LM_BAD_INPUT);
			assert_true(report.off[k] > NEO);
			for (int below = 0; below < k; ++below) // those that do not hang on it are right
				assert_true(report.off[below] < NEO);
			char start[64];
			snprintf(start, sizeof start, "%s of the elastic model \"wrong\" is wrong", lm_elastic_derivative_name(k));
			assert_memory_equal(error.message, start, strlen(start));
		}
}

static void tables_that_are_not_whole_are_refused(void** state)
{
	(void)state;
	lm_error error = { 0 };
	lm_elastic_model model = *lm_elastic_neo_hookean(3);
	model.dimension = 4;
	assert_int_equal(lm_elastic_check(&model, 1, 1, NEO, NULL, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "4 dimensions"));
	model.dimension = 3, model.second = NULL;
	assert_int_equal(lm_elastic_check(&model, 1, 1, NEO, NULL, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "`second`"));
	test_grid grid = make_grid(LM_ELASTIC_SHELL3);
	lm_elastic_shape shape = shape_of(&grid, LM_ELASTIC_SHELL3, false);
	lm_host host = lm_host_default();
	lm_elastic* body;
	shape.model = lm_elastic_neo_hookean(3);
	assert_int_equal(lm_elastic_create(&shape, &host, &body, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "shells"));
	grid = make_grid(LM_ELASTIC_SOLID2);
	shape = shape_of(&grid, LM_ELASTIC_SOLID2, false);
	shape.model = lm_elastic_neo_hookean(3);
	assert_int_equal(lm_elastic_create(&shape, &host, &body, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "3 dimensions, but the body has 2"));
}

// ---- an energy of the corners: squared differences of all squared edge lengths, k/4 (l^2 - L^2)^2

static const int ends[6][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } };

static double squared(int d, const double* x, const int* e)
{
	double sum = 0;
	for (int i = 0; i < d; ++i)
		sum += (x[d * e[0] + i] - x[d * e[1] + i]) * (x[d * e[0] + i] - x[d * e[1] + i]);
	return sum;
}

static int dimension_of(const lm_elastic_at* at)
{
	return at->count == 6 ? 2 : 3;
}

static double springs_energy(const lm_elastic_at* at)
{
	int d = dimension_of(at);
	double W = 0;
	for (int e = 0; e < (d == 2 ? 3 : 6); ++e)
	{
		double D = squared(d, at->x, ends[e]) - squared(d, at->X, ends[e]);
		W += 0.25 * at->stretch * at->size * D * D;
	}
	return W;
}

// d(l^2)/dx, n numbers
static void slope(int d, const double* x, const int* e, double* J)
{
	memset(J, 0, 12 * sizeof *J);
	for (int i = 0; i < d; ++i)
	{
		double a = 2 * (x[d * e[0] + i] - x[d * e[1] + i]);
		J[d * e[0] + i] = a, J[d * e[1] + i] = -a;
	}
}

static void springs_first(const lm_elastic_at* at, double* x, double* X)
{
	int d = dimension_of(at), n = at->count;
	double J[12], *results[2] = { x, X };
	const double* shapes[2] = { at->x, at->X };
	for (int k = 0; k < 2; ++k)
	{
		if (results[k] == NULL)
			continue;
		memset(results[k], 0, (size_t)n * sizeof *J);
		for (int e = 0; e < (d == 2 ? 3 : 6); ++e)
		{
			double D = squared(d, at->x, ends[e]) - squared(d, at->X, ends[e]);
			slope(d, shapes[k], ends[e], J);
			for (int i = 0; i < n; ++i)
				results[k][i] += (k == 0 ? 0.5 : -0.5) * at->stretch * at->size * D * J[i];
		}
	}
}

static void springs_second(const lm_elastic_at* at, double* xx, double* xX, double* XX)
{
	int d = dimension_of(at), n = at->count;
	double *results[3] = { xx, xX, XX }, rows[12], columns[12];
	for (int k = 0; k < 3; ++k)
	{
		if (results[k] == NULL)
			continue;
		memset(results[k], 0, (size_t)(n * n) * sizeof *rows);
		for (int e = 0; e < (d == 2 ? 3 : 6); ++e)
		{
			double D = squared(d, at->x, ends[e]) - squared(d, at->X, ends[e]), f = 0.5 * at->stretch * at->size;
			slope(d, k == 2 ? at->X : at->x, ends[e], rows);
			slope(d, k == 0 ? at->x : at->X, ends[e], columns);
			for (int i = 0; i < n; ++i)
				for (int j = 0; j < n; ++j)
					results[k][i * n + j] += (k == 1 ? -f : f) * rows[i] * columns[j];
			for (int i = 0; k != 1 && i < d; ++i)
			{
				int a = d * ends[e][0] + i, b = d * ends[e][1] + i;
				double curvature = 2 * (k == 0 ? f : -f) * D;
				results[k][a * n + a] += curvature, results[k][b * n + b] += curvature;
				results[k][a * n + b] -= curvature, results[k][b * n + a] -= curvature;
			}
		}
	}
}

// r . dW/dx = f sum D (J.r): its derivatives.
static void springs_third(const lm_elastic_at* at, const double* r, double* xx, double* xX, double* XX)
{
	int d = dimension_of(at), n = at->count;
	double *results[3] = { xx, xX, XX }, J[12], JX[12], N[12];
	for (int k = 0; k < 3; ++k)
	{
		if (results[k] == NULL)
			continue;
		memset(results[k], 0, (size_t)(n * n) * sizeof *J);
		for (int e = 0; e < (d == 2 ? 3 : 6); ++e)
		{
			double f = 0.5 * at->stretch * at->size, along = 0;
			slope(d, at->x, ends[e], J);
			slope(d, at->X, ends[e], JX);
			slope(d, r, ends[e], N); // H r, as l^2 is quadratic
			for (int i = 0; i < n; ++i)
				along += J[i] * r[i];
			for (int i = 0; i < n; ++i)
				for (int j = 0; j < n && k < 2; ++j)
					results[k][i * n + j] += k == 0 ? f * (J[i] * N[j] + N[i] * J[j]) : -f * N[i] * JX[j];
			for (int i = 0; k != 1 && i < d; ++i)
			{
				int a = d * ends[e][0] + i, b = d * ends[e][1] + i;
				double curvature = 2 * (k == 0 ? f : -f) * along;
				results[k][a * n + a] += curvature, results[k][b * n + b] += curvature;
				results[k][a * n + b] -= curvature, results[k][b * n + a] -= curvature;
			}
		}
	}
}

static lm_elastic_model springs(int32_t d)
{
	return (lm_elastic_model){ "springs",    d, LM_ELASTIC_CORNERS, NULL, springs_energy, springs_first, springs_second,
		                       springs_third };
}

static void an_energy_of_the_corners_is_checked(void** state)
{
	(void)state;
	for (int32_t d = 2; d <= 3; ++d)
	{
		lm_elastic_model model = springs(d);
		lm_elastic_check_report report;
		lm_error error = { 0 };
		if (lm_elastic_check(&model, 30, 0, NEO, &report, &error) != LM_OK)
			fail_msg("%s", error.message);
		assert_true(report.rigid < 1e-12 && report.rest < 1e-12);
	}
}

// Pulled towards the origin: its derivatives are right, but it has forces at rest; or a wall: it changes when moved.
static double pulled_energy(const lm_elastic_at* at)
{
	return springs_energy(at) + 0.5 * at->stretch * at->x[0] * at->x[0];
}

static void pulled_first(const lm_elastic_at* at, double* x, double* X)
{
	springs_first(at, x, X);
	if (x != NULL)
		x[0] += at->stretch * at->x[0];
}

static void pulled_second(const lm_elastic_at* at, double* xx, double* xX, double* XX)
{
	springs_second(at, xx, xX, XX);
	if (xx != NULL)
		xx[0] += at->stretch;
}

static void forces_at_rest_are_found(void** state)
{
	(void)state;
	lm_elastic_model model = springs(2);
	lm_error error = { 0 };
	lm_elastic_check_report report;
	model.energy = pulled_energy, model.first = pulled_first, model.second = pulled_second;
	assert_int_equal(lm_elastic_check(&model, 30, 0, NEO, &report, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "forces at rest"));
	assert_true(report.rigid > NEO && report.off[LM_ELASTIC_XX] < NEO);
}

// ---- bodies of them

static lm_elastic_kind kind_of(int32_t d)
{
	return d == 2 ? LM_ELASTIC_SOLID2 : LM_ELASTIC_SOLID3_GREEN;
}

static void same(const char* what, const double* a, const double* b, int64_t count, double tolerance)
{
	double off = distance_of(a, b, count), most = largest_of(b, count);
	if (!(off <= tolerance * most) || !(most > 0))
		fail_msg("%s differs by %g of %g", what, off, most);
}

// Every quantity that a body assembles, one after the other.
typedef struct assembled
{
	double W, *x, *X, *xx, *XX, *xX, *t, *r_xx, *r_XX, *r_xX, *between, *applied;
} assembled;

static assembled assemble(test_body* b, const double* lambda)
{
	int n = b->view.unknowns, N = b->view.rest_unknowns;
	lm_elastic_state at = state_of(b);
	lm_elastic* e = b->body;
	double *values = zeros(b->view.pattern->entries), *rest = zeros(b->view.rest_pattern->entries);
	double *factors = zeros(lm_elastic_factor_count(e)), *ones = zeros(N);
	assembled a = {
		lm_elastic_energy(e, &at), zeros(n), zeros(N), NULL, NULL, zeros((int64_t)n * N), zeros(N), NULL, NULL,
		zeros((int64_t)n * N),     zeros(N), zeros(n)
	};
	lm_elastic_add_gradient(e, &at, 1, a.x);
	lm_elastic_add_rest_gradient(e, &at, 1, a.X);
	lm_elastic_add_stiffness(e, &at, false, 1, b->view.pattern, 0, values);
	a.xx = dense_of(b->view.pattern, values);
	lm_elastic_add_rest_hessian(e, &at, false, 1, rest);
	a.XX = dense_of(b->view.rest_pattern, rest);
	lm_elastic_add_mixed(e, &at, 1, NULL, N, a.xX);
	lm_elastic_add_mixed_transposed(e, &at, lambda, 1, a.t);
	memset(values, 0, (size_t)b->view.pattern->entries * sizeof *values);
	memset(rest, 0, (size_t)b->view.rest_pattern->entries * sizeof *rest);
	lm_elastic_add_multiplier_hessian(e, &at, lambda, 1, b->view.pattern, 0, values);
	a.r_xx = dense_of(b->view.pattern, values);
	lm_elastic_add_multiplier_rest(e, &at, lambda, 1, rest);
	a.r_XX = dense_of(b->view.rest_pattern, rest);
	lm_elastic_add_multiplier_mixed(e, &at, lambda, 1, NULL, N, a.r_xX);
	for (int i = 0; i < N; ++i)
		ones[i] = sin(i);
	lm_elastic_mixed_factors(e, &at, factors);
	lm_elastic_apply_factors(e, factors, ones, a.applied);
	if (!b->view.incompatible)
		lm_elastic_between_gradient(e, &at, 1, a.between);
	free(values);
	free(rest);
	free(factors);
	free(ones);
	return a;
}

static void release(assembled* a)
{
	double* all[] = { a->x, a->X, a->xx, a->XX, a->xX, a->t, a->r_xx, a->r_XX, a->r_xX, a->between, a->applied };
	for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k)
		free(all[k]);
}

static test_body make_own(const lm_elastic_model* model, bool incompatible, double rest, double amount)
{
	lm_elastic_kind kind = kind_of(model->dimension);
	test_body b = make_body(kind, incompatible, rest, amount, 3);
	test_grid grid = make_grid(kind);
	lm_elastic_shape shape = shape_of(&grid, kind, incompatible);
	lm_host host = lm_host_default();
	lm_error error = { 0 };
	lm_elastic_destroy(b.body);
	shape.model = model;
	if (lm_elastic_create(&shape, &host, &b.body, &error) != LM_OK)
		fail_msg("%s", error.message);
	b.view = lm_elastic_get(b.body);
	return b;
}

// Differences of one quantity by one number of x or X, of the whole body.
static void against_differences(test_body* b, const double* lambda, bool by_rest)
{
	int n = b->view.unknowns, N = b->view.rest_unknowns, m = by_rest ? N : n;
	double h = 1e-4, *varied = by_rest ? b->X : b->x;
	assembled at = assemble(b, lambda);
	for (int j = 0; j < m; j += 5)
	{
		double here = varied[j], most = 1;
		varied[j] = here + h;
		assembled up = assemble(b, lambda);
		varied[j] = here - h;
		assembled down = assemble(b, lambda);
		varied[j] = here;
		assert_near(by_rest ? at.X[j] : at.x[j], (up.W - down.W) / (2 * h), 1e-5 * most);
		for (int i = 0; i < n; ++i)
		{
			double slope_x = (up.x[i] - down.x[i]) / (2 * h), sum[2] = { 0, 0 }, now = 0;
			assert_near(by_rest ? at.xX[i * N + j] : at.xx[i * n + j], slope_x, 1e-4 * most);
			for (int k = 0; k < n; ++k) // (d2W/dx2) lambda
				sum[0] += up.xx[i * n + k] * lambda[k], sum[1] += down.xx[i * n + k] * lambda[k];
			now = by_rest ? at.r_xX[i * N + j] : at.r_xx[i * n + j];
			assert_near(now, (sum[0] - sum[1]) / (2 * h), 1e-3 * most);
		}
		for (int i = 0; by_rest && i < N; ++i)
		{
			assert_near(at.XX[i * N + j], (up.X[i] - down.X[i]) / (2 * h), 1e-3 * most);
			assert_near(at.r_XX[i * N + j], (up.t[i] - down.t[i]) / (2 * h), 1e-2 * most);
		}
		release(&up);
		release(&down);
	}
	for (int i = 0; i < n; ++i) // the factors are the mixed derivative
	{
		double sum = 0;
		for (int j = 0; j < N; ++j)
			sum += at.xX[i * N + j] * sin(j);
		assert_near(at.applied[i], sum, 1e-9);
	}
	release(&at);
}

static void bodies_assemble_every_derivative(void** state)
{
	(void)state;
	for (int k = 0; k < 8; ++k)
	{
		int32_t d = k % 2 ? 3 : 2;
		lm_elastic_model model = k & 2 ? springs(d) : *lm_elastic_neo_hookean(d);
		test_body b = make_own(&model, k >= 4, 0.05, 0.08);
		uint64_t seed = 8;
		double* lambda = zeros(b.view.unknowns);
		for (int i = 0; i < b.view.unknowns; ++i)
			lambda[i] = test_random(&seed);
		against_differences(&b, lambda, false);
		against_differences(&b, lambda, true);
		free(lambda);
		free_body(&b);
	}
}

// Near rest the neo-Hookean solid is the one by Green's strain: stiffness and mixed derivative are the same.
static void near_rest_it_is_the_same_material(void** state)
{
	(void)state;
	for (int32_t d = 2; d <= 3; ++d)
	{
		test_body b = make_own(lm_elastic_neo_hookean(d), false, 0, 0), green = make_body(kind_of(d), false, 0, 0, 3);
		double* lambda = zeros(b.view.unknowns);
		assembled a = assemble(&b, lambda), g = assemble(&green, lambda);
		int64_t n = b.view.unknowns;
		same("stiffness", a.xx, g.xx, n * n, 1e-5);
		same("mixed derivative", a.xX, g.xX, n * n, 1e-5);
		release(&a);
		release(&g);
		free(lambda);
		free_body(&b);
		free_body(&green);
	}
}

// Collapsed, inverted and enormous shapes and rest shapes: everything is finite, and inverted elements are pushed back.
static void nothing_is_ever_not_a_number(void** state)
{
	(void)state;
	const double scales[] = { 0, 1e-12, -1, 1e8 };
	for (int32_t d = 2; d <= 3; ++d)
		for (int k = 0; k < 8; ++k)
		{
			test_body b = make_own(lm_elastic_neo_hookean(d), k % 2, 0.02, 0.02);
			double *changed = k < 4 ? b.x : b.X, *lambda = zeros(b.view.unknowns);
			int count = k < 4 ? b.view.unknowns : b.view.rest_unknowns;
			for (int i = 0; i < count; i += d)
				changed[i] *= scales[k % 4];
			lambda[0] = 1;
			assembled a = assemble(&b, lambda);
			int64_t n = b.view.unknowns, N = b.view.rest_unknowns;
			assert_true(isfinite(a.W) && isfinite(largest_of(a.x, n)) && isfinite(largest_of(a.X, N)));
			assert_true(isfinite(largest_of(a.xx, n * n)) && isfinite(largest_of(a.XX, N * N)));
			assert_true(isfinite(largest_of(a.xX, n * N)) && isfinite(largest_of(a.r_XX, N * N)));
			assert_true(isfinite(largest_of(a.r_xx, n * n)) && isfinite(largest_of(a.r_xX, n * N)));
			double back = 0; // along the way to the rest shape the energy of an inverted body falls
			for (int i = 0; i < n && !b.view.incompatible; ++i)
				back += a.x[i] * (b.X[i] - b.x[i]);
			if (k == 2 && !b.view.incompatible)
				assert_true(back < 0);
			release(&a);
			free(lambda);
			free_body(&b);
		}
}

static void not_finite(const lm_elastic_at* at, double* x, double* X)
{
	for (int i = 0; i < at->count; ++i)
	{
		if (x != NULL)
			x[i] = NAN;
		if (X != NULL)
			X[i] = INFINITY;
	}
}

static void what_is_not_finite_counts_as_nothing(void** state)
{
	(void)state;
	lm_elastic_model model = *lm_elastic_neo_hookean(3);
	lm_error error = { 0 };
	model.first = not_finite;
	assert_int_equal(lm_elastic_check(&model, 1, 1, NEO, NULL, &error), LM_BAD_INPUT);
	test_body b = make_own(&model, false, 0.02, 0.02);
	lm_elastic_state at = state_of(&b);
	double* g = zeros(b.view.unknowns);
	lm_elastic_add_gradient(b.body, &at, 1, g);
	assert_true(largest_of(g, b.view.unknowns) == 0);
	free(g);
	free_body(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_neo_hookean_solid_is_right),
		cmocka_unit_test(every_wrong_derivative_is_found),
		cmocka_unit_test(tables_that_are_not_whole_are_refused),
		cmocka_unit_test(an_energy_of_the_corners_is_checked),
		cmocka_unit_test(forces_at_rest_are_found),
		cmocka_unit_test(bodies_assemble_every_derivative),
		cmocka_unit_test(near_rest_it_is_the_same_material),
		cmocka_unit_test(nothing_is_ever_not_a_number),
		cmocka_unit_test(what_is_not_finite_counts_as_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
