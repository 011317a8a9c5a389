// Strain measures against finite differences: gradients against values, Hessians against gradients, third derivatives
// against Hessians; at shapes that are ordinary, inverted, nearly degenerate and folded.
#include "test.h"

#include "elastic/measure.h"

typedef struct named
{
	const char* name;
	const lm_measure* measure;
} named;

static const named measures[] = {
	{ "length2", &lm_measure_length2 }, { "length3", &lm_measure_length3 }, { "area", &lm_measure_area },
	{ "volume", &lm_measure_volume },   { "turning", &lm_measure_turning }, { "hinge", &lm_measure_hinge },
	{ "gram2", &lm_measure_gram2 },     { "gram3", &lm_measure_gram3 },
};
#define MEASURES ((int)(sizeof measures / sizeof *measures))

// Fourth-order central difference of a vector function of x along coordinate i.
typedef void function(const lm_measure* m, const double* x, const double* extra, double* result);

static void differentiate(function* f, const lm_measure* m, const double* x, const double* extra, int i, double h,
                          int count, double* result)
{
	static const double offset[4] = { -2, -1, 1, 2 }, weight[4] = { 1. / 12, -2. / 3, 2. / 3, -1. / 12 };
	double y[12], at[72 * 12];
	memset(result, 0, (size_t)count * sizeof *result);
	for (int k = 0; k < 4; ++k)
	{
		memcpy(y, x, sizeof y);
		y[i] += offset[k] * h;
		f(m, y, extra, at);
		for (int j = 0; j < count; ++j)
			result[j] += weight[k] * at[j] / h;
	}
}

static void value_of(const lm_measure* m, const double* x, const double* extra, double* result)
{
	(void)extra;
	m->value(x, result);
}

static void gradient_of(const lm_measure* m, const double* x, const double* extra, double* result)
{
	(void)extra;
	m->gradient(x, result);
}

static void hessian_of(const lm_measure* m, const double* x, const double* c, double* result)
{
	memset(result, 0, (size_t)(m->size * m->size) * sizeof *result);
	m->hessian(x, c, result);
}

static double largest(const double* a, int count)
{
	double most = 0;
	for (int i = 0; i < count; ++i)
		most = fmax(most, fabs(a[i]));
	return most;
}

// The largest difference of computed and differenced, relative to the largest number.
typedef struct errors
{
	double gradient, hessian, product, third;
} errors;

static errors compare(const lm_measure* m, const double* x, const double* c, const double* u, double h,
                      double displaced)
{
	int n = m->size, q = m->count;
	double at[12], J[72], H[144], R[72], T[144] = { 0 }, D[144], along[144] = { 0 }, rows[72] = { 0 };
	errors e = { 0 };
	memcpy(at, x, sizeof at);
	at[0] += displaced; // 0, or so much that the comparison must fail
	m->gradient(at, J);
	hessian_of(m, at, c, H);
	m->product(at, u, R);
	if (m->third)
		m->third(at, c, u, T);
	double gs = largest(J, q * n), hs = 0, ts = 0;
	for (int i = 0; i < n; ++i)
	{
		differentiate(value_of, m, x, NULL, i, h, q, D);
		for (int a = 0; a < q; ++a)
			e.gradient = fmax(e.gradient, fabs(D[a] - J[a * n + i]));
		differentiate(gradient_of, m, x, NULL, i, h, q * n, D);
		for (int j = 0; j < n; ++j)
		{
			double sum = 0;
			for (int a = 0; a < q; ++a)
			{
				sum += c[a] * D[a * n + j];
				rows[a * n + j] += D[a * n + j] * u[i];
			}
			e.hessian = fmax(e.hessian, fabs(sum - H[i * n + j]));
			hs = fmax(hs, fabs(sum));
		}
		differentiate(hessian_of, m, x, c, i, h, n * n, D);
		for (int j = 0; j < n * n; ++j)
			along[j] += D[j] * u[i];
	}
	for (int j = 0; j < n * n; ++j)
	{
		e.third = fmax(e.third, fabs(along[j] - T[j]));
		ts = fmax(ts, fabs(along[j]));
	}
	for (int j = 0; j < q * n; ++j)
		e.product = fmax(e.product, fabs(rows[j] - R[j]));
	e.gradient /= gs;
	e.hessian /= hs;
	e.product /= fmax(largest(rows, q * n), 1e-300);
	e.third /= fmax(ts, hs); // where there is none, relative to the Hessian
	return e;
}

static void random_shape(const lm_measure* m, uint64_t* seed, double* x)
{
	for (int i = 0; i < 12; ++i)
		x[i] = i < m->size ? test_random(seed) : 0;
}

