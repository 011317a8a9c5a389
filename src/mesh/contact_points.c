// contact_points.c: which points of a shown surface touch for the body that carries it.
//
// First those that are outermost in some direction, of many that are spread evenly: on them it lies on anything flat,
// whichever way it lies. Then others for what is not flat: candidates are the vertices of the surface, and points
// within triangles that are longer than the spacing. They are taken from the outside in, unless one that was taken
// before is nearer than the spacing. Where that makes too many, the spacing grows.
//
// Of a triangle with the longest edge from a to b and the third corner c the candidates are (1 - v) (a + u (b - a)) +
// v c, in steps of the spacing along and across: slivers, of which surfaces may have many, get one row of them.
#include "limber/mesh.h"

#include "base/alloc.h"
#include "base/error.h"
#include "math/vec.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static const double first_spacing = 0.015, wider = 1.25; // of the diagonal; and from try to try
static const double golden_angle = 2.39996322972865332;

enum
{
	most_points = 4000,
	directions = 500,
	most_candidates = 400000, // beside the vertices
	most_rows = 64,           // of candidates, along and across a triangle
	row_corners = 3
};

typedef struct candidate
{
	lm_vec3 x;
	double out; // distance from the middle; infinite: outermost in some direction
	int32_t order;
	int32_t corners[row_corners];
	double shares[row_corners];
} candidate;

typedef struct chooser
{
	const lm_mesh* surface;
	lm_host host;
	lm_vec3 low, high;
	candidate* list;
	int32_t count;
	// cells of which each holds one point at most: its number, or -1
	int32_t* cells;
	int32_t sides[3];
} chooser;

static int compare(const void* a, const void* b)
{
	const candidate *p = a, *q = b;
	if (p->out != q->out)
		return p->out > q->out ? -1 : 1;
	return (p->order > q->order) - (p->order < q->order);
}

static lm_vec3 corner(const chooser* c, int64_t triangle, int k)
{
	return lm_v3_at(c->surface->positions, c->surface->triangles[3 * triangle + k % 3]);
}

// The corner at which the longest edge begins, and rows along and across.
static int measure_triangle(const chooser* c, int64_t t, double spacing, int* along, int* across)
{
	int first = 0;
	double longest = 0;
	for (int k = 0; k < 3; ++k)
	{
		double length = lm_distance(corner(c, t, k), corner(c, t, k + 1));
		if (length > longest)
			longest = length, first = k;
	}
	lm_vec3 a = corner(c, t, first), b = corner(c, t, first + 1), d = corner(c, t, first + 2);
	double height = longest > 0 ? lm_length(lm_cross(lm_sub(b, a), lm_sub(d, a))) / longest : 0;
	*along = (int)fmin(ceil(longest / spacing), most_rows), *across = (int)fmin(ceil(height / spacing), most_rows);
	return first;
}

// Of triangles that are longer than the spacing; counts them where there is no list.
static int64_t sample_triangles(chooser* c, double spacing, candidate* list)
{
	int64_t found = 0;
	for (int64_t t = 0; t < c->surface->triangle_count; ++t)
	{
		int along, across, first = measure_triangle(c, t, spacing, &along, &across);
		for (int j = 0; along > 1 && j < across; ++j)
		{
			double v = (double)j / across;
			int steps = (int)fmax(ceil(along * (1 - v)), 1);
			for (int i = j == 0; i <= steps - (j == 0); ++i, ++found)
			{
				double u = (double)i / steps, shares[3] = { (1 - v) * (1 - u), (1 - v) * u, v };
				candidate point = { .order = (int32_t)found };
				for (int k = 0; list != NULL && k < 3; ++k)
				{
					point.corners[k] = c->surface->triangles[3 * t + (first + k) % 3];
					point.shares[k] = shares[k];
					point.x = lm_add_scaled(point.x, shares[k], lm_v3_at(c->surface->positions, point.corners[k]));
				}
				if (list != NULL)
					list[found] = point;
			}
		}
	}
	return found;
}

