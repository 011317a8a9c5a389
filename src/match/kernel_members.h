// kernel_members.h: sums over the rings of LM_RUN_W regions where rings are no runs (runs.c): member by member, from
// rows of four floats. A particle has the rows y and (X, 1), and u of each pose; a map is three rows (T, t).
#ifndef LM_MATCH_KERNEL_MEMBERS_H
#define LM_MATCH_KERNEL_MEMBERS_H

#include "match/kernel_vector.h"

_Static_assert(LM_MEMBER_STEP == 2, "members are added to two sums in turn, since an addition takes several cycles");

// Three rows of four floats, in as few vectors as they fit in.
typedef struct three_rows
{
#if LM_W == 4
	v4 a, b, c;
#else
	v8 ab;
	v4 c;
#endif
} three_rows;

LM_INLINE three_rows load_rows(const float* p)
{
#if LM_W == 4
	return (three_rows){ load4(p), load4(p + 4), load4(p + 8) };
#else
	return (three_rows){ *(const v8_unaligned*)p, load4(p + 8) };
#endif
}

LM_INLINE void store_rows(float* p, const three_rows* a, const three_rows* b)
{
#if LM_W == 4
	store4(p, a->a + b->a), store4(p + 4, a->b + b->b);
#else
	*(v8_unaligned*)p = a->ab + b->ab;
#endif
	store4(p + 8, a->c + b->c);
}

LM_INLINE void add_rows(three_rows* sum, three_rows a)
{
#if LM_W == 4
	sum->a += a.a, sum->b += a.b;
#else
	sum->ab += a.ab;
#endif
	sum->c += a.c;
}

#if LM_W > 4
LM_INLINE v8 load_twice(const float* p)
{
#if defined(__AVX__)
	return (v8)_mm256_broadcast_ps((const __m128*)p);
#else
	return __builtin_shufflevector(load4(p), load4(p), 0, 1, 2, 3, 0, 1, 2, 3);
#endif
}
#endif

// Rows y_x q, y_y q and y_z q.
LM_INLINE void add_product(three_rows* sum, const float* y, const float* z, v4 own)
{
#if LM_W == 4
	v4 q = load4(z) - own;
	sum->a += y[0] * q, sum->b += y[1] * q, sum->c += y[2] * q;
#else
	v8 q = load_twice(z) - __builtin_shufflevector(own, own, 0, 1, 2, 3, 0, 1, 2, 3);
	v8 y2 = load_twice(y);
	sum->ab += __builtin_shufflevector(y2, y2, 0, 0, 0, 0, 5, 5, 5, 5) * q;
	sum->c += y[2] * __builtin_shufflevector(q, q, 0, 1, 2, 3);
#endif
}

// sum[k][j] = sum y_k (z_i - z_r)_j and, where the rows of z end with 1, sum[k][3] = sum y_k. Rows of z are `stride`
// floats apart.
LM_INLINE void sum_member_moments(const lm_match* body, const float* z, int stride, int64_t first, vr sum[3][4])
{
	float rows[LM_RUN_W][LM_MAP] __attribute__((aligned(64)));
	for (int l = 0; l < LM_RUN_W; ++l)
	{
		const int32_t *m = body->members + body->starts[first + l], *end = body->members + body->starts[first + l + 1];
		v4 own = load4(z + stride * (first + l)) * (v4){ 1, 1, 1, 0 };
		three_rows a = { 0 }, b = { 0 };
		for (; m < end; m += 2)
		{
			add_product(&a, body->particles + LM_PARTICLE_ROW * (int64_t)m[0], z + stride * (int64_t)m[0], own);
			add_product(&b, body->particles + LM_PARTICLE_ROW * (int64_t)m[1], z + stride * (int64_t)m[1], own);
		}
		store_rows(rows[l], &a, &b);
	}
	for (int k = 0; k < 3; ++k)
		load_columns(rows[0] + 4 * k, LM_MAP, sum[k]);
}

// The sums of the maps of the regions that a particle is in.
LM_INLINE void sum_member_maps(const lm_match* body, const float* maps, int64_t first, vr sum[3][4])
{
	float rows[LM_RUN_W][LM_MAP] __attribute__((aligned(64)));
	int64_t stride = body->map_row;
	for (int l = 0; l < LM_RUN_W; ++l)
	{
		const int32_t *m = body->members + body->starts[first + l], *end = body->members + body->starts[first + l + 1];
		three_rows a = { 0 }, b = { 0 };
		for (; m < end; m += 2)
		{
			add_rows(&a, load_rows(maps + stride * m[0]));
			add_rows(&b, load_rows(maps + stride * m[1]));
		}
		store_rows(rows[l], &a, &b);
	}
	for (int k = 0; k < 3; ++k)
		load_columns(rows[0] + 4 * k, LM_MAP, sum[k]);
}

#endif
