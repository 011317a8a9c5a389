// Subdivision: counts, the map, both schemes, borders, groups, bad input.
#include "test.h"

#include "limber/mesh.h"

static lm_host host;

static lm_mesh* cube(const lm_host* h)
{
	static const int32_t quads[6][4] = { { 0, 2, 3, 1 }, { 4, 5, 7, 6 }, { 0, 1, 5, 4 },
		                                 { 2, 6, 7, 3 }, { 0, 4, 6, 2 }, { 1, 3, 7, 5 } };
	lm_mesh* mesh = lm_mesh_create(h, 8, 12, 0);
	for (int32_t v = 0; mesh != NULL && v < 8; ++v)
		for (int c = 0; c < 3; ++c)
			mesh->positions[3 * v + c] = v >> c & 1;
	for (int32_t q = 0; mesh != NULL && q < 6; ++q)
	{
		const int32_t corners[6] = { quads[q][0], quads[q][1], quads[q][2], quads[q][0], quads[q][2], quads[q][3] };
		memcpy(mesh->triangles + 6 * q, corners, sizeof corners);
	}
	return mesh;
}

// A sheet of n x n cells in the plane y = 0.
static lm_mesh* sheet(int32_t n)
{
	lm_mesh* mesh = lm_mesh_create(&host, (n + 1) * (n + 1), 2 * n * n, 0);
	for (int32_t j = 0; j <= n; ++j)
		for (int32_t i = 0; i <= n; ++i)
		{
			mesh->positions[3 * (j * (n + 1) + i)] = i;
			mesh->positions[3 * (j * (n + 1) + i) + 2] = j;
		}
	for (int32_t j = 0, t = 0; j < n; ++j)
		for (int32_t i = 0; i < n; ++i, t += 6)
		{
			int32_t a = j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
			memcpy(mesh->triangles + t, (const int32_t[]){ a, c, b, b, c, d }, 6 * sizeof(int32_t));
		}
	return mesh;
}

static void check_rows(const lm_binding* map)
{
	lm_binding_view view = lm_binding_get(map);
	for (int32_t v = 0; v < view.vertex_count; ++v)
	{
		double sum = 0;
		for (int64_t k = view.starts[v]; k < view.starts[v + 1]; ++k)
		{
			sum += view.weights[k];
			assert_true(view.weights[k] > 0);
			assert_true(k == view.starts[v] || view.points[k] > view.points[k - 1]);
		}
		assert_near(sum, 1, 1e-12);
	}
}

static void linear_keeps_the_shape(void** state)
{
	(void)state;
	lm_error error;
	lm_mesh *coarse = cube(&host), *fine;
	lm_binding* map;
	assert_int_equal(lm_mesh_set_group(coarse, "top", (const int32_t[]){ 2, 3, 6, 7 }, 4, &error), LM_OK);
	assert_int_equal(lm_mesh_subdivide(coarse, 4, LM_SUBDIVIDE_LINEAR, &host, &fine, &map, &error), LM_OK);
	assert_int_equal(fine->vertex_count, 1538); // the box of Bergou et al., Sec. 5.2
	assert_int_equal(fine->triangle_count, 3072);
	assert_int_equal(lm_mesh_check(fine, "", &error), LM_OK);
	lm_mesh_facts facts;
	assert_int_equal(lm_mesh_get_facts(fine, &host, &facts, &error), LM_OK);
	assert_true(facts.closed && facts.manifold);
	assert_near(facts.area, 6, 1e-12);
	assert_near(facts.volume, 1, 1e-12);
	check_rows(map);
	assert_memory_equal(fine->positions, coarse->positions, 24 * sizeof(double));
	// exactly the vertices of the top are in its group
	const lm_group* top = &fine->groups[lm_mesh_find_group(fine, "top")];
	int32_t on_top = 0;
	for (int32_t v = 0; v < fine->vertex_count; ++v)
		on_top += fine->positions[3 * v + 1] == 1;
	assert_int_equal(top->count, on_top);
	assert_int_equal(top->count, 17 * 17);
	// hat functions: 1 at their vertex, 0 at all other coarse ones
	lm_binding_view view = lm_binding_get(map);
	for (int32_t v = 0; v < 8; ++v)
		assert_true(view.starts[v + 1] - view.starts[v] == 1 && view.points[view.starts[v]] == v);
	lm_mesh_destroy(coarse), lm_mesh_destroy(fine), lm_binding_destroy(map);
}

