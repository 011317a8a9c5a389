// The cloth as its users know it: guided, pinned, draped over colliders, plastic, resumed; bad input in sentences.
#include "base/blob.h"
#include "limber/track.h"
#include "test.h"
#include "track/body.h"
#include "track/lean.h"
#include "track/state.h"

static lm_mesh* sheet(int side, double size)
{
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, side * side, 2 * (side - 1) * (side - 1), 0);
	int32_t* t = mesh->triangles;
	for (int v = 0; v < side * side; ++v)
	{
		double* x = mesh->positions + 3 * v;
		x[0] = size * (v % side) / (side - 1) - size / 2, x[1] = 0, x[2] = size * (v / side) / (side - 1) - size / 2;
	}
	for (int j = 0; j + 1 < side; ++j)
		for (int i = 0; i + 1 < side; ++i)
		{
			int32_t a = j * side + i, b = a + 1, c = a + side, d = c + 1;
			const int32_t even[6] = { a, d, b, a, c, d }, odd[6] = { a, c, b, b, c, d };
			memcpy(t, (i + j) % 2 ? odd : even, sizeof even), t += 6;
		}
	return mesh;
}

static lm_track* create(const lm_track_def* def)
{
	lm_host host = lm_host_default();
	lm_track* cloth = NULL;
	lm_error error;
	if (lm_track_create(def, &host, &cloth, &error) != LM_OK)
		fail_msg("%s", error.message);
	return cloth;
}

// The guide: the sheet carried up and waved.
static void guide_at(const lm_mesh* mesh, double time, double* guide)
{
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		const double* X = mesh->positions + 3 * v;
		guide[3 * v] = X[0], guide[3 * v + 2] = X[2];
		guide[3 * v + 1] = 0.3 * time + 0.05 * sin(6 * X[0] + 8 * time);
	}
}

static void follows_its_guide(void** state)
{
	(void)state;
	lm_mesh* mesh = sheet(13, 1);
	lm_track_def def = lm_track_def_default();
	def.mesh = mesh, def.regions = 12;
	lm_track* cloth = create(&def);
	assert_true(lm_track_constraint_count(cloth) >= 9 && lm_track_constraint_count(cloth) <= 12);
	double* guide = malloc(3 * (size_t)mesh->vertex_count * sizeof(double));
	for (int i = 1; i <= 20; ++i)
	{
		guide_at(mesh, 0.01 * i, guide);
		assert_int_equal(lm_track_step(cloth, 0.01, guide, 0.01 * (i - 1), NULL), LM_OK);
		lm_track_report report = lm_track_get_report(cloth);
		assert_true(report.converged && report.gave_way == 0 && report.residual < 1e-10);
	}
	assert_int_equal(lm_track_intersections(cloth), 0);
	int32_t regions[169];
	lm_track_regions(cloth, regions);
	for (int v = 0; v < 169; ++v)
		assert_true(regions[v] >= 0 && regions[v] < lm_track_constraint_count(cloth));
	// switched off, it falls
	double before[3], after[3];
	lm_track_center(cloth, before);
	for (int32_t i = 0; i < lm_track_constraint_count(cloth); ++i)
		lm_track_set_constraint(cloth, i, 0);
	double still[3 * 169] = { 0 };
	lm_track_set_positions(cloth, NULL, still, NULL);
	for (int i = 0; i < 10; ++i)
		assert_int_equal(lm_track_step(cloth, 0.01, NULL, 0, NULL), LM_OK);
	lm_track_center(cloth, after);
	assert_near(after[1] - before[1], -9.81 * 0.01 * 0.01 * 55, 1e-9);
	free(guide);
	lm_track_destroy(cloth), lm_mesh_destroy(mesh);
}

