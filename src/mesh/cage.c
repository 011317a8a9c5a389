// cage.c: cages as arrays, and whether one is fit to use.
#include "limber/mesh.h"

#include "base/alloc.h"
#include "base/error.h"
#include "mesh/cage_facets.h"
#include "mesh/closest.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

lm_cage* lm_cage_create(const lm_host* host, int dimension, int32_t vertex_count, int32_t facet_count)
{
	assert(host != NULL && (dimension == 2 || dimension == 3) && vertex_count >= 0 && facet_count >= 0);
	lm_cage* cage = LM_NEW(host, 1, lm_cage);
	if (cage == NULL)
		return NULL;
	*cage = (lm_cage){ *host,        dimension,
		               vertex_count, LM_NEW(host, (size_t)dimension * (size_t)vertex_count, double),
		               facet_count,  LM_NEW(host, (size_t)dimension * (size_t)facet_count, int32_t) };
	if (cage->positions == NULL || cage->facets == NULL)
	{
		lm_cage_destroy(cage);
		return NULL;
	}
	return cage;
}

void lm_cage_destroy(lm_cage* cage)
{
	if (cage == NULL)
		return;
	lm_host host = cage->host;
	lm_free(&host, cage->positions);
	lm_free(&host, cage->facets);
	lm_free(&host, cage);
}

lm_status lm_cage_create_polygon(const double* points, int32_t count, const lm_host* host, lm_cage** result,
                                 lm_error* error)
{
	assert(points != NULL && host != NULL && result != NULL);
	if (count < 3)
		return lm_fail(error, LM_BAD_INPUT, "a polygon of %d points encloses nothing; a cage needs three or more",
		               count);
	lm_cage* cage = lm_cage_create(host, 2, count, count);
	if (cage == NULL)
		return lm_fail_memory(error);
	memcpy(cage->positions, points, 2 * sizeof(double) * (size_t)count);
	for (int32_t i = 0; i < count; ++i)
		cage->facets[2 * i] = i, cage->facets[2 * i + 1] = (i + 1) % count;
	if (lm_cage_volume(cage) < 0)
		for (int32_t i = 0; i < count; ++i)
			cage->facets[2 * i] = (i + 1) % count, cage->facets[2 * i + 1] = i;
	*result = cage;
	return LM_OK;
}

// ---- fit to use?

static lm_status fail_vertex(lm_error* error, int64_t vertex, const char* text)
{
	return lm_fail_element(error, vertex, "vertex %lld of the cage %s", (long long)vertex, text);
}

static lm_status check_indices(const lm_cage* cage, lm_error* error)
{
	int d = cage->dimension;
	for (int64_t i = 0; i < (int64_t)d * cage->vertex_count; ++i)
		if (!(fabs(cage->positions[i]) <= 1e30))
			return fail_vertex(error, i / d, "has a coordinate that is not a number up to 1e30");
	for (int64_t i = 0; i < (int64_t)d * cage->facet_count; ++i)
	{
		int64_t first = i / d * d;
		if (cage->facets[i] < 0 || cage->facets[i] >= cage->vertex_count)
			return lm_fail(error, LM_BAD_INPUT, "facet %lld of the cage names vertex %d, but there are only %d",
			               (long long)(i / d), cage->facets[i], cage->vertex_count);
		for (int64_t k = first; k < i; ++k)
			if (cage->facets[k] == cage->facets[i])
				return lm_fail(error, LM_BAD_INPUT, "facet %lld of the cage names vertex %d twice", (long long)(i / d),
				               cage->facets[i]);
	}
	return LM_OK;
}

// A directed edge between triangles, or the one vertex between edges, with the side it is passed on.
typedef struct rim
{
	int32_t low, high, side;
} rim;

static int compare_rims(const void* a, const void* b)
{
	const rim *x = a, *y = b;
	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	if (x->high != y->high)
		return x->high < y->high ? -1 : 1;
	return x->side - y->side;
}

static rim rim_of(const lm_cage* cage, int64_t i)
{
	if (cage->dimension == 2)
		return (rim){ cage->facets[i], cage->facets[i], (int32_t)(i % 2) };
	int32_t a = cage->facets[i], b = cage->facets[i % 3 == 2 ? i - 2 : i + 1];
	return a < b ? (rim){ a, b, 0 } : (rim){ b, a, 1 };
}

// Every rim is passed by exactly two facets, once on either side.
static lm_status check_rims(const lm_cage* cage, const rim* rims, int64_t count, lm_error* error)
{
	for (int64_t i = 0; i < count;)
	{
		int64_t end = i;
		while (end < count && rims[end].low == rims[i].low && rims[end].high == rims[i].high)
			++end;
		const char* wrong = end - i == 1                       ? "is open"
		                    : end - i > 2                      ? "has too many sides"
		                    : rims[i].side == rims[i + 1].side ? "has sides that face opposite ways"
		                                                       : NULL;
		if (wrong != NULL && cage->dimension == 2)
			return lm_fail(error, LM_BAD_INPUT, "the cage %s at vertex %d; it has to be a closed polygon", wrong,
			               rims[i].low);
		if (wrong != NULL)
			return lm_fail(error, LM_BAD_INPUT,
			               "the cage %s at the edge from vertex %d to %d; it has to be a closed surface", wrong,
			               rims[i].low, rims[i].high);
		i = end;
	}
	return LM_OK;
}

