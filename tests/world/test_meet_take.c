// A take with grabs across engines: bodies of `match`, `act` and `design` on each other, pulled apart and pushed by
// hand.
#include "meeting.h"

#include "worlds.h"

// From below: match, design, act.
static lm_world* make_stack(int threads)
{
	lm_host host = lm_host_default();
	host.threads = threads;
	lm_scene* scene = lm_scene_create(&host);
	scene->fps = 24, scene->seconds = 2;
	assert_true(add_ground(scene));
	meeting m = meeting_default("match", "design");
	m.frequency = 200;
	const char* const engines[3] = { "match", "design", "act" };
	for (int b = 0; b < 3; ++b)
	{
		lm_scene_object* body = add_meeting_body(scene, &m, engines[b], engines[b], 100, false);
		body->position[1] = b * (MEETING_SIZE + 0.004), body->position[0] = 0.01 * b;
	}
	return world_of(scene);
}

static double height_of(lm_world* world, int32_t object)
{
	lm_world_surface_view view = lm_world_surface(world, object);
	double sum = 0;
	for (int32_t v = 0; v < view.vertex_count; ++v)
		sum += view.positions[3 * v + 1] / view.vertex_count;
	return sum;
}

static void a_stack_of_three_engines_stands(void** state)
{
	(void)state;
	lm_world* world = make_stack(1);
	step(world, 24);
	for (int b = 0; b < 3; ++b)
	{
		print_message("%d: %.3f sizes high\n", b, height_of(world, b) / MEETING_SIZE);
		assert_true(fabs(height_of(world, b) / MEETING_SIZE - b - 0.5) < 0.08);
	}
	lm_world_destroy(world);
}

static lm_command grab_of(int32_t object, int id)
{
	lm_command grab = lm_command_default(LM_COMMAND_GRAB);
	grab.object = object, grab.id = id, grab.place[0] = 1, grab.radius = 0.06;
	return grab;
}

static void note(lm_take* take, lm_world* world, const lm_command* command)
{
	lm_error error;
	if (lm_take_command(take, world, command, &error) != LM_OK)
		fail_msg("%s", error.message);
}

static void go_on(lm_take* take, lm_world* world, int frames)
{
	for (int f = 0; f < frames; ++f)
		assert_int_equal(lm_take_step(take, world, NULL), LM_OK);
}

// Each body is pulled against those that it touches, one is pushed; played again with other threads.
static void a_take_plays_as_recorded(void** state)
{
	(void)state;
	lm_world *world = make_stack(1), *other = make_stack(2);
	lm_take* take;
	lm_error error;
	assert_int_equal(lm_take_create(world, &take, &error), LM_OK);
	go_on(take, world, 3);
	for (int b = 0; b < 3; ++b)
	{
		lm_command grab = grab_of(b, b), move = lm_command_default(LM_COMMAND_MOVE);
		note(take, world, &grab);
		move.id = b, move.to[0] = 0.1 * (b - 1), move.to[1] = 0.1 + 0.2 * (2 - b);
		note(take, world, &move);
		go_on(take, world, 3);
		lm_command release = lm_command_default(LM_COMMAND_RELEASE);
		release.id = b;
		note(take, world, &release);
	}
	lm_command push = grab_of(1, 9);
	push.kind = LM_COMMAND_PUSH, push.to[0] = 0.5;
	note(take, world, &push);
	go_on(take, world, 5);
	assert_int_equal(lm_take_mark(take, world, &error), LM_OK);
	while (lm_world_frame(other) < lm_world_frame(world))
	{
		assert_int_equal(lm_take_play(take, other, &error), LM_OK);
		assert_int_equal(lm_world_step(other, NULL), LM_OK);
		assert_true(lm_take_agrees(take, other));
	}
	assert_true(lm_world_hash(world) == lm_world_hash(other));
	lm_take_destroy(take);
	lm_world_destroy(world), lm_world_destroy(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_of_three_engines_stands),
		cmocka_unit_test(a_take_plays_as_recorded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
