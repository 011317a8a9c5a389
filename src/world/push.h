// push.h: cloth pushes the bodies that it lies on, or that lead it, one step late (objects/track/push.h).
#ifndef LM_WORLD_PUSH_H
#define LM_WORLD_PUSH_H

#include "world/world.h"

lm_status lm_push_create(lm_world* world, lm_error* error);
void lm_push_destroy(lm_world* world);

// Before the step of objects that are due: they get their share of what cloth has for them. After it, it is forgotten.
void lm_push_begin(lm_world* world);
void lm_push_end(lm_world* world);

#endif
