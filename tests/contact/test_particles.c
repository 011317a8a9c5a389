#include "shapes.h"

#include "contact/particles.h"

// A few particles under gravity, stepped as an engine does.
typedef struct cloud
{
	int32_t count;
	float *x, *v, *inverse_mass;
	lm_particles view;
} cloud;

static cloud make_cloud(int32_t count)
{
	cloud c = { .count = count };
	c.x = calloc(lm_particle_numbers(count), sizeof(float));
	c.v = calloc(lm_particle_numbers(count), sizeof(float));
	c.inverse_mass = malloc((size_t)count * sizeof(float));
	for (int32_t i = 0; i < count; ++i)
		c.inverse_mass[i] = 1;
	c.view = (lm_particles){ .count = count, .x = c.x, .v = c.v, .inverse_mass = c.inverse_mass, .friction = 0.5 };
	return c;
}

static void free_cloud(cloud* c)
{
	free(c->x);
	free(c->v);
	free(c->inverse_mass);
}

static void put(cloud* c, int i, double x, double y, double z, double vx, double vy, double vz)
{
	const double now[3] = { x, y, z }, speed[3] = { vx, vy, vz };
	for (int k = 0; k < 3; ++k)
		c->x[lm_particle_place(i, k)] = (float)now[k], c->v[lm_particle_place(i, k)] = (float)speed[k];
}

static double step_cloud(cloud* c, lm_colliders* colliders, double* time, double h, double gravity, int threads)
{
	for (int i = 0; i < c->count; ++i)
	{
		if (c->inverse_mass[i] == 0)
			continue;
		c->v[lm_particle_place(i, 1)] -= (float)(gravity * h);
		for (int k = 0; k < 3; ++k)
			c->x[lm_particle_place(i, k)] += (float)h * c->v[lm_particle_place(i, k)];
	}
	*time += h;
	c->view.gravity = fabs(gravity);
	lm_colliders_set_time(colliders, *time);
	double deepest;
	lm_contact_colliders(colliders, &c->view, h, threads, &deepest);
	return deepest;
}

static lm_colliders* tilted_plane(double angle, double friction, double restitution)
{
	lm_collider_def def = lm_collider_def_default();
	def.friction = friction, def.restitution = restitution;
	lm_placement_key key = { 0, { 0, 0, 0 }, { cos(angle / 2), 0, 0, sin(angle / 2) } };
	return one_collider(def, &key, 1);
}

static void test_slope_sticks_or_slides(void** state)
{
	(void)state;
	double mu = 0.5, steps[2] = { 1.0 / 60, 1.0 / 240 };
	for (int s = 0; s < 2; ++s)
		for (int slides = 0; slides < 2; ++slides)
		{
			double angle = slides ? 0.65 : 0.44, h = steps[s], time = 0; // atan 0.5 = 0.4636
			lm_colliders* plane = tilted_plane(angle, mu, 0);
			cloud c = make_cloud(1);
			c.view.friction = mu;
			double seconds = 1;
			for (int i = 0; i < (int)(seconds / h + 0.5); ++i)
				step_cloud(&c, plane, &time, h, 9.81, 1);
			double travelled = hypot(lm_particle_at(c.x, 0).x, lm_particle_at(c.x, 0).y),
				   speed = hypot(lm_particle_at(c.v, 0).x, lm_particle_at(c.v, 0).y);
			double acceleration = slides ? 9.81 * (sin(angle) - mu * cos(angle)) : 0;
			assert_near(speed, acceleration * seconds, slides ? 0.05 * acceleration : 1e-4);
			assert_near(travelled, acceleration / 2, slides ? 0.05 * acceleration / 2 : 1e-4);
			free_cloud(&c);
			lm_colliders_destroy(plane);
		}
}

// Friction of two is the geometric mean: an ice-smooth partner lets everything slide.
static void test_friction_is_combined(void** state)
{
	(void)state;
	lm_colliders* plane = tilted_plane(0.3, 4, 0);
	cloud c = make_cloud(1);
	c.view.friction = 0;
	double time = 0;
	for (int i = 0; i < 60; ++i)
		step_cloud(&c, plane, &time, 1.0 / 60, 9.81, 1);
	assert_near(hypot(lm_particle_at(c.v, 0).x, lm_particle_at(c.v, 0).y), 9.81 * sin(0.3), 0.01);
	free_cloud(&c);
	lm_colliders_destroy(plane);
}

