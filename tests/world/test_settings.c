// Settings that change over time: by keys of the scene, by commands instead of them, and free again.
#include "test.h"

#include "scene/everything.h"
#include "world/worlds.h"

#include <unistd.h>

static double damping_of(lm_world* world)
{
	return lm_match_get_settings(lm_world_match(world, BLOCK)).damping;
}

static lm_keyed keys_of(lm_scene* scene, int32_t count, const double* times, const double* values)
{
	lm_keyed keys = { count, lm_scene_memory(scene, (size_t)count, 8), lm_scene_memory(scene, (size_t)count, 8) };
	memcpy(keys.times, times, (size_t)count * sizeof(double));
	memcpy(keys.values, values, (size_t)count * sizeof(double));
	return keys;
}

// A block whose damping rises within half a second, and which touches itself from 0.25 s on; an actor with more
// iterations from 0.25 s on.
static lm_world* make_keyed(int threads, const char* key)
{
	lm_host host = lm_host_default();
	host.threads = threads;
	lm_scene* scene = lm_scene_create(&host);
	assert_true(add_ground(scene));
	add_block(scene, 100);
	add_actor(scene);
	lm_keyed_setting* block = lm_scene_memory(scene, 2, sizeof *block);
	block[0] = (lm_keyed_setting){ key, keys_of(scene, 2, (double[]){ 0, 0.5 }, (double[]){ 0.2, 1.2 }) };
	block[1] = (lm_keyed_setting){ "self_contact", keys_of(scene, 2, (double[]){ 0, 0.25 }, (double[]){ 0, 1 }) };
	scene->objects[BLOCK].match->keyed = (lm_keyed_settings){ 2, block };
	lm_keyed_setting* actor = lm_scene_memory(scene, 1, sizeof *actor);
	*actor = (lm_keyed_setting){ "iterations", keys_of(scene, 2, (double[]){ 0, 0.25 }, (double[]){ 3, 7 }) };
	scene->objects[ACTOR].act->keyed = (lm_keyed_settings){ 1, actor };
	lm_world* world = NULL;
	lm_error error;
	lm_status status = lm_world_create(scene, &host, &world, &error);
	assert_true(status == LM_OK || strstr(error.message, "has no setting") != NULL);
	lm_scene_destroy(scene);
	return world;
}

static void settings_follow_their_keys(void** state)
{
	(void)state;
	lm_world* world = make_keyed(1, "damping");
	for (int f = 0; f < 16; ++f)
	{
		step(world, 1);
		double begins = (f + 0.75) / 24; // the last of four steps
		assert_near(damping_of(world), begins < 0.5 ? 0.2 + 2 * begins : 1.2, 1e-12);
		assert_int_equal(lm_match_get_settings(lm_world_match(world, BLOCK)).self_contact, f >= 6);
		assert_int_equal(lm_act_get_settings(lm_world_act(world, ACTOR)).most_iterations, f >= 6 ? 7 : 3);
	}
	lm_world_destroy(world);
	assert_null(make_keyed(1, "ring"));
}

static lm_command setting(lm_command_kind kind, const char* key, double value)
{
	lm_command command = lm_command_default(kind);
	strcpy(command.key, key);
	command.value[0] = value;
	return command;
}

static void commands_override_keys_until_they_free_them(void** state)
{
	(void)state;
	lm_world* world = make_keyed(1, "damping");
	lm_command set = setting(LM_COMMAND_SET, "damping", 1.5), other = setting(LM_COMMAND_SET, "friction", 0.9);
	tell(world, &set), tell(world, &other);
	step(world, 3);
	assert_near(damping_of(world), 1.5, 0);
	set.kind = other.kind = LM_COMMAND_FREE;
	tell(world, &set), tell(world, &other);
	assert_near(lm_match_get_settings(lm_world_match(world, BLOCK)).friction, 0.5, 0); // what it was made with
	step(world, 1);
	assert_near(damping_of(world), 0.2 + 2 * 3.75 / 24, 1e-12);
	lm_command wrong = setting(LM_COMMAND_FREE, "dampin", 0);
	lm_error error;
	assert_int_equal(lm_world_command(world, &wrong, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "did you mean \"damping\"?"));
	lm_world_destroy(world);
}

// The same for any number of threads and across a checkpoint, also of what was told.
static uint64_t run(int threads, bool by_file)
{
	lm_world* world = make_keyed(threads, "damping");
	lm_command set = setting(LM_COMMAND_SET, "damping", 1.5);
	step(world, 3);
	tell(world, &set);
	step(world, 3);
	if (by_file)
	{
		char path[] = "/tmp/limber-settings-XXXXXX";
		int descriptor = mkstemp(path);
		assert_true(descriptor >= 0);
		close(descriptor);
		assert_int_equal(lm_world_save(world, path, NULL), LM_OK);
		lm_world_destroy(world);
		world = make_keyed(threads, "damping");
		assert_int_equal(lm_world_load(world, path, NULL), LM_OK);
		remove(path);
	}
	step(world, 3);
	assert_near(damping_of(world), 1.5, 0);
	set.kind = LM_COMMAND_FREE;
	tell(world, &set);
	step(world, 6);
	uint64_t hash = lm_world_hash(world);
	lm_world_destroy(world);
	return hash;
}

