// measure.h: the numbers of a step for the report.
#ifndef LM_ACT_MEASURE_H
#define LM_ACT_MEASURE_H

#include "act/body.h"

// Of the step from x to y of all bodies, whose touches are in physics->step_touches of the first, before x becomes y.
void lm_act_measure_step(lm_act* const* bodies, int32_t count, double h);

#endif
