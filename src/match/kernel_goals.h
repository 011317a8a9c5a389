// kernel_goals.h: from the goal maps of the regions to new velocities and positions (Eq. 4-5).
//
// g_i is the mean of T_r X_i + t_r over the regions r of N_i, which is the mean map applied to X_i. Then
//
//   v' = keep v + (alpha / h)(g_i - x^_i) + gain(x_i) + fall,   x' = x + h v'
//
// with `keep` from drag, `fall` from gravity and `gain` what keeps all momentum exact (motion.c). Each chunk stores
// the sums that motion.c needs, positions relative to the body's centre.
#ifndef LM_MATCH_KERNEL_GOALS_H
#define LM_MATCH_KERNEL_GOALS_H

#include "match/kernel_ahead.h"
#include "match/kernel_rings.h"

// Sums over the particles of a chunk, in the order of motion.c; each is a vector that is added up at the end.
enum
{
	SUM_X = 0,     // m x
	SUM_V = 3,     // m v'
	SUM_SPIN = 6,  // m x x v'
	SUM_PULL = 9,  // m (pull + gain)
	SUM_LEAK = 12, // m x x (pull + gain), x before the step
	SUM_XX = 15    // m x x^T: xx yy zz xy xz yz
};

// sum += a x b
LM_INLINE void add_cross(vf* sum, const vf a[3], const vf b[3])
{
	for (int k = 0; k < 3; ++k)
		sum[k] += a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

// What the pull leaks, every step.
LM_INLINE void add_leak(vf sums[LM_MOTION], vf m, const vf x[3], const vf pull[3])
{
	vf mp[3] = { m * pull[0], m * pull[1], m * pull[2] };
	for (int k = 0; k < 3; ++k)
		sums[SUM_PULL + k] += mp[k];
	add_cross(sums + SUM_LEAK, x, mp);
}

// The rigid motion of the body, which is measured in some steps only.
LM_INLINE void add_motion(vf sums[LM_MOTION], vf m, const vf x[3], const vf v[3])
{
	vf mx[3] = { m * x[0], m * x[1], m * x[2] };
	for (int k = 0; k < 3; ++k)
	{
		sums[SUM_X + k] += mx[k];
		sums[SUM_V + k] += m * v[k];
		sums[SUM_XX + k] += mx[k] * x[k];
	}
	add_cross(sums + SUM_SPIN, mx, v);
	sums[SUM_XX + 3] += mx[0] * x[1];
	sums[SUM_XX + 4] += mx[0] * x[2];
	sums[SUM_XX + 5] += mx[1] * x[2];
}

// Resets vertices whose numbers are too large or not finite, and leaves them out of the sums; returns how many.
static int64_t bring_back(const lm_match_pass* pass, vi mask, const vf old_x[3], vf x[3], vf v[3], vf* mass)
{
	int64_t count = 0;
	for (int l = 0; l < LM_W; ++l)
	{
		if (!mask[l])
			continue;
		++count;
		(*mass)[l] = 0;
		float speed = sqrtf(v[0][l] * v[0][l] + v[1][l] * v[1][l] + v[2][l] * v[2][l]);
		float shrink = speed <= pass->speed_limit ? 1 : pass->speed_limit / speed;
		for (int k = 0; k < 3; ++k)
		{
			float old = isfinite(old_x[k][l]) ? old_x[k][l] : 0;
			v[k][l] = isfinite(v[k][l]) && isfinite(shrink) ? v[k][l] * shrink : 0;
			x[k][l] = old + pass->h * v[k][l];
			if (!(fabsf(x[k][l]) <= pass->reach_limit))
				x[k][l] = copysignf(pass->reach_limit, old), v[k][l] = 0;
		}
	}
	return count;
}

// Moves LM_W particles; returns how many were reset.
LM_INLINE int64_t move(lm_match* body, int64_t first, const vf goal[3], vf sums[LM_MOTION])
{
	const lm_match_pass* pass = &body->pass;
	vf x[3], v[3], mass = load(body->mass + first), xc[3], pull[3];
	load_particles(body->x, first, x);
	load_particles(body->v, first, v);
	vf old[3] = { x[0], x[1], x[2] };
	vi live = mass > 0; // the last block may have empty places
	for (int k = 0; k < 3; ++k)
		xc[k] = x[k] - pass->centre[k];
	for (int k = 0; k < 3; ++k)
	{
		// What of x^ is rigid is in `gain`.
		pull[k] = pass->pull * ((goal[k] - xc[k]) - pass->ahead_v * v[k]) + move_rigidly(pass->gain, k, xc);
		v[k] = choose(live, pass->keep * v[k] + pull[k] + pass->fall[k], all(0));
		x[k] += pass->h * v[k];
	}
	vf speed2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2], reach2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
	vi good = (speed2 <= pass->speed_limit * pass->speed_limit) & (reach2 <= pass->reach_limit * pass->reach_limit);
	int64_t recovered = any(~good) ? bring_back(pass, ~good, old, x, v, &mass) : 0;
	if (recovered > 0)
		for (int k = 0; k < 3; ++k)
			pull[k] = choose(good, pull[k], all(0));
	add_leak(sums, mass, xc, pull);
	if (pass->measure)
	{
		vf new_xc[3] = { x[0] - pass->centre[0], x[1] - pass->centre[1], x[2] - pass->centre[2] };
		add_motion(sums, mass, new_xc, v);
	}
	store_particles(body->x, first, x);
	store_particles(body->v, first, v);
	return recovered;
}

LM_INLINE void find_goals(const lm_match* body, bool by_runs, const lm_match_wave* wave, int64_t begin, int64_t end,
                          float* found)
{
	for (int64_t first = begin; first < round_up(end); first += LM_RUN_W)
		sum_goals(body, by_runs, wave, first, found + (first - begin));
}

static void goals(lm_match* body, const lm_match_wave* wave, int64_t begin, int64_t end)
{
	int64_t chunk = begin / LM_CHUNK, recovered = 0;
	float found[3][LM_CHUNK] __attribute__((aligned(64)));
	if (body->by_runs)
		find_goals(body, true, wave, begin, end, found[0]);
	else
		find_goals(body, false, wave, begin, end, found[0]);
	vf sums[LM_MOTION];
	for (int k = 0; k < LM_MOTION; ++k)
		sums[k] = all(0);
	for (int64_t first = begin; first < end; first += LM_W)
	{
		vf goal[3];
		for (int k = 0; k < 3; ++k)
			goal[k] = load(found[k] + (first - begin));
		recovered += move(body, first, goal, sums);
	}
	for (int k = 0; k < LM_MOTION; ++k)
		body->motion[chunk * LM_MOTION + k] = (float)sum_lanes(sums[k]);
	body->recovered[chunk] = recovered;
}

#endif