static lm_status check_closed(const lm_cage* cage, lm_error* error)
{
	int64_t count = (int64_t)cage->dimension * cage->facet_count;
	rim* rims = LM_NEW(&cage->host, count, rim);
	uint8_t* used = LM_NEW(&cage->host, cage->vertex_count, uint8_t);
	lm_status status = LM_OK;
	if (rims != NULL && used != NULL)
	{
		for (int64_t i = 0; i < count; ++i)
		{
			rims[i] = rim_of(cage, i);
			used[cage->facets[i]] = 1;
		}
		qsort(rims, (size_t)count, sizeof *rims, compare_rims);
		status = check_rims(cage, rims, count, error);
		for (int32_t v = 0; v < cage->vertex_count && status == LM_OK; ++v)
			if (!used[v])
				status =
					fail_vertex(error, v, "belongs to none of its facets, and so would move nothing; leave it out");
	}
	else
		status = lm_fail_memory(error);
	lm_free(&cage->host, rims);
	lm_free(&cage->host, used);
	return status;
}

static double turn(const double* a, const double* b, const double* c)
{
	return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static bool opposite(double a, double b)
{
	return (a > 0 && b < 0) || (a < 0 && b > 0);
}

static bool segments_cross(const double* a, const double* b, const double* c, const double* d)
{
	return opposite(turn(a, b, c), turn(a, b, d)) && opposite(turn(c, d, a), turn(c, d, b));
}

static double volume6(const double* a, const double* b, const double* c, const double* d)
{
	lm_vec3 o = lm_v3_at(a, 0);
	return lm_dot(lm_cross(lm_sub(lm_v3_at(b, 0), o), lm_sub(lm_v3_at(c, 0), o)), lm_sub(lm_v3_at(d, 0), o));
}

static bool segment_pierces(const double* p, const double* q, const double* a, const double* b, const double* c)
{
	if (!opposite(volume6(a, b, c, p), volume6(a, b, c, q)))
		return false;
	double u = volume6(p, q, a, b), v = volume6(p, q, b, c), w = volume6(p, q, c, a);
	return (u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0);
}

static bool boxes_apart(const lm_cage* cage, int32_t f, int32_t g)
{
	int d = cage->dimension;
	for (int k = 0; k < d; ++k)
	{
		double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };
		for (int c = 0; c < 2 * d; ++c)
		{
			double x = lm_cage_corner(cage, c < d ? f : g, c % d)[k];
			low[c / d] = fmin(low[c / d], x);
			high[c / d] = fmax(high[c / d], x);
		}
		if (low[0] > high[1] || low[1] > high[0])
			return true;
	}
	return false;
}

// Do facets f and g cross each other (touching is fine)? In 3D: does an edge of f pierce g?
static bool facets_cross(const lm_cage* cage, int32_t f, int32_t g)
{
	int d = cage->dimension;
	const int32_t *corner = cage->facets + (int64_t)d * f, *other = cage->facets + (int64_t)d * g;
	const double *a = lm_cage_corner(cage, g, 0), *b = lm_cage_corner(cage, g, 1);
	for (int e = 0; e < (d == 3 ? 3 : 1); ++e)
	{
		int32_t p = corner[e], q = corner[(e + 1) % d];
		bool shared = false;
		for (int c = 0; c < d; ++c)
			shared = shared || other[c] == p || other[c] == q;
		if (shared)
			continue;
		const double *x = cage->positions + (int64_t)d * p, *y = cage->positions + (int64_t)d * q;
		if (d == 2 ? segments_cross(x, y, a, b) : segment_pierces(x, y, a, b, lm_cage_corner(cage, g, 2)))
			return true;
	}
	return false;
}

bool lm_cage_facet_crosses(const lm_cage* cage, int32_t facet, int32_t* other)
{
	for (int32_t g = 0; g < cage->facet_count; ++g)
		if (g != facet && !boxes_apart(cage, facet, g) &&
		    (facets_cross(cage, facet, g) || (cage->dimension == 3 && facets_cross(cage, g, facet))))
		{
			*other = g;
			return true;
		}
	return false;
}

lm_status lm_cage_check(const lm_cage* cage, lm_error* error)
{
	assert(cage != NULL);
	lm_status status = check_indices(cage, error);
	if (status == LM_OK && cage->facet_count == 0)
		status = lm_fail(error, LM_BAD_INPUT, "the cage has no facets; it has to enclose the body");
	if (status == LM_OK)
		status = check_closed(cage, error);
	if (status != LM_OK)
		return status;
	for (int32_t f = 0; f < cage->facet_count; ++f)
	{
		int32_t g;
		if (lm_cage_facet_crosses(cage, f, &g))
			return lm_fail(error, LM_BAD_INPUT,
			               "%s %d and %d of the cage cross each other; it may not intersect itself",
			               cage->dimension == 2 ? "edges" : "triangles", f < g ? f : g, f < g ? g : f);
	}
	double low[3], high[3], size = 0;
	lm_cage_bounds(cage, low, high);
	for (int k = 0; k < cage->dimension; ++k)
		size = fmax(size, high[k] - low[k]);
	if (!(fabs(lm_cage_volume(cage)) > 1e-12 * pow(size, cage->dimension)))
		return lm_fail(error, LM_BAD_INPUT, "the cage is flat: there is nothing inside it");
	return LM_OK;
}
