// oscillator.c: stiffness and damping that do not depend on the time step.
//
// A way of deforming the body has g(x^) - x^ = -lambda x^: lambda is 1 for a region alone and small for the soft
// motions that many regions share. Eq. 4-5 with the look-ahead x^ = x + theta h v are then, with d = alpha theta,
//
//   h v' = h v - lambda (alpha x + d h v),   x' = x + h v'
//
// a map of (x, h v) with determinant 1 - lambda d and trace 2 - lambda (alpha + d), while the continuous oscillator
// x'' = -lambda (w^2 x + 2 z w x') has e^(-2 z w lambda h), and 1 + determinant - trace = lambda w^2 h^2 + ... So
//
//   alpha = (w h)^2,   d = 2 z w h
//
// makes frequency and damping right for the soft motions, which are what one sees, to first order in lambda for any h;
// for a region alone they are right to second and first order in h. (Matching a region alone exactly, by
// alpha = 1 + e^-2a - 2 e^-a cos b, would make bodies softer with longer steps, by a third at z = 0.7.) Motions are
// stable for lambda (alpha + 2 d) < 4; with at least 6 steps in a period and d <= 0.8 it is below 2.7.
#include "match/body.h"

#define LM_TURN 6.283185307179586
#define LM_STEPS_PER_PERIOD 6
#define LM_DAMPED_PER_STEP 0.8

lm_match_oscillator lm_match_discretise(double frequency, double damping, double h)
{
	double wh = LM_TURN * frequency * h;
	return (lm_match_oscillator){ wh * wh, 2 * damping / wh };
}

int32_t lm_match_inner_steps(double frequency, double damping, double h)
{
	double rate = fmax(LM_STEPS_PER_PERIOD, 2 * damping * LM_TURN / LM_DAMPED_PER_STEP) * frequency;
	double steps = ceil(rate * h - 1e-6);
	return steps < 1 ? 1 : (int32_t)steps;
}
