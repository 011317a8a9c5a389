// test_optimize.c: what control does: improves, keeps the physics, stays in its range, always ends.
#include "test.h"

#include "control_scenes.h"

#include "act/body.h"

static const double h = 0.02;

static void step(lm_act* body)
{
	assert_int_equal(lm_act_step(&body, 1, h, NULL, 0, NULL), LM_OK);
}

// What poses can do: the highest vertex comes down, as in the second of control_pose.
static void set_squeeze_goal(lm_act* body)
{
	int32_t n = lm_act_vertex_count(body), low = 0, high = 0, vertices[2];
	const double* X = body->mesh->positions;
	double coefficients[6];
	for (int32_t v = 0; v < n; ++v)
	{
		low = X[3 * v + 1] < X[3 * low + 1] ? v : low;
		high = X[3 * v + 1] > X[3 * high + 1] ? v : high;
	}
	const double up[3] = { 0, 1, 0 };
	int32_t count = lm_act_row_between(body, &low, 1, &high, 1, up, vertices, coefficients);
	lm_act_goal goal = {
		.count = count, .vertices = vertices, .coefficients = coefficients, .kp = 4, .kd = 1, .weight = 3
	};
	goal.position = 0.75 * (X[3 * high + 1] - X[3 * low + 1]);
	assert_int_equal(lm_act_set_goals(body, &goal, 1, NULL), LM_OK);
}

// Every model under every control: the objective falls, the physics holds, the optimiser converges.
static void improves(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_act_def def = lm_act_def_default();
	def.settings.gravity[1] = 0;
	def.settings.rest_material = (lm_act_material){ 50, 0.5, 50 };
	for (int k = 0; k < CONTROL_CASES; ++k)
	{
		lm_act* body = control_body(&host, &control_cases[k], def);
		assert_non_null(body);
		double start = 0, end = 0;
		for (int n = 0; n < 10; ++n)
		{
			if (control_cases[k].control == LM_ACT_EXAMPLES)
				set_squeeze_goal(body);
			else
				assert_int_equal(control_goals(body, 0.5), LM_OK);
			step(body);
			lm_act_report report = lm_act_get_report(body);
			assert_true(report.objective <= report.objective_start * (1 + 1e-4));
			assert_true(report.goal_part >= 0 && report.goal_part <= report.objective);
			assert_true(report.physics_residual < 1e-8);
			start += report.objective_start, end += report.objective;
		}
		lm_act_report report = lm_act_get_report(body);
		printf("case %d: %.4f of the objective\n", k, end / start);
		assert_true(end < 0.99 * start);
		assert_int_equal(report.controlled_steps, 10);
		// full control of shells collapses triangles, and ends where settings.smallest_rest forbids that
		if (control_cases[k].kind == LM_ACT_SHELL && control_cases[k].control == LM_ACT_FULL)
			assert_true(report.converged_steps >= 3);
		else
			assert_true(report.converged_steps >= 8 && report.iterations_sum <= 70);
		assert_true(report.goal_squares > 0);
		lm_act_destroy(body);
	}
}

// In flight no rest shape moves the centre of mass: it follows the integrator's parabola whatever the goals say.
static void flight_cannot_be_steered(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int k = 0; k < CONTROL_CASES; ++k)
	{
		lm_act* body = control_body(&host, &control_cases[k], lm_act_def_default());
		double x[3], v[3] = { 0 };
		lm_act_center(body, x);
		for (int n = 0; n < 5; ++n)
		{
			assert_int_equal(control_goals(body, 5), LM_OK);
			step(body);
			double center[3];
			lm_act_center(body, center);
			v[1] -= h * 9.81;
			for (int i = 0; i < 3; ++i)
				assert_near(center[i], x[i] += h * v[i], 1e-9);
		}
		lm_act_destroy(body);
	}
}

