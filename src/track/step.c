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
		cloth->y[i] = cloth->x[i] + h * cloth->v[i] + h * h * g[i % 3];
}

// Pressure c A |u.n| (u.n) n on each triangle, u the air's velocity relative to it. It never does more in a step than
// to carry the triangle along with the air, so that light cloth in strong wind stays calm.
static void blow(lm_track* cloth, double h)
{
	double drag = cloth->settings.air_drag;
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

static void apply_guide(const lm_track* cloth, const double* guide, double* targets)
{
	lm_rows_apply(cloth->guide_averages.count > 0 ? &cloth->guide_averages : &cloth->averages, guide, targets);
}

// Targets at the end of the step, and strengths.
static lm_status aim(lm_track* cloth, const double* guide, lm_error* error)
{
	for (int64_t i = 0; guide != NULL && i < 3 * (int64_t)cloth->guide_vertex_count; ++i)
		if (!(fabs(guide[i]) < 1e12))
		{
			lm_status status = lm_fail(error, LM_BAD_INPUT, "the guide has the coordinate %g at vertex %lld", guide[i],
			                           (long long)(i / 3));
			if (error != NULL)
				error->element = i / 3;
			return status;
		}
	lm_status status = lm_track_join_rows(cloth, error);
	if (status != LM_OK)
		return status;
	memcpy(cloth->last_targets, cloth->targets, 3 * (size_t)cloth->rows.count * sizeof(double));
	bool first = guide != NULL && !cloth->guided;
	if (guide != NULL)
		apply_guide(cloth, guide, cloth->targets), cloth->guided = true;
	if (first)
		memcpy(cloth->last_targets, cloth->targets, 3 * (size_t)cloth->constraint_count * sizeof(double));
	for (int32_t i = 0; i < cloth->constraint_count; ++i)
		cloth->strengths[i] = cloth->guided ? cloth->shares[i] * cloth->settings.strength : 0;
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

static void take_report(lm_track* cloth, const lm_track_solve_report* r)
{
	lm_track_report* report = &cloth->report;
	report->iterations = r->iterations, report->factorizations = r->factorizations, report->analyses = r->analyses;
	report->converged = r->outcome == LM_TRACK_CONVERGED;
	report->residual = r->residual, report->yielded = r->yielded;
	report->missed = r->yielded > 0 ? r->missed / r->yielded : 0;
	report->pairs = r->pairs, report->smallest_gap = r->smallest_gap;
	report->stalled = r->stalled;
	++report->steps;
	report->stalled_steps += r->stalled;
	report->iterations_sum += r->iterations, report->factorizations_sum += r->factorizations;
	report->converged_steps += report->converged;
	for (int32_t i = 0; i < cloth->rows.count; ++i)
		report->constraints_sum += cloth->strengths[i] > 0;
	report->yielded_sum += r->yielded, report->missed_sum += r->missed;
	report->residual_max = fmax(report->residual_max, r->met_residual);
	if (r->yielded > 0)
		report->missed_max = fmax(report->missed_max, r->residual);
}

// share: of the step that the inner step takes.
static lm_status solve(lm_track* cloth, double h, double share, lm_error* error)
{
	const lm_track_settings* s = &cloth->settings;
	bool damped = s->damping > 0 && lm_cloth_set_rest(cloth->damper, cloth->x);
	lm_track_problem problem = { .cloth = cloth->cloth,
		                         .material = { s->stretch, s->poisson, s->bend },
		                         .masses = cloth->masses,
		                         .h = h,
		                         .y = cloth->y,
		                         .obstacles = cloth->obstacle_targets,
		                         .obstacle_count = cloth->obstacle_vertices,
		                         .damper = damped ? cloth->damper : NULL,
		                         .damping = s->damping,
		                         .clearance = cloth->clearance,
		                         .reach = s->thickness,
		                         .barrier = s->stretch,
		                         .friction = s->friction,
		                         .slack = s->friction_slack * share,
		                         .C = &cloth->rows,
		                         .b = cloth->targets,
		                         .strength = cloth->strengths,
		                         .keep_pattern = cloth->keep_pattern };
	lm_track_limits limits = { .tolerance = s->tolerance,
		                       .constraint = 1e-6 * cloth->size,
		                       .most_iterations = s->most_iterations,
		                       .longest = 3 * cloth->mean_edge,
		                       .threads = cloth->host.threads };
	lm_track_solve_report report;
	lm_status status = lm_track_solve(cloth->solver, &problem, &limits, cloth->x, cloth->multipliers, &report, error);
	if (status == LM_OK)
		take_report(cloth, &report);
	return status;
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
static lm_status take_inner_step(lm_track* cloth, double h, double time, int k, int count, lm_error* error)
{
	double share = (double)k / count, inner = h / count;
	for (int64_t i = 0; i < 3 * (int64_t)cloth->rows.count; ++i)
		cloth->targets[i] =
			k < count ? cloth->last_targets[i] + share * (cloth->aims[i] - cloth->last_targets[i]) : cloth->aims[i];
	size_t bytes = 3 * (size_t)(cloth->n + cloth->obstacle_vertices) * sizeof(double);
	memcpy(cloth->before, cloth->x, bytes);
	predict(cloth, inner);
	blow(cloth, inner);
	lm_track_place_obstacles(cloth, k < count ? time + share * h : time + h, share, cloth->obstacle_targets);
	lm_status status = solve(cloth, inner, 1.0 / count, error);
	for (int64_t i = 0; status == LM_OK && i < 3 * (int64_t)cloth->n; ++i)
		cloth->v[i] = (cloth->x[i] - cloth->before[i]) / inner;
	return status;
}

static void report_ways(lm_track* cloth)
{
	lm_track_report* report = &cloth->report;
	report->target_way = 0;
	for (int32_t i = 0; i < cloth->constraint_count; ++i)
		report->target_way =
			fmax(report->target_way, lm_distance(lm_v3_at(cloth->targets, i), lm_v3_at(cloth->last_targets, i)));
	report->collider_lag = lm_track_obstacle_lag(cloth, cloth->obstacle_targets);
	report->pinched = report->collider_lag > 0 ? lm_track_count_pinched(cloth) : 0;
}

// All inner steps; nothing has happened when one fails.
static lm_status take_steps(lm_track* cloth, double h, double time, lm_error* error)
{
	size_t bytes = 3 * (size_t)(cloth->n + cloth->obstacle_vertices) * sizeof(double);
	size_t own = 3 * (size_t)cloth->n * sizeof(double), rows = 3 * (size_t)cloth->rows.count * sizeof(double);
	memcpy(cloth->origin, cloth->x, bytes), memcpy(cloth->origin_v, cloth->v, own);
	memcpy(cloth->kept_multipliers, cloth->multipliers, rows), memcpy(cloth->aims, cloth->targets, rows);
	lm_track_report report = cloth->report;
	bool keep = cloth->keep_pattern;
	int count = count_inner_steps(cloth, h, time + h);
	lm_status status = LM_OK;
	for (int k = 1; status == LM_OK && k <= count; ++k)
	{
		cloth->keep_pattern = keep || k > 1;
		status = take_inner_step(cloth, h, time, k, count, error);
	}
	cloth->keep_pattern = keep;
	if (status == LM_OK)
	{
		cloth->report.inner_steps = count;
		report_ways(cloth);
		flow(cloth);
		return LM_OK;
	}
	memcpy(cloth->x, cloth->origin, bytes), memcpy(cloth->v, cloth->origin_v, own);
	memcpy(cloth->multipliers, cloth->kept_multipliers, rows);
	cloth->report = report;
	return status;
}

lm_status lm_track_step(lm_track* cloth, double h, const double* guide, double time, lm_error* error)
{
	if (!(h > 0 && h <= 0.1))
		return lm_fail(error, LM_BAD_INPUT, "the time step is %g s; it must be above 0 and at most 0.1", h);
	if (!isfinite(time))
		return lm_fail(error, LM_BAD_INPUT, "the time is %g s; it must be a number", time);
	lm_status status = aim(cloth, guide, error);
	return status == LM_OK ? take_steps(cloth, h, time, error) : status;
}

// Targets move on a straight line from where the averages are to where the guide has them; what moves is stopped after
// each step, so that nothing swings.
lm_status lm_track_preroll(lm_track* cloth, double seconds, const double* guide, double time, lm_error* error)
{
	const double h = 1.0 / 50;
	if (!(seconds > 0 && seconds <= 3600))
		return lm_fail(error, LM_BAD_INPUT, "the pre-roll takes %g s; it must be above 0 and at most an hour", seconds);
	lm_status status = aim(cloth, guide, error);
	int32_t rows = cloth->constraint_count, steps = (int32_t)ceil(seconds / h);
	if (status != LM_OK)
		return status;
	lm_arena memory;
	lm_arena_init(&memory, &cloth->host);
	double *ends = LM_TAKE(&memory, 3 * (size_t)rows, double), *starts = LM_TAKE(&memory, 3 * (size_t)rows, double);
	status = ends != NULL && starts != NULL ? LM_OK : lm_fail_memory(error);
	if (status == LM_OK)
	{
		memcpy(ends, cloth->targets, 3 * (size_t)rows * sizeof(double));
		lm_rows_apply(&cloth->averages, cloth->x, starts);
	}
	bool keep = cloth->keep_pattern;
	for (int32_t k = 1; status == LM_OK && k <= steps; ++k)
	{
		cloth->keep_pattern = k > 1; // there are no checkpoints within a pre-roll
		memcpy(cloth->last_targets, cloth->targets, 3 * (size_t)cloth->rows.count * sizeof(double));
		for (int64_t i = 0; i < 3 * (int64_t)rows; ++i)
		{
			cloth->last_targets[i] = starts[i] + (double)(k - 1) / steps * (ends[i] - starts[i]);
			cloth->targets[i] = starts[i] + (double)k / steps * (ends[i] - starts[i]);
		}
		status = take_steps(cloth, h, time - h, error);
		memset(cloth->v, 0, 3 * (size_t)cloth->n * sizeof(double));
		if (status == LM_OK && !lm_progress(&cloth->host, "pre-roll", (double)k / steps))
			status = lm_fail(error, LM_CANCELLED, "the pre-roll was cancelled");
	}
	cloth->keep_pattern = keep;
	lm_arena_release(&memory);
	return status;
}
