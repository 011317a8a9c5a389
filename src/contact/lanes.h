// lanes.h: doubles side by side, LM_LANES of them (1 or 4, set before this is included), so that a formula is written
// once for a single point, in plain doubles, and for several at once, in the compiler's vectors. Lane by lane they give
// the same bits.
#ifndef LM_CONTACT_LANES_H
#define LM_CONTACT_LANES_H

#include "math/vec.h"

#if defined(__AVX__) && LM_LANES == 4
#include <immintrin.h>
#endif

#ifdef LM_CHECKED
#define LM_INLINE static inline
#else
#define LM_INLINE static inline __attribute__((always_inline))
#endif

#if LM_LANES == 1
typedef double lanes;
typedef int64_t lane_mask; // all bits, or none
#else
typedef double lanes __attribute__((vector_size(8 * LM_LANES)));
typedef int64_t lane_mask __attribute__((vector_size(8 * LM_LANES)));
#endif

LM_INLINE lanes all_lanes(double a)
{
	return a - (lanes){ 0 };
}

// a < b; false where one is not a number.
LM_INLINE lane_mask less(lanes a, lanes b)
{
#if LM_LANES == 1
	return -(lane_mask)(a < b);
#else
	return a < b;
#endif
}

LM_INLINE lane_mask at_most(lanes a, lanes b)
{
#if LM_LANES == 1
	return -(lane_mask)(a <= b);
#else
	return a <= b;
#endif
}

LM_INLINE lanes choose(lane_mask mask, lanes yes, lanes no)
{
#if LM_LANES == 1
	return mask ? yes : no;
#elif defined(__AVX__)
	return (lanes)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)mask);
#else
	return (lanes)(((lane_mask)yes & mask) | ((lane_mask)no & ~mask));
#endif
}

// Unlike fmin and fmax: where a is NaN the result is b.
LM_INLINE lanes smaller(lanes a, lanes b)
{
	return choose(less(a, b), a, b);
}

LM_INLINE lanes larger(lanes a, lanes b)
{
	return choose(less(b, a), a, b);
}

LM_INLINE lanes magnitude(lanes a)
{
	return choose(less(a, all_lanes(0)), -a, a);
}

LM_INLINE lanes square_root(lanes a)
{
#if LM_LANES == 1
	return sqrt(a);
#elif defined(__AVX__)
	return (lanes)_mm256_sqrt_pd((__m256d)a);
#else
	return (lanes){ sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3]) };
#endif
}

// Bit k is that of lane k.
LM_INLINE unsigned bits_of_lanes(lane_mask mask)
{
#if LM_LANES == 1
	return mask & 1u;
#elif defined(__AVX__)
	return (unsigned)_mm256_movemask_pd((__m256d)mask);
#else
	return (mask[0] & 1u) | (mask[1] & 2u) | (mask[2] & 4u) | (mask[3] & 8u);
#endif
}

// ---- one vector per lane

#if LM_LANES == 1
typedef lm_vec3 lanes3;
#else
typedef struct lanes3
{
	lanes x, y, z;
} lanes3;
#endif

LM_INLINE lanes3 all_lanes3(lm_vec3 a)
{
	return (lanes3){ all_lanes(a.x), all_lanes(a.y), all_lanes(a.z) };
}

LM_INLINE lanes3 sum_of(lanes3 a, lanes3 b)
{
	return (lanes3){ a.x + b.x, a.y + b.y, a.z + b.z };
}

LM_INLINE lanes3 difference(lanes3 a, lanes3 b)
{
	return (lanes3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

LM_INLINE lanes3 scaled(lanes s, lanes3 a)
{
	return (lanes3){ s * a.x, s * a.y, s * a.z };
}

// a + s b
LM_INLINE lanes3 add_scaled(lanes3 a, lanes s, lanes3 b)
{
	return (lanes3){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z };
}

LM_INLINE lanes dot_of(lanes3 a, lanes3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

LM_INLINE lanes3 cross_of(lanes3 a, lanes3 b)
{
	return (lanes3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

LM_INLINE lanes length_of(lanes3 a)
{
	return square_root(dot_of(a, a));
}

LM_INLINE lanes3 choose3(lane_mask mask, lanes3 yes, lanes3 no)
{
	return (lanes3){ choose(mask, yes.x, no.x), choose(mask, yes.y, no.y), choose(mask, yes.z, no.z) };
}

LM_INLINE lanes3 times(const lm_mat3* A, lanes3 b)
{
	return (lanes3){ A->m[0][0] * b.x + A->m[0][1] * b.y + A->m[0][2] * b.z,
		             A->m[1][0] * b.x + A->m[1][1] * b.y + A->m[1][2] * b.z,
		             A->m[2][0] * b.x + A->m[2][1] * b.y + A->m[2][2] * b.z };
}

// A^T b
LM_INLINE lanes3 transposed_times(const lm_mat3* A, lanes3 b)
{
	return (lanes3){ A->m[0][0] * b.x + A->m[1][0] * b.y + A->m[2][0] * b.z,
		             A->m[0][1] * b.x + A->m[1][1] * b.y + A->m[2][1] * b.z,
		             A->m[0][2] * b.x + A->m[1][2] * b.y + A->m[2][2] * b.z };
}

#endif
