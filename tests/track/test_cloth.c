// The shell's energy: derivatives by finite differences, rest, rigid motions, bad input, memory, threads.
#include "test.h"
#include "track/cloth.h"

#include <math.h>

enum
{
	side = 4,
	vertices = side * side,
	triangles = 2 * (side - 1) * (side - 1)
};

typedef struct sheet
{
	double x[3 * vertices];
	int32_t t[3 * triangles];
} sheet;

static sheet make_sheet(void)
{
	sheet s;
	int32_t* t = s.t;
	for (int j = 0; j < side; ++j)
		for (int i = 0; i < side; ++i)
		{
			double* x = s.x + 3 * (j * side + i);
			x[0] = 0.1 * i, x[1] = 0.02 * sin(i + 2.0 * j), x[2] = 0.12 * j;
		}
	for (int j = 0; j + 1 < side; ++j)
		for (int i = 0; i + 1 < side; ++i)
		{
			int32_t a = j * side + i, b = a + 1, c = a + side, d = c + 1;
			const int32_t two[6] = { a, b, d, a, d, c };
			memcpy(t, two, sizeof two), t += 6;
		}
	return s;
}

static lm_cloth* make_cloth(const sheet* s, const lm_host* host)
{
	lm_cloth* cloth = NULL;
	assert_int_equal(lm_cloth_create(s->x, vertices, s->t, triangles, host, &cloth, NULL), LM_OK);
	return cloth;
}

static const lm_cloth_material material = { .stretch = 800, .poisson = 0.3, .bend = 0.05 };

static void deform(const sheet* s, double amount, double* x)
{
	uint64_t seed = 3;
	for (int i = 0; i < 3 * vertices; ++i)
		x[i] = s->x[i] + amount * test_random(&seed);
}

static void sum_gradient(const lm_cloth* cloth, const double* x, double* g)
{
	memset(g, 0, 3 * vertices * sizeof *g);
	lm_cloth_law law = { cloth, material };
	lm_cloth_derivatives(&law, 1, x, 1, g, NULL);
}

static double energy_of(const lm_cloth* cloth, const double* x, int threads)
{
	lm_cloth_law law = { cloth, material };
	return lm_cloth_energy(&law, 1, x, threads);
}

// Block i <= j of a triangle, times v on both sides.
static double along(const double* K, const double v[9])
{
	double sum = 0;
	for (int i = 0, block = 0; i < 3; ++i)
		for (int j = i; j < 3; ++j, ++block)
			for (int k = 0; k < 9; ++k)
				sum += (i == j ? 1 : 2) * K[9 * block + k] * v[3 * i + k / 3] * v[3 * j + k % 3];
	return sum;
}

// Triangles that are not clamped have their Hessian; clamped ones never less, and nothing negative.
static void compare_stiffness(const lm_cloth_law laws[2], const double* x, const double* locals)
{
	double K[2][LM_CLOTH_TRIANGLE_NUMBERS * triangles], hinges[LM_CLOTH_HINGE_NUMBERS * 3 * triangles];
	uint64_t seed = 7;
	int higher = 0;
	for (int clamped = 0; clamped < 2; ++clamped)
	{
		double g[3 * vertices] = { 0 };
		lm_cloth_linearize(laws, 2, x, 1, g, &(lm_cloth_stiffness){ K[clamped], hinges, clamped == 1 });
	}
	for (int t = 0; t < triangles; ++t)
		for (int k = 0; k < 20; ++k)
		{
			double v[9], exact = 0, soft, hard;
			for (int i = 0; i < 9; ++i)
				v[i] = test_random(&seed);
			for (int i = 0; i < 81; ++i)
				exact += locals[81 * t + i] * v[i / 9] * v[i % 9];
			soft = along(K[0] + LM_CLOTH_TRIANGLE_NUMBERS * t, v),
			hard = along(K[1] + LM_CLOTH_TRIANGLE_NUMBERS * t, v);
			assert_near(soft, exact, 1e-9 * (1 + fabs(exact)));
			assert_true(hard > soft - 1e-9 * fabs(soft) && hard > 0);
			higher += hard > soft + 1e-6 * fabs(soft);
		}
	assert_true(higher > 20);
}

