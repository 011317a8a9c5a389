// Keys of `design` and the handles of their poses as commands: what they do, that they are state, and that takes with
// them repeat and become scenes.
#include "test.h"

#include "math/vec.h"
#include "world/files.h"
#include "world/world.h"
#include "world/worlds.h"

#include <unistd.h>

static const char folder_form[] = "/tmp/limber-plan-XXXXXX";

enum
{
	BAR,
	OTHER,
	LUMP // of match
};

static const char document[] =
	"{ \"limber\": 1, \"fps\": 12, \"seconds\": 2, \"colliders\": [ { \"shape\": \"plane\" } ], \"objects\": [\n"
	"  { \"name\": \"bar\", \"engine\": \"design\", \"mesh\": \"bar.obj\", \"position\": [0, 1, 0],\n"
	"    \"groups\": { \"top\": { \"box\": [[-1, 0.75, -1], [1, 1, 1]] }, \"foot\": { \"box\": [[-1, -1, -1], [1, "
	"0.05, "
	"1]] } },\n"
	"    \"design\": { \"nodes\": 8, \"voxels\": 1000, \"frames\": 4, \"keys\": [\n"
	"      { \"time\": 0 }, { \"time\": 1, \"position\": [0.5, 1.5, 0], \"rotation\": { \"axis\": [0, 0, 1], "
	"\"degrees\": 30 },\n"
	"        \"handles\": [ { \"group\": \"foot\" }, { \"group\": \"top\", \"by\": [0.1, 0.05, 0] } ] },\n"
	"      { \"time\": 2, \"position\": [1, 1, 0] } ] } },\n"
	"  { \"name\": \"other\", \"engine\": \"design\", \"mesh\": \"bar.obj\", \"position\": [0, 1, 2],\n"
	"    \"design\": { \"nodes\": 8, \"voxels\": 1000, \"frames\": 4 } },\n"
	"  { \"name\": \"lump\", \"engine\": \"match\", \"mesh\": \"lump.msh\", \"position\": [-2, 1, 0] } ] }\n";

static int write_files(void** state)
{
	lm_host host = lm_host_default();
	char* folder = malloc(sizeof folder_form);
	strcpy(folder, folder_form);
	if (mkdtemp(folder) == NULL)
		return 1;
	lm_mesh* bar = test_block(&host, 1, 4, 1, 0.2);
	lm_error error;
	assert_int_equal(lm_mesh_extract_surface(bar, &error), LM_OK);
	bar->tet_count = 0;
	write_mesh(folder, "bar.obj", bar);
	write_mesh(folder, "lump.msh", test_block(&host, 3, 3, 3, 0.1));
	write_text(folder, "scene.json", document);
	*state = folder;
	return 0;
}

static int remove_files(void** state)
{
	remove_folder(*state);
	free(*state);
	return 0;
}

static lm_world* open_scene(void** state, const char* name, int threads)
{
	lm_world* world = read_world(*state, name, threads);
	lm_error error;
	if (lm_world_prepare(world, &error) != LM_OK)
		fail_msg("%s", error.message);
	return world;
}

static lm_command make_handle(double time, const char* group, double x, double y, double z)
{
	lm_command command = lm_command_default(LM_COMMAND_HANDLE);
	command.object = BAR, command.time = time, command.hard = true;
	strcpy(command.group, group);
	command.to[0] = x, command.to[1] = y, command.to[2] = z;
	return command;
}

static lm_command make_key(int32_t object, double time)
{
	lm_command command = lm_command_default(LM_COMMAND_KEY);
	command.object = object, command.time = time;
	return command;
}

static lm_command make_move(double time, double to_time)
{
	lm_command command = lm_command_default(LM_COMMAND_MOVE_KEY);
	command.object = BAR, command.time = time, command.to_time = to_time;
	return command;
}

static lm_vec3 middle_of_group(lm_world* world, int32_t object, double low, double high)
{
	lm_world_surface_view view = lm_world_surface(world, object);
	const lm_mesh* rest = world->scene->objects[object].mesh;
	lm_vec3 sum = { 0 };
	int count = 0;
	for (int32_t v = 0; v < view.vertex_count; ++v)
		if (rest->positions[3 * v + 1] >= low && rest->positions[3 * v + 1] <= high)
			sum = lm_add(sum, lm_v3(view.positions[3 * v], view.positions[3 * v + 1], view.positions[3 * v + 2])),
			++count;
	return lm_scale(1.0 / count, sum);
}

