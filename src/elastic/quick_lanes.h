// quick_lanes.h: four terms side by side, one per lane of a vector.
#ifndef LM_ELASTIC_QUICK_LANES_H
#define LM_ELASTIC_QUICK_LANES_H

#include "elastic/quick.h"

#include <math.h>
#include <string.h>

#ifdef LM_CHECKED
#define LM_INLINE static inline
#else
#define LM_INLINE static inline __attribute__((always_inline))
#endif
#define LANES 4

typedef double vd __attribute__((vector_size(8 * LANES)));
typedef int64_t vi __attribute__((vector_size(8 * LANES)));

LM_INLINE vd all(double value)
{
	return (vd){ value, value, value, value };
}

LM_INLINE vd choose(vi mask, vd yes, vd no)
{
	return (vd)(((vi)yes & mask) | ((vi)no & ~mask));
}

LM_INLINE vd larger(vd a, vd b)
{
	return choose(a > b, a, b);
}

LM_INLINE bool holds(vi mask)
{
	return (mask[0] & mask[1] & mask[2] & mask[3]) != 0;
}

LM_INLINE vd square_root(vd a)
{
	return (vd){ sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3]) };
}

// Terms first .. first + LANES, of which `count` are there; the last one stands for those that are not.
typedef struct term_group
{
	int64_t first, term[LANES];
	int count;
} term_group;

LM_INLINE term_group term_group_from(int64_t first, int64_t end)
{
	term_group at = { .first = first, .count = end - first < LANES ? (int)(end - first) : LANES };
	for (int l = 0; l < LANES; ++l)
		at.term[l] = first + (l < at.count ? l : at.count - 1);
	return at;
}

// One number per term.
LM_INLINE vd of_terms(const double* numbers, const term_group* at)
{
	vd v;
	if (at->count == LANES)
		memcpy(&v, numbers + at->first, sizeof v);
	else
		v = (vd){ numbers[at->term[0]], numbers[at->term[1]], numbers[at->term[2]], numbers[at->term[3]] };
	return v;
}

LM_INLINE void to_terms(vd v, const term_group* at, double* numbers)
{
	for (int l = 0; l < at->count; ++l)
		numbers[at->term[l]] = v[l];
}

// Edges u_k = x_(k + 1) - x_0 of `corners` corners in d dimensions.
LM_INLINE void edges_of(const int corners, const int d, const int32_t* indices, const double* x, const term_group* at,
                        vd* u)
{
	const int32_t* v[LANES];
	for (int l = 0; l < LANES; ++l)
		v[l] = indices + at->term[l] * corners;
	vd origin[3];
	for (int c = 0; c < corners; ++c)
	{
		const double* p[LANES];
		for (int l = 0; l < LANES; ++l)
			p[l] = x + (int64_t)v[l][c] * d;
		for (int i = 0; i < d; ++i)
		{
			vd number = { p[0][i], p[1][i], p[2][i], p[3][i] };
			if (c == 0)
				origin[i] = number;
			else
				u[(c - 1) * d + i] = number - origin[i];
		}
	}
}

// What acts on the edges acts on corners 1 and on, and its opposite on corner 0.
LM_INLINE void scatter_forces(const int corners, const int d, const int32_t* indices, const term_group* at, const vd* f,
                              double* g)
{
	vd opposite[3];
	for (int i = 0; i < d; ++i)
	{
		opposite[i] = -f[i];
		for (int c = 2; c < corners; ++c)
			opposite[i] -= f[(c - 1) * d + i];
	}
	for (int l = 0; l < at->count; ++l)
	{
		const int32_t* v = indices + at->term[l] * corners;
		for (int c = 0; c < corners; ++c)
			for (int i = 0; i < d; ++i)
				g[(int64_t)v[c] * d + i] += c == 0 ? opposite[i][l] : f[(c - 1) * d + i][l];
	}
}

// Adds matrices on the edges (n x n, the upper triangle is read) to those of the corners. A symmetric pattern has a
// place for one of (i, j) and (j, i), and -1 for the other, and for both where a corner is no unknown.
LM_INLINE void scatter_matrices(const int corners, const int d, const vd* B, const term_group* at,
                                const lm_pattern* pattern, int64_t first, double* values)
{
	const int n = (corners - 1) * d, all_n = corners * d;
	vd A[12][12];
	for (int i = 0; i < n; ++i)
		for (int j = 0; j < n; ++j)
			A[d + i][d + j] = i <= j ? B[i * n + j] : B[j * n + i];
	for (int i = 0; i < d; ++i)
		for (int j = d; j < all_n; ++j)
		{
			vd sum = A[d + i][j];
			for (int c = 2; c < corners; ++c)
				sum += A[c * d + i][j];
			A[i][j] = -sum;
		}
	for (int i = 0; i < d; ++i)
		for (int j = i; j < d; ++j)
		{
			vd sum = A[i][d + j];
			for (int c = 2; c < corners; ++c)
				sum += A[i][c * d + j];
			A[i][j] = -sum;
		}
	for (int l = 0; l < at->count; ++l)
	{
		const int32_t* place = pattern->place + pattern->local_start[first + at->term[l]];
		for (int i = 0; i < all_n; ++i)
			for (int j = i; j < all_n; ++j)
			{
				int32_t one = place[i * all_n + j], other = place[j * all_n + i];
				int32_t entry = one > other ? one : other;
				if (entry >= 0)
					values[entry] += A[i][j][l];
			}
	}
}

#endif
