// Every reader against files that are cut off anywhere or damaged anywhere, and against memory that runs out: a clean
// error or a good mesh, never anything else.
#include "io_test.h"

#include "io/readers.h"
#include "msh_samples.h"

typedef lm_status parse_fn(const lm_host* host, const char* path, const void* data, size_t size, lm_mesh** mesh,
                           lm_error* error);

static lm_status parse_node(const lm_host* host, const char* path, const void* data, size_t size, lm_mesh** mesh,
                            lm_error* error)
{
	lm_tetgen_file nodes = { path, data, size };
	return lm_tetgen_parse(host, &nodes, NULL, mesh, error);
}

static lm_status parse_ele(const lm_host* host, const char* path, const void* data, size_t size, lm_mesh** mesh,
                           lm_error* error)
{
	static const char points[] = "7 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 0\n5 1 1 1\n6 0 1 1\n";
	lm_tetgen_file nodes = { "points", points, strlen(points) }, elements = { path, data, size };
	return lm_tetgen_parse(host, &nodes, &elements, mesh, error);
}

typedef struct sample
{
	parse_fn* parse;
	unsigned char* data;
	size_t size;
} sample;

static sample samples[20];
static int sample_count;

static void add_sample(parse_fn* parse, const void* data, size_t size)
{
	sample* added = &samples[sample_count++];
	*added = (sample){ parse, malloc(size + 1), size };
	memcpy(added->data, data, size);
	added->data[size] = 0;
}

static void add_written(parse_fn* parse, const lm_mesh* mesh, const char* name, const char* other)
{
	const char* path = test_path(name);
	assert_int_equal(lm_mesh_write(path, mesh, NULL, NULL), LM_OK);
	size_t size;
	unsigned char* data = test_read(path, &size);
	add_sample(parse, data, size);
	free(data);
	remove(path);
	if (other != NULL)
		remove(test_path(other));
}

static int make_samples(void** state)
{
	(void)state;
	static const char obj[] = "o thing\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0.25\ng a b\nf 1/2/3 2//4 3\nf -1 -2 \\\n -3\n"
							  "g c\nf 1 2 3 4\np 1 2\n";
	static const char ply[] =
		"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty "
		"float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 "
		"1 0\n3 0 1 2\n";
	static const char stl[] = "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
							  "0\nendloop\nendfacet\nendsolid x\n";
	add_sample(lm_obj_parse, obj, strlen(obj));
	add_sample(lm_ply_parse, ply, strlen(ply));
	add_sample(lm_stl_parse, stl, strlen(stl));
	add_sample(lm_msh_parse, msh_text_2, strlen(msh_text_2));
	add_sample(lm_msh_parse, msh_text_4, strlen(msh_text_4));
	msh_bytes bytes;
	for (int big = 0; big < 2; ++big)
	{
		msh_make_binary_2(&bytes, big);
		add_sample(lm_msh_parse, bytes.data, bytes.size);
		msh_make_binary_4(&bytes, big);
		add_sample(lm_msh_parse, bytes.data, bytes.size);
	}
	lm_mesh* sheet = test_sheet(2, true);
	add_written(lm_ply_parse, sheet, "s.ply", NULL);
	add_written(lm_stl_parse, sheet, "s.stl", NULL);
	add_written(lm_obj_parse, sheet, "s.obj", NULL);
	add_written(parse_node, sheet, "s.node", "s.ele");
	lm_mesh_destroy(sheet);
	lm_mesh* tets = test_tets(5);
	add_written(parse_ele, tets, "t.ele", "t.node");
	lm_mesh_destroy(tets);
	return 0;
}

static int free_samples(void** state)
{
	(void)state;
	for (int i = 0; i < sample_count; ++i)
		free(samples[i].data);
	return 0;
}