// Of two laws together, as elasticity and damping are.
static void derivatives(void** state)
{
	(void)state;
	sheet s = make_sheet(), before = s;
	lm_host host = lm_host_default();
	lm_cloth *cloth = make_cloth(&s, &host), *damper = make_cloth(&s, &host);
	cloth->stiffness[3] = 2.5, cloth->rest_angles[5] += 0.4; // plastic
	deform(&s, 0.01, before.x);
	assert_true(lm_cloth_set_rest(damper, before.x));
	const lm_cloth_law laws[2] = { { cloth, material }, { damper, { .stretch = 300, .poisson = 0.1, .bend = 0.02 } } };
	lm_element_list lists[2];
	lm_cloth_lists(cloth, lists);
	lm_pattern* pattern = NULL;
	assert_int_equal(lm_pattern_create(3 * vertices, true, lists, 2, &host, &pattern, NULL), LM_OK);
	double x[3 * vertices], g[3 * vertices] = { 0 }, again[3 * vertices] = { 0 };
	deform(&s, 0.03, x);
	double* locals = malloc((size_t)pattern->local_count * sizeof *locals);
	double* values = malloc((size_t)pattern->entries * sizeof *values);
	lm_cloth_derivatives(laws, 2, x, 1, g, NULL);
	lm_cloth_derivatives(laws, 2, x, 3, again, locals);
	assert_memory_equal(g, again, sizeof g);
	compare_stiffness(laws, x, locals);
	lm_pattern_gather(pattern, locals, 1, values);
	const double step = 1e-6;
	for (int i = 0; i < 3 * vertices; ++i)
	{
		double kept = x[i], up[3 * vertices] = { 0 }, down[3 * vertices] = { 0 };
		x[i] = kept + step;
		double high = lm_cloth_energy(laws, 2, x, 1);
		lm_cloth_derivatives(laws, 2, x, 1, up, NULL);
		x[i] = kept - step;
		double low = lm_cloth_energy(laws, 2, x, 1);
		lm_cloth_derivatives(laws, 2, x, 1, down, NULL);
		x[i] = kept;
		assert_near(g[i], (high - low) / (2 * step), 1e-6 * (1 + fabs(g[i])));
		for (int j = 0; j < 3 * vertices; ++j)
		{
			int64_t at = lm_pattern_find(pattern, i, j);
			double difference = (up[j] - down[j]) / (2 * step);
			assert_near(at >= 0 ? values[at] : 0, difference, 1e-3 + 1e-6 * fabs(difference));
		}
	}
	free(values), free(locals);
	lm_pattern_destroy(pattern);
	lm_cloth_destroy(cloth), lm_cloth_destroy(damper);
}

// No energy at rest, turned and moved; no net force or torque anywhere.
static void invariants(void** state)
{
	(void)state;
	sheet s = make_sheet();
	lm_host host = lm_host_default();
	lm_cloth* cloth = make_cloth(&s, &host);
	double x[3 * vertices], g[3 * vertices];
	for (int v = 0; v < vertices; ++v) // a quarter turn about x, and away
		x[3 * v] = s.x[3 * v] + 5, x[3 * v + 1] = -s.x[3 * v + 2], x[3 * v + 2] = s.x[3 * v + 1] - 2;
	assert_true(energy_of(cloth, x, 1) < 1e-20);
	deform(&s, 0.05, x);
	assert_true(energy_of(cloth, x, 1) > 1e-3);
	sum_gradient(cloth, x, g);
	double force[3] = { 0 }, torque[3] = { 0 };
	for (int v = 0; v < vertices; ++v)
	{
		const double *p = x + 3 * v, *f = g + 3 * v;
		for (int c = 0; c < 3; ++c)
		{
			force[c] += f[c];
			torque[c] += p[(c + 1) % 3] * f[(c + 2) % 3] - p[(c + 2) % 3] * f[(c + 1) % 3];
		}
	}
	for (int c = 0; c < 3; ++c)
	{
		assert_near(force[c], 0, 1e-11);
		assert_near(torque[c], 0, 1e-11);
	}
	lm_cloth_destroy(cloth);
}

// A strip stretched by a strain e without sideways contraction costs A/2 (lambda + 2 mu) E^2.
static void membrane_has_the_right_size(void** state)
{
	(void)state;
	const double X[12] = { 0, 0, 0, 2, 0, 0, 2, 0, 1, 0, 0, 1 };
	const int32_t t[6] = { 0, 1, 2, 0, 2, 3 };
	lm_host host = lm_host_default();
	lm_cloth* cloth = NULL;
	assert_int_equal(lm_cloth_create(X, 4, t, 2, &host, &cloth, NULL), LM_OK);
	double x[12];
	for (int i = 0; i < 12; ++i)
		x[i] = X[i] * (i % 3 == 0 ? 1.1 : 1);
	double E = (1.1 * 1.1 - 1) / 2, nu = material.poisson, Y = material.stretch;
	double lambda = Y * nu / (1 - nu * nu), mu = Y / (2 * (1 + nu));
	assert_near(energy_of(cloth, x, 1), 2 * (lambda / 2 + mu) * E * E, 1e-10);
	// a fold by a right angle along the diagonal: k_b 3 |e|^2 / A theta^2
	memcpy(x, X, sizeof x);
	double theta = 1.5707963267948966, e = sqrt(5.0), height = 2 / e;
	x[9] = 0, x[10] = 0, x[11] = 1;
	double foot[3] = { 0.4, 0, 0.2 }; // of vertex 3 on the diagonal
	for (int c = 0; c < 3; ++c)
		x[9 + c] = foot[c] + (c == 1 ? height : 0);
	assert_near(energy_of(cloth, x, 1), material.bend * 3 * e * e / 2 * theta * theta, 1e-9);
	lm_cloth_destroy(cloth);
}

