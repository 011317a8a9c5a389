// Cloths that touch each other: nothing crosses, what one gives the other gets, and they are the same bits for any
// number of threads and across a resume.
#include "base/blob.h"
#include "limber/track.h"
#include "test.h"
#include "track/state.h"

// A square in the plane y = height, turned a little so that no edges lie above each other.
static lm_mesh* sheet(int side, double size, double height, double turn)
{
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, side * side, 2 * (side - 1) * (side - 1), 0);
	int32_t* t = mesh->triangles;
	for (int v = 0; v < side * side; ++v)
	{
		double a = size * (v % side) / (side - 1) - size / 2, b = size * (v / side) / (side - 1) - size / 2;
		double* x = mesh->positions + 3 * v;
		x[0] = cos(turn) * a - sin(turn) * b, x[1] = height, x[2] = sin(turn) * a + cos(turn) * b;
	}
	for (int j = 0; j + 1 < side; ++j)
		for (int i = 0; i + 1 < side; ++i)
		{
			int32_t a = j * side + i, b = a + 1, c = a + side, d = c + 1;
			const int32_t two[6] = { a, c, b, b, c, d };
			memcpy(t, two, sizeof two), t += 6;
		}
	return mesh;
}

static lm_track* create(const lm_track_def* def, const lm_host* host)
{
	lm_track* cloth = NULL;
	lm_error error;
	if (lm_track_create(def, host, &cloth, &error) != LM_OK)
		fail_msg("%s", error.message);
	return cloth;
}

// Two sheets of different cloth above a ball.
typedef struct layers
{
	lm_mesh* meshes[2];
	lm_track* cloths[2];
	lm_track_together* together;
} layers;

static layers make_layers(int side, int threads)
{
	lm_host host = lm_host_default();
	host.threads = threads;
	lm_placement_key key = { .rotation = { 1, 0, 0, 0 }, .position = { 0, -0.31, 0 } };
	lm_collider_def ball = lm_collider_def_default();
	ball.shape = LM_SHAPE_SPHERE, ball.radius = 0.3, ball.keys = &key, ball.key_count = 1;
	layers l = { .meshes = { sheet(side, 0.8, 0.01, 0.1), sheet(side - 2, 0.7, 0.03, 0.4) } };
	for (int i = 0; i < 2; ++i)
	{
		lm_track_def def = lm_track_def_default();
		def.mesh = l.meshes[i], def.colliders = &ball, def.collider_count = 1;
		def.settings.bend = i == 0 ? 1e-4 : 1e-3, def.settings.friction = i == 0 ? 0.2 : 0.4;
		def.settings.thickness = i == 0 ? 0.008 : 0.006, def.density = i == 0 ? 0.2 : 0.4;
		l.cloths[i] = create(&def, &host);
	}
	assert_int_equal(lm_track_together_create(l.cloths, 2, NULL, &host, &l.together, NULL), LM_OK);
	return l;
}

static void destroy_layers(layers* l)
{
	lm_track_together_destroy(l->together);
	for (int i = 0; i < 2; ++i)
		lm_track_destroy(l->cloths[i]), lm_mesh_destroy(l->meshes[i]);
}

static const double* const no_guides[2] = { NULL, NULL };

static void nothing_crosses(void** state)
{
	(void)state;
	layers l = make_layers(11, 1);
	for (int i = 0; i < 24; ++i)
	{
		assert_int_equal(lm_track_together_step(l.together, 1.0 / 60, no_guides, i / 60.0, NULL), LM_OK);
		for (int k = 0; k < 2; ++k)
		{
			assert_int_equal(lm_track_intersections(l.cloths[k]), 0);
			assert_false(lm_track_get_report(l.cloths[k]).stalled);
		}
		assert_int_equal(lm_track_intersections_between(l.cloths[0], l.cloths[1]), 0);
	}
	double low[3], high[3]; // they lie on the ball, one above the other
	lm_track_center(l.cloths[0], low), lm_track_center(l.cloths[1], high);
	assert_true(high[1] - low[1] > 0.004 && high[1] < 0 && low[1] > -0.3);
	destroy_layers(&l);
}

static uint64_t hash_after(layers* l, int from, int to)
{
	for (int i = from; i < to; ++i)
		assert_int_equal(lm_track_together_step(l->together, 1.0 / 60, no_guides, i / 60.0, NULL), LM_OK);
	return lm_track_hash(l->cloths[0]) * 31 + lm_track_hash(l->cloths[1]);
}

