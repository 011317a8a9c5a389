// particle_near.h: which particles of a chunk may be near a collider, WIDE of them at once in single precision.
//
// Comparisons are written as vectors: with NaN and signed zeros to respect compilers leave them scalar. What is not a
// number, in the first place, is passed over.
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

// Boxes of the ways x - h v .. x of WIDE particles, by coordinate.
typedef struct ways
{
	floats low[3], high[3];
} ways;

LM_INLINE ways bound_ways(const lm_particles* particles, float h, int64_t first)
{
	ways boxes;
	for (int k = 0; k < 3; ++k)
	{
		floats to = load_coordinate(particles->x, first, k), from = to - h * load_coordinate(particles->v, first, k);
		boxes.low[k] = least(from, to), boxes.high[k] = most(from, to);
	}
	return boxes;
}

LM_INLINE void join_ways(ways* boxes, const ways* more)
{
	for (int k = 0; k < 3; ++k)
	{
		boxes->low[k] = least(more->low[k], boxes->low[k]);
		boxes->high[k] = most(more->high[k], boxes->high[k]);
	}
}

// The box around those of all lanes, in all lanes.
LM_INLINE ways join_lanes(const ways* boxes)
{
	ways joined = *boxes;
	for (int k = 0; k < 3; ++k)
		for (int l = 0; l < WIDE; ++l)
		{
			joined.low[k] = least(all(boxes->low[k][l]), joined.low[k]);
			joined.high[k] = most(all(boxes->high[k][l]), joined.high[k]);
		}
	return joined;
}

// The lowest and highest height over a plane that boxes reach.
LM_INLINE floats height_of(const float n[3], const ways* boxes, bool highest)
{
	floats height = all(0);
	for (int k = 0; k < 3; ++k)
		if (n[k] != 0)
			height += n[k] * ((n[k] > 0) == highest ? boxes->high[k] : boxes->low[k]);
	return height;
}

// Which boxes reach into the slab. `rounding` is what heights may be wrong by; where it is no number all may.
LM_INLINE float_mask enters_slab(const lm_slab* slab, const ways* boxes, floats rounding)
{
	float_mask enters = ~(height_of(slab->near_n, boxes, false) - rounding > all(slab->near_high));
	if (slab->near_low > -INFINITY)
		enters &= ~(height_of(slab->near_n, boxes, true) + rounding < all(slab->near_low));
	return enters;
}

// Which lanes may be near the collider.
LM_INLINE uint64_t lanes_near(const lm_mover* m, const ways* boxes, floats rounding)
{
	float_mask near = ~(float_mask){ 0 };
	for (int k = 0; k < 3 && m->bounded; ++k)
		near &= (boxes->low[k] <= all(m->near_high[k])) & (boxes->high[k] >= all(m->near_low[k]));
	for (int j = 0; j < m->slab_count && bits_of(near); ++j)
		near &= enters_slab(&m->slabs[j], boxes, rounding);
	return bits_of(near);
}

// The ways of a chunk.
typedef struct chunk_ways
{
	int count;
	ways boxes[LM_PARTICLE_CHUNK / WIDE], whole;
	floats rounding; // of sums of its coordinates
} chunk_ways;

LM_INLINE void bound_chunk(const lm_particles* particles, float h, int64_t begin, int64_t end, chunk_ways* chunk)
{
	const floats endless = all(INFINITY);
	ways whole = { { endless, endless, endless }, { -endless, -endless, -endless } };
	int count = 0;
	for (int64_t i = begin; i < end; i += WIDE)
	{
		ways* boxes = &chunk->boxes[count++];
		*boxes = bound_ways(particles, h, i); // what the last block has too many is passed over later
		join_ways(&whole, boxes);
	}
	chunk->whole = join_lanes(&whole);
	chunk->count = count;
	chunk->rounding = all(0);
	for (int k = 0; k < 3; ++k)
		chunk->rounding += 1e-6f * most(chunk->whole.high[k], -chunk->whole.low[k]);
}

// False when none is.
LM_INLINE bool chunk_near(const lm_mover* m, const chunk_ways* chunk, lm_chunk_set* near)
{
	if (!(lanes_near(m, &chunk->whole, chunk->rounding) & 1))
		return false;
	for (int word = 0; word < LM_PARTICLE_CHUNK / 64; ++word)
	{
		const ways* boxes = chunk->boxes + word * (64 / WIDE);
		uint64_t bits = 0;
		for (int b = 0; b < 64 / WIDE && boxes + b < chunk->boxes + chunk->count; ++b)
			bits |= lanes_near(m, &boxes[b], chunk->rounding) << b * WIDE;
		near->bits[word] = bits;
	}
	return true;
}

#endif
