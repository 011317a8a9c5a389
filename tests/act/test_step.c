// test_step.c: free motion: the integrator's parabola, momentum, pins, drags and pushes, recovery from anything.
#include "test.h"

#include "scenes.h"

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

// Kinetic energy of a body about its centre.
static double swing(const lm_act* body)
{
	int32_t n = lm_act_vertex_count(body);
	double p[3], spin[3], sum = 0, *v = malloc(sizeof *v * 3 * (size_t)n);
	scene_momentum(body, p, spin);
	lm_act_velocities(body, v);
	for (int32_t i = 0; i < 3 * n; ++i)
	{
		double relative = v[i] - p[i % 3] / lm_act_mass(body);
		sum += lm_act_masses(body)[i / 3] * relative * relative / 2;
	}
	free(v);
	return sum;
}

static void damping_keeps_momentum_and_calms(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int k = 0; k < KINDS; ++k)
	{
		double most[2] = { 0 };
		for (int damped = 0; damped < 2; ++damped)
		{
			lm_act_def def = lm_act_def_default();
			memset(def.settings.gravity, 0, sizeof def.settings.gravity);
			def.settings.damping = damped ? 0.1 : 0;
			lm_act* body = scene_body(&host, kinds[k], def);
			set_going(body);
			int32_t n = lm_act_vertex_count(body);
			double before[6], after[6], *v = calloc(3 * (size_t)n, sizeof *v);
			for (int32_t i = 0; i < n; ++i) // all alike
				v[3 * i] = 1, v[3 * i + 1] = 2;
			lm_act_set_positions(body, NULL, v);
			scene_momentum(body, before, before + 3);
			for (int s = 0; s < 20; ++s)
			{
				step(body, 0.005);
				most[damped] = fmax(most[damped], swing(body));
			}
			scene_momentum(body, after, after + 3);
			for (int i = 0; i < 3; ++i)
				assert_near(after[i], before[i], 1e-10 * lm_act_mass(body));
			lm_act_report r = lm_act_get_report(body);
			assert_true(r.internal_force_max < 1e-10 && r.internal_torque_max < 1e-10);
			free(v);
			lm_act_destroy(body);
		}
		assert_true(most[1] < 0.5 * most[0]);
	}
}

static void pins_hold_drags_pull_pushes_push(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int k = 0; k < KINDS; ++k)
	{
		lm_act* body = scene_body(&host, kinds[k], lm_act_def_default());
		int32_t n = lm_act_vertex_count(body), last = n - 1;
		double* x = malloc(sizeof *x * 6 * (size_t)n);
		double* v = x + 3 * n;
		lm_act_positions(body, x);
		double pin[3] = { x[0], x[1] + 0.05, x[2] }, drag[3] = { x[3 * last] + 0.3, x[3 * last + 1], x[3 * last + 2] };
		double from = x[3 * last];
		lm_act_pin(body, 0, pin);
		lm_act_drag(body, last, drag, 50);
		step(body, 0.02);
		lm_act_positions(body, x);
		lm_act_velocities(body, v);
		assert_near(x[0], pin[0], 0), assert_near(x[1], pin[1], 0);
		assert_near(v[1], 0.05 / 0.02, 1e-9);
		for (int s = 0; s < 100; ++s)
			step(body, 0.02);
		lm_act_positions(body, x);
		assert_near(x[1], pin[1], 0);
		assert_true(x[3 * last] > from + 0.02);
		assert_true(lm_act_get_report(body).physics_residual_max < 1e-8);
		lm_act_unpin(body, 0);
		lm_act_drag(body, last, drag, 0);
		step(body, 0.02);
		lm_act_positions(body, x);
		assert_true(x[1] != pin[1]);
		double before[6], after[6];
		scene_momentum(body, before, before + 3);
		lm_act_push(body, (int32_t[]){ 1, 2 }, 2, (double[3]){ 0.5, 0, 0 });
		scene_momentum(body, after, after + 3);
		assert_near(after[0] - before[0], 0.5, 1e-12);
		free(x);
		lm_act_destroy(body);
	}
}

// Collapsed to a point, turned inside out, or anywhere: finite, solved, and after a while nearly the rest shape again.
static void bodies_recover(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int k = 0; k < 3 * KINDS; ++k)
	{
		lm_act_def def = lm_act_def_default();
		def.settings.damping = 0.02;
		memset(def.settings.gravity, 0, sizeof def.settings.gravity);
		lm_act* body = scene_body(&host, kinds[k / 3], def);
		int32_t n = lm_act_vertex_count(body);
		double *x = malloc(sizeof *x * 3 * (size_t)n), size = 0;
		lm_act_positions(body, x);
		uint64_t seed = 9;
		for (int32_t i = 0; i < 3 * n; ++i)
		{
			double random = i % 3 < lm_act_dimension(body) ? test_random(&seed) : 0;
			x[i] = k % 3 == 0 ? 1e-9 * random : k % 3 == 1 ? (i % 3 == 0 ? -x[i] : x[i]) + 1e-3 * random : random;
		}
		lm_act_set_positions(body, x, NULL);
		for (int s = 0; s < 12; ++s)
			step(body, 0.02);
		lm_act_positions(body, x);
		for (int32_t i = 0; i < 3 * n; ++i)
		{
			assert_true(isfinite(x[i]));
			size = fmax(size, fabs(x[i]));
		}
		assert_true(size < 10);
		// the last resort may cost the first steps; forces of a crumpled body are 1e5 of its weight
		assert_true(lm_act_get_report(body).physics_residual < 1e-6);
		free(x);
		lm_act_destroy(body);
	}
}

// As the API allows, however senseless: numbers stay numbers.
static void extremes_stay_finite(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int k = 0; k < KINDS; ++k)
	{
		lm_act_def def = lm_act_def_default();
		def.settings.material = (lm_act_material){ 1e12, 1e12, 1e12 };
		def.settings.damping = 10;
		def.settings.gravity[0] = 1e5;
		def.density = 1e-6;
		lm_act* body = scene_body(&host, kinds[k], def);
		int32_t n = lm_act_vertex_count(body);
		double* x = malloc(sizeof *x * 3 * (size_t)n);
		lm_act_push(body, (int32_t[]){ 0 }, 1, (double[3]){ 1e6, 1e6, 0 });
		lm_act_pin(body, 1, (double[3]){ 1e9, 0, 0 });
		for (int s = 0; s < 5; ++s)
			step(body, 0.1);
		lm_act_positions(body, x);
		for (int32_t i = 0; i < 3 * n; ++i)
			assert_true(isfinite(x[i]));
		assert_true(isfinite(lm_act_get_report(body).physics_residual));
		free(x);
		lm_act_destroy(body);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flight_follows_the_parabola),
		cmocka_unit_test(damping_keeps_momentum_and_calms),
		cmocka_unit_test(pins_hold_drags_pull_pushes_push),
		cmocka_unit_test(bodies_recover),
		cmocka_unit_test(extremes_stay_finite),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