static void assert_valid(const lm_mesh* mesh)
{
	assert_true(mesh->vertex_count > 0);
	for (int i = 0; i < 3 * mesh->vertex_count; ++i)
		assert_true(isfinite(mesh->positions[i]));
	for (int i = 0; i < 3 * mesh->triangle_count; ++i)
		assert_true(mesh->triangles[i] >= 0 && mesh->triangles[i] < mesh->vertex_count);
	for (int i = 0; i < 4 * mesh->tet_count; ++i)
		assert_true(mesh->tets[i] >= 0 && mesh->tets[i] < mesh->vertex_count);
	for (int i = 0; mesh->face_count > 0 && i < mesh->face_starts[mesh->face_count]; ++i)
		assert_true(mesh->face_vertices[i] >= 0 && mesh->face_vertices[i] < mesh->vertex_count);
	for (int g = 0; g < mesh->group_count; ++g)
		for (int i = 0; i < mesh->groups[g].count; ++i)
		{
			int32_t vertex = mesh->groups[g].vertices[i];
			assert_true(vertex >= 0 && vertex < mesh->vertex_count);
			assert_true(i == 0 || vertex > mesh->groups[g].vertices[i - 1]);
		}
}

// The bytes in memory of their own, so that a sanitizer sees a step beyond. True when they are a mesh.
static bool attempt(const sample* from, const unsigned char* data, size_t size, int64_t fail_at)
{
	unsigned char* copy = malloc(size + 1);
	if (size > 0)
		memcpy(copy, data, size);
	copy[size] = 0;
	test_memory memory = { .fail_at = fail_at };
	lm_host host = test_host(&memory);
	lm_mesh* mesh = NULL;
	lm_error error = { 0 };
	lm_status status = from->parse(&host, "file", copy, size, &mesh, &error);
	if (status == LM_OK)
		assert_valid(mesh);
	else
	{
		assert_null(mesh);
		assert_true(error.message[0] != 0);
		assert_int_equal(error.status, status);
		assert_true(status == (fail_at > 0 ? LM_NO_MEMORY : LM_BAD_INPUT));
	}
	lm_mesh_destroy(mesh);
	assert_int_equal(memory.held, 0);
	free(copy);
	return status == LM_OK;
}

static void truncation(void** state)
{
	(void)state;
	for (int s = 0; s < sample_count; ++s)
	{
		assert_true(attempt(&samples[s], samples[s].data, samples[s].size, 0));
		for (size_t cut = 0; cut < samples[s].size; ++cut)
			attempt(&samples[s], samples[s].data, cut, 0);
	}
}

static void damage(void** state)
{
	(void)state;
	static const unsigned char values[] = { 0, 0xff, 0x7f, '9', '-', '\n', ' ', 'e' };
	for (int s = 0; s < sample_count; ++s)
		for (size_t i = 0; i < samples[s].size; ++i)
		{
			unsigned char before = samples[s].data[i];
			for (size_t v = 0; v < sizeof values; ++v)
			{
				samples[s].data[i] = values[v];
				attempt(&samples[s], samples[s].data, samples[s].size, 0);
			}
			samples[s].data[i] = before;
		}
}

static void memory_runs_out(void** state)
{
	(void)state;
	for (int s = 0; s < sample_count; ++s)
	{
		int64_t n = 1;
		while (!attempt(&samples[s], samples[s].data, samples[s].size, n))
			++n;
		assert_in_range(n, 4, 100);
	}
}

// Through the files themselves: opening, the second file of a pair, writing.
static void memory_runs_out_with_files(void** state)
{
	(void)state;
	lm_mesh* tets = test_tets(5);
	const char *path = test_path("m.ele"), *other = test_path("m.node");
	bool good = false;
	for (int64_t n = 1; !good; ++n)
	{
		test_memory memory = { .fail_at = n };
		lm_host host = test_host(&memory), own = tets->host;
		tets->host = host;
		lm_status status = lm_mesh_write(path, tets, NULL, NULL);
		tets->host = own;
		assert_int_equal(access(path, F_OK) == 0, status == LM_OK);
		lm_mesh* mesh = NULL;
		if (status == LM_OK)
			status = lm_mesh_read(path, &host, &mesh, NULL);
		good = status == LM_OK;
		assert_true(good || status == LM_NO_MEMORY);
		lm_mesh_destroy(mesh);
		assert_int_equal(memory.held, 0);
		remove(path);
		remove(other);
	}
	lm_mesh_destroy(tets);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(truncation),
		cmocka_unit_test(damage),
		cmocka_unit_test(memory_runs_out),
		cmocka_unit_test(memory_runs_out_with_files),
	};
	return cmocka_run_group_tests(tests, make_samples, free_samples);
}
