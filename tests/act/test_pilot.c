// Pilots: what they measure, the rows they make, how they hop and go, and what they say of a motion afterwards.
#include "test.h"

#include "act/pilot/pilot.h"
#include "limber/contact.h"
#include "math/quat.h"
#include "math/vec.h"

// A square of side 1 in four triangles around its middle, standing on y = 0.
static lm_mesh* square(const lm_host* host)
{
	lm_mesh* mesh = lm_mesh_create(host, 5, 4, 0);
	if (mesh == NULL)
		return NULL;
	const double xyz[15] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0.5, 0.5, 0 };
	memcpy(mesh->positions, xyz, sizeof xyz);
	memcpy(mesh->triangles, (int32_t[]){ 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4 }, 12 * sizeof(int32_t));
	return mesh;
}

static lm_act* body_of(lm_act_kind kind, const lm_mesh* mesh, lm_act_control control, const lm_host* host)
{
	lm_act_def def = lm_act_def_default();
	def.kind = kind;
	def.mesh = mesh;
	def.control = control;
	lm_act* body = NULL;
	lm_error error;
	if (lm_act_create(&def, host, &body, &error) != LM_OK)
		fail_msg("%s", error.message);
	return body;
}

static void motion_is_measured_in_the_plane(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = square(&host);
	lm_act* body = body_of(LM_ACT_SOLID2, mesh, LM_ACT_PASSIVE, &host);
	lm_act_pilot* pilot;
	assert_int_equal(lm_act_pilot_create(body, &host, &pilot, NULL), LM_OK);
	assert_near(lm_act_pilot_stance(pilot), 0.5, 1e-12);
	assert_near(lm_act_pilot_height(pilot), 1, 1e-12);
	// turned by 0.3, moved, and spinning by 2 about its centre, which moves too
	double x[15], v[15];
	lm_quat turn = lm_quat_axis_angle(lm_v3(0, 0, 1), 0.3);
	for (int i = 0; i < 5; ++i)
	{
		lm_vec3 arm = lm_quat_rotate(turn, lm_sub(lm_v3_at(mesh->positions, i), lm_v3(0.5, 0.5, 0)));
		lm_v3_store(x, i, lm_add(arm, lm_v3(3, 4, 0)));
		lm_v3_store(v, i, lm_add(lm_v3(1, -2, 0), lm_cross(lm_v3(0, 0, 2), arm)));
	}
	lm_act_set_positions(body, x, v);
	lm_act_pilot_begin(pilot, 0.02);
	const lm_act_motion* motion = lm_act_pilot_motion(pilot);
	assert_near(motion->center[0], 3, 1e-12);
	assert_near(motion->center[1], 4, 1e-12);
	assert_near(motion->velocity[1], -2, 1e-12);
	assert_near(motion->spin[2], 2, 1e-12);
	assert_near(motion->tilt[2], 0.3, 1e-12);
	assert_near(motion->heading, 0, 0);
	assert_int_equal(motion->touching, 0);
	lm_act_pilot_destroy(pilot);
	lm_act_destroy(body);
	lm_mesh_destroy(mesh);
}

static void motion_is_measured_in_space(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, 4, 0, 1);
	const double xyz[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
	memcpy(mesh->positions, xyz, sizeof xyz);
	memcpy(mesh->tets, (int32_t[]){ 0, 1, 2, 3 }, 4 * sizeof(int32_t));
	lm_act* body = body_of(LM_ACT_SOLID, mesh, LM_ACT_PASSIVE, &host);
	lm_act_pilot* pilot;
	assert_int_equal(lm_act_pilot_create(body, &host, &pilot, NULL), LM_OK);
	double x[12], v[12];
	lm_vec3 tilt = lm_v3(0.2, 0, -0.1), spin = lm_v3(1, -2, 3);
	lm_quat turn = lm_quat_mul(lm_quat_exp(tilt), lm_quat_axis_angle(lm_v3(0, 1, 0), 0.7));
	for (int i = 0; i < 4; ++i)
	{
		lm_vec3 arm = lm_quat_rotate(turn, lm_sub(lm_v3_at(xyz, i), lm_v3(0.25, 0.25, 0.25)));
		lm_v3_store(x, i, arm);
		lm_v3_store(v, i, lm_cross(spin, arm));
	}
	lm_act_set_positions(body, x, v);
	lm_act_pilot_begin(pilot, 0.02);
	const lm_act_motion* motion = lm_act_pilot_motion(pilot);
	assert_near(motion->tilt[0], tilt.x, 1e-9);
	assert_near(motion->tilt[1], 0, 1e-9);
	assert_near(motion->tilt[2], tilt.z, 1e-9);
	assert_near(motion->heading, 0.7, 1e-9);
	assert_near(motion->spin[0], spin.x, 1e-9);
	assert_near(motion->spin[1], spin.y, 1e-9);
	assert_near(motion->spin[2], spin.z, 1e-9);
	lm_act_pilot_destroy(pilot);
	lm_act_destroy(body);
	lm_mesh_destroy(mesh);
}

