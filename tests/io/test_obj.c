// OBJ as it comes: every way of writing a face, groups, continued lines, and every way of being wrong.
#include "io_test.h"

static void faces_of_every_kind(void** state)
{
	(void)state;
	lm_mesh* mesh = test_mesh("obj", "\xef\xbb\xbf# made by hand\r\n"
	                                 "mtllib c:\\models\\\n"
	                                 "v 0 0 0 1\nv 1 0 0 0.5 0.5 0.5\r\n\tv 1 \\\n 1 \\\r\n 0\nv 0 1 0\nv .5 +2e0 -0\n"
	                                 "vt 0 0\nvn 0 0 nan\ns off\nusemtl nothing\n"
	                                 "f 1/1/1 2//1 3/1 # a triangle\n"
	                                 "f -5 -3 -2\n"
	                                 "f 1 2 3 4\n"
	                                 "f 1 2 3 \\\n5 4\n");
	assert_int_equal(mesh->vertex_count, 5);
	static const double positions[] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, .5, 2, -0.0 };
	assert_memory_equal(mesh->positions, positions, sizeof positions);
	assert_int_equal(mesh->face_count, 4);
	static const int32_t starts[] = { 0, 3, 6, 10, 15 };
	static const int32_t corners[] = { 0, 1, 2, 0, 2, 3, 0, 1, 2, 3, 0, 1, 2, 4, 3 };
	static const int32_t triangles[] = { 0, 1, 2, 0, 2, 3, 0, 1, 2, 0, 2, 3, 0, 1, 2, 0, 2, 4, 0, 4, 3 };
	assert_memory_equal(mesh->face_starts, starts, sizeof starts);
	assert_memory_equal(mesh->face_vertices, corners, sizeof corners);
	assert_int_equal(mesh->triangle_count, 7);
	assert_memory_equal(mesh->triangles, triangles, sizeof triangles);
	assert_int_equal(mesh->group_count, 0);
	lm_mesh_destroy(mesh);
}

static void only_triangles_are_no_polygons(void** state)
{
	(void)state;
	// Vertices behind the face that names them are fine too.
	lm_mesh* mesh = test_mesh("obj", "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 1 1 0");
	assert_int_equal(mesh->triangle_count, 1);
	assert_int_equal(mesh->face_count, 0);
	assert_null(mesh->face_starts);
	lm_mesh_destroy(mesh);
}

static void assert_group(const lm_mesh* mesh, const char* name, const int32_t* vertices, int32_t count)
{
	int32_t group = lm_mesh_find_group(mesh, name);
	assert_true(group >= 0);
	assert_int_equal(mesh->groups[group].count, count);
	assert_memory_equal(mesh->groups[group].vertices, vertices, (size_t)count * sizeof(int32_t));
}

static void groups(void** state)
{
	(void)state;
	lm_mesh* mesh = test_mesh("obj", "o My Object \t\n"
	                                 "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 3 0 0\n"
	                                 "f 1 2 3\n"
	                                 "g left  all\nf 4 3 1\n"
	                                 "g right all\nf 2 5 3\n"
	                                 "g\nf 2 5 6\n"
	                                 "g left\nf 1 2 3\n"
	                                 "o\ng pins\np 6 1\nl 2 1\ng empty\n");
	assert_int_equal(mesh->group_count, 5); // "empty" has nothing in it
	assert_group(mesh, "My Object", (int32_t[]){ 0, 1, 2, 3, 4, 5 }, 6);
	assert_group(mesh, "left", (int32_t[]){ 0, 1, 2, 3 }, 4);
	assert_group(mesh, "right", (int32_t[]){ 1, 2, 4 }, 3);
	assert_group(mesh, "all", (int32_t[]){ 0, 1, 2, 3, 4 }, 5);
	assert_group(mesh, "pins", (int32_t[]){ 0, 1, 5 }, 3);
	assert_int_equal(lm_mesh_find_group(mesh, "empty"), -1);
	assert_int_equal(mesh->triangle_count, 5);
	lm_mesh_destroy(mesh);
}

