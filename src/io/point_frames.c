// point_frames.c: a point cache, read whole.
#include "io/point_frames.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"

static lm_status read_all(lm_points* points, const lm_host* host, lm_point_frames* frames, lm_error* error)
{
	frames->frame_count = lm_points_frame_count(points);
	frames->vertex_count = lm_points_vertex_count(points);
	size_t numbers = 3 * (size_t)frames->vertex_count;
	frames->times = LM_NEW(host, frames->frame_count, double);
	frames->positions = lm_alloc(host, (size_t)frames->frame_count, numbers * sizeof(double));
	if (frames->times == NULL || frames->positions == NULL)
		return lm_fail_memory(error);
	for (int32_t k = 0; k < frames->frame_count; ++k)
	{
		frames->times[k] = lm_points_time(points, k);
		lm_status status = lm_points_read(points, k, frames->positions + numbers * (size_t)k, error);
		if (status != LM_OK)
			return status;
	}
	return LM_OK;
}

lm_status lm_point_frames_read(const char* path, const lm_host* host, lm_point_frames* frames, lm_error* error)
{
	lm_points* points;
	*frames = (lm_point_frames){ .timed = lm_same_ending(path, "mdd") };
	lm_status status = lm_points_open(path, host, &points, error);
	if (status != LM_OK)
		return status;
	status = read_all(points, host, frames, error);
	lm_points_destroy(points);
	if (status != LM_OK)
	{
		lm_free(host, frames->times);
		lm_free(host, frames->positions);
		frames->times = frames->positions = NULL;
	}
	return status;
}
