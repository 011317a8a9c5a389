// skin_kernel.h: the loop of the fast surface. One vector holds a vertex and its normal: entry by entry,
//   (x, n) += (phi, phi, phi, phi, g, g, g, g) * (y, y)   with y the node's position, phi and g its weights:
// since sum grad Phi_i x_i = I, Eq. 9 is n' = sum (grad Phi_i . n) y_i. Each kernel file sets LM_KERNEL, its name.
#include "design/skin.h"

#include <math.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

typedef float f8 __attribute__((vector_size(32)));
typedef float f4 __attribute__((vector_size(16)));

static inline __attribute__((always_inline)) f8 spread(const lm_design_pair* pair)
{
#if defined(__AVX2__)
	__m256d both = _mm256_broadcast_sd((const double*)(const void*)pair);
	return (f8)_mm256_permutevar_ps(_mm256_castpd_ps(both), _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1));
#else
	float p = pair->phi, n = pair->normal;
	return (f8){ p, p, p, p, n, n, n, n };
#endif
}

static inline __attribute__((always_inline)) f4 unit(f4 n)
{
#if defined(__AVX2__)
	__m128 square = _mm_max_ps(_mm_dp_ps((__m128)n, (__m128)n, 0x7f), _mm_set1_ps(1e-30f));
	__m128 r = _mm_rsqrt_ps(square); // one Newton step makes 12 bits 23
	__m128 rrs = _mm_mul_ps(_mm_mul_ps(r, r), square);
	return (f4)_mm_mul_ps((__m128)n, _mm_mul_ps(_mm_mul_ps(_mm_set1_ps(0.5f), r), _mm_sub_ps(_mm_set1_ps(3), rrs)));
#else
	return n / sqrtf(fmaxf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1e-30f));
#endif
}

static inline __attribute__((always_inline)) f8 gather(const lm_design_skin* skin, const float* table, int32_t k,
                                                       int32_t end)
{
	f8 sum = { 0 }, other = { 0 }, y;
	for (; k + 2 <= end; k += 2)
	{
		memcpy(&y, table + 8 * (size_t)skin->node[k], sizeof y);
		sum += spread(skin->pair + k) * y;
		memcpy(&y, table + 8 * (size_t)skin->node[k + 1], sizeof y);
		other += spread(skin->pair + k + 1) * y;
	}
	if (k < end)
	{
		memcpy(&y, table + 8 * (size_t)skin->node[k], sizeof y);
		sum += spread(skin->pair + k) * y;
	}
	return sum + other;
}

// Four floats are stored where three belong: the next vertex overwrites the fourth; the last is stored alone.
void LM_KERNEL(const lm_design_skin* skin, const float* table, int64_t begin, int64_t end, float* positions,
               float* normals)
{
	for (int64_t v = begin; v < end; ++v)
	{
		f8 sum = gather(skin, table, skin->start[v], skin->start[v + 1]);
		f4 x = { sum[0], sum[1], sum[2], 0 }, n = unit((f4){ sum[4], sum[5], sum[6], 0 });
		size_t bytes = v + 1 < end ? 16 : 12;
		if (bytes == 16)
		{
			memcpy(positions + 3 * v, &x, 16);
			memcpy(normals + 3 * v, &n, 16);
		}
		else
		{
			memcpy(positions + 3 * v, &x, 12);
			memcpy(normals + 3 * v, &n, 12);
		}
	}
}
