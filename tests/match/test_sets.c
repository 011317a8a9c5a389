// Regions of one's own.
#include "shapes.h"

static lm_match_def free_def(const lm_mesh* mesh)
{
	lm_match_def def = lm_match_def_default();
	def.mesh = mesh;
	def.settings.frequency = 10, def.settings.damping = 1;
	memset(def.settings.gravity, 0, sizeof def.settings.gravity);
	return def;
}

// The region of a vertex: its ring, and all sets that it is in. Symmetric, and with ring 0 nothing but the sets.
static void test_regions_have_the_sets(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = grid_mesh(&host, 2, 2, 2, 0.1, 0.1, 0.1);
	const int32_t first[] = { 0, 26, 5, 5 }, second[] = { 26, 13 };
	const lm_match_set sets[] = { { 4, first }, { 2, second } };
	lm_match_def def = free_def(mesh);
	int32_t members[27], plain[27];
	for (int ring = 0; ring <= 1; ++ring)
	{
		lm_match_def without = def;
		without.ring = 1;
		def.ring = ring, def.set_count = 2, def.sets = sets;
		lm_match *body = make_body(&def, &host), *other = make_body(&without, &host);
		for (int32_t v = 0; v < 27; ++v)
		{
			bool in_first = v == 0 || v == 26 || v == 5, in_second = v == 26 || v == 13;
			bool expected[27] = { false };
			int32_t count = lm_match_region(other, v, plain);
			for (int32_t k = 0; ring == 1 && k < count; ++k)
				expected[plain[k]] = true;
			expected[v] = true;
			for (int k = 0; k < 4 && in_first; ++k)
				expected[first[k]] = true;
			for (int k = 0; k < 2 && in_second; ++k)
				expected[second[k]] = true;
			int32_t wanted = 0;
			for (int k = 0; k < 27; ++k)
				wanted += expected[k];
			assert_int_equal(lm_match_region(body, v, members), wanted);
			for (int32_t k = 0; k < wanted; ++k)
				assert_true(expected[members[k]]);
		}
		lm_match_destroy(body);
		lm_match_destroy(other);
	}
	lm_mesh_destroy(mesh);
}

// One set of all vertices is the shape matching of a whole body: twisted, it goes back to rest all at once, and a part
// that is a set of its own keeps its shape where the rest of a body bends. Both methods, both ways of summing.
static void test_a_set_moves_as_one(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = grid_mesh(&host, 3, 8, 3, 0.1, 0.1, 0.1);
	int n = mesh->vertex_count;
	int32_t* all = malloc((size_t)n * sizeof *all);
	for (int i = 0; i < n; ++i)
		all[i] = i;
	const lm_match_set whole = { n, all };
	double *start = twisted(mesh, 0.7), *x = malloc((size_t)n * 24);
	lm_match_def def = free_def(mesh);
	def.ring = 0, def.set_count = 1, def.sets = &whole, def.start = start;
	def.method = LM_MATCH_PAPER, def.settings.alpha = 1; // there in one step
	lm_match* body = make_body(&def, &host);
	lm_match_step(body, 0.01, NULL, 0);
	lm_match_positions(body, x);
	assert_true(shape_difference(x, mesh->positions, n) < 1e-5);
	lm_match_destroy(body);
	def.method = LM_MATCH_OURS;
	body = make_body(&def, &host);
	for (int step = 0; step < 60; ++step)
		lm_match_step(body, 1.0 / 60, NULL, step / 60.0);
	lm_match_positions(body, x);
	assert_true(shape_difference(x, mesh->positions, n) < 1e-3);
	lm_match_destroy(body);
	free(all);
	free(start);
	free(x);
	lm_mesh_destroy(mesh);
}

static void test_bad_sets_are_refused(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = grid_mesh(&host, 1, 1, 1, 1, 1, 1);
	const int32_t high[] = { 0, 8 };
	const lm_match_set set = { 2, high };
	lm_match_def def = free_def(mesh);
	lm_match* body = NULL;
	lm_error error;
	def.set_count = 1, def.sets = &set;
	assert_int_equal(lm_match_create(&def, &host, &body, &error), LM_BAD_INPUT);
	assert_string_equal(error.message, "set 0 names vertex 8; there are 8 vertices, from 0");
	def.set_count = 0, def.ring = 0;
	assert_int_equal(lm_match_create(&def, &host, &body, &error), LM_BAD_INPUT);
	assert_string_equal(error.message, "the ring is 0; it must lie between 1 and 8");
	int32_t* many = calloc(8000, sizeof *many);
	const lm_match_set large = { 8000, many };
	def.set_count = 1, def.sets = &large, def.ring = 1;
	assert_int_equal(lm_match_create(&def, &host, &body, &error), LM_BAD_INPUT);
	free(many);
	lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_regions_have_the_sets),
		cmocka_unit_test(test_a_set_moves_as_one),
		cmocka_unit_test(test_bad_sets_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
