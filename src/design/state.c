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
	frame->y = made.y, frame->pinned = made.pinned, frame->slope = NULL, frame->parts = NULL, frame->part_count = 0;
	if (like->y != NULL)
		memcpy(frame->y, like->y, 3 * n * sizeof(double));
	if (like->pinned != NULL)
		memcpy(frame->pinned, like->pinned, n);
	return lm_design_parts_copy(t, frame, like) &&
	       (like->slope == NULL || lm_design_timeline_set_slope(t, frame, like->slope));
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

static void save_parts(const lm_design_frame* frame, lm_blob* blob)
{
	lm_blob_put(blob, &frame->part_count, sizeof frame->part_count);
	for (int32_t k = 0; k < frame->part_count; ++k)
	{
		const lm_design_part_velocity* part = &frame->parts[k];
		lm_blob_put(blob, &part->count, sizeof part->count);
		lm_blob_put(blob, part->nodes, (size_t)part->count * sizeof *part->nodes);
		lm_blob_put(blob, &part->linear, sizeof part->linear);
		lm_blob_put(blob, &part->spin, sizeof part->spin);
	}
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
		save_parts(&frame, blob);
	}
}

static bool load_parts(lm_design_timeline* t, lm_design_frame* frame, lm_blob* blob)
{
	int32_t n = t->model->node_count, parts = 0, count = 0;
	lm_bytes_get((lm_bytes[]){ lm_ints_in(&parts, 1, 0, n) }, 1, blob);
	int32_t* nodes = LM_NEW(&t->host, n, int32_t);
	bool room = nodes != NULL;
	for (int32_t k = 0; k < parts && room && !blob->failed; ++k)
	{
		lm_vec3 linear, spin;
		lm_bytes_get((lm_bytes[]){ lm_ints_in(&count, 1, 1, n) }, 1, blob);
		if (!blob->failed)
			lm_bytes_get((lm_bytes[]){ lm_ints_in(nodes, (size_t)count, 0, n - 1), lm_doubles(&linear.x, 3),
			                           lm_doubles(&spin.x, 3) },
			             3, blob);
		room = blob->failed || lm_design_timeline_add_part(t, frame, count, nodes, linear, spin);
	}
	lm_free(&t->host, nodes);
	return room;
}

static bool load_slope(lm_design_timeline* t, lm_design_frame* frame, lm_blob* blob)
{
	size_t n = (size_t)t->model->node_count;
	double* slope = LM_NEW(&t->host, 3 * n, double);
	if (slope != NULL)
		lm_bytes_get((lm_bytes[]){ lm_doubles(slope, 3 * n) }, 1, blob);
	bool set = slope != NULL && lm_design_timeline_set_slope(t, frame, slope);
	lm_free(&t->host, slope);
	return set;
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
		if ((flags[5] && !load_slope(t, &t->frames[j], blob)) || !load_parts(t, &t->frames[j], blob))
			return lm_fail_memory(error);
	}
	if (blob->failed || !good || t->count < 1)
		return lm_fail(error, LM_BAD_INPUT, "the checkpoint's motion is not whole, or damaged");
	lm_design_timeline_fit(t);
	return LM_OK;
}
