// test_character.c: a figure of boxes becomes a character, of any size; and full control by a sparse factor.
#include "test.h"

#include "bodies.h"
#include "boxes.h"

#include "act/optimizer.h"
#include "act/pilot/pilot.h"
#include "limber/act_character.h"

typedef struct stage
{
	lm_host host;
	lm_mesh* surface;
	lm_fitted* fit;
	lm_act* body;
	lm_act_pilot* pilot;
	lm_colliders* ground;
	double h, height;
	int steps;
	double start[3];
} stage;

static void open_stage_of(stage* s, const double (*boxes)[6], int count, double height, double gravity)
{
	lm_error error = { 0 };
	*s = (stage){ .host = lm_host_default(), .height = height };
	s->host.threads = 1;
	s->surface = test_boxes(&s->host, boxes, count);
	for (int32_t k = 0; k < 3 * s->surface->vertex_count; ++k)
		s->surface->positions[k] *= height;
	lm_lattice_settings lattice = lm_lattice_settings_default();
	lattice.vertices = LM_CHARACTER_VERTICES, lattice.legs = true;
	lm_act_def def = lm_act_def_default();
	def.settings.gravity[1] = -gravity;
	lm_collider_def plane = lm_collider_def_default();
	lm_placement_key place = { .rotation = { 1, 0, 0, 0 } };
	plane.key_count = 1, plane.keys = &place;
	if (lm_fitted_create(s->surface, &lattice, &s->host, &s->fit, &error) != LM_OK ||
	    lm_character_create(s->fit, &def, &s->host, &s->body, &s->pilot, &error) != LM_OK ||
	    lm_colliders_create(&plane, 1, &s->host, &s->ground, &error) != LM_OK)
		fail_msg("%s", error.message);
	assert_int_equal(s->fit->foot_count, 2);
	s->h = fmin(0.02 * sqrt(height * 9.81 / gravity), 0.1);
	lm_act_center(s->body, s->start);
}

static void open_stage(stage* s, double height, double gravity)
{
	open_stage_of(s, test_walker_boxes, TEST_WALKER_BOXES, height, gravity);
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
		lm_act_pilot_begin(s->pilot, s->h);
		lm_act_pilot_do(s->pilot, command);
		assert_int_equal(lm_act_pilot_commit(s->pilot, &error), LM_OK);
		assert_int_equal(lm_act_step(&s->body, 1, s->h, s->ground, s->steps * s->h, &error), LM_OK);
		lm_act_pilot_record(s->pilot, s->h);
	}
}

static double tilt_of(const stage* s)
{
	const lm_act_motion* m = lm_act_pilot_motion(s->pilot);
	return hypot(m->tilt[0], m->tilt[2]);
}

static void it_stands_still_and_takes_a_push(void** state)
{
	(void)state;
	stage s;
	open_stage(&s, 1, 9.81);
	lm_act_command stand = lm_act_command_default(LM_ACT_STAND);
	play(&s, &stand, 60);
	const double* c = lm_act_pilot_motion(s.pilot)->center;
	assert_near(c[0], s.start[0], 0.005);
	assert_near(c[2], s.start[2], 0.005);
	double* v = malloc(3 * sizeof *v * (size_t)lm_act_vertex_count(s.body));
	lm_act_velocities(s.body, v);
	for (int32_t i = 0; i < lm_act_vertex_count(s.body); ++i) // 0.3 sqrt(g H), from behind
		v[3 * i] += s.fit->mesh->positions[3 * i + 1] > 0.5 ? 0.94 : 0;
	lm_act_set_positions(s.body, NULL, v);
	play(&s, &stand, 150);
	assert_true(tilt_of(&s) < 0.1);
	assert_near(lm_act_pilot_motion(s.pilot)->center[1], s.start[1], 0.03);
	free(v);
	close_stage(&s);
}

// How far a figure of this height has walked after 3.5 s of its own, in heights, and in how many steps. share: of the
// longest time step that its size allows.
static double walked(double height, double gravity, double share, int32_t* steps)
{
	stage s;
	open_stage(&s, height, gravity);
	double beat = sqrt(height * 9.81 / gravity);
	s.h = 0.02 * share * beat;
	lm_act_command walk = lm_act_command_default(LM_ACT_WALK);
	walk.velocity[0] = 0.1 * sqrt(gravity * height);
	int count = (int)(3.5 * beat / s.h + 0.5), cycle = (int)(0.6 * beat / s.h + 0.5); // two steps
	play(&s, &walk, count - cycle);
	double aside = 0; // the mean over a cycle: the centre sways from foot to foot
	for (int n = 0; n < cycle; ++n)
	{
		play(&s, &walk, 1);
		aside += (lm_act_pilot_motion(s.pilot)->center[2] - s.start[2]) / (height * cycle);
	}
	assert_true(tilt_of(&s) < 0.3);
	assert_true(lm_act_pilot_motion(s.pilot)->center[1] > 0.9 * s.start[1]);
	double way = (lm_act_pilot_motion(s.pilot)->center[0] - s.start[0]) / height;
	assert_near(aside, 0, 0.1);
	*steps = lm_act_pilot_get_record(s.pilot).steps_verified;
	close_stage(&s);
	print_message("walked: height %g m, gravity %g, h x %g: way %.3f heights, %d steps, aside %.3f\n", height, gravity,
	              share, way, *steps, aside);
	return way;
}