// Directions on a spiral from pole to pole.
static void mark_outermost(chooser* c)
{
	for (int d = 0; d < directions; ++d)
	{
		double y = 1 - (2 * d + 1.0) / directions, around = golden_angle * d, r = sqrt(1 - y * y), most = -INFINITY;
		lm_vec3 n = { r * cos(around), y, r * sin(around) };
		int32_t found = 0;
		for (int32_t k = 0; k < c->count; ++k)
		{
			double at = lm_dot(n, c->list[k].x);
			if (at > most)
				most = at, found = k;
		}
		c->list[found].out = INFINITY;
	}
}

// All candidates, from the outside in; no memory: false.
static bool list_candidates(chooser* c, double spacing)
{
	const lm_mesh* s = c->surface;
	int64_t within = sample_triangles(c, spacing, NULL);
	for (; within > most_candidates; within = sample_triangles(c, spacing, NULL))
		spacing *= 2;
	bool* used = LM_NEW(&c->host, s->vertex_count, bool);
	c->list = LM_NEW(&c->host, within + s->vertex_count, candidate);
	if (used == NULL || c->list == NULL)
	{
		lm_free(&c->host, used);
		return false;
	}
	for (int64_t k = 0; k < 3 * (int64_t)s->triangle_count; ++k)
		used[s->triangles[k]] = true;
	c->count = (int32_t)sample_triangles(c, spacing, c->list);
	for (int32_t v = 0; v < s->vertex_count; ++v)
		if (used[v])
		{
			c->list[c->count] = (candidate){
				.x = lm_v3_at(s->positions, v), .order = c->count, .corners = { v, v, v }, .shares = { 1, 0, 0 }
			};
			++c->count;
		}
	lm_vec3 middle = lm_scale(0.5, lm_add(c->low, c->high));
	for (int32_t k = 0; k < c->count; ++k)
		c->list[k].out = lm_distance(c->list[k].x, middle);
	mark_outermost(c);
	qsort(c->list, (size_t)c->count, sizeof *c->list, compare);
	lm_free(&c->host, used);
	return true;
}

static int64_t cell_of(const chooser* c, const int32_t at[3])
{
	return ((int64_t)at[0] * c->sides[1] + at[1]) * c->sides[2] + at[2];
}

static bool is_taken(const chooser* c, const candidate* p, const int32_t at[3], double spacing)
{
	int32_t n[3];
	for (n[0] = at[0] - 2; n[0] <= at[0] + 2; ++n[0])
		for (n[1] = at[1] - 2; n[1] <= at[1] + 2; ++n[1])
			for (n[2] = at[2] - 2; n[2] <= at[2] + 2; ++n[2])
			{
				bool inside = true;
				for (int k = 0; k < 3; ++k)
					inside = inside && n[k] >= 0 && n[k] < c->sides[k];
				int32_t other = inside ? c->cells[cell_of(c, n)] : -1;
				if (other >= 0 && lm_distance(c->list[other].x, p->x) < spacing)
					return true;
			}
	return false;
}

// Numbers of the chosen ones; -1: more than most_points; -2: no memory. Cells are so small that two points of one are
// nearer than the spacing.
static int32_t choose(chooser* c, double spacing, int32_t* chosen)
{
	double side = spacing / 1.8;
	int64_t cells = 1;
	int32_t found = 0;
	for (int k = 0; k < 3; ++k)
	{
		c->sides[k] = 1 + (int32_t)((lm_v3_get(c->high, k) - lm_v3_get(c->low, k)) / side);
		cells *= c->sides[k];
	}
	c->cells = LM_NEW(&c->host, cells, int32_t);
	if (c->cells == NULL)
		return -2;
	for (int64_t k = 0; k < cells; ++k)
		c->cells[k] = -1;
	for (int32_t k = 0; k < c->count && found >= 0; ++k)
	{
		int32_t at[3];
		for (int d = 0; d < 3; ++d)
			at[d] = (int32_t)((lm_v3_get(c->list[k].x, d) - lm_v3_get(c->low, d)) / side);
		for (int d = 0; d < 3; ++d)
			at[d] = at[d] < 0 ? 0 : at[d] >= c->sides[d] ? c->sides[d] - 1 : at[d];
		if (isfinite(c->list[k].out) && is_taken(c, &c->list[k], at, spacing))
			continue;
		c->cells[cell_of(c, at)] = k;
		if (found < most_points)
			chosen[found++] = k;
		else
			found = -1;
	}
	lm_free(&c->host, c->cells);
	return found;
}

