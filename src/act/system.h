// system.h: bodies that are solved for together, and the springs between them and what they touch.
//
// Vectors have the unknowns of one body after another. A link is a touch (contact/touches.h) as the equation sees it:
// its relative point is q = sum w_i x_i over up to six vertices of one or two bodies; its force f(q) acts on vertex i
// as w_i f. Blocks of -df/dx within one body lie in the pattern of that body, symmetric part A, and are part of its
// matrix; what couples two bodies, and the unsymmetric part U V^T of friction, is left to the solver.
#ifndef LM_ACT_SYSTEM_H
#define LM_ACT_SYSTEM_H

#include "act/body.h"
#include "contact/touches.h"
#include "sparse/cholesky.h"

typedef struct lm_act_link
{
	lm_spring_touch touch;
	int32_t body[2];        // of the system, that of the touching point and that of what is touched; -1: none of it
	int64_t base[2];        // where the unknowns of each begin
	const double* fixed[2]; // where it is, if it is a body of the touch but none of the system
	double frozen;          // normal force that the friction part of Phi has
	lm_spring_force force;  // as evaluated last
	lm_mat3 assembled;      // A as it is in the matrix
} lm_act_link;

typedef struct lm_act_system
{
	lm_act** bodies;
	const double** X; // rest shape of each
	int64_t* base;    // first unknown of each
	int64_t* first;   // first of the pattern's elements of each
	int32_t count;
	int64_t n;
	const lm_pattern* pattern;
	double* values; // of the symmetric part of D
	lm_cholesky* cholesky;
	bool factorized;
	bool rough; // in single precision: a preconditioner
	lm_act_link* links;
	int64_t link_count;
	size_t body_capacity, X_capacity, base_capacity, first_capacity, link_capacity;
} lm_act_system;

void lm_act_system_release(lm_act_system* system, const lm_host* host);

// An empty system with room for so many bodies; then bodies are added one by one. The matrix is that of the first body:
// lm_act_joint_prepare makes another one, for several.
bool lm_act_system_reset(lm_act_system* system, int32_t bodies, const lm_host* host);
void lm_act_system_add(lm_act_system* system, lm_act* body);
// b NULL: a collider. x_a, x_b: where they are if they are none of the system.
bool lm_act_system_link(lm_act_system* system, const lm_spring_touch* touch, const lm_act* a, const double* x_a,
                        const lm_act* b, const double* x_b, const lm_host* host);

// ---- the matrix

// Assembles the symmetric part of D(X, y), pinned rows and columns as those of the identity. convex: made positive
// definite.
void lm_act_system_assemble(lm_act_system* system, const double* y, bool lagged, bool convex);
bool lm_act_system_factorize(lm_act_system* system, double shift); // false: not positive definite
bool lm_act_system_solve(lm_act_system* system, const double* b, double* z);
// y = D x, friction included
void lm_act_system_multiply(const lm_act_system* system, const double* x, double* y);

// ---- sums over the links. lagged: friction has the frozen normal force and not that of y.

double lm_act_links_energy(const lm_act_system* system, const double* y);
void lm_act_links_freeze(lm_act_system* system, const double* y);
void lm_act_links_add_gradient(const lm_act_system* system, const double* y, bool lagged, double* c);

// Evaluates all links at y, and adds their symmetric parts to the matrix. convex: without what is not positive
// semidefinite.
void lm_act_links_assemble(lm_act_system* system, const double* y, bool lagged, bool convex);

// Evaluates all links at y again; what they have beyond the matrix is left to the solver.
void lm_act_links_refresh(lm_act_system* system, const double* y, bool lagged);

// out += what the matrix lacks of D, times x.
void lm_act_links_multiply(const lm_act_system* system, const double* x, double* out);

// values += the second derivative of lambda . c, for a system of one body, in its pattern.
void lm_act_links_add_second(const lm_act_system* system, const double* y, const double* lambda, double* values);

// Whether it lacks anything.
bool lm_act_links_lack(const lm_act_system* system);

#endif
