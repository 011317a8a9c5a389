// corners.h: points of colliders that can enter a body between its vertices: corners and points of the sharp edges of
// boxes and meshes, and, with a radius, centres of balls and points along the core of capsules. In the plane z = 0:
// where sharp edges go through it.
#ifndef LM_CONTACT_CORNERS_H
#define LM_CONTACT_CORNERS_H

#include "contact/colliders.h"

typedef struct lm_corner
{
	lm_vec3 at;     // in the collider's frame
	lm_vec3 facing; // out of the collider there, unit; zero when there is no telling
	double radius;
} lm_corner;

// How many there are in 2 or 3 dimensions: the same at all times.
int32_t lm_collider_corner_count(const lm_collider* collider, int dimension);

// Number i of them, for the collider where it is now. False in 2 dimensions when it is not in the plane.
bool lm_collider_corner(const lm_collider* collider, int dimension, int32_t i, lm_corner* corner);

#endif
