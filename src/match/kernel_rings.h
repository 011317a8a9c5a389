// kernel_rings.h: sums over rings, and what is made of them. With y_i = m~_i x^_i, q_i = X_i - X_r and d_r = c0_r - X_r
//
//   M_r = sum y_i (X_i - c0_r)^T = sum y_i q_i^T - (sum y_i) d_r^T,   c_r = sum y_i / sum m~_i          (Eq. 1)
//   g_i = mean over r of T_r X_i + t_r                                                                 (Eq. 3)
//
// and likewise U = sum y_i (u_i - mean of u)^T and T_k u_i of an example that is a pose (kernel_poses.h). q is small
// and exact, so that single precision loses no more than the positions themselves have lost.
#ifndef LM_MATCH_KERNEL_RINGS_H
#define LM_MATCH_KERNEL_RINGS_H

#include "match/kernel_members.h"
#include "match/kernel_runs.h"

// Where loops by LM_RUN_W end: they fill whole vectors of LM_W, since other loops read those. Lanes behind the last
// region have no members, so that their sums are 0.
LM_INLINE int64_t round_up(int64_t end)
{
	return (end + LM_W - 1) / LM_W * LM_W;
}

// A large body is not in the cache, and the hardware does not foresee the rows of the next tile: prefetches `count` of
// them, of particle i, once per cache line that `first` goes through.
LM_INLINE void fetch(const lm_match* body, const float* rows, int64_t first, int64_t i, int count)
{
	if (!body->large || lm_match_lane_of(first) != 0)
		return;
	const float* at = rows + lm_match_place_of(i < body->count ? i : body->count - 1);
	for (int k = 0; k < count; ++k)
		__builtin_prefetch(at + k * LM_ROW);
}

// Moments and centres of the regions from `first` on, LM_RUN_W of them, as fields.
LM_INLINE void sum_moments(const lm_match* body, bool by_runs, int64_t first, float* moments)
{
	int64_t b = lm_match_block_of(first), lane = lm_match_lane_of(first);
	fetch(body, body->fields, first, first + body->reach + LM_AHEAD, 6); // runs lead ahead by `reach`
	fetch_block(body, body->shape, b, LM_SHAPE_FIELDS, 0, LM_SHAPE_FIELDS, (int)lane);
	fetch_block(body, body->rotation, b, 4, 0, 4, (int)lane);
	vr sum[3][4];
	if (by_runs)
		sum_run_moments(body, body->fields + LM_FIELD_X * LM_ROW, first, 4, sum);
	else
		sum_member_moments(body, body->particles + 4, LM_PARTICLE_ROW, first, sum);
	const float* shape = body->shape + b * LM_SHAPE_FIELDS * LM_LANES + lane;
	vr scale = load_own(shape + LM_SHAPE_SCALE * LM_LANES), mass = load_own(shape + LM_SHAPE_MASS * LM_LANES);
	for (int k = 0; k < 3; ++k)
	{
		for (int j = 0; j < 3; ++j)
		{
			vr d = load_own(shape + (LM_SHAPE_OFFSET + j) * LM_LANES);
			store_own(moments + (3 * k + j) * LM_LANES, (sum[k][j] - sum[k][3] * d) * scale);
		}
		store_own(body->centres + (b * 3 + k) * LM_LANES + lane, sum[k][3] * mass);
	}
}

// U of the regions from `first` on, LM_RUN_W of them, to `moved`; after their moments.
LM_INLINE void sum_pose_moments(const lm_match* body, bool by_runs, int example, int64_t first, float* moved)
{
	const lm_match_pose* pose = &body->poses[example];
	int64_t b = lm_match_block_of(first), lane = lm_match_lane_of(first);
	fetch(body, pose->fields, first, first + body->reach + LM_AHEAD, LM_POSE_FIELDS);
	fetch_block(body, pose->offset, b, 6, 0, 3, (int)lane);
	fetch_block(body, pose->turn, b, 4, 0, 4, (int)lane);
	vr sum[3][4], scale = load_own(body->shape + (b * LM_SHAPE_FIELDS + LM_SHAPE_SCALE) * LM_LANES + lane);
	if (by_runs)
		sum_run_moments(body, pose->fields, first, 3, sum);
	else
		sum_member_moments(body, pose->rows, 4, first, sum);
	for (int k = 0; k < 3; ++k)
	{
		vr centre = load_own(body->centres + (b * 3 + k) * LM_LANES + lane);
		for (int j = 0; j < 3; ++j)
		{
			vr offset = load_own(pose->offset + (b * 6 + j) * LM_LANES + lane);
			store_own(moved + (3 * k + j) * LM_LANES, (sum[k][j] - centre * offset) * scale);
		}
	}
}

// g += sum T z, z in three rows of tiles.
LM_INLINE void add_mapped(vr g[3], vr sum[3][4], const float* z)
{
	vr X = load_own(z), Y = load_own(z + LM_ROW), Z = load_own(z + 2 * LM_ROW);
	for (int i = 0; i < 3; ++i)
		g[i] += sum[i][0] * X + sum[i][1] * Y + sum[i][2] * Z;
}

// Goals of the particles from `first` on, LM_RUN_W of them: three rows of LM_CHUNK.
LM_INLINE void sum_goals(const lm_match* body, bool by_runs, const lm_match_wave* wave, int64_t first, float* goal)
{
	const float* own = body->fields + lm_match_place_of(first);
	vr sum[3][4], share = load_own(own + LM_FIELD_SHARE * LM_ROW);
	fetch(body, body->fields + LM_FIELD_X * LM_ROW, first, first + LM_AHEAD, LM_FIELDS - LM_FIELD_X);
	if (by_runs)
		sum_run_maps(body, wave->tiles, first, 4, sum);
	else
		sum_member_maps(body, body->maps, first, sum);
	vr g[3] = { sum[0][3], sum[1][3], sum[2][3] };
	add_mapped(g, sum, own + LM_FIELD_X * LM_ROW);
	for (int k = 0; body->poses != NULL && k < body->example_count; ++k)
	{
		if (!body->pass.blend_per_region && body->pass.blend_all[k] == 0)
			continue;
		fetch(body, body->poses[k].fields, first, first + LM_AHEAD, LM_POSE_FIELDS);
		if (by_runs)
			sum_run_maps(body, wave->tiles + (LM_MAP + LM_MATRIX * k) * LM_ROW, first, 3, sum);
		else
			sum_member_maps(body, body->maps + LM_MAP * (k + 1), first, sum);
		add_mapped(g, sum, body->poses[k].fields + lm_match_place_of(first));
	}
	for (int i = 0; i < 3; ++i)
		store_own(goal + i * LM_CHUNK, g[i] * share);
}

#endif
