// physics_forward.c: c(X, y) = 0 by a safeguarded Newton method, for one body or several that touch.
//
// A step is accepted when it halves |c|, or decreases Phi (equation.h) by Armijo's condition; the normal forces in Phi
// are frozen anew at each iterate, so that c is its gradient there. Directions come from the exact D; where it is not
// positive definite, or its line search fails, from one made convex term by term, which gives descent directions. D is
// solved with by GMRES, preconditioned by a factorisation of its symmetric part.
//
// If this stalls, friction is lagged: Phi with fixed frozen normal forces is minimised, which always succeeds, the
// forces are frozen anew, a few times, and Newton's method continues from there.
//
// If that fails, too, it starts again from the rest shape (upright.c). All of this ends when the limit of
// factorisations is reached.
//
// Of all points seen the one with the smallest residual is kept: the result is never worse than the start.
#include "act/equation.h"
#include "base/alloc.h"
#include "base/error.h"
#include "solve/gmres.h"
#include "sparse/dense_update.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define LM_ARMIJO 1e-4
#define LM_SHORTEST 1e-7 // step
#define LM_VECTORS 5
#define LM_KRYLOV 40
#define LM_KRYLOV_LOOSE 1e-2 // relative residuals of linear systems
#define LM_KRYLOV_TIGHT 1e-8
#define LM_KRYLOV_STALE 0.1
#define LM_KRYLOV_MANY 12 // iterations from which on a new factorisation is cheaper
#define LM_REUSE 0.6      // of |c| left by a step: its factorisation is good for another one
#define LM_LOST 1e-6      // residual, of the weight, above which a step begins once more from the rest shape
#define LM_ROUNDING 1e-8  // residual below which rounding may be all that is left
#define LM_SLOW_STEPS 4   // iterations there that hardly shrink it
#define LM_MUCH_LESS 0.5  // of |c|, that a start without motion has to leave
#define LM_FAR 0.5        // of its size, that a body is taken by its velocity in a step
#define LM_LAGS 4
#define LM_LAG_ITERATIONS 20

typedef struct forward
{
	lm_act_system* system;
	lm_act_effort effort;
	lm_act_forward_report report;
	double *y, *c, *d, *trial, *trial_c, *best, *krylov;
	double size;           // |c|
	double before;         // |c| of the last iterate
	double slope;          // of Phi along d
	bool lagged;           // c has friction with the frozen normal forces
	bool reusable;         // the last factorisation is of a point near enough
	bool stale;            // the factorisation is of another matrix than the one that was assembled last
	int krylov_iterations; // of the last linear system
} forward;

