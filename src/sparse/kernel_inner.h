// kernel_inner.h: inner products of many vectors with many, by tiles of 4 and 2 that stay in registers.
#ifndef LM_SPARSE_KERNEL_INNER_H
#define LM_SPARSE_KERNEL_INNER_H

#include "sparse/kernel_product.h"

LM_INLINE double sum_of(vd v)
{
	double sum = 0;
	for (int lane = 0; lane < LM_DW; ++lane)
		sum += v[lane];
	return sum;
}

// high x wide products of vectors that lie n apart; vectors that are not there repeat the last.
LM_INLINE void inner_tile(int64_t n, const double* X, int high, const double* Y, int wide, double* K, int64_t stride)
{
	const double *x[4], *y[2];
	vd sum[4][2] = { 0 };
	double rest[4][2] = { 0 };
	for (int i = 0; i < 4; ++i)
		x[i] = X + (i < high ? i : high - 1) * n;
	for (int j = 0; j < 2; ++j)
		y[j] = Y + (j < wide ? j : wide - 1) * n;
	int64_t r = 0;
	for (; r + LM_DW <= n; r += LM_DW)
	{
		vd a = load(y[0] + r), b = load(y[1] + r);
		for (int i = 0; i < 4; ++i)
		{
			vd c = load(x[i] + r);
			sum[i][0] += c * a, sum[i][1] += c * b;
		}
	}
	for (; r < n; ++r)
		for (int i = 0; i < 4; ++i)
			rest[i][0] += x[i][r] * y[0][r], rest[i][1] += x[i][r] * y[1][r];
	for (int i = 0; i < high; ++i)
		for (int j = 0; j < wide; ++j)
			K[i * stride + j] = sum_of(sum[i][j]) + rest[i][j];
}

static void inner_products(int64_t n, int64_t p, const double* X, int64_t q, const double* Y, double* K)
{
	for (int64_t i = 0; i < p; i += 4)
		for (int64_t j = 0; j < q; j += 2)
			inner_tile(n, X + i * n, (int)(p - i < 4 ? p - i : 4), Y + j * n, (int)(q - j < 2 ? q - j : 2),
			           K + i * q + j, q);
}

#endif
