// Walking in space: the slice of toast of the gallery, by its cage, walks on command, is stopped, turned and pushed.
#include "test.h"

#include "act/pilot/pilot.h"
#include "limber/contact.h"
#include "limber/io.h"
#include "math/vec.h"

#include <math.h>

#define ASSETS LIMBER_SOURCE "/gallery/assets/"
static const double h = 0.02;

typedef struct stage
{
	lm_host host;
	lm_mesh *mesh, *cage;
	lm_act* body;
	lm_act_pilot* pilot;
	lm_colliders* ground;
	lm_act_walk walk;
	double time;
} stage;

static void name_parts(stage* s)
{
	int32_t parts[3][64], counts[3] = { 0 };
	for (int32_t v = 0; v < s->mesh->vertex_count; ++v)
	{
		const double* x = s->mesh->positions + 3 * v;
		int32_t part = x[1] < 0.01 ? x[2] > 0 : 2;
		if (part < 2 || x[1] > 0.4)
			parts[part][counts[part]++] = v;
	}
	for (int32_t f = 0; f < 2; ++f)
		assert_int_equal(lm_act_pilot_set_foot(s->pilot, f, parts[f], counts[f], NULL), LM_OK);
	assert_int_equal(lm_act_pilot_set_trunk(s->pilot, parts[2], counts[2], NULL), LM_OK);
}

static int set_up(void** state)
{
	stage* s = calloc(1, sizeof *s);
	s->host = lm_host_default();
	lm_error error;
	if (lm_mesh_read(ASSETS "crusty.msh", &s->host, &s->mesh, &error) != LM_OK ||
	    lm_mesh_read(ASSETS "crusty-cage.obj", &s->host, &s->cage, &error) != LM_OK)
		fail_msg("%s", error.message);
	lm_act_def def = lm_act_def_default();
	def.mesh = s->mesh, def.kind = LM_ACT_SOLID, def.control = LM_ACT_CAGE, def.cage = s->cage;
	def.settings.material = (lm_act_material){ .stretch = 5000, .volume = 5000 };
	def.settings.rest_material = (lm_act_material){ .stretch = 50, .volume = 50 };
	def.settings.parameter_weight = 3e-3, def.settings.contact_stiffness = 300, def.settings.most_iterations = 6;
	lm_collider_def plane = lm_collider_def_default();
	lm_placement_key key = { .rotation = { 1, 0, 0, 0 } };
	plane.key_count = 1, plane.keys = &key, plane.friction = 0.8;
	if (lm_act_create(&def, &s->host, &s->body, &error) != LM_OK ||
	    lm_act_pilot_create(s->body, &s->host, &s->pilot, &error) != LM_OK ||
	    lm_colliders_create(&plane, 1, &s->host, &s->ground, &error) != LM_OK)
		fail_msg("%s", error.message);
	name_parts(s);
	s->walk = lm_act_walk_default();
	s->walk.lift = 0.065;
	*state = s;
	return 0;
}

static int tear_down(void** state)
{
	stage* s = *state;
	lm_colliders_destroy(s->ground);
	lm_act_pilot_destroy(s->pilot);
	lm_act_destroy(s->body);
	lm_mesh_destroy(s->cage);
	lm_mesh_destroy(s->mesh);
	free(s);
	return 0;
}

static const lm_act_motion* go_on(stage* s, double seconds)
{
	for (double end = s->time + seconds - h / 2; s->time < end; s->time += h)
	{
		lm_act_pilot_begin(s->pilot, h);
		lm_act_pilot_walk(s->pilot, &s->walk);
		assert_int_equal(lm_act_pilot_commit(s->pilot, NULL), LM_OK);
		assert_int_equal(lm_act_step(&s->body, 1, h, s->ground, s->time, NULL), LM_OK);
		lm_act_pilot_record(s->pilot, h);
	}
	return lm_act_pilot_motion(s->pilot);
}

static void tell(stage* s, double x, double z)
{
	s->walk.velocity[0] = x;
	s->walk.velocity[2] = z;
}

// Pushes all of it, to change its velocity by this.
static void push(stage* s, double x, double z)
{
	int32_t all[64];
	for (int32_t v = 0; v < s->mesh->vertex_count; ++v)
		all[v] = v;
	double mass = lm_act_mass(s->body), impulse[3] = { mass * x, 0, mass * z };
	lm_act_push(s->body, all, s->mesh->vertex_count, impulse);
}

static void expect_upright(const stage* s)
{
	lm_act_record record = lm_act_pilot_get_record(s->pilot);
	assert_true(record.tilt_max < 0.5);
	assert_true(lm_act_get_report(s->body).internal_force_max < 1e-10);
}

