// A take written as a scene: the same motion to the bit, for all engines that take commands and all kinds of commands.
#include "test.h"

#include "world/files.h"
#include "world/worlds.h"

#include <unistd.h>

static const char folder_form[] = "/tmp/limber-take-scene-XXXXXX";

// A scene with a timeline of its own, whatever commands override: pins, drags, pushes, keyed strengths and settings,
// behaviours.
static const char document[] =
	"{ \"limber\": 1, \"fps\": 24, \"seconds\": 9, \"colliders\": [ { \"shape\": \"plane\" } ],\n"
	"  \"objects\": [\n"
	"    { \"name\": \"block\", \"engine\": \"match\", \"mesh\": \"block.msh\", \"position\": [0, 0.5, 0], "
	"\"substeps\": 3,\n"
	"      \"pins\": [ { \"vertices\": [0], \"start\": 0.2, \"end\": 0.9, \"offset\": [[0, 0, 0, 0], [1, 0, 0.3, 0]] } "
	"],\n"
	"      \"drags\": [ { \"vertices\": [3, 4, 7], \"target\": [[0, 0.1, 0.6, 0], [2, 0.4, 0.9, 0.1]], \"start\": 0.5 "
	"} ],\n"
	"      \"pushes\": [ { \"time\": 0.7, \"impulse\": [1, 1, 0] } ],\n"
	"      \"match\": { \"damping\": [[0, 0.1], [1.7, 0.6]], \"beta\": 0.9, \"self_contact\": [[0, false], [1.2, "
	"true]],\n"
	"        \"examples\": [ { \"mesh\": \"tall.msh\", \"strength\": [[0, 0], [1.3, 1], [1.6, 0.2]] }, \"tall.msh\" ] "
	"} },\n"
	"    { \"name\": \"actor\", \"engine\": \"act\", \"mesh\": \"actor.obj\", \"position\": [3, 0, 0], \"substeps\": "
	"2,\n"
	"      \"lattice\": false, \"act\": { \"model\": \"solid2\", \"control\": \"full\",\n"
	"        \"commands\": [ { \"do\": \"hop\", \"start\": 0.4, \"end\": 1.1, \"velocity\": [0.3, 1.2, 0] } ] } },\n"
	"    { \"name\": \"cloth\", \"engine\": \"track\", \"mesh\": \"cloth.obj\", \"position\": [-3, 0.5, 0], "
	"\"substeps\": 2,\n"
	"      \"pins\": [ { \"vertices\": [0, 1], \"end\": 1 } ], \"track\": { \"bend\": [[0, 1e-4], [2, 1e-3]] } } ] }\n";

static void write_files(const char* folder)
{
	lm_host host = lm_host_default();
	lm_mesh* tall = test_block(&host, 3, 3, 3, 0.1);
	for (int32_t v = 0; v < tall->vertex_count; ++v)
		tall->positions[3 * v + 1] *= 1.5;
	write_mesh(folder, "block.msh", test_block(&host, 3, 3, 3, 0.1));
	write_mesh(folder, "tall.msh", tall);
	write_mesh(folder, "actor.obj", scene_rectangle(&host, 3, 3, 0.2));
	write_mesh(folder, "cloth.obj", make_sheet(&host, 4, 0.1));
	write_text(folder, "scene.json", document);
}

// ---- random performances ----

static const double middles[PARTS][3] = { { 0.15, 0.6, 0.15 }, { 3.3, 0.3, 0 }, { -2.8, 0.5, -0.2 } };

static double between(uint64_t* seed, double low, double high)
{
	return low + (high - low) * uniform(seed);
}

