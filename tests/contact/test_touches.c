// Touches of implicit bodies: friction on slopes, stacks, momentum, moving colliders, sheets, anchors and memory.
#include "implicit.h"

static lm_colliders* slope_of(double angle, double friction)
{
	lm_collider_def def = lm_collider_def_default();
	def.friction = friction;
	lm_placement_key key = { 0, { 0, 0, 0 }, { cos(angle / 2), 0, 0, -sin(angle / 2) } };
	return one_collider(def, &key, 1);
}

// A block at rest on a plane that falls to the right.
static world block_on_slope(int dimension, double angle)
{
	world w = world_of(dimension, 0.02);
	w.colliders = slope_of(angle, 0.8);
	if (dimension == 2)
		add_rectangle(&w, 2, 2, 0.1, -0.1, 0, 1);
	else
		add_mesh(&w, grid_mesh(1, 1, 1, 0.2, -0.1, 0, -0.1), 1);
	for (int v = 0; v < w.vertices[0]; ++v)
	{
		double *p = w.x + dimension * v, x = p[0], y = p[1] + 0.002;
		p[0] = cos(angle) * x + sin(angle) * y, p[1] = cos(angle) * y - sin(angle) * x;
	}
	return w;
}

static void blocks_stick_below_the_friction_angle(void** state)
{
	(void)state;
	for (int dimension = 2; dimension <= 3; ++dimension)
	{
		world w = block_on_slope(dimension, 0.9 * atan(0.8));
		for (int i = 0; i < 200; ++i)
			step_world(&w);
		lm_vec3 before = mean_of(&w, 0, w.x);
		for (int i = 0; i < 50; ++i)
			step_world(&w);
		assert_true(lm_distance(before, mean_of(&w, 0, w.x)) < 1e-5); // in a second: a tenth of what is allowed
		assert_true(w.cone < 0.8 && w.residual < 1e-10);
		free_world(&w);
	}
}

static void blocks_slide_above_it_with_the_right_acceleration(void** state)
{
	(void)state;
	for (int dimension = 2; dimension <= 3; ++dimension)
	{
		double angle = 1.2 * atan(0.8);
		world w = block_on_slope(dimension, angle);
		for (int i = 0; i < 50; ++i)
			step_world(&w);
		lm_vec3 before = mean_of(&w, 0, w.v);
		for (int i = 0; i < 50; ++i)
		{
			step_world(&w);
			assert_true(w.cone < 0.8);
		}
		double acceleration = lm_distance(before, mean_of(&w, 0, w.v));
		assert_near(acceleration, 9.81 * (sin(angle) - 0.8 * cos(angle)), 0.01 * acceleration);
		free_world(&w);
	}
}

static void stacks_rest_without_sinking_in(void** state)
{
	(void)state;
	for (int dimension = 2; dimension <= 3; ++dimension)
	{
		world w = world_of(dimension, 0.02);
		w.colliders = slope_of(0, 0.8);
		w.damping = 0.05;
		for (int i = 0; i < 3; ++i)
			if (dimension == 2)
				add_rectangle(&w, 2, 2, 0.1, 0.02 * i, 0.21 * i + 0.005, 0.3);
			else
				add_mesh(&w, grid_mesh(1, 1, 1, 0.2, 0.02 * i, 0.21 * i + 0.005, 0.01 * i), 0.3);
		for (int i = 0; i < 150; ++i)
			step_world(&w);
		assert_true(w.deepest < 0.01 * 0.2);
		assert_true(w.residual < 1e-10);
		lm_vec3 top = mean_of(&w, 2, w.x);
		assert_near(top.y, 0.5, 0.02);
		assert_near(top.x, 0.14, 0.02);
		int32_t island[most_bodies];
		assert_int_equal(lm_touches_islands(w.touches, w.count, island), 1);
		free_world(&w);
	}
}

static lm_vec3 momentum_of(const world* w, lm_vec3* angular)
{
	lm_vec3 linear = { 0, 0, 0 };
	*angular = linear;
	int d = w->dimension;
	for (int i = 0; i < w->count; ++i)
		for (int v = 0; v < w->vertices[i]; ++v)
		{
			const double *x = w->x + w->first[i] + d * v, *u = w->v + w->first[i] + d * v;
			lm_vec3 p = lm_v3(x[0], x[1], d == 3 ? x[2] : 0), m = lm_v3(u[0], u[1], d == 3 ? u[2] : 0);
			linear = lm_add_scaled(linear, w->mass[i], m);
			*angular = lm_add_scaled(*angular, w->mass[i], lm_cross(p, m));
		}
	return linear;
}

