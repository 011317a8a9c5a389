// kernel_strains.h: from the moments of regions to their rotations, and to their terms of the projection.
//
//   P = M + sum_k w_k N_k,   N_k = dP / dw_k: M L_k, or where examples are poses that of kernel_poses.h
//   R = argmax tr(R^T P)     the best rotation for the shape that is matched, with the weights of the last step
//   b_k = R : N_k - (its value at rest)                                           (project.c)
//   dR / dw_k = R [H^-1 g_k],  g_k the axial vector of R^T N_k                    (kernel_rotation.h)
//
// The new weights are known only when the terms of all regions have been summed. The rotations then follow the weights
// by their derivative: weights change little in a step (where they do not, step.c iterates), and M and N_k need not be
// kept. So regions do not turn here: the turns are stored, and kernel_maps.h applies them once the weights are known.
//
// Departures from the paper: the norm of Eq. 6 (project.c), and the rotation of Eq. 3 is the best one for the shape
// that is matched, not that of A_r. Only then is the sum of m~ x_i x g_i zero in each region (angular momentum) and the
// pull the gradient of sum m~ |g_ri - x_i|^2 / 2 for given S~ (no energy is created). Both agree where S~ = S.
#ifndef LM_MATCH_KERNEL_STRAINS_H
#define LM_MATCH_KERNEL_STRAINS_H

#include "match/kernel_poses.h"
#include "match/kernel_rotation.h"

LM_INLINE sym_v example_of(const lm_match* body, int64_t b, int64_t k, int lane)
{
	return symmetric_field(body->examples + (b * body->example_count + k) * 6 * LM_LANES, 0, lane);
}

// Moments of LM_W regions in the frame of their rotations R: A = R^T M, K_k = R^T N_k and B = R^T P.
typedef struct local_moments
{
	mat_v A, B, K[LM_EXAMPLES];
} local_moments;

// R^T N_k; where examples are stretches that is A L_k.
LM_INLINE mat_v see_change(const lm_match* body, int64_t k, int64_t first, const chunk_sums* sums, const mat_v* R,
                           const mat_v* A)
{
	if (body->poses != NULL)
	{
		mat_v N = load_matrix(sums->moved[k] + sum_place(sums, first));
		return turn_back(R, &N);
	}
	sym_v L = example_of(body, lm_match_block_of(first), k, lm_match_lane_of(first));
	return times_symmetric(A, &L);
}

// Entry by entry: GCC copies whole matrices of vectors through memory, which is slower than everything else here.
LM_INLINE void find_local_moments(const lm_match* body, int64_t first, const chunk_sums* sums, const quat_v* q,
                                  local_moments* seen)
{
	mat_v R = rotation_matrix(q), M = load_matrix(sums->moment + sum_place(sums, first)), A = turn_back(&R, &M), B = A;
	for (int64_t k = 0; k < body->example_count; ++k)
	{
		vf w = blend_of(body, lm_match_block_of(first), k, lm_match_lane_of(first));
		mat_v K = see_change(body, k, first, sums, &R, &A);
		for (int i = 0; i < 3; ++i)
			for (int j = 0; j < 3; ++j)
				B.m[i][j] += w * K.m[i][j], seen->K[k].m[i][j] = K.m[i][j];
	}
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			seen->A.m[i][j] = A.m[i][j], seen->B.m[i][j] = B.m[i][j];
}

// det M is that of A.
LM_INLINE vf measure_volume(const lm_match* body, int64_t first, const mat_v* A)
{
	const float* shape = body->shape + lm_match_block_of(first) * LM_SHAPE_FIELDS * LM_LANES;
	vf volume = determinant(A) - field(shape, LM_SHAPE_FLOOR, lm_match_lane_of(first));
	store(body->volume + first, volume);
	return volume;
}

// R : N after a turn of R by w, u = w^2 small, with K = R^T N and its axial vector g: exact but for u^3
// (kernel_rotation.h).
LM_INLINE vf dot_turned(const mat_v* K, const vf g[3], const vf w[3], vf u)
{
	vf trace = K->m[0][0] + K->m[1][1] + K->m[2][2], along = all(0);
	for (int i = 0; i < 3; ++i)
		along += w[i] * (K->m[i][0] * w[0] + K->m[i][1] * w[1] + K->m[i][2] * w[2]);
	return trace + (1 - u * (0.5f - 0.375f * u)) * dot3(g, w) - (0.5f - 0.375f * u) * (trace * u - along);
}

