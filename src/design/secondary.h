// secondary.h: secondary motion on top of a designed one (Adams et al. 2009, Sec. 7.1). f is the motion that is shown,
// g the designed one:
//
//   M f'' = (1 - amount (1 - c)) M g'' - dE_g(f) - C (f - g) - damping,
//
// c in [0, 1] says how much a node is carried: 1 at the middle of the material, 0 far from it; C = c (2 pi 3 f_1)^2 /
// N; E_g is the elastic energy of a body that is at ease in the pose g. So limbs lag behind what carries them, in the
// proportions of their inertia, and swing on when it stops; a motion without acceleration is left as it is.
//
// Departures: the paper moves f rigidly to g first and pulls all nodes alike, so that nothing is left to excite it when
// the design is rigid; and it lets the elastic forces draw poses back towards the rest
// shape. Beyond the paper keys are met exactly: what f - g is at a key, d, is taken off as a smooth bump around it,
//
//   B(u) = 1 - 10 u^3 + 15 u^4 - 6 u^5,   u = |t - t_k| / w,   w <= 0.25 s,
//
// turned with the body; where a key is held so is the velocity, by w H(u) d', H(u) = u (1 - u)^3 (1 + 3 u). Bumps of
// neighbouring keys do not reach each other.
#ifndef LM_DESIGN_SECONDARY_H
#define LM_DESIGN_SECONDARY_H

#include "design/course.h"
#include "design/simulate.h"

// One object while secondary motion is added to its last piece.
typedef struct lm_design_secondary
{
	int32_t body; // of the simulation
	double amount, frequency;
	lm_design_course_piece* piece;
	int32_t key_count;
	const lm_design_motion_key* keys; // those that lie in the piece; times in seconds of the whole
} lm_design_secondary;

// All that begin at `time` together; other bodies of the simulation are led as `bystanders` (by body; NULL: not there).
lm_status lm_design_secondary_add(lm_design_sim* sim, lm_design_secondary* all, int32_t count,
                                  const lm_design_course* const* bystanders, double time, double rate, lm_error* error);

#endif
