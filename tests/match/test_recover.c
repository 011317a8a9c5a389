// Starts that no artist would make, all of which come back to rest; thin plates; far away; extreme settings.
#include "shapes.h"

#include "match/body.h"

typedef enum ruin
{
	MIRRORED,
	MIRRORED_ALL,
	PLANE,
	PLANE_LONG,
	LINE,
	LINE_SHORT,
	POINT,
	RANDOM,
	INSIDE_OUT,
	RUINS
} ruin;

static void wreck(const lm_mesh* mesh, ruin how, double* start)
{
	double low[3], high[3];
	lm_mesh_bounds(mesh->positions, mesh->vertex_count, low, high);
	uint64_t seed = 11;
	for (int i = 0; i < mesh->vertex_count; ++i)
		for (int k = 0; k < 3; ++k)
		{
			double X = mesh->positions[3 * i + k], middle = (low[k] + high[k]) / 2, x = X;
			if ((how == MIRRORED && k == 0) || how == MIRRORED_ALL)
				x = -X;
			if ((how == PLANE && k == 0) || (how == PLANE_LONG && k == 1) || (how == LINE && k != 1) ||
			    (how == LINE_SHORT && k != 0) || how == POINT)
				x = middle;
			if (how == RANDOM)
				x = middle + 0.5 * (high[k] - low[k]) * test_random(&seed);
			if (how == INSIDE_OUT)
				x = middle - 0.3 * (X - middle);
			start[3 * i + k] = x;
		}
}

static double difference_after(const lm_match_def* def, int steps)
{
	lm_host host = lm_host_default();
	lm_match* body = make_body(def, &host);
	double* x = malloc((size_t)def->mesh->vertex_count * 24);
	for (int k = 0; k < steps; ++k)
		lm_match_step(body, 1.0 / 60, NULL, k / 60.0);
	lm_match_positions(body, x);
	double difference = shape_difference(x, def->mesh->positions, def->mesh->vertex_count);
	free(x);
	lm_match_destroy(body);
	return difference;
}

static void test_ruins_come_back_to_rest(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = grid_mesh(&host, 4, 8, 3, 0.1, 0.1, 0.1);
	double *start = malloc((size_t)mesh->vertex_count * 24), *twist = twisted(mesh, 1);
	const double* examples[] = { twist };
	lm_match_def def = lm_match_def_default();
	def.mesh = mesh, def.start = start, def.examples = examples;
	def.settings.frequency = 20, def.settings.damping = 0.5;
	def.settings.beta = 0.9;
	for (int how = 0; how < RUINS; ++how)
		for (def.example_count = 0; def.example_count <= 1; ++def.example_count)
		{
			wreck(mesh, (ruin)how, start);
			double difference = difference_after(&def, 900);
			if (!(difference < 0.01))
				print_error("start %d with %d examples: %g\n", how, def.example_count, difference);
			assert_true(difference < 0.01);
		}
	free(start), free(twist);
	lm_mesh_destroy(mesh);
}

// Largest distance from rest after resting for two seconds, relative to the size.
static double restlessness(const lm_mesh* mesh)
{
	double* twist = twisted(mesh, 0.5);
	const double* examples[] = { twist };
	lm_match_def def = lm_match_def_default();
	def.mesh = mesh, def.example_count = 1, def.examples = examples;
	memset(def.settings.gravity, 0, sizeof def.settings.gravity);
	double worst = 0;
	lm_host host = lm_host_default();
	for (def.locality = LM_MATCH_GLOBAL; def.locality <= LM_MATCH_EACH; def.locality += 2)
	{
		lm_match* body = make_body(&def, &host);
		double* x = malloc((size_t)mesh->vertex_count * 24);
		for (int k = 0; k < 120; ++k)
			lm_match_step(body, 1.0 / 60, NULL, k / 60.0);
		lm_match_positions(body, x);
		for (int k = 0; k < 3 * mesh->vertex_count; ++k)
			worst = fmax(worst, fabs(x[k] - mesh->positions[k]) / body->size);
		free(x);
		lm_match_destroy(body);
	}
	free(twist);
	return worst;
}

static void test_plates_are_calm(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const double thickness[] = { 0.3, 0.1, 0.05, 0.03, 0.02, 0.01, 0.003, 0.001 };
	for (int k = 0; k < 8; ++k)
	{
		lm_mesh* plate = grid_mesh(&host, 8, 8, 1, 0.1, 0.1, 0.1 * thickness[k]);
		assert_near(restlessness(plate), 0, 2e-5);
		lm_mesh_destroy(plate);
	}
	// Exactly flat: the triangles of a grid, and a single line of them collapsed to a needle.
	lm_mesh* sheet = lm_mesh_create(&host, 81, 128, 0);
	for (int i = 0; i < 81; ++i)
		sheet->positions[3 * i] = 0.1 * (i / 9), sheet->positions[3 * i + 1] = 0.1 * (i % 9);
	for (int i = 0, t = 0; i < 8; ++i)
		for (int j = 0; j < 8; ++j)
		{
			int a = 9 * i + j, corners[6] = { a, a + 9, a + 1, a + 1, a + 9, a + 10 };
			for (int k = 0; k < 6; ++k)
				sheet->triangles[t++] = corners[k];
		}
	assert_near(restlessness(sheet), 0, 2e-5);
	lm_mesh_destroy(sheet);
}

