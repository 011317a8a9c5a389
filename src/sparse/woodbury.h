// woodbury.h: solves with A + U V^T, where A is symmetric with a factorisation at hand and U V^T has low rank k, by a
// small dense system. Friction with the current normal force is such a correction: one column of U (the direction in
// which a touching point is dragged) and of V (how its normal force changes) per touching point.
//
//     Z = A^-1 U,  C = I + V^T Z:   (A + U V^T)^-1 b = y - Z C^-1 V^T y  with y = A^-1 b
//                                   (A + V U^T)^-1 b = A^-1 (b - V C^-T Z^T b)
#ifndef LM_SPARSE_WOODBURY_H
#define LM_SPARSE_WOODBURY_H

#include "sparse/cholesky.h"

// k sparse columns: numbers value[start[c]] .. value[start[c + 1] - 1] in rows index[...].
typedef struct lm_sparse_columns
{
	int64_t count;
	const int32_t* start; // count + 1 of them
	const int32_t* index;
	const double* value;
} lm_sparse_columns;

typedef struct lm_woodbury lm_woodbury;

// For matrices that cholesky, which must outlive it, has factorised. Keeps its memory and grows it only for more
// columns.
lm_status lm_woodbury_create(lm_cholesky* cholesky, const lm_host* host, lm_woodbury** woodbury, lm_error* error);
void lm_woodbury_destroy(lm_woodbury* woodbury);

// To be called after each factorisation of A. V is copied by reference: its arrays must stay until the next update.
// LM_FACTOR_SINGULAR when A + U V^T is singular to working precision; column is then one of U.
lm_factor_report lm_woodbury_update(lm_woodbury* woodbury, const lm_sparse_columns* U, const lm_sparse_columns* V);

// Solves with A + U V^T and with its transpose, as lm_cholesky_solve does.
bool lm_woodbury_solve(lm_woodbury* woodbury, int64_t count, const double* B, double* X);
bool lm_woodbury_solve_transposed(lm_woodbury* woodbury, int64_t count, const double* B, double* X);

#endif
