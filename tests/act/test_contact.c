// test_contact.c: bodies that rest, slide, are carried and lie on each other.
#include "test.h"

#include "scenes.h"

static const lm_act_kind kinds[] = { LM_ACT_CURVE2, LM_ACT_SOLID2, LM_ACT_SHELL, LM_ACT_SOLID, LM_ACT_SOLID_GREEN };
#define KINDS 5
static const double h = 0.02;

// A plane through the origin that rises along x by the angle and moves along x at the speed.
static lm_colliders* slope(const lm_host* host, double angle, double friction, double speed)
{
	lm_placement_key keys[5];
	lm_collider_def def = lm_collider_def_default();
	for (int k = 0; k < 5; ++k)
		keys[k] = (lm_placement_key){ .time = k,
			                          .position = { speed * k, 0, 0 },
			                          .rotation = { cos(angle / 2), 0, 0, sin(angle / 2) } };
	def.friction = friction, def.key_count = speed != 0 ? 5 : 1, def.keys = keys;
	lm_colliders* colliders = NULL;
	assert_int_equal(lm_colliders_create(&def, 1, host, &colliders, NULL), LM_OK);
	return colliders;
}

// Lifts a body and turns it about the z axis.
static void place(lm_act* body, double angle, const double offset[3])
{
	int32_t n = lm_act_vertex_count(body);
	double* x = malloc(sizeof *x * 3 * (size_t)n);
	lm_act_positions(body, x);
	for (int32_t i = 0; i < n; ++i)
	{
		double a = x[3 * i] + offset[0], b = x[3 * i + 1] + offset[1];
		x[3 * i] = cos(angle) * a - sin(angle) * b, x[3 * i + 1] = sin(angle) * a + cos(angle) * b;
		x[3 * i + 2] += offset[2];
	}
	lm_act_set_positions(body, x, NULL);
	free(x);
}

static void run(lm_act** bodies, int count, lm_colliders* colliders, int begin, int end)
{
	for (int s = begin; s < end; ++s)
		assert_int_equal(lm_act_step(bodies, count, h, colliders, s * h, NULL), LM_OK);
}

static double speed_of(const lm_act* body)
{
	double p[3], spin[3];
	scene_momentum(body, p, spin);
	return hypot(hypot(p[0], p[1]), p[2]) / lm_act_mass(body);
}

static void check_report(const lm_act* body)
{
	lm_act_report r = lm_act_get_report(body);
	assert_true(r.physics_residual_max <= 1e-8);
	assert_true(r.internal_force_max < 1e-10 && r.internal_torque_max < 1e-10);
	assert_true(r.outside_cone <= 0.01 * r.tangential_impulse);
}

static void bodies_of_all_kinds_come_to_rest(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int k = 0; k < KINDS; ++k)
	{
		lm_colliders* ground = slope(&host, 0, 0.8, 0);
		lm_act_def def = lm_act_def_default();
		def.settings.damping = 0.05;
		lm_act* body = scene_body(&host, kinds[k], def);
		assert_non_null(body);
		place(body, 0, (double[3]){ 0, 0.3, 0 });
		run(&body, 1, ground, 0, 150);
		check_report(body);
		lm_act_report r = lm_act_get_report(body);
		assert_true(speed_of(body) < 5e-3 && r.touching > 0 && r.max_penetration < 0.05);
		// the ground carries the weight
		double* forces = calloc((size_t)lm_act_vertex_count(body), sizeof *forces);
		double sum = 0;
		lm_act_contact_forces(body, forces);
		for (int32_t i = 0; i < lm_act_vertex_count(body); ++i)
			sum += forces[i];
		assert_near(sum / (9.81 * lm_act_mass(body)), 1, 0.01);
		free(forces);
		lm_act_destroy(body);
		lm_colliders_destroy(ground);
	}
}

// Way along the slope from step `begin` to step `end`.
static double slide(lm_act* body, lm_colliders* ground, int begin, int end)
{
	double from[3], to[3];
	lm_act_center(body, from);
	run(&body, 1, ground, begin, end);
	lm_act_center(body, to);
	return hypot(hypot(to[0] - from[0], to[1] - from[1]), to[2] - from[2]);
}

static void friction_holds_below_its_angle_and_no_further(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const lm_act_kind solids[2] = { LM_ACT_SOLID2, LM_ACT_SOLID };
	const double mu = 0.5;
	for (int k = 0; k < 4; ++k)
	{
		double angle = (k % 2 ? 1.3 : 0.9) * atan(mu);
		lm_colliders* ground = slope(&host, angle, mu, 0);
		lm_act_def def = lm_act_def_default();
		def.settings.friction = mu, def.settings.damping = 0.05;
		lm_act* body = scene_body(&host, solids[k / 2], def);
		place(body, angle, (double[3]){ 0, 0.001, 0 });
		run(&body, 1, ground, 0, 50);
		double first = slide(body, ground, 50, 100), second = slide(body, ground, 100, 150);
		if (k % 2 == 0)
			assert_true(second / (50 * h) < 1e-4);
		else
			assert_near((second - first) / (50 * h) / (50 * h), 9.81 * (sin(angle) - mu * cos(angle)), 0.05 * 1.52);
		check_report(body);
		lm_act_destroy(body);
		lm_colliders_destroy(ground);
	}
}

