#include "shapes.h"

#define SAMPLES 2000

static lm_vec3 random_vector(uint64_t* state, double scale)
{
	double x = test_random(state), y = test_random(state), z = test_random(state);
	return lm_v3(scale * x, scale * y, scale * z);
}

static lm_touch query(const lm_colliders* colliders, lm_vec3 p, double reach)
{
	double point[3] = { p.x, p.y, p.z };
	return lm_colliders_query(colliders, point, reach);
}

// Distance by search over many points of the surface of the shape.
static double nearest_sample(const lm_vec3* samples, int count, lm_vec3 p)
{
	double best = INFINITY;
	for (int i = 0; i < count; ++i)
		best = fmin(best, lm_distance(samples[i], p));
	return best;
}

// The normal is the gradient of the distance; stepping back by the distance lands on the surface.
static void check_gradient(const lm_colliders* colliders, lm_vec3 p, bool sheet)
{
	lm_touch touch = query(colliders, p, 100);
	assert_int_equal(touch.collider, 0);
	lm_vec3 n = lm_v3_at(touch.normal, 0);
	assert_near(lm_length(n), 1, 1e-12);
	double step = 1e-6;
	lm_vec3 axes[3] = { { step, 0, 0 }, { 0, step, 0 }, { 0, 0, step } };
	double slope[3], curvature = 0;
	for (int k = 0; k < 3; ++k)
	{
		double ahead = query(colliders, lm_add(p, axes[k]), 100).distance;
		double back = query(colliders, lm_sub(p, axes[k]), 100).distance;
		slope[k] = (ahead - back) / (2 * step);
		curvature = fmax(curvature, fabs(ahead + back - 2 * touch.distance));
	}
	if (curvature < 1e-9) // not across a medial axis, where the gradient jumps
		for (int k = 0; k < 3; ++k)
			assert_near(slope[k], touch.normal[k], 1e-4);
	lm_vec3 foot = lm_add_scaled(p, -touch.distance, n);
	assert_near(query(colliders, foot, 100).distance, 0, sheet ? 1e-12 : 1e-12);
}

static void test_primitives_match_search(void** state)
{
	(void)state;
	lm_placement_key key = { 0, { 0.3, -0.2, 0.5 }, { 0.8, 0.1, -0.5, 0.3 } };
	lm_shape shapes[4] = { LM_SHAPE_SPHERE, LM_SHAPE_BOX, LM_SHAPE_CAPSULE, LM_SHAPE_PLANE };
	for (int s = 0; s < 4; ++s)
	{
		lm_collider_def def = lm_collider_def_default();
		def.shape = shapes[s], def.radius = 0.7, def.half_length = 0.9;
		def.half[0] = 0.4, def.half[1] = 0.8, def.half[2] = 0.6;
		lm_colliders* colliders = one_collider(def, &key, 1);
		uint64_t seed = 7;
		for (int i = 0; i < SAMPLES; ++i)
			check_gradient(colliders, random_vector(&seed, 2), false);
		lm_colliders_destroy(colliders);
	}
}

