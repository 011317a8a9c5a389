// cage_body.h: a body for making cages: sample points that the cage has to keep away from, and a voxel grid of the
// body's bounding box (with the margin).
#ifndef LM_MESH_CAGE_BODY_H
#define LM_MESH_CAGE_BODY_H

#include "limber/mesh.h"

typedef struct lm_cage_voxels
{
	int dimension;
	double margin;    // length
	double low[3];    // of the box around body and margin
	double step[3];   // sides of a fine cell; 1 along z in 2D
	int32_t n[3];     // fine cells along each axis, even; 1 along z in 2D
	uint8_t* filled;  // [cells] 1: within the margin of the body, or enclosed
	bool mirrored[3]; // is `filled` its own mirror image along the axis?
	double* samples;  // sample_count x dimension: the vertices, and points of the elements about a margin apart
	size_t sample_count, sample_capacity; // capacity in numbers
} lm_cage_voxels;

// LM_BAD_INPUT: nothing to enclose, coordinates that are no numbers, indices out of range, settings out of range.
lm_status lm_cage_voxels_create(const lm_cage_body* body, double margin, const lm_host* host, lm_cage_voxels* voxels,
                                lm_error* error);
void lm_cage_voxels_release(lm_cage_voxels* voxels, const lm_host* host);

static inline int64_t lm_cage_voxels_cells(const lm_cage_voxels* voxels)
{
	return (int64_t)voxels->n[0] * voxels->n[1] * voxels->n[2];
}

// Fills every empty cell of n[0] x n[1] x n[2] that cannot be reached from outside. stack: room for all cells.
void lm_cage_fill_cavities(int dimension, const int32_t n[3], uint8_t* filled, int64_t* stack);

#endif
