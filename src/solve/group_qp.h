// group_qp.h: small quadratic programs over a product of simplices: convex weights in groups.
#ifndef LM_SOLVE_GROUP_QP_H
#define LM_SOLVE_GROUP_QP_H

#include <stdint.h>

#define LM_GROUP_QP_MAX 64

// Minimises 1/2 w^T G w - b^T w over w >= 0 with a sum of at most 1 in each group: group g has the weights
// start[g] .. start[g + 1] - 1, start[groups] = n <= LM_GROUP_QP_MAX. G (n x n, row by row) is symmetric and positive
// semidefinite. w comes with a start, which is brought into its range, and goes with the minimum.
//
// The result is exact up to rounding, always w >= 0 and sums <= 1. Where several w are optimal it is one of them.
// Input that is not finite leaves w at its start. Allocates nothing, ends after a bounded number of steps, and returns
// how many it took.
int lm_group_qp(int n, const double* G, const double* b, int groups, const int32_t* start, double* w);

// The point of the simplex w >= 0, sum w <= 1 closest to w. Numbers that are not finite count as 0.
void lm_group_nearest(int n, double* w);

#endif
