// kernel_regions.h: from positions to the moments of the regions.
//
// predict   x^ = x + theta h (v - rigid motion of the body): where the damped oscillator wants the matching evaluated
//           (oscillator.c).
// moments   Centres and moments M_r (Eq. 1) are sums over rings (kernel_rings.h). What later passes need of a moment is
//           found at once (kernel_strains.h): moments are not kept.
#ifndef LM_MATCH_KERNEL_REGIONS_H
#define LM_MATCH_KERNEL_REGIONS_H

#include "match/kernel_ahead.h"
#include "match/kernel_rings.h"
#include "match/kernel_strains.h"

static void predict(lm_match* body, int64_t begin, int64_t end)
{
	for (int64_t i = begin; i < end; i += LM_W)
	{
		vf x[3], v[3], ahead[3];
		load_particles(body->x, i, x);
		load_particles(body->v, i, v);
		look_ahead(&body->pass, x, v, ahead);
		float* to = body->fields + lm_match_place_of(i);
		vf weight = load(to + LM_FIELD_WEIGHT * LM_ROW);
		const vf y[4] = { weight * ahead[0], weight * ahead[1], weight * ahead[2], all(0) };
		for (int k = 0; body->by_runs && k < 3; ++k)
			store(to + (LM_FIELD_AHEAD + k) * LM_ROW, y[k]);
		if (!body->by_runs)
			store_columns(body->particles + LM_PARTICLE_ROW * i, LM_PARTICLE_ROW, y);
	}
}

// Moments of all regions of a chunk.
LM_INLINE void sum_chunk(const lm_match* body, bool by_runs, int64_t begin, int64_t end, chunk_sums* sums)
{
	for (int64_t first = begin; first < round_up(end); first += LM_RUN_W)
		sum_moments(body, by_runs, first, sums->moment + sum_place(sums, first));
	for (int k = 0; body->poses != NULL && k < body->example_count; ++k)
	{
		for (int64_t first = begin; first < round_up(end); first += LM_RUN_W)
			sum_pose_moments(body, by_runs, k, first, sums->moved[k] + sum_place(sums, first));
		for (int64_t first = begin; first < end; first += LM_W)
			turn_moved(body, k, first, sums);
	}
}

static void moments(lm_match* body, int64_t begin, int64_t end)
{
	chunk_sums sums;
	open_sums(body, begin, &sums);
	if (body->by_runs)
		sum_chunk(body, true, begin, end, &sums);
	else
		sum_chunk(body, false, begin, end, &sums);
	project_chunk(body, begin, end, &sums);
}

#endif