lm_status lm_act_forward_reserve(lm_act* first, int64_t n, lm_error* error)
{
	lm_act_physics* p = first->physics;
	size_t needed = LM_VECTORS * (size_t)n + (size_t)lm_gmres_work(n, LM_KRYLOV);
	if (!lm_grow(&first->host, (void**)&p->work, &p->work_capacity, needed, sizeof *p->work))
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

static void gradient(const forward* f, const double* y, double* c)
{
	const lm_act_system* s = f->system;
	for (int32_t b = 0; b < s->count; ++b)
		lm_act_equation_residual(s->bodies[b], s->X[b], y + s->base[b], c + s->base[b]);
	lm_act_links_add_gradient(s, y, f->lagged, c);
	for (int32_t b = 0; b < s->count; ++b)
		lm_act_equation_clear_pinned(s->bodies[b], c + s->base[b]);
}

static double energy(const forward* f, const double* y)
{
	const lm_act_system* s = f->system;
	double sum = lm_act_links_energy(s, y);
	for (int32_t b = 0; b < s->count; ++b)
		sum += lm_act_equation_energy(s->bodies[b], s->X[b], y + s->base[b]);
	return sum;
}

static double relative(const lm_act_system* s, const double* c)
{
	double worst = 0;
	for (int32_t b = 0; b < s->count; ++b)
		worst = fmax(worst, lm_act_physics_relative(s->bodies[b], c + s->base[b]));
	return worst;
}

static bool precondition(void* context, const double* x, double* y)
{
	return lm_act_system_solve(context, x, y);
}

static void multiply(void* context, const double* x, double* y)
{
	lm_act_system_multiply(context, x, y);
}

// How well a linear system has to be solved: as well as Newton's method converges (Eisenstat and Walker 1996). With
// an old stiffness a rough solution is enough: an exact one takes more iterations, each as expensive as a solve, and
// gains nothing.
static double forcing(const forward* f)
{
	double ratio = f->before > 0 ? f->size / f->before : 0.05;
	return f->reusable ? LM_KRYLOV_STALE : fmin(LM_KRYLOV_LOOSE, fmax(LM_KRYLOV_TIGHT, 0.1 * ratio * ratio));
}

// d = -D^-1 c
static bool solve(forward* f)
{
	lm_act_system* s = f->system;
	bool good;
	if (f->stale || s->rough || lm_act_links_lack(s))
	{
		lm_gmres_problem problem = { .context = s, .n = s->n, .multiply = multiply, .precondition = precondition };
		f->krylov_iterations = lm_gmres_solve(&problem, f->c, forcing(f), LM_KRYLOV, f->d, f->krylov).iterations;
		good = f->krylov_iterations > 0;
	}
	else
		good = lm_act_system_solve(s, f->c, f->d);
	for (int64_t i = 0; i < s->n && good; ++i)
		f->d[i] = -f->d[i];
	return good;
}

// d from a new factorisation; false when there is no such direction.
static bool direct(forward* f, bool convex)
{
	int64_t n = f->system->n;
	lm_act_system_assemble(f->system, f->y, f->lagged, convex);
	++f->report.factorizations;
	f->reusable = f->stale = false;
	if (!lm_act_system_factorize(f->system, 0) || !solve(f))
		return false;
	f->slope = lm_dense_dot((int)n, f->c, f->d);
	return isfinite(f->slope);
}

// ---- steps

// Whether the trial point, step along d, is better.
static bool better(forward* f, double step, double start_energy, double* size)
{
	gradient(f, f->trial, f->trial_c);
	*size = length(f->system->n, f->trial_c);
	if (!isfinite(*size))
		return false;
	if (*size <= 0.5 * f->size)
		return true;
	if (!(f->slope < 0)) // with friction d need not be a descent direction of Phi
		return *size <= (1 - 0.1 * step) * f->size;
	double change = energy(f, f->trial) - start_energy;
	if (change <= LM_ARMIJO * step * f->slope)
		return true;
	// Where the decrease is below the rounding of the energy, |c| alone decides.
	return -step * f->slope <= 1e-10 * fabs(start_energy) && *size < 0.9 * f->size;
}

static void accept(forward* f, double size)
{
	int64_t n = f->system->n;
	memcpy(f->y, f->trial, (size_t)n * sizeof *f->y);
	memcpy(f->c, f->trial_c, (size_t)n * sizeof *f->c);
	f->before = f->size;
	f->size = size;
}

// Once more with the factorisation at hand, where it still serves: far cheaper than a new one. Only the elastic part is
// that of before; contact, which changes faster, is evaluated anew.
static bool reuse(forward* f)
{
	if (!f->reusable)
		return false;
	lm_act_links_refresh(f->system, f->y, f->lagged);
	if (!solve(f))
		return false;
	for (int64_t i = 0; i < f->system->n; ++i)
		f->trial[i] = f->y[i] + f->d[i];
	gradient(f, f->trial, f->trial_c);
	double size = length(f->system->n, f->trial_c);
	bool good = size <= LM_REUSE * f->size;
	f->reusable = good && f->krylov_iterations <= LM_KRYLOV_MANY;
	if (good)
		accept(f, size);
	return good;
}

// At the first iteration, with the matrix of now and the factorisation at hand, which is of another one of this step.
static bool try_kept(forward* f)
{
	if (!f->effort.kept)
		return false;
	f->effort.kept = false;
	lm_act_system_assemble(f->system, f->y, f->lagged, false);
	f->system->factorized = f->stale = f->reusable = true;
	return reuse(f);
}

// Moves along d; false when no step is good.
static bool search(forward* f)
{
	int64_t n = f->system->n;
	double start = energy(f, f->y), size;
	for (double step = 1; step >= LM_SHORTEST; step *= step > 0.1 ? 0.5 : 0.1)
	{
		for (int64_t i = 0; i < n; ++i)
			f->trial[i] = f->y[i] + step * f->d[i];
		if (!better(f, step, start, &size))
			continue;
		f->reusable = size <= LM_REUSE * f->size;
		accept(f, size);
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

static bool spent(const forward* f)
{
	return f->report.factorizations >= f->effort.factorizations;
}

static bool advance(forward* f)
{
	if (spent(f))
		return false;
	++f->report.iterations;
	return try_kept(f) || reuse(f) || (direct(f, false) && search(f)) || (direct(f, true) && search(f));
}

static void iterate(forward* f, int32_t most)
{
	most += f->report.iterations;
	int in_vain = 0;
	while (f->report.residual > f->effort.tolerance && f->report.iterations < most && in_vain < LM_SLOW_STEPS)
	{
		double before = f->report.residual;
		lm_act_links_freeze(f->system, f->y);
		if (!advance(f))
			return;
		keep_best(f);
		in_vain = before < LM_ROUNDING && f->report.residual > 0.9 * before ? in_vain + 1 : 0;
	}
}

static void evaluate(forward* f)
{
	gradient(f, f->y, f->c);
	f->size = length(f->system->n, f->c);
	f->before = 0;
	f->reusable = false;
}

// Minimises Phi with normal forces frozen here, well enough to freeze them again.
static void lag(forward* f)
{
	f->lagged = true;
	lm_act_links_freeze(f->system, f->y);
	evaluate(f);
	double enough = 1e-3 * f->report.residual;
	for (int k = 0; k < LM_LAG_ITERATIONS && relative(f->system, f->c) > enough; ++k)
		if (!advance(f))
			break;
	f->lagged = false;
	evaluate(f);
}

// The start: where velocities take the bodies in a share of the step, if that leaves less than what is there.
static void try_start(forward* f, double share, double less)
{
	const lm_act_system* s = f->system;
	for (int32_t b = 0; b < s->count; ++b)
	{
		const lm_act* body = s->bodies[b];
		for (int64_t i = 0; i < body->unknowns; ++i)
			f->trial[s->base[b] + i] = body->x[i] + share * body->physics->h * body->v[i];
		lm_act_equation_place_pinned(body, f->trial + s->base[b]);
	}
	gradient(f, f->trial, f->trial_c);
	double size = length(s->n, f->trial_c);
	if (size < less * f->size)
		accept(f, size);
	f->before = 0;
}

// Does its velocity take a body far in one step?
static bool goes_far(const lm_act_system* s)
{
	for (int32_t b = 0; b < s->count; ++b)
	{
		const lm_act* body = s->bodies[b];
		for (int64_t i = 0; i < body->unknowns; ++i)
			if (fabs(body->physics->h * body->v[i]) > LM_FAR * body->size)
				return true;
	}
	return false;
}

// A body at rest, or one that slides, is better begun with where its velocity takes it than with its free flight. One
// that is pressed hard against something, by cloth for example, whose push is a change of velocity, goes nowhere. (With
// friction a step has several solutions: feet that begin where they are, although they are about to leave, may stick.)
static void choose_start(forward* f)
{
	try_start(f, 1, 1);
	if (goes_far(f->system))
		try_start(f, 0, LM_MUCH_LESS);
}

// From the rest shape, whatever is lost by it: bodies that were torn or collapsed get up again so.
static void get_up(forward* f)
{
	const lm_act_system* s = f->system;
	for (int32_t b = 0; b < s->count; ++b)
		lm_act_equation_upright(s->bodies[b], s->X[b], f->y + s->base[b]);
	evaluate(f);
	if (isfinite(f->size))
	{
		keep_best(f);
		iterate(f, f->effort.iterations);
	}
}

static void solve_forward(forward* f)
{
	double tolerance = f->effort.tolerance, stalled = fmax(LM_ROUNDING, tolerance), lost = fmax(LM_LOST, tolerance);
	keep_best(f);
	if (f->report.residual > tolerance)
	{
		choose_start(f);
		keep_best(f);
	}
	iterate(f, f->effort.iterations);
	for (int k = 0; k < LM_LAGS && f->report.residual > stalled && f->system->link_count > 0 && !spent(f); ++k)
	{
		lag(f);
		keep_best(f);
		iterate(f, f->effort.iterations / 2);
	}
	if (f->report.residual > lost && !spent(f))
		get_up(f);
}

lm_act_forward_report lm_act_system_forward(lm_act_system* system, lm_act_effort effort, double* y)
{
	int64_t n = system->n;
	double* work = system->bodies[0]->physics->work;
	forward f = { .system = system,
		          .effort = effort,
		          .y = y,
		          .c = work,
		          .d = work + n,
		          .trial = work + 2 * n,
		          .trial_c = work + 3 * n,
		          .best = work + 4 * n,
		          .krylov = work + 5 * n };
	for (int32_t b = 0; b < system->count; ++b)
		lm_act_equation_place_pinned(system->bodies[b], y + system->base[b]);
	f.report.residual = INFINITY;
	memcpy(f.best, y, (size_t)n * sizeof *y);
	evaluate(&f);
	if (isfinite(f.size))
		solve_forward(&f);
	memcpy(y, f.best, (size_t)n * sizeof *y);
	f.report.converged = f.report.residual <= effort.tolerance;
	f.report.residual = fmin(f.report.residual, DBL_MAX);
	return f.report;
}

lm_act_forward_report lm_act_physics_forward(lm_act* body, const double* X, lm_act_effort effort, double* y)
{
	body->physics->alone.X[0] = X;
	return lm_act_system_forward(&body->physics->alone, effort, y);
}