// A handle of a key's pose goes where it is told, in the scene's coordinates; told again it moves; removed it is gone.
static void handles_of_keys_are_met(void** state)
{
	lm_world* world = open_scene(state, "scene.json", 1);
	uint64_t as_scene = lm_world_hash(world);
	lm_command handle = make_handle(1, "top", 0.3, 2.2, 0.15);
	tell(world, &handle);
	step(world, 12);
	lm_vec3 top = middle_of_group(world, BAR, 0.75, 1);
	assert_near(top.x, 0.3, 2e-3), assert_near(top.y, 2.2, 2e-3), assert_near(top.z, 0.15, 2e-3);
	handle.to[2] = -0.1; // while it is there
	tell(world, &handle);
	assert_near(middle_of_group(world, BAR, 0.75, 1).z, -0.1, 2e-3);
	lm_world_key keys[8];
	assert_int_equal(lm_world_keys(world, BAR, keys, 8), 3);
	assert_int_equal(keys[1].handle_count, 2);
	handle.kind = LM_COMMAND_REMOVE_HANDLE;
	tell(world, &handle);
	assert_int_equal(lm_world_keys(world, BAR, keys, 8), 3);
	assert_int_equal(keys[1].handle_count, 1);
	lm_world* fresh = open_scene(state, "scene.json", 1);
	lm_command freed = lm_command_default(LM_COMMAND_FREE);
	tell(world, &freed); // as the scene has them
	step(fresh, 12);
	assert_true(lm_world_hash(world) == lm_world_hash(fresh));
	assert_true(lm_world_hash(world) != as_scene);
	lm_world_destroy(world), lm_world_destroy(fresh);
}

// A key where the object rests otherwise: it moves then. Without a place it is where the motion has the object.
static void keys_come_and_go(void** state)
{
	lm_world* world = open_scene(state, "scene.json", 1);
	lm_command key = make_key(OTHER, 1);
	key.to[0] = 1, key.to[1] = 2, key.to[2] = 2, key.rotation[0] = 1;
	lm_command start = make_key(OTHER, 0), via = make_key(OTHER, 0.5);
	tell(world, &start); // the shape at rest where it starts: nothing moves yet
	tell(world, &key);
	lm_world_key keys[8];
	assert_int_equal(lm_world_keys(world, OTHER, keys, 8), 2);
	assert_true(keys[0].time == 0 && keys[1].time == 1 && keys[1].told);
	step(world, 12);
	assert_near(middle_of_group(world, OTHER, -1, 1).x, 1.1, 1e-6); // the mesh's middle is 0.1 beside its origin
	assert_near(middle_of_group(world, OTHER, -1, 1).y, 2.4, 1e-6);
	step(world, 3);
	lm_vec3 before = middle_of_group(world, BAR, -1, 1);
	lm_command where_it_is = make_key(BAR, 1.25); // the motion goes through it already, but for its shape
	tell(world, &where_it_is);
	assert_true(lm_distance(middle_of_group(world, BAR, -1, 1), before) < 0.02);
	via.via = true;
	tell(world, &via);
	assert_int_equal(lm_world_keys(world, OTHER, keys, 8), 3);
	assert_true(keys[1].via && keys[1].time == 0.5);
	key.kind = LM_COMMAND_REMOVE_KEY;
	tell(world, &key);
	assert_int_equal(lm_world_keys(world, OTHER, keys, 8), 2);
	assert_int_equal(lm_world_keys(world, LUMP, keys, 8), 0);
	lm_world_destroy(world);
}

