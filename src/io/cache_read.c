// Run caches in. Everything in the file is checked before it is used.
#include "base/alloc.h"
#include "base/error.h"
#include "io/block.h"
#include "io/cache_file.h"
#include "io/cache_format.h"

#include <assert.h>
#include <unistd.h>

struct lm_cache
{
	lm_host host;
	int descriptor;
	char* path;
	unsigned char* header; // texts and arrays of info point into it
	uint64_t header_bytes, frame_bytes;
	lm_cache_info info;
	int64_t frame_count;
	unsigned char* frame; // the one read last
	int64_t frame_number; // its number, -1 if none
};

void lm_cache_destroy(lm_cache* cache)
{
	if (cache == NULL)
		return;
	lm_host host = cache->host;
	if (cache->descriptor >= 0)
		close(cache->descriptor);
	lm_free(&host, cache->path);
	lm_free(&host, cache->header);
	lm_free(&host, (void*)cache->info.objects);
	lm_free(&host, cache->frame);
	lm_free(&host, cache);
}

// Makes `frame` hold that frame; *whole says whether its check sum is right.
static lm_status load_frame(lm_cache* cache, int64_t number, bool* whole, lm_error* error)
{
	*whole = true;
	if (cache->frame_number == number)
		return LM_OK;
	if (cache->frame == NULL && (cache->frame = lm_alloc(&cache->host, (size_t)cache->frame_bytes, 1)) == NULL)
		return lm_fail_memory(error);
	cache->frame_number = -1;
	lm_status status = lm_block_read(cache->descriptor, cache->path, cache->frame, (size_t)cache->frame_bytes,
	                                 cache->header_bytes + (uint64_t)number * cache->frame_bytes, error);
	if (status != LM_OK)
		return status;
	*whole = lm_cache_frame_is_whole(cache->frame, cache->frame_bytes, (uint64_t)number);
	if (*whole)
		cache->frame_number = number;
	return LM_OK;
}

// Only frames that a crash may have torn need a look now: those at the end.
static lm_status count_frames(lm_cache* cache, uint64_t size, lm_error* error)
{
	cache->frame_count = (int64_t)((size - cache->header_bytes) / cache->frame_bytes);
	lm_status status = LM_OK;
	bool whole = false;
	while (cache->frame_count > 0 && !whole && status == LM_OK)
	{
		status = load_frame(cache, cache->frame_count - 1, &whole, error);
		if (!whole)
			--cache->frame_count;
	}
	return status;
}

lm_status lm_cache_count_sound(lm_cache* cache, int64_t* frame_count, lm_error* error)
{
	lm_status status = LM_OK;
	bool whole = true;
	for (*frame_count = 0; *frame_count < cache->frame_count; ++*frame_count)
	{
		status = load_frame(cache, *frame_count, &whole, error);
		if (status != LM_OK || !whole)
			break;
	}
	return status;
}

static lm_status load_header(lm_cache* cache, uint64_t size, lm_error* error)
{
	unsigned char prefix[LM_CACHE_PREFIX];
	if (size < sizeof prefix)
		return lm_fail_at(error, LM_BAD_INPUT, cache->path, "",
		                  "is no limber cache, or cut off: it has only %llu bytes", (unsigned long long)size);
	lm_status status = lm_block_read(cache->descriptor, cache->path, prefix, sizeof prefix, 0, error);
	if (status == LM_OK)
		status = lm_cache_decode_prefix(prefix, size, cache->path, &cache->header_bytes, &cache->frame_bytes, error);
	if (status != LM_OK)
		return status;
	cache->header = lm_alloc(&cache->host, (size_t)cache->header_bytes, 1);
	if (cache->header == NULL)
		return lm_fail_memory(error);
	status = lm_block_read(cache->descriptor, cache->path, cache->header, (size_t)cache->header_bytes, 0, error);
	uint64_t header_bytes, frame_bytes; // the file may have changed since: the header in memory counts
	if (status == LM_OK)
		status = lm_cache_decode_prefix(cache->header, size, cache->path, &header_bytes, &frame_bytes, error);
	if (status == LM_OK && (header_bytes != cache->header_bytes || frame_bytes != cache->frame_bytes))
		status = lm_fail_at(error, LM_BAD_INPUT, cache->path, "", "changes while it is being read");
	if (status == LM_OK)
		status = lm_cache_decode_header(&cache->host, cache->header, cache->path, &cache->info, error);
	return status;
}

lm_status lm_cache_open_file(int descriptor, uint64_t size, const char* path, const lm_host* host, lm_cache** cache,
                             lm_error* error)
{
	lm_cache* result = LM_NEW(host, 1, lm_cache);
	if (result == NULL)
	{
		close(descriptor);
		return lm_fail_memory(error);
	}
	result->host = *host;
	result->descriptor = descriptor;
	result->frame_number = -1;
	result->path = lm_copy_text(host, path);
	lm_status status = result->path != NULL ? load_header(result, size, error) : lm_fail_memory(error);
	if (status == LM_OK)
		status = count_frames(result, size, error);
	if (status != LM_OK)
	{
		lm_cache_destroy(result);
		return status;
	}
	*cache = result;
	return LM_OK;
}

lm_status lm_cache_open(const char* path, const lm_host* host, lm_cache** cache, lm_error* error)
{
	assert(path != NULL && host != NULL && cache != NULL);
	*cache = NULL;
	int descriptor = -1;
	uint64_t size = 0;
	lm_status status = lm_block_open(path, false, &descriptor, &size, error);
	return status == LM_OK ? lm_cache_open_file(descriptor, size, path, host, cache, error) : status;
}

const lm_cache_info* lm_cache_get_info(const lm_cache* cache)
{
	return &cache->info;
}

int64_t lm_cache_frame_count(const lm_cache* cache)
{
	return cache->frame_count;
}

lm_status lm_cache_read(lm_cache* cache, int64_t frame, int32_t object, double* positions, lm_error* error)
{
	assert(frame >= 0 && frame < cache->frame_count && object >= 0 && object < cache->info.object_count);
	bool whole = false;
	lm_status status = load_frame(cache, frame, &whole, error);
	if (status == LM_OK && !whole)
	{
		status = lm_fail_at(error, LM_BAD_INPUT, cache->path, "", "frame %lld is damaged: its check sum is wrong",
		                    (long long)frame);
		if (error != NULL)
			error->element = frame;
	}
	if (status == LM_OK)
		status = lm_cache_decode_frame(&cache->info, cache->frame, frame, object, cache->path, positions, error);
	return status;
}
