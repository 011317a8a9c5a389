#include "act/measure.h"

#include "act/equation.h"
#include "act/guest.h"

#include <math.h>
#include <string.h>

// Sum of forces and torques about a point of the body, and the largest force on a vertex.
typedef struct sums
{
	double force[3], torque[3], largest;
} sums;

static sums sum_forces(const lm_act* body, const double* y, const double* f)
{
	sums s = { 0 };
	int d = body->dimension;
	double centre[3] = { 0 };
	for (int64_t v = 0; v < body->vertex_count; ++v)
		for (int k = 0; k < d; ++k)
			centre[k] += body->masses[v] / body->mass * y[v * d + k];
	for (int64_t v = 0; v < body->vertex_count; ++v)
	{
		double r[3] = { 0 }, g[3] = { 0 };
		for (int k = 0; k < d; ++k)
			r[k] = y[v * d + k] - centre[k], g[k] = f[v * d + k];
		for (int k = 0; k < 3; ++k)
		{
			s.force[k] += g[k];
			s.torque[k] += r[(k + 1) % 3] * g[(k + 2) % 3] - r[(k + 2) % 3] * g[(k + 1) % 3];
		}
		s.largest = fmax(s.largest, hypot(hypot(g[0], g[1]), g[2]));
	}
	return s;
}

// Internal forces have neither sum nor torque. A body that hangs in the air without strain has only rounding for
// forces; so nothing smaller than the mean weight of a vertex is divided by.
static void measure_internal(lm_act* body)
{
	double* f = body->physics->residual;
	memset(f, 0, (size_t)body->unknowns * sizeof *f);
	lm_act_equation_add_internal(body, body->X, body->y, f);
	sums s = sum_forces(body, body->y, f);
	const double* g = body->settings.gravity;
	double weight = body->mass * fmax(1, hypot(hypot(g[0], g[1]), g[2]));
	double unit = fmax(s.largest, weight / body->vertex_count);
	double force = hypot(hypot(s.force[0], s.force[1]), s.force[2]) / unit;
	double torque = hypot(hypot(s.torque[0], s.torque[1]), s.torque[2]) / (unit * body->size);
	body->report.internal_force_max = fmax(body->report.internal_force_max, force);
	body->report.internal_torque_max = fmax(body->report.internal_torque_max, torque);
}

// What a touch does to one of its bodies, whose vertices are begin .. end of it.
static void add_touch(lm_act* body, const lm_spring_touch* t, int32_t begin, int32_t end, const lm_spring_force* force,
                      double h)
{
	lm_act_report* r = &body->report;
	r->max_penetration = fmax(r->max_penetration, -force->distance);
	int32_t most = begin;
	for (int32_t i = begin; i < end; ++i)
		most = fabs(t->weight[i]) > fabs(t->weight[most]) ? i : most;
	bool carried = t->b < 0 && t->face < 0 && t->own == 4;
	if (carried) // the point is a part of the surface at this vertex
		body->physics->normal_forces[t->vertex[most]] += force->normal;
	for (int32_t i = begin; i < end && !carried; ++i)
		body->physics->normal_forces[t->vertex[i]] += fabs(t->weight[i]) * force->normal;
	double tangential = lm_length(force->friction);
	r->tangential_impulse += h * tangential;
	r->outside_cone += h * fmax(0, tangential - t->spring.friction * force->normal);
}

// Where body b of a touch is, the guests being behind the others; NULL: a collider.
static const double* positions_of(lm_act* const* bodies, int32_t count, int32_t b)
{
	return b < 0 ? NULL : b < count ? bodies[b]->y : bodies[0]->physics->guests[b - count]->now;
}

static void measure_touches(lm_act* const* bodies, int32_t body_count, double h)
{
	int64_t count;
	const lm_spring_touch* list = lm_touches_list(bodies[0]->physics->step_touches, &count);
	for (int64_t k = 0; k < count; ++k)
	{
		const lm_spring_touch* t = &list[k];
		lm_act *a = t->a < body_count ? bodies[t->a] : NULL, *b = t->b >= 0 && t->b < body_count ? bodies[t->b] : NULL;
		if (a == NULL && b == NULL)
			continue;
		lm_spring_force force;
		const double *x_a = positions_of(bodies, body_count, t->a), *x_b = positions_of(bodies, body_count, t->b);
		lm_spring_evaluate_force(&t->spring, lm_touch_point(t, x_a, x_b), &force);
		if (!(force.normal > 0))
			continue;
		if (a != NULL)
			add_touch(a, t, 0, t->own, &force, h);
		if (b != NULL)
			add_touch(b, t, t->own, t->count, &force, h);
	}
}

void lm_act_measure_step(lm_act* const* bodies, int32_t count, double h)
{
	for (int32_t b = 0; b < count; ++b)
	{
		lm_act_report* r = &bodies[b]->report;
		r->physics_residual_max = fmax(r->physics_residual_max, r->physics_residual);
		r->touching = 0;
		memset(bodies[b]->physics->normal_forces, 0, (size_t)bodies[b]->vertex_count * sizeof(double));
		measure_internal(bodies[b]);
	}
	measure_touches(bodies, count, h);
	for (int32_t b = 0; b < count; ++b)
		for (int32_t v = 0; v < bodies[b]->vertex_count; ++v)
			bodies[b]->report.touching += bodies[b]->physics->normal_forces[v] > 0;
}