// Independent of the code under test: points spread on the surfaces, inside by the definition of the shape.
static void test_primitives_match_samples(void** state)
{
	(void)state;
	lm_placement_key key = key_at(0, 0, 0, 0);
	static lm_vec3 samples[20000];
	for (int s = 0; s < 3; ++s)
	{
		lm_collider_def def = lm_collider_def_default();
		def.shape = s == 0 ? LM_SHAPE_SPHERE : s == 1 ? LM_SHAPE_BOX : LM_SHAPE_CAPSULE;
		def.radius = 0.5, def.half_length = 0.6, def.half[0] = 0.3, def.half[1] = 0.5, def.half[2] = 0.4;
		uint64_t seed = 11;
		for (int i = 0; i < 20000; ++i)
		{
			lm_vec3 r = random_vector(&seed, 1), u = lm_normalize_or(r, lm_v3(1, 0, 0));
			if (s == 0)
				samples[i] = lm_scale(0.5, u);
			else if (s == 1)
			{
				double q[3] = { r.x, r.y, r.z };
				q[i % 3] = i / 3 % 2 ? 1 : -1;
				samples[i] = lm_v3(0.3 * q[0], 0.5 * q[1], 0.4 * q[2]);
			}
			else
			{
				lm_vec3 around = lm_normalize_or(lm_v3(u.x, 0, u.z), lm_v3(1, 0, 0));
				samples[i] = i % 2 ? lm_add(lm_v3(0, u.y > 0 ? 0.6 : -0.6, 0), lm_scale(0.5, u))
				                   : lm_add(lm_v3(0, 0.6 * r.y, 0), lm_scale(0.5, around));
			}
		}
		lm_colliders* colliders = one_collider(def, &key, 1);
		for (int i = 0; i < 100; ++i)
		{
			lm_vec3 p = random_vector(&seed, 1.2);
			lm_touch touch = query(colliders, p, 100);
			assert_near(fabs(touch.distance), nearest_sample(samples, 20000, p), 0.02);
			double core = fmin(fmax(p.y, -0.6), 0.6);
			bool inside = s == 0   ? lm_length(p) < 0.5
			              : s == 1 ? fabs(p.x) < 0.3 && fabs(p.y) < 0.5 && fabs(p.z) < 0.4
			                       : lm_distance(p, lm_v3(0, core, 0)) < 0.5;
			assert_int_equal(touch.distance < 0, inside);
		}
		lm_colliders_destroy(colliders);
	}
}

static void test_degenerate_points(void** state)
{
	(void)state;
	lm_placement_key key = key_at(0, 0, 0, 0);
	for (int s = LM_SHAPE_PLANE; s <= LM_SHAPE_CAPSULE; ++s)
	{
		lm_collider_def def = lm_collider_def_default();
		def.shape = (lm_shape)s;
		lm_colliders* colliders = one_collider(def, &key, 1);
		lm_touch touch = query(colliders, lm_v3(0, 0, 0), 1);
		assert_int_equal(touch.collider, 0);
		assert_near(lm_length(lm_v3_at(touch.normal, 0)), 1, 1e-15);
		assert_near(touch.distance, s == LM_SHAPE_PLANE ? 0 : -0.5, 1e-15);
		assert_int_equal(query(colliders, lm_v3(NAN, 0, 0), 1).collider, -1);
		assert_int_equal(query(colliders, lm_v3(0, 2.1, 0), 1).collider, -1);
		assert_true(isfinite(query(colliders, lm_v3(1e12, -1e12, 1e12), 1e13).distance));
		lm_colliders_destroy(colliders);
	}
}

static void test_mesh_matches_box(void** state)
{
	(void)state;
	lm_placement_key key = { 0, { 0.1, 0.2, -0.3 }, { 0.5, 0.5, -0.1, 0.7 } };
	lm_collider_def def = lm_collider_def_default();
	lm_mesh* mesh = box_mesh(0.4, 0.8, 0.6);
	def.shape = LM_SHAPE_MESH, def.mesh = mesh;
	lm_colliders* meshed = one_collider(def, &key, 1);
	for (int t = 0; t < 12; ++t) // the same, turned inside out
	{
		int32_t swap = mesh->triangles[3 * t];
		mesh->triangles[3 * t] = mesh->triangles[3 * t + 1], mesh->triangles[3 * t + 1] = swap;
	}
	lm_colliders* turned = one_collider(def, &key, 1);
	def.shape = LM_SHAPE_BOX, def.half[0] = 0.4, def.half[1] = 0.8, def.half[2] = 0.6;
	lm_colliders* boxed = one_collider(def, &key, 1);
	uint64_t seed = 3;
	for (int i = 0; i < SAMPLES; ++i)
	{
		lm_vec3 p = random_vector(&seed, 1.5);
		lm_touch a = query(meshed, p, 100), b = query(boxed, p, 100), c = query(turned, p, 100);
		assert_near(a.distance, b.distance, 1e-12);
		assert_near(a.distance, c.distance, 1e-12);
		for (int k = 0; k < 3 && a.distance > 1e-9; ++k)
			assert_near(a.normal[k], b.normal[k], 1e-9);
		assert_int_equal(query(meshed, p, 0.1).collider, b.distance < 0.1 ? 0 : -1);
	}
	lm_colliders_destroy(turned);
	lm_colliders_destroy(meshed);
	lm_colliders_destroy(boxed);
	lm_mesh_destroy(mesh);
}

