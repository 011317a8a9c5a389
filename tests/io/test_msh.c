// Gmsh meshes: both versions, as text and in both byte orders, groups, and every way of being wrong.
#define _GNU_SOURCE // memmem
#include "io_test.h"

#include "msh_samples.h"

static void assert_group(const lm_mesh* mesh, const char* name, const int32_t* vertices, int32_t count)
{
	int32_t group = lm_mesh_find_group(mesh, name);
	assert_true(group >= 0);
	assert_int_equal(mesh->groups[group].count, count);
	assert_memory_equal(mesh->groups[group].vertices, vertices, (size_t)count * sizeof(int32_t));
}

static void assert_sample(const void* data, size_t size)
{
	lm_mesh* mesh = test_mesh_of("msh", data, size);
	assert_int_equal(mesh->vertex_count, 5);
	assert_memory_equal(mesh->positions, msh_positions, sizeof msh_positions);
	static const int32_t triangles[] = { 0, 1, 2, 1, 2, 3 }, tets[] = { 0, 1, 2, 3, 1, 2, 3, 4 };
	assert_int_equal(mesh->triangle_count, 2);
	assert_memory_equal(mesh->triangles, triangles, sizeof triangles);
	assert_int_equal(mesh->tet_count, 2);
	assert_memory_equal(mesh->tets, tets, sizeof tets);
	assert_int_equal(lm_mesh_check(mesh, "", NULL), LM_OK);
	assert_int_equal(mesh->group_count, 3);
	assert_group(mesh, "body", (int32_t[]){ 0, 1, 2, 3, 4 }, 5);
	assert_group(mesh, "the skin", (int32_t[]){ 0, 1, 2 }, 3);
	assert_group(mesh, "pin", (int32_t[]){ 3 }, 1);
	lm_mesh_destroy(mesh);
}

static void every_kind_of_file(void** state)
{
	(void)state;
	assert_sample(msh_text_2, strlen(msh_text_2));
	assert_sample(msh_text_4, strlen(msh_text_4));
	msh_bytes bytes;
	for (int big = 0; big < 2; ++big)
	{
		msh_make_binary_2(&bytes, big);
		assert_sample(bytes.data, bytes.size);
		msh_make_binary_4(&bytes, big);
		assert_sample(bytes.data, bytes.size);
	}
}

#define FORMAT2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define FORMAT4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES2 "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"
#define NODES4 "$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n"

static void quadrangles_comments_and_unknown_kinds(void** state)
{
	(void)state;
	lm_mesh* mesh = test_mesh("msh", "$Comments\nwritten with $ sign by hand\n$EndComments\n" FORMAT2
	                                 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"
	                                 "$Elements\n3\n1 3 2 0 1 1 2 3 4\n2 999 2 0 1 1 2 3 4 5 6 7 8\n3 2 0 1 2 3\n"
	                                 "$EndElements\n$NodeData\n1\n\"x\"\n$EndNodeData\n");
	assert_int_equal(mesh->face_count, 2);
	assert_int_equal(mesh->triangle_count, 3);
	lm_mesh_destroy(mesh);
	mesh = test_mesh("msh", FORMAT4 NODES4 "$Elements\n2 2 1 2\n2 1 999 1\n1 1 2 3 4 5 6 7\n2 1 2 1\n2 1 2 3\n"
	                                       "$EndElements\n");
	assert_int_equal(mesh->triangle_count, 1);
	lm_mesh_destroy(mesh);
	mesh = test_mesh("msh", FORMAT2 NODES2); // points alone
	assert_int_equal(mesh->vertex_count, 3);
	lm_mesh_destroy(mesh);
}