// Bodies that hit each other off centre. Steps of Newton's method are exact, but implicit Euler itself loses angular
// momentum: what contact does is seen as torque of its forces about the origin.
static void bodies_exchange_momentum(void** state)
{
	(void)state;
	for (int dimension = 2; dimension <= 3; ++dimension)
	{
		world w = world_of(dimension, 0.005);
		w.gravity[1] = 0;
		for (int i = 0; i < 2; ++i)
			if (dimension == 2)
				add_rectangle(&w, 2, 2, 0.1, 0.25 * i, 0.07 * i, 1 + i);
			else
				add_mesh(&w, grid_mesh(1, 1, 1, 0.2, 0.25 * i, 0.07 * i, 0.05 * i), 1 + i);
		throw_body(&w, 0, 1, 0.2, 0);
		lm_vec3 angular, linear = momentum_of(&w, &angular);
		double torque = 0, impulse = 0;
		bool touched = false;
		for (int i = 0; i < 60; ++i)
		{
			step_world(&w);
			double c[most_unknowns] = { 0 };
			add_touches(&w, w.x, c, NULL);
			lm_vec3 sum = { 0, 0, 0 }, turn = { 0, 0, 0 };
			double largest = 0;
			for (int v = 0; v < w.unknowns / dimension; ++v)
			{
				const double *f = c + dimension * v, *x = w.x + dimension * v;
				lm_vec3 force = lm_v3(f[0], f[1], dimension == 3 ? f[2] : 0);
				sum = lm_add(sum, force);
				turn = lm_add(turn, lm_cross(lm_v3(x[0], x[1], dimension == 3 ? x[2] : 0), force));
				largest = fmax(largest, lm_length(force));
			}
			assert_true(lm_length(sum) <= 1e-12 * (1 + largest));
			touched |= largest > 1;
			torque += w.h * lm_length(turn), impulse += w.h * largest;
		}
		assert_true(touched);
		lm_vec3 end = momentum_of(&w, &angular);
		assert_true(lm_distance(end, linear) < 1e-9);
		assert_true(lm_dot(mean_of(&w, 1, w.v), lm_v3(1, 0, 0)) > 0.1);
		assert_true(torque < 0.01 * 0.2 * impulse); // of the size
		free_world(&w);
	}
}

// ---- moving colliders

static void belts_carry_what_lies_on_them(void** state)
{
	(void)state;
	lm_collider_def def = lm_collider_def_default();
	def.shape = LM_SHAPE_BOX, def.half[0] = 5, def.half[1] = 0.5, def.half[2] = 5, def.friction = 0.8;
	lm_placement_key keys[2] = { key_at(0, 0, -0.5, 0), key_at(4, 4, 1.5, 0) }; // to the right and up
	for (int dimension = 2; dimension <= 3; ++dimension)
	{
		world w = world_of(dimension, 0.02);
		w.colliders = one_collider(def, keys, 2);
		if (dimension == 2)
			add_rectangle(&w, 2, 2, 0.1, -0.1, 0.003, 0.5);
		else
			add_mesh(&w, grid_mesh(1, 1, 1, 0.2, -0.1, 0.003, -0.1), 0.5);
		for (int i = 0; i < 150; ++i)
			step_world(&w);
		lm_vec3 v = mean_of(&w, 0, w.v);
		assert_near(v.x, 1, 1e-3);
		assert_near(v.y, 0.5, 1e-2);
		free_world(&w);
	}
}

