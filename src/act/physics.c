#include "act/physics.h"

#include "act/equation.h"
#include "act/touches.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void lm_act_equation_destroy(lm_act_physics* physics, const lm_host* host)
{
	if (physics == NULL)
		return;
	lm_act_touches_destroy(physics, host);
	lm_act_joint_release(&physics->joint, host);
	lm_woodbury_destroy(physics->woodbury);
	lm_woodbury_destroy(physics->indefinite_woodbury);
	lm_cholesky_destroy(physics->cholesky);
	lm_cholesky_destroy(physics->indefinite);
	void* const owned[] = { physics->damping_measured, physics->measured,      physics->measured_X,
		                    physics->target,           physics->damping_rest,  physics->values,
		                    physics->residual,         physics->work,          physics->slot_counts,
		                    physics->parameters,       physics->normal_forces, physics->U.start,
		                    physics->U.index,          physics->U.value,       physics->V.start,
		                    physics->V.index,          physics->V.value,       physics->island_of,
		                    physics->island_y,         physics->guest_forces,  physics };
	for (size_t k = 0; k < sizeof owned / sizeof owned[0]; ++k)
		lm_free(host, owned[k]);
}

#define TAKE(pointer, items) (((pointer) = lm_alloc(host, (size_t)(items), sizeof *(pointer))) != NULL)

lm_status lm_act_equation_create(lm_act* body, lm_act_physics** physics, lm_error* error)
{
	const lm_host* host = &body->host;
	lm_elastic_view view = lm_elastic_get(body->elastic);
	lm_act_physics* made = LM_NEW(host, 1, lm_act_physics);
	if (made == NULL)
		return lm_fail_memory(error);
	lm_status status = LM_OK;
	int64_t measured = lm_elastic_measured_count(body->elastic);
	if (!TAKE(made->damping_measured, measured) || !TAKE(made->measured, measured) ||
	    !TAKE(made->measured_X, view.rest_unknowns) || !TAKE(made->target, body->unknowns) ||
	    !TAKE(made->damping_rest, view.rest_unknowns) || !TAKE(made->values, view.pattern->entries) ||
	    !TAKE(made->residual, body->unknowns) || !TAKE(made->slot_counts, body->vertex_count) ||
	    !TAKE(made->normal_forces, body->vertex_count) || !TAKE(made->guest_forces, body->unknowns) ||
	    !TAKE(made->parameters, body->rest.parameters))
		status = lm_fail_memory(error);
	if (status == LM_OK)
		status = lm_cholesky_create(view.pattern, LM_CHOLESKY_LL, host, &made->cholesky, error);
	if (status == LM_OK)
		status = lm_woodbury_create(made->cholesky, host, &made->woodbury, error);
	if (status == LM_OK)
		status = lm_act_touches_create(body, made, error);
	if (status != LM_OK)
	{
		lm_act_equation_destroy(made, host);
		return status;
	}
	made->fingerprint = lm_hash(LM_HASH_START, view.pattern->row, (size_t)view.pattern->entries * sizeof(int32_t));
	for (int32_t s = 0; view.incompatible && s < view.rest_slots; ++s)
		++made->slot_counts[view.rest_vertices[s]];
	*physics = made;
	return LM_OK;
}

void lm_act_equation_place_pinned(const lm_act* body, double* y)
{
	size_t d = (size_t)body->dimension;
	for (size_t v = 0; body->physics->any_pinned && v < (size_t)body->vertex_count; ++v)
		if (body->pinned[v])
			memcpy(y + v * d, body->pin_targets + v * d, d * sizeof *y);
}

void lm_act_equation_clear_pinned(const lm_act* body, double* vector)
{
	size_t d = (size_t)body->dimension;
	for (size_t v = 0; body->physics->any_pinned && v < (size_t)body->vertex_count; ++v)
		if (body->pinned[v])
			memset(vector + v * d, 0, d * sizeof *vector);
}