// In steps that are 0.02 s and 0.01 s for a height of 1 m at 9.81 m/s^2. Of 100 m the longest possible is the second.
// In the longer steps ways agree; in the shorter ones they hang on rounding (0.76 to 0.92 heights over compilers and
// SIMD levels, up to 0.08 aside), so there each is compared with what it was told.
static void it_walks_alike_in_its_own_units(void** state)
{
	(void)state;
	static const struct
	{
		double height, gravity;
	} others[] = { { 0.01, 9.81 }, { 1, 1.62 }, { 100, 9.81 } };
	double wanted = 0.1 * sqrt(9.81) * 2.7; // after 0.8 s in which it shifts its weight
	for (int halved = 0; halved < 2; ++halved)
	{
		int32_t steps, other_steps;
		double way = walked(1, 9.81, halved ? 0.5 : 1, &steps);
		assert_near(way, wanted, 0.2 * wanted);
		assert_true(steps >= 6);
		for (int k = 0; k < (halved ? 3 : 2); ++k)
		{
			double other = walked(others[k].height, others[k].gravity, halved ? 0.5 : 1, &other_steps);
			assert_near(other, halved ? wanted : way, halved ? 0.2 * wanted : 0.05);
			assert_near(other_steps, steps, 1);
		}
	}
}

// Legs of boxes as thin as a twentieth of the height, and heavy arms that hang aside: as stiff as their lean asks for,
// such legs would not let it walk.
static void a_robot_on_thin_legs_walks_forwards(void** state)
{
	(void)state;
	static const double robot[16][6] = {
		{ -0.056, 0, -0.13, 0.127, 0.042, -0.039 },      { -0.028, 0.042, -0.109, 0.028, 0.38, -0.06 },
		{ -0.035, 0.38, -0.12, 0.035, 0.465, -0.049 },   { -0.035, 0.577, -0.268, 0.035, 0.662, -0.155 },
		{ -0.025, 0.352, -0.264, 0.025, 0.577, -0.215 }, { -0.021, 0.296, -0.275, 0.063, 0.352, -0.204 },
		{ -0.056, 0, 0.039, 0.127, 0.042, 0.13 },        { -0.028, 0.042, 0.06, 0.028, 0.38, 0.109 },
		{ -0.035, 0.38, 0.049, 0.035, 0.465, 0.12 },     { -0.035, 0.577, 0.155, 0.035, 0.662, 0.268 },
		{ -0.025, 0.352, 0.215, 0.025, 0.577, 0.264 },   { -0.021, 0.296, 0.204, 0.063, 0.352, 0.275 },
		{ -0.085, 0.465, -0.155, 0.085, 0.718, 0.155 },  { -0.035, 0.718, -0.035, 0.035, 0.761, 0.035 },
		{ -0.07, 0.761, -0.092, 0.099, 0.93, 0.092 },    { -0.011, 0.93, -0.011, 0.011, 1, 0.011 }
	};
	stage s;
	open_stage_of(&s, robot, 16, 1, 9.81);
	lm_act_command walk = lm_act_command_default(LM_ACT_WALK);
	walk.velocity[0] = 0.1 * sqrt(9.81);
	play(&s, &walk, 250);
	double way = lm_act_pilot_motion(s.pilot)->center[0] - s.start[0], wanted = walk.velocity[0] * (5 - 0.8);
	print_message("robot: way %.3f m of %.3f\n", way, wanted);
	assert_near(way, wanted, 0.3 * wanted);
	assert_true(tilt_of(&s) < 0.3);
	close_stage(&s);
}

static void it_gets_up(void** state)
{
	(void)state;
	stage s;
	open_stage(&s, 1, 9.81);
	lm_act_command stand = lm_act_command_default(LM_ACT_STAND);
	int32_t count = lm_act_vertex_count(s.body);
	double* x = malloc(3 * sizeof *x * (size_t)count);
	for (int32_t i = 0; i < count; ++i) // on its back
	{
		const double* p = s.fit->mesh->positions + 3 * i;
		x[3 * i] = -p[1], x[3 * i + 1] = p[0] + 0.21, x[3 * i + 2] = p[2];
	}
	lm_act_set_positions(s.body, x, NULL);
	// How long it takes is chaotic (another compiler, another motion); that it rises and stays up is not.
	int upright_for = 0;
	bool stepped = false; // may step before it counts as up
	for (int n = 0; n < 1500 && upright_for < 95; ++n)
	{
		play(&s, &stand, 1);
		stepped |= s.pilot->fall.down && s.pilot->stride.step == s.pilot->step;
		upright_for = tilt_of(&s) < 0.3 ? upright_for + 1 : 0;
	}
	assert_int_equal(upright_for, 95);
	assert_true(stepped);
	free(x);
	close_stage(&s);
}