// With its handles, past another key too; and back, which is as if nothing had been.
static void keys_are_moved(void** state)
{
	lm_world *world = open_scene(state, "scene.json", 1), *fresh = open_scene(state, "scene.json", 1);
	step(fresh, 12);
	lm_vec3 top = middle_of_group(fresh, BAR, 0.75, 1);
	lm_command later = make_move(1, 1.5), earlier = make_move(2, 1), back = make_move(1.5, 1);
	tell(world, &later);
	step(world, 12);
	assert_true(lm_distance(middle_of_group(world, BAR, 0.75, 1), top) > 0.05);
	step(world, 6);
	assert_true(lm_distance(middle_of_group(world, BAR, 0.75, 1), top) < 2e-3);
	tell(world, &earlier);
	lm_world_key keys[8];
	assert_int_equal(lm_world_keys(world, BAR, keys, 8), 3);
	assert_true(keys[1].time == 1 && keys[2].time == 1.5 && keys[2].handle_count == 2 && keys[1].told);
	earlier.time = 1, earlier.to_time = 2;
	tell(world, &earlier), tell(world, &back);
	step(fresh, 6);
	assert_true(positions_hash(world) == positions_hash(fresh));
	lm_world_destroy(world), lm_world_destroy(fresh);
}

static void expect(lm_world* world, lm_command command, const char* words)
{
	lm_error error;
	uint64_t before = lm_world_hash(world), shown = positions_hash(world);
	lm_status status = lm_world_command(world, &command, &error);
	if (status != LM_BAD_INPUT || strstr(error.message, words) == NULL)
		fail_msg("\"%s\" is not in \"%s\"", words, status == LM_OK ? "all is well" : error.message);
	assert_true(lm_world_hash(world) == before && positions_hash(world) == shown);
}

static void what_cannot_be_is_said(void** state)
{
	lm_world* world = open_scene(state, "scene.json", 1);
	step(world, 3);
	lm_command handle = make_handle(1, "top", 0, 2, 0), key = make_key(BAR, 0.5), other = handle;
	other.time = 0.7, expect(world, other, "no key at 0.7 s; those of the whole object are at 0, 1, 2 s");
	other = handle, strcpy(other.group, "nose"), expect(world, other, "has no group \"nose\"");
	other = handle, other.to[1] = NAN, expect(world, other, "the target has y");
	other = handle, other.weight = -1, expect(world, other, "the weight is -1");
	other = handle, other.rotation[0] = INFINITY, expect(world, other, "unit quaternion");
	other = handle, other.group[0] = 0, other.vertex = 100000, expect(world, other, "has no vertex 100000");
	other = handle, other.group[0] = 0, expect(world, other, "barycentric coordinates of the place add up to 0");
	other = handle, other.object = OTHER, other.group[0] = 0, other.vertex = 3, expect(world, other, "it has none");
	other = handle, other.object = LUMP, expect(world, other, "objects of match have no keys");
	other = handle, other.object = 9, expect(world, other, "no object 9");
	other = key, other.time = 2.5, expect(world, other, "must be between 0 and 2 s");
	other = key, other.time = NAN, expect(world, other, "not a number");
	other = key, other.rotation[0] = 1, other.to[1] = -0.3, expect(world, other, "inside");
	other = handle, other.kind = LM_COMMAND_REMOVE_HANDLE, other.time = 0, expect(world, other, "no such handle");
	other = key, other.object = OTHER, other.via = true, expect(world, other, "must keep one of the whole object");
	other = key, other.kind = LM_COMMAND_REMOVE_KEY, expect(world, other, "no key at 0.5 s");
	other = make_move(0.5, 0.6), expect(world, other, "no key at 0.5 s");
	other = make_move(1, 2), expect(world, other, "has another key at 2 s");
	other = make_move(1, 2.5), expect(world, other, "must be between 0 and 2 s");
	other = make_move(1, NAN), expect(world, other, "not a number");
	other = lm_command_default(LM_COMMAND_GRAB), other.place[0] = 1, expect(world, other, "change its keys");
	other = lm_command_default(LM_COMMAND_EXAMPLE), expect(world, other, "has no examples");
	lm_command both[2] = { make_key(OTHER, 1), handle }; // the first could be, but not the second
	both[1].time = 0.7;
	lm_error error;
	uint64_t before = lm_world_hash(world);
	assert_int_equal(lm_world_plan(world, both, 2, &error), LM_BAD_INPUT);
	assert_true(lm_world_hash(world) == before);
	lm_world_destroy(world);
}

