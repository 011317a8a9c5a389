// secondary.c: see secondary.h.
#include "design/secondary.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const double same_time = 1e-9, widest = 0.25;

// One object while it runs.
typedef struct runner
{
	lm_design_secondary* what;
	int32_t nodes;
	double* memory;              // behind the next two lines
	double* carried;             // [nodes] c
	double *before, *now, *next; // g at three times, before: as if it had come with the velocity it has now
	lm_design_prestrain *shape, *old, *moved; // of g at the end and the beginning of a step, and the difference
	lm_quat* turned;                          // [samples] rotation of g
	size_t turned_capacity;
} runner;

static void release_runner(runner* r, const lm_host* host)
{
	lm_free(host, r->memory);
	lm_free(host, r->shape);
	lm_free(host, r->turned);
}

// How much each node is carried by what is in the middle of the material.
static void find_carried(const lm_design_model* m, double* carried)
{
	int32_t middle = 0;
	double most = 0;
	for (int32_t i = 1; i < m->node_count; ++i)
		if (lm_distance(lm_v3_at(m->nodes, i), m->middle) < lm_distance(lm_v3_at(m->nodes, middle), m->middle))
			middle = i;
	for (int32_t i = 0; i < m->node_count; ++i)
	{
		double place[3];
		lm_v3_store(place, 0, lm_add_scaled(m->center, m->size, lm_v3_at(m->nodes, i)));
		carried[i] = lm_design_model_distance(m, middle, place);
		most = fmax(most, carried[i]);
	}
	for (int32_t i = 0; i < m->node_count; ++i)
	{
		double s = most > 0 ? carried[i] / most : 0;
		carried[i] = (1 - s * s) * (1 - s * s);
	}
}

static lm_status start_runner(lm_design_sim* sim, lm_design_secondary* what, runner* r, lm_error* error)
{
	const lm_design_model* m = what->piece->timeline.model;
	const lm_host* host = &sim->host;
	size_t n = (size_t)m->node_count, points = (size_t)m->point_count;
	*r = (runner){ .what = what, .nodes = m->node_count };
	r->memory = LM_NEW(host, 10 * n, double);
	r->shape = LM_NEW(host, 3 * points, lm_design_prestrain);
	if (r->memory == NULL || r->shape == NULL)
		return lm_fail_memory(error);
	r->before = r->memory, r->now = r->before + 3 * n, r->next = r->now + 3 * n, r->carried = r->next + 3 * n;
	r->old = r->shape + points, r->moved = r->old + points;
	find_carried(m, r->carried);
	lm_design_sim_body* body = &sim->bodies[what->body];
	lm_design_course_piece_designed(what->piece, what->piece->begin, r->now, body->v);
	memcpy(body->y, r->now, 3 * n * sizeof(double));
	memset(body->slack, 0, 2 * (size_t)sim->stage->bodies[what->body].points->count * sizeof(double));
	lm_design_prestrain_of(m, r->now, r->shape);
	body->free = true, body->shape = r->shape, body->shape_moved = r->moved;
	return LM_OK;
}

// Leads the body through one step from `time`; h_before: of the step before, 0: there was none.
static void lead(lm_design_sim* sim, runner* r, double time, double h, double h_before)
{
	const lm_design_model* m = r->what->piece->timeline.model;
	lm_design_sim_body* body = &sim->bodies[r->what->body];
	lm_vec3 gravity = lm_scale(1 / m->size, sim->gravity);
	double frequency = 3 * 2 * LM_PI * r->what->frequency;
	const lm_design_timeline* t = &r->what->piece->timeline;
	int32_t interval =
		lm_design_timeline_at(t, (time + 0.5 * h - r->what->piece->begin) / r->what->piece->seconds).interval;
	lm_design_course_piece_designed(r->what->piece, time + h, r->next, NULL);
	for (int32_t i = 0; i < r->nodes; ++i)
	{
		double hold = lm_design_timeline_holds(t, interval, i) ? 1000 : r->carried[i]; // feet stand
		body->hold[i] = hold * frequency * frequency / r->nodes;
		lm_vec3 come = h_before > 0 ? lm_scale(1 / h_before, lm_sub(lm_v3_at(r->now, i), lm_v3_at(r->before, i)))
		                            : lm_v3_at(body->v, i);
		lm_vec3 go = lm_scale(1 / h, lm_sub(lm_v3_at(r->next, i), lm_v3_at(r->now, i)));
		double share = 1 - r->what->amount * (1 - r->carried[i]);
		lm_v3_store(body->push, i, lm_sub(lm_scale(share / h, lm_sub(go, come)), gravity));
	}
	memcpy(body->goal, r->next, 3 * (size_t)r->nodes * sizeof(double));
	memcpy(r->old, r->shape, (size_t)m->point_count * sizeof *r->shape);
	lm_design_prestrain_of(m, r->next, r->shape);
	for (int32_t p = 0; p < m->point_count; ++p)
		for (int k = 0; k < 6; ++k)
			r->moved[p].B[k] = r->shape[p].B[k] - r->old[p].B[k];
}

