// kernel_regions.h: from positions to the goal maps of the regions.
//
// predict   x^ = x + theta h (v - rigid motion of the body): where the damped oscillator wants the matching evaluated
//           (oscillator.c).
// moments   Per particle that a chunk sees, the record m~ x^ (X, 1)^T, relative to the chunk's middle. The sum of the
//           records of a region's members gives its centre and moment M_r (Eq. 1): nothing is multiplied per member.
// strains   When there are examples: the rotation R_r, and what the region says about the weights (project.c). R_r
//           depends on the weights, these on R_r: it is repeated until both agree, which they nearly always do.
// maps      S~_r from the weights (Sec. 4.2); R_r for the goal; T_r = R_r S~_r as an affine map of X.
//
// Departures from the paper: the norm of Eq. 6 (project.c), and the rotation of Eq. 3 is the best one for the shape
// that is matched, argmax tr(R^T M_r S~_r), not that of A_r. Only then is the sum of m~ x_i x g_i zero in each region
// (angular momentum) and the pull the gradient of sum m~ |g_ri - x_i|^2 / 2 for given S~ (no energy comes from
// nowhere). Both agree where S~ = S.
#ifndef LM_MATCH_KERNEL_REGIONS_H
#define LM_MATCH_KERNEL_REGIONS_H

#include "match/kernel_ahead.h"
#include "match/kernel_poses.h"
#include "match/kernel_runs.h"

#define LM_HALF_SQRT 0.70710678118654752f

static void predict(lm_match* body, int64_t begin, int64_t end)
{
	for (int64_t i = begin; i < end; i += LM_W)
	{
		vf x[4], v[4], ahead[4];
		load_columns(body->x + 4 * i, 4, x);
		load_columns(body->v + 4 * i, 4, v);
		look_ahead(&body->pass, x, v, ahead);
		if (body->by_runs)
		{
			float* to = lm_match_tile_of(body, i);
			vf weight = load(to + LM_FIELD_WEIGHT * LM_ROW);
			for (int k = 0; k < 3; ++k)
				store(to + (LM_FIELD_AHEAD + k) * LM_ROW, weight * ahead[k]);
			continue;
		}
		ahead[3] = all(0);
		store_columns(body->ahead + 4 * i, 4, ahead);
	}
}

// Moments of LM_W regions, as fields. Row k of a sum is (sum m~ x_k X^T, sum m~ x_k); it becomes row k of M_r and c_r's
// k-th coordinate.
LM_INLINE void gather_moments(const lm_match* body, int64_t first, const record_table* table, v4 middle, float* fields)
{
	float rows[LM_W][LM_RECORD] __attribute__((aligned(64)));
	sum_rings(body, body->local_weights, first, table, middle, rows);
	vf centre[4], scale[4];
	load_columns(body->shape_centre + 8 * first, 8, centre);
	load_columns(body->shape_centre + 8 * first + 4, 8, scale);
	for (int k = 0; k < 3; ++k)
	{
		vf row[4];
		load_columns(rows[0] + 4 * k, LM_RECORD, row);
		for (int j = 0; j < 3; ++j)
			store(fields + (4 * k + j) * LM_LANES, (row[j] - row[3] * centre[j]) * scale[0]);
		store(fields + (4 * k + 3) * LM_LANES, row[3] * scale[3] + middle[k]);
	}
}

LM_INLINE sym_v example_of(const lm_match* body, int64_t b, int64_t k, int lane)
{
	return symmetric_field(body->examples + (b * body->example_count + k) * 6 * LM_LANES, 0, lane);
}