// The row of a point: those of the corners, each by its share; what they have in common once. Returns its length.
static int32_t make_row(const candidate* p, const lm_binding_view* of, int32_t* points, double* weights)
{
	int32_t length = 0;
	for (int k = 0; k < row_corners; ++k)
		for (int64_t e = of->starts[p->corners[k]]; p->shares[k] > 0 && e < of->starts[p->corners[k] + 1]; ++e)
		{
			int32_t at = 0;
			while (at < length && points[at] != of->points[e])
				++at;
			if (at == length)
				points[length] = of->points[e], weights[length++] = 0;
			weights[at] += p->shares[k] * of->weights[e];
		}
	return length;
}

static lm_status make_rows(const chooser* c, const int32_t* chosen, int32_t count, const lm_binding_view* of,
                           lm_binding** result, lm_error* error)
{
	int64_t longest = 0;
	for (int32_t v = 0; v < of->vertex_count; ++v)
		longest = of->starts[v + 1] - of->starts[v] > longest ? of->starts[v + 1] - of->starts[v] : longest;
	size_t most = (size_t)(row_corners * longest) * (size_t)count;
	int64_t* starts = LM_NEW(&c->host, (size_t)count + 1, int64_t);
	int32_t* points = LM_NEW(&c->host, most, int32_t);
	double* weights = LM_NEW(&c->host, most, double);
	lm_status status = starts && points && weights ? LM_OK : lm_fail_memory(error);
	for (int32_t k = 0; status == LM_OK && k < count; ++k)
		starts[k + 1] = starts[k] + make_row(&c->list[chosen[k]], of, points + starts[k], weights + starts[k]);
	lm_binding_view rows = { count, of->point_count, starts, points, weights };
	if (status == LM_OK)
		status = lm_binding_create_rows(&rows, &c->host, result, error);
	lm_free(&c->host, starts);
	lm_free(&c->host, points);
	lm_free(&c->host, weights);
	return status;
}

lm_status lm_contact_points_create(const lm_mesh* surface, const lm_binding* binding, const lm_host* host,
                                   lm_binding** result, lm_error* error)
{
	assert(surface != NULL && binding != NULL && host != NULL && result != NULL);
	lm_binding_view of = lm_binding_get(binding);
	double low[3], high[3];
	assert(of.vertex_count == surface->vertex_count);
	lm_mesh_bounds(surface->positions, surface->vertex_count, low, high);
	chooser c = { .surface = surface, .host = *host, .low = lm_v3_at(low, 0), .high = lm_v3_at(high, 0) };
	double spacing = first_spacing * lm_distance(c.low, c.high);
	if (surface->triangle_count == 0 || !(spacing > 0))
		return lm_fail(error, LM_BAD_INPUT, "the surface has no triangles with an extent, so that nothing can touch");
	int32_t *chosen = LM_NEW(host, most_points, int32_t), count = -2;
	if (chosen != NULL && list_candidates(&c, spacing))
		count = choose(&c, spacing, chosen);
	for (; count == -1; count = choose(&c, spacing, chosen))
		spacing *= wider;
	lm_status status = count >= 0 ? make_rows(&c, chosen, count, &of, result, error) : lm_fail_memory(error);
	lm_free(host, c.list);
	lm_free(host, chosen);
	return status;
}
