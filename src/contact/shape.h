// shape.h: the shapes of colliders in their own frame: signed distance with outward normal, and where a path enters.
#ifndef LM_CONTACT_SHAPE_H
#define LM_CONTACT_SHAPE_H

#include "contact/surface.h"
#include "limber/contact.h"
#include "math/vec.h"

typedef struct lm_solid
{
	lm_shape shape;
	double radius, half_length;
	lm_vec3 half;
	lm_contact_surface* surface; // LM_SHAPE_MESH
} lm_solid;

typedef struct lm_solid_distance
{
	bool found;      // false: farther than the reach
	double distance; // negative inside; of a sheet never negative
	lm_vec3 normal;  // unit, the direction in which distance grows; of a sheet towards the side of the point
} lm_solid_distance;

// Defined everywhere, also on the surface, at centres and on medial axes (where one of the nearest directions counts).
lm_solid_distance lm_solid_query(const lm_solid* solid, lm_vec3 point, double reach);

// A box that holds the solid. Planes have none: they reach to infinity.
void lm_solid_bounds(const lm_solid* solid, lm_vec3* low, lm_vec3* high);

typedef struct lm_solid_entry
{
	bool found;
	double fraction; // of the way, 0 .. 1
	lm_vec3 normal;  // out of the solid, against the way
} lm_solid_entry;

// The first point where the way from `from`, which is outside, to `to` goes through the surface.
lm_solid_entry lm_solid_enter(const lm_solid* solid, lm_vec3 from, lm_vec3 to);

// Of its surface next to the point, in its own frame: that of one that deforms.
static inline lm_vec3 lm_solid_speed(const lm_solid* solid, lm_vec3 point)
{
	return solid->shape == LM_SHAPE_MESH ? lm_contact_surface_speed(solid->surface, point) : lm_v3(0, 0, 0);
}

// Open meshes have two sides and no inside.
static inline bool lm_solid_is_sheet(const lm_solid* solid)
{
	return solid->shape == LM_SHAPE_MESH && !lm_contact_surface_closed(solid->surface);
}

#endif
