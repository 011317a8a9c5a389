// kernel_poses.h: examples that do more than stretch within a region, matched as the poses that they are.
//
// Goals that are affine in each region cannot follow an example that bends or twists there, and since the weights are
// those that fit best the body then slides along the manifold to where nothing is missed: to rest (docs/match.md). So
// the shape that region r matches is blended from the rest shape and the examples themselves,
//
//   e_i(w) = q_i + sum_k w_k (R_k^T (y^k_i - c^k) - q_i),   g_i = mean over r of R_r e_i(w) + c_r
//
// y^k_i the particle in example k, c^k and R_k the centre and rotation of the region there. Where the example is affine
// that is S~ q_i. The energy is 1/2 sum m~ |R e(w) - p|^2 with the best R and w, as before, and 0 at every example.
//
// Nothing is stored per member: within a region e is linear in (X_i, y^1_i, .. y^n_i). For each example the moments
// M_k = sum m~ p (y^k - c^k)^T and the mean map of y^k are sums over rings, as those of the rest shape are.
//
//   N_k = M_k R_k - M = sum m~ p (R_k^T (y^k - c^k) - q)^T,   M(w) = M + sum_k w_k N_k
//   goal map: (1 - sum w_k) R_r (X - c0) + sum_k w_k R_r R_k^T (y^k - c^k) + c
//
// M_k R_k and M are nearly the same where the example does little, and single precision loses digits in the difference.
// So each chunk sums over what the example does to it beyond turning it: with y = Q (X + u) relative to its middle, Q
// its rotation in the example, U = sum m~ p u^T and C = Q^T R_k, which is near the identity, N_k = U + (M + U) (C - I).
#ifndef LM_MATCH_KERNEL_POSES_H
#define LM_MATCH_KERNEL_POSES_H

#include "match/kernel_rotation.h"
#include "match/kernel_table.h"

LM_INLINE mat_v load_moment(const float* block, int lane)
{
	mat_v M;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			M.m[i][j] = field(block, 4 * i + j, lane);
	return M;
}

// beta s_k w_k
LM_INLINE vf blend_of(const lm_match* body, int64_t b, int64_t k, int lane)
{
	return body->pass.blend_per_region ? load(body->blend + (b * body->example_count + k) * LM_LANES + lane)
	                                   : all(body->pass.blend_all[k]);
}

LM_INLINE mat_v load_moved(const lm_match_pose* pose, int64_t b, int lane)
{
	const float* block = pose->moved + b * LM_MATRIX * LM_LANES;
	mat_v N;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			N.m[i][j] = field(block, 3 * i + j, lane);
	return N;
}

LM_INLINE mat_v turn_of(const float* turns, int64_t b, int lane)
{
	const float* block = turns + b * 4 * LM_LANES;
	quat_v q = { field(block, 0, lane), field(block, 1, lane), field(block, 2, lane), field(block, 3, lane) };
	return rotation_matrix(&q);
}

// R - I
LM_INLINE mat_v turned_by(const float* turns, int64_t b, int lane)
{
	const float* block = turns + b * 4 * LM_LANES;
	vf w = field(block, 0, lane), x = field(block, 1, lane), y = field(block, 2, lane), z = field(block, 3, lane);
	vf x2 = x + x, y2 = y + y, z2 = z + z;
	return (mat_v){ { { -y * y2 - z * z2, x * y2 - w * z2, x * z2 + w * y2 },
		              { x * y2 + w * z2, -x * x2 - z * z2, y * z2 - w * x2 },
		              { x * z2 - w * y2, y * z2 + w * x2, -x * x2 - y * y2 } } };
}

