// Commands to a world while it moves: grabs, pins, pushes, strengths, settings, behaviours; snapshots; refusals.
#include "test.h"

#include "world/worlds.h"

#include <unistd.h>

// ---- tests ----

// Lifted by its top, a light block hangs as far below the hand as a heavy one, and both hang.
static void a_grab_feels_alike_for_light_and_heavy(void** state)
{
	(void)state;
	double heights[2];
	for (int heavy = 0; heavy < 2; ++heavy)
	{
		lm_world* world = make_world(1, heavy ? 5000 : 5, BLOCK + 1);
		lm_command grab = grab_top(world, LM_COMMAND_GRAB, BLOCK, 7);
		tell(world, &grab);
		int32_t object;
		double place[3], target[3];
		assert_true(lm_world_handle(world, 7, &object, place, target));
		assert_near(place[1], target[1], 1e-6);
		lm_command move = to(LM_COMMAND_MOVE, 7, target[0], target[1] + 1, target[2]);
		tell(world, &move);
		step(world, 72);
		heights[heavy] = height(world, BLOCK);
		assert_true(lm_world_handle(world, 7, &object, place, target));
		assert_int_equal(object, BLOCK);
		assert_true(place[1] > 1.5 && place[1] < target[1]); // it hangs below the hand
		lm_command release = to(LM_COMMAND_RELEASE, 7, 0, 0, 0);
		tell(world, &release);
		assert_false(lm_world_handle(world, 7, &object, place, target));
		step(world, 24);
		assert_true(height(world, BLOCK) < heights[heavy] - 0.5); // and falls
		lm_world_destroy(world);
	}
	assert_near(heights[0], heights[1], 0.01);
}

static void pins_hold_and_pushes_push(void** state)
{
	(void)state;
	lm_world *pinned = make_world(1, 100, BLOCK + 1), *pushed = make_world(1, 100, BLOCK + 1);
	double start = height(pinned, BLOCK);
	lm_command pin = grab_top(pinned, LM_COMMAND_PIN, BLOCK, 1), push = grab_top(pushed, LM_COMMAND_PUSH, BLOCK, 0);
	tell(pinned, &pin);
	push.to[1] = 30; // 2.7 kg
	tell(pushed, &push);
	step(pinned, 48), step(pushed, 5);
	assert_true(height(pinned, BLOCK) > start - 0.3);
	assert_true(height(pushed, BLOCK) > start + 0.5);
	lm_world_destroy(pinned), lm_world_destroy(pushed);
}

static void strengths_and_settings_override_the_timeline(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 100, BLOCK + 1);
	lm_command example = lm_command_default(LM_COMMAND_EXAMPLE), set = lm_command_default(LM_COMMAND_SET);
	example.example = 0, example.strength = 1;
	strcpy(set.key, "damping"), set.value[0] = 1.5;
	tell(world, &example), tell(world, &set);
	step(world, 2);
	assert_near(lm_match_get_settings(lm_world_match(world, 0)).damping, 1.5, 0);
	uint64_t told = lm_world_hash(world);
	lm_command freed = lm_command_default(LM_COMMAND_FREE);
	freed.example = 0;
	tell(world, &freed);
	assert_true(lm_world_hash(world) != told); // commands are state
	lm_world_destroy(world);
}

static void characters_do_what_they_are_told(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 100, ACTOR + 1);
	lm_command hop = lm_command_default(LM_COMMAND_DO);
	hop.object = ACTOR, hop.act = lm_act_command_default(LM_ACT_HOP);
	hop.act.velocity[0] = 0.5;
	double before[3], after[3];
	lm_act_center(lm_world_act(world, ACTOR), before);
	tell(world, &hop);
	step(world, 72);
	lm_act_center(lm_world_act(world, ACTOR), after);
	assert_true(after[0] > before[0] + 0.2);
	lm_world_destroy(world);
}

static lm_world* told(lm_act_behaviour behaviour, int frames)
{
	lm_world* world = make_world(1, 100, ACTOR + 1);
	lm_command command = lm_command_default(LM_COMMAND_DO);
	command.object = ACTOR, command.act = lm_act_command_default(behaviour);
	tell(world, &command);
	step(world, frames);
	return world;
}