static void turntables_turn_what_lies_on_them(void** state)
{
	(void)state;
	lm_collider_def def = lm_collider_def_default();
	def.shape = LM_SHAPE_BOX, def.half[0] = 5, def.half[1] = 0.5, def.half[2] = 5, def.friction = 0.8;
	lm_placement_key keys[2] = { key_at(0, 0, -0.5, 0), key_at(4, 0, -0.5, 0) };
	keys[1].rotation[0] = cos(0.75), keys[1].rotation[2] = sin(0.75); // 1.5 rad in 4 s
	world w = world_of(3, 0.02);
	w.colliders = one_collider(def, keys, 2);
	add_mesh(&w, grid_mesh(1, 1, 1, 0.2, 0.5, 0.002, -0.1), 0.5);
	for (int i = 0; i < 150; ++i)
		step_world(&w);
	lm_vec3 x = mean_of(&w, 0, w.x), v = mean_of(&w, 0, w.v);
	lm_vec3 carried = lm_cross(lm_v3(0, 0.375, 0), x);
	assert_true(lm_distance(lm_v3(v.x, 0, v.z), lm_v3(carried.x, 0, carried.z)) < 0.01);
	assert_near(sqrt(x.x * x.x + x.z * x.z), 0.6, 0.01);
	free_world(&w);
}

// ---- sheets and curves

// A ball of a body lies on a net that is held at its rim, heavy enough to press on it; it stays above.
static void slow_bodies_do_not_pass_through_sheets(void** state)
{
	(void)state;
	world w = world_of(3, 0.02);
	w.damping = 0.05;
	add_mesh(&w, sheet_mesh(3, 0.3), 0); // held
	add_mesh(&w, grid_mesh(1, 1, 1, 0.1, -0.05, 0.004, -0.04), 12);
	for (int i = 0; i < 200; ++i)
		step_world(&w);
	// 120 N on a few points of 2000 N/m: a little below the sheet, and still pushed up
	lm_vec3 x = mean_of(&w, 1, w.x);
	assert_true(x.y > 0.03 && x.y < 0.06);
	assert_true(w.deepest > 0 && w.deepest < 0.02);
	free_world(&w);
}

static void curves_hold_each_other(void** state)
{
	(void)state;
	world w = world_of(2, 0.02);
	w.damping = 0.05;
	double line[8] = { -0.5, 0, -0.1, 0, 0.1, 0, 0.5, 0 }, ring[16];
	for (int k = 0; k < 8; ++k)
		ring[2 * k] = 0.1 * cos(k * 0.7853981633974483), ring[2 * k + 1] = 0.11 + 0.1 * sin(k * 0.7853981633974483);
	add_curve(&w, 4, line, false, 0);
	add_curve(&w, 8, ring, true, 2);
	double square[8] = { -0.05, 0.25, 0.05, 0.25, 0.05, 0.35, -0.05, 0.35 };
	add_curve(&w, 4, square, true, 0.5);
	for (int i = 0; i < 120; ++i)
		step_world(&w);
	// the load of both on one vertex: it is a centimetre below the line, and held
	assert_near(w.deepest, 2.5 * 9.81 / 2000 - 0.0025, 1e-4);
	assert_near(mean_of(&w, 1, w.x).y, 0.09, 0.002);
	assert_near(mean_of(&w, 2, w.x).y, 0.24, 0.002);
	free_world(&w);
}

// Pressed through just where the curve bends: below the bend the nearest point is its vertex, and the way to it leads
// down, but for what is remembered.
static void bends_hold_what_presses_on_them(void** state)
{
	(void)state;
	world w = world_of(2, 0.02);
	w.damping = 0.1;
	double net[6] = { -0.3, 0.1, 0, 0, 0.3, 0.1 }, square[8] = { 0, 0.001, 0.1, 0.101, 0, 0.201, -0.1, 0.101 };
	add_curve(&w, 3, net, false, 0);
	add_curve(&w, 4, square, true, 3);
	for (int i = 0; i < 100; ++i)
		step_world(&w);
	assert_true(w.deepest > 0.001 && w.deepest < 0.008); // its lowest vertex, too, which carries at least a third
	assert_true(w.x[w.first[1] + 1] > -0.008);
	free_world(&w);
}

