#include "act/equation.h"
#include "base/alloc.h"

#include <string.h>

void lm_act_system_release(lm_act_system* system, const lm_host* host)
{
	lm_free(host, system->bodies);
	lm_free(host, system->X);
	lm_free(host, system->base);
	lm_free(host, system->first);
	lm_free(host, system->links);
	*system = (lm_act_system){ 0 };
}

bool lm_act_system_reset(lm_act_system* system, int32_t bodies, const lm_host* host)
{
	size_t count = (size_t)bodies;
	system->count = 0, system->n = 0, system->link_count = 0, system->factorized = system->rough = false;
	return lm_grow(host, (void**)&system->bodies, &system->body_capacity, count, sizeof *system->bodies) &&
	       lm_grow(host, (void**)&system->X, &system->X_capacity, count, sizeof *system->X) &&
	       lm_grow(host, (void**)&system->base, &system->base_capacity, count, sizeof *system->base) &&
	       lm_grow(host, (void**)&system->first, &system->first_capacity, count, sizeof *system->first);
}

void lm_act_system_add(lm_act_system* system, lm_act* body)
{
	if (system->count == 0)
	{
		system->pattern = lm_elastic_get(body->elastic).pattern;
		system->values = body->physics->values;
		system->cholesky = body->physics->cholesky;
	}
	system->X[system->count] = body->X;
	system->base[system->count] = system->n;
	system->first[system->count] = 0;
	system->bodies[system->count++] = body;
	system->n += body->unknowns;
}

static void locate(const lm_act_system* system, lm_act_link* link, int side, const lm_act* body)
{
	link->body[side] = -1;
	for (int32_t b = 0; body != NULL && b < system->count; ++b)
		if (system->bodies[b] == body)
			link->body[side] = b, link->base[side] = system->base[b];
}

bool lm_act_system_link(lm_act_system* system, const lm_spring_touch* touch, const lm_act* a, const double* x_a,
                        const lm_act* b, const double* x_b, const lm_host* host)
{
	if (!lm_grow(host, (void**)&system->links, &system->link_capacity, (size_t)system->link_count + 1,
	             sizeof *system->links))
		return false;
	lm_act_link* link = &system->links[system->link_count++];
	*link = (lm_act_link){ .touch = *touch, .fixed = { x_a, x_b } };
	locate(system, link, 0, a);
	locate(system, link, 1, b);
	return true;
}

// ---- the matrix

void lm_act_system_assemble(lm_act_system* s, const double* y, bool lagged, bool convex)
{
	s->factorized = false;
	memset(s->values, 0, (size_t)s->pattern->entries * sizeof *s->values);
	for (int32_t b = 0; b < s->count; ++b)
		lm_act_equation_add_matrix(s, b, y + s->base[b], convex);
	lm_act_links_assemble(s, y, lagged, convex);
	for (int32_t b = 0; b < s->count; ++b)
		lm_act_equation_pin_matrix(s, b);
}

bool lm_act_system_factorize(lm_act_system* s, double shift)
{
	lm_factor_report report = lm_cholesky_factorize(s->cholesky, s->values, shift);
	s->factorized = report.status == LM_FACTOR_OK && !(s->rough && report.negative > 0);
	return s->factorized;
}

static void clear_pinned(const lm_act_system* s, double* vector)
{
	for (int32_t b = 0; b < s->count; ++b)
		lm_act_equation_clear_pinned(s->bodies[b], vector + s->base[b]);
}

bool lm_act_system_solve(lm_act_system* s, const double* b, double* z)
{
	if (!s->factorized || !lm_cholesky_solve(s->cholesky, 1, b, z))
		return false;
	clear_pinned(s, z);
	return true;
}

void lm_act_system_multiply(const lm_act_system* s, const double* x, double* y)
{
	lm_pattern_multiply(s->pattern, s->values, x, y);
	lm_act_links_multiply(s, x, y);
	clear_pinned(s, y);
}
