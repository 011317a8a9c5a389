// direct.c: what a person or a game does to a body: pins, drags, pushes, example strengths.
#include "match/body.h"

#include <assert.h>
#include <math.h>

static lm_match_handle* hold(lm_match* body, int32_t vertex)
{
	assert(vertex >= 0 && vertex < body->count);
	int32_t inner = body->to_inner[vertex];
	if (body->handle_of[inner] < 0)
	{
		body->handle_of[inner] = body->handle_count;
		body->handles[body->handle_count++] = (lm_match_handle){ .vertex = inner };
	}
	return &body->handles[body->handle_of[inner]];
}

// Removes handles that are neither pinned nor pulled any more; the others keep their order.
static void release(lm_match* body, int32_t inner)
{
	int32_t at = body->handle_of[inner];
	if (at < 0 || body->handles[at].pinned || body->handles[at].strength > 0)
		return;
	body->handle_of[inner] = -1;
	--body->handle_count;
	for (int32_t k = at; k < body->handle_count; ++k)
	{
		body->handles[k] = body->handles[k + 1];
		body->handle_of[body->handles[k].vertex] = k;
	}
}

// A number that is not finite would spoil the body for good: such calls are mistakes and, without assertions, ignored.
static bool are_finite(const double* numbers, int64_t count)
{
	bool finite = true;
	for (int64_t i = 0; numbers != NULL && i < count; ++i)
		finite &= isfinite(numbers[i]) != 0;
	assert(finite);
	return finite;
}

void lm_match_pin(lm_match* body, int32_t vertex, const double target[3])
{
	if (!are_finite(target, 3))
		return;
	lm_match_handle* handle = hold(body, vertex);
	for (int k = 0; k < 3; ++k)
	{
		if (!handle->pinned)
			handle->position[k] = body->origin[k] + (double)body->x[lm_particle_place(handle->vertex, k)];
		handle->target[k] = fmin(fmax(target[k], -1e12), 1e12); // what single precision can hold
	}
	handle->pinned = true;
	body->inverse_mass[handle->vertex] = 0;
}

void lm_match_unpin(lm_match* body, int32_t vertex)
{
	assert(vertex >= 0 && vertex < body->count);
	int32_t inner = body->to_inner[vertex];
	if (body->handle_of[inner] < 0)
		return;
	body->handles[body->handle_of[inner]].pinned = false;
	body->inverse_mass[inner] = 1 / body->mass[inner];
	release(body, inner);
}

void lm_match_drag(lm_match* body, int32_t vertex, const double target[3], double strength)
{
	assert(strength >= 0);
	if (!are_finite(target, 3) || !are_finite(&strength, 1))
		return;
	lm_match_handle* handle = hold(body, vertex);
	handle->strength = handle->pinned ? 0 : strength; // a pin holds whatever pulls
	if (!handle->pinned)
		for (int k = 0; k < 3; ++k)
			handle->target[k] = target[k];
	release(body, handle->vertex);
}

// Spring k and damper c between a vertex of mass m and its target, with the velocity at the end of the step (implicit):
// m (v' - v) = h k (target - x - h v') - h c v'. Stable for any strength. v is what matching has given and x where the
// vertex was before it, so that a strong spring holds whatever the body does. The damper is half critical for the whole
// body, since it is the whole body that hangs on the spring.
void lm_match_apply_drags(lm_match* body, double h)
{
	for (int32_t n = 0; n < body->handle_count; ++n)
	{
		const lm_match_handle* handle = &body->handles[n];
		if (handle->pinned)
			continue;
		int64_t i = handle->vertex;
		double m = (double)body->mass[i], k = handle->strength, c = sqrt(k * body->total_mass);
		for (int d = 0; d < 3; ++d)
		{
			double given = (double)body->v[lm_particle_place(i, d)],
				   before = (double)body->x[lm_particle_place(i, d)] - h * given;
			double away = handle->target[d] - body->origin[d] - before;
			double v = (m * given + h * k * away) / (m + h * h * k + h * c);
			body->v[lm_particle_place(i, d)] = (float)v;
			body->x[lm_particle_place(i, d)] = (float)(before + h * v);
		}
	}
}

// Pins go to their targets at even speed until the end of the outer step.
void lm_match_apply_pins(lm_match* body, double h, double remaining)
{
	double share = remaining > h ? h / remaining : 1;
	for (int32_t n = 0; n < body->handle_count; ++n)
	{
		lm_match_handle* handle = &body->handles[n];
		if (!handle->pinned)
			continue;
		for (int d = 0; d < 3; ++d)
		{
			double move = share * (handle->target[d] - handle->position[d]);
			handle->position[d] = share >= 1 ? handle->target[d] : handle->position[d] + move;
			body->x[lm_particle_place(handle->vertex, d)] = (float)(handle->position[d] - body->origin[d]);
			body->v[lm_particle_place(handle->vertex, d)] = (float)(move / h);
		}
	}
}

double lm_match_mass_of(const lm_match* body, const int32_t* vertices, int32_t count)
{
	double mass = 0;
	for (int32_t n = 0; n < count; ++n)
	{
		assert(vertices[n] >= 0 && vertices[n] < body->count);
		mass += (double)body->mass[body->to_inner[vertices[n]]];
	}
	return mass;
}

void lm_match_push(lm_match* body, const int32_t* vertices, int32_t count, const double impulse[3])
{
	if (!are_finite(impulse, 3))
		return;
	double mass = lm_match_mass_of(body, vertices, count);
	for (int32_t n = 0; n < count; ++n)
		for (int k = 0; k < 3; ++k)
			body->v[lm_particle_place(body->to_inner[vertices[n]], k)] += (float)(impulse[k] / mass);
	lm_match_measure_motion(body);
}

void lm_match_set_positions(lm_match* body, const double* positions, const double* velocities)
{
	if (!are_finite(positions, 3 * (int64_t)body->count) || !are_finite(velocities, 3 * (int64_t)body->count))
		return;
	lm_match_finish_step(body); // it belongs to where the body was
	if (positions != NULL)
	{
		lm_match_place(body, positions);
		lm_match_reset_rotations(body);
	}
	if (velocities != NULL)
		for (int64_t i = 0; i < body->count; ++i)
			for (int k = 0; k < 3; ++k)
				body->v[lm_particle_place(i, k)] = (float)velocities[3 * (int64_t)body->to_user[i] + k];
	lm_match_measure_motion(body);
}

void lm_match_set_example(lm_match* body, int32_t example, double strength)
{
	assert(example >= 0 && example < body->example_count && strength >= 0 && strength <= 1);
	body->strengths[example] = strength;
}

double lm_match_get_example(const lm_match* body, int32_t example)
{
	assert(example >= 0 && example < body->example_count);
	return body->strengths[example];
}
