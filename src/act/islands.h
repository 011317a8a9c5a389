// islands.h: bodies that touch, directly or through others, are solved for together.
#ifndef LM_ACT_ISLANDS_H
#define LM_ACT_ISLANDS_H

#include "act/body.h"

// Finds what all bodies touch, from their y, and leaves in y the end of the step that lm_act_equation_begin has begun
// for each; residuals go into the reports. Where the solution touches other features than it was solved for it is
// solved for again, a few times.
lm_status lm_act_islands_solve(lm_act* const* bodies, int32_t count, const lm_colliders* colliders, lm_error* error);

#endif