static void commands_survive_as_text(void** state)
{
	lm_world* world = open_scene(state, "scene.json", 1);
	lm_command command = make_handle(1.0 / 3, "top", 0.1, 1.0 / 7, -3), back;
	lm_error error;
	for (int form = 0; form < 5; ++form)
	{
		command.kind = form < 3 ? LM_COMMAND_HANDLE : form == 3 ? LM_COMMAND_KEY : LM_COMMAND_MOVE_KEY;
		command.to_time = form == 4 ? 2.0 / 3 : 0;
		if (form > 0)
			command.group[0] = 0, command.vertex = form == 1 ? 5 : -1, command.radius = 0.3;
		command.triangle = form == 2 ? 7 : 0, command.place[1] = form == 2;
		command.rotation[0] = command.rotation[3] = form > 0 ? sqrt(0.5) : 0;
		command.stays = form == 1, command.via = form == 3;
		char* text = lm_command_text(world, &command);
		if (lm_command_parse(world, text, strlen(text), &back, &error) != LM_OK)
			fail_msg("%s: %s", text, error.message);
		char* again = lm_command_text(world, &back);
		assert_string_equal(text, again);
		assert_true(back.time == command.time && back.to_time == command.to_time &&
		            (back.stays == command.stays || form == 4));
		lm_text_free(&world->host, text), lm_text_free(&world->host, again);
	}
	lm_world_destroy(world);
}

// The pose that a hand has made is what the object has at the key: by the same handles, or held as it is.
static void poses_become_keys(void** state)
{
	for (int form = 0; form < 2; ++form)
	{
		lm_world* world = open_scene(state, "scene.json", 1);
		lm_pose_session* session;
		lm_error error;
		step(world, 6);
		lm_pose_start start = form == 0 ? LM_POSE_REST : LM_POSE_NOW;
		assert_int_equal(lm_pose_session_create(world, BAR, start, &session, &error), LM_OK);
		lm_pose_grip grip = lm_pose_grip_default();
		grip.id = 1, grip.triangle = top_triangle(world, BAR), grip.place[0] = 1, grip.hard = true;
		assert_int_equal(lm_pose_session_put(session, &grip, &error), LM_OK);
		lm_pose_handle handle = lm_pose_session_handle(session, 0);
		const double to[3] = { handle.at[0] + 0.1, handle.at[1] + 0.05, handle.at[2] - 0.1 };
		const double turn[4] = { 0.98, 0, 0, 0.2 };
		assert_int_equal(lm_pose_session_move(session, 1, to, turn, &error), LM_OK);
		lm_pose_session_settle(session);
		lm_command commands[400];
		int32_t count = lm_pose_session_commands(session, 0.5, false, commands, 400);
		assert_true(form == 0 ? count == 2 : count > 8 && count < 400);
		assert_int_equal(lm_pose_session_commands(session, 0.5, false, NULL, 0), count);
		if (lm_world_plan(world, commands, count, &error) != LM_OK)
			fail_msg("%s", error.message);
		lm_world_surface_view view = lm_world_surface(world, BAR);
		const double* posed = lm_pose_session_positions(session);
		double worst = 0;
		for (int32_t v = 0; v < view.vertex_count; ++v)
			worst = fmax(worst, lm_distance(lm_v3_at(posed, v), lm_v3(view.positions[3 * v], view.positions[3 * v + 1],
			                                                          view.positions[3 * v + 2])));
		if (worst > 0.004) // of 0.8 m
			fail_msg("form %d: %g m apart", form, worst);
		lm_pose_session_destroy(session);
		lm_world_destroy(world);
	}
}

// ---- takes ----

static lm_command random_command(uint64_t* seed)
{
	static const lm_command_kind kinds[] = { LM_COMMAND_KEY,     LM_COMMAND_HANDLE,        LM_COMMAND_HANDLE,
		                                     LM_COMMAND_HANDLE,  LM_COMMAND_REMOVE_HANDLE, LM_COMMAND_REMOVE_KEY,
		                                     LM_COMMAND_MOVE_KEY };
	lm_command command = lm_command_default(kinds[(int)(uniform(seed) * 7)]);
	command.object = uniform(seed) < 0.7 ? BAR : OTHER;
	command.time = floor(uniform(seed) * 5) / 2;
	command.to_time = command.time + uniform(seed) / 4;
	command.via = uniform(seed) < 0.2, command.stays = uniform(seed) < 0.2, command.hard = uniform(seed) < 0.5;
	if (uniform(seed) < 0.5 && command.object == BAR)
		strcpy(command.group, uniform(seed) < 0.5 ? "top" : "foot");
	else if (uniform(seed) < 0.5)
		command.vertex = (int32_t)(uniform(seed) * 20);
	command.triangle = (int32_t)(uniform(seed) * 30);
	command.place[0] = 1;
	command.to[0] = uniform(seed), command.to[1] = 1 + uniform(seed),
	command.to[2] = 2 * command.object + uniform(seed) / 5;
	if (uniform(seed) < 0.3)
		command.rotation[0] = 0.9, command.rotation[2] = uniform(seed);
	return command;
}

