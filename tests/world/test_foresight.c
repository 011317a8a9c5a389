// Characters foresee what touches them: a box stays on a walker, and one that is leant on stays where it stands.
#include "meeting.h"

#include "base/alloc.h"

#include "worlds.h"

#include <jansson.h>

#define ASSETS LIMBER_SOURCE "/gallery/assets/"

static lm_scene* read_scene(const char* path, const char* text)
{
	lm_host host = lm_host_default();
	lm_scene* scene = NULL;
	lm_problems problems = { 0 };
	lm_status status = text != NULL ? lm_scene_read_text(path, text, strlen(text), &host, &scene, &problems)
	                                : lm_scene_read(path, &host, &scene, &problems);
	if (status != LM_OK)
		fail_msg("%s", problems.count > 0 ? problems.items[0].message : "no scene");
	return scene;
}

// Of the first object.
static double statistic(lm_world* world, const char* key)
{
	const lm_host host = lm_host_default();
	char* text = lm_world_statistics(world, 0);
	json_t* json = json_loads(text, 0, NULL);
	json_t* object = json_array_get(json_object_get(json, "objects"), 0);
	double value = json_number_value(json_object_get(object, key));
	json_decref(json);
	lm_free(&host, text);
	return value;
}

static void centre_of(lm_world* world, int32_t object, double centre[3])
{
	lm_world_surface_view view = lm_world_surface(world, object);
	memset(centre, 0, 3 * sizeof *centre);
	for (int32_t i = 0; i < 3 * view.vertex_count; ++i)
		centre[i % 3] += view.positions[i] / view.vertex_count;
}

// A passive block of so many cells and so much mass, with a pull of its own.
static lm_scene_object* add_load(lm_scene* scene, const char* engine, const int cells[3], double cell, double mass,
                                 const double gravity[3])
{
	lm_scene_object* load = lm_scene_add_object(scene, "load", engine);
	load->mesh = test_block(&scene->host, cells[0], cells[1], cells[2], cell);
	double volume = cells[0] * cells[1] * cells[2] * cell * cell * cell;
	double pull = sqrt(gravity[0] * gravity[0] + gravity[1] * gravity[1]), pressure = mass / volume * pull * 0.12;
	load->density = mass / volume, load->substeps = 2;
	if (strcmp(engine, "act") == 0)
	{
		load->act->settings.material.stretch = load->act->settings.material.volume = 2000 * pressure;
		load->act->settings.friction = 0.8;
		memcpy(load->act->settings.gravity, gravity, 3 * sizeof *gravity);
	}
	else
	{
		load->match->settings.frequency = 60, load->match->settings.friction = 0.8;
		memcpy(load->match->settings.gravity, gravity, 3 * sizeof *gravity);
	}
	return load;
}

static const char* const engines[2] = { "match", "act" };

// The toast of act/crusty-1, with a box of 5 % of its mass.
static void a_box_stays_on_a_walker_for_ten_steps(void** state)
{
	(void)state;
	for (int e = 0; e < 2; ++e)
	{
		lm_scene* scene = read_scene(LIMBER_SOURCE "/gallery/act/crusty-1.json", NULL);
		lm_scene_object* load = add_load(scene, engines[e], (const int[3]){ 3, 3, 3 }, 0.04, 0.05 * 0.111,
		                                 (const double[3]){ 0, -9.81, 0 });
		load->position[0] = load->position[2] = -0.06, load->position[1] = 0.934;
		lm_world* world = world_of(scene);
		double toast[3], box[3];
		int frames = 0;
		for (; statistic(world, "steps_verified") < 10 && frames < 150; frames += 5)
			step(world, 5);
		centre_of(world, 0, toast), centre_of(world, 1, box);
		print_message("%s: after %g steps (%d frames) the box is %.3f m above the middle, %.3f m aside\n", engines[e],
		              statistic(world, "steps_verified"), frames, box[1] - toast[1],
		              hypot(box[0] - toast[0], box[2] - toast[2]));
		assert_true(statistic(world, "steps_verified") >= 10 && statistic(world, "toppled") == 0);
		assert_true(box[1] - toast[1] > 0.3 && hypot(box[0] - toast[0], box[2] - toast[2]) < 0.15);
		lm_world_destroy(world);
	}
}

