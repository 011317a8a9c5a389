// kernel_runs.h: sums over the rings of LM_RUN regions at once, where rings are runs (runs.c): a run is a load from
// each field, and where it has all lanes nothing else. With y_i = m~_i x^_i, q_i = X_i - X_r and d_r = c0_r - X_r
//
//   M_r = sum y_i (X_i - c0_r)^T = sum y_i q_i^T - (sum y_i) d_r^T,   c_r = sum y_i / sum m~_i
//
// and likewise U = sum y_i (u_i - mean of u)^T of an example that is a pose (kernel_poses.h). q is small and exact, so
// that single precision loses no more than the positions themselves have lost.
#ifndef LM_MATCH_KERNEL_RUNS_H
#define LM_MATCH_KERNEL_RUNS_H

#include "match/kernel_vector.h"

// Lanes that are worked on at once: those of a run, or half of them.
#define LM_RUN_W (LM_W < LM_RUN ? LM_W : LM_RUN)
typedef float vr __attribute__((vector_size(4 * LM_RUN_W)));
typedef int32_t vri __attribute__((vector_size(4 * LM_RUN_W)));
typedef float vr_unaligned __attribute__((vector_size(4 * LM_RUN_W), aligned(4)));

// Where loops by LM_RUN_W end: they fill whole vectors of LM_W, since other loops read those. Lanes behind the last
// region have no runs, so that their sums are 0.
LM_INLINE int64_t round_up(int64_t end)
{
	return (end + LM_W - 1) / LM_W * LM_W;
}

LM_INLINE vr load_run(const float* p)
{
	return *(const vr_unaligned*)p;
}

LM_INLINE vr load_own(const float* p)
{
	return *(const vr*)p;
}

LM_INLINE void store_own(float* p, vr a)
{
	*(vr*)p = a;
}

// The first lane of a run that those from `first` on are.
LM_INLINE int part_of(int64_t first)
{
	return LM_RUN_W == LM_RUN ? 0 : (int)((uint64_t)first % LM_RUN);
}

// The lanes of a run, from lane `part` on.
LM_INLINE vri lanes_of(const lm_match_run* run, int part)
{
#if LM_RUN_W == 4
	const vri bits = { 1, 2, 4, 8 };
#else
	const vri bits = { 1, 2, 4, 8, 16, 32, 64, 128 };
#endif
	int32_t lanes = (int32_t)(run->lanes >> part);
	return ((lanes - (vri){ 0 }) & bits) == bits;
}

// A run of field k; `at` is its place of field 0.
LM_INLINE vr load_run_field(const float* at, int k)
{
	return load_run(at + k * LM_ROW);
}

// The runs of LM_RUN regions: those before `full` are even and have all lanes, those before `even` are even.
typedef struct run_list
{
	const lm_match_run *run, *full, *even, *end;
	const float* offset;
} run_list;

LM_INLINE run_list runs_of(const lm_match* body, int64_t first)
{
	const int32_t* start = body->run_starts + (uint64_t)first / LM_RUN * LM_RUN_KINDS;
	return (run_list){ body->runs + start[0], body->runs + start[1], body->runs + start[2],
		               body->runs + start[LM_RUN_KINDS], body->run_offsets + 3 * (int64_t)start[0] };
}

// In a large body what is next is not in any cache yet, and the processor cannot guess where the rows of the next tile
// are: asks for `count` of them, of particle i, once per cache line of those that `first` goes through.
LM_INLINE void fetch(const lm_match* body, const float* rows, int64_t first, int64_t i, int count)
{
	if (!body->large || lm_match_lane_of(first) != 0)
		return;
	const float* at = rows + lm_match_place_of(i < body->count ? i : body->count - 1);
	for (int k = 0; k < count; ++k)
		__builtin_prefetch(at + k * LM_ROW);
}

// y of a run, 0 in lanes that it has not.
LM_INLINE void load_weighted(const float* at, vri lanes, bool all_lanes, vr y[3])
{
	for (int k = 0; k < 3; ++k)
		y[k] = all_lanes ? load_run_field(at, LM_FIELD_AHEAD + k)
		                 : (vr)((vri)load_run_field(at, LM_FIELD_AHEAD + k) & lanes);
}