// S~_r = I + sum_k beta s_k w_k (S_k - I)
LM_INLINE sym_v blend_examples(const lm_match* body, int64_t b, int lane)
{
	sym_v S = { all(0), all(0), all(0), all(0), all(0), all(0) };
	int n = body->pass.descriptors ? body->example_count : 0;
	for (int k = 0; k < n; ++k)
	{
		vf w = blend_of(body, b, k, lane);
		sym_v L = example_of(body, b, k, lane);
		S.xx += w * L.xx, S.yy += w * L.yy, S.zz += w * L.zz;
		S.xy += w * L.xy, S.xz += w * L.xz, S.yz += w * L.yz;
	}
	S.xx += 1, S.yy += 1, S.zz += 1;
	S.xy *= LM_HALF_SQRT, S.xz *= LM_HALF_SQRT, S.yz *= LM_HALF_SQRT;
	return S;
}

// The moment whose best rotation a region takes: with the shape of the last weights.
LM_INLINE mat_v shape_moment(const lm_match* body, int64_t b, int lane)
{
	mat_v M = load_moment(body->moments + b * 12 * LM_LANES, lane);
	if (body->poses != NULL)
		return pose_moment(body, b, lane, &M);
	sym_v S = blend_examples(body, b, lane);
	return times_symmetric(&M, &S);
}

// The regions of a chunk take their best rotations. To find a turn, and to turn by it, are loops of their own: each is
// a long chain of operations that wait for each other, and short bodies let a processor work on several at once.
static void turn_regions(lm_match* body, int64_t begin, int64_t end)
{
	vf turns[LM_CHUNK / LM_W][3];
	first_move moves[LM_CHUNK / LM_W];
	for (int64_t first = begin; first < end; first += LM_W)
	{
		int64_t b = first / LM_LANES, place = (first - begin) / LM_W;
		int lane = (int)(first % LM_LANES);
		mat_v P = shape_moment(body, b, lane);
		quat_v q = load_rotation(body->rotation + b * 4 * LM_LANES, lane);
		moves[place] = find_turn(&P, LM_GOAL_ARRIVED, &q, turns[place]);
	}
	for (int64_t first = begin; first < end; first += LM_W)
	{
		int64_t b = first / LM_LANES, place = (first - begin) / LM_W;
		int lane = (int)(first % LM_LANES);
		quat_v q = load_rotation(body->rotation + b * 4 * LM_LANES, lane);
		if (moves[place] == LM_TURNS)
			turn_little(&q, turns[place], dot3(turns[place], turns[place]));
		else if (moves[place] == LM_CLIMBS)
		{
			mat_v P = shape_moment(body, b, lane);
			climb(&P, LM_GOAL_ARRIVED, &q);
		}
		store_rotation(body->rotation + b * 4 * LM_LANES, lane, &q);
	}
}

// R_r, as it is.
LM_INLINE mat_v rotation_of(const lm_match* body, int64_t b, int lane)
{
	const float* block = body->rotation + b * 4 * LM_LANES;
	quat_v q = { field(block, 0, lane), field(block, 1, lane), field(block, 2, lane), field(block, 3, lane) };
	return rotation_matrix(&q);
}

// How far the regions in these lanes are from rest, as the projection sees it: the symmetric part of R^T M - Aqq, R the
// best rotation for the S~ of the last step. Off-diagonals are times sqrt 2, as those of the examples.
LM_INLINE sym_v measure_strain(const lm_match* body, int64_t b, int lane, const mat_v* M)
{
	const float* shape = body->shape + b * LM_SHAPE_FIELDS * LM_LANES;
	sym_v rest = symmetric_field(shape, LM_SHAPE_MOMENT, lane);
	mat_v R = rotation_of(body, b, lane), S = turn_back(&R, M);
	vf weight = field(shape, LM_SHAPE_WEIGHT, lane), cross = weight * LM_HALF_SQRT;
	return (sym_v){ weight * (S.m[0][0] - rest.xx),
		            weight * (S.m[1][1] - rest.yy),
		            weight * (S.m[2][2] - rest.zz),
		            cross * (S.m[0][1] + S.m[1][0] - 2 * rest.xy),
		            cross * (S.m[0][2] + S.m[2][0] - 2 * rest.xz),
		            cross * (S.m[1][2] + S.m[2][1] - 2 * rest.yz) };
}

