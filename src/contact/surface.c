// surface.c: signed distance to triangle meshes.
//
// The sign is that of (p - c) . N, where c is the nearest point and N the pseudo-normal of the feature it lies on: the
// face normal, the sum of the normals of the faces at an edge, or the sum weighted by angles at a vertex (Baerentzen
// and Aanaes 2005, "Signed distance computation using the angle weighted pseudonormal"). Vertices at the same place
// are one, so that split vertices (STL, texture seams) leave no gaps.
#include "contact/surface.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

typedef struct facet
{
	lm_vec3 corner[3];
	lm_vec3 face, edge[3], vertex[3]; // pseudo-normals; edge k runs from corner k to corner k + 1
} facet;

struct lm_surface
{
	lm_host host;
	bool closed;
	lm_vec3 low, high;
	int32_t count;
	facet* facets; // without those that have no area
};

// ---- making

typedef struct spot
{
	lm_vec3 p;
	int32_t index;
} spot;

static int compare_spots(const void* a, const void* b)
{
	const spot *l = a, *r = b;
	if (l->p.x != r->p.x)
		return l->p.x < r->p.x ? -1 : 1;
	if (l->p.y != r->p.y)
		return l->p.y < r->p.y ? -1 : 1;
	if (l->p.z != r->p.z)
		return l->p.z < r->p.z ? -1 : 1;
	return l->index < r->index ? -1 : 1;
}

// merged[v]: the lowest vertex at the place of v.
static bool merge_vertices(const lm_mesh* mesh, const lm_host* host, int32_t* merged)
{
	spot* spots = LM_NEW(host, mesh->vertex_count, spot);
	if (!spots)
		return false;
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
		spots[v] = (spot){ lm_v3_at(mesh->positions, v), v };
	qsort(spots, (size_t)mesh->vertex_count, sizeof *spots, compare_spots);
	for (int32_t i = 0; i < mesh->vertex_count; ++i)
	{
		bool same = i > 0 && spots[i].p.x == spots[i - 1].p.x && spots[i].p.y == spots[i - 1].p.y &&
		            spots[i].p.z == spots[i - 1].p.z;
		merged[spots[i].index] = same ? merged[spots[i - 1].index] : spots[i].index;
	}
	lm_free(host, spots);
	return true;
}

// One side of a triangle, as an edge from the lower to the higher vertex.
typedef struct side
{
	int32_t low, high;
	int32_t triangle, corner;
	int32_t forward; // +1: the triangle runs along it, -1: against it
} side;

static int compare_sides(const void* a, const void* b)
{
	const side *l = a, *r = b;
	if (l->low != r->low)
		return l->low < r->low ? -1 : 1;
	if (l->high != r->high)
		return l->high < r->high ? -1 : 1;
	int32_t i = 3 * l->triangle + l->corner, j = 3 * r->triangle + r->corner;
	return i < j ? -1 : i > j;
}

static int64_t list_sides(const lm_mesh* mesh, const int32_t* merged, side* sides)
{
	int64_t count = 0;
	for (int32_t t = 0; t < mesh->triangle_count; ++t)
		for (int k = 0; k < 3; ++k)
		{
			int32_t a = merged[mesh->triangles[3 * t + k]], b = merged[mesh->triangles[3 * t + (k + 1) % 3]];
			if (a != b)
				sides[count++] = a < b ? (side){ a, b, t, k, 1 } : (side){ b, a, t, k, -1 };
		}
	qsort(sides, (size_t)count, sizeof *sides, compare_sides);
	return count;
}

// Gives every side the summed normal of its edge, and tells whether all edges close.
static bool join_sides(const side* sides, int64_t count, facet* facets)
{
	bool closed = true;
	for (int64_t begin = 0, end; begin < count; begin = end)
	{
		lm_vec3 sum = { 0, 0, 0 };
		int64_t balance = 0;
		for (end = begin; end < count && sides[end].low == sides[begin].low && sides[end].high == sides[begin].high;
		     ++end)
		{
			sum = lm_add(sum, facets[sides[end].triangle].face);
			balance += sides[end].forward;
		}
		closed &= balance == 0;
		for (int64_t i = begin; i < end; ++i)
			facets[sides[i].triangle].edge[sides[i].corner] = sum;
	}
	return closed;
}

static double corner_angle(const facet* f, int k)
{
	lm_vec3 a = lm_sub(f->corner[(k + 1) % 3], f->corner[k]), b = lm_sub(f->corner[(k + 2) % 3], f->corner[k]);
	return atan2(lm_length(lm_cross(a, b)), lm_dot(a, b));
}