// A row applied to the velocities gives what it is named after.
static void rows_measure_what_they_say(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = square(&host);
	lm_act* body = body_of(LM_ACT_SOLID2, mesh, LM_ACT_FULL, &host);
	lm_act_pilot* pilot;
	assert_int_equal(lm_act_pilot_create(body, &host, &pilot, NULL), LM_OK);
	double v[15];
	for (int i = 0; i < 5; ++i)
	{
		lm_vec3 arm = lm_sub(lm_v3_at(mesh->positions, i), lm_v3(0.5, 0.5, 0));
		lm_v3_store(v, i, lm_add(lm_v3(1, 2, 0), lm_cross(lm_v3(0, 0, 3), arm)));
	}
	lm_act_set_positions(body, NULL, v);
	lm_act_pilot_begin(pilot, 0.02);
	const double y[3] = { 0, 1, 0 }, z[3] = { 0, 0, 5 };
	lm_act_target target = { .kd = 1, .weight = 1 };
	lm_act_pilot_aim_center(pilot, y, &target);
	lm_act_pilot_aim_points(pilot, (int32_t[]){ 1 }, 1, y, &target);
	lm_act_pilot_aim_spin(pilot, z, 1, 1);
	lm_act_pilot_aim_axis(pilot, (int32_t[]){ 0, 1, 2, 3, 4 }, 5, y, (double[]){ 1, 0, 0 }, &target);
	assert_int_equal(pilot->row_count, 4);
	const double want[4] = { 2, 2 + 3 * 0.5, 3, 3 };
	for (int r = 0; r < 4; ++r)
	{
		double sum = 0;
		for (int k = 0; k < pilot->rows[r].count; ++k)
			sum += lm_dot(lm_v3_at(pilot->coefficients, pilot->rows[r].begin + k),
			              lm_v3_at(v, pilot->vertices[pilot->rows[r].begin + k]));
		assert_near(sum, want[r], 1e-12);
	}
	assert_int_equal(lm_act_pilot_commit(pilot, NULL), LM_OK);
	lm_act_pilot_begin(pilot, 0.02);
	assert_int_equal(pilot->row_count, 0);
	lm_act_pilot_destroy(pilot);
	lm_act_destroy(body);
	lm_mesh_destroy(mesh);
}

// Paced rows ask for the same at 0.02 s, for the share of the change at half of it, and for nothing new above.
static void paced_rows_ask_for_accelerations(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = square(&host);
	lm_act* body = body_of(LM_ACT_SOLID2, mesh, LM_ACT_FULL, &host);
	lm_act_pilot* pilot;
	assert_int_equal(lm_act_pilot_create(body, &host, &pilot, NULL), LM_OK);
	double v[15] = { 0 };
	for (int i = 0; i < 5; ++i)
		v[3 * i] = 0.3;
	lm_act_set_positions(body, NULL, v);
	const double x[3] = { 1, 0, 0 }, steps[3] = { 0.02, 0.01, 0.03 };
	for (int k = 0; k < 3; ++k)
	{
		lm_act_target target = { .position = 1, .velocity = 0.5, .kp = 10, .kd = 2, .weight = 3 };
		lm_act_pilot_begin(pilot, steps[k]);
		lm_act_pilot_aim_center(pilot, x, &target); // paced rows begin with the next
		lm_act_pilot_aim_center(pilot, x, &target);
		lm_pilot_limit_rows(pilot, 1);
		const lm_act_target *plain = &pilot->rows[0].target, *paced = &pilot->rows[1].target;
		assert_near(plain->kp, 10, 0);
		assert_near(paced->weight, 3, 0);
		// where the row is zero: the centre is at 0.5 and moves by 0.3
		double zero = (2 * 0.5 + 10 * (1 - 0.5)) / (2 + 10 * 0.02), h = steps[k];
		double got = (paced->kd * paced->velocity + paced->kp * (paced->position - 0.5)) / (paced->kd + paced->kp * h);
		if (k == 0)
			assert_near(got, zero, 1e-12);
		else if (k == 1)
			assert_near(got, 0.3 + 0.5 * (zero - 0.3), 1e-12);
		else
			assert_near(paced->kp, 10, 0);
	}
	lm_act_pilot_destroy(pilot);
	lm_act_destroy(body);
	lm_mesh_destroy(mesh);
}

