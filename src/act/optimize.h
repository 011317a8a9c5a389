// optimize.h: one step of control: chooses p, hence the rest shape, such that the step that follows comes closest to
// the goals (Eq. 5), by sequential quadratic programming with the block elimination of Sec. 6.
#ifndef LM_ACT_OPTIMIZE_H
#define LM_ACT_OPTIMIZE_H

#include "act/body.h"

// The optimiser of a body whose elastic, rest and physics are there. Passive bodies have none.
lm_status lm_act_optimizer_create(lm_act* body, lm_act_optimizer** optimizer, lm_error* error);
void lm_act_optimizer_destroy(lm_act_optimizer* optimizer);

// Room for so many goals; nothing to do for passive bodies.
lm_status lm_act_optimizer_reserve(lm_act* body, int32_t goals, lm_error* error);

// Between lm_act_physics_begin (for the same h) and the forward solve. Starts at body->p and a feasible y; leaves the
// best p, X(p), and the y that fulfils the physics there in the body, and the outcome in its report. Never fails: what
// cannot be improved is kept. Without goals, parameters or iterations only y is solved for.
void lm_act_optimize_step(lm_act* body, double h);

#endif