static void test_mesh_split_vertices_close(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh *box = box_mesh(1, 1, 1), *split = lm_mesh_create(&host, 36, 12, 0);
	for (int k = 0; k < 36; ++k)
	{
		split->triangles[k] = k;
		lm_v3_store(split->positions, k, lm_v3_at(box->positions, box->triangles[k]));
	}
	lm_contact_surface* surface = lm_contact_surface_create(split, false, &host);
	assert_true(lm_contact_surface_closed(surface));
	lm_contact_surface_destroy(surface);
	split->triangle_count = 11; // a hole
	surface = lm_contact_surface_create(split, false, &host);
	assert_false(lm_contact_surface_closed(surface));
	lm_contact_surface_destroy(surface);
	lm_mesh_destroy(box);
	lm_mesh_destroy(split);
}

// A box that swells: at any time it is as the box of that size, and its surface has the velocity of the swelling.
static void test_mesh_deforms(void** state)
{
	(void)state;
	lm_mesh* mesh = box_mesh(1, 1, 1);
	double frames[3][24], times[3] = { 1, 2, 4 };
	const double sizes[3] = { 1, 1.5, 0.5 };
	for (int k = 0; k < 72; ++k)
		frames[k / 24][k % 24] = sizes[k / 24] * mesh->positions[k % 24];
	lm_placement_key key = key_at(0, 1, 2, 3);
	lm_collider_def def = lm_collider_def_default();
	def.shape = LM_SHAPE_MESH, def.mesh = mesh,
	def.frames = (lm_collider_frames){ .count = 3, .times = times, .positions = frames[0] };
	lm_colliders* meshed = one_collider(def, &key, 1);
	const double at[6] = { 0, 1.25, 2, 3, 4, 9 }, size[6] = { 1, 1.125, 1.5, 1, 0.5, 0.5 };
	const double speed[6] = { 0, 0.5, 0.5, -0.5, -0.5, 0 };
	uint64_t seed = 11;
	for (int k = 0; k < 6; ++k)
	{
		lm_collider_def box = lm_collider_def_default();
		box.shape = LM_SHAPE_BOX, box.half[0] = box.half[1] = box.half[2] = size[k];
		lm_colliders* boxed = one_collider(box, &key, 1);
		lm_colliders_set_time(meshed, at[k]);
		for (int i = 0; i < 200; ++i)
		{
			lm_vec3 p = lm_add(lm_v3(1, 2, 3), random_vector(&seed, 2));
			assert_near(query(meshed, p, 100).distance, query(boxed, p, 100).distance, 1e-12);
		}
		lm_touch top = query(meshed, lm_v3(1, 2 + size[k] + 0.1, 3), 1);
		assert_near(top.velocity[1], speed[k] * 1, 1e-12);
		lm_colliders_destroy(boxed);
	}
	lm_colliders_destroy(meshed);
	lm_error error;
	lm_host host = lm_host_default();
	def.keys = &key, def.key_count = 1;
	times[2] = 2;
	assert_int_equal(lm_colliders_create(&def, 1, &host, &meshed, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "times must ascend"));
	times[2] = 4, frames[1][5] = NAN;
	assert_int_equal(lm_colliders_create(&def, 1, &host, &meshed, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "vertex 1 has a coordinate of"));
	lm_mesh_destroy(mesh);
}

