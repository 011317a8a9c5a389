// placement.h: where a collider is at a time, and how it moves there.
//
// Position: cubic Hermite through the keys with the tangents of Catmull and Rom for uneven times,
//   m_i = (d_(i-1) h_i + d_i h_(i-1)) / (h_(i-1) + h_i),   h_i = t_(i+1) - t_i,   d_i = (p_(i+1) - p_i) / h_i,
// which is the slope at t_i of the parabola through three keys; at the ends the slope of the only segment there is.
// Two keys are therefore a uniform motion, as slerp is for the rotation.
#ifndef LM_CONTACT_PLACEMENT_H
#define LM_CONTACT_PLACEMENT_H

#include "limber/contact.h"
#include "math/quat.h"

typedef struct lm_placement
{
	lm_vec3 position;
	lm_quat rotation;
	lm_mat3 R;       // the same rotation
	lm_vec3 linear;  // velocity of the origin, m/s
	lm_vec3 angular; // rad/s, in world axes
} lm_placement;

// At a key the velocity is that of the segment that ends there: a step that arrives at this time moved with it.
lm_placement lm_placement_at(const lm_placement_key* keys, int32_t count, double time);

static inline lm_vec3 lm_placement_to_local(const lm_placement* placement, lm_vec3 point)
{
	return lm_tmul_v(placement->R, lm_sub(point, placement->position));
}

static inline lm_vec3 lm_placement_to_world(const lm_placement* placement, lm_vec3 point)
{
	return lm_add(placement->position, lm_mul_v(placement->R, point));
}

// Velocity of the point of the collider that is at this place.
static inline lm_vec3 lm_placement_velocity(const lm_placement* placement, lm_vec3 point)
{
	return lm_add(placement->linear, lm_cross(placement->angular, lm_sub(point, placement->position)));
}

#endif
