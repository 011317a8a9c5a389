// Cloth among things that move faster than it can get out of the way: it is pushed, thrown and carried, never crossed,
// and never stands still.
#include "limber/track.h"
#include "test.h"
#include "track/body.h"

static lm_mesh* tube(int around, int high, double upper, double lower, double length)
{
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, around * high, 2 * around * (high - 1), 0);
	int32_t* t = mesh->triangles;
	for (int v = 0; v < around * high; ++v)
	{
		double share = (double)(v / around) / (high - 1), angle = 2 * 3.14159265358979 * (v % around) / around;
		double r = upper + share * (lower - upper), *x = mesh->positions + 3 * v;
		x[0] = r * cos(angle), x[1] = -share * length, x[2] = r * sin(angle);
	}
	for (int j = 0; j + 1 < high; ++j)
		for (int i = 0; i < around; ++i)
		{
			int32_t a = j * around + i, b = j * around + (i + 1) % around, c = a + around, d = b + around;
			const int32_t two[6] = { a, b, c, b, d, c };
			memcpy(t, two, sizeof two), t += 6;
		}
	return mesh;
}

// In the plane z = 0, hanging from y = 0.
static lm_mesh* curtain(int side, double size)
{
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, side * side, 2 * (side - 1) * (side - 1), 0);
	int32_t* t = mesh->triangles;
	for (int v = 0; v < side * side; ++v)
	{
		double* x = mesh->positions + 3 * v;
		x[0] = size * (v % side) / (side - 1) - size / 2, x[1] = -size * (v / side) / (side - 1), x[2] = 0;
	}
	for (int j = 0; j + 1 < side; ++j)
		for (int i = 0; i + 1 < side; ++i)
		{
			int32_t a = j * side + i, b = a + 1, c = a + side, d = c + 1;
			const int32_t even[6] = { a, d, b, a, c, d }, odd[6] = { a, c, b, b, c, d };
			memcpy(t, (i + j) % 2 ? odd : even, sizeof even), t += 6;
		}
	return mesh;
}

static lm_track* create(const lm_track_def* def)
{
	lm_host host = lm_host_default();
	lm_track* cloth = NULL;
	lm_error error;
	if (lm_track_create(def, &host, &cloth, &error) != LM_OK)
		fail_msg("%s", error.message);
	return cloth;
}

static void pin_first(lm_track* cloth, const lm_mesh* mesh, int count)
{
	for (int v = 0; v < count; ++v)
		assert_int_equal(lm_track_pin(cloth, v, mesh->positions + 3 * (size_t)v, NULL), LM_OK);
}

static double rms_speed(const lm_track* cloth)
{
	return sqrt(2 * lm_track_kinetic_energy(cloth) / lm_track_mass(cloth));
}

typedef struct witness
{
	double lag, slowest;
	int32_t stalled, most_inner;
	int64_t intersections;
} witness;

// `steps` steps of h from a time on; intersections are counted after every fourth.
static witness watch(lm_track* cloth, double h, double from, int steps)
{
	witness seen = { .slowest = INFINITY };
	for (int i = 0; i < steps; ++i)
	{
		assert_int_equal(lm_track_step(cloth, h, NULL, from + h * i, NULL), LM_OK);
		lm_track_report report = lm_track_get_report(cloth);
		seen.lag = fmax(seen.lag, report.collider_lag), seen.stalled += report.stalled;
		seen.most_inner = report.inner_steps > seen.most_inner ? report.inner_steps : seen.most_inner;
		seen.slowest = fmin(seen.slowest, rms_speed(cloth));
		if (i % 4 == 3)
			seen.intersections += lm_track_intersections(cloth);
	}
	return seen;
}

