// performance_simulate.c: simulated parts (Sec. 7.2). Where one begins, positions and velocities are those of the
// design, and so is the acceleration: what the lead adds to gravity, and the pose that it holds, are let go of over the
// time `release`. Designed objects push simulated ones, and are not pushed by them.
#include "design/performance.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

bool lm_design_performer_is_simulated(const lm_design_performer* performer)
{
	return !performer->parts[performer->part].designed;
}

static const lm_design_motion_key* key_at_start(const lm_design_motion_object* m)
{
	for (int32_t k = 0; k < m->key_count; ++k)
		if (m->keys[k].count == 0 && !m->keys[k].via && m->keys[k].time < LM_SAME_TIME)
			return &m->keys[k];
	return NULL;
}

// Of the nodes that a velocity is for.
static void set_velocity(const lm_design_model* model, const lm_design_motion_velocity* velocity, const double* y,
                         double* v)
{
	int32_t count = velocity->count > 0 ? velocity->count : model->node_count;
	lm_vec3 middle = { 0, 0, 0 };
	for (int32_t k = 0; k < count; ++k)
		middle = lm_add_scaled(middle, 1.0 / count, lm_v3_at(y, velocity->count > 0 ? velocity->nodes[k] : k));
	for (int32_t k = 0; k < count; ++k)
	{
		int32_t i = velocity->count > 0 ? velocity->nodes[k] : k;
		lm_v3_store(v, i,
		            lm_add(lm_scale(1 / model->size, lm_v3_at(velocity->linear, 0)),
		                   lm_cross(lm_v3_at(velocity->angular, 0), lm_sub(lm_v3_at(y, i), middle))));
	}
}

// Where an object is that has not been designed yet.
static void first_state(const lm_design_performer* performer, double* y, double* v)
{
	const lm_design_motion_object* m = &performer->object->motion;
	const lm_design_model* model = m->model;
	const lm_design_motion_key* key = key_at_start(m);
	const double* nodes = key != NULL ? key->positions : performer->object->start;
	memcpy(y, model->nodes, 3 * (size_t)model->node_count * sizeof(double));
	memset(v, 0, 3 * (size_t)model->node_count * sizeof(double));
	for (int32_t i = 0; i < model->node_count && nodes != NULL; ++i)
		lm_v3_store(y, i, lm_scale(1 / model->size, lm_sub(lm_v3_at(nodes, i), model->center)));
	for (int part = 0; part < 2; ++part) // after the whole
		for (int32_t k = 0; k < m->velocity_count; ++k)
			if (m->velocities[k].time < LM_SAME_TIME && (m->velocities[k].count > 0) == part)
				set_velocity(model, &m->velocities[k], y, v);
	for (int32_t i = 0; key != NULL && key->velocities != NULL && i < 3 * model->node_count; ++i)
		v[i] = key->velocities[i] / model->size;
}

// State and acceleration at the end of the design.
static void last_state(lm_design_performance* p, lm_design_performer* performer, double time, double* y, double* v)
{
	const lm_design_course_piece* piece = &performer->course.pieces[performer->course.count - 1];
	const lm_design_model* model = performer->course.model;
	lm_vec3 gravity = lm_scale(1 / model->size, lm_v3_at(p->settings.gravity, 0));
	double step = fmin(1 / p->settings.rate, piece->end - piece->begin);
	lm_design_course_piece_at(piece, time - step, y, performer->faded);
	lm_design_course_piece_at(piece, time, y, v);
	for (int32_t i = 0; i < model->node_count; ++i)
	{
		lm_vec3 a = lm_scale(1 / step, lm_sub(lm_v3_at(v, i), lm_v3_at(performer->faded, i)));
		lm_v3_store(performer->faded, i, lm_sub(a, gravity));
	}
	lm_design_prestrain_of(model, y, performer->ease);
}

