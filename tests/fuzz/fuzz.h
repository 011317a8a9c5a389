// fuzz.h: what the libFuzzer targets share.
#ifndef LIMBER_FUZZ_H
#define LIMBER_FUZZ_H

#include "io/readers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// What a reader promises must hold; otherwise the fuzzer is told by a crash.
#define REQUIRE(condition)                                                                                             \
	do                                                                                                                 \
	{                                                                                                                  \
		if (!(condition))                                                                                              \
		{                                                                                                              \
			fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                              \
			abort();                                                                                                   \
		}                                                                                                              \
	} while (0)

// Refuses what no small file needs, so that a header's promise shows as a failure.
static inline void* fuzz_allocate(size_t size, void* context)
{
	(void)context;
	REQUIRE(size < (size_t)256 << 20);
	return malloc(size);
}

static inline void fuzz_release(void* memory, void* context)
{
	(void)context;
	free(memory);
}

static inline lm_host fuzz_host(void)
{
	lm_host host = lm_host_default();
	host.allocator = (lm_allocator){ fuzz_allocate, fuzz_release, NULL };
	return host;
}

// As lm_file_read gives it: with a zero byte behind.
static inline char* fuzz_text(const uint8_t* data, size_t size)
{
	char* text = malloc(size + 1);
	if (size > 0)
		memcpy(text, data, size);
	text[size] = 0;
	return text;
}

static inline void require_indices(const int32_t* indices, size_t count, int32_t limit)
{
	for (size_t i = 0; i < count; ++i)
		REQUIRE(indices[i] >= 0 && indices[i] < limit);
}

// Either a clean failure or a mesh that is sound. Frees it.
static inline void fuzz_judge(lm_status status, lm_mesh* mesh, const lm_error* error)
{
	if (status != LM_OK)
	{
		REQUIRE(status == LM_BAD_INPUT && mesh == NULL && error->message[0] != 0);
		return;
	}
	REQUIRE(mesh != NULL && mesh->vertex_count > 0);
	for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; ++i)
		REQUIRE(isfinite(mesh->positions[i]));
	require_indices(mesh->triangles, 3 * (size_t)mesh->triangle_count, mesh->vertex_count);
	require_indices(mesh->tets, 4 * (size_t)mesh->tet_count, mesh->vertex_count);
	if (mesh->face_count > 0)
		require_indices(mesh->face_vertices, (size_t)mesh->face_starts[mesh->face_count], mesh->vertex_count);
	for (int32_t g = 0; g < mesh->group_count; ++g)
		require_indices(mesh->groups[g].vertices, (size_t)mesh->groups[g].count, mesh->vertex_count);
	lm_mesh_check(mesh, "", NULL);
	lm_mesh_destroy(mesh);
}

typedef lm_status fuzz_parse(const lm_host* host, const char* path, const void* data, size_t size, lm_mesh** mesh,
                             lm_error* error);

static inline int fuzz_mesh(fuzz_parse* parse, const uint8_t* data, size_t size)
{
	lm_host host = fuzz_host();
	lm_mesh* mesh = NULL;
	lm_error error = { 0 };
	char* text = fuzz_text(data, size);
	lm_status status = parse(&host, "fuzz", text, size, &mesh, &error);
	free(text);
	fuzz_judge(status, mesh, &error);
	return 0;
}

// A file that is only in memory.
static inline int fuzz_file(const void* data, size_t size)
{
	int descriptor = memfd_create("fuzz", 0);
	REQUIRE(descriptor >= 0 && write(descriptor, data, size) == (ssize_t)size);
	return descriptor;
}

#endif