// A leg swings about the hip at up to 2.7 m/s at the knee, inside a skirt that is held at the waist.
static void a_leg_swings_in_a_skirt(void** state)
{
	(void)state;
	lm_mesh* mesh = tube(28, 12, 0.16, 0.3, 0.6);
	enum
	{
		KEYS = 13
	};
	lm_placement_key keys[KEYS];
	for (int i = 0; i < KEYS; ++i)
	{
		double t = i / 24.0, a = 0.8 * sin(2 * 3.14159265358979 * t);
		keys[i] = (lm_placement_key){ .time = t,
			                          .position = { 0, -0.45 * cos(a), 0.45 * sin(a) },
			                          .rotation = { cos(-a / 2), sin(-a / 2), 0, 0 } };
	}
	lm_collider_def leg = lm_collider_def_default();
	leg.shape = LM_SHAPE_CAPSULE, leg.radius = 0.07, leg.half_length = 0.35, leg.keys = keys, leg.key_count = KEYS;
	lm_track_def def = lm_track_def_default();
	def.mesh = mesh, def.colliders = &leg, def.collider_count = 1, def.settings.thickness = 0.006;
	lm_track* cloth = create(&def);
	pin_first(cloth, mesh, 28);
	witness start = watch(cloth, 1.0 / 96, 0, 12);
	assert_true(start.intersections == 0 && start.stalled == 0);
	witness seen = watch(cloth, 1.0 / 96, 12.0 / 96, 36);
	assert_int_equal(seen.intersections, 0);
	assert_int_equal(seen.stalled, 0);
	assert_true(seen.most_inner > 1);
	assert_true(seen.lag == 0);
	assert_true(seen.slowest > 0.02); // it moves in every step
	lm_track_destroy(cloth), lm_mesh_destroy(mesh);
}

// A ball of 20 m/s, 0.2 m in a step, hits a curtain that hangs by its upper edge: the curtain is swung aside.
static void a_ball_is_shot_at_a_curtain(void** state)
{
	(void)state;
	lm_mesh* mesh = curtain(15, 1.4);
	const lm_placement_key keys[2] = { { .time = 0, .position = { 0.1, -0.8, -1 }, .rotation = { 1, 0, 0, 0 } },
		                               { .time = 0.15, .position = { 0.1, -0.8, 2 }, .rotation = { 1, 0, 0, 0 } } };
	lm_collider_def ball = lm_collider_def_default();
	ball.shape = LM_SHAPE_SPHERE, ball.radius = 0.15, ball.keys = keys, ball.key_count = 2;
	lm_track_def def = lm_track_def_default();
	def.mesh = mesh, def.colliders = &ball, def.collider_count = 1;
	lm_track* cloth = create(&def);
	pin_first(cloth, mesh, 15);
	double center[3], farthest = 0;
	for (int i = 0; i < 6; ++i)
	{
		witness seen = watch(cloth, 1.0 / 96, i / 24.0, 4);
		assert_int_equal(seen.intersections, 0);
		assert_int_equal(seen.stalled, 0);
		assert_true(lm_track_get_report(cloth).collider_lag == 0);
		lm_track_center(cloth, center);
		farthest = fmax(farthest, center[2]);
	}
	assert_true(farthest > 0.2);
	lm_track_destroy(cloth), lm_mesh_destroy(mesh);
}

// Two plates close to two thicknesses with the cloth between them: it is clean. Then they overlap, which leaves no
// room: that is told, the rest goes on, a ball that flies by too, and when they part all is well again.
static void plates_close(void** state)
{
	(void)state;
	lm_mesh* mesh = curtain(11, 0.8);
	const double thickness = 0.01;
	lm_placement_key keys[2][4];
	lm_collider_def plates[3];
	for (int side = 0; side < 2; ++side)
	{
		const double gaps[4] = { 0.2, 2.1 * thickness, -thickness, 0.2 }, times[4] = { 0, 0.1, 0.2, 0.3 };
		for (int k = 0; k < 4; ++k)
			keys[side][k] = (lm_placement_key){ .time = times[k],
				                                .position = { 0, -0.6, (side == 0 ? 1 : -1) * (0.05 + gaps[k] / 2) },
				                                .rotation = { 1, 0, 0, 0 } };
		plates[side] = lm_collider_def_default();
		plates[side].shape = LM_SHAPE_BOX, plates[side].keys = keys[side], plates[side].key_count = 4;
		plates[side].half[0] = 0.2, plates[side].half[1] = 0.1, plates[side].half[2] = 0.05;
	}
	const lm_placement_key flight[2] = { { .position = { 1, -0.6, 0.3 }, .rotation = { 1, 0, 0, 0 } },
		                                 { .time = 0.3, .position = { 1, -0.6, 0.6 }, .rotation = { 1, 0, 0, 0 } } };
	plates[2] = lm_collider_def_default();
	plates[2].shape = LM_SHAPE_SPHERE, plates[2].radius = 0.1, plates[2].keys = flight, plates[2].key_count = 2;
	lm_track_def def = lm_track_def_default();
	def.mesh = mesh, def.colliders = plates, def.collider_count = 3, def.settings.thickness = thickness;
	lm_track* cloth = create(&def);
	pin_first(cloth, mesh, 11);
	witness near = watch(cloth, 1.0 / 100, 0, 10);
	assert_int_equal(near.intersections, 0);
	assert_int_equal(near.stalled, 0);
	assert_true(near.lag == 0);
	witness closed = watch(cloth, 1.0 / 100, 0.1, 10);
	lm_track_report report = lm_track_get_report(cloth);
	assert_true(closed.lag > 0 && report.pinched > 0);
	const lm_track_obstacle* ball = &cloth->obstacles[2];
	const double* target = cloth->obstacle_targets + 3 * (int64_t)(ball->first_vertex - cloth->n);
	assert_memory_equal(cloth->x + 3 * (int64_t)ball->first_vertex, target,
	                    3 * (size_t)ball->mesh->vertex_count * sizeof(double));
	watch(cloth, 1.0 / 100, 0.2, 10);
	report = lm_track_get_report(cloth);
	assert_true(report.collider_lag == 0 && report.pinched == 0);
	assert_int_equal(lm_track_intersections(cloth), 0);
	lm_track_destroy(cloth), lm_mesh_destroy(mesh);
}

