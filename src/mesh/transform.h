// transform.h: how the vertices of a file are turned, scaled and moved before anything else looks at them.
#ifndef LM_MESH_TRANSFORM_H
#define LM_MESH_TRANSFORM_H

#include "limber/mesh.h"

// x becomes factor turn x + shift.
typedef struct lm_transform
{
	bool used; // false: they stay as they are
	double factor, turn[3][3], shift[3];
} lm_transform;

void lm_transform_apply(const lm_transform* transform, double* positions, int64_t count);
void lm_transform_apply_mesh(const lm_transform* transform, lm_mesh* mesh); // which may be NULL

// After what it turns already: by a matrix; z, which is up in the file, becomes y; an axis of the file, y being up,
// becomes x.
void lm_transform_turn(lm_transform* transform, double by[3][3]);
void lm_transform_turn_up(lm_transform* transform);
void lm_transform_turn_forward(lm_transform* transform, int axis, int sign);

// Of the mesh when it is turned, but neither scaled nor moved yet.
void lm_transform_bounds(const lm_transform* transform, const lm_mesh* mesh, double low[3], double high[3]);

#endif
