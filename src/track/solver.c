// The iteration of a step; see solver.h.
#include "track/solver.h"

#include "base/alloc.h"
#include "base/error.h"
#include "math/vec.h"
#include "track/solver_parts.h"

#include <string.h>

static const double armijo = 1e-4, shortest = 1e-6;
static const double round_off = 1e-8; // d of the second phase, metres: where a constraint counts as met

// The state of the iteration.
typedef struct run
{
	lm_track_solver* s;
	const lm_track_problem* p;
	const lm_track_limits* limits;
	double* x;
	double* q;    // multipliers
	bool relaxed; // second phase: soft constraints
	double tau;   // shift to begin with, from what the last iteration needed
	bool shifted;
	double mu; // of the merit
	int short_steps;
	double before; // move of the last iteration, if it was a whole Newton step
	lm_track_solve_report report;
	lm_error* error;
} run;

// ---- constraints -------------------------------------------------------------------------------------------------

// c = C x - b; zero for rows that are off.
static void measure_constraints(const run* r, const double* x, double* c)
{
	lm_track_solver* s = r->s;
	if (s->rows == 0)
		return;
	lm_rows_apply(r->p->C, x, c);
	for (int64_t i = 0; i < 3 * (int64_t)s->rows; ++i)
		c[i] = lm_track_row_is_on(r->p, (int32_t)(i / 3)) ? c[i] - r->p->b[i] : 0;
}

static double length3(const double* a)
{
	return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

static double soft_length(const double* c)
{
	return sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + round_off * round_off);
}

// What constraints add to the merit: mu |c_i|, or w (sqrt(|c_i|^2 + d^2) - d).
static double constraint_merit(const run* r, const double* c)
{
	double sum = 0;
	for (int32_t i = 0; i < r->s->rows; ++i)
		if (lm_track_row_is_on(r->p, i))
			sum += r->relaxed ? r->p->strength[i] * (soft_length(c + 3 * (int64_t)i) - round_off)
			                  : r->mu * length3(c + 3 * (int64_t)i);
	return sum;
}

// ---- the linear system -------------------------------------------------------------------------------------------

// D of hard constraints: small against C H^-1 C^T, only there so that pivots are not zero.
static void set_hard_blocks(run* r)
{
	lm_track_solver* s = r->s;
	double mass = 0, stiffness;
	for (int32_t v = 0; v < s->n; ++v)
		mass += r->p->masses[v] / s->n;
	stiffness = mass / (r->p->h * r->p->h) + r->p->material.stretch;
	memset(s->D, 0, 9 * (size_t)s->rows * sizeof(double));
	for (int32_t i = 0; i < s->rows; ++i)
		for (int k = 0; lm_track_row_is_on(r->p, i) && k < 3; ++k)
			s->D[9 * (int64_t)i + 4 * k] = 1e-8 / stiffness;
}

static bool invert_symmetric(double K[3][3], double inverse[9])
{
	lm_mat3 A = { { { K[0][0], K[0][1], K[0][2] }, { K[1][0], K[1][1], K[1][2] }, { K[2][0], K[2][1], K[2][2] } } };
	lm_vec3 a = lm_column(A, 0), b = lm_column(A, 1), c = lm_column(A, 2);
	double det = lm_det(A);
	if (!(det > 0))
		return false;
	lm_vec3 rows[3] = { lm_cross(b, c), lm_cross(c, a), lm_cross(a, b) };
	for (int i = 0; i < 3; ++i)
		inverse[3 * i] = rows[i].x / det, inverse[3 * i + 1] = rows[i].y / det, inverse[3 * i + 2] = rows[i].z / det;
	return true;
}

// K = w/s (1.001 I - sym(q c^T) / (w s)), D = K^-1.
static void set_giving_blocks(run* r)
{
	lm_track_solver* s = r->s;
	memset(s->D, 0, 9 * (size_t)s->rows * sizeof(double));
	for (int32_t i = 0; i < s->rows; ++i)
	{
		if (!lm_track_row_is_on(r->p, i))
			continue;
		const double *c = s->c + 3 * (int64_t)i, *q = r->q + 3 * (int64_t)i;
		double w = r->p->strength[i], l = soft_length(c), K[3][3];
		for (int a = 0; a < 3; ++a)
			for (int b = 0; b < 3; ++b)
				K[a][b] = w / l * (1.001 * (a == b) - (q[a] * c[b] + q[b] * c[a]) / (2 * w * l));
		if (!invert_symmetric(K, s->D + 9 * (int64_t)i))
			for (int a = 0; a < 3; ++a)
				s->D[9 * (int64_t)i + 4 * a] = l / w;
	}
}

