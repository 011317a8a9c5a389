// motion_solve.c: rounds of solving and inserting frames (Adams et al. 2009, Sec. 6.3), and the check of the result.
//
// Departures: a frame goes into every interval that needs one, where it needs it most (one at a time on request); what
// counts is by how much the energy in between exceeds that at the frames around, not the energy itself, which a bent
// key would raise for ever; and where the check still finds surfaces in each other, the weight of contact is raised.
#include "base/alloc.h"
#include "base/error.h"
#include "design/motion_keys.h"

#include <string.h>

static const double least_interval = 2e-3; // of the whole time

// How many iterations a metric and rotations are good for: among others less, for who touches whom changes.
static int32_t slice_of(const lm_design_motion* motion)
{
	return motion->count > 1 ? 12 : 24;
}

// The metric alone: where frames are not coupled it costs little, and what touches changes much.
static int32_t refresh_of(const lm_design_motion* motion)
{
	for (int32_t b = 0; b < motion->count; ++b)
		if (motion->bodies[b].metric.width > 0)
			return slice_of(motion);
	return 5;
}

// ---- a round ----------------------------------------------------------------------------------------------------

static lm_status list_moments(lm_design_motion* motion, lm_design_motion_body* body, lm_error* error)
{
	const lm_design_timeline* t = &body->timeline;
	const lm_host* host = &motion->host;
	int32_t colliders = motion->colliders != NULL ? motion->colliders->count : 0;
	lm_free(host, body->moments);
	lm_free(host, body->obstacles);
	lm_free(host, body->obstacle_contacts);
	body->moments = NULL, body->obstacles = NULL, body->obstacle_contacts = NULL, body->obstacle_contact_count = 0;
	body->moment_count = colliders > 0 ? (t->count - 1) * (LM_DESIGN_BETWEEN + 1) + 1 : 0;
	body->moments = LM_NEW(host, body->moment_count, lm_design_motion_moment);
	body->obstacles = LM_NEW(host, (size_t)body->moment_count * (size_t)colliders, lm_obstacle);
	body->obstacle_contacts =
		LM_NEW(host, (size_t)body->moment_count * (size_t)body->points->count, lm_design_obstacle_contact);
	if (body->moments == NULL || body->obstacles == NULL || body->obstacle_contacts == NULL)
		return lm_fail_memory(error);
	for (int32_t s = 0; s < body->moment_count; ++s)
	{
		int32_t j = s / (LM_DESIGN_BETWEEN + 1), k = s % (LM_DESIGN_BETWEEN + 1);
		const lm_design_frame *a = &t->frames[j], *b = j + 1 < t->count ? a + 1 : a;
		double time = a->time + (b->time - a->time) * k / (LM_DESIGN_BETWEEN + 1);
		body->moments[s].instant = lm_design_timeline_at(t, time);
		body->moments[s].tau = (b->time - a->time) / (LM_DESIGN_BETWEEN + 1);
		if (b == a && j > 0)
			body->moments[s].tau = (a->time - a[-1].time) / (LM_DESIGN_BETWEEN + 1);
		if (!lm_obstacle_moments_at(&motion->shapes, lm_design_motion_seconds(motion, time),
		                            body->obstacles + (int64_t)s * colliders))
			return lm_fail_memory(error);
	}
	return LM_OK;
}

