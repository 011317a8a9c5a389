// clock.h: seconds for profiles. The clock is only read when a profile is wanted, and never steers numbers.
#ifndef LM_ACT_CLOCK_H
#define LM_ACT_CLOCK_H

#include "act/body.h"

#include <time.h>

static inline double lm_act_clock(const lm_act* body)
{
	if (!body->profile)
		return 0;
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
