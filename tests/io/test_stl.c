// STL, text and binary, and TetGen pairs.
#include "io_test.h"

#include "io/bytes.h"

#define TRIANGLE(a, b, c)                                                                                              \
	"facet normal nan 0 1\n outer loop\n  vertex " a "\n  vertex " b "\n  vertex " c "\n endloop\nendfacet\n"

static void text(void** state)
{
	(void)state;
	lm_mesh* mesh = test_mesh(
		"stl", "\n solid some name facet\n" TRIANGLE("0 0 0", "1 0 0", "0 1e0 0")
				   TRIANGLE("1 0 0", "1 1 0", "-0 1 0") "endsolid some name\n\n"
														"solid\n" TRIANGLE("5 5 5", "0 0 0", "1 0 0") "endsolid");
	assert_int_equal(mesh->vertex_count, 5);
	static const int32_t triangles[] = { 0, 1, 2, 1, 3, 2, 4, 0, 1 };
	assert_memory_equal(mesh->triangles, triangles, sizeof triangles);
	assert_int_equal(mesh->face_count, 0);
	assert_true(mesh->positions[12] == 5);
	lm_mesh_destroy(mesh);
}

static size_t make_binary(unsigned char* data, const char* header, uint32_t triangles, uint32_t claimed)
{
	memset(data, ' ', 80);
	memcpy(data, header, strlen(header));
	lm_store_32(data + 80, claimed, false);
	memset(data + 84, 0, 50 * triangles);
	for (uint32_t t = 0; t < triangles; ++t)
		for (uint32_t i = 0; i < 9; ++i)
			lm_store_float(data + 84 + 50 * t + 12 + 4 * i, (float)((t + i) % 5), false);
	return 84 + 50 * triangles;
}

static lm_mesh* read_bytes(const unsigned char* data, size_t size)
{
	const char* path = test_path("bytes.stl");
	test_write(path, data, size);
	lm_host host = lm_host_default();
	lm_mesh* mesh = NULL;
	assert_int_equal(lm_mesh_read(path, &host, &mesh, NULL), LM_OK);
	remove(path);
	return mesh;
}

static void binary(void** state)
{
	(void)state;
	unsigned char data[2000];
	static const char* const headers[] = { "anything", "solid facet", "solid x\nfacet normal 0 0 1\n outer loop" };
	for (int i = 0; i < 3; ++i)
	{
		size_t size = make_binary(data, headers[i], 6, 6);
		lm_mesh* mesh = read_bytes(data, size);
		assert_int_equal(mesh->triangle_count, 6);
		assert_int_equal(mesh->vertex_count, 5); // (0 1 2), (3 4 0), (1 2 3), (4 0 1), (2 3 4)
		static const int32_t first[] = { 0, 1, 2, 2, 3, 4 };
		assert_memory_equal(mesh->triangles, first, sizeof first);
		lm_mesh_destroy(mesh);
	}
	size_t size = make_binary(data, "padded", 2, 2);
	lm_mesh* mesh = read_bytes(data, size + 7); // bytes behind the end do no harm
	assert_int_equal(mesh->triangle_count, 2);
	lm_mesh_destroy(mesh);
}

static void bad_files(void** state)
{
	(void)state;
	unsigned char data[2000];
	size_t size = make_binary(data, "huge", 2, 200000000);
	assert_refused("stl", data, size, "byte 80", "200000000 triangles");
	size = make_binary(data, "cut", 2, 3);
	assert_refused("stl", data, size, "byte 80", "hold only 2");
	size = make_binary(data, "", 0, 0);
	assert_refused("stl", data, size, "", "no triangles");
	size = make_binary(data, "nan", 2, 2);
	lm_store_float(data + 84 + 50 + 12 + 12, NAN, false);
	assert_refused("stl", data, size, "byte 158", "triangle 1 is not finite");
	assert_text_refused("stl", "", "line 1", "expected \"solid\"");
	assert_text_refused("stl", "solid x\n", "line 2", "the end of the file");
	assert_text_refused("stl", "solid x\nendsolid\n", "", "no triangles");
	assert_text_refused("stl", "solid x\nfacet\nnormal 0 0 1 inner", "line 3", "expected \"outer\", found inner");
	assert_text_refused("stl", "solid\n" TRIANGLE("0 0 0", "1 0 inf", "0 1 0"), "line 5", "not finite");
	assert_text_refused("stl", "solid\n" TRIANGLE("0 0 0", "1 0", "0 1 0"), "line 6", "must be a number, not vertex");
	assert_text_refused("stl", "solid\n" TRIANGLE("0 0 0", "1 0 0", "0 1 0"), "line 9", "\"facet\" or \"endsolid\"");
}

// ---- TetGen

static void write_pair(const char* nodes, const char* elements)
{
	test_write(test_path("pair.node"), nodes, strlen(nodes));
	if (elements != NULL)
		test_write(test_path("pair.ele"), elements, strlen(elements));
	else
		remove(test_path("pair.ele"));
}

static lm_mesh* read_pair(const char* nodes, const char* elements, const char* name)
{
	write_pair(nodes, elements);
	lm_host host = lm_host_default();
	lm_mesh* mesh = NULL;
	lm_error error = { 0 };
	if (lm_mesh_read(test_path(name), &host, &mesh, &error) != LM_OK)
	{
		print_error("%s: %s\n", error.where, error.message);
		fail();
	}
	remove(test_path("pair.node"));
	remove(test_path("pair.ele"));
	return mesh;
}

