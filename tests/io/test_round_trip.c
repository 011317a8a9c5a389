// What is written is read back the same, bit for bit and in the same order.
#include "io_test.h"

static lm_mesh* through_file(const lm_mesh* mesh, const char* name, const double* positions)
{
	const char* path = test_path(name);
	lm_host host = lm_host_default();
	lm_error error = { 0 };
	lm_mesh* back = NULL;
	if (lm_mesh_write(path, mesh, positions, &error) != LM_OK || lm_mesh_read(path, &host, &back, &error) != LM_OK)
	{
		print_error("%s: %s: %s\n", error.file, error.where, error.message);
		fail();
	}
	remove(path);
	return back;
}

static void assert_round_trip(const lm_mesh* mesh, const char* name)
{
	lm_mesh* back = through_file(mesh, name, NULL);
	assert_same_mesh(mesh, back);
	lm_mesh_destroy(back);
}

static void surfaces(void** state)
{
	(void)state;
	for (int exact = 0; exact < 2; ++exact)
	{
		lm_mesh* sheet = test_sheet(9, exact);
		assert_int_equal(sheet->vertex_count, 100);
		assert_int_equal(sheet->triangle_count, 162);
		assert_int_equal(sheet->face_count, 90);
		assert_round_trip(sheet, "sheet.obj");
		assert_round_trip(sheet, "sheet.OBJ");
		assert_round_trip(sheet, "sheet.ply");
		lm_mesh_destroy(sheet);
	}
}

// PLY stores floats only where they are exact.
static void ply_is_as_small_as_is_exact(void** state)
{
	(void)state;
	for (int exact = 0; exact < 2; ++exact)
	{
		lm_mesh* sheet = test_sheet(4, exact);
		const char* path = test_path("small.ply");
		assert_int_equal(lm_mesh_write(path, sheet, NULL, NULL), LM_OK);
		size_t size;
		unsigned char* data = test_read(path, &size);
		assert_true((strstr((char*)data, exact ? "property float x" : "property double x")) != NULL);
		free(data);
		remove(path);
		lm_mesh_destroy(sheet);
	}
}

// A face with more corners than the one byte of a usual PLY list can count.
static void a_face_of_300_corners(void** state)
{
	(void)state;
	char text[40000] = "";
	size_t length = 0;
	for (int i = 0; i < 300; ++i)
		length += (size_t)sprintf(text + length, "v %.17g 0 %.17g\n", cos(i * 0.02), sin(i * 0.02));
	length += (size_t)sprintf(text + length, "f");
	for (int i = 0; i < 300; ++i)
		length += (size_t)sprintf(text + length, " %d", i + 1);
	lm_mesh* mesh = test_mesh("obj", text);
	assert_int_equal(mesh->face_count, 1);
	assert_int_equal(mesh->triangle_count, 298);
	assert_round_trip(mesh, "large.ply");
	assert_round_trip(mesh, "large.obj");
	lm_mesh_destroy(mesh);
}

static void points_alone(void** state)
{
	(void)state;
	lm_mesh* points = test_mesh("obj", "v 1 2 3\nv 4 5 6.5\n");
	assert_round_trip(points, "points.obj");
	assert_round_trip(points, "points.ply");
	assert_round_trip(points, "points.node");
	remove(test_path("points.ele"));
	lm_mesh_destroy(points);
}

static void tetrahedra(void** state)
{
	(void)state;
	lm_mesh* tets = test_tets(6);
	assert_round_trip(tets, "ring.node");
	remove(test_path("ring.ele"));
	assert_round_trip(tets, "ring.ele");
	remove(test_path("ring.node"));
	assert_round_trip(tets, "ring.msh");
	assert_int_equal(lm_mesh_extract_surface(tets, NULL), LM_OK);
	assert_round_trip(tets, "ring.msh"); // now with triangles
	lm_mesh_destroy(tets);
}

static void stl_keeps_shared_corners(void** state)
{
	(void)state;
	// STL has no sharing and single precision: with float positions and vertices in order of first use it is exact.
	lm_mesh* mesh = test_mesh("obj", "v 0 0 0\nv 1 0 0\nv 0 1.25 0\nv 1 1 -0.5\nf 1 2 3\nf 2 4 3\n");
	assert_round_trip(mesh, "two.stl");
	lm_mesh_destroy(mesh);
}

static void other_positions(void** state)
{
	(void)state;
	lm_mesh* sheet = test_sheet(3, false);
	size_t count = (size_t)sheet->vertex_count * 3;
	double* moved = malloc(count * sizeof(double));
	for (size_t i = 0; i < count; ++i)
		moved[i] = sheet->positions[i] * 1e-9 - 1e9;
	static const char* const names[] = { "moved.obj", "moved.ply", "moved.node", "moved.msh" };
	for (int i = 0; i < 4; ++i)
	{
		lm_mesh* back = through_file(sheet, names[i], moved);
		assert_memory_equal(back->positions, moved, count * sizeof(double));
		lm_mesh_destroy(back);
	}
	remove(test_path("moved.ele"));
	free(moved);
	lm_mesh_destroy(sheet);
}

