// Motion: interpolation, energies, frames that are inserted, obstacles, other objects.
#include "test.h"

#include "base/hash.h"
#include "design/bar.h"
#include "design/motion.h"
#include "design/state.h"

static lm_design_motion* solved(const lm_design_motion_object* objects, int32_t count, const lm_colliders* colliders,
                                const lm_design_motion_settings* settings, int threads)
{
	lm_design_motion* motion = NULL;
	lm_error error = { 0 };
	lm_host own = host;
	own.threads = threads;
	if (lm_design_motion_create(objects, count, colliders, 0, settings, &own, &motion, &error) != LM_OK ||
	    lm_design_motion_solve(motion, &error) != LM_OK)
		print_error("%s\n", error.message);
	return motion;
}

// A screw through the centre on uneven frames: nothing has to be inserted, nothing is off.
static void rigid_keys_move_rigidly(void** state)
{
	(void)state;
	const double times[5] = { 0, 0.3, 0.9, 1.6, 2 };
	double nodes[5][3 * NODES], z[3 * NODES], v[3 * NODES], wanted[3 * NODES];
	lm_vec3 axis = { 0, 1, 0.3 };
	lm_design_motion_key keys[5] = { 0 };
	for (int k = 0; k < 5; ++k)
	{
		place(lm_quat_axis_angle(axis, 2 * times[k]), lm_scale(times[k], axis), nodes[k]);
		keys[k].time = times[k], keys[k].positions = nodes[k];
	}
	lm_design_motion_object object = lm_design_motion_object_default();
	lm_design_motion_settings settings = lm_design_motion_settings_default();
	object.model = model, object.keys = keys, object.key_count = 5, settings.seconds = 2;
	lm_design_motion* motion = solved(&object, 1, NULL, &settings, 1);
	assert_int_equal(lm_design_motion_get_report(motion).frames_inserted, 0);
	lm_vec3 spin = lm_scale(2, lm_normalize_or(axis, axis)),
			c = lm_add_scaled(model->center, model->size, model->middle);
	for (int step = 0; step <= 100; ++step)
	{
		double t = 0.02 * step;
		lm_design_motion_nodes(motion, 0, t, z, v);
		place(lm_quat_axis_angle(axis, 2 * t), lm_scale(t, axis), wanted);
		for (int i = 0; i < 3 * NODES; ++i)
			assert_near(z[i], wanted[i], 1e-12);
		for (int i = 0; i < NODES; ++i)
		{
			lm_vec3 arm = lm_sub(lm_v3_at(z, i), lm_add(c, lm_scale(t, axis)));
			assert_near(lm_distance(lm_v3_at(v, i), lm_add(axis, lm_cross(spin, arm))), 0, 1e-10);
		}
	}
	lm_design_motion_destroy(motion);
}

// Told to go straight, every node does, whatever is in the way, and nothing is inserted.
static void linear_motion_is_straight(void** state)
{
	(void)state;
	double nodes[2][3 * NODES], z[3 * NODES], v[3 * NODES];
	lm_design_motion_key keys[2] = { 0 };
	for (int k = 0; k < 2; ++k)
	{
		place(lm_quat_axis_angle(lm_v3(1, 0, 0), 3 * k), lm_v3(0, 0, 2 * k), nodes[k]);
		keys[k].time = 2 * k, keys[k].positions = nodes[k];
	}
	lm_design_motion_object object = lm_design_motion_object_default();
	lm_design_motion_settings settings = lm_design_motion_settings_default();
	object.model = model, object.keys = keys, object.key_count = 2, object.linear = true, settings.seconds = 2;
	lm_design_motion* motion = solved(&object, 1, NULL, &settings, 1);
	assert_int_equal(lm_design_motion_get_report(motion).frames_inserted, 0);
	for (int step = 0; step <= 10; ++step)
	{
		double u = 0.1 * step;
		lm_design_motion_nodes(motion, 0, 2 * u, z, v);
		for (int i = 0; i < 3 * NODES; ++i)
		{
			assert_near(z[i], (1 - u) * nodes[0][i] + u * nodes[1][i], 1e-12);
			assert_near(v[i], (nodes[1][i] - nodes[0][i]) / 2, 1e-12);
		}
	}
	lm_design_motion_destroy(motion);
}