static void test_sheet_has_two_sides(void** state)
{
	(void)state;
	lm_placement_key key = key_at(0, 0, 0, 0);
	lm_collider_def def = lm_collider_def_default();
	lm_mesh* mesh = sheet_mesh(4, 1);
	def.shape = LM_SHAPE_MESH, def.mesh = mesh;
	lm_colliders* colliders = one_collider(def, &key, 1);
	uint64_t seed = 5;
	for (int i = 0; i < 500; ++i)
	{
		lm_vec3 p = random_vector(&seed, 0.9);
		lm_touch touch = query(colliders, p, 2);
		assert_near(touch.distance, fabs(p.y), 1e-12);
		assert_near(touch.normal[1], p.y > 0 ? 1 : -1, 1e-9);
		check_gradient(colliders, random_vector(&seed, 3), true);
	}
	lm_colliders_destroy(colliders);
	lm_mesh_destroy(mesh);
}

// ---- motion

static void test_motion_through_keys(void** state)
{
	(void)state;
	lm_placement_key keys[4] = { { 0.5, { 0, 0, 0 }, { 1, 0, 0, 0 } },
		                         { 0.9, { 1, 2, 0 }, { 0.9, 0.1, 0.4, 0 } },
		                         { 2.0, { 1, 0, 3 }, { 0.2, 0.5, -0.4, 0.6 } },
		                         { 2.1, { -1, 0, 1 }, { -2, 0, 0, 0.1 } } };
	lm_collider_def def = lm_collider_def_default();
	def.shape = LM_SHAPE_SPHERE;
	lm_colliders* colliders = one_collider(def, keys, 4);
	double position[3], rotation[4];
	for (int k = 0; k < 4; ++k)
	{
		lm_colliders_set_time(colliders, keys[k].time);
		lm_colliders_placement(colliders, 0, position, rotation);
		for (int i = 0; i < 3; ++i)
			assert_near(position[i], keys[k].position[i], 1e-12);
	}
	// velocities are derivatives of the placements, and continuous across the keys
	for (int s = 0; s < 200; ++s)
	{
		double time = 0.3 + 0.01 * s + 0.0031, step = 1e-6;
		lm_placement a = lm_placement_at(keys, 4, time - step), b = lm_placement_at(keys, 4, time + step),
					 c = lm_placement_at(keys, 4, time);
		lm_vec3 linear = lm_scale(0.5 / step, lm_sub(b.position, a.position));
		assert_near(lm_distance(linear, c.linear), 0, 1e-6 * (1 + lm_length(linear)));
		lm_vec3 p = { 0.3, 1.2, -0.4 };
		lm_vec3 moved = lm_scale(0.5 / step, lm_sub(lm_placement_to_world(&b, p), lm_placement_to_world(&a, p)));
		lm_vec3 expected = lm_placement_velocity(&c, lm_placement_to_world(&c, p));
		assert_near(lm_distance(moved, expected), 0, 1e-6 * (1 + lm_length(moved)));
	}
	for (int k = 1; k < 3; ++k)
	{
		lm_placement a = lm_placement_at(keys, 4, keys[k].time - 1e-9),
					 b = lm_placement_at(keys, 4, keys[k].time + 1e-9);
		assert_near(lm_distance(a.linear, b.linear), 0, 1e-4);
	}
	for (int side = 0; side < 2; ++side) // rests before and after
	{
		lm_placement rest = lm_placement_at(keys, 4, side ? 3 : 0.2);
		assert_near(lm_length(rest.linear) + lm_length(rest.angular), 0, 0);
		assert_near(lm_distance(rest.position, lm_v3_at(keys[side ? 3 : 0].position, 0)), 0, 0);
	}
	lm_colliders_destroy(colliders);
}

