// Objects of `act` in scenes that a program fills in: hops at any gravity, and what a world refuses.
#include "test.h"

#include "act/scenes.h"
#include "ground.h"
#include "limber/limber.h"

// A soft rectangle on the ground, 0.6 m wide and high, with one command.
static lm_scene_object* add_actor(lm_scene* scene, const char* name, lm_act_behaviour behaviour)
{
	lm_scene_object* object = lm_scene_add_object(scene, name, "act");
	object->mesh = scene_rectangle(&scene->host, 3, 3, 0.2);
	object->density = 1;
	object->substeps = 2;
	object->act->kind = LM_ACT_SOLID2;
	object->act->control = LM_ACT_FULL;
	object->act->command_count = 1;
	lm_scene_command* command = object->act->commands = lm_scene_memory(scene, 1, sizeof *command);
	command->command = lm_act_command_default(behaviour);
	command->end = -1;
	command->velocity = (lm_keyed){ 1, lm_scene_memory(scene, 1, sizeof(double)), lm_scene_memory(scene, 3, 8) };
	return object;
}

static lm_scene* make_scene(const lm_host* host, const double gravity[3])
{
	lm_scene* scene = lm_scene_create(host);
	scene->fps = 25;
	memcpy(scene->gravity, gravity, sizeof scene->gravity);
	assert_true(add_ground(scene));
	return scene;
}

typedef struct hop_result
{
	double way, highest; // m: of the centre of mass along x from start to end, and above where it began
	bool finite;
} hop_result;

// Hops to a place `way` further along x.
static hop_result hop(const double gravity[3], double way, double seconds)
{
	lm_host host = lm_host_default();
	lm_scene* scene = make_scene(&host, gravity);
	lm_scene_object* object = add_actor(scene, "hopper", LM_ACT_HOP);
	lm_scene_command* command = object->act->commands;
	command->command.has_place = true;
	command->command.place[0] = 0.3 + way;
	command->command.speed = 1;
	command->velocity.values[1] = command->command.up = 1.2;
	lm_world* world;
	lm_error error;
	if (lm_world_create(scene, &host, &world, &error) != LM_OK)
		fail_msg("%s", error.message);
	double start[3], now[3];
	lm_act_center(lm_world_act(world, 0), start);
	hop_result result = { .finite = true };
	for (int f = 0; f < (int)(25 * seconds); ++f)
	{
		assert_int_equal(lm_world_step(world, NULL), LM_OK);
		lm_act_center(lm_world_act(world, 0), now);
		result.finite &= isfinite(now[0]) && isfinite(now[1]);
		result.highest = fmax(result.highest, now[1] - start[1]);
	}
	result.way = now[0] - start[0];
	lm_world_destroy(world);
	lm_scene_destroy(scene);
	return result;
}

// If commands assumed the gravity of the earth, a body on the moon would fly six times as far as commanded.
static void hops_arrive_at_any_gravity(void** state)
{
	(void)state;
	const double pulls[3] = { 9.81, 1.62, 3.7 };
	for (int k = 0; k < 3; ++k)
	{
		hop_result r = hop((double[3]){ 0, -pulls[k], 0 }, 0.8, 10);
		printf("%g m/s^2: hopped %.3f m, %.3f m high\n", pulls[k], r.way, r.highest);
		assert_near(r.way, 0.8, 0.05);
	}
}

// Nothing comes down again here, or it falls up or aside: all of it stays finite.
static void odd_gravities_stay_finite(void** state)
{
	(void)state;
	const double pulls[4][3] = { { 0, 0, 0 }, { 0, 9.81, 0 }, { 3, 0, 0 }, { 2, -1e-9, 0 } };
	for (int k = 0; k < 4; ++k)
		assert_true(hop(pulls[k], 0.8, 1).finite);
}

// Expects that no world can be made of the scene, and destroys it.
static void expect_refusal(lm_scene* scene, const char* message)
{
	lm_world* world = NULL;
	lm_error error;
	assert_int_equal(lm_world_create(scene, &scene->host, &world, &error), LM_BAD_INPUT);
	assert_string_equal(error.message, message);
	lm_scene_destroy(scene);
}

static void nobody_walks_without_weight(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const double pulls[3][3] = { { 0, -1.62, 0 }, { 0, 0, 0 }, { 9.81, 0.5, 0 } };
	for (int k = 0; k < 3; ++k)
	{
		lm_scene* scene = make_scene(&host, pulls[k]);
		lm_world* world = NULL;
		add_actor(scene, "walker", LM_ACT_WALK);
		if (k > 0)
			expect_refusal(scene, k == 1 ? "object \"walker\" shall walk, but its gravity is (0, 0, 0): walking "
			                               "needs at least 0.1 m/s^2 downwards, along -y"
			                             : "object \"walker\" shall walk, but its gravity is (9.81, 0.5, 0): "
			                               "walking needs at least 0.1 m/s^2 downwards, along -y");
		else
		{
			assert_int_equal(lm_world_create(scene, &host, &world, NULL), LM_OK);
			lm_world_destroy(world);
			lm_scene_destroy(scene);
		}
	}
}

static void actors_step_together(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_scene* scene = make_scene(&host, (double[3]){ 0, -9.81, 0 });
	add_actor(scene, "first", LM_ACT_STAND);
	add_actor(scene, "second", LM_ACT_STAND)->substeps = 3;
	lm_world* world;
	lm_error error;
	assert_int_equal(lm_world_create(scene, &host, &world, &error), LM_OK);
	assert_int_equal(lm_world_step(world, &error), LM_OK);
	char* statistics = lm_world_statistics(world, 0);
	const char* first = strstr(statistics, "\"substeps\": 3");
	assert_non_null(first);
	assert_non_null(strstr(first + 1, "\"substeps\": 3"));
	lm_text_free(&host, statistics);
	lm_world_destroy(world), lm_scene_destroy(scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hops_arrive_at_any_gravity),
		cmocka_unit_test(odd_gravities_stay_finite),
		cmocka_unit_test(nobody_walks_without_weight),
		cmocka_unit_test(actors_step_together),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
