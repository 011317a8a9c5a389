// Particles pushed out several at once (particle_simd.h) and one by one (particle_general.c) have to end the same.
#include "shapes.h"

#include "contact/particle_job.h"

#define COUNT 4096

typedef struct cloud
{
	float x[3 * COUNT], v[3 * COUNT], inverse_mass[COUNT];
	lm_particles view;
} cloud;

static cloud* make_cloud(void)
{
	cloud* c = calloc(1, sizeof *c);
	assert_non_null(c);
	c->view = (lm_particles){ .count = COUNT, .x = c->x, .v = c->v, .inverse_mass = c->inverse_mass };
	return c;
}

static cloud* copy_cloud(const cloud* from)
{
	cloud* c = make_cloud();
	*c = *from;
	c->view.x = c->x, c->view.v = c->v, c->view.inverse_mass = c->inverse_mass;
	return c;
}

static const double h = 1.0 / 60;

static lm_collider_def shape_def(lm_shape shape)
{
	lm_collider_def def = lm_collider_def_default();
	def.shape = shape, def.radius = 0.4, def.half_length = 0.5;
	def.half[0] = 0.7, def.half[1] = 0.3, def.half[2] = 0.5;
	return def;
}

// A collider that flies and turns, or stands still, `far` from the origin of the world.
static lm_colliders* one_shape(lm_shape shape, bool moves, double far)
{
	lm_collider_def def = shape_def(shape);
	def.friction = 0.6, def.restitution = 0.3;
	lm_placement_key keys[2] = { { 0, { far, 0, -far }, { 0.9, 0.1, 0.3, -0.2 } },
		                         { 1, { far + 2, 1, -far - 1 }, { 0.5, -0.6, 0.1, 0.4 } } };
	return one_collider(def, keys, moves ? 2 : 1);
}

// Half of them start on the surface, as what rests does; the others anywhere, also inside or on the far side.
static void scatter_particles(cloud* c, const lm_colliders* colliders, double time, uint64_t seed)
{
	const lm_collider* item = &colliders->items[0];
	lm_placement before = lm_placement_at(item->keys, item->key_count, time - h);
	lm_vec3 half = item->solid.half;
	for (int i = 0; i < COUNT; ++i)
	{
		lm_vec3 local = { test_random(&seed), test_random(&seed), test_random(&seed) };
		if (i % 2) // on faces: on an edge rounding decides where a way went in
		{
			local = lm_v3(0.95 * half.x * local.x, 0.95 * half.y * local.y, 0.95 * half.z * local.z);
			lm_solid_distance at = lm_solid_query(&item->solid, local, INFINITY);
			local = lm_add_scaled(local, c->view.thickness - at.distance, at.normal);
		}
		lm_vec3 start = lm_placement_to_world(&before, local);
		double speed = i % 8 == 0 ? 60 : i % 8 < 4 ? 5 : 0.5;
		for (int k = 0; k < 3; ++k)
		{
			float* v = &c->v[lm_particle_place(i, k)];
			*v = (float)(speed * test_random(&seed));
			c->x[lm_particle_place(i, k)] = (float)(lm_v3_get(start, k) - c->view.origin[k] + h * (double)*v);
		}
		c->inverse_mass[i] = i % 97 ? 1 : 0;
	}
}

static double difference(const float* a, const float* b)
{
	double most = 0;
	for (int k = 0; k < 3 * COUNT; ++k)
		most = fmax(most, fabs((double)a[k] - (double)b[k]));
	return most;
}

// Ends of both ways agree but for rounding, and the machines to the last bit. Returns how many were pushed.
static int compare_ways(const cloud* start, const lm_colliders* colliders)
{
	cloud *general = copy_cloud(start), *plain = copy_cloud(start), *best = copy_cloud(start);
	double deepest[3];
	lm_contact_colliders_by(NULL, colliders, &general->view, h, 1, &deepest[0]);
	lm_contact_colliders_by(lm_push_simd_plain, colliders, &plain->view, h, 1, &deepest[1]);
	lm_contact_colliders_by(lm_find_push_simd(LM_SIMD_AUTO), colliders, &best->view, h, 1, &deepest[2]);
	assert_true(difference(general->x, plain->x) < 1e-6);
	assert_true(difference(general->v, plain->v) < 2e-5);
	assert_near(deepest[0], deepest[1], 1e-6);
	assert_memory_equal(plain->x, best->x, sizeof plain->x);
	assert_memory_equal(plain->v, best->v, sizeof plain->v);
	assert_true(deepest[1] == deepest[2]);
	int pushed = 0;
	for (int i = 0; i < COUNT; ++i)
		pushed += lm_distance(lm_particle_at(start->x, i), lm_particle_at(plain->x, i)) != 0;
	free(general), free(plain), free(best);
	return pushed;
}

