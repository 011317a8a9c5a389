// Cloths of a scene that touch each other: stepped together when they come near, alone when not, and the same bits
// however the run is cut.
#include "worlds.h"

#include <unistd.h>
static void add_sheet(lm_scene* scene, const char* name, double height, int n, double size)
{
	lm_scene_object* cloth = lm_scene_add_object(scene, name, "track");
	cloth->mesh = make_sheet(&scene->host, n, size);
	cloth->position[1] = height, cloth->substeps = 2;
	cloth->track->settings.thickness = 0.01;
	cloth->track->settings.gravity[1] = 0, cloth->track->settings.strength = 1e5;
}

// Vertex 0 of the upper sheet is pulled through the lower one within a step: the boxes know nothing of that beforehand.
static lm_world* make_layers(bool touch, int threads)
{
	lm_host host = lm_host_default();
	host.threads = threads;
	lm_scene* scene = lm_scene_create(&host);
	scene->fps = 30;
	add_sheet(scene, "lower", 0, 6, 0.1);
	add_sheet(scene, "upper", 0.3, 5, 0.11);
	add_sheet(scene, "far", 5, 3, 0.1);
	scene->objects[1].touch_off = !touch;
	scene->objects[1].position[0] = 0.11, scene->objects[1].position[2] = 0.02;
	lm_scene_pin* pin = lm_scene_memory(scene, 1, sizeof *pin);
	pin->group = "", pin->count = 1, pin->vertices = lm_scene_memory(scene, 1, sizeof(int32_t)), pin->end = -1;
	pin->offset = (lm_keyed){ 3, lm_scene_memory(scene, 3, sizeof(double)), lm_scene_memory(scene, 9, sizeof(double)) };
	const double times[3] = { 0, 0.05, 0.051 };
	for (int k = 0; k < 3; ++k)
		pin->offset.times[k] = times[k], pin->offset.values[3 * k + 1] = k < 2 ? 0 : -0.6;
	scene->objects[1].pins = pin, scene->objects[1].pin_count = 1;
	return world_of(scene);
}

static int64_t crossings(lm_world* world)
{
	int64_t sum = 0;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < i; ++j)
			sum += lm_track_intersections_between(lm_world_track(world, i), lm_world_track(world, j));
	return sum;
}

static void cloths_never_cross(void** state)
{
	(void)state;
	for (int touch = 0; touch < 2; ++touch)
	{
		lm_world* world = make_layers(touch == 1, 1);
		int64_t most = 0;
		for (int f = 0; f < 8; ++f)
		{
			step(world, 1);
			int64_t found = crossings(world);
			most = found > most ? found : most;
		}
		double middle[3];
		lm_track_center(lm_world_track(world, 0), middle);
		print_message("%s: %lld crossings, lower at %.4f\n", touch ? "touching" : "apart", (long long)most, middle[1]);
		assert_true(touch ? most == 0 && middle[1] < -0.02 : most > 0 && middle[1] > -1e-9);
		lm_world_destroy(world);
	}
}

static void the_same_bits(void** state)
{
	(void)state;
	uint64_t want = 0;
	for (int threads = 1; threads <= 4; threads *= 2)
	{
		lm_world* world = make_layers(true, threads);
		step(world, 7);
		assert_true(want == 0 || lm_world_hash(world) == want);
		want = lm_world_hash(world);
		lm_world_destroy(world);
	}
	for (int cut = 1; cut < 7; cut += 2)
	{
		lm_world *first = make_layers(true, 1), *second = make_layers(true, 1);
		step(first, cut);
		char path[] = "/tmp/limber-layers-XXXXXX";
		int descriptor = mkstemp(path);
		assert_true(descriptor >= 0);
		close(descriptor);
		assert_int_equal(lm_world_save(first, path, NULL), LM_OK);
		assert_int_equal(lm_world_load(second, path, NULL), LM_OK);
		step(second, 7 - cut);
		assert_true(lm_world_hash(second) == want);
		lm_world_destroy(first), lm_world_destroy(second);
		remove(path);
	}
}

static void crossing_cloths_are_refused(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int touch = 0; touch < 2; ++touch)
	{
		lm_scene* scene = lm_scene_create(&host);
		add_sheet(scene, "one", 0, 4, 0.1), add_sheet(scene, "two", 0, 5, 0.08);
		scene->objects[0].touch_off = touch == 0;
		lm_world* world;
		lm_error error;
		assert_int_equal(lm_world_create(scene, &host, &world, &error), LM_OK);
		lm_status status = lm_world_check(world, &error);
		assert_int_equal(status, touch ? LM_BAD_INPUT : LM_OK);
		assert_true(!touch || strstr(error.message, "crosses \"one\"") != NULL);
		lm_scene_destroy(scene), lm_world_destroy(world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cloths_never_cross),
		cmocka_unit_test(the_same_bits),
		cmocka_unit_test(crossing_cloths_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
