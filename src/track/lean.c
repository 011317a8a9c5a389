// The iteration of a lean step; see lean.h.
#include "track/lean.h"

#include <string.h>

static const double accuracy = 0.1;   // of a direction
static const double short_step = 0.3; // of a direction: when contact allows less, regions that touch give way
#define PATIENCE 2                    // iterations: then regions that pull more than they may give way
#define MOST_GIVEN 3                  // times that regions give way in a step
// Times the iterations, where obstacles have not arrived, and where regions are missed: exactly it would take longer.
#define LONGER_OBSTACLES 5
#define LONGER_REGIONS 10

static bool factorize(lm_track_run* r)
{
	const lm_track_solver* s = r->s;
	++r->report.factorizations;
	lm_factor_report report = lm_cholesky_factorize(s->lean->ldl, s->lean->values, 0);
	return report.status == LM_FACTOR_OK && report.negative == 3 * (int64_t)s->rows;
}

static bool solve(lm_track_run* r)
{
	return factorize(r) && lm_lean_solve(r->s, accuracy, r->limits->tolerance);
}

// Whether the last factorisation already shows that this direction moves nothing far enough to be seen: it then serves
// as it is. The share is for what has changed since: of those tried the largest that leaves a drape's heights as near
// to the exact ones as factorising anew does (0.73 %; at a share of 0.25 it is 0.80 %, at 0.5 1.04 %).
static const double surely_still = 0.15; // of the tolerance

static bool is_still(lm_track_run* r)
{
	lm_track_solver* s = r->s;
	if (!r->whole || r->carry_now || !lm_cholesky_solve(s->lean->ldl, 1, s->right, s->solution))
		return false;
	return lm_track_longest_move(r, s->solution) <= surely_still * r->limits->tolerance;
}

static bool any_is_loose(const lm_track_solver* s)
{
	for (int32_t i = 0; i < s->rows; ++i)
		if (s->loose[i])
			return true;
	return false;
}

// With clamped elements and then, if need be, in double precision; both until the end of the step.
static lm_status find_it_all_the_same(lm_track_run* r, bool* found)
{
	lm_status status = LM_OK;
	if (!r->clamped)
	{
		r->clamped = true;
		status = lm_lean_assemble(r->s, r->p, r->x, true, r->limits->threads, r->error);
		*found = status == LM_OK && solve(r);
	}
	if (status != LM_OK || *found || r->report.in_double)
		return status;
	r->report.in_double = true;
	status = lm_lean_use_double(r->s, true, r->error);
	*found = status == LM_OK && solve(r);
	return status;
}

static lm_status find_direction(lm_track_run* r, bool* found)
{
	lm_track_solver* s = r->s;
	lm_track_measure_rows(r, r->x, s->c);
	lm_track_set_row_blocks(r);
	r->clamped = r->clamped || any_is_loose(s);
	lm_status status = lm_lean_assemble(s, r->p, r->x, r->clamped, r->limits->threads, r->error);
	*found = false;
	if (status != LM_OK)
		return status;
	lm_track_set_right(r);
	if (r->carry_now)
		lm_lean_add_carrying(r);
	*found = is_still(r) || solve(r);
	return *found ? LM_OK : find_it_all_the_same(r, found);
}

// Regions that touch give way when contact lets the cloth go a short way only; then nothing is taken of it.
static lm_status take_step(lm_track_run* r, double* allowed, double* taken, bool* gave_way)
{
	lm_track_update_mu(r);
	r->report.step = lm_track_longest_move(r, r->s->solution);
	lm_status status = lm_track_cut_displacement(r, allowed);
	*gave_way = false;
	if (status == LM_OK && *allowed < short_step && r->given < MOST_GIVEN)
		*gave_way = lm_track_loosen_touching(r) > 0;
	r->given += *gave_way;
	if (status == LM_OK && !*gave_way)
		status = lm_track_search_line(r, *allowed, taken);
	return status;
}

// Whether a region is farther away than so many times what counts as met, although it could pull more.
static bool misses_regions(lm_track_run* r, double times)
{
	return r->s->rows > 0 && lm_track_rows_missed(r, times * r->limits->constraint);
}

static lm_status iterate(lm_track_run* r, bool* done)
{
	lm_status status = r->report.obstacles_left > 0 ? lm_track_push_obstacles(r) : LM_OK;
	r->carry_now = r->report.obstacles_left > 0 && !r->carry_now;
	bool found = false, gave_way = false;
	double allowed = 0, taken = 0;
	if (status == LM_OK)
		status = find_direction(r, &found);
	if (status == LM_OK && found)
		status = r->carry_now ? lm_track_carry(r, &taken) : take_step(r, &allowed, &taken, &gave_way);
	if (status != LM_OK)
		return status;
	r->report.failed = !found;
	*done = !found;
	if (!found || gave_way)
		return LM_OK;
	lm_track_update_multipliers(r, taken);
	r->way += taken;
	r->whole = taken == 1 && !r->whole && !r->carry_now && !r->relaxed && !any_is_loose(r->s);
	if (taken > 0.5)
		lm_track_hold_again(r);
	if (r->report.iterations >= PATIENCE || r->p->bounded)
		lm_track_loosen_strong(r);
	if (r->report.iterations + 1 == r->limits->most_iterations && misses_regions(r, 1))
		lm_track_give_way(r);
	bool still =
		!r->carry_now && r->report.obstacles_left == 0 && allowed == 1 && r->report.step <= r->limits->tolerance;
	if (still && !misses_regions(r, 1) && !lm_track_exceeds_bound(r))
		r->report.outcome = LM_TRACK_CONVERGED, *done = true;
	return LM_OK;
}

// Few iterations; more where regions are missed although they could pull more, or obstacles have not arrived.
static bool is_enough(lm_track_run* r)
{
	int most = r->limits->most_iterations;
	if (r->report.iterations < most)
		return false;
	bool wait = r->report.obstacles_left > 0 && r->report.iterations < LONGER_OBSTACLES * most;
	return !wait && (r->report.iterations >= LONGER_REGIONS * most || !misses_regions(r, 1));
}

lm_status lm_track_solve_lean(lm_track_solver* solver, const lm_track_problem* problem, const lm_track_limits* limits,
                              double* x, double* multipliers, lm_track_solve_report* report, lm_error* error)
{
	lm_track_run r = { .s = solver, .p = problem, .limits = limits, .x = x, .q = multipliers, .error = error };
	r.search_reach = problem->reach;
	lm_status status = lm_lean_create(solver, problem, error);
	if (status == LM_OK)
		status = lm_lean_use_double(solver, problem->in_double, error);
	if (status == LM_OK)
		status = lm_track_begin_run(&r);
	r.report.in_double = problem->in_double;
	if (status == LM_OK)
		lm_track_loosen_missed(&r);
	if (status == LM_OK)
		lm_lean_guess(solver, problem, x);
	bool done = false;
	while (status == LM_OK && !done && !is_enough(&r))
	{
		status = iterate(&r, &done);
		if (status == LM_OK)
			memcpy(solver->lean->guess, solver->solution, 3 * (size_t)solver->n * sizeof(double));
		++r.report.iterations;
		if (status == LM_OK)
			status = lm_track_go_on(&r);
	}
	if (status == LM_OK && r.report.obstacles_left > 0)
		status = lm_track_push_each(&r);
	if (status == LM_OK)
	{
		r.report.failed = r.report.failed || misses_regions(&r, 10);
		lm_track_finish_report(&r);
	}
	*report = r.report;
	return status;
}
