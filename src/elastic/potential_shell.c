// potential_shell.c: thin shells (Coros et al. 2012, appendix A: "an analogous formulation for thin shells"; Grinspun
// et al. 2003)
//   W = sum_edges k_l/2 (l^2 - L^2)^2 a / Lb^4 + sum_hinges k_b/2 (theta - Theta)^2 3 Lb^2 / Ab,
// a a third of the initial area of the triangles at the edge, Ab the initial area of the two triangles of a hinge.
//
// Departure: the curve's weights, taken literally, make a surface stiffer with every refinement (there are four times
// as many edges of half the length). A strain (l^2 - L^2) / Lb^2 integrated over the area that belongs to the edge does
// not, as the same form for tetrahedra; and the curvature of a hinge is 3 |e| theta / A over the area A / 3 (Bergou et
// al. 2007), which is Grinspun's weight.
//
// Incompatible rest shapes (section 5.2) are hinges: for every edge of two triangles its ends and the wings, whose
// first edge is the one that stretches; an edge of one triangle has only its ends.
#include "elastic/body.h"

#include "base/alloc.h"
#include "base/error.h"

static lm_status count_edges(const lm_shape_edge* edges, int64_t count, int32_t* all, int32_t* hinges, lm_error* error)
{
	*all = *hinges = 0;
	for (int64_t k = 0, end; k < count; k = end)
	{
		end = lm_shape_edge_run(edges, count, k);
		if (end - k > 2)
			return lm_fail_element(error, edges[k + 2].element,
			                       "the edge from vertex %d to vertex %d of the shell has %lld triangles; an edge has "
			                       "one or two",
			                       edges[k].low, edges[k].high, (long long)(end - k));
		++*all;
		*hinges += end - k == 2;
	}
	return LM_OK;
}

static void fill_edge(const lm_elastic_shape* shape, const lm_shape_edge* edge, int64_t triangles, int32_t index,
                      lm_elastic* body)
{
	double area = 0;
	for (int64_t k = 0; k < triangles; ++k)
		area += lm_shape_measure(shape, edge[k].element) / 3;
	double length2 =
		lm_shape_distance2(3, shape->positions + 3 * (int64_t)edge->low, shape->positions + 3 * (int64_t)edge->high);
	lm_term_set* set = &body->sets[0];
	set->vertices[2 * index] = edge->low;
	set->vertices[2 * index + 1] = edge->high;
	set->factors[index] = area / (length2 * length2);
}

static void fill_hinge(const lm_elastic_shape* shape, const lm_shape_edge* edge, int32_t index, lm_elastic* body)
{
	double area = lm_shape_measure(shape, edge[0].element) + lm_shape_measure(shape, edge[1].element);
	double length2 =
		lm_shape_distance2(3, shape->positions + 3 * (int64_t)edge->low, shape->positions + 3 * (int64_t)edge->high);
	lm_term_set* set = &body->sets[1];
	int32_t corners[4] = { edge->low, edge->high, edge[0].opposite, edge[1].opposite };
	for (int i = 0; i < 4; ++i)
		set->vertices[4 * index + i] = corners[i];
	set->factors[index] = 3 * length2 / area;
}

// The slots of the rest element made of the edge and, if there is one, the hinge.
static void fill_slots(int32_t edge, int32_t hinge, int32_t* slot, lm_elastic* body)
{
	const int32_t* vertices = hinge >= 0 ? body->sets[1].vertices + 4 * hinge : body->sets[0].vertices + 2 * edge;
	int corners = hinge >= 0 ? 4 : 2;
	for (int i = 0; i < corners; ++i)
	{
		body->rest_vertices[*slot + i] = vertices[i];
		if (hinge >= 0)
			body->sets[1].slots[4 * hinge + i] = *slot + i;
		if (i < 2)
			body->sets[0].slots[2 * edge + i] = *slot + i;
	}
	*slot += corners;
	body->rest_starts[edge + 1] = *slot;
}

static void fill(const lm_elastic_shape* shape, const lm_shape_edge* edges, int64_t count, lm_elastic* body)
{
	int32_t edge = 0, hinge = 0, slot = 0;
	for (int64_t k = 0, end; k < count; k = end)
	{
		end = lm_shape_edge_run(edges, count, k);
		bool bends = end - k == 2;
		fill_edge(shape, edges + k, end - k, edge, body);
		if (bends)
			fill_hinge(shape, edges + k, hinge, body);
		if (body->incompatible)
			fill_slots(edge, bends ? hinge : -1, &slot, body);
		++edge;
		hinge += bends;
	}
	for (int32_t e = 0; e < shape->element_count; ++e)
		for (int i = 0; i < 3; ++i)
			body->shares[shape->elements[3 * e + i]] += lm_shape_measure(shape, e) / 3;
}

lm_status lm_potential_shell(const lm_elastic_shape* shape, lm_elastic* body, lm_error* error)
{
	int64_t count;
	int32_t all, hinges;
	lm_shape_edge* edges = lm_shape_edges(shape, &body->host, &count);
	if (!edges)
		return lm_fail_memory(error);
	lm_status status = count_edges(edges, count, &all, &hinges, error);
	body->set_count = 2;
	if (status == LM_OK)
		status = lm_term_set_create(&lm_measure_length3, LM_STIFFNESS_STRETCH, false, all, body->incompatible,
		                            &body->host, &body->sets[0], error);
	if (status == LM_OK)
		status = lm_term_set_create(&lm_measure_hinge, LM_STIFFNESS_BEND, false, hinges, body->incompatible,
		                            &body->host, &body->sets[1], error);
	if (status == LM_OK)
		status = lm_body_add_rest(body, all, 2 * (int64_t)all + 2 * (int64_t)hinges, error);
	if (status == LM_OK)
		fill(shape, edges, count, body);
	lm_free(&body->host, edges);
	return status;
}
