// Objects of `design` in scenes: reading, worlds, checkpoints, files of handles.
#include "test.h"

#include "everything.h"
#include "limber/world.h"

#define FOLDER LIMBER_BUILD "/test_scene_design"

static lm_host host;

static lm_scene* parse(const char* text, lm_problems* problems)
{
	lm_scene_files files = fake_files();
	lm_scene* scene = NULL;
	lm_scene_parse("test.json", text, strlen(text), &files, &host, &scene, problems);
	return scene;
}

static void every_value_arrives(void** state)
{
	(void)state;
	lm_scene* scene = everything_scene(&host);
	const lm_scene_object* o = &scene->objects[scene->object_count - 1];
	const lm_scene_design* d = o->design;
	assert_string_equal(o->engine, "design");
	assert_int_equal(o->mesh->vertex_count, 8); // the surface itself, no lattice
	assert_int_equal(d->nodes, 12);
	assert_int_equal(d->voxels, 2000);
	assert_int_equal(d->frames, 9);
	assert_near(d->radius, 0.5, 0);
	assert_near(d->pose.handles, 200, 0);
	assert_near(d->pose.volume, 20, 0);
	assert_near(d->motion.strain, 2, 0);
	assert_near(d->motion.volume, 3, 0);
	assert_near(d->motion.acceleration, 0.01, 0);
	assert_near(d->motion.obstacles, 500, 0);
	assert_near(d->motion.objects, 600, 0);
	assert_near(d->motion.margin, 0.03, 0);
	assert_near(d->motion.accuracy, 0.1, 0);
	assert_near(d->motion.tolerance, 0.01, 0);
	assert_true(d->motion.one_by_one);
	assert_int_equal(d->key_count, 5);
	assert_non_null(d->keys[0].pose);
	assert_near(d->keys[0].end, 0.5, 0);
	assert_true(d->keys[1].broken && d->keys[1].has_position && d->keys[1].has_rotation);
	assert_int_equal(d->keys[1].handle_count, 3);
	assert_int_equal(d->keys[1].handles[0].count, 4);
	assert_int_equal(d->keys[1].handles[1].vertices[1], 1);
	assert_near(d->keys[1].handles[1].weight, 2, 0);
	assert_near(d->keys[1].handles[1].by[1], 1, 0);
	assert_int_equal(d->keys[1].handles[2].vertices[0], 7);
	assert_true(d->keys[1].handles[2].has_to);
	assert_int_equal(d->keys[2].count, 4);
	assert_true(d->keys[3].via);
	assert_near(d->velocities[0].angular[2], 6, 0);
	assert_int_equal(d->velocities[0].count, 4);
	assert_int_equal(d->simulated_count, 1);
	assert_near(d->simulated[0].from, 1.1, 0);
	assert_near(d->simulated[0].until, 1.4, 0);
	assert_near(d->dynamics.secondary, 0.5, 0);
	assert_near(d->dynamics.frequency, 6, 0);
	assert_near(d->dynamics.damping, 0.2, 0);
	assert_near(d->dynamics.friction, 0.7, 0);
	assert_near(d->dynamics.release, 0.3, 0);
	assert_near(d->rate, 120, 0);
	lm_scene_destroy(scene);
}

