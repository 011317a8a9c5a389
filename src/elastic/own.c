// own.c: see own.h for the formulas.
#include "elastic/own.h"

#include "base/error.h"
#include "elastic/chain.h"

#include <math.h>
#include <string.h>

#define MOST LM_ELASTIC_NUMBERS

// A shape as the model takes it.
typedef struct shape
{
	int m, n;           // numbers, and local coordinates
	const double* at;   // the corners
	double q[MOST];     // of LM_ELASTIC_CORNERS: the corners again
	double J[7 * MOST]; // of LM_ELASTIC_STRAINS: dq/dx
} shape;

typedef struct parts
{
	const lm_measure *gram, *size;
} parts;

static parts parts_of(const lm_elastic_model* model)
{
	return model->dimension == 2 ? (parts){ &lm_measure_gram2, &lm_measure_area }
	                             : (parts){ &lm_measure_gram3, &lm_measure_volume };
}

int lm_own_count(const lm_elastic_model* model)
{
	bool plane = model->dimension == 2;
	return model->form == LM_ELASTIC_CORNERS ? (plane ? 6 : 12) : (plane ? 4 : 7);
}

void lm_own_numbers(const lm_elastic_model* model, const double* x, double* q)
{
	parts p = parts_of(model);
	if (model->form == LM_ELASTIC_CORNERS)
	{
		memcpy(q, x, (size_t)p.gram->size * sizeof *q);
		return;
	}
	p.gram->value(x, q);
	p.size->value(x, q + p.gram->count);
}

static void look(const lm_elastic_model* model, const double* x, shape* s)
{
	parts p = parts_of(model);
	s->m = lm_own_count(model), s->n = p.gram->size, s->at = x;
	lm_own_numbers(model, x, s->q);
	if (model->form == LM_ELASTIC_CORNERS)
		return;
	p.gram->gradient(x, s->J);
	p.size->gradient(x, s->J + p.gram->count * s->n);
}

static lm_elastic_at at_of(const lm_own* own, const shape* rest, const shape* now)
{
	return (lm_elastic_at){ own->model->data, now->m,    now->q,       rest->q,
		                    own->initial,     own->size, own->stretch, own->volume };
}

static bool strains(const lm_own* own)
{
	return own->model->form == LM_ELASTIC_STRAINS;
}

// What a program's function wrote: nothing that is not finite goes on.
static void keep_finite(double* values, int count)
{
	for (int i = 0; values != NULL && i < count; ++i)
		if (!isfinite(values[i]))
			values[i] = 0;
}

// A and its transpose, halved: what is symmetric but for rounding, or by a mistake, is made so.
static void symmetric(int n, double* A)
{
	for (int i = 0; i < n; ++i)
		for (int j = 0; j < i; ++j)
			A[i * n + j] = A[j * n + i] = 0.5 * (A[i * n + j] + A[j * n + i]);
}

double lm_own_energy(const lm_own* own, const double* X, const double* x)
{
	shape rest, now;
	rest.m = now.m = lm_own_count(own->model);
	lm_own_numbers(own->model, X, rest.q);
	lm_own_numbers(own->model, x, now.q);
	lm_elastic_at at = at_of(own, &rest, &now);
	double W = own->model->energy(&at);
	return isfinite(W) ? W : 0;
}

// g = J^T v
static void pull(const shape* s, const double* v, double* g)
{
	memset(g, 0, (size_t)s->n * sizeof *g);
	for (int a = 0; a < s->m; ++a)
		for (int i = 0; i < s->n; ++i)
			g[i] += v[a] * s->J[a * s->n + i];
}

// R = K J, or K^T J, for any m x n matrix J
static void multiply(int m, int n, const double* K, bool transposed, const double* J, double* R)
{
	for (int a = 0; a < m; ++a)
		for (int i = 0; i < n; ++i)
		{
			double sum = 0;
			for (int b = 0; b < m; ++b)
				sum += (transposed ? K[b * m + a] : K[a * m + b]) * J[b * n + i];
			R[a * n + i] = sum;
		}
}

// A = J^T K J
static void square(const shape* s, const double* K, double* A)
{
	double KJ[7 * MOST];
	multiply(s->m, s->n, K, false, s->J, KJ);
	lm_chain_outer(s->m, s->n, s->J, KJ, A);
}

