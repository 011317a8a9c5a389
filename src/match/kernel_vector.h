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
typedef double vd __attribute__((vector_size(8 * LM_DW)));

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

LM_INLINE v4 all4(float a)
{
	return (v4){ a, a, a, a };
}

LM_INLINE vf all(float a)
{
	return a - (vf){ 0 };
}

LM_INLINE vd all_d(double a)
{
	return a - (vd){ 0 };
}

// Lane by lane: mask ? a : b.
LM_INLINE vf choose(vi mask, vf a, vf b)
{
	return (vf)((mask & (vi)a) | (~mask & (vi)b));
}

LM_INLINE vf vmin(vf a, vf b)
{
	return choose(a < b, a, b);
}

LM_INLINE vf vmax(vf a, vf b)
{
	return choose(a > b, a, b);
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

// Rows of four become columns.
LM_INLINE void transpose4(v4* a, v4* b, v4* c, v4* d)
{
	v4 ab_low = __builtin_shufflevector(*a, *b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(*a, *b, 2, 6, 3, 7);
	v4 cd_low = __builtin_shufflevector(*c, *d, 0, 4, 1, 5), cd_high = __builtin_shufflevector(*c, *d, 2, 6, 3, 7);
	*a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
	*b = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
	*c = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
	*d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
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

LM_INLINE sym_v symmetric_field(const float* block, int number, int lane)
{
	return (sym_v){ field(block, number, lane),     field(block, number + 1, lane), field(block, number + 2, lane),
		            field(block, number + 3, lane), field(block, number + 4, lane), field(block, number + 5, lane) };
}

#endif
