// control_search.c: how far to go along the model's step.
//
// Points are compared by the exact penalty function f + gamma |c|_1, gamma = max(gamma/2, 1.2 max |lambda|). Every
// trial point is first brought closer to the physics by one more solve with the factorisation at hand, y -= D^-1 c (the
// second-order correction, the largest single gain of all variants tried). Trial points whose rest elements have shrunk
// below settings.smallest_rest of their size are refused, unless the present ones are worse.
#include "act/goals.h"
#include "act/optimizer.h"
#include "act/physics.h"

#include <math.h>
#include <string.h>

#define ARMIJO 1e-4
#define SHORTEST 1e-4 // share of the step below which no improvement is expected any more
#define SHRINKS 0.2   // what a polishing step must make of c to be followed by another
#define MOST_POLISHING 6

static double merit(const lm_act_optimizer* o, const lm_act_point* point)
{
	double value = lm_act_point_value(point) + o->gamma * point->violation;
	return isfinite(value) ? value : INFINITY;
}

static void update_gamma(lm_act_optimizer* o)
{
	double largest = 0;
	for (int64_t i = 0; i < o->n; ++i)
		largest = fmax(largest, fabs(o->lambda[i]));
	o->gamma = fmax(o->gamma / 2, 1.2 * largest);
}

// dy = -D^-1 (c + E dp), or S dp - d where S is there (and d in dy).
static bool complete_step(lm_act* body)
{
	lm_act_optimizer* o = body->optimizer;
	int64_t n = o->n, m = o->m;
	if (o->by_parameters)
	{
		for (int64_t i = 0; i < n; ++i)
			o->dy[i] = -o->dy[i];
		for (int64_t k = 0; k < m; ++k)
			for (int64_t i = 0; i < n; ++i)
				o->dy[i] += o->S[k * n + i] * o->dp[k];
		return true;
	}
	for (int64_t i = 0; i < n; ++i)
	{
		double sum = o->now.c[i];
		for (int64_t k = 0; k < m; ++k)
			sum += o->E[i * m + k] * o->dp[k];
		o->dy[i] = -sum;
	}
	return lm_act_physics_solve(body, 1, o->dy, o->dy);
}

// The merit's derivative along the step.
static double slope(const lm_act* body)
{
	const lm_act_optimizer* o = body->optimizer;
	double sum = -o->gamma * o->now.violation;
	for (int32_t r = 0; r < body->goals.count; ++r)
		sum += o->now.r[r] * o->scale[r] * lm_act_goals_value(&body->goals, r, o->dy);
	for (int64_t k = 0; k < o->m; ++k)
		sum += o->slope[k] * o->dp[k];
	return sum;
}

static double smallest_rest(const lm_act* body, const double* X)
{
	return lm_act_rest_smallest(&body->rest, body->elastic, body->mesh, X);
}

static bool place_trial(lm_act* body, double step, double smallest)
{
	lm_act_optimizer* o = body->optimizer;
	for (int64_t k = 0; k < o->m; ++k)
		o->trial.p[k] = o->now.p[k] + step * o->dp[k];
	for (int64_t i = 0; i < o->n; ++i)
		o->trial.y[i] = o->now.y[i] + step * o->dy[i];
	lm_act_rest_shape(&body->rest, o->trial.p, o->trial.X);
	return smallest_rest(body, o->trial.X) >= smallest;
}

// y -= D^-1 c
static bool correct(lm_act* body, lm_act_point* point)
{
	lm_act_optimizer* o = body->optimizer;
	lm_act_physics_residual(body, point->X, point->y, point->c);
	if (!lm_act_physics_solve(body, 1, point->c, o->other))
		return false;
	for (int64_t i = 0; i < o->n; ++i)
		point->y[i] -= o->other[i];
	return true;
}

static void swap_points(lm_act_point* a, lm_act_point* b)
{
	lm_act_point c = *a;
	*a = *b, *b = c;
}

bool lm_act_search(lm_act* body)
{
	lm_act_optimizer* o = body->optimizer;
	if (!complete_step(body))
		return false;
	update_gamma(o);
	double before = merit(o, &o->now), fall = slope(body);
	double smallest = fmin(body->settings.smallest_rest, smallest_rest(body, o->now.X));
	if (!(fall < 0))
		return false;
	for (double step = 1; step >= SHORTEST; step /= 2)
	{
		if (!place_trial(body, step, smallest) || !correct(body, &o->trial))
			continue;
		lm_act_point_evaluate(body, &o->trial);
		if (merit(o, &o->trial) > before + ARMIJO * step * fall)
			continue;
		swap_points(&o->now, &o->trial);
		return true;
	}
	return false;
}

void lm_act_polish(lm_act* body, lm_act_point* point, double tolerance)
{
	lm_act_optimizer* o = body->optimizer;
	double left = lm_act_physics_relative(body, point->c);
	for (int k = 0; k < MOST_POLISHING && left > tolerance; ++k)
	{
		memcpy(o->trial.y, point->y, (size_t)o->n * sizeof *point->y);
		if (!lm_act_physics_solve(body, 1, point->c, o->other))
			return;
		for (int64_t i = 0; i < o->n; ++i)
			point->y[i] -= o->other[i];
		lm_act_physics_residual(body, point->X, point->y, point->c);
		double now = lm_act_physics_relative(body, point->c);
		if (!(now < left)) // no closer: back, and leave it to Newton's method
		{
			memcpy(point->y, o->trial.y, (size_t)o->n * sizeof *point->y);
			lm_act_physics_residual(body, point->X, point->y, point->c);
			return;
		}
		if (now > SHRINKS * left)
			return;
		left = now;
	}
}
