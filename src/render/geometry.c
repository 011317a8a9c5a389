// geometry.c: positions and twins of half-edges; normals.c makes the corner normals.
#include "render/geometry.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "render/normals.h"

#include <string.h>

void lm_geometry_init(lm_geometry* geometry, const lm_host* host)
{
	*geometry = (lm_geometry){ .host = *host };
}

void lm_geometry_release(lm_geometry* geometry)
{
	const lm_host* host = &geometry->host;
	lm_free(host, geometry->triangles);
	lm_free(host, geometry->twins);
	lm_free(host, geometry->positions);
	lm_free(host, geometry->indices);
	lm_free(host, geometry->face_normals);
	lm_free(host, geometry->corner_normals);
	*geometry = (lm_geometry){ .host = *host };
}

#define GROW(geometry, array, capacity, needed, type)                                                                  \
	grow(geometry, (void**)&(geometry)->array, &(geometry)->capacity, (size_t)(needed), sizeof(type))

static bool grow(lm_geometry* geometry, void** array, size_t* capacity, size_t needed, size_t size)
{
	return lm_grow(&geometry->host, array, capacity, needed > 0 ? needed : 1, size);
}

// One pass of a counting sort: the half-edges of `order`, stably sorted by the smaller (or larger) of their two
// vertices.
static void sort_pass(const int32_t* triangles, int32_t half_edges, int32_t vertices, bool larger, const int32_t* order,
                      int32_t* starts, int32_t* sorted)
{
	memset(starts, 0, ((size_t)vertices + 1) * sizeof *starts);
	for (int pass = 0; pass < 2; ++pass)
	{
		for (int32_t i = 0; i < half_edges; ++i)
		{
			int32_t c = order != NULL ? order[i] : i;
			int32_t a = triangles[c], b = triangles[lm_next_corner(c)];
			int32_t key = (a < b) != larger ? a : b;
			if (pass == 0)
				++starts[key + 1];
			else
				sorted[starts[key]++] = c;
		}
		for (int32_t v = 0; pass == 0 && v < vertices; ++v)
			starts[v + 1] += starts[v];
	}
}

// Half-edges of the same two vertices are neighbours after sorting by the larger, then by the smaller one. Exactly two
// that run in opposite directions are twins; at borders and where three sheets meet there is none.
static bool find_twins(lm_geometry* geometry)
{
	const int32_t* triangles = geometry->triangles;
	int32_t count = 3 * geometry->triangle_count;
	const lm_host* host = &geometry->host;
	int32_t* starts = LM_NEW(host, geometry->vertex_count + 1, int32_t);
	int32_t* half = LM_NEW(host, count, int32_t);
	int32_t* order = LM_NEW(host, count, int32_t);
	bool good = starts != NULL && half != NULL && order != NULL;
	if (good)
	{
		sort_pass(triangles, count, geometry->vertex_count, true, NULL, starts, half);
		sort_pass(triangles, count, geometry->vertex_count, false, half, starts, order);
	}
	for (int32_t i = 0, end; good && i < count; i = end)
	{
		int32_t a = triangles[order[i]], b = triangles[lm_next_corner(order[i])];
		for (end = i; end < count; ++end)
		{
			int32_t c = triangles[order[end]], d = triangles[lm_next_corner(order[end])];
			if (!((c == a && d == b) || (c == b && d == a)))
				break;
			geometry->twins[order[end]] = -1;
		}
		if (end == i + 2 && a != b && triangles[order[i + 1]] == b)
		{
			geometry->twins[order[i]] = order[i + 1];
			geometry->twins[order[i + 1]] = order[i];
		}
	}
	lm_free(host, starts);
	lm_free(host, half);
	lm_free(host, order);
	return good;
}

static lm_status set_topology(lm_geometry* geometry, const lm_surface* surface, int32_t index, lm_error* error)
{
	size_t corners = 3 * (size_t)surface->triangle_count;
	if (geometry->vertex_count == surface->vertex_count && geometry->triangle_count == surface->triangle_count &&
	    geometry->triangles != NULL &&
	    (corners == 0 || memcmp(geometry->triangles, surface->triangles, corners * sizeof(int32_t)) == 0))
		return LM_OK;
	if (surface->vertex_count < 0 || surface->triangle_count < 0 || surface->triangle_count > INT32_MAX / 9)
		return lm_fail(error, LM_BAD_INPUT, "surface %d has %d vertices and %d triangles, which cannot be drawn", index,
		               surface->vertex_count, surface->triangle_count);
	for (size_t c = 0; c < corners; ++c)
		if (surface->triangles[c] < 0 || surface->triangles[c] >= surface->vertex_count)
			return lm_fail(error, LM_BAD_INPUT, "triangle %zu of surface %d names vertex %d; there are %d", c / 3,
			               index, surface->triangles[c], surface->vertex_count);
	geometry->vertex_count = geometry->triangle_count = -1; // nothing valid until all of it is there
	if (!GROW(geometry, triangles, triangle_capacity, corners, int32_t) ||
	    !GROW(geometry, twins, twin_capacity, corners, int32_t) ||
	    !GROW(geometry, positions, position_capacity, 3 * (size_t)surface->vertex_count + 4, float) ||
	    !GROW(geometry, indices, index_capacity, corners, uint32_t) ||
	    !GROW(geometry, face_normals, face_capacity, corners, float) ||
	    !GROW(geometry, corner_normals, corner_capacity, 3 * corners, float))
		return lm_fail_memory(error);
	if (corners > 0)
		memcpy(geometry->triangles, surface->triangles, corners * sizeof(int32_t));
	geometry->vertex_count = surface->vertex_count;
	geometry->triangle_count = surface->triangle_count;
	if (!find_twins(geometry))
	{
		geometry->vertex_count = geometry->triangle_count = -1;
		return lm_fail_memory(error);
	}
	return LM_OK;
}

