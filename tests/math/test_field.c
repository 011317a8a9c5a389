// Force fields: what each kind does, no overshoot, eddies without sources, seeds, bad input.
#include "limber/field.h"
#include "test.h"

static void change(const lm_field* f, double time, double h, const double x[3], double v[3])
{
	lm_field_act(f, time, h, x, 1, v);
}

static void wind_carries_along(void** state)
{
	(void)state;
	lm_field f = lm_field_default();
	f.kind = LM_FIELD_WIND, f.velocity[0] = 3, f.drag = 2;
	double x[3] = { 5, 6, 7 }, v[3] = { 0, 1, 0 };
	for (int i = 0; i < 100; ++i)
		change(&f, 0.01 * i, 0.01, x, v);
	assert_near(v[0], 3 * (1 - exp(-2)), 1e-12); // whatever the step
	assert_near(v[1], exp(-2), 1e-12);
	f.drag = 1e6;
	change(&f, 0, 100, x, v);
	assert_true(v[0] == 3 && v[1] == 0);
	f.gust = 0.5;
	double low = 3, high = 0;
	for (int i = 0; i < 1000; ++i)
	{
		change(&f, 0.05 * i, 1, x, v);
		low = fmin(low, v[0]), high = fmax(high, v[0]);
	}
	assert_true(low >= 1.5 && low < 2 && high <= 3 && high > 2.5);
}

static void attractor_pulls_to_its_place(void** state)
{
	(void)state;
	lm_field f = lm_field_default();
	f.kind = LM_FIELD_ATTRACTOR, f.strength = 4, f.position[1] = 2;
	double v[3] = { 0 };
	change(&f, 0, 0.5, (double[]){ 3, 2, 0 }, v);
	assert_near(v[0], -2, 1e-12);
	assert_true(v[1] == 0 && v[2] == 0);
	double still[3] = { 0 };
	change(&f, 0, 0.5, f.position, still); // in its middle nothing is NaN
	assert_true(still[0] == 0 && still[1] == 0 && still[2] == 0);
	f.radius = 3; // half as strong there
	double half[3] = { 0 };
	change(&f, 0, 0.5, (double[]){ 3, 2, 0 }, half);
	assert_near(half[0], -1, 1e-12);
}

static void vortex_turns(void** state)
{
	(void)state;
	lm_field f = lm_field_default();
	f.kind = LM_FIELD_VORTEX, f.strength = 5, f.drag = 1e6;
	double v[3] = { 0 };
	change(&f, 0, 1, (double[]){ 4, 9, 0 }, v);
	assert_near(v[0], 0, 1e-12);
	assert_near(v[2], -5, 1e-12); // counter-clockwise seen from where the axis points
	change(&f, 0, 1, (double[]){ 0.1, 0, 0 }, v);
	assert_near(v[2], -0.5, 1e-12); // slower in its core
	change(&f, 0, 1, (double[]){ 0, 3, 0 }, v);
	assert_near(v[0] * v[0] + v[1] * v[1] + v[2] * v[2], 0, 1e-12);
}

static void air(const lm_field* f, double time, const double x[3], double u[3])
{
	u[0] = u[1] = u[2] = 0;
	change(f, time, 1, x, u);
}

static void turbulence_has_no_sources(void** state)
{
	(void)state;
	lm_field f = lm_field_default();
	f.kind = LM_FIELD_TURBULENCE, f.strength = 2, f.size = 0.7, f.drag = 1e6, f.seed = 5;
	uint64_t random = 1;
	double squares = 0, d = 1e-5;
	for (int i = 0; i < 2000; ++i)
	{
		double x[3], u[3], t = 10 * test_random(&random), divergence = 0, slope = 0;
		for (int k = 0; k < 3; ++k)
			x[k] = 5 * test_random(&random);
		air(&f, t, x, u);
		squares += u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
		for (int k = 0; k < 3; ++k)
		{
			double a[3] = { x[0], x[1], x[2] }, b[3] = { x[0], x[1], x[2] }, ua[3], ub[3];
			a[k] -= d, b[k] += d;
			air(&f, t, a, ua), air(&f, t, b, ub);
			divergence += (ub[k] - ua[k]) / (2 * d), slope = fmax(slope, fabs(ub[k] - ua[k]) / (2 * d));
		}
		assert_true(fabs(divergence) < 1e-6 * fmax(1, slope));
	}
	assert_near(sqrt(squares / 2000), 2, 0.2);
	double one[3], two[3], other[3], x[3] = { 1, 2, 3 };
	air(&f, 4, x, one), air(&f, 4, x, two);
	assert_memory_equal(one, two, sizeof one);
	f.seed = 6;
	air(&f, 4, x, other);
	assert_true(fabs(one[0] - other[0]) > 1e-3);
}

static void bad_input(void** state)
{
	(void)state;
	lm_error error;
	lm_field good = lm_field_default();
	assert_int_equal(lm_field_check(&good, &error), LM_OK);
	double* numbers[] = { &good.position[1], &good.axis[1], &good.velocity[2],  &good.strength, &good.radius,
		                  &good.drag,        &good.gust,    &good.gust_seconds, &good.size,     &good.change };
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
	{
		double kept = *numbers[i];
		const double bad[] = { NAN, INFINITY, -INFINITY, 1e300 };
		for (int k = 0; k < 4; ++k)
		{
			*numbers[i] = bad[k];
			assert_int_equal(lm_field_check(&good, &error), LM_BAD_INPUT);
		}
		*numbers[i] = kept;
	}
	good.kind = LM_FIELD_KINDS;
	assert_int_equal(lm_field_check(&good, &error), LM_BAD_INPUT);
	good.kind = LM_FIELD_VORTEX, good.axis[1] = 0;
	assert_int_equal(lm_field_check(&good, &error), LM_BAD_INPUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(wind_carries_along),
		                                cmocka_unit_test(attractor_pulls_to_its_place), cmocka_unit_test(vortex_turns),
		                                cmocka_unit_test(turbulence_has_no_sources), cmocka_unit_test(bad_input) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
