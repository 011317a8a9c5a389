// The iteration of a step; see solver.h.
#include "track/solver.h"

#include "base/alloc.h"
#include "base/error.h"
#include "math/vec.h"
#include "track/lean.h"

#include <string.h>

// ---- the direction -----------------------------------------------------------------------------------------------

// Factorises, shifted until the inertia is right. False when no shift is enough.
static bool factorize(lm_track_run* r)
{
	double tau = r->tau;
	for (int tries = 0; tries < 24; ++tries)
	{
		++r->report.factorizations;
		if (lm_track_factorize(r->s, r->p, tau))
		{
			r->shifted = tau > 0;
			r->tau = tau < 0.5 ? 0 : tau / 4; // decays
			return true;
		}
		tau = tau > 0 ? 4 * tau : 0.5;
	}
	return false;
}

static lm_status find_direction(lm_track_run* r, bool* found)
{
	lm_track_solver* s = r->s;
	*found = false;
	lm_track_measure_rows(r, r->x, s->c);
	lm_track_set_row_blocks(r);
	lm_status status = lm_track_assemble(s, r->p, r->x, r->limits->threads, r->error);
	if (status != LM_OK)
		return status;
	lm_track_set_right(r);
	if (r->carry_now)
		lm_track_add_carrying(r);
	*found = factorize(r) && lm_track_refined_solve(s, r->relaxed ? 1 : 0);
	return LM_OK;
}

// ---- steps -------------------------------------------------------------------------------------------------------

static lm_status take_newton_step(lm_track_run* r, double* taken)
{
	if (!r->relaxed)
		lm_track_update_mu(r);
	r->report.step = lm_track_longest_move(r, r->s->solution);
	double first;
	lm_status status = lm_track_cut_displacement(r, &first);
	return status == LM_OK ? lm_track_search_line(r, first, taken) : status;
}

// ---- phases ------------------------------------------------------------------------------------------------------

// Hard constraints are relaxed when contact makes steps short, when they take long, or when they pull too strongly.
static bool should_give_way(const lm_track_run* r)
{
	return !r->relaxed && r->s->rows > 0 &&
	       (lm_track_exceeds_bound(r) || r->short_steps >= 4 || r->report.iterations >= 20 ||
	        (r->report.iterations >= 5 && lm_track_rows_too_strong(r)));
}

// Whether Newton's method has converged, or would with the next step: near the end a move is as C times the square of
// the one before, so that two of them predict the third, step^3 / before^2.
static bool has_converged(lm_track_run* r, double taken, bool whole)
{
	double step = r->report.step, before = r->before, tolerance = r->limits->tolerance;
	r->before = whole && taken == 1 ? step : 0;
	if (taken < 1 || r->report.obstacles_left > 0)
		return false;
	bool predicted =
		!r->relaxed && whole && step < 100 * tolerance && step * step * step <= 0.25 * tolerance * before * before;
	return step <= tolerance || predicted;
}

// Whether this was the last iteration; gives way where that is called for.
static bool is_done(lm_track_run* r, double taken, bool whole)
{
	double step = r->report.step;
	r->short_steps = taken < 0.1 ? r->short_steps + 1 : 0;
	bool converged = !r->carry_now && has_converged(r, taken, whole) && !lm_track_exceeds_bound(r);
	if (!converged && taken == 0 && !r->carry_now && !r->relaxed && r->s->rows > 0)
		lm_track_give_way(r);
	else if (!converged && taken == 0 && step > r->limits->tolerance && r->short_steps > 3)
	{
		r->report.outcome = LM_TRACK_STALLED;
		return true;
	}
	else if (!converged && !r->carry_now && taken == 0 && step <= r->limits->tolerance && r->report.obstacles_left == 0)
		converged = true; // the limit of rounding
	else if (!converged && should_give_way(r))
		lm_track_give_way(r);
	r->report.outcome = converged ? LM_TRACK_CONVERGED : r->report.outcome;
	return converged;
}

// Obstacles first. Where they cannot arrive alone, every second iteration carries the cloth along.
static lm_status iterate(lm_track_run* r, bool* done)
{
	lm_status status = r->report.obstacles_left > 0 ? lm_track_push_obstacles(r) : LM_OK;
	r->carry_now = r->report.obstacles_left > 0 && !r->carry_now;
	if (status == LM_OK)
		status = lm_track_fit_pattern(r->s, r->p, r->x, r->limits->threads, &r->report.analyses, r->error);
	bool found = false;
	if (status == LM_OK)
		status = find_direction(r, &found);
	double taken = 0;
	if (status == LM_OK && found)
		status = r->carry_now ? lm_track_carry(r, &taken) : take_newton_step(r, &taken);
	if (status != LM_OK)
		return status;
	if (found)
		lm_track_update_multipliers(r, taken);
	r->way += taken;
	*done = is_done(r, taken, found && !r->shifted);
	return LM_OK;
}

