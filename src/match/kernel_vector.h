// kernel_vector.h: the compiler's vector types as the kernels use them. Included by each kernel_*.c, which sets LM_W,
// the floats in a vector, and LM_DW, the doubles in one, to what its target machine holds in a register.
#ifndef LM_MATCH_KERNEL_VECTOR_H
#define LM_MATCH_KERNEL_VECTOR_H

#include "match/body.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define LM_INLINE static inline __attribute__((always_inline))

typedef float v4 __attribute__((vector_size(16)));
typedef float vf __attribute__((vector_size(4 * LM_W)));
typedef int32_t vi __attribute__((vector_size(4 * LM_W)));
typedef float v8 __attribute__((vector_size(32)));
typedef float v8_unaligned __attribute__((vector_size(32), aligned(16)));

// Lanes of regions whose rings are summed at once: those of a run (runs.c), or half of them.
#define LM_RUN_W (LM_W < LM_RUN ? LM_W : LM_RUN)
typedef float vr __attribute__((vector_size(4 * LM_RUN_W)));
typedef int32_t vri __attribute__((vector_size(4 * LM_RUN_W)));

LM_INLINE vr load_own(const float* p)
{
	return *(const vr*)p;
}

LM_INLINE void store_own(float* p, vr a)
{
	*(vr*)p = a;
}

LM_INLINE v4 load4(const float* p)
{
	return *(const v4*)p;
}

LM_INLINE void store4(float* p, v4 a)
{
	*(v4*)p = a;
}

LM_INLINE vf load(const float* p)
{
	return *(const vf*)p;
}

LM_INLINE void store(float* p, vf a)
{
	*(vf*)p = a;
}

LM_INLINE vf all(float a)
{
	return a - (vf){ 0 };
}

// Lane by lane: mask ? a : b.
LM_INLINE vf choose(vi mask, vf a, vf b)
{
#if defined(__AVX__) && LM_W == 8
	return (vf)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)mask);
#else
	return (vf)((mask & (vi)a) | (~mask & (vi)b));
#endif
}

// b where a is not less, also where one is no number: so do the instructions.
LM_INLINE vf vmin(vf a, vf b)
{
#if defined(__AVX__) && LM_W == 8
	return (vf)_mm256_min_ps((__m256)a, (__m256)b);
#else
	return choose(a < b, a, b);
#endif
}

LM_INLINE vf vmax(vf a, vf b)
{
#if defined(__AVX__) && LM_W == 8
	return (vf)_mm256_max_ps((__m256)a, (__m256)b);
#else
	return choose(a > b, a, b);
#endif
}

LM_INLINE vf vsqrt(vf a)
{
#if defined(__AVX512F__) && LM_W == 16
	return (vf)_mm512_sqrt_ps((__m512)a);
#elif defined(__AVX__) && LM_W == 8
	return (vf)_mm256_sqrt_ps((__m256)a);
#elif defined(__SSE2__) && LM_W == 4
	return (vf)_mm_sqrt_ps((__m128)a);
#else
	vf root;
	for (int i = 0; i < LM_W; ++i)
		root[i] = sqrtf(a[i]);
	return root;
#endif
}

// Whether any lane of a comparison holds.
LM_INLINE bool any(vi mask)
{
#if defined(__AVX512F__) && LM_W == 16
	return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) != 0;
#elif defined(__AVX__) && LM_W == 8
	return _mm256_movemask_ps((__m256)mask) != 0;
#elif defined(__SSE2__) && LM_W == 4
	return _mm_movemask_ps((__m128)mask) != 0;
#else
	int32_t found = 0;
	for (int i = 0; i < LM_W; ++i)
		found |= mask[i];
	return found != 0;
#endif
}

LM_INLINE double sum_lanes(vf a)
{
	double sum = 0;
	for (int i = 0; i < LM_W; ++i)
		sum += (double)a[i];
	return sum;
}

