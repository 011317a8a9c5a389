// physics_solve.c: solves with the exact D, for the optimiser: by Cholesky where its symmetric part is positive
// definite; else, far from rest, by L D L^T without pivoting, which is checked on a right side of its own and refined.
#include "act/equation.h"
#include "base/alloc.h"
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

// Checks the accuracy of the factorisation: solves A z = A e, e = -1, 1, 1, -1, ..., with one refinement.
static bool is_accurate(lm_act* body)
{
	lm_act_physics* p = body->physics;
	int64_t n = body->unknowns;
	double *e = p->work, *b = p->work + n, *z = p->work + 2 * n;
	for (int64_t i = 0; i < n; ++i)
		e[i] = i % 3 ? 1 : -1;
	lm_pattern_multiply(pattern_of(body), p->values, e, b);
	if (!lm_cholesky_solve(p->current, 1, b, z) || !isfinite(residual_of(body, b, z)) ||
	    !lm_cholesky_solve(p->current, 1, p->residual, p->residual))
		return false;
	for (int64_t i = 0; i < n; ++i)
		z[i] += p->residual[i];
	return residual_of(body, b, z) <= LM_WORST_REFINED * largest(n, b);
}

// ---- the unsymmetric part: one column for every link with friction

static bool add_number(lm_act_columns* c, const lm_host* host, int64_t at, int32_t index, double value)
{
	if (!lm_grow(host, (void**)&c->index, &c->index_capacity, (size_t)at + 1, sizeof *c->index) ||
	    !lm_grow(host, (void**)&c->value, &c->value_capacity, (size_t)at + 1, sizeof *c->value))
		return false;
	c->index[at] = index, c->value[at] = value;
	return true;
}

// The next column: weight_i times v in the rows of the body's own vertices that are not pinned.
static bool add_column(const lm_act* body, const lm_act_link* link, lm_vec3 v, lm_act_columns* c)
{
	const lm_spring_touch* t = &link->touch;
	const double numbers[3] = { v.x, v.y, v.z };
	if (!lm_grow(&body->host, (void**)&c->start, &c->start_capacity, (size_t)c->count + 2, sizeof *c->start))
		return false;
	int64_t at = c->count > 0 ? c->start[c->count] : 0;
	c->start[c->count] = (int32_t)at;
	for (int32_t i = 0; i < t->count; ++i)
	{
		if (link->body[i >= t->own] < 0 || body->pinned[t->vertex[i]])
			continue;
		for (int k = 0; k < t->dimension; ++k, ++at)
			if (!add_number(c, &body->host, at, t->vertex[i] * t->dimension + k, t->weight[i] * numbers[k]))
				return false;
	}
	c->start[++c->count] = (int32_t)at;
	return true;
}

static bool gather_columns(lm_act* body)
{
	lm_act_physics* p = body->physics;
	p->U.count = p->V.count = 0;
	for (int64_t k = 0; k < p->alone.link_count; ++k)
	{
		const lm_act_link* link = &p->alone.links[k];
		const lm_vec3 U = link->force.U;
		if (U.x == 0 && U.y == 0 && U.z == 0)
			continue;
		if (!add_column(body, link, U, &p->U) || !add_column(body, link, link->force.V, &p->V))
			return false;
	}
	return true;
}

static lm_sparse_columns view(const lm_act_columns* c)
{
	return (lm_sparse_columns){ c->count, c->start, c->index, c->value };
}

static lm_woodbury* woodbury_of(const lm_act_physics* p)
{
	return p->current == p->cholesky ? p->woodbury : p->indefinite_woodbury;
}

// After the symmetric part has been factorised.
static bool add_friction(lm_act* body)
{
	lm_act_physics* p = body->physics;
	if (!gather_columns(body))
		return false;
	if (p->U.count == 0)
		return true;
	lm_sparse_columns U = view(&p->U), V = view(&p->V);
	return lm_woodbury_update(woodbury_of(p), &U, &V).status == LM_FACTOR_OK;
}

// ---- factorisations

