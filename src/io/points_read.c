// Point caches in: PC2 and MDD.
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "io/block.h"
#include "io/build.h"
#include "io/bytes.h"
#include "io/points_file.h"
#include "io/points_format.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

struct lm_points
{
	lm_host host;
	int descriptor;
	char* path;
	bool mdd;
	int32_t vertex_count, frame_count;
	double start, step;    // of PC2, in seconds
	float* times;          // of MDD
	uint64_t data_offset;  // of the first sample
	unsigned char* sample; // bytes of one
};

void lm_points_destroy(lm_points* points)
{
	if (points == NULL)
		return;
	lm_host host = points->host;
	if (points->descriptor >= 0)
		close(points->descriptor);
	lm_free(&host, points->path);
	lm_free(&host, points->times);
	lm_free(&host, points->sample);
	lm_free(&host, points);
}

static lm_status fail(const lm_points* points, lm_error* error, const char* where, const char* message)
{
	return lm_fail_at(error, LM_BAD_INPUT, points->path, where, "%s", message);
}

// The counts make sense and their bytes are there. MDD has no mark to know it by, so its length must be exact.
static lm_status check_size(lm_points* points, uint64_t size, int32_t vertices, int32_t frames, lm_error* error)
{
	if (vertices < 1 || vertices > LM_BUILD_LIMIT || frames < 1)
		return lm_fail_at(error, LM_BAD_INPUT, points->path, "",
		                  "the header gives %" PRId32 " points and %" PRId32 " frames; both must be positive%s",
		                  vertices, frames, points->mdd ? " (or this is no MDD file)" : "");
	uint64_t header = points->mdd ? LM_MDD_HEADER + 4 * (uint64_t)frames : LM_PC2_HEADER;
	uint64_t needed = header + 12 * (uint64_t)vertices * (uint64_t)frames; // below 2^64
	if (size < needed || (points->mdd && size > needed))
		return lm_fail_at(error, LM_BAD_INPUT, points->path, "",
		                  "%" PRId32 " frames of %" PRId32 " points take %" PRIu64 " bytes, but the file has %" PRIu64
		                  "%s",
		                  frames, vertices, needed, size, size < needed ? ": it is cut off" : "");
	points->vertex_count = vertices;
	points->frame_count = frames;
	points->data_offset = header;
	return LM_OK;
}

static lm_status read_pc2(lm_points* points, uint64_t size, lm_error* error)
{
	unsigned char header[LM_PC2_HEADER];
	if (size < sizeof header)
		return fail(points, error, "", "is cut off: a PC2 file starts with 32 bytes of header");
	lm_status status = lm_block_read(points->descriptor, points->path, header, sizeof header, 0, error);
	if (status != LM_OK)
		return status;
	if (memcmp(header, LM_PC2_MAGIC, sizeof LM_PC2_MAGIC) != 0)
		return fail(points, error, "byte 0", "this is no PC2 file: it does not start with POINTCACHE2");
	if (lm_load_32(header + 12, false) != 1)
		return fail(points, error, "byte 12", "the version must be 1");
	float start = lm_load_float(header + 20, false), step = lm_load_float(header + 24, false);
	if (!isfinite(start) || !isfinite(step) || !(step > 0))
		return fail(points, error, "byte 20", "the first frame must be finite and the sample rate positive");
	points->start = (double)start / LM_PC2_FPS;
	points->step = (double)step / LM_PC2_FPS;
	return check_size(points, size, (int32_t)lm_load_32(header + 16, false), (int32_t)lm_load_32(header + 28, false),
	                  error);
}

static lm_status read_times(lm_points* points, lm_error* error)
{
	size_t count = (size_t)points->frame_count;
	points->times = LM_NEW(&points->host, count, float);
	if (points->times == NULL)
		return lm_fail_memory(error);
	lm_status status =
		lm_block_read(points->descriptor, points->path, points->times, count * sizeof(float), LM_MDD_HEADER, error);
	for (size_t i = 0; i < count && status == LM_OK; ++i)
	{
		points->times[i] = lm_load_float((const unsigned char*)&points->times[i], true);
		if (!isfinite(points->times[i]))
		{
			status = lm_fail_at(error, LM_BAD_INPUT, points->path, "", "the time of frame %zu is not finite", i);
			if (error != NULL)
				error->element = (int64_t)i;
		}
	}
	return status;
}

