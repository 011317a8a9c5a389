// Performances: secondary motion that meets its keys, simulated parts before, between and after designed ones, and what
// happens where one hands over to the other.
#include "test.h"

#include "base/hash.h"
#include "design/bar.h"
#include "design/performance.h"

// Turned about one slanted axis and moved.
static void lean(double angle, lm_vec3 t, double* nodes)
{
	place(lm_quat_axis_angle(lm_v3(0, 0.2, 1), angle), t, nodes);
}

static lm_colliders* make_ground(void)
{
	lm_collider_def def = lm_collider_def_default();
	lm_placement_key key = { .position = { 0, -0.05, 0 }, .rotation = { 1, 0, 0, 0 } };
	lm_colliders* ground = NULL;
	def.key_count = 1, def.keys = &key;
	assert_int_equal(lm_colliders_create(&def, 1, &host, &ground, NULL), LM_OK);
	return ground;
}

static lm_design_performance* perform(const lm_design_performance_object* objects, int32_t count,
                                      const lm_colliders* colliders, double seconds, int threads)
{
	lm_design_performance_settings settings = lm_design_performance_settings_default();
	lm_design_performance* p = NULL;
	lm_error error = { 0 };
	lm_host own = host;
	settings.motion.seconds = seconds, settings.rate = 120, own.threads = threads;
	if (lm_design_performance_create(objects, count, colliders, 0, &settings, &own, &p, &error) != LM_OK)
		fail_msg("%s", error.message);
	return p;
}

// Sudden stops and turns, a foot that is held, a rest, a break: with secondary motion all keys are met, and in between
// it is not what was designed.
static double nodes[5][3 * NODES], foot[3];
static const int32_t foot_node = 3;

static lm_design_performance_object make_jump(lm_design_motion_key keys[5])
{
	lm_design_performance_object object = lm_design_performance_object_default();
	for (int k = 0; k < 4; ++k)
	{
		lean(0.6 * k, lm_v3(0.7 * k, 0.5 + 0.4 * sin(2.0 * k), 0), nodes[k]);
		keys[k] = (lm_design_motion_key){ .time = 0.35 * k, .positions = nodes[k] };
	}
	keys[1].broken = true;
	keys[3].end = 1.3;
	memcpy(foot, nodes[1] + 3 * foot_node, sizeof foot);
	keys[4] = (lm_design_motion_key){ .time = 0.35, .end = 0.5, .count = 1, .nodes = &foot_node, .positions = foot };
	object.motion.model = model, object.motion.keys = keys, object.motion.key_count = 5, object.motion.frames = 8;
	return object;
}

static void secondary_motion_meets_the_keys(void** state)
{
	(void)state;
	lm_design_motion_key keys[5];
	lm_design_performance_object object = make_jump(keys);
	double y[3 * NODES], v[3 * NODES], g[3 * NODES], most = 0, kink = 0, u[3 * NODES], last[3 * NODES];
	lm_design_performance* plain = perform(&object, 1, NULL, 1.6, 1);
	object.dynamics.secondary = 1;
	lm_design_performance* p = perform(&object, 1, NULL, 1.6, 1);
	assert_true(lm_design_performance_get_report(p, 0).motion.key_error < 1e-9);
	for (int k = 0; k < 4; ++k)
	{
		lm_design_performance_nodes(p, 0, keys[k].time, y, NULL);
		for (int i = 0; i < 3 * NODES; ++i)
			assert_near(y[i], nodes[k][i], 1e-9);
	}
	for (int s = 0; s <= 1600; ++s)
	{
		double t = 0.001 * s;
		lm_design_performance_nodes(plain, 0, t, g, u);
		lm_design_performance_nodes(p, 0, t, y, v);
		for (int i = 0; i < 3 * NODES; ++i)
		{
			assert_true(isfinite(y[i]));
			most = fmax(most, fabs(y[i] - g[i]));
			if (t >= 1.05 && t <= 1.3) // held
				assert_near(y[i], nodes[3][i], 1e-9);
			if (s > 0 && fabs(t - 0.35) > 0.02 && fabs(t - 1.05) > 0.02 && t < 1.3)
				kink = fmax(kink, fabs(v[i] - u[i] - last[i]));
		}
		if (t >= 0.35 && t <= 0.5)
			assert_near(lm_distance(lm_v3_at(y, foot_node), lm_v3_at(foot, 0)), 0, 1e-9);
		for (int i = 0; i < 3 * NODES; ++i)
			last[i] = v[i] - u[i];
	}
	assert_true(most > 0.01 && most < 0.3);
	assert_true(kink < 0.25); // within a thousandth of a second
	lm_design_performance_destroy(plain);
	lm_design_performance_destroy(p);
}

