// A step: forces that are known beforehand, the solve, and what flows after it.
#include "base/arena.h"
#include "base/error.h"
#include "math/vec.h"
#include "track/body.h"

#include <string.h>

// ---- before ------------------------------------------------------------------------------------------------------

// y = x + h v + h^2 g
static void predict(lm_track* cloth, double h)
{
	const double* g = cloth->settings.gravity;
	for (int64_t i = 0; i < 3 * (int64_t)cloth->n; ++i)
		cloth->y[i] = cloth->still ? cloth->x[i] : cloth->x[i] + h * cloth->v[i] + h * h * g[i % 3];
}

// Pressure c A |u.n| (u.n) n on each triangle, u the air's velocity relative to it. It never does more in a step than
// to carry the triangle along with the air, so that light cloth in strong wind stays calm.
static void blow(lm_track* cloth, double h)
{
	double drag = cloth->still ? 0 : cloth->settings.air_drag;
	lm_vec3 wind = lm_v3_at(cloth->settings.wind, 0);
	for (int32_t t = 0; drag > 0 && t < cloth->mesh->triangle_count; ++t)
	{
		const int32_t* v = cloth->mesh->triangles + 3 * (int64_t)t;
		lm_vec3 a = lm_v3_at(cloth->x, v[0]), velocity = lm_v3(0, 0, 0);
		lm_vec3 n = lm_cross(lm_sub(lm_v3_at(cloth->x, v[1]), a), lm_sub(lm_v3_at(cloth->x, v[2]), a));
		double area = lm_length(n) / 2, mass = 0;
		n = lm_normalize_or(n, lm_v3(0, 0, 0));
		for (int i = 0; i < 3; ++i)
			velocity = lm_add_scaled(velocity, 1.0 / 3, lm_v3_at(cloth->v, v[i])), mass += cloth->masses[v[i]] / 3;
		double across = lm_dot(lm_sub(wind, velocity), n), impulse = h * drag * area * fabs(across) * across;
		double most = mass * across;
		impulse = fabs(impulse) > fabs(most) ? most : impulse;
		for (int i = 0; i < 3; ++i)
			for (int k = 0; k < 3; ++k)
				cloth->y[3 * (int64_t)v[i] + k] += h * impulse / 3 / cloth->masses[v[i]] * lm_v3_get(n, k);
	}
}

// What crosses comes apart by this share of the thickness in a step; see tangle.h.
static const double parting = 0.5;

static void untangle(lm_track* cloth, double share)
{
	if (cloth->tangle != NULL)
		lm_tangle_part(cloth->tangle, cloth->x, parting * share * cloth->settings.thickness, cloth->y);
}

static void find_tangle(lm_track* cloth)
{
	cloth->report.tangled = 0;
	if (cloth->tangle == NULL)
		return;
	lm_tangle_find(cloth->tangle, cloth->x);
	cloth->report.tangled = cloth->tangle->count;
	if (cloth->tangle->count > 0)
		lm_clearance_let_through(cloth->clearance, cloth->tangle->marked);
	else
		lm_track_drop_tangle(cloth);
}

static void apply_guide(const lm_track* cloth, const double* guide, double* targets)
{
	lm_rows_apply(cloth->guide_averages.count > 0 ? &cloth->guide_averages : &cloth->averages, guide, targets);
}

lm_status lm_track_check_guide(const lm_track* cloth, const double* guide, lm_error* error)
{
	for (int64_t i = 0; guide != NULL && i < 3 * (int64_t)cloth->guide_vertex_count; ++i)
		if (!(fabs(guide[i]) < 1e12))
			return lm_fail_element(error, i / 3, "the guide has the coordinate %g at vertex %lld", guide[i],
			                       (long long)(i / 3));
	return LM_OK;
}

