// features.h: smooth pieces of the surfaces of colliders. For one step a point meets a plane, a point or a line with a
// radius, and nothing else, so that the distance d is smooth for Newton's method.
//
//   plane:  d(p) = a . (p - o)                                     a: unit normal
//   point:  d(p) = rho - radius,  rho = sqrt(|p - o|^2 + core^2)
//   line:   the same with p - o less its part along the unit axis a
//
// With Q = I (point) or I - a a^T (line), e = Q (p - o) / rho:  grad d = e,  Hess d = H = (Q - e e^T) / rho, and
//   Hess (lambda . grad d) = -(H (e . lambda) + e (H lambda)^T + (H lambda) e^T) / rho.
// The core, far smaller than any contact, keeps all of it finite on the axis; |grad d| is 1 but for (core / rho)^2 / 2.
//
// Convex pieces are met as they are: balls, capsules, boxes with their edges rounded, convex edges and corners of
// meshes. A concave spot of a mesh is several planes, each of them a feature. Sheets have two sides; a point keeps the
// side it came from. What goes through something thin in one step meets the plane where it went in.
#ifndef LM_CONTACT_FEATURES_H
#define LM_CONTACT_FEATURES_H

#include "contact/colliders.h"

typedef enum lm_feature_kind
{
	LM_FEATURE_PLANE,
	LM_FEATURE_POINT,
	LM_FEATURE_LINE
} lm_feature_kind;

typedef struct lm_feature
{
	lm_feature_kind kind;
	int32_t collider; // -1: of another body
	int32_t id;       // names the piece among those of its collider
	int32_t side;     // sheets: +1 or -1, on which side of the triangles the point belongs; else 0
	double radius, core;
	lm_vec3 origin; // world
	lm_vec3 axis;   // world, unit: normal of a plane, direction of a line
} lm_feature;

// Distance at p; gradient and hessian may be NULL. Finite for every finite p.
double lm_feature_distance(const lm_feature* feature, lm_vec3 p, lm_vec3* gradient, lm_mat3* hessian);

// Hess (lambda . grad d) at p: zero for planes.
lm_mat3 lm_feature_third(const lm_feature* feature, lm_vec3 p, lm_vec3 lambda);

// Unit normal at p, also where the gradient vanishes.
lm_vec3 lm_feature_normal(const lm_feature* feature, lm_vec3 p);

// Whether a solution found with one feature stands when the other was found at the solution: the same piece, or planes
// that differ by less than a degree and a tenth of `length` near p.
bool lm_feature_same(const lm_feature* a, const lm_feature* b, lm_vec3 p, double length);

// On which side of a sheet a point was last, and how far it had been pressed through, >= 0.
typedef struct lm_feature_side
{
	int32_t collider, side;
	double depth;
} lm_feature_side;

typedef struct lm_feature_query
{
	lm_vec3 point;              // world, where the point will be at the end of the step
	const lm_vec3* start;       // world, where it was at its start; NULL: unknown
	const lm_placement* before; // where each collider was at the start; NULL: where it is now
	double reach;               // features at this distance or farther do not count
	double rounding;            // radius that edges of boxes get
	int32_t side_count;         // sheets that the point has touched, in any order
	const lm_feature_side* sides;
} lm_feature_query;

#define LM_FEATURES_PER_COLLIDER 3

// The features of collider i, at most LM_FEATURES_PER_COLLIDER of them; returns how many.
int32_t lm_collider_features(const lm_colliders* colliders, int32_t i, const lm_feature_query* query,
                             lm_feature* features);

// The features near the point, by colliders, each's nearest first; returns how many (at most `most`). Colliders are
// where they are at the time last set: the end of the step.
int32_t lm_colliders_features(const lm_colliders* colliders, const lm_feature_query* query, int32_t most,
                              lm_feature* features);

// The section of a feature with the plane z = 0, for bodies that live there; p lies in it. Planes, points and lines
// along or across z stay exact; others become the tangent plane nearest to p. False when the surface lies
// flat in the plane, so that there is nothing to be met.
bool lm_feature_flatten(const lm_feature* feature, lm_vec3 p, lm_feature* flat);

// ---- for features.c only: the nearest features of one solid in its own frame

typedef struct lm_local_query
{
	lm_vec3 point;
	const lm_vec3* start; // NULL: unknown
	double reach, rounding;
	int32_t side;      // of a sheet; 0: unknown
	double side_depth; // how far behind it the point may be
} lm_local_query;

// At most LM_FEATURES_PER_COLLIDER.
int32_t lm_contact_surface_features(const lm_contact_surface* surface, const lm_local_query* query,
                                    lm_feature* features);

#endif