// Velocities are the slope of positions, and the curve goes through its keys, smoothly.
static void velocities_are_slopes(void** state)
{
	(void)state;
	double nodes[4][3 * NODES], low[3 * NODES], high[3 * NODES], z[3 * NODES], v[3 * NODES];
	lm_design_motion_key keys[4] = { 0 };
	for (int k = 0; k < 4; ++k)
	{
		place(lm_quat_axis_angle(lm_v3(1, k, 2), 0.7 * k), lm_v3(0.5 * k * k, sin(k), 0), nodes[k]);
		keys[k].time = 0.1 * k * (k + 1), keys[k].positions = nodes[k];
		for (int i = 0; i < NODES; ++i)
			nodes[k][3 * i] += 0.01 * k * i;
	}
	lm_design_motion_object object = lm_design_motion_object_default();
	lm_design_motion_settings settings = lm_design_motion_settings_default();
	object.model = model, object.keys = keys, object.key_count = 4, settings.seconds = 1.2;
	lm_design_motion* motion;
	assert_int_equal(lm_design_motion_create(&object, 1, NULL, 0, &settings, &host, &motion, NULL), LM_OK);
	for (int k = 0; k < 4; ++k)
	{
		lm_design_motion_nodes(motion, 0, keys[k].time, z, NULL);
		for (int i = 0; i < 3 * NODES; ++i)
			assert_near(z[i], nodes[k][i], 1e-12);
	}
	for (int step = 1; step < 24; ++step)
	{
		double t = 0.05 * step, e = 1e-6;
		lm_design_motion_nodes(motion, 0, t - e, low, NULL);
		lm_design_motion_nodes(motion, 0, t + e, high, NULL);
		lm_design_motion_nodes(motion, 0, t, z, v);
		for (int i = 0; i < 3 * NODES; ++i)
			assert_near(v[i], (high[i] - low[i]) / (2 * e), 1e-4); // at keys too: C1
	}
	lm_design_motion_destroy(motion);
}

static lm_colliders* one_ball(double radius, lm_vec3 at)
{
	lm_collider_def def = lm_collider_def_default();
	lm_placement_key key = { 0, { at.x, at.y, at.z }, { 1, 0, 0, 0 } };
	lm_colliders* colliders;
	def.shape = LM_SHAPE_SPHERE, def.radius = radius, def.key_count = 1, def.keys = &key;
	assert_int_equal(lm_colliders_create(&def, 1, &host, &colliders, NULL), LM_OK);
	return colliders;
}

static double from[3 * NODES], to[3 * NODES], back_from[3 * NODES], back_to[3 * NODES];
static lm_design_motion_key there[2], back[2];

// From 0 to x = 2, and the other way round, through each other.
static void make_ways(void)
{
	place(lm_quat_identity(), lm_v3(0, 0, 0), from);
	place(lm_quat_identity(), lm_v3(2, 0, 0), to);
	place(lm_quat_identity(), lm_v3(2, 0, 0), back_from);
	place(lm_quat_identity(), lm_v3(0, 0, 0), back_to);
	memset(there, 0, sizeof there), memset(back, 0, sizeof back);
	there[0].positions = from, there[1].positions = to, there[1].time = 1;
	back[0].positions = back_from, back[1].positions = back_to, back[1].time = 1;
}

// One term of Eq. 25 by itself: the others are switched off.
typedef struct term
{
	const char* name;
	double strain, volume, acceleration, velocity, obstacles, objects; // weights
	bool kinks; // its fields are trilinear: slopes jump where a point goes from cell to cell
} term;

static const term terms[] = {
	{ "strain", .strain = 1 },       { "volume", .volume = 5 },
	{ "velocity", .velocity = 1 },   { "acceleration", .acceleration = 1e-3 },
	{ "obstacles", .obstacles = 1 }, { "objects", .objects = 1, .kinks = true },
};

// dE/dx_i by central differences of steps e and 2e, extrapolated. *sure: whether differences of half these steps say
// the same; where they do not there is a kink in between, and no slope.
static double slope(lm_design_motion* m, int64_t i, double step, double* scratch, bool* sure)
{
	double kept = m->x[i], slopes[3];
	for (int k = 0; k < 3; ++k)
	{
		double e = step * (1 << k), high, low;
		m->x[i] = kept + e, high = lm_design_motion_energy(m, m->x, scratch);
		m->x[i] = kept - e, low = lm_design_motion_energy(m, m->x, scratch);
		slopes[k] = (high - low) / (2 * e);
	}
	m->x[i] = kept;
	double fine = (4 * slopes[0] - slopes[1]) / 3, coarse = (4 * slopes[1] - slopes[2]) / 3;
	*sure = fabs(fine - coarse) <= 1e-6 * fmax(fabs(fine), 1e-3);
	return fine;
}

