// kernel_regions.h: from positions to the goal maps of the regions.
//
// predict   x^ = x + theta h (v - rigid motion of the body): where the damped oscillator wants the matching evaluated
//           (oscillator.c), and per particle the record m~ x^ (X, 1)^T.
// moments   The sum of the records of a region's members gives its centre and moment M_r: nothing is multiplied per
//           member. In double precision, since the sum is large compared with what is left after taking the centres
//           away. Then, when there are examples, A_r = M_r B_r, R_r, S_r = R_r^T A_r + D_r and its products with the
//           examples (Eq. 1, 6).
// maps      S~_r from the weights (Sec. 4.2); R_r for the goal; T_r = R_r S~_r as an affine map of X.
//
// Departure from the paper: the rotation of Eq. 3 is the best one for the shape that is matched, argmax tr(R^T M_r
// S~_r), not that of A_r. Only then is the sum of m~ x_i x g_i zero in each region (angular momentum) and the pull the
// gradient of sum m~ |g_ri - x_i|^2 / 2 for given S~ (no energy comes from nowhere). Both agree where S~ = S.
#ifndef LM_MATCH_KERNEL_REGIONS_H
#define LM_MATCH_KERNEL_REGIONS_H

#include "match/kernel_rotation.h"

#define LM_HALF_SQRT 0.70710678118654752f

static void predict(lm_match* body, int64_t begin, int64_t end)
{
	const lm_match_pass* pass = &body->pass;
	v4 c0 = load4(pass->ahead[0]), c1 = load4(pass->ahead[1]), c2 = load4(pass->ahead[2]), c3 = load4(pass->ahead[3]);
	v4 centre = load4(pass->centre);
	for (int64_t i = begin; i < end; ++i)
	{
		v4 x = load4(body->x + 4 * i), v = load4(body->v + 4 * i), xc = x - centre;
		v4 ahead = x + (pass->ahead_v * v + c0 * xc[0] + c1 * xc[1] + c2 * xc[2] + c3);
		store4(body->ahead + 4 * i, ahead);
		const vd* weight = (const vd*)(body->rest_moment + 4 * i);
		vd* record = (vd*)(body->records + LM_RECORD * i);
		for (int k = 0; k < 3; ++k)
			for (int j = 0; j < 4 / LM_DW; ++j)
				record[k * (4 / LM_DW) + j] = weight[j] * all_d((double)ahead[k]);
	}
}

// Sum of the records of region r's members.
LM_INLINE void sum_records(const lm_match* body, int64_t r, vd sum[LM_RECORD / LM_DW])
{
	vd other[LM_RECORD / LM_DW];
	for (int j = 0; j < LM_RECORD / LM_DW; ++j)
		sum[j] = other[j] = all_d(0);
	const int32_t *member = body->members + body->starts[r], *last = body->members + body->starts[r + 1];
	const double* records = body->records;
	for (; member + 1 < last; member += 2) // two at a time, since an addition takes several cycles
	{
		const vd* a = (const vd*)(records + LM_RECORD * (int64_t)member[0]);
		const vd* b = (const vd*)(records + LM_RECORD * (int64_t)member[1]);
		for (int j = 0; j < LM_RECORD / LM_DW; ++j)
			sum[j] += a[j], other[j] += b[j];
	}
	if (member < last)
	{
		const vd* a = (const vd*)(records + LM_RECORD * (int64_t)member[0]);
		for (int j = 0; j < LM_RECORD / LM_DW; ++j)
			sum[j] += a[j];
	}
	for (int j = 0; j < LM_RECORD / LM_DW; ++j)
		sum[j] += other[j];
}

// Row k of the sum is (sum m~ x_k X^T, sum m~ x_k); it becomes row k of M_r and c_r's k-th coordinate, as floats.
LM_INLINE void finish_moment(const lm_match* body, int64_t r, const vd sum[LM_RECORD / LM_DW], float rows[3][4])
{
	const vd* centre = (const vd*)(body->shape_centre + 8 * r);
	const vd* scale = centre + 4 / LM_DW;
	for (int k = 0; k < 3; ++k)
	{
		const vd* row = sum + k * (4 / LM_DW);
		vd weight = all_d(row[4 / LM_DW - 1][LM_DW - 1]);
		for (int j = 0; j < 4 / LM_DW; ++j)
		{
			vd finished = (row[j] - weight * centre[j]) * scale[j];
			for (int l = 0; l < LM_DW; ++l)
				rows[k][j * LM_DW + l] = (float)finished[l];
		}
	}
}