static void fast_bodies_do_not_pass_through_each_other(void** state)
{
	(void)state;
	for (int sheets = 0; sheets < 2; ++sheets)
	{
		world w = world_of(3, 0.02);
		w.gravity[1] = 0;
		if (sheets)
			add_mesh(&w, sheet_mesh(3, 0.3), 0);
		else
		{
			add_mesh(&w, grid_mesh(3, 1, 3, 0.1, -0.15, -0.1, -0.15), 0);
		}
		add_mesh(&w, grid_mesh(1, 1, 1, 0.1, -0.04, 0.02, -0.06), 0.5);
		throw_body(&w, 1, 0, -3, 0); // six centimetres in a step
		double lowest = 1;
		for (int i = 0; i < 20; ++i)
		{
			step_world(&w);
			lowest = fmin(lowest, mean_of(&w, 1, w.x).y);
		}
		assert_true(lowest > -0.02);
		assert_true(mean_of(&w, 1, w.v).y > 0);
		free_world(&w);
	}
}

// ---- corners of colliders

static lm_colliders* two_colliders(lm_collider_def a, lm_placement_key at, lm_collider_def b, lm_placement_key bt)
{
	lm_collider_def defs[2] = { a, b };
	defs[0].keys = &at, defs[1].keys = &bt, defs[0].key_count = defs[1].key_count = 1;
	lm_host host = lm_host_default();
	lm_colliders* colliders;
	lm_error error;
	assert_int_equal(lm_colliders_create(defs, 2, &host, &colliders, &error), LM_OK);
	return colliders;
}

// A plank whose vertices all are beyond what it lies on: boxes, a mesh of one, or balls.
static void planks_lie_on_what_is_between_their_vertices(void** state)
{
	(void)state;
	lm_mesh* mesh = box_mesh(0.05, 0.1, 0.3);
	for (int trial = 0; trial < 8; ++trial)
	{
		int dimension = 2 + trial % 2;
		lm_collider_def def = lm_collider_def_default();
		def.shape = (lm_shape[]){ LM_SHAPE_BOX, LM_SHAPE_MESH, LM_SHAPE_SPHERE, LM_SHAPE_CAPSULE }[trial / 2];
		def.half[0] = 0.05, def.half[1] = 0.1, def.half[2] = 0.3, def.radius = 0.1, def.half_length = 0.15;
		def.mesh = mesh, def.friction = 0.8;
		lm_placement_key left = key_at(0, -0.2, -0.1, 0), right = key_at(0, 0.2, -0.1, 0);
		if (def.shape == LM_SHAPE_CAPSULE) // lying across
			left.rotation[0] = right.rotation[0] = left.rotation[1] = right.rotation[1] = sqrt(0.5);
		world w = world_of(dimension, 0.02);
		w.damping = 0.02;
		w.colliders = two_colliders(def, left, def, right);
		if (dimension == 2)
			add_rectangle(&w, 1, 1, 0.8, -0.4, 0.004, 0.5);
		else
			add_mesh(&w, grid_mesh(1, 1, 1, 0.8, -0.4, 0.004, -0.4), 0.5);
		throw_body(&w, 0, 1, 0, 0);
		for (int i = 0; i < 120; ++i)
			step_world(&w);
		lm_vec3 x = mean_of(&w, 0, w.x), v = mean_of(&w, 0, w.v);
		assert_near(x.y, 0.4, 0.01);
		assert_true(w.deepest < 0.01 && w.cone < 0.8);
		assert_true(x.x > 0.02 && x.x < 0.08 && lm_length(v) < 1e-3); // friction has stopped it
		free_world(&w);
	}
	lm_mesh_destroy(mesh);
}

// ---- anchors

static void run_prescribed(world* w, double x, double y)
{
	double now[most_unknowns];
	for (int k = 0; k < w->unknowns; ++k)
		now[k] = w->rest[k] + (k % 2 == 0 ? x : y);
	lm_touch_step step = step_at(w, now);
	lm_error error;
	assert_int_equal(lm_touches_begin(w->touches, &step, &error), LM_OK);
	lm_touches_end(w->touches, &step);
	memcpy(w->x, now, sizeof now);
}