static lm_colliders* ground(const lm_host* host)
{
	lm_collider_def def = lm_collider_def_default();
	lm_placement_key key = { .rotation = { 1, 0, 0, 0 } };
	def.key_count = 1;
	def.keys = &key;
	def.friction = 0.8;
	lm_colliders* colliders = NULL;
	assert_int_equal(lm_colliders_create(&def, 1, host, &colliders, NULL), LM_OK);
	return colliders;
}

// The square hops to the left, upright.
static void a_square_hops(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = square(&host);
	lm_act* body = body_of(LM_ACT_SOLID2, mesh, LM_ACT_FULL, &host);
	lm_colliders* colliders = ground(&host);
	lm_act_pilot* pilot;
	assert_int_equal(lm_act_pilot_create(body, &host, &pilot, NULL), LM_OK);
	lm_act_hop hop = lm_act_hop_default();
	hop.velocity[0] = -0.5;
	for (int s = 0; s < 120; ++s)
	{
		lm_act_pilot_begin(pilot, 0.02);
		lm_act_pilot_hop(pilot, &hop);
		assert_int_equal(lm_act_pilot_commit(pilot, NULL), LM_OK);
		assert_int_equal(lm_act_step(&body, 1, 0.02, colliders, 0.02 * s, NULL), LM_OK);
		lm_act_pilot_record(pilot, 0.02);
	}
	lm_act_record record = lm_act_pilot_get_record(pilot);
	assert_true(record.hops >= 2);
	assert_true(record.end[0] - record.start[0] < -0.2);
	assert_false(record.toppled);
	assert_near(record.seconds, 2.4, 1e-9);
	assert_near(record.speed_mean, fabs(record.end[0] - record.start[0]) / 2.4, 1e-9);
	lm_act_pilot_destroy(pilot);
	lm_colliders_destroy(colliders);
	lm_act_destroy(body);
	lm_mesh_destroy(mesh);
}

// Walking is made for the gravity of the body, and does nothing where there is none.
static void walkers_go_by_their_gravity(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = square(&host);
	lm_act* body = body_of(LM_ACT_SOLID2, mesh, LM_ACT_FULL, &host);
	lm_act_pilot* pilot;
	assert_int_equal(lm_act_pilot_create(body, &host, &pilot, NULL), LM_OK);
	assert_near(lm_act_pilot_gravity(pilot), 9.81, 0);
	assert_int_equal(lm_act_pilot_set_foot(pilot, 0, (int32_t[]){ 0 }, 1, NULL), LM_OK);
	assert_int_equal(lm_act_pilot_set_foot(pilot, 1, (int32_t[]){ 1 }, 1, NULL), LM_OK);
	lm_act_walk walk = lm_act_walk_default();
	walk.velocity[0] = 0.3;
	const double pulls[4] = { -1.62, -9.81, 0, 5 }, down[4] = { 1.62, 9.81, 0, 0 };
	for (int k = 0; k < 4; ++k)
	{
		lm_act_settings settings = lm_act_get_settings(body);
		settings.gravity[1] = pulls[k];
		assert_int_equal(lm_act_set_settings(body, &settings, NULL), LM_OK);
		lm_act_pilot_begin(pilot, 0.02);
		assert_near(lm_act_pilot_gravity(pilot), down[k], 0);
		pilot->walk = (lm_walk_state){ 0 };
		lm_act_pilot_walk(pilot, &walk);
		// shifting its weight, it aims at p_0 + b_0 = s / (E - 1) + W / (E + 1)
		double E = exp(sqrt(down[k] / 0.5) * walk.step_seconds);
		if (down[k] == 0)
			assert_int_equal(pilot->row_count, 0);
		else
			assert_near(pilot->rows[0].target.position, 0.3 * walk.step_seconds / (E - 1) + 1 / (E + 1), 1e-12);
	}
	lm_act_pilot_destroy(pilot);
	lm_act_destroy(body);
	lm_mesh_destroy(mesh);
}

