#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "io/build.h"
#include "io/cache_format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char magic[8] = "LMCACHE";
#define BYTE_ORDER_MARK UINT32_C(0x01020304)

// The fields of an object that have a fixed size.
typedef struct object_record
{
	int32_t vertices, triangles, faces, corners, fixed, zero;
	float color[3], zero_color;
} object_record;

_Static_assert(sizeof(object_record) == 40, "the record is part of the file format");

static uint64_t padded(uint64_t bytes)
{
	return (bytes + 7) & ~UINT64_C(7);
}

uint64_t lm_cache_frame_bytes(const lm_cache_info* info)
{
	uint64_t bytes = 16; // number and check sum
	for (int32_t i = 0; i < info->object_count; ++i)
		if (!info->objects[i].fixed)
			bytes += 24 + padded(12 * (uint64_t)info->objects[i].vertex_count); // below 2^33 each: no overflow
	return bytes;
}

// ---- checking an info, one's own or from a file

static lm_status fail_object(lm_error* error, const char* path, int32_t object, const char* message)
{
	char where[40];
	snprintf(where, sizeof where, "object %d", object);
	return lm_fail_at(error, LM_BAD_INPUT, path, where, "%s", message);
}

static bool all_in_range(const int32_t* indices, int64_t count, int32_t limit)
{
	for (int64_t i = 0; i < count; ++i)
		if (indices[i] < 0 || indices[i] >= limit)
			return false;
	return true;
}

static bool starts_are_good(const int32_t* starts, int32_t faces, int32_t corners)
{
	if (starts[0] != 0 || starts[faces] != corners)
		return false;
	for (int32_t f = 0; f < faces; ++f)
		if (starts[f + 1] < starts[f])
			return false;
	return true;
}

// Counts first: everything else is measured by them.
static const char* check_counts(const lm_cache_object* object)
{
	if (object->vertex_count < 0 || object->vertex_count > LM_BUILD_LIMIT || object->triangle_count < 0 ||
	    object->triangle_count > LM_BUILD_LIMIT || object->face_count < 0 || object->face_count > LM_BUILD_LIMIT)
		return "a count is negative or too large";
	for (int i = 0; i < 3; ++i)
		if (!isfinite(object->color[i]))
			return "the colour is not finite";
	return NULL;
}

static const char* check_arrays(const lm_cache_object* object, int32_t corners)
{
	if (!all_in_range(object->triangles, 3 * (int64_t)object->triangle_count, object->vertex_count))
		return "a triangle names a vertex that is not there";
	if (object->face_count > 0 && !starts_are_good(object->face_starts, object->face_count, corners))
		return "the starts of the faces do not go up";
	if (object->face_count > 0 && !all_in_range(object->face_vertices, corners, object->vertex_count))
		return "a face names a vertex that is not there";
	for (int64_t i = 0; object->fixed && i < 3 * (int64_t)object->vertex_count; ++i)
		if (!isfinite(object->fixed_positions[i]))
			return "a fixed position is not finite";
	return NULL;
}

// ---- encoding

static void put_padded(lm_blob* blob, const void* data, size_t bytes)
{
	static const char zeros[8] = { 0 };
	lm_blob_put(blob, data, bytes);
	lm_blob_put(blob, zeros, (size_t)padded(bytes) - bytes);
}

static void put_word(lm_blob* blob, uint64_t value)
{
	lm_blob_put(blob, &value, sizeof value);
}

static void put_text(lm_blob* blob, const char* text)
{
	size_t length = strlen(text);
	put_word(blob, length);
	put_padded(blob, text, length + 1);
}