// Targets at the end of the step, and strengths.
static lm_status aim(lm_track* cloth, const double* guide, lm_error* error)
{
	lm_status status = lm_track_check_guide(cloth, guide, error);
	if (status == LM_OK)
		status = lm_track_join_rows(cloth, error);
	if (status != LM_OK)
		return status;
	memcpy(cloth->last_targets, cloth->targets, 3 * (size_t)cloth->rows.count * sizeof(double));
	bool first = guide != NULL && !cloth->guided;
	if (guide != NULL)
		apply_guide(cloth, guide, cloth->targets), cloth->guided = true;
	if (first)
		memcpy(cloth->last_targets, cloth->targets, 3 * (size_t)cloth->constraint_count * sizeof(double));
	for (int32_t i = 0; i < cloth->constraint_count; ++i)
		cloth->strengths[i] = cloth->guided ? cloth->shares[i] * cloth->settings.follow * cloth->settings.strength : 0;
	for (int32_t i = 0; i < cloth->held_count; ++i)
	{
		int64_t row = (int64_t)cloth->constraint_count + i;
		cloth->strengths[row] = cloth->settings.strength;
		memcpy(cloth->targets + 3 * row, cloth->held[i].position, sizeof cloth->held[i].position);
		// from where it is: a vertex may have been taken hold of just now
		memcpy(cloth->last_targets + 3 * row, cloth->x + 3 * (int64_t)cloth->held[i].vertex, 3 * sizeof(double));
	}
	return LM_OK;
}

// ---- after -------------------------------------------------------------------------------------------------------

// Curvature k = 3 |e| (theta - Theta) / A beyond the yield becomes part of the rest angle (Sec. 4.4).
static void flow(lm_track* cloth)
{
	const lm_track_settings* s = &cloth->settings;
	lm_cloth* c = cloth->cloth;
	for (int32_t e = 0; isfinite(s->yield) && e < c->hinge_count; ++e)
	{
		double per_angle = 3 * c->lengths[e] / c->areas[e], theta = lm_cloth_angle(c, e, cloth->x);
		double k = per_angle * remainder(theta - c->rest_angles[e], 2 * LM_PI);
		double excess = fabs(k) - s->yield;
		if (!(excess > 0))
			continue;
		double change = excess / per_angle;
		c->rest_angles[e] += k > 0 ? change : -change;
		c->stiffness[e] = fmin(1e6, fmax(1e-6, c->stiffness[e] * exp(s->hardening * excess)));
		cloth->report.plastic = fmax(cloth->report.plastic, change);
	}
}

static void take_report(lm_track* cloth, const lm_track_solve_report* r, lm_track_row_report rows)
{
	lm_track_report* report = &cloth->report;
	report->iterations = r->iterations, report->factorizations = r->factorizations, report->analyses = r->analyses;
	report->converged = r->outcome == LM_TRACK_CONVERGED;
	report->residual = rows.residual, report->gave_way = rows.gave_way;
	report->missed = rows.gave_way > 0 ? rows.missed / rows.gave_way : 0;
	report->missed_most = rows.gave_way > 0 ? rows.residual : 0;
	report->pairs = r->pairs, report->smallest_gap = r->smallest_gap;
	report->stalled = r->stalled;
	++report->steps;
	report->stalled_steps += r->stalled;
	report->iterations_sum += r->iterations, report->factorizations_sum += r->factorizations;
	report->converged_steps += report->converged;
	for (int32_t i = 0; i < cloth->rows.count; ++i)
		report->constraints_sum += cloth->strengths[i] > 0;
	report->gave_way_sum += rows.gave_way, report->missed_sum += rows.missed;
	report->residual_max = fmax(report->residual_max, rows.met_residual);
	if (rows.gave_way > 0)
		report->missed_max = fmax(report->missed_max, rows.residual);
}

// Thicknesses per second that are not seen: a lean step ends when what is left would move nothing faster.
static const double unseen = 10;

