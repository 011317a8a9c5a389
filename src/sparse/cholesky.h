// cholesky.h: factorisations of symmetric matrices of a fixed pattern: the order of elimination is found once, then
// numbers are factorised and systems solved many times, without allocating, by as many threads as the host gives where
// there is enough to do; results do not depend on their number.
//
// SuiteSparse's CHOLMOD finds the order; the arithmetic is that of our own fronts (fronts.h). While it looks for an
// order CHOLMOD's memory comes from malloc and not from the host: its allocator is one for the whole process, and
// limber sets nothing that others could see.
//
// Of CHOLMOD only cholmod_analyze and cholmod_analyze_p are called (with AMD and METIS), and what makes and frees their
// arguments, all from its Core, Cholesky and Partition modules, which are under the LGPL. Its Supernodal module is
// under the GPL; tests compare with it.
#ifndef LM_SPARSE_CHOLESKY_H
#define LM_SPARSE_CHOLESKY_H

#include "sparse/factor.h"
#include "sparse/pattern.h"

typedef enum lm_cholesky_kind
{
	LM_CHOLESKY_LL,
	// Without pivoting: exists for every symmetric quasi-definite matrix, whatever the order; report.negative gives the
	// inertia.
	LM_CHOLESKY_LDL,
	// The same in single precision: in half the time, but solutions are right to a millionth of what the matrix's
	// condition makes of it, and want to be refined. No saddle point can be expected of it.
	LM_CHOLESKY_LDL_SINGLE
} lm_cholesky_kind;

typedef struct lm_cholesky lm_cholesky;

// The pattern must be symmetric and must outlive the factorisation.
lm_status lm_cholesky_create(const lm_pattern* pattern, lm_cholesky_kind kind, const lm_host* host,
                             lm_cholesky** cholesky, lm_error* error);
void lm_cholesky_destroy(lm_cholesky* cholesky);

// Of LM_CHOLESKY_LDL: A is only of use where it is [H C^T; C -D], D the rows from first_negative on and positive
// definite, with as many negative eigenvalues as D has rows. Factorising stops with LM_FACTOR_NO_SADDLE, often
// early, once there are more. D couples only unknowns of one block (pattern.h), and C couples all those of a
// constraint with the same vertices.
lm_status lm_cholesky_expect_saddle(lm_cholesky* cholesky, int64_t first_negative);

// Factorises A + shift I.
lm_factor_report lm_cholesky_factorize(lm_cholesky* cholesky, const double* values, double shift);

// Solves for count right sides of n numbers each, one after another; X may be B. False, and X untouched, when there is
// no valid factorisation or no memory.
bool lm_cholesky_solve(lm_cholesky* cholesky, int64_t count, const double* B, double* X);

// Unknowns.
int64_t lm_cholesky_size(const lm_cholesky* cholesky);

typedef struct lm_cholesky_info
{
	int64_t factor_entries;
	int32_t tasks; // subtrees, or groups of them, that several threads can work on; 0: too little to do
} lm_cholesky_info;
lm_cholesky_info lm_cholesky_get_info(const lm_cholesky* cholesky);

#endif