static const char standing[] =
	"{ \"limber\": 1, \"name\": \"standing\", \"fps\": 25, \"seconds\": 3,"
	"  \"colliders\": [{ \"name\": \"ground\", \"shape\": \"plane\", \"friction\": 0.8 }],"
	"  \"objects\": [{ \"name\": \"clerk\", \"engine\": \"act\", \"mesh\": \"parade-clerk.obj\", \"forward\": \"x\","
	"    \"height\": 1, \"place\": \"ground\","
	"    \"act\": { \"character\": true, \"commands\": [{ \"do\": \"stand\" }] } }] }";

// Where a plate of 0.3 m touches its back, and its mass.
static double find_back(double middle[2], double* mass)
{
	lm_world* world = world_of(read_scene(ASSETS "standing.json", standing));
	lm_world_surface_view view = lm_world_surface(world, 0);
	double back = INFINITY;
	for (int32_t v = 0; v < view.vertex_count; ++v)
		if (view.positions[3 * v + 1] > 0.35 && view.positions[3 * v + 1] < 0.65)
			back = fmin(back, view.positions[3 * v]);
	double centre[3];
	centre_of(world, 0, centre);
	middle[0] = 0.5, middle[1] = centre[2];
	*mass = lm_act_mass(lm_world_act(world, 0));
	lm_world_destroy(world);
	return back;
}

// By a plate that is pressed against its back with 10 % of its weight.
static void one_that_is_leant_on_stays(void** state)
{
	(void)state;
	double middle[2], mass, back = find_back(middle, &mass);
	for (int e = 0; e < 2; ++e)
	{
		lm_scene* scene = read_scene(ASSETS "standing.json", standing);
		lm_scene_object* load = add_load(scene, engines[e], (const int[3]){ 1, 5, 5 }, 0.06, 0.05 * mass,
		                                 (const double[3]){ 2 * 9.81, 0, 0 });
		load->position[0] = back - 0.064, load->position[1] = middle[0] - 0.15, load->position[2] = middle[1] - 0.15;
		lm_world* world = world_of(scene);
		double before[3], after[3], plate[3];
		centre_of(world, 0, before);
		step(world, 75);
		centre_of(world, 0, after), centre_of(world, 1, plate);
		double moved = hypot(after[0] - before[0], after[2] - before[2]);
		print_message("%s: moved by %.4f of its height; the plate is %.3f m behind\n", engines[e], moved,
		              after[0] - plate[0]);
		assert_true(moved < 0.05 && fabs(after[1] - before[1]) < 0.05);
		assert_true(after[0] - plate[0] > 0 && after[0] - plate[0] < 0.4); // it still leans on it
		assert_true(statistic(world, "toppled") == 0);
		lm_world_destroy(world);
	}
}

// On a cushion of as much mass as it has, or more, onto which it drops a little: what it stands on moves and gives way,
// but resists.
static void check_cushion(double share, double height)
{
	double middle[2], mass;
	find_back(middle, &mass);
	lm_scene* scene = read_scene(ASSETS "standing.json", standing);
	lm_scene_object* cushion = lm_scene_add_object(scene, "cushion", "match");
	cushion->mesh = test_block(&scene->host, 4, 3, 4, 0.2);
	cushion->density = share * mass / (0.8 * 0.6 * 0.8);
	cushion->position[0] = cushion->position[2] = -0.4, cushion->position[1] = 0.002;
	scene->objects[0].position[1] = height;
	lm_world* world = world_of(scene);
	double before[3], now[3], highest = 0;
	centre_of(world, 0, before);
	for (int f = 0; f < 75; ++f)
	{
		step(world, 1), centre_of(world, 0, now);
		highest = fmax(highest, now[1] - before[1]);
	}
	double moved = hypot(now[0] - before[0], now[2] - before[2]);
	print_message("on %g of its mass, from %g m: %.3f m higher at most, at last %.3f m, %.3f m aside\n", share, height,
	              highest, now[1] - before[1], moved);
	assert_true(highest < 0.02 && now[1] - before[1] > -0.1);
	assert_true(moved < 0.1);
	assert_true(statistic(world, "toppled") == 0);
	lm_world_destroy(world);
}

static void one_stands_on_a_cushion(void** state)
{
	(void)state;
	const double heights[3] = { 0.615, 0.62, 0.63 };
	for (int k = 0; k < 3; ++k)
		check_cushion(1.5, heights[k]), check_cushion(1, heights[k]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_box_stays_on_a_walker_for_ten_steps),
		cmocka_unit_test(one_that_is_leant_on_stays),
		cmocka_unit_test(one_stands_on_a_cushion),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