// Six times the volume inside.
static double fill_facets(const lm_mesh* mesh, facet* facets)
{
	double volume = 0;
	for (int32_t t = 0; t < mesh->triangle_count; ++t)
	{
		facet* f = &facets[t];
		for (int k = 0; k < 3; ++k)
			f->corner[k] = lm_v3_at(mesh->positions, mesh->triangles[3 * t + k]);
		lm_vec3 across = lm_cross(lm_sub(f->corner[1], f->corner[0]), lm_sub(f->corner[2], f->corner[0]));
		f->face = lm_normalize_or(across, lm_v3(0, 0, 0));
		volume += lm_dot(lm_sub(f->corner[0], lm_v3_at(mesh->positions, mesh->triangles[0])), across);
	}
	return volume;
}

static void sum_vertex_normals(const lm_mesh* mesh, const int32_t* merged, facet* facets, double* sums)
{
	for (int32_t t = 0; t < mesh->triangle_count; ++t)
		for (int k = 0; k < 3; ++k)
		{
			int32_t v = merged[mesh->triangles[3 * t + k]];
			lm_v3_store(sums, v, lm_add_scaled(lm_v3_at(sums, v), corner_angle(&facets[t], k), facets[t].face));
		}
	for (int32_t t = 0; t < mesh->triangle_count; ++t)
		for (int k = 0; k < 3; ++k)
			facets[t].vertex[k] = lm_v3_at(sums, merged[mesh->triangles[3 * t + k]]);
}

static void flip(facet* facets, int32_t count)
{
	for (int32_t t = 0; t < count; ++t)
	{
		facets[t].face = lm_scale(-1, facets[t].face);
		for (int k = 0; k < 3; ++k)
		{
			facets[t].edge[k] = lm_scale(-1, facets[t].edge[k]);
			facets[t].vertex[k] = lm_scale(-1, facets[t].vertex[k]);
		}
	}
}

static void drop_flat(lm_surface* surface)
{
	int32_t kept = 0;
	for (int32_t t = 0; t < surface->count; ++t)
		if (lm_dot(surface->facets[t].face, surface->facets[t].face) > 0)
			surface->facets[kept++] = surface->facets[t];
	surface->count = kept;
}

static bool build(lm_surface* surface, const lm_mesh* mesh, int32_t* merged, side* sides, double* sums)
{
	if (!merge_vertices(mesh, &surface->host, merged))
		return false;
	double volume = fill_facets(mesh, surface->facets);
	surface->closed = join_sides(sides, list_sides(mesh, merged, sides), surface->facets) && volume != 0;
	sum_vertex_normals(mesh, merged, surface->facets, sums);
	if (surface->closed && volume < 0) // turned inside out: what it encloses is solid all the same
		flip(surface->facets, surface->count);
	drop_flat(surface);
	return true;
}

lm_surface* lm_surface_create(const lm_mesh* mesh, const lm_host* host)
{
	lm_surface* surface = LM_NEW(host, 1, lm_surface);
	if (!surface)
		return NULL;
	surface->host = *host;
	surface->count = mesh->triangle_count;
	surface->facets = LM_NEW(host, mesh->triangle_count, facet);
	int32_t* merged = LM_NEW(host, mesh->vertex_count, int32_t);
	side* sides = LM_NEW(host, 3 * (size_t)mesh->triangle_count, side);
	double* sums = LM_NEW(host, 3 * (size_t)mesh->vertex_count, double);
	bool made = surface->facets && merged && sides && sums && build(surface, mesh, merged, sides, sums);
	lm_free(host, sums);
	lm_free(host, sides);
	lm_free(host, merged);
	if (!made)
	{
		lm_surface_destroy(surface);
		return NULL;
	}
	surface->low = lm_v3(INFINITY, INFINITY, INFINITY), surface->high = lm_scale(-1, surface->low);
	for (int32_t t = 0; t < surface->count; ++t)
		for (int k = 0; k < 3; ++k)
		{
			surface->low = lm_min3(surface->low, surface->facets[t].corner[k]);
			surface->high = lm_max3(surface->high, surface->facets[t].corner[k]);
		}
	return surface;
}

void lm_surface_destroy(lm_surface* surface)
{
	if (!surface)
		return;
	lm_host host = surface->host;
	lm_free(&host, surface->facets);
	lm_free(&host, surface);
}

bool lm_surface_closed(const lm_surface* surface)
{
	return surface->closed;
}

double lm_surface_skin(const lm_surface* surface)
{
	return 1e-4 * lm_distance(surface->low, surface->high);
}

void lm_surface_bounds(const lm_surface* surface, lm_vec3* low, lm_vec3* high)
{
	*low = surface->low, *high = surface->high;
}

// ---- asking