// True when the foot of the focus on the plane of a triangle lies inside it.
static bool above_triangle(lm_vec3 a, lm_vec3 b, lm_vec3 c, lm_vec3 focus, lm_vec3* foot)
{
	lm_vec3 n = lm_cross(lm_sub(b, a), lm_sub(c, a));
	double square = lm_dot(n, n);
	if (!(square > 0) || !isfinite(square))
		return false;
	*foot = lm_add_scaled(focus, lm_dot(lm_sub(a, focus), n) / square, n);
	return lm_dot(lm_cross(lm_sub(b, a), lm_sub(*foot, a)), n) >= 0 &&
	       lm_dot(lm_cross(lm_sub(c, b), lm_sub(*foot, b)), n) >= 0 &&
	       lm_dot(lm_cross(lm_sub(a, c), lm_sub(*foot, c)), n) >= 0;
}

// A ground of two triangles may be kilometres wide, which costs single precision its digits. Shrunk about a point of
// itself it is a part of itself, so the far part that has faded away anyhow can be left out. Returns the factor.
static double ground_shrink(const lm_surface* surface, const lm_space* space, lm_vec3* centre)
{
	if (!surface->checker || surface->triangle_count != 2)
		return 1;
	lm_vec3 corners[6];
	for (int k = 0; k < 6; ++k)
	{
		lm_vec3 p = lm_v3_at(surface->positions, surface->triangles[k]);
		corners[k] = lm_scale(1 / space->unit, lm_sub(p, space->eye));
	}
	if (!above_triangle(corners[0], corners[1], corners[2], space->focus, centre) &&
	    !above_triangle(corners[3], corners[4], corners[5], space->focus, centre))
		return 1;
	double reach = 0;
	for (int k = 0; k < 6; ++k)
		reach = fmax(reach, lm_distance(corners[k], *centre));
	return reach > 3 * LM_GROUND_RADIUS ? 3 * LM_GROUND_RADIUS / reach : 1;
}

typedef struct place_job
{
	lm_geometry* geometry;
	const lm_surface* surface;
	const lm_space* space;
	lm_vec3 centre;
	double shrink;
} place_job;

// The largest coordinate that still is of use; what lies beyond (or is not a number) is not drawn.
static const double far_away = 1e9;

static void place_vertices(void* context, int64_t begin, int64_t end)
{
	const place_job* job = context;
	double scale = 1 / job->space->unit;
	for (int64_t v = begin; v < end; ++v)
	{
		lm_vec3 q = lm_scale(scale, lm_sub(lm_v3_at(job->surface->positions, v), job->space->eye));
		if (job->shrink < 1)
			q = lm_lerp(job->centre, q, job->shrink);
		bool usable = fabs(q.x) < far_away && fabs(q.y) < far_away && fabs(q.z) < far_away;
		lm_f3 place = usable ? lm_f3_make((float)q.x, (float)q.y, (float)q.z) : lm_f3_make(NAN, NAN, NAN);
		lm_f3_store(job->geometry->positions, v, place);
	}
}

static void place_triangles(void* context, int64_t begin, int64_t end)
{
	lm_geometry* geometry = ((const place_job*)context)->geometry;
	for (int64_t t = begin; t < end; ++t)
	{
		const int32_t* triangle = geometry->triangles + 3 * t;
		lm_f3 a = lm_f3_at(geometry->positions, triangle[0]);
		lm_f3 b = lm_f3_at(geometry->positions, triangle[1]);
		lm_f3 c = lm_f3_at(geometry->positions, triangle[2]);
		bool usable = !isnan(a.x + b.x + c.x);
		for (int k = 0; k < 3; ++k)
			geometry->indices[3 * t + k] = (uint32_t)(usable ? triangle[k] : triangle[0]);
		lm_f3 zero = { 0, 0, 0 };
		lm_f3 n = lm_f3_cross(lm_f3_sub(b, a), lm_f3_sub(c, a));
		lm_f3_store(geometry->face_normals, t, usable ? lm_f3_normalize_or(n, zero) : zero);
	}
}

// Bounding box. Vertices that are not finite must not reach Embree, not even for collapsed triangles.
static void finish_positions(lm_geometry* geometry)
{
	lm_f3 low = { INFINITY, INFINITY, INFINITY }, high = { -INFINITY, -INFINITY, -INFINITY };
	for (int64_t v = 0; v < geometry->vertex_count; ++v)
	{
		lm_f3 q = lm_f3_at(geometry->positions, v);
		if (isnan(q.x))
		{
			lm_f3_store(geometry->positions, v, lm_f3_make(0, 0, 0));
			continue;
		}
		low = lm_f3_make(lm_min(q.x, low.x), lm_min(q.y, low.y), lm_min(q.z, low.z));
		high = lm_f3_make(lm_max(q.x, high.x), lm_max(q.y, high.y), lm_max(q.z, high.z));
	}
	geometry->low = low;
	geometry->high = high;
}

lm_status lm_geometry_update(lm_geometry* geometry, const lm_surface* surface, int32_t index, const lm_space* space,
                             lm_error* error)
{
	lm_status status = set_topology(geometry, surface, index, error);
	if (status != LM_OK)
		return status;
	place_job job = { .geometry = geometry, .surface = surface, .space = space };
	job.shrink = ground_shrink(surface, space, &job.centre);
	lm_parallel_for(geometry->host.threads, geometry->vertex_count, 4096, place_vertices, &job);
	lm_parallel_for(geometry->host.threads, geometry->triangle_count, 4096, place_triangles, &job);
	finish_positions(geometry);
	lm_make_corner_normals(geometry, surface->flat);
	return LM_OK;
}
