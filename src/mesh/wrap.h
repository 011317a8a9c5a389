// wrap.h: surfaces that are simulated by a lattice of tetrahedra around them.
#ifndef LM_MESH_WRAP_H
#define LM_MESH_WRAP_H

#include "limber/mesh.h"

// The vertex of the surface nearest to each vertex of the lattice around it, along the lattice.
lm_status lm_wrap_nearest(const lm_mesh* lattice, const lm_mesh* surface, const lm_host* host, int32_t* nearest,
                          lm_error* error);

// The pose of the lattice that goes with a pose of the surface; NULL when out of memory.
lm_mesh* lm_wrap_pose(const lm_mesh* lattice, const lm_mesh* surface, const lm_mesh* pose, const lm_host* host);

#endif