static void problems_are_reported(void** state)
{
	(void)state;
	static const struct
	{
		const char *design, *where, *words;
	} cases[] = {
		{ "\"nodes\": 2", "objects[0].design.nodes", "must be" },
		{ "\"keys\": [{}]", "objects[0].design.keys[0].time", "missing" },
		{ "\"keys\": [{\"time\": 99}]", "objects[0].design.keys[0].time", "ends at" },
		{ "\"keys\": [{\"time\": 0.5}, {\"time\": 0.5}]", "objects[0].design.keys[1].time", "one place at a time" },
		{ "\"keys\": [{\"time\": 0, \"until\": 0.5}, {\"time\": 0.5}]", "objects[0].design.keys[1].time",
		  "keys[0] is held until 0.5 s" },
		{ "\"keys\": [{\"time\": 0.5}, {\"time\": 0, \"until\": 0.75}]", "objects[0].design.keys[1].until",
		  "keys[0] is at 0.5 s" },
		{ "\"keys\": [{\"time\": 0.5, \"until\": 0.1}]", "objects[0].design.keys[0].until", "before" },
		{ "\"keys\": [{\"time\": 0, \"via\": true}]", "objects[0].design.keys", "whole object" },
		{ "\"keys\": [{\"time\": 0}, {\"time\": 0.2, \"group\": \"toes\"}]", "objects[0].design.keys[1].group",
		  "toes" },
		{ "\"keys\": [{\"time\": 0, \"handles\": [{\"by\": [0, 1, 0]}]}]", "objects[0].design.keys[0].handles[0]",
		  "one of group" },
		{ "\"keys\": [{\"time\": 0, \"handles\": [{\"group\": \"front\", \"by\": [0, 1, 0], \"to\": [0, 0, 0]}]}]",
		  "objects[0].design.keys[0].handles[0]", "both by and to" },
		{ "\"keys\": [{\"time\": 0, \"handles\": [{\"group\": \"frond\"}]}]",
		  "objects[0].design.keys[0].handles[0].group", "front" },
		{ "\"simulate\": [{}]", "objects[0].design.simulate[0].from", "missing" },
		{ "\"simulate\": [{\"from\": 1}]", "objects[0].design.simulate[0].from", "the scene ends at 1" },
		{ "\"simulate\": [{\"from\": 0.5, \"until\": 0.5}]", "objects[0].design.simulate[0].until", "after from" },
		{ "\"simulate\": [{\"from\": 0.2}, {\"from\": 0.5}]", "objects[0].design.simulate[1].from", "make it one" },
		{ "\"keys\": [{\"time\": 0}, {\"time\": 0.6}], \"simulate\": [{\"from\": 0.5}]",
		  "objects[0].design.keys[1].time", "simulated (simulate[0])" },
		{ "\"keys\": [{\"time\": 0, \"until\": 0.6}], \"simulate\": [{\"from\": 0.5}]",
		  "objects[0].design.keys[0].time", "simulated" },
		{ "\"velocities\": [{\"time\": 0.6}], \"simulate\": [{\"from\": 0.5}]", "objects[0].design.velocities[0].time",
		  "simulated" },
		{ "\"keys\": [{\"time\": 0}], \"simulate\": [{\"from\": 0.5, \"until\": 0.7}]", "objects[0].design.keys",
		  "between 0.7 and 1 s" },
		{ "\"secondary\": -1", "objects[0].design.secondary", "must be" },
		{ "\"keys\": [{\"time\": 0, \"pose\": \"bar-moved.obj\"}]", "objects[0].design.keys[0].pose", "" },
	};
	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c)
	{
		char text[1024];
		lm_problems problems;
		snprintf(text, sizeof text,
		         "{\"limber\": 1, \"seconds\": 1, \"objects\": [{\"engine\": \"design\", \"mesh\": \"cube.obj\", "
		         "\"design\": {%s}}]}",
		         cases[c].design);
		assert_null(parse(text, &problems));
		bool found = false;
		for (int32_t i = 0; i < problems.count; ++i)
			found |= strcmp(problems.items[i].where, cases[c].where) == 0 &&
			         strstr(problems.items[i].message, cases[c].words) != NULL;
		if (!found)
			fail_msg("%s: %s: %s", cases[c].design, problems.items[0].where, problems.items[0].message);
		lm_problems_release(&problems);
	}
}