static lm_command random_command(uint64_t* seed)
{
	static const char* const keys[PARTS][4] = { { "damping", "beta", "gravity", "self_contact" },
		                                        { "friction", "iterations", "damping", "exact" },
		                                        { "bend", "damping", "friction", "iterations" } };
	static const double values[PARTS][4] = { { 1, 1, -9, 1 }, { 1, 9, 0.02, 1 }, { 2e-3, 0.01, 0.6, 150 } };
	lm_command command = lm_command_default((lm_command_kind)(uniform(seed) * 9));
	int32_t o = command.object = (int32_t)(uniform(seed) * PARTS);
	command.id = (int32_t)(uniform(seed) * 5);
	command.triangle = (int32_t)(uniform(seed) * 30);
	command.place[0] = 0.5 * uniform(seed), command.place[1] = 0.5, command.place[2] = 0.5 - command.place[0];
	command.radius = uniform(seed) < 0.5 ? 0 : 0.2;
	for (int c = 0; c < 3; ++c)
		command.to[c] = command.kind == LM_COMMAND_PUSH ? between(seed, -0.02, 0.02)
		                                                : middles[command.id % PARTS][c] + between(seed, -0.1, 0.1);
	command.example = (int32_t)(uniform(seed) * 3) - 1, command.strength = uniform(seed);
	int k = (int)(uniform(seed) * 4);
	if (command.kind == LM_COMMAND_SET || (command.kind == LM_COMMAND_FREE && uniform(seed) < 0.5))
		strcpy(command.key, keys[o][k]);
	bool flag = strcmp(keys[o][k], "self_contact") == 0 || strcmp(keys[o][k], "exact") == 0;
	bool whole = strcmp(keys[o][k], "iterations") == 0;
	double share = uniform(seed);
	command.value[0] = flag ? share < 0.5 : whole ? floor(values[o][k] * (1 + share)) / 2 : values[o][k] * share;
	command.value[0] = whole ? floor(command.value[0]) + 1 : command.value[0];
	command.value[1] = -9 * share;
	command.act = lm_act_command_default((lm_act_behaviour)(uniform(seed) * 8));
	command.act.velocity[0] = between(seed, -0.5, 0.5);
	command.act.has_place = uniform(seed) < 0.3;
	command.act.place[0] = between(seed, 2.5, 4);
	return command;
}

enum
{
	FRAMES = 60
};

// commands that were carried out, by object and kind, and behaviours: the test must not miss any
static int told[PARTS][9], done[8];

static lm_take* record(lm_world* world, uint64_t seed, uint64_t* hashes, uint64_t* positions)
{
	lm_take* take;
	lm_error error;
	assert_int_equal(lm_take_create(world, &take, &error), LM_OK);
	for (int f = 0; f < FRAMES; ++f)
	{
		for (int c = 0; c < 3; ++c)
		{
			lm_command command = random_command(&seed);
			int32_t of = command.object;
			double place[3], target[3];
			if ((command.kind == LM_COMMAND_MOVE || command.kind == LM_COMMAND_RELEASE) &&
			    !lm_world_handle(world, command.id, &of, place, target))
				continue;
			if (command.kind == LM_COMMAND_MOVE && of != command.id % PARTS) // not a world away
				continue;
			bool good = lm_take_command(take, world, &command, &error) == LM_OK;
			told[of][command.kind] += good;
			done[command.act.behaviour] += good && command.kind == LM_COMMAND_DO;
		}
		if (lm_take_step(take, world, &error) != LM_OK)
			fail_msg("%s", error.message);
		hashes[f] = lm_world_motion_hash(world);
		positions[f] = positions_hash(world);
	}
	assert_int_equal(lm_take_mark(take, world, &error), LM_OK);
	return take;
}

static char* write_take(const char* folder, lm_take* take, double thin, const char* name)
{
	lm_world* world = read_world(folder, "scene.json", 1);
	char* text = NULL;
	lm_error error;
	if (lm_take_scene(take, world, document, strlen(document), thin, &text, &error) != LM_OK)
		fail_msg("%s", error.message);
	write_text(folder, name, text);
	lm_world_destroy(world);
	return text;
}

static void compare(const char* folder, int threads, const uint64_t* hashes, const uint64_t* positions)
{
	lm_world* world = read_world(folder, "written.json", threads);
	lm_error error;
	for (int f = 0; f < FRAMES; ++f)
	{
		if (lm_world_step(world, &error) != LM_OK)
			fail_msg("%s", error.message);
		if (positions_hash(world) != positions[f])
			fail_msg("positions differ from frame %d", f + 1);
		if (lm_world_hash(world) != hashes[f])
			fail_msg("the hash differs from frame %d", f + 1);
	}
	lm_world_destroy(world);
}

