// potential_solid.c: solids (Coros et al. 2012, appendix A), in the plane and in space
//   W_Solid2D = sum_e k_l/2 |E_e|^2 Ab_e + k_a/2 (a_e - A_e)^2 / Ab_e                modified St. Venant-Kirchhoff
//   W_Solid3D = sum_e k_l/2 |E_e|^2 Vb_e + k_v/2 (v_e - V_e)^2 / Vb_e                the same in space (Green)
//   W_Solid3D = sum_e sum_j k_l/12 (l_ej^2 - L_ej^2)^2 Vb_e / Lb_ej^4 + volume term  the simplified one (Edges)
// with a, v, l of the shape, A, V, L of the rest shape, and bars for the initial one. Edges is the default.
//
// For compatible rest shapes the edge terms of the tetrahedra at an edge have the same l and L and merge exactly into
// one with the sum of their weights.
#include "elastic/body.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

// One term per element with its corners.
static void fill_elements(const lm_elastic_shape* shape, lm_elastic* body, lm_term_set* set)
{
	int64_t corners = (int64_t)shape->element_count * set->measure->corners;
	memcpy(set->vertices, shape->elements, (size_t)corners * sizeof *set->vertices);
	if (body->incompatible)
		for (int32_t s = 0; s < corners; ++s)
			set->slots[s] = s;
}

static void fill_volumes(const lm_elastic_shape* shape, lm_elastic* body, lm_term_set* set)
{
	fill_elements(shape, body, set);
	for (int32_t e = 0; e < shape->element_count; ++e)
		set->factors[e] = 1 / lm_shape_measure(shape, e);
}

static void fill_green(const lm_elastic_shape* shape, lm_elastic* body, lm_term_set* set)
{
	fill_elements(shape, body, set);
	for (int32_t e = 0; e < shape->element_count; ++e)
		set->factors[e] = lm_shape_measure(shape, e);
}

static double edge_factor(const lm_elastic_shape* shape, int32_t e, int32_t a, int32_t b)
{
	double length2 = lm_shape_distance2(3, shape->positions + 3 * (int64_t)a, shape->positions + 3 * (int64_t)b);
	return lm_shape_measure(shape, e) / (6 * length2 * length2);
}

// One per edge of each tetrahedron.
static void fill_own_edges(const lm_elastic_shape* shape, lm_term_set* set)
{
	int32_t t = 0;
	for (int32_t e = 0; e < shape->element_count; ++e)
		for (int i = 0; i < 4; ++i)
			for (int j = i + 1; j < 4; ++j, ++t)
			{
				const int32_t* v = shape->elements + 4 * (int64_t)e;
				set->vertices[2 * t] = v[i], set->vertices[2 * t + 1] = v[j];
				set->slots[2 * t] = 4 * e + i, set->slots[2 * t + 1] = 4 * e + j;
				set->factors[t] = edge_factor(shape, e, v[i], v[j]);
			}
}

static lm_status add_own_edges(const lm_elastic_shape* shape, lm_elastic* body, lm_term_set* set, lm_error* error)
{
	lm_status status = lm_term_set_create(&lm_measure_length3, LM_STIFFNESS_STRETCH, false, 6 * shape->element_count,
	                                      true, &body->host, set, error);
	if (status == LM_OK)
		fill_own_edges(shape, set);
	return status;
}

static lm_status add_merged_edges(const lm_elastic_shape* shape, lm_elastic* body, lm_term_set* set, lm_error* error)
{
	int64_t count;
	int32_t merged = 0;
	lm_shape_edge* edges = lm_shape_edges(shape, &body->host, &count);
	if (!edges)
		return lm_fail_memory(error);
	for (int64_t k = 0; k < count; k = lm_shape_edge_run(edges, count, k))
		++merged;
	lm_status status =
		lm_term_set_create(&lm_measure_length3, LM_STIFFNESS_STRETCH, false, merged, false, &body->host, set, error);
	int32_t t = 0;
	for (int64_t k = 0, end; status == LM_OK && k < count; k = end, ++t)
	{
		end = lm_shape_edge_run(edges, count, k);
		set->vertices[2 * t] = edges[k].low, set->vertices[2 * t + 1] = edges[k].high;
		for (int64_t i = k; i < end; ++i)
			set->factors[t] += edge_factor(shape, edges[i].element, edges[i].low, edges[i].high);
	}
	lm_free(&body->host, edges);
	return status;
}

// Shares and rest elements, the same for all solids.
static lm_status add_elements(const lm_elastic_shape* shape, lm_elastic* body, lm_error* error)
{
	int k = lm_elastic_corners(shape->kind);
	lm_status status = lm_body_add_rest(body, shape->element_count, (int64_t)shape->element_count * k, error);
	if (status != LM_OK)
		return status;
	for (int32_t e = 0; e < shape->element_count; ++e)
	{
		for (int i = 0; i < k; ++i)
		{
			int32_t v = shape->elements[(int64_t)e * k + i];
			body->shares[v] += lm_shape_measure(shape, e) / k;
			if (body->incompatible)
				body->rest_vertices[(int64_t)e * k + i] = v;
		}
		if (body->incompatible)
			body->rest_starts[e + 1] = (e + 1) * k;
	}
	return LM_OK;
}

static lm_status add_green(const lm_elastic_shape* shape, const lm_measure* gram, const lm_measure* volume,
                           lm_elastic* body, lm_error* error)
{
	lm_status status = lm_term_set_create(gram, LM_STIFFNESS_STRETCH, true, shape->element_count, body->incompatible,
	                                      &body->host, &body->sets[0], error);
	if (status == LM_OK)
		status = lm_term_set_create(volume, LM_STIFFNESS_VOLUME, false, shape->element_count, body->incompatible,
		                            &body->host, &body->sets[1], error);
	if (status == LM_OK)
	{
		fill_green(shape, body, &body->sets[0]);
		fill_volumes(shape, body, &body->sets[1]);
	}
	return status;
}

static lm_status add_own(const lm_elastic_shape* shape, lm_elastic* body, lm_error* error)
{
	body->set_count = 1;
	lm_status status = lm_term_set_create_own(shape->model, shape->element_count, body->incompatible, &body->host,
	                                          &body->sets[0], error);
	if (status == LM_OK)
		fill_green(shape, body, &body->sets[0]);
	return status;
}

lm_status lm_potential_solid2(const lm_elastic_shape* shape, lm_elastic* body, lm_error* error)
{
	body->set_count = 2;
	lm_status status = add_elements(shape, body, error);
	if (status == LM_OK && shape->model != NULL)
		return add_own(shape, body, error);
	return status == LM_OK ? add_green(shape, &lm_measure_gram2, &lm_measure_area, body, error) : status;
}

lm_status lm_potential_solid3(const lm_elastic_shape* shape, lm_elastic* body, lm_error* error)
{
	body->set_count = 2;
	lm_status status = add_elements(shape, body, error);
	if (status != LM_OK)
		return status;
	if (shape->model != NULL)
		return add_own(shape, body, error);
	if (shape->kind == LM_ELASTIC_SOLID3_GREEN)
		return add_green(shape, &lm_measure_gram3, &lm_measure_volume, body, error);
	status = body->incompatible ? add_own_edges(shape, body, &body->sets[0], error)
	                            : add_merged_edges(shape, body, &body->sets[0], error);
	if (status == LM_OK)
		status = lm_term_set_create(&lm_measure_volume, LM_STIFFNESS_VOLUME, false, shape->element_count,
		                            body->incompatible, &body->host, &body->sets[1], error);
	if (status == LM_OK)
		fill_volumes(shape, body, &body->sets[1]);
	return status;
}
