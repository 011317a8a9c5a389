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
	lm_collider_frames frames; // of the surface's vertices
	double shaped;             // the time that the surface was put to; NAN at first
	bool off;                  // nothing touches it
	lm_vec3 low, high;         // box around it now, in the world; infinite for planes
} lm_collider;

struct lm_colliders
{
	lm_host host;
	double time;
	int32_t count;
	lm_collider* items;
};

static inline bool lm_collider_deforms(const lm_collider_frames* frames)
{
	return frames->count > 0 || frames->at != NULL;
}

// What `at` of frames gives has changed: it is asked anew.
void lm_colliders_forget_shapes(lm_colliders* colliders);

// Whether those whose frames have this context are there; from the next lm_colliders_set_time on.
void lm_colliders_switch(lm_colliders* colliders, const void* context, bool on);

// frames.c: the last frame at or before a time, but not the very last where there are more, and how far the time is on
// the way to the next, 0 .. 1.
int32_t lm_frame_before(const double* times, int32_t count, double time, double* share);
// Places of the vertices at a time and, unless speeds is NULL, their velocities; at a frame those of the segment that
// ends there.
void lm_collider_frames_at(const lm_collider_frames* frames, int32_t vertex_count, double time, double* positions,
                           double* speeds);

// The box in the world around a solid placed so.
void lm_solid_world_bounds(const lm_solid* solid, const lm_placement* placement, lm_vec3* low, lm_vec3* high);

#endif
