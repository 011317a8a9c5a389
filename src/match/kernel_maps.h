// kernel_maps.h: the goal maps of the regions, once the weights are known: S~_r (Sec. 4.2); R_r, which follows the
// weights as kernel_strains.h has found; T_r = R_r S~_r as an affine map of X.
#ifndef LM_MATCH_KERNEL_MAPS_H
#define LM_MATCH_KERNEL_MAPS_H

#include "match/kernel_strains.h"

#define LM_FOLLOWED 0.01f // turn^2 beyond which a derivative is not worth following

// S~_r = I + sum_k beta s_k w_k (S_k - I)
LM_INLINE sym_v blend_examples(const lm_match* body, int64_t b, int lane)
{
	sym_v S = { all(0), all(0), all(0), all(0), all(0), all(0) };
	for (int64_t k = 0; k < body->example_count; ++k)
	{
		vf w = blend_of(body, b, k, lane);
		sym_v L = example_of(body, b, k, lane);
		S.xx += w * L.xx, S.yy += w * L.yy, S.zz += w * L.zz;
		S.xy += w * L.xy, S.xz += w * L.xz, S.yz += w * L.yz;
	}
	S.xx += 1, S.yy += 1, S.zz += 1;
	return S;
}

// Inverted and collapsed regions take the rotation of the body as a whole.
LM_INLINE void set_body_rotation(const float body_rotation[4], vi mask, quat_v* q)
{
	q->w = choose(mask, all(body_rotation[0]), q->w);
	q->x = choose(mask, all(body_rotation[1]), q->x);
	q->y = choose(mask, all(body_rotation[2]), q->y);
	q->z = choose(mask, all(body_rotation[3]), q->z);
}

LM_INLINE vf get_turn(const lm_match* body, int64_t b, int64_t k, int j, int lane)
{
	return load(body->turns + ((b * (body->example_count + 1) + k) * 3 + j) * LM_LANES + lane);
}

// Rotations of the regions in these lanes for the new weights: Newton's step to them, from what was found for the last.
LM_INLINE quat_v follow_weights(const lm_match* body, int64_t b, int lane)
{
	quat_v q = load_rotation(body->rotation + b * 4 * LM_LANES, lane);
	vf turn[3] = { all(0), all(0), all(0) };
	for (int64_t k = 0; k < body->example_count; ++k)
	{
		vf last = body->pass.blend_per_region ? load(body->blend_last + (b * body->example_count + k) * LM_LANES + lane)
		                                      : all(body->pass.blend_last[k]);
		vf change = blend_of(body, b, k, lane) - last;
		for (int j = 0; j < 3; ++j)
			turn[j] += change * get_turn(body, b, k + 1, j, lane);
	}
	vi near = dot3(turn, turn) <= LM_FOLLOWED;
	for (int j = 0; j < 3; ++j)
		turn[j] = (vf)((vi)turn[j] & near) + get_turn(body, b, 0, j, lane);
	turn_small(&q, turn, dot3(turn, turn));
	if (body->pass.inverted)
		set_body_rotation(body->body_rotation, load(body->volume + b * LM_LANES + lane) < 0, &q);
	return q;
}

// The goal maps of the regions in these lanes, once their rotation is known.
LM_INLINE void set_maps(const lm_match* body, const lm_match_wave* wave, int64_t b, int lane, const quat_v* q)
{
	const float *centre = body->rest_centre + b * 3 * LM_LANES + lane, *now = body->centres + b * 3 * LM_LANES + lane;
	vf c[3] = { load(now), load(now + LM_LANES), load(now + 2 * LM_LANES) };
	mat_v T;
	if (body->poses != NULL)
		T = set_pose_maps(body, wave, b, lane, q, c);
	else
	{
		mat_v R = rotation_matrix(q);
		sym_v S = blend_examples(body, b, lane);
		T = times_symmetric(&R, &S);
	}
	subtract_turned(&T, centre, c);
	put_rest_map(body, wave, b * LM_LANES + lane, &T, c);
}

// Prefetches what the maps of a later block will need.
LM_INLINE void fetch_regions(const lm_match* body, int64_t b, int lane)
{
	fetch_block(body, body->rotation, b, 4, 0, 4, lane);
	fetch_block(body, body->centres, b, 3, 0, 3, lane);
	fetch_block(body, body->rest_centre, b, 3, 0, 3, lane);
	fetch_block(body, body->turns, b, 3 * body->example_count + 3, 0, 3 * body->example_count + 3, lane);
	for (int k = 0; body->poses != NULL && k < body->example_count; ++k)
	{
		fetch_block(body, body->poses[k].offset, b, 6, 3, 3, lane);
		fetch_block(body, body->poses[k].turn, b, 4, 0, 4, lane);
	}
}

// Rotations and maps are found in separate loops: each is a long chain of dependent operations, and short loop bodies
// let a processor overlap several. `keep`: the rotations too, for the next step.
static void maps(const lm_match* body, const lm_match_wave* wave, int64_t begin, int64_t end, bool keep)
{
	quat_v rotations[LM_CHUNK / LM_W];
	for (int64_t first = begin; first < end; first += LM_W)
	{
		int64_t b = lm_match_block_of(first);
		int lane = lm_match_lane_of(first);
		if (body->large)
			fetch_regions(body, b, lane);
		quat_v q = follow_weights(body, b, lane);
		if (keep)
			store_rotation(body->next_rotation + b * 4 * LM_LANES, lane, &q);
		rotations[(uint64_t)(first - begin) / LM_W] = q;
	}
	for (int64_t first = begin; first < end; first += LM_W)
		set_maps(body, wave, lm_match_block_of(first), lm_match_lane_of(first),
		         &rotations[(uint64_t)(first - begin) / LM_W]);
}

#endif