static lm_status read_mdd(lm_points* points, uint64_t size, lm_error* error)
{
	unsigned char header[LM_MDD_HEADER];
	if (size < sizeof header)
		return fail(points, error, "", "is cut off: an MDD file starts with 8 bytes of header");
	lm_status status = lm_block_read(points->descriptor, points->path, header, sizeof header, 0, error);
	if (status == LM_OK)
		status =
			check_size(points, size, (int32_t)lm_load_32(header + 4, true), (int32_t)lm_load_32(header, true), error);
	return status == LM_OK ? read_times(points, error) : status;
}

lm_status lm_points_open_file(int descriptor, uint64_t size, bool mdd, const char* path, const lm_host* host,
                              lm_points** points, lm_error* error)
{
	lm_points* result = LM_NEW(host, 1, lm_points);
	if (result == NULL)
	{
		close(descriptor);
		return lm_fail_memory(error);
	}
	result->host = *host;
	result->descriptor = descriptor;
	result->mdd = mdd;
	result->path = lm_copy_text(host, path);
	lm_status status = LM_OK;
	if (result->path == NULL)
		status = lm_fail_memory(error);
	else
		status = mdd ? read_mdd(result, size, error) : read_pc2(result, size, error);
	if (status == LM_OK && (result->sample = lm_alloc(host, (size_t)result->vertex_count, 12)) == NULL)
		status = lm_fail_memory(error);
	if (status != LM_OK)
	{
		lm_points_destroy(result);
		return status;
	}
	*points = result;
	return LM_OK;
}

lm_status lm_points_open(const char* path, const lm_host* host, lm_points** points, lm_error* error)
{
	assert(path != NULL && host != NULL && points != NULL);
	*points = NULL;
	bool mdd = lm_same_ending(path, "mdd");
	if (!mdd && !lm_same_ending(path, "pc2"))
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "the ending of a point cache must be .pc2 or .mdd");
	int descriptor = -1;
	uint64_t size = 0;
	lm_status status = lm_block_open(path, false, &descriptor, &size, error);
	return status == LM_OK ? lm_points_open_file(descriptor, size, mdd, path, host, points, error) : status;
}

int32_t lm_points_vertex_count(const lm_points* points)
{
	return points->vertex_count;
}

int32_t lm_points_frame_count(const lm_points* points)
{
	return points->frame_count;
}

double lm_points_time(const lm_points* points, int32_t frame)
{
	assert(frame >= 0 && frame < points->frame_count);
	return points->mdd ? (double)points->times[frame] : points->start + frame * points->step;
}

double lm_points_fps(const lm_points* points)
{
	if (!points->mdd)
		return 1 / points->step;
	int32_t steps = points->frame_count - 1;
	double length = (double)points->times[steps] - (double)points->times[0];
	return steps > 0 && length > 0 ? steps / length : LM_PC2_FPS;
}

lm_status lm_points_read(lm_points* points, int32_t frame, double* positions, lm_error* error)
{
	assert(frame >= 0 && frame < points->frame_count && positions != NULL);
	size_t count = 3 * (size_t)points->vertex_count;
	lm_status status = lm_block_read(points->descriptor, points->path, points->sample, 4 * count,
	                                 points->data_offset + (uint64_t)frame * 4 * count, error);
	if (status != LM_OK)
		return status;
	for (size_t i = 0; i < count; ++i)
		if (!isfinite(lm_load_float(points->sample + 4 * i, points->mdd)))
		{
			char where[40];
			snprintf(where, sizeof where, "frame %" PRId32, frame);
			lm_fail_at(error, LM_BAD_INPUT, points->path, where, "the position of vertex %zu is not finite", i / 3);
			if (error != NULL)
				error->element = (int64_t)(i / 3);
			return LM_BAD_INPUT;
		}
	for (size_t i = 0; i < count; ++i)
		positions[i] = lm_load_float(points->sample + 4 * i, points->mdd);
	return LM_OK;
}