static lm_status record(lm_design_sim* sim, runner* r, double time, lm_error* error)
{
	lm_design_recording* to = &r->what->piece->recording;
	double* d = lm_design_recording_add(to, &sim->host, r->nodes, time);
	if (d == NULL || !lm_grow(&sim->host, (void**)&r->turned, &r->turned_capacity, (size_t)to->count, sizeof(lm_quat)))
		return lm_fail_memory(error);
	for (int32_t i = 0; i < 3 * r->nodes; ++i)
		d[i] = sim->bodies[r->what->body].y[i] - r->now[i];
	r->turned[to->count - 1] = lm_design_timeline_rotation(r->what->piece->timeline.model, r->now);
	return LM_OK;
}

static void stop(lm_design_sim* sim, runner* r)
{
	lm_design_sim_body* body = &sim->bodies[r->what->body];
	size_t n = (size_t)r->nodes;
	body->free = false, body->shape = NULL, body->shape_moved = NULL;
	memset(body->push, 0, 3 * n * sizeof(double));
	memset(body->hold, 0, n * sizeof(double));
	sim->stage->bodies[r->what->body].from = 1; // gone
}

static lm_status run_step(lm_design_sim* sim, runner* runners, int32_t count, const lm_design_course* const* bystanders,
                          double h, double h_before, lm_error* error)
{
	double time = sim->time;
	for (int32_t k = 0; k < count; ++k)
		if (sim->bodies[runners[k].what->body].free)
			lead(sim, &runners[k], time, h, h_before);
	for (int32_t b = 0; b < sim->count; ++b)
		if (bystanders[b] != NULL && !sim->bodies[b].free)
			lm_design_course_at(bystanders[b], time + h, sim->bodies[b].y, NULL);
	lm_status status = lm_design_sim_step(sim, h, error);
	for (int32_t k = 0; status == LM_OK && k < count; ++k)
	{
		runner* r = &runners[k];
		if (!sim->bodies[r->what->body].free)
			continue;
		double* oldest = r->before;
		r->before = r->now, r->now = r->next, r->next = oldest;
		status = record(sim, r, sim->time, error);
		if (sim->time > r->what->piece->end - same_time)
			stop(sim, r);
	}
	return status;
}

// ---- times at which a step has to end ---------------------------------------------------------------------------

static int ascending(const void* a, const void* b)
{
	double x = *(const double*)a, y = *(const double*)b;
	return x < y ? -1 : x > y;
}

static lm_status list_marks(const lm_design_secondary* all, int32_t count, const lm_host* host, double** marks,
                            int32_t* mark_count, lm_error* error)
{
	size_t most = 1, found = 0;
	for (int32_t k = 0; k < count; ++k)
		most += 1 + 2 * (size_t)all[k].key_count;
	double* list = *marks = LM_NEW(host, most, double);
	if (list == NULL)
		return lm_fail_memory(error);
	list[found++] = all[0].piece->begin;
	for (int32_t k = 0; k < count; ++k)
	{
		const lm_design_course_piece* piece = all[k].piece;
		list[found++] = piece->end;
		for (int32_t j = 0; j < all[k].key_count; ++j)
		{
			double start = fmin(fmax(all[k].keys[j].time, piece->begin), piece->end);
			list[found++] = start;
			list[found++] = fmin(fmax(all[k].keys[j].end, start), piece->end);
		}
	}
	qsort(list, found, sizeof *list, ascending);
	*mark_count = 0;
	for (size_t k = 0; k < found; ++k)
		if (*mark_count == 0 || list[k] > list[*mark_count - 1] + same_time)
			list[(*mark_count)++] = list[k];
	return LM_OK;
}

