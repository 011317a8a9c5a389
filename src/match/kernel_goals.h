// kernel_goals.h: from the goal maps of the regions to new velocities and positions (Eq. 4-5).
//
// g_i is the mean of T_r X_i + t_r over the regions r of N_i, which is the mean map applied to X_i. Then
//
//   v' = keep v + (alpha / h)(g_i - x^_i) + gain(x_i),   x' = x + h v'
//
// with `keep` from drag and `gain` gravity and the spin that keeps angular momentum exact (motion.c). Each chunk leaves
// the sums that motion.c needs, positions relative to the body's centre.
#ifndef LM_MATCH_KERNEL_GOALS_H
#define LM_MATCH_KERNEL_GOALS_H

#include "match/kernel_vector.h"

// Mean goal of particle i.
LM_INLINE v4 goal(const lm_match* body, int64_t i)
{
	vf sum[LM_MAP / LM_W], other[LM_MAP / LM_W];
	for (int j = 0; j < LM_MAP / LM_W; ++j)
		sum[j] = other[j] = all(0);
	const int32_t *member = body->members + body->starts[i], *last = body->members + body->starts[i + 1];
	const float* maps = body->maps;
	for (; member + 1 < last; member += 2)
	{
		const vf* a = (const vf*)(maps + LM_MAP * (int64_t)member[0]);
		const vf* b = (const vf*)(maps + LM_MAP * (int64_t)member[1]);
		for (int j = 0; j < LM_MAP / LM_W; ++j)
			sum[j] += a[j], other[j] += b[j];
	}
	if (member < last)
	{
		const vf* a = (const vf*)(maps + LM_MAP * (int64_t)member[0]);
		for (int j = 0; j < LM_MAP / LM_W; ++j)
			sum[j] += a[j];
	}
	union
	{
		vf wide[LM_MAP / LM_W];
		v4 column[4];
	} mean;
	for (int j = 0; j < LM_MAP / LM_W; ++j)
		mean.wide[j] = sum[j] + other[j];
	v4 rest = load4(body->rest + 4 * i);
	return (mean.column[0] * rest[0] + mean.column[1] * rest[1]) +
	       (mean.column[2] * rest[2] + mean.column[3] * rest[3]);
}

// a x b, in the first three lanes.
LM_INLINE v4 cross4(v4 a, v4 b)
{
	v4 a_yzx = __builtin_shufflevector(a, a, 1, 2, 0, 3), b_yzx = __builtin_shufflevector(b, b, 1, 2, 0, 3);
	v4 c = a * b_yzx - a_yzx * b;
	return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}

typedef struct motion_sums
{
	v4 x, v, spin, pull, leak, xx[3]; // sums of m x, m v', m x x v', m (pull), m x x (pull), m x x^T
} motion_sums;

LM_INLINE void add_motion(motion_sums* sums, float mass, v4 x_old, v4 pull, v4 x, v4 v)
{
	v4 mx = mass * x;
	sums->x += mx;
	sums->v += mass * v;
	sums->spin += cross4(mx, v);
	sums->pull += mass * pull;
	sums->leak += cross4(x_old, mass * pull);
	for (int k = 0; k < 3; ++k)
		sums->xx[k] += mx * x[k];
}

// Brings a vertex back whose numbers cannot be held; returns how many (0 or 1).
static int64_t bring_back(const lm_match_pass* pass, const v4 old_x, float* x, float* v)
{
	float speed = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
	float shrink = speed <= pass->speed_limit ? 1 : pass->speed_limit / speed;
	for (int k = 0; k < 3; ++k)
	{
		v[k] = isfinite(v[k]) && isfinite(shrink) ? v[k] * shrink : 0;
		x[k] = old_x[k] + pass->h * v[k];
		if (!(fabsf(x[k]) <= pass->reach_limit))
			x[k] = copysignf(isfinite(old_x[k]) ? pass->reach_limit : 0, old_x[k]), v[k] = 0;
	}
	return 1;
}

static void goals(lm_match* body, int64_t begin, int64_t end)
{
	const lm_match_pass* pass = &body->pass;
	v4 gain[4] = { load4(pass->gain[0]), load4(pass->gain[1]), load4(pass->gain[2]), load4(pass->gain[3]) };
	v4 centre = load4(pass->centre);
	float speed2 = pass->speed_limit * pass->speed_limit, reach2 = pass->reach_limit * pass->reach_limit;
	motion_sums sums = { 0 };
	int64_t broken = 0;
	for (int64_t i = begin; i < end; ++i)
	{
		v4 x = load4(body->x + 4 * i), v = load4(body->v + 4 * i);
		v4 pull = pass->pull * (goal(body, i) - load4(body->ahead + 4 * i));
		v4 xc = x - centre;
		v = pass->keep * v + pull + (gain[0] * xc[0] + gain[1] * xc[1] + gain[2] * xc[2] + gain[3]);
		v4 x_new = x + pass->h * v;
		store4(body->x + 4 * i, x_new);
		store4(body->v + 4 * i, v);
		v4 vv = v * v, xx = x_new * x_new;
		if (!(vv[0] + vv[1] + vv[2] <= speed2 && xx[0] + xx[1] + xx[2] <= reach2))
		{
			broken += bring_back(pass, x, body->x + 4 * i, body->v + 4 * i);
			continue;
		}
		add_motion(&sums, body->mass[i], xc, pull, x_new - centre, v);
	}
	memcpy(body->motion + begin / LM_CHUNK * LM_MOTION, &sums, sizeof sums);
	body->broken[begin / LM_CHUNK] = broken;
}

#endif
