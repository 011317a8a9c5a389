// measure.h: the numbers of a step for the report.
#ifndef LM_ACT_MEASURE_H
#define LM_ACT_MEASURE_H

#include "act/body.h"

// Of the step from x to y, before x becomes y.
void lm_act_measure_step(lm_act* body, double residual);

#endif
