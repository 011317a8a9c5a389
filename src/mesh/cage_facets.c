#include "mesh/cage_facets.h"

#include "mesh/closest.h"

#include <string.h>

// A point on the way down from facet to crossing: its coordinates and its weights of the facet's corners.
typedef struct cut_point
{
	double x[3], weights[3];
} cut_point;

// Where the edge a b crosses x[k] = level; the two corners lie on different sides.
static cut_point cut_edge(const cut_point* a, const cut_point* b, int k, double level, int dimension)
{
	double t = (level - a->x[k]) / (b->x[k] - a->x[k]);
	cut_point c;
	for (int i = 0; i < dimension; ++i)
	{
		// never beyond the ends, not even by rounding: a line beside the facet must be beside its cuts too
		double x = (1 - t) * a->x[i] + t * b->x[i];
		c.x[i] = fmin(fmax(x, fmin(a->x[i], b->x[i])), fmax(a->x[i], b->x[i]));
		c.weights[i] = (1 - t) * a->weights[i] + t * b->weights[i];
	}
	c.x[k] = level;
	return c;
}

static void load_corners(const lm_cage* cage, int32_t facet, cut_point corners[3])
{
	int d = cage->dimension;
	for (int c = 0; c < 3 && c < d; ++c)
	{
		const double* x = lm_cage_corner(cage, facet, c);
		corners[c] = (cut_point){ .x = { x[0], x[1], d == 3 ? x[2] : 0 } };
		corners[c].weights[c] = 1;
	}
}

// The two ends of the triangle's cut by x[k] = level. False when it does not cross.
static bool cut_triangle(const lm_cage* cage, int32_t facet, int k, double level, cut_point ends[2])
{
	cut_point corners[3];
	load_corners(cage, facet, corners);
	const int32_t* index = cage->facets + 3 * (int64_t)facet;
	int count = 0;
	for (int c = 0; c < 3; ++c)
	{
		int a = c, b = (c + 1) % 3;
		if ((corners[a].x[k] > level) == (corners[b].x[k] > level))
			continue;
		bool ascending = index[a] < index[b];
		ends[count++] = cut_edge(&corners[ascending ? a : b], &corners[ascending ? b : a], k, level, 3);
	}
	return count == 2;
}

// Early exit: the line passes beside the facet.
static bool passes_beside(const lm_cage* cage, int32_t facet, int axis, const double* q)
{
	for (int k = 0; k < cage->dimension; ++k)
	{
		if (k == axis)
			continue;
		int above = 0;
		for (int c = 0; c < cage->dimension; ++c)
			above += lm_cage_corner(cage, facet, c)[k] > q[k];
		if (above == 0 || above == cage->dimension)
			return true;
	}
	return false;
}

bool lm_cage_crossing(const lm_cage* cage, int32_t facet, int axis, const double* q, double* at, lm_cage_point* point)
{
	if (passes_beside(cage, facet, axis, q))
		return false;
	cut_point ends[3];
	int d = cage->dimension, last = axis == 0 ? 1 : 0;
	if (d == 2)
	{
		load_corners(cage, facet, ends);
		if (cage->facets[2 * (int64_t)facet] > cage->facets[2 * (int64_t)facet + 1])
		{
			cut_point swap = ends[0];
			ends[0] = ends[1], ends[1] = swap;
		}
	}
	else if (!cut_triangle(cage, facet, 3 - axis - last, q[3 - axis - last], ends))
		return false;
	if ((ends[0].x[last] > q[last]) == (ends[1].x[last] > q[last]))
		return false;
	cut_point crossing = cut_edge(&ends[0], &ends[1], last, q[last], d);
	*at = crossing.x[axis];
	*point = (lm_cage_point){ .facet = facet };
	memcpy(point->weights, crossing.weights, sizeof(double) * (size_t)d);
	return true;
}

bool lm_cage_contains(const lm_cage* cage, const double* q)
{
	bool inside = false;
	for (int32_t f = 0; f < cage->facet_count; ++f)
	{
		double at;
		lm_cage_point point;
		if (lm_cage_crossing(cage, f, 0, q, &at, &point) && at > q[0])
			inside = !inside;
	}
	return inside;
}

static lm_vec3 lifted(const double* x, int dimension)
{
	return lm_v3(x[0], x[1], dimension == 3 ? x[2] : 0);
}

double lm_cage_closest(const lm_cage* cage, const double* q, lm_cage_point* point)
{
	int d = cage->dimension;
	lm_vec3 p = lifted(q, d);
	double best = INFINITY;
	for (int32_t f = 0; f < cage->facet_count; ++f)
	{
		lm_vec3 a = lifted(lm_cage_corner(cage, f, 0), d), b = lifted(lm_cage_corner(cage, f, 1), d);
		lm_closest closest;
		if (d == 3)
			closest = lm_closest_on_triangle(p, a, b, lifted(lm_cage_corner(cage, f, 2), d));
		else
		{
			double t = lm_closest_on_segment(p, a, b);
			lm_vec3 off = lm_sub(lm_lerp(a, b, t), p);
			closest = (lm_closest){ .weights = { 1 - t, t, 0 }, .distance2 = lm_dot(off, off) };
		}
		if (closest.distance2 < best)
		{
			best = closest.distance2;
			point->facet = f;
			memcpy(point->weights, closest.weights, sizeof point->weights);
		}
	}
	return sqrt(best);
}

void lm_cage_add_point(const lm_cage* cage, const lm_cage_point* point, double scale, double* row)
{
	for (int c = 0; c < cage->dimension; ++c)
		row[cage->facets[(int64_t)cage->dimension * point->facet + c]] += scale * point->weights[c];
}

void lm_cage_bounds(const lm_cage* cage, double low[3], double high[3])
{
	for (int k = 0; k < 3; ++k)
	{
		low[k] = high[k] = k < cage->dimension ? cage->positions[k] : 0;
		for (int64_t v = 0; v < cage->vertex_count && k < cage->dimension; ++v)
		{
			low[k] = fmin(low[k], cage->positions[cage->dimension * v + k]);
			high[k] = fmax(high[k], cage->positions[cage->dimension * v + k]);
		}
	}
}

double lm_cage_volume(const lm_cage* cage)
{
	int d = cage->dimension;
	lm_vec3 o = lifted(cage->positions, d);
	double sum = 0;
	for (int32_t f = 0; f < cage->facet_count; ++f)
	{
		lm_vec3 a = lm_sub(lifted(lm_cage_corner(cage, f, 0), d), o);
		lm_vec3 b = lm_sub(lifted(lm_cage_corner(cage, f, 1), d), o);
		if (d == 2)
			sum += lm_cross(a, b).z / 2;
		else
			sum += lm_dot(lm_cross(a, b), lm_sub(lifted(lm_cage_corner(cage, f, 2), d), o)) / 6;
	}
	return sum;
}
