// shape_lanes.h: signed distance and outward normal of the convex shapes in their own frame, for LM_LANES points.
#ifndef LM_CONTACT_SHAPE_LANES_H
#define LM_CONTACT_SHAPE_LANES_H

#include "contact/lanes.h"
#include "contact/shape.h"

typedef struct lanes_distance
{
	lanes distance;
	lanes3 normal;
} lanes_distance;

// With q = |p| - half: beyond faces, edges and corners the distance is |max(q, 0)|, inside it is that of the nearest
// face, max q.
LM_INLINE lanes_distance box_distance(lm_vec3 half, lanes3 p)
{
	const lanes zero = all_lanes(0), one = all_lanes(1);
	lanes3 sign = { choose(less(p.x, zero), -one, one), choose(less(p.y, zero), -one, one),
		            choose(less(p.z, zero), -one, one) };
	lanes3 q = { sign.x * p.x - half.x, sign.y * p.y - half.y, sign.z * p.z - half.z };
	lanes3 beyond = { larger(q.x, zero), larger(q.y, zero), larger(q.z, zero) };
	lanes outside = length_of(beyond);
	lane_mask is_outside = less(zero, outside);

	lane_mask y_first = at_most(q.x, q.y);
	lanes of_two = choose(y_first, q.y, q.x);
	lane_mask z_first = less(of_two, q.z);
	lanes3 face = { choose(y_first | z_first, zero, one), choose(z_first, zero, choose(y_first, one, zero)),
		            choose(z_first, one, zero) };

	lanes3 normal = choose3(is_outside, scaled(1 / choose(is_outside, outside, one), beyond), face);
	return (lanes_distance){ choose(is_outside, outside, choose(z_first, q.z, of_two)),
		                     { sign.x * normal.x, sign.y * normal.y, sign.z * normal.z } };
}

// A ball about the nearest point of the core, the segment along y. Without a length of the core it is a sphere.
LM_INLINE lanes_distance capsule_distance(double radius, double half_length, lanes3 p)
{
	lanes on_core = smaller(larger(p.y, all_lanes(-half_length)), all_lanes(half_length));
	lanes3 away = { p.x, p.y - on_core, p.z };
	lanes length = length_of(away);
	lane_mask has_direction = less(all_lanes(1e-300), length) & less(length, all_lanes(INFINITY));
	lanes3 direction = scaled(1 / choose(has_direction, length, all_lanes(1)), away);
	// On the core every sideways direction is as good; a ball sends its centre up.
	lm_vec3 fallback = half_length > 0 ? lm_v3(1, 0, 0) : lm_v3(0, 1, 0);
	return (lanes_distance){ length - radius, choose3(has_direction, direction, all_lanes3(fallback)) };
}

// Not for meshes.
LM_INLINE lanes_distance solid_distance(const lm_solid* solid, lanes3 p)
{
	switch (solid->shape)
	{
		case LM_SHAPE_SPHERE: return capsule_distance(solid->radius, 0, p);
		case LM_SHAPE_BOX: return box_distance(solid->half, p);
		case LM_SHAPE_CAPSULE: return capsule_distance(solid->radius, solid->half_length, p);
		case LM_SHAPE_PLANE:
		case LM_SHAPE_MESH: break;
	}
	return (lanes_distance){ p.y, all_lanes3(lm_v3(0, 1, 0)) };
}

#endif
