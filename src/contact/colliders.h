// colliders.h: what lm_colliders is, for the response laws of this module.
#ifndef LM_CONTACT_COLLIDERS_H
#define LM_CONTACT_COLLIDERS_H

#include "contact/placement.h"
#include "contact/shape.h"

typedef struct lm_collider
{
	lm_solid solid;
	double friction, restitution;
	int32_t key_count;
	lm_placement_key* keys;
	lm_placement now;
	lm_vec3 low, high; // box around it now, in the world; infinite for planes
} lm_collider;

struct lm_colliders
{
	lm_host host;
	double time;
	int32_t count;
	lm_collider* items;
};

// The box in the world around a solid placed so.
void lm_solid_world_bounds(const lm_solid* solid, const lm_placement* placement, lm_vec3* low, lm_vec3* high);

#endif
