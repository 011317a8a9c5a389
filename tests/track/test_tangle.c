// Cloth that crosses itself at the start: it comes free, stays so, and goes on bit by bit from a checkpoint.
#include "base/blob.h"
#include "limber/track.h"
#include "test.h"
#include "track/body.h"
#include "track/state.h"

enum
{
	SIDE = 9,
	ONE = SIDE * SIDE
};

// Two level sheets of 1 m, one corner of the upper one pushed through the lower.
static lm_mesh* sheets(void)
{
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, 2 * ONE, 4 * (SIDE - 1) * (SIDE - 1), 0);
	int32_t* t = mesh->triangles;
	for (int v = 0; v < 2 * ONE; ++v)
	{
		double* x = mesh->positions + 3 * v;
		x[0] = (double)(v % SIDE) / (SIDE - 1), x[2] = (double)(v % ONE / SIDE) / (SIDE - 1);
		double near = fmax(0, 1.5 - x[0] - x[2]);
		x[1] = v < ONE ? 0 : 0.15 - 0.15 * near;
		x[0] += v < ONE ? 0 : 0.031;
	}
	for (int s = 0; s < 2; ++s)
		for (int j = 0; j + 1 < SIDE; ++j)
			for (int i = 0; i + 1 < SIDE; ++i, t += 6)
			{
				int32_t a = s * ONE + j * SIDE + i;
				const int32_t corners[6] = { a, a + SIDE, a + 1, a + 1, a + SIDE, a + SIDE + 1 };
				memcpy(t, corners, sizeof corners);
			}
	return mesh;
}

static lm_track* create(const lm_mesh* mesh, bool untangle, int threads, lm_error* error)
{
	lm_host host = lm_host_default();
	host.threads = threads;
	lm_track_def def = lm_track_def_default();
	def.mesh = mesh, def.untangle = untangle;
	def.settings.gravity[1] = 0, def.settings.thickness = 0.02;
	lm_track* cloth = NULL;
	return lm_track_create(&def, &host, &cloth, error) == LM_OK ? cloth : NULL;
}

static void refused_or_freed(void** state)
{
	(void)state;
	lm_error error;
	lm_mesh* mesh = sheets();
	assert_null(create(mesh, false, 1, &error));
	assert_non_null(strstr(error.message, "crosses itself"));
	lm_track* cloth = create(mesh, true, 1, &error);
	assert_non_null(cloth);
	int64_t before = lm_track_intersections(cloth);
	assert_true(before > 20);
	int32_t first[4] = { -1, -1, -1, -1 };
	assert_int_equal(lm_track_tangled(cloth, first, 2), before);
	for (int k = 0; k < 4; ++k) // one of each sheet
		assert_true(first[k] >= 0 && first[k] < mesh->triangle_count);
	double center[3], after[3];
	lm_track_center(cloth, center);
	int steps = 0, clean = 0;
	for (; steps < 400 && clean < 20; ++steps)
	{
		assert_int_equal(lm_track_step(cloth, 0.01, NULL, 0.01 * steps, &error), LM_OK);
		int64_t count = lm_track_intersections(cloth);
		assert_true(clean == 0 || count == 0); // once free, for good
		clean += count == 0;
	}
	assert_int_equal(clean, 20);
	assert_int_equal(lm_track_get_report(cloth).tangled, 0);
	assert_int_equal(lm_track_tangled(cloth, NULL, 0), 0);
	assert_null(cloth->tangle);
	lm_track_center(cloth, after); // what comes apart goes both ways
	for (int c = 0; c < 3; ++c)
		assert_near(after[c], center[c], 0.02);
	lm_track_destroy(cloth), lm_mesh_destroy(mesh);
}

static uint64_t run(const lm_mesh* mesh, int threads, int stop)
{
	lm_error error;
	lm_host host = lm_host_default();
	lm_track* cloth = create(mesh, true, threads, &error);
	for (int i = 0; i < 12; ++i)
	{
		if (i == stop)
		{
			lm_blob blob;
			lm_blob_init(&blob, &host);
			lm_track_save(cloth, &blob);
			lm_track_destroy(cloth);
			cloth = create(mesh, true, threads, &error);
			assert_int_equal(lm_track_load(cloth, &blob, &error), LM_OK);
			lm_blob_release(&blob);
		}
		assert_int_equal(lm_track_step(cloth, 0.01, NULL, 0.01 * i, &error), LM_OK);
	}
	assert_true(lm_track_get_report(cloth).tangled > 0); // else this shows nothing
	uint64_t hash = lm_track_hash(cloth);
	lm_track_destroy(cloth);
	return hash;
}