static void crouching_is_lower_than_standing_and_a_jump_comes_once(void** state)
{
	(void)state;
	double heights[2];
	for (int crouch = 0; crouch < 2; ++crouch)
	{
		lm_world* world = told(crouch ? LM_ACT_CROUCH : LM_ACT_STAND, 36);
		double center[3];
		lm_act_center(lm_world_act(world, ACTOR), center);
		heights[crouch] = center[1];
		lm_world_destroy(world);
	}
	assert_true(heights[1] < 0.93 * heights[0] && heights[1] > 0.8 * heights[0]);
	for (int once = 0; once < 2; ++once)
	{
		lm_world* world = told(once ? LM_ACT_JUMP : LM_ACT_HOP, 84);
		char* text = lm_world_statistics(world, 0);
		const char* hops = strstr(strstr(text, "actor"), "\"hops\": ");
		int count = atoi(hops + 8);
		assert_true(once ? count == 1 : count > 1);
		lm_host host = lm_host_default();
		lm_text_free(&host, text);
		lm_world_destroy(world);
	}
}

// What is grabbed is drawn along, and crosses nothing.
static void cloth_is_drawn_along(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 100, PARTS);
	lm_command grab = grab_top(world, LM_COMMAND_GRAB, CLOTH, 3);
	tell(world, &grab);
	int32_t object;
	double place[3], target[3];
	assert_true(lm_world_handle(world, 3, &object, place, target));
	for (int f = 0; f < 12; ++f)
	{
		target[1] += 0.04;
		lm_command move = to(LM_COMMAND_MOVE, 3, target[0], target[1], target[2]);
		tell(world, &move);
		step(world, 1);
	}
	assert_true(lm_world_handle(world, 3, &object, place, target));
	assert_near(place[1], target[1], 0.02);
	assert_int_equal(lm_track_intersections(lm_world_track(world, CLOTH)), 0);
	lm_world_destroy(world);
}

// An impulse changes the momentum by itself, and however strong it is, cloth crosses nothing: not itself, nor the
// ground.
static void cloth_is_pushed(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 100, PARTS);
	lm_track* cloth = lm_world_track(world, CLOTH);
	lm_command push = grab_top(world, LM_COMMAND_PUSH, CLOTH, 0);
	double before[3], after[3], mass = lm_track_mass(cloth), h = 1.0 / 48;
	lm_track_center(cloth, before);
	push.to[0] = 0.1 * mass;
	tell(world, &push);
	step(world, 1);
	lm_track_center(cloth, after);
	assert_near(after[0] - before[0], 0.1 * 2 * h, 1e-6);
	for (int k = 0; k < 6; ++k)
	{
		push.to[0] = k % 2 == 0 ? 5 * mass : -5 * mass, push.to[1] = -20 * mass * (k + 1);
		tell(world, &push);
		step(world, 4);
		assert_int_equal(lm_track_intersections(cloth), 0);
		lm_track_center(cloth, after);
		assert_true(after[1] > -0.01 && fabs(after[0]) < 10);
	}
	int32_t missing = 1000000;
	lm_error error;
	assert_int_equal(lm_track_push(cloth, &missing, 1, push.to, &error), LM_BAD_INPUT);
	assert_int_equal(lm_track_push(cloth, &(int32_t){ 0 }, 1, (double[3]){ NAN }, &error), LM_BAD_INPUT);
	lm_world_destroy(world);
}

// ---- random performances ----

// One command, good or bad: what is refused changes nothing.
static void tell_anything(lm_world* world, uint64_t* seed)
{
	lm_command command = anything(seed);
	uint64_t before = lm_world_hash(world);
	lm_error error = { 0 };
	if (lm_world_command(world, &command, &error) != LM_OK)
	{
		assert_true(error.status == LM_BAD_INPUT && error.message[0] != 0);
		assert_true(lm_world_hash(world) == before);
	}
}

static uint64_t perform(int threads, bool by_files)
{
	lm_world* world = make_world(threads, 100, ACTOR + 1);
	uint64_t seed = 5;
	char path[] = "/tmp/limber-command-XXXXXX";
	int descriptor = mkstemp(path);
	assert_true(descriptor >= 0);
	close(descriptor);
	for (int k = 0; k < 500; ++k)
	{
		tell_anything(world, &seed);
		if (k % 10 == 9)
			step(world, 1);
		if (by_files && k % 100 == 55) // killed and resumed
		{
			assert_int_equal(lm_world_save(world, path, NULL), LM_OK);
			lm_world_destroy(world);
			world = make_world(threads, 100, ACTOR + 1);
			assert_int_equal(lm_world_load(world, path, NULL), LM_OK);
		}
	}
	uint64_t hash = lm_world_hash(world);
	lm_world_destroy(world);
	remove(path);
	return hash;
}