static const char moving[] =
	"{\"limber\": 1, \"fps\": 10, \"seconds\": 1, \"colliders\": [{\"shape\": \"sphere\", \"radius\": 0.4, "
	"\"position\": [2.2, 0.6, 0.5]}],"
	"\"objects\": [{\"name\": \"a\", \"engine\": \"design\", \"mesh\": \"cube.obj\", \"design\": {\"nodes\": 12, "
	"\"voxels\": 1000, \"frames\": 8, \"keys\": [{\"time\": 0}, {\"time\": 1, \"position\": [4, 0, 0]}]}}, "
	"{\"name\": \"b\", \"engine\": \"design\", \"mesh\": \"cube.obj\", \"position\": [4, 0, 3], \"design\": "
	"{\"nodes\": "
	"12, \"voxels\": 1000, \"frames\": 8, \"secondary\": 1, \"rate\": 60, \"simulate\": [{\"from\": 0.9}], "
	"\"keys\": [{\"time\": 0}, {\"time\": 0.9, \"handles\": [{\"group\": "
	"\"back\"}, "
	"{\"group\": \"front\", \"by\": [0, 0.3, 0.2]}]}]}}]}";

static lm_world* make_world(int threads)
{
	lm_problems problems;
	lm_scene* scene = parse(moving, &problems);
	lm_host own = host;
	lm_world* world = NULL;
	lm_error error = { 0 };
	own.threads = threads;
	assert_non_null(scene);
	if (lm_world_create(scene, &own, &world, &error) != LM_OK)
		fail_msg("%s", error.message);
	lm_scene_destroy(scene);
	lm_problems_release(&problems);
	return world;
}

static void steps(lm_world* world, int count)
{
	lm_error error = { 0 };
	for (int i = 0; i < count; ++i)
		if (lm_world_step(world, &error) != LM_OK)
			fail_msg("%s", error.message);
}

// The same for any number of threads, and when it is interrupted: the motion is in the checkpoint.
static void worlds_resume(void** state)
{
	(void)state;
	lm_world *whole = make_world(1), *threaded = make_world(2), *first = make_world(1), *second = make_world(1);
	steps(whole, 10);
	steps(threaded, 10);
	assert_true(lm_world_hash(whole) == lm_world_hash(threaded));
	steps(first, 4);
	assert_int_equal(lm_world_save(first, FOLDER "/half.checkpoint", NULL), LM_OK);
	assert_int_equal(lm_world_load(second, FOLDER "/half.checkpoint", NULL), LM_OK);
	assert_true(lm_world_hash(first) == lm_world_hash(second));
	steps(second, 6);
	assert_true(lm_world_hash(whole) == lm_world_hash(second));
	lm_world_surface_view view = lm_world_surface(whole, 0);
	assert_int_equal(view.vertex_count, 8);
	assert_near(view.positions[0], 4, 1e-9); // at its last key
	char* statistics = lm_world_statistics(whole, 0);
	assert_non_null(strstr(statistics, "obstacle_depth"));
	lm_text_free(&host, statistics);
	lm_world_destroy(whole);
	lm_world_destroy(threaded);
	lm_world_destroy(first);
	lm_world_destroy(second);
}

static void surfaces_without_inside_are_reported(void** state)
{
	(void)state;
	lm_problems problems;
	lm_scene* scene =
		parse("{\"limber\": 1, \"objects\": [{\"engine\": \"design\", \"mesh\": \"square.obj\"}]}", &problems);
	lm_world* world;
	lm_error error = { 0 };
	assert_non_null(scene);
	assert_int_equal(lm_world_create(scene, &host, &world, &error), LM_OK);
	for (int prepare = 0; prepare < 2; ++prepare)
	{
		assert_int_equal((prepare ? lm_world_prepare : lm_world_check)(world, &error), LM_BAD_INPUT);
		assert_non_null(strstr(error.message, "no inside"));
		assert_string_equal(error.where, "objects[0].mesh");
	}
	lm_world_destroy(world);
	lm_scene_destroy(scene);
	lm_problems_release(&problems);
}

