// Meshes: making, copying, groups, checks that find what is wrong, the surface of tetrahedra.
#include "test.h"

#include "mesh/shapes.h"

#include "base/alloc.h"

static void creation_gives_zeroed_room(void** state)
{
	(void)state;
	test_memory memory = { 0 };
	lm_host host = test_host(&memory);
	lm_mesh* mesh = lm_mesh_create(&host, 5, 4, 3);
	assert_int_equal(mesh->vertex_count, 5);
	assert_int_equal(mesh->triangle_count, 4);
	assert_int_equal(mesh->tet_count, 3);
	for (int i = 0; i < 15; ++i)
		assert_true(mesh->positions[i] == 0);
	for (int i = 0; i < 12; ++i)
		assert_true(mesh->triangles[i] == 0 && mesh->tets[i] == 0);
	assert_int_equal(mesh->face_count, 0);
	lm_mesh_destroy(mesh);
	lm_mesh_destroy(NULL);
	lm_mesh* empty = lm_mesh_create(&host, 0, 0, 0);
	assert_non_null(empty);
	assert_int_equal(lm_mesh_check(empty, "x", NULL), LM_OK);
	assert_int_equal(lm_mesh_extract_surface(empty, NULL), LM_OK);
	lm_mesh_destroy(empty);
	assert_int_equal(memory.held, 0);
}

// One quad and one triangle as polygons, with two groups.
static lm_mesh* polygons(const lm_host* host)
{
	const double xyz[15] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0, 0 };
	const int32_t triangles[9] = { 0, 1, 2, 0, 2, 3, 1, 4, 2 }, starts[3] = { 0, 4, 7 };
	const int32_t corners[7] = { 0, 1, 2, 3, 1, 4, 2 };
	lm_mesh* mesh = lm_mesh_create(host, 5, 3, 0);
	if (mesh == NULL)
		return NULL;
	memcpy(mesh->positions, xyz, sizeof xyz);
	memcpy(mesh->triangles, triangles, sizeof triangles);
	mesh->face_starts = lm_copy(host, starts, 3, sizeof(int32_t));
	mesh->face_vertices = lm_copy(host, corners, 7, sizeof(int32_t));
	mesh->face_count = mesh->face_starts != NULL && mesh->face_vertices != NULL ? 2 : 0;
	lm_error error;
	if (mesh->face_count == 0 || lm_mesh_set_group(mesh, "left", (int32_t[]){ 0, 3 }, 2, &error) != LM_OK ||
	    lm_mesh_set_group(mesh, "none", NULL, 0, &error) != LM_OK)
	{
		lm_mesh_destroy(mesh);
		return NULL;
	}
	return mesh;
}

static void copies_are_equal_and_independent(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = polygons(&host);
	lm_mesh* copy = lm_mesh_copy(mesh, &host);
	assert_memory_equal(copy->positions, mesh->positions, 15 * sizeof(double));
	assert_memory_equal(copy->triangles, mesh->triangles, 9 * sizeof(int32_t));
	assert_int_equal(copy->face_count, 2);
	assert_memory_equal(copy->face_starts, mesh->face_starts, 3 * sizeof(int32_t));
	assert_memory_equal(copy->face_vertices, mesh->face_vertices, 7 * sizeof(int32_t));
	assert_int_equal(copy->group_count, 2);
	assert_string_equal(copy->groups[0].name, "left");
	assert_int_equal(copy->groups[0].vertices[1], 3);
	copy->groups[0].vertices[1] = 1;
	copy->positions[0] = 9;
	copy->face_vertices[0] = 4;
	assert_int_equal(mesh->groups[0].vertices[1], 3);
	assert_true(mesh->positions[0] == 0);
	assert_int_equal(mesh->face_vertices[0], 0);
	lm_mesh_destroy(copy);
	lm_mesh_destroy(mesh);
}