static void test_two_keys_move_uniformly(void** state)
{
	(void)state;
	lm_placement_key keys[2] = { { 0, { 0, 0, 0 }, { 1, 0, 0, 0 } }, { 2, { 4, 0, 0 }, { 0, 0, 1, 0 } } };
	for (double time = 0.1; time < 2; time += 0.1)
	{
		lm_placement at = lm_placement_at(keys, 2, time);
		assert_near(at.position.x, 2 * time, 1e-12);
		assert_near(at.linear.x, 2, 1e-12);
		assert_near(at.angular.y, 3.14159265358979 / 2, 1e-12);
	}
}

static void test_deepest_of_several(void** state)
{
	(void)state;
	lm_placement_key keys[3] = { key_at(0, 0, 0, 0), key_at(0, 0.3, 0, 0), key_at(0, 5, 0, 0) };
	lm_collider_def defs[3];
	for (int i = 0; i < 3; ++i)
	{
		defs[i] = lm_collider_def_default();
		defs[i].shape = LM_SHAPE_SPHERE, defs[i].keys = &keys[i], defs[i].key_count = 1;
		defs[i].friction = 0.1 * (i + 1), defs[i].restitution = 0.2 * i;
	}
	lm_host host = lm_host_default();
	lm_colliders* colliders;
	assert_int_equal(lm_colliders_create(defs, 3, &host, &colliders, NULL), LM_OK);
	assert_int_equal(lm_colliders_count(colliders), 3);
	lm_touch touch = query(colliders, lm_v3(0.25, 0, 0), 1);
	assert_int_equal(touch.collider, 1);
	assert_near(touch.distance, -0.45, 1e-12);
	assert_near(touch.friction, 0.2, 0);
	assert_near(touch.restitution, 0.2, 0);
	assert_int_equal(query(colliders, lm_v3(0.1, 0, 0), 1).collider, 0);
	assert_int_equal(query(colliders, lm_v3(4, 0, 0), 1).collider, 2);
	assert_int_equal(query(colliders, lm_v3(2.5, 0, 0), 1).collider, -1);
	lm_colliders_destroy(colliders);
}

// ---- bad input and memory

static void expect_refused(lm_collider_def def, const char* part)
{
	lm_host host = lm_host_default();
	lm_colliders* colliders = NULL;
	lm_error error;
	assert_int_equal(lm_colliders_create(&def, 1, &host, &colliders, &error), LM_BAD_INPUT);
	assert_null(colliders);
	assert_string_equal(error.where, "colliders[0]");
	if (!strstr(error.message, part))
	{
		print_error("\"%s\" lacks \"%s\"\n", error.message, part);
		fail();
	}
	assert_int_equal(lm_colliders_create(&def, 1, &host, &colliders, NULL), LM_BAD_INPUT);
	assert_int_equal(lm_colliders_create(NULL, 1, &host, &colliders, &error), LM_BAD_INPUT);
	assert_string_equal(error.message, "there are 1 colliders, and no array of them; give an array of as many, or 0");
	assert_int_equal(lm_colliders_create(&def, -1, &host, &colliders, &error), LM_BAD_INPUT);
}