static void anchors_are_made_stretched_slid_and_dropped(void** state)
{
	(void)state;
	world w = world_of(2, 0.02);
	w.colliders = slope_of(0, 0.8);
	add_rectangle(&w, 1, 1, 0.2, 0, 0, 1);
	const lm_touch_memory* memory = &w.memories[0];
	run_prescribed(&w, 0, 0.02);
	assert_int_equal(memory->count, 0);
	run_prescribed(&w, 0.002, 0.001); // lands while moving by 2 mm: the anchor is where it came from
	assert_int_equal(memory->count, 2);
	assert_near(memory->records[0].anchor[0], 0, 1e-15);
	run_prescribed(&w, 0.0035, 0.001);
	assert_near(memory->records[0].anchor[0], 0, 1e-15);
	run_prescribed(&w, 0.05, 0.001); // drags it along, four slacks behind
	assert_near(memory->records[0].anchor[0], 0.046, 1e-12);
	run_prescribed(&w, 0.05, 0.006);
	assert_int_equal(memory->count, 0);
	run_prescribed(&w, 0.053, 0.001);
	assert_near(memory->records[0].anchor[0], 0.05, 1e-12);
	free_world(&w);
}

// Between bodies: while both move and turn as one nothing is stretched; what slips is.
static void stretch_between_bodies_is_relative(void** state)
{
	(void)state;
	world w = world_of(2, 0.02);
	add_rectangle(&w, 2, 1, 0.2, 0, 0, 1);
	add_rectangle(&w, 1, 1, 0.1, 0.13, 0.202, 1);
	lm_error error;
	double turn = 0;
	for (int i = 0; i < 6; ++i)
	{
		double now[most_unknowns], slip = i == 4 ? 0.003 : 0;
		turn += i < 4 ? 0.1 : 0;
		for (int v = 0; v < w.unknowns / 2; ++v)
		{
			double x = w.rest[2 * v] + (2 * v >= w.first[1] && i >= 4 ? 0.003 : 0), y = w.rest[2 * v + 1];
			now[2 * v] = cos(turn) * x - sin(turn) * y + 0.05 * i, now[2 * v + 1] = sin(turn) * x + cos(turn) * y;
		}
		lm_touch_step step = step_at(&w, now);
		assert_int_equal(lm_touches_begin(w.touches, &step, &error), LM_OK);
		int64_t count;
		const lm_spring_touch* all = lm_touches_list(w.touches, &count);
		int pushing = 0;
		for (int64_t k = 0; k < count; ++k)
		{
			lm_spring_force force;
			lm_spring_evaluate(&all[k].spring, touch_at(&w, &all[k], now), &force);
			if (all[k].a != 1 || !(force.normal > 0))
				continue;
			++pushing;
			lm_vec3 u = lm_sub(touch_at(&w, &all[k], now), all[k].spring.anchor);
			u = lm_add_scaled(u, -lm_dot(u, all[k].spring.normal), all[k].spring.normal);
			if (i > 0 && i < 4)
				assert_near(lm_length(u), 0, 1e-12);
			if (i >= 4)
				assert_near(u.x * cos(turn) + u.y * sin(turn), 0.003, 1e-9);
		}
		assert_int_equal(pushing, 2);
		(void)slip;
		lm_touches_end(w.touches, &step);
		memcpy(w.x, now, sizeof now);
	}
	free_world(&w);
}

static void touches_are_found_again_only_when_needed(void** state)
{
	(void)state;
	world w = world_of(2, 0.02);
	lm_collider_def def = lm_collider_def_default();
	def.shape = LM_SHAPE_BOX;
	lm_placement_key key = key_at(0, 0, -0.5, 0); // its top is y = 0, its right side x = 0.5
	w.colliders = one_collider(def, &key, 1);
	add_rectangle(&w, 1, 1, 0.2, 0.45, 0.003, 1);
	double now[most_unknowns];
	memcpy(now, w.x, sizeof now);
	lm_touch_step step = step_at(&w, now);
	lm_error error;
	bool changed;
	assert_int_equal(lm_touches_begin(w.touches, &step, &error), LM_OK);
	assert_int_equal(lm_touches_again(w.touches, &step, &changed, &error), LM_OK);
	assert_false(changed);
	for (int v = 0; v < 4; ++v)
		now[2 * v + 1] -= 0.001;
	assert_int_equal(lm_touches_again(w.touches, &step, &changed, &error), LM_OK);
	assert_false(changed);
	for (int v = 0; v < 4; ++v)
		now[2 * v] += 0.0499; // onto the edge
	assert_int_equal(lm_touches_again(w.touches, &step, &changed, &error), LM_OK);
	assert_true(changed);
	assert_int_equal(lm_touches_again(w.touches, &step, &changed, &error), LM_OK);
	assert_false(changed);
	free_world(&w);
}