// What does not accelerate is left as it is.
static void steady_motion_has_no_secondary_motion(void** state)
{
	(void)state;
	double from[3 * NODES], to[3 * NODES], y[3 * NODES];
	lean(0, lm_v3(0, 0, 0), from);
	lean(0, lm_v3(2, 1, 0), to);
	lm_design_motion_key keys[2] = { { .positions = from }, { .time = 1, .positions = to } };
	lm_design_performance_object object = lm_design_performance_object_default();
	object.motion.model = model, object.motion.keys = keys, object.motion.key_count = 2, object.motion.frames = 2;
	object.dynamics.secondary = 2;
	lm_design_performance* p = perform(&object, 1, NULL, 1, 1);
	for (int s = 0; s <= 20; ++s)
	{
		lm_design_performance_nodes(p, 0, 0.05 * s, y, NULL);
		for (int i = 0; i < 3 * NODES; ++i)
			assert_near(y[i], from[i] + 0.05 * s * (to[i] - from[i]), 1e-6);
	}
	lm_design_performance_destroy(p);
}

// Designed, simulated, designed: like Fig. 14.
static double landing[3][3 * NODES];
static const lm_design_simulated flight = { 0.6, 1 };

static lm_design_performance_object make_landing(lm_design_motion_key keys[3])
{
	lm_design_performance_object object = lm_design_performance_object_default();
	lean(0, lm_v3(0, 0, 0), landing[0]);
	lean(-0.8, lm_v3(0.8, 1.2, 0), landing[1]);
	lean(-1.2, lm_v3(2.2, 0.3, 0), landing[2]);
	for (int k = 0; k < 3; ++k)
		keys[k] = (lm_design_motion_key){ .time = k == 2 ? 1.6 : 0.6 * k, .positions = landing[k] };
	object.motion.model = model, object.motion.keys = keys, object.motion.key_count = 3, object.motion.frames = 6;
	object.simulated = &flight, object.simulated_count = 1;
	return object;
}

// Jumps of position and velocity at a time, and of the acceleration over a step.
static void jumps(const lm_design_performance* p, double t, double* position, double* velocity, double* acceleration)
{
	double a[3 * NODES], b[3 * NODES], va[3 * NODES], vb[3 * NODES], vc[3 * NODES], vd[3 * NODES], e = 1e-9, h = 0.01;
	lm_design_performance_nodes(p, 0, t - h, a, vc);
	lm_design_performance_nodes(p, 0, t + h, a, vd);
	lm_design_performance_nodes(p, 0, t - e, a, va);
	lm_design_performance_nodes(p, 0, t + e, b, vb);
	*position = *velocity = *acceleration = 0;
	for (int i = 0; i < 3 * NODES; ++i)
	{
		*position = fmax(*position, fabs(a[i] - b[i]));
		*velocity = fmax(*velocity, fabs(va[i] - vb[i]));
		*acceleration = fmax(*acceleration, fabs((vd[i] - vb[i]) - (va[i] - vc[i])) / h);
	}
}

