// Conjugate gradients with the factorisation as preconditioner; see lean.h.
//
// The rows C and D of the factorisation are those of the matrix: each solve meets the constraints to rounding, that of
// single precision, and what is left to the iteration is the coupling of contacts. In the space that the constraints
// leave both matrices are positive definite. Where nothing is coupled a solve is enough, unless rounding spoils it.
#include "math/vec.h"
#include "track/lean.h"

#include <math.h>

#define MOST_ROUNDS 100

static const double good_solve = 1e-3; // residual of a solve, of the right side

static double dot(const double* a, const double* b, int64_t count)
{
	double sum = 0;
	for (int64_t i = 0; i < count; ++i)
		sum += a[i] * b[i];
	return sum;
}

static void multiply(const lm_track_solver* s, const double* x, double* y)
{
	lm_pattern_multiply(s->lean->pattern, s->lean->values, x, y);
	lm_lean_add_coupling(s, x, y);
}

static bool is_coupled(const lm_track_lean* lean)
{
	for (int64_t e = 0; e < lean->contact_count; ++e)
		if (lean->contacts[e].coupled)
			return true;
	return false;
}

static double longest(const double* d, int64_t count)
{
	double most = 0;
	for (int64_t i = 0; i < count; ++i)
		most = fmax(most, fabs(d[i]));
	return most;
}

// Each cloth goes on as a whole.
void lm_lean_guess(lm_track_solver* s, const lm_track_problem* p, const double* x)
{
	for (int32_t k = 0; k < p->part_count; ++k)
	{
		int64_t first = p->parts[k].first, end = first + p->parts[k].cloth->vertex_count;
		lm_vec3 mean = lm_v3(0, 0, 0);
		double mass = 0;
		for (int64_t v = first; v < end; ++v)
		{
			mean = lm_add_scaled(mean, p->masses[v], lm_sub(lm_v3_at(p->y, v), lm_v3_at(x, v)));
			mass += p->masses[v];
		}
		for (int64_t v = first; v < end; ++v)
			lm_v3_store(s->lean->guess, v, lm_scale(1 / mass, mean));
	}
}

// What moves together with what it touches is held back by the factorised matrix, as if it touched walls, and hundreds
// of rounds would be needed to see that it is free. So the guess is taken as far as it lowers the energy, and a solve
// finds the rest of the way.
static bool begin_at_guess(lm_track_solver* s)
{
	lm_track_lean* lean = s->lean;
	int64_t vertices = 3 * (int64_t)s->n, all = vertices + 3 * (int64_t)s->rows;
	double *g = lean->guess, *r = s->residual, *q = s->product;
	multiply(s, g, q);
	double curvature = dot(g, q, vertices), share = dot(g, s->right, vertices) / curvature;
	if (!(curvature > 0) || !(share > 0))
		share = 0;
	for (int64_t i = 0; i < all; ++i)
		r[i] = s->right[i] - share * q[i];
	if (!lm_cholesky_solve(lean->ldl, 1, r, s->solution))
		return false;
	for (int64_t i = 0; i < vertices; ++i)
		s->solution[i] += share * g[i];
	return true;
}

bool lm_lean_solve(lm_track_solver* s, double accuracy, double small)
{
	lm_track_lean* lean = s->lean;
	int64_t vertices = 3 * (int64_t)s->n, all = vertices + 3 * (int64_t)s->rows;
	double *r = s->residual, *q = s->product, *z = lean->z, *d = lean->d;
	bool coupled = is_coupled(lean);
	if (!(coupled ? begin_at_guess(s) : lm_cholesky_solve(lean->ldl, 1, s->right, s->solution)))
		return false;
	double first = fabs(dot(s->right, s->solution, all)), last = 0;
	multiply(s, s->solution, q);
	for (int64_t i = 0; i < all; ++i)
		r[i] = s->right[i] - q[i];
	if (!coupled && dot(r, r, all) <= good_solve * good_solve * dot(s->right, s->right, all))
		return isfinite(dot(s->solution, s->solution, all));
	for (int round = 0; round < MOST_ROUNDS; ++round)
	{
		if (!lm_cholesky_solve(lean->ldl, 1, r, z))
			return false;
		double rho = dot(r, z, all);
		for (int64_t i = 0; i < all; ++i)
			d[i] = round > 0 ? z[i] + rho / last * d[i] : z[i];
		multiply(s, d, q);
		double curvature = dot(d, q, all), step = rho / curvature;
		if (!(rho > 0 && curvature > 0))
			break;
		for (int64_t i = 0; i < all; ++i)
			s->solution[i] += step * d[i], r[i] -= step * q[i];
		last = rho;
		++lean->rounds;
		bool gained_little = step * rho <= accuracy * accuracy * first;
		if (gained_little || (round > 0 && step * longest(d, vertices) <= accuracy * small))
			break;
	}
	return isfinite(dot(s->solution, s->solution, all));
}