// ---- records of made-up motions ----

static void hops_need_ground_and_air(void** state)
{
	(void)state;
	lm_record_state memory = { 0 };
	lm_act_motion motion = { 0 };
	// a fall from the start, a flutter of 0.08 s, a hop of 0.1 s, one of 0.2 s, and a flight that does not end
	const int flights[] = { 30, 4, 5, 10, 50 };
	for (int f = 0; f < 5; ++f)
	{
		motion.touching = 0;
		for (int s = 0; s < flights[f]; ++s)
			lm_record_step(&memory, &motion, NULL, 0, false, 1, 1, 0.02);
		motion.touching = 2;
		for (int s = 0; f < 4 && s < 3; ++s)
			lm_record_step(&memory, &motion, NULL, 0, false, 1, 1, 0.02);
	}
	assert_int_equal(memory.record.hops, 2);
}

static void swinging_has_amplitudes(void** state)
{
	(void)state;
	lm_record_state memory = { 0 };
	const double h = 0.01, w = 2 * 3.14159265358979323846 * 2, pi = 3.14159265358979323846;
	for (int s = 0; s < 1000; ++s)
	{
		double t = h * s;
		lm_act_motion motion = { .center = { 0.5 * t, 0, 0.03 * sin(w * t) },
			                     .velocity = { 0.5, 0, 0.03 * w * cos(w * t) },
			                     .heading = remainder(pi + 0.2 * sin(w * t), 2 * pi) };
		lm_record_step(&memory, &motion, NULL, 0, false, 1, 1, h);
	}
	assert_near(memory.record.sway, 0.03, 0.003);
	assert_near(memory.record.twist, 0.2, 0.02);
	assert_near(memory.record.speed_mean, 0.5, 0.01);
}

// Going round a bend slowly, or setting off askew, is neither sway nor twist.
static void steady_ways_do_not_swing(void** state)
{
	(void)state;
	lm_record_state memory = { 0 };
	const double h = 0.02;
	for (int s = 0; s < 500; ++s)
	{
		double t = h * s, turn = 0.2 * t;
		lm_act_motion motion = { .center = { 2 * sin(turn), 0, 2 - 2 * cos(turn) + 0.1 * exp(-2 * t) },
			                     .heading = -turn };
		lm_record_step(&memory, &motion, NULL, 0, false, 1, 1, h);
	}
	assert_true(memory.record.sway < 0.04);  // of a way of 4 m
	assert_true(memory.record.twist < 0.02); // of 2 rad in all
}

static void toppling_is_of_the_end(void** state)
{
	(void)state;
	lm_record_state memory = { 0 };
	lm_act_motion motion = { .tilt = { 0, 0, 1.5 } };
	lm_record_step(&memory, &motion, NULL, 0, false, 1, 1, 0.02);
	assert_true(memory.record.toppled);
	motion.tilt[2] = -0.4;
	lm_record_step(&memory, &motion, NULL, 0, false, 1, 1, 0.02);
	assert_false(memory.record.toppled);
	assert_near(memory.record.tilt_max, 1.5, 0);
	assert_true(memory.record.tilt_end < 1);
}

// One foot: `count` steps along x, lifted by `lift`, each `stride` long, sliding by `slip` while it is down.
static lm_act_record walk(int count, double lift, double stride, double slip)
{
	lm_record_state memory = { 0 };
	double x = 0;
	for (int k = 0; k <= count; ++k)
		for (int s = 0; s < 20; ++s)
		{
			bool down = s < 10;
			double u = down ? 0 : (s - 9) / 11.0;
			lm_act_motion motion = { .center = { 0.01 * (20 * k + s), 1, 0 },
				                     .velocity = { 0.5, 0, 0 },
				                     .touching = 1 };
			double place = down ? x + slip * s / 9 : x + stride * u;
			lm_foot_now foot = { down, { place, 0, 0 }, down ? 0 : lift * 4 * u * (1 - u) };
			lm_record_step(&memory, &motion, &foot, 1, false, 1, 1, 0.02);
			x += s == 19 ? stride : 0;
		}
	return memory.record;
}