static void check(const named* which, const double* x, double h, double tolerance, uint64_t* seed)
{
	const lm_measure* m = which->measure;
	double c[6], u[12];
	for (int a = 0; a < 6; ++a)
		c[a] = 1 + 0.5 * test_random(seed);
	for (int i = 0; i < 12; ++i)
		u[i] = test_random(seed);
	errors e = compare(m, x, c, u, h, 0);
	if (!(e.gradient < tolerance && e.hessian < tolerance && e.product < tolerance && e.third < tolerance))
	{
		print_error("%s: gradient %g, hessian %g, product %g, third %g\n", which->name, e.gradient, e.hessian,
		            e.product, e.third);
		fail();
	}
}

static void ordinary_shapes(void** state)
{
	(void)state;
	uint64_t seed = 7;
	for (int k = 0; k < MEASURES; ++k)
		for (int n = 0; n < 40; ++n)
		{
			double x[12];
			random_shape(measures[k].measure, &seed, x);
			// angles vary faster the closer a random shape comes to a degenerate one
			check(&measures[k], x, 1e-4, measures[k].measure->angle ? 1e-5 : 1e-8, &seed);
		}
}

// Well-shaped angles agree much more closely.
static void well_shaped_angles(void** state)
{
	(void)state;
	uint64_t seed = 11;
	named turning = { "turning", &lm_measure_turning }, hinge = { "hinge", &lm_measure_hinge };
	for (int n = 0; n < 24; ++n)
	{
		double angle = -3 + 0.25 * n, s = sin(angle), c = cos(angle);
		double corner[12] = { -1, 0.1, 0, 0, 1.1 * c, 1.1 * s };
		check(&turning, corner, 1e-3, 1e-8, &seed);
		double folded[12] = { 0, 0, 0, 1, 0.1, 0, 0.4, 0.9, 0.1, 0.6, -0.8 * c, 0.8 * s };
		check(&hinge, folded, 1e-3, 1e-8, &seed);
	}
}

// Slivers: heights of a thousandth of the edge. Steps shrink with them.
static void nearly_degenerate(void** state)
{
	(void)state;
	uint64_t seed = 3;
	double sliver2[12] = { 0, 0, 1, 0, 0.4, 1e-3 }, short_edge[12] = { 0, 0, 1e-3, 2e-4, 1, 0.5 };
	double sliver3[12] = { 0, 0, 0, 1, 0, 0, 0.3, 1, 0, 0.4, 0.3, 1e-3 };
	double thin_hinge[12] = { 0, 0, 0, 1, 0, 0, 0.5, 1e-3, 2e-4, 0.5, -0.7, 0.2 };
	double tight_hinge[12] = { 0, 0, 0, 1e-3, 0, 0, 0.1, 1, 0, 0.2, -0.7, 0.5 };
	const double* shapes[5] = { sliver2, short_edge, sliver3, thin_hinge, tight_hinge };
	for (int k = 0; k < MEASURES; ++k)
		for (int s = 0; s < 5; ++s)
			if ((measures[k].measure->dimension == 2) == (s < 2))
				check(&measures[k], shapes[s], measures[k].measure->angle ? 1e-6 : 1e-4,
				      measures[k].measure->angle ? 1e-5 : 1e-7, &seed);
}

static void inverted_shapes(void** state)
{
	(void)state;
	uint64_t seed = 5;
	double triangle[12] = { 0, 0, 0.2, 1, 1, 0.1 }, tet[12] = { 0, 0, 0, 0, 1, 0, 1, 0, 0, 0.2, 0.2, 1 }, q;
	lm_measure_area.value(triangle, &q);
	assert_true(q < 0);
	lm_measure_volume.value(tet, &q);
	assert_true(q < 0);
	for (int k = 0; k < MEASURES; ++k)
		check(&measures[k], measures[k].measure->dimension == 2 ? triangle : tet, 1e-4, 1e-8, &seed);
}

// The comparison sees a wrong derivative: taken a little beside the point it must disagree.
static void comparison_can_fail(void** state)
{
	(void)state;
	uint64_t seed = 13;
	for (int k = 0; k < MEASURES; ++k)
	{
		double x[12], c[6] = { 1, 0.8, 1.2, 0.9, 1.1, 1 }, u[12];
		random_shape(measures[k].measure, &seed, x);
		for (int i = 0; i < 12; ++i)
			u[i] = test_random(&seed);
		errors e = compare(measures[k].measure, x, c, u, 1e-4, 1e-2);
		assert_true(e.gradient > 1e-4);
		if (measures[k].measure->third)
			assert_true(e.hessian > 1e-4 && e.product > 1e-4);
		if (measures[k].measure->angle)
			assert_true(e.third > 1e-4);
	}
}