// Of several cloths the tightest limits count.
static lm_track_limits limits_of(const lm_track_together* t, double h, double share, lm_track_method method)
{
	bool lean = method == LM_TRACK_LEAN;
	lm_track_limits limits = { .tolerance = INFINITY, .constraint = INFINITY, .longest = INFINITY };
	for (int32_t m = 0; m < t->count; ++m)
	{
		const lm_track* cloth = t->cloths[m];
		const lm_track_settings* s = &cloth->settings;
		bool own = method == s->solver; // not when a lean step is done again
		double tolerance = lean ? unseen * s->thickness * h : 1e-6 * cloth->size;
		if (own && s->tolerance > 0)
			tolerance = lean ? s->tolerance * share : s->tolerance;
		int most = own && s->most_iterations > 0 ? s->most_iterations : lean ? 6 : 200;
		limits.tolerance = fmin(limits.tolerance, tolerance);
		limits.constraint = fmin(limits.constraint, 1e-6 * cloth->size);
		limits.longest = fmin(limits.longest, 3 * cloth->mean_edge);
		limits.most_iterations = most > limits.most_iterations ? most : limits.most_iterations;
	}
	limits.threads = t->host.threads;
	return limits;
}

static bool all_lean(const lm_track_together* t)
{
	bool lean = true;
	for (int32_t m = 0; m < t->count; ++m)
		lean = lean && t->cloths[m]->settings.solver == LM_TRACK_LEAN;
	return lean;
}

// Where single precision has failed it would soon fail again: so many inner steps are then factorised in double.
#define DOUBLE_STEPS 64

static bool any_in_double(const lm_track_together* t)
{
	bool any = false;
	for (int32_t m = 0; m < t->count; ++m)
		any = any || t->cloths[m]->double_steps > 0;
	return any;
}

// After an inner step: `failed` when single precision has failed in it.
static void count_double_steps(lm_track_together* t, bool failed)
{
	for (int32_t m = 0; m < t->count; ++m)
	{
		int32_t left = t->cloths[m]->double_steps;
		t->cloths[m]->double_steps = failed ? DOUBLE_STEPS : left > 0 ? left - 1 : 0;
	}
}

// A lean step that misses regions is done again exactly, from where it began.
static lm_status solve_problem(lm_track_together* t, const lm_track_problem* problem, double share,
                               lm_track_solve_report* report, lm_error* error)
{
	lm_track_limits exact = limits_of(t, problem->h, share, LM_TRACK_EXACT);
	lm_track_together_gather(t);
	if (!all_lean(t))
		return lm_track_solve(t->solver, problem, &exact, t->x, t->multipliers, report, error);
	lm_track_limits lean = limits_of(t, problem->h, share, LM_TRACK_LEAN);
	for (int32_t m = 0; m < t->count; ++m)
		memcpy(t->cloths[m]->inner_multipliers, t->cloths[m]->multipliers,
		       3 * (size_t)t->cloths[m]->rows.count * sizeof(double));
	lm_status status = lm_track_solve_lean(t->solver, problem, &lean, t->x, t->multipliers, report, error);
	if (status == LM_OK)
		count_double_steps(t, report->in_double && !problem->in_double);
	if (status != LM_OK || !report->failed)
		return status;
	for (int32_t m = 0; m < t->count; ++m)
	{
		lm_track* cloth = t->cloths[m];
		++cloth->report.exact_steps;
		memcpy(cloth->x, cloth->before, 3 * (size_t)(cloth->n + cloth->obstacle_vertices) * sizeof(double));
		memcpy(cloth->multipliers, cloth->inner_multipliers, 3 * (size_t)cloth->rows.count * sizeof(double));
	}
	lm_track_together_gather(t);
	return lm_track_solve(t->solver, problem, &exact, t->x, t->multipliers, report, error);
}