static void test_restitution_heights(void** state)
{
	(void)state;
	double h = 1.0 / 500;
	for (int e = 0; e <= 10; e += 5)
	{
		lm_colliders* plane = tilted_plane(0, 0.5, 0.1 * e);
		cloud c = make_cloud(1);
		put(&c, 0, 0, 1, 0, 0, 0, 0);
		double time = 0, peak = 0;
		bool hit = false;
		for (int i = 0; i < 600; ++i)
		{
			double before = lm_particle_at(c.v, 0).y;
			step_cloud(&c, plane, &time, h, 9.81, 1);
			if (hit && before > 0 && lm_particle_at(c.v, 0).y <= 0 && peak == 0)
				peak = lm_particle_at(c.x, 0).y;
			hit |= lm_particle_at(c.x, 0).y <= 1e-6;
		}
		assert_true(hit);
		assert_near(peak, 0.01 * e * e, 0.02);
		free_cloud(&c);
		lm_colliders_destroy(plane);
	}
}

static void test_rest_is_calm(void** state)
{
	(void)state;
	lm_colliders* plane = tilted_plane(0, 0.5, 0.9); // bouncy, yet nothing may hop on the spot
	for (int heavy = 0; heavy < 2; ++heavy)
	{
		cloud c = make_cloud(1);
		c.view.thickness = 0.01;
		put(&c, 0, 0, 0.01, 0, 0, 0, 0);
		double time = 0;
		for (int i = 0; i < 200; ++i)
		{
			assert_near(step_cloud(&c, plane, &time, 1.0 / 60, heavy ? 25 : 9.81, 1), 0, 0);
			assert_near(lm_particle_at(c.x, 0).y, 0.01, 1e-8);
			assert_near(lm_particle_at(c.v, 0).y, 0, 1e-6);
		}
		free_cloud(&c);
	}
	lm_colliders_destroy(plane);
}

// Depth is not speed: a particle found deep inside comes out at rest.
static void test_depth_is_not_speed(void** state)
{
	(void)state;
	lm_collider_def def = lm_collider_def_default();
	def.shape = LM_SHAPE_SPHERE, def.radius = 1;
	lm_placement_key key = key_at(0, 0, 0, 0);
	lm_colliders* ball = one_collider(def, &key, 1);
	cloud c = make_cloud(2);
	put(&c, 0, 0.3, 0.4, 0, 0, 0, 0);
	put(&c, 1, 0.1, 0.1, 0, 0, 0, 0);
	c.inverse_mass[1] = 0; // pinned: stays
	double time = 0;
	step_cloud(&c, ball, &time, 0.01, 0, 1);
	assert_near(lm_particle_at(c.x, 0).x, 0.6, 1e-6);
	assert_near(lm_particle_at(c.x, 0).y, 0.8, 1e-6);
	assert_near(hypot(lm_particle_at(c.v, 0).x, lm_particle_at(c.v, 0).y), 0, 0);
	assert_near(lm_particle_at(c.x, 1).x, 0.1, 1e-8);
	free_cloud(&c);
	lm_colliders_destroy(ball);
}

static void test_moving_collider_carries(void** state)
{
	(void)state;
	// A platform that starts, turns and stops; a particle rests on it, off its centre.
	lm_placement_key keys[3] = { { 0, { 0, 0, 0 }, { 1, 0, 0, 0 } },
		                         { 2, { 1, 0.5, 0 }, { cos(0.2), 0, sin(0.2), 0 } },
		                         { 4, { 2, 0, 1 }, { cos(0.4), 0, sin(0.4), 0 } } };
	lm_collider_def def = lm_collider_def_default();
	def.shape = LM_SHAPE_BOX, def.half[0] = 1, def.half[1] = 0.1, def.half[2] = 1, def.friction = 1;
	lm_colliders* box = one_collider(def, keys, 3);
	cloud c = make_cloud(1);
	c.view.friction = 1;
	put(&c, 0, 0.5, 0.1, 0.2, 0, 0, 0);
	double time = 0, h = 1.0 / 60;
	for (int i = 0; i < 240; ++i)
	{
		step_cloud(&c, box, &time, h, 9.81, 1);
		lm_placement now = lm_placement_at(keys, 3, time);
		lm_vec3 local = lm_placement_to_local(&now, lm_particle_at(c.x, 0));
		assert_near(local.y, 0.1, 0.004); // may lift off by what the platform falls away in a step
		assert_near(local.x, 0.5, 0.03);
		assert_near(local.z, 0.2, 0.03);
	}
	free_cloud(&c);
	lm_colliders_destroy(box);
}

