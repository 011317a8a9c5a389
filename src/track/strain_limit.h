// strain_limit.h: cloth that stretches at most by so much: beyond that its membrane is a hundred times as stiff.
//
//     W = A K/2 sum over i of max(0, E_i - e)^2,   e = ((1 + limit)^2 - 1) / 2
//
// E_i are the principal values of Green's strain, the larger one first. W is convex in E and pulls only, so that its
// Hessian needs no projection. In the frame of the principal directions n_i the second derivatives by (E_11, E_22,
// 2 E_12) are a diagonal D:
//
//     D_i = K where E_i > e, otherwise 0,   D_3 = (w_1 - w_2) / (2 (E_1 - E_2)),   w_i = K max(0, E_i - e)
//
// A barrier would keep the limit to the last digit, but then a guide that asks for more could not be followed at all:
// averages and the guarantee of contact come first.
#ifndef LM_TRACK_STRAIN_LIMIT_H
#define LM_TRACK_STRAIN_LIMIT_H

#include "math/vec.h"

#define LM_STRAIN_LIMIT_STIFFNESS 100 // K over that of the membrane

typedef struct lm_strain_limit
{
	double n[2][2]; // principal directions
	double w[2];    // stresses along them
	double D[3];
	double K;
} lm_strain_limit;

// E: 00, 01, 11. False where it is within the limit; there is none when that is 0.
bool lm_strain_limit_reach(const double E[3], double limit, double stretch, lm_strain_limit* reached);
// Per area.
double lm_strain_limit_energy(const lm_strain_limit* reached);
// Adds the stress 00, 01, 11.
void lm_strain_limit_stress(const lm_strain_limit* reached, double S[3]);
// Adds area D between two corners whose hat functions have the gradients b and c, without the part of the stress.
void lm_strain_limit_stiffness(const lm_strain_limit* reached, double area, const double b[2], const double c[2],
                               const lm_vec3 F[2], double K[3][3]);

#endif