static void a_written_take_moves_as_it_did(void** state)
{
	(void)state;
	char folder[sizeof folder_form];
	strcpy(folder, folder_form);
	assert_non_null(mkdtemp(folder));
	write_files(folder);
	lm_host host = lm_host_default();
	for (uint64_t seed = 1; seed <= 6; ++seed)
	{
		uint64_t hashes[FRAMES], positions[FRAMES];
		lm_world* world = read_world(folder, "scene.json", 1 + (int)(seed % 2));
		lm_take* take = record(world, seed, hashes, positions);
		char* text = write_take(folder, take, 0, "written.json");
		compare(folder, 1, hashes, positions);
		compare(folder, 2, hashes, positions);
		lm_text_free(&host, text);
		lm_take_destroy(take);
		lm_world_destroy(world);
	}
	remove_folder(folder);
	for (int b = 0; b < 8; ++b)
		assert_true(done[b] > 0 || b == LM_ACT_WALK); // it has no feet
	for (int kind = 0; kind < 9; ++kind)
	{
		assert_true(told[BLOCK][kind] > 0 || kind == LM_COMMAND_DO);
		assert_true(told[ACTOR][kind] > 0 || kind == LM_COMMAND_EXAMPLE);
		assert_true(told[CLOTH][kind] > 0 || kind == LM_COMMAND_EXAMPLE || kind == LM_COMMAND_DO);
	}
}

static size_t count_of(const char* text, const char* part)
{
	size_t count = 0;
	for (const char* at = strstr(text, part); at != NULL; at = strstr(at + 1, part))
		++count;
	return count;
}

// Thinned, a grab along a straight line has two keys; as it was, one per frame.
static void thinning_leaves_out_keys(void** state)
{
	(void)state;
	char folder[sizeof folder_form];
	strcpy(folder, folder_form);
	assert_non_null(mkdtemp(folder));
	write_files(folder);
	lm_world* world = read_world(folder, "scene.json", 1);
	lm_take* take;
	lm_error error;
	assert_int_equal(lm_take_create(world, &take, &error), LM_OK);
	lm_command grab = grab_top(world, LM_COMMAND_GRAB, BLOCK, 1);
	assert_int_equal(lm_take_command(take, world, &grab, &error), LM_OK);
	int32_t object;
	double place[3], target[3];
	assert_true(lm_world_handle(world, 1, &object, place, target));
	for (int f = 0; f < 20; ++f)
	{
		target[0] += 0.01;
		lm_command move = to(LM_COMMAND_MOVE, 1, target[0], target[1], target[2]);
		assert_int_equal(lm_take_command(take, world, &move, &error), LM_OK);
		assert_int_equal(lm_take_step(take, world, &error), LM_OK);
	}
	lm_host host = lm_host_default();
	char *whole = write_take(folder, take, 0, "a.json"), *thin = write_take(folder, take, 1e-6, "b.json");
	assert_true(count_of(whole, "\n") >= count_of(thin, "\n") + 15);
	// a take of another scene is refused, and so is a world that has moved
	char* text;
	assert_int_equal(lm_take_scene(take, world, document, strlen(document), 0, &text, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "must be at its first"));
	lm_world* other = read_world(folder, "a.json", 1);
	assert_int_equal(lm_take_scene(take, other, document, strlen(document), 0, &text, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "of another scene"));
	assert_int_equal(lm_take_scene(take, other, "{", 1, 0, &text, &error), LM_BAD_INPUT);
	lm_text_free(&host, whole), lm_text_free(&host, thin);
	lm_world_destroy(other), lm_world_destroy(world);
	lm_take_destroy(take);
	remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_written_take_moves_as_it_did),
		cmocka_unit_test(thinning_leaves_out_keys),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