// In a moment that a collider has come to where it is: told before any motion is found, and nothing is lost with it.
static void keys_in_obstacles_are_reported(void** state)
{
	(void)state;
	lm_problems problems;
	lm_scene* scene = parse(
		"{\"limber\": 1, \"fps\": 10, \"seconds\": 2, \"colliders\": [{\"shape\": \"plane\"}, {\"shape\": \"box\", "
		"\"half\": "
		"[1, 1, 1], \"keys\": [{\"time\": 0, \"position\": [9, 3, 0]}, {\"time\": 2, \"position\": [5, 3, 0]}]}], "
		"\"objects\": [{\"engine\": \"design\", \"mesh\": \"cube.obj\", \"position\": [0, 2, 0], \"design\": "
		"{\"nodes\": 12, "
		"\"voxels\": 1000}}, {\"engine\": \"design\", \"mesh\": \"cube.obj\", \"design\": {\"nodes\": 12, \"voxels\": "
		"1000, "
		"\"simulate\": [{\"from\": 0.5, \"until\": 1}], \"keys\": [{\"time\": 0.5, \"position\": [5, 3, 0]}, "
		"{\"time\": 2, "
		"\"position\": [4.5, 3, 0]}]}}]}",
		&problems);
	assert_non_null(scene);
	lm_status status = LM_NO_MEMORY;
	for (int64_t n = 1; status == LM_NO_MEMORY; n += 1 + n / 8)
	{
		test_memory memory = { 0 };
		lm_host own = test_host(&memory);
		lm_world* world = NULL;
		lm_error error = { 0 };
		assert_int_equal(lm_world_create(scene, &own, &world, &error), LM_OK);
		uint64_t before = lm_world_hash(world);
		memory.fail_at = memory.requests + n;
		status = lm_world_check(world, &error);
		assert_true(lm_world_hash(world) == before);
		if (status != LM_NO_MEMORY)
		{
			assert_int_equal(status, LM_BAD_INPUT);
			assert_string_equal(error.where, "objects[1].design.keys[1]");
			assert_non_null(strstr(error.message, "m inside colliders[1] at 2 s; move it out"));
		}
		lm_world_destroy(world);
		assert_int_equal(memory.held, 0);
	}
	lm_scene_destroy(scene);
	lm_problems_release(&problems);
}

static void handles_come_from_files(void** state)
{
	(void)state;
	const char* path = FOLDER "/handles.json";
	lm_mesh* mesh = fake_surface(&host);
	lm_scene_handle* handles = NULL;
	int32_t count = 0;
	lm_design_pose_settings settings;
	lm_problems problems;
	assert_int_equal(lm_text_write(path,
	                               "{\"volume\": 3, \"handles\": [{\"vertices\": [0, 1]}, {\"near\": [1, 1, 1], "
	                               "\"by\": [0, 1, 0]}]}",
	                               &host, NULL),
	                 LM_OK);
	assert_int_equal(lm_handles_read(path, mesh, &host, &handles, &count, &settings, &problems), LM_OK);
	assert_int_equal(count, 2);
	assert_int_equal(handles[1].vertices[0], 7);
	assert_near(settings.volume, 3, 0);
	lm_handles_free(&host, handles, count);
	lm_problems_release(&problems);
	static const char* const bad[] = { "{",
		                               "[]",
		                               "{}",
		                               "{\"handles\": [{\"vertices\": [99]}]}",
		                               "{\"handles\": [{\"group\": \"none\"}]}",
		                               "{\"handles\": [{}], \"wight\": 1}" };
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
	{
		assert_int_equal(lm_text_write(path, bad[i], &host, NULL), LM_OK);
		assert_int_equal(lm_handles_read(path, mesh, &host, &handles, &count, &settings, &problems), LM_BAD_INPUT);
		assert_true(problems.count > 0 && problems.items[0].message[0] != 0);
		lm_problems_release(&problems);
	}
	assert_int_equal(lm_handles_read(FOLDER "/none.json", mesh, &host, &handles, &count, &settings, &problems),
	                 LM_BAD_INPUT);
	lm_problems_release(&problems);
	lm_mesh_destroy(mesh);
}

int main(void)
{
	host = lm_host_default();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_value_arrives),     cmocka_unit_test(problems_are_reported),
		cmocka_unit_test(worlds_resume),           cmocka_unit_test(surfaces_without_inside_are_reported),
		cmocka_unit_test(handles_come_from_files), cmocka_unit_test(keys_in_obstacles_are_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
