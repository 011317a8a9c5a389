// direct.c: what a person or a game does to a body: pins, drags, pushes, poses, parameters.
#include "act/equation.h"

#include <assert.h>
#include <math.h>

static double* at(const lm_act* body, double* unknowns, int32_t vertex)
{
	assert(vertex >= 0 && vertex < body->vertex_count);
	return unknowns + (int64_t)vertex * body->dimension;
}

static void put(const lm_act* body, double* unknowns, int32_t vertex, const double* numbers)
{
	for (int k = 0; k < body->dimension; ++k)
	{
		assert(isfinite(numbers[k]));
		if (isfinite(numbers[k])) // what is not would never leave the body again
			at(body, unknowns, vertex)[k] = numbers[k];
	}
}

void lm_act_set_positions(lm_act* body, const double* positions, const double* velocities)
{
	for (int32_t v = 0; v < body->vertex_count; ++v)
	{
		if (positions != NULL)
			put(body, body->x, v, positions + 3 * (int64_t)v);
		if (velocities != NULL)
			put(body, body->v, v, velocities + 3 * (int64_t)v);
	}
	if (positions != NULL)
		lm_act_equation_clear_touches(body);
}

void lm_act_set_parameters(lm_act* body, const double* p)
{
	const lm_act_rest* rest = &body->rest;
	double* wanted = body->physics->parameters;
	for (int32_t i = 0; i < rest->parameters; ++i)
		wanted[i] = p[rest->order != NULL ? rest->order[i] : i];
	lm_act_rest_limit(rest, wanted, body->p);
	lm_act_rest_shape(rest, body->p, body->X);
}

void lm_act_push(lm_act* body, const int32_t* vertices, int32_t count, const double impulse[3])
{
	double mass = 0;
	for (int32_t n = 0; n < count; ++n)
	{
		assert(vertices[n] >= 0 && vertices[n] < body->vertex_count);
		mass += body->masses[vertices[n]];
	}
	for (int32_t n = 0; n < count; ++n)
		for (int k = 0; k < body->dimension; ++k)
		{
			assert(isfinite(impulse[k]));
			if (isfinite(impulse[k]))
				at(body, body->v, vertices[n])[k] += impulse[k] / mass;
		}
}

void lm_act_pin(lm_act* body, int32_t vertex, const double position[3])
{
	put(body, body->pin_targets, vertex, position);
	body->pinned[vertex] = true;
}

void lm_act_unpin(lm_act* body, int32_t vertex)
{
	assert(vertex >= 0 && vertex < body->vertex_count);
	body->pinned[vertex] = false;
}

void lm_act_drag(lm_act* body, int32_t vertex, const double target[3], double strength)
{
	assert(strength >= 0 && isfinite(strength));
	put(body, body->drag_targets, vertex, target);
	body->drag_strengths[vertex] = strength;
}