// Rows k of sum: sum y_k q^T, sum y_k. One q at a time: 12 sums, y and q are as much as there is room for in registers.
LM_INLINE void add_even_run(vr sum[12], const float* at, const float* offset, vri lanes, bool all_lanes)
{
	vr y[3];
	load_weighted(at, lanes, all_lanes, y);
	for (int j = 0; j < 3; ++j)
		for (int k = 0; k < 3; ++k)
			sum[4 * k + j] += y[k] * offset[j];
	for (int k = 0; k < 3; ++k)
		sum[4 * k + 3] += y[k];
}

LM_INLINE void add_run(vr sum[12], const float* at, const float* own, vri lanes)
{
	vr y[3];
	load_weighted(at, lanes, false, y);
	for (int j = 0; j < 3; ++j)
	{
		vr q = load_run_field(at, LM_FIELD_X + j) - load_own(own + (LM_FIELD_X + j) * LM_ROW);
		for (int k = 0; k < 3; ++k)
			sum[4 * k + j] += y[k] * q;
	}
	for (int k = 0; k < 3; ++k)
		sum[4 * k + 3] += y[k];
}

// Moments and centres of the regions from `first` on, LM_RUN_W of them, as fields.
LM_INLINE void sum_moments(const lm_match* body, int64_t first, float* moments)
{
	float* centres = body->centres + lm_match_block_of(first) * 3 * LM_LANES + lm_match_lane_of(first);
	int part = part_of(first);
	const float *from = body->fields + part, *own = body->fields + lm_match_place_of(first);
	run_list list = runs_of(body, first);
	if (body->large)
	{
		fetch(body, body->fields, first, first + body->reach + LM_AHEAD, 6); // runs lead ahead by `reach`
		fetch_block(body, body->shape, lm_match_block_of(first), LM_SHAPE_FIELDS, 0, LM_SHAPE_FIELDS,
		            lm_match_lane_of(first));
		fetch_block(body, body->rotation, lm_match_block_of(first), 4, 0, 4, lm_match_lane_of(first));
	}
	vr sum[12];
	for (int k = 0; k < 12; ++k)
		sum[k] = (vr){ 0 };
	for (; list.run < list.full; ++list.run, list.offset += 3)
		add_even_run(sum, from + list.run->place, list.offset, (vri){ 0 }, true);
	for (; list.run < list.even; ++list.run, list.offset += 3)
		add_even_run(sum, from + list.run->place, list.offset, lanes_of(list.run, part), false);
	for (; list.run < list.end; ++list.run)
		add_run(sum, from + list.run->place, own, lanes_of(list.run, part));
	const float* shape = body->shape + lm_match_block_of(first) * LM_SHAPE_FIELDS * LM_LANES + lm_match_lane_of(first);
	vr scale = load_own(shape + LM_SHAPE_SCALE * LM_LANES), mass = load_own(shape + LM_SHAPE_MASS * LM_LANES);
	for (int k = 0; k < 3; ++k)
	{
		for (int j = 0; j < 3; ++j)
		{
			vr d = load_own(shape + (LM_SHAPE_OFFSET + j) * LM_LANES);
			store_own(moments + (3 * k + j) * LM_LANES, (sum[4 * k + j] - sum[4 * k + 3] * d) * scale);
		}
		store_own(centres + k * LM_LANES, sum[4 * k + 3] * mass);
	}
}

// Rows k of sum: sum y_k (u_i - u_r)^T.
LM_INLINE void add_pose_moment(vr sum[LM_MATRIX], const float* at, const float* pose_at, const float* own, vri lanes,
                               bool all_lanes)
{
	vr y[3];
	load_weighted(at, lanes, all_lanes, y);
	for (int j = 0; j < 3; ++j)
	{
		vr q = load_run_field(pose_at, j) - load_own(own + j * LM_ROW);
		for (int k = 0; k < 3; ++k)
			sum[3 * k + j] += y[k] * q;
	}
}

