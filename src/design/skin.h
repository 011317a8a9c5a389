// skin.h: the fast surface: for each vertex up to `width` nodes with two weights each, one after another.
#ifndef LM_DESIGN_SKIN_H
#define LM_DESIGN_SKIN_H

#include "design/model.h"

// Weights of a node at a vertex: of its position, and of the normal (Eq. 9).
typedef struct lm_design_pair
{
	float phi, normal;
} lm_design_pair;

struct lm_design_skin
{
	int32_t width;  // of the widest vertex
	int32_t* start; // [vertex_count + 1]
	uint16_t* node;
	lm_design_pair* pair;
};

// Vertices begin .. end - 1. table: for each node x y z 0 x y z 0.
typedef void lm_design_skin_kernel(const lm_design_skin* skin, const float* table, int64_t begin, int64_t end,
                                   float* positions, float* normals);
lm_design_skin_kernel lm_design_skin_kernel_plain, lm_design_skin_kernel_avx2;

#endif