static void same_bits(void** state)
{
	(void)state;
	lm_mesh* mesh = sheets();
	uint64_t hash = run(mesh, 1, -1);
	assert_true(run(mesh, 2, -1) == hash);
	assert_true(run(mesh, 1, 5) == hash);
	lm_mesh_destroy(mesh);
}

// The direction is that in which the curve of intersection becomes shorter.
static void curve_becomes_shorter(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, 6, 2, 0); // the tip of the second triangle goes through the first
	const double x[18] = { -1, 0, -1, 1, 0, -1, 0, 0, 2, 0.1, -0.2, 0.05, -0.4, 1, 0.1, 0.6, 1.1, 0 };
	memcpy(mesh->positions, x, sizeof x);
	memcpy(mesh->triangles, (const int32_t[]){ 0, 1, 2, 3, 4, 5 }, 6 * sizeof(int32_t));
	lm_tangle* tangle;
	lm_error error;
	assert_int_equal(lm_tangle_create(mesh, 6, mesh->positions, &host, &tangle, &error), LM_OK);
	assert_non_null(tangle);
	double y[18];
	memcpy(y, x, sizeof x);
	lm_tangle_find(tangle, x);
	lm_tangle_part(tangle, x, 0.01, y);
	assert_true(y[10] > x[10] + 1e-4);                           // the tip goes up
	assert_true(y[1] + y[4] + y[7] < x[1] + x[4] + x[7] - 1e-4); // what it pierces goes down
	lm_tangle_destroy(tangle);
	lm_mesh_destroy(mesh);
}

// How far the middle falls in so many steps, of what it would fall without contact.
static double fall(lm_track* cloth, int steps)
{
	const double h = 0.01;
	double from[3], to[3];
	lm_error error;
	lm_track_center(cloth, from);
	for (int k = 0; k < steps; ++k)
		assert_int_equal(lm_track_step(cloth, h, NULL, h * k, &error), LM_OK);
	lm_track_center(cloth, to);
	return (from[1] - to[1]) / (9.81 * h * h * steps * (steps + 1) / 2);
}

// What comes free does not stop all of it in mid-air.
static void falls_while_it_comes_free(void** state)
{
	(void)state;
	lm_error error;
	lm_mesh* mesh = sheets();
	lm_track* cloth = create(mesh, true, 1, &error);
	lm_track_settings settings = lm_track_get_settings(cloth);
	settings.gravity[1] = -9.81;
	assert_int_equal(lm_track_set_settings(cloth, &settings, &error), LM_OK);
	assert_near(fall(cloth, 30), 1, 0.03);
	lm_track_destroy(cloth), lm_mesh_destroy(mesh);
}

// Sheets that are modelled nearer to each other than the thickness stay so, as nothing pushes them.
static void near_layers_rest(void** state)
{
	(void)state;
	lm_error error;
	lm_mesh* mesh = sheets();
	const double gap = 0.004;
	for (int v = 0; v < 2 * ONE; ++v)
		mesh->positions[3 * v + 1] = v < ONE ? 0 : gap;
	lm_track* cloth = create(mesh, true, 1, &error);
	assert_null(cloth->tangle);
	lm_track_settings settings = lm_track_get_settings(cloth);
	assert_true(settings.thickness > 4 * gap);
	settings.gravity[1] = -9.81;
	assert_int_equal(lm_track_set_settings(cloth, &settings, &error), LM_OK);
	assert_near(fall(cloth, 30), 1, 1e-3);
	for (int v = 0; v < ONE; ++v)
		assert_near(cloth->x[3 * (ONE + v) + 1] - cloth->x[3 * v + 1], gap, 1e-3 * gap);
	lm_track_destroy(cloth), lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(falls_while_it_comes_free), cmocka_unit_test(near_layers_rest),
		                                cmocka_unit_test(refused_or_freed), cmocka_unit_test(same_bits),
		                                cmocka_unit_test(curve_becomes_shorter) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
