// settle.c: static equilibrium: the nearest minimum of W(X, y) - sum m g . y + drags + springs of colliders. This is
// the energy of a step (equation.h) without inertia, damping and friction, which hold nothing in the long run.
//
// A body that nothing holds falls: its equilibrium is the one it has while it falls, where gravity deforms nothing, so
// gravity is left out.
#include "act/equation.h"
#include "act/touches.h"
#include "base/alloc.h"
#include "base/error.h"
#include "solve/newton.h"

#include <math.h>
#include <string.h>

#define LM_SETTLE_TOLERANCE 1e-10 // of the weight
#define LM_SETTLE_ITERATIONS 500
#define LM_SETTLE_ROUNDS 8
#define LM_SINK_STEP 0.1 // s
#define LM_SINK_LONGEST 10
#define LM_SINK_STEPS 200
#define LM_SINK_STILL 1e-5 // of the size
#define LM_SINK_EFFORT ((lm_act_effort){ 1e-6, 30, INT32_MAX, false })

typedef struct statics
{
	lm_act* body;
	double gravity[3];
} statics;

static double value(void* context, const double* y)
{
	const statics* s = context;
	const lm_act* body = s->body;
	double energy = lm_act_equation_energy(s->body, body->X, y) + lm_act_links_energy(&body->physics->alone, y);
	for (int64_t i = 0; i < body->unknowns; ++i)
		energy -= body->masses[i / body->dimension] * s->gravity[i % body->dimension] * y[i];
	return energy;
}

static void gradient(void* context, const double* y, double* g)
{
	const statics* s = context;
	const lm_act* body = s->body;
	lm_act_physics_residual(s->body, body->X, y, g);
	for (int64_t i = 0; i < body->unknowns; ++i)
		g[i] -= body->masses[i / body->dimension] * s->gravity[i % body->dimension];
	lm_act_equation_clear_pinned(body, g);
}

// The exact matrix where it is positive definite; else the convex one, and the shift that it may need.
static bool factorize(void* context, const double* y, double shift)
{
	const statics* s = context;
	lm_act_system_assemble(&s->body->physics->alone, y, false, shift > 0);
	return lm_act_system_factorize(&s->body->physics->alone, shift);
}

static bool solve(void* context, const double* g, double* d)
{
	const statics* s = context;
	return lm_act_system_solve(&s->body->physics->alone, g, d);
}

static bool is_held(const lm_act* body, const lm_colliders* colliders)
{
	bool held = colliders != NULL && lm_colliders_count(colliders) > 0;
	for (int32_t v = 0; v < body->vertex_count && !held; ++v)
		held = body->pinned[v] || body->drag_strengths[v] > 0;
	return held;
}

static double mean_diagonal(lm_act* body)
{
	const lm_pattern* pattern = lm_elastic_get(body->elastic).pattern;
	lm_act_system_assemble(&body->physics->alone, body->y, false, true);
	double sum = 0;
	for (int32_t i = 0; i < pattern->n; ++i)
		sum += body->physics->values[pattern->diagonal[i]];
	return sum / pattern->n;
}

static lm_newton_report minimise(lm_act* body, const lm_colliders* colliders, double* work)
{
	statics s = { .body = body };
	if (is_held(body, colliders))
		memcpy(s.gravity, body->settings.gravity, sizeof s.gravity);
	const double* g = body->settings.gravity;
	lm_newton_settings settings = lm_newton_settings_default();
	settings.tolerance = LM_SETTLE_TOLERANCE * body->mass * fmax(1, hypot(hypot(g[0], g[1]), g[2]));
	settings.most_iterations = LM_SETTLE_ITERATIONS;
	settings.first_shift = fmax(1e-6 * mean_diagonal(body), 1e-30);
	settings.most_shift = 1e18 * settings.first_shift;
	settings.longest_step = body->size;
	settings.noise = 1e-13;
	lm_newton_problem problem = {
		.context = &s, .n = body->unknowns, .value = value, .gradient = gradient, .factorize = factorize, .solve = solve
	};
	return lm_newton_solve(&problem, &settings, body->y, work);
}

