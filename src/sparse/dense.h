// dense.h: factorisations of small dense matrices (up to some hundred rows), in place, without allocating. Matrices lie
// row by row without gaps; right sides one after another, n numbers each, and are replaced by the solutions.
//
// All are safe for any input: what cannot be factorised is reported, never divided by. A pivot counts as zero when it
// is lost in the rounding of what it was made from.
#ifndef LM_SPARSE_DENSE_H
#define LM_SPARSE_DENSE_H

#include "sparse/factor.h"

// A = U^T U; reads and writes only the upper triangle of A.
lm_factor_report lm_dense_cholesky(int n, double* A);
void lm_dense_cholesky_solve(int n, const double* U, int count, double* X);

// P A P^T = U^T D U with unit upper triangular U and blocks of 1 or 2 rows in D (Bunch and Kaufman 1977): for every
// symmetric A; report.negative gives the inertia. Reads and writes only the upper triangle; pivots has n numbers.
lm_factor_report lm_dense_ldl(int n, double* A, int32_t* pivots);
void lm_dense_ldl_solve(int n, const double* A, const int32_t* pivots, int count, double* X);

// P A = L U with row exchanges, for any square A; pivots has n numbers.
lm_factor_report lm_dense_lu(int n, double* A, int32_t* pivots);
void lm_dense_lu_solve(int n, const double* LU, const int32_t* pivots, int count, double* X);
void lm_dense_lu_solve_transposed(int n, const double* LU, const int32_t* pivots, int count, double* X);

#endif
