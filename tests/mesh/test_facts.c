// Facts of meshes whose facts are known.
#include "test.h"

#include "mesh/shapes.h"

static lm_mesh_facts facts_of(const lm_mesh* mesh)
{
	lm_host host = lm_host_default();
	lm_mesh_facts facts;
	assert_int_equal(lm_mesh_get_facts(mesh, &host, &facts, NULL), LM_OK);
	return facts;
}

static void block_of_tets(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = shape_block(&host, 2, 3, 4);
	for (int with_triangles = 0; with_triangles < 2; ++with_triangles)
	{
		lm_mesh_facts f = facts_of(mesh);
		assert_true(f.closed && f.manifold);
		assert_int_equal(f.components, 1);
		assert_int_equal(f.loose_vertices, 0);
		assert_int_equal(f.surface_triangles, 4 * (2 * 3 + 3 * 4 + 2 * 4));
		assert_near(f.volume, 24, 1e-12);
		assert_near(f.area, 2 * (6 + 12 + 8), 1e-12);
		assert_near(f.min_edge, 1, 1e-15);
		assert_near(f.max_edge, sqrt(3), 1e-15);
		assert_near(f.min_dihedral, 45, 1e-10);
		assert_true(f.low[0] == 0 && f.low[2] == 0 && f.high[0] == 2 && f.high[1] == 3 && f.high[2] == 4);
		assert_int_equal(f.open_edges + f.crowded_edges + f.flipped_edges + f.pinched_vertices, 0);
		assert_int_equal(lm_mesh_extract_surface(mesh, NULL), LM_OK);
	}
	lm_mesh_destroy(mesh);
}

static void spheres_closed_open_and_flipped(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* ball = shape_sphere(&host, 40, lm_v3(7, 8, 9), 1, -1);
	lm_mesh_facts f = facts_of(ball);
	assert_true(f.closed && f.manifold);
	assert_near(f.volume, 4.18879, 0.02);
	assert_near(f.area, 12.56637, 0.05);
	assert_near(f.min_dihedral, 0, 0);
	int32_t swap = ball->triangles[0]; // one triangle turned over
	ball->triangles[0] = ball->triangles[1];
	ball->triangles[1] = swap;
	f = facts_of(ball);
	assert_false(f.closed);
	assert_true(f.manifold);
	assert_int_equal(f.flipped_edges, 3);
	assert_near(f.volume, 0, 0);
	lm_mesh* cap = shape_sphere(&host, 10, lm_v3(0, 0, 0), 1, 0);
	f = facts_of(cap);
	assert_true(!f.closed && f.manifold);
	assert_int_equal(f.open_edges, 20);
	assert_int_equal(f.components, 1);
	assert_int_equal(f.loose_vertices, cap->vertex_count - 101); // rings below the equator
	for (int t = 0; t < cap->triangle_count; ++t)                // inside out: still consistent
	{
		swap = cap->triangles[3 * t];
		cap->triangles[3 * t] = cap->triangles[3 * t + 1];
		cap->triangles[3 * t + 1] = swap;
	}
	assert_int_equal(facts_of(cap).flipped_edges, 0);
	lm_mesh_destroy(cap);
	lm_mesh_destroy(ball);
}

static void crowded_edges_and_pinched_vertices(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* book = lm_mesh_create(&host, 6, 3, 0); // three pages on one edge
	const double xyz[18] = { 0, 0, 0, 0, 0, 1, 1, 0, 0, -1, 1, 0, -1, -1, 0, 5, 5, 5 };
	memcpy(book->positions, xyz, sizeof xyz);
	memcpy(book->triangles, (int32_t[]){ 0, 1, 2, 1, 0, 3, 0, 1, 4 }, 9 * sizeof(int32_t));
	lm_mesh_facts f = facts_of(book);
	assert_false(f.closed || f.manifold);
	assert_int_equal(f.crowded_edges, 1);
	assert_int_equal(f.open_edges, 6);
	assert_int_equal(f.pinched_vertices, 0);
	assert_int_equal(f.loose_vertices, 1);
	assert_int_equal(f.components, 1);
	memcpy(book->triangles, (int32_t[]){ 0, 1, 2, 0, 3, 4, 3, 5, 4 }, 9 * sizeof(int32_t)); // two parts, one point
	f = facts_of(book);
	assert_false(f.manifold);
	assert_int_equal(f.crowded_edges, 0);
	assert_int_equal(f.pinched_vertices, 1);
	assert_int_equal(f.components, 1);
	lm_mesh_destroy(book);
}

static void pieces_and_nothing(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* a = shape_sphere(&host, 5, lm_v3(0, 0, 0), 1, -1);
	lm_mesh* b = shape_sphere(&host, 6, lm_v3(9, 0, 0), 1, -1);
	lm_mesh* both = shape_join(&host, a, b);
	assert_int_equal(facts_of(both).components, 2);
	assert_true(facts_of(both).closed && facts_of(both).manifold);
	assert_near(facts_of(both).volume, facts_of(a).volume + facts_of(b).volume, 1e-12);
	lm_mesh* empty = lm_mesh_create(&host, 2, 0, 0);
	lm_mesh_facts f = facts_of(empty);
	assert_int_equal(f.components, 0);
	assert_int_equal(f.loose_vertices, 2);
	assert_true(!f.closed && f.min_edge == 0 && f.max_edge == 0 && f.area == 0 && f.volume == 0 && f.min_dihedral == 0);
	lm_mesh_destroy(empty);
	lm_mesh_destroy(a);
	lm_mesh_destroy(b);
	lm_mesh_destroy(both);
}

// A zigzag of two edges, a lone edge and a vertex that belongs to nothing.
static void curves(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, 6, 0, 0);
	const double xyz[18] = { 0, 0, 0, 3, 4, 0, 3, 5, 0, 9, 0, 0, 9, 2, 0, 7, 7, 7 };
	memcpy(mesh->positions, xyz, sizeof xyz);
	assert_int_equal(lm_mesh_set_edges(mesh, (int32_t[]){ 0, 1, 1, 2, 3, 4 }, 3, NULL), LM_OK);
	lm_mesh_facts f = facts_of(mesh);
	assert_int_equal(f.components, 2);
	assert_int_equal(f.loose_vertices, 1);
	assert_near(f.length, 8, 1e-12);
	assert_near(f.min_edge, 1, 1e-12);
	assert_near(f.max_edge, 5, 1e-12);
	assert_true(!f.closed && f.area == 0 && f.surface_triangles == 0);
	lm_mesh_destroy(mesh);
}

static void failing_memory_leaks_nothing(void** state)
{
	(void)state;
	lm_host plain = lm_host_default();
	lm_mesh* mesh = shape_block(&plain, 1, 2, 1);
	for (int64_t fail_at = 1;; ++fail_at)
	{
		test_memory memory = { .fail_at = fail_at };
		lm_host host = test_host(&memory);
		lm_mesh_facts facts = { .components = -7 };
		lm_error error;
		lm_status status = lm_mesh_get_facts(mesh, &host, &facts, &error);
		assert_int_equal(memory.held, 0);
		if (status == LM_OK)
		{
			assert_true(fail_at > 10);
			break;
		}
		assert_int_equal(status, LM_NO_MEMORY);
		assert_int_equal(facts.components, -7);
	}
	lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(block_of_tets),
		cmocka_unit_test(spheres_closed_open_and_flipped),
		cmocka_unit_test(crowded_edges_and_pinched_vertices),
		cmocka_unit_test(pieces_and_nothing),
		cmocka_unit_test(curves),
		cmocka_unit_test(failing_memory_leaks_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
