// physics_forward.c: c(X, y) = 0 by a safeguarded Newton method, for one body or several that touch.
//
// A step is good when it halves |c|, or decreases Phi (equation.h) by Armijo's condition. Directions come from the
// exact D; where it is not positive definite, or leads nowhere, from one made convex term by term, which always leads
// downhill. Of all points seen the one with the smallest residual is kept, so that the result is never worse than the
// start.
#include "act/equation.h"
#include "base/alloc.h"
#include "base/error.h"
#include "sparse/dense_update.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define LM_ARMIJO 1e-4
#define LM_SHORTEST 1e-7 // step
#define LM_VECTORS 5

typedef struct forward
{
	lm_act_system* system;
	lm_act_forward_report report;
	double *y, *c, *d, *trial, *trial_c, *best;
	double size;  // |c|
	double slope; // of Phi along d
	bool downhill;
} forward;

lm_status lm_act_forward_reserve(lm_act* first, int64_t n, lm_error* error)
{
	lm_act_physics* p = first->physics;
	if (!lm_grow(&first->host, (void**)&p->work, &p->work_capacity, LM_VECTORS * (size_t)n, sizeof *p->work))
		return lm_fail_memory(error);
	return LM_OK;
}

// |a|, without overflow of squares; infinite where a is not finite.
static double length(int64_t n, const double* a)
{
	double size = 0, sum = 0;
	for (int64_t i = 0; i < n; ++i)
		size = isnan(a[i]) ? INFINITY : fmax(size, fabs(a[i]));
	if (size == 0 || !isfinite(size))
		return size;
	for (int64_t i = 0; i < n; ++i)
		sum += a[i] / size * (a[i] / size);
	return size * sqrt(sum);
}

// ---- sums over the bodies

static void gradient(const lm_act_system* s, const double* y, double* c)
{
	for (int32_t b = 0, at = 0; b < s->count; at += s->bodies[b++]->unknowns)
		lm_act_physics_residual(s->bodies[b], s->X[b], y + at, c + at);
}

static double energy(const lm_act_system* s, const double* y)
{
	double sum = 0;
	for (int32_t b = 0, at = 0; b < s->count; at += s->bodies[b++]->unknowns)
		sum += lm_act_equation_energy(s->bodies[b], s->X[b], y + at);
	return sum;
}

static double relative(const lm_act_system* s, const double* c)
{
	double worst = 0;
	for (int32_t b = 0, at = 0; b < s->count; at += s->bodies[b++]->unknowns)
		worst = fmax(worst, lm_act_physics_relative(s->bodies[b], c + at));
	return worst;
}

static bool factorize(forward* f, bool convex)
{
	const lm_act_system* s = f->system;
	bool good = true;
	for (int32_t b = 0, at = 0; b < s->count && good; at += s->bodies[b++]->unknowns)
	{
		lm_act_equation_assemble(s->bodies[b], s->X[b], f->y + at, convex);
		good = lm_act_equation_factorize(s->bodies[b]);
	}
	++f->report.factorizations;
	return good;
}

static bool solve(const lm_act_system* s, const double* c, double* d)
{
	bool good = true;
	for (int32_t b = 0, at = 0; b < s->count && good; at += s->bodies[b++]->unknowns)
		good = lm_act_equation_solve(s->bodies[b], c + at, d + at);
	return good;
}

// d = -D^-1 c; false when there is no such direction, or it does not lead downhill.
static bool direct(forward* f, bool convex)
{
	int64_t n = f->system->n;
	if (!factorize(f, convex) || !solve(f->system, f->c, f->d))
		return false;
	for (int64_t i = 0; i < n; ++i)
		f->d[i] = -f->d[i];
	f->slope = lm_dense_dot((int)n, f->c, f->d);
	return isfinite(f->slope) && f->slope < 0;
}

// Whether the trial point, step along d, is better.
static bool better(forward* f, double step, double start_energy, double* size)
{
	gradient(f->system, f->trial, f->trial_c);
	*size = length(f->system->n, f->trial_c);
	if (!isfinite(*size))
		return false;
	if (*size <= 0.5 * f->size)
		return true;
	double change = energy(f->system, f->trial) - start_energy;
	if (change <= LM_ARMIJO * step * f->slope)
		return true;
	// Where the decrease drowns in the rounding of the energy, |c| alone decides.
	return -step * f->slope <= 1e-10 * fabs(start_energy) && *size < f->size;
}

// Moves along d; false when no step is good.
static bool search(forward* f)
{
	int64_t n = f->system->n;
	double start = energy(f->system, f->y);
	for (double step = 1; step >= LM_SHORTEST; step *= step > 0.1 ? 0.5 : 0.1)
	{
		for (int64_t i = 0; i < n; ++i)
			f->trial[i] = f->y[i] + step * f->d[i];
		double size;
		if (!better(f, step, start, &size))
			continue;
		memcpy(f->y, f->trial, (size_t)n * sizeof *f->y);
		memcpy(f->c, f->trial_c, (size_t)n * sizeof *f->c);
		f->size = size;
		return true;
	}
	return false;
}

static void keep_best(forward* f)
{
	double residual = relative(f->system, f->c);
	if (!(residual < f->report.residual))
		return;
	f->report.residual = residual;
	memcpy(f->best, f->y, (size_t)f->system->n * sizeof *f->best);
}

static void iterate(forward* f, double tolerance, int32_t most)
{
	while (f->report.residual > tolerance && f->report.iterations < most)
	{
		++f->report.iterations;
		bool moved = direct(f, false) && search(f);
		if (!moved)
			moved = direct(f, true) && search(f);
		if (!moved)
			return;
		keep_best(f);
	}
}

lm_act_forward_report lm_act_system_forward(lm_act_system* system, double tolerance, int32_t most, double* y)
{
	int64_t n = system->n;
	double* work = system->bodies[0]->physics->work;
	forward f = { .system = system,
		          .y = y,
		          .c = work,
		          .d = work + n,
		          .trial = work + 2 * n,
		          .trial_c = work + 3 * n,
		          .best = work + 4 * n };
	for (int32_t b = 0, at = 0; b < system->count; at += system->bodies[b++]->unknowns)
		lm_act_equation_place_pinned(system->bodies[b], y + at);
	f.report.residual = INFINITY;
	gradient(system, y, f.c);
	f.size = length(n, f.c);
	memcpy(f.best, y, (size_t)n * sizeof *y);
	if (isfinite(f.size))
	{
		keep_best(&f);
		iterate(&f, tolerance, most);
	}
	memcpy(y, f.best, (size_t)n * sizeof *y);
	f.report.converged = f.report.residual <= tolerance;
	f.report.residual = fmin(f.report.residual, DBL_MAX);
	return f.report;
}

lm_act_forward_report lm_act_physics_forward(lm_act* body, const double* X, double tolerance, int32_t most_iterations,
                                             double* y)
{
	lm_act_system system = { .bodies = &body, .X = &X, .count = 1, .n = body->unknowns };
	return lm_act_system_forward(&system, tolerance, most_iterations, y);
}