// share: of the step that the inner step takes.
static lm_status solve(lm_track_together* t, double h, double share, lm_error* error)
{
	lm_track_problem problem = { .part_count = t->count,
		                         .parts = t->parts,
		                         .masses = t->masses,
		                         .h = h,
		                         .y = t->y,
		                         .obstacles = t->obstacles,
		                         .obstacle_count = t->first_obstacle[t->count],
		                         .obstacle_starts = t->obstacle_starts,
		                         .obstacle_bodies = t->obstacle_bodies,
		                         .clearance = t->clearance,
		                         .reach = INFINITY,
		                         .slack = INFINITY,
		                         .frictions = t->frictions,
		                         .C = &t->rows,
		                         .b = t->targets,
		                         .b_start = t->start_targets,
		                         .strength = t->strengths,
		                         .keep_pattern = t->keep_pattern && !all_lean(t),
		                         .in_double = any_in_double(t) };
	for (int32_t m = 0; m < t->count; ++m)
	{
		lm_track* cloth = t->cloths[m];
		const lm_track_settings* s = &cloth->settings;
		bool damped = s->damping > 0 && lm_cloth_set_rest(cloth->damper, cloth->x);
		t->parts[m] = (lm_track_part){ .cloth = cloth->cloth,
			                           .material = { s->stretch, s->poisson, s->bend, s->strain_limit },
			                           .first = t->first[m],
			                           .damper = damped ? cloth->damper : NULL,
			                           .damping = s->damping,
			                           .first_row = t->first_row[m],
			                           .row_count = cloth->rows.count,
			                           .bounded = s->bounded };
		problem.bounded = problem.bounded || s->bounded;
		problem.reach = fmin(problem.reach, s->thickness), problem.barrier = fmax(problem.barrier, s->stretch);
		problem.slack = fmin(problem.slack, s->friction_slack * share), problem.friction = s->friction;
		for (int32_t v = 0; t->frictions != NULL && v < cloth->n; ++v)
			t->frictions[t->first[m] + v] = s->friction;
	}
	lm_track_solve_report report;
	lm_status status = solve_problem(t, &problem, share, &report, error);
	if (status != LM_OK)
		return status;
	lm_track_together_scatter(t);
	double limit = limits_of(t, h, share, LM_TRACK_EXACT).constraint;
	for (int32_t m = 0; m < t->count; ++m)
	{
		take_report(t->cloths[m], &report,
		            lm_track_report_rows(t->solver, &problem, t->first_row[m], t->cloths[m]->rows.count, limit));
		lm_track_find_given(t, m, &problem);
	}
	return LM_OK;
}

// ---- inner steps -------------------------------------------------------------------------------------------------

// An obstacle that goes farther than this in a step, in thicknesses, throws the cloth instead of pushing it.
#define LONGEST_WAY 1.2
#define MOST_INNER_STEPS 64

static int count_inner_steps(lm_track* cloth, double h, double end)
{
	lm_track_place_obstacles(cloth, end, 1, cloth->obstacle_targets);
	double way = lm_track_obstacle_way(cloth, cloth->obstacle_targets, h);
	double steps = ceil(way / (LONGEST_WAY * cloth->settings.thickness));
	return steps < 1 ? 1 : steps > MOST_INNER_STEPS ? MOST_INNER_STEPS : (int)steps;
}

// Inner step k of `count`: targets and obstacles are on their way to the end of the step.
static void begin_inner_step(lm_track* cloth, double h, double time, int k, int count)
{
	double share = (double)k / count, inner = h / count;
	for (int64_t i = 0; i < 3 * (int64_t)cloth->rows.count; ++i)
	{
		double from = cloth->last_targets[i], way = cloth->aims[i] - from;
		cloth->start_targets[i] = from + (double)(k - 1) / count * way;
		cloth->targets[i] = k < count ? from + share * way : cloth->aims[i];
	}
	size_t bytes = 3 * (size_t)(cloth->n + cloth->obstacle_vertices) * sizeof(double);
	memcpy(cloth->before, cloth->x, bytes);
	predict(cloth, inner);
	blow(cloth, inner);
	untangle(cloth, 1.0 / count);
	lm_track_place_obstacles(cloth, k < count ? time + share * h : time + h, share, cloth->obstacle_targets);
}

