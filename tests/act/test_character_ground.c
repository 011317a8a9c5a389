// test_character_ground.c: a character sees the ground: slopes and stairs; it turns on the spot, and its style shows.
#include "test.h"

#include "boxes.h"

#include "act/pilot/feet.h"
#include "limber/act_character.h"

typedef struct stage
{
	lm_host host;
	lm_mesh* surface;
	lm_fitted* fit;
	lm_act* body;
	lm_act_pilot* pilot;
	lm_colliders* ground;
	int steps;
	double start[3], low, high, tilt; // of the centre and the trunk while it moves
} stage;

// A floor, and a box or another plane above it, turned about z.
static void open_stage(stage* s, const lm_collider_def* other, double x, double y, double degrees)
{
	lm_error error = { 0 };
	*s = (stage){ .host = lm_host_default(), .low = INFINITY, .high = -INFINITY };
	s->host.threads = 1;
	s->surface = test_boxes(&s->host, test_walker_boxes, TEST_WALKER_BOXES);
	lm_lattice_settings lattice = lm_lattice_settings_default();
	lattice.vertices = LM_CHARACTER_VERTICES, lattice.legs = true;
	lm_act_def def = lm_act_def_default();
	double half = degrees * LM_PI / 360;
	lm_placement_key places[2] = { { .rotation = { 1, 0, 0, 0 } },
		                           { .position = { x, y, 0 }, .rotation = { cos(half), 0, 0, sin(half) } } };
	lm_collider_def defs[2] = { lm_collider_def_default(), *other };
	for (int k = 0; k < 2; ++k)
		defs[k].key_count = 1, defs[k].keys = &places[k];
	if (lm_fitted_create(s->surface, &lattice, &s->host, &s->fit, &error) != LM_OK ||
	    lm_character_create(s->fit, &def, &s->host, &s->body, &s->pilot, &error) != LM_OK ||
	    lm_colliders_create(defs, 2, &s->host, &s->ground, &error) != LM_OK)
		fail_msg("%s", error.message);
	lm_act_pilot_set_ground(s->pilot, s->ground);
	lm_act_center(s->body, s->start);
}

static void close_stage(stage* s)
{
	lm_act_pilot_destroy(s->pilot);
	lm_act_destroy(s->body);
	lm_colliders_destroy(s->ground);
	lm_fitted_destroy(s->fit);
	lm_mesh_destroy(s->surface);
}

static void play(stage* s, const lm_act_command* command, int steps)
{
	lm_error error;
	for (int n = 0; n < steps; ++n, ++s->steps)
	{
		lm_act_pilot_begin(s->pilot, 0.02);
		lm_act_pilot_do(s->pilot, command);
		assert_int_equal(lm_act_pilot_commit(s->pilot, &error), LM_OK);
		assert_int_equal(lm_act_step(&s->body, 1, 0.02, s->ground, s->steps * 0.02, &error), LM_OK);
		lm_act_pilot_record(s->pilot, 0.02);
		const lm_act_motion* m = lm_act_pilot_motion(s->pilot);
		s->low = fmin(s->low, m->center[1]), s->high = fmax(s->high, m->center[1]);
		s->tilt = m->tilt[2];
		assert_true(hypot(m->tilt[0], m->tilt[2]) < 0.4);
	}
}

static lm_collider_def ramp(void)
{
	return lm_collider_def_default();
}

static void it_sees_slopes_and_stairs(void** state)
{
	(void)state;
	stage s;
	lm_collider_def plane = ramp(), box = ramp();
	open_stage(&s, &plane, 0.5, 0, 10);
	double slope = tan(10 * LM_PI / 180), place[3] = { 1, 0, 0.1 };
	assert_near(lm_pilot_see(s.pilot, 0.3, 0), 0, 1e-9);
	assert_near(lm_pilot_see(s.pilot, 0.9, 0.2), 0.4 * slope, 1e-3);
	lm_foothold hold = lm_pilot_foothold(s.pilot, 0, place, 0.4);
	assert_near(hold.height, 0.5 * slope, 1e-3);
	assert_near(hold.slope[0], slope, 0.05 * slope);
	assert_near(hold.slope[1], 0, 0.02);
	assert_true(hold.edge == 0);
	lm_act_pilot_set_ground(s.pilot, NULL);
	assert_true(lm_pilot_see(s.pilot, 0.9, 0.2) == 0);
	close_stage(&s);
	box.shape = LM_SHAPE_BOX, box.half[0] = 0.5, box.half[1] = 0.05, box.half[2] = 1;
	open_stage(&s, &box, 1, 0, 0);
	assert_near(lm_pilot_see(s.pilot, 0.9, 0.2), 0.05, 1e-4);
	assert_near(lm_pilot_see(s.pilot, 0.4, 0.2), 0, 1e-4);
	place[0] = 0.5; // half on it
	assert_near(lm_pilot_foothold(s.pilot, 0, place, 0).edge, 0.05, 0.03);
	double range[2] = { -0.3, 0.3 }, shift = lm_pilot_find_foothold(s.pilot, 0, place, 0, range, &hold);
	assert_true(fabs(shift) > 0.12 && hold.edge == 0);
	close_stage(&s);
}