// Rows of four floats lie `stride` floats apart. A vector takes the rows 0 and 4 behind p, and so it is given back.
LM_INLINE vr join(const float* p, int64_t stride)
{
#if LM_RUN_W == 4
	(void)stride;
	return load4(p);
#else
	return __builtin_shufflevector(load4(p), load4(p + 4 * stride), 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}

LM_INLINE void part(float* p, int64_t stride, vr a)
{
#if LM_RUN_W == 4
	(void)stride;
	store4(p, a);
#else
	store4(p, __builtin_shufflevector(a, a, 0, 1, 2, 3));
	store4(p + 4 * stride, __builtin_shufflevector(a, a, 4, 5, 6, 7));
#endif
}

#if LM_RUN_W == 4
#define LM_MIX(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define LM_MIX(a, b, i, j, k, l)                                                                                       \
	__builtin_shufflevector(a, b, LM_MIX8(i), LM_MIX8(j), LM_MIX8(k), LM_MIX8(l), 4 + LM_MIX8(i), 4 + LM_MIX8(j),      \
	                        4 + LM_MIX8(k), 4 + LM_MIX8(l))
#define LM_MIX8(i) ((i) < 4 ? (i) : (i) + 4)
#endif

// In each four lanes: rows a .. d become columns, and back. LM_MIX chooses lanes of a (0-3) and b (4-7) in each four.
LM_INLINE void transpose(vr a[4])
{
	vr low01 = LM_MIX(a[0], a[1], 0, 4, 1, 5), high01 = LM_MIX(a[0], a[1], 2, 6, 3, 7);
	vr low23 = LM_MIX(a[2], a[3], 0, 4, 1, 5), high23 = LM_MIX(a[2], a[3], 2, 6, 3, 7);
	a[0] = LM_MIX(low01, low23, 0, 1, 4, 5), a[1] = LM_MIX(low01, low23, 2, 3, 6, 7);
	a[2] = LM_MIX(high01, high23, 0, 1, 4, 5), a[3] = LM_MIX(high01, high23, 2, 3, 6, 7);
}

// LM_RUN_W rows of four floats as four vectors, one per column.
LM_INLINE void load_columns(const float* p, int64_t stride, vr columns[4])
{
	for (int k = 0; k < 4; ++k)
		columns[k] = join(p + k * stride, stride);
	transpose(columns);
}

// LM_RUN_W lanes, from lane `first` on.
LM_INLINE vr part_of_lanes(vf a, int first)
{
#if LM_W == LM_RUN_W
	(void)first;
	return a;
#else
	return first == 0 ? __builtin_shufflevector(a, a, 0, 1, 2, 3, 4, 5, 6, 7)
	                  : __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
}

// And back, of LM_W rows.
LM_INLINE void store_columns(float* p, int64_t stride, const vf columns[4])
{
	for (int first = 0; first < LM_W; first += LM_RUN_W)
	{
		vr rows[4];
		for (int k = 0; k < 4; ++k)
			rows[k] = part_of_lanes(columns[k], first);
		transpose(rows);
		for (int k = 0; k < 4; ++k)
			part(p + (first + k) * stride, stride, rows[k]);
	}
}

// Positions or velocities of LM_W particles, and back.
LM_INLINE void load_particles(const float* values, int64_t first, vf x[3])
{
	for (int k = 0; k < 3; ++k)
		x[k] = load(values + lm_particle_place(first, k));
}

LM_INLINE void store_particles(float* values, int64_t first, const vf x[3])
{
	for (int k = 0; k < 3; ++k)
		store(values + lm_particle_place(first, k), x[k]);
}

// One matrix, quaternion or symmetric matrix (xx yy zz xy xz yz) per lane.
typedef struct mat_v
{
	vf m[3][3];
} mat_v;

typedef struct quat_v
{
	vf w, x, y, z;
} quat_v;

typedef struct sym_v
{
	vf xx, yy, zz, xy, xz, yz;
} sym_v;

LM_INLINE mat_v times_symmetric(const mat_v* A, const sym_v* B)
{
	mat_v C;
	for (int i = 0; i < 3; ++i)
	{
		C.m[i][0] = A->m[i][0] * B->xx + A->m[i][1] * B->xy + A->m[i][2] * B->xz;
		C.m[i][1] = A->m[i][0] * B->xy + A->m[i][1] * B->yy + A->m[i][2] * B->yz;
		C.m[i][2] = A->m[i][0] * B->xz + A->m[i][1] * B->yz + A->m[i][2] * B->zz;
	}
	return C;
}

LM_INLINE vf determinant(const mat_v* A)
{
	return A->m[0][0] * (A->m[1][1] * A->m[2][2] - A->m[1][2] * A->m[2][1]) -
	       A->m[0][1] * (A->m[1][0] * A->m[2][2] - A->m[1][2] * A->m[2][0]) +
	       A->m[0][2] * (A->m[1][0] * A->m[2][1] - A->m[1][1] * A->m[2][0]);
}

// Fields of a block, from lane `lane` on.
LM_INLINE vf field(const float* block, int number, int lane)
{
	return load(block + number * LM_LANES + lane);
}

// Prefetches `count` fields from `number` on of a later block of `fields`, when `lane` is the first of its block.
LM_INLINE void fetch_block(const lm_match* body, const float* blocks, int64_t b, int fields, int number, int count,
                           int lane)
{
	if (!body->large || lane != 0 || count == 0) // then there may be no blocks
		return;
	const float* at = blocks + ((b + LM_BLOCKS_AHEAD) * fields + number) * LM_LANES;
	for (int k = 0; k < count; ++k)
		__builtin_prefetch(at + k * LM_LANES);
}

LM_INLINE sym_v symmetric_field(const float* block, int number, int lane)
{
	return (sym_v){ field(block, number, lane),     field(block, number + 1, lane), field(block, number + 2, lane),
		            field(block, number + 3, lane), field(block, number + 4, lane), field(block, number + 5, lane) };
}

#endif
