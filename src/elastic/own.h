// own.h: terms whose energy is a table of functions, lm_elastic_model (limber/elastic.h): a program's own, or one of
// ours. The same derivatives as chain.h has for measures and laws.
//
// With the strains q = (Gram matrix, size) of an element, J = dq/dx, J' = dq/dX, H_a = d2q_a/dx2, W = phi(q(x), q(X))
//   dW/dx = J^T phi_q,   d2W/dx2 = J^T phi_qq J + sum_a (phi_q)_a H_a,   d2W/dx dX = J^T phi_qQ J',
// likewise by X. For a multiplier lambda let r = J lambda, N the rows lambda^T H_a, psi = lambda . dW/dx = phi_q . r:
//   psi_xx = J^T (r.phi_q)_qq J + J^T phi_qq N + N^T phi_qq J + sum_a (phi_qq r)_a H_a + sum_a (phi_q)_a dH_a(lambda)
//   psi_xX = (J^T (r.phi_q)_qQ + N^T phi_qQ) J'
//   psi_XX = J'^T (r.phi_q)_QQ J' + sum_a (phi_qQ^T r)_a H'_a
// where (r.phi_q) is differentiated with r held.
#ifndef LM_ELASTIC_OWN_H
#define LM_ELASTIC_OWN_H

#include "elastic/measure.h"
#include "limber/elastic.h"

typedef struct lm_own
{
	const lm_elastic_model* model; // NULL: the term is a measure with a law
	const double* initial;         // numbers of the initial shape
	double size, stretch, volume;
} lm_own;

// Numbers that the model takes of a shape.
int lm_own_count(const lm_elastic_model* model);
// Those of the corners x.
void lm_own_numbers(const lm_elastic_model* model, const double* x, double* q);

// X and x are local coordinates; results are written. Of the two or three results some may be NULL.
double lm_own_energy(const lm_own* own, const double* X, const double* x);
void lm_own_first(const lm_own* own, const double* X, const double* x, double* g, double* G);
void lm_own_second(const lm_own* own, const double* X, const double* x, double* xx, double* XX);
// d2W/dx dX = U^T V with lm_own_count rows.
void lm_own_mixed(const lm_own* own, const double* X, const double* x, double* U, double* V);
void lm_own_third(const lm_own* own, const double* X, const double* x, const double* lambda, double* xx, double* XX);
void lm_own_third_mixed(const lm_own* own, const double* X, const double* x, const double* lambda, double* U,
                        double* V);

// Is the table whole?
lm_status lm_own_check(const lm_elastic_model* model, lm_error* error);

#endif
