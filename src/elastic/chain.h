// chain.h: one chain rule for all potentials. A term is a measure q with a law phi, W = phi(q(x), q(X)); here are all
// derivatives of W by the local coordinates of the shape x and of the rest shape X that the solvers need.
//
// With D = q(x) - q(X), J = dq/dx, J' = dq/dX, H_a = d2q_a/dx2, H'_a = d2q_a/dX2 and K, K1, K2 as in law.h, the
// derivatives of phi = 1/2 D^T K(Q) D are
//   phi_q = K D,        phi_Q = K1(D) D / 2 - K D,
//   phi_qq = K,         phi_qQ = K1(D) - K,      phi_QQ = K2(D, D) / 2 - 2 K1(D) + K,
// and W's
//   dW/dx     = J^T phi_q                     d2W/dx2   = J^T phi_qq J + sum_a (phi_q)_a H_a
//   dW/dX     = J'^T phi_Q                    d2W/dX2   = J'^T phi_QQ J' + sum_a (phi_Q)_a H'_a
//   d2W/dx dX = J^T phi_qQ J'
// For a multiplier lambda let psi = lambda . dW/dx = phi_q . r with r = J lambda, and N the rows lambda^T H_a. Then
//   psi_xx = J^T K N + N^T K J + sum_a (K r)_a H_a + sum_a (phi_q)_a (dH_a along lambda)
//   psi_xX = (J^T K1(r) + N^T phi_qQ) J'
//   psi_XX = J'^T (K2(r, D) - 2 K1(r)) J' + sum_a (phi_qQ r)_a H'_a.
// Angles differ modulo 2 pi: D is taken in (-pi, pi]. Shapes further apart than half a turn have a kink there, at the
// largest energy that a hinge can have.
#ifndef LM_ELASTIC_CHAIN_H
#define LM_ELASTIC_CHAIN_H

#include "elastic/law.h"
#include "elastic/measure.h"
#include "elastic/own.h"

typedef struct lm_term
{
	const lm_measure* measure;
	lm_law law;
	lm_own own; // with a model: that is the term, of as many corners as the measure has
} lm_term;

// X and x are the local coordinates of the rest shape and of the shape. Vectors have measure->size numbers, matrices
// size x size. Results are written, not added.
double lm_chain_energy(const lm_term* term, const double* X, const double* x);
void lm_chain_gradient(const lm_term* term, const double* X, const double* x, double* g);
void lm_chain_stiffness(const lm_term* term, const double* X, const double* x, double* A);
// A positive semidefinite matrix close to the stiffness: J^T K J and, of the curvature of the measures, the part that
// is positive semidefinite by itself where that is known in closed form (lengths, Gram matrices). Not the closest one,
// but quick, and exact at rest.
void lm_chain_convex(const lm_term* term, const double* X, const double* x, double* A);
void lm_chain_rest_gradient(const lm_term* term, const double* X, const double* x, double* g);
void lm_chain_rest_hessian(const lm_term* term, const double* X, const double* x, double* A);

// Mixed derivatives come as factors of few rows (lm_chain_rows x size each): the matrix is U^T V, its rows belonging
// to x and its columns to X.
static inline int lm_chain_rows(const lm_measure* measure, const lm_elastic_model* model)
{
	return model != NULL ? lm_own_count(model) : measure->count;
}
void lm_chain_mixed(const lm_term* term, const double* X, const double* x, double* U, double* V);

// A = U^T V for factors of m rows of n numbers each.
void lm_chain_outer(int m, int n, const double* U, const double* V, double* A);

void lm_chain_multiplier_hessian(const lm_term* term, const double* X, const double* x, const double* lambda,
                                 double* A);
void lm_chain_multiplier_mixed(const lm_term* term, const double* X, const double* x, const double* lambda, double* U,
                               double* V);
void lm_chain_multiplier_rest(const lm_term* term, const double* X, const double* x, const double* lambda, double* A);

#endif