// A goal that the rest shape can reach is reached: a vertex of a body that is held moves at the wanted speed.
static void goals_are_met(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_act_def def = lm_act_def_default();
	def.settings.gravity[1] = 0;
	def.settings.parameter_weight = def.settings.change_weight = 1e-8;
	def.settings.rest_material = (lm_act_material){ 1e-6, 1e-6, 1e-6 };
	def.settings.tolerance = 1e-6;
	def.settings.most_iterations = 50;
	for (int k = 0; k < CONTROL_CASES; ++k)
	{
		if (control_cases[k].control == LM_ACT_EXAMPLES)
			continue;
		lm_act* body = control_body(&host, &control_cases[k], def);
		double pin[3] = { 0 };
		memcpy(pin, body->x, (size_t)body->dimension * sizeof *pin);
		lm_act_pin(body, 0, pin);
		int32_t vertex = body->vertex_count / 2;
		const double up[3] = { 0, 1, 0 };
		lm_act_goal goal = { 1, &vertex, up, 0, 0.2, 0, 1, 1 };
		assert_int_equal(lm_act_set_goals(body, &goal, 1, NULL), LM_OK);
		step(body);
		assert_near(body->v[vertex * body->dimension + 1], 0.2, 1e-3);
		lm_act_destroy(body);
	}
}

static void examples_stay_convex(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int k = 0; k < CONTROL_CASES; ++k)
	{
		if (control_cases[k].control != LM_ACT_EXAMPLES)
			continue;
		lm_act_def def = lm_act_def_default();
		def.settings.starts = k % 2 ? 2 : 0;
		lm_act* body = control_body(&host, &control_cases[k], def);
		for (int n = 0; n < 20; ++n)
		{
			assert_int_equal(control_goals(body, n % 2 ? 3 : -3), LM_OK);
			step(body);
			double p[3];
			lm_act_parameters(body, p);
			assert_true(p[0] >= 0 && p[1] >= 0 && p[2] >= 0);
			assert_true(p[0] + p[2] <= 1 && p[1] <= 1);
			assert_true(control_cases[k].groups > 1 || p[0] + p[1] + p[2] <= 1);
		}
		lm_act_destroy(body);
	}
}

// Whatever the budget and the goals, a step ends with the physics fulfilled.
static void always_ends(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const double speeds[] = { 0, 1, 1e3, 1e9 };
	for (int k = 0; k < CONTROL_CASES; ++k)
		for (int budget = 0; budget <= 3; ++budget)
		{
			if (control_cases[k].control == LM_ACT_CAGE)
				continue; // made slowly, and no other than the others
			lm_act_def def = lm_act_def_default();
			def.settings.most_iterations = budget;
			def.settings.tolerance = 1e-14;
			def.settings.exact = k % 2;
			lm_act* body = control_body(&host, &control_cases[k], def);
			for (int n = 0; n < 4; ++n)
			{
				assert_int_equal(control_goals(body, speeds[n]), LM_OK);
				step(body);
				lm_act_report report = lm_act_get_report(body);
				assert_true(report.iterations <= budget);
				assert_true(report.physics_residual < 1e-8);
				assert_true(budget > 0 || report.outcome == LM_ACT_KEPT);
			}
			lm_act_destroy(body);
		}
}

// Wild goals on hard ground, which trial points leave and hit all the time: there is a cost that a step of control
// does not go beyond. Without the limits of optimize_search.c these take 1139, 1228 and 2193 factorisations at worst.
static void effort_is_bounded(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_placement_key place = { .position = { 0, -0.2, 0 }, .rotation = { 1, 0, 0, 0 } };
	lm_collider_def ground = lm_collider_def_default();
	ground.key_count = 1, ground.keys = &place, ground.friction = 0.8;
	lm_colliders* colliders;
	assert_int_equal(lm_colliders_create(&ground, 1, &host, &colliders, NULL), LM_OK);
	const int cases[] = { 1, 6, 7 };
	for (int k = 0; k < 3; ++k)
	{
		lm_act* body = control_body(&host, &control_cases[cases[k]], lm_act_def_default());
		assert_non_null(body);
		for (int n = 0; n < 60; ++n)
		{
			assert_int_equal(control_goals(body, n / 5 % 2 ? 8 : -8), LM_OK);
			assert_int_equal(lm_act_step(&body, 1, h, colliders, n * h, NULL), LM_OK);
			assert_in_range(lm_act_get_report(body).factorizations, 0, 300);
		}
		lm_act_destroy(body);
	}
	lm_colliders_destroy(colliders);
}