static lm_status encode_object(const lm_cache_info* info, int32_t index, const char* path, lm_blob* blob,
                               lm_error* error)
{
	const lm_cache_object* object = &info->objects[index];
	const char* problem = check_counts(object);
	int32_t corners = problem == NULL && object->face_count > 0 ? object->face_starts[object->face_count] : 0;
	if (problem == NULL)
		problem = corners < 0 ? "the starts of the faces do not go up" : check_arrays(object, corners);
	if (problem != NULL)
		return fail_object(error, path, index, problem);
	object_record record = { .vertices = object->vertex_count,
		                     .triangles = object->triangle_count,
		                     .faces = object->face_count,
		                     .corners = corners,
		                     .fixed = object->fixed };
	memcpy(record.color, object->color, sizeof record.color);
	put_text(blob, object->name);
	lm_blob_put(blob, &record, sizeof record);
	put_padded(blob, object->triangles, 3 * (size_t)object->triangle_count * sizeof(int32_t));
	if (object->face_count > 0)
	{
		put_padded(blob, object->face_starts, ((size_t)object->face_count + 1) * sizeof(int32_t));
		put_padded(blob, object->face_vertices, (size_t)corners * sizeof(int32_t));
	}
	if (object->fixed)
		put_padded(blob, object->fixed_positions, 3 * (size_t)object->vertex_count * sizeof(double));
	return LM_OK;
}

lm_status lm_cache_encode_header(const lm_cache_info* info, const char* path, lm_blob* blob, lm_error* error)
{
	if (!(info->fps > 0) || !isfinite(info->fps))
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "the frames per second must be positive, not %g", info->fps);
	uint32_t marks[2] = { BYTE_ORDER_MARK, LM_CACHE_VERSION };
	lm_blob_put(blob, magic, sizeof magic);
	lm_blob_put(blob, marks, sizeof marks);
	put_word(blob, 0); // bytes of the header, known at the end
	put_word(blob, 0); // bytes of a frame
	lm_blob_put(blob, &info->fps, sizeof info->fps);
	put_word(blob, info->fingerprint);
	put_word(blob, (uint64_t)info->object_count);
	put_text(blob, info->scene);
	for (int32_t i = 0; i < info->object_count; ++i)
	{
		lm_status status = encode_object(info, i, path, blob, error);
		if (status != LM_OK)
			return status;
	}
	if (blob->failed)
		return lm_fail_memory(error);
	uint64_t lengths[2] = { blob->size + 8, lm_cache_frame_bytes(info) };
	memcpy(blob->data + 16, lengths, sizeof lengths);
	put_word(blob, lm_hash(LM_HASH_START, blob->data, blob->size));
	return blob->failed ? lm_fail_memory(error) : LM_OK;
}

// ---- decoding

lm_status lm_cache_decode_prefix(const unsigned char* prefix, uint64_t file_size, const char* path,
                                 uint64_t* header_bytes, uint64_t* frame_bytes, lm_error* error)
{
	uint32_t marks[2];
	memcpy(marks, prefix + 8, sizeof marks);
	memcpy(header_bytes, prefix + 16, 8);
	memcpy(frame_bytes, prefix + 24, 8);
	if (memcmp(prefix, magic, sizeof magic) != 0)
		return lm_fail_at(error, LM_BAD_INPUT, path, "byte 0", "this is no limber cache (.lmc)");
	if (marks[0] == __builtin_bswap32(BYTE_ORDER_MARK))
		return lm_fail_at(error, LM_BAD_INPUT, path, "byte 8", "was written on a machine with the other byte order");
	if (marks[0] != BYTE_ORDER_MARK)
		return lm_fail_at(error, LM_BAD_INPUT, path, "byte 8", "the byte order mark is damaged");
	if (marks[1] != LM_CACHE_VERSION)
		return lm_fail_at(error, LM_BAD_INPUT, path, "byte 12", "has version %u of the format; this limber reads %d",
		                  (unsigned)marks[1], LM_CACHE_VERSION);
	if (*header_bytes < LM_CACHE_PREFIX + 40 || *header_bytes % 8 != 0)
		return lm_fail_at(error, LM_BAD_INPUT, path, "byte 16", "the length of the header is damaged");
	if (*header_bytes > file_size)
		return lm_fail_at(error, LM_BAD_INPUT, path, "byte 16", "is cut off: the header has %llu bytes, the file %llu",
		                  (unsigned long long)*header_bytes, (unsigned long long)file_size);
	return LM_OK;
}

typedef struct cursor
{
	const unsigned char* next;
	uint64_t left;
	bool failed; // something did not fit: checked at the end of each object
} cursor;

// Bytes that take a multiple of 8 in the header. NULL when they are not there.
static const void* take(cursor* from, uint64_t bytes)
{
	uint64_t size = padded(bytes);
	if (from->failed || size < bytes || size > from->left)
	{
		from->failed = true;
		return NULL;
	}
	const void* data = from->next;
	from->next += size;
	from->left -= size;
	return data;
}

