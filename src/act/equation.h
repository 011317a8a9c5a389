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

#include "act/joint.h"
#include "act/physics.h"
#include "act/system.h"
#include "base/blob.h"
#include "sparse/cholesky.h"
#include "sparse/woodbury.h"

// Columns of the unsymmetric part of D.
typedef struct lm_act_columns
{
	int64_t count;
	int32_t *start, *index;
	double* value;
	size_t start_capacity, index_capacity, value_capacity;
} lm_act_columns;

struct lm_act_physics
{
	double h;                 // 0 in statics
	double inertia;           // 1 / h^2
	double damping;           // damping / h
	double* target;           // [unknowns]
	double* damping_rest;     // [rest_unknowns] x_n as a rest shape
	double* damping_measured; // what elastic forces need of it
	double* measured;         // and of the rest shape measured_X [rest_unknowns], if valid
	double* measured_X;
	bool measured_valid;
	bool any_pinned;
	uint64_t fingerprint; // of the elastic pattern

	double* values;          // [entries] symmetric part of D of this body alone, as assembled last
	lm_cholesky* cholesky;   // of it, where it is positive definite
	lm_cholesky* indefinite; // L D L^T, where it is not; NULL until it is needed
	lm_cholesky* current;    // what lm_act_physics_solve solves with; NULL: nothing
	double* residual;        // [unknowns] scratch of solves

	lm_contact_body* shape;
	lm_touch_memory memory;             // of friction, from step to step
	double* guest_forces;               // [unknowns] that guests had on it of late; state
	lm_touches* touches;                // of this body alone
	lm_touches* step_touches;           // of all bodies of a step whose first one this is
	lm_act_system alone;                // this body, its neighbours being fixed
	lm_act_joint joint;                 // matrix of an island whose first body this is
	lm_act_system island;               // scratch of steps whose first body this is
	struct lm_act_guest* const* guests; // of steps whose first body this is; NULL outside of them
	int32_t guest_count;
	lm_touch_body* touch_bodies;
	size_t touch_body_capacity;
	int32_t* island_of; // [bodies]
	size_t island_capacity;
	double* island_y; // unknowns of an island
	size_t island_y_capacity;
	lm_act_report kept_report; // of before the step
	double* normal_forces;     // [vertex_count] at the end of the last step
	lm_woodbury* woodbury;     // unsymmetric part, beside cholesky
	lm_woodbury* indefinite_woodbury;
	lm_act_columns U, V;

	double* work; // scratch of forward solves, of the first body for all of an island
	size_t work_capacity;

	int32_t* slot_counts; // [vertex_count] slots of the rest shape that stand for a vertex
	double* parameters;   // [parameters] p of before the step; scratch between steps
};

lm_status lm_act_equation_create(lm_act* body, lm_act_physics** physics, lm_error* error);
void lm_act_equation_destroy(lm_act_physics* physics, const lm_host* host);

// As lm_act_physics_begin, without looking for touches: there are none. h = 0: statics.
lm_status lm_act_equation_begin(lm_act* body, double h, lm_error* error);

// Without contact: Phi(y), and c(X, y) with something in the rows of pinned vertices.
double lm_act_equation_energy(lm_act* body, const double* X, const double* y);
void lm_act_equation_residual(lm_act* body, const double* X, const double* y, double* c);

// Body b of a system: adds its D(X, y), without contact; makes rows and columns of pinned unknowns those of the
// identity.
void lm_act_equation_add_matrix(lm_act_system* system, int32_t b, const double* y, bool convex);
void lm_act_equation_pin_matrix(lm_act_system* system, int32_t b);

// Rows of pinned vertices become zero.
void lm_act_equation_clear_pinned(const lm_act* body, double* vector);

// Puts pinned vertices where they will be at the end of the step.
void lm_act_equation_place_pinned(const lm_act* body, double* y);

// y = the rest shape, moved and turned to where the body is going.
void lm_act_equation_upright(const lm_act* body, const double* X, double* y);

// Elastic and damping forces alone (as gradient), for reports.
void lm_act_equation_add_internal(lm_act* body, const double* X, const double* y, double* c);

// ---- forward solves: one body, or several that touch

// Room for a forward solve of n unknowns in the scratch of the first body of a system.
lm_status lm_act_forward_reserve(lm_act* first, int64_t n, lm_error* error);

// As lm_act_physics_forward, for all bodies of a system at once.
lm_act_forward_report lm_act_system_forward(lm_act_system* system, lm_act_effort effort, double* y);

// ---- state of friction between steps
void lm_act_equation_clear_touches(lm_act* body);
uint64_t lm_act_equation_hash(const lm_act* body, uint64_t hash);
void lm_act_equation_save(const lm_act* body, lm_blob* blob);
// Nothing is changed on failure.
lm_status lm_act_equation_load(lm_act* body, lm_blob* blob, lm_error* error);

#endif