// ---- keys are met -----------------------------------------------------------------------------------------------

typedef struct event
{
	double start, end;
	int32_t first, last; // samples
} event;

static bool concerns(const lm_design_motion_key* key, int32_t node)
{
	bool found = key->count == 0;
	for (int32_t i = 0; i < key->count && !found; ++i)
		found = key->nodes[i] == node;
	return found && !key->via;
}

static int32_t sample_at(const lm_design_recording* r, double time)
{
	int32_t best = 0;
	for (int32_t s = 1; s < r->count; ++s)
		best = fabs(r->times[s] - time) < fabs(r->times[best] - time) ? s : best;
	return best;
}

static int32_t list_events(const lm_design_secondary* what, int32_t node, event* events)
{
	int32_t count = 0;
	for (int32_t k = 0; k < what->key_count; ++k)
	{
		const lm_design_motion_key* key = &what->keys[k];
		if (!concerns(key, node))
			continue;
		event e = { .start = key->time, .end = fmax(key->time, key->end) };
		e.first = sample_at(&what->piece->recording, e.start), e.last = sample_at(&what->piece->recording, e.end);
		int32_t at = count++;
		for (; at > 0 && events[at - 1].start > e.start; --at)
			events[at] = events[at - 1];
		events[at] = e;
	}
	return count;
}

// What is taken off at distance u of a bump of width w from a key.
static lm_vec3 bump(double u, double w, lm_vec3 d, lm_vec3 v)
{
	double B = 1 + u * u * u * (-10 + u * (15 - 6 * u)), H = u * (1 - u) * (1 - u) * (1 - u) * (1 + 3 * u);
	return lm_add(lm_scale(B, d), lm_scale(w * H, v));
}

// The deviation of a node at a sample, without what it is at the keys around. raw: as it was simulated.
static lm_vec3 corrected(const runner* r, const lm_design_recording* raw, const event* events, int32_t count,
                         int32_t node, int32_t sample)
{
	double t = raw->times[sample];
	int64_t n = r->nodes;
	lm_vec3 d = lm_v3_at(raw->y, sample * n + node);
	for (int32_t k = 0; k < count; ++k)
	{
		const event* e = &events[k];
		bool held = e->last > e->first, after = sample > e->last;
		if (sample >= e->first && sample <= e->last)
			return lm_v3(0, 0, 0);
		int32_t key = after ? e->last : e->first;
		double room = after ? (k + 1 < count ? 0.5 * (events[k + 1].start - e->end) : INFINITY)
		                    : (k > 0 ? 0.5 * (e->start - events[k - 1].end) : e->start - raw->times[0]);
		double w = fmin(widest, room), u = fabs(t - raw->times[key]) / w;
		if (!(u < 1))
			continue;
		lm_quat q = lm_quat_mul(r->turned[sample], lm_quat_conjugate(r->turned[key]));
		lm_vec3 v = held ? lm_scale(after ? 1 : -1, lm_v3_at(raw->v, key * n + node)) : lm_v3(0, 0, 0);
		d = lm_sub(d, lm_quat_rotate(q, bump(u, w, lm_v3_at(raw->y, key * n + node), v)));
	}
	return d;
}

// The velocity at the last sample, from the parabola through the last three.
static void end_velocity(lm_design_recording* r, int32_t nodes)
{
	size_t n = 3 * (size_t)nodes, last = (size_t)r->count - 1;
	if (r->count < 3)
		return;
	double a = r->times[last] - r->times[last - 1], b = r->times[last - 1] - r->times[last - 2];
	for (size_t i = last * n; i < (last + 1) * n; ++i)
	{
		double near = (r->y[i] - r->y[i - n]) / a, far = (r->y[i - n] - r->y[i - 2 * n]) / b;
		r->v[i] = near + (near - far) * a / (a + b);
	}
}

