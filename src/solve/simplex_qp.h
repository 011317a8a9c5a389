// simplex_qp.h: the closest point of a small simplex.
#ifndef LM_SOLVE_SIMPLEX_QP_H
#define LM_SOLVE_SIMPLEX_QP_H

#define LM_SIMPLEX_MAX 64

// Minimises 1/2 w^T G w - b^T w over w >= 0, sum w <= 1. G (n x n, n <= LM_SIMPLEX_MAX, row by row) is symmetric and
// positive semidefinite; it may be singular: vertices may repeat, be zero, or differ in size by any factor. With
// G = E^T E and b = E^T q this is the point E w nearest to q of the simplex spanned by the origin and the columns of E.
//
// The result is exact: it fulfils the optimality conditions to about 1e-13 of the terms they are made of, always
// w >= 0 and sum w <= 1. Where several w are optimal it is one of them, always the same one. Input that is not finite
// gives w = 0. Allocates nothing, ends after a bounded number of steps, and returns how many it took.
int lm_simplex_qp(int n, const double* G, const double* b, double* w);

#endif