static void parts_hand_over_smoothly(void** state)
{
	(void)state;
	lm_design_motion_key keys[3];
	lm_design_performance_object object = make_landing(keys);
	lm_colliders* ground = make_ground();
	for (int secondary = 0; secondary < 2; ++secondary)
	{
		double position, velocity, acceleration, sudden;
		object.dynamics.secondary = secondary;
		lm_design_performance* p = perform(&object, 1, ground, 1.6, 1);
		jumps(p, 0.6, &position, &velocity, &acceleration); // designed to simulated
		assert_true(position < 1e-7 && velocity < 1e-6);
		object.dynamics.release = 0;
		lm_design_performance* q = perform(&object, 1, ground, 1.6, 1);
		jumps(q, 0.6, &position, &velocity, &sudden);
		assert_true(position < 1e-7 && velocity < 1e-6);
		assert_true(acceleration < 0.7 * sudden);
		object.dynamics.release = 0.1;
		jumps(p, 1, &position, &velocity, &acceleration); // and back
		assert_true(position < 1e-7 && velocity < 1e-6);
		lm_design_performance_report r = lm_design_performance_get_report(p, 0);
		assert_true(r.motion.key_error < 1e-9 && r.motion.obstacle_depth < 0.01);
		assert_int_equal(r.motion.variables, lm_design_performance_get_report(p, -1).motion.variables);
		lm_design_performance_destroy(p);
		lm_design_performance_destroy(q);
	}
	lm_colliders_destroy(ground);
}

// Once the lead has let go, it falls as everything falls.
static void it_falls(void** state)
{
	(void)state;
	lm_design_motion_key keys[3];
	lm_design_performance_object object = make_landing(keys);
	lm_design_performance* p = perform(&object, 1, NULL, 1.6, 1);
	lm_vec3 c[3];
	double M[NODES * NODES], y[3 * NODES];
	lm_design_mass(model, M);
	for (int k = 0; k < 3; ++k)
	{
		lm_design_performance_nodes(p, 0, 0.75 + 0.1 * k, y, NULL);
		c[k] = lm_v3(0, 0, 0);
		for (int i = 0; i < NODES * NODES; ++i)
			c[k] = lm_add_scaled(c[k], M[i], lm_v3_at(y, i % NODES));
	}
	lm_vec3 a = lm_scale(1 / 0.01, lm_add(lm_sub(c[2], lm_scale(2, c[1])), c[0]));
	assert_near(lm_distance(a, lm_v3(0, -9.81, 0)), 0, 1e-3);
	lm_design_performance_destroy(p);
}

// Other keys later on change nothing before.
static void what_comes_later_changes_nothing_before(void** state)
{
	(void)state;
	lm_design_motion_key keys[3];
	lm_design_performance_object object = make_landing(keys);
	object.dynamics.secondary = 1;
	double y[2][3 * NODES], other[3 * NODES];
	lm_design_performance* first = perform(&object, 1, NULL, 1.6, 1);
	lean(1, lm_v3(3, 2, 1), other);
	keys[2].positions = other;
	lm_design_performance* second = perform(&object, 1, NULL, 1.6, 1);
	for (int s = 0; s <= 50; ++s)
	{
		lm_design_performance_nodes(first, 0, 0.02 * s, y[0], NULL);
		lm_design_performance_nodes(second, 0, 0.02 * s, y[1], NULL);
		assert_memory_equal(y[0], y[1], sizeof y[0]);
	}
	lm_design_performance_nodes(second, 0, 1.6, y[0], NULL);
	for (int i = 0; i < 3 * NODES; ++i)
		assert_near(y[0][i], other[i], 1e-9);
	lm_design_performance_destroy(first);
	lm_design_performance_destroy(second);
}

// Simulated from the start, where it is put and with the velocity it is given; then led to its key.
static void simulation_comes_before_design(void** state)
{
	(void)state;
	double start[3 * NODES], goal[3 * NODES], y[3 * NODES], v[3 * NODES], position, velocity, acceleration;
	lean(0.3, lm_v3(0, 2, 0), start);
	lean(0, lm_v3(1, 0.2, 0), goal);
	lm_design_motion_key key = { .time = 1, .positions = goal };
	lm_design_motion_velocity push = { .linear = { 1, 2, 0 }, .angular = { 0, 0, -2 } };
	const lm_design_simulated first = { 0, 0.4 };
	lm_design_performance_object object = lm_design_performance_object_default();
	object.motion.model = model, object.motion.keys = &key, object.motion.key_count = 1, object.motion.frames = 4;
	object.motion.velocities = &push, object.motion.velocity_count = 1;
	object.simulated = &first, object.simulated_count = 1, object.start = start;
	lm_design_performance* p = perform(&object, 1, NULL, 1, 1);
	lm_design_performance_nodes(p, 0, 0, y, v);
	lm_vec3 middle = { 0, 0, 0 };
	for (int i = 0; i < 3 * NODES; ++i)
		assert_near(y[i], start[i], 1e-12);
	for (int i = 0; i < NODES; ++i)
		middle = lm_add_scaled(middle, 1.0 / NODES, lm_v3_at(v, i));
	assert_near(lm_distance(middle, lm_v3(1, 2, 0)), 0, 1e-12);
	jumps(p, 0.4, &position, &velocity, &acceleration);
	assert_true(position < 1e-7 && velocity < 1e-6);
	lm_design_performance_nodes(p, 0, 1, y, NULL);
	for (int i = 0; i < 3 * NODES; ++i)
		assert_near(y[i], goal[i], 1e-9);
	lm_design_performance_destroy(p);
}