enum
{
	FRAMES = 24
};

// In every third frame before `to`, so many tries.
static lm_take* record(lm_world* world, uint64_t seed, int to, int tries, uint64_t* hashes, int* told)
{
	lm_take* take;
	lm_error error;
	assert_int_equal(lm_take_create(world, &take, &error), LM_OK);
	for (int f = 0; f < FRAMES; ++f)
	{
		for (int c = 0; c < tries && f % 3 == 0 && f < to; ++c)
		{
			lm_command command = random_command(&seed);
			bool good = lm_take_command(take, world, &command, &error) == LM_OK;
			told[command.kind - LM_COMMAND_KEY] += good;
		}
		if (lm_take_step(take, world, &error) != LM_OK)
			fail_msg("%s", error.message);
		hashes[f] = lm_world_motion_hash(world);
	}
	return take;
}

static void replay(void** state, const lm_take* take, int threads, const uint64_t* hashes)
{
	char path[200];
	lm_error error;
	lm_world* world = open_scene(state, "scene.json", threads);
	snprintf(path, sizeof path, "%s/saved", (char*)*state);
	for (int f = 0; f < FRAMES; ++f)
	{
		if (f == 7) // killed and resumed, keys and all
		{
			uint64_t before = lm_world_hash(world);
			assert_int_equal(lm_world_save(world, path, &error), LM_OK);
			lm_world_destroy(world);
			world = open_scene(state, "scene.json", threads);
			assert_int_equal(lm_world_load(world, path, &error), LM_OK);
			assert_true(lm_world_hash(world) == before);
		}
		if (lm_take_play(take, world, &error) != LM_OK || lm_world_step(world, &error) != LM_OK)
			fail_msg("%s", error.message);
		if (lm_world_motion_hash(world) != hashes[f])
			fail_msg("the motion differs from frame %d", f + 1);
	}
	lm_world_destroy(world);
}

static void takes_with_keys_repeat(void** state)
{
	int told[5] = { 0 };
	char path[200];
	snprintf(path, sizeof path, "%s/t.take", (char*)*state);
	for (uint64_t seed = 1; seed <= 2; ++seed)
	{
		uint64_t hashes[FRAMES];
		lm_world* world = open_scene(state, "scene.json", 1);
		lm_take *take = record(world, seed, FRAMES, 3, hashes, told), *read;
		lm_error error;
		replay(state, take, 2, hashes);
		assert_int_equal(lm_take_write(take, world, path, &error), LM_OK);
		if (lm_take_read(path, world, &read, &error) != LM_OK)
			fail_msg("%s", error.message);
		replay(state, read, 1, hashes);
		lm_take_destroy(take), lm_take_destroy(read);
		lm_world_destroy(world);
	}
	assert_true(told[0] > 0 && told[1] + told[3] > 0 && told[2] > 0 && told[4] > 0);
}