void lm_track_finish_report(lm_track_run* r)
{
	lm_track_measure_rows(r, r->x, r->s->c);
	r->report.rows = lm_track_report_rows(r->s, r->p, 0, r->s->rows, r->limits->constraint);
	r->report.stalled = r->way < 0.01 && r->report.outcome != LM_TRACK_CONVERGED;
	if (r->p->clearance != NULL)
	{
		r->report.pairs = lm_clearance_pair_count(r->p->clearance);
		r->report.smallest_gap = lm_clearance_smallest(r->p->clearance, r->x, r->p->reach);
	}
}

// Obstacles that are where they shall be are not asked for.
static bool any_obstacle_moves(const lm_track_solver* s, const lm_track_problem* p, const double* x)
{
	return s->obstacles > 0 &&
	       memcmp(x + 3 * (int64_t)s->n, p->obstacles, 3 * (size_t)s->obstacles * sizeof(double)) != 0;
}

lm_status lm_track_begin_run(lm_track_run* r)
{
	lm_track_solver* s = r->s;
	r->report.outcome = LM_TRACK_BUDGET;
	r->report.obstacles_left = any_obstacle_moves(s, r->p, r->x) ? 1 : 0;
	memset(s->loose, 0, (size_t)s->rows * sizeof *s->loose);
	memset(s->loosened, 0, (size_t)s->rows * sizeof *s->loosened);
	memcpy(s->start, r->x, 3 * (size_t)(s->n + s->obstacles) * sizeof(double));
	lm_status status = lm_track_find_pairs(r, r->x);
	return status == LM_OK ? lm_track_find_friction_pairs(s, r->p, r->x, r->error) : status;
}

lm_status lm_track_go_on(const lm_track_run* r)
{
	if (lm_progress(&r->s->host, "step", LM_PROGRESS_UNKNOWN))
		return LM_OK;
	return lm_fail(r->error, LM_CANCELLED, "the step was cancelled");
}

lm_status lm_track_solve(lm_track_solver* solver, const lm_track_problem* problem, const lm_track_limits* limits,
                         double* x, double* multipliers, lm_track_solve_report* report, lm_error* error)
{
	lm_track_run r = { .s = solver, .p = problem, .limits = limits, .x = x, .q = multipliers, .error = error };
	r.search_reach = LM_TRACK_MARGIN * problem->reach;
	lm_status status = lm_track_begin_run(&r);
	if (!problem->keep_pattern)
		lm_track_release_pattern(solver);
	bool done = false;
	while (status == LM_OK && !done && r.report.iterations < limits->most_iterations)
	{
		status = iterate(&r, &done);
		++r.report.iterations;
		if (status == LM_OK)
			status = lm_track_go_on(&r);
	}
	if (status == LM_OK && r.report.obstacles_left > 0)
		status = lm_track_push_each(&r);
	if (status == LM_OK)
		lm_track_finish_report(&r);
	*report = r.report;
	return status;
}

// ---- creation ----------------------------------------------------------------------------------------------------

lm_status lm_track_solver_create(int32_t vertex_count, int32_t obstacle_count, int32_t rows, const lm_host* host,
                                 lm_track_solver** solver, lm_error* error)
{
	lm_track_solver* s = LM_NEW(host, 1, lm_track_solver);
	if (s == NULL)
		return lm_fail_memory(error);
	s->host = *host, s->n = vertex_count, s->obstacles = obstacle_count, s->rows = rows;
	int64_t all = 3 * ((int64_t)vertex_count + obstacle_count), unknowns = 3 * ((int64_t)vertex_count + rows);
	double** positions[] = { &s->start, &s->trial, &s->displacement, &s->gradient };
	double** vectors[] = { &s->right, &s->solution, &s->residual, &s->product };
	bool enough = true;
	for (int i = 0; i < 4; ++i)
	{
		*positions[i] = LM_NEW(host, all, double), *vectors[i] = LM_NEW(host, unknowns, double);
		enough = enough && *positions[i] != NULL && *vectors[i] != NULL;
	}
	s->c = LM_NEW(host, 3 * (int64_t)rows, double);
	s->c_trial = LM_NEW(host, 3 * (int64_t)rows, double);
	s->D = LM_NEW(host, 9 * (int64_t)rows, double);
	s->loose = LM_NEW(host, rows, bool);
	s->loosened = LM_NEW(host, rows, int8_t);
	if (enough && s->c != NULL && s->c_trial != NULL && s->D != NULL && s->loose != NULL && s->loosened != NULL)
	{
		*solver = s;
		return LM_OK;
	}
	lm_track_solver_destroy(s);
	return lm_fail_memory(error);
}

void lm_track_solver_destroy(lm_track_solver* solver)
{
	if (solver == NULL)
		return;
	lm_track_release_pattern(solver);
	lm_host host = solver->host;
	lm_lean_destroy(solver->lean, &host);
	void* all[] = { solver->locals,       solver->values,  solver->friction_pairs,
		            solver->pair_locals,  solver->start,   solver->trial,
		            solver->displacement, solver->c,       solver->c_trial,
		            solver->gradient,     solver->right,   solver->solution,
		            solver->residual,     solver->product, solver->D,
		            solver->loose,        solver->loosened };
	for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
		lm_free(&host, all[i]);
	lm_free(&host, solver);
}