// Turn k of the regions in these lanes: 0 is the one to the best rotation, k + 1 how that turns with weight k.
LM_INLINE void put_turn(const lm_match* body, int64_t first, int64_t k, const vf turn[3])
{
	float* to = body->turns + (lm_match_block_of(first) * (body->example_count + 1) + k) * 3 * LM_LANES +
	            lm_match_lane_of(first);
	for (int j = 0; j < 3; ++j)
		store(to + j * LM_LANES, turn[j]);
}

// b_k of the regions in these lanes, and how their rotations turn with the weights. The moments are in the frame of
// before the turn that was found.
LM_INLINE void project_regions(const lm_match* body, int64_t first, const local_moments* seen, const first_turn* found,
                               vf* dot_sums)
{
	int64_t b = lm_match_block_of(first), n = body->example_count;
	int lane = lm_match_lane_of(first);
	vf weight = field(body->shape + b * LM_SHAPE_FIELDS * LM_LANES, LM_SHAPE_WEIGHT, lane);
	for (int64_t k = 0; k < n; ++k)
	{
		const mat_v* K = &seen->K[k];
		const vf g[3] = { K->m[2][1] - K->m[1][2], K->m[0][2] - K->m[2][0], K->m[1][0] - K->m[0][1] };
		vf turn[3], dot = dot_turned(K, g, found->w, dot3(found->w, found->w));
		dot -= load(body->at_rest + (b * n + k) * LM_LANES + lane);
		times_inverse(&found->inverse, g, turn);
		put_turn(body, first, k + 1, turn);
		dot *= weight;
		dot_sums[k] += dot;
		if (body->pass.blend_per_region)
		{
			store(body->dots + (b * n + k) * LM_LANES + lane, dot);
			store(body->blend_last + (b * n + k) * LM_LANES + lane, blend_of(body, b, k, lane));
		}
	}
}

// Regions that need more than one step, or where H is not positive definite: they turn at once. What the usual path has
// in registers is computed again.
static __attribute__((noinline)) void find_rotation_and_sums(lm_match* body, int64_t first, const chunk_sums* sums,
                                                             vf* dot_sums)
{
	float* rotation = body->rotation + lm_match_block_of(first) * 4 * LM_LANES;
	quat_v q = load_rotation(rotation, lm_match_lane_of(first));
	local_moments seen;
	find_local_moments(body, first, sums, &q, &seen);
	mat_v R = rotation_matrix(&q), P = times(&R, &seen.B);
	find_rotation(&P, LM_GOAL_TOLERANCE, &q);
	store_rotation(rotation, lm_match_lane_of(first), &q);
	find_local_moments(body, first, sums, &q, &seen);
	trace_expansion at = expand(&seen.B);
	first_turn there = { .w = { all(0), all(0), all(0) }, .inverse = at.inverse };
	project_regions(body, first, &seen, &there, dot_sums);
	put_turn(body, first, 0, there.w);
}

// Of the regions of a chunk: the turns to their best rotations, and their terms of the projection. Returns the smallest
// volume in each lane.
LM_INLINE vf find_turns(lm_match* body, int64_t begin, int64_t end, const chunk_sums* sums, vf* dot_sums)
{
	vf lowest = all(1e30f);
	for (int64_t k = 0; k < body->example_count; ++k)
		dot_sums[k] = all(0);
	for (int64_t first = begin; first < end; first += LM_W)
	{
		local_moments seen;
		first_turn found;
		quat_v q = load_rotation(body->rotation + lm_match_block_of(first) * 4 * LM_LANES, lm_match_lane_of(first));
		find_local_moments(body, first, sums, &q, &seen);
		lowest = vmin(lowest, measure_volume(body, first, &seen.A));
		find_turn(&seen.B, LM_GOAL_TOLERANCE, &found);
		if (found.needs_steps)
		{
			find_rotation_and_sums(body, first, sums, dot_sums);
			continue;
		}
		project_regions(body, first, &seen, &found, dot_sums);
		put_turn(body, first, 0, found.w);
	}
	return lowest;
}

static void project_chunk(lm_match* body, int64_t begin, int64_t end, const chunk_sums* sums)
{
	vf dot_sums[LM_EXAMPLES], lowest = find_turns(body, begin, end, sums, dot_sums);
	for (int64_t k = 0; k < body->example_count; ++k)
		body->dot_sums[begin / LM_CHUNK * body->example_count + k] = sum_lanes(dot_sums[k]);
	float low = lowest[0];
	for (int l = 1; l < LM_W; ++l)
		low = lowest[l] < low ? lowest[l] : low;
	body->lowest[begin / LM_CHUNK] = low;
}

#endif