static void compare_slopes(lm_design_motion* m, const term* t, int32_t foot)
{
	m->settings.strain = t->strain, m->settings.volume = t->volume;
	m->settings.acceleration = t->acceleration, m->settings.velocity = t->velocity;
	m->obstacles = t->obstacles, m->objects = t->objects;
	double *g = malloc(sizeof(double) * (size_t)m->n), *other = malloc(sizeof(double) * (size_t)m->n), size = 0;
	lm_design_motion_energy(m, m->x, g);
	for (int64_t i = 0; i < m->n; ++i)
		size = fmax(size, fabs(g[i]));
	int compared = 0, kinks = 0, felt = 0;
	double worst = 0;
	for (int64_t i = 0; i < m->n; i += 2)
	{
		bool sure, pinned = m->bodies[0].offset <= i && i < m->bodies[1].offset && i / 3 % NODES == foot && g[i] == 0;
		double s = slope(m, i, t->kinks ? 1e-7 : 1e-4, other, &sure);
		if (pinned)
			continue;
		kinks += !sure;
		compared += sure;
		felt += sure && fabs(g[i]) > 1e-3 * size;
		worst = sure ? fmax(worst, fabs(g[i] - s) / size) : worst;
	}
	printf("%s: %d slopes, %d of them large, %d kinks, off by %.1e of the largest\n", t->name, compared, felt, kinks,
	       worst);
	assert_true(size > 0 && felt > 20); // this term is felt
	assert_true(worst < 1e-6);
	assert_true(t->kinks ? kinks < compared / 5 : kinks == 0);
	free(g);
	free(other);
}

// Moves the free frames of the second body to where the first is then, and a little aside (own lengths).
static void bring_together(lm_design_motion* m, lm_vec3 aside)
{
	const lm_design_motion_body *a = &m->bodies[0], *b = &m->bodies[1];
	double z[3 * NODES];
	for (int32_t j = 0; j < b->timeline.count; ++j)
	{
		lm_design_instant instant = lm_design_timeline_at(&a->timeline, b->timeline.frames[j].time);
		lm_design_timeline_nodes(&a->timeline, &instant, z, NULL);
		for (int32_t i = 0; b->slot[j] >= 0 && i < NODES; ++i)
			lm_v3_store(m->x + b->offset + (int64_t)b->slot[j] * 3 * NODES, i, lm_add(lm_v3_at(z, i), aside));
	}
	lm_design_motion_scatter(m, m->x);
}

// With obstacles, another object, a velocity, slopes at a key and pinned nodes: every energy of Eq. 25.
static void each_gradient_is_the_slope_of_its_energy(void** state)
{
	(void)state;
	make_ways();
	int32_t foot = 2;
	lm_design_motion_key keys[3] = { there[0], there[1], { .time = 0.4, .end = 0.6, .count = 1, .nodes = &foot } };
	double held[3] = { from[6] + 1, from[7], from[8] };
	keys[2].positions = held;
	const int32_t hand[2] = { 0, 5 };
	const lm_design_motion_velocity velocities[2] = {
		{ .linear = { 1, 3, 0 }, .angular = { 0, 0, 1 } },
		{ .time = 0.4, .linear = { 2, 0.5, 0 }, .angular = { 1, 0, 1 }, .count = 2, .nodes = hand }
	};
	lm_design_motion_object objects[2] = { lm_design_motion_object_default(), lm_design_motion_object_default() };
	double slopes[3 * NODES];
	for (int i = 0; i < 3 * NODES; ++i)
		slopes[i] = sin(i);
	keys[1].velocities = slopes;
	objects[0].model = objects[1].model = model;
	objects[0].key_count = 3, objects[0].keys = keys, objects[0].frames = 7;
	objects[0].velocity_count = 2, objects[0].velocities = velocities;
	objects[1].key_count = 2, objects[1].keys = back, objects[1].frames = 5;
	lm_colliders* ball = one_ball(0.3, lm_v3(1, 0.2, 0.1));
	lm_design_motion_settings settings = lm_design_motion_settings_default();
	settings.margin = 0.05;
	lm_design_motion* m = solved(objects, 2, ball, &settings, 1);
	// The points of both are brought nearer than the margin by a wide margin.
	m->settings.margin = 0.15;
	assert_int_equal(lm_design_motion_prepare_round(m, NULL), LM_OK);
	uint64_t seed = 3;
	for (int64_t i = 0; i < m->n; ++i)
		m->x[i] += 0.002 * test_random(&seed); // more, and the map that a body is gets folds with no way back
	lm_design_motion_scatter(m, m->x);
	bring_together(m, lm_v3(0.2, 0.1, 0.05));
	for (size_t k = 0; k < sizeof terms / sizeof terms[0]; ++k)
		compare_slopes(m, &terms[k], foot);
	lm_design_motion_destroy(m);
	lm_colliders_destroy(ball);
}

