// kernel_weights.h: the weights of every region on its own (LM_MATCH_EACH), for one and two examples in closed form: w
// >= 0, w_1 + w_2 <= 1 minimises w^T G w / 2 - b^T w with the strengths s_k in G and b (project.c). `dots` holds b
// without them.
#ifndef LM_MATCH_KERNEL_WEIGHTS_H
#define LM_MATCH_KERNEL_WEIGHTS_H

#include "match/kernel_vector.h"

// b / g in [0, 1]; 0 where g is 0.
LM_INLINE vf ratio(vf b, vf g)
{
	vf quotient = b / vmax(g, all(1e-20f));
	return vmin(vmax(quotient, all(0)), all(1));
}

// w^T G w / 2 - b^T w
LM_INLINE vf badness(vf w1, vf w2, vf g11, vf g12, vf g22, vf b1, vf b2)
{
	return w1 * (0.5f * g11 * w1 + g12 * w2 - b1) + w2 * (0.5f * g22 * w2 - b2);
}

LM_INLINE void closest_of_triangle(vf g11, vf g12, vf g22, vf b1, vf b2, vf* w1, vf* w2)
{
	// The three edges, each clamped, and the inside where the solution of G w = b lies in it.
	vf a = ratio(b1, g11), b = ratio(b2, g22), c = ratio(b1 - b2 + g22 - g12, g11 + g22 - 2 * g12);
	*w1 = a, *w2 = all(0);
	vf best = badness(a, all(0), g11, g12, g22, b1, b2);
	vf candidate = badness(all(0), b, g11, g12, g22, b1, b2);
	vi better = candidate < best;
	*w1 = choose(better, all(0), *w1), *w2 = choose(better, b, *w2), best = choose(better, candidate, best);
	candidate = badness(c, 1 - c, g11, g12, g22, b1, b2);
	better = candidate < best;
	*w1 = choose(better, c, *w1), *w2 = choose(better, 1 - c, *w2);
	vf det = g11 * g22 - g12 * g12;
	vi regular = det > 1e-5f * g11 * g22;
	vf inverse = 1 / choose(regular, det, all(1));
	vf i1 = (g22 * b1 - g12 * b2) * inverse, i2 = (g11 * b2 - g12 * b1) * inverse;
	vi inside = regular & (i1 > 0) & (i2 > 0) & (i1 + i2 < 1);
	*w1 = choose(inside, i1, *w1), *w2 = choose(inside, i2, *w2);
}

static void weights_each(lm_match* body, int64_t begin, int64_t end)
{
	int n = body->example_count;
	float s1 = (float)body->strengths[0], s2 = (float)body->strengths[n - 1], beta = (float)body->settings.beta;
	for (int64_t first = begin; first < end; first += LM_LANES)
		for (int lane = 0; lane < LM_LANES; lane += LM_W)
		{
			int64_t at = lm_match_block_of(first) * n * LM_LANES + lane;
			const float* gram = body->region_gram + lm_match_block_of(first) * (n * (n + 1) / 2) * LM_LANES;
			vf b1 = s1 * load(body->dots + at), g11 = s1 * s1 * field(gram, 0, lane);
			if (n == 1)
			{
				vf w = ratio(b1, g11);
				store(body->region_weights + at, w);
				store(body->blend + at, beta * s1 * w);
				continue;
			}
			vf b2 = s2 * load(body->dots + at + LM_LANES), w1, w2;
			closest_of_triangle(g11, s1 * s2 * field(gram, 1, lane), s2 * s2 * field(gram, 2, lane), b1, b2, &w1, &w2);
			store(body->region_weights + at, w1);
			store(body->region_weights + at + LM_LANES, w2);
			store(body->blend + at, beta * s1 * w1);
			store(body->blend + at + LM_LANES, beta * s2 * w2);
		}
}

#endif