static void test_far_away_is_like_here(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = grid_mesh(&host, 3, 8, 3, 0.1, 0.1, 0.1);
	double *twist = twisted(mesh, 1.5), *near = twisted(mesh, 1), *far = twisted(mesh, 1);
	int n = mesh->vertex_count;
	const double away[3] = { 10000, -3000, 7000 };
	for (int k = 0; k < 3 * n; ++k)
		far[k] += away[k % 3];
	const double* examples[] = { twist };
	lm_match_def def = lm_match_def_default();
	def.mesh = mesh, def.example_count = 1, def.examples = examples;
	def.settings.gravity[0] = 2; // falls for some metres, so that the origins move too
	def.start = near;
	lm_match* a = make_body(&def, &host);
	def.start = far;
	lm_match* b = make_body(&def, &host);
	for (int k = 0; k < 90; ++k)
	{
		lm_match_step(a, 1.0 / 60, NULL, 0);
		lm_match_step(b, 1.0 / 60, NULL, 0);
	}
	lm_match_positions(a, near);
	lm_match_positions(b, far);
	assert_true(near[1] < -5);
	assert_near(shape_difference(near, far, n), 0, 1e-5);
	for (int k = 0; k < 3 * n; ++k)
		assert_near(far[k] - away[k % 3], near[k], 1e-5);
	lm_match_destroy(a);
	lm_match_destroy(b);
	free(twist), free(near), free(far);
	lm_mesh_destroy(mesh);
}

static void test_extreme_settings_stay_finite(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = grid_mesh(&host, 2, 4, 2, 0.1, 0.1, 0.1);
	double* start = malloc((size_t)mesh->vertex_count * 24);
	wreck(mesh, RANDOM, start);
	const double frequencies[] = { 0.01, 5, 1000 }, dampings[] = { 0, 1, 2 }, steps[] = { 1e-6, 1.0 / 60, 0.1 };
	for (int k = 0; k < 27; ++k)
	{
		lm_match_def def = lm_match_def_default();
		def.mesh = mesh, def.start = start;
		def.settings.frequency = frequencies[k % 3], def.settings.damping = dampings[k / 3 % 3];
		lm_match* body = make_body(&def, &host);
		for (int s = 0; s < 20; ++s)
			lm_match_step(body, steps[k / 9], NULL, 0);
		double* x = malloc((size_t)mesh->vertex_count * 24);
		lm_match_positions(body, x);
		for (int i = 0; i < 3 * mesh->vertex_count; ++i)
			assert_true(fabs(x[i]) < 30);
		assert_int_equal(lm_match_get_report(body).recovered, 0);
		free(x);
		lm_match_destroy(body);
	}
	free(start);
	lm_mesh_destroy(mesh);
}

// Speeds and places that floats cannot hold are brought back, counted, and the body recovers from them.
static void test_broken_numbers_are_brought_back(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = grid_mesh(&host, 2, 4, 2, 0.1, 0.1, 0.1);
	lm_match_def def = lm_match_def_default();
	def.mesh = mesh, def.settings.drag = 20, def.settings.frequency = 20, def.settings.damping = 0.5;
	lm_match* body = make_body(&def, &host);
	int32_t vertices[] = { 0, 7 };
	const double impulse[3] = { 1e30, -1e30, 1e25 };
	lm_match_push(body, vertices, 2, impulse);
	body->v[lm_particle_place(10, 0)] = NAN, body->v[lm_particle_place(12, 0)] = INFINITY;
	for (int k = 0; k < 600; ++k)
	{
		lm_match_step(body, 1.0 / 60, NULL, 0);
		for (size_t i = 0; i < lm_particle_numbers(mesh->vertex_count); ++i)
			assert_true(isfinite(body->x[i]) && isfinite(body->v[i]));
	}
	assert_true(lm_match_get_report(body).recovered >= 4);
	lm_match_destroy(body);
	lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ruins_come_back_to_rest),         cmocka_unit_test(test_plates_are_calm),
		cmocka_unit_test(test_far_away_is_like_here),           cmocka_unit_test(test_extreme_settings_stay_finite),
		cmocka_unit_test(test_broken_numbers_are_brought_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