// Held at two corners over a ball and a floor: it hangs, touches, and crosses nothing.
static void drapes_over_colliders(void** state)
{
	(void)state;
	lm_mesh* mesh = sheet(11, 1);
	lm_placement_key low = { .position = { 0, -0.4, 0 }, .rotation = { 1, 0, 0, 0 } };
	lm_placement_key ball = { .position = { 0.1, -0.18, 0.05 }, .rotation = { 1, 0, 0, 0 } };
	lm_collider_def colliders[2] = { lm_collider_def_default(), lm_collider_def_default() };
	colliders[0].keys = &low, colliders[0].key_count = 1;
	colliders[1].shape = LM_SHAPE_SPHERE, colliders[1].radius = 0.15, colliders[1].keys = &ball,
	colliders[1].key_count = 1;
	lm_track_def def = lm_track_def_default();
	def.mesh = mesh, def.colliders = colliders, def.collider_count = 2;
	lm_track* cloth = create(&def);
	assert_int_equal(lm_track_pin(cloth, 0, mesh->positions, NULL), LM_OK);
	assert_int_equal(lm_track_pin(cloth, 10, mesh->positions + 30, NULL), LM_OK);
	int32_t pairs = 0;
	for (int i = 0; i < 40; ++i)
	{
		assert_int_equal(lm_track_step(cloth, 0.02, NULL, 0.02 * i, NULL), LM_OK);
		assert_int_equal(lm_track_intersections(cloth), 0);
		lm_track_report report = lm_track_get_report(cloth);
		pairs = report.pairs > pairs ? report.pairs : pairs;
	}
	assert_true(pairs > 20);
	double x[363];
	lm_track_positions(cloth, x);
	for (int k = 0; k < 3; ++k)
	{
		assert_near(x[k], mesh->positions[k], 1e-6);
		assert_near(x[30 + k], mesh->positions[30 + k], 1e-6);
	}
	for (int v = 0; v < 121; ++v)
		assert_true(x[3 * v + 1] > -0.4 && x[3 * v + 1] < 0.2);
	lm_track_destroy(cloth), lm_mesh_destroy(mesh);
}

// Saved and loaded into a new cloth, it goes on with the same bits; so it does with other numbers of threads.
static void same_bits(void** state)
{
	(void)state;
	lm_mesh* mesh = sheet(9, 1);
	double guide[243];
	uint64_t hashes[4];
	for (int variant = 0; variant < 4; ++variant) // 1 thread, 2, 4, and resumed half way
	{
		lm_host host = lm_host_default();
		host.threads = variant == 1 ? 2 : (variant == 2 ? 4 : 1);
		lm_track_def def = lm_track_def_default();
		def.mesh = mesh, def.regions = 6, def.settings.yield = 5, def.settings.hardening = 0.01;
		def.settings.air_drag = 0.5, def.settings.wind[0] = 3;
		lm_track* cloth = NULL;
		assert_int_equal(lm_track_create(&def, &host, &cloth, NULL), LM_OK);
		assert_int_equal(lm_track_pin(cloth, 4, mesh->positions + 12, NULL), LM_OK);
		for (int i = 1; i <= 12; ++i)
		{
			guide_at(mesh, 0.01 * i, guide);
			assert_int_equal(lm_track_step(cloth, 0.01, guide, 0.01 * (i - 1), NULL), LM_OK);
			if (variant == 3 && i == 6)
			{
				lm_blob blob;
				lm_blob_init(&blob, &host);
				lm_track_save(cloth, &blob);
				lm_track* other = NULL;
				assert_int_equal(lm_track_create(&def, &host, &other, NULL), LM_OK);
				assert_int_equal(lm_track_load(other, &blob, NULL), LM_OK);
				assert_true(lm_track_hash(other) == lm_track_hash(cloth));
				blob.size /= 2, blob.cursor = 0;
				assert_int_equal(lm_track_load(cloth, &blob, NULL), LM_BAD_INPUT);
				lm_blob_release(&blob);
				lm_track_destroy(cloth);
				cloth = other;
			}
		}
		hashes[variant] = lm_track_hash(cloth);
		lm_track_destroy(cloth);
	}
	for (int variant = 1; variant < 4; ++variant)
		assert_true(hashes[variant] == hashes[0]);
	lm_mesh_destroy(mesh);
}