// b_k of project.c for regions whose examples are stretches.
LM_INLINE void stretch_dots(const lm_match* body, int64_t b, int lane, vf* dots)
{
	mat_v M = load_moment(body->moments + b * 12 * LM_LANES, lane);
	sym_v S = measure_strain(body, b, lane, &M);
	for (int64_t k = 0; k < body->example_count; ++k)
	{
		sym_v L = example_of(body, b, k, lane);
		dots[k] = L.xx * S.xx + L.yy * S.yy + L.zz * S.zz + L.xy * S.xy + L.xz * S.xz + L.yz * S.yz;
	}
}

// And where they are poses: L_k : R^T M is R : N_k there.
LM_INLINE void pose_dots(const lm_match* body, int64_t b, int lane, vf* dots)
{
	mat_v R = rotation_of(body, b, lane);
	vf weight = field(body->shape + b * LM_SHAPE_FIELDS * LM_LANES, LM_SHAPE_WEIGHT, lane);
	for (int64_t k = 0; k < body->example_count; ++k)
	{
		mat_v N = load_moved(&body->poses[k], b, lane);
		vf sum = -load(body->poses[k].at_rest + b * LM_LANES + lane);
		for (int i = 0; i < 3; ++i)
			sum += R.m[i][0] * N.m[i][0] + R.m[i][1] * N.m[i][1] + R.m[i][2] * N.m[i][2];
		dots[k] = weight * sum;
	}
}

// b_k of project.c, of each region and summed over the chunk.
static void strains(lm_match* body, int64_t begin, int64_t end)
{
	int64_t n = body->example_count;
	vf sums[LM_EXAMPLES], dots[LM_EXAMPLES];
	for (int64_t k = 0; k < n; ++k)
		sums[k] = all(0);
	turn_regions(body, begin, end);
	for (int64_t first = begin; first < end; first += LM_W)
	{
		int64_t b = first / LM_LANES;
		int lane = (int)(first % LM_LANES);
		if (body->poses == NULL)
			stretch_dots(body, b, lane, dots);
		else
			pose_dots(body, b, lane, dots);
		for (int64_t k = 0; k < n; ++k)
		{
			if (body->dots != NULL)
				store(body->dots + (b * n + k) * LM_LANES + lane, dots[k]);
			sums[k] += dots[k];
		}
	}
	for (int64_t k = 0; k < n; ++k)
		body->dot_sums[begin / LM_CHUNK * n + k] = sum_lanes(sums[k]);
}

// Moments of all regions of a chunk, by its table of records.
static void sum_chunk_by_table(lm_match* body, int64_t begin, int64_t end)
{
	int64_t chunk = begin / LM_CHUNK;
	record_table table;
	bool small = fits_table(body, chunk);
	v4 middle = load4(body->ahead + 4 * (int64_t)body->chunk_middle[chunk]);
	if (small)
		fill_records(body, body->local_weights, chunk, middle, &table);
	for (int64_t first = begin; first < end; first += LM_W)
		gather_moments(body, first, small ? &table : NULL, middle,
		               body->moments + first / LM_LANES * 12 * LM_LANES + first % LM_LANES);
	for (int k = 0; body->poses != NULL && k < body->example_count; ++k)
		move_moments(body, &body->poses[k], begin, end, middle, small ? &table : NULL);
}

static void sum_chunk_by_runs(lm_match* body, int64_t begin, int64_t end)
{
	for (int64_t first = begin; first < end; first += LM_RUN_W)
		sum_moments(body, first, body->moments + first / LM_LANES * 12 * LM_LANES + first % LM_LANES);
	for (int k = 0; body->poses != NULL && k < body->example_count; ++k)
	{
		for (int64_t first = begin; first < end; first += LM_RUN_W)
			sum_pose_moments(body, k, first);
		for (int64_t first = begin; first < end; first += LM_W)
			turn_moved(body, &body->poses[k], first / LM_LANES, (int)(first % LM_LANES));
	}
}

