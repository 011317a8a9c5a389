// kernel_panel.h: what is done along the columns of a panel.
#ifndef LM_SPARSE_KERNEL_PANEL_H
#define LM_SPARSE_KERNEL_PANEL_H

#include "sparse/kernel_product.h"

#include <math.h>

// y[0 .. n) -= c x
LM_INLINE void subtract_scaled(int64_t n, lm_real c, const lm_real* restrict x, lm_real* restrict y)
{
	for (int64_t i = 0; i < n; ++i)
		y[i] -= c * x[i];
}

// The same with two vectors at once.
LM_INLINE void subtract_two(int64_t n, lm_real c, const lm_real* restrict x, lm_real d, const lm_real* restrict z,
                            lm_real* restrict y)
{
	for (int64_t i = 0; i < n; ++i)
		y[i] -= c * x[i] + d * z[i];
}

static void add_runs(int64_t count, const int32_t* place, const int32_t* run, const lm_real* from, lm_real* to)
{
	for (int64_t i = 0; i < count; i += run[i])
	{
		const lm_real* x = from + i;
		lm_real* y = to + place[i];
		int32_t r = 0, end = run[i];
		for (; r + LM_DW <= end; r += LM_DW)
			store(y + r, load(y + r) + load(x + r));
		for (; r < end; ++r)
			y[r] += x[r];
	}
}

LM_INLINE lm_real dot(int64_t n, const lm_real* x, const lm_real* y)
{
	vd sum = { 0 }, other = { 0 };
	int64_t i = 0;
	for (; i + 2 * LM_DW <= n; i += 2 * LM_DW)
		sum += load(x + i) * load(y + i), other += load(x + i + LM_DW) * load(y + i + LM_DW);
	sum += other;
	lm_real total = 0;
	for (int lane = 0; lane < LM_DW; ++lane)
		total += sum[lane];
	for (; i < n; ++i)
		total += x[i] * y[i];
	return total;
}

// Takes columns first .. j - 1 from column j, which begins at row; L(j, i) are the factors.
LM_INLINE void take_columns(lm_real* panel, int64_t stride, int64_t row, int64_t rows, int64_t first, int64_t j,
                            const lm_real* sign)
{
	lm_real* column = panel + j * stride + row;
	int64_t i = first;
	for (; i + 2 <= j; i += 2)
	{
		const lm_real *one = panel + i * stride, *two = one + stride;
		lm_real a = sign ? sign[i] * one[j] : one[j], b = sign ? sign[i + 1] * two[j] : two[j];
		subtract_two(rows - row, a, one + row, b, two + row, column);
	}
	if (i < j)
	{
		const lm_real* one = panel + i * stride;
		subtract_scaled(rows - row, sign ? sign[i] * one[j] : one[j], one + row, column);
	}
}

LM_INLINE void scale_column(int64_t rows, lm_real root, lm_real sign, lm_real* column)
{
	lm_real scale = 1 / root * sign;
	for (int64_t r = 0; r < rows; ++r)
		column[r] *= scale;
}

LM_INLINE int64_t finish(lm_real* panel, int64_t stride, int64_t rows, int64_t first, int64_t end, lm_real* sign)
{
	for (int64_t j = first; j < end; ++j)
	{
		lm_real* column = panel + j * stride;
		take_columns(panel, stride, j, rows, first, j, sign);
		lm_real size = sign ? (lm_real)fabs(column[j]) : column[j];
		if (!(size > 0) || !isfinite(size))
			return j;
		if (sign)
			sign[j] = column[j] < 0 ? -1 : 1;
		column[j] = (lm_real)sqrt(size);
		scale_column(rows - j - 1, column[j], sign ? sign[j] : 1, column + j + 1);
	}
	return end;
}

static int64_t finish_columns(lm_real* panel, int64_t stride, int64_t rows, int64_t first, int64_t end, lm_real* sign)
{
	return sign ? finish(panel, stride, rows, first, end, sign) : finish(panel, stride, rows, first, end, NULL);
}

static void follow_columns(lm_real* panel, int64_t stride, int64_t row, int64_t rows, int64_t first, int64_t end,
                           const lm_real* sign)
{
	for (int64_t j = first; j < end; ++j)
	{
		take_columns(panel, stride, row, rows, first, j, sign);
		scale_column(rows - row, panel[j * stride + j], sign ? sign[j] : 1, panel + j * stride + row);
	}
}

static void solve_down(const lm_real* panel, int64_t stride, int64_t k, int64_t m, lm_real* x, lm_real* t)
{
	int64_t j = 0;
	memset(t, 0, (size_t)m * sizeof *t);
	for (; j + 2 <= k; j += 2)
	{
		const lm_real *one = panel + j * stride, *two = one + stride;
		x[j] /= one[j];
		x[j + 1] = (x[j + 1] - one[j + 1] * x[j]) / two[j + 1];
		subtract_two(k - j - 2, x[j], one + j + 2, x[j + 1], two + j + 2, x + j + 2);
		subtract_two(m, x[j], one + k, x[j + 1], two + k, t);
	}
	if (j < k)
	{
		x[j] /= panel[j * stride + j];
		subtract_scaled(m, x[j], panel + j * stride + k, t);
	}
}

static void solve_up(const lm_real* panel, int64_t stride, int64_t k, int64_t m, lm_real* x, const lm_real* t)
{
	for (int64_t j = k - 1; j >= 0; --j)
	{
		const lm_real* column = panel + j * stride;
		x[j] = (x[j] - (dot(k - j - 1, column + j + 1, x + j + 1) + dot(m, column + k, t))) / column[j];
	}
}

static void multiply_down(const lm_real* L, int64_t stride, int64_t k, int64_t m, const lm_real* x, lm_real* t)
{
	int64_t j = 0;
	memset(t, 0, (size_t)m * sizeof *t);
	for (; j + 2 <= k; j += 2, L += 2 * stride)
		subtract_two(m, x[j], L, x[j + 1], L + stride, t);
	if (j < k)
		subtract_scaled(m, x[j], L, t);
}

static void multiply_up(const lm_real* L, int64_t stride, int64_t k, int64_t m, lm_real* x, const lm_real* t)
{
	for (int64_t j = 0; j < k; ++j)
		x[j] -= dot(m, L + j * stride, t);
}

#endif
