// performance.c: designed and simulated parts of all objects, in the order of time (Adams et al. 2009, Sec. 7).
#include "design/performance.h"

#include "base/alloc.h"
#include "base/error.h"
#include "design/settings.h"
#include "design/state.h"

#include <string.h>

// ---- defaults ---------------------------------------------------------------------------------------------------

lm_design_dynamics lm_design_dynamics_default(void)
{
	lm_design_dynamics dynamics;
	lm_table_defaults(&lm_design_dynamics_table, &dynamics);
	return dynamics;
}

lm_design_performance_object lm_design_performance_object_default(void)
{
	return (lm_design_performance_object){ .motion = lm_design_motion_object_default(),
		                                   .dynamics = lm_design_dynamics_default() };
}

lm_design_performance_settings lm_design_performance_settings_default(void)
{
	lm_design_performance_settings settings;
	lm_table_defaults(&lm_design_performance_table, &settings);
	return settings;
}

// ---- memory -----------------------------------------------------------------------------------------------------

// What is needed only while it is found.
static void tidy(lm_design_performance* p)
{
	for (int32_t o = 0; p->performers != NULL && o < p->count; ++o)
	{
		lm_design_performer* a = &p->performers[o];
		lm_free(&p->host, a->parts);
		lm_free(&p->host, a->keys);
		lm_free(&p->host, a->state);
		lm_free(&p->host, a->ease);
		a->object = NULL, a->parts = NULL, a->keys = NULL, a->state = NULL, a->ease = NULL;
	}
	lm_design_sim_destroy(p->sim);
	lm_design_motion_destroy(p->stage);
	p->sim = NULL, p->stage = NULL, p->colliders = NULL;
}

void lm_design_performance_destroy(lm_design_performance* p)
{
	if (p == NULL)
		return;
	const lm_host host = p->host;
	tidy(p);
	for (int32_t o = 0; p->performers != NULL && o < p->count; ++o)
		lm_design_course_release(&p->performers[o].course);
	lm_free(&host, p->performers);
	lm_free(&host, p);
}

static lm_status make_actor(lm_design_performance* p, int32_t o, const lm_design_performance_object* object,
                            lm_error* error)
{
	lm_design_performer* a = &p->performers[o];
	const lm_design_model* m = object->motion.model;
	size_t n = (size_t)m->node_count;
	a->object = object;
	a->course = (lm_design_course){ .host = p->host, .model = m };
	a->keys = LM_NEW(&p->host, (size_t)object->motion.key_count + 1, lm_design_motion_key);
	a->state = LM_NEW(&p->host, 12 * n, double);
	a->ease = LM_NEW(&p->host, 2 * (size_t)m->point_count, lm_design_prestrain);
	if (a->keys == NULL || a->state == NULL || a->ease == NULL)
		return lm_fail_memory(error);
	a->faded = a->state + 6 * n, a->middle_before = a->faded + 3 * n, a->easing = a->ease + m->point_count;
	p->dynamic |= object->simulated_count > 0 || object->dynamics.secondary > 0;
	return lm_design_performance_divide(p, o, error);
}

static lm_status make_stage(lm_design_performance* p, const lm_design_performance_object* objects, lm_error* error)
{
	lm_design_motion_object* shapes = LM_NEW(&p->host, p->count, lm_design_motion_object);
	lm_design_dynamics* dynamics = LM_NEW(&p->host, p->count, lm_design_dynamics);
	lm_status status = shapes != NULL && dynamics != NULL ? LM_OK : lm_fail_memory(error);
	for (int32_t o = 0; status == LM_OK && o < p->count; ++o)
		shapes[o] = objects[o].motion, dynamics[o] = objects[o].dynamics;
	if (status == LM_OK)
		status = lm_design_motion_create_stage(shapes, p->count, p->colliders, p->start, &p->settings.motion, &p->host,
		                                       &p->stage, error);
	if (status == LM_OK)
		status = lm_design_sim_create(p->stage, dynamics, p->settings.gravity, p->start, &p->host, &p->sim, error);
	lm_free(&p->host, shapes);
	lm_free(&p->host, dynamics);
	return status;
}

// ---- in the order of time ---------------------------------------------------------------------------------------

static double next_change(const lm_design_performance* p)
{
	double next = p->settings.motion.seconds;
	for (int32_t o = 0; o < p->count; ++o)
		next = fmin(next, p->performers[o].parts[p->performers[o].part].end);
	return next;
}

static lm_status begin_span(lm_design_performance* p, double until, bool exactly, lm_error* error)
{
	lm_design_span* s = &p->span;
	s->end = next_change(p);
	lm_status status = lm_design_performance_design(p, s->begin, error);
	if (status == LM_OK)
		status = lm_design_performance_release(p, exactly ? until - s->begin : 0, error);
	s->begun = status == LM_OK;
	return status;
}

