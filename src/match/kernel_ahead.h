// kernel_ahead.h: x^ = x + theta h (v - rigid motion of the body), relative to the centre of the body.
#ifndef LM_MATCH_KERNEL_AHEAD_H
#define LM_MATCH_KERNEL_AHEAD_H

#include "match/kernel_vector.h"

// Coordinate k of a rigid motion at x, by its columns: spin x x + velocity.
LM_INLINE vf move_rigidly(const float columns[4][4], int k, const vf x[3])
{
	int i = (k + 1) % 3, j = (k + 2) % 3; // a spin has no diagonal
	return columns[i][k] * x[i] + (columns[j][k] * x[j] + columns[3][k]);
}

LM_INLINE void look_ahead(const lm_match_pass* pass, const vf x[3], const vf v[3], vf ahead[3])
{
	vf xc[3] = { x[0] - pass->centre[0], x[1] - pass->centre[1], x[2] - pass->centre[2] };
	for (int k = 0; k < 3; ++k)
		ahead[k] = xc[k] + (pass->ahead_v * v[k] + move_rigidly(pass->ahead, k, xc));
}

#endif