// A guide that jumps by many sizes and a quarter turn: with a cut the cloth is there in no time, still in its folds.
static void a_guide_jumps(void** state)
{
	(void)state;
	lm_mesh* mesh = curtain(11, 1);
	size_t numbers = 3 * (size_t)mesh->vertex_count;
	double *guide = malloc(numbers * sizeof *guide), *before = malloc(numbers * sizeof *guide),
		   *after = malloc(numbers * sizeof *guide);
	memcpy(guide, mesh->positions, numbers * sizeof *guide);
	lm_track_def def = lm_track_def_default();
	def.mesh = mesh, def.regions = 8;
	lm_track* cloth = create(&def);
	bool carried = true;
	assert_int_equal(lm_track_cut(cloth, guide, 0, &carried, NULL), LM_OK);
	assert_false(carried); // there was no guide yet
	for (int i = 0; i < 5; ++i)
		assert_int_equal(lm_track_step(cloth, 0.01, guide, 0.01 * i, NULL), LM_OK);
	lm_track_positions(cloth, before);
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		const double* X = mesh->positions + 3 * (size_t)v;
		guide[3 * v] = 7 - X[1], guide[3 * v + 1] = X[0], guide[3 * v + 2] = X[2] + 40;
	}
	assert_int_equal(lm_track_cut(cloth, guide, 0.05, &carried, NULL), LM_OK);
	assert_true(carried);
	lm_track_positions(cloth, after);
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		assert_near(after[3 * v], 7 - before[3 * v + 1], 1e-4);
		assert_near(after[3 * v + 1], before[3 * v], 1e-4);
		assert_near(after[3 * v + 2], before[3 * v + 2] + 40, 1e-4);
	}
	assert_int_equal(lm_track_step(cloth, 0.01, guide, 0.05, NULL), LM_OK);
	assert_true(lm_track_get_report(cloth).residual < 1e-6 && rms_speed(cloth) < 1);
	// without a cut it flies there, as fast as regions may pull
	memcpy(guide, mesh->positions, numbers * sizeof *guide);
	for (int i = 0; i < 3; ++i)
		assert_int_equal(lm_track_step(cloth, 0.01, guide, 0.06 + 0.01 * i, NULL), LM_OK);
	double center[3];
	lm_track_center(cloth, center);
	assert_true(center[2] < 39 && lm_track_get_report(cloth).stalled_steps == 0);
	free(guide), free(before), free(after);
	lm_track_destroy(cloth), lm_mesh_destroy(mesh);
}

// A surface that others move and deform pushes the cloth along, on straight lines within a step.
static void a_surface_deforms(void** state)
{
	(void)state;
	lm_mesh *mesh = curtain(11, 1), *body = tube(16, 8, 0.15, 0.15, 0.8);
	size_t numbers = 3 * (size_t)body->vertex_count;
	for (size_t i = 0; i < numbers; ++i)
		body->positions[i] -= i % 3 == 2 ? 0.3 : 0;
	double* moved = malloc(numbers * sizeof *moved);
	lm_track_def def = lm_track_def_default();
	const lm_mesh* surfaces[1] = { body };
	def.mesh = mesh, def.surfaces = surfaces, def.surface_count = 1;
	lm_track* cloth = create(&def);
	pin_first(cloth, mesh, 11);
	for (int i = 1; i <= 24; ++i)
	{
		double t = i / 24.0;
		for (size_t k = 0; k < numbers; ++k) // it moves and swells
		{
			double X = body->positions[k] + (k % 3 == 2 ? 0.3 : 0);
			moved[k] = k % 3 == 1 ? X : X * (1 + 0.5 * t) - (k % 3 == 2 ? 0.3 - 0.6 * t : 0);
		}
		assert_int_equal(lm_track_move_surface(cloth, 0, moved, NULL), LM_OK);
		witness seen = watch(cloth, 1.0 / 48, (i - 1) / 48.0, 1);
		assert_true(seen.lag == 0 && seen.stalled == 0);
		assert_int_equal(lm_track_intersections(cloth), 0);
	}
	double center[3];
	lm_track_center(cloth, center);
	assert_true(center[2] > 0.1);
	moved[0] = NAN;
	assert_int_equal(lm_track_move_surface(cloth, 0, moved, NULL), LM_BAD_INPUT);
	free(moved);
	lm_track_destroy(cloth), lm_mesh_destroy(mesh), lm_mesh_destroy(body);
}

