// reaction_parts.h: the inside of reaction.h, for steps.
#ifndef LM_TRACK_REACTION_PARTS_H
#define LM_TRACK_REACTION_PARTS_H

#include "math/vec.h"
#include "track/reaction.h"
#include "track/solver.h"

// What touches a cloth, in an inner step.
typedef struct lm_track_partner
{
	lm_vec3 impulse;
	double moment[3][3];
	double pressed; // sum of the magnitudes
	lm_vec3 at;     // pressed times the middle of it
	double touching, lost;
} lm_track_partner;

// Before a step.
void lm_track_forget_given(lm_track* cloth);
// After an inner one: what cloth m of the system has given in it is added.
void lm_track_find_given(const lm_track_together* together, int32_t m, const lm_track_problem* problem);

#endif