static void the_same_bits(void** state)
{
	(void)state;
	uint64_t want = 0;
	for (int threads = 1; threads <= 4; threads *= 2)
	{
		layers l = make_layers(9, threads);
		uint64_t hash = hash_after(&l, 0, 14);
		assert_true(want == 0 || hash == want);
		want = hash;
		destroy_layers(&l);
	}
	layers first = make_layers(9, 1), second = make_layers(9, 1);
	hash_after(&first, 0, 9);
	lm_host host = lm_host_default();
	for (int k = 0; k < 2; ++k)
	{
		lm_blob blob;
		lm_blob_init(&blob, &host);
		lm_track_save(first.cloths[k], &blob);
		assert_int_equal(lm_track_load(second.cloths[k], &blob, NULL), LM_OK);
		lm_blob_release(&blob);
	}
	assert_true(hash_after(&second, 9, 14) == want);
	destroy_layers(&first), destroy_layers(&second);
}

static double momentum(const lm_track* cloth)
{
	double v[3 * 400], sum = 0;
	lm_track_velocities(cloth, v);
	for (int32_t i = 0; i < lm_track_vertex_count(cloth); ++i)
		sum += lm_track_masses(cloth)[i] * v[3 * i + 1];
	return sum;
}

// Two sheets fly at each other: what the one loses the other gets. Apart, they fly through each other.
static void momentum_is_kept(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int apart = 0; apart < 2; ++apart)
	{
		lm_mesh* meshes[2] = { sheet(9, 0.5, 0, 0.1), sheet(7, 0.4, 0.05, 0.4) };
		lm_track* cloths[2];
		for (int i = 0; i < 2; ++i)
		{
			lm_track_def def = lm_track_def_default();
			def.mesh = meshes[i], def.settings.gravity[1] = 0, def.settings.solver = LM_TRACK_EXACT;
			cloths[i] = create(&def, &host);
			double v[3 * 81] = { 0 };
			for (int k = 0; k < lm_track_vertex_count(cloths[i]); ++k)
				v[3 * k + 1] = i == 0 ? 0 : -1;
			assert_int_equal(lm_track_set_positions(cloths[i], NULL, v, NULL), LM_OK);
		}
		const bool table[4] = { false, apart == 1, apart == 1, false };
		lm_track_together* together = NULL;
		assert_int_equal(lm_track_together_create(cloths, 2, table, &host, &together, NULL), LM_OK);
		double before = momentum(cloths[0]) + momentum(cloths[1]), given = 0;
		for (int i = 0; i < 12; ++i)
		{
			assert_int_equal(lm_track_together_step(together, 0.01, no_guides, 0.01 * i, NULL), LM_OK);
			given = momentum(cloths[0]);
			assert_near((given + momentum(cloths[1])) / before, 1, 1e-4);
		}
		if (apart)
			assert_near(given, 0, 1e-12);
		else
			assert_true(given / before > 0.3);
		lm_track_together_destroy(together);
		for (int i = 0; i < 2; ++i)
			lm_track_destroy(cloths[i]), lm_mesh_destroy(meshes[i]);
	}
}

static void crossing_cloths_are_refused(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh *one = sheet(5, 0.5, 0, 0.1), *two = sheet(5, 0.5, 0, 0.4);
	for (int v = 0; v < 25; ++v) // upright
		two->positions[3 * v + 1] = two->positions[3 * v] + 0.01, two->positions[3 * v] = 0.02;
	lm_track_def def = lm_track_def_default();
	lm_track* cloths[2];
	def.mesh = one, cloths[0] = create(&def, &host);
	def.mesh = two, cloths[1] = create(&def, &host);
	lm_track_together* together = NULL;
	lm_error error;
	assert_int_equal(lm_track_together_create(cloths, 2, NULL, &host, &together, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "cloths 0 and 1 cross"));
	assert_int_equal(lm_track_together_create(cloths, 0, NULL, &host, &together, &error), LM_BAD_INPUT);
	const bool apart[4] = { false, true, true, false };
	assert_int_equal(lm_track_together_create(cloths, 2, apart, &host, &together, &error), LM_OK);
	lm_track_together_destroy(together);
	for (int i = 0; i < 2; ++i)
		lm_track_destroy(cloths[i]);
	lm_mesh_destroy(one), lm_mesh_destroy(two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_crosses),
		cmocka_unit_test(the_same_bits),
		cmocka_unit_test(momentum_is_kept),
		cmocka_unit_test(crossing_cloths_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
