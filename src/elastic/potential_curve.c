// potential_curve.c: curves in the plane (Coros et al. 2012, appendix A, W_Curve2D)
//   W = sum_edges k_l/2 (l^2 - L^2)^2 / Lb^3 + sum_vertices k_b/2 (theta - Theta)^2 / Tb,
// l, theta of the shape, L, Theta of the rest shape, Lb, Tb = (Lb_i + Lb_j)/2 of the initial one.
//
// Departure: the paper multiplies the bending term by Tb. Curvature is theta / Tb and the energy its square integrated
// over a length Tb, so Tb belongs below; the test of refinement shows it. Near rest k_b is then the bending stiffness
// EI of a rod and 4 k_l its EA: (l^2 - L^2)^2 / L^3 = 4 strain^2 L.
//
// Incompatible rest shapes have the ends of every edge, then a corner of three vertices for every inner vertex.
#include "elastic/body.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>

// The edges at each vertex, at most two; -1 where there is none.
static lm_status edges_at_vertices(const lm_elastic_shape* shape, int32_t* at, int32_t* inner, lm_error* error)
{
	*inner = 0;
	for (int64_t v = 0; v < 2 * (int64_t)shape->vertex_count; ++v)
		at[v] = -1;
	for (int32_t e = 0; e < shape->element_count; ++e)
		for (int i = 0; i < 2; ++i)
		{
			int32_t v = shape->elements[2 * e + i];
			if (at[2 * v + 1] >= 0)
				return lm_fail_element(error, v,
				                       "vertex %d of the curve has more than two edges; a curve does not branch", v);
			if (at[2 * v] < 0)
				at[2 * v] = e;
			else
			{
				at[2 * v + 1] = e;
				++*inner;
			}
		}
	return LM_OK;
}

static void fill_edges(const lm_elastic_shape* shape, lm_elastic* body)
{
	lm_term_set* set = &body->sets[0];
	for (int32_t e = 0; e < shape->element_count; ++e)
	{
		double length = lm_shape_measure(shape, e);
		set->factors[e] = 1 / (length * length * length);
		for (int i = 0; i < 2; ++i)
		{
			int32_t v = shape->elements[2 * e + i];
			set->vertices[2 * e + i] = v;
			body->shares[v] += length / 2;
			if (!body->incompatible)
				continue;
			set->slots[2 * e + i] = 2 * e + i;
			body->rest_vertices[2 * e + i] = v;
		}
		if (body->incompatible)
			body->rest_starts[e + 1] = 2 * (e + 1);
	}
}

static void fill_corners(const lm_elastic_shape* shape, const int32_t* at, lm_elastic* body)
{
	lm_term_set* set = &body->sets[1];
	int32_t t = 0;
	for (int32_t v = 0; v < shape->vertex_count; ++v)
	{
		if (at[2 * v + 1] < 0)
			continue;
		int32_t corner[3] = { 0, v, 0 };
		double length = 0;
		for (int i = 0; i < 2; ++i)
		{
			const int32_t* ends = shape->elements + 2 * (int64_t)at[2 * v + i];
			corner[2 * i] = ends[0] == v ? ends[1] : ends[0];
			length += lm_shape_measure(shape, at[2 * v + i]) / 2;
		}
		set->factors[t] = 1 / length;
		for (int i = 0; i < 3; ++i)
		{
			set->vertices[3 * t + i] = corner[i];
			if (!body->incompatible)
				continue;
			int32_t slot = 2 * shape->element_count + 3 * t + i;
			set->slots[3 * t + i] = slot;
			body->rest_vertices[slot] = corner[i];
			body->rest_starts[shape->element_count + t + 1] = slot + 1;
		}
		++t;
	}
}

lm_status lm_potential_curve(const lm_elastic_shape* shape, lm_elastic* body, lm_error* error)
{
	int32_t inner = 0;
	int32_t* at = LM_NEW(&body->host, 2 * (int64_t)shape->vertex_count, int32_t);
	if (!at)
		return lm_fail_memory(error);
	lm_status status = edges_at_vertices(shape, at, &inner, error);
	body->set_count = 2;
	if (status == LM_OK)
		status = lm_term_set_create(&lm_measure_length2, LM_STIFFNESS_STRETCH, false, shape->element_count,
		                            body->incompatible, &body->host, &body->sets[0], error);
	if (status == LM_OK)
		status = lm_term_set_create(&lm_measure_turning, LM_STIFFNESS_BEND, false, inner, body->incompatible,
		                            &body->host, &body->sets[1], error);
	if (status == LM_OK)
		status =
			lm_body_add_rest(body, shape->element_count + inner, 2 * (int64_t)shape->element_count + 3 * inner, error);
	if (status == LM_OK)
	{
		fill_edges(shape, body);
		fill_corners(shape, at, body);
	}
	lm_free(&body->host, at);
	return status;
}
