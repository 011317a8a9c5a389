// voxels.h: the inside of a surface as small cubes, and its connected pieces.
#ifndef LM_MESH_VOXELS_H
#define LM_MESH_VOXELS_H

#include "mesh/lattice_grid.h"

// A regular grid of cubes. Cube (i, j, k) is number i + n[0] (j + n[1] k).
typedef struct lm_voxels
{
	lm_host host;
	double h;        // edge of a cube
	lm_vec3 origin;  // lowest corner of the first
	int32_t n[3];    // along x, y and z
	int64_t count;   // their product
	uint8_t* inside; // 1 where the centre is inside
} lm_voxels;

#define LM_VOXELS_MOST 2000000

// The cubes whose centres are inside the surface, by winding number. n, h and origin of `result` are set by the caller.
lm_status lm_voxels_create(const lm_lattice_surface* surface, const lm_host* host, lm_voxels* result, lm_error* error);
// The same, looked up in another grid instead: what lies between its cubes is that of the nearest.
lm_status lm_voxels_resample(const lm_voxels* from, const lm_host* host, lm_voxels* result, lm_error* error);
void lm_voxels_release(lm_voxels* voxels);

// Joins pieces to the largest one by the shortest ways through the outside, one cube wide, so that all is connected.
lm_status lm_voxels_join(lm_voxels* voxels, lm_error* error);

static inline lm_vec3 lm_voxel_center(const lm_voxels* v, int64_t cube)
{
	double x = (double)(cube % v->n[0]), y = (double)(cube / v->n[0] % v->n[1]),
		   z = (double)(cube / ((int64_t)v->n[0] * v->n[1]));
	return lm_add_scaled(v->origin, v->h, lm_v3(x + 0.5, y + 0.5, z + 0.5));
}

static inline int64_t lm_voxel_at(const int32_t n[3], int32_t i, int32_t j, int32_t k)
{
	return i + (int64_t)n[0] * (j + (int64_t)n[1] * k);
}

// Cubes that share a face with this one; returns how many.
int lm_voxel_neighbours(const int32_t n[3], int64_t cube, int64_t neighbours[6]);

// Numbers the pieces of a mask, n[0] x n[1] x n[2], from 1; 0 where the mask is 0. flat: cubes of a layer (n[1] = 1)
// that share only an edge are connected, too. label, stack: room for the whole mask. Returns how many pieces there are.
int32_t lm_voxels_label(const int32_t n[3], const uint8_t* mask, bool flat, int32_t* label, int64_t* stack);

#endif
