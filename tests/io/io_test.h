// io_test.h: what the tests of files share: a folder of their own, meshes to write, exact comparison.
#ifndef LIMBER_IO_TEST_H
#define LIMBER_IO_TEST_H

#include "test.h"

#include "limber/io.h"

#include <sys/stat.h>
#include <unistd.h>

// A path in the build folder, good until the next four calls.
static inline const char* test_path(const char* name)
{
	static char paths[4][512];
	static int turn;
	char* path = paths[turn++ % 4];
	snprintf(path, sizeof paths[0], "%s/test-io", LIMBER_BUILD);
	mkdir(path, 0777);
	snprintf(path, sizeof paths[0], "%s/test-io/%ld-%s", LIMBER_BUILD, (long)getpid(), name);
	return path;
}

static inline void test_write(const char* path, const void* data, size_t size)
{
	FILE* file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

// The bytes of a file, to be freed by the caller.
static inline unsigned char* test_read(const char* path, size_t* size)
{
	FILE* file = fopen(path, "rb");
	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	*size = (size_t)ftell(file);
	rewind(file);
	unsigned char* data = calloc(1, *size + 1);
	assert_int_equal(fread(data, 1, *size, file), *size);
	fclose(file);
	return data;
}

// The mesh in data that stand in a file of that ending; must be good.
static inline lm_mesh* test_mesh_of(const char* ending, const void* data, size_t size)
{
	char name[64];
	snprintf(name, sizeof name, "text.%s", ending);
	const char* path = test_path(name);
	test_write(path, data, size);
	lm_host host = lm_host_default();
	lm_mesh* mesh = NULL;
	lm_error error = { 0 };
	if (lm_mesh_read(path, &host, &mesh, &error) != LM_OK)
	{
		print_error("%s: %s\n", error.where, error.message);
		fail();
	}
	remove(path);
	return mesh;
}

static inline lm_mesh* test_mesh(const char* ending, const char* text)
{
	return test_mesh_of(ending, text, strlen(text));
}

// Reading must fail with LM_BAD_INPUT at `where`, with a message that contains `words`.
static inline void assert_refused(const char* ending, const void* data, size_t size, const char* where,
                                  const char* words)
{
	char name[64];
	snprintf(name, sizeof name, "bad.%s", ending);
	const char* path = test_path(name);
	test_write(path, data, size);
	test_memory memory = { 0 };
	lm_host host = test_host(&memory);
	lm_mesh* mesh = NULL;
	lm_error error = { 0 };
	assert_int_equal(lm_mesh_read(path, &host, &mesh, &error), LM_BAD_INPUT);
	assert_null(mesh);
	assert_int_equal(memory.held, 0);
	assert_int_equal(error.status, LM_BAD_INPUT);
	assert_string_equal(error.file, path);
	assert_int_equal(lm_mesh_read(path, &host, &mesh, NULL), LM_BAD_INPUT);
	if (strcmp(error.where, where) != 0 || strstr(error.message, words) == NULL)
	{
		print_error("got \"%s: %s\", expected \"%s: ...%s...\"\n", error.where, error.message, where, words);
		fail();
	}
	remove(path);
}

#define assert_text_refused(ending, text, where, words) assert_refused(ending, text, strlen(text), where, words)

static inline void assert_same_mesh(const lm_mesh* a, const lm_mesh* b)
{
	assert_int_equal(a->vertex_count, b->vertex_count);
	assert_int_equal(a->triangle_count, b->triangle_count);
	assert_int_equal(a->tet_count, b->tet_count);
	assert_int_equal(a->face_count, b->face_count);
	assert_memory_equal(a->positions, b->positions, (size_t)a->vertex_count * 3 * sizeof(double));
	assert_memory_equal(a->triangles, b->triangles, (size_t)a->triangle_count * 3 * sizeof(int32_t));
	assert_memory_equal(a->tets, b->tets, (size_t)a->tet_count * 4 * sizeof(int32_t));
	if (a->face_count > 0)
	{
		assert_memory_equal(a->face_starts, b->face_starts, ((size_t)a->face_count + 1) * sizeof(int32_t));
		assert_memory_equal(a->face_vertices, b->face_vertices,
		                    (size_t)a->face_starts[a->face_count] * sizeof(int32_t));
	}
}

// n x n quads, wavy; `exact` positions are floats.
static inline lm_mesh* test_sheet(int n, bool exact)
{
	char* text = malloc((size_t)(n + 2) * (size_t)(n + 2) * 120);
	size_t length = 0;
	uint64_t state = 7;
	for (int i = 0; i <= n; ++i)
		for (int j = 0; j <= n; ++j)
			length += (size_t)sprintf(text + length, "v %d %.17g %d\n", j, exact ? 0.5 : test_random(&state), i);
	for (int i = 0; i < n; ++i)
		for (int j = 0; j < n; ++j)
		{
			int a = i * (n + 1) + j + 1;
			if (j == 0)
				length += (size_t)sprintf(text + length, "f %d %d %d\nf %d %d %d\n", a, a + n + 1, a + 1, a + 1,
				                          a + n + 1, a + n + 2);
			else
				length += (size_t)sprintf(text + length, "f %d %d %d %d\n", a, a + n + 1, a + n + 2, a + 1);
		}
	lm_mesh* mesh = test_mesh("obj", text);
	free(text);
	return mesh;
}

// Tetrahedra around the edge (0, 1), all of positive volume.
static inline lm_mesh* test_tets(int n)
{
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, n + 2, 0, n);
	mesh->positions[4] = 0.1 + 0.2; // y of vertex 1: needs 17 digits
	for (int i = 0; i < n; ++i)
	{
		mesh->positions[3 * (i + 2)] = cos(6.283185307179586 * i / n);
		mesh->positions[3 * (i + 2) + 2] = sin(6.283185307179586 * i / n);
		int32_t tet[4] = { 0, 1, (i + 1) % n + 2, i + 2 };
		memcpy(mesh->tets + 4 * i, tet, sizeof tet);
	}
	return mesh;
}

#endif
