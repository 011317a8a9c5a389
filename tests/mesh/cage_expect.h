// cage_expect.h: what every cage made around a body has to be.
#ifndef LIMBER_TEST_CAGE_EXPECT_H
#define LIMBER_TEST_CAGE_EXPECT_H

#include "mesh/cage_bodies.h"
#include "mesh/cage_facets.h"

static inline lm_cage* cage_around(const body_shape* shape, int vertices)
{
	lm_host host = lm_host_default();
	lm_cage_settings settings = lm_cage_settings_default();
	lm_error error = { 0 };
	settings.vertices = vertices;
	lm_cage* cage = NULL;
	if (lm_cage_create_around(&shape->body, &settings, &host, &cage, &error) != LM_OK)
		fail_msg("%s, %d: %s", shape->name, vertices, error.message);
	return cage;
}

static inline double longest_side(const lm_cage_body* body)
{
	double longest = 0;
	for (int k = 0; k < body->dimension; ++k)
	{
		double low = INFINITY, high = -INFINITY;
		for (int v = 0; v < body->vertex_count; ++v)
		{
			low = fmin(low, body->positions[body->dimension * v + k]);
			high = fmax(high, body->positions[body->dimension * v + k]);
		}
		longest = fmax(longest, high - low);
	}
	return longest;
}

// In the budget, fit to use, facing outwards, and all of the body inside and not closer than part of the margin.
static inline void expect_good(const body_shape* shape, const lm_cage* cage, int vertices)
{
	const lm_cage_body* body = &shape->body;
	lm_error error = { 0 };
	double margin = 0.05 * longest_side(body);
	if (cage->vertex_count > vertices || lm_cage_check(cage, &error) != LM_OK)
		fail_msg("%s, %d: %d vertices, %s", shape->name, vertices, cage->vertex_count, error.message);
	assert_true(lm_cage_volume(cage) > 0);
	for (int e = -body->vertex_count; e < body->element_count; ++e)
	{
		double q[3] = { 0 };
		lm_cage_point point;
		for (int k = 0; k < body->dimension; ++k) // vertices, then the middles of elements
			if (e < 0)
				q[k] = body->positions[body->dimension * (e + body->vertex_count) + k];
			else
				for (int c = 0; c < body->corners; ++c)
					q[k] +=
						body->positions[body->dimension * body->elements[body->corners * e + c] + k] / body->corners;
		if (!lm_cage_contains(cage, q) || lm_cage_closest(cage, q, &point) < (e < 0 ? 0.95 : 0.4) * margin)
			fail_msg("%s, %d: point %d is outside or too close", shape->name, vertices, e);
	}
}

// Every vertex has its mirror image along the axis.
static inline void expect_mirrored(const body_shape* shape, const lm_cage* cage, int axis)
{
	int d = cage->dimension;
	double low[3], high[3];
	lm_cage_bounds(cage, low, high);
	for (int v = 0; v < cage->vertex_count; ++v)
	{
		double best = INFINITY;
		for (int w = 0; w < cage->vertex_count; ++w)
		{
			double off = 0;
			for (int k = 0; k < d; ++k)
			{
				double x = cage->positions[d * v + k];
				off = fmax(off, fabs(cage->positions[d * w + k] - (k == axis ? low[k] + high[k] - x : x)));
			}
			best = fmin(best, off);
		}
		if (!(best < 1e-6))
			fail_msg("%s, %d vertices: vertex %d has no mirror image", shape->name, cage->vertex_count, v);
	}
}

static inline void try_budgets(int step)
{
	for (int i = 0; i < body_shape_count; ++i)
	{
		body_shape shape = body_shape_at(i);
		int least = shape.body.dimension == 2 ? 4 : 8;
		for (int vertices = least; vertices <= 60; vertices += step)
		{
			lm_cage* cage = cage_around(&shape, vertices);
			expect_good(&shape, cage, vertices);
			// all bodies but the spiral are symmetric along x, the C along y
			if (strcmp(shape.name, "curve") != 0 && shape.body.dimension == 3)
				expect_mirrored(&shape, cage, 0);
			lm_cage_destroy(cage);
		}
		body_free(&shape);
	}
}

#endif
