// goals.h: goals as sparse rows, and their residuals.
#ifndef LM_ACT_GOALS_H
#define LM_ACT_GOALS_H

#include "act/body.h"

// For a step of h seconds from x_n, row r of the residual is
//     weight (kp (g(y) - position) + kd ((g(y) - g(x_n))/h - velocity)) = scale_r g(y) - target_r
// with scale = weight (kp + kd/h): Eq. 8 to 10 of Coros et al. 2012, without the sign slips of Eq. 9.
void lm_act_goals_prepare(const lm_act_rows* rows, const double* x_n, double h, double* scale, double* target);

// g_r(y)
double lm_act_goals_value(const lm_act_rows* rows, int32_t row, const double* y);

void lm_act_goals_release(lm_act_rows* rows, const lm_host* host);

#endif