static lm_colliders* thin_thing(int kind, lm_mesh** mesh, const lm_placement_key* keys, int32_t key_count)
{
	lm_collider_def def = lm_collider_def_default();
	*mesh = NULL;
	if (kind == 0)
		def.shape = LM_SHAPE_BOX, def.half[0] = def.half[2] = 2, def.half[1] = 0.002;
	else if (kind == 1)
		def.shape = LM_SHAPE_MESH, *mesh = box_mesh(2, 0.002, 2);
	else if (kind == 2)
		def.shape = LM_SHAPE_MESH, *mesh = sheet_mesh(6, 2);
	else if (kind == 3)
		def.shape = LM_SHAPE_SPHERE, def.radius = 0.05;
	else
		def.shape = LM_SHAPE_CAPSULE, def.radius = 0.05, def.half_length = 1;
	def.mesh = *mesh;
	return one_collider(def, keys, key_count);
}

// At 100 m/s a particle moves 1.7 m in a step. Nothing may end on the other side, whether particles or colliders move.
static void test_no_tunnelling(void** state)
{
	(void)state;
	double h = 1.0 / 60;
	lm_placement_key still = key_at(0, 0, 0, 0), moving[2] = { key_at(0, 0, -100, 0), key_at(2, 0, 100, 0) };
	for (int kind = 0; kind < 3; ++kind)
		for (int who = 0; who < 2; ++who)
			for (int up = -1; up <= 1; up += 2)
			{
				lm_mesh* mesh;
				lm_colliders* thing = thin_thing(kind, &mesh, who ? moving : &still, who ? 2 : 1);
				enum
				{
					n = 21
				};
				cloud c = make_cloud(n * n);
				for (int i = 0; i < n * n; ++i) // on corners and edges of triangles too
					put(&c, i, 0.05 * (i % n - 10), who ? 0.4 : up * 0.3, 0.05 * (i / n - 10), 0, who ? 0 : -100 * up,
					    0);
				double time = who ? 0.98 : 0;
				for (int s = 0; s < 8; ++s)
				{
					step_cloud(&c, thing, &time, h, 0, 1);
					double surface = who ? -100 + 100 * time : 0;
					for (int i = 0; i < n * n; ++i)
						assert_true((c.x[lm_particle_place(i, 1)] - surface) * (who ? 1 : up) > -1e-4);
				}
				for (int i = 0; i < n * n; ++i)
					assert_near(c.v[lm_particle_place(i, 1)], who ? 100 : 0, 1e-3);
				free_cloud(&c);
				lm_colliders_destroy(thing);
				lm_mesh_destroy(mesh);
			}
}

static void test_round_things_stop_bullets(void** state)
{
	(void)state;
	lm_placement_key still = key_at(0, 0, 0, 0);
	for (int kind = 3; kind < 5; ++kind)
		for (int k = 0; k < 40; ++k)
		{
			lm_mesh* mesh;
			lm_colliders* thing = thin_thing(kind, &mesh, &still, 1);
			cloud c = make_cloud(1);
			c.view.friction = 0;
			double a = 0.157 * k, time = 0, y = kind == 4 ? 0.05 * (k - 20) : 0;
			put(&c, 0, cos(a), y, sin(a), -100 * cos(a), 0, -100 * sin(a));
			step_cloud(&c, thing, &time, 1.0 / 60, 0, 1);
			assert_near(lm_particle_at(c.x, 0).x * cos(a) + lm_particle_at(c.x, 0).z * sin(a), 0.05, 1e-5);
			assert_near(lm_particle_at(c.v, 0).x * cos(a) + lm_particle_at(c.v, 0).z * sin(a), 0, 1e-4);
			free_cloud(&c);
			lm_colliders_destroy(thing);
		}
}