// Moments of the regions of a block, as fields.
LM_INLINE void gather_block(const lm_match* body, int64_t first, float* block)
{
	for (int lane = 0; lane < LM_LANES; lane += 4)
	{
		float rows[4][3][4] __attribute__((aligned(16)));
		for (int l = 0; l < 4; ++l)
		{
			vd sum[LM_RECORD / LM_DW];
			sum_records(body, first + lane + l, sum);
			finish_moment(body, first + lane + l, sum, rows[l]);
		}
		for (int k = 0; k < 3; ++k)
		{
			v4 a = load4(rows[0][k]), b = load4(rows[1][k]), c = load4(rows[2][k]), d = load4(rows[3][k]);
			transpose4(&a, &b, &c, &d);
			store4(block + (4 * k) * LM_LANES + lane, a);
			store4(block + (4 * k + 1) * LM_LANES + lane, b);
			store4(block + (4 * k + 2) * LM_LANES + lane, c);
			store4(block + (4 * k + 3) * LM_LANES + lane, d);
		}
	}
}

LM_INLINE mat_v load_moment(const float* block, int lane)
{
	mat_v M;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			M.m[i][j] = field(block, 4 * i + j, lane);
	return M;
}

// S_r - I of the regions in these lanes, off-diagonals times sqrt 2 so that dot products are those of matrices.
LM_INLINE sym_v descriptor(const float* shape, float* rotation, int lane, const mat_v* M)
{
	sym_v B = symmetric_field(shape, LM_SHAPE_B, lane), D = symmetric_field(shape, LM_SHAPE_D, lane);
	mat_v A = times_symmetric(M, &B);
	quat_v q = load_rotation(rotation, lane);
	climb(&A, &q);
	store_rotation(rotation, lane, &q);
	mat_v R = rotation_matrix(&q), S = turn_back(&R, &A);
	return (sym_v){ S.m[0][0] + D.xx - 1,
		            S.m[1][1] + D.yy - 1,
		            S.m[2][2] + D.zz - 1,
		            LM_HALF_SQRT * (S.m[0][1] + S.m[1][0]) + 2 * LM_HALF_SQRT * D.xy,
		            LM_HALF_SQRT * (S.m[0][2] + S.m[2][0]) + 2 * LM_HALF_SQRT * D.xz,
		            LM_HALF_SQRT * (S.m[1][2] + S.m[2][1]) + 2 * LM_HALF_SQRT * D.yz };
}

static void moments(lm_match* body, int64_t begin, int64_t end)
{
	int n = body->pass.descriptors ? body->example_count : 0;
	vf lowest = all(1e30f), sums[LM_EXAMPLES];
	for (int k = 0; k < n; ++k)
		sums[k] = all(0);
	for (int64_t first = begin; first < end; first += LM_LANES)
	{
		int64_t b = first / LM_LANES;
		float* block = body->moments + b * 12 * LM_LANES;
		const float* shape = body->shape + b * LM_SHAPE_FIELDS * LM_LANES;
		gather_block(body, first, block);
		for (int lane = 0; lane < LM_LANES; lane += LM_W)
		{
			mat_v M = load_moment(block, lane);
			lowest = vmin(lowest, determinant(&M) - field(shape, LM_SHAPE_FLOOR, lane));
			if (n == 0)
				continue;
			sym_v S = descriptor(shape, body->rotation + b * 4 * LM_LANES, lane, &M);
			for (int k = 0; k < n; ++k)
			{
				sym_v L = symmetric_field(body->examples + (b * n + k) * 6 * LM_LANES, 0, lane);
				vf dot = L.xx * S.xx + L.yy * S.yy + L.zz * S.zz + L.xy * S.xy + L.xz * S.xz + L.yz * S.yz;
				if (body->dots != NULL)
					store(body->dots + (b * n + k) * LM_LANES + lane, dot);
				sums[k] += dot;
			}
		}
	}
	for (int k = 0; k < n; ++k)
		body->dot_sums[begin / LM_CHUNK * n + k] = sum_lanes(sums[k]);
	float low = lowest[0];
	for (int l = 1; l < LM_W; ++l)
		low = lowest[l] < low ? lowest[l] : low;
	body->lowest[begin / LM_CHUNK] = low;
}