static double deepest_in_ball(const lm_design_motion* m, double radius, lm_vec3 at)
{
	double depth = 0, z[3 * NODES], *x = malloc(sizeof(double) * 3 * (size_t)mesh->vertex_count);
	for (int step = 0; step <= 240; ++step)
	{
		lm_design_motion_nodes(m, 0, step / 240.0, z, NULL);
		lm_design_surface(model, z, 1, x, NULL);
		for (int32_t v = 0; v < mesh->vertex_count; ++v)
			depth = fmax(depth, radius - lm_distance(lm_v3_at(x, v), at));
	}
	free(x);
	return depth;
}

static void a_ball_in_the_way_is_avoided(void** state)
{
	(void)state;
	make_ways();
	lm_vec3 at = { 1.1, 0.35, 0.1 }; // dead ahead: no side is better
	lm_colliders* ball = one_ball(0.25, at);
	lm_design_motion_object object = lm_design_motion_object_default();
	lm_design_motion_settings settings = lm_design_motion_settings_default();
	object.model = model, object.keys = there, object.key_count = 2, object.frames = 12;
	lm_design_motion* m = solved(&object, 1, ball, &settings, 1);
	lm_design_motion_report r = lm_design_motion_get_report(m);
	assert_true(r.collision_free);
	assert_true(r.frames_inserted > 0);
	assert_near(r.key_error, 0, 1e-12);
	assert_true(deepest_in_ball(m, 0.25, at) < 0.01 * 0.6);
	lm_design_motion_destroy(m);
	lm_colliders_destroy(ball);
}

static void two_objects_pass_each_other(void** state)
{
	(void)state;
	make_ways();
	lm_design_motion_object objects[2] = { lm_design_motion_object_default(), lm_design_motion_object_default() };
	lm_design_motion_settings settings = lm_design_motion_settings_default();
	uint64_t first = 0;
	for (int b = 0; b < 2; ++b)
		objects[b].model = model, objects[b].keys = b ? back : there, objects[b].key_count = 2, objects[b].frames = 9;
	for (int threads = 1; threads <= 4; threads *= 2)
	{
		lm_design_motion* m = solved(objects, 2, NULL, &settings, threads);
		lm_design_motion_report r = lm_design_motion_get_report(m);
		uint64_t hash = LM_HASH_START;
		assert_true(r.pair_depth < 0.01);
		assert_near(r.key_error, 0, 1e-12);
		for (int step = 0; step <= 10; ++step)
			for (int b = 0; b < 2; ++b)
			{
				double z[3 * NODES];
				lm_design_motion_nodes(m, b, 0.1 * step, z, NULL);
				hash = lm_hash(hash, z, sizeof z);
			}
		first = threads == 1 ? hash : first;
		assert_true(hash == first);
		lm_design_motion_destroy(m);
	}
}

// A foot that is held stays, exactly, between the frames too.
static void feet_stay(void** state)
{
	(void)state;
	double leaning[3 * NODES], z[3 * NODES];
	memcpy(leaning, rest, sizeof rest);
	int32_t low = 0;
	for (int i = 0; i < NODES; ++i)
	{
		leaning[3 * i] += 0.5 * rest[3 * i + 1] * rest[3 * i + 1];
		low = rest[3 * i + 1] < rest[3 * low + 1] ? i : low;
	}
	memcpy(leaning + 3 * low, rest + 3 * low, 3 * sizeof(double));
	lm_design_motion_key keys[3] = { { .positions = rest },
		                             { .time = 1, .positions = leaning },
		                             { .time = 0, .end = 1, .count = 1, .nodes = &low, .positions = rest + 3 * low } };
	lm_colliders* ball = one_ball(0.1, lm_v3(0.1, 0.75, 0.1));
	lm_design_motion_object object = lm_design_motion_object_default();
	lm_design_motion_settings settings = lm_design_motion_settings_default();
	object.model = model, object.keys = keys, object.key_count = 3, object.frames = 8;
	settings.margin = 0.01;
	lm_design_motion* m = solved(&object, 1, ball, &settings, 1);
	for (int step = 0; step <= 50; ++step)
	{
		lm_design_motion_nodes(m, 0, 0.02 * step, z, NULL);
		assert_near(lm_distance(lm_v3_at(z, low), lm_v3_at(rest, low)), 0, 1e-12);
	}
	assert_near(lm_design_motion_get_report(m).key_error, 0, 1e-9);
	lm_design_motion_destroy(m);
	lm_colliders_destroy(ball);
}