static void assert_not_written(const char* path, const lm_mesh* mesh, lm_status status, const char* words)
{
	lm_error error = { 0 };
	assert_int_equal(lm_mesh_write(path, mesh, NULL, &error), status);
	if (strstr(error.message, words) == NULL)
	{
		print_error("message: %s\n", error.message);
		fail();
	}
	assert_int_equal(lm_mesh_write(path, mesh, NULL, NULL), status);
	assert_int_not_equal(access(path, F_OK), 0);
}

static void what_cannot_be_written(void** state)
{
	(void)state;
	lm_mesh* tets = test_tets(5);
	static const char* const names[] = { "no.obj", "no.ply", "no.stl" };
	for (int i = 0; i < 3; ++i)
		assert_not_written(test_path(names[i]), tets, LM_BAD_INPUT, "extract its surface");
	assert_not_written(test_path("no.xyz"), tets, LM_BAD_INPUT, ".obj, .ply, .stl");
	assert_not_written("/proc/no/such/folder/a.msh", tets, LM_IO_FAILED, "folder");
	tets->positions[7] = NAN;
	lm_error error;
	assert_int_equal(lm_mesh_write(test_path("no.msh"), tets, NULL, &error), LM_BAD_INPUT);
	assert_int_equal(error.element, 2);
	assert_not_written(test_path("no.msh"), tets, LM_BAD_INPUT, "vertex 2 is not finite");
	assert_not_written(test_path("no.node"), tets, LM_BAD_INPUT, "vertex 2 is not finite");
	lm_mesh_destroy(tets);
	lm_mesh* points = test_mesh("obj", "v 1 2 3");
	assert_not_written(test_path("no.stl"), points, LM_BAD_INPUT, "no triangles");
	lm_mesh_destroy(points);
	lm_mesh* large = test_mesh("obj", "v 1 2 1e39\nv 1 2 3\nv 3 4 5\nf 1 2 3\n");
	assert_not_written(test_path("no.stl"), large, LM_BAD_INPUT, "single precision");
	lm_mesh_destroy(large);
	lm_mesh* curve = test_mesh("obj", "v 0 0 0\nv 1 0 0\nv 2 1 0\nl 1 2 3\n");
	static const char* const others[] = { "no.ply", "no.msh", "no.node" };
	for (int i = 0; i < 3; ++i)
		assert_not_written(test_path(others[i]), curve, LM_BAD_INPUT, "only .obj");
	lm_mesh_destroy(curve);
}

static void curves(void** state)
{
	(void)state;
	lm_mesh* curve = test_mesh("obj", "v 0 0 0\nv 1 0 0\nv 2 1 0\nl 1 2 3\n");
	lm_host host = lm_host_default();
	lm_mesh* back = NULL;
	assert_int_equal(lm_mesh_write(test_path("curve.obj"), curve, NULL, NULL), LM_OK);
	assert_int_equal(lm_mesh_read(test_path("curve.obj"), &host, &back, NULL), LM_OK);
	assert_int_equal(back->edge_count, 2);
	assert_memory_equal(back->edges, curve->edges, 4 * sizeof(int32_t));
	assert_memory_equal(back->positions, curve->positions, 9 * sizeof(double));
	lm_mesh_destroy(back);
	lm_mesh_destroy(curve);
}

static void endings(void** state)
{
	(void)state;
	static const char* const known[] = { "a.obj", "a.Ply", "b/c.STL", "x.node", "x.ele", "x.y.msh" };
	for (int i = 0; i < 6; ++i)
		assert_true(lm_mesh_can_read(known[i]) && lm_mesh_can_write(known[i]));
	static const char* const unknown[] = { "a", "obj", "a.obj/b", "a.objx", "a.pc2", "", "." };
	for (int i = 0; i < 7; ++i)
		assert_false(lm_mesh_can_read(unknown[i]) || lm_mesh_can_write(unknown[i]));
	lm_host host = lm_host_default();
	lm_mesh* mesh = NULL;
	assert_int_equal(lm_mesh_read("a.xyz", &host, &mesh, NULL), LM_BAD_INPUT);
	lm_error error;
	assert_int_equal(lm_mesh_read("/no/such/file.obj", &host, &mesh, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "No such file"));
	assert_int_equal(lm_mesh_read("/no/such/file.ele", &host, &mesh, &error), LM_BAD_INPUT);
	assert_string_equal(error.file, "/no/such/file.node");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(surfaces),
		cmocka_unit_test(ply_is_as_small_as_is_exact),
		cmocka_unit_test(a_face_of_300_corners),
		cmocka_unit_test(points_alone),
		cmocka_unit_test(tetrahedra),
		cmocka_unit_test(stl_keeps_shared_corners),
		cmocka_unit_test(other_positions),
		cmocka_unit_test(what_cannot_be_written),
		cmocka_unit_test(curves),
		cmocka_unit_test(endings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