static void random_commands_repeat_to_the_bit(void** state)
{
	(void)state;
	uint64_t hash = perform(1, false);
	assert_true(perform(2, false) == hash);
	assert_true(perform(4, false) == hash);
	assert_true(perform(1, true) == hash);
}

static void snapshots_are_exact(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 100, ACTOR + 1);
	lm_command grab = grab_top(world, LM_COMMAND_GRAB, BLOCK, 2);
	tell(world, &grab);
	step(world, 3);
	lm_snapshot* snapshot;
	assert_int_equal(lm_world_snapshot(world, &snapshot, NULL), LM_OK);
	assert_int_equal(lm_snapshot_frame(snapshot), 3);
	assert_true(lm_snapshot_bytes(snapshot) > 1000);
	uint64_t here = lm_world_hash(world), then = 0;
	for (int k = 0; k < 100; ++k)
	{
		uint64_t seed = 9;
		assert_int_equal(lm_world_restore(world, snapshot, NULL), LM_OK);
		assert_true(lm_world_hash(world) == here);
		for (int c = 0; k % 10 == 0 && c < 5; ++c)
			tell_anything(world, &seed);
		step(world, 1);
		if (k % 10 == 0)
			then = k == 0 ? lm_world_hash(world) : then;
		assert_true(k % 10 != 0 || lm_world_hash(world) == then);
	}
	lm_snapshot_destroy(snapshot);
	lm_snapshot_destroy(NULL);
	lm_world_destroy(world);
}

static double number_of(const lm_world* world, int32_t object, const char* name)
{
	int32_t count = lm_world_number_count(world);
	lm_world_number* numbers = calloc((size_t)count, sizeof *numbers);
	lm_world_numbers(world, numbers);
	double value = NAN;
	for (int32_t k = 0; k < count; ++k)
		if (numbers[k].object == object && strcmp(numbers[k].name, name) == 0)
			value = numbers[k].value;
	free(numbers);
	return value;
}

// A block in free fall: its speed and energy are known.
static void numbers_are_those_of_the_motion(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 100, PARTS);
	int32_t count = lm_world_number_count(world);
	assert_near(number_of(world, BLOCK, "kinetic_energy"), 0, 0);
	step(world, 4);
	assert_int_equal(lm_world_number_count(world), count);
	double v = 9.81 * 4 / 24, mass = 100 * 0.027; // at the end; over the last frame it was half a frame's less
	assert_near(number_of(world, BLOCK, "kinetic_energy"), mass * v * v / 2, 1e-3);
	assert_near(number_of(world, BLOCK, "speed"), 9.81 * 3.5 / 24, 0.06);
	assert_near(number_of(world, BLOCK, "weight_rest"), 1, 1e-6);
	assert_true(isfinite(number_of(world, ACTOR, "contact_force")));
	assert_true(number_of(world, CLOTH, "kinetic_energy") > 0);
	assert_true(number_of(world, -1, "frame_seconds") > 0);
	lm_world_destroy(world);
}

enum
{
	TAKE_FRAMES = 50,
	TOLD = 500 // commands that are carried out
};

static lm_take* record_anything(lm_world* world)
{
	lm_take* take;
	lm_error error;
	assert_int_equal(lm_take_create(world, &take, &error), LM_OK);
	uint64_t seed = 77;
	for (int f = 0; f < TAKE_FRAMES; ++f)
	{
		while (lm_take_command_count(take) < (int64_t)TOLD * (f + 1) / TAKE_FRAMES)
		{
			lm_command command = anything(&seed);
			lm_take_command(take, world, &command, &error); // what is refused is not noted
		}
		assert_int_equal(lm_take_step(take, world, &error), LM_OK);
	}
	assert_int_equal(lm_take_mark(take, world, &error), LM_OK);
	assert_int_equal(lm_take_command_count(take), TOLD);
	assert_int_equal(lm_take_frames(take), TAKE_FRAMES);
	return take;
}