static void keyed_runs_repeat(void** state)
{
	(void)state;
	uint64_t hash = run(1, false);
	assert_true(run(2, false) == hash && run(1, true) == hash);
}

// Numbers of goals over time, too: a goal without weight is none, and keys that never change are a constant.
static double pulled(const lm_keyed* weight)
{
	lm_host host = lm_host_default();
	lm_scene* scene = lm_scene_create(&host);
	assert_true(add_ground(scene));
	add_actor(scene);
	lm_scene_goal* goal = lm_scene_memory(scene, 1, sizeof *goal);
	*goal = (lm_scene_goal){ .group = "", .axis_names = "", .axes = { true }, .kd = 1, .weight = 1, .end = -1 };
	goal->velocity = keys_of(scene, 1, (double[]){ 0 }, (double[]){ 0 });
	goal->velocity.values = lm_scene_memory(scene, 3, sizeof(double));
	goal->velocity.values[0] = 1;
	if (weight != NULL)
	{
		goal->keyed = (lm_keyed_settings){ 1, lm_scene_memory(scene, 1, sizeof *goal->keyed.items) };
		goal->keyed.items[0] = (lm_keyed_setting){ "weight", *weight };
	}
	scene->objects[0].act->goals = goal, scene->objects[0].act->goal_count = 1;
	lm_world* world;
	assert_int_equal(lm_world_create(scene, &host, &world, NULL), LM_OK);
	step(world, 12);
	double center[3];
	lm_act_center(lm_world_act(world, 0), center);
	lm_world_destroy(world);
	lm_scene_destroy(scene);
	return center[0];
}

static void weights_of_goals_change(void** state)
{
	(void)state;
	double times[] = { 0, 9 }, none[] = { 0, 0 }, all[] = { 1, 1 }, rising[] = { 0, 18 };
	double free_of = pulled(&(lm_keyed){ 2, times, none }), whole = pulled(NULL);
	assert_true(whole > free_of + 0.01);
	assert_near(pulled(&(lm_keyed){ 2, times, all }), whole, 0);
	double between = pulled(&(lm_keyed){ 2, times, rising });
	assert_true(between > free_of + 0.001 && between != whole);
}

// ---- in scene files ----

static lm_scene* parse(const char* settings, lm_problems* problems)
{
	char text[500];
	snprintf(text, sizeof text,
	         "{ \"limber\": 1, \"objects\": [ { \"engine\": \"match\", \"mesh\": \"bar.msh\", \"match\": %s } ] }",
	         settings);
	lm_scene_files files = fake_files();
	lm_host host = lm_host_default();
	lm_scene* scene = NULL;
	lm_scene_parse("scene.json", text, strlen(text), &files, &host, &scene, problems);
	return scene;
}

static void scenes_give_keys_instead_of_numbers(void** state)
{
	(void)state;
	lm_problems problems;
	lm_scene* scene = parse("{ \"beta\": [[0, 0.9], [1.5, 0.98]], \"gravity\": [[0, 0, -9, 0], [2, 0, 9, 0]], "
	                        "\"self_contact\": [[0, false], [1, true]], \"damping\": 0.3 }",
	                        &problems);
	assert_non_null(scene);
	const lm_scene_match* match = scene->objects[0].match;
	assert_int_equal(match->keyed.count, 3);
	assert_string_equal(match->keyed.items[0].key, "beta");
	assert_near(match->keyed.items[0].keys.values[1], 0.98, 0);
	assert_near(match->settings.beta, 0.9, 0); // it is made with the first
	assert_near(match->settings.gravity[1], -9, 0);
	assert_near(match->keyed.items[1].keys.values[4], 9, 0);
	assert_true(!match->settings.self_contact && match->keyed.items[2].keys.values[1] == 1);
	lm_scene_destroy(scene);
	lm_problems_release(&problems);
}

static void refused(const char* settings, const char* part)
{
	lm_problems problems;
	assert_null(parse(settings, &problems));
	assert_int_equal(problems.count, 1);
	char text[1400];
	lm_error_format(&problems.items[0], text, sizeof text);
	if (strstr(text, part) == NULL)
		fail_msg("\"%s\" is not in \"%s\"", part, text);
	lm_problems_release(&problems);
}

static void wrong_keys_are_named(void** state)
{
	(void)state;
	refused("{ \"beta\": [[0, 0.9], [1, 7]] }", "match.beta[1][1]: is 7, must be between 0 and 1");
	refused("{ \"beta\": [[1, 0.9], [1, 0.5]] }", "times must ascend");
	refused("{ \"beta\": [[1, 0.9, 0.5]] }", "must be a key [time, value]");
	refused("{ \"beta\": [0.9] }", "must be a number");
	refused("{ \"self_contact\": [[0, 1]] }", "must be true or false");
	refused("{ \"self_contact\": 3 }", "true or false or keys [[time, true], ...]");
	refused("{ \"gravity\": [[0, 1]] }", "must be a key [time, x, y, z]");
	refused("{ \"ring\": [[0, 1]] }", "must be a whole number");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_follow_their_keys),
		cmocka_unit_test(commands_override_keys_until_they_free_them),
		cmocka_unit_test(keyed_runs_repeat),
		cmocka_unit_test(weights_of_goals_change),
		cmocka_unit_test(scenes_give_keys_instead_of_numbers),
		cmocka_unit_test(wrong_keys_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