static void bad_input(void** state)
{
	(void)state;
	sheet s = make_sheet();
	lm_host host = lm_host_default();
	lm_cloth* cloth = NULL;
	lm_error error;
	sheet wrong = s;
	wrong.t[4] = vertices;
	assert_int_equal(lm_cloth_create(wrong.x, vertices, wrong.t, triangles, &host, &cloth, &error), LM_BAD_INPUT);
	assert_int_equal(error.element, 1);
	wrong = s, wrong.t[3] = wrong.t[4];
	assert_int_equal(lm_cloth_create(wrong.x, vertices, wrong.t, triangles, &host, &cloth, &error), LM_BAD_INPUT);
	wrong = s, memcpy(wrong.x + 3, wrong.x, 3 * sizeof(double)); // two vertices in one place
	assert_int_equal(lm_cloth_create(wrong.x, vertices, wrong.t, triangles, &host, &cloth, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "no area"));
	assert_null(cloth);
	cloth = make_cloth(&s, &host);
	double area = cloth->rest[0].area;
	memcpy(wrong.x + 3, wrong.x, 3 * sizeof(double));
	assert_false(lm_cloth_set_rest(cloth, wrong.x));
	assert_near(cloth->rest[0].area, area, 0);
	lm_cloth_destroy(cloth);
}

// Three triangles at one edge: two hinges, and no force at rest, nor when turned as a whole.
static void three_at_an_edge(void** state)
{
	(void)state;
	const double x[15] = { 0, 0, 0, 0, 0, 1, 1, 0, 0.5, -0.5, 0.8, 0.5, -0.5, -0.9, 0.4 };
	const int32_t t[9] = { 0, 1, 2, 1, 0, 3, 0, 1, 4 };
	lm_host host = lm_host_default();
	lm_cloth* cloth;
	assert_int_equal(lm_cloth_create(x, 5, t, 3, &host, &cloth, NULL), LM_OK);
	assert_int_equal(cloth->hinge_count, 2);
	double turned[15], bent[15];
	for (int v = 0; v < 5; ++v)
		turned[3 * v] = x[3 * v + 1], turned[3 * v + 1] = -x[3 * v], turned[3 * v + 2] = x[3 * v + 2];
	assert_near(energy_of(cloth, turned, 1), 0, 1e-12);
	for (int fin = 2; fin < 5; ++fin) // bending any of them costs
	{
		memcpy(bent, x, sizeof x);
		bent[3 * fin] += 0.1 * x[3 * fin + 1], bent[3 * fin + 1] -= 0.1 * x[3 * fin];
		assert_true(energy_of(cloth, bent, 1) > 1e-7);
	}
	lm_cloth_destroy(cloth);
}

static void memory_and_threads(void** state)
{
	(void)state;
	sheet s = make_sheet();
	test_memory memory = { 0 };
	lm_host host = test_host(&memory);
	lm_cloth* cloth = make_cloth(&s, &host);
	int64_t requests = memory.requests;
	double x[3 * vertices];
	deform(&s, 0.02, x);
	double one = energy_of(cloth, x, 1);
	assert_true(one == energy_of(cloth, x, 4));
	lm_cloth_destroy(cloth);
	assert_int_equal(memory.held, 0);
	for (int64_t fail = 1; fail <= requests; ++fail)
	{
		memory = (test_memory){ .fail_at = fail };
		cloth = NULL;
		assert_int_equal(lm_cloth_create(s.x, vertices, s.t, triangles, &host, &cloth, NULL), LM_NO_MEMORY);
		assert_null(cloth);
		assert_int_equal(memory.held, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(derivatives),
		cmocka_unit_test(invariants),
		cmocka_unit_test(membrane_has_the_right_size),
		cmocka_unit_test(bad_input),
		cmocka_unit_test(three_at_an_edge),
		cmocka_unit_test(memory_and_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