static void prescribed_velocities_and_breaks_are_met(void** state)
{
	(void)state;
	make_ways();
	double z[3 * NODES], v[3 * NODES], left[3 * NODES], right[3 * NODES], up[3 * NODES];
	lm_design_motion_velocity velocity = { .linear = { 0, 4, 0 } };
	lm_design_motion_object object = lm_design_motion_object_default();
	lm_design_motion_settings settings = lm_design_motion_settings_default();
	object.model = model, object.keys = there, object.key_count = 2, object.velocities = &velocity;
	object.velocity_count = 1;
	lm_design_motion* m = solved(&object, 1, NULL, &settings, 1);
	lm_design_motion_nodes(m, 0, 0, z, v);
	for (int i = 0; i < NODES; ++i)
		assert_near(lm_distance(lm_v3_at(v, i), lm_v3(0, 4, 0)), 0, 1e-9);
	lm_design_motion_destroy(m);

	place(lm_quat_identity(), lm_v3(1, 1, 0), up);
	lm_design_motion_key keys[3] = { there[0], { .time = 0.5, .positions = up, .broken = true }, there[1] };
	object.keys = keys, object.key_count = 3, object.velocity_count = 0;
	m = solved(&object, 1, NULL, &settings, 1);
	lm_design_motion_nodes(m, 0, 0.5 - 1e-9, z, left);
	lm_design_motion_nodes(m, 0, 0.5 + 1e-9, z, right);
	assert_near(left[1], 2, 1e-6);
	assert_near(right[1], -2, 1e-6);
	lm_design_motion_destroy(m);
}

// Velocities of every node: met to rounding on both sides, wherever the key is and whatever its neighbours are; and a
// screw that is given by two keys with their velocities is the screw.
static void velocities_of_nodes_are_met(void** state)
{
	(void)state;
	make_ways();
	double z[3 * NODES], v[3 * NODES], slopes[3 * NODES], middle[3 * NODES];
	for (int i = 0; i < 3 * NODES; ++i)
		slopes[i] = 2 * sin(1 + i);
	place(lm_quat_axis_angle(lm_v3(0, 0, 1), 0.4), lm_v3(1, 0.5, 0), middle);
	lm_design_motion_object object = lm_design_motion_object_default();
	lm_design_motion_settings settings = lm_design_motion_settings_default();
	for (int which = 0; which < 3; ++which)
	{
		lm_design_motion_key keys[3] = { there[0], { .time = 0.4, .positions = middle }, there[1] };
		keys[which].velocities = slopes;
		keys[1].broken = which == 0; // next to one whose slopes are its own
		object.model = model, object.keys = keys, object.key_count = 3, object.frames = 6;
		lm_design_motion* m = solved(&object, 1, NULL, &settings, 1);
		for (int side = 0; side < 2; ++side)
		{
			double t = keys[which].time + (side ? 1e-10 : -1e-10);
			if (t < 0 || t > 1)
				continue;
			lm_design_motion_nodes(m, 0, t, z, v);
			for (int i = 0; i < 3 * NODES; ++i)
			{
				assert_near(v[i], slopes[i], 1e-6);
				assert_near(z[i], keys[which].positions[i], 1e-8);
			}
		}
		lm_design_motion_destroy(m);
	}
	lm_vec3 axis = { 0.2, 1, 0 }, spin = lm_scale(2, lm_normalize_or(axis, axis));
	lm_vec3 c = lm_add_scaled(model->center, model->size, model->middle);
	double ends[2][3 * NODES], speeds[2][3 * NODES], wanted[3 * NODES];
	lm_design_motion_key keys[2] = { { .time = 0 }, { .time = 1 } };
	for (int k = 0; k < 2; ++k)
	{
		place(lm_quat_axis_angle(axis, 2 * k), lm_scale(k, axis), ends[k]);
		for (int i = 0; i < NODES; ++i)
			lm_v3_store(speeds[k], i,
			            lm_add(axis, lm_cross(spin, lm_sub(lm_v3_at(ends[k], i), lm_add_scaled(c, k, axis)))));
		keys[k].positions = ends[k], keys[k].velocities = speeds[k];
	}
	object.keys = keys, object.key_count = 2;
	lm_design_motion* m = solved(&object, 1, NULL, &settings, 1);
	for (int step = 0; step <= 20; ++step)
	{
		lm_design_motion_nodes(m, 0, 0.05 * step, z, v);
		place(lm_quat_axis_angle(axis, 0.1 * step), lm_scale(0.05 * step, axis), wanted);
		for (int i = 0; i < 3 * NODES; ++i)
			assert_near(z[i], wanted[i], 1e-9);
	}
	lm_design_motion_destroy(m);
}

