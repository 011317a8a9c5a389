// body_flat.c: bodies in the plane z = 0, prepared for contact: solids of triangles, and curves.
#include "contact/body.h"
#include "contact/touches.h"

#include "base/alloc.h"
#include "base/error.h"
#include "mesh/half_edge.h"

#include <assert.h>

static lm_status check_elements(int32_t vertex_count, int32_t count, int corners, const int32_t* elements,
                                lm_error* error)
{
	if (vertex_count < 1 || count < 1)
		return lm_fail(error, LM_BAD_INPUT, "the body has no %s; it needs some to be touched",
		               corners == 3 ? "triangles" : "edges");
	for (int32_t e = 0; e < count; ++e)
		for (int i = 0; i < corners; ++i)
		{
			int32_t v = elements[corners * (int64_t)e + i], next = elements[corners * (int64_t)e + (i + 1) % corners];
			if (v < 0 || v >= vertex_count)
				return lm_fail(error, LM_BAD_INPUT, "element %d names vertex %d, but there are only %d (0 to %d)", e, v,
				               vertex_count, vertex_count - 1);
			if (v == next)
				return lm_fail(error, LM_BAD_INPUT, "element %d names vertex %d twice; its corners must differ", e, v);
		}
	return LM_OK;
}

static double doubled_area(const lm_contact_body* body, const int32_t* corner)
{
	lm_vec3 a = lm_v3_at(body->rest, corner[0]);
	lm_vec3 ab = lm_sub(lm_v3_at(body->rest, corner[1]), a), ac = lm_sub(lm_v3_at(body->rest, corner[2]), a);
	return lm_cross(ab, ac).z;
}

// Triangles, counter-clockwise, as (a, b, c, c).
static bool take_triangles(lm_contact_body* body, int32_t count, const int32_t* elements)
{
	body->tets = LM_NEW(&body->host, 4 * (size_t)count, int32_t);
	body->volumes = LM_NEW(&body->host, count, double);
	if (!body->tets || !body->volumes)
		return false;
	body->tet_count = count;
	for (int64_t t = 0; t < count; ++t)
	{
		bool turned = doubled_area(body, elements + 3 * t) < 0;
		for (int i = 0; i < 4; ++i)
			body->tets[4 * t + i] = elements[3 * t + (i == 0 ? 0 : (i == 1) == turned ? 2 : 1)];
		body->tets[4 * t + 3] = body->tets[4 * t + 2];
		body->volumes[t] = doubled_area(body, body->tets + 4 * t);
	}
	return true;
}

static bool keep_edges(lm_contact_body* body, const lm_half_edge* edges, int32_t count)
{
	body->triangles = LM_NEW(&body->host, 3 * (size_t)count, int32_t);
	body->triangle_tets = LM_NEW(&body->host, count, int32_t);
	body->rim = LM_NEW(&body->host, body->vertex_count, bool);
	if (!body->triangles || !body->triangle_tets || !body->rim)
		return false;
	body->triangle_count = count;
	double length = 0;
	for (int64_t e = 0; e < count; ++e)
	{
		int32_t* corner = body->triangles + 3 * e;
		corner[0] = edges[e].from, corner[1] = corner[2] = edges[e].to;
		body->triangle_tets[e] = edges[e].triangle;
		for (int i = 0; i < 2; ++i) // an end has one edge
			body->rim[corner[i]] = !body->rim[corner[i]];
		length += lm_distance(lm_v3_at(body->rest, edges[e].from), lm_v3_at(body->rest, edges[e].to));
	}
	body->spacing = count > 0 ? length / count : 0;
	return true;
}

// The sides that triangles do not share, or the edges of the curve.
static bool take_edges(lm_contact_body* body, int32_t count, int corners, const int32_t* elements)
{
	int64_t sides = corners == 3 ? 3 * (int64_t)count : count;
	lm_half_edge* edges = LM_NEW(&body->host, sides, lm_half_edge);
	if (!edges)
		return false;
	if (corners == 2)
		for (int64_t e = 0; e < count; ++e)
			edges[e] = lm_half_edge_between(elements[2 * e], elements[2 * e + 1], (int32_t)e, 0);
	else
	{
		for (int64_t k = 0; k < sides; ++k)
			edges[k] = lm_half_edge_between(body->tets[4 * (k / 3) + k % 3], body->tets[4 * (k / 3) + (k + 1) % 3],
			                                (int32_t)(k / 3), (int32_t)(k % 3));
		lm_half_edges_sort(edges, sides);
		sides = lm_half_edges_keep_single(edges, sides);
	}
	bool done = keep_edges(body, edges, (int32_t)sides);
	lm_free(&body->host, edges);
	return done;
}

static bool take_positions(lm_contact_body* body, int32_t vertex_count, const double* positions)
{
	body->vertex_count = vertex_count;
	body->rest = LM_NEW(&body->host, 3 * (size_t)vertex_count, double);
	body->now = LM_NEW(&body->host, 3 * (size_t)vertex_count, double);
	if (!body->rest || !body->now)
		return false;
	for (int64_t v = 0; v < vertex_count; ++v)
		for (int k = 0; k < 2; ++k)
			body->rest[3 * v + k] = body->now[3 * v + k] = positions[2 * v + k];
	return true;
}

static lm_status fill(lm_contact_body* body, int32_t vertex_count, const double* positions, int32_t count, int corners,
                      const int32_t* elements, lm_error* error)
{
	if (!take_positions(body, vertex_count, positions) || (corners == 3 && !take_triangles(body, count, elements)) ||
	    !take_edges(body, count, corners, elements))
		return lm_fail_memory(error);
	lm_status status = lm_contact_body_list_surface(body, error);
	if (status != LM_OK)
		return status;
	body->samples = LM_NEW(&body->host, body->surface_count, lm_contact_sample);
	if (!body->samples)
		return lm_fail_memory(error);
	lm_contact_body_sample_vertices(body);
	return lm_contact_body_grow_trees(body, error);
}

lm_status lm_contact_body_create_flat(int32_t vertex_count, const double* positions, int32_t element_count, int corners,
                                      const int32_t* elements, const lm_host* host, lm_contact_body** body,
                                      lm_error* error)
{
	assert(host && body && (corners == 2 || corners == 3));
	lm_status status = check_elements(vertex_count, element_count, corners, elements, error);
	if (status != LM_OK)
		return status;
	lm_contact_body* made = LM_NEW(host, 1, lm_contact_body);
	if (!made)
		return lm_fail_memory(error);
	made->host = *host;
	made->dimension = 2;
	status = fill(made, vertex_count, positions, element_count, corners, elements, error);
	if (status != LM_OK)
	{
		lm_contact_body_destroy(made);
		return status;
	}
	*body = made;
	return LM_OK;
}
