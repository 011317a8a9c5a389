// physics.h: the equation of one implicit step of one body, as forward solves and the optimiser of rest shapes see it.
//
// With y the positions at the end of the step (x_{n+1} of the paper), X the rest shape, y^ = x_n + h v_n:
//
//     c(X, y) = M (y - y^) / h^2 + dW/dx(X, y) + (damping / h) dW/dx(x_n, y) - M a - f_contact(y) - f_drag(y) = 0
//
// Damping is the elastic potential between x_n and y: a function of intrinsic measures, so that it keeps linear and
// angular momentum. Contact is by one-sided smooth springs with friction that follows the current normal force
// (contact/springs.h); it makes D = dc/dy unsymmetric by rank one per touch, which solves take care of
// (sparse/woodbury.h). Pinned vertices are no unknowns: their rows of c are zero and those of D the identity.
//
// All vectors have `unknowns` numbers, dimension per vertex. Touches, features and neighbours are those found by
// lm_act_physics_begin and stay the same until the next call of it.
#ifndef LM_ACT_PHYSICS_H
#define LM_ACT_PHYSICS_H

#include "act/body.h"

// Prepares a step of h seconds of this body alone: predicts, finds what it can touch (colliders are at the end of the
// step). neighbours: the bodies of the step, this one among them (or none, when it is alone), always in the same order;
// all but this one are taken at their predicted positions.
lm_status lm_act_physics_begin(lm_act* body, double h, const lm_colliders* colliders, lm_act* const* neighbours,
                               int32_t neighbour_count, lm_error* error);
// Afterwards: the neighbours are no longer where that body expected them.
void lm_act_physics_end(lm_act* const* neighbours, int32_t neighbour_count, double h);

// c(X, y).
void lm_act_physics_residual(lm_act* body, const double* X, const double* y, double* c);

// Prepares solves with D(X, y), the exact one. False when it is singular.
bool lm_act_physics_factorize(lm_act* body, const double* X, const double* y);
// D Z = B and D^T Z = B for count right sides of `unknowns` numbers each; Z may be B. Numbers of pinned vertices count
// as zero in B and are zero in Z.
bool lm_act_physics_solve(lm_act* body, int64_t count, const double* B, double* Z);
bool lm_act_physics_solve_transposed(lm_act* body, int64_t count, const double* B, double* Z);

// values += the second derivative by y of lambda . c, in the pattern of the elastic body (lm_elastic_get(...).pattern).
void lm_act_physics_add_multiplier_hessian(lm_act* body, const double* X, const double* y, const double* lambda,
                                           double* values);

// What a forward solve may cost: iterations of Newton's method, and as many again for each remedy should that fail, but
// no further iteration once there have been so many factorisations (INT32_MAX: whatever it takes).
typedef struct lm_act_effort
{
	double tolerance;
	int32_t iterations, factorizations;
	bool kept; // the system's matrix has been factorised in this step, with links that were little different
} lm_act_effort;

// Solves c(X, y) = 0 from the given y by a safeguarded Newton method; y is never worse than it was. residual: the
// largest number of c relative to the body's weight.
typedef struct lm_act_forward_report
{
	bool converged;
	int32_t iterations, factorizations;
	double residual;
} lm_act_forward_report;
lm_act_forward_report lm_act_physics_forward(lm_act* body, const double* X, lm_act_effort effort, double* y);

// The largest number of c relative to the body's weight (with gravity of at least 1 m/s^2, so that it means something
// in free space, too).
double lm_act_physics_relative(const lm_act* body, const double* c);

#endif
