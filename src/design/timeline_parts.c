// timeline_parts.c: velocities of parts of an object (Eq. 22): at a frame some nodes k are to have
//
//   v_k = linear + spin x (y_k - the middle of these nodes).
//
// The spline of the object has other slopes there. What they lack, on either side of the frame, is added in the
// intervals next to it, times the Hermite polynomial that has slope 1 there and vanishes otherwise: the velocities are
// met exactly and positions at frames stay. It is renewed by lm_design_timeline_fit, as rotations are.
#include "design/timeline.h"

#include "base/alloc.h"

#include <string.h>

void lm_design_parts_release(lm_design_timeline* t, lm_design_frame* frame)
{
	for (int32_t k = 0; k < frame->part_count; ++k)
	{
		lm_free(&t->host, frame->parts[k].nodes);
		lm_free(&t->host, frame->parts[k].lack);
	}
	lm_free(&t->host, frame->parts);
	frame->parts = NULL, frame->part_count = 0;
}

bool lm_design_timeline_add_part(lm_design_timeline* t, lm_design_frame* frame, int32_t count, const int32_t* nodes,
                                 lm_vec3 linear, lm_vec3 spin)
{
	lm_design_part_velocity* parts = LM_NEW(&t->host, (size_t)frame->part_count + 1, lm_design_part_velocity);
	lm_design_part_velocity part = { .count = count, .linear = linear, .spin = spin };
	part.nodes = lm_copy(&t->host, nodes, (size_t)count, sizeof *nodes);
	part.lack = LM_NEW(&t->host, 6 * (size_t)count, double);
	if (parts == NULL || part.nodes == NULL || part.lack == NULL)
	{
		lm_free(&t->host, parts);
		lm_free(&t->host, part.nodes);
		lm_free(&t->host, part.lack);
		return false;
	}
	if (frame->part_count > 0)
		memcpy(parts, frame->parts, (size_t)frame->part_count * sizeof *parts);
	lm_free(&t->host, frame->parts);
	frame->parts = parts;
	frame->parts[frame->part_count++] = part;
	return true;
}

bool lm_design_parts_copy(lm_design_timeline* t, lm_design_frame* frame, const lm_design_frame* like)
{
	for (int32_t k = 0; k < like->part_count; ++k)
	{
		const lm_design_part_velocity* p = &like->parts[k];
		if (!lm_design_timeline_add_part(t, frame, p->count, p->nodes, p->linear, p->spin))
			return false;
	}
	return true;
}

lm_vec3 lm_design_part_middle(const lm_design_part_velocity* part, const double* y)
{
	lm_vec3 middle = { 0, 0, 0 };
	for (int32_t k = 0; k < part->count; ++k)
		middle = lm_add_scaled(middle, 1.0 / part->count, lm_v3_at(y, part->nodes[k]));
	return middle;
}

lm_vec3 lm_design_part_velocity_of(const lm_design_part_velocity* part, lm_vec3 middle, const double* y, int32_t node)
{
	return lm_add(part->linear, lm_cross(part->spin, lm_sub(lm_v3_at(y, node), middle)));
}

void lm_design_parts_add(const lm_design_frame* frame, int side, double weight, double* z)
{
	for (int32_t p = 0; p < frame->part_count; ++p)
	{
		const lm_design_part_velocity* part = &frame->parts[p];
		for (int32_t k = 0; k < part->count; ++k)
		{
			int32_t node = part->nodes[k];
			lm_v3_store(z, node,
			            lm_add_scaled(lm_v3_at(z, node), weight, lm_v3_at(part->lack, side * part->count + k)));
		}
	}
}
