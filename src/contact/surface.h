// surface.h: a triangle mesh as the boundary of a solid, or as a sheet with two sides when it is not closed.
#ifndef LM_CONTACT_SURFACE_H
#define LM_CONTACT_SURFACE_H

#include "limber/mesh.h"
#include "math/vec.h"

typedef struct lm_surface lm_surface;

// The mesh has been checked and has triangles; it is copied. NULL when out of memory.
lm_surface* lm_surface_create(const lm_mesh* mesh, const lm_host* host);
void lm_surface_destroy(lm_surface* surface);

// Whether every edge is shared by its triangles in opposite directions equally often, so that there is an inside.
bool lm_surface_closed(const lm_surface* surface);

// The least distance at which a sheet can keep its sides apart: a ten-thousandth of its size.
double lm_surface_skin(const lm_surface* surface);

void lm_surface_bounds(const lm_surface* surface, lm_vec3* low, lm_vec3* high);

// Distance (negative inside a closed surface) and the unit direction in which it grows; false when the surface is
// farther than `reach`, unless the point is inside.
bool lm_surface_query(const lm_surface* surface, lm_vec3 point, double reach, double* distance, lm_vec3* normal);

// The first crossing on the way; the normal points against the way. Closed surfaces count only crossings inwards.
bool lm_surface_enter(const lm_surface* surface, lm_vec3 from, lm_vec3 to, double* fraction, lm_vec3* normal);

#endif
