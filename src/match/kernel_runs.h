// kernel_runs.h: sums over the rings of LM_RUN regions at once, where rings are runs (runs.c): a run is a load from
// each field, in which the lanes that it lacks are masked. The sums are those of kernel_members.h.
#ifndef LM_MATCH_KERNEL_RUNS_H
#define LM_MATCH_KERNEL_RUNS_H

#include "match/kernel_vector.h"

typedef float vr_unaligned __attribute__((vector_size(4 * LM_RUN_W), aligned(4)));

LM_INLINE vr load_run(const float* p)
{
	return *(const vr_unaligned*)p;
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

typedef struct run_list
{
	const lm_match_run *run, *end;
} run_list;

LM_INLINE run_list runs_of(const lm_match* body, int64_t first)
{
	const int32_t* start = body->run_starts + (uint64_t)first / LM_RUN;
	return (run_list){ body->runs + start[0], body->runs + start[1] };
}

// sum[k][j] = sum y_k (z_i - z_r)_j, z in three rows of tiles; with `width` 4 sum[k][3] = sum y_k. One z at a time: 12
// sums, y and z are as much as there is room for in registers.
LM_INLINE void sum_run_moments(const lm_match* body, const float* z, int64_t first, int width, vr sum[3][4])
{
	int part = part_of(first);
	const float *from = body->fields + LM_FIELD_AHEAD * LM_ROW + part, *own = z + lm_match_place_of(first);
	run_list list = runs_of(body, first);
	for (int k = 0; k < 3; ++k)
		for (int j = 0; j < width; ++j)
			sum[k][j] = (vr){ 0 };
	for (; list.run < list.end; ++list.run)
	{
		const float *at = from + list.run->place, *z_at = z + part + list.run->place;
		vri lanes = lanes_of(list.run, part);
		vr y[3];
		for (int k = 0; k < 3; ++k)
			y[k] = (vr)((vri)load_run(at + k * LM_ROW) & lanes);
		for (int j = 0; j < 3; ++j)
		{
			vr q = load_run(z_at + j * LM_ROW) - load_own(own + j * LM_ROW);
			for (int k = 0; k < 3; ++k)
				sum[k][j] += y[k] * q;
		}
		for (int k = 0; width == 4 && k < 3; ++k)
			sum[k][3] += y[k];
	}
}

// The sums of maps that lie in `width` rows for each of x, y, z, in tiles of a wave.
LM_INLINE void sum_run_maps(const lm_match* body, const float* tiles, int64_t first, int width, vr sum[3][4])
{
	int part = part_of(first);
	run_list list = runs_of(body, first);
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < width; ++j)
			sum[i][j] = (vr){ 0 };
	for (; list.run < list.end; ++list.run)
	{
		const float* at = tiles + part + list.run->map_place;
		vr one = (vr)(lanes_of(list.run, part) & (vri)(1 - (vr){ 0 }));
		for (int i = 0; i < 3; ++i)
			for (int j = 0; j < width; ++j)
				sum[i][j] += one * load_run(at + (width * i + j) * LM_ROW);
	}
}

#endif
