// state.c: see state.h.
#include "design/state.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

// A new frame that is like another, at the end.
static bool append(lm_design_timeline* t, const lm_design_frame* like)
{
	size_t n = (size_t)t->model->node_count;
	lm_design_frame* frame = lm_design_timeline_insert(t, like->time);
	if (frame == NULL)
		return false;
	lm_design_frame made = *frame;
	*frame = *like;
	frame->y = made.y, frame->pinned = made.pinned, frame->slope = NULL;
	if (like->y != NULL)
		memcpy(frame->y, like->y, 3 * n * sizeof(double));
	if (like->pinned != NULL)
		memcpy(frame->pinned, like->pinned, n);
	return like->slope == NULL || lm_design_timeline_set_slope(t, frame, like->slope);
}

lm_status lm_design_motion_take_timeline(const lm_design_motion* motion, int32_t object, const lm_host* host,
                                         lm_design_timeline* timeline, lm_error* error)
{
	const lm_design_timeline* from = &motion->bodies[object].timeline;
	*timeline = (lm_design_timeline){ .host = *host, .model = from->model, .linear = from->linear };
	for (int32_t j = 0; j < from->count; ++j)
		if (!append(timeline, &from->frames[j]))
		{
			lm_design_timeline_release(timeline);
			return lm_fail_memory(error);
		}
	lm_design_timeline_fit(timeline);
	return LM_OK;
}

void lm_design_timeline_save(const lm_design_timeline* t, lm_blob* blob)
{
	size_t n = (size_t)t->model->node_count;
	lm_blob_put(blob, &t->count, sizeof t->count);
	lm_blob_put(blob, &t->linear, sizeof t->linear);
	for (int32_t j = 0; j < t->count; ++j)
	{
		lm_design_frame frame = t->frames[j];
		const uint8_t flags[6] = { frame.fixed, frame.broken,       frame.still,
			                       frame.held,  frame.has_velocity, frame.slope != NULL };
		lm_blob_put(blob, &frame.time, sizeof frame.time);
		lm_blob_put(blob, flags, sizeof flags);
		lm_blob_put(blob, &frame.velocity, sizeof frame.velocity);
		lm_blob_put(blob, &frame.spin, sizeof frame.spin);
		lm_blob_put(blob, frame.y, 3 * n * sizeof(double));
		lm_blob_put(blob, frame.pinned, n);
		if (frame.slope != NULL)
			lm_blob_put(blob, frame.slope, 3 * n * sizeof(double));
	}
}

lm_status lm_design_timeline_load(lm_design_timeline* t, lm_blob* blob, lm_error* error)
{
	size_t n = (size_t)t->model->node_count;
	int32_t count = 0;
	lm_blob_get(blob, &count, sizeof count);
	lm_bytes_get((lm_bytes[]){ lm_bools(&t->linear, 1) }, 1, blob);
	bool good = true;
	for (int32_t j = 0; j < count && good && !blob->failed; ++j)
	{
		lm_design_frame frame = { 0 };
		bool flags[6];
		const lm_bytes head[4] = { lm_doubles_in(&frame.time, 1, -1e12, 1e12), lm_bools(flags, 6),
			                       lm_doubles(&frame.velocity.x, 3), lm_doubles(&frame.spin.x, 3) };
		lm_bytes_get(head, 4, blob);
		good = !blob->failed && (j == 0 || frame.time > t->frames[j - 1].time);
		if (!good)
			break;
		frame.fixed = flags[0], frame.broken = flags[1], frame.still = flags[2];
		frame.held = flags[3], frame.has_velocity = flags[4];
		if (!append(t, &frame))
			return lm_fail_memory(error);
		lm_bytes_get((lm_bytes[]){ lm_doubles(t->frames[j].y, 3 * n) }, 1, blob);
		lm_blob_get(blob, t->frames[j].pinned, n); // zero or not
		if (!flags[5])
			continue;
		double* slope = LM_NEW(&t->host, 3 * n, double);
		if (slope != NULL)
			lm_bytes_get((lm_bytes[]){ lm_doubles(slope, 3 * n) }, 1, blob);
		bool set = slope != NULL && lm_design_timeline_set_slope(t, &t->frames[j], slope);
		lm_free(&t->host, slope);
		if (!set)
			return lm_fail_memory(error);
	}
	if (blob->failed || !good || t->count < 1)
		return lm_fail(error, LM_BAD_INPUT, "the checkpoint's motion is not whole, or damaged");
	lm_design_timeline_fit(t);
	return LM_OK;
}