// N_k of LM_W regions from the sums of their records, with U = sum m~ p u^T.
LM_INLINE void store_moved(const lm_match* body, const lm_match_pose* pose, int64_t first,
                           const float rows[LM_W][LM_RECORD])
{
	int64_t b = first / LM_LANES;
	int lane = (int)(first % LM_LANES);
	mat_v M = load_moment(body->moments + b * 12 * LM_LANES, lane), C = turned_by(pose->chunk_turn, b, lane);
	float* moved = pose->moved + b * LM_MATRIX * LM_LANES + lane;
	vf centre[4], scale[4];
	load_columns(pose->centre + 4 * first, 4, centre);
	load_columns(body->shape_centre + 8 * first + 4, 8, scale);
	for (int i = 0; i < 3; ++i)
	{
		vf row[4];
		load_columns(rows[0] + 4 * i, LM_RECORD, row);
		vf U[3], V[3];
		for (int j = 0; j < 3; ++j)
			U[j] = (row[j] - row[3] * centre[j]) * scale[0], V[j] = M.m[i][j] + U[j];
		for (int j = 0; j < 3; ++j)
			store(moved + (3 * i + j) * LM_LANES, U[j] + (V[0] * C.m[0][j] + V[1] * C.m[1][j] + V[2] * C.m[2][j]));
	}
}

// After the moments of the rest shape; `table` is free to be used again, NULL where it is too small.
static void move_moments(const lm_match* body, const lm_match_pose* pose, int64_t begin, int64_t end, v4 middle,
                         record_table* table)
{
	if (table != NULL)
		fill_records(body, pose->local_weights, begin / LM_CHUNK, middle, table);
	for (int64_t first = begin; first < end; first += LM_W)
	{
		float rows[LM_W][LM_RECORD] __attribute__((aligned(64)));
		sum_rings(body, pose->local_weights, first, table, middle, rows);
		store_moved(body, pose, first, (const float(*)[LM_RECORD])rows);
	}
}

// M(w)
LM_INLINE mat_v pose_moment(const lm_match* body, int64_t b, int lane, const mat_v* M)
{
	mat_v P = *M;
	for (int64_t k = 0; k < body->example_count; ++k)
	{
		vf w = blend_of(body, b, k, lane);
		mat_v N = load_moved(&body->poses[k], b, lane);
		for (int i = 0; i < 3; ++i)
			for (int j = 0; j < 3; ++j)
				P.m[i][j] += w * N.m[i][j];
	}
	return P;
}

// The maps y -> T (y - centre) + c of LM_W regions, from fields to one record each. The coordinates of c are `stride`
// floats apart.
LM_INLINE void store_maps(const mat_v* T, const float* c, int64_t stride, const float* centre, float* maps)
{
	vf X = load(centre), Y = load(centre + LM_LANES), Z = load(centre + 2 * LM_LANES);
	for (int i = 0; i < 3; ++i)
	{
		vf t = load(c + i * stride) - (T->m[i][0] * X + T->m[i][1] * Y + T->m[i][2] * Z);
		vf row[4] = { T->m[i][0], T->m[i][1], T->m[i][2], t };
		store_columns(maps + 4 * i, LM_MAP, row);
	}
}

// Maps of the examples; what is left for the rest shape is the result.
LM_INLINE mat_v set_pose_maps(const lm_match* body, int64_t b, int lane, const mat_v* R)
{
	static const float nothing[LM_W] __attribute__((aligned(64)));
	vf left = all(1);
	mat_v T;
	for (int64_t k = 0; k < body->example_count; ++k)
	{
		const lm_match_pose* pose = &body->poses[k];
		vf w = blend_of(body, b, k, lane);
		mat_v Rk = turn_of(pose->turn, b, lane);
		for (int i = 0; i < 3; ++i)
			for (int j = 0; j < 3; ++j)
				T.m[i][j] = w * (R->m[i][0] * Rk.m[j][0] + R->m[i][1] * Rk.m[j][1] + R->m[i][2] * Rk.m[j][2]);
		store_maps(&T, nothing, 0, pose->whole_centre + b * 3 * LM_LANES + lane,
		           pose->maps + LM_MAP * (b * LM_LANES + lane));
		left -= w;
	}
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			T.m[i][j] = left * R->m[i][j];
	return T;
}

#endif