static void it_walks_up_a_slope(void** state)
{
	(void)state;
	stage s;
	lm_collider_def plane = ramp();
	open_stage(&s, &plane, 0.2, 0, 5);
	lm_act_command walk = lm_act_command_default(LM_ACT_WALK);
	walk.velocity[0] = 0.31;
	play(&s, &walk, 200);
	const double* c = lm_act_pilot_motion(s.pilot)->center;
	assert_true(c[0] > s.start[0] + 0.6);
	assert_near(c[1] - s.start[1], (c[0] - 0.2) * tan(5 * LM_PI / 180), 0.03);
	close_stage(&s);
}

static void it_turns_on_the_spot(void** state)
{
	(void)state;
	stage s;
	lm_collider_def far = ramp();
	open_stage(&s, &far, 0, -1, 0);
	lm_act_command walk = lm_act_command_default(LM_ACT_WALK);
	walk.face[2] = -1; // a quarter to the left
	play(&s, &walk, 180);
	const lm_act_motion* m = lm_act_pilot_motion(s.pilot);
	assert_near(m->heading, LM_PI / 2, 0.1);
	assert_true(hypot(m->center[0] - s.start[0], m->center[2] - s.start[2]) < 0.2);
	close_stage(&s);
}

// It comes to rest there, ahead of it and aside, in as many steps as that takes, without going to and fro.
static void it_stops_at_a_place(void** state)
{
	(void)state;
	static const double ways[2][2] = { { 1.2, 0 }, { 0.3, 0.25 } };
	for (int k = 0; k < 2; ++k)
	{
		stage s;
		lm_collider_def far = ramp();
		open_stage(&s, &far, 0, -1, 0);
		lm_act_command walk = lm_act_command_default(LM_ACT_WALK);
		walk.has_place = true, walk.speed = 0.45;
		walk.place[0] = s.start[0] + ways[k][0], walk.place[2] = s.start[2] + ways[k][1];
		play(&s, &walk, 230);
		assert_true(s.pilot->stride.standing);
		play(&s, &walk, 20);
		const lm_act_motion* m = lm_act_pilot_motion(s.pilot);
		print_message("stands %.3f %.3f from its place, after %d steps\n", m->center[0] - walk.place[0],
		              m->center[2] - walk.place[2], lm_act_pilot_get_record(s.pilot).steps_verified);
		assert_true(hypot(m->center[0] - walk.place[0], m->center[2] - walk.place[2]) < 0.1);
		double needs = ceil(hypot(ways[k][0], ways[k][1]) / (walk.speed * walk.step_seconds));
		assert_true(lm_act_pilot_get_record(s.pilot).steps_verified <= needs + 1);
		assert_true(s.pilot->stride.standing && hypot(m->velocity[0], m->velocity[2]) < 0.02);
		close_stage(&s);
	}
}

static void its_style_shows(void** state)
{
	(void)state;
	stage plain, styled;
	lm_collider_def far = ramp();
	lm_act_command walk = lm_act_command_default(LM_ACT_WALK);
	walk.velocity[0] = 0.31;
	open_stage(&plain, &far, 0, -1, 0);
	play(&plain, &walk, 120);
	walk.bounce = 0.05, walk.lean = 0.15;
	open_stage(&styled, &far, 0, -1, 0);
	play(&styled, &walk, 120);
	assert_true(styled.high - styled.low > plain.high - plain.low + 0.01);
	assert_true(styled.tilt < plain.tilt - 0.05); // about z, forward
	close_stage(&plain);
	close_stage(&styled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_sees_slopes_and_stairs), cmocka_unit_test(it_walks_up_a_slope),
		cmocka_unit_test(it_turns_on_the_spot),      cmocka_unit_test(it_stops_at_a_place),
		cmocka_unit_test(its_style_shows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
