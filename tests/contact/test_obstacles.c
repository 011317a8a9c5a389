// Colliders at moments of one's own: those that deform are there as often as they are asked for.
#include "shapes.h"

#include "contact/obstacles.h"

typedef struct swelling
{
	lm_mesh* mesh;
	double frames[2][24], times[2];
	lm_collider_def defs[2];
	lm_placement_key keys[3];
	lm_colliders* colliders;
} swelling;

// A box of half sides 1 .. 3 within 0 .. 2 s, and a ball that moves.
static void make(swelling* s)
{
	lm_host host = lm_host_default();
	s->mesh = box_mesh(1, 1, 1);
	for (int k = 0; k < 24; ++k)
		s->frames[0][k] = s->mesh->positions[k], s->frames[1][k] = 3 * s->mesh->positions[k];
	s->times[0] = 0, s->times[1] = 2;
	s->keys[0] = key_at(0, 1, 2, 3), s->keys[1] = key_at(0, 9, 0, 0), s->keys[2] = key_at(2, 9, 4, 0);
	s->defs[0] = s->defs[1] = lm_collider_def_default();
	s->defs[0].shape = LM_SHAPE_MESH, s->defs[0].mesh = s->mesh, s->defs[0].keys = s->keys, s->defs[0].key_count = 1;
	s->defs[0].frames = (lm_collider_frames){ .count = 2, .times = s->times, .positions = s->frames[0] };
	s->defs[1].shape = LM_SHAPE_SPHERE, s->defs[1].keys = s->keys + 1, s->defs[1].key_count = 2;
	assert_int_equal(lm_colliders_create(s->defs, 2, &host, &s->colliders, NULL), LM_OK);
}

static void drop(swelling* s)
{
	lm_colliders_destroy(s->colliders);
	lm_mesh_destroy(s->mesh);
}

// Distance to a box of half sides `half` at (1, 2, 3), from outside along x.
static void check_box(const lm_obstacle* obstacle, double half)
{
	lm_vec3 p = { 1 + half + 0.25, 2, 3 };
	lm_solid_distance d = lm_solid_query(&obstacle->solid, lm_placement_to_local(&obstacle->at, p), 10);
	assert_true(d.found);
	assert_near(d.distance, 0.25, 1e-12);
	assert_near(d.normal.x, 1, 1e-12);
}

static void they_are_where_they_are_then(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	swelling s;
	make(&s);
	lm_obstacles obstacles;
	assert_true(lm_obstacles_create(s.colliders, &host, &obstacles));
	assert_int_equal(obstacles.count, 2);
	for (int k = 20; k >= 0; --k) // back in time, too
	{
		double time = 0.1 * k;
		lm_obstacles_set_time(&obstacles, time);
		check_box(&obstacles.items[0], 1 + time);
		lm_placement ball = lm_placement_at(s.keys + 1, 2, time);
		assert_near(lm_distance(obstacles.items[1].at.position, ball.position), 0, 0);
		double speed = k > 0 ? 1 : 0;
		assert_near(lm_obstacle_velocity(&obstacles.items[0], lm_v3(5, 2, 3)).x, speed, 1e-12);
	}
	const double point[3] = { 2.25, 2, 3 }; // the colliders themselves are where they were
	assert_near(lm_colliders_query(s.colliders, point, 1).distance, 0.25, 1e-12);
	lm_obstacles_release(&obstacles);
	drop(&s);
}

static void moments_are_there_together(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	swelling s;
	make(&s);
	lm_obstacle_moments moments;
	lm_obstacle_moments_begin(s.colliders, 0.125, 2, &host, &moments);
	assert_near(moments.step, 0.125, 0);
	static lm_obstacle items[17][2];
	for (int k = 0; k < 17; ++k) // in any order
		assert_true(lm_obstacle_moments_at(&moments, 0.125 * (k * 5 % 17), items[k * 5 % 17]));
	for (int k = 0; k < 17; ++k)
		check_box(&items[k][0], 1 + 0.125 * k);
	assert_int_equal(moments.count, 17);
	lm_obstacle again[2];
	assert_true(lm_obstacle_moments_at(&moments, 0.13, again)); // the nearest step, and the exact place
	assert_ptr_equal(again[0].solid.surface, items[1][0].solid.surface);
	assert_near(again[1].at.position.y, lm_placement_at(s.keys + 1, 2, 0.13).position.y, 0);
	assert_int_equal(moments.count, 17);
	lm_obstacle_moments_release(&moments);
	drop(&s);
}

static void there_are_not_too_many(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	swelling s;
	make(&s);
	lm_obstacle_moments moments;
	lm_obstacle_moments_begin(s.colliders, 0.01, 1e6, &host, &moments);
	assert_true(moments.step > 0.01 && moments.step < 100);
	lm_obstacle_moments_release(&moments);
	lm_obstacle_moments_begin(NULL, 0.01, 1e6, &host, &moments);
	assert_near(moments.step, 0.01, 0);
	assert_true(lm_obstacle_moments_at(&moments, 1, NULL));
	lm_obstacle_moments_release(&moments);
	drop(&s);
}

static void memory_may_end(void** state)
{
	(void)state;
	swelling s;
	make(&s);
	bool done = false;
	for (int64_t n = 1; !done; ++n)
	{
		test_memory memory = { .fail_at = n };
		lm_host host = test_host(&memory);
		lm_obstacles obstacles;
		lm_obstacle_moments moments;
		lm_obstacle items[2];
		bool made = lm_obstacles_create(s.colliders, &host, &obstacles);
		lm_obstacle_moments_begin(s.colliders, 0.1, 2, &host, &moments);
		done = made;
		for (int k = 0; done && k < 20; ++k)
			done = lm_obstacle_moments_at(&moments, 0.1 * k, items);
		lm_obstacles_release(&obstacles);
		lm_obstacle_moments_release(&moments);
		assert_int_equal(memory.held, 0);
		assert_true(n < 1000);
	}
	drop(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(they_are_where_they_are_then),
		                                cmocka_unit_test(moments_are_there_together),
		                                cmocka_unit_test(there_are_not_too_many), cmocka_unit_test(memory_may_end) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