// Two objects: one is led on while the other falls on the ground and is led again, around the first.
static uint64_t two(int threads, lm_design_performance_report* report)
{
	double here[3 * NODES], there[3 * NODES];
	lm_design_motion_key keys[3], other[2];
	lm_design_performance_object objects[2] = { make_landing(keys), lm_design_performance_object_default() };
	const lm_design_simulated end = { 1.2, 1.6 };
	lean(0, lm_v3(2.6, 0.6, 0), here);
	lean(0.5, lm_v3(1.6, 0.2, 0), there);
	other[0] = (lm_design_motion_key){ .positions = here };
	other[1] = (lm_design_motion_key){ .time = 1.2, .positions = there };
	objects[0].dynamics.secondary = 0.5;
	objects[1].motion = objects[0].motion;
	objects[1].motion.keys = other, objects[1].motion.key_count = 2;
	objects[1].simulated = &end, objects[1].simulated_count = 1;
	lm_colliders* ground = make_ground();
	lm_design_performance* p = perform(objects, 2, ground, 1.6, threads);
	uint64_t hash = LM_HASH_START;
	double y[3 * NODES];
	for (int s = 0; s <= 32; ++s)
		for (int o = 0; o < 2; ++o)
		{
			lm_design_performance_nodes(p, o, 0.05 * s, y, NULL);
			hash = lm_hash(hash, y, sizeof y);
		}
	*report = lm_design_performance_get_report(p, -1);
	lm_design_performance_destroy(p);
	lm_colliders_destroy(ground);
	return hash;
}

static void objects_meet_and_threads_do_not_matter(void** state)
{
	(void)state;
	lm_design_performance_report report;
	uint64_t one = two(1, &report);
	assert_true(report.motion.collision_free);
	assert_true(report.motion.key_error < 1e-9);
	assert_true(two(2, &report) == one);
	assert_true(two(4, &report) == one);
}

