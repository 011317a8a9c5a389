// test_step.c: free motion: the integrator's parabola, momentum, pins, drags and pushes, recovery from anything.
#include "test.h"

#include "scenes.h"

#include "act/state.h"

static const lm_act_kind kinds[] = { LM_ACT_CURVE2, LM_ACT_SOLID2, LM_ACT_SHELL, LM_ACT_SOLID, LM_ACT_SOLID_GREEN };
#define KINDS 5

static void step(lm_act* body, double h)
{
	assert_int_equal(lm_act_step(&body, 1, h, NULL, 0, NULL), LM_OK);
}

// Turns the body and squeezes it, so that it swings and spins in flight.
static void set_going(lm_act* body)
{
	int32_t n = lm_act_vertex_count(body);
	double* x = malloc(sizeof *x * 6 * (size_t)n);
	double* v = x + 3 * n;
	lm_act_positions(body, x);
	uint64_t seed = 7;
	bool flat = lm_act_dimension(body) == 2;
	for (int32_t i = 0; i < n; ++i)
	{
		x[3 * i] *= 1.1, x[3 * i + 1] *= 0.95;
		v[3 * i] = 1 - 2 * x[3 * i + 1], v[3 * i + 1] = 3 + 2 * x[3 * i];
		v[3 * i + 2] = flat ? 0 : 0.5 + 0.3 * x[3 * i];
		for (int k = 0; k < lm_act_dimension(body); ++k)
			x[3 * i + k] += 0.01 * test_random(&seed);
	}
	lm_act_set_positions(body, x, v);
	free(x);
}

static void flight_follows_the_parabola(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int k = 0; k < KINDS; ++k)
	{
		lm_act* body = scene_body(&host, kinds[k], lm_act_def_default());
		assert_non_null(body);
		set_going(body);
		double x[3], p[3], spin[3], h = 0.02;
		lm_act_center(body, x);
		scene_momentum(body, p, spin);
		double v[3] = { p[0] / lm_act_mass(body), p[1] / lm_act_mass(body), p[2] / lm_act_mass(body) };
		for (int n = 0; n < 50; ++n)
		{
			step(body, h);
			v[1] -= h * 9.81;
			double center[3];
			lm_act_center(body, center);
			for (int i = 0; i < 3; ++i)
			{
				x[i] += h * v[i];
				assert_near(center[i], x[i], 1e-8);
			}
		}
		lm_act_report report = lm_act_get_report(body);
		assert_true(report.physics_residual_max < 1e-10);
		assert_true(report.internal_force_max < 1e-10);
		assert_true(report.internal_torque_max < 1e-10);
		assert_int_equal(report.steps, 50);
		lm_act_destroy(body);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flight_follows_the_parabola),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