// From a file, halfway through by a checkpoint: killed and resumed.
static void repeat_take(const char* path, int threads, bool resumed, uint64_t hash)
{
	lm_world* world = make_world(threads, 100, PARTS);
	lm_take* take;
	lm_error error;
	char checkpoint[100];
	snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", path);
	if (lm_take_read(path, world, &take, &error) != LM_OK)
		fail_msg("%s: %s", error.where, error.message);
	assert_int_equal(lm_take_command_count(take), TOLD);
	assert_int_equal(lm_take_fits(take, world, &error), LM_OK);
	for (int f = 0; f < TAKE_FRAMES; ++f)
	{
		assert_int_equal(lm_take_play(take, world, &error), LM_OK);
		assert_int_equal(lm_world_step(world, &error), LM_OK);
		assert_true(lm_take_agrees(take, world));
		if (!resumed || f != TAKE_FRAMES / 2)
			continue;
		assert_int_equal(lm_world_save(world, checkpoint, &error), LM_OK);
		lm_world_destroy(world);
		world = make_world(threads, 100, PARTS);
		assert_int_equal(lm_world_load(world, checkpoint, &error), LM_OK);
	}
	assert_true(lm_world_hash(world) == hash);
	// with anything else it says so
	lm_command late = grab_top(world, LM_COMMAND_PUSH, BLOCK, 0);
	late.to[0] = 1e-3;
	tell(world, &late);
	assert_false(lm_take_agrees(take, world));
	remove(checkpoint);
	lm_take_destroy(take);
	lm_world_destroy(world);
}

// A performance recorded, written, read and repeated: the same hashes, for any number of threads.
static void takes_repeat(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 100, PARTS);
	lm_take* take = record_anything(world);
	lm_error error;
	char path[] = "/tmp/limber-take-XXXXXX";
	int descriptor = mkstemp(path);
	assert_true(descriptor >= 0);
	close(descriptor);
	assert_int_equal(lm_take_write(take, world, path, &error), LM_OK);
	lm_simd level;
	lm_host host = lm_host_default();
	assert_int_equal(lm_take_level(path, &host, &level, &error), LM_OK);
	assert_int_equal(level, lm_take_simd(take));
	uint64_t hash = lm_world_hash(world);
	repeat_take(path, 2, false, hash);
	repeat_take(path, 4, false, hash);
	repeat_take(path, 1, true, hash);
	// what comes before the end must be cut first
	lm_world* other = make_world(1, 100, PARTS);
	lm_command early = grab_top(other, LM_COMMAND_PUSH, BLOCK, 0);
	assert_int_equal(lm_take_command(take, other, &early, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "cut it at frame 0 first"));
	lm_take_cut(take, 30);
	assert_int_equal(lm_take_frames(take), 30);
	remove(path);
	lm_take_destroy(take), lm_take_destroy(NULL);
	lm_world_destroy(world), lm_world_destroy(other);
}

// ---- refusals ----

static void refused(lm_world* world, const lm_command* command, const char* part)
{
	lm_error error = { 0 };
	uint64_t before = lm_world_hash(world);
	assert_int_equal(lm_world_command(world, command, &error), LM_BAD_INPUT);
	if (strstr(error.message, part) == NULL)
		fail_msg("\"%s\" is not in \"%s\"", part, error.message);
	assert_true(lm_world_hash(world) == before);
}

static void what_cannot_be_done_is_refused_in_words(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 100, PARTS);
	const lm_command good = grab_top(world, LM_COMMAND_GRAB, BLOCK, 1);