// The pseudo-normal of the feature with these barycentric coordinates, zeros of which are exact.
static lm_vec3 feature_normal(const facet* f, const double w[3])
{
	for (int k = 0; k < 3; ++k)
		if (w[(k + 1) % 3] == 0 && w[(k + 2) % 3] == 0)
			return f->vertex[k];
	for (int k = 0; k < 3; ++k)
		if (w[(k + 2) % 3] == 0)
			return f->edge[k];
	return f->face;
}

// The nearest point of a triangle by the regions of Ericson, "Real-Time Collision Detection", Sec. 5.1.5.
static lm_vec3 closest_on_facet(const facet* f, lm_vec3 p, double w[3])
{
	lm_vec3 a = f->corner[0], b = f->corner[1], c = f->corner[2];
	lm_vec3 ab = lm_sub(b, a), ac = lm_sub(c, a), ap = lm_sub(p, a), bp = lm_sub(p, b), cp = lm_sub(p, c);
	double d1 = lm_dot(ab, ap), d2 = lm_dot(ac, ap), d3 = lm_dot(ab, bp), d4 = lm_dot(ac, bp);
	double d5 = lm_dot(ab, cp), d6 = lm_dot(ac, cp);
	double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
	w[0] = w[1] = w[2] = 0;
	if (d1 <= 0 && d2 <= 0)
		w[0] = 1;
	else if (d3 >= 0 && d4 <= d3)
		w[1] = 1;
	else if (d6 >= 0 && d5 <= d6)
		w[2] = 1;
	else if (vc <= 0 && d1 >= 0 && d3 <= 0)
		w[1] = d1 / (d1 - d3), w[0] = 1 - w[1];
	else if (vb <= 0 && d2 >= 0 && d6 <= 0)
		w[2] = d2 / (d2 - d6), w[0] = 1 - w[2];
	else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
		w[2] = (d4 - d3) / ((d4 - d3) + (d5 - d6)), w[1] = 1 - w[2];
	else
		w[1] = vb / (va + vb + vc), w[2] = vc / (va + vb + vc), w[0] = 1 - w[1] - w[2];
	return lm_add_scaled(lm_add_scaled(a, w[1], ab), w[2], ac);
}

bool lm_surface_query(const lm_surface* surface, lm_vec3 point, double reach, double* distance, lm_vec3* normal)
{
	double best = INFINITY, weights[3] = { 0 };
	lm_vec3 nearest = point;
	const facet* where = NULL;
	for (int32_t t = 0; t < surface->count; ++t)
	{
		double w[3];
		lm_vec3 c = closest_on_facet(&surface->facets[t], point, w);
		double square = lm_dot(lm_sub(point, c), lm_sub(point, c));
		if (square < best)
			best = square, nearest = c, where = &surface->facets[t], memcpy(weights, w, sizeof w);
	}
	if (!where)
		return false;
	lm_vec3 away = lm_sub(point, nearest), pseudo = feature_normal(where, weights);
	double length = sqrt(best);
	bool inside = surface->closed && lm_dot(away, pseudo) < 0;
	if (!inside && !(length < reach))
		return false;
	*distance = inside ? -length : length;
	*normal = lm_normalize_or(lm_scale(inside ? -1 : 1, away), lm_normalize_or(pseudo, where->face));
	return true;
}

// Crossing by the signs of the volumes that the way spans with the sides. A side shared by two triangles gives both
// exactly opposite numbers, so that nothing slips through between them.
static bool cross_facet(const facet* f, lm_vec3 from, lm_vec3 way, double* fraction)
{
	lm_vec3 a = lm_sub(f->corner[0], from), b = lm_sub(f->corner[1], from), c = lm_sub(f->corner[2], from);
	double u = lm_dot(way, lm_cross(b, c)), v = lm_dot(way, lm_cross(c, a)), w = lm_dot(way, lm_cross(a, b));
	if (!((u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0)))
		return false;
	double across = lm_dot(way, f->face);
	if (across == 0)
		return false;
	*fraction = lm_dot(a, f->face) / across;
	return *fraction >= 0 && *fraction <= 1;
}

bool lm_surface_enter(const lm_surface* surface, lm_vec3 from, lm_vec3 to, double* fraction, lm_vec3* normal)
{
	lm_vec3 way = lm_sub(to, from);
	bool found = false;
	for (int32_t t = 0; t < surface->count; ++t)
	{
		const facet* f = &surface->facets[t];
		double at, facing = lm_dot(way, f->face);
		if ((surface->closed && facing >= 0) || !cross_facet(f, from, way, &at) || (found && at >= *fraction))
			continue;
		found = true;
		*fraction = at, *normal = facing < 0 ? f->face : lm_scale(-1, f->face);
	}
	return found;
}
