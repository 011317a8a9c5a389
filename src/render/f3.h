// f3.h: single-precision vectors for the renderer, where positions are small numbers relative to the eye.
#ifndef LM_RENDER_F3_H
#define LM_RENDER_F3_H

#include <math.h>

// Not fminf and fmaxf, which are calls where NaN has to be looked after. With a NaN as x the bound comes out.
static inline float lm_min(float x, float bound)
{
	return x < bound ? x : bound;
}

static inline float lm_max(float x, float bound)
{
	return x > bound ? x : bound;
}

typedef struct lm_f3
{
	float x, y, z;
} lm_f3;

static inline lm_f3 lm_f3_make(float x, float y, float z)
{
	return (lm_f3){ x, y, z };
}

static inline lm_f3 lm_f3_at(const float* xyz, int64_t i)
{
	return (lm_f3){ xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2] };
}

static inline void lm_f3_store(float* xyz, int64_t i, lm_f3 a)
{
	xyz[3 * i] = a.x, xyz[3 * i + 1] = a.y, xyz[3 * i + 2] = a.z;
}

static inline lm_f3 lm_f3_add(lm_f3 a, lm_f3 b)
{
	return (lm_f3){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static inline lm_f3 lm_f3_sub(lm_f3 a, lm_f3 b)
{
	return (lm_f3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static inline lm_f3 lm_f3_scale(float s, lm_f3 a)
{
	return (lm_f3){ s * a.x, s * a.y, s * a.z };
}

// a + s b
static inline lm_f3 lm_f3_add_scaled(lm_f3 a, float s, lm_f3 b)
{
	return (lm_f3){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z };
}

// Component by component: light times reflectance.
static inline lm_f3 lm_f3_tint(lm_f3 a, lm_f3 b)
{
	return (lm_f3){ a.x * b.x, a.y * b.y, a.z * b.z };
}

static inline float lm_f3_dot(lm_f3 a, lm_f3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline lm_f3 lm_f3_cross(lm_f3 a, lm_f3 b)
{
	return (lm_f3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

// a / |a|, or fallback when a is too short to have a direction.
static inline lm_f3 lm_f3_normalize_or(lm_f3 a, lm_f3 fallback)
{
	float square = lm_f3_dot(a, a);
	return square > 1e-30f && square < 1e30f ? lm_f3_scale(1 / sqrtf(square), a) : fallback;
}

static inline lm_f3 lm_f3_lerp(lm_f3 a, lm_f3 b, float t)
{
	return lm_f3_add_scaled(lm_f3_scale(1 - t, a), t, b);
}

// 0 below low, 1 above high, smooth between.
static inline float lm_smooth_step(float low, float high, float x)
{
	float t = lm_min(lm_max((x - low) / (high - low), 0), 1);
	return t * t * (3 - 2 * t);
}

#endif
