// winding.h: the generalised winding number of triangles about a point: how often the surface wraps around it. 1 inside
// a closed outward surface, 0 outside, 2 where two overlap, something between at holes.
//
// Exact: w(p) = 1/(4 pi) sum over triangles of their solid angles (A. Jacobson, L. Kavan, O. Sorkine-Hornung, Robust
// Inside-Outside Segmentation using Generalized Winding Numbers, 2013, eq. 5), each by A. Van Oosterom, J. Strackee,
// The Solid Angle of a Plane Triangle, 1983, eq. 8: tan(omega/2) = a.(b x c) / (abc + (a.b)c + (b.c)a + (c.a)b).
//
// Fast: groups of triangles that are far away for their size are replaced by the first two terms of their Taylor
// series (G. Barill et al., Fast Winding Numbers for Soups and Clouds, 2018, eq. 13-15): with r from p to the centre
// of the group, N = sum of area vectors, M = sum of (centroid - centre) (area vector)^T,
//   w ~ ( N.r / |r|^3 + ( tr M - 3 r.M r / |r|^2 ) / |r|^3 ) / (4 pi).
#ifndef LM_MESH_WINDING_H
#define LM_MESH_WINDING_H

#include "mesh/bvh.h"

typedef struct lm_winding_moment lm_winding_moment;

typedef struct lm_winding
{
	const lm_bvh* bvh;          // borrowed; over triangles
	lm_winding_moment* moments; // one per node
} lm_winding;

// Groups farther away than this many of their radii are approximated. The error falls with its square: about 0.02 at
// worst and 0.001 on average for 4 (a sphere of 100 000 triangles; 7 microseconds a point).
#define LM_WINDING_ACCURACY 4.0

lm_status lm_winding_create(const lm_bvh* bvh, lm_winding* result, lm_error* error);
void lm_winding_release(lm_winding* winding);

// accuracy: LM_WINDING_ACCURACY, larger for more, INFINITY for the exact sum. Always finite.
double lm_winding_number(const lm_winding* winding, lm_vec3 p, double accuracy);

#endif
