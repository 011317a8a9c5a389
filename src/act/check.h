// check.h: what a body can be made of. Every problem in one sentence that also says what would be right.
#ifndef LM_ACT_CHECK_H
#define LM_ACT_CHECK_H

#include "limber/act.h"

// All but what the elastic body and the rest shape check themselves.
lm_status lm_act_check_def(const lm_act_def* def, lm_error* error);

#endif
