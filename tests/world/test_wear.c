// Skins and garments: cloth that is led by the surface of a body.
#include "meeting.h"

#include "act/scenes.h"
#include "objects/track/wear.h"
#include "worlds.h"

static void store_message(lm_log_level level, const char* message, void* context)
{
	assert_int_equal(level, LM_LOG_WARNING);
	snprintf(context, 512, "%s", message);
}

// A ball that falls and spins, and cloth that is its own surface.
static lm_world* make_worn(const char* engine, lm_guide_bind bind, int threads, char* said)
{
	lm_host host = lm_host_default();
	host.threads = threads, host.log = store_message, host.log_context = said;
	lm_scene* scene = lm_scene_create(&host);
	scene->fps = 30;
	meeting m = meeting_default(engine, engine);
	m.lower_density = m.upper_density = 1000;
	lm_scene_object* body = add_meeting_body(scene, &m, "body", engine, 1000, true);
	body->position[1] = 0.06, body->angular_velocity[2] = -3;
	lm_scene_object* cloth = lm_scene_add_object(scene, "cloth", "track");
	cloth->mesh = lm_mesh_copy(body->mesh, &scene->host);
	assert_int_equal(lm_mesh_extract_surface(cloth->mesh, NULL), LM_OK);
	lm_mesh* whole = cloth->mesh; // with the vertices of its triangles alone
	int32_t* place = calloc((size_t)whole->vertex_count, sizeof *place);
	int32_t count = 0;
	for (int32_t k = 0; k < 3 * whole->triangle_count; ++k)
		if (place[whole->triangles[k]] == 0)
			place[whole->triangles[k]] = ++count;
	cloth->mesh = lm_mesh_create(&scene->host, count, whole->triangle_count, 0);
	for (int32_t k = 0; k < 3 * whole->triangle_count; ++k)
		cloth->mesh->triangles[k] = place[whole->triangles[k]] - 1;
	for (int32_t v = 0; v < whole->vertex_count; ++v)
		if (place[v] > 0)
			memcpy(cloth->mesh->positions + 3 * (place[v] - 1), whole->positions + 3 * v, 3 * sizeof(double));
	lm_mesh_destroy(whole);
	free(place);
	cloth->position[1] = body->position[1];
	cloth->substeps = 2, cloth->track->settings.thickness = 0.006;
	cloth->track->guide.object = "body", cloth->track->guide.bind = bind;
	cloth->track->regions = 20;
	return world_of(scene);
}

static double distance_of_middles(lm_world* world)
{
	double c[2][3] = { { 0 } }, sum = 0;
	for (int b = 0; b < 2; ++b)
	{
		lm_world_surface_view view = lm_world_surface(world, b);
		double low[3], high[3];
		lm_mesh_bounds(view.positions, view.vertex_count, low, high);
		for (int k = 0; k < 3; ++k)
			c[b][k] = (low[k] + high[k]) / 2;
	}
	for (int k = 0; k < 3; ++k)
		sum += pow(c[0][k] - c[1][k], 2);
	return sqrt(sum);
}

static void check_worn(const char* engine, lm_guide_bind bind)
{
	char said[512] = "";
	bool skin = bind == LM_GUIDE_SKIN;
	lm_world* world = make_worn(engine, bind, 1, said);
	assert_true(skin == (said[0] == 0));
	if (!skin && strstr(said, "moved out by up to 0.00") == NULL)
		fail_msg("said \"%s\"", said);
	assert_true((lm_world_surface(world, 0).triangle_count == 0) == skin);
	double worst = 0;
	for (int f = 0; f < 15; ++f)
	{
		step(world, 1);
		assert_int_equal(lm_track_intersections(lm_world_track(world, 1)), 0);
		worst = fmax(worst, distance_of_middles(world));
	}
	print_message("%s, %s: off by up to %.4f m\n", engine, skin ? "skin" : "garment", worst);
	assert_true(worst < 0.02);
	lm_world_destroy(world);
}

static void skins_and_garments_go_with_their_bodies(void** state)
{
	(void)state;
	check_worn("match", LM_GUIDE_SKIN);
	check_worn("match", LM_GUIDE_GARMENT);
	check_worn("act", LM_GUIDE_SKIN);
	check_worn("act", LM_GUIDE_GARMENT);
}

static void the_same_for_any_threads_and_after_a_snapshot(void** state)
{
	(void)state;
	char said[512];
	lm_world *one = make_worn("match", LM_GUIDE_GARMENT, 1, said), *two = make_worn("match", LM_GUIDE_GARMENT, 2, said);
	step(one, 8), step(two, 8);
	assert_true(lm_world_hash(one) == lm_world_hash(two));
	lm_snapshot* snapshot;
	assert_int_equal(lm_world_snapshot(one, &snapshot, NULL), LM_OK);
	lm_world* other = make_worn("match", LM_GUIDE_GARMENT, 1, said);
	assert_int_equal(lm_world_restore(other, snapshot, NULL), LM_OK);
	step(one, 3), step(other, 3);
	assert_true(lm_world_hash(one) == lm_world_hash(other));
	lm_snapshot_destroy(snapshot);
	lm_world_destroy(one), lm_world_destroy(two), lm_world_destroy(other);
}

// A sheet through the middle of a ball comes out of it, and nothing else moves.
static void what_begins_inside_is_moved_out(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* ball = test_block(&host, 4, 4, 4, 0.05);
	make_round(ball);
	assert_int_equal(lm_mesh_extract_surface(ball, NULL), LM_OK);
	lm_mesh* sheet = make_sheet(&host, 12, 0.04);
	double* start = malloc(24 * (size_t)sheet->vertex_count);
	for (int32_t v = 0; v < sheet->vertex_count; ++v)
	{
		start[3 * v] = sheet->positions[3 * v] - 0.14, start[3 * v + 1] = 0.15;
		start[3 * v + 2] = sheet->positions[3 * v + 2] + 0.34;
	}
	double corner[3] = { start[0], start[1], start[2] };
	lm_moved_out moved;
	assert_int_equal(lm_track_move_out(ball, sheet, 0.01, &host, start, &moved, NULL), LM_OK);
	print_message("%d of %d moved, by up to %.4f m\n", moved.count, sheet->vertex_count, moved.most);
	assert_true(moved.count > 5 && moved.count < sheet->vertex_count / 2 && moved.most > 0.05 && moved.most < 0.2);
	assert_memory_equal(corner, start, sizeof corner);
	for (int32_t v = 0; v < sheet->vertex_count; ++v)
	{
		double d = 0;
		for (int k = 0; k < 3; ++k)
			d += pow(start[3 * v + k] - 0.1, 2);
		assert_true(sqrt(d) > 0.1);
	}
	free(start);
	lm_mesh_destroy(sheet), lm_mesh_destroy(ball);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(skins_and_garments_go_with_their_bodies),
		cmocka_unit_test(the_same_for_any_threads_and_after_a_snapshot),
		cmocka_unit_test(what_begins_inside_is_moved_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
