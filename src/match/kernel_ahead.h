// kernel_ahead.h: x^ = x + theta h (v - rigid motion of the body), relative to the centre of the body.
#ifndef LM_MATCH_KERNEL_AHEAD_H
#define LM_MATCH_KERNEL_AHEAD_H

#include "match/kernel_vector.h"

LM_INLINE void look_ahead(const lm_match_pass* pass, const vf x[3], const vf v[3], vf ahead[3])
{
	vf xc[3] = { x[0] - pass->centre[0], x[1] - pass->centre[1], x[2] - pass->centre[2] };
	for (int k = 0; k < 3; ++k)
		ahead[k] = xc[k] + (pass->ahead_v * v[k] + pass->ahead[0][k] * xc[0] + pass->ahead[1][k] * xc[1] +
		                    pass->ahead[2][k] * xc[2] + pass->ahead[3][k]);
}

#endif
