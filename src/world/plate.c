// plate.c: solids in the plane as plates: front, back, and a rim along the edges that only one triangle has.
#include "world/plate.h"

#include "base/alloc.h"
#include "base/error.h"
#include "mesh/half_edge.h"

static lm_half_edge* find_rim(const lm_mesh* flat, const lm_host* host, int64_t* rim_count)
{
	int64_t count = 3 * (int64_t)flat->triangle_count;
	lm_half_edge* edges = LM_NEW(host, count, lm_half_edge);
	if (edges == NULL)
		return NULL;
	lm_half_edges_list(flat->triangles, flat->triangle_count, edges);
	*rim_count = lm_half_edges_keep_single(edges, count);
	return edges;
}

static int32_t* put(int32_t* at, int32_t a, int32_t b, int32_t c)
{
	at[0] = a, at[1] = b, at[2] = c;
	return at + 3;
}

lm_status lm_plate_create(const lm_mesh* flat, double thickness, const lm_host* host, lm_mesh** result, lm_error* error)
{
	int64_t rim_count = 0;
	lm_half_edge* rim = find_rim(flat, host, &rim_count);
	int32_t n = flat->vertex_count, t = flat->triangle_count;
	lm_mesh* plate = rim != NULL ? lm_mesh_create(host, 2 * n, 2 * t + 2 * (int32_t)rim_count, 0) : NULL;
	if (plate == NULL)
	{
		lm_free(host, rim);
		return lm_fail_memory(error);
	}
	int32_t* at = plate->triangles;
	for (int32_t k = 0; k < t; ++k)
	{
		const int32_t* c = flat->triangles + 3 * (int64_t)k;
		at = put(at, c[0], c[1], c[2]);
		at = put(at, n + c[0], n + c[2], n + c[1]);
	}
	for (int64_t k = 0; k < rim_count; ++k)
	{
		int32_t a = rim[k].from, b = rim[k].to;
		at = put(at, a, n + a, n + b);
		at = put(at, a, n + b, b);
	}
	lm_plate_move(flat->positions, n, thickness, plate->positions);
	lm_free(host, rim);
	*result = plate;
	return LM_OK;
}

void lm_plate_move(const double* points, int32_t count, double thickness, double* positions)
{
	for (int64_t v = 0; v < count; ++v)
	{
		double *front = positions + 3 * v, *back = positions + 3 * (v + count);
		front[0] = back[0] = points[3 * v];
		front[1] = back[1] = points[3 * v + 1];
		front[2] = points[3 * v + 2] + thickness / 2;
		back[2] = points[3 * v + 2] - thickness / 2;
	}
}