static void check_told(const lm_design_performance_object* object, const char* words)
{
	lm_design_performance_settings settings = lm_design_performance_settings_default();
	lm_design_performance* p = NULL;
	lm_error error = { 0 };
	settings.motion.seconds = 1.6;
	assert_int_equal(lm_design_performance_create(object, 1, NULL, 0, &settings, &host, &p, &error), LM_BAD_INPUT);
	if (strstr(error.message, words) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", error.message, words);
	assert_null(p);
}

static void bad_input_is_told(void** state)
{
	(void)state;
	lm_design_motion_key keys[3];
	lm_design_performance_object object = make_landing(keys);
	const lm_design_simulated empty = { 0.6, 0.6 }, late = { 1.7, 2 }, backwards[2] = { { 0.6, 1 }, { 0.9, 1.2 } };
	lm_design_motion_velocity inside = { .time = 0.8 };
	object.simulated = &empty;
	check_told(&object, "must be a time within");
	object.simulated = &late;
	check_told(&object, "must be a time within");
	object.simulated = backwards, object.simulated_count = 2;
	check_told(&object, "make it one");
	object.simulated = &flight, object.simulated_count = 1;
	keys[1].time = 0.7;
	check_told(&object, "key 1 at 0.7 s lies in the time from 0.6 to 1 s");
	keys[1].time = 0.3, keys[1].end = 0.65;
	check_told(&object, "key 1");
	keys[1].time = 1, keys[1].end = 0; // where it ends is not known
	check_told(&object, "key 1");
	keys[1].time = 0.6;
	object.motion.velocities = &inside, object.motion.velocity_count = 1;
	check_told(&object, "velocity 0");
	object.motion.velocity_count = 0, object.motion.key_count = 2;
	check_told(&object, "no key of the whole object between 1 and 1.6 s");
	object.motion.key_count = 3, object.dynamics.frequency = 0;
	check_told(&object, "frequency is 0");
	object.dynamics.frequency = NAN;
	check_told(&object, "frequency");
	object.dynamics = lm_design_dynamics_default();
	object.dynamics.secondary = -1;
	check_told(&object, "secondary");
	lm_design_performance_settings settings = lm_design_performance_settings_default();
	lm_design_performance* p = NULL;
	lm_error error;
	settings.rate = 0;
	assert_int_equal(lm_design_performance_create(&object, 1, NULL, 0, &settings, &host, &p, &error), LM_BAD_INPUT);
	settings = lm_design_performance_settings_default();
	assert_int_equal(lm_design_performance_create(&object, 0, NULL, 0, &settings, &host, &p, &error), LM_BAD_INPUT);
	settings.gravity[1] = NAN;
	assert_int_equal(lm_design_performance_create(&object, 1, NULL, 0, &settings, &host, &p, &error), LM_BAD_INPUT);
}

static bool refuse(const char* what, double done, void* context)
{
	(void)done;
	return strcmp(what, context) != 0;
}

static void it_can_be_cancelled(void** state)
{
	(void)state;
	static char* const works[] = { "secondary motion", "simulating" };
	lm_design_motion_key keys[3];
	lm_design_performance_object object = make_landing(keys);
	object.dynamics.secondary = 1;
	lm_design_performance_settings settings = lm_design_performance_settings_default();
	settings.motion.seconds = 1.6;
	for (int k = 0; k < 2; ++k)
	{
		lm_design_performance* p = NULL;
		lm_host own = host;
		own.progress = refuse, own.progress_context = works[k];
		assert_int_equal(lm_design_performance_create(&object, 1, NULL, 0, &settings, &own, &p, NULL), LM_CANCELLED);
		assert_null(p);
	}
}

static void memory_may_run_out_anywhere(void** state)
{
	(void)state;
	lm_design_motion_key keys[3];
	lm_design_performance_object objects[2] = { make_landing(keys), make_landing(keys) };
	lm_design_motion_key beside[3];
	double moved[3][3 * NODES];
	for (int k = 0; k < 3; ++k)
	{
		beside[k] = keys[k];
		for (int i = 0; i < 3 * NODES; ++i)
			moved[k][i] = landing[k][i] + (i % 3 == 2 ? 0.5 : 0);
		beside[k].positions = moved[k];
	}
	objects[0].dynamics.secondary = 1, objects[1].motion.keys = beside;
	objects[0].motion.frames = objects[1].motion.frames = 2;
	lm_design_performance_settings settings = lm_design_performance_settings_default();
	settings.motion.seconds = 1.6, settings.motion.fps = 1, settings.motion.tolerance = 0.5, settings.rate = 24;
	int64_t fail = 1;
	for (lm_status status = LM_NO_MEMORY; status == LM_NO_MEMORY; fail += fail < 80 ? 1 : 41)
	{
		test_memory memory = { .fail_at = fail };
		lm_host own = test_host(&memory);
		lm_design_performance* p = NULL;
		status = lm_design_performance_create(objects, 2, NULL, 0, &settings, &own, &p, NULL);
		lm_design_performance_destroy(p);
		assert_int_equal(memory.held, 0);
		assert_true(status == LM_OK || status == LM_NO_MEMORY);
	}
	assert_true(fail > 80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(secondary_motion_meets_the_keys),
		cmocka_unit_test(steady_motion_has_no_secondary_motion),
		cmocka_unit_test(parts_hand_over_smoothly),
		cmocka_unit_test(it_falls),
		cmocka_unit_test(what_comes_later_changes_nothing_before),
		cmocka_unit_test(simulation_comes_before_design),
		cmocka_unit_test(objects_meet_and_threads_do_not_matter),
		cmocka_unit_test(bad_input_is_told),
		cmocka_unit_test(it_can_be_cancelled),
		cmocka_unit_test(memory_may_run_out_anywhere),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
