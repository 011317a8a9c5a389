// march.h: distances within the material (Sec. 4.2), by fast marching.
//
// Solves |grad d| = 1 from a point: J. Sethian, Level Set Methods and Fast Marching Methods, 1999; second order where
// the two voxels behind allow it. Voxels within three voxels of the point, and joined to it within that ball, start
// with the exact distance. Only the material is marched; a voxel of the band continues linearly from the voxel of the
// material that is nearest to it, so that a gap between two fingers is not a short cut.
#ifndef LM_DESIGN_MARCH_H
#define LM_DESIGN_MARCH_H

#include "design/grid.h"

typedef struct lm_design_march
{
	const lm_design_grid* grid;
	int32_t* heap;  // of slots
	int32_t* place; // [material] in the heap, or -1 (not yet), -2 (done)
	int32_t size;
	float* d; // distances being computed
} lm_design_march;

lm_status lm_design_march_create(const lm_design_grid* grid, lm_design_march* march, lm_error* error);
void lm_design_march_release(lm_design_march* march);

// d[count]: distance of every slot to the point, whose nearest material slot is `seed`.
void lm_design_march_from(lm_design_march* march, lm_vec3 point, int32_t seed, float* d);

// Lowers best[material] where the slot `seed` is nearer.
void lm_design_march_improve(lm_design_march* march, int32_t seed, float* best);

// labels[material]: which of the seeds is nearest; best: how far it is.
void lm_design_march_divide(lm_design_march* march, const int32_t* seeds, int32_t count, float* best, int32_t* labels);

#endif