static void edges_are_set_checked_and_copied(void** state)
{
	(void)state;
	test_memory memory = { 0 };
	lm_host host = test_host(&memory);
	lm_error error;
	lm_mesh* mesh = lm_mesh_create(&host, 3, 0, 0);
	assert_int_equal(lm_mesh_set_edges(mesh, (int32_t[]){ 0, 1 }, 1, &error), LM_OK);
	assert_int_equal(lm_mesh_set_edges(mesh, (int32_t[]){ 0, 1, 1, 2 }, 2, &error), LM_OK);
	assert_int_equal(lm_mesh_set_edges(mesh, (int32_t[]){ 0, 3 }, 1, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "vertex 3"));
	assert_int_equal(lm_mesh_set_edges(mesh, (int32_t[]){ 2, 2 }, 1, &error), LM_BAD_INPUT);
	assert_int_equal(mesh->edge_count, 2);
	assert_int_equal(lm_mesh_check(mesh, "", &error), LM_OK);
	lm_mesh* copy = lm_mesh_copy(mesh, &host);
	assert_memory_equal(copy->edges, mesh->edges, 4 * sizeof(int32_t));
	copy->edges[3] = 7;
	assert_int_equal(lm_mesh_check(copy, "", &error), LM_BAD_INPUT);
	assert_int_equal(mesh->edges[3], 2);
	memory.fail_at = memory.requests + 1;
	assert_int_equal(lm_mesh_set_edges(mesh, (int32_t[]){ 0, 1 }, 1, &error), LM_NO_MEMORY);
	assert_int_equal(mesh->edge_count, 2);
	lm_mesh_destroy(copy);
	lm_mesh_destroy(mesh);
	assert_int_equal(memory.held, 0);
}

static void groups_are_found_and_replaced(void** state)
{
	(void)state;
	test_memory memory = { 0 };
	lm_host host = test_host(&memory);
	lm_error error;
	lm_mesh* mesh = lm_mesh_create(&host, 4, 0, 0);
	assert_int_equal(lm_mesh_find_group(mesh, "a"), -1);
	assert_int_equal(lm_mesh_set_group(mesh, "a", (int32_t[]){ 1, 2 }, 2, &error), LM_OK);
	assert_int_equal(lm_mesh_set_group(mesh, "b", (int32_t[]){ 3 }, 1, &error), LM_OK);
	assert_int_equal(lm_mesh_set_group(mesh, "a", (int32_t[]){ 3, 0, 1 }, 3, &error), LM_OK);
	assert_int_equal(mesh->group_count, 2);
	assert_int_equal(lm_mesh_find_group(mesh, "a"), 0);
	assert_int_equal(lm_mesh_find_group(mesh, "b"), 1);
	assert_int_equal(mesh->groups[0].count, 3);
	assert_int_equal(mesh->groups[0].vertices[0], 3);
	assert_int_equal(lm_mesh_set_group(mesh, "a", (int32_t[]){ 4 }, 1, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "vertex 4"));
	assert_int_equal(lm_mesh_set_group(mesh, "a", (int32_t[]){ -1 }, 1, &error), LM_BAD_INPUT);
	assert_int_equal(mesh->groups[0].count, 3);
	for (int64_t k = 1; k <= 3; ++k) // each of its allocations fails: the mesh stays as it was
	{
		memory.fail_at = memory.requests + k;
		assert_int_equal(lm_mesh_set_group(mesh, "c", (int32_t[]){ 1 }, 1, &error), LM_NO_MEMORY);
		assert_int_equal(mesh->group_count, 2);
	}
	memory.fail_at = memory.requests + 1;
	assert_int_equal(lm_mesh_set_group(mesh, "a", (int32_t[]){ 1 }, 1, &error), LM_NO_MEMORY);
	assert_int_equal(mesh->groups[0].count, 3);
	lm_mesh_destroy(mesh);
	assert_int_equal(memory.held, 0);
}