static const char* take_text(cursor* from)
{
	const uint64_t* length = take(from, sizeof(uint64_t));
	if (length == NULL || *length >= from->left)
	{
		from->failed = true;
		return NULL;
	}
	uint64_t expected = *length;
	const char* text = take(from, expected + 1);
	if (text == NULL || memchr(text, 0, (size_t)expected + 1) != text + expected)
	{
		from->failed = true; // no zero byte at the end, or one before
		return NULL;
	}
	return text;
}

static const char* decode_object(cursor* from, lm_cache_object* object)
{
	static const char* const damaged = "its part of the header is damaged";
	object->name = take_text(from);
	const object_record* record = take(from, sizeof *record);
	if (record == NULL)
		return damaged;
	object->vertex_count = record->vertices;
	object->triangle_count = record->triangles;
	object->face_count = record->faces;
	object->fixed = record->fixed != 0;
	memcpy(object->color, record->color, sizeof record->color);
	const char* problem = check_counts(object);
	if (problem != NULL)
		return problem;
	if (record->corners < 0 || (record->faces == 0 && record->corners != 0) || (uint32_t)record->fixed > 1)
		return damaged;
	object->triangles = take(from, 3 * (uint64_t)object->triangle_count * sizeof(int32_t));
	if (object->face_count > 0)
	{
		object->face_starts = take(from, ((uint64_t)object->face_count + 1) * sizeof(int32_t));
		object->face_vertices = take(from, (uint64_t)record->corners * sizeof(int32_t));
	}
	if (object->fixed)
		object->fixed_positions = take(from, 3 * (uint64_t)object->vertex_count * sizeof(double));
	return from->failed ? damaged : check_arrays(object, record->corners);
}

static lm_status decode_objects(cursor* from, lm_cache_object* objects, int32_t count, const char* path,
                                lm_error* error)
{
	for (int32_t i = 0; i < count; ++i)
	{
		const char* problem = decode_object(from, &objects[i]);
		if (problem != NULL)
			return fail_object(error, path, i, problem);
	}
	if (from->left != 0)
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "the header is longer than what is in it");
	return LM_OK;
}

lm_status lm_cache_decode_header(const lm_host* host, const unsigned char* header, const char* path,
                                 lm_cache_info* info, lm_error* error)
{
	uint64_t lengths[2], sum;
	memcpy(lengths, header + 16, sizeof lengths);
	uint64_t body = lengths[0] - 8;
	memcpy(&sum, header + body, sizeof sum);
	if (lm_hash(LM_HASH_START, header, (size_t)body) != sum)
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "the header is damaged: its check sum is wrong");
	cursor from = { header + LM_CACHE_PREFIX, body - LM_CACHE_PREFIX, false };
	const double* fps = take(&from, sizeof *fps);
	const uint64_t* numbers = take(&from, 2 * sizeof *numbers); // fingerprint, objects; both are there by the prefix
	if (fps == NULL || numbers == NULL || !(*fps > 0) || !isfinite(*fps))
		return lm_fail_at(error, LM_BAD_INPUT, path, "byte 32", "the frames per second are not positive");
	*info = (lm_cache_info){ .fps = *fps, .fingerprint = numbers[0], .scene = take_text(&from) };
	if (info->scene == NULL || numbers[1] > from.left / (sizeof(object_record) + 16))
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "the header is damaged");
	if (numbers[1] > INT32_MAX)
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "the header names too many objects");
	lm_cache_object* objects = LM_NEW(host, numbers[1], lm_cache_object);
	if (objects == NULL)
		return lm_fail_memory(error);
	info->object_count = (int32_t)numbers[1];
	info->objects = objects;
	lm_status status = decode_objects(&from, objects, info->object_count, path, error);
	if (status == LM_OK && lm_cache_frame_bytes(info) != lengths[1])
		status = lm_fail_at(error, LM_BAD_INPUT, path, "byte 24", "the length of a frame does not fit the objects");
	if (status != LM_OK)
	{
		lm_free(host, objects);
		info->objects = NULL;
	}
	return status;
}