static void lines_are_curves(void** state)
{
	(void)state;
	lm_mesh* mesh = test_mesh("obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nl 1 2/1 -1 # a polyline\nl 3\nl 2 2\nl 3 1\n");
	static const int32_t edges[] = { 0, 1, 1, 2, 2, 0 };
	assert_int_equal(mesh->edge_count, 3);
	assert_memory_equal(mesh->edges, edges, sizeof edges);
	assert_int_equal(mesh->triangle_count, 0);
	lm_mesh_destroy(mesh);
	assert_text_refused("obj", "v 0 0 0\nv 1 0 0\nl 1 3\n", "line 3", "vertex 3");
}

static void ten_thousand_groups(void** state)
{
	(void)state;
	char* text = malloc(600000);
	size_t length = (size_t)sprintf(text, "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
	for (int i = 0; i < 10000; ++i)
		length += (size_t)sprintf(text + length, "g part%d\nf 1 2 3\n", i * 7919 % 10007);
	lm_mesh* mesh = test_mesh("obj", text);
	assert_int_equal(mesh->group_count, 10000);
	assert_int_equal(mesh->groups[9999].count, 3);
	lm_mesh_destroy(mesh);
	free(text);
}

#define VERTICES "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

static void bad_files(void** state)
{
	(void)state;
	assert_text_refused("obj", "", "", "no vertices");
	assert_text_refused("obj", "# nothing\n", "", "no vertices");
	assert_text_refused("obj", "v 1 2\n", "line 1", "z of a vertex must be a number");
	assert_text_refused("obj", "v 1 2 x\n", "line 1", "must be a number, not x");
	assert_text_refused("obj", "\n\nv 1 2,5 3\n", "line 3", "not 2,5");
	assert_text_refused("obj", "v 0 0 0\nv 1 nan 3\n", "line 2", "vertex 2 is not finite");
	assert_text_refused("obj", "v 0 0 0\nv 1 1e999 3\n", "line 2", "not finite");
	assert_text_refused("obj", "v 0 0 -inf\n", "line 1", "not finite");
	assert_text_refused("obj", VERTICES "f 1 2 4\n", "line 4", "vertex 4");
	assert_text_refused("obj", VERTICES "f 1 2 4\nf 1 2 9\nf 1 2 5\n", "line 5", "vertex 9");
	assert_text_refused("obj", VERTICES "f 1 2 -4\n", "line 4", "-4");
	assert_text_refused("obj", VERTICES "f 0 1 2\n", "line 4", "vertex 0");
	assert_text_refused("obj", VERTICES "f 1 2 99999999999999999999999\n", "line 4", "vertex");
	assert_text_refused("obj", VERTICES "f 1 2\n", "line 4", "at least 3");
	assert_text_refused("obj", VERTICES "f\n", "line 4", "at least 3");
	assert_text_refused("obj", VERTICES "f 1 2 three\n", "line 4", "not three");
	assert_text_refused("obj", VERTICES "f 1.5 2 3\n", "line 4", "not 1.5");
	assert_text_refused("obj", VERTICES "f 1 2 \\\n \\\n x\n", "line 6", "not x");
	assert_text_refused("obj", VERTICES "p 4\n", "line 4", "vertex 4");
	assert_refused("obj", "v 1 2 3\nf 1 \0 2\n", 16, "line 2", "corner");
	char many[1000] = VERTICES "g";
	for (int i = 0; i < 65; ++i)
		sprintf(many + strlen(many), " g%d", i);
	assert_text_refused("obj", many, "line 4", "more than 64 groups");
	lm_error error;
	lm_host host = lm_host_default();
	lm_mesh* mesh = NULL;
	const char* path = test_path("element.obj");
	test_write(path, "v 0 0 0\nv 0 0 nan\n", 18);
	assert_int_equal(lm_mesh_read(path, &host, &mesh, &error), LM_BAD_INPUT);
	assert_int_equal(error.element, 1);
	remove(path);
}

// A word in a message is short and harmless however long and strange it was.
static void messages_are_harmless(void** state)
{
	(void)state;
	char text[5000] = "v 1 2 ";
	memset(text + 6, 'A', 4000);
	text[7] = '\x1b';
	assert_refused("obj", text, 4006, "line 1", "not A?AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faces_of_every_kind),
		cmocka_unit_test(only_triangles_are_no_polygons),
		cmocka_unit_test(groups),
		cmocka_unit_test(lines_are_curves),
		cmocka_unit_test(ten_thousand_groups),
		cmocka_unit_test(bad_files),
		cmocka_unit_test(messages_are_harmless),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