// What all steps begin with: the prediction. carried: what holds the body up goes on to do so.
static void predict(lm_act* body, double h, bool carried)
{
	lm_act_physics* p = body->physics;
	p->h = h;
	p->inertia = h > 0 ? 1 / (h * h) : 0;
	p->damping = h > 0 ? body->damping_share * body->settings.damping / h : 0;
	p->any_pinned = false;
	for (int32_t v = 0; v < body->vertex_count; ++v)
		p->any_pinned = p->any_pinned || body->pinned[v];
	for (int64_t i = 0; i < body->unknowns; ++i)
	{
		double a = carried ? 0 : body->settings.gravity[i % body->dimension];
		p->target[i] = body->x[i] + h * (body->v[i] + h * a);
	}
	lm_act_equation_place_pinned(body, p->target); // their inertia does not matter
}

lm_status lm_act_equation_begin(lm_act* body, double h, lm_error* error)
{
	predict(body, h, false);
	lm_act_physics* p = body->physics;
	lm_elastic_gather_rest(body->elastic, body->x, p->damping_rest);
	lm_elastic_measure_rest(body->elastic, p->damping_rest, p->damping_measured);
	memcpy(body->y, p->target, (size_t)body->unknowns * sizeof *body->y);
	if (!lm_act_system_reset(&p->alone, 1, &body->host))
		return lm_fail_memory(error);
	lm_act_system_add(&p->alone, body);
	return lm_act_forward_reserve(body, body->unknowns, error);
}

lm_status lm_act_physics_begin(lm_act* body, double h, const lm_colliders* colliders, lm_act* const* neighbours,
                               int32_t neighbour_count, lm_error* error)
{
	assert(h > 0);
	bool among = false;
	for (int32_t b = 0; b < neighbour_count; ++b)
	{
		// One that touches something goes on as it does: in free fall it would press, endlessly heavy, on what
		// carries it.
		predict(neighbours[b], h, neighbours[b]->report.touching > 0);
		among = among || neighbours[b] == body;
	}
	lm_status status = lm_act_equation_begin(body, h, error);
	if (status != LM_OK)
		return status;
	for (int64_t i = 0; i < body->unknowns; ++i)
		body->physics->target[i] += h * h * body->physics->guest_forces[i] / body->masses[i / body->dimension];
	return among ? lm_act_touches_find(body, neighbours, neighbour_count, colliders, false, error)
	             : lm_act_touches_find(body, &body, 1, colliders, false, error);
}

void lm_act_physics_end(lm_act* const* neighbours, int32_t neighbour_count, double h)
{
	for (int32_t b = 0; b < neighbour_count; ++b)
		predict(neighbours[b], h, false);
}

// The elastic potentials of a step: between the rest shape and y, and, as damping, between x_n and y.
typedef struct potentials
{
	lm_elastic_material material;
	lm_elastic_further damping;
	lm_elastic_state state;
} potentials;

static void set_potentials(lm_act* body, const double* X, const double* y, potentials* set)
{
	lm_act_physics* p = body->physics;
	size_t bytes = (size_t)body->rest.rest_unknowns * sizeof *X;
	if (!p->measured_valid || memcmp(p->measured_X, X, bytes) != 0)
	{
		memcpy(p->measured_X, X, bytes);
		lm_elastic_measure_rest(body->elastic, X, p->measured);
		p->measured_valid = true;
	}
	set->material = lm_act_elastic_material(&body->settings.material);
	set->damping = (lm_elastic_further){ p->damping_rest, p->damping_measured, p->damping };
	set->state = (lm_elastic_state){ &set->material, X, y, p->measured, p->damping > 0 ? &set->damping : NULL };
}

double lm_act_equation_energy(lm_act* body, const double* X, const double* y)
{
	const lm_act_physics* p = body->physics;
	potentials w;
	set_potentials(body, X, y, &w);
	double W = lm_elastic_energy(body->elastic, &w.state), inertia = 0, drags = 0;
	int d = body->dimension;
	for (int64_t i = 0; i < body->unknowns; ++i)
	{
		double away = y[i] - p->target[i], k = body->drag_strengths[i / d];
		inertia += body->masses[i / d] * away * away;
		if (k > 0)
			drags += k * (y[i] - body->drag_targets[i]) * (y[i] - body->drag_targets[i]);
	}
	return W + (p->inertia * inertia + drags) / 2;
}