// A mesh collider that deforms over time is the same as a surface that is moved so.
static void a_collider_deforms(void** state)
{
	(void)state;
	lm_mesh *mesh = curtain(11, 1), *body = tube(16, 8, 0.15, 0.15, 0.8);
	size_t numbers = 3 * (size_t)body->vertex_count;
	double *frames = malloc(3 * numbers * sizeof *frames), times[3] = { 0, 0.125, 0.5 };
	for (size_t i = 0; i < numbers; ++i)
		body->positions[i] -= i % 3 == 2 ? 0.3 : 0;
	for (size_t i = 0; i < 3 * numbers; ++i) // it swells towards the curtain and through it
		frames[i] = body->positions[i % numbers] * (1 + (i % 3 == 1 ? 0 : 0.5 * (double)(i / numbers))) +
		            (i % 3 == 2 ? 0.3 * (double)(i / numbers) : 0);
	lm_placement_key key = { .rotation = { 1, 0, 0, 0 } };
	lm_collider_def collider = lm_collider_def_default();
	collider.shape = LM_SHAPE_MESH, collider.mesh = body,
	collider.frames = (lm_collider_frames){ .count = 3, .times = times, .positions = frames };
	collider.keys = &key, collider.key_count = 1;
	lm_track_def def = lm_track_def_default();
	def.mesh = mesh, def.colliders = &collider, def.collider_count = 1;
	lm_track* cloth = create(&def);
	pin_first(cloth, mesh, 11);
	double center[3], farthest = 0; // then it swings back
	for (int i = 0; i < 36; ++i)
	{
		witness seen = watch(cloth, 1.0 / 48, i / 48.0, 1);
		assert_true(seen.lag == 0 && seen.stalled == 0);
		assert_int_equal(lm_track_intersections(cloth), 0);
		lm_track_center(cloth, center);
		farthest = fmax(farthest, center[2]);
	}
	assert_true(farthest > 0.2);
	free(frames);
	lm_track_destroy(cloth), lm_mesh_destroy(mesh), lm_mesh_destroy(body);
}

static bool stop(const char* what, double done, void* context)
{
	(void)what, (void)done;
	return --*(int*)context > 0;
}

// A host that cancels is heard within a step, and the cloth is as it was.
static void a_step_is_cancelled(void** state)
{
	(void)state;
	lm_mesh* mesh = curtain(9, 1);
	int left = 1000000;
	lm_host host = lm_host_default();
	host.progress = stop, host.progress_context = &left;
	lm_track_def def = lm_track_def_default();
	def.mesh = mesh;
	lm_track* cloth = NULL;
	assert_int_equal(lm_track_create(&def, &host, &cloth, NULL), LM_OK);
	pin_first(cloth, mesh, 3);
	assert_int_equal(lm_track_step(cloth, 0.02, NULL, 0, NULL), LM_OK);
	uint64_t before = lm_track_hash(cloth);
	left = 1;
	assert_int_equal(lm_track_step(cloth, 0.02, NULL, 0.02, NULL), LM_CANCELLED);
	assert_true(lm_track_hash(cloth) == before);
	left = 1000000;
	assert_int_equal(lm_track_step(cloth, 0.02, NULL, 0.02, NULL), LM_OK);
	assert_true(lm_track_hash(cloth) != before);
	lm_track_destroy(cloth), lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_leg_swings_in_a_skirt),
		cmocka_unit_test(a_ball_is_shot_at_a_curtain),
		cmocka_unit_test(plates_close),
		cmocka_unit_test(a_guide_jumps),
		cmocka_unit_test(a_surface_deforms),
		cmocka_unit_test(a_collider_deforms),
		cmocka_unit_test(a_step_is_cancelled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