static void focus_leaves_others_out(void** state)
{
	(void)state;
	world w = world_of(2, 0.02);
	w.colliders = slope_of(0, 0.8);
	for (int i = 0; i < 4; ++i)
		add_rectangle(&w, 1, 1, 0.2, (i == 3 ? 5 : 0.01 * i), i == 3 ? 0.002 : 0.002 + 0.202 * i, 1);
	lm_touch_step step = step_at(&w, w.x);
	lm_error error;
	int64_t all, some = 0, count;
	assert_int_equal(lm_touches_begin(w.touches, &step, &error), LM_OK);
	lm_touches_list(w.touches, &all);
	int32_t island[4];
	assert_int_equal(lm_touches_islands(w.touches, 4, island), 2);
	assert_true(island[0] == 0 && island[1] == 0 && island[2] == 0 && island[3] == 1);
	for (step.focus = 0; step.focus < 4; ++step.focus)
	{
		assert_int_equal(lm_touches_begin(w.touches, &step, &error), LM_OK);
		const lm_spring_touch* list = lm_touches_list(w.touches, &count);
		for (int64_t k = 0; k < count; ++k)
		{
			assert_true(list[k].a == step.focus || list[k].b == step.focus);
			some += list[k].b < 0 ? 2 : 1; // a touch of two bodies is seen from both
		}
	}
	assert_int_equal(some, 2 * all);
	free_world(&w);
}

// ---- memory, threads and failing allocations

static void states_are_saved_and_loaded(void** state)
{
	(void)state;
	world w = block_on_slope(3, 0.3);
	for (int i = 0; i < 20; ++i)
		step_world(&w);
	lm_touch_memory* memory = &w.memories[0];
	assert_true(memory->count >= 4);
	uint64_t hash = lm_touch_memory_hash(memory, 1);
	lm_host host = lm_host_default();
	lm_error error;
	lm_blob blob;
	lm_blob_init(&blob, &host);
	lm_touch_memory_save(memory, &blob);
	world copy = w;
	step_world(&w);
	assert_true(lm_touch_memory_hash(memory, 1) != hash);
	memcpy(w.x, copy.x, sizeof w.x), memcpy(w.v, copy.v, sizeof w.v), w.time = copy.time;
	lm_touch_memory_clear(memory);
	assert_int_equal(memory->count, 0);
	assert_int_equal(lm_touch_memory_load(memory, &blob, &error), LM_OK);
	assert_true(lm_touch_memory_hash(memory, 1) == hash);
	// damaged: cut short, of absurd length, with nonsense inside
	blob.cursor = 0, blob.size -= 8;
	assert_int_equal(lm_touch_memory_load(memory, &blob, &error), LM_BAD_INPUT);
	blob.cursor = 0, blob.size += 8;
	memset(blob.data + 4 + 24, 0xff, 8); // NaN
	assert_int_equal(lm_touch_memory_load(memory, &blob, &error), LM_BAD_INPUT);
	assert_int_equal(memory->count, 0);
	blob.cursor = 0, memset(blob.data, 0x7f, 4);
	assert_int_equal(lm_touch_memory_load(memory, &blob, &error), LM_BAD_INPUT);
	lm_blob_release(&blob);
	free_world(&w);
}

static uint64_t run_mixed(int threads)
{
	world w = world_of(3, 0.02);
	w.threads = threads;
	lm_mesh* mesh = box_mesh(1, 0.2, 1);
	lm_collider_def defs[3] = { lm_collider_def_default(), lm_collider_def_default(), lm_collider_def_default() };
	lm_placement_key keys[3] = { key_at(0, 0, 0, 0), key_at(0, 0, 0.02, 0), key_at(0, 0.5, 0.3, 0) };
	for (int i = 0; i < 3; ++i)
		defs[i].keys = &keys[i], defs[i].key_count = 1;
	defs[1].shape = LM_SHAPE_MESH, defs[1].mesh = mesh, defs[2].shape = LM_SHAPE_SPHERE, defs[2].radius = 0.2;
	lm_host host = lm_host_default();
	lm_error error;
	assert_int_equal(lm_colliders_create(defs, 3, &host, &w.colliders, &error), LM_OK);
	for (int i = 0; i < 4; ++i)
		add_mesh(&w, grid_mesh(1, 1, 1, 0.2, 0.13 * i - 0.2, 0.23 * i + 0.23, 0.03 * i), 0.3);
	uint64_t hash = 1;
	for (int i = 0; i < 25; ++i)
	{
		step_world(&w);
		for (int k = 0; k < w.count; ++k)
			hash = lm_touch_memory_hash(&w.memories[k], hash);
	}
	assert_true(w.memories[0].count > 0 && w.memories[3].count > 0);
	for (int k = 0; k < w.unknowns; ++k)
		assert_true(isfinite(w.x[k]));
	free_world(&w);
	lm_mesh_destroy(mesh);
	return hash;
}

