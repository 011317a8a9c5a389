// The iteration of a step; see solver.h.
#include "track/solver.h"

#include "base/alloc.h"
#include "base/error.h"
#include "math/vec.h"
#include "track/solver_parts.h"

#include <string.h>

static const double armijo = 1e-4, shortest = 1e-6;

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

double lm_track_longest_move(const lm_track_run* r, const double* d)
{
	double most = 0;
	for (int64_t v = 0; v < r->s->n; ++v)
		most = fmax(most, sqrt(d[3 * v] * d[3 * v] + d[3 * v + 1] * d[3 * v + 1] + d[3 * v + 2] * d[3 * v + 2]));
	return most;
}

// Slope of the merit along the direction.
static double slope(const lm_track_run* r)
{
	double sum = 0;
	for (int64_t i = 0; i < 3 * (int64_t)r->s->n; ++i)
		sum += r->s->gradient[i] * r->s->solution[i];
	return sum + lm_track_row_slope(r);
}

static void take(lm_track_run* r, double fraction, double* to)
{
	lm_track_solver* s = r->s;
	for (int64_t i = 0; i < 3 * (int64_t)s->n; ++i)
		to[i] = r->x[i] + fraction * s->displacement[i];
	for (int64_t i = 3 * (int64_t)s->n; i < 3 * ((int64_t)s->n + s->obstacles); ++i)
		to[i] = r->x[i];
}

lm_status lm_track_find_pairs(lm_track_run* r, const double* x)
{
	return r->p->clearance != NULL ? lm_clearance_find_on_path(r->p->clearance, x, r->limits->threads, r->error)
	                               : LM_OK;
}

// Backtracking line search from the longest safe step. *taken is 0 when it fails.
static lm_status search_line(lm_track_run* r, double first, double* taken)
{
	lm_track_solver* s = r->s;
	double merit = lm_track_energy(s, r->p, r->x, r->limits->threads) + lm_track_row_merit(r, s->c), down = slope(r);
	double noise = 1e-13 * (fabs(merit) + 1e-30);
	*taken = 0;
	for (double fraction = first; fraction > shortest * first; fraction /= 2)
	{
		take(r, fraction, s->trial);
		lm_status status = lm_track_find_pairs(r, s->trial);
		if (status != LM_OK)
			return status;
		lm_track_measure_rows(r, s->trial, s->c_trial);
		double now = lm_track_energy(s, r->p, s->trial, r->limits->threads) + lm_track_row_merit(r, s->c_trial);
		if (now <= merit + armijo * fraction * down + noise)
		{
			memcpy(r->x, s->trial, 3 * (size_t)(s->n + s->obstacles) * sizeof(double));
			*taken = fraction;
			return LM_OK;
		}
	}
	return lm_track_find_pairs(r, r->x); // as it was
}

// What a step leaves of the cloth's own gaps, of the reach: the next step has room then, whatever this one did.
static const double floor_own = 0.3;

// The Newton direction as a displacement of all vertices, limited to the longest move; returns the fraction that
// contact allows.
static double cut_way(lm_track_run* r)
{
	lm_track_solver* s = r->s;
	double move = lm_track_longest_move(r, s->solution),
		   cut = move > r->limits->longest ? r->limits->longest / move : 1;
	memset(s->displacement, 0, 3 * (size_t)(s->n + s->obstacles) * sizeof(double));
	for (int64_t i = 0; i < 3 * (int64_t)s->n; ++i)
		s->displacement[i] = s->solution[i];
	if (r->p->clearance == NULL)
		return cut;
	lm_ccd_settings settings = lm_ccd_settings_default();
	settings.floor = floor_own * r->p->reach;
	return lm_clearance_step(r->p->clearance, r->x, s->displacement, cut, r->p->reach, &settings, r->limits->threads);
}

static lm_status take_newton_step(lm_track_run* r, double* taken)
{
	if (!r->relaxed)
		lm_track_update_mu(r);
	r->report.step = lm_track_longest_move(r, r->s->solution);
	return search_line(r, cut_way(r), taken);
}

// ---- phases ------------------------------------------------------------------------------------------------------

// Hard constraints are relaxed when contact makes steps short, when they take long, or when they pull too strongly.
static bool should_give_way(const lm_track_run* r)
{
	return !r->relaxed && r->s->rows > 0 &&
	       (r->short_steps >= 4 || r->report.iterations >= 20 ||
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
	bool converged = !r->carry_now && has_converged(r, taken, whole);
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

static void finish_report(lm_track_run* r)
{
	lm_track_report_rows(r);
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

lm_status lm_track_solve(lm_track_solver* solver, const lm_track_problem* problem, const lm_track_limits* limits,
                         double* x, double* multipliers, lm_track_solve_report* report, lm_error* error)
{
	lm_track_run r = { .s = solver, .p = problem, .limits = limits, .x = x, .q = multipliers, .error = error };
	r.report.outcome = LM_TRACK_BUDGET;
	r.report.obstacles_left = any_obstacle_moves(solver, problem, x) ? 1 : 0;
	memset(solver->loose, 0, (size_t)solver->rows * sizeof *solver->loose);
	memcpy(solver->start, x, 3 * (size_t)(solver->n + solver->obstacles) * sizeof(double));
	lm_status status = LM_OK;
	if (problem->clearance != NULL)
		status = lm_clearance_find(problem->clearance, x, problem->reach, limits->threads, error);
	if (status == LM_OK)
		status = lm_track_find_friction_pairs(solver, problem, x, error);
	if (!problem->keep_pattern)
		lm_track_release_pattern(solver);
	bool done = false;
	while (status == LM_OK && !done && r.report.iterations < limits->most_iterations)
	{
		status = iterate(&r, &done);
		++r.report.iterations;
		if (status == LM_OK && !lm_progress(&solver->host, "step", LM_PROGRESS_UNKNOWN))
			status = lm_fail(error, LM_CANCELLED, "the step was cancelled");
	}
	if (status == LM_OK)
		finish_report(&r);
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
	if (enough && s->c != NULL && s->c_trial != NULL && s->D != NULL && s->loose != NULL)
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
	void* all[] = { solver->locals,       solver->values,  solver->friction_pairs,
		            solver->pair_locals,  solver->start,   solver->trial,
		            solver->displacement, solver->c,       solver->c_trial,
		            solver->gradient,     solver->right,   solver->solution,
		            solver->residual,     solver->product, solver->D,
		            solver->loose };
	for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
		lm_free(&host, all[i]);
	lm_free(&host, solver);
}
