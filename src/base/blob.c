#include "base/blob.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <string.h>

void lm_blob_init(lm_blob* blob, const lm_host* host)
{
	*blob = (lm_blob){ .host = *host };
}

void lm_blob_release(lm_blob* blob)
{
	lm_free(&blob->host, blob->data);
	*blob = (lm_blob){ .host = blob->host };
}

void lm_blob_put(lm_blob* blob, const void* data, size_t bytes)
{
	void* memory = blob->data;
	if (blob->failed || !lm_grow(&blob->host, &memory, &blob->capacity, blob->size + bytes, 1))
	{
		blob->failed = true;
		return;
	}
	blob->data = memory;
	if (bytes > 0)
		memcpy(blob->data + blob->size, data, bytes);
	blob->size += bytes;
}

void lm_blob_get(lm_blob* blob, void* data, size_t bytes)
{
	if (blob->failed || bytes > blob->size - blob->cursor)
	{
		blob->failed = true;
		if (bytes > 0)
			memset(data, 0, bytes);
		return;
	}
	if (bytes > 0)
		memcpy(data, blob->data + blob->cursor, bytes);
	blob->cursor += bytes;
}

size_t lm_bytes_count(const lm_bytes* parts, int count)
{
	size_t bytes = 0;
	for (int k = 0; k < count; ++k)
		bytes += parts[k].bytes;
	return bytes;
}

uint64_t lm_bytes_hash(const lm_bytes* parts, int count, uint64_t hash)
{
	for (int k = 0; k < count; ++k)
		hash = lm_hash(hash, parts[k].data, parts[k].bytes);
	return hash;
}

void lm_bytes_put(const lm_bytes* parts, int count, lm_blob* blob)
{
	for (int k = 0; k < count; ++k)
		lm_blob_put(blob, parts[k].data, parts[k].bytes);
}

void lm_bytes_get(const lm_bytes* parts, int count, lm_blob* blob)
{
	for (int k = 0; k < count; ++k)
		lm_blob_get(blob, parts[k].data, parts[k].bytes);
}
