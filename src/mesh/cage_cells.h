// cage_cells.h: a few planes across a body's box cut it into coarse cells; those that the body reaches into make up a
// cage.
//
// Where the planes go: they make
//   E = V^tightness sum over the cage's cells of volume (s_x^2 + s_y^2 + s_z^2),   s: a cell's sides, V: of all cells,
// small with no more than the given number of vertices. That wants cells that are small, and cubes rather than plates,
// and, the more the larger tightness is, few of them that hold nothing.
#ifndef LM_MESH_CAGE_CELLS_H
#define LM_MESH_CAGE_CELLS_H

#include "mesh/cage_body.h"

enum
{
	LM_CAGE_MOST_PLANES = 52
};

typedef struct lm_cage_planes
{
	int32_t n[3];                       // cells along each axis
	uint8_t at[3][LM_CAGE_MOST_PLANES]; // n + 1 planes, ascending, in fine cells
} lm_cage_planes;

typedef struct lm_cage_cells
{
	lm_cage_planes planes;
	uint8_t* filled;  // [n0 x n1 x n2]; no cavities; the surface between filled and not is manifold
	int32_t vertices; // of that surface
	double energy;
} lm_cage_cells;

// In 3D.
lm_status lm_cage_cells_create(const lm_cage_voxels* voxels, int32_t vertices, double tightness, const lm_host* host,
                               lm_cage_cells* cells, lm_error* error);
void lm_cage_cells_release(lm_cage_cells* cells, const lm_host* host);

// Which of the eight cells around a corner of the lattice (p in 0 .. n) are filled: bit by bit, x lowest.
int lm_cage_cells_around(const lm_cage_planes* planes, const uint8_t* filled, const int32_t p[3]);

#endif