// Velocities of a part: met to rounding on both sides of a key, at a free frame and at the beginning, while the rest of
// the object goes on as it is told; the part takes its neighbours along, and keys are still met.
static void velocities_of_parts_are_met(void** state)
{
	(void)state;
	make_ways();
	const int32_t hand[3] = { 1, 4, 7 };
	double z[3 * NODES], v[3 * NODES], middle[3 * NODES];
	place(lm_quat_axis_angle(lm_v3(0, 0, 1), 0.4), lm_v3(1, 0.5, 0), middle);
	lm_design_motion_key keys[3] = { there[0], { .time = 0.5, .positions = middle }, there[1] };
	lm_design_motion_object object = lm_design_motion_object_default();
	lm_design_motion_settings settings = lm_design_motion_settings_default();
	const double times[4] = { 0, 0.3, 0.5, 1 };
	for (int which = 0; which < 4; ++which)
	{
		const lm_design_motion_velocity velocities[2] = {
			{ .time = times[which], .linear = { 1, -2, 3 }, .angular = { 0, 5, 1 }, .count = 3, .nodes = hand },
			{ .time = 0, .linear = { 0, 1, 0 } },
		};
		object.model = model, object.keys = keys, object.key_count = 3, object.frames = 12;
		object.velocities = velocities, object.velocity_count = 2;
		lm_design_motion* m = solved(&object, 1, NULL, &settings, 1);
		for (int side = 0; side < 2; ++side)
		{
			lm_design_motion_nodes(m, 0, times[which] + (side ? 1e-10 : -1e-10), z, v);
			bool outside = times[which] == (side ? 1 : 0);
			lm_vec3 center = { 0, 0, 0 };
			for (int k = 0; k < 3; ++k)
				center = lm_add_scaled(center, 1.0 / 3, lm_v3_at(z, hand[k]));
			for (int k = 0; k < 3 && !outside; ++k)
			{
				lm_vec3 arm = lm_sub(lm_v3_at(z, hand[k]), center);
				lm_vec3 wanted = lm_add(lm_v3(1, -2, 3), lm_cross(lm_v3(0, 5, 1), arm));
				assert_near(lm_distance(lm_v3_at(v, hand[k]), wanted), 0, 1e-6);
			}
		}
		lm_design_motion_nodes(m, 0, 1e-10, z, v);
		lm_vec3 center = { 0, 0, 0 };
		for (int i = 0; i < NODES; ++i)
			center = lm_add_scaled(center, 1.0 / NODES, lm_v3_at(v, i));
		assert_true(which == 0 || lm_distance(center, lm_v3(0, 1, 0)) < 1e-6);
		assert_near(lm_design_motion_get_report(m).key_error, 0, 1e-9);
		lm_design_motion_destroy(m);
	}
}

