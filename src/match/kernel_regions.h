// kernel_regions.h: from positions to the moments of the regions.
//
// predict   x^ = x + theta h (v - rigid motion of the body): where the damped oscillator wants the matching evaluated
//           (oscillator.c).
// moments   Per particle that a chunk sees, the record m~ x^ (X, 1)^T, relative to the chunk's middle. The sum of the
//           records of a region's members gives its centre and moment M_r (Eq. 1): nothing is multiplied per member.
//           What else is to be known of a moment is found at once (kernel_strains.h): it is not kept.
#ifndef LM_MATCH_KERNEL_REGIONS_H
#define LM_MATCH_KERNEL_REGIONS_H

#include "match/kernel_ahead.h"
#include "match/kernel_runs.h"
#include "match/kernel_strains.h"

static void predict(lm_match* body, int64_t begin, int64_t end)
{
	for (int64_t i = begin; i < end; i += LM_W)
	{
		vf x[3], v[3], ahead[4];
		load_particles(body->x, i, x);
		load_particles(body->v, i, v);
		look_ahead(&body->pass, x, v, ahead);
		if (body->by_runs)
		{
			float* to = body->fields + lm_match_place_of(i);
			vf weight = load(to + LM_FIELD_WEIGHT * LM_ROW);
			for (int k = 0; k < 3; ++k)
				store(to + (LM_FIELD_AHEAD + k) * LM_ROW, weight * ahead[k]);
			continue;
		}
		ahead[3] = all(0);
		store_columns(body->ahead + 4 * i, 4, ahead);
	}
}

// Moments and centres of LM_W regions. Row k of a sum is (sum m~ x_k X^T, sum m~ x_k); it becomes row k of M_r and
// c_r's k-th coordinate.
LM_INLINE void gather_moments(const lm_match* body, int64_t first, const record_table* table, v4 middle, float* moments)
{
	float rows[LM_W][LM_RECORD] __attribute__((aligned(64)));
	sum_rings(body, body->local_weights, first, table, middle, rows);
	float* centres = body->centres + lm_match_block_of(first) * 3 * LM_LANES + lm_match_lane_of(first);
	vf centre[4], scale[4];
	load_columns(body->shape_centre + 8 * first, 8, centre);
	load_columns(body->shape_centre + 8 * first + 4, 8, scale);
	for (int k = 0; k < 3; ++k)
	{
		vf row[4];
		load_columns(rows[0] + 4 * k, LM_RECORD, row);
		for (int j = 0; j < 3; ++j)
			store(moments + (3 * k + j) * LM_LANES, (row[j] - row[3] * centre[j]) * scale[0]);
		store(centres + k * LM_LANES, row[3] * scale[3] + middle[k]);
	}
}

// Moments of all regions of a chunk, by its table of records.
static void sum_chunk_by_table(const lm_match* body, int64_t begin, int64_t end, chunk_sums* sums)
{
	int64_t chunk = begin / LM_CHUNK;
	record_table table;
	bool small = fits_table(body, chunk);
	v4 middle = load4(body->ahead + 4 * (int64_t)body->chunk_middle[chunk]);
	if (small)
		fill_records(body, body->local_weights, chunk, middle, &table);
	for (int64_t first = begin; first < end; first += LM_W)
		gather_moments(body, first, small ? &table : NULL, middle, sums->moment + sum_place(sums, first));
	for (int k = 0; body->poses != NULL && k < body->example_count; ++k)
		move_moments(body, k, begin, end, middle, small ? &table : NULL, sums);
}

static void sum_chunk_by_runs(const lm_match* body, int64_t begin, int64_t end, chunk_sums* sums)
{
	for (int64_t first = begin; first < round_up(end); first += LM_RUN_W)
		sum_moments(body, first, sums->moment + sum_place(sums, first));
	for (int k = 0; body->poses != NULL && k < body->example_count; ++k)
	{
		for (int64_t first = begin; first < round_up(end); first += LM_RUN_W)
			sum_pose_moments(body, k, first, sums->moved[k] + sum_place(sums, first));
		for (int64_t first = begin; first < end; first += LM_W)
			turn_moved(body, k, first, sums);
	}
}

static void moments(lm_match* body, int64_t begin, int64_t end)
{
	chunk_sums sums;
	open_sums(body, begin, &sums);
	(body->by_runs ? sum_chunk_by_runs : sum_chunk_by_table)(body, begin, end, &sums);
	ask_chunk(body, begin, end, &sums);
}

#endif
