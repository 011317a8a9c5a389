// Neighbours, rings, edges and components against brute force.
#include "test.h"

#include "mesh/shapes.h"

#include "base/alloc.h"
#include "mesh/topology.h"

// connected[v][w] by looking at every element.
static unsigned char* brute_neighbours(const lm_mesh* mesh)
{
	size_t n = (size_t)mesh->vertex_count;
	unsigned char* connected = calloc(n * n, 1);
	int corners = mesh->tet_count > 0 ? 4 : 3;
	const int32_t* elements = corners == 4 ? mesh->tets : mesh->triangles;
	int count = corners == 4 ? mesh->tet_count : mesh->triangle_count;
	for (int e = 0; e < count; ++e)
		for (int i = 0; i < corners; ++i)
			for (int j = 0; j < corners; ++j)
				if (i != j)
					connected[(size_t)elements[corners * e + i] * n + (size_t)elements[corners * e + j]] = 1;
	return connected;
}

static void expect_rows(const lm_adjacency* lists, const unsigned char* rows)
{
	size_t n = (size_t)lists->count;
	for (size_t v = 0; v < n; ++v)
	{
		int64_t k = lists->starts[v];
		for (size_t w = 0; w < n; ++w) // ascending, complete, nothing twice
			if (rows[v * n + w])
			{
				assert_true(k < lists->starts[v + 1]);
				assert_int_equal(lists->items[k++], w);
			}
		assert_int_equal(k, lists->starts[v + 1]);
	}
}

// rows of ring + 1 from rows of ring
static unsigned char* widen(const unsigned char* rows, const unsigned char* connected, size_t n)
{
	unsigned char* wider = calloc(n * n, 1);
	for (size_t v = 0; v < n; ++v)
		for (size_t w = 0; w < n; ++w)
			for (size_t u = 0; rows[v * n + w] && u < n; ++u)
				wider[v * n + u] |= u == w || connected[w * n + u];
	return wider;
}

static void check_topology_of(lm_mesh* mesh)
{
	lm_host host = lm_host_default();
	lm_error error;
	size_t n = (size_t)mesh->vertex_count;
	unsigned char* connected = brute_neighbours(mesh);
	lm_adjacency neighbours, rings;
	assert_int_equal(lm_topology_neighbours(mesh, &host, &neighbours, &error), LM_OK);
	assert_int_equal(neighbours.count, n);
	expect_rows(&neighbours, connected);

	unsigned char* rows = calloc(n * n, 1);
	for (size_t v = 0; v < n; ++v)
		rows[v * n + v] = 1;
	for (int ring = 0; ring < 4; ++ring)
	{
		assert_int_equal(lm_topology_rings(mesh, ring, &host, &rings, &error), LM_OK);
		expect_rows(&rings, rows);
		lm_adjacency_release(&rings, &host);
		unsigned char* wider = widen(rows, connected, n);
		free(rows);
		rows = wider;
	}
	free(rows);

	int32_t *edges, edge_count, expected = 0;
	assert_int_equal(lm_topology_edges(&neighbours, &host, &edges, &edge_count, &error), LM_OK);
	for (size_t v = 0; v < n; ++v)
		for (size_t w = v + 1; w < n; ++w)
			if (connected[v * n + w])
			{
				assert_int_equal(edges[2 * expected], v);
				assert_int_equal(edges[2 * expected + 1], w);
				++expected;
			}
	assert_int_equal(edge_count, expected);
	lm_free(&host, edges);

	int32_t* component = calloc(n, sizeof(int32_t));
	int32_t* stack = calloc(n, sizeof(int32_t));
	int32_t found = lm_topology_components(&neighbours, stack, component), highest = -1;
	for (size_t v = 0; v < n; ++v)
	{
		assert_true(component[v] <= highest + 1); // numbered in order of their lowest vertex
		highest = component[v] > highest ? component[v] : highest;
		for (size_t w = 0; w < n; ++w)
			if (connected[v * n + w])
				assert_int_equal(component[v], component[w]);
	}
	assert_int_equal(found, highest + 1);
	free(component);
	free(stack);
	free(connected);
	lm_adjacency_release(&neighbours, &host);
}