// Upright by its tilt, but flat on the ground: that is a fall, which is told, and from which it gets up.
static void what_lies_has_fallen(void** state)
{
	(void)state;
	stage s;
	open_stage(&s, 1, 9.81);
	lm_act_command stand = lm_act_command_default(LM_ACT_STAND);
	lm_act_command crouch = lm_act_command_default(LM_ACT_CROUCH);
	crouch.squat = 0.5;
	play(&s, &stand, 10);
	for (int k = 0; k < 2 * 25; ++k) // half a second of lying, first because it was told to
	{
		lm_act_pilot_begin(s.pilot, s.h);
		s.pilot->motion.touching = 4;
		s.pilot->motion.center[1] = s.pilot->motion.support[1] + 0.4 * s.pilot->stance;
		lm_act_pilot_do(s.pilot, k < 25 ? &crouch : &stand);
		assert_true(k > 25 + 15 || !s.pilot->fall.down);
	}
	assert_true(tilt_of(&s) < 0.3 && s.pilot->fall.down);
	lm_act_pilot_record(s.pilot, s.h);
	assert_true(lm_act_pilot_get_record(s.pilot).fell && lm_act_pilot_get_record(s.pilot).toppled);
	play(&s, &stand, 60);
	assert_false(s.pilot->fall.down);
	assert_int_equal(lm_act_pilot_get_record(s.pilot).got_up, 1);
	close_stage(&s);
}

// The step of the sparse path solves (R'' + A^T A) dp = -gradient.
static void the_sparse_step_is_that_of_the_dense_model(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error = { 0 };
	lm_mesh* mesh = test_block(&host, 5, 3, 3, 0.2);
	lm_act_def def = lm_act_def_default();
	def.kind = LM_ACT_SOLID, def.mesh = mesh, def.control = LM_ACT_FULL;
	lm_act* body;
	assert_int_equal(lm_act_create(&def, &host, &body, &error), LM_OK);
	lm_act_optimizer* o = body->optimizer;
	assert_non_null(o->sparse);
	int32_t vertices[3] = { 0, 40, 90 };
	double coefficients[9] = { 1, 0, 0, 0, 1, 0, 0, 0.5, 1 };
	lm_act_goal goals[2] = {
		{ .count = 3, .vertices = vertices, .coefficients = coefficients, .velocity = 0.3, .kd = 1, .weight = 2 },
		{ .count = 2,
		  .vertices = vertices,
		  .coefficients = coefficients,
		  .position = 0.2,
		  .kp = 8,
		  .kd = 1,
		  .weight = 1 }
	};
	assert_int_equal(lm_act_set_goals(body, goals, 2, &error), LM_OK);
	assert_int_equal(lm_act_step(&body, 1, 0.02, NULL, 0, &error), LM_OK);
	assert_true(lm_act_model_build(body));
	double predicted = lm_act_model_step(body), largest = 0;
	assert_true(predicted > 0);
	const lm_pattern* pattern = lm_elastic_get(body->elastic).rest_pattern;
	double* values = calloc((size_t)pattern->entries, sizeof *values);
	double* product = calloc((size_t)o->m, sizeof *product);
	lm_act_regular_values(body, o->now.X, values);
	lm_pattern_multiply(pattern, values, o->dp, product);
	for (int32_t k = 0; k < o->m; ++k)
		largest = fmax(largest, fabs(o->gradient[k]));
	for (int32_t k = 0; k < o->m; ++k)
	{
		double sum = product[k] + (def.settings.parameter_weight + def.settings.change_weight) * o->dp[k];
		for (int r = 0; r < 2; ++r)
		{
			double along = 0;
			for (int32_t i = 0; i < o->m; ++i)
				along += o->A[(size_t)r * (size_t)o->m + (size_t)i] * o->dp[i];
			sum += along * o->A[(size_t)r * (size_t)o->m + (size_t)k];
		}
		assert_near(sum, -o->gradient[k], 1e-9 * largest);
	}
	free(values);
	free(product);
	lm_act_destroy(body);
	lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_stands_still_and_takes_a_push),
		cmocka_unit_test(it_walks_alike_in_its_own_units),
		cmocka_unit_test(a_robot_on_thin_legs_walks_forwards),
		cmocka_unit_test(it_gets_up),
		cmocka_unit_test(what_lies_has_fallen),
		cmocka_unit_test(the_sparse_step_is_that_of_the_dense_model),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