static void bad_text(void** state)
{
	(void)state;
	assert_text_refused("msh", "", "", "no $Nodes");
	assert_text_refused("msh", "hello", "line 1", "expected a section");
	assert_text_refused("msh", NODES2, "line 2", "does not start with $MeshFormat");
	assert_text_refused("msh", "$MeshFormat\n4 0 8\n", "line 2", "version 4 cannot be read");
	assert_text_refused("msh", "$MeshFormat\n4.0 0 8\n", "line 2", "2.2 or 4.1");
	assert_text_refused("msh", "$MeshFormat\n2.2 2 8\n", "line 2", "0 or 1");
	assert_text_refused("msh", "$MeshFormat\n2.2 0 4\n", "line 2", "data size 8");
	assert_text_refused("msh", "$MeshFormat\n2.2 0 8\n", "line 3", "expected $EndMeshFormat");
	assert_text_refused("msh", FORMAT2 FORMAT2, "line 5", "second $MeshFormat");
	assert_text_refused("msh", FORMAT2 NODES2 NODES2, "line 11", "second $Nodes");
	assert_text_refused("msh", FORMAT2 "$Elements\n1\n1 2 0 1 2 3\n", "line 5", "before $Nodes");
	assert_text_refused("msh", FORMAT2 "$Other\nx\n", "line 5", "before $EndOther");
	assert_text_refused("msh", FORMAT2 "$Nodes\n400000000\n1 0 0 0\n", "line 6", "only 8 bytes");
	assert_text_refused("msh", FORMAT2 "$Nodes\n-1\n", "line 6", "negative");
	assert_text_refused("msh", FORMAT2 "$Nodes\n1\n1 0 nan 0\n", "line 6", "node 1 is not finite");
	assert_text_refused("msh", FORMAT2 "$Nodes\n1\n-1 0 0 0\n", "line 6", "negative");
	assert_text_refused("msh", FORMAT2 "$Nodes\n2\n1 0 0 0\n1 0 0 0\n$EndNodes\n", "line 7",
	                    "two nodes with the tag 1");
	assert_text_refused("msh", FORMAT2 "$Nodes\n1\n1 0 0 0\n$Elements\n", "line 7", "expected $EndNodes");
	assert_text_refused("msh", FORMAT2 NODES2 "$Elements\n1\n1 2 0 1 2 4\n", "line 12", "node 4, which is not there");
	assert_text_refused("msh", FORMAT2 NODES2 "$Elements\n1\n1 2 0 1 2 -9223372036854775807\n", "line 12",
	                    "which is not there");
	assert_text_refused("msh", FORMAT2 NODES2 "$Elements\n1\n1 2 -1 1 2 3\n", "line 12", "-1 tags");
	assert_text_refused("msh", FORMAT2 NODES2 "$Elements\n1\n1 1 0 1 2\n$EndElements", "", "none of its 1 elements");
	assert_text_refused("msh", FORMAT2 NODES2 "$Elements\n2\n1 2 0 1 2 3\n$EndElements\n", "line 13", "whole number");
	assert_text_refused("msh", FORMAT2 "$PhysicalNames\n2\n2 1 \"a\"\n2 1 \"b\"\n", "line 7", "named twice");
	assert_text_refused("msh", FORMAT2 "$PhysicalNames\n1\n2 1 abcdefg\n", "line 6", "quotes");
	assert_text_refused("msh", FORMAT2 "$PhysicalNames\n1\n2 1 \"abcd\n", "line 6", "not closed");
	assert_text_refused("msh", FORMAT2 "$PhysicalNames\n1\n2 1 \"\"   \n", "line 6", "empty");
	assert_text_refused("msh", FORMAT4 "$Entities\n0 0 90000 0\n", "line 5", "number of surfaces is 90000");
	assert_text_refused("msh", FORMAT4 "$Entities\n2 0 0 0\n1 0 0 0 0\n1 0 0 0 0\n", "line 7", "there twice");
	assert_text_refused("msh", FORMAT4 "$Nodes\n1 3 1 3\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n", "line 6",
	                    "more nodes than the 3");
	assert_text_refused("msh", FORMAT4 "$Nodes\n1 3 1 3\n2 1 0 2\n1\n2\n0 0 0\n0 0 0\n$EndNodes\n", "line 10",
	                    "3 nodes were announced, 2 came");
	assert_text_refused("msh", FORMAT4 "$Nodes\n1 3 1 3\n5 1 0 3\n1\n2\n3\n0 0 0\n0 0 0\n0 0 0\n", "line 6", "0 to 3");
	assert_text_refused("msh", FORMAT4 NODES4 "$Elements\n1 1 1 1\n2 1 2 2\n1 1 2 3\n", "line 16", "more elements");
	assert_text_refused("msh", FORMAT4 NODES4 "$Elements\n1 2 1 1\n2 1 2 1\n1 1 2 3\n$EndElements\n", "line 17",
	                    "2 elements were announced, 1 came");
}

static void bad_bytes(void** state)
{
	(void)state;
	msh_bytes bytes;
	msh_make_binary_2(&bytes, false);
	unsigned char* mark = bytes.data + strlen("$MeshFormat\n2.2 1 8\n");
	mark[0] = 2;
	assert_refused("msh", bytes.data, bytes.size, "byte 24", "must be 1");
	msh_make_binary_2(&bytes, true);
	unsigned char* elements = (unsigned char*)memmem(bytes.data, bytes.size, "$Elements\n6\n", 12) + 12;
	elements[3] = 99; // the type
	assert_refused("msh", bytes.data, bytes.size, "byte 295", "type 99");
	elements[3] = 15;
	elements[7] = 7; // more than announced
	assert_refused("msh", bytes.data, bytes.size, "byte 295", "7 elements stands where at most 6");
	elements[7] = 0;
	assert_refused("msh", bytes.data, bytes.size, "byte 295", "0 elements");
	msh_make_binary_4(&bytes, false);
	unsigned char* nodes = (unsigned char*)memmem(bytes.data, bytes.size, "$Nodes\n", 7) + 7;
	nodes[15] = 0xff; // more than 2^63
	assert_refused("msh", bytes.data, bytes.size, "byte 458", "too large");
	nodes[15] = 0x7f;
	assert_refused("msh", bytes.data, bytes.size, "byte 458", "bytes follow");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_file),
		cmocka_unit_test(quadrangles_comments_and_unknown_kinds),
		cmocka_unit_test(bad_text),
		cmocka_unit_test(bad_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