static void loop_is_smooth_inside_and_keeps_borders(void** state)
{
	(void)state;
	lm_error error;
	lm_mesh *coarse = cube(&host), *fine;
	lm_binding* map;
	assert_int_equal(lm_mesh_subdivide(coarse, 3, LM_SUBDIVIDE_LOOP, &host, &fine, &map, &error), LM_OK);
	check_rows(map);
	lm_mesh_facts facts;
	assert_int_equal(lm_mesh_get_facts(fine, &host, &facts, &error), LM_OK);
	assert_true(facts.closed && facts.volume > 0.2 && facts.volume < 0.8);
	lm_mesh_destroy(coarse), lm_mesh_destroy(fine), lm_binding_destroy(map);

	// A regular sheet: straight borders stay straight, and inside linear functions are reproduced.
	coarse = sheet(4);
	assert_int_equal(lm_mesh_subdivide(coarse, 1, LM_SUBDIVIDE_LOOP, &host, &fine, &map, &error), LM_OK);
	check_rows(map);
	assert_near(fine->positions[3 * 12], 2, 1e-12); // the vertex in the middle
	assert_near(fine->positions[3 * 12 + 2], 2, 1e-12);
	lm_binding_view view = lm_binding_get(map);
	assert_int_equal(view.starts[13] - view.starts[12], 7); // itself and its six neighbours
	for (int32_t v = 0; v < fine->vertex_count; ++v)
	{
		assert_near(fine->positions[3 * v + 1], 0, 0);
		assert_true(fine->positions[3 * v] >= 0 && fine->positions[3 * v] <= 4);
	}
	assert_near(fine->positions[0], 0.125, 1e-12); // a border's corner is rounded: 3/4 of itself, 1/8 of two neighbours
	assert_near(fine->positions[2], 0.125, 1e-12);
	lm_mesh_destroy(coarse), lm_mesh_destroy(fine), lm_binding_destroy(map);
}

static void no_levels_and_too_many(void** state)
{
	(void)state;
	lm_error error;
	lm_mesh *coarse = cube(&host), *fine;
	lm_binding* map;
	assert_int_equal(lm_mesh_subdivide(coarse, 0, LM_SUBDIVIDE_LOOP, &host, &fine, &map, &error), LM_OK);
	assert_int_equal(fine->vertex_count, 8);
	assert_memory_equal(fine->triangles, coarse->triangles, 36 * sizeof(int32_t));
	lm_mesh_destroy(fine), lm_binding_destroy(map);
	assert_int_equal(lm_mesh_subdivide(coarse, 9, LM_SUBDIVIDE_LOOP, &host, &fine, &map, &error), LM_BAD_INPUT);
	assert_int_equal(lm_mesh_subdivide(coarse, -1, LM_SUBDIVIDE_LOOP, &host, &fine, &map, &error), LM_BAD_INPUT);
	lm_mesh_destroy(coarse);
}

static void crowded_edges_are_borders(void** state)
{
	(void)state;
	lm_error error;
	lm_mesh *coarse = lm_mesh_create(&host, 5, 3, 0), *fine; // a book of three leaves
	const double x[15] = { 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, -1, -1, 0 };
	memcpy(coarse->positions, x, sizeof x);
	memcpy(coarse->triangles, (const int32_t[]){ 0, 1, 2, 0, 1, 3, 0, 1, 4 }, 9 * sizeof(int32_t));
	lm_binding* map;
	assert_int_equal(lm_mesh_subdivide(coarse, 2, LM_SUBDIVIDE_LOOP, &host, &fine, &map, &error), LM_OK);
	check_rows(map);
	assert_int_equal(fine->triangle_count, 48);
	lm_mesh_destroy(coarse), lm_mesh_destroy(fine), lm_binding_destroy(map);
}

static void memory_may_run_out(void** state)
{
	(void)state;
	for (int64_t n = 1;; ++n)
	{
		test_memory memory = { 0 };
		lm_host failing = test_host(&memory);
		lm_error error;
		lm_mesh *coarse = cube(&failing), *fine = NULL;
		lm_mesh_set_group(coarse, "top", (const int32_t[]){ 2, 3 }, 2, &error);
		lm_binding* map = NULL;
		memory.fail_at = memory.requests + n;
		lm_status status = lm_mesh_subdivide(coarse, 2, LM_SUBDIVIDE_LOOP, &failing, &fine, &map, &error);
		lm_mesh_destroy(coarse), lm_mesh_destroy(fine), lm_binding_destroy(map);
		assert_int_equal(memory.held, 0);
		if (status == LM_OK)
		{
			assert_true(n > 5);
			break;
		}
		assert_int_equal(status, LM_NO_MEMORY);
	}
}

int main(void)
{
	host = lm_host_default();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linear_keeps_the_shape), cmocka_unit_test(loop_is_smooth_inside_and_keeps_borders),
		cmocka_unit_test(no_levels_and_too_many), cmocka_unit_test(crowded_edges_are_borders),
		cmocka_unit_test(memory_may_run_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