// Values known by hand.
static void known_values(void** state)
{
	(void)state;
	double q[6];
	lm_measure_length3.value((double[]){ 1, 2, 3, 3, 5, 9 }, q);
	assert_near(q[0], 49, 1e-14);
	lm_measure_length2.value((double[]){ 1, 2, 4, 6 }, q);
	assert_near(q[0], 25, 1e-14);
	lm_measure_area.value((double[]){ 1, 1, 3, 1, 1, 4 }, q);
	assert_near(q[0], 3, 1e-14);
	lm_measure_volume.value((double[]){ 1, 1, 1, 3, 1, 1, 1, 4, 1, 1, 1, 5 }, q);
	assert_near(q[0], 4, 1e-14);
	lm_measure_turning.value((double[]){ 0, 0, 2, 0, 2, 3 }, q);
	assert_near(q[0], 1.5707963267948966, 1e-15);
	lm_measure_turning.value((double[]){ 0, 0, 2, 0, 5, 0 }, q);
	assert_near(q[0], 0, 0);
	lm_measure_hinge.value((double[]){ 0, 0, 0, 2, 0, 0, 1, 1, 0, 1, -3, 0 }, q);
	assert_near(q[0], 0, 0);
	for (int s = -1; s <= 1; s += 2)
	{
		lm_measure_hinge.value((double[]){ 0, 0, 0, 2, 0, 0, 1, 1, 0, 1, 0, 3. * s }, q);
		assert_near(q[0], s * 1.5707963267948966, 1e-15);
		lm_measure_hinge.value((double[]){ 0, 0, 0, 2, 0, 0, 1, 1, 0, 1, 1, 0.1 * s }, q);
		assert_near(q[0], s * (3.141592653589793 - atan(0.1)), 1e-14);
	}
	lm_measure_gram2.value((double[]){ 1, 1, 3, 1, 2, 4 }, q);
	assert_near(q[0], 4, 1e-14);
	assert_near(q[1], 2, 1e-14);
	assert_near(q[2], 10, 1e-14);
	lm_measure_gram3.value((double[]){ 0, 0, 0, 1, 2, 3, 0, 1, 1, 2, 0, 0 }, q);
	double expected[6] = { 14, 5, 2, 2, 0, 4 };
	for (int a = 0; a < 6; ++a)
		assert_near(q[a], expected[a], 1e-14);
}

// Everything finite for collapsed, tiny and enormous elements; a collapsed direction exerts no force.
static void always_finite(void** state)
{
	(void)state;
	uint64_t seed = 17;
	static const double sizes[] = { 0, 1e-300, 1e-61, 1e-30, 1, 1e30 };
	for (int k = 0; k < MEASURES; ++k)
		for (int s = 0; s < 6; ++s)
			for (int flat = 0; flat < 5; ++flat)
			{
				const lm_measure* m = measures[k].measure;
				int d = m->dimension;
				double x[12], c[6] = { 1, 1, 1, 1, 1, 1 }, u[12], q[6], J[72], R[72], A[144] = { 0 };
				random_shape(m, &seed, x);
				for (int i = 0; i < 12; ++i)
					x[i] *= sizes[s], u[i] = test_random(&seed);
				for (int i = d; i < m->size; ++i)
				{
					if (flat == 1 && i < 2 * d)
						x[i] = x[i - d]; // the first edge has no length
					if (flat == 2)
						x[i] = x[i % d] + i / d * (x[d + i % d] - x[i % d]); // all in a line
					if (flat == 3)
						x[i] = x[i % d]; // all in a point
					if (flat == 4 && i >= m->size - d)
						x[i] = x[i - d]; // the last two coincide
				}
				m->value(x, q);
				m->gradient(x, J);
				m->hessian(x, c, A);
				m->product(x, u, R);
				if (m->third)
					m->third(x, c, u, A);
				for (int a = 0; a < m->count; ++a)
					assert_true(isfinite(q[a]));
				for (int i = 0; i < m->count * m->size; ++i)
					assert_true(isfinite(J[i]) && isfinite(R[i]));
				for (int i = 0; i < m->size * m->size; ++i)
					assert_true(isfinite(A[i]));
				if (m == &lm_measure_hinge && flat > 0 && flat < 4)
					assert_true(largest(J, 12) == 0);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_values),      cmocka_unit_test(ordinary_shapes), cmocka_unit_test(well_shaped_angles),
		cmocka_unit_test(nearly_degenerate), cmocka_unit_test(inverted_shapes), cmocka_unit_test(comparison_can_fail),
		cmocka_unit_test(always_finite),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