// A += sum_a c_a H_a
static void add_curvature(const lm_own* own, const shape* s, const double* c, double* A)
{
	parts p = parts_of(own->model);
	p.gram->hessian(s->at, c, A);
	p.size->hessian(s->at, c + p.gram->count, A);
}

void lm_own_first(const lm_own* own, const double* X, const double* x, double* g, double* G)
{
	shape rest, now;
	double q[MOST], Q[MOST];
	look(own->model, X, &rest);
	look(own->model, x, &now);
	lm_elastic_at at = at_of(own, &rest, &now);
	if (!strains(own))
	{
		own->model->first(&at, g, G);
		keep_finite(g, now.n);
		keep_finite(G, now.n);
		return;
	}
	own->model->first(&at, g != NULL ? q : NULL, G != NULL ? Q : NULL);
	keep_finite(g != NULL ? q : NULL, now.m);
	keep_finite(G != NULL ? Q : NULL, now.m);
	if (g != NULL)
		pull(&now, q, g);
	if (G != NULL)
		pull(&rest, Q, G);
}

void lm_own_second(const lm_own* own, const double* X, const double* x, double* xx, double* XX)
{
	shape rest, now;
	double q[MOST], Q[MOST], qq[MOST * MOST], QQ[MOST * MOST];
	look(own->model, X, &rest);
	look(own->model, x, &now);
	lm_elastic_at at = at_of(own, &rest, &now);
	own->model->second(&at, xx != NULL ? qq : NULL, NULL, XX != NULL ? QQ : NULL);
	keep_finite(xx != NULL ? qq : NULL, now.m * now.m);
	keep_finite(XX != NULL ? QQ : NULL, now.m * now.m);
	if (strains(own))
	{
		own->model->first(&at, q, Q);
		keep_finite(q, now.m);
		keep_finite(Q, now.m);
	}
	const shape* shapes[2] = { &now, &rest };
	double *results[2] = { xx, XX }, *given[2] = { qq, QQ }, *firsts[2] = { q, Q };
	for (int k = 0; k < 2; ++k)
	{
		if (results[k] == NULL)
			continue;
		if (!strains(own))
			memcpy(results[k], given[k], (size_t)(now.n * now.n) * sizeof *given[k]);
		else
		{
			square(shapes[k], given[k], results[k]);
			add_curvature(own, shapes[k], firsts[k], results[k]);
		}
		symmetric(now.n, results[k]);
	}
}

static void identity(int n, double* A)
{
	memset(A, 0, (size_t)(n * n) * sizeof *A);
	for (int i = 0; i < n; ++i)
		A[i * n + i] = 1;
}

void lm_own_mixed(const lm_own* own, const double* X, const double* x, double* U, double* V)
{
	shape rest, now;
	double qQ[MOST * MOST];
	look(own->model, X, &rest);
	look(own->model, x, &now);
	lm_elastic_at at = at_of(own, &rest, &now);
	own->model->second(&at, NULL, strains(own) ? qQ : V, NULL);
	keep_finite(strains(own) ? qQ : V, now.m * now.m);
	if (!strains(own))
	{
		identity(now.n, U);
		return;
	}
	multiply(now.m, now.n, qQ, true, now.J, U);
	memcpy(V, rest.J, (size_t)(now.m * now.n) * sizeof *V);
}

// What is along lambda: N, the rows lambda^T H_a, and r = J lambda.
static void turn_along(const lm_own* own, const shape* now, const double* lambda, double* N, double* r)
{
	parts p = parts_of(own->model);
	p.gram->product(now->at, lambda, N);
	p.size->product(now->at, lambda, N + p.gram->count * now->n);
	for (int a = 0; a < now->m; ++a)
	{
		r[a] = 0;
		for (int i = 0; i < now->n; ++i)
			r[a] += now->J[a * now->n + i] * lambda[i];
	}
}

