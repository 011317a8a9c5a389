// Cloth on bodies of other engines, and who touches whom.
#include "meeting.h"

#include "act/scenes.h"
#include "mesh/intersect.h"
#include "worlds.h"

// A body at the origin, 0.2 m high, and a sheet of 0.3 m above it.
static lm_world* make_drape(const char* engine, bool body_touches, bool cloth_touches, int threads)
{
	lm_host host = lm_host_default();
	host.threads = threads;
	lm_scene* scene = lm_scene_create(&host);
	scene->fps = 30;
	assert_true(add_ground(scene));
	meeting m = meeting_default(engine, engine);
	m.lower_density = m.upper_density = 1000;
	add_meeting_body(scene, &m, "body", engine, 1000, false)->touch_off = !body_touches;
	lm_scene_object* cloth = lm_scene_add_object(scene, "cloth", "track");
	cloth->mesh = make_sheet(&scene->host, 5, 0.06);
	cloth->position[0] = -0.05, cloth->position[1] = 0.23, cloth->position[2] = 0.25;
	cloth->substeps = 2, cloth->touch_off = !cloth_touches;
	cloth->track->settings.thickness = 0.008;
	return world_of(scene);
}

static double middle_of_cloth(lm_world* world)
{
	lm_world_surface_view view = lm_world_surface(world, 1);
	double sum = 0;
	for (int32_t v = 0; v < view.vertex_count; ++v)
		sum += view.positions[3 * v + 1] / view.vertex_count;
	return sum;
}

static void cloth_lies_on_bodies(void** state)
{
	(void)state;
	const char* const engines[] = { "match", "act" };
	for (int e = 0; e < 2; ++e)
	{
		lm_world* world = make_drape(engines[e], true, true, 1);
		for (int f = 0; f < 12; ++f)
		{
			step(world, 1);
			assert_int_equal(lm_track_intersections(lm_world_track(world, 1)), 0);
		}
		lm_world_surface_view view = lm_world_surface(world, 1);
		double highest = 0;
		for (int32_t v = 0; v < view.vertex_count; ++v)
			highest = fmax(highest, view.positions[3 * v + 1]);
		print_message("on %s: middle %.4f, highest %.4f\n", engines[e], middle_of_cloth(world), highest);
		assert_true(highest > 0.19 && highest < 0.25);
		lm_world_destroy(world);
	}
}

#define FINE 36 // cells of a side

// The surface of a block of 0.2 m in 15,552 triangles, with a bump on it that the simulated mesh lacks.
static lm_mesh* make_bumpy(const lm_host* host)
{
	lm_mesh* mesh = test_block(host, FINE, FINE, FINE, 0.2 / FINE);
	assert_int_equal(lm_mesh_extract_surface(mesh, NULL), LM_OK);
	mesh->tet_count = 0;
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		double *x = mesh->positions + 3 * v, r = hypot(x[0] - 0.1, x[2] - 0.1);
		x[1] += x[1] > 0.199 ? 0.03 * exp(-r * r / (0.03 * 0.03)) : 0;
	}
	return mesh;
}

// Pairs of triangles of the two first objects, as they are shown.
static int64_t shown_crossings(lm_world* world)
{
	lm_host host = lm_host_default();
	lm_bvh trees[2];
	for (int i = 0; i < 2; ++i)
	{
		lm_world_surface_view view = lm_world_surface(world, i);
		assert_int_equal(lm_bvh_create(view.triangles, view.triangle_count, 3, view.positions, &host, &trees[i], NULL),
		                 LM_OK);
	}
	int64_t count = lm_meshes_count_intersections(&trees[0], &trees[1], NULL, 0);
	lm_bvh_release(&trees[0]), lm_bvh_release(&trees[1]);
	return count;
}

// However fine what is shown is, it is what cloth lies on.
static void cloth_lies_on_what_is_shown(void** state)
{
	(void)state;
	for (int touch = 0; touch < 2; ++touch)
	{
		lm_host host = lm_host_default();
		lm_scene* scene = lm_scene_create(&host);
		scene->fps = 30;
		assert_true(add_ground(scene));
		meeting m = meeting_default("match", "match");
		lm_scene_object* body = add_meeting_body(scene, &m, "body", "match", 1000, false);
		body->surface = make_bumpy(&scene->host), body->touch_off = touch == 0;
		lm_scene_object* cloth = lm_scene_add_object(scene, "cloth", "track");
		cloth->mesh = make_sheet(&scene->host, 10, 0.03);
		cloth->position[0] = -0.05, cloth->position[1] = 0.245, cloth->position[2] = 0.25, cloth->substeps = 2;
		lm_world* world = world_of(scene);
		assert_true(lm_world_surface(world, 0).triangle_count > 15000);
		int64_t most = 0;
		for (int f = 0; f < 10; ++f)
		{
			step(world, 1);
			int64_t found = shown_crossings(world);
			most = found > most ? found : most;
		}
		print_message("%s: at most %lld pairs cross\n", touch ? "touching" : "apart", (long long)most);
		assert_true(touch ? most == 0 : most > 100);
		lm_world_destroy(world);
	}
}

static void what_does_not_touch_falls_through(void** state)
{
	(void)state;
	for (int k = 0; k < 2; ++k)
	{
		lm_world* world = make_drape("match", k == 1, k == 0, 1);
		step(world, 9);
		assert_true(middle_of_cloth(world) < 0.1);
		lm_world_destroy(world);
	}
	// match on act
	meeting m = meeting_default("act", "match");
	m.apart = true;
	lm_world* world = make_meeting(&m);
	double nearest = INFINITY;
	for (int f = 0; f < 12; ++f)
	{
		step(world, 1);
		nearest = fmin(nearest, height(world, 1) - height(world, 0));
	}
	assert_true(nearest < 0.05); // both on the ground
	lm_world_destroy(world);
}

static void the_same_for_any_threads_and_after_a_snapshot(void** state)
{
	(void)state;
	lm_world *one = make_drape("match", true, true, 1), *two = make_drape("match", true, true, 2);
	step(one, 4), step(two, 4);
	assert_true(lm_world_hash(one) == lm_world_hash(two));
	lm_snapshot* snapshot;
	assert_int_equal(lm_world_snapshot(one, &snapshot, NULL), LM_OK);
	lm_world* other = make_drape("match", true, true, 1);
	assert_int_equal(lm_world_restore(other, snapshot, NULL), LM_OK);
	step(one, 4), step(other, 4);
	assert_true(lm_world_hash(one) == lm_world_hash(other));
	lm_snapshot_destroy(snapshot);
	lm_world_destroy(one), lm_world_destroy(two), lm_world_destroy(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cloth_lies_on_bodies),
		cmocka_unit_test(cloth_lies_on_what_is_shown),
		cmocka_unit_test(what_does_not_touch_falls_through),
		cmocka_unit_test(the_same_for_any_threads_and_after_a_snapshot),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
