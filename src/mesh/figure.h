// figure.h: what can be told of a figure from its inside: on what feet it stands, where its legs part, and where it
// faces. y is up; heights are shares of the height of the box around the surface, whose lowest layer is layer 0.
#ifndef LM_MESH_FIGURE_H
#define LM_MESH_FIGURE_H

#include "mesh/voxels.h"

#define LM_FIGURE_FEET_MAX 4

typedef struct lm_figure
{
	int32_t foot_count; // 2: left, right; 4: left hind, left fore, right hind, right fore; 0: it stands on a base
	double crotch;      // m above the ground: up to here its legs are apart; 0 on a base
	uint8_t* leg;       // of each cube: 1 .. foot_count by the foot that is nearest through the body, or
						// foot_count + 1 by a tail on the ground; 0: none
} lm_figure;

// height: of the surface. The figure faces along x, and left is z < middle. leg is allocated with the voxels' host.
lm_status lm_figure_find_feet(const lm_voxels* voxels, double height, double middle, lm_figure* result,
                              lm_error* error);
void lm_figure_release(lm_figure* figure, const lm_host* host);

#endif
