// clock.h: seconds for profiles. The clock is only read when a profile is wanted, and never steers numbers.
#ifndef LM_ACT_CLOCK_H
#define LM_ACT_CLOCK_H

#include "act/body.h"

static inline double lm_act_clock(const lm_act* body)
{
	return body->profile ? lm_clock_seconds() : 0;
}

#endif