static bool factorize_indefinite(lm_act* body)
{
	lm_act_physics* p = body->physics;
	const lm_host* host = &body->host;
	if (p->indefinite == NULL &&
	    lm_cholesky_create(pattern_of(body), LM_CHOLESKY_LDL, host, &p->indefinite, NULL) != LM_OK)
		return false;
	if (p->indefinite_woodbury == NULL &&
	    lm_woodbury_create(p->indefinite, host, &p->indefinite_woodbury, NULL) != LM_OK)
		return false;
	if (lm_cholesky_factorize(p->indefinite, p->values, 0).status != LM_FACTOR_OK)
		return false;
	p->current = p->indefinite;
	return is_accurate(body);
}

bool lm_act_physics_factorize(lm_act* body, const double* X, const double* y)
{
	lm_act_physics* p = body->physics;
	p->alone.X[0] = X;
	lm_act_system_assemble(&p->alone, y, false, false);
	bool good = lm_act_system_factorize(&p->alone, 0);
	p->current = good ? p->cholesky : NULL;
	good = (good || factorize_indefinite(body)) && add_friction(body);
	if (!good)
		p->current = NULL;
	return good;
}

// ---- solves

static bool solve_once(lm_act* body, int64_t count, bool transposed, const double* B, double* Z)
{
	lm_act_physics* p = body->physics;
	if (p->U.count == 0)
		return lm_cholesky_solve(p->current, count, B, Z);
	return transposed ? lm_woodbury_solve_transposed(woodbury_of(p), count, B, Z)
	                  : lm_woodbury_solve(woodbury_of(p), count, B, Z);
}

// out = b - D z or b - D^T z
static void residual(lm_act* body, bool transposed, const double* b, const double* z, double* out)
{
	const lm_act_physics* p = body->physics;
	lm_pattern_multiply(pattern_of(body), p->values, z, out);
	const lm_act_columns *left = transposed ? &p->V : &p->U, *right = transposed ? &p->U : &p->V;
	for (int64_t c = 0; c < p->U.count; ++c)
	{
		double along = 0;
		for (int32_t e = right->start[c]; e < right->start[c + 1]; ++e)
			along += right->value[e] * z[right->index[e]];
		for (int32_t e = left->start[c]; e < left->start[c + 1]; ++e)
			out[left->index[e]] += along * left->value[e];
	}
	for (int64_t i = 0; i < body->unknowns; ++i)
		out[i] = b[i] - out[i];
}

// What an L D L^T without pivoting lacks in accuracy one round of refinement brings.
static bool solve_refined(lm_act* body, int64_t count, bool transposed, const double* B, double* Z)
{
	lm_act_physics* p = body->physics;
	size_t n = (size_t)body->unknowns;
	double* b = p->work;
	for (int64_t k = 0; k < count; ++k)
	{
		double* z = Z + (size_t)k * n;
		memcpy(b, B + (size_t)k * n, n * sizeof *b);
		if (!solve_once(body, 1, transposed, b, z))
			return false;
		residual(body, transposed, b, z, p->residual);
		if (!solve_once(body, 1, transposed, p->residual, p->residual))
			return false;
		for (size_t i = 0; i < n; ++i)
			z[i] += p->residual[i];
	}
	return true;
}

static bool solve(lm_act* body, int64_t count, bool transposed, const double* B, double* Z)
{
	lm_act_physics* p = body->physics;
	if (p->current == NULL)
		return false;
	bool good = p->current == p->cholesky ? solve_once(body, count, transposed, B, Z)
	                                      : solve_refined(body, count, transposed, B, Z);
	for (int64_t k = 0; k < count && good; ++k)
		lm_act_equation_clear_pinned(body, Z + k * body->unknowns);
	return good;
}

bool lm_act_physics_solve(lm_act* body, int64_t count, const double* B, double* Z)
{
	return solve(body, count, false, B, Z);
}

bool lm_act_physics_solve_transposed(lm_act* body, int64_t count, const double* B, double* Z)
{
	return solve(body, count, true, B, Z);
}