// S~_r = I + sum_k beta s_k w_k (S_k - I)
LM_INLINE sym_v blend_examples(const lm_match* body, int64_t b, int lane)
{
	sym_v S = { all(0), all(0), all(0), all(0), all(0), all(0) };
	int n = body->pass.descriptors ? body->example_count : 0;
	for (int k = 0; k < n; ++k)
	{
		vf w = body->pass.blend_per_region ? load(body->blend + (b * n + k) * LM_LANES + lane)
		                                   : all(body->pass.blend_all[k]);
		sym_v L = symmetric_field(body->examples + (b * n + k) * 6 * LM_LANES, 0, lane);
		S.xx += w * L.xx, S.yy += w * L.yy, S.zz += w * L.zz;
		S.xy += w * L.xy, S.xz += w * L.xz, S.yz += w * L.yz;
	}
	S.xx += 1, S.yy += 1, S.zz += 1;
	S.xy *= LM_HALF_SQRT, S.xz *= LM_HALF_SQRT, S.yz *= LM_HALF_SQRT;
	return S;
}

// Inverted and collapsed regions take the rotation of the body as a whole.
LM_INLINE void set_upright(const float upright[4], vi mask, quat_v* q)
{
	q->w = choose(mask, all(upright[0]), q->w);
	q->x = choose(mask, all(upright[1]), q->x);
	q->y = choose(mask, all(upright[2]), q->y);
	q->z = choose(mask, all(upright[3]), q->z);
}

// The map X -> T (X - c0) + c by columns, from fields to one record per region.
LM_INLINE void store_maps(const mat_v* T, const vf t[3], float* maps)
{
	float fields[4][4][LM_W] __attribute__((aligned(64)));
	for (int j = 0; j < 3; ++j)
	{
		for (int i = 0; i < 3; ++i)
			store(fields[j][i], T->m[i][j]);
		store(fields[j][3], all(0));
		store(fields[3][j], t[j]);
	}
	store(fields[3][3], all(0));
	for (int lane = 0; lane < LM_W; lane += 4)
		for (int j = 0; j < 4; ++j)
		{
			v4 a = load4(fields[j][0] + lane), b = load4(fields[j][1] + lane), c = load4(fields[j][2] + lane);
			v4 d = load4(fields[j][3] + lane);
			transpose4(&a, &b, &c, &d);
			store4(maps + LM_MAP * lane + 4 * j, a);
			store4(maps + LM_MAP * (lane + 1) + 4 * j, b);
			store4(maps + LM_MAP * (lane + 2) + 4 * j, c);
			store4(maps + LM_MAP * (lane + 3) + 4 * j, d);
		}
}

static void maps(lm_match* body, int64_t begin, int64_t end)
{
	const lm_match_pass* pass = &body->pass;
	for (int64_t first = begin; first < end; first += LM_LANES)
	{
		int64_t b = first / LM_LANES;
		const float* block = body->moments + b * 12 * LM_LANES;
		const float* shape = body->shape + b * LM_SHAPE_FIELDS * LM_LANES;
		for (int lane = 0; lane < LM_LANES; lane += LM_W)
		{
			mat_v M = load_moment(block, lane);
			sym_v S = blend_examples(body, b, lane);
			mat_v P = times_symmetric(&M, &S);
			quat_v q = load_rotation(body->rotation + b * 4 * LM_LANES, lane);
			climb(&P, &q);
			if (pass->inverted)
				set_upright(body->upright, determinant(&M) < field(shape, LM_SHAPE_FLOOR, lane), &q);
			store_rotation(body->rotation + b * 4 * LM_LANES, lane, &q);
			mat_v R = rotation_matrix(&q), T = times_symmetric(&R, &S);
			vf t[3];
			for (int i = 0; i < 3; ++i)
				t[i] = field(block, 4 * i + 3, lane) -
				       (T.m[i][0] * field(shape, LM_SHAPE_C, lane) + T.m[i][1] * field(shape, LM_SHAPE_C + 1, lane) +
				        T.m[i][2] * field(shape, LM_SHAPE_C + 2, lane));
			store_maps(&T, t, body->maps + LM_MAP * (first + lane));
		}
	}
}

#endif