static void moments(lm_match* body, int64_t begin, int64_t end)
{
	vf lowest = all(1e30f);
	(body->by_runs ? sum_chunk_by_runs : sum_chunk_by_table)(body, begin, end);
	for (int64_t first = begin; first < end; first += LM_W)
	{
		int64_t b = first / LM_LANES;
		int lane = (int)(first % LM_LANES);
		mat_v M = load_moment(body->moments + b * 12 * LM_LANES, lane);
		vf floor = field(body->shape + b * LM_SHAPE_FIELDS * LM_LANES, LM_SHAPE_FLOOR, lane);
		lowest = vmin(lowest, determinant(&M) - floor);
	}
	float low = lowest[0];
	for (int l = 1; l < LM_W; ++l)
		low = lowest[l] < low ? lowest[l] : low;
	body->lowest[begin / LM_CHUNK] = low;
	if (body->pass.descriptors)
		strains(body, begin, end);
}

// Inverted and collapsed regions take the rotation of the body as a whole.
LM_INLINE void set_upright(const float upright[4], vi mask, quat_v* q)
{
	q->w = choose(mask, all(upright[0]), q->w);
	q->x = choose(mask, all(upright[1]), q->x);
	q->y = choose(mask, all(upright[2]), q->y);
	q->z = choose(mask, all(upright[3]), q->z);
}

// The goal maps of the regions in these lanes, once their rotation is known.
LM_INLINE void set_maps(lm_match* body, int64_t b, int lane, const mat_v* R, const sym_v* S)
{
	const float *centre = body->rest_centre + b * 3 * LM_LANES + lane,
				*block = body->moments + b * 12 * LM_LANES + lane;
	int64_t first = b * LM_LANES + lane;
	vf c[3] = { load(block + 3 * LM_LANES), load(block + 7 * LM_LANES), load(block + 11 * LM_LANES) };
	mat_v T;
	if (body->poses == NULL)
		T = times_symmetric(R, S);
	else
		T = body->by_runs ? set_pose_fields(body, b, lane, R, c) : set_pose_records(body, b, lane, R, c);
	subtract_turned(&T, centre, c);
	if (body->by_runs)
		put_map_fields(lm_match_tile_of(body, first) + LM_FIELD_MAP * LM_ROW, &T, c);
	else
		put_map_records(body->maps + LM_MAP * first, &T, c);
}

// Inverted and collapsed regions of a chunk take the rotation of the body as a whole.
static void set_chunk_upright(lm_match* body, int64_t begin, int64_t end)
{
	for (int64_t first = begin; first < end; first += LM_W)
	{
		int64_t b = first / LM_LANES;
		int lane = (int)(first % LM_LANES);
		mat_v M = load_moment(body->moments + b * 12 * LM_LANES, lane);
		vf floor = field(body->shape + b * LM_SHAPE_FIELDS * LM_LANES, LM_SHAPE_FLOOR, lane);
		quat_v q = load_rotation(body->rotation + b * 4 * LM_LANES, lane);
		set_upright(body->upright, determinant(&M) < floor, &q);
		store_rotation(body->rotation + b * 4 * LM_LANES, lane, &q);
	}
}

static void maps(lm_match* body, int64_t begin, int64_t end)
{
	turn_regions(body, begin, end);
	if (body->pass.inverted)
		set_chunk_upright(body, begin, end);
	for (int64_t first = begin; first < end; first += LM_W)
	{
		int64_t b = first / LM_LANES;
		int lane = (int)(first % LM_LANES);
		mat_v R = rotation_of(body, b, lane);
		sym_v S = { 0 };
		if (body->poses == NULL)
			S = blend_examples(body, b, lane);
		set_maps(body, b, lane, &R, &S);
	}
}

#endif