static lm_status meet_keys(const lm_host* host, runner* r, lm_error* error)
{
	lm_design_recording* d = &r->what->piece->recording;
	size_t numbers = 3 * (size_t)r->nodes * (size_t)d->count;
	lm_design_recording_smooth(d, r->nodes);
	end_velocity(d, r->nodes);
	lm_design_recording raw = { .count = d->count, .times = d->times };
	event* events = LM_NEW(host, r->what->key_count, event);
	raw.y = lm_copy(host, d->y, numbers, sizeof(double));
	raw.v = lm_copy(host, d->v, numbers, sizeof(double));
	bool room = events != NULL && raw.y != NULL && raw.v != NULL;
	for (int32_t i = 0; room && i < r->nodes; ++i)
	{
		int32_t count = list_events(r->what, i, events);
		for (int32_t s = 0; s < d->count; ++s)
			lm_v3_store(d->y, (int64_t)s * r->nodes + i, corrected(r, &raw, events, count, i, s));
	}
	if (room)
	{
		lm_design_recording_smooth(d, r->nodes);
		end_velocity(d, r->nodes);
	}
	for (int32_t i = 0; room && i < r->nodes; ++i) // what is held does not move
	{
		int32_t count = list_events(r->what, i, events);
		for (int32_t k = 0; k < count; ++k)
			for (int32_t s = events[k].first; events[k].last > events[k].first && s <= events[k].last; ++s)
				lm_v3_store(d->v, (int64_t)s * r->nodes + i, lm_v3(0, 0, 0));
	}
	lm_free(host, events);
	lm_free(host, raw.y);
	lm_free(host, raw.v);
	return room ? LM_OK : lm_fail_memory(error);
}

// ---- all --------------------------------------------------------------------------------------------------------

static lm_status run(lm_design_sim* sim, runner* runners, int32_t count, const lm_design_course* const* bystanders,
                     const double* marks, int32_t mark_count, double rate, lm_error* error)
{
	lm_status status = LM_OK;
	double h_before = 0;
	for (int32_t k = 0; status == LM_OK && k < count; ++k)
		status = record(sim, &runners[k], sim->time, error);
	for (int32_t m = 0; status == LM_OK && m + 1 < mark_count; ++m)
	{
		int64_t steps = (int64_t)ceil((marks[m + 1] - marks[m]) * rate - 1e-6);
		double h = (marks[m + 1] - marks[m]) / (double)(steps > 0 ? steps : 1);
		for (int64_t s = 0; status == LM_OK && s < (steps > 0 ? steps : 1); ++s)
		{
			sim->time = marks[m] + h * (double)s;
			status = run_step(sim, runners, count, bystanders, h, h_before, error);
			h_before = h;
			if (status == LM_OK && !lm_progress(&sim->host, "secondary motion", (double)m / mark_count))
				status = lm_fail(error, LM_CANCELLED, "cancelled while secondary motion was added");
		}
	}
	return status;
}

lm_status lm_design_secondary_add(lm_design_sim* sim, lm_design_secondary* all, int32_t count,
                                  const lm_design_course* const* bystanders, double time, double rate, lm_error* error)
{
	const lm_host* host = &sim->host;
	double* marks = NULL;
	int32_t mark_count = 0;
	runner* runners = LM_NEW(host, count, runner);
	lm_status status =
		runners != NULL ? list_marks(all, count, host, &marks, &mark_count, error) : lm_fail_memory(error);
	sim->time = time;
	sim->friction_count = 0;
	for (int32_t b = 0; b < sim->count; ++b)
		sim->bodies[b].free = false, sim->stage->bodies[b].from = bystanders[b] != NULL ? 0 : 1;
	for (int32_t k = 0; status == LM_OK && k < count; ++k)
	{
		status = start_runner(sim, &all[k], &runners[k], error);
		sim->stage->bodies[all[k].body].from = 0;
	}
	for (int32_t b = 0; status == LM_OK && b < sim->count; ++b)
		if (bystanders[b] != NULL && !sim->bodies[b].free)
			lm_design_course_at(bystanders[b], time, sim->bodies[b].y, NULL);
	for (int32_t k = 0; status == LM_OK && k < count; ++k)
		status = lm_design_sim_settle(sim, all[k].body, error);
	if (status == LM_OK)
		status = run(sim, runners, count, bystanders, marks, mark_count, rate, error);
	for (int32_t k = 0; runners != NULL && k < count; ++k)
	{
		if (status == LM_OK)
			status = meet_keys(host, &runners[k], error);
		if (runners[k].what != NULL)
			stop(sim, &runners[k]);
		release_runner(&runners[k], host);
	}
	lm_free(host, runners);
	lm_free(host, marks);
	return status;
}