// A cloth so large that threads share the factorisations of its steps.
static void shared_factorisations_change_no_bit(void** state)
{
	(void)state;
	lm_mesh* mesh = sheet(45, 1);
	double* guide = malloc(3 * (size_t)mesh->vertex_count * sizeof(double));
	uint64_t expected = 0;
	guide_at(mesh, 0.01, guide);
	for (int i = 0; i < 6; ++i)
	{
		lm_host host = lm_host_default();
		host.threads = 1 << i % 3;
		lm_track_def def = lm_track_def_default();
		def.mesh = mesh, def.regions = 6, def.settings.solver = i < 3 ? LM_TRACK_LEAN : LM_TRACK_EXACT;
		lm_track* cloth = NULL;
		assert_int_equal(lm_track_create(&def, &host, &cloth, NULL), LM_OK);
		assert_int_equal(lm_track_step(cloth, 0.01, guide, 0, NULL), LM_OK);
		const lm_cholesky* ldl = i < 3 ? cloth->solver->lean->ldl : cloth->solver->ldl;
		assert_true(lm_cholesky_get_info(ldl).tasks >= 3); // the case that is meant
		expected = i % 3 == 0 ? lm_track_hash(cloth) : expected;
		assert_true(lm_track_hash(cloth) == expected);
		lm_track_destroy(cloth);
	}
	free(guide);
	lm_mesh_destroy(mesh);
}

// Counts and indices in a damaged checkpoint are not believed: whatever byte is wrong, the load says so or is harmless.
static void damaged_checkpoints_are_refused(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = sheet(4, 1);
	lm_track_def def = lm_track_def_default();
	def.mesh = mesh, def.regions = 2;
	lm_track *cloth = NULL, *other = NULL;
	assert_int_equal(lm_track_create(&def, &host, &cloth, NULL), LM_OK);
	assert_int_equal(lm_track_create(&def, &host, &other, NULL), LM_OK);
	assert_int_equal(lm_track_pin(cloth, 3, mesh->positions + 9, NULL), LM_OK);
	assert_int_equal(lm_track_step(cloth, 0.01, mesh->positions, 0, NULL), LM_OK);
	lm_blob blob;
	lm_blob_init(&blob, &host);
	lm_track_save(cloth, &blob);
	int refused = 0;
	for (size_t i = 0; i < blob.size; ++i)
	{
		blob.data[i] ^= 0x80;
		blob.cursor = 0, blob.failed = false;
		refused += lm_track_load(other, &blob, NULL) == LM_BAD_INPUT;
		blob.data[i] ^= 0x80;
	}
	assert_true(refused >= 5 * 8 + 8 + 4); // the head, the count of multipliers and the vertex that is held
	blob.cursor = 0, blob.failed = false;
	assert_int_equal(lm_track_load(other, &blob, NULL), LM_OK);
	assert_true(lm_track_hash(other) == lm_track_hash(cloth));
	lm_blob_release(&blob);
	lm_track_destroy(other);
	lm_track_destroy(cloth);
	lm_mesh_destroy(mesh);
}

// A strip bent over an edge and let go: elastic it straightens, plastic it keeps the fold.
static void plastic_folds_stay(void** state)
{
	(void)state;
	double lift[2];
	for (int plastic = 0; plastic < 2; ++plastic)
	{
		lm_mesh* mesh = sheet(7, 1);
		lm_track_def def = lm_track_def_default();
		def.mesh = mesh;
		def.settings.gravity[1] = 0, def.settings.bend = 0.05, def.settings.damping = 0.05;
		def.settings.yield = plastic ? 0.5 : INFINITY;
		lm_track* cloth = create(&def);
		for (int i = 0; i < 60; ++i)
		{
			for (int v = 0; v < 49; ++v) // both sides up, the middle held
				if (v % 7 == 0 || v % 7 == 6 || v % 7 == 3)
				{
					double turn = i < 20 ? 0.07 * i : 1.4, side = v % 7 - 3;
					double p[3] = { side / 6 * cos(turn), fabs(side) / 6 * sin(turn), mesh->positions[3 * v + 2] };
					if (i < 20)
						assert_int_equal(lm_track_pin(cloth, v, p, NULL), LM_OK);
					else if (v % 7 != 3)
						lm_track_unpin(cloth, v);
				}
			assert_int_equal(lm_track_step(cloth, 0.02, NULL, 0.02 * i, NULL), LM_OK);
		}
		double x[147];
		lm_track_positions(cloth, x);
		lift[plastic] = x[1] - x[3 * 3 + 1];
		assert_int_equal(lm_track_get_report(cloth).plastic > 0, plastic);
		lm_track_destroy(cloth), lm_mesh_destroy(mesh);
	}
	assert_true(fabs(lift[0]) < 0.05);
	assert_true(lift[1] > 0.2);
}