static void test_sheet_holds_both_sides(void** state)
{
	(void)state;
	lm_placement_key still = key_at(0, 0, 0, 0);
	lm_mesh* mesh;
	lm_colliders* sheet = thin_thing(2, &mesh, &still, 1);
	cloud c = make_cloud(2);
	c.view.thickness = 0.01;
	put(&c, 0, 0.31, 0.5, 0.2, 0, 0, 0);
	double time = 0;
	for (int i = 0; i < 300; ++i)
		step_cloud(&c, sheet, &time, 1.0 / 60, 9.81, 1);
	assert_near(lm_particle_at(c.x, 0).y, 0.01, 1e-6); // the first rests on it
	put(&c, 1, 0.4, -0.5, 0.1, 0, 0, 0);
	for (int i = 0; i < 300; ++i)
		step_cloud(&c, sheet, &time, 1.0 / 60, -9.81, 1);
	assert_near(lm_particle_at(c.x, 1).y, -0.01, 1e-6); // the second hangs below it
	free_cloud(&c);
	lm_colliders_destroy(sheet);
	lm_mesh_destroy(mesh);
}

// Between two planes that form a gutter a particle ends in the corner of both, out of each.
static void test_corner_of_two(void** state)
{
	(void)state;
	lm_placement_key keys[2] = { { 0, { 0, 0, 0 }, { cos(0.4), 0, 0, sin(0.4) } },
		                         { 0, { 0, 0, 0 }, { cos(0.4), 0, 0, -sin(0.4) } } };
	lm_collider_def defs[2] = { lm_collider_def_default(), lm_collider_def_default() };
	for (int i = 0; i < 2; ++i)
		defs[i].keys = &keys[i], defs[i].key_count = 1;
	lm_host host = lm_host_default();
	lm_colliders* gutter;
	assert_int_equal(lm_colliders_create(defs, 2, &host, &gutter, NULL), LM_OK);
	cloud c = make_cloud(1);
	c.view.friction = 0;
	put(&c, 0, 0.3, 1, 0, 0, 0, 0);
	double time = 0, deepest = 0;
	for (int i = 0; i < 600; ++i)
		deepest = step_cloud(&c, gutter, &time, 1.0 / 60, 9.81, 1);
	assert_true(deepest < 2e-3);
	assert_near(lm_particle_at(c.x, 0).x, 0, 0.02);
	free_cloud(&c);
	lm_colliders_destroy(gutter);
}

static void test_far_from_the_world_origin(void** state)
{
	(void)state;
	lm_collider_def def = lm_collider_def_default();
	lm_placement_key key = key_at(0, 0, 1e6, 0);
	lm_colliders* plane = one_collider(def, &key, 1);
	cloud c = make_cloud(1);
	c.view.origin[1] = 1e6;
	put(&c, 0, 0, 0.1, 0, 0, 0, 0);
	double time = 0;
	for (int i = 0; i < 60; ++i)
		step_cloud(&c, plane, &time, 1.0 / 60, 9.81, 1);
	assert_near(lm_particle_at(c.x, 0).y, 0, 1e-6);
	free_cloud(&c);
	lm_colliders_destroy(plane);
}

static void test_bad_numbers_are_left_alone(void** state)
{
	(void)state;
	lm_mesh* mesh;
	lm_placement_key still = key_at(0, 0, 0, 0);
	for (int kind = 0; kind < 5; ++kind)
	{
		lm_colliders* thing = thin_thing(kind, &mesh, &still, 1);
		cloud c = make_cloud(4);
		put(&c, 0, NAN, 0, 0, 0, 0, 0);
		put(&c, 1, 0, INFINITY, 0, 0, 0, 0);
		put(&c, 2, 0.01, 0.001, 0, 1e38, -1e38, 0);
		put(&c, 3, 0, 0, 0, 0, 0, 0);
		double deepest;
		lm_contact_colliders(thing, &c.view, 0.01, 1, &deepest);
		assert_true(isfinite(deepest));
		for (int k = 8; k < 16; ++k)
			assert_true(isfinite(c.x[k]) && isfinite(c.v[k]));
		free_cloud(&c);
		lm_colliders_destroy(thing);
		lm_mesh_destroy(mesh);
	}
}

