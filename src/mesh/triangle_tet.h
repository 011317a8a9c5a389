// triangle_tet.h: does a triangle touch a solid tetrahedron? By separating axes: two convex bodies are apart exactly
// when their projections are apart along a face normal of one of them or along a cross product of two edges
// (S. Gottschalk, M. Lin, D. Manocha, OBBTree, 1996).
#ifndef LM_MESH_TRIANGLE_TET_H
#define LM_MESH_TRIANGLE_TET_H

#include "math/vec.h"

// Also true when they are apart by no more than slack; never false when they touch. Degenerate triangles are fine.
bool lm_triangle_touches_tet(const lm_vec3 triangle[3], const lm_vec3 tet[4], double slack);

#endif