static void end_span(lm_design_performance* p)
{
	lm_design_span* s = &p->span;
	double end = p->settings.motion.seconds;
	lm_design_performance_stop(p);
	p->finished = s->end >= end - LM_SAME_TIME;
	for (int32_t o = 0; o < p->count && !p->finished; ++o)
		if (p->performers[o].parts[p->performers[o].part].end < s->end + LM_SAME_TIME)
			p->performers[o].part += 1;
	if (p->dynamic)
		lm_design_performance_check_keys(p, s->end);
	*s = (lm_design_span){ .begin = s->end, .at = s->end };
}

static void finish_report(lm_design_performance* p)
{
	lm_design_motion_report* all = &p->report.motion;
	if (!p->dynamic)
		p->report.simulate_seconds = 0;
	all->collision_free = all->obstacle_depth <= 0.01 && all->pair_depth <= 0.01;
	for (int32_t o = 0; o < p->count; ++o)
	{
		lm_design_motion_report *own = &p->performers[o].report.motion, kept = *own;
		*own = *all;
		own->variables = kept.variables, own->frames_inserted = kept.frames_inserted;
		own->key_error = kept.key_error;
		own->obstacle_depth = kept.obstacle_depth, own->pair_depth = kept.pair_depth;
		p->performers[o].report.simulate_seconds = p->report.simulate_seconds;
	}
}

lm_status lm_design_performance_advance(lm_design_performance* p, double until, bool exactly, lm_error* error)
{
	lm_status status = LM_OK;
	double solved = p->report.motion.seconds, begin = lm_clock_seconds();
	while (status == LM_OK && !p->finished)
	{
		if (!p->span.begun)
			status = begin_span(p, until, exactly, error);
		if (status == LM_OK)
			status = lm_design_performance_run(p, until, exactly, error);
		if (status != LM_OK || p->span.at < p->span.end)
			break;
		end_span(p);
	}
	if (status == LM_OK && p->dynamic)
		status = lm_design_performance_check(p, p->finished ? INFINITY : fmin(fmax(until, p->span.begin), p->span.at),
		                                     error);
	p->report.simulate_seconds += lm_clock_seconds() - begin - (p->report.motion.seconds - solved);
	finish_report(p);
	if (p->finished)
		tidy(p);
	return status;
}

lm_status lm_design_performance_begin(const lm_design_performance_object* objects, int32_t count,
                                      const lm_colliders* colliders, double start,
                                      const lm_design_performance_settings* settings, const lm_host* host,
                                      lm_design_performance** result, lm_error* error)
{
	lm_status status = lm_table_check(&lm_design_performance_table, settings, error);
	if (status != LM_OK)
		return status;
	if (count < 1)
		return lm_fail(error, LM_BAD_INPUT, "a performance needs at least one object");
	lm_design_performance* p = LM_NEW(host, 1, lm_design_performance);
	if (p == NULL)
		return lm_fail_memory(error);
	*p = (lm_design_performance){
		.host = *host, .settings = *settings, .start = start, .colliders = colliders, .count = count
	};
	p->performers = LM_NEW(host, count, lm_design_performer);
	status = p->performers != NULL ? LM_OK : lm_fail_memory(error);
	for (int32_t o = 0; status == LM_OK && o < count; ++o)
		status = make_actor(p, o, &objects[o], error);
	if (status == LM_OK && p->dynamic)
		status = make_stage(p, objects, error);
	if (status == LM_OK)
		*result = p;
	else
		lm_design_performance_destroy(p);
	return status;
}

lm_status lm_design_performance_create_finished(const lm_design_model* const* models, int32_t count,
                                                const lm_host* host, lm_design_performance** result, lm_error* error)
{
	lm_design_performance* p = LM_NEW(host, 1, lm_design_performance);
	if (p == NULL)
		return lm_fail_memory(error);
	*p = (lm_design_performance){ .host = *host, .count = count, .finished = true };
	p->performers = LM_NEW(host, count, lm_design_performer);
	if (p->performers == NULL)
	{
		lm_free(host, p);
		return lm_fail_memory(error);
	}
	for (int32_t o = 0; o < count; ++o)
		p->performers[o].course = (lm_design_course){ .host = *host, .model = models[o] };
	*result = p;
	return LM_OK;
}

lm_status lm_design_performance_create(const lm_design_performance_object* objects, int32_t count,
                                       const lm_colliders* colliders, double start,
                                       const lm_design_performance_settings* settings, const lm_host* host,
                                       lm_design_performance** result, lm_error* error)
{
	lm_design_performance* p = NULL;
	lm_status status = lm_design_performance_begin(objects, count, colliders, start, settings, host, &p, error);
	if (status == LM_OK)
		status = lm_design_performance_advance(p, settings->motion.seconds, false, error);
	if (status == LM_OK)
		*result = p;
	else
		lm_design_performance_destroy(p);
	return status;
}

// ---- reading ----------------------------------------------------------------------------------------------------

lm_design_performance_report lm_design_performance_get_report(const lm_design_performance* p, int32_t object)
{
	return object < 0 ? p->report : p->performers[object].report;
}

void lm_design_performance_nodes(const lm_design_performance* p, int32_t object, double time, double* nodes,
                                 double* velocities)
{
	lm_design_course_nodes(&p->performers[object].course, time, nodes, velocities);
}