// U of the regions from `first` on, LM_RUN_W of them, to `moved`; after their moments.
LM_INLINE void sum_pose_moments(const lm_match* body, int example, int64_t first, float* moved)
{
	const lm_match_pose* pose = &body->poses[example];
	int part = part_of(first);
	const float *from = body->fields + part, *pose_from = pose->fields + part;
	const float* own = pose->fields + lm_match_place_of(first);
	run_list list = runs_of(body, first);
	fetch(body, pose->fields, first, first + body->reach + LM_AHEAD, LM_POSE_FIELDS);
	fetch_block(body, pose->offset, lm_match_block_of(first), 6, 0, 3, lm_match_lane_of(first));
	fetch_block(body, pose->chunk_turn, lm_match_block_of(first), 4, 0, 4, lm_match_lane_of(first));
	vr sum[LM_MATRIX];
	for (int k = 0; k < LM_MATRIX; ++k)
		sum[k] = (vr){ 0 };
	for (; list.run < list.full; ++list.run)
		add_pose_moment(sum, from + list.run->place, pose_from + list.run->place, own, (vri){ 0 }, true);
	for (; list.run < list.end; ++list.run)
		add_pose_moment(sum, from + list.run->place, pose_from + list.run->place, own, lanes_of(list.run, part), false);
	int64_t b = lm_match_block_of(first), lane = lm_match_lane_of(first);
	vr scale = load_own(body->shape + (b * LM_SHAPE_FIELDS + LM_SHAPE_SCALE) * LM_LANES + lane);
	for (int k = 0; k < 3; ++k)
	{
		vr centre = load_own(body->centres + (b * 3 + k) * LM_LANES + lane);
		for (int j = 0; j < 3; ++j)
		{
			vr offset = load_own(pose->offset + (b * 6 + j) * LM_LANES + lane);
			store_own(moved + (3 * k + j) * LM_LANES, (sum[3 * k + j] - centre * offset) * scale);
		}
	}
}

// Sums of `count` rows from `row` on of the maps of a wave.
LM_INLINE void sum_maps_of(const lm_match* body, const lm_match_wave* wave, int64_t first, int row, int count, vr* sum)
{
	int part = part_of(first);
	const float* tiles = wave->tiles + row * LM_ROW + part;
	run_list list = runs_of(body, first);
	for (int k = 0; k < count; ++k)
		sum[k] = (vr){ 0 };
	for (; list.run < list.full; ++list.run)
	{
		const float* at = tiles + list.run->map_place;
		for (int k = 0; k < count; ++k)
			sum[k] += load_run_field(at, k);
	}
	for (; list.run < list.end; ++list.run)
	{
		const float* at = tiles + list.run->map_place;
		vr one = (vr)(lanes_of(list.run, part) & (vri)(1 - (vr){ 0 }));
		for (int k = 0; k < count; ++k)
			sum[k] += one * load_run_field(at, k);
	}
}

// Goals of the particles from `first` on, LM_RUN_W of them: three rows of LM_CHUNK.
LM_INLINE void sum_goals(const lm_match* body, const lm_match_wave* wave, int64_t first, float* goal)
{
	const float* own = body->fields + lm_match_place_of(first);
	vr sum[LM_MAP], X[3], g[3], share = load_own(own + LM_FIELD_SHARE * LM_ROW);
	fetch(body, body->fields + LM_FIELD_X * LM_ROW, first, first + LM_AHEAD, LM_FIELDS - LM_FIELD_X);
	sum_maps_of(body, wave, first, 0, LM_MAP, sum);
	for (int j = 0; j < 3; ++j)
		X[j] = load_own(own + (LM_FIELD_X + j) * LM_ROW);
	for (int i = 0; i < 3; ++i)
		g[i] = sum[LM_MATRIX + i] + sum[3 * i] * X[0] + sum[3 * i + 1] * X[1] + sum[3 * i + 2] * X[2];
	for (int k = 0; body->poses != NULL && k < body->example_count; ++k)
	{
		if (!body->pass.blend_per_region && body->pass.blend_all[k] == 0)
			continue;
		const float* u = body->poses[k].fields + lm_match_place_of(first);
		fetch(body, body->poses[k].fields, first, first + LM_AHEAD, LM_POSE_FIELDS);
		sum_maps_of(body, wave, first, LM_MAP + LM_MATRIX * k, LM_MATRIX, sum);
		for (int j = 0; j < 3; ++j)
			X[j] = load_own(u + j * LM_ROW);
		for (int i = 0; i < 3; ++i)
			g[i] += sum[3 * i] * X[0] + sum[3 * i + 1] * X[1] + sum[3 * i + 2] * X[2];
	}
	for (int i = 0; i < 3; ++i)
		store_own(goal + i * LM_CHUNK, g[i] * share);
}

#endif