// A guide whose first frame crosses itself: the cloth comes to it from its undeformed shape.
static void preroll_reaches_crossing_guides(void** state)
{
	(void)state;
	lm_mesh* mesh = sheet(11, 1);
	double guide[363];
	for (int v = 0; v < 121; ++v) // folded, and pushed through itself
	{
		double x = mesh->positions[3 * v];
		guide[3 * v] = fabs(x), guide[3 * v + 1] = x < 0 ? -0.02 : 0.02, guide[3 * v + 2] = mesh->positions[3 * v + 2];
		if (x > 0.3)
			guide[3 * v + 1] = -0.06;
	}
	lm_track_def def = lm_track_def_default();
	def.mesh = mesh, def.regions = 8;
	lm_track* cloth = create(&def);
	assert_int_equal(lm_track_preroll(cloth, 0.6, guide, 0, NULL), LM_OK);
	assert_int_equal(lm_track_intersections(cloth), 0);
	double x[363], v[363];
	lm_track_positions(cloth, x), lm_track_velocities(cloth, v);
	assert_true(x[0] > 0); // the left half lies on the right
	for (int i = 0; i < 363; ++i)
		assert_true(isfinite(x[i]) && v[i] == 0);
	lm_track_destroy(cloth), lm_mesh_destroy(mesh);
}

