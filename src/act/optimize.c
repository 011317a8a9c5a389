// optimize.c: one step of control (Coros et al. 2012, Eq. 5 and Sec. 6).
//
//     start      y that the physics makes of the last p: without a feasible start characters fail to hop
//     iterate    model (optimize_model.c), step, search (optimize_search.c), until the predicted decrease is below
//                settings.tolerance of the objective, nothing improves (by neither Hessian, where the exact one is
//                wanted), or the iterations are used up. The exact Hessian costs three times as much as that of
//                Gauss and Newton, whose steps are nearly the same at first: it is used once the predicted decrease is
//                below NEAR.
//     examples   have local minima: 0 and every corner of the simplices are further starts, a few in each step
//     close      y that the physics makes of the p found, to LM_ACT_CLOSE of the weight; where it is no better than the
//                start in the end, the last p is kept
//
// Departures from the paper: see optimize_model.c and optimize_search.c; the paper's growing gamma without correction
// converged in 71 % of the steps of a walk, this in all.
#include "act/optimize.h"

#include "act/clock.h"
#include "act/goals.h"
#include "act/optimizer.h"
#include "act/physics.h"

#include <math.h>
#include <string.h>

#define START 1e-4 // of the weight: what the physics of the start is solved to
#define CLOSE 1e-10
#define NEAR 0.01              // of the objective
#define REACH 0.25             // share of the way to a pose that a further start goes
#define ROUGHLY 1e-2           // what is to be left of the physics of a further start
#define START_FACTORIZATIONS 3 // after so many factorisations
#define PLAIN_NEWTON 4         // factorisations before safeguards are called for

static void copy_point(const lm_act* body, const lm_act_point* from, lm_act_point* to)
{
	const lm_act_optimizer* o = body->optimizer;
	memcpy(to->p, from->p, (size_t)o->m * sizeof *to->p);
	memcpy(to->X, from->X, (size_t)o->rest_n * sizeof *to->X);
	memcpy(to->y, from->y, (size_t)o->n * sizeof *to->y);
	memcpy(to->c, from->c, (size_t)o->n * sizeof *to->c);
	memcpy(to->r, from->r, (size_t)body->goals.count * sizeof *to->r);
	to->goals = from->goals, to->regular = from->regular, to->violation = from->violation,
	to->smallest = from->smallest;
}

// The physics of a point whose p, X, y and c are set: Newton's method, each factorisation used as long as it serves;
// where that fails, the safeguarded forward solve. Returns what is left of c relative to the weight.
static double solve_physics(lm_act* body, double tolerance, lm_act_point* point)
{
	lm_act_optimizer* o = body->optimizer;
	double left = o->factorized ? lm_act_polish(body, point, tolerance) : lm_act_physics_relative(body, point->c);
	for (int k = 0; k < PLAIN_NEWTON && left > tolerance; ++k)
	{
		double before = left;
		if (!lm_act_model_factorize(body, point))
			break;
		left = lm_act_polish(body, point, tolerance);
		if (left > 0.5 * before)
			break;
	}
	if (left > tolerance)
	{
		lm_act_effort effort = { tolerance, LM_ACT_TRIAL_ITERATIONS, LM_ACT_TRIAL_FACTORIZATIONS, false };
		lm_act_forward_report report = lm_act_physics_forward(body, point->X, effort, point->y);
		o->factorizations += report.factorizations;
		o->factorized = false;
		left = report.residual;
		lm_act_physics_residual(body, point->X, point->y, point->c);
	}
	return left;
}