// Told at the first frame, the scene is the same all along; told later, a design is the same from then on.
static void takes_with_keys_become_scenes(void** state)
{
	lm_host host = lm_host_default();
	int told[5] = { 0 };
	for (uint64_t seed = 1; seed <= 4; ++seed)
	{
		int last = seed % 2 == 0 ? 10 : 1;
		uint64_t hashes[FRAMES];
		lm_world *world = open_scene(state, "scene.json", 1), *same = open_scene(state, "scene.json", 1);
		lm_take* take = record(world, seed, last, last > 1 ? 2 : 6, hashes, told);
		char* text = NULL;
		lm_error error;
		if (lm_take_scene(take, same, document, strlen(document), 0, &text, &error) != LM_OK)
			fail_msg("%s", error.message);
		write_text(*state, "written.json", text);
		lm_world* written = open_scene(state, "written.json", 1);
		for (int f = 0; f < FRAMES; ++f)
		{
			step(written, 1);
			if (f >= last - 1 && lm_world_hash(written) != hashes[f])
				fail_msg("seed %d: the hash differs from frame %d", (int)seed, f + 1);
		}
		lm_text_free(&host, text);
		lm_take_destroy(take);
		lm_world_destroy(world), lm_world_destroy(same), lm_world_destroy(written);
	}
	assert_true(told[0] > 0 && told[2] > 2 && told[4] > 0);
}

// A take that has been going on gets a plan at its beginning, and loses it again; the rest of it stays.
static void a_plan_comes_before_all_else(void** state)
{
	lm_world* world = open_scene(state, "scene.json", 1);
	lm_take* take;
	lm_snapshot* first;
	lm_error error;
	assert_int_equal(lm_take_create(world, &take, &error), LM_OK);
	assert_int_equal(lm_world_snapshot(world, &first, &error), LM_OK);
	lm_command pin = grab_top(world, LM_COMMAND_PIN, LUMP, 1);
	assert_int_equal(lm_take_command(take, world, &pin, &error), LM_OK);
	for (int f = 0; f < FRAMES; ++f)
		assert_int_equal(lm_take_step(take, world, &error), LM_OK);
	uint64_t end = lm_world_motion_hash(world);
	lm_command plan[2] = { make_handle(1, "top", 0.3, 2.2, 0.15), make_key(OTHER, 0.5) };
	assert_int_equal(lm_take_plan(take, world, plan, 2, &error), LM_BAD_INPUT); // not at the first frame
	assert_int_equal(lm_world_restore(world, first, &error), LM_OK);
	assert_int_equal(lm_take_plan(take, world, plan, 1, &error), LM_OK);
	assert_int_equal(lm_world_restore(world, first, &error), LM_OK);
	assert_int_equal(lm_take_plan(take, world, plan + 1, 1, &error), LM_OK); // on top of the other
	lm_world_key keys[8];
	assert_int_equal(lm_world_keys(world, OTHER, keys, 8), 1);
	assert_true(lm_world_keys(world, BAR, keys, 8) == 3 && keys[1].handle_count == 2);
	assert_int_equal(lm_take_plan_count(take), 2);
	assert_int_equal(lm_take_command_count(take), 3);
	assert_int_equal(lm_world_restore(world, first, &error), LM_OK);
	uint64_t hashes[2];
	for (int round = 0; round < 2; ++round)
	{
		for (int f = 0; f < FRAMES; ++f)
		{
			assert_int_equal(lm_take_play(take, world, &error), LM_OK);
			step(world, 1);
			assert_true(lm_take_agrees(take, world)); // hashes of before are gone
		}
		hashes[round] = lm_world_motion_hash(world);
		assert_int_equal(lm_world_restore(world, first, &error), LM_OK);
		if (round == 0)
			assert_int_equal(lm_take_unplan(take, world, 2, &error), LM_OK);
		assert_int_equal(lm_world_restore(world, first, &error), LM_OK);
	}
	assert_true(hashes[0] != end && hashes[1] == end);
	assert_int_equal(lm_take_plan(take, world, plan, 2, &error), LM_OK);
	lm_take_cut(take, 0);
	assert_int_equal(lm_take_command_count(take), 2); // the pin is gone, the plan stays
	lm_snapshot_destroy(first);
	lm_take_destroy(take);
	lm_world_destroy(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(handles_of_keys_are_met),
		cmocka_unit_test(keys_come_and_go),
		cmocka_unit_test(keys_are_moved),
		cmocka_unit_test(what_cannot_be_is_said),
		cmocka_unit_test(commands_survive_as_text),
		cmocka_unit_test(poses_become_keys),
		cmocka_unit_test(takes_with_keys_repeat),
		cmocka_unit_test(takes_with_keys_become_scenes),
		cmocka_unit_test(a_plan_comes_before_all_else),
	};
	return cmocka_run_group_tests(tests, write_files, remove_files);
}
