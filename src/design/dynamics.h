// dynamics.h: checks of what people say about dynamics.
#ifndef LM_DESIGN_DYNAMICS_H
#define LM_DESIGN_DYNAMICS_H

#include "limber/design.h"

lm_status lm_dynamics_check(const lm_dynamics* dynamics, int32_t object, lm_error* error);

#endif
