// plate.h: what bodies in the plane look like in space: solids as plates, curves as ribbons.
#ifndef LM_WORLD_PLATE_H
#define LM_WORLD_PLATE_H

#include "limber/mesh.h"

// Front (vertices 0 .. n-1), back (n .. 2n-1) and rim of flat triangles. Positions are those of lm_plate_move.
lm_status lm_plate_create(const lm_mesh* flat, double thickness, const lm_host* host, lm_mesh** plate, lm_error* error);
// positions: 2 n x 3, from n x 3 points in the plane.
void lm_plate_move(const double* points, int32_t count, double thickness, double* positions);

// A tube with a flat cross-section around the smooth curve through the vertices of a polygon.
typedef struct lm_ribbon lm_ribbon;
lm_status lm_ribbon_create(const lm_mesh* curve, double width, const lm_host* host, lm_ribbon** ribbon, lm_mesh** mesh,
                           lm_error* error);
void lm_ribbon_destroy(lm_ribbon* ribbon);
// positions of the mesh, from the curve's vertices.
void lm_ribbon_move(const lm_ribbon* ribbon, const double* points, double* positions);
// Three numbers at each of the curve's vertices, carried to those of the mesh.
void lm_ribbon_carry(const lm_ribbon* ribbon, const double* values, double* shown);
// Back again, one number each: the largest around each vertex.
void lm_ribbon_gather(const double* shown, int32_t vertex_count, double* values);

#endif
