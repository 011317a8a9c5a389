// upright.c: where a step of a body begins that was torn, collapsed or turned inside out so badly that nothing else
// leads to its end: the rest shape, moved and turned to fit where the body is going (by mass, Mueller et al. 2005).
#include "act/equation.h"
#include "math/svd.h"

#include <string.h>

// The rest shape at the vertices; of incompatible ones the mean of the corners.
static void gather(const lm_act* body, const double* X, double* y)
{
	lm_elastic_view view = lm_elastic_get(body->elastic);
	size_t d = (size_t)body->dimension;
	if (!view.incompatible)
	{
		memcpy(y, X, (size_t)body->unknowns * sizeof *y);
		return;
	}
	memset(y, 0, (size_t)body->unknowns * sizeof *y);
	for (size_t s = 0; s < (size_t)view.rest_slots; ++s)
		for (size_t k = 0; k < d; ++k)
			y[(size_t)view.rest_vertices[s] * d + k] +=
				X[s * d + k] / body->physics->slot_counts[view.rest_vertices[s]];
}

static lm_vec3 at(const lm_act* body, const double* x, int64_t v)
{
	x += v * body->dimension;
	return lm_v3(x[0], x[1], body->dimension == 3 ? x[2] : 0);
}

static lm_vec3 centre(const lm_act* body, const double* x)
{
	lm_vec3 sum = { 0, 0, 0 };
	for (int64_t v = 0; v < body->vertex_count; ++v)
		sum = lm_add_scaled(sum, body->masses[v] / body->mass, at(body, x, v));
	return sum;
}

void lm_act_equation_upright(const lm_act* body, const double* X, double* y)
{
	const double* target = body->physics->target;
	gather(body, X, y);
	lm_vec3 from = centre(body, y), to = centre(body, target);
	lm_mat3 A = { 0 };
	double size = 0;
	for (int64_t v = 0; v < body->vertex_count; ++v)
	{
		lm_vec3 a = lm_sub(at(body, target, v), to), b = lm_sub(at(body, y, v), from);
		lm_add_outer(&A, body->masses[v] / body->mass, a, b);
		size += body->masses[v] / body->mass * lm_dot(b, b);
	}
	if (body->dimension == 2)
		A.m[2][2] += size + lm_length(lm_column(A, 0)) + lm_length(lm_column(A, 1)); // z stays z
	for (int k = 0; k < 3; ++k)
		A.m[k][k] += 1e-9 * size; // what has collapsed is not turned
	lm_mat3 R = lm_polar3(A).R;
	for (int64_t v = 0; v < body->vertex_count; ++v)
	{
		lm_vec3 q = lm_add(to, lm_mul_v(R, lm_sub(at(body, y, v), from)));
		const double numbers[3] = { q.x, q.y, q.z };
		memcpy(y + v * body->dimension, numbers, (size_t)body->dimension * sizeof *y);
	}
	lm_act_equation_place_pinned(body, y);
}