// right = -(g + C^T q) and, hard, -c, or, relaxed, -D (w c / s - q): the solution is (dx, dq).
static void set_right(run* r)
{
	lm_track_solver* s = r->s;
	int64_t vertices = 3 * (int64_t)s->n;
	for (int64_t i = 0; i < vertices; ++i)
		s->right[i] = -s->gradient[i];
	for (int32_t row = 0; row < s->rows; ++row)
	{
		double *q = r->q + 3 * (int64_t)row, *right = s->right + vertices + 3 * (int64_t)row;
		const double* c = s->c + 3 * (int64_t)row;
		bool on = lm_track_row_is_on(r->p, row);
		for (int k = 0; k < 3 && !on; ++k)
			q[k] = right[k] = 0;
		for (int64_t e = r->p->C->start[row]; on && e < r->p->C->start[row + 1]; ++e)
			for (int k = 0; k < 3; ++k)
				s->right[3 * (int64_t)r->p->C->index[e] + k] -= r->p->C->value[e] * q[k];
		double pull[3], l = soft_length(c);
		for (int k = 0; k < 3; ++k)
			pull[k] = r->p->strength[row] * c[k] / l - q[k];
		for (int k = 0; k < 3 && on; ++k)
		{
			const double* D = s->D + 9 * (int64_t)row + 3 * k;
			right[k] = r->relaxed ? -(D[0] * pull[0] + D[1] * pull[1] + D[2] * pull[2]) : -c[k];
		}
	}
}

// Factorises, shifted until the inertia is right. False when no shift is enough.
static bool factorize(run* r)
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

static lm_status find_direction(run* r, bool* found)
{
	lm_track_solver* s = r->s;
	*found = false;
	measure_constraints(r, r->x, s->c);
	if (r->relaxed)
		set_giving_blocks(r);
	else
		set_hard_blocks(r);
	lm_status status = lm_track_assemble(s, r->p, r->x, r->limits->threads, r->error);
	if (status != LM_OK)
		return status;
	set_right(r);
	*found = factorize(r) && lm_track_refined_solve(s, r->relaxed ? 1 : 0);
	return LM_OK;
}

// ---- steps -------------------------------------------------------------------------------------------------------

static double longest_move(const run* r, const double* d)
{
	double most = 0;
	for (int32_t v = 0; v < r->s->n; ++v)
	{
		double l = length3(d + 3 * (int64_t)v);
		most = l > most ? l : most;
	}
	return most;
}

// Slope of the merit along the direction.
static double slope(const run* r)
{
	lm_track_solver* s = r->s;
	double sum = 0;
	for (int64_t i = 0; i < 3 * (int64_t)s->n; ++i)
		sum += s->gradient[i] * s->solution[i];
	if (!r->relaxed)
		return sum - constraint_merit(r, s->c); // a whole step meets all constraints
	for (int32_t row = 0; row < s->rows; ++row)
	{
		const double* c = s->c + 3 * (int64_t)row;
		double force = lm_track_row_is_on(r->p, row) ? r->p->strength[row] / soft_length(c) : 0;
		for (int64_t e = r->p->C->start[row]; e < r->p->C->start[row + 1]; ++e)
			for (int k = 0; k < 3; ++k)
				sum += force * c[k] * r->p->C->value[e] * s->solution[3 * (int64_t)r->p->C->index[e] + k];
	}
	return sum;
}

static void take(run* r, double fraction, double* to)
{
	lm_track_solver* s = r->s;
	for (int64_t i = 0; i < 3 * (int64_t)s->n; ++i)
		to[i] = r->x[i] + fraction * s->displacement[i];
	for (int64_t i = 3 * (int64_t)s->n; i < 3 * ((int64_t)s->n + s->obstacles); ++i)
		to[i] = r->x[i];
}

// At x, a point of the last displacement.
static lm_status find_pairs(run* r, const double* x)
{
	return r->p->clearance != NULL ? lm_clearance_find_on_path(r->p->clearance, x, r->limits->threads, r->error)
	                               : LM_OK;
}

