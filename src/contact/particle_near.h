// particle_near.h: which particles of a chunk may be near a collider, WIDE of them at once in single precision.
//
// Comparisons are written as vectors: because of NaN and signed zeros compilers leave them scalar. A NaN as first
// argument is ignored.
#ifndef LM_CONTACT_PARTICLE_NEAR_H
#define LM_CONTACT_PARTICLE_NEAR_H

#include "contact/lanes.h"
#include "contact/particle_job.h"

#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX2__)
#define WIDE 8
#else
#define WIDE 4
#endif

typedef float floats __attribute__((vector_size(4 * WIDE)));
typedef int32_t float_mask __attribute__((vector_size(4 * WIDE)));

LM_INLINE floats least(floats a, floats b)
{
#if defined(__AVX2__)
	return (floats)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
	return (floats)_mm_min_ps((__m128)a, (__m128)b);
#else
	return (floats)(((float_mask)a & (a < b)) | ((float_mask)b & ~(a < b)));
#endif
}

LM_INLINE floats most(floats a, floats b)
{
#if defined(__AVX2__)
	return (floats)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
	return (floats)_mm_max_ps((__m128)a, (__m128)b);
#else
	return (floats)(((float_mask)a & (a > b)) | ((float_mask)b & ~(a > b)));
#endif
}

// Bit k is set where a comparison holds in lane k.
LM_INLINE uint64_t bits_of(float_mask mask)
{
#if defined(__AVX2__)
	return (uint64_t)_mm256_movemask_ps((__m256)mask);
#elif defined(__SSE2__)
	return (uint64_t)_mm_movemask_ps((__m128)mask);
#else
	return (mask[0] & 1u) | (mask[1] & 2u) | (mask[2] & 4u) | (mask[3] & 8u);
#endif
}

LM_INLINE floats all(float a)
{
	return a - (floats){ 0 };
}

// Coordinate k of WIDE particles.
LM_INLINE floats load_coordinate(const float* values, int64_t first, int k)
{
	floats result;
	memcpy(&result, values + lm_particle_place(first, k), sizeof result);
	return result;
}

// Swept bounding boxes x - h v .. x of WIDE particles, by coordinate.
typedef struct swept_boxes
{
	floats low[3], high[3];
} swept_boxes;

LM_INLINE swept_boxes sweep_particles(const lm_particles* particles, float h, int64_t first)
{
	swept_boxes boxes;
	for (int k = 0; k < 3; ++k)
	{
		floats to = load_coordinate(particles->x, first, k), from = to - h * load_coordinate(particles->v, first, k);
		boxes.low[k] = least(from, to), boxes.high[k] = most(from, to);
	}
	return boxes;
}

LM_INLINE void join_boxes(swept_boxes* boxes, const swept_boxes* more)
{
	for (int k = 0; k < 3; ++k)
	{
		boxes->low[k] = least(more->low[k], boxes->low[k]);
		boxes->high[k] = most(more->high[k], boxes->high[k]);
	}
}

// Lanes exchanged with those `step` away, a power of two.
LM_INLINE floats exchange(floats a, int step)
{
#if WIDE == 8
	if (step == 4)
		return __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3);
	return step == 2 ? __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5)
	                 : __builtin_shufflevector(a, a, 1, 0, 3, 2, 5, 4, 7, 6);
#else
	return step == 2 ? __builtin_shufflevector(a, a, 2, 3, 0, 1) : __builtin_shufflevector(a, a, 1, 0, 3, 2);
#endif
}

// The box around those of all lanes, in all lanes.
LM_INLINE swept_boxes join_lanes(const swept_boxes* boxes)
{
	swept_boxes joined = *boxes;
	for (int step = WIDE / 2; step > 0; step /= 2)
		for (int k = 0; k < 3; ++k)
		{
			joined.low[k] = least(exchange(joined.low[k], step), joined.low[k]);
			joined.high[k] = most(exchange(joined.high[k], step), joined.high[k]);
		}
	return joined;
}