static lm_status take_inner_step(lm_track_together* t, double h, double time, int k, int count, lm_error* error)
{
	for (int32_t m = 0; m < t->count; ++m)
		begin_inner_step(t->cloths[m], h, time, k, count);
	lm_status status = solve(t, h / count, 1.0 / count, error);
	for (int32_t m = 0; status == LM_OK && m < t->count; ++m)
	{
		lm_track* cloth = t->cloths[m];
		for (int64_t i = 0; i < 3 * (int64_t)cloth->n; ++i)
			cloth->v[i] = (cloth->x[i] - cloth->before[i]) / (h / count);
	}
	return status;
}

static void report_ways(const lm_track_together* t, int32_t m)
{
	lm_track* cloth = t->cloths[m];
	lm_track_report* report = &cloth->report;
	report->target_way = 0;
	for (int32_t i = 0; i < cloth->constraint_count; ++i)
		report->target_way =
			fmax(report->target_way, lm_distance(lm_v3_at(cloth->targets, i), lm_v3_at(cloth->last_targets, i)));
	report->collider_lag = lm_track_obstacle_lag(cloth, cloth->obstacle_targets);
	report->pinched = report->collider_lag > 0 ? lm_track_count_pinched(t, m) : 0;
}

static void keep_start(lm_track* cloth)
{
	size_t rows = 3 * (size_t)cloth->rows.count * sizeof(double);
	memcpy(cloth->origin, cloth->x, 3 * (size_t)(cloth->n + cloth->obstacle_vertices) * sizeof(double));
	memcpy(cloth->origin_v, cloth->v, 3 * (size_t)cloth->n * sizeof(double));
	memcpy(cloth->kept_multipliers, cloth->multipliers, rows), memcpy(cloth->aims, cloth->targets, rows);
	cloth->kept_report = cloth->report, cloth->kept_double_steps = cloth->double_steps;
	lm_track_forget_given(cloth);
}

static void go_back(lm_track* cloth)
{
	memcpy(cloth->x, cloth->origin, 3 * (size_t)(cloth->n + cloth->obstacle_vertices) * sizeof(double));
	memcpy(cloth->v, cloth->origin_v, 3 * (size_t)cloth->n * sizeof(double));
	memcpy(cloth->multipliers, cloth->kept_multipliers, 3 * (size_t)cloth->rows.count * sizeof(double));
	cloth->report = cloth->kept_report, cloth->double_steps = cloth->kept_double_steps;
}

// All inner steps; nothing has happened when one fails.
static lm_status take_steps(lm_track_together* t, double h, double time, bool keep, lm_error* error)
{
	int count = 1;
	for (int32_t m = 0; m < t->count; ++m)
	{
		keep_start(t->cloths[m]);
		find_tangle(t->cloths[m]);
		int own = count_inner_steps(t->cloths[m], h, time + h);
		count = own > count ? own : count;
	}
	lm_status status = lm_track_together_attach(t, error);
	lm_track_together_let_through(t);
	for (int k = 1; status == LM_OK && k <= count; ++k)
	{
		t->keep_pattern = keep || k > 1;
		status = take_inner_step(t, h, time, k, count, error);
	}
	for (int32_t m = 0; m < t->count; ++m)
	{
		if (status != LM_OK)
		{
			go_back(t->cloths[m]);
			continue;
		}
		t->cloths[m]->report.inner_steps = count;
		report_ways(t, m);
		flow(t->cloths[m]);
	}
	return status;
}

static bool may_keep(const lm_track_together* t)
{
	bool keep = true;
	for (int32_t m = 0; m < t->count; ++m)
		keep = keep && t->cloths[m]->keep_pattern;
	return keep;
}