static void expect_wrong(const lm_mesh* mesh, const char* words, int64_t element)
{
	lm_error error;
	assert_int_equal(lm_mesh_check(mesh, "some.file", &error), LM_BAD_INPUT);
	assert_string_equal(error.file, "some.file");
	if (strstr(error.message, words) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", error.message, words);
	assert_int_equal(error.element, element);
	assert_int_equal(lm_mesh_check(mesh, NULL, NULL), LM_BAD_INPUT);
}

static void checks_find_bad_vertices_and_indices(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = polygons(&host);
	assert_int_equal(lm_mesh_check(mesh, "x", NULL), LM_OK);
	for (int i = 0; i < 3; ++i)
	{
		const double bad[3] = { NAN, -INFINITY, 1e40 };
		mesh->positions[7] = bad[i];
		expect_wrong(mesh, "vertex 2 has y", 2);
	}
	mesh->positions[7] = 1;
	mesh->triangles[4] = 5;
	expect_wrong(mesh, "triangle 1 names vertex 5", 1);
	mesh->triangles[4] = -1;
	expect_wrong(mesh, "triangle 1 names vertex -1", 1);
	mesh->triangles[4] = 0;
	expect_wrong(mesh, "vertex 0 twice", 1);
	mesh->triangles[4] = 2;
	mesh->groups[0].vertices[0] = 7;
	expect_wrong(mesh, "group \"left\"", -1);
	mesh->groups[0].vertices[0] = 0;
	mesh->face_vertices[3] = 5;
	expect_wrong(mesh, "a face names vertex 5", -1);
	mesh->face_vertices[3] = 3;
	mesh->face_starts[1] = 2;
	expect_wrong(mesh, "face 0 has 2 corners", 0);
	mesh->face_starts[1] = 4;
	mesh->face_starts[0] = 1;
	expect_wrong(mesh, "first face", -1);
	mesh->face_starts[0] = 0;
	mesh->face_starts[2] = 8;
	expect_wrong(mesh, "make 4 triangles", -1);
	mesh->face_starts[2] = 7;
	assert_int_equal(lm_mesh_check(mesh, "x", NULL), LM_OK);
	lm_mesh_destroy(mesh);
}

static void checks_find_flat_and_inverted_tets_of_any_size(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const double sizes[5] = { 1e-120, 1e-3, 1, 1e6, 1e29 };
	for (int i = 0; i < 5; ++i)
	{
		lm_mesh* mesh = shape_block(&host, 1, 1, 1);
		for (int k = 0; k < 24; ++k)
			mesh->positions[k] *= sizes[i];
		assert_int_equal(lm_mesh_check(mesh, "x", NULL), LM_OK);
		int32_t swap = mesh->tets[9];
		mesh->tets[9] = mesh->tets[10];
		mesh->tets[10] = swap;
		expect_wrong(mesh, "tetrahedron 2 is inside out", 2);
		mesh->tets[10] = mesh->tets[9];
		mesh->tets[9] = swap;
		for (int v = 0; v < 8; ++v)
			mesh->positions[3 * v + 1] = 0.25 * sizes[i];
		expect_wrong(mesh, "tetrahedron 0 is flat", 0);
		mesh->tets[23] = 8;
		expect_wrong(mesh, "tetrahedron 5 names vertex 8", 5);
		lm_mesh_destroy(mesh);
	}
	lm_mesh* point = lm_mesh_create(&host, 4, 0, 1);
	for (int i = 0; i < 4; ++i)
		point->tets[i] = i;
	expect_wrong(point, "flat", 0);
	lm_mesh_destroy(point);
}

static void surface_is_closed_and_outward(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = shape_block(&host, 3, 2, 4);
	assert_int_equal(lm_mesh_check(mesh, "x", NULL), LM_OK);
	assert_near(shape_tets_volume(mesh), 24, 1e-12);
	assert_int_equal(lm_mesh_extract_surface(mesh, NULL), LM_OK);
	assert_int_equal(mesh->triangle_count, 2 * 2 * (3 * 2 + 2 * 4 + 3 * 4));
	assert_near(shape_volume(mesh), 24, 1e-12);
	for (int t = 0; t < mesh->triangle_count; ++t) // every directed edge has exactly one partner
		for (int i = 0; i < 3; ++i)
		{
			int a = mesh->triangles[3 * t + i], b = mesh->triangles[3 * t + (i + 1) % 3], same = 0, opposite = 0;
			for (int u = 0; u < mesh->triangle_count; ++u)
				for (int j = 0; j < 3; ++j)
				{
					int c = mesh->triangles[3 * u + j], d = mesh->triangles[3 * u + (j + 1) % 3];
					same += a == c && b == d;
					opposite += a == d && b == c;
				}
			assert_int_equal(same, 1);
			assert_int_equal(opposite, 1);
		}
	lm_mesh_destroy(mesh);
}

static void surface_of_odd_meshes(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = shape_block(&host, 1, 1, 1);
	mesh->tet_count = 1; // one alone: its four faces, outward
	assert_int_equal(lm_mesh_extract_surface(mesh, NULL), LM_OK);
	assert_int_equal(mesh->triangle_count, 4);
	assert_near(shape_volume(mesh), 1.0 / 6, 1e-15);
	memcpy(mesh->tets + 4, mesh->tets, 4 * sizeof(int32_t)); // and the same one twice
	mesh->tet_count = 2;
	assert_int_equal(lm_mesh_extract_surface(mesh, NULL), LM_OK);
	assert_int_equal(mesh->triangle_count, 4);
	assert_near(shape_volume(mesh), 1.0 / 6, 1e-15);
	lm_mesh_destroy(mesh);
	mesh = polygons(&host); // without tetrahedra nothing changes
	assert_int_equal(lm_mesh_extract_surface(mesh, NULL), LM_OK);
	assert_int_equal(mesh->face_count, 2);
	assert_int_equal(mesh->triangle_count, 3);
	lm_mesh_destroy(mesh);
}

static void bounds(void** state)
{
	(void)state;
	double low[3] = { 7, 7, 7 }, high[3] = { 7, 7, 7 };
	lm_mesh_bounds(NULL, 0, low, high);
	for (int k = 0; k < 3; ++k)
		assert_true(low[k] == 0 && high[k] == 0);
	const double xyz[9] = { 1, -2, 3, 0.5, 4, 3, 1, 1, -8 };
	lm_mesh_bounds(xyz, 3, low, high);
	assert_true(low[0] == 0.5 && low[1] == -2 && low[2] == -8);
	assert_true(high[0] == 1 && high[1] == 4 && high[2] == 3);
}

static void failing_memory_leaks_nothing(void** state)
{
	(void)state;
	for (int64_t fail_at = 1;; ++fail_at)
	{
		test_memory memory = { .fail_at = fail_at };
		lm_host host = test_host(&memory);
		lm_mesh* mesh = polygons(&host);
		lm_mesh* copy = mesh != NULL ? lm_mesh_copy(mesh, &host) : NULL;
		lm_mesh* block = copy != NULL ? shape_block(&host, 2, 1, 1) : NULL;
		lm_error error;
		lm_status status = block != NULL ? lm_mesh_extract_surface(block, &error) : LM_NO_MEMORY;
		if (block != NULL && status != LM_OK)
			assert_int_equal(block->triangle_count, 0);
		lm_mesh_destroy(mesh);
		lm_mesh_destroy(copy);
		lm_mesh_destroy(block);
		assert_int_equal(memory.held, 0);
		assert_int_equal(status, memory.requests < fail_at ? LM_OK : LM_NO_MEMORY);
		if (status == LM_OK)
		{
			assert_true(fail_at > 15);
			return;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(creation_gives_zeroed_room),
		cmocka_unit_test(copies_are_equal_and_independent),
		cmocka_unit_test(edges_are_set_checked_and_copied),
		cmocka_unit_test(groups_are_found_and_replaced),
		cmocka_unit_test(checks_find_bad_vertices_and_indices),
		cmocka_unit_test(checks_find_flat_and_inverted_tets_of_any_size),
		cmocka_unit_test(surface_is_closed_and_outward),
		cmocka_unit_test(surface_of_odd_meshes),
		cmocka_unit_test(bounds),
		cmocka_unit_test(failing_memory_leaks_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