static void test_threads_give_the_same_bits(void** state)
{
	(void)state;
	lm_placement_key keys[3] = { key_at(0, 0, 0, 0),
		                         { 0, { 0, 0.5, 0 }, { 1, 0, 0, 0 } },
		                         { 1, { 0.5, 0.6, 0 }, { 0.7, 0, 0.7, 0 } } };
	lm_collider_def defs[2] = { lm_collider_def_default(), lm_collider_def_default() };
	defs[0].keys = keys, defs[0].key_count = 1;
	defs[1].keys = keys + 1, defs[1].key_count = 2, defs[1].shape = LM_SHAPE_BOX, defs[1].restitution = 0.3;
	lm_host host = lm_host_default();
	lm_colliders* colliders;
	assert_int_equal(lm_colliders_create(defs, 2, &host, &colliders, NULL), LM_OK);
	enum
	{
		n = 3000
	};
	float* first = NULL;
	double first_deepest = 0;
	int threads[3] = { 1, 2, 4 };
	for (int run = 0; run < 3; ++run)
	{
		cloud c = make_cloud(n);
		uint64_t seed = 1;
		for (int i = 0; i < n; ++i)
		{
			double x = test_random(&seed), y = test_random(&seed), z = test_random(&seed);
			put(&c, i, x, y + 1, z, y, x, 0);
		}
		double time = 0, deepest = 0;
		for (int s = 0; s < 60; ++s)
			deepest = fmax(deepest, step_cloud(&c, colliders, &time, 1.0 / 60, 9.81, threads[run]));
		if (!first)
			first = c.x, c.x = NULL, first_deepest = deepest;
		else
		{
			assert_memory_equal(first, c.x, lm_particle_numbers(c.count) * sizeof(float));
			assert_true(first_deepest == deepest);
		}
		free_cloud(&c);
	}
	free(first);
	lm_colliders_destroy(colliders);
}

static void test_free_flight_changes_nothing(void** state)
{
	(void)state;
	lm_placement_key keys[3] = { key_at(0, 0, -10, 0), key_at(0, 0, 0, 0), key_at(1, 1, 0, 0) };
	lm_collider_def defs[2] = { lm_collider_def_default(), lm_collider_def_default() };
	defs[0].keys = keys, defs[0].key_count = 1;
	defs[1].keys = keys + 1, defs[1].key_count = 2, defs[1].shape = LM_SHAPE_BOX;
	lm_host host = lm_host_default();
	lm_colliders* colliders;
	assert_int_equal(lm_colliders_create(defs, 2, &host, &colliders, NULL), LM_OK);
	cloud c = make_cloud(10000);
	for (int i = 0; i < c.count; ++i)
		put(&c, i, 0.001 * (i % 1000), 5, 0.001 * (i / 1000), 0, 0, 0);
	size_t size = lm_particle_numbers(c.count) * sizeof *c.x;
	float *x = malloc(size), *v = malloc(size);
	memcpy(x, c.x, size), memcpy(v, c.v, size);
	lm_contact_colliders(colliders, &c.view, 1.0 / 60, 1, NULL);
	assert_memory_equal(c.x, x, size);
	assert_memory_equal(c.v, v, size);
	free(x), free(v);
	free_cloud(&c);
	lm_colliders_destroy(colliders);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slope_sticks_or_slides),
		cmocka_unit_test(test_friction_is_combined),
		cmocka_unit_test(test_restitution_heights),
		cmocka_unit_test(test_rest_is_calm),
		cmocka_unit_test(test_depth_is_not_speed),
		cmocka_unit_test(test_moving_collider_carries),
		cmocka_unit_test(test_no_tunnelling),
		cmocka_unit_test(test_round_things_stop_bullets),
		cmocka_unit_test(test_sheet_holds_both_sides),
		cmocka_unit_test(test_corner_of_two),
		cmocka_unit_test(test_far_from_the_world_origin),
		cmocka_unit_test(test_bad_numbers_are_left_alone),
		cmocka_unit_test(test_threads_give_the_same_bits),
		cmocka_unit_test(test_free_flight_changes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