// Backtracking line search from the longest safe step. *taken is 0 when it fails.
static lm_status search_line(run* r, double first, double* taken)
{
	lm_track_solver* s = r->s;
	double merit = lm_track_energy(s, r->p, r->x, r->limits->threads) + constraint_merit(r, s->c), down = slope(r);
	double noise = 1e-13 * (fabs(merit) + 1e-30);
	*taken = 0;
	for (double fraction = first; fraction > shortest * first; fraction /= 2)
	{
		take(r, fraction, s->trial);
		lm_status status = find_pairs(r, s->trial);
		if (status != LM_OK)
			return status;
		measure_constraints(r, s->trial, s->c_trial);
		double now = lm_track_energy(s, r->p, s->trial, r->limits->threads) + constraint_merit(r, s->c_trial);
		if (now <= merit + armijo * fraction * down + noise)
		{
			memcpy(r->x, s->trial, 3 * (size_t)(s->n + s->obstacles) * sizeof(double));
			*taken = fraction;
			return LM_OK;
		}
	}
	return find_pairs(r, r->x); // as it was
}

static void update_multipliers(run* r, double fraction)
{
	lm_track_solver* s = r->s;
	for (int32_t i = 0; i < s->rows; ++i)
	{
		double* q = r->q + 3 * (int64_t)i;
		const double* dq = s->solution + 3 * ((int64_t)s->n + i);
		for (int k = 0; k < 3; ++k)
			q[k] += fraction * dq[k];
		double l = length3(q), w = r->p->strength[i];
		if (r->relaxed && l > w && w > 0)
			for (int k = 0; k < 3; ++k)
				q[k] *= w / l;
	}
}

static void update_mu(run* r)
{
	double most = 0;
	for (int32_t i = 0; i < r->s->rows; ++i)
	{
		double q[3];
		for (int k = 0; k < 3; ++k)
			q[k] = r->q[3 * (int64_t)i + k] + r->s->solution[3 * ((int64_t)r->s->n + i) + k];
		double l = length3(q);
		most = l > most ? l : most;
	}
	r->mu = r->mu / 2 > 1.2 * most ? r->mu / 2 : 1.2 * most;
}

// The Newton direction as a displacement of all vertices, limited to the longest move; returns the fraction that
// contact allows.
static double cut_way(run* r)
{
	lm_track_solver* s = r->s;
	double move = longest_move(r, s->solution), cut = move > r->limits->longest ? r->limits->longest / move : 1;
	memset(s->displacement, 0, 3 * (size_t)(s->n + s->obstacles) * sizeof(double));
	for (int64_t i = 0; i < 3 * (int64_t)s->n; ++i)
		s->displacement[i] = s->solution[i];
	if (r->p->clearance == NULL)
		return cut;
	lm_ccd_settings settings = lm_ccd_settings_default();
	return lm_clearance_step(r->p->clearance, r->x, s->displacement, cut, r->p->reach, &settings, r->limits->threads);
}

// Obstacles move towards their targets, as far as they do not collide with the cloth.
static lm_status move_obstacles(run* r)
{
	lm_track_solver* s = r->s;
	if (s->obstacles == 0 || r->report.obstacles_left == 0)
		return LM_OK;
	memset(s->displacement, 0, 3 * (size_t)s->n * sizeof(double));
	for (int64_t i = 0; i < 3 * (int64_t)s->obstacles; ++i)
		s->displacement[3 * (int64_t)s->n + i] = r->p->obstacles[i] - r->x[3 * (int64_t)s->n + i];
	lm_ccd_settings settings = lm_ccd_settings_default();
	settings.keep = 0.3;
	double step = r->p->clearance != NULL ? lm_clearance_step(r->p->clearance, r->x, s->displacement, 1, r->p->reach,
	                                                          &settings, r->limits->threads)
	                                      : 1;
	for (int64_t i = 3 * (int64_t)s->n; i < 3 * ((int64_t)s->n + s->obstacles); ++i)
		r->x[i] = step < 1 ? r->x[i] + step * s->displacement[i] : r->p->obstacles[i - 3 * (int64_t)s->n];
	r->report.obstacles_left *= 1 - step;
	return find_pairs(r, r->x);
}

// ---- phases ------------------------------------------------------------------------------------------------------

static bool too_strong(const run* r)
{
	for (int32_t i = 0; i < r->s->rows; ++i)
		if (lm_track_row_is_on(r->p, i) && length3(r->q + 3 * (int64_t)i) > r->p->strength[i])
			return true;
	return false;
}

