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
	// Of each cube: 1 .. foot_count by the foot that is nearest through the body, or foot_count + 1 by a tail on the
	// ground; 0: none. On several legs that are no feet, such as six: 1 .. by the leg.
	uint8_t* leg;
} lm_figure;

// What a figure is looked for in: its surface, and its inside, which faces along x; z of the voxels is the axis
// `across` (0 or 2) of the surface.
typedef struct lm_figure_view
{
	const lm_mesh* surface;
	const lm_voxels* voxels;
	int across;
	double height, middle; // of the surface; left is z < middle, if feet are found so (else about other middles)
} lm_figure_view;

// leg is allocated with the voxels' host.
lm_status lm_figure_find_feet(const lm_figure_view* view, lm_figure* result, lm_error* error);

// figure_apart.c: how many of the lowest layers go on across the middle and have walls of the surface there, all
// through: those of legs that touch. room: of the size of the voxels.
int32_t lm_figure_walled_layers(const lm_mesh* surface, int across, const lm_voxels* voxels, double height,
                                double middle, uint8_t* room);
void lm_figure_release(lm_figure* figure, const lm_host* host);

#endif
