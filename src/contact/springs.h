// springs.h: contact by one-sided smooth springs with friction that follows the current normal force, for implicit
// engines and their optimisers.
//
// Normal force at the distance d, with x = (s - d) / s, s the smoothing and k the stiffness:
//   N(d) = 0                       d >= s
//          k s (x^3 - x^4 / 2)     0 <= d <= s
//          k (s / 2 - d)           d <= 0
// N is C2, N' = -k (3 x^2 - 2 x^3) between, N and N'' >= 0. A load of k s / 2 rests on the surface itself, lighter ones
// at most s above it, heavier ones sink in by load / k - s / 2.
//
// Friction (Coros et al. 2012, Sec. 3, has an anchored spring without limit): with the
// anchor a and the normal n0 frozen for the step, mu the coefficient, eps the slack,
//   u = (I - n0 n0^T)(p - a),   r = sqrt(|u|^2 + eps^2),   g = u / r,   t = -mu N(d) g.
// |t| < mu N always: the friction cone is never left.
//
// f = N n + t with n = grad d, H = Hess d, P = I - n0 n0^T:
//   -df/dp = A + U V^T,  A = -N' n n^T - N H + mu N (P - g g^T) / r  (symmetric),  U = mu N' g,  V = n
//   d2(lambda . f)/dp2 = (N'' n n^T + N' H) w + N' (n c^T + c n^T) + N (Hess(lambda . n) - mu B),
//   w = lambda . (n - mu g),  c = H lambda - mu b,  b = (l - g (g . l)) / r,  l = P lambda,
//   B = -((l u^T + u l^T) + (u . l) P) / r^3 + 3 (u . l) u u^T / r^5  (the Hessian of lambda . g).
// A is positive semidefinite up to curvature (-N H).
//
// In the plane z = 0 everything that has to do with z is zero, but for A and second derivatives at (2, 2): take the
// upper left 2 x 2.
#ifndef LM_CONTACT_SPRINGS_H
#define LM_CONTACT_SPRINGS_H

#include "contact/features.h"

#define LM_SPRING_SMOOTHING 0.005
#define LM_SPRING_SLACK 0.001
// Anchors follow so that |u| <= this times the slack: 97 % of the Coulomb limit hold without slipping, and what slides
// faster than a few slacks per step meets all of it. What has slid to a halt swings back by no more than this stretch:
// with 10 (99.5 %) that is a centimetre, which is visible.
#define LM_SPRING_STRETCH 4.0

// Everything that is frozen for a step.
typedef struct lm_spring
{
	lm_feature feature;
	lm_vec3 normal;   // n0, unit
	lm_vec3 anchor;   // a
	double stiffness; // k, N/m, > 0
	double smoothing; // s, m, > 0
	double friction;  // mu, >= 0
	double slack;     // eps, m, > 0
} lm_spring;

typedef struct lm_spring_force
{
	double distance; // d
	double normal;   // N >= 0; when 0 all that follows is 0
	lm_vec3 f;
	lm_vec3 friction; // t, the part of f
	lm_mat3 A;
	lm_vec3 U, V;
} lm_spring_force;

// N(d), and its derivatives where not NULL.
double lm_spring_normal(double stiffness, double smoothing, double d, double* first, double* second);

// The distance at which N = load >= 0.
double lm_spring_rest(double stiffness, double smoothing, double load);

// All but A, U, V; and all.
void lm_spring_evaluate_force(const lm_spring* spring, lm_vec3 p, lm_spring_force* result);
void lm_spring_evaluate(const lm_spring* spring, lm_vec3 p, lm_spring_force* result);

// d2(lambda . f)/dp2, symmetric.
lm_mat3 lm_spring_second(const lm_spring* spring, lm_vec3 p, lm_vec3 lambda);

// Where the anchor is after a step that ended at p: at the height of p, and not farther than LM_SPRING_STRETCH slacks.
lm_vec3 lm_spring_slide(const lm_spring* spring, lm_vec3 p);

#endif
