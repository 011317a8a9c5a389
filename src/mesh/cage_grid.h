// cage_grid.h: a regular grid inside a cage, each of whose nodes has two arms along each axis, to the next node or to
// the cage, whichever comes first.
#ifndef LM_MESH_CAGE_GRID_H
#define LM_MESH_CAGE_GRID_H

#include "mesh/cage_facets.h"

typedef struct lm_cage_grid
{
	const lm_cage* cage; // borrowed
	double h;            // distance of nodes
	double origin[3];    // of place 0 0 0; the grid's middle is that of the cage's box
	int32_t n[3];        // places along each axis, those outside the cage too; 1 along z in 2D
	int64_t places;      // their product
	int32_t* node;       // [places] number of the node there, -1 outside of the cage
	int32_t node_count;
	int32_t* arms;       // [nodes x 2 dimension] x-, x+, y-, ...: another node, or ~index of an end on the cage
	double* lengths;     // [nodes x 2 dimension] of the arms, > 0
	lm_cage_point* ends; // on the cage
	size_t end_count;
	size_t end_capacity;
} lm_cage_grid;

// h is chosen so that about `nodes` nodes lie inside (fewer where the cage fills little of its box). The cage must have
// passed lm_cage_check.
lm_status lm_cage_grid_create(const lm_cage* cage, int32_t nodes, const lm_host* host, lm_cage_grid* grid,
                              lm_error* error);
void lm_cage_grid_release(lm_cage_grid* grid, const lm_host* host);

static inline double lm_cage_grid_x(const lm_cage_grid* grid, int axis, int32_t i)
{
	return grid->origin[axis] + grid->h * i;
}

static inline int64_t lm_cage_grid_stride(const lm_cage_grid* grid, int axis)
{
	return axis == 0 ? 1 : axis == 1 ? grid->n[0] : (int64_t)grid->n[0] * grid->n[1];
}

#endif
