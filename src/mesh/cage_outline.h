// cage_outline.h: a polygon of few vertices around a body in the plane.
#ifndef LM_MESH_CAGE_OUTLINE_H
#define LM_MESH_CAGE_OUTLINE_H

#include "mesh/cage_body.h"

// The outline of voxels->filled (2D, in one piece), simplified to at most `vertices` vertices.
lm_status lm_cage_outline(const lm_cage_voxels* voxels, int32_t vertices, const lm_host* host, lm_cage** result,
                          lm_error* error);

#endif