static void give_way(run* r)
{
	r->relaxed = r->report.relaxed = true;
	for (int32_t i = 0; i < r->s->rows; ++i)
	{
		double *q = r->q + 3 * (int64_t)i, l = length3(q), w = r->p->strength[i];
		for (int k = 0; k < 3 && l > w; ++k)
			q[k] = w > 0 ? q[k] * w / l : 0;
	}
}

// Hard constraints are relaxed when contact makes steps short, when they take long, or when they pull too strongly.
static bool should_give_way(const run* r)
{
	return !r->relaxed && r->s->rows > 0 &&
	       (r->short_steps >= 4 || r->report.iterations >= 20 || (r->report.iterations >= 5 && too_strong(r)));
}

// Whether Newton's method has converged, or would with the next step: near the end a move is as C times the square of
// the one before, so that two of them predict the third, step^3 / before^2.
static bool has_converged(run* r, double taken, bool whole)
{
	double step = r->report.step, before = r->before, tolerance = r->limits->tolerance;
	r->before = whole && taken == 1 ? step : 0;
	if (taken < 1 || r->report.obstacles_left > 0)
		return false;
	bool predicted =
		!r->relaxed && whole && step < 100 * tolerance && step * step * step <= 0.25 * tolerance * before * before;
	return step <= tolerance || predicted;
}

static lm_status iterate(run* r, bool* done)
{
	lm_status status = move_obstacles(r);
	if (status == LM_OK)
		status = lm_track_fit_pattern(r->s, r->p, r->x, r->limits->threads, &r->report.analyses, r->error);
	bool found = false;
	if (status == LM_OK)
		status = find_direction(r, &found);
	if (status != LM_OK)
		return status;
	double taken = 0, first = 0;
	if (found)
	{
		if (!r->relaxed)
			update_mu(r);
		r->report.step = longest_move(r, r->s->solution);
		first = cut_way(r);
		status = search_line(r, first, &taken);
		if (status != LM_OK)
			return status;
		update_multipliers(r, taken);
	}
	r->short_steps = taken < 0.1 ? r->short_steps + 1 : 0;
	if (has_converged(r, taken, found && !r->shifted))
		r->report.outcome = LM_TRACK_CONVERGED, *done = true;
	else if (taken == 0 && !r->relaxed && r->s->rows > 0)
		give_way(r);
	else if (taken == 0 && r->report.step > r->limits->tolerance && r->short_steps > 3)
		r->report.outcome = LM_TRACK_STALLED, *done = true;
	else if (taken == 0 && r->report.step <= r->limits->tolerance && r->report.obstacles_left == 0)
		r->report.outcome = LM_TRACK_CONVERGED, *done = true; // the limit of rounding
	else if (should_give_way(r))
		give_way(r);
	return LM_OK;
}

static void finish_report(run* r)
{
	measure_constraints(r, r->x, r->s->c);
	for (int32_t i = 0; i < r->s->rows; ++i)
	{
		double l = length3(r->s->c + 3 * (int64_t)i);
		if (!lm_track_row_is_on(r->p, i))
			continue;
		r->report.residual = l > r->report.residual ? l : r->report.residual;
		bool met = l <= r->limits->constraint;
		r->report.yielded += !met;
		r->report.met_residual = met && l > r->report.met_residual ? l : r->report.met_residual;
	}
	if (r->p->clearance != NULL)
	{
		r->report.pairs = lm_clearance_pair_count(r->p->clearance);
		r->report.smallest_gap = lm_clearance_smallest(r->p->clearance, r->x, r->p->reach);
	}
}

lm_status lm_track_solve(lm_track_solver* solver, const lm_track_problem* problem, const lm_track_limits* limits,
                         double* x, double* multipliers, lm_track_solve_report* report, lm_error* error)
{
	run r = { .s = solver, .p = problem, .limits = limits, .x = x, .q = multipliers, .error = error };
	r.report.outcome = LM_TRACK_BUDGET;
	r.report.obstacles_left = solver->obstacles > 0 ? 1 : 0;
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
	if (enough && s->c != NULL && s->c_trial != NULL && s->D != NULL)
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
		            solver->residual,     solver->product, solver->D };
	for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
		lm_free(&host, all[i]);
	lm_free(&host, solver);
}
