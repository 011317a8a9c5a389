#define _GNU_SOURCE // memfd_create
#include "fuzz.h"

#include "base/hash.h"
#include "io/cache_file.h"

// Check sums are made right first: they are there for accidents, the checks behind them for malice.
static void make_sums_right(char* data, size_t size)
{
	uint64_t lengths[2];
	if (size < 32)
		return;
	memcpy(lengths, data + 16, sizeof lengths);
	if (lengths[0] < 40 || lengths[0] > size)
		return;
	uint64_t sum = lm_hash(LM_HASH_START, data, (size_t)lengths[0] - 8);
	memcpy(data + lengths[0] - 8, &sum, sizeof sum);
	if (lengths[1] < 16)
		return;
	for (uint64_t at = lengths[0]; size - at >= lengths[1]; at += lengths[1])
	{
		sum = lm_hash(LM_HASH_START, data + at, (size_t)lengths[1] - 8);
		memcpy(data + at + lengths[1] - 8, &sum, sizeof sum);
	}
}

static void judge_object(lm_cache* cache, int32_t index)
{
	const lm_cache_object* object = &lm_cache_get_info(cache)->objects[index];
	REQUIRE(object->vertex_count >= 0 && strlen(object->name) < 1000000);
	require_indices(object->triangles, 3 * (size_t)object->triangle_count, object->vertex_count);
	if (object->face_count > 0)
		require_indices(object->face_vertices, (size_t)object->face_starts[object->face_count], object->vertex_count);
	int64_t frames = lm_cache_frame_count(cache);
	if (frames == 0)
		return;
	double* positions = malloc(24 * (size_t)object->vertex_count + 1);
	for (int64_t f = 0; f < frames && f < 8; ++f)
		if (lm_cache_read(cache, f, index, positions, NULL) == LM_OK)
			for (size_t i = 0; i < 3 * (size_t)object->vertex_count; ++i)
				REQUIRE(isfinite(positions[i]));
	free(positions);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	char* bytes = fuzz_text(data, size);
	make_sums_right(bytes, size);
	lm_host host = fuzz_host();
	lm_cache* cache = NULL;
	lm_error error = { 0 };
	lm_status status = lm_cache_open_file(fuzz_file(bytes, size), size, "fuzz", &host, &cache, &error);
	free(bytes);
	if (status != LM_OK)
	{
		REQUIRE(cache == NULL && status == LM_BAD_INPUT && error.message[0] != 0);
		return 0;
	}
	const lm_cache_info* info = lm_cache_get_info(cache);
	REQUIRE(info->scene != NULL && info->fps > 0);
	for (int32_t i = 0; i < info->object_count; ++i)
		judge_object(cache, i);
	lm_cache_destroy(cache);
	return 0;
}
