// oscillator.c: stiffness and damping that do not depend on the time step.
//
// A mode of deformation has g(x^) - x^ = -lambda x^: lambda is 1 for a region alone and small for the soft
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
//
// How stiff that is. What pulls particles to their goals is the gradient of
//
//   E = w^2 / 2 sum over regions r, i in N_r of m~_i |x_i - c_r - R_r (X_i - c0_r)|^2
//
// A small even strain e makes it w^2 / 2 sum_r e : e M_r with the second moments M_r = sum m~_i q_i q_i^T: per volume
// rho w^2 s^2 |e|^2 / 2, where s^2 is the mean of M_r along an axis, by mass. So Young's modulus is rho w^2 s^2
// (Poisson's ratio 0), and a column of height H sinks by g H / (2 w^2 s^2) of it: with that as `sag`,
//
//   w^2 = g H / (2 s^2 sag)
//
// is one material whatever the size, the mesh and its rings.
#include "match/body.h"
#include "match/state.h"

#define LM_STEPS_PER_PERIOD 6
#define LM_DAMPED_PER_STEP 0.8
#define LM_GRAVITY 9.81   // where the body has none
#define LM_FASTEST 20000. // Hz

lm_match_oscillator lm_match_discretise(double frequency, double damping, double h)
{
	double wh = LM_TURN * frequency * h;
	return (lm_match_oscillator){ wh * wh, 2 * damping / wh };
}

int32_t lm_match_inner_steps(const lm_match* body, double h)
{
	if (body->paper != NULL)
		return 1;
	double damped = 2 * body->settings.damping * LM_TURN / LM_DAMPED_PER_STEP;
	double rate = fmax(LM_STEPS_PER_PERIOD, damped) * lm_match_frequency(body);
	double steps = fmax(ceil(rate * h - 1e-6), 1);
	return steps > body->near_steps ? (int32_t)steps : body->near_steps;
}

void lm_match_measure_stiffness(lm_match* body, const double* start, const double gravity[3])
{
	lm_vec3 g = lm_v3_at(gravity, 0);
	double strength = lm_length(g), low = INFINITY, high = -INFINITY, moments = 0, mass = 0;
	lm_vec3 up = lm_normalize_or(g, lm_v3(0, 1, 0));
	for (int32_t i = 0; i < body->count; ++i)
	{
		double height = lm_dot(up, lm_v3_at(start, i));
		low = fmin(low, height), high = fmax(high, height);
		mass += body->rest_moment[4 * (int64_t)i + 3] * lm_match_ring_size(body, i);
	}
	for (int32_t r = 0; r < body->count; ++r)
	{
		lm_match_rest_region rest = lm_match_measure_region(body, r);
		moments += rest.scale > 0 ? 1 / rest.scale : 0;
	}
	double least = 1e-6 * body->size;
	body->spread = fmax(moments / (3 * mass), least * least);
	body->column = (strength > 0 ? strength : LM_GRAVITY) * fmax(high - low, 0.01 * body->size) / 2;
}

double lm_match_frequency(const lm_match* body)
{
	double frequency = body->settings.frequency;
	if (frequency > 0)
		return frequency;
	return fmin(LM_FASTEST, sqrt(body->column / (body->spread * body->settings.sag)) / LM_TURN);
}

double lm_match_modulus(const lm_match* body)
{
	double w = LM_TURN * lm_match_frequency(body);
	return w * w * body->spread;
}

double lm_match_inertia(const lm_match* body, double h)
{
	int32_t steps = lm_match_inner_steps(body, h);
	return 2.0 * steps / (steps + 1.0);
}