static void steps_are_verified(void** state)
{
	(void)state;
	assert_int_equal(walk(5, 0.05, 0.1, 0.004).steps_verified, 5);
	assert_near(walk(5, 0.05, 0.1, 0.004).slip_max, 0.004, 1e-9);
	assert_int_equal(walk(5, 0.022, 0.1, 0).steps_verified, 5); // lifted just enough, from where it touched
	assert_near(walk(5, 0.022, 0.1, 0).slip_max, 0, 1e-9);
	assert_int_equal(walk(5, 0.01, 0.1, 0).steps_verified, 0);  // shuffled
	assert_int_equal(walk(5, 0.05, 0.01, 0).steps_verified, 0); // on the spot
	assert_int_equal(walk(5, 0.05, -0.1, 0).steps_verified, 0); // backwards
}

// It falls after a second, lies for one, and is upright again; flights on the way do not count.
static void falls_are_told(void** state)
{
	(void)state;
	lm_record_state memory = { 0 };
	for (int n = 0; n < 150; ++n)
	{
		bool lies = n >= 50 && n < 100, flies = n >= 60 && n < 70;
		lm_act_motion motion = { .center = { 0, 1, 0 }, .tilt = { lies ? 1.5 : 0, 0, 0 }, .touching = !flies };
		lm_record_step(&memory, &motion, NULL, 0, false, 1, 1, 0.02);
		assert_int_equal(memory.record.got_up, n >= 119);
	}
	assert_true(memory.record.fell);
	assert_near(memory.record.fell_at, 1.02, 1e-9);
	assert_int_equal(memory.record.hops, 0);
}

static void feet_are_checked_and_memory_may_fail(void** state)
{
	(void)state;
	lm_host plain = lm_host_default();
	lm_mesh* mesh = square(&plain);
	lm_act* body = body_of(LM_ACT_SOLID2, mesh, LM_ACT_FULL, &plain);
	for (int64_t n = 1;; ++n)
	{
		test_memory memory = { .fail_at = n };
		lm_host host = test_host(&memory);
		lm_act_pilot* pilot = NULL;
		lm_error error;
		lm_status status = lm_act_pilot_create(body, &host, &pilot, &error);
		if (status == LM_OK)
			status = lm_act_pilot_set_foot(pilot, 0, (int32_t[]){ 0, 1 }, 2, &error);
		if (status == LM_OK)
		{
			assert_int_equal(lm_act_pilot_set_foot(pilot, 1, (int32_t[]){ 5 }, 1, &error), LM_BAD_INPUT);
			assert_non_null(strstr(error.message, "vertex 5"));
			lm_act_go go = lm_act_go_default();
			lm_act_stand stand = lm_act_stand_default();
			lm_act_pilot_begin(pilot, 0.01);
			lm_act_pilot_go(pilot, &go);
			lm_act_pilot_stand(pilot, &stand);
			status = lm_act_pilot_commit(pilot, &error);
			lm_act_pilot_record(pilot, 0.01);
		}
		lm_act_pilot_destroy(pilot);
		assert_int_equal(memory.held, 0);
		if (memory.requests < n)
		{
			assert_int_equal(status, LM_OK);
			break;
		}
		assert_int_equal(status, LM_NO_MEMORY);
	}
	lm_act_destroy(body);
	lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(motion_is_measured_in_the_plane),
		cmocka_unit_test(motion_is_measured_in_space),
		cmocka_unit_test(rows_measure_what_they_say),
		cmocka_unit_test(paced_rows_ask_for_accelerations),
		cmocka_unit_test(a_square_hops),
		cmocka_unit_test(walkers_go_by_their_gravity),
		cmocka_unit_test(hops_need_ground_and_air),
		cmocka_unit_test(swinging_has_amplitudes),
		cmocka_unit_test(steady_ways_do_not_swing),
		cmocka_unit_test(toppling_is_of_the_end),
		cmocka_unit_test(steps_are_verified),
		cmocka_unit_test(falls_are_told),
		cmocka_unit_test(feet_are_checked_and_memory_may_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