// The start: the last p, and of two guesses of y, falling freely or going on as before, the one that fulfils the
// physics better.
static void start_point(lm_act* body, double h)
{
	lm_act_optimizer* o = body->optimizer;
	lm_act_point *now = &o->now, *other = &o->trial;
	double began = lm_act_clock(body);
	memcpy(now->p, body->p, (size_t)o->m * sizeof *now->p);
	memcpy(now->X, body->X, (size_t)o->rest_n * sizeof *now->X);
	memcpy(now->y, body->y, (size_t)o->n * sizeof *now->y);
	for (int64_t i = 0; i < o->n; ++i)
		other->y[i] = body->pinned[i / body->dimension] ? body->y[i] : body->x[i] + h * body->v[i];
	lm_act_physics_residual(body, now->X, now->y, now->c);
	lm_act_physics_residual(body, now->X, other->y, other->c);
	if (lm_act_physics_relative(body, other->c) < lm_act_physics_relative(body, now->c))
	{
		memcpy(now->y, other->y, (size_t)o->n * sizeof *now->y);
		memcpy(now->c, other->c, (size_t)o->n * sizeof *now->c);
	}
	solve_physics(body, START, now);
	now->smallest = lm_act_rest_smallest(&body->rest, body->elastic, body->mesh, now->X);
	lm_act_point_measure(body, now);
	o->spent.start += lm_act_clock(body) - began;
}

// The model at `now`, and its step. False when there is none; *predicted: the decrease by the model.
static bool model(lm_act* body, double* predicted)
{
	double began = lm_act_clock(body);
	bool made = lm_act_model_build(body);
	*predicted = made ? lm_act_model_step(body) : 0;
	body->optimizer->spent.model += lm_act_clock(body) - began;
	return made;
}

static bool search(lm_act* body)
{
	double began = lm_act_clock(body);
	bool found = lm_act_search(body);
	body->optimizer->spent.search += lm_act_clock(body) - began;
	return found;
}

static lm_act_outcome iterate(lm_act* body, int32_t budget, int32_t* iterations)
{
	lm_act_optimizer* o = body->optimizer;
	double last = 0; // decrease of the iteration before
	bool exact = lm_act_is_exact(body), near = false;
	o->gamma = 0;
	o->fresh = false;
	o->plain = true;
	for (; *iterations < budget; ++*iterations)
	{
		double predicted, before = lm_act_point_value(&o->now), enough = body->settings.tolerance * before;
		bool made = model(body, &predicted);
		if (made && exact && !near && predicted <= NEAR * before && predicted > enough)
		{
			near = true, o->plain = false;
			made = model(body, &predicted);
		}
		if (!made)
			return LM_ACT_STALLED;
		if (predicted <= enough)
			return LM_ACT_CONVERGED;
		if (!search(body))
		{
			if (o->fresh && (!exact || (near && o->plain)))
				return LM_ACT_STALLED;
			if (o->fresh) // once more with the other Hessian, or else with the D of here
				o->plain = near, near = true;
			o->factorized = false;
			continue;
		}
		o->plain = !near;
		// Decreases shrink about geometrically: what all further iterations would bring.
		double after = lm_act_point_value(&o->now), decrease = before - after;
		double ratio = last > 0 ? decrease / last : 1;
		if (ratio < 0.5 && decrease * ratio / (1 - ratio) <= body->settings.tolerance * after)
		{
			++*iterations;
			return LM_ACT_CONVERGED;
		}
		last = decrease;
	}
	return LM_ACT_BUDGET;
}

// Physics to the end at `now`; whether it holds.
static bool close(lm_act* body)
{
	lm_act_optimizer* o = body->optimizer;
	double began = lm_act_clock(body), left = solve_physics(body, CLOSE, &o->now);
	lm_act_point_aim(body, &o->now);
	o->spent.close += lm_act_clock(body) - began;
	return left <= 1e-8;
}

// ---- further starts

// Start number `which` of parameters + groups: one group goes to one of its poses, or to the rest shape. False when
// that is where p is, or when the physics there cannot be solved from here.
static bool go_to_start(lm_act* body, int32_t which)
{
	lm_act_optimizer* o = body->optimizer;
	const lm_act_rest* rest = &body->rest;
	lm_act_point* now = &o->now;
	int32_t g = which - o->m, first, end;
	for (int32_t k = 0; which < o->m && k < rest->group_count; ++k)
		if (which < rest->group_start[k + 1])
		{
			g = k;
			break;
		}
	double moved = 0;
	first = rest->group_start[g], end = rest->group_start[g + 1];
	for (int32_t i = first; i < end; ++i)
	{
		double way = REACH * ((i == which) - now->p[i]);
		moved = fmax(moved, fabs(way));
		now->p[i] += way;
	}
	if (moved < 0.1 * REACH)
		return false;
	lm_act_rest_shape(rest, now->p, now->X);
	now->smallest = lm_act_rest_smallest(rest, body->elastic, body->mesh, now->X);
	if (now->smallest < body->settings.smallest_rest)
		return false;
	lm_act_physics_residual(body, now->X, now->y, now->c);
	double left = INFINITY;
	for (int k = 0; k < START_FACTORIZATIONS && left > ROUGHLY && lm_act_model_factorize(body, now); ++k)
		left = lm_act_polish(body, now, ROUGHLY);
	if (left > ROUGHLY)
		return false;
	lm_act_point_measure(body, now);
	return true;
}