// psi_xx from its parts in strains: q, qq of phi, and K = (r.phi_q)_qq
static void along_shape(const lm_own* own, const shape* now, const lm_elastic_at* at, const double* lambda,
                        const double* N, const double* r, const double* K, double* A)
{
	parts p = parts_of(own->model);
	int m = now->m, n = now->n;
	double q[MOST], qq[MOST * MOST], KN[7 * MOST], turned[MOST * MOST], force[MOST];
	own->model->first(at, q, NULL);
	own->model->second(at, qq, NULL, NULL);
	keep_finite(q, m);
	keep_finite(qq, m * m);
	square(now, K, A);
	multiply(m, n, qq, false, N, KN);
	lm_chain_outer(m, n, now->J, KN, turned);
	for (int i = 0; i < n; ++i)
		for (int j = 0; j < n; ++j)
			A[i * n + j] += turned[i * n + j] + turned[j * n + i];
	multiply(m, 1, qq, false, r, force);
	add_curvature(own, now, force, A);
	if (p.size->third != NULL)
		p.size->third(now->at, q + p.gram->count, lambda, A);
}

void lm_own_third(const lm_own* own, const double* X, const double* x, const double* lambda, double* xx, double* XX)
{
	shape rest, now;
	double N[7 * MOST], r[MOST], qq[MOST * MOST], qQ[MOST * MOST], QQ[MOST * MOST], force[MOST];
	look(own->model, X, &rest);
	look(own->model, x, &now);
	lm_elastic_at at = at_of(own, &rest, &now);
	if (!strains(own))
	{
		own->model->third(&at, lambda, xx, NULL, XX);
		keep_finite(xx, now.n * now.n);
		keep_finite(XX, now.n * now.n);
	}
	else
	{
		turn_along(own, &now, lambda, N, r);
		own->model->third(&at, r, xx != NULL ? qq : NULL, NULL, XX != NULL ? QQ : NULL);
		keep_finite(xx != NULL ? qq : NULL, now.m * now.m);
		keep_finite(XX != NULL ? QQ : NULL, now.m * now.m);
		if (xx != NULL)
			along_shape(own, &now, &at, lambda, N, r, qq, xx);
		if (XX != NULL)
		{
			own->model->second(&at, NULL, qQ, NULL);
			keep_finite(qQ, now.m * now.m);
			square(&rest, QQ, XX);
			multiply(now.m, 1, qQ, true, r, force);
			add_curvature(own, &rest, force, XX);
		}
	}
	if (xx != NULL)
		symmetric(now.n, xx);
	if (XX != NULL)
		symmetric(now.n, XX);
}

void lm_own_third_mixed(const lm_own* own, const double* X, const double* x, const double* lambda, double* U, double* V)
{
	shape rest, now;
	double N[7 * MOST], r[MOST], K[MOST * MOST], qQ[MOST * MOST], more[7 * MOST];
	look(own->model, X, &rest);
	look(own->model, x, &now);
	lm_elastic_at at = at_of(own, &rest, &now);
	if (!strains(own))
	{
		own->model->third(&at, lambda, NULL, V, NULL);
		keep_finite(V, now.n * now.n);
		identity(now.n, U);
		return;
	}
	turn_along(own, &now, lambda, N, r);
	own->model->third(&at, r, NULL, K, NULL);
	own->model->second(&at, NULL, qQ, NULL);
	keep_finite(K, now.m * now.m);
	keep_finite(qQ, now.m * now.m);
	multiply(now.m, now.n, K, true, now.J, U);
	multiply(now.m, now.n, qQ, true, N, more);
	for (int i = 0; i < now.m * now.n; ++i)
		U[i] += more[i];
	memcpy(V, rest.J, (size_t)(now.m * now.n) * sizeof *V);
}

lm_status lm_own_check(const lm_elastic_model* model, lm_error* error)
{
	const char* name = model->name != NULL ? model->name : "";
	if (model->dimension != 2 && model->dimension != 3)
		return lm_fail(error, LM_BAD_INPUT,
		               "the elastic model \"%s\" has %d dimensions; it must have 2 (triangles in the plane) or 3 "
		               "(tetrahedra)",
		               name, model->dimension);
	if (model->form != LM_ELASTIC_CORNERS && model->form != LM_ELASTIC_STRAINS)
		return lm_fail(error, LM_BAD_INPUT, "the elastic model \"%s\" has the form %d; there are 0 and 1", name,
		               (int)model->form);
	const char* missing = model->energy == NULL ? "energy" : model->first == NULL ? "first" : "second";
	if (model->energy == NULL || model->first == NULL || model->second == NULL)
		return lm_fail(error, LM_BAD_INPUT, "the elastic model \"%s\" has no function `%s`; only `third` may be NULL",
		               name, missing);
	return LM_OK;
}
