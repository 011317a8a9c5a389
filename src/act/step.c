// step.c: one step of bodies together.
#include "act/control.h"
#include "act/equation.h"
#include "act/measure.h"
#include "base/error.h"

#include <math.h>
#include <time.h>

#define LM_STEP_TOLERANCE 1e-10 // of the weight
#define LM_STEP_ITERATIONS 60

static double now(const lm_act* body)
{
	if (!body->profile)
		return 0;
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static lm_status prepare(lm_act* const* bodies, int32_t count, double h, const lm_colliders* colliders, lm_error* error)
{
	for (int32_t b = 0; b < count; ++b)
	{
		lm_status status = lm_act_physics_begin(bodies[b], h, colliders, bodies, count, error);
		if (status != LM_OK)
			return status;
	}
	return LM_OK;
}

static void control(lm_act* body, double h)
{
	lm_act_report* r = &body->report;
	double start = now(body);
	r->iterations = r->factorizations = 0;
	if (body->rest.parameters > 0 && body->goals.count > 0)
	{
		lm_act_control_step(body, h);
		++r->controlled_steps;
		r->converged_steps += r->outcome == LM_ACT_CONVERGED;
		r->iterations_sum += r->iterations;
		r->factorizations_sum += r->factorizations;
	}
	r->seconds_control += now(body) - start;
}

// Takes over the end of the step.
static void finish(lm_act* body, double h, double residual)
{
	lm_act_measure_step(body, residual);
	for (int64_t i = 0; i < body->unknowns; ++i)
	{
		body->v[i] = (body->y[i] - body->x[i]) / h;
		body->x[i] = body->y[i];
	}
	++body->report.steps;
}

lm_status lm_act_step(lm_act* const* bodies, int32_t count, double h, lm_colliders* colliders, double time,
                      lm_error* error)
{
	if (!(h > 0 && h <= 0.1))
		return lm_fail(error, LM_BAD_INPUT, "the time step is %g s; it must be above 0 and at most 0.1", h);
	if (colliders != NULL)
		lm_colliders_set_time(colliders, time + h);
	lm_status status = prepare(bodies, count, h, colliders, error);
	if (status != LM_OK)
		return status;
	for (int32_t b = 0; b < count; ++b)
		control(bodies[b], h);
	for (int32_t b = 0; b < count; ++b)
	{
		lm_act* body = bodies[b];
		double start = now(body);
		lm_act_forward_report forward =
			lm_act_physics_forward(body, body->X, LM_STEP_TOLERANCE, LM_STEP_ITERATIONS, body->y);
		finish(body, h, forward.residual);
		body->report.seconds_forward += now(body) - start;
	}
	return LM_OK;
}
