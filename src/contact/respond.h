// respond.h: the response of a particle to a collider of infinite mass, for LM_LANES particles.
//
// With n the outward normal, u the surface velocity, w = v - u, depth c >= 0 and mu = sqrt(mu_a mu_b):
//   w_n' = -e w_n  if -w_n > calm speed, else 0        for approaching w_n < 0
//   j    = max(w_n' - w_n, c / h)                       normal impulse per mass
//   w_t' = w_t max(0, 1 - mu j / |w_t|)                 Coulomb
//   x'   = x + c n + h (w_t' - w_t)
// The last term undoes the sliding of this step: x was moved with the velocity before friction, and without it a
// particle on a slope would creep by g h^2 per step however large mu is.
#ifndef LM_CONTACT_RESPOND_H
#define LM_CONTACT_RESPOND_H

#include "contact/lanes.h"
#include "contact/particle_job.h"

typedef struct contact_lanes
{
	lanes depth;    // how far to move along the normal, > 0
	lanes3 normal;  // in the axes of the world
	lanes3 surface; // the point on the surface, from the position of the collider, in the axes of the world
} contact_lanes;

typedef struct response_lanes
{
	lanes3 x, v; // to be added
} response_lanes;

LM_INLINE response_lanes respond(const lm_contact_law* law, const lm_placement* collider, const contact_lanes* at,
                                 lanes3 v)
{
	const lanes zero = all_lanes(0);
	lanes3 turning = cross_of(all_lanes3(collider->angular), at->surface);
	lanes3 w = difference(v, sum_of(all_lanes3(collider->linear), turning));
	lanes along = dot_of(w, at->normal);
	lanes thrown = choose(less(all_lanes(law->calm_speed), -along), all_lanes(1 + law->restitution), all_lanes(1));
	lanes gained = choose(less(along, zero), -along * thrown, zero);
	lanes3 sliding = add_scaled(w, -along, at->normal);
	lanes speed = length_of(sliding), limit = law->friction * larger(gained, at->depth / law->h);
	lane_mask slips = less(limit, speed);
	lanes kept = choose(slips, 1 - limit / choose(slips, speed, all_lanes(1)), zero);
	lanes3 braked = scaled(kept - 1, sliding);
	return (response_lanes){ add_scaled(scaled(all_lanes(law->h), braked), at->depth, at->normal),
		                     add_scaled(braked, gained, at->normal) };
}

#endif