// Saved and loaded a motion is the same to the bit, with velocities of all nodes and of parts; cut short it is refused.
static void a_saved_motion_is_the_same(void** state)
{
	(void)state;
	make_ways();
	const int32_t hand[3] = { 1, 4, 7 };
	double slopes[3 * NODES], y[2][3 * NODES], v[2][3 * NODES];
	for (int i = 0; i < 3 * NODES; ++i)
		slopes[i] = sin(1 + i);
	const lm_design_motion_velocity velocity = {
		.time = 0.4, .linear = { 1, -2, 3 }, .angular = { 0, 5, 1 }, .count = 3, .nodes = hand
	};
	there[1].velocities = slopes;
	lm_design_motion_object object = lm_design_motion_object_default();
	lm_design_motion_settings settings = lm_design_motion_settings_default();
	object.model = model, object.keys = there, object.key_count = 2, object.frames = 5;
	object.velocities = &velocity, object.velocity_count = 1;
	lm_design_motion* m = solved(&object, 1, NULL, &settings, 1);
	lm_design_timeline made = { 0 }, loaded = { .host = host, .model = model };
	assert_int_equal(lm_design_motion_take_timeline(m, 0, &host, &made, NULL), LM_OK);
	lm_blob blob;
	lm_blob_init(&blob, &host);
	lm_design_timeline_save(&made, &blob);
	assert_int_equal(lm_design_timeline_load(&loaded, &blob, NULL), LM_OK);
	for (int step = 0; step <= 20; ++step)
	{
		const lm_design_timeline* both[2] = { &made, &loaded };
		for (int k = 0; k < 2; ++k)
		{
			lm_design_instant in = lm_design_timeline_at(both[k], 0.05 * step);
			lm_design_timeline_nodes(both[k], &in, y[k], v[k]);
		}
		assert_memory_equal(y[0], y[1], sizeof y[0]);
		assert_memory_equal(v[0], v[1], sizeof v[0]);
	}
	lm_design_timeline_release(&loaded);
	blob.cursor = 0, blob.size -= 8;
	lm_design_timeline cut = { .host = host, .model = model };
	assert_int_equal(lm_design_timeline_load(&cut, &blob, NULL), LM_BAD_INPUT);
	lm_design_timeline_release(&cut);
	lm_design_timeline_release(&made);
	lm_blob_release(&blob);
	lm_design_motion_destroy(m);
}

static void a_held_key_rests(void** state)
{
	(void)state;
	make_ways();
	double z[3 * NODES], v[3 * NODES];
	lm_design_motion_key keys[2] = { there[0], { .time = 0.4, .end = 1, .positions = to } };
	lm_design_motion_object object = lm_design_motion_object_default();
	lm_design_motion_settings settings = lm_design_motion_settings_default();
	object.model = model, object.keys = keys, object.key_count = 2;
	lm_design_motion* m = solved(&object, 1, NULL, &settings, 1);
	for (int step = 0; step <= 10; ++step)
	{
		lm_design_motion_nodes(m, 0, 0.4 + 0.06 * step, z, v);
		for (int i = 0; i < 3 * NODES; ++i)
		{
			assert_near(z[i], to[i], 1e-12);
			assert_near(v[i], 0, 1e-9);
		}
	}
	lm_design_motion_destroy(m);
}

