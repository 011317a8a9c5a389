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
// So sums go over what the example does to the body beyond turning it: with y = Q (X + u) relative to the middle, Q the
// body's rotation in the example, U = sum m~ p u^T and C = Q^T R_k, N_k = U + (M + U) (C - I).
#ifndef LM_MATCH_KERNEL_POSES_H
#define LM_MATCH_KERNEL_POSES_H

#include "match/kernel_rotation.h"

// Sums over the rings of a chunk, in blocks of LM_MATRIX fields: M_r, and N_k,r where examples are poses.
typedef struct chunk_sums
{
	int64_t begin;
	float* moved[LM_EXAMPLES];
	float moment[LM_MATRIX * LM_CHUNK] __attribute__((aligned(64)));
	float moved_here[LM_ON_STACK][LM_MATRIX * LM_CHUNK] __attribute__((aligned(64)));
} chunk_sums;

static void open_sums(const lm_match* body, int64_t begin, chunk_sums* sums)
{
	sums->begin = begin;
	for (int k = 0; body->poses != NULL && k < body->example_count; ++k)
		sums->moved[k] = body->poses[k].moved != NULL ? body->poses[k].moved + LM_MATRIX * begin : sums->moved_here[k];
}

// Place of region `first` in them.
LM_INLINE int64_t sum_place(const chunk_sums* sums, int64_t first)
{
	return lm_match_block_of(first - sums->begin) * LM_MATRIX * LM_LANES + lm_match_lane_of(first);
}

LM_INLINE mat_v load_matrix(const float* at)
{
	mat_v M;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			M.m[i][j] = load(at + (3 * i + j) * LM_LANES);
	return M;
}

// beta s_k w_k
LM_INLINE vf blend_of(const lm_match* body, int64_t b, int64_t k, int lane)
{
	return body->pass.blend_per_region ? load(body->blend + (b * body->example_count + k) * LM_LANES + lane)
	                                   : all(body->pass.blend_all[k]);
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

// N_k from U in its place (kernel_rings.h).
LM_INLINE void turn_moved(const lm_match* body, int k, int64_t first, const chunk_sums* sums)
{
	float* moved = sums->moved[k] + sum_place(sums, first);
	mat_v M = load_matrix(sums->moment + sum_place(sums, first)), U = load_matrix(moved);
	mat_v C = turned_by(body->poses[k].turn, lm_match_block_of(first), lm_match_lane_of(first));
	for (int i = 0; i < 3; ++i)
	{
		vf V[3] = { M.m[i][0] + U.m[i][0], M.m[i][1] + U.m[i][1], M.m[i][2] + U.m[i][2] };
		for (int j = 0; j < 3; ++j)
			store(moved + (3 * i + j) * LM_LANES, U.m[i][j] + (V[0] * C.m[0][j] + V[1] * C.m[1][j] + V[2] * C.m[2][j]));
	}
}

// A map of LM_W regions, z -> T z + t: that of the rest shape, or, without t, that of pose k.
LM_INLINE void put_rows(const lm_match* body, int64_t first, int64_t k, const mat_v* T, const vf t[3])
{
	for (int i = 0; i < 3; ++i)
	{
		const vf row[4] = { T->m[i][0], T->m[i][1], T->m[i][2], t != NULL ? t[i] : all(0) };
		store_columns(body->maps + body->map_row * first + LM_MAP * k + 4 * i, body->map_row, row);
	}
}

LM_INLINE float* tile_of(const lm_match* body, const lm_match_wave* wave, int64_t first)
{
	return wave->tiles + (first / LM_CHUNK & wave->mask) * body->map_tile + lm_match_row_place(first);
}

LM_INLINE void put_rest_map(const lm_match* body, const lm_match_wave* wave, int64_t first, const mat_v* T,
                            const vf t[3])
{
	if (!body->by_runs)
		put_rows(body, first, 0, T, t);
	for (int i = 0; body->by_runs && i < 3; ++i)
		for (int j = 0; j < 4; ++j)
			store(tile_of(body, wave, first) + (4 * i + j) * LM_ROW, j < 3 ? T->m[i][j] : t[i]);
}

LM_INLINE void put_pose_map(const lm_match* body, const lm_match_wave* wave, int64_t first, int64_t k, const mat_v* T)
{
	if (!body->by_runs)
		put_rows(body, first, k + 1, T, NULL);
	for (int i = 0; body->by_runs && i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			store(tile_of(body, wave, first) + (LM_MAP + LM_MATRIX * k + 3 * i + j) * LM_ROW, T->m[i][j]);
}

// c -= T centre
LM_INLINE void subtract_turned(const mat_v* T, const float* centre, vf c[3])
{
	vf X = load(centre), Y = load(centre + LM_LANES), Z = load(centre + 2 * LM_LANES);
	for (int i = 0; i < 3; ++i)
		c[i] -= T->m[i][0] * X + T->m[i][1] * Y + T->m[i][2] * Z;
}

// s R(p q*), s > 0 or not
LM_INLINE mat_v scaled_rotation(vf s, const quat_v* p, const quat_v* q)
{
	vf w = p->w * q->w + p->x * q->x + p->y * q->y + p->z * q->z;
	vf x = p->x * q->w - p->w * q->x - p->y * q->z + p->z * q->y;
	vf y = p->y * q->w - p->w * q->y - p->z * q->x + p->x * q->z;
	vf z = p->z * q->w - p->w * q->z - p->x * q->y + p->y * q->x;
	vf s2 = s + s, sx = s2 * x, sy = s2 * y, sz = s2 * z;
	vf xx = s - x * sx, yy = y * sy, zz = z * sz, xy = x * sy, xz = x * sz, yz = y * sz;
	vf wx = w * sx, wy = w * sy, wz = w * sz;
	return (
		mat_v){ { { s - yy - zz, xy - wz, xz + wy }, { xy + wz, xx - zz, yz - wx }, { xz - wy, yz + wx, xx - yy } } };
}

// The maps of the examples. With y^k = Q (X + u) and T_k = w_k R_r (Q^T R_k)^T the map of u is T_k, and that of X has
// T_k too: the result. What they add beyond T_k u goes to c.
LM_INLINE mat_v set_pose_maps(const lm_match* body, const lm_match_wave* wave, int64_t b, int lane, const quat_v* q,
                              vf c[3])
{
	vf left = all(1);
	for (int64_t k = 0; k < body->example_count; ++k)
		left -= blend_of(body, b, k, lane);
	mat_v sum = rotation_matrix(q);
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			sum.m[i][j] *= left;
	for (int64_t k = 0; k < body->example_count; ++k)
	{
		const lm_match_pose* pose = &body->poses[k];
		quat_v turned = load_rotation(pose->turn + b * 4 * LM_LANES, lane);
		mat_v T = scaled_rotation(blend_of(body, b, k, lane), q, &turned);
		subtract_turned(&T, pose->offset + (b * 6 + 3) * LM_LANES + lane, c);
		put_pose_map(body, wave, b * LM_LANES + lane, k, &T);
		for (int i = 0; i < 3; ++i)
			for (int j = 0; j < 3; ++j)
				sum.m[i][j] += T.m[i][j];
	}
	return sum;
}

#endif