#define REFUSED(change, words)                                                                                         \
	do                                                                                                                 \
	{                                                                                                                  \
		lm_command command = good;                                                                                     \
		change;                                                                                                        \
		refused(world, &command, words);                                                                               \
	} while (0)
	REFUSED(command.object = 9, "there is no object 9: the world has 3");
	REFUSED(command.object = -1, "there is no object -1");
	REFUSED(command.triangle = 1000000, "is not on the surface");
	REFUSED(command.place[0] = NAN, "must be between 0 and 1");
	REFUSED(command.place[0] = 1, "add up to");
	REFUSED(command.radius = -1, "the radius is -1 m");
	REFUSED(command.frequency = 0, "the frequency is 0 Hz");
	REFUSED(command.kind = (lm_command_kind)77, "there is no command 77");
	REFUSED((command.kind = LM_COMMAND_MOVE, command.id = 5), "there is no grab or pin 5");
	REFUSED((command.kind = LM_COMMAND_PUSH, command.to[1] = INFINITY), "the impulse has y = inf");
	REFUSED((command.kind = LM_COMMAND_EXAMPLE, command.example = 1), "has no example 1: it has 1");
	REFUSED((command.kind = LM_COMMAND_EXAMPLE, command.example = 0, command.strength = 2), "the strength is 2");
	REFUSED((command.kind = LM_COMMAND_DO), "objects of match cannot be told to do anything");
	REFUSED((command.kind = LM_COMMAND_DO, command.object = ACTOR, command.act.behaviour = LM_ACT_WALK),
	        "has 0 feet, must have two to walk");
	REFUSED((command.kind = LM_COMMAND_DO, command.object = ACTOR, command.act.weight = -1), "the weight is -1");
	REFUSED((command.kind = LM_COMMAND_SET, strcpy(command.key, "dampin")), "did you mean \"damping\"?");
	REFUSED((command.kind = LM_COMMAND_SET, strcpy(command.key, "ring")), "cannot change while the scene runs");
	REFUSED((command.kind = LM_COMMAND_SET, strcpy(command.key, "damping"), command.value[0] = 3),
	        "the damping is 3, must be between 0 and 2");
	REFUSED((command.kind = LM_COMMAND_SET, strcpy(command.key, "damping"), command.value[0] = NAN), "not a number");
	REFUSED((command.kind = LM_COMMAND_SET, command.object = ACTOR, strcpy(command.key, "iterations"),
	         command.value[0] = 1.5),
	        "must be a whole number");
	// every kind with wrong values
	REFUSED((command.kind = LM_COMMAND_PIN, command.triangle = -1), "is not on the surface");
	REFUSED((command.kind = LM_COMMAND_PUSH, command.place[2] = -1), "must be between 0 and 1");
	REFUSED((command.kind = LM_COMMAND_PUSH, command.radius = NAN), "the radius is");
	REFUSED((command.kind = LM_COMMAND_RELEASE, command.id = 8), "there is no grab or pin 8");
	REFUSED((command.kind = LM_COMMAND_EXAMPLE, command.object = ACTOR, command.example = 0), "has no examples");
	REFUSED((command.kind = LM_COMMAND_EXAMPLE, command.example = 0, command.strength = NAN), "the strength is");
	REFUSED((command.kind = LM_COMMAND_FREE, command.example = 3), "has no example 3");
	REFUSED((command.kind = LM_COMMAND_FREE, strcpy(command.key, "beat")), "did you mean \"beta\"?");
	REFUSED((command.kind = LM_COMMAND_FREE, command.object = 3), "there is no object 3");
	REFUSED((command.kind = LM_COMMAND_SET, strcpy(command.key, "self_contact"), command.value[0] = 0.5),
	        "must be a whole number");
	REFUSED((command.kind = LM_COMMAND_SET, command.object = CLOTH, strcpy(command.key, "self_contact")),
	        "cannot change while the scene runs");
	REFUSED((command.kind = LM_COMMAND_SET, strcpy(command.key, "gravity"), command.value[2] = INFINITY),
	        "not a number");
	REFUSED((command.kind = LM_COMMAND_SET, command.object = CLOTH, strcpy(command.key, "thickness"),
	         command.value[0] = 10),
	        "thick");
	REFUSED((command.kind = LM_COMMAND_DO, command.object = ACTOR, command.act.velocity[1] = 1e5), "at most 1000");
	REFUSED((command.kind = LM_COMMAND_DO, command.object = ACTOR, command.act.behaviour = (lm_act_behaviour)50),
	        "does not exist");
	tell(world, &good);
	REFUSED((void)0, "there is a grab or pin 1 already");
	REFUSED((command.kind = LM_COMMAND_MOVE, command.to[0] = NAN), "the target has x = ");
	lm_world_destroy(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_grab_feels_alike_for_light_and_heavy),
		cmocka_unit_test(pins_hold_and_pushes_push),
		cmocka_unit_test(strengths_and_settings_override_the_timeline),
		cmocka_unit_test(characters_do_what_they_are_told),
		cmocka_unit_test(crouching_is_lower_than_standing_and_a_jump_comes_once),
		cmocka_unit_test(cloth_is_drawn_along),
		cmocka_unit_test(cloth_is_pushed),
		cmocka_unit_test(random_commands_repeat_to_the_bit),
		cmocka_unit_test(snapshots_are_exact),
		cmocka_unit_test(numbers_are_those_of_the_motion),
		cmocka_unit_test(takes_repeat),
		cmocka_unit_test(what_cannot_be_done_is_refused_in_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
