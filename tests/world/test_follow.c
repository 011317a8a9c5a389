// Bodies of `act` perform an animation by their own strength.
#include "meeting.h"

#include "worlds.h"

#include <jansson.h>

#define FRAMES 20
#define LENGTH 1.3 // that the block gets

// A block in space, which shall become longer; softness below 0: it follows nothing.
static lm_world* make_follower(double softness, int threads)
{
	lm_host host = lm_host_default();
	host.threads = threads;
	lm_scene* scene = lm_scene_create(&host);
	scene->fps = FRAMES, scene->seconds = 1;
	meeting m = meeting_default("act", "act");
	m.gravity = 0;
	lm_scene_object* body = add_meeting_body(scene, &m, "body", "act", 100, false);
	body->position[0] = 3; // files go where it is
	body->act->control = LM_ACT_FULL;
	lm_act_settings* s = &body->act->settings;
	s->material.stretch = s->material.volume = 2e4;
	s->rest_material.stretch = s->rest_material.volume = 20;
	lm_scene_follow* follow = &body->act->follow;
	size_t numbers = 3 * (size_t)body->mesh->vertex_count;
	if (softness >= 0)
	{
		follow->softness = softness, follow->speed = 1;
		follow->vertex_count = body->mesh->vertex_count, follow->frame_count = 2;
		follow->times = lm_scene_memory(scene, 2, sizeof(double));
		follow->frames = lm_scene_memory(scene, 2 * numbers, sizeof(double));
		follow->times[1] = 0.5;
		for (size_t i = 0; i < 2 * numbers; ++i)
			follow->frames[i] = body->mesh->positions[i % numbers] * (i >= numbers && i % 3 == 1 ? LENGTH : 1);
	}
	return world_of(scene);
}

// By the root mean square of the heights about their mean; of the size.
static double length_of(lm_world* world)
{
	lm_world_surface_view view = lm_world_surface(world, 0);
	double mean = height(world, 0), squares = 0, n = MEETING_CELLS;
	for (int32_t v = 0; v < view.vertex_count; ++v)
		squares += pow(view.positions[3 * v + 1] - mean, 2) / view.vertex_count;
	return sqrt(squares * 12 * n / (n + 2)) / MEETING_SIZE; // n + 1 layers
}

// NAN: null
static double statistic(const lm_world* world, const char* name)
{
	char* text = lm_world_statistics(world, 0);
	json_t* all = json_loads(text, 0, NULL);
	json_t* value = json_object_get(json_array_get(json_object_get(all, "objects"), 0), name);
	assert_non_null(value);
	double number = json_is_number(value) ? json_number_value(value) : NAN;
	json_decref(all);
	lm_host host = lm_host_default();
	lm_text_free(&host, text);
	return number;
}

static void it_performs_what_it_follows(void** state)
{
	(void)state;
	double errors[2];
	for (int k = 0; k < 2; ++k)
	{
		lm_world* world = make_follower(k, 1);
		step(world, FRAMES);
		double mean = statistic(world, "follow_error"), most = statistic(world, "follow_error_max");
		print_message("softness %d: length %.3f, error %.4f, largest %.4f\n", k, length_of(world), mean, most);
		assert_true(mean > 0 && most >= mean);
		if (k == 0)
			assert_true(fabs(length_of(world) / LENGTH - 1) < 0.05 && most < 0.06);
		errors[k] = mean;
		lm_world_destroy(world);
	}
	assert_true(errors[0] < errors[1]);
	lm_world* world = make_follower(-1, 1);
	step(world, 2);
	assert_true(isnan(statistic(world, "follow_error")));
	assert_near(length_of(world), 1, 1e-6);
	lm_world_destroy(world);
}

static void the_same_for_any_threads_and_after_a_snapshot(void** state)
{
	(void)state;
	lm_world *one = make_follower(0, 1), *two = make_follower(0, 2), *other = make_follower(0, 1);
	step(one, 4), step(two, 8);
	lm_snapshot* snapshot;
	assert_int_equal(lm_world_snapshot(one, &snapshot, NULL), LM_OK);
	assert_int_equal(lm_world_restore(other, snapshot, NULL), LM_OK);
	lm_snapshot_destroy(snapshot);
	step(one, 4), step(other, 4);
	assert_true(lm_world_hash(one) == lm_world_hash(two) && lm_world_hash(one) == lm_world_hash(other));
	assert_true(statistic(one, "follow_error") == statistic(other, "follow_error"));
	lm_world_destroy(one), lm_world_destroy(two), lm_world_destroy(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_performs_what_it_follows),
		cmocka_unit_test(the_same_for_any_threads_and_after_a_snapshot),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
