// gap.h: the distance of a point from a triangle and of two edges from each other, with first and second derivatives.
//
// Both are the shortest of w = sum c_i x_i over four points, where the c_i depend on parameters s of the closest points
// that are free (inside) or at a bound (on an edge, at a corner). With f = |w|^2 / 2 at its minimum over s:
//
//     df/dx_i = c_i w        d2f = f_xx - f_xs f_ss^-1 f_sx
//     w_k = dw/ds_k          f_xs: c_i,k w + c_i w_k,   f_ss: w_k . w_l
//
// because w is affine in s. D = sqrt(2 f). One formula serves all the cases that others treat one by one.
#ifndef LM_CONTACT_GAP_H
#define LM_CONTACT_GAP_H

#include "math/vec.h"

typedef struct lm_gap
{
	double D;        // distance
	lm_vec3 w;       // |w| = D
	double c[4];     // w = sum c_i x_i
	int free;        // parameters inside, 0 .. 2
	double dc[2][4]; // dc_i / ds_k for those
} lm_gap;

// x[0] from the triangle x[1] x[2] x[3].
lm_gap lm_gap_point_triangle(const lm_vec3 x[4]);
// The edge x[0] x[1] from the edge x[2] x[3]. Of parallel ones that overlap, one of the closest pairs.
lm_gap lm_gap_edge_edge(const lm_vec3 x[4]);

// Gradient and, when H is not NULL, Hessian (12 x 12, row by row) of D by the four points. D must be positive.
void lm_gap_derivatives(const lm_gap* gap, const lm_vec3 x[4], double g[12], double* H);

#endif
