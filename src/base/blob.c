#include "base/blob.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <math.h>
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

static double number_at(const unsigned char* data, lm_bytes_kind kind)
{
	double real;
	float small;
	int32_t whole;
	int64_t large;
	switch (kind)
	{
		case LM_BYTES_DOUBLE: return memcpy(&real, data, sizeof real), real;
		case LM_BYTES_FLOAT: return memcpy(&small, data, sizeof small), (double)small;
		case LM_BYTES_BOOL: return *data;
		case LM_BYTES_INT32: return memcpy(&whole, data, sizeof whole), whole;
		case LM_BYTES_INT64: return memcpy(&large, data, sizeof large), (double)large;
	}
	return NAN;
}

static bool is_sound(const lm_bytes* part)
{
	static const size_t sizes[] = { [LM_BYTES_DOUBLE] = sizeof(double),
		                            [LM_BYTES_FLOAT] = sizeof(float),
		                            [LM_BYTES_BOOL] = sizeof(bool),
		                            [LM_BYTES_INT32] = sizeof(int32_t),
		                            [LM_BYTES_INT64] = sizeof(int64_t) };
	const unsigned char* data = part->data;
	for (size_t at = 0; at < part->bytes; at += sizes[part->kind])
	{
		double value = number_at(data + at, part->kind);
		if (!(value >= part->low && value <= part->high)) // or not a number
			return false;
	}
	return true;
}

bool lm_bytes_sound(const lm_bytes* parts, int count)
{
	for (int k = 0; k < count; ++k)
		if (!is_sound(&parts[k]))
			return false;
	return true;
}

void lm_bytes_get(const lm_bytes* parts, int count, lm_blob* blob)
{
	for (int k = 0; k < count; ++k)
		lm_blob_get(blob, parts[k].data, parts[k].bytes);
	blob->failed |= !lm_bytes_sound(parts, count);
}