static void tetgen_numbering(void** state)
{
	(void)state;
	static const int32_t tets[] = { 0, 1, 2, 3, 1, 2, 3, 4 };
	for (int ending = 0; ending < 2; ++ending)
	{
		lm_mesh* zero = read_pair("# made by hand\n\n5 3 1 1 # points\n0 0 0 0 7 1\n1 1 0 0 7.5 -1\n2 0 1 0 7 0\n"
		                          "# in between\n3 0 0 1 7 0\n4 1 1 1 8 0\n# end",
		                          "2 4 1\n0 0 1 2 3 -5\n1 1 2 4 3 6\n", ending ? "pair.ele" : "pair.node");
		assert_int_equal(zero->vertex_count, 5);
		assert_int_equal(zero->tet_count, 2);
		assert_memory_equal(zero->tets, tets, sizeof tets); // the second one was turned round
		assert_int_equal(lm_mesh_check(zero, "", NULL), LM_OK);
		lm_mesh* one = read_pair("5 3 0 0\r\n1 0 0 0\r\n2 1 0 0\r\n3 0 1 0\r\n4 0 0 1\r\n5 1 1 1\r\n",
		                         "2 4 0\n1 1 2 3 4\n2 2 3 4 5\n", ending ? "pair.ele" : "pair.node");
		assert_same_mesh(zero, one);
		lm_mesh_destroy(zero);
		lm_mesh_destroy(one);
	}
	lm_mesh* points = read_pair("2\n1 0 0 0\n2 1 0 0\n", NULL, "pair.node");
	assert_int_equal(points->vertex_count, 2);
	assert_int_equal(points->tet_count, 0);
	lm_mesh_destroy(points);
}

static void assert_pair_refused(const char* nodes, const char* elements, const char* file, const char* where,
                                const char* words)
{
	write_pair(nodes, elements);
	test_memory memory = { 0 };
	lm_host host = test_host(&memory);
	lm_mesh* mesh = NULL;
	lm_error error = { 0 };
	assert_int_equal(lm_mesh_read(test_path("pair.ele"), &host, &mesh, &error), LM_BAD_INPUT);
	assert_int_equal(memory.held, 0);
	if (strcmp(error.where, where) != 0 || strstr(error.message, words) == NULL || strstr(error.file, file) == NULL)
	{
		print_error("got \"%s: %s: %s\", expected %s: ...%s...\n", error.file, error.where, error.message, where,
		            words);
		fail();
	}
	remove(test_path("pair.node"));
	remove(test_path("pair.ele"));
}

#define NODES "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n"

static void bad_pairs(void** state)
{
	(void)state;
	const char* good = "1 4 0\n0 0 1 2 3\n";
	assert_pair_refused("", good, "pair.node", "line 1", "empty");
	assert_pair_refused("x 3\n", good, "pair.node", "line 1", "whole number");
	assert_pair_refused("4 2 0 0\n", good, "pair.node", "line 1", "only 7 bytes");
	assert_pair_refused("1 2 0 0\n0 1 1 0\n", good, "pair.node", "line 1", "dimension must be 3");
	assert_pair_refused("900000000 3 0 0\n0 1 1 0\n", good, "pair.node", "line 1", "at most");
	assert_pair_refused("400000000 3 0 0\n0 1 1 0\n", good, "pair.node", "line 1", "bytes follow");
	assert_pair_refused("2 3 0 0\n0 1.000 1.000 0.000\n", good, "pair.node", "line 3", "before point 2 of 2");
	assert_pair_refused("2 3 0 0\n0 1 1 0\n2 1 1 0\n", good, "pair.node", "line 3", "point 2 stands where 1");
	assert_pair_refused("2 3 0 0\n5 1 1 0\n6 1 1 0\n", good, "pair.node", "line 2", "point 5 stands where 1");
	assert_pair_refused("2 3 0 0\n0 1 1 0\n1 1 inf 0\n", good, "pair.node", "line 3", "point 1 is not finite");
	assert_pair_refused("0 3 0 0\n", "0 4 0\n", "pair.node", "", "no vertices");
	assert_pair_refused(NODES, "1 10 0\n0 0 1 2 3\n", "pair.ele", "line 1", "corners must be 4, not 10");
	assert_pair_refused(NODES, "1 4 0\n0 0 1 2 4\n", "pair.ele", "line 2", "names point 4");
	assert_pair_refused(NODES, "1 4 0\n0 0 1 2 -1\n", "pair.ele", "line 2", "names point -1");
	assert_pair_refused(NODES, "1 4 0\n0 0 1 2   \n", "pair.ele", "line 2", "not nothing");
	assert_pair_refused(NODES, "2 4 0\n0 0 1 2 3 0 0 0 0 0\n", "pair.ele", "line 3", "before tetrahedron 2");
	assert_pair_refused(NODES, "1 4 0\n1 0 1 2 3\n", "pair.ele", "line 2", "tetrahedron 1 stands where 0");
	assert_pair_refused(NODES, NULL, "pair.ele", "", "cannot be opened");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text),      cmocka_unit_test(binary),
		cmocka_unit_test(bad_files), cmocka_unit_test(tetgen_numbering),
		cmocka_unit_test(bad_pairs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