static void results_do_not_depend_on_threads(void** state)
{
	(void)state;
	uint64_t one = run_mixed(1);
	assert_true(one == run_mixed(1));
	assert_true(one == run_mixed(3));
}

static lm_status run_with(lm_host* host, test_memory* memory, int64_t* warm)
{
	static const double square[8] = { 0, 0, 0.2, 0, 0.2, 0.2, 0, 0.2 };
	static const int32_t triangles[6] = { 0, 1, 2, 0, 2, 3 }, edges[8] = { 0, 1, 1, 2, 2, 3, 3, 0 };
	lm_contact_body* shapes[2] = { NULL, NULL };
	lm_touch_memory memories[2];
	lm_touches* touches = NULL;
	lm_error error;
	double x[2][8];
	lm_placement_key key = key_at(0, 0, 0, 0);
	lm_collider_def def = lm_collider_def_default();
	lm_colliders* colliders = one_collider(def, &key, 1);
	for (int i = 0; i < 2; ++i)
	{
		lm_touch_memory_init(&memories[i], host);
		for (int k = 0; k < 8; ++k)
			x[i][k] = square[k] + (k % 2 == 1 ? 0.002 + 0.202 * i : 0);
	}
	lm_status status = lm_touches_create(host, &touches, &error);
	if (status == LM_OK)
		status = lm_contact_body_create_flat(4, square, 2, 3, triangles, host, &shapes[0], &error);
	if (status == LM_OK)
		status = lm_contact_body_create_flat(4, square, 4, 2, edges, host, &shapes[1], &error);
	for (int i = 0; status == LM_OK && i < 3; ++i)
	{
		lm_touch_body bodies[2];
		for (int k = 0; k < 2; ++k)
			bodies[k] =
				(lm_touch_body){ shapes[k], &memories[k], k, x[k], x[k], 2000, 0.005, 0.001, 0.5, 0, NULL, NULL };
		lm_touch_step step = { bodies, 2, colliders, 0.02, -1, 1 };
		bool changed;
		status = lm_touches_begin(touches, &step, &error);
		if (status == LM_OK)
			status = lm_touches_again(touches, &step, &changed, &error);
		if (status == LM_OK)
			lm_touches_end(touches, &step), assert_true(memories[0].count + memories[1].count >= 4);
		if (i == 0)
			*warm = memory->requests;
	}
	lm_touches_destroy(touches);
	for (int i = 0; i < 2; ++i)
		lm_contact_body_destroy(shapes[i]), lm_touch_memory_release(&memories[i]);
	lm_colliders_destroy(colliders);
	return status;
}

static void every_allocation_may_fail(void** state)
{
	(void)state;
	test_memory memory = { 0 };
	lm_host host = test_host(&memory);
	int64_t warm;
	assert_int_equal(run_with(&host, &memory, &warm), LM_OK);
	assert_int_equal(memory.held, 0);
	assert_int_equal(warm, memory.requests); // the second and third step ask for nothing
	int64_t total = memory.requests;
	for (int64_t n = 1; n <= total; ++n)
	{
		memory = (test_memory){ .fail_at = n };
		assert_int_equal(run_with(&host, &memory, &warm), LM_NO_MEMORY);
		assert_int_equal(memory.held, 0);
	}
}