static void assert_all_out(const cloud* start, const lm_colliders* colliders)
{
	cloud* c = copy_cloud(start);
	lm_contact_colliders(colliders, &c->view, h, 1, NULL);
	for (int i = 0; i < COUNT; ++i)
	{
		const double point[3] = { c->view.origin[0] + c->x[lm_particle_place(i, 0)],
			                      c->view.origin[1] + c->x[lm_particle_place(i, 1)],
			                      c->view.origin[2] + c->x[lm_particle_place(i, 2)] };
		assert_true(c->inverse_mass[i] == 0 ||
		            lm_colliders_query(colliders, point, INFINITY).distance > c->view.thickness - 2e-6);
	}
	free(c);
}

static void test_ways_agree(void** state)
{
	(void)state;
	const lm_shape shapes[4] = { LM_SHAPE_PLANE, LM_SHAPE_SPHERE, LM_SHAPE_BOX, LM_SHAPE_CAPSULE };
	cloud* c = make_cloud();
	for (int s = 0; s < 4; ++s)
		for (int variant = 0; variant < 8; ++variant)
		{
			double far = variant & 4 ? 1e4 : 0, time = 0.4;
			lm_colliders* colliders = one_shape(shapes[s], variant & 1, far);
			lm_colliders_set_time(colliders, time);
			c->view.thickness = variant & 2 ? 0.03 : 0;
			c->view.friction = 0.5, c->view.restitution = 0.1 * variant;
			c->view.origin[0] = far, c->view.origin[2] = -far;
			scatter_particles(c, colliders, time, (uint64_t)(10 * s + variant + 1));
			assert_true(compare_ways(c, colliders) > COUNT / 10);
			assert_all_out(c, colliders);
			lm_colliders_destroy(colliders);
		}
	free(c);
}

// Counts of every remainder modulo the lanes of vectors: the ways agree, and what lies behind the last stays.
static void test_every_count(void** state)
{
	(void)state;
	cloud* c = make_cloud();
	lm_colliders* colliders = one_shape(LM_SHAPE_BOX, false, 0);
	lm_colliders_set_time(colliders, 0);
	scatter_particles(c, colliders, 0, 5);
	for (int less = 1; less <= 16; ++less)
	{
		c->view.count = COUNT - less;
		assert_true(compare_ways(c, colliders) > COUNT / 10);
		cloud* pushed = copy_cloud(c);
		lm_contact_colliders(colliders, &pushed->view, h, 1, NULL);
		for (int i = COUNT - less; i < COUNT; ++i)
			for (int k = 0; k < 3; ++k)
				assert_true(pushed->x[lm_particle_place(i, k)] == c->x[lm_particle_place(i, k)]);
		free(pushed);
	}
	lm_colliders_destroy(colliders);
	free(c);
}

// Several colliders, some of them meshes, that overlap: a push may lead from one into another.
static void test_ways_agree_among_many(void** state)
{
	(void)state;
	lm_mesh* mesh = box_mesh(0.3, 0.3, 0.3);
	lm_collider_def defs[40];
	lm_placement_key keys[40];
	for (int k = 0; k < 40; ++k)
	{
		double angle = 0.4 * k;
		defs[k] = shape_def(
			(lm_shape[]){ LM_SHAPE_BOX, LM_SHAPE_SPHERE, LM_SHAPE_CAPSULE, LM_SHAPE_MESH, LM_SHAPE_PLANE }[k % 5]);
		defs[k].friction = 0.2 * (k % 4), defs[k].restitution = 0.1 * (k % 3), defs[k].mesh = mesh;
		defs[k].keys = &keys[k], defs[k].key_count = 1;
		keys[k] = (lm_placement_key){ 0, { 0.8 * k, 0.1 * k, k % 3 }, { cos(angle), 0, 0, sin(angle) } };
		if (defs[k].shape == LM_SHAPE_PLANE) // low, so that some is left above it
			keys[k] = key_at(0, 0, -0.1 - 0.01 * k, 0);
	}
	cloud* c = make_cloud();
	c->view.friction = 0.4;
	const int counts[4] = { 2, 3, 5, 40 }; // 40 is more than a job holds
	for (int n = 0; n < 4; ++n)
	{
		lm_host host = lm_host_default();
		lm_colliders* colliders;
		assert_int_equal(lm_colliders_create(defs, counts[n], &host, &colliders, NULL), LM_OK);
		scatter_particles(c, colliders, 0, (uint64_t)(n + 1));
		assert_true(compare_ways(c, colliders) > COUNT / 10);
		lm_colliders_destroy(colliders);
	}
	free(c);
	lm_mesh_destroy(mesh);
}