void lm_act_equation_add_internal(lm_act* body, const double* X, const double* y, double* c)
{
	potentials w;
	set_potentials(body, X, y, &w);
	lm_elastic_add_gradient(body->elastic, &w.state, 1, c);
}

void lm_act_equation_residual(lm_act* body, const double* X, const double* y, double* c)
{
	const lm_act_physics* p = body->physics;
	int d = body->dimension;
	for (int64_t i = 0; i < body->unknowns; ++i)
	{
		double k = body->drag_strengths[i / d];
		c[i] = body->masses[i / d] * p->inertia * (y[i] - p->target[i]);
		if (k > 0)
			c[i] += k * (y[i] - body->drag_targets[i]);
	}
	lm_act_equation_add_internal(body, X, y, c);
}

void lm_act_physics_residual(lm_act* body, const double* X, const double* y, double* c)
{
	lm_act_equation_residual(body, X, y, c);
	lm_act_links_add_gradient(&body->physics->alone, y, false, c);
	lm_act_equation_clear_pinned(body, c);
}

double lm_act_physics_relative(const lm_act* body, const double* c)
{
	const double* g = body->settings.gravity;
	double weight = body->mass * fmax(1, sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])), largest = 0;
	for (int64_t i = 0; i < body->unknowns; ++i)
		largest = isnan(c[i]) ? INFINITY : fmax(largest, fabs(c[i]));
	return largest / weight;
}

// ---- matrices

void lm_act_equation_pin_matrix(lm_act_system* system, int32_t b)
{
	const lm_pattern* pattern = system->pattern;
	const lm_act* body = system->bodies[b];
	int64_t d = body->dimension, base = system->base[b];
	if (!body->physics->any_pinned)
		return;
	for (int64_t j = 0; j < pattern->n; ++j)
	{
		bool column = j >= base && j < base + body->unknowns && body->pinned[(j - base) / d];
		for (int32_t k = pattern->start[j]; k < pattern->start[j + 1]; ++k)
		{
			int64_t i = pattern->row[k] - base;
			if (column || (i >= 0 && i < body->unknowns && body->pinned[i / d]))
				system->values[k] = pattern->row[k] == j;
		}
	}
}

void lm_act_equation_add_matrix(lm_act_system* system, int32_t b, const double* y, bool convex)
{
	lm_act* body = system->bodies[b];
	const lm_act_physics* p = body->physics;
	const lm_pattern* pattern = system->pattern;
	potentials w;
	set_potentials(body, system->X[b], y, &w);
	lm_elastic_add_stiffness(body->elastic, &w.state, convex, 1, pattern, system->first[b], system->values);
	for (int64_t i = 0; i < body->unknowns; ++i)
	{
		int64_t v = i / body->dimension;
		system->values[pattern->diagonal[system->base[b] + i]] +=
			body->masses[v] * p->inertia + body->drag_strengths[v];
	}
}

void lm_act_physics_add_multiplier_hessian(lm_act* body, const double* X, const double* y, const double* lambda,
                                           double* values)
{
	const lm_pattern* pattern = lm_elastic_get(body->elastic).pattern;
	potentials w;
	set_potentials(body, X, y, &w);
	lm_elastic_add_multiplier_hessian(body->elastic, &w.state, lambda, 1, pattern, 0, values);
	if (w.state.further)
	{
		lm_elastic_state damping = { .material = &w.material, .X = w.damping.X, .x = y };
		lm_elastic_add_multiplier_hessian(body->elastic, &damping, lambda, w.damping.scale, pattern, 0, values);
	}
	lm_act_links_add_second(&body->physics->alone, y, lambda, values);
}