lm_status lm_track_together_step(lm_track_together* t, double h, const double* const* guides, double time,
                                 lm_error* error)
{
	if (!(h > 0 && h <= 0.1))
		return lm_fail(error, LM_BAD_INPUT, "the time step is %g s; it must be above 0 and at most 0.1", h);
	if (!isfinite(time))
		return lm_fail(error, LM_BAD_INPUT, "the time is %g s; it must be a number", time);
	lm_status status = LM_OK;
	for (int32_t m = 0; m < t->count && status == LM_OK; ++m)
		status = aim(t->cloths[m], guides[m], error);
	return status == LM_OK ? take_steps(t, h, time, may_keep(t), error) : status;
}

lm_status lm_track_step(lm_track* cloth, double h, const double* guide, double time, lm_error* error)
{
	return lm_track_together_step(cloth->alone, h, &guide, time, error);
}

// ---- pre-roll ----------------------------------------------------------------------------------------------------

// Targets on a straight line from where the averages are to where the guide has them.
typedef struct roll
{
	double *starts, *ends; // [3 rows.count]
} roll;

static lm_status begin_roll(lm_track* cloth, const double* guide, lm_arena* memory, roll* r, lm_error* error)
{
	lm_status status = aim(cloth, guide, error);
	if (status != LM_OK)
		return status;
	size_t numbers = 3 * (size_t)cloth->rows.count;
	cloth->still = guide == NULL;
	r->ends = LM_TAKE(memory, numbers, double), r->starts = LM_TAKE(memory, numbers, double);
	if (r->ends == NULL || r->starts == NULL)
		return lm_fail_memory(error);
	memcpy(r->ends, cloth->targets, numbers * sizeof(double));
	lm_rows_apply(&cloth->rows, cloth->x, r->starts);
	return LM_OK;
}

static void aim_roll(lm_track* cloth, const roll* r, int32_t k, int32_t steps)
{
	for (int64_t i = 0; i < 3 * (int64_t)cloth->rows.count; ++i)
	{
		cloth->last_targets[i] = r->starts[i] + (double)(k - 1) / steps * (r->ends[i] - r->starts[i]);
		cloth->targets[i] = r->starts[i] + (double)k / steps * (r->ends[i] - r->starts[i]);
	}
}

// What moves is stopped after each step, so that nothing swings. Cloths without a guide stay where they are, unless
// they are pushed.
lm_status lm_track_together_preroll(lm_track_together* t, double seconds, const double* const* guides, double time,
                                    lm_error* error)
{
	const double h = 1.0 / 50;
	if (!(seconds > 0 && seconds <= 3600))
		return lm_fail(error, LM_BAD_INPUT, "the pre-roll takes %g s; it must be above 0 and at most an hour", seconds);
	int32_t steps = (int32_t)ceil(seconds / h);
	lm_arena memory;
	lm_arena_init(&memory, &t->host);
	roll* rolls = LM_TAKE(&memory, (size_t)t->count, roll);
	lm_status status = rolls != NULL ? LM_OK : lm_fail_memory(error);
	for (int32_t m = 0; m < t->count && status == LM_OK; ++m)
		status = begin_roll(t->cloths[m], guides[m], &memory, &rolls[m], error);
	for (int32_t k = 1; status == LM_OK && k <= steps; ++k)
	{
		for (int32_t m = 0; m < t->count; ++m)
			aim_roll(t->cloths[m], &rolls[m], k, steps);
		status = take_steps(t, h, time - h, k > 1, error); // there are no checkpoints within a pre-roll
		for (int32_t m = 0; m < t->count; ++m)
			memset(t->cloths[m]->v, 0, 3 * (size_t)t->cloths[m]->n * sizeof(double));
		if (status == LM_OK && !lm_progress(&t->host, "pre-roll", (double)k / steps))
			status = lm_fail(error, LM_CANCELLED, "the pre-roll was cancelled");
	}
	for (int32_t m = 0; m < t->count; ++m)
		t->cloths[m]->still = false;
	lm_arena_release(&memory);
	return status;
}

lm_status lm_track_preroll(lm_track* cloth, double seconds, const double* guide, double time, lm_error* error)
{
	return lm_track_together_preroll(cloth->alone, seconds, &guide, time, error);
}