static void tets_of_a_block(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = shape_block(&host, 3, 2, 4);
	check_topology_of(mesh);
	lm_mesh_destroy(mesh);
}

static void triangles_of_a_sphere_and_soups(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = shape_sphere(&host, 6, lm_v3(0, 0, 0), 1, -1);
	check_topology_of(mesh);
	lm_mesh_destroy(mesh);
	for (int i = 0; i < 12; ++i)
	{
		mesh = shape_soup(&host, 90, 4 + 12 * i * i, (uint64_t)i); // from mostly loose vertices to all with all
		check_topology_of(mesh);
		lm_mesh_destroy(mesh);
	}
	mesh = lm_mesh_create(&host, 3, 0, 0); // no elements at all
	check_topology_of(mesh);
	lm_mesh_destroy(mesh);
}

static void components_are_counted(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	lm_mesh* a = shape_sphere(&host, 4, lm_v3(0, 0, 0), 1, -1);
	lm_mesh* b = shape_sphere(&host, 5, lm_v3(0.5, 0, 0), 1, -1);
	lm_mesh* both = shape_join(&host, a, b);
	lm_adjacency neighbours;
	assert_int_equal(lm_topology_neighbours(both, &host, &neighbours, &error), LM_OK);
	int32_t component[200], stack[200];
	assert_true(both->vertex_count <= 200);
	assert_int_equal(lm_topology_components(&neighbours, stack, component), 2);
	assert_int_equal(component[a->vertex_count - 1], 0);
	assert_int_equal(component[a->vertex_count], 1);
	lm_adjacency_release(&neighbours, &host);
	lm_mesh_destroy(a);
	lm_mesh_destroy(b);
	lm_mesh_destroy(both);
}

static void elements_of_vertices(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	lm_mesh* mesh = shape_soup(&host, 40, 200, 3);
	lm_adjacency lists;
	assert_int_equal(lm_topology_elements_of_vertices(mesh->triangles, 200, 3, 40, &host, &lists, &error), LM_OK);
	for (int v = 0; v < 40; ++v)
	{
		int64_t k = lists.starts[v];
		for (int t = 0; t < 200; ++t)
			for (int i = 0; i < 3; ++i)
				if (mesh->triangles[3 * t + i] == v)
					assert_int_equal(lists.items[k++], t);
		assert_int_equal(k, lists.starts[v + 1]);
	}
	assert_int_equal(lists.starts[40], 600);
	lm_adjacency_release(&lists, &host);
	lm_mesh_destroy(mesh);
}

static void failing_memory_leaks_nothing(void** state)
{
	(void)state;
	lm_host plain = lm_host_default();
	lm_mesh* mesh = shape_block(&plain, 2, 2, 3);
	for (int64_t fail_at = 1;; ++fail_at)
	{
		test_memory memory = { .fail_at = fail_at };
		lm_host host = test_host(&memory);
		lm_error error = { 0 };
		lm_adjacency rings = { 0 }, neighbours = { 0 };
		int32_t *edges = NULL, edge_count;
		lm_status status = lm_topology_rings(mesh, 3, &host, &rings, &error);
		if (status == LM_OK)
			status = lm_topology_neighbours(mesh, &host, &neighbours, &error);
		if (status == LM_OK)
			status = lm_topology_edges(&neighbours, &host, &edges, &edge_count, &error);
		lm_adjacency_release(&rings, &host);
		lm_adjacency_release(&neighbours, &host);
		lm_free(&host, edges);
		assert_int_equal(memory.held, 0);
		assert_int_equal(error.status, status);
		if (status == LM_OK)
		{
			assert_true(fail_at > 10);
			break;
		}
		assert_int_equal(status, LM_NO_MEMORY);
	}
	lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tets_of_a_block),
		cmocka_unit_test(triangles_of_a_sphere_and_soups),
		cmocka_unit_test(components_are_counted),
		cmocka_unit_test(elements_of_vertices),
		cmocka_unit_test(failing_memory_leaks_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
