// lean.h: a step of the minimisation of solver.h at the price of ordinary cloth: few iterations with a matrix whose
// pattern never changes and which is positive definite by construction where need be.
//
//     K = [H, C^T; C, -D],   H = M / h^2 + sum of elements + contact and friction, one side at a time
//
// Elements: lm_cloth_linearize, with all of the membrane's stress. Cloth that is pushed buckles only as fast as its
// matrix knows of the push, so that without it a step ends before wrinkles are there. Where K has not the inertia of a
// minimum, and where regions give way, elements are clamped until the end of the step.
//
// A contact, or the friction of one, adds c_i c_j P between its vertices (lean_contact.c). Where both sides of it are
// free, H has 2 c_i c_j P within each side and nothing between them: that is not below the true matrix, as
// 2 |a|^2 + 2 |b|^2 >= |a + b|^2, and lies within the pattern of the elements. Conjugate gradients bring the coupling
// back (lean_solve.c).
//
// It stops at a tolerance that is visible at most, and after few iterations; nothing ever crosses all the same.
#ifndef LM_TRACK_LEAN_H
#define LM_TRACK_LEAN_H

#include "track/solver_parts.h"

// Contact or friction of a pair: its matrix is c_i c_j P between vertices i and j.
typedef struct lm_lean_contact
{
	int32_t v[4];
	double c[4];
	double P[3][3];
	int8_t split; // the first so many vertices are one side
	bool coupled; // both sides are free
} lm_lean_contact;

// A 3 x 3 block of H: vertices row <= column.
typedef struct lm_lean_block
{
	int32_t row, column;
	int32_t first_term; // and up to that of the next block
	int32_t places[3];  // in the pattern: where each of its columns begins
} lm_lean_block;

// An element that adds to a block: which of its corners are the row and the column.
typedef struct lm_lean_term
{
	int32_t row, column; // vertices
	int32_t element;     // triangles of all parts first, then hinges
	int8_t corner_row, corner_column;
} lm_lean_term;

struct lm_track_lean
{
	lm_pattern* pattern;
	lm_cholesky *single, *fine; // in single precision and, NULL until it is needed, in double
	lm_cholesky* ldl;           // the one of them that is in use
	double* values;
	lm_cloth_stiffness stiffness;
	int64_t triangle_count, hinge_count; // of all parts
	int32_t block_count;
	lm_lean_block* blocks;    // by column, then row; and one behind the last
	int32_t* first_of_column; // [n + 1]
	lm_lean_term* terms;
	int32_t* coupling_places; // [3 x numbers of C]
	int32_t* row_places;      // [6 rows] of (0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)

	lm_lean_contact* contacts;
	int64_t contact_count, contact_capacity;
	double *z, *d; // of conjugate gradients
	double* guess; // where the next solution is looked for first
	int64_t rounds;
};

// lean_matrix.c
lm_status lm_lean_create(lm_track_solver* s, const lm_track_problem* p, lm_error* error); // s->lean
// Factorisations are in double precision from now on, or in single.
lm_status lm_lean_use_double(lm_track_solver* s, bool on, lm_error* error);
void lm_lean_destroy(lm_track_lean* lean, const lm_host* host);
// The matrix, and s->gradient; s->D is set. Elements as they are, or clamped to what is positive semidefinite.
lm_status lm_lean_assemble(lm_track_solver* s, const lm_track_problem* p, const double* x, bool clamped, int threads,
                           lm_error* error);
const lm_lean_block* lm_lean_find_block(const lm_track_lean* lean, int32_t row, int32_t column);

// lean_contact.c
// Contacts at x and friction; adds the gradient of contacts.
lm_status lm_lean_find_contacts(lm_track_solver* s, const lm_track_problem* p, const double* x, lm_error* error);
void lm_lean_add_contacts(lm_track_solver* s); // to the values
// y += (true - H) x of the contacts.
void lm_lean_add_coupling(const lm_track_solver* s, const double* x, double* y);
// As lm_track_add_carrying.
void lm_lean_add_carrying(lm_track_run* r);

// lean_solve.c
// The guess for the first solution of a step; of others it is the solution before.
void lm_lean_guess(lm_track_solver* s, const lm_track_problem* p, const double* x);
// K s->solution = s->right to the relative accuracy given, in the norm of H, or to that share of `small`, metres: what
// moves nothing further than that need not be known better. False: there is no factorisation.
bool lm_lean_solve(lm_track_solver* s, double accuracy, double small);

#endif