static void check_told(lm_design_motion_object* object, const lm_colliders* colliders, const char* words)
{
	lm_design_motion_settings settings = lm_design_motion_settings_default();
	lm_design_motion* m = NULL;
	lm_error error;
	assert_int_equal(lm_design_motion_create(object, 1, colliders, 0, &settings, &host, &m, &error), LM_BAD_INPUT);
	if (strstr(error.message, words) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", error.message, words);
	assert_null(m);
}

static void bad_input_is_told(void** state)
{
	(void)state;
	make_ways();
	lm_design_motion_object object = lm_design_motion_object_default();
	int32_t node = 3, none = NODES;
	object.model = model, object.keys = there, object.key_count = 2;
	lm_colliders* ball = one_ball(0.3, lm_v3(0.1, 0.3, 0.1));
	check_told(&object, ball, "inside an obstacle");
	lm_colliders_destroy(ball);
	there[1].time = 0;
	check_told(&object, NULL, "both at");
	there[1].time = 7;
	check_told(&object, NULL, "must be between 0 and");
	there[1].time = 0.5, there[1].end = 0.2;
	check_told(&object, NULL, "ends at");
	there[0].end = 0.8, there[1].end = 0;
	check_told(&object, NULL, "held");
	there[0].end = 0;
	lm_design_motion_key keys[3] = { there[0],
		                             there[1],
		                             { .time = 0, .end = 1, .count = 1, .nodes = &node, .positions = to } };
	object.keys = keys, object.key_count = 3;
	check_told(&object, NULL, "contradict");
	keys[2].nodes = &none;
	check_told(&object, NULL, "names node");
	keys[2].nodes = &node, keys[2].velocities = from;
	check_told(&object, NULL, "has velocities");
	keys[2].velocities = NULL;
	to[4] = NAN;
	check_told(&object, NULL, "not finite");
	make_ways();
	object.keys = there, object.key_count = 0;
	check_told(&object, NULL, "no key of the whole object");
	object.key_count = 2, object.frames = 1;
	check_told(&object, NULL, "frames is 1");
	lm_design_motion_velocity velocity = { .time = 3 };
	object.frames = 9, object.velocities = &velocity, object.velocity_count = 1;
	check_told(&object, NULL, "velocity 0");
	const int32_t beyond = NODES;
	lm_design_motion_velocity parts[2] = { { .count = 1, .nodes = &beyond }, { .count = 1, .nodes = &node } };
	object.velocities = parts;
	check_told(&object, NULL, "velocity 0 names node");
	parts[0].nodes = &node, object.velocity_count = 2;
	check_told(&object, NULL, "velocity 1 at 0 s contradicts");
	parts[1].nodes = NULL;
	check_told(&object, NULL, "velocity 1 has a count without nodes");
	object.velocity_count = 1;
	object.velocities = &velocity;
	lm_design_motion_settings settings = lm_design_motion_settings_default();
	lm_design_motion* m;
	settings.margin = -1;
	assert_int_equal(lm_design_motion_create(&object, 1, NULL, 0, &settings, &host, &m, NULL), LM_BAD_INPUT);
	settings.margin = 0, settings.seconds = 0;
	assert_int_equal(lm_design_motion_create(&object, 1, NULL, 0, &settings, &host, &m, NULL), LM_BAD_INPUT);
}

static bool refuse(const char* what, double done, void* context)
{
	(void)what, (void)done, (void)context;
	return false;
}

static void it_can_be_cancelled(void** state)
{
	(void)state;
	make_ways();
	lm_host own = host;
	lm_design_motion_object object = lm_design_motion_object_default();
	lm_design_motion_settings settings = lm_design_motion_settings_default();
	lm_colliders* ball = one_ball(0.25, lm_v3(1.1, 0.4, 0.1));
	lm_design_motion* m;
	own.progress = refuse;
	object.model = model, object.keys = there, object.key_count = 2;
	assert_int_equal(lm_design_motion_create(&object, 1, ball, 0, &settings, &own, &m, NULL), LM_OK);
	assert_int_equal(lm_design_motion_solve(m, NULL), LM_CANCELLED);
	lm_design_motion_destroy(m);
	lm_colliders_destroy(ball);
}

static void memory_may_run_out_anywhere(void** state)
{
	(void)state;
	make_ways();
	lm_design_motion_object objects[2] = { lm_design_motion_object_default(), lm_design_motion_object_default() };
	lm_design_motion_settings settings = lm_design_motion_settings_default();
	lm_colliders* ball = one_ball(0.2, lm_v3(1.1, 0.6, 0.1));
	for (int b = 0; b < 2; ++b)
		objects[b].model = model, objects[b].keys = b ? back : there, objects[b].key_count = 2, objects[b].frames = 4;
	settings.fps = 1, settings.tolerance = 0.5;
	int64_t fail = 1;
	for (lm_status status = LM_NO_MEMORY; status == LM_NO_MEMORY; fail += fail < 60 ? 1 : 37)
	{
		test_memory memory = { .fail_at = fail };
		lm_host own = test_host(&memory);
		lm_design_motion* m = NULL;
		status = lm_design_motion_create(objects, 2, ball, 0, &settings, &own, &m, NULL);
		if (status == LM_OK)
			status = lm_design_motion_solve(m, NULL);
		lm_design_motion_destroy(m);
		assert_int_equal(memory.held, 0);
		assert_true(status == LM_OK || status == LM_NO_MEMORY);
	}
	assert_true(fail > 60);
	lm_colliders_destroy(ball);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rigid_keys_move_rigidly),
		cmocka_unit_test(linear_motion_is_straight),
		cmocka_unit_test(velocities_are_slopes),
		cmocka_unit_test(each_gradient_is_the_slope_of_its_energy),
		cmocka_unit_test(a_ball_in_the_way_is_avoided),
		cmocka_unit_test(two_objects_pass_each_other),
		cmocka_unit_test(feet_stay),
		cmocka_unit_test(prescribed_velocities_and_breaks_are_met),
		cmocka_unit_test(velocities_of_nodes_are_met),
		cmocka_unit_test(velocities_of_parts_are_met),
		cmocka_unit_test(a_saved_motion_is_the_same),
		cmocka_unit_test(a_held_key_rests),
		cmocka_unit_test(bad_input_is_told),
		cmocka_unit_test(it_can_be_cancelled),
		cmocka_unit_test(memory_may_run_out_anywhere),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