// The swept boxes of a chunk.
typedef struct chunk_boxes
{
	int count;
	swept_boxes boxes[LM_PARTICLE_CHUNK / WIDE], whole;
	floats rounding; // of sums of its coordinates
} chunk_boxes;

LM_INLINE void bound_chunk(const lm_particles* particles, float h, int64_t begin, int64_t end, chunk_boxes* chunk)
{
	const floats infinite = all(INFINITY);
	swept_boxes whole = { { infinite, infinite, infinite }, { -infinite, -infinite, -infinite } };
	int count = 0;
	for (int64_t i = begin; i < end; i += WIDE)
	{
		swept_boxes* boxes = &chunk->boxes[count++];
		*boxes = sweep_particles(particles, h, i); // what the last block has too many is passed over later
		join_boxes(&whole, boxes);
	}
	chunk->whole = join_lanes(&whole);
	chunk->count = count;
	chunk->rounding = all(0);
	for (int k = 0; k < 3; ++k)
		chunk->rounding += 1e-6f * most(chunk->whole.high[k], -chunk->whole.low[k]);
}

// Takes what comes by WIDE lanes to the words of a set.
LM_INLINE void keep_lanes(lm_chunk_set* set, int b, float_mask which)
{
	int place = b * WIDE;
	set->bits[place / 64] &= bits_of(which) << place % 64 | ~((((uint64_t)1 << WIDE) - 1) << place % 64);
}

// Keeps those whose boxes meet that of the collider.
LM_INLINE void keep_in_box(const lm_mover* m, const swept_boxes* boxes, int count, lm_chunk_set* near)
{
	floats low[3], high[3];
	for (int k = 0; k < 3; ++k)
		low[k] = all(m->near_low[k]), high[k] = all(m->near_high[k]);
	for (int b = 0; b < count; ++b)
	{
		float_mask meets = ~(float_mask){ 0 };
		for (int k = 0; k < 3; ++k)
			meets &= (boxes[b].low[k] <= high[k]) & (boxes[b].high[k] >= low[k]);
		keep_lanes(near, b, meets);
	}
}

// Keeps those whose boxes reach below `high` along n; `rounding` is what heights may be wrong by, and where it is no
// number all do.
LM_INLINE void keep_below(const float n[3], float high, const swept_boxes* boxes, int count, floats rounding,
                          lm_chunk_set* near)
{
	floats normal[3], limit = all(high) + rounding;
	for (int k = 0; k < 3; ++k)
		normal[k] = all(n[k]);
	bool up[3] = { n[0] > 0, n[1] > 0, n[2] > 0 };
	for (int b = 0; b < count; ++b)
	{
		floats height = all(0);
		for (int k = 0; k < 3; ++k)
			height += normal[k] * (up[k] ? boxes[b].low[k] : boxes[b].high[k]);
		keep_lanes(near, b, ~(height > limit));
	}
}

// Which of these may be near the collider.
LM_INLINE void keep_near(const lm_mover* m, const swept_boxes* boxes, int count, floats rounding, lm_chunk_set* near)
{
	memset(near, -1, sizeof *near);
	if (m->bounded)
		keep_in_box(m, boxes, count, near);
	for (int j = 0; j < m->slab_count; ++j)
	{
		const lm_slab* slab = &m->slabs[j];
		const float down[3] = { -slab->near_n[0], -slab->near_n[1], -slab->near_n[2] };
		keep_below(slab->near_n, slab->near_high, boxes, count, rounding, near);
		if (slab->near_low > -INFINITY)
			keep_below(down, -slab->near_low, boxes, count, rounding, near);
	}
}

// False when none is.
LM_INLINE bool chunk_near(const lm_mover* m, const chunk_boxes* chunk, lm_chunk_set* near)
{
	keep_near(m, &chunk->whole, 1, chunk->rounding, near);
	if (!(near->bits[0] & 1))
		return false;
	keep_near(m, chunk->boxes, chunk->count, chunk->rounding, near);
	return true;
}

#endif
