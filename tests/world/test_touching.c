// An example whose strength answers to contact.
#include "worlds.h"

#include <unistd.h>

// Off in the air, all of it on the ground.
static lm_world* make_falling(int bodies, double gravity)
{
	lm_host host = lm_host_default();
	lm_scene* scene = lm_scene_create(&host);
	assert_true(add_ground(scene));
	for (int k = 0; k < bodies; ++k)
	{
		add_block(scene, 1000);
		lm_scene_object* object = &scene->objects[k];
		object->match->settings.gravity[1] = -gravity;
		object->name = k == 0 ? "low" : "high";
		object->position[1] = 0.1 + 0.4 * k;
		lm_scene_example* example = &object->match->examples[0];
		example->strength.values[0] = 0;
		example->answers = true, example->touching = 1, example->ease = 0.2;
	}
	return world_of(scene);
}

static double strength_of(lm_world* world, int32_t object)
{
	return lm_match_get_example(lm_world_match(world, object), 0);
}

static void strength_follows_contact(void** state)
{
	(void)state;
	lm_world* world = make_falling(1, 9.81);
	step(world, 1);
	assert_near(strength_of(world, 0), 0, 0);
	double last = 0, most = 1.0 / 24 / 0.2;
	for (int frame = 0; frame < 40; ++frame)
	{
		step(world, 1);
		double now = strength_of(world, 0);
		assert_true(fabs(now - last) <= most + 1e-12); // not faster than `ease` says
		last = now;
	}
	assert_near(last, 1, 0); // it lies there
	const double up[3] = { 0, 100, 0 };
	int32_t all[64];
	for (int32_t v = 0; v < 64; ++v)
		all[v] = v;
	lm_match* body = lm_world_match(world, 0);
	lm_match_push(body, all, lm_match_vertex_count(body), up);
	step(world, 12);
	assert_near(strength_of(world, 0), 0, 0); // it flies again
	lm_world_destroy(world);
}

// Two blocks on each other: the upper touches nothing but the lower.
static void other_bodies_count(void** state)
{
	(void)state;
	lm_world* world = make_falling(2, 9.81);
	step(world, 90);
	assert_near(strength_of(world, 0), 1, 0);
	assert_near(strength_of(world, 1), 1, 0);
	lm_world_destroy(world);
}

// On an asteroid a body presses on the ground with little force, which is all of its weight.
static void weight_is_that_of_the_scene(void** state)
{
	(void)state;
	lm_world* world = make_falling(1, 0.1);
	step(world, 240); // it bounces for long
	assert_near(strength_of(world, 0), 1, 0);
	lm_world_destroy(world);
}

static void resumes_on_the_way(void** state)
{
	(void)state;
	char path[] = "/tmp/limber-touching-XXXXXX";
	int descriptor = mkstemp(path);
	assert_true(descriptor >= 0);
	close(descriptor);
	lm_world *straight = make_falling(1, 9.81), *resumed = make_falling(1, 9.81);
	lm_error error;
	int frames = 0;
	for (; frames < 60 && !(strength_of(straight, 0) > 0 && strength_of(straight, 0) < 1); ++frames)
		step(straight, 1);
	assert_true(frames < 60);
	assert_int_equal(lm_world_save(straight, path, &error), LM_OK);
	assert_int_equal(lm_world_load(resumed, path, &error), LM_OK);
	step(straight, 10);
	step(resumed, 10);
	assert_true(lm_world_hash(straight) == lm_world_hash(resumed));
	lm_world_destroy(straight);
	lm_world_destroy(resumed);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strength_follows_contact),
		cmocka_unit_test(other_bodies_count),
		cmocka_unit_test(weight_is_that_of_the_scene),
		cmocka_unit_test(resumes_on_the_way),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
