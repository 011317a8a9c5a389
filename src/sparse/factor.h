// factor.h: how a factorisation went. That a matrix is singular or indefinite is an outcome, not an error.
#ifndef LM_SPARSE_FACTOR_H
#define LM_SPARSE_FACTOR_H

#include <stdint.h>

typedef enum lm_factor_status
{
	LM_FACTOR_OK = 0,
	LM_FACTOR_NOT_POSITIVE, // a Cholesky factorisation met a pivot that is not positive
	LM_FACTOR_NO_SADDLE,    // more negative pivots than the saddle point that was expected has; see cholesky.h
	LM_FACTOR_SINGULAR,     // a pivot is zero to working precision
	LM_FACTOR_NOT_FINITE,   // the matrix, or what came of it, holds an infinity or NaN
	LM_FACTOR_NO_MEMORY
} lm_factor_status;

// Only with LM_FACTOR_OK is there something to solve with.
typedef struct lm_factor_report
{
	lm_factor_status status;
	int64_t column;   // where it failed, in the caller's numbering; -1 when it did not, or nowhere in particular
	int64_t negative; // negative pivots: with LM_FACTOR_OK the number of negative eigenvalues (LU: not counted, 0)
	double rcond;     // smallest over largest pivot, a rough measure of conditioning in [0, 1]
} lm_factor_report;

#endif
