// law.h: the energy of one term as a function of its measures, phi(q, Q) = 1/2 D^T K(Q) D with D = q - Q, where
// q = q(x) belongs to the current shape and Q = q(X) to the current rest shape.
//
// Two laws. Scalar: K = weight, constant (lengths, areas, volumes, angles: each term k/2 (s(x) - s(X))^2). Green: the
// squared Green strain of Gram matrices, weight |E|^2 / 2 with |E|^2 = tr(G^-1 D G^-1 D) / 4, which makes K depend on
// the rest shape:
//   K(Q)_ab = weight/4 tr(M E_a M E_b),   M = (G(Q) + epsilon G_initial)^-1,
// E_a the symmetric matrix of component a. The small multiple of the initial Gram matrix (1e-6) is a departure from the
// paper: it keeps M, and so all that follows, finite when a rest element collapses, changes nothing at rest (D = 0) and
// 2e-6 of the stiffness near it. Since dM = -M dG M,
//   K1(v)_ac   = sum_b v_b dK_ab/dQ_c              = -weight/2 tr(M E_a M E_c M V), symmetric in a and c,
//   K2(u,v)_cd = sum_ab u_a v_b d2K_ab/dQ_c dQ_d   =  weight/2 (tr(M E_d M E_c M U M V) + tr(M E_c M E_d M U M V)
//                                                             + tr(M E_c M U M E_d M V)).
#ifndef LM_ELASTIC_LAW_H
#define LM_ELASTIC_LAW_H

#include "elastic/measure.h"

#define LM_LAW_RIGOUR 1e-6

typedef struct lm_law
{
	int count;     // of measures
	double weight; // stiffness times the geometry of the initial shape
	const double*
		initial; // Gram matrix of the initial shape (count numbers) for the Green law, NULL for the scalar one
} lm_law;

// M of a law in the plane: its three different numbers.
void lm_law_inverse2(const lm_law* law, const double* Q, double* M);

// Each writes a count x count matrix, row by row.
void lm_law_K(const lm_law* law, const double* Q, double* K);
void lm_law_K1(const lm_law* law, const double* Q, const double* v, double* K1);
void lm_law_mixed(const lm_law* law, const double* Q, const double* v, double* C); // K1(v) - K
void lm_law_K2(const lm_law* law, const double* Q, const double* u, const double* v, double* K2);

#endif