static void goals_are_checked(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_act* body = control_body(&host, &control_cases[3], lm_act_def_default());
	int32_t vertex = 0, far = body->vertex_count;
	double a[3] = { 1, 0, 0 }, bad[3] = { NAN, 0, 0 };
	lm_act_goal good = { 1, &vertex, a, 0, 0, 1, 1, 1 };
	lm_act_goal wrong[7] = { good, good, good, good, good, good, good };
	wrong[0].vertices = &far;
	wrong[1].coefficients = bad;
	wrong[2].position = INFINITY;
	wrong[3].velocity = NAN;
	wrong[4].kp = wrong[4].kd = 0;
	wrong[5].kd = -1;
	wrong[6].weight = -1;
	assert_int_equal(lm_act_set_goals(body, &good, 1, NULL), LM_OK);
	for (int k = 0; k < 7; ++k)
	{
		lm_error error = { 0 };
		lm_act_goal both[2] = { good, wrong[k] };
		assert_int_equal(lm_act_set_goals(body, both, 2, &error), LM_BAD_INPUT);
		assert_true(strstr(error.message, "goal 1") != NULL);
		assert_int_equal(body->goals.count, 1);
	}
	assert_int_equal(lm_act_set_goals(body, NULL, 1, NULL), LM_BAD_INPUT);
	assert_int_equal(lm_act_set_goals(body, NULL, 0, NULL), LM_OK); // none: p stays
	step(body);
	lm_act_destroy(body);
}

// The same run twice, and with more threads, ends at the same bits; after the first step nothing is allocated.
static void deterministic_and_frugal(void** state)
{
	(void)state;
	for (int k = 0; k < CONTROL_CASES; ++k)
	{
		uint64_t hash[3];
		if (control_cases[k].control == LM_ACT_CAGE)
			continue;
		for (int run = 0; run < 3; ++run)
		{
			test_memory memory = { 0 };
			lm_host host = test_host(&memory);
			host.threads = run == 0 ? 1 : 2 * run;
			lm_act* body = control_body(&host, &control_cases[k], lm_act_def_default());
			int64_t requests = 0;
			double* x = malloc(sizeof *x * 6 * (size_t)body->vertex_count);
			double* p = calloc((size_t)body->rest.parameters, sizeof *p);
			lm_act_positions(body, x);
			lm_act_velocities(body, x + 3 * body->vertex_count);
			for (int n = 0; n < 12; ++n)
			{
				if (n == 6) // again: all that could be needed is there
				{
					requests = memory.requests;
					lm_act_set_positions(body, x, x + 3 * body->vertex_count);
					lm_act_set_parameters(body, p);
				}
				assert_int_equal(control_goals(body, n % 2), LM_OK);
				step(body);
			}
			free(x);
			free(p);
			assert_int_equal(memory.requests, requests);
			hash[run] = lm_act_hash(body);
			lm_act_destroy(body);
			assert_int_equal(memory.held, 0);
		}
		assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
	}
}

static void memory_may_run_out(void** state)
{
	(void)state;
	const int cases[] = { 3, 5, 8, 11 };
	for (int c = 0; c < 4; ++c)
		for (int64_t fail = 1;; ++fail)
		{
			test_memory memory = { .fail_at = fail };
			lm_host host = test_host(&memory);
			lm_act* body = control_body(&host, &control_cases[cases[c]], lm_act_def_default());
			bool whole = body != NULL;
			lm_status status = whole ? control_goals(body, 1) : LM_NO_MEMORY;
			if (whole && status != LM_OK)
				assert_int_equal(status, LM_NO_MEMORY);
			if (whole)
			{
				status = lm_act_step(&body, 1, h, NULL, 0, NULL);
				assert_true(status == LM_OK || status == LM_NO_MEMORY);
			}
			lm_act_destroy(body);
			assert_int_equal(memory.held, 0);
			if (memory.requests < fail)
				break;
			if (whole) // everything is there: the last few only
				fail += 2;
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(improves),           cmocka_unit_test(flight_cannot_be_steered),
		cmocka_unit_test(goals_are_met),      cmocka_unit_test(examples_stay_convex),
		cmocka_unit_test(always_ends),        cmocka_unit_test(effort_is_bounded),
		cmocka_unit_test(goals_are_checked),  cmocka_unit_test(deterministic_and_frugal),
		cmocka_unit_test(memory_may_run_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
