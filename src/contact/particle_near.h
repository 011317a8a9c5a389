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
typedef float row4 __attribute__((vector_size(16)));

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

// Lanes i, j of a and k, l of b (as 4 + k, 4 + l), in each four lanes.
#if WIDE == 8
#define MIX(a, b, i, j, k, l)                                                                                          \
	__builtin_shufflevector(a, b, MIX8(i), MIX8(j), MIX8(k), MIX8(l), 4 + MIX8(i), 4 + MIX8(j), 4 + MIX8(k),           \
	                        4 + MIX8(l))
#define MIX8(i) ((i) < 4 ? (i) : (i) + 4)
#else
#define MIX(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#endif

LM_INLINE row4 load_row(const float* rows, int64_t i)
{
	row4 row;
	memcpy(&row, rows + 4 * i, sizeof row);
	return row;
}

// Row k and, in the other half, row k + 4. The last of `count` stands for those that are missing.
LM_INLINE floats load_rows(const float* rows, int64_t k, int64_t count)
{
	row4 row = load_row(rows, k < count ? k : count - 1);
#if WIDE == 8
	return __builtin_shufflevector(row, load_row(rows, k + 4 < count ? k + 4 : count - 1), 0, 1, 2, 3, 4, 5, 6, 7);
#else
	return row;
#endif
}

// The coordinates of WIDE rows of four numbers.
LM_INLINE void load_columns(const float* rows, int64_t count, floats columns[3])
{
	floats a[4];
	for (int64_t k = 0; k < 4; ++k)
		a[k] = load_rows(rows, k, count);
	floats low01 = MIX(a[0], a[1], 0, 4, 1, 5), low23 = MIX(a[2], a[3], 0, 4, 1, 5);
	floats high01 = MIX(a[0], a[1], 2, 6, 3, 7), high23 = MIX(a[2], a[3], 2, 6, 3, 7);
	columns[0] = MIX(low01, low23, 0, 1, 4, 5), columns[1] = MIX(low01, low23, 2, 3, 6, 7);
	columns[2] = MIX(high01, high23, 0, 1, 4, 5);
}

// Boxes of the ways x - h v .. x of WIDE particles, by coordinate.
typedef struct ways
{
	floats low[3], high[3];
} ways;

LM_INLINE ways bound_ways(const lm_particles* particles, float h, int64_t first, int64_t count)
{
	floats x[3], v[3];
	load_columns(particles->x + 4 * first, count, x);
	load_columns(particles->v + 4 * first, count, v);
	ways boxes;
	for (int k = 0; k < 3; ++k)
	{
		floats from = x[k] - h * v[k];
		boxes.low[k] = least(from, x[k]), boxes.high[k] = most(from, x[k]);
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

// Which boxes reach into the slab. Those whose size is no number may.
LM_INLINE float_mask enters_slab(const lm_slab* slab, const ways* boxes)
{
	floats lowest = all(0), highest = all(0), size = all(0);
	for (int k = 0; k < 3; ++k)
	{
		float n = slab->near_n[k];
		floats first = n > 0 ? boxes->low[k] : boxes->high[k], last = n > 0 ? boxes->high[k] : boxes->low[k];
		lowest += n * first, highest += n * last;
		size += most(boxes->high[k], -boxes->low[k]);
	}
	size *= 1e-6f;
	return ~((lowest - size > all(slab->near_high)) | (highest + size < all(slab->near_low)));
}

// Which lanes may be near the collider.
LM_INLINE uint64_t lanes_near(const lm_mover* m, const ways* boxes)
{
	float_mask near = ~(float_mask){ 0 };
	for (int k = 0; k < 3; ++k)
		near &= (boxes->low[k] <= all(m->near_high[k])) & (boxes->high[k] >= all(m->near_low[k]));
	for (int j = 0; j < m->slab_count && bits_of(near); ++j)
		near &= enters_slab(&m->slabs[j], boxes);
	return bits_of(near);
}

// The ways of a chunk.
typedef struct chunk_ways
{
	int count;
	ways boxes[LM_PARTICLE_CHUNK / WIDE], whole;
} chunk_ways;

LM_INLINE void bound_chunk(const lm_particles* particles, float h, int64_t begin, int64_t end, chunk_ways* chunk)
{
	const floats endless = all(INFINITY);
	ways whole = { { endless, endless, endless }, { -endless, -endless, -endless } };
	int count = 0;
	for (int64_t i = begin; i < end; i += WIDE)
	{
		ways* boxes = &chunk->boxes[count++];
		if (i + WIDE <= end)
			*boxes = bound_ways(particles, h, i, WIDE);
		else
			*boxes = bound_ways(particles, h, i, end - i);
		join_ways(&whole, boxes);
	}
	chunk->whole = join_lanes(&whole);
	chunk->count = count;
}

// False when none is.
LM_INLINE bool chunk_near(const lm_mover* m, const chunk_ways* chunk, lm_chunk_set* near)
{
	if (!(lanes_near(m, &chunk->whole) & 1))
		return false;
	for (int word = 0; word < LM_PARTICLE_CHUNK / 64; ++word)
	{
		const ways* boxes = chunk->boxes + word * (64 / WIDE);
		uint64_t bits = 0;
		for (int b = 0; b < 64 / WIDE && boxes + b < chunk->boxes + chunk->count; ++b)
			bits |= lanes_near(m, &boxes[b]) << b * WIDE;
		near->bits[word] = bits;
	}
	return true;
}

#endif