static void expect_problem(const lm_track_def* def, const char* words)
{
	lm_host host = lm_host_default();
	lm_track* cloth = NULL;
	lm_error error;
	assert_int_equal(lm_track_create(def, &host, &cloth, &error), LM_BAD_INPUT);
	assert_null(cloth);
	if (strstr(error.message, words) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

static void bad_input(void** state)
{
	(void)state;
	lm_mesh* mesh = sheet(5, 1);
	const lm_track_def good = {
		.mesh = mesh, .density = 0.2, .compact = 0.5, .settings = lm_track_def_default().settings
	};
	lm_track_def def = good;
	def.density = 0;
	expect_problem(&def, "density");
	def = good, def.settings.stretch = -1;
	expect_problem(&def, "stretch");
	def = good, def.settings.poisson = 1;
	expect_problem(&def, "poisson");
	def = good, def.settings.thickness = 0.5;
	expect_problem(&def, "thinner than its edges");
	def = good, def.settings.most_iterations = -1;
	expect_problem(&def, "iterations");
	def = good, def.mesh = NULL;
	expect_problem(&def, "no triangles");
	def = good, def.functions.count = 1;
	expect_problem(&def, "no lists");
	def = good, def.regions = -1;
	expect_problem(&def, "clusters");
	def = good, def.regions = 2, def.frame_count = 1;
	expect_problem(&def, "frame 0 of 1 is missing");
	def = good, def.regions = 4, def.compact = 2;
	expect_problem(&def, "bias");
	int64_t starts[2] = { 0, 1 };
	int32_t vertices[1] = { 99 };
	double values[1] = { 1 };
	def = good, def.functions = (lm_track_functions){ 1, starts, vertices, values };
	expect_problem(&def, "vertex 99");
	vertices[0] = 3, values[0] = 0;
	expect_problem(&def, "empty");
	double crossing[75];
	memcpy(crossing, mesh->positions, sizeof crossing);
	crossing[3 * 12 + 1] = 0.3, crossing[0] = 0.3, crossing[1] = 0.1, crossing[2] = 0.3; // a corner pulled through
	def = good, def.start = crossing;
	expect_problem(&def, "crosses itself");
	lm_placement_key key = { .position = { 0, 0.01, 0 }, .rotation = { 1, 0, 0, 0 } };
	lm_collider_def ball = lm_collider_def_default();
	ball.shape = LM_SHAPE_SPHERE, ball.radius = 0.2, ball.keys = &key, ball.key_count = 1;
	def = good, def.colliders = &ball, def.collider_count = 1;
	expect_problem(&def, "collider");
	lm_track* cloth = create(&good);
	lm_error error;
	assert_int_equal(lm_track_step(cloth, 0.2, NULL, 0, &error), LM_BAD_INPUT);
	double guide[75] = { 0 };
	guide[30] = NAN;
	assert_int_equal(lm_track_step(cloth, 0.01, guide, 0, &error), LM_BAD_INPUT);
	assert_int_equal(error.element, 10);
	assert_int_equal(lm_track_step(cloth, 0.01, NULL, NAN, &error), LM_BAD_INPUT);
	assert_int_equal(lm_track_pin(cloth, 25, guide, &error), LM_BAD_INPUT);
	assert_int_equal(lm_track_pin(cloth, 0, guide + 30, &error), LM_BAD_INPUT);
	assert_int_equal(lm_track_set_positions(cloth, guide, NULL, &error), LM_BAD_INPUT);
	assert_int_equal(lm_track_set_positions(cloth, NULL, guide, &error), LM_BAD_INPUT);
	assert_int_equal(error.element, 10);
	memcpy(crossing, mesh->positions, sizeof crossing);
	memcpy(crossing + 3, crossing, 3 * sizeof(double));
	assert_int_equal(lm_track_set_undeformed(cloth, crossing, &error), LM_BAD_INPUT);
	lm_track_destroy(cloth), lm_mesh_destroy(mesh);
}

static void memory(void** state)
{
	(void)state;
	lm_mesh* mesh = sheet(5, 1);
	lm_placement_key key = { .position = { 0, -0.5, 0 }, .rotation = { 1, 0, 0, 0 } };
	lm_collider_def floor = lm_collider_def_default();
	floor.keys = &key, floor.key_count = 1;
	lm_track_def def = lm_track_def_default();
	def.mesh = mesh, def.regions = 3, def.colliders = &floor, def.collider_count = 1;
	test_memory held = { 0 };
	lm_host host = test_host(&held);
	for (int64_t fail = 1;; ++fail)
	{
		held = (test_memory){ .fail_at = fail };
		lm_track* cloth = NULL;
		lm_status status = lm_track_create(&def, &host, &cloth, NULL);
		if (status == LM_OK)
		{
			status = lm_track_step(cloth, 0.01, mesh->positions, 0, NULL);
			if (status == LM_NO_MEMORY)
			{
				double x[75];
				lm_track_positions(cloth, x);
				assert_memory_equal(x, mesh->positions, sizeof x);
				assert_int_equal(lm_track_step(cloth, 0.01, mesh->positions, 0, NULL), LM_OK);
			}
			else
				assert_int_equal(status, LM_OK);
		}
		else
			assert_int_equal(status, LM_NO_MEMORY);
		bool over = held.requests < fail;
		lm_track_destroy(cloth);
		assert_int_equal(held.held, 0);
		if (over)
			break;
	}
	lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_its_guide),
		cmocka_unit_test(drapes_over_colliders),
		cmocka_unit_test(same_bits),
		cmocka_unit_test(shared_factorisations_change_no_bit),
		cmocka_unit_test(damaged_checkpoints_are_refused),
		cmocka_unit_test(plastic_folds_stay),
		cmocka_unit_test(preroll_reaches_crossing_guides),
		cmocka_unit_test(bad_input),
		cmocka_unit_test(memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
