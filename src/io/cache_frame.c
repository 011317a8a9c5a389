// Positions of a frame: x = origin + offset with the origin in the middle of the object's bounds, so that the float
// offsets are as fine for an object 10 km away as at the centre of the world.
#include "base/error.h"
#include "base/hash.h"
#include "io/cache_format.h"

#include <float.h>
#include <math.h>
#include <string.h>

static size_t offset_bytes(const lm_cache_object* object)
{
	return (12 * (size_t)object->vertex_count + 7) & ~(size_t)7;
}

static lm_status encode_object(const lm_cache_object* object, const double* positions, const char* path,
                               unsigned char* out, lm_error* error)
{
	double low[3], high[3], origin[3];
	lm_mesh_bounds(positions, object->vertex_count, low, high);
	for (int i = 0; i < 3; ++i)
		origin[i] = 0.5 * low[i] + 0.5 * high[i];
	memset(out, 0, 24 + offset_bytes(object));
	memcpy(out, origin, sizeof origin);
	for (int32_t v = 0; v < object->vertex_count; ++v)
	{
		float offsets[3];
		for (int i = 0; i < 3; ++i)
		{
			double offset = positions[3 * (size_t)v + (size_t)i] - origin[i];
			if (!(fabs(offset) <= (double)FLT_MAX)) // also NaN, here or in the origin
			{
				lm_fail_at(error, LM_BAD_INPUT, path, "",
				           "vertex %d of object \"%s\" is not finite, or absurdly far from the others", v,
				           object->name);
				if (error != NULL)
					error->element = v;
				return LM_BAD_INPUT;
			}
			offsets[i] = (float)offset;
		}
		memcpy(out + 24 + 12 * (size_t)v, offsets, sizeof offsets);
	}
	return LM_OK;
}

lm_status lm_cache_encode_frame(const lm_cache_info* info, uint64_t number, const double* const* positions,
                                const char* path, unsigned char* frame, lm_error* error)
{
	memcpy(frame, &number, sizeof number);
	size_t at = sizeof number;
	for (int32_t i = 0; i < info->object_count; ++i)
	{
		const lm_cache_object* object = &info->objects[i];
		if (object->fixed)
			continue;
		lm_status status = encode_object(object, positions[i], path, frame + at, error);
		if (status != LM_OK)
			return status;
		at += 24 + offset_bytes(object);
	}
	uint64_t sum = lm_hash(LM_HASH_START, frame, at);
	memcpy(frame + at, &sum, sizeof sum);
	return LM_OK;
}

bool lm_cache_frame_is_whole(const unsigned char* frame, uint64_t frame_bytes, uint64_t number)
{
	uint64_t found, sum;
	memcpy(&found, frame, sizeof found);
	memcpy(&sum, frame + frame_bytes - 8, sizeof sum);
	return found == number && sum == lm_hash(LM_HASH_START, frame, (size_t)frame_bytes - 8);
}

// Coordinate i of an object.
static double restore(const double origin[3], const unsigned char* offsets, size_t i)
{
	float offset;
	memcpy(&offset, offsets + 4 * i, sizeof offset);
	return origin[i % 3] + (double)offset;
}

lm_status lm_cache_decode_frame(const lm_cache_info* info, const unsigned char* frame, int64_t number, int32_t object,
                                const char* path, double* positions, lm_error* error)
{
	const lm_cache_object* wanted = &info->objects[object];
	if (wanted->fixed)
	{
		memcpy(positions, wanted->fixed_positions, 3 * (size_t)wanted->vertex_count * sizeof(double));
		return LM_OK;
	}
	size_t at = 8;
	for (int32_t i = 0; i < object; ++i)
		if (!info->objects[i].fixed)
			at += 24 + offset_bytes(&info->objects[i]);
	double origin[3];
	memcpy(origin, frame + at, sizeof origin);
	const unsigned char* offsets = frame + at + sizeof origin;
	size_t count = 3 * (size_t)wanted->vertex_count;
	for (size_t i = 0; i < count; ++i)
		if (!isfinite(restore(origin, offsets, i)))
		{
			lm_fail_at(error, LM_BAD_INPUT, path, "",
			           "frame %lld is damaged: a position of object \"%s\" is not finite", (long long)number,
			           wanted->name);
			if (error != NULL)
				error->element = number;
			return LM_BAD_INPUT;
		}
	for (size_t i = 0; i < count; ++i)
		positions[i] = restore(origin, offsets, i);
	return LM_OK;
}