// How far the factorised metric of a body reaches in time. Where no more than six frames in a row are free, they are
// factorised one by one, in a tenth of the time.
static int32_t metric_width(const lm_design_motion_body* body)
{
	int32_t run = 0, longest = 0;
	for (int32_t j = 0; j < body->timeline.count; ++j)
	{
		run = body->slot[j] >= 0 ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest > 6 ? 2 : 0;
}

static lm_status list_unknowns(lm_design_motion* motion, lm_design_motion_body* body, lm_error* error)
{
	lm_free(&motion->host, body->slot);
	body->slot = LM_NEW(&motion->host, body->timeline.count, int32_t);
	if (body->slot == NULL)
		return lm_fail_memory(error);
	body->free_count = 0;
	for (int32_t j = 0; j < body->timeline.count; ++j)
		body->slot[j] = body->timeline.frames[j].fixed ? -1 : body->free_count++;
	body->offset = motion->n;
	motion->n += 3 * (int64_t)body->node_count * body->free_count;
	if (body->free_count == 0 || motion->settled)
		return LM_OK;
	lm_free(&motion->host, body->coupling);
	body->coupling = (double(*)[2])LM_NEW(&motion->host, 2 * (size_t)body->free_count, double);
	if (body->coupling == NULL || !lm_design_band_resize(&body->metric, &motion->host, 3 * body->node_count,
	                                                     metric_width(body), body->free_count))
		return lm_fail_memory(error);
	return LM_OK;
}

static bool make_room(lm_design_motion* motion)
{
	if (motion->x != NULL && motion->work != NULL && motion->room >= motion->n)
		return true;
	lm_free(&motion->host, motion->x);
	lm_free(&motion->host, motion->work);
	motion->room = motion->n + motion->n / 2;
	motion->x = LM_NEW(&motion->host, motion->room, double);
	motion->work = LM_NEW(&motion->host, lm_design_descent_work(motion->room), double);
	return motion->x != NULL && motion->work != NULL;
}

lm_status lm_design_motion_prepare_round(lm_design_motion* motion, lm_error* error)
{
	lm_status status = LM_OK;
	motion->n = 0;
	for (int32_t b = 0; status == LM_OK && b < motion->count; ++b)
	{
		lm_design_timeline_fit(&motion->bodies[b].timeline);
		status = list_moments(motion, &motion->bodies[b], error);
		if (status == LM_OK)
			status = list_unknowns(motion, &motion->bodies[b], error);
	}
	if (status == LM_OK && motion->count > 1)
		status = lm_design_motion_pairs_prepare(motion, error);
	if (status != LM_OK)
		return status;
	if (!make_room(motion))
		return lm_fail_memory(error);
	for (int32_t b = 0; b < motion->count; ++b)
	{
		const lm_design_motion_body* body = &motion->bodies[b];
		size_t n = 3 * (size_t)body->node_count;
		for (int32_t j = 0; j < body->timeline.count; ++j)
			if (body->slot[j] >= 0)
				memcpy(motion->x + body->offset + (int64_t)body->slot[j] * (int64_t)n, body->timeline.frames[j].y,
				       n * sizeof(double));
	}
	return LM_OK;
}

static bool go_on(void* context, double energy)
{
	lm_design_motion* motion = context;
	(void)energy;
	motion->cancelled = !lm_progress(&motion->host, "finding the motion", motion->done);
	return !motion->cancelled;
}

// As many iterations as one metric is good for; then rotations are fitted anew, so that what they add between the
// frames does not go stale.
static lm_status solve_slice(lm_design_motion* motion, double tolerance, lm_design_descent_report* r, lm_error* error)
{
	lm_status status = lm_design_motion_prepare_round(motion, error);
	if (status != LM_OK || motion->n == 0)
		return status;
	lm_design_descent_problem problem = { .context = motion,
		                                  .n = motion->n,
		                                  .energy = lm_design_motion_energy,
		                                  .refresh = lm_design_motion_refresh,
		                                  .apply = lm_design_motion_apply,
		                                  .go_on = go_on };
	lm_design_descent_settings settings = { .most_iterations = slice_of(motion),
		                                    .refresh = refresh_of(motion),
		                                    .tolerance = tolerance,
		                                    .ready = motion->settled,
		                                    .longest =
		                                        motion->count > 1 ? 0.2 : 0, // what is not near yet, it does not see
		                                    .floor = 0.01 * motion->count };
	*r = motion->minimise != NULL ? motion->minimise(motion->minimiser, &problem, &settings, motion->x, motion->work)
	                              : lm_design_descent_solve(&problem, &settings, motion->x, motion->work);
	motion->settled = r->converged && r->iterations <= 2;
	motion->report.iterations += r->iterations;
	motion->report.evaluations += r->evaluations;
	motion->report.energy = r->energy;
	for (int32_t b = 0; b < motion->count; ++b)
		lm_design_timeline_fit(&motion->bodies[b].timeline);
	if (motion->pairs != NULL && motion->pairs_failed)
		return lm_fail_memory(error);
	return r->cancelled ? lm_fail(error, LM_CANCELLED, "cancelled while the motion was sought") : LM_OK;
}

static lm_status solve_round(lm_design_motion* motion, double tolerance, int32_t slices, lm_error* error)
{
	lm_status status = LM_OK;
	lm_design_descent_report r = { 0 };
	motion->report.rounds += 1;
	for (int32_t slice = 0; status == LM_OK && slice < slices && !(slice > 0 && r.iterations < slice_of(motion));
	     ++slice)
	{
		r = (lm_design_descent_report){ 0 };
		status = solve_slice(motion, tolerance, &r, error);
	}
	return status;
}

// ---- what goes wrong in between ---------------------------------------------------------------------------------

// Deepest that the body's points are in obstacles, own lengths (0: outside); also how much of the margin they use.
static double contact_error(const lm_design_motion* motion, const lm_design_motion_body* body,
                            const lm_obstacles* obstacles, const double* z, double* deepest)
{
	const lm_design_rows* rows = body->points;
	double half = 0.5 * motion->settings.margin, sum = 0;
	lm_design_motion_near near;
	lm_design_motion_find_near(motion, body, obstacles->items, z, &near);
	if (near.count == 0)
		return 0;
	for (int32_t p = 0; p < rows->count; ++p)
	{
		lm_vec3 x = { 0, 0, 0 }, normal;
		for (int64_t e = rows->start[p]; e < rows->start[p + 1]; ++e)
			x = lm_add_scaled(x, rows->phi[e], lm_v3_at(z, rows->node[e]));
		double d = lm_design_motion_obstacle_distance(body, obstacles->items, &near, x, half, &normal);
		if (d < half)
			sum += (half - d) * (half - d);
		*deepest = fmax(*deepest, -d);
	}
	return sum;
}

typedef struct worst
{
	double error, time;
} worst;

static worst worst_between(const lm_design_motion* motion, const lm_design_motion_body* body, int32_t j,
                           lm_obstacles* obstacles)
{
	enum
	{
		LOOKS = 9
	};
	const lm_design_timeline* t = &body->timeline;
	const lm_design_frame *a = &t->frames[j], *b = a + 1;
	lm_design_stiffness s = { motion->settings.strain, motion->settings.volume };
	worst w = { 0, 0.5 * (a->time + b->time) };
	double ends = fmax(lm_design_elastic(t->model, s, a->y, 1, NULL), lm_design_elastic(t->model, s, b->y, 1, NULL));
	if (a->held)
		return w;
	for (int k = 1; k <= LOOKS; ++k)
	{
		double time = a->time + (b->time - a->time) * k / (LOOKS + 1), *z = body->scratch, deepest = 0;
		lm_design_instant in = lm_design_timeline_at(t, time);
		lm_design_timeline_nodes(t, &in, z, NULL);
		double error = fmax(0, lm_design_elastic(t->model, s, z, 1, NULL) - ends);
		if (obstacles->count > 0)
		{
			lm_obstacles_set_time(obstacles, lm_design_motion_seconds(motion, time));
			error += motion->settings.obstacles * contact_error(motion, body, obstacles, z, &deepest);
		}
		if (error > w.error)
			w = (worst){ error, time };
	}
	return w;
}

// Inserts frames into a body; returns how many, or -1 when out of memory.
static int32_t refine(lm_design_motion* motion, lm_design_motion_body* body, lm_obstacles* obstacles)
{
	int32_t count = body->timeline.count, inserted = 0;
	if (count >= body->budget || count < 2)
		return 0;
	worst* found = LM_NEW(&motion->host, count - 1, worst);
	if (found == NULL)
		return -1;
	double most = 0;
	for (int32_t j = 0; j + 1 < count; ++j)
	{
		const lm_design_frame* f = &body->timeline.frames[j];
		if (f[1].time - f->time > least_interval)
			found[j] = worst_between(motion, body, j, obstacles);
		most = fmax(most, found[j].error);
	}
	double enough = fmax(motion->settings.accuracy, motion->settings.one_by_one ? most : 0.05 * most);
	while (inserted >= 0 && body->timeline.count < body->budget)
	{
		int32_t next = 0; // the worst first, for the budget may end
		for (int32_t j = 1; j + 1 < count; ++j)
			next = found[j].error > found[next].error ? j : next;
		if (!(found[next].error > 0) || found[next].error < enough)
			break;
		inserted = lm_design_motion_insert(body, found[next].time) ? inserted + 1 : -1;
		found[next].error = 0;
		if (motion->settings.one_by_one)
			break;
		lm_design_timeline_fit(&body->timeline);
	}
	lm_free(&motion->host, found);
	return inserted;
}

static lm_status refine_all(lm_design_motion* motion, int32_t* inserted, lm_error* error)
{
	lm_obstacles obstacles;
	*inserted = lm_obstacles_create(motion->colliders, &motion->host, &obstacles) ? 0 : -1;
	for (int32_t b = 0; b < motion->count && *inserted >= 0; ++b)
	{
		int32_t more = refine(motion, &motion->bodies[b], &obstacles);
		*inserted = more < 0 ? -1 : *inserted + more;
	}
	motion->settled = motion->settled && *inserted == 0;
	lm_obstacles_release(&obstacles);
	return *inserted < 0 ? lm_fail_memory(error) : LM_OK;
}

// ---- the check --------------------------------------------------------------------------------------------------

// At ten times the frame rate, on the points that keep off things. Fills in the depths; worst_time (may be NULL): when
// each body is deepest.
static lm_status check_depths(lm_design_motion* motion, double* worst_time, lm_error* error)
{
	lm_obstacles obstacles;
	bool good = lm_obstacles_create(motion->colliders, &motion->host, &obstacles);
	int64_t steps = (int64_t)ceil(10 * motion->settings.fps * motion->settings.seconds);
	for (int32_t b = 0; b < motion->count; ++b)
		motion->bodies[b].obstacle_depth = motion->bodies[b].pair_depth = 0;
	for (int64_t k = 0; good && k <= steps && obstacles.count > 0; ++k)
	{
		double time = (double)k / (double)steps;
		lm_obstacles_set_time(&obstacles, lm_design_motion_seconds(motion, time));
		for (int32_t b = 0; b < motion->count; ++b)
		{
			lm_design_motion_body* body = &motion->bodies[b];
			lm_design_instant in = lm_design_timeline_at(&body->timeline, time);
			double depth = 0;
			if (!lm_design_motion_is_there(body, time))
				continue;
			lm_design_timeline_nodes(&body->timeline, &in, body->scratch, NULL);
			contact_error(motion, body, &obstacles, body->scratch, &depth);
			if (depth > body->obstacle_depth)
			{
				body->obstacle_depth = depth;
				if (worst_time != NULL)
					worst_time[b] = time;
			}
		}
	}
	lm_obstacles_release(&obstacles);
	if (!good)
		return lm_fail_memory(error);
	return motion->count > 1 ? lm_design_motion_pairs_check(motion, steps, error) : LM_OK;
}

static bool is_deep(const lm_design_motion* motion)
{
	bool deep = false;
	for (int32_t b = 0; b < motion->count; ++b)
		deep |= motion->bodies[b].obstacle_depth > 0.004 || motion->bodies[b].pair_depth > 0.008;
	return deep;
}

// Raises the weights and gives deep bodies another frame where they are deepest.
static lm_status press_out(lm_design_motion* motion, const double* worst_time, lm_error* error)
{
	motion->obstacles *= 4, motion->objects *= 4, motion->settled = false;
	for (int32_t b = 0; b < motion->count; ++b)
	{
		lm_design_motion_body* body = &motion->bodies[b];
		if (!(body->obstacle_depth > 0.004) || body->timeline.count >= body->budget)
			continue;
		const lm_design_instant in = lm_design_timeline_at(&body->timeline, worst_time[b]);
		const lm_design_frame* f = &body->timeline.frames[in.interval];
		double distance = fmin(worst_time[b] - f->time, f[1].time - worst_time[b]);
		if (distance > least_interval && !lm_design_motion_insert(body, worst_time[b]))
			return lm_fail_memory(error);
	}
	return LM_OK;
}

// The same for the vertices of the surfaces themselves, some thousands of each body, in obstacles: for the report.
static void check_surface(lm_design_motion* motion, lm_design_motion_body* body, lm_obstacles* obstacles)
{
	const lm_design_rows* rows = &body->timeline.model->skin;
	int64_t steps = (int64_t)ceil(10 * motion->settings.fps * motion->settings.seconds);
	int32_t stride = 1 + rows->count / 3000;
	for (int64_t k = 0; k <= steps; ++k)
	{
		double time = (double)k / (double)steps;
		lm_design_instant in = lm_design_timeline_at(&body->timeline, time);
		lm_design_motion_near near;
		if (!lm_design_motion_is_there(body, time))
			continue;
		lm_obstacles_set_time(obstacles, lm_design_motion_seconds(motion, time));
		lm_design_timeline_nodes(&body->timeline, &in, body->scratch, NULL);
		lm_design_motion_find_near(motion, body, obstacles->items, body->scratch, &near);
		for (int32_t v = 0; near.count > 0 && v < rows->count; v += stride)
		{
			lm_vec3 x = { 0, 0, 0 }, normal;
			for (int64_t e = rows->start[v]; e < rows->start[v + 1]; ++e)
				x = lm_add_scaled(x, rows->phi[e], lm_v3_at(body->scratch, rows->node[e]));
			double d = lm_design_motion_obstacle_distance(body, obstacles->items, &near, x, 0.001, &normal);
			body->obstacle_depth = fmax(body->obstacle_depth, -d);
		}
	}
}

static lm_status check_surfaces(lm_design_motion* motion, lm_error* error)
{
	if (motion->colliders == NULL || motion->colliders->count == 0)
		return LM_OK;
	lm_obstacles obstacles;
	bool good = lm_obstacles_create(motion->colliders, &motion->host, &obstacles);
	for (int32_t b = 0; good && b < motion->count; ++b)
		check_surface(motion, &motion->bodies[b], &obstacles);
	lm_obstacles_release(&obstacles);
	return good ? LM_OK : lm_fail_memory(error);
}

static void finish_report(lm_design_motion* motion)
{
	lm_design_motion_report* r = &motion->report;
	r->variables = 0, r->frames_inserted = 0;
	for (int32_t b = 0; b < motion->count; ++b)
	{
		lm_design_motion_body* body = &motion->bodies[b];
		body->key_error = lm_design_motion_key_error(body);
		r->variables += 3 * (int64_t)body->node_count * body->timeline.count;
		r->frames_inserted += body->timeline.count - body->key_frames;
		r->key_error = fmax(r->key_error, body->key_error);
		r->obstacle_depth = fmax(r->obstacle_depth, body->obstacle_depth);
		r->pair_depth = fmax(r->pair_depth, body->pair_depth);
	}
	r->collision_free = r->obstacle_depth <= 0.01 && r->pair_depth <= 0.01;
}

// Objects among each other need room to move from the start: frames are spread evenly over the longest intervals.
static lm_status spread_frames(lm_design_motion* motion, lm_error* error)
{
	for (int32_t b = 0; b < motion->count; ++b)
	{
		lm_design_timeline* t = &motion->bodies[b].timeline;
		while (t->count >= 2 && t->count < motion->bodies[b].budget)
		{
			int32_t longest = 0;
			double length = 0;
			for (int32_t j = 0; j + 1 < t->count; ++j)
			{
				double h = t->frames[j].held ? 0 : t->frames[j + 1].time - t->frames[j].time;
				if (h > length * (1 + 1e-9))
					length = h, longest = j;
			}
			if (length < least_interval)
				break;
			lm_design_timeline_fit(t);
			if (!lm_design_motion_insert(&motion->bodies[b], t->frames[longest].time + 0.5 * length))
				return lm_fail_memory(error);
		}
	}
	return LM_OK;
}

static bool may_grow(const lm_design_motion* motion)
{
	bool room = false;
	for (int32_t b = 0; b < motion->count; ++b)
		room |= motion->bodies[b].timeline.count < motion->bodies[b].budget;
	return room;
}

static lm_status solve_all(lm_design_motion* motion, double* worst_time, lm_error* error)
{
	lm_status status = LM_OK;
	bool obstructed = motion->count > 1 || (motion->colliders != NULL && motion->colliders->count > 0);
	if (motion->count > 1)
		status = spread_frames(motion, error);
	int32_t inserted = 1;
	for (int round = 0; status == LM_OK && inserted > 0 && round < 1000; ++round)
	{
		motion->done = 1 - 1 / (1.0 + 0.3 * round);
		if (obstructed && round < 3)
		{
			motion->settled = false;
			status = lm_design_motion_prepare_round(motion, error);
			if (status == LM_OK && motion->n > 0)
				status = lm_design_motion_find_paths(motion, error);
		}
		if (status != LM_OK || !may_grow(motion))
			break;
		status = solve_round(motion, 10 * motion->settings.tolerance, 2, error);
		if (status == LM_OK)
			status = refine_all(motion, &inserted, error);
	}
	if (status == LM_OK)
		status = solve_round(motion, motion->settings.tolerance, 8, error);
	if (status == LM_OK)
		status = check_depths(motion, worst_time, error);
	for (int attempt = 0; status == LM_OK && attempt < 5 && is_deep(motion); ++attempt)
	{
		motion->done = 0.9 + 0.02 * attempt;
		status = press_out(motion, worst_time, error);
		if (status == LM_OK)
			status = solve_round(motion, motion->settings.tolerance, 4, error);
		if (status == LM_OK)
			status = check_depths(motion, worst_time, error);
	}
	return status;
}

lm_status lm_design_motion_solve(lm_design_motion* motion, lm_error* error)
{
	double begin = lm_clock_seconds();
	double* worst_time = LM_NEW(&motion->host, motion->count, double);
	motion->report = (lm_design_motion_report){ 0 };
	lm_status status = worst_time != NULL ? solve_all(motion, worst_time, error) : lm_fail_memory(error);
	lm_free(&motion->host, worst_time);
	if (status != LM_OK)
		return status;
	motion->report.seconds = lm_clock_seconds() - begin;
	status = check_surfaces(motion, error);
	if (status != LM_OK)
		return status;
	finish_report(motion);
	lm_progress(&motion->host, "finding the motion", 1);
	return LM_OK;
}
