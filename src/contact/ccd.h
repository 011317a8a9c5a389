// ccd.h: conservative continuous collision detection: how far points may move before they collide.
//
// Additive (M. Li et al., Codimensional Incremental Potential Contact, 2021): the distance of two primitives cannot
// shrink faster than their points approach each other, so from a distance D it is safe to go until D could have become
// small; then it is measured again. Every time that is reached on the way is safe, so that it can be stopped anywhere.
// Departure: rounding of the positions is taken off each distance, so that the answer holds for positions that are
// rounded to doubles at the end, however far from the origin.
#ifndef LM_CONTACT_CCD_H
#define LM_CONTACT_CCD_H

#include "contact/barrier.h"

typedef struct lm_ccd_settings
{
	double keep; // share of the distance at the start that is kept, in (0, 1); 0.1 is good
	double near; // a distance at the start beyond this counts as this much; default INFINITY
	// Metres that are kept at least, or `most` of the distance at the start where that is less: without it distances
	// that shrink by a share in every iteration would vanish, and everything would stand still.
	double floor;
	double most;         // (0, 1], default 0.9
	int most_iterations; // at least 1; the answer is safe, if short, when they are used up
} lm_ccd_settings;

static inline lm_ccd_settings lm_ccd_settings_default(void)
{
	return (lm_ccd_settings){ .keep = 0.1, .near = INFINITY, .most = 0.9, .most_iterations = 1000 };
}

// By how much the displacement can bring the pair closer at most: what all four points share does not count.
double lm_ccd_approach(lm_barrier_kind kind, const lm_vec3 displacement[4]);

// The largest fraction found, 0 .. longest, such that for all fractions up to it the pair at x + fraction displacement
// keeps the wanted distance. 0 when they touch at the start.
double lm_ccd(lm_barrier_kind kind, const lm_vec3 x[4], const lm_vec3 displacement[4], double longest,
              const lm_ccd_settings* settings);

#endif
