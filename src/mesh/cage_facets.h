// cage_facets.h: where lines along the axes cross a cage, and the cage's own piecewise linear coordinates there.
//
// A facet is cut by one plane after another, q[k] = const, down to a point; and no rounding can open a gap:
// a corner lies above a plane or not (half-open), and the point where the plane cuts an edge is computed from the
// edge's corners in ascending order, so that all facets around it see the same number. A line therefore crosses a
// closed cage an even number of times, whatever the rounding and whatever it runs through.
#ifndef LM_MESH_CAGE_FACETS_H
#define LM_MESH_CAGE_FACETS_H

#include "limber/mesh.h"

// A point of a facet.
typedef struct lm_cage_point
{
	int32_t facet;
	double weights[3]; // of the facet's corners; >= 0, sum 1
} lm_cage_point;

// Does the line along `axis` through q cross the facet? at: coordinate along the axis.
bool lm_cage_crossing(const lm_cage* cage, int32_t facet, int axis, const double* q, double* at, lm_cage_point* point);

// Is q inside, by the number of facets met in the direction of an axis?
bool lm_cage_contains(const lm_cage* cage, const double* q);

// The point of the cage closest to q; returns the distance.
double lm_cage_closest(const lm_cage* cage, const double* q, lm_cage_point* point);

// row[j] += scale h_j of the point.
void lm_cage_add_point(const lm_cage* cage, const lm_cage_point* point, double scale, double* row);

// Does any other facet cross this one? Touching is no crossing; neighbours may share corners.
bool lm_cage_facet_crosses(const lm_cage* cage, int32_t facet, int32_t* other);

void lm_cage_bounds(const lm_cage* cage, double low[3], double high[3]);

// Area or volume enclosed: negative when the cage faces inwards.
double lm_cage_volume(const lm_cage* cage);

static inline const double* lm_cage_corner(const lm_cage* cage, int32_t facet, int corner)
{
	int d = cage->dimension;
	return cage->positions + (int64_t)d * cage->facets[(int64_t)d * facet + corner];
}

#endif