static void test_bad_input(void** state)
{
	(void)state;
	lm_placement_key keys[2] = { key_at(0, 0, 0, 0), key_at(1, 0, 0, 0) };
	lm_collider_def good = lm_collider_def_default(), def;
	good.keys = keys, good.key_count = 2;
	double wrong[4] = { 0, -1, NAN, INFINITY };
	for (int i = 0; i < 4; ++i)
	{
		def = good, def.shape = LM_SHAPE_SPHERE, def.radius = wrong[i], expect_refused(def, "radius of the sphere");
		def = good, def.shape = LM_SHAPE_CAPSULE, def.radius = wrong[i], expect_refused(def, "radius of the capsule");
		def = good, def.shape = LM_SHAPE_BOX, def.half[2] = wrong[i], expect_refused(def, "half[2]");
	}
	def = good, def.shape = LM_SHAPE_CAPSULE, def.half_length = -1, expect_refused(def, "half_length");
	def = good, def.shape = (lm_shape)17, expect_refused(def, "shape 17 is unknown");
	def = good, def.friction = -0.1, expect_refused(def, "friction");
	def = good, def.restitution = 1.1, expect_refused(def, "restitution");
	def = good, def.key_count = 0, expect_refused(def, "no keys");
	keys[1].time = 0, expect_refused(good, "not after key 0");
	keys[1].time = NAN, expect_refused(good, "time of key 1");
	keys[1] = key_at(1, 0, INFINITY, 0), expect_refused(good, "position of key 1");
	keys[1] = key_at(1, 0, 0, 0), keys[1].rotation[0] = 0, expect_refused(good, "rotation of key 1");
	keys[1].rotation[0] = NAN, expect_refused(good, "rotation of key 1");
}

static void test_bad_meshes(void** state)
{
	(void)state;
	lm_placement_key key = key_at(0, 0, 0, 0);
	lm_collider_def def = lm_collider_def_default();
	lm_host host = lm_host_default();
	def.keys = &key, def.key_count = 1, def.shape = LM_SHAPE_MESH;
	expect_refused(def, "has no mesh");
	lm_mesh* empty = lm_mesh_create(&host, 4, 0, 0);
	def.mesh = empty, expect_refused(def, "no triangles");
	lm_mesh* flat = lm_mesh_create(&host, 3, 1, 0);
	flat->triangles[1] = 1, flat->triangles[2] = 2;
	def.mesh = flat, expect_refused(def, "has any area");
	lm_mesh* box = box_mesh(1, 1, 1);
	def.mesh = box;
	box->triangles[5] = 8, expect_refused(def, "names vertex 8");
	box->triangles[5] = 0, box->positions[4] = NAN, expect_refused(def, "vertex 1");
	lm_mesh_destroy(empty);
	lm_mesh_destroy(flat);
	lm_mesh_destroy(box);
}

static void test_memory_fails_in_turn(void** state)
{
	(void)state;
	lm_placement_key key = key_at(0, 0, 0, 0);
	lm_mesh* mesh = box_mesh(1, 1, 1);
	lm_collider_def defs[2] = { lm_collider_def_default(), lm_collider_def_default() };
	defs[1].shape = LM_SHAPE_MESH, defs[1].mesh = mesh;
	defs[0].keys = defs[1].keys = &key, defs[0].key_count = defs[1].key_count = 1;
	bool done = false;
	for (int64_t n = 1; !done; ++n)
	{
		test_memory memory = { .fail_at = n };
		lm_host host = test_host(&memory);
		lm_colliders* colliders = NULL;
		lm_error error;
		lm_status status = lm_colliders_create(defs, 2, &host, &colliders, &error);
		done = status == LM_OK;
		assert_int_equal(status, done ? LM_OK : LM_NO_MEMORY);
		assert_true(done == (colliders != NULL));
		assert_true(!done || n > 6);
		lm_colliders_destroy(colliders);
		assert_int_equal(memory.held, 0);
	}
	lm_colliders_destroy(NULL);
	lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_primitives_match_search),
		cmocka_unit_test(test_primitives_match_samples),
		cmocka_unit_test(test_degenerate_points),
		cmocka_unit_test(test_mesh_matches_box),
		cmocka_unit_test(test_mesh_split_vertices_close),
		cmocka_unit_test(test_mesh_deforms),
		cmocka_unit_test(test_sheet_has_two_sides),
		cmocka_unit_test(test_motion_through_keys),
		cmocka_unit_test(test_two_keys_move_uniformly),
		cmocka_unit_test(test_deepest_of_several),
		cmocka_unit_test(test_bad_input),
		cmocka_unit_test(test_bad_meshes),
		cmocka_unit_test(test_memory_fails_in_turn),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
