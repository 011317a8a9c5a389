// oscillator.c: stiffness and damping that do not depend on the time step.
//
// A region alone has g(x^) - x^ = -x^ along each way of deforming it, so Eq. 4-5 with the look-ahead x^ = x + theta h v
// are
//
//   h v' = h v - alpha (x + theta h v),   x' = x + h v'
//
// a linear map of (x, h v) with determinant 1 - alpha theta and trace 2 - alpha - alpha theta. The damped oscillator
// x'' = -w^2 x - 2 z w x' sampled at steps h has determinant e^-2a and trace 2 e^-a cos b, a = z w h and
// b = w h sqrt(1 - z^2). Equating both makes the samples those of the continuous motion, for any h:
//
//   alpha theta = 1 - e^-2a,   alpha = 1 + e^-2a - 2 e^-a cos b = (1 - e^-a)^2 + 4 e^-a sin^2(b/2)
//
// (cosh and sinh for z > 1). Softer motions, shared by many regions, have -lambda x^ with lambda < 1 and stay stable:
// that needs lambda (alpha + 2 alpha theta) < 4.
#include "match/body.h"

lm_match_oscillator lm_match_discretise(double frequency, double damping, double h)
{
	double w = 2 * 3.14159265358979323846 * frequency, a = damping * w * h;
	double fade = -expm1(-a), b2 = (1 - damping * damping) * w * w * h * h, alpha;
	if (b2 >= 0)
	{
		double s = sin(sqrt(b2) / 2);
		alpha = fade * fade + 4 * exp(-a) * s * s;
	}
	else
	{
		double s = sinh(sqrt(-b2) / 2);
		alpha = fade * fade - 4 * exp(-a) * s * s;
	}
	return (lm_match_oscillator){ alpha, -expm1(-2 * a) / alpha };
}

int32_t lm_match_inner_steps(double frequency, double h)
{
	double steps = ceil(6 * frequency * h - 1e-6);
	return steps < 1 ? 1 : (int32_t)steps;
}
