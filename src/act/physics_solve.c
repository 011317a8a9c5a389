// physics_solve.c: solves with the exact D, for the optimiser: by Cholesky where its symmetric part is positive
// definite; else, far from rest, by L D L^T without pivoting, which is checked on a right side of its own and refined.
#include "act/equation.h"
#include "sparse/pattern.h"

#include <math.h>
#include <string.h>

#define LM_WORST_REFINED 1e-9 // of a solve's residual, relative to the right side

static const lm_pattern* pattern_of(const lm_act* body)
{
	return lm_elastic_get(body->elastic).pattern;
}

static double largest(int64_t n, const double* a)
{
	double size = 0;
	for (int64_t i = 0; i < n; ++i)
		size = isnan(a[i]) ? INFINITY : fmax(size, fabs(a[i]));
	return size;
}

// residual = b - A z; its largest number.
static double residual_of(lm_act* body, const double* b, const double* z)
{
	lm_act_physics* p = body->physics;
	lm_pattern_multiply(pattern_of(body), p->values, z, p->residual);
	for (int64_t i = 0; i < body->unknowns; ++i)
		p->residual[i] = b[i] - p->residual[i];
	return largest(body->unknowns, p->residual);
}

// One more round with what is left: z += A^-1 (b - A z). Returns the largest number left before.
static double refine(lm_act* body, const double* b, double* z)
{
	lm_act_physics* p = body->physics;
	double left = residual_of(body, b, z);
	if (isfinite(left) && lm_cholesky_solve(p->current, 1, p->residual, p->residual))
		for (int64_t i = 0; i < body->unknowns; ++i)
			z[i] += p->residual[i];
	return left;
}

// Solves A z = A e, e = 1, -1, 1, ..., and looks whether e comes out.
static bool trustworthy(lm_act* body)
{
	lm_act_physics* p = body->physics;
	int64_t n = body->unknowns;
	double *e = p->work, *b = p->work + n, *z = p->work + 2 * n;
	for (int64_t i = 0; i < n; ++i)
		e[i] = i % 3 ? 1 : -1;
	lm_pattern_multiply(pattern_of(body), p->values, e, b);
	if (!lm_cholesky_solve(p->current, 1, b, z))
		return false;
	refine(body, b, z);
	return residual_of(body, b, z) <= LM_WORST_REFINED * largest(n, b);
}

bool lm_act_physics_factorize(lm_act* body, const double* X, const double* y)
{
	lm_act_physics* p = body->physics;
	lm_act_equation_assemble(body, X, y, false);
	if (lm_act_equation_factorize(body))
		return true;
	if (p->indefinite == NULL &&
	    lm_cholesky_create(pattern_of(body), LM_CHOLESKY_LDL, &body->host, &p->indefinite, NULL) != LM_OK)
		return false;
	if (lm_cholesky_factorize(p->indefinite, p->values, 0).status != LM_FACTOR_OK)
		return false;
	p->current = p->indefinite;
	if (trustworthy(body))
		return true;
	p->current = NULL;
	return false;
}

static bool solve(lm_act* body, int64_t count, const double* B, double* Z)
{
	lm_act_physics* p = body->physics;
	size_t n = (size_t)body->unknowns;
	if (p->current == NULL)
		return false;
	if (p->current == p->cholesky)
		return lm_cholesky_solve(p->cholesky, count, B, Z);
	for (int64_t k = 0; k < count; ++k)
	{
		double *b = p->work, *z = Z + (size_t)k * n;
		memcpy(b, B + (size_t)k * n, n * sizeof *b);
		if (!lm_cholesky_solve(p->indefinite, 1, b, z))
			return false;
		refine(body, b, z);
	}
	return true;
}

bool lm_act_physics_solve(lm_act* body, int64_t count, const double* B, double* Z)
{
	bool good = solve(body, count, B, Z);
	for (int64_t k = 0; k < count && good; ++k)
		lm_act_equation_clear_pinned(body, Z + k * body->unknowns);
	return good;
}

bool lm_act_physics_solve_transposed(lm_act* body, int64_t count, const double* B, double* Z)
{
	return lm_act_physics_solve(body, count, B, Z);
}