// From a point where the physics holds tries the starts whose turn it is, and keeps the best. Returns its outcome.
static lm_act_outcome try_starts(lm_act* body, lm_act_outcome outcome, int32_t* iterations)
{
	lm_act_optimizer* o = body->optimizer;
	int32_t count = o->m + body->rest.group_count, tries = body->settings.starts;
	int64_t turn = body->report.steps % count * tries;
	copy_point(body, &o->now, &o->best);
	for (int32_t k = 0; k < tries && k < count && *iterations + 2 <= body->settings.most_iterations; ++k)
	{
		if (!go_to_start(body, (int32_t)((turn + k) % count)))
		{
			copy_point(body, &o->best, &o->now);
			continue;
		}
		lm_act_outcome other = iterate(body, body->settings.most_iterations, iterations);
		double best = lm_act_point_value(&o->best);
		if (lm_act_point_value(&o->now) < best && close(body) && lm_act_point_value(&o->now) < best)
		{
			copy_point(body, &o->now, &o->best);
			outcome = other;
		}
		copy_point(body, &o->best, &o->now);
	}
	o->factorized = false;
	return outcome;
}

static void report_step(lm_act* body, lm_act_outcome outcome, int32_t iterations)
{
	const lm_act_optimizer* o = body->optimizer;
	lm_act_report* report = &body->report;
	report->outcome = outcome;
	report->iterations = iterations;
	report->factorizations = o->factorizations;
	report->objective_start = lm_act_point_value(&o->start);
	report->objective = lm_act_point_value(&o->now);
	report->goal_part = o->now.goals;
	report->goal_squares += 2 * o->now.goals / body->goals.count;
}

static void hand_over(lm_act* body)
{
	const lm_act_optimizer* o = body->optimizer;
	memcpy(body->p, o->now.p, (size_t)o->m * sizeof *body->p);
	memcpy(body->X, o->now.X, (size_t)o->rest_n * sizeof *body->X);
	memcpy(body->y, o->now.y, (size_t)o->n * sizeof *body->y);
}

void lm_act_optimize_step(lm_act* body, double h)
{
	lm_act_optimizer* o = body->optimizer;
	body->report.iterations = body->report.factorizations = 0;
	body->report.outcome = LM_ACT_KEPT;
	if (!o || body->goals.count == 0 || body->settings.most_iterations == 0)
		return;
	o->factorizations = 0;
	memcpy(o->p_n, body->p, (size_t)o->m * sizeof *o->p_n);
	lm_act_goals_prepare(&body->goals, body->x, h, o->scale, o->goal);
	o->factorized = false;
	start_point(body, h);
	copy_point(body, &o->now, &o->start);

	int32_t iterations = 0;
	lm_act_outcome outcome = iterate(body, body->settings.most_iterations, &iterations);
	// The start fulfils the physics only nearly: what that is worth is the multiplier's to say.
	double worth = lm_act_point_value(&o->start) + o->gamma * o->start.violation;
	bool holds = close(body);
	if (holds && body->rest.group_count > 0 && body->settings.starts > 0)
		outcome = try_starts(body, outcome, &iterations);
	if (!holds || (iterations > 0 && lm_act_point_value(&o->now) > worth * (1 + 1e-9)))
	{
		copy_point(body, &o->start, &o->now);
		o->factorized = false;
		close(body);
		outcome = LM_ACT_KEPT;
	}
	report_step(body, outcome, iterations);
	hand_over(body);
}
