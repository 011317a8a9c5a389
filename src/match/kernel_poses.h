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

// What the loops over regions ask of a body again and again. They are compiled three times: for any body, and for the
// usual ones (one example, one weight, rows), of which the compiler then knows all of this.
typedef struct manner
{
	int64_t examples;
	bool poses; // examples are poses
	bool each;  // weights differ from region to region
	bool by_runs;
} manner;

LM_INLINE manner manner_of(const lm_match* body)
{
	return (manner){ body->example_count, body->poses != NULL, body->pass.blend_per_region, body->by_runs };
}

#define LM_ONE_STRETCH ((manner){ 1, false, false, true })
#define LM_ONE_POSE ((manner){ 1, true, false, true })

LM_INLINE bool is_usual(manner m)
{
	return m.examples == 1 && !m.each && m.by_runs;
}

// beta s_k w_k
LM_INLINE vf blend_of(const lm_match* body, manner how, int64_t b, int64_t k, int lane)
{
	return how.each ? load(body->blend + (b * how.examples + k) * LM_LANES + lane) : all(body->pass.blend_all[k]);
}

LM_INLINE mat_v turn_of(const float* turns, int64_t b, int lane)
{
	quat_v q = load_rotation(turns + b * 4 * LM_LANES, lane);
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
LM_INLINE void store_moved(const lm_match* body, int k, int64_t first, const float rows[LM_W][LM_RECORD],
                           const chunk_sums* sums)
{
	int64_t b = lm_match_block_of(first), at = sum_place(sums, first);
	int lane = lm_match_lane_of(first);
	const lm_match_pose* pose = &body->poses[k];
	mat_v M = load_matrix(sums->moment + at), C = turned_by(pose->chunk_turn, b, lane);
	float* moved = sums->moved[k] + at;
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
static void move_moments(const lm_match* body, int k, int64_t begin, int64_t end, v4 middle, record_table* table,
                         const chunk_sums* sums)
{
	const lm_match_pose* pose = &body->poses[k];
	if (table != NULL)
		fill_records(body, pose->local_weights, begin / LM_CHUNK, middle, table);
	for (int64_t first = begin; first < end; first += LM_W)
	{
		float rows[LM_W][LM_RECORD] __attribute__((aligned(64)));
		sum_rings(body, pose->local_weights, first, table, middle, rows);
		store_moved(body, k, first, (const float(*)[LM_RECORD])rows, sums);
	}
}

// N_k from U in its place, where rings are runs (kernel_runs.h).
LM_INLINE void turn_moved(const lm_match* body, int k, int64_t first, const chunk_sums* sums)
{
	float* moved = sums->moved[k] + sum_place(sums, first);
	mat_v M = load_matrix(sums->moment + sum_place(sums, first)), U = load_matrix(moved);
	mat_v C = turned_by(body->poses[k].chunk_turn, lm_match_block_of(first), lm_match_lane_of(first));
	for (int i = 0; i < 3; ++i)
	{
		vf V[3] = { M.m[i][0] + U.m[i][0], M.m[i][1] + U.m[i][1], M.m[i][2] + U.m[i][2] };
		for (int j = 0; j < 3; ++j)
			store(moved + (3 * i + j) * LM_LANES, U.m[i][j] + (V[0] * C.m[0][j] + V[1] * C.m[1][j] + V[2] * C.m[2][j]));
	}
}

// Maps y -> T y + t of LM_W regions, as records and as fields of a tile.
LM_INLINE void put_map_records(float* maps, const mat_v* T, const vf t[3])
{
	for (int i = 0; i < 3; ++i)
	{
		vf row[4] = { T->m[i][0], T->m[i][1], T->m[i][2], t[i] };
		store_columns(maps + 4 * i, LM_MAP, row);
	}
}

LM_INLINE void put_map_fields(float* tile, const mat_v* T, const vf t[3])
{
	for (int i = 0; i < 3; ++i)
	{
		for (int j = 0; j < 3; ++j)
			store(tile + (3 * i + j) * LM_ROW, T->m[i][j]);
		if (t != NULL)
			store(tile + (LM_MATRIX + i) * LM_ROW, t[i]);
	}
}

// c -= T centre
LM_INLINE void subtract_turned(const mat_v* T, const float* centre, vf c[3])
{
	vf X = load(centre), Y = load(centre + LM_LANES), Z = load(centre + 2 * LM_LANES);
	for (int i = 0; i < 3; ++i)
		c[i] -= T->m[i][0] * X + T->m[i][1] * Y + T->m[i][2] * Z;
}

// w_k R_r R^T, R of the example
LM_INLINE mat_v example_map(const lm_match* body, manner how, int64_t b, int64_t k, int lane, const float* turns,
                            const mat_v* R)
{
	vf w = blend_of(body, how, b, k, lane);
	mat_v Rk = turn_of(turns, b, lane), T;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			T.m[i][j] = w * (R->m[i][0] * Rk.m[j][0] + R->m[i][1] * Rk.m[j][1] + R->m[i][2] * Rk.m[j][2]);
	return T;
}

// (1 - sum w_k) R_r
LM_INLINE mat_v rest_map(const lm_match* body, manner how, int64_t b, int lane, const mat_v* R)
{
	vf left = all(1);
	mat_v T;
	for (int64_t k = 0; k < how.examples; ++k)
		left -= blend_of(body, how, b, k, lane);
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			T.m[i][j] = left * R->m[i][j];
	return T;
}

// Maps of the examples, of y^k. What they add beyond T_k y goes to c. The map of the rest shape is the result.
LM_INLINE mat_v set_pose_records(const lm_match* body, manner how, int64_t b, int lane, const mat_v* R, vf c[3])
{
	const vf nothing[3] = { all(0), all(0), all(0) };
	for (int64_t k = 0; k < how.examples; ++k)
	{
		const lm_match_pose* pose = &body->poses[k];
		mat_v T = example_map(body, how, b, k, lane, pose->turn, R);
		subtract_turned(&T, pose->whole_centre + b * 3 * LM_LANES + lane, c);
		put_map_records(pose->maps + LM_MAP * (b * LM_LANES + lane), &T, nothing);
	}
	return rest_map(body, how, b, lane, R);
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

// The same where rings are runs: y^k = Q (X + u), so that with T_k = w_k R_r (Q^T R_k)^T the map of u is T_k, and that
// of X has T_k too.
LM_INLINE mat_v set_pose_fields(const lm_match* body, manner how, int64_t b, int lane, const quat_v* q, vf c[3],
                                float* tile)
{
	vf left = all(1);
	for (int64_t k = 0; k < how.examples; ++k)
		left -= blend_of(body, how, b, k, lane);
	mat_v sum = rotation_matrix(q);
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			sum.m[i][j] *= left;
	for (int64_t k = 0; k < how.examples; ++k)
	{
		const lm_match_pose* pose = &body->poses[k];
		quat_v turned = load_rotation(pose->chunk_turn + b * 4 * LM_LANES, lane);
		mat_v T = scaled_rotation(blend_of(body, how, b, k, lane), q, &turned);
		subtract_turned(&T, pose->offset + (b * 6 + 3) * LM_LANES + lane, c);
		put_map_fields(tile + (LM_MAP + LM_MATRIX * k) * LM_ROW, &T, NULL);
		for (int i = 0; i < 3; ++i)
			for (int j = 0; j < 3; ++j)
				sum.m[i][j] += T.m[i][j];
	}
	return sum;
}

#endif
