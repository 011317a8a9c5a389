// Designed objects among bodies of `match` and `act`: they move as designed, and carry and push what touches them.
#include "meeting.h"

#include "worlds.h"

#define FRAMES 24

// A designed block of 0.4 x 0.2 x 0.4 m that moves by `way` within a second, and a body above it or beside it.
static lm_world* make_led(const char* engine, const double way[3], const double place[3], bool touches, int threads)
{
	lm_host host = lm_host_default();
	host.threads = threads;
	lm_scene* scene = lm_scene_create(&host);
	scene->fps = FRAMES, scene->seconds = 1;
	assert_true(add_ground(scene));
	lm_scene_object* led = lm_scene_add_object(scene, "led", "design");
	led->mesh = test_block(&scene->host, 4, 2, 4, 0.1);
	assert_int_equal(lm_mesh_extract_surface(led->mesh, NULL), LM_OK);
	led->mesh->tet_count = 0;
	led->position[1] = 0.05, led->substeps = 2, led->touch_off = !touches;
	led->design->nodes = 20, led->design->frames = 4, led->design->linear = true;
	lm_scene_design_key* keys = led->design->keys = lm_scene_memory(scene, 2, sizeof *keys);
	led->design->key_count = 2;
	for (int k = 0; k < 2; ++k)
	{
		keys[k].time = k, keys[k].end = k, keys[k].has_position = true, keys[k].rotation[0] = 1;
		for (int c = 0; c < 3; ++c)
			keys[k].position[c] = led->position[c] + k * way[c];
	}
	meeting m = meeting_default(engine, engine);
	lm_scene_object* body = add_meeting_body(scene, &m, "body", engine, 100, true);
	memcpy(body->position, place, sizeof body->position);
	return world_of(scene);
}

static double mean_of(lm_world* world, int32_t object, int axis)
{
	lm_world_surface_view view = lm_world_surface(world, object);
	double sum = 0;
	for (int32_t v = 0; v < view.vertex_count; ++v)
		sum += view.positions[3 * v + axis] / view.vertex_count;
	return sum;
}

static const double above[3] = { 0.1, 0.255, 0.1 }, beside[3] = { 0.43, 0.003, 0.1 };

static void a_ball_is_carried(void** state)
{
	(void)state;
	const char* const engines[] = { "match", "act" };
	for (int e = 0; e < 2; ++e)
		for (int k = 0; k < 2; ++k)
		{
			lm_world* world = make_led(engines[e], (const double[3]){ 0, 0.3, 0 }, above, k == 0, 1);
			step(world, FRAMES);
			double found = mean_of(world, 1, 1) - mean_of(world, 0, 1);
			print_message("%s: %.4f m above\n", engines[e], found);
			assert_true(k == 0 ? fabs(found - 0.2) < 0.01 : found < 0); // else it lies on the ground
			lm_world_destroy(world);
		}
}

static void a_ball_is_pushed(void** state)
{
	(void)state;
	const char* const engines[] = { "match", "act" };
	for (int e = 0; e < 2; ++e)
	{
		lm_world* world = make_led(engines[e], (const double[3]){ 0.5, 0, 0 }, beside, true, 1);
		double before = mean_of(world, 1, 0);
		step(world, FRAMES);
		double found = mean_of(world, 1, 0) - before;
		print_message("%s: pushed by %.4f m\n", engines[e], found);
		assert_true(found > 0.45 && found < 1);
		lm_world_destroy(world);
	}
}

static void the_same_for_any_threads_and_after_a_snapshot(void** state)
{
	(void)state;
	for (int e = 0; e < 2; ++e)
	{
		const double up[3] = { 0, 0.3, 0 };
		lm_world* worlds[3];
		for (int k = 0; k < 3; ++k)
			worlds[k] = make_led(e ? "act" : "match", up, above, true, k == 1 ? 2 : 1);
		step(worlds[0], 6), step(worlds[1], 12);
		lm_snapshot* snapshot;
		assert_int_equal(lm_world_snapshot(worlds[0], &snapshot, NULL), LM_OK);
		assert_int_equal(lm_world_restore(worlds[2], snapshot, NULL), LM_OK);
		lm_snapshot_destroy(snapshot);
		step(worlds[0], 6), step(worlds[2], 6);
		assert_true(lm_world_hash(worlds[0]) == lm_world_hash(worlds[1]));
		assert_true(lm_world_hash(worlds[0]) == lm_world_hash(worlds[2]));
		for (int k = 0; k < 3; ++k)
			lm_world_destroy(worlds[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ball_is_carried),
		cmocka_unit_test(a_ball_is_pushed),
		cmocka_unit_test(the_same_for_any_threads_and_after_a_snapshot),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
