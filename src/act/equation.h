// equation.h: the inside of lm_act_physics: what of the equation of a step (physics.h) is fixed while it is solved, and
// the matrices it is solved with.
//
// Inertia and gravity are one term, M (y - target) / h^2 with target = x_n + h v_n + h^2 a. Without friction c is the
// gradient of an energy; friction adds, with the normal forces frozen, one of its own, so that
//
//     Phi(y) = |y - target|^2_M / (2 h^2) + W(X, y) + (damping / h) W(x_n, y) + springs + friction + drags
//
// has c as its gradient where the normal forces were frozen. Newton's steps are measured by it.
#ifndef LM_ACT_EQUATION_H
#define LM_ACT_EQUATION_H

#include "act/physics.h"
#include "base/blob.h"
#include "sparse/cholesky.h"
#include "sparse/woodbury.h"

struct lm_act_physics
{
	double h;             // 0 in statics
	double inertia;       // 1 / h^2
	double damping;       // damping / h
	double* target;       // [unknowns]
	double* damping_rest; // [rest_unknowns] x_n as a rest shape
	bool any_pinned;

	double* values;          // [entries] symmetric part of D, as assembled last
	lm_cholesky* cholesky;   // of it, where it is positive definite
	lm_cholesky* indefinite; // L D L^T, where it is not; NULL until it is needed
	lm_cholesky* current;    // the one of the last factorisation; NULL: none
	double* residual;        // [unknowns] scratch of solves

	double* work; // scratch of forward solves, of the first body for all of an island
	size_t work_capacity;

	int32_t* slot_counts; // [vertex_count] slots of the rest shape that stand for a vertex
	double* parameters;   // [parameters] scratch
};

lm_status lm_act_equation_create(lm_act* body, lm_act_physics** physics, lm_error* error);
void lm_act_equation_destroy(lm_act_physics* physics, const lm_host* host);

// As lm_act_physics_begin, for a step without inertia, damping and friction.
lm_status lm_act_equation_begin_static(lm_act* body, const lm_colliders* colliders, lm_error* error);

// Phi(y), with the normal forces frozen where they were last.
double lm_act_equation_energy(lm_act* body, const double* X, const double* y);

// values = the symmetric part of D(X, y). convex: made positive definite.
void lm_act_equation_assemble(lm_act* body, const double* X, const double* y, bool convex);

// Solves with the symmetric part alone.
bool lm_act_equation_factorize(lm_act* body); // false: not positive definite
bool lm_act_equation_solve(lm_act* body, const double* b, double* z);

// Rows of pinned vertices become zero.
void lm_act_equation_clear_pinned(const lm_act* body, double* vector);

// Puts pinned vertices where they will be at the end of the step.
void lm_act_equation_place_pinned(const lm_act* body, double* y);

// Elastic and damping forces alone (as gradient), for reports.
void lm_act_equation_add_internal(lm_act* body, const double* X, const double* y, double* c);

// ---- forward solves: one body, or several that touch

typedef struct lm_act_system
{
	lm_act* const* bodies;
	const double* const* X; // rest shape of each
	int32_t count;
	int64_t n; // unknowns of all
} lm_act_system;

// Room for a forward solve of n unknowns in the scratch of the first body of a system.
lm_status lm_act_forward_reserve(lm_act* first, int64_t n, lm_error* error);

// As lm_act_physics_forward, for all bodies at once; y has the unknowns of one body after another.
lm_act_forward_report lm_act_system_forward(lm_act_system* system, double tolerance, int32_t most_iterations,
                                            double* y);

// ---- what friction remembers from step to step
void lm_act_equation_forget_touches(lm_act* body);
uint64_t lm_act_equation_hash(const lm_act* body, uint64_t hash);
void lm_act_equation_save(const lm_act* body, lm_blob* blob);
bool lm_act_equation_fits(const lm_act* body, lm_blob* blob);
void lm_act_equation_load(lm_act* body, lm_blob* blob);

#endif
