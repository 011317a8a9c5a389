// cage_shapes.h: cages and bodies that the tests of cages are made on.
#ifndef LIMBER_TEST_CAGE_SHAPES_H
#define LIMBER_TEST_CAGE_SHAPES_H

#include "limber/mesh.h"

static inline lm_cage* cage_polygon(const lm_host* host, const double* points, int32_t count)
{
	lm_cage* cage = NULL;
	lm_error error = { 0 };
	if (lm_cage_create_polygon(points, count, host, &cage, &error) != LM_OK)
		fail_msg("%s", error.message);
	return cage;
}

// The twelve triangles of a box.
static inline lm_cage* cage_box(const lm_host* host, const double low[3], const double high[3])
{
	static const int32_t quads[6][4] = { { 0, 4, 6, 2 }, { 1, 3, 7, 5 }, { 0, 1, 5, 4 },
		                                 { 2, 6, 7, 3 }, { 0, 2, 3, 1 }, { 4, 5, 7, 6 } };
	lm_cage* cage = lm_cage_create(host, 3, 8, 12);
	for (int v = 0; v < 8 && cage != NULL; ++v)
		for (int k = 0; k < 3; ++k)
			cage->positions[3 * v + k] = v >> k & 1 ? high[k] : low[k];
	for (int f = 0; f < 12 && cage != NULL; ++f)
		for (int c = 0; c < 3; ++c)
			cage->facets[3 * f + c] = quads[f / 2][c == 0 ? 0 : c + f % 2];
	return cage;
}

// A surface as cage.
static inline lm_cage* cage_of_mesh(const lm_host* host, const lm_mesh* mesh)
{
	lm_cage* cage = lm_cage_create(host, 3, mesh->vertex_count, mesh->triangle_count);
	if (cage == NULL)
		return NULL;
	memcpy(cage->positions, mesh->positions, 3 * sizeof(double) * (size_t)mesh->vertex_count);
	memcpy(cage->facets, mesh->triangles, 3 * sizeof(int32_t) * (size_t)mesh->triangle_count);
	return cage;
}

// A prism over a polygon of the x-y plane (counter-clockwise), from z = 0 to z = depth, whose caps are fans around
// `centre`, an index of the polygon from which all of it can be seen.
static inline lm_cage* cage_prism(const lm_host* host, const double* points, int32_t count, int32_t centre,
                                  double depth)
{
	lm_cage* cage = lm_cage_create(host, 3, 2 * count, 4 * count - 4);
	if (cage == NULL)
		return NULL;
	int32_t* f = cage->facets;
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t j = (i + 1) % count;
		for (int s = 0; s < 2; ++s)
		{
			double* x = cage->positions + 3 * (size_t)(i + s * count);
			x[0] = points[2 * i], x[1] = points[2 * i + 1], x[2] = s * depth;
		}
		int32_t sides[6] = { i, j, j + count, i, j + count, i + count };
		memcpy(f, sides, sizeof sides);
		f += 6;
		if (i == centre || j == centre)
			continue;
		int32_t caps[6] = { centre, j, i, centre + count, i + count, j + count };
		memcpy(f, caps, sizeof caps);
		f += 6;
	}
	return cage;
}

#endif
