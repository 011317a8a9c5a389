// Objects that step together take the steps of the one that needs most, whatever the scene says.
#include "meeting.h"

#include "act/scenes.h"
#include "worlds.h"

// Of object i, as the statistics tell.
static int substeps_of(lm_world* world, int i)
{
	lm_host host = lm_host_default();
	char *text = lm_world_statistics(world, 0), *at = text;
	static const char key[] = "\"substeps\": ";
	for (int k = 0; k <= i; ++k)
	{
		at = strstr(at, key);
		assert_non_null(at);
		at += sizeof key - 1;
	}
	int found = atoi(at);
	lm_text_free(&host, text);
	return found;
}

static lm_scene_object* add_sheet(lm_scene* scene, const char* name, double height, int substeps)
{
	lm_scene_object* cloth = lm_scene_add_object(scene, name, "track");
	cloth->mesh = make_sheet(&scene->host, 5, 0.06);
	cloth->position[0] = -0.05, cloth->position[1] = height, cloth->position[2] = 0.25;
	cloth->substeps = substeps, cloth->track->settings.thickness = 0.008;
	return cloth;
}

static void cloths_that_touch(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_scene* scene = lm_scene_create(&host);
	scene->fps = 30;
	assert_true(add_ground(scene));
	add_sheet(scene, "lower", 0.03, 2), add_sheet(scene, "upper", 0.06, 3);
	add_sheet(scene, "ghost", 0.5, 1)->touch_off = true;
	lm_world* world = world_of(scene);
	for (int f = 0; f < 10; ++f)
	{
		step(world, 1);
		assert_int_equal(lm_track_intersections_between(lm_world_track(world, 0), lm_world_track(world, 1)), 0);
	}
	assert_int_equal(substeps_of(world, 0), 3);
	assert_int_equal(substeps_of(world, 1), 3);
	assert_int_equal(substeps_of(world, 2), 1);
	lm_world_destroy(world);
}

// A body of `act` with so many steps wears cloth; another one of `act` is far away.
static lm_world* make_worn(int leader, int cloth, int other)
{
	lm_host host = lm_host_default();
	lm_scene* scene = lm_scene_create(&host);
	scene->fps = 30;
	assert_true(add_ground(scene));
	meeting m = meeting_default("act", "act");
	m.substeps = leader;
	add_meeting_body(scene, &m, "body", "act", 100, false);
	lm_scene_object* worn = add_sheet(scene, "cloth", 0.22, cloth);
	worn->track->guide.object = "body", worn->track->guide.bind = LM_GUIDE_GARMENT, worn->track->regions = 4;
	m.substeps = other;
	add_meeting_body(scene, &m, "other", "act", 100, false)->position[0] = 3;
	return world_of(scene);
}

static void what_is_led(void** state)
{
	(void)state;
	const int cases[][6] = { // leader, cloth, other: given, and taken
		                     { 3, 4, 1, 4, 4, 4 },
		                     { 6, 4, 2, 6, 6, 6 },
		                     { 6, 2, 6, 6, 2, 6 },
		                     { 2, 2, 5, 5, 5, 5 }
	};
	for (int c = 0; c < 4; ++c)
	{
		lm_world* world = make_worn(cases[c][0], cases[c][1], cases[c][2]);
		step(world, 3);
		for (int i = 0; i < 3; ++i)
			assert_int_equal(substeps_of(world, i), cases[c][3 + i]);
		assert_int_equal(lm_track_intersections(lm_world_track(world, 1)), 0);
		lm_world_destroy(world);
	}
}

// At 10 frames per second bodies that meet need five steps at least (world/meet.h).
static void what_meets(void** state)
{
	(void)state;
	for (int apart = 0; apart < 2; ++apart)
	{
		lm_host host = lm_host_default();
		lm_scene* scene = lm_scene_create(&host);
		scene->fps = 10;
		assert_true(add_ground(scene));
		meeting m = meeting_default("act", "match");
		add_meeting_body(scene, &m, "lower", "act", 100, false);
		lm_scene_object* upper = add_meeting_body(scene, &m, "upper", "match", 100, false);
		upper->position[1] = MEETING_SIZE + 0.005, upper->touch_off = apart == 1;
		lm_world* world = world_of(scene);
		step(world, 1);
		assert_int_equal(substeps_of(world, 0), apart ? 2 : 5);
		assert_int_equal(substeps_of(world, 1), apart ? 2 : 5);
		lm_world_destroy(world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cloths_that_touch),
		cmocka_unit_test(what_is_led),
		cmocka_unit_test(what_meets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
