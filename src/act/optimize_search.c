// optimize_search.c: backtracking line search along the step of the model.
//
// Points are compared by the exact penalty function f + gamma |c|_1, gamma = max(gamma/2, 1.2 max |lambda|). Every
// trial point is first brought closer to the physics by one more solve with the factorisation at hand, y -= D^-1 c (the
// second-order correction, the variant that helped most), and again while c would cost much of the
// decrease. Where that does not help, contact has come or gone, and the physics of shorter steps is solved anew. A
// point that takes more than LM_ACT_TRIAL_FACTORIZATIONS counts as refused, and once a step of control has taken
// MOST_FACTORIZATIONS nothing is solved anew any more: fallen letters took thousands otherwise. Trial
// points whose rest elements have shrunk below settings.smallest_rest of their size are refused, unless the present
// ones are worse.
#include "act/goals.h"
#include "act/optimizer.h"
#include "act/physics.h"

#include <math.h>
#include <string.h>

#define ARMIJO 1e-4
#define SHRINKS 0.2         // what a polishing step must make of c to be followed by another
#define WEAK_CORRECTION 0.5 // what a correction of a trial point must make of c
#define MOST_CORRECTIONS 4  // of a trial point
#define CORRECTED 5         // trial points 1, 1/2, ... of the step that are corrected
#define SOLVED_ANEW 4       // and then 1/2, 1/8, ... with the physics solved anew
#define SOLVED 1e-4         // of the weight
#define MOST_FACTORIZATIONS 150
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
		{
			o->dy[i] = -o->dy[i];
			for (int64_t k = 0; k < m; ++k)
				o->dy[i] += o->S[i * m + k] * o->dp[k];
		}
		return true;
	}
	lm_act_rest_change(&body->rest, o->dp, o->rest_vector);
	memcpy(o->dy, o->now.c, (size_t)n * sizeof *o->dy);
	lm_elastic_apply_factors(body->elastic, o->factors, o->rest_vector, o->dy);
	for (int64_t i = 0; i < n; ++i)
		o->dy[i] = -o->dy[i];
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

static bool place_trial(lm_act* body, double step, double smallest)
{
	lm_act_optimizer* o = body->optimizer;
	for (int64_t k = 0; k < o->m; ++k)
		o->trial.p[k] = o->now.p[k] + step * o->dp[k];
	for (int64_t i = 0; i < o->n; ++i)
		o->trial.y[i] = o->now.y[i] + step * o->dy[i];
	lm_act_rest_shape(&body->rest, o->trial.p, o->trial.X);
	o->trial.smallest = lm_act_rest_smallest(&body->rest, body->elastic, body->mesh, o->trial.X);
	return o->trial.smallest >= smallest;
}

static double sum_of(int64_t n, const double* c)
{
	double sum = 0;
	for (int64_t i = 0; i < n; ++i)
		sum += fabs(c[i]);
	return sum;
}

// y -= D^-1 c, and c there; false when there is no such point.
static bool correct(lm_act* body, lm_act_point* point)
{
	lm_act_optimizer* o = body->optimizer;
	double before = sum_of(o->n, point->c);
	if (!lm_act_physics_solve(body, 1, point->c, o->other))
		return false;
	for (int64_t i = 0; i < o->n; ++i)
		point->y[i] -= o->other[i];
	lm_act_physics_residual(body, point->X, point->y, point->c);
	point->violation = sum_of(o->n, point->c);
	o->contraction = before > 0 ? point->violation / before : 0;
	return isfinite(point->violation);
}

static void swap_points(lm_act_point* a, lm_act_point* b)
{
	lm_act_point c = *a;
	*a = *b, *b = c;
}

// Brings the trial point close to the physics: the penalty of c shall be small beside the expected
// decrease.
static bool correct_trial(lm_act* body, double expected)
{
	lm_act_optimizer* o = body->optimizer;
	lm_act_physics_residual(body, o->trial.X, o->trial.y, o->trial.c);
	for (int k = 0; k < MOST_CORRECTIONS; ++k)
		if (!correct(body, &o->trial))
			return false;
		else if (o->gamma * o->trial.violation <= 0.1 * expected || o->contraction > WEAK_CORRECTION)
			break;
	return true;
}

// Where contact comes and goes D says little of the trial point: there the physics is solved anew.
static bool solve_trial(lm_act* body)
{
	lm_act_optimizer* o = body->optimizer;
	lm_act_effort effort = { SOLVED, LM_ACT_TRIAL_ITERATIONS, LM_ACT_TRIAL_FACTORIZATIONS, false };
	lm_act_forward_report report = lm_act_physics_forward(body, o->trial.X, effort, o->trial.y);
	o->factorizations += report.factorizations;
	lm_act_physics_residual(body, o->trial.X, o->trial.y, o->trial.c);
	return report.converged;
}

bool lm_act_search(lm_act* body)
{
	lm_act_optimizer* o = body->optimizer;
	if (!complete_step(body))
		return false;
	update_gamma(o);
	double before = merit(o, &o->now), fall = slope(body);
	double smallest = fmin(body->settings.smallest_rest, o->now.smallest);
	if (!(fall < 0))
		return false;
	for (int trial = 0; trial < CORRECTED + SOLVED_ANEW; ++trial)
	{
		bool anew = trial >= CORRECTED;
		if (anew && (!o->fresh || o->factorizations >= MOST_FACTORIZATIONS))
			break;
		double step = anew ? ldexp(0.5, -2 * (trial - CORRECTED)) : ldexp(1, -trial);
		if (!place_trial(body, step, smallest))
			continue;
		if (!(anew ? solve_trial(body) : correct_trial(body, -step * fall)))
			continue;
		lm_act_point_measure(body, &o->trial);
		if (merit(o, &o->trial) > before + ARMIJO * step * fall)
			continue;
		o->factorized = o->factorized && !anew;
		o->fresh = false;
		swap_points(&o->now, &o->trial);
		return true;
	}
	return false;
}

double lm_act_polish(lm_act* body, lm_act_point* point, double tolerance)
{
	lm_act_optimizer* o = body->optimizer;
	double left = lm_act_physics_relative(body, point->c);
	for (int k = 0; k < MOST_POLISHING && left > tolerance; ++k)
	{
		memcpy(o->trial.y, point->y, (size_t)o->n * sizeof *point->y);
		memcpy(o->trial.c, point->c, (size_t)o->n * sizeof *point->c);
		bool corrected = correct(body, point);
		double now = corrected ? lm_act_physics_relative(body, point->c) : left;
		if (!(now < left)) // no closer: back, and leave it to Newton's method
		{
			memcpy(point->y, o->trial.y, (size_t)o->n * sizeof *point->y);
			memcpy(point->c, o->trial.c, (size_t)o->n * sizeof *point->c);
			point->violation = sum_of(o->n, point->c);
			return left;
		}
		bool slow = now > SHRINKS * left;
		left = now;
		if (slow)
			break;
	}
	return left;
}