// Forwards and backwards, as fast as commanded, on its line, step by step.
static void expect_speed(stage* s, double speed)
{
	tell(s, speed, 0);
	double from = go_on(s, 3)->center[0];
	const lm_act_motion* motion = go_on(s, 3.6);
	double way = motion->center[0] - from;
	assert_true(fabs(way / 3.6 - speed) < 0.15 * fabs(speed));
	assert_true(fabs(motion->center[2]) < 0.15);
	lm_act_record record = lm_act_pilot_get_record(s->pilot);
	assert_true(record.steps_verified >= 12);
	assert_true(record.slip_max < 0.05 * lm_act_pilot_height(s->pilot));
	expect_upright(s);
}

static void it_walks_as_fast_as_commanded(void** state)
{
	expect_speed(*state, 0.3);
}

static void it_walks_backwards(void** state)
{
	expect_speed(*state, -0.3);
}

static void it_stops_and_starts(void** state)
{
	stage* s = *state;
	tell(s, 0.3, 0);
	go_on(s, 3);
	tell(s, 0, 0);
	go_on(s, 2);
	assert_true(s->pilot->space_walk.standing);
	double from = lm_act_pilot_motion(s->pilot)->center[0];
	const lm_act_motion* motion = go_on(s, 1);
	assert_true(fabs(motion->center[0] - from) < 0.01);
	assert_true(hypot(motion->velocity[0], motion->velocity[2]) < 0.01);
	assert_true(s->pilot->space_walk.standing);
	tell(s, 0.3, 0);
	assert_true(go_on(s, 3)->center[0] - from > 0.4);
	expect_upright(s);
}

static void it_turns_to_where_it_goes(void** state)
{
	stage* s = *state;
	const double pi = 3.14159265358979323846;
	s->walk.turn = 0.5;
	tell(s, 0.3, 0);
	go_on(s, 2);
	tell(s, 0, -0.3);
	double from = go_on(s, 4)->center[2];
	const lm_act_motion* motion = go_on(s, 3);
	assert_near(motion->heading, pi / 2, 0.2);
	assert_near((motion->center[2] - from) / 3, -0.3, 0.045);
	expect_upright(s);
}

static void it_walks_to_a_place_and_stays(void** state)
{
	stage* s = *state;
	tell(s, 0.3, 0);
	s->walk.has_place = true;
	s->walk.place[0] = 0.8;
	s->walk.place[2] = 0.1;
	const lm_act_motion* motion = go_on(s, 8);
	assert_true(s->pilot->space_walk.standing);
	assert_near(motion->center[0], 0.8, 0.05);
	assert_near(motion->center[2], 0.1, 0.05);
	expect_upright(s);
}

static void it_begins_anew_where_it_is_put(void** state)
{
	stage* s = *state;
	tell(s, 0.3, 0);
	go_on(s, 2);
	double x[3 * 64], v[3 * 64] = { 0 };
	for (int32_t k = 0; k < s->mesh->vertex_count; ++k)
		lm_v3_store(x, k, lm_add(lm_v3_at(s->mesh->positions, k), lm_v3(-2, 0, 1)));
	lm_act_set_positions(s->body, x, v);
	const lm_act_motion* motion = go_on(s, 3.5);
	assert_true(motion->center[0] > -1.6);
	assert_near(motion->center[2], 1, 0.15);
	expect_upright(s);
}

static void it_recovers_from_pushes(void** state)
{
	stage* s = *state;
	const double pushes[4][2] = { { 0, 0.2 }, { 0, -0.2 }, { 0.2, 0 }, { -0.2, 0 } };
	tell(s, 0.3, 0);
	go_on(s, 2.5);
	for (int k = 0; k < 4; ++k)
	{
		push(s, pushes[k][0], pushes[k][1]);
		go_on(s, 1.5);
	}
	assert_true(fabs(lm_act_pilot_motion(s->pilot)->center[2]) < 0.4);
	expect_upright(s);
}

static void it_steps_when_it_is_pushed_off_its_feet(void** state)
{
	stage* s = *state;
	go_on(s, 1);
	assert_true(s->pilot->space_walk.standing);
	push(s, 0.5, 0);
	go_on(s, 0.3);
	assert_false(s->pilot->space_walk.standing);
	const lm_act_motion* motion = go_on(s, 3);
	assert_true(s->pilot->space_walk.standing);
	assert_true(hypot(motion->velocity[0], motion->velocity[2]) < 0.02);
	expect_upright(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(it_walks_as_fast_as_commanded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_walks_backwards, set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_stops_and_starts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_turns_to_where_it_goes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_walks_to_a_place_and_stays, set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_begins_anew_where_it_is_put, set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_recovers_from_pushes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_steps_when_it_is_pushed_off_its_feet, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