static int count_left(const lm_particle_job* job, int64_t begin, int of, int step)
{
	int count = 0;
	lm_chunk_set left = { 0 };
	lm_find_push_simd(LM_SIMD_AUTO)(job, begin, begin + LM_PARTICLE_CHUNK, &left);
	for (int64_t i = of; i < LM_PARTICLE_CHUNK; i += step)
		count += left.bits[i / 64] >> i % 64 & 1;
	return count;
}

// Nearly all particles that meet one convex collider take the SIMD path, above all those on its surface.
static void test_most_need_no_general_path(void** state)
{
	(void)state;
	const lm_shape shapes[4] = { LM_SHAPE_PLANE, LM_SHAPE_SPHERE, LM_SHAPE_BOX, LM_SHAPE_CAPSULE };
	cloud *c = make_cloud(), *same = make_cloud();
	for (int s = 0; s < 4; ++s)
	{
		lm_colliders* colliders = one_shape(shapes[s], true, 0);
		lm_colliders_set_time(colliders, 0.5);
		scatter_particles(c, colliders, 0.5, 3);
		memcpy(same->x, c->x, sizeof c->x);
		lm_particle_job job = { .colliders = colliders, .particles = &c->view, .h = h };
		lm_prepare_mover(&job, &colliders->items[0], &job.movers[0]);
		int all = 0, on_surface = 0;
		for (int64_t begin = 0; begin < COUNT; begin += LM_PARTICLE_CHUNK)
		{
			cloud* again = copy_cloud(c);
			job.particles = &again->view;
			on_surface += count_left(&job, begin, 1, 2);
			job.particles = &c->view;
			all += count_left(&job, begin, 0, 1);
			free(again);
		}
		assert_true(memcmp(same->x, c->x, sizeof c->x) != 0);
		assert_true(all < COUNT / 20);
		assert_true(on_surface < COUNT / 2 / 20);
		lm_colliders_destroy(colliders);
	}
	free(c), free(same);
}

// Particles that are not finite do not change their neighbours.
static void test_one_bad_particle_is_alone(void** state)
{
	(void)state;
	static const float bad[3] = { INFINITY, -INFINITY, NAN };
	lm_placement_key key = key_at(0, 0, 0, 0);
	lm_colliders* plane = one_collider(shape_def(LM_SHAPE_PLANE), &key, 1);
	cloud* c = make_cloud();
	for (int k = 0; k < 3; ++k)
	{
		memset(c->x, 0, sizeof c->x);
		for (int i = 0; i < 16; ++i) // under the plane
			c->inverse_mass[i] = 1, c->x[lm_particle_place(i, 0)] = 3, c->x[lm_particle_place(i, 1)] = -5;
		c->x[lm_particle_place(3, 0)] = bad[k];
		c->view.count = 16;
		lm_contact_colliders(plane, &c->view, h, 1, NULL);
		for (int i = 0; i < 16; ++i)
			if (i != 3)
			{
				const double point[3] = { c->x[lm_particle_place(i, 0)], c->x[lm_particle_place(i, 1)],
					                      c->x[lm_particle_place(i, 2)] };
				assert_near(lm_colliders_query(plane, point, INFINITY).distance, 0, 2e-6);
			}
	}
	free(c);
	lm_colliders_destroy(plane);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ways_agree),
		cmocka_unit_test(test_every_count),
		cmocka_unit_test(test_ways_agree_among_many),
		cmocka_unit_test(test_most_need_no_general_path),
		cmocka_unit_test(test_one_bad_particle_is_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
