#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

// Each block is preceded by this record. 64 bytes, so that the payload keeps the alignment of a cache line.
typedef struct block
{
	void* raw;    // what the host's allocator returned
	size_t bytes; // of the payload
	char padding[48];
} block;

_Static_assert(sizeof(block) == 64, "the payload must stay aligned to 64 bytes");

static void* default_allocate(size_t size, void* context)
{
	(void)context;
	return malloc(size);
}

static void default_release(void* memory, void* context)
{
	(void)context;
	free(memory);
}

lm_host lm_host_default(void)
{
	return (lm_host){ .allocator = { default_allocate, default_release, NULL }, .threads = 1 };
}

void* lm_alloc(const lm_host* host, size_t count, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX - 2 * sizeof(block))
		return NULL;
	// The system's own memory comes zeroed, page by page when first used: even gigabytes take no time.
	bool zeroed = host->allocator.allocate == default_allocate;
	size_t whole = bytes + sizeof(block) + 63;
	char* raw = zeroed ? calloc(1, whole) : host->allocator.allocate(whole, host->allocator.context);
	if (raw == NULL)
		return NULL;
	uintptr_t start = ((uintptr_t)raw + sizeof(block) + 63) & ~(uintptr_t)63;
	char* payload = raw + (start - (uintptr_t)raw);
	block* header = (block*)payload - 1;
	header->raw = raw;
	header->bytes = bytes;
	if (!zeroed)
		memset(payload, 0, bytes);
	return payload;
}

void lm_free(const lm_host* host, void* memory)
{
	if (memory != NULL)
		host->allocator.release(((block*)memory - 1)->raw, host->allocator.context);
}

bool lm_grow(const lm_host* host, void** memory, size_t* capacity, size_t needed, size_t size)
{
	if (needed <= *capacity)
		return true;
	size_t wanted = *capacity + *capacity / 2;
	if (wanted < needed)
		wanted = needed;
	if (wanted < 16)
		wanted = 16;
	void* larger = lm_alloc(host, wanted, size);
	if (larger == NULL)
		return false;
	if (*memory != NULL)
		memcpy(larger, *memory, *capacity * size);
	lm_free(host, *memory);
	*memory = larger;
	*capacity = wanted;
	return true;
}

void* lm_copy(const lm_host* host, const void* source, size_t count, size_t size)
{
	void* copy = lm_alloc(host, count, size);
	if (copy != NULL && count > 0)
		memcpy(copy, source, count * size);
	return copy;
}

char* lm_copy_text(const lm_host* host, const char* text)
{
	return lm_copy(host, text, strlen(text) + 1, 1);
}
