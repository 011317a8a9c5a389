// closest.h: closest points of segments, triangles and tetrahedra, and barycentric coordinates.
//
// The regions of a triangle follow C. Ericson, Real-Time Collision Detection (2005), 5.1.5. Departure: thin
// triangles are also tried as their three edges, flat ones only so: every input gives finite weights that are not
// negative and sum to one.
#ifndef LM_MESH_CLOSEST_H
#define LM_MESH_CLOSEST_H

#include "math/vec.h"

typedef struct lm_closest
{
	lm_vec3 point;
	double weights[3]; // of the corners; >= 0, sum 1
	double distance2;  // squared distance from the query to point
} lm_closest;

// The parameter in [0, 1] of the point of a..b closest to p; 0 when a and b coincide.
static inline double lm_closest_on_segment(lm_vec3 p, lm_vec3 a, lm_vec3 b)
{
	lm_vec3 ab = lm_sub(b, a);
	double along = lm_dot(lm_sub(p, a), ab), length2 = lm_dot(ab, ab);
	if (along <= 0 || length2 <= 0)
		return 0;
	return along < length2 ? along / length2 : 1;
}

lm_closest lm_closest_on_triangle(lm_vec3 p, lm_vec3 a, lm_vec3 b, lm_vec3 c);

// Weights with sum w = 1 and sum w x = p, from the edges at a corner, p from there, n = ac x ad and volume = ab . n.
static inline bool lm_tet_weights(lm_vec3 ab, lm_vec3 ac, lm_vec3 ad, lm_vec3 ap, lm_vec3 n, double volume,
                                  double weights[4])
{
	double s = 1 / volume;
	weights[1] = s * lm_dot(ap, n);
	weights[2] = s * lm_dot(ap, lm_cross(ad, ab));
	weights[3] = s * lm_dot(ap, lm_cross(ab, ac));
	weights[0] = 1 - weights[1] - weights[2] - weights[3];
	return isfinite(weights[0]);
}

// The same of corners. False, weights untouched, when the tetrahedron is flat to rounding.
static inline bool lm_tet_barycentrics(lm_vec3 p, lm_vec3 a, lm_vec3 b, lm_vec3 c, lm_vec3 d, double weights[4])
{
	lm_vec3 ab = lm_sub(b, a), ac = lm_sub(c, a), ad = lm_sub(d, a), ap = lm_sub(p, a);
	lm_vec3 n = lm_cross(ac, ad);
	double volume = lm_dot(ab, n), size2 = lm_dot(ab, ab) * lm_dot(n, n);
	if (!(volume * volume > 1e-26 * size2)) // |volume| = |ab| |n| |cos|: flat when ab lies in the plane of a c d
		return false;
	return lm_tet_weights(ab, ac, ad, ap, n, volume, weights);
}

// Squared distance from p to the solid tetrahedron; 0 inside. weights (>= 0, sum 1): of the closest point.
double lm_closest_on_tet(lm_vec3 p, const lm_vec3 corners[4], double weights[4]);

#endif