// Lets go as far as it is time to at the end of a step.
static void fade(lm_design_performance* p, int32_t o, double time)
{
	lm_design_performer* performer = &p->performers[o];
	lm_design_sim_body* body = &p->sim->bodies[o];
	const lm_design_model* model = performer->course.model;
	double release = performer->part > 0 ? performer->object->dynamics.release : 0;
	double u = release > 0 ? fmin((time - performer->released) / release, 1) : 1;
	double left = 1 - u * u * u * (10 + u * (6 * u - 15));
	for (int32_t i = 0; i < 3 * model->node_count; ++i)
		body->push[i] = left * performer->faded[i];
	for (int32_t q = 0; q < model->point_count && left > 0; ++q)
	{
		for (int k = 0; k < 6; ++k)
			performer->easing[q].B[k] = left * performer->ease[q].B[k];
		performer->easing[q].pull = left * performer->ease[q].pull;
	}
	body->shape = left > 0 ? performer->easing : NULL;
}

static lm_status release(lm_design_performance* p, int32_t o, double time, double h, lm_error* error)
{
	lm_design_performer* performer = &p->performers[o];
	const lm_design_part* part = &performer->parts[performer->part];
	int32_t n = performer->course.model->node_count;
	double *y = performer->state, *v = performer->state + 3 * (size_t)n;
	if (performer->part > 0)
		last_state(p, performer, time, y, v);
	else
		first_state(performer, y, v);
	performer->released = time;
	fade(p, o, time);
	lm_design_sim_release(p->sim, o, y, v, h);
	lm_design_course_piece* piece = lm_design_course_add(&performer->course, part->begin, part->end, false);
	double* first = piece != NULL ? lm_design_recording_add(&piece->recording, &p->host, n, time) : NULL;
	if (first == NULL)
		return lm_fail_memory(error);
	memcpy(first, y, 3 * (size_t)n * sizeof(double));
	memcpy(piece->recording.v, v, 3 * (size_t)n * sizeof(double));
	return LM_OK;
}

// Starts the simulated parts that begin now.
static lm_status release_all(lm_design_performance* p, double time, double h, lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t o = 0; o < p->count; ++o)
	{
		lm_design_sim_body* body = &p->sim->bodies[o];
		body->free = lm_design_performer_is_simulated(&p->performers[o]) &&
		             p->performers[o].parts[p->performers[o].part].begin < time - LM_SAME_TIME;
		p->stage->bodies[o].from = 0;
	}
	for (int32_t o = 0; status == LM_OK && o < p->count; ++o)
	{
		const lm_design_performer* performer = &p->performers[o];
		if (lm_design_performer_is_simulated(performer) && !p->sim->bodies[o].free)
			status = release(p, o, time, h, error);
		else if (!lm_design_performer_is_simulated(performer))
			lm_design_course_at(&performer->course, time, p->sim->bodies[o].y, NULL);
	}
	p->sim->time = time;
	for (int32_t o = 0; status == LM_OK && o < p->count; ++o)
		if (p->sim->bodies[o].free && fabs(p->performers[o].released - time) < LM_SAME_TIME)
			status = lm_design_sim_settle(p->sim, o, error);
	return status;
}

// One step of all bodies.
static lm_status move(lm_design_performance* p, double time, double h, lm_error* error)
{
	for (int32_t o = 0; o < p->count; ++o)
	{
		lm_design_performer* performer = &p->performers[o];
		lm_design_sim_body* body = &p->sim->bodies[o];
		if (!body->free)
			lm_design_course_at(&performer->course, time + h, body->y, NULL);
		else
		{
			fade(p, o, time + h);
			memcpy(performer->middle_before, body->v, 3 * (size_t)performer->course.model->node_count * sizeof(double));
		}
	}
	p->sim->time = time;
	return lm_design_sim_step(p->sim, h, error);
}

// Where the bodies are now is part of their courses.
static lm_status record(lm_design_performance* p, double time, lm_error* error)
{
	for (int32_t o = 0; o < p->count; ++o)
	{
		lm_design_performer* performer = &p->performers[o];
		int32_t n = performer->course.model->node_count;
		if (!p->sim->bodies[o].free)
			continue;
		lm_design_recording* r = &performer->course.pieces[performer->course.count - 1].recording;
		double* y = lm_design_recording_add(r, &p->host, n, time);
		if (y == NULL)
			return lm_fail_memory(error);
		memcpy(y, p->sim->bodies[o].y, 3 * (size_t)n * sizeof(double));
		lm_design_recording_smooth_last(r, n);
		lm_design_sim_velocity(p->sim, o, performer->middle_before, r->v + 3 * (size_t)n * (size_t)(r->count - 1));
	}
	return LM_OK;
}

