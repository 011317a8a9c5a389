// step.c: one step of bodies together.
#include "act/clock.h"
#include "act/equation.h"
#include "act/guest.h"
#include "act/islands.h"
#include "act/measure.h"
#include "act/optimize.h"
#include "act/touches.h"
#include "base/error.h"

#include <string.h>

// What a step that fails puts back.
static void keep(lm_act* body)
{
	lm_act_physics* p = body->physics;
	p->kept_report = body->report;
	memcpy(p->parameters, body->p, (size_t)body->rest.parameters * sizeof *body->p);
}

static void put_back(lm_act* body)
{
	lm_act_physics* p = body->physics;
	body->report = p->kept_report;
	memcpy(body->p, p->parameters, (size_t)body->rest.parameters * sizeof *body->p);
	lm_act_rest_shape(&body->rest, body->p, body->X);
}

// What touches it is foreseen: bodies of `act`, and guests that it stands on, on the ways that they are expected to
// take, other guests by the force that they had of late.
static lm_status control(lm_act* body, lm_act* const* bodies, int32_t count, double h, const lm_colliders* colliders,
                         lm_error* error)
{
	lm_act_report* r = &body->report;
	r->iterations = r->factorizations = 0;
	if (body->rest.parameters == 0 || body->goals.count == 0)
		return LM_OK;
	double start = lm_act_clock(body);
	lm_status status = lm_act_physics_begin(body, h, colliders, bodies, count, error);
	if (status == LM_OK)
		lm_act_optimize_step(body, h);
	lm_act_physics_end(bodies, count, h);
	if (status != LM_OK)
		return status;
	++r->controlled_steps;
	r->converged_steps += r->outcome == LM_ACT_CONVERGED;
	r->iterations_sum += r->iterations;
	r->factorizations_sum += r->factorizations;
	r->seconds_control += lm_act_clock(body) - start;
	return LM_OK;
}

static lm_status advance(lm_act* const* bodies, int32_t count, double h, const lm_colliders* colliders, lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t b = 0; b < count && status == LM_OK; ++b)
		status = lm_act_equation_begin(bodies[b], h, error);
	for (int32_t b = 0; b < count && status == LM_OK; ++b)
		status = control(bodies[b], bodies, count, h, colliders, error);
	const lm_act_physics* p = bodies[0]->physics;
	for (int32_t g = 0; g < p->guest_count && status == LM_OK; ++g)
		status = lm_act_guest_begin(p->guests[g], h, error);
	double start = lm_act_clock(bodies[0]);
	if (status == LM_OK)
		status = lm_act_islands_solve(bodies, count, colliders, error);
	bodies[0]->report.seconds_forward += lm_act_clock(bodies[0]) - start;
	return status;
}

// Takes over the end of the step.
static void finish(lm_act* body, double h)
{
	for (int64_t i = 0; i < body->unknowns; ++i)
	{
		body->v[i] = (body->y[i] - body->x[i]) / h;
		body->x[i] = body->y[i];
	}
	++body->report.steps;
}

static lm_status step(lm_act* const* bodies, int32_t count, double h, lm_colliders* colliders, double time,
                      lm_error* error)
{
	if (!(h > 0 && h <= 0.1))
		return lm_fail(error, LM_BAD_INPUT, "the time step is %g s; it must be above 0 and at most 0.1", h);
	if (colliders != NULL)
		lm_colliders_set_time(colliders, time + h);
	if (count == 0 && (bodies == NULL || bodies[0]->physics->guest_count == 0))
		return LM_OK;
	for (int32_t b = 0; b < count; ++b)
		keep(bodies[b]);
	lm_status status = advance(bodies, count, h, colliders, error);
	if (status != LM_OK)
	{
		for (int32_t b = 0; b < count; ++b)
			put_back(bodies[b]);
		return status;
	}
	lm_act_measure_step(bodies, count, h);
	if (bodies[0]->physics->guest_count == 0)
		lm_act_touches_store(bodies, count, colliders);
	for (int32_t b = 0; b < count; ++b)
		finish(bodies[b], h);
	return LM_OK;
}

lm_status lm_act_step(lm_act* const* bodies, int32_t count, double h, lm_colliders* colliders, double time,
                      lm_error* error)
{
	return step(bodies, count, h, colliders, time, error);
}

// ---- with guests

static void receive(lm_act* first, lm_act_guest* const* guests, int32_t count)
{
	first->physics->guests = guests;
	first->physics->guest_count = count;
}

// The first body has the memory of a step; where there is none, the proxy of the first guest lends its own.
static lm_act* const* owner_of(lm_act* const* bodies, int32_t count, lm_act_guest* const* guests, int32_t guest_count)
{
	return count > 0 || guest_count == 0 ? bodies : &guests[0]->proxy;
}

lm_status lm_act_step_guests(lm_act* const* bodies, int32_t count, lm_act_guest* const* guests, int32_t guest_count,
                             double h, lm_colliders* colliders, double time, lm_error* error)
{
	lm_act* const* all = owner_of(bodies, count, guests, guest_count);
	if (count + guest_count == 0)
		return LM_OK;
	receive(all[0], guests, guest_count);
	lm_status status = step(all, count, h, colliders, time, error);
	receive(all[0], NULL, 0);
	return status;
}

void lm_act_step_end(lm_act* const* bodies, int32_t count, lm_act_guest* const* guests, int32_t guest_count,
                     lm_colliders* colliders)
{
	lm_act* const* all = owner_of(bodies, count, guests, guest_count);
	if (guest_count == 0)
		return;
	receive(all[0], guests, guest_count);
	lm_act_touches_store(all, count, colliders);
	receive(all[0], NULL, 0);
}
