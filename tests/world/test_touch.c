// `touch`: who touches whom, within an engine and with colliders.
#include "meeting.h"

#include "worlds.h"

// Boxes of 0.2 m on each other at rest; how far the mean of the upper one is above that of the lower after a while.
static double height_difference(const char* engine, bool apart, bool list)
{
	lm_host host = lm_host_default();
	lm_scene* scene = lm_scene_create(&host);
	assert_true(add_ground(scene));
	meeting m = meeting_default(engine, engine);
	add_meeting_body(scene, &m, "lower", engine, 100, false);
	lm_scene_object* upper = add_meeting_body(scene, &m, "upper", engine, 100, false);
	upper->position[1] = MEETING_SIZE + m.drop;
	upper->touch_off = apart && !list;
	if (list)
	{
		upper->touch = lm_scene_memory(scene, 1, sizeof *upper->touch), upper->touch_count = 1;
		upper->touch[0] = apart ? "upper" : "lower";
	}
	lm_world* world;
	assert_int_equal(lm_world_create(scene, &host, &world, NULL), LM_OK);
	lm_scene_destroy(scene);
	step(world, 12);
	double found = height(world, 1) - height(world, 0);
	lm_world_destroy(world);
	return found;
}

static void bodies_of_one_engine(void** state)
{
	(void)state;
	const char* const engines[] = { "match", "act" };
	for (int e = 0; e < 2; ++e)
		for (int list = 0; list < 2; ++list)
		{
			assert_true(height_difference(engines[e], false, list) > 0.15);
			assert_true(height_difference(engines[e], true, list) < 0.1);
		}
}

// A body of each engine above a plate, which only the object called `named` touches (NULL: none).
static lm_world* above_plate(const char* engine, const char* named)
{
	lm_host host = lm_host_default();
	lm_scene* scene = lm_scene_create(&host);
	assert_true(add_ground(scene));
	scene->colliders[0].position[1] = -1;
	lm_placement_key* below = (lm_placement_key*)scene->colliders[0].def.keys;
	below->position[1] = -1;
	lm_scene_collider* plate = lm_scene_add_collider(scene, "plate");
	plate->def.shape = LM_SHAPE_BOX;
	plate->def.half[0] = plate->def.half[2] = 1, plate->def.half[1] = 0.05;
	lm_placement_key* key = lm_scene_memory(scene, 1, sizeof *key);
	*key = (lm_placement_key){ .position = { 0, -0.05, 0 }, .rotation = { 1, 0, 0, 0 } };
	plate->def.keys = key, plate->def.key_count = 1;
	plate->touch_off = named == NULL;
	if (named != NULL)
	{
		plate->touch = lm_scene_memory(scene, 1, sizeof *plate->touch), plate->touch_count = 1;
		plate->touch[0] = named;
	}
	if (strcmp(engine, "track") == 0)
	{
		lm_scene_object* cloth = lm_scene_add_object(scene, "body", "track");
		cloth->mesh = make_sheet(&scene->host, 3, 0.06);
		cloth->position[1] = 0.02;
		cloth->track->settings.thickness = 0.008;
	}
	else
	{
		meeting m = meeting_default(engine, engine);
		add_meeting_body(scene, &m, "body", engine, 100, false)->position[1] = 0.005;
	}
	return world_of(scene);
}

static void colliders(void** state)
{
	(void)state;
	const char* const engines[] = { "match", "act", "track" };
	for (int e = 0; e < 3; ++e)
		for (int k = 0; k < 2; ++k)
		{
			lm_world* world = above_plate(engines[e], k == 0 ? "body" : NULL);
			step(world, 9); // falls 0.44 m
			double found = height(world, 0);
			if (k == 0 ? found < -0.01 : found > -0.2)
				fail_msg("%s is at %g m", engines[e], found);
			lm_world_destroy(world);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bodies_of_one_engine),
		cmocka_unit_test(colliders),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