static void moving_ground_carries(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int k = 1; k < KINDS; ++k) // a ring would roll
	{
		lm_colliders* ground = slope(&host, 0, 0.8, 0.5);
		lm_act* body = scene_body(&host, kinds[k], lm_act_def_default());
		double from[3], to[3];
		lm_act_center(body, from);
		run(&body, 1, ground, 0, 200);
		lm_act_center(body, to);
		assert_near(to[0] - from[0], 2, 0.05);
		lm_act_destroy(body);
		lm_colliders_destroy(ground);
	}
}

static void stacks_stand(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const lm_act_kind solids[2] = { LM_ACT_SOLID2, LM_ACT_SOLID };
	for (int k = 0; k < 2; ++k)
	{
		lm_colliders* ground = slope(&host, 0, 0.8, 0);
		lm_act_def def = lm_act_def_default();
		def.settings.damping = 0.05;
		lm_act* bodies[3];
		double height = k ? 0.75 : 1, center[3][3];
		for (int b = 0; b < 3; ++b)
		{
			bodies[b] = scene_body(&host, solids[k], def);
			place(bodies[b], 0, (double[3]){ 0, (height + 0.005) * b, 0 });
		}
		run(bodies, 3, ground, 0, 150);
		for (int b = 0; b < 3; ++b)
		{
			check_report(bodies[b]);
			lm_act_center(bodies[b], center[b]);
			assert_true(lm_act_get_report(bodies[b]).max_penetration < 0.01);
			assert_true(speed_of(bodies[b]) < 0.02);
			assert_near(center[b][1] - (b ? center[b - 1][1] : -height / 2), height, 0.02 * height);
			lm_act_destroy(bodies[b]);
		}
		lm_colliders_destroy(ground);
	}
}

// Two bodies meet in empty space: what one loses the other gets.
static void collisions_keep_momentum(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int k = 0; k < KINDS; ++k)
	{
		lm_act_def def = lm_act_def_default();
		memset(def.settings.gravity, 0, sizeof def.settings.gravity);
		lm_act* bodies[2];
		double before[6] = { 0 }, after[6] = { 0 }, p[2][6];
		for (int b = 0; b < 2; ++b)
		{
			bodies[b] = scene_body(&host, kinds[k], def);
			place(bodies[b], 0, (double[3]){ 0.2 * b, 1.05 * b, 0 });
			int32_t all[64], n = lm_act_vertex_count(bodies[b]);
			for (int32_t i = 0; i < n; ++i)
				all[i] = i;
			double impulse = (b ? -1 : 1) * lm_act_mass(bodies[b]);
			lm_act_push(bodies[b], all, n, (double[3]){ 0, impulse, 0 });
			scene_momentum(bodies[b], p[b], p[b] + 3);
			for (int i = 0; i < 6; ++i)
				before[i] += p[b][i];
		}
		run(bodies, 2, NULL, 0, 40);
		double size = lm_act_mass(bodies[0]);
		for (int b = 0; b < 2; ++b)
		{
			double end[6];
			scene_momentum(bodies[b], end, end + 3);
			for (int i = 0; i < 6; ++i)
				after[i] += end[i];
			assert_true(fabs(end[1] - p[b][1]) > 0.1 * size); // they did meet
			check_report(bodies[b]);
			lm_act_destroy(bodies[b]);
		}
		for (int i = 0; i < 3; ++i)
			assert_near(after[i], before[i], 1e-8 * size);
	}
}

// A plate of 2 cm in the way of a body at 20 m/s, 40 cm per step.
static void fast_bodies_do_not_go_through_thin_things(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int k = 0; k < KINDS; ++k)
	{
		lm_placement_key key = { .position = { 0, -0.01, 0 }, .rotation = { 1, 0, 0, 0 } };
		lm_collider_def plate = lm_collider_def_default();
		plate.shape = LM_SHAPE_BOX, plate.half[0] = plate.half[2] = 5, plate.half[1] = 0.01;
		plate.key_count = 1, plate.keys = &key;
		lm_colliders* colliders = NULL;
		assert_int_equal(lm_colliders_create(&plate, 1, &host, &colliders, NULL), LM_OK);
		lm_act_def def = lm_act_def_default();
		def.settings.contact_stiffness = 2e5;
		lm_act* body = scene_body(&host, kinds[k], def);
		place(body, 0, (double[3]){ 0, 0.45, 0 });
		int32_t all[64], n = lm_act_vertex_count(body);
		for (int32_t i = 0; i < n; ++i)
			all[i] = i;
		lm_act_push(body, all, n, (double[3]){ 0, -20 * lm_act_mass(body), 0 });
		run(&body, 1, colliders, 0, 50);
		double center[3];
		lm_act_center(body, center);
		assert_true(center[1] > 0);
		lm_act_destroy(body);
		lm_colliders_destroy(colliders);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bodies_of_all_kinds_come_to_rest),
		cmocka_unit_test(friction_holds_below_its_angle_and_no_further),
		cmocka_unit_test(moving_ground_carries),
		cmocka_unit_test(stacks_stand),
		cmocka_unit_test(collisions_keep_momentum),
		cmocka_unit_test(fast_bodies_do_not_go_through_thin_things),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
