// control.h: one step of control: chooses p, hence the rest shape, such that the step that follows comes closest to the
// goals (Eq. 5), by sequential quadratic programming with the block elimination of Sec. 6.
#ifndef LM_ACT_CONTROL_H
#define LM_ACT_CONTROL_H

#include "act/body.h"

// Between lm_act_physics_begin and the forward solve. Starts at body->p and a feasible y; leaves the best p and the y
// that fulfils the physics there in the body, and the outcome in its report. Never fails: what cannot be improved is
// kept.
void lm_act_control_step(lm_act* body);

#endif