static bool any_simulated(const lm_design_performance* p)
{
	bool any = false;
	for (int32_t o = 0; o < p->count; ++o)
		any |= lm_design_performer_is_simulated(&p->performers[o]);
	return any;
}

static int64_t steps_for(const lm_design_performance* p, double seconds)
{
	int64_t steps = (int64_t)ceil(seconds * p->settings.rate - 1e-6);
	return steps > 0 ? steps : 1;
}

lm_status lm_design_performance_release(lm_design_performance* p, double first_step, lm_error* error)
{
	lm_design_span* s = &p->span;
	s->taken = 0, s->steps = any_simulated(p) ? steps_for(p, s->end - s->begin) : 0, s->at = s->begin;
	if (s->steps == 0)
		return LM_OK;
	double h = (s->end - s->begin) / (double)s->steps;
	return release_all(p, s->begin, first_step > 0 ? fmin(h, first_step) : h, error);
}

// Playing at a time needs the velocities around it, which are known one step later.
static bool is_known(const lm_design_performance* p, double until)
{
	const lm_design_span* s = &p->span;
	double h = (s->end - s->begin) / (double)s->steps;
	return s->taken >= s->steps || s->begin + h * (double)(s->taken - 1) > until;
}

static lm_status take_step(lm_design_performance* p, double time, double h, double end, lm_error* error)
{
	lm_status status = move(p, time, h, error);
	if (status == LM_OK)
		status = record(p, end, error);
	if (status == LM_OK && !lm_progress(&p->host, "simulating", time / p->settings.motion.seconds))
		status = lm_fail(error, LM_CANCELLED, "cancelled while it was simulated");
	return status;
}

lm_status lm_design_performance_run(lm_design_performance* p, double until, bool exactly, lm_error* error)
{
	lm_design_span* s = &p->span;
	lm_status status = LM_OK;
	if (s->steps == 0)
	{
		s->at = s->end;
		return LM_OK;
	}
	while (!exactly && status == LM_OK && !is_known(p, until))
	{
		double h = (s->end - s->begin) / (double)s->steps, time = s->begin + h * (double)s->taken;
		status = take_step(p, time, h, time + h, error);
		s->taken += 1, s->at = s->taken < s->steps ? time + h : s->end;
	}
	double begin = s->at, end = fmin(until, s->end);
	int64_t steps = exactly && end > begin + LM_SAME_TIME ? steps_for(p, end - begin) : 0;
	for (int64_t k = 0; k < steps && status == LM_OK; ++k)
	{
		double h = (end - begin) / (double)steps, time = begin + h * (double)k;
		status = take_step(p, time, h, k + 1 < steps ? time + h : end, error);
		s->at = k + 1 < steps ? time + h : end;
	}
	return status;
}

lm_status lm_design_performance_try(lm_design_performance* p, double h, lm_error* error)
{
	int64_t steps = steps_for(p, h);
	lm_status status = LM_OK;
	for (int64_t k = 0; k < steps && status == LM_OK; ++k)
		status = move(p, p->span.at + h / (double)steps * (double)k, h / (double)steps, error);
	return status;
}

void lm_design_performance_stop(lm_design_performance* p)
{
	double time = p->span.end;
	for (int32_t o = 0; p->span.steps > 0 && o < p->count; ++o)
	{
		lm_design_performer* performer = &p->performers[o];
		if (!p->sim->bodies[o].free || performer->parts[performer->part].end > time + LM_SAME_TIME)
			continue;
		size_t n = 3 * (size_t)performer->course.model->node_count;
		lm_design_recording* r = &performer->course.pieces[performer->course.count - 1].recording;
		lm_design_sim_velocity(p->sim, o, performer->middle_before, r->v + n * (size_t)(r->count - 1));
	}
}
