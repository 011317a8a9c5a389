// intersect.h: do triangles of a mesh intersect? Decided exactly (math/predicates.h): the answer is that for the
// doubles as they are, without tolerance. Touching counts.
#ifndef LM_MESH_INTERSECT_H
#define LM_MESH_INTERSECT_H

#include "limber/base.h"
#include "mesh/bvh.h"

// Two triangles without a common vertex.
bool lm_triangles_intersect(const lm_vec3 a[3], const lm_vec3 b[3]);

// Two triangles of a mesh. What neighbours share by sharing vertices does not count; that they fold onto each other
// does.
bool lm_mesh_triangles_intersect(const double* positions, const int32_t a[3], const int32_t b[3]);

// A pair of triangles, first < second, or of two meshes in their order.
typedef struct lm_triangle_pair
{
	int32_t first, second;
} lm_triangle_pair;

// Counts the pairs of triangles of the tree (refitted to the positions) that intersect. The first `capacity` of them,
// in ascending order, go to pairs, which may be NULL.
int64_t lm_mesh_count_intersections(const lm_bvh* tree, lm_triangle_pair* pairs, int64_t capacity);
// The same for the triangles of one tree with those of another.
int64_t lm_meshes_count_intersections(const lm_bvh* one, const lm_bvh* two, lm_triangle_pair* pairs, int64_t capacity);

#endif