// One implicit step from rest, without friction, of up to h seconds. *moved: the longest way of a vertex along an axis.
static lm_status sink(lm_act* body, double h, const lm_colliders* colliders, double* moved, lm_error* error)
{
	lm_act_physics* p = body->physics;
	memset(body->v, 0, (size_t)body->unknowns * sizeof *body->v);
	lm_status status = lm_act_equation_begin(body, h, error);
	if (status == LM_OK)
		status = lm_act_touches_find(body, &body, 1, colliders, true, error);
	if (status != LM_OK)
		return status;
	p->damping = 0;
	lm_act_physics_forward(body, body->X, LM_SINK_EFFORT, body->y);
	*moved = 0;
	for (int64_t i = 0; i < body->unknowns; ++i)
	{
		*moved = fmax(*moved, fabs(body->y[i] - body->x[i]));
		body->x[i] = body->y[i];
	}
	return LM_OK;
}

// Lets the body sink onto the colliders: steps that begin at rest lead downhill and meet whatever is in the way. They
// grow as the body comes to lie.
static lm_status lower(lm_act* body, const lm_colliders* colliders, lm_error* error)
{
	double h = LM_SINK_STEP, moved = INFINITY;
	lm_status status = LM_OK;
	for (int k = 0; status == LM_OK && k < LM_SINK_STEPS && moved > LM_SINK_STILL * body->size; ++k)
	{
		status = sink(body, h, colliders, &moved, error);
		if (moved < 0.01 * body->size)
			h = fmin(2 * h, LM_SINK_LONGEST);
	}
	return status;
}

// Equilibria for the touches found at the last one, until those are what is touched there.
static lm_status settle(lm_act* body, const lm_colliders* colliders, double* work, lm_newton_report* newton,
                        lm_error* error)
{
	lm_status status = colliders != NULL ? lower(body, colliders, error) : LM_OK;
	if (status == LM_OK)
		status = lm_act_equation_begin(body, 0, error);
	if (status == LM_OK && colliders != NULL)
		status = lm_act_touches_find(body, &body, 1, colliders, true, error);
	bool changed = status == LM_OK;
	for (int round = 0; status == LM_OK && changed && round < LM_SETTLE_ROUNDS; ++round)
	{
		lm_newton_report last = minimise(body, colliders, work);
		last.iterations += newton->iterations;
		*newton = last;
		changed = false;
		if (colliders != NULL && round + 1 < LM_SETTLE_ROUNDS)
			status = lm_act_touches_find_again(body, colliders, &changed, error);
	}
	return status;
}

lm_status lm_act_settle(lm_act* body, lm_colliders* colliders, lm_act_static_report* report, lm_error* error)
{
	size_t n = (size_t)body->unknowns, bytes = n * sizeof(double);
	double* work = LM_NEW(&body->host, (size_t)lm_newton_work(body->unknowns) + 2 * n, double);
	if (work == NULL)
		return lm_fail_memory(error);
	double *x = work + lm_newton_work(body->unknowns), *v = x + n;
	memcpy(x, body->x, bytes), memcpy(v, body->v, bytes);
	lm_newton_report newton = { 0 };
	lm_status status = settle(body, colliders, work, &newton, error);
	bool good = status == LM_OK;
	memcpy(body->x, good ? body->y : x, bytes);
	if (good)
		memset(body->v, 0, bytes);
	else
		memcpy(body->v, v, bytes);
	lm_free(&body->host, work);
	if (!good)
		return status;
	lm_act_equation_clear_touches(body);
	if (report != NULL)
		*report = (lm_act_static_report){ .converged = newton.outcome == LM_NEWTON_CONVERGED,
			                              .iterations = newton.iterations,
			                              .residual = newton.residual,
			                              .energy = newton.value };
	return LM_OK;
}
