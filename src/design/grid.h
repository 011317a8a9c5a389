// grid.h: the material of an object as voxels, and the distances within it.
//
// A voxel belongs to the material when the generalised winding number of the surface about its centre is beyond 0.55
// (a flat sheet reaches 1/2).
// Parts thinner than a voxel are kept by the voxels that their surface passes through; loose pieces are tied to the
// largest one by a line of voxels along the shortest way, so that every distance is finite. Around the material lies a
// band of LM_DESIGN_BAND voxels, so that smooth functions can be interpolated up to the surface and a little beyond.
#ifndef LM_DESIGN_GRID_H
#define LM_DESIGN_GRID_H

#include "limber/mesh.h"
#include "math/vec.h"

#define LM_DESIGN_BAND 3

typedef struct lm_design_grid
{
	lm_host host;
	lm_vec3 low; // centre of cell (0, 0, 0)
	double h;    // edge of a voxel
	int32_t n[3];
	int32_t* slot;      // [n0 n1 n2] place in the lists below, or -1
	int32_t count;      // material and band
	int32_t material;   // the first so many are the material
	int32_t* cell;      // [count]
	int32_t (*near)[6]; // [count] slots of the neighbours -x +x -y +y -z +z, or -1
	int32_t* nearest;   // [count] slot of the nearest material, to within a voxel; of material itself
} lm_design_grid;

// surface: triangles in coordinates in which it is about 1 long. voxels: how many the material shall have, about.
// LM_BAD_INPUT when there is no inside.
lm_status lm_design_grid_create(const lm_mesh* surface, int32_t voxels, const lm_host* host, lm_design_grid* grid,
                                lm_error* error);
void lm_design_grid_release(lm_design_grid* grid); // a zeroed one is fine

static inline lm_vec3 lm_design_grid_center(const lm_design_grid* grid, int32_t slot)
{
	int32_t cell = grid->cell[slot];
	int32_t x = cell % grid->n[0], y = cell / grid->n[0] % grid->n[1], z = cell / (grid->n[0] * grid->n[1]);
	return lm_v3(grid->low.x + grid->h * x, grid->low.y + grid->h * y, grid->low.z + grid->h * z);
}

// The slot whose voxel holds the point, or -1.
int32_t lm_design_grid_slot_at(const lm_design_grid* grid, lm_vec3 x);

// The slot of the material nearest to the point, searched within a few voxels; -1 when there is none.
int32_t lm_design_grid_nearest_material(const lm_design_grid* grid, lm_vec3 x);

#endif