static void flat_bodies_are_checked(void** state)
{
	(void)state;
	static const double x[6] = { 0, 0, 1, 0, 0, 1 };
	lm_host host = lm_host_default();
	lm_contact_body* body;
	lm_error error;
	assert_int_equal(lm_contact_body_create_flat(3, x, 0, 3, NULL, &host, &body, &error), LM_BAD_INPUT);
	assert_int_equal(lm_contact_body_create_flat(3, x, 1, 3, (int32_t[]){ 0, 1, 3 }, &host, &body, &error),
	                 LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "vertex 3"));
	assert_int_equal(lm_contact_body_create_flat(3, x, 1, 2, (int32_t[]){ 1, 1 }, &host, &body, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "twice"));
	// clockwise triangles are turned round: outward is outward
	assert_int_equal(lm_contact_body_create_flat(3, x, 1, 3, (int32_t[]){ 0, 2, 1 }, &host, &body, &error), LM_OK);
	lm_contact_body_place(body, x, x);
	assert_int_equal(body->triangle_count, 3);
	for (int e = 0; e < 3; ++e)
	{
		lm_vec3 n = lm_face_normal(body, e), a = lm_v3_at(body->now, body->triangles[3 * e]);
		assert_true(lm_dot(n, lm_sub(a, lm_v3(0.25, 0.25, 0))) > 0);
	}
	lm_contact_body_destroy(body);
}

static void absurd_positions_do_no_harm(void** state)
{
	(void)state;
	static const double sizes[] = { 0, 1e-200, 1e-12, 1e9, 1e30 };
	uint64_t seed = 5;
	for (int dimension = 2; dimension <= 3; ++dimension)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
		{
			world w = world_of(dimension, 0.02);
			w.colliders = slope_of(0.1, 0.8);
			for (int k = 0; k < 2; ++k)
				if (dimension == 2)
					add_rectangle(&w, 1, 1, 0.2, 0, 0.1 * k, 1);
				else
					add_mesh(&w, k == 0 ? grid_mesh(1, 1, 1, 0.2, 0, 0, 0) : sheet_mesh(1, 0.2), 1);
			double now[most_unknowns];
			for (int k = 0; k < w.unknowns; ++k)
				w.x[k] = sizes[i] * test_random(&seed), now[k] = sizes[i] * test_random(&seed);
			lm_error error;
			bool changed;
			for (int k = 0; k < 2; ++k)
			{
				lm_touch_step step = step_at(&w, now);
				assert_int_equal(lm_touches_begin(w.touches, &step, &error), LM_OK);
				assert_int_equal(lm_touches_again(w.touches, &step, &changed, &error), LM_OK);
				int64_t count;
				const lm_spring_touch* all = lm_touches_list(w.touches, &count);
				for (int64_t t = 0; t < count; ++t)
				{
					lm_spring_force force;
					lm_spring_evaluate(&all[t].spring, touch_at(&w, &all[t], now), &force);
					assert_true(lm_finite(force.f) && lm_finite(force.U) && lm_finite(all[t].spring.anchor));
				}
				lm_touches_end(w.touches, &step);
			}
			free_world(&w);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_stick_below_the_friction_angle),
		cmocka_unit_test(blocks_slide_above_it_with_the_right_acceleration),
		cmocka_unit_test(stacks_rest_without_sinking_in),
		cmocka_unit_test(bodies_exchange_momentum),
		cmocka_unit_test(belts_carry_what_lies_on_them),
		cmocka_unit_test(turntables_turn_what_lies_on_them),
		cmocka_unit_test(slow_bodies_do_not_pass_through_sheets),
		cmocka_unit_test(curves_hold_each_other),
		cmocka_unit_test(bends_hold_what_presses_on_them),
		cmocka_unit_test(fast_bodies_do_not_pass_through_each_other),
		cmocka_unit_test(planks_lie_on_what_is_between_their_vertices),
		cmocka_unit_test(anchors_are_made_stretched_slid_and_dropped),
		cmocka_unit_test(stretch_between_bodies_is_relative),
		cmocka_unit_test(touches_are_found_again_only_when_needed),
		cmocka_unit_test(focus_leaves_others_out),
		cmocka_unit_test(states_are_saved_and_loaded),
		cmocka_unit_test(results_do_not_depend_on_threads),
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(flat_bodies_are_checked),
		cmocka_unit_test(absurd_positions_do_no_harm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
