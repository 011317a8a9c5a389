// touches.h: what bodies touch, as links of systems.
#ifndef LM_ACT_TOUCHES_H
#define LM_ACT_TOUCHES_H

#include "act/body.h"

lm_status lm_act_touches_create(lm_act* body, lm_act_physics* physics, lm_error* error);
// The points that meet colliders.
lm_status lm_act_touches_carry(lm_act* body, const lm_act_def* def, lm_error* error);
void lm_act_touches_destroy(lm_act_physics* physics, const lm_host* host);

// Touches of one body, all of them where they are predicted, as links of physics->alone.
lm_status lm_act_touches_find(lm_act* body, lm_act* const* bodies, int32_t count, const lm_colliders* colliders,
                              bool frictionless, lm_error* error);
// The same for a body without neighbours and friction, at a solution. *changed: there are new links.
lm_status lm_act_touches_find_again(lm_act* body, const lm_colliders* colliders, bool* changed, lm_error* error);

// Touches of all bodies at their y, in the first one's physics->step_touches.
lm_status lm_act_touches_find_all(lm_act* const* bodies, int32_t count, const lm_colliders* colliders, lm_error* error);
lm_status lm_act_touches_find_all_again(lm_act* const* bodies, int32_t count, const lm_colliders* colliders,
                                        bool* changed, lm_error* error);
// At the end of a step.
void lm_act_touches_store(lm_act* const* bodies, int32_t count, const lm_colliders* colliders);

#endif
