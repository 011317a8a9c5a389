// Trees in single precision may visit a little more than those in double, and never less.
#include "shapes.h"

#include "contact/slim_tree.h"

typedef struct visited
{
	int32_t count, stop_after, last;
	bool* seen;
} visited;

static bool note(void* context, int32_t element)
{
	visited* v = context;
	assert_false(v->seen[element]);
	v->seen[element] = true, v->last = element;
	return ++v->count != v->stop_after;
}

static lm_mesh* bent_grid(void)
{
	lm_mesh* mesh = grid_mesh(7, 4, 3, 0.25, 0, 0, 0);
	for (int64_t v = 0; v < mesh->vertex_count; ++v)
		mesh->positions[3 * v + 1] += 0.3 * sin(3 * mesh->positions[3 * v]);
	return mesh;
}

static void set_rows(const lm_mesh* mesh, float* rows)
{
	for (int64_t v = 0; v < mesh->vertex_count; ++v)
		for (int k = 0; k < 3; ++k)
			rows[4 * v + k] = (float)mesh->positions[3 * v + k];
}

static void test_visits_what_overlaps(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = bent_grid();
	float* rows = calloc(4 * (size_t)mesh->vertex_count, sizeof *rows);
	lm_slim_tree slim;
	lm_bvh exact;
	assert_int_equal(lm_slim_tree_create(mesh->tets, mesh->tet_count, 4, mesh->positions, rows, &host, &slim, NULL),
	                 LM_OK);
	assert_int_equal(lm_bvh_create(mesh->tets, mesh->tet_count, 4, mesh->positions, &host, &exact, NULL), LM_OK);
	visited some = { .seen = calloc((size_t)mesh->tet_count, 1) }, all = { .seen = calloc((size_t)mesh->tet_count, 1) };
	uint64_t seed = 4;
	int64_t more = 0, found = 0;
	for (int round = 0; round < 400; ++round)
	{
		if (round == 200) // it moves
			for (int64_t k = 0; k < 3 * (int64_t)mesh->vertex_count; ++k)
				mesh->positions[k] = 1.3 * mesh->positions[k] + 0.05 * test_random(&seed);
		set_rows(mesh, rows);
		lm_slim_tree_fit(&slim);
		lm_bvh_refit(&exact, mesh->positions);
		int64_t v = round % mesh->vertex_count;
		lm_vec3 p = { 2.5 * test_random(&seed), 2 * test_random(&seed), test_random(&seed) };
		if (round % 3 == 0) // exactly at the border of boxes
			p = lm_v3_at(mesh->positions, v);
		double reach = round % 2 ? 0 : 0.1;
		some.count = all.count = 0, all.stop_after = some.stop_after = 0;
		memset(some.seen, 0, (size_t)mesh->tet_count), memset(all.seen, 0, (size_t)mesh->tet_count);
		lm_vec3 half = { reach, reach, reach };
		assert_true(lm_bvh_overlaps(&exact, (lm_box){ lm_sub(p, half), lm_add(p, half) }, note, &some));
		assert_true(lm_slim_tree_visit(&slim, p, reach, note, &all));
		for (int32_t t = 0; t < mesh->tet_count; ++t)
			assert_true(all.seen[t] || !some.seen[t]);
		more += all.count - some.count, found += some.count;
	}
	assert_true(found > 1000);
	assert_true(more < found / 50); // only at the borders
	// stops when the callback returns false
	memset(all.seen, 0, (size_t)mesh->tet_count);
	all.count = 0, all.stop_after = 1;
	assert_false(lm_slim_tree_visit(&slim, lm_v3_at(mesh->positions, 0), 1, note, &all));
	assert_int_equal(all.count, 1);
	free(some.seen), free(all.seen), free(rows);
	lm_slim_tree_release(&slim);
	lm_bvh_release(&exact);
	lm_mesh_destroy(mesh);
}

static void test_bad_rows_and_empty_trees(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	static const int32_t elements[6] = { 0, 1, 2, 3, 4, 5 };
	static const double positions[18] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 0, 0, 6, 0, 0, 5, 1, 0 };
	float rows[24] = { 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, NAN, NAN, NAN, 0, NAN, NAN, NAN, 0, NAN, NAN, NAN, 0 };
	bool seen[2] = { false, false };
	visited v = { .seen = seen };
	lm_slim_tree tree;
	assert_int_equal(lm_slim_tree_create(elements, 2, 3, positions, rows, &host, &tree, NULL), LM_OK);
	lm_slim_tree_fit(&tree);
	assert_true(lm_slim_tree_visit(&tree, lm_v3(0.2, 0.2, 0), 0.1, note, &v));
	assert_true(seen[0] && !seen[1]);
	lm_slim_tree_release(&tree);
	assert_int_equal(lm_slim_tree_create(NULL, 0, 4, NULL, NULL, &host, &tree, NULL), LM_OK);
	lm_slim_tree_fit(&tree);
	assert_true(lm_slim_tree_visit(&tree, lm_v3(0, 0, 0), INFINITY, note, &v));
	assert_int_equal(v.count, 1);
	lm_slim_tree_release(&tree);
}

static void test_memory_may_run_out(void** state)
{
	(void)state;
	lm_mesh* mesh = bent_grid();
	float* rows = calloc(4 * (size_t)mesh->vertex_count, sizeof *rows);
	lm_status status = LM_NO_MEMORY;
	for (int n = 1; status != LM_OK; ++n)
	{
		test_memory memory = { .fail_at = n };
		lm_host host = test_host(&memory);
		lm_slim_tree tree = { 0 };
		status = lm_slim_tree_create(mesh->tets, mesh->tet_count, 4, mesh->positions, rows, &host, &tree, NULL);
		assert_true(status == LM_OK || status == LM_NO_MEMORY);
		lm_slim_tree_release(&tree);
		assert_int_equal(memory.held, 0);
	}
	free(rows);
	lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_visits_what_overlaps),
		cmocka_unit_test(test_bad_rows_and_empty_trees),
		cmocka_unit_test(test_memory_may_run_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
