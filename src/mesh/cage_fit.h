// cage_fit.h: shrinks a cage of cells towards its body.
#ifndef LM_MESH_CAGE_FIT_H
#define LM_MESH_CAGE_FIT_H

#include "mesh/cage_body.h"

// A cage whose vertices are corners of a lattice.
typedef struct lm_cage_lattice
{
	lm_cage* cage;
	int32_t n[3];     // cells along each axis
	int32_t* corners; // vertex_count x 3: the corner of the lattice that each vertex is
	int32_t* index;   // [(n0 + 1) (n1 + 1) (n2 + 1)] vertex at each corner, or -1
} lm_cage_lattice;

static inline int64_t lm_cage_lattice_place(const lm_cage_lattice* lattice, const int32_t p[3])
{
	return p[0] + (lattice->n[0] + 1) * (p[1] + (int64_t)(lattice->n[1] + 1) * p[2]);
}

// Makes the cage smaller; every facet stays about a margin away from the samples, faces about the way it did and
// crosses no other. Mirror images move alike.
lm_status lm_cage_fit(const lm_cage_voxels* voxels, const lm_cage_lattice* lattice, const lm_host* host,
                      lm_error* error);

#endif
