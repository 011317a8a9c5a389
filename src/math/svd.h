// svd.h: singular values, eigenvalues and polar factors of 3x3 matrices, for any input: reflections, rank 2, 1 and 0,
// tiny and enormous entries.
#ifndef LM_MATH_SVD_H
#define LM_MATH_SVD_H

#include "math/vec.h"

// A = U diag(s) V^T with U and V rotations (det +1) and |s.x| >= |s.y| >= |s.z|; only s.z may be negative, when
// det A < 0. Relative to |A| all is good to about 1e-15; for rank-deficient A the free directions are completed so
// that U and V are still rotations.
typedef struct lm_svd
{
	lm_mat3 U, V;
	lm_vec3 s;
} lm_svd;
lm_svd lm_svd3(lm_mat3 A);

// Symmetric A = V diag(e) V^T, e sorted from large to small, V a rotation.
typedef struct lm_eigen
{
	lm_mat3 V;
	lm_vec3 e;
} lm_eigen;
lm_eigen lm_eigen3(lm_mat3 A);

// A = R S with R the rotation (det +1) closest to A and S symmetric; S has one negative eigenvalue, the smallest in
// size, when A is inverted. Where R is not unique (rank below 2) it is some such rotation.
typedef struct lm_polar
{
	lm_mat3 R, S;
} lm_polar;
lm_polar lm_polar3(lm_mat3 A);

#endif
