// kernel_panel.h: what is done along the columns of a panel.
#ifndef LM_SPARSE_KERNEL_PANEL_H
#define LM_SPARSE_KERNEL_PANEL_H

#include "sparse/kernel_product.h"

#include <math.h>

// y[0 .. n) -= c x
LM_INLINE void subtract_scaled(int64_t n, double c, const double* restrict x, double* restrict y)
{
	for (int64_t i = 0; i < n; ++i)
		y[i] -= c * x[i];
}

// The same with two vectors at once.
LM_INLINE void subtract_two(int64_t n, double c, const double* restrict x, double d, const double* restrict z,
                            double* restrict y)
{
	for (int64_t i = 0; i < n; ++i)
		y[i] -= c * x[i] + d * z[i];
}

static void add_runs(int64_t count, const int32_t* place, const int32_t* run, const double* from, double* to)
{
	for (int64_t i = 0; i < count; i += run[i])
	{
		const double* x = from + i;
		double* y = to + place[i];
		int32_t r = 0, end = run[i];
		for (; r + LM_DW <= end; r += LM_DW)
			store(y + r, load(y + r) + load(x + r));
		for (; r < end; ++r)
			y[r] += x[r];
	}
}

LM_INLINE double dot(int64_t n, const double* x, const double* y)
{
	vd sum = { 0 }, other = { 0 };
	int64_t i = 0;
	for (; i + 2 * LM_DW <= n; i += 2 * LM_DW)
		sum += load(x + i) * load(y + i), other += load(x + i + LM_DW) * load(y + i + LM_DW);
	sum += other;
	double total = 0;
	for (int lane = 0; lane < LM_DW; ++lane)
		total += sum[lane];
	for (; i < n; ++i)
		total += x[i] * y[i];
	return total;
}

// Takes columns first .. j - 1 from column j, which begins at row; L(j, i) are the factors.
LM_INLINE void take_columns(double* panel, int64_t stride, int64_t row, int64_t rows, int64_t first, int64_t j,
                            const double* sign)
{
	double* column = panel + j * stride + row;
	int64_t i = first;
	for (; i + 2 <= j; i += 2)
	{
		const double *one = panel + i * stride, *two = one + stride;
		double a = sign ? sign[i] * one[j] : one[j], b = sign ? sign[i + 1] * two[j] : two[j];
		subtract_two(rows - row, a, one + row, b, two + row, column);
	}
	if (i < j)
	{
		const double* one = panel + i * stride;
		subtract_scaled(rows - row, sign ? sign[i] * one[j] : one[j], one + row, column);
	}
}

LM_INLINE void scale_column(int64_t rows, double root, double sign, double* column)
{
	double scale = 1 / root * sign;
	for (int64_t r = 0; r < rows; ++r)
		column[r] *= scale;
}

LM_INLINE int64_t finish(double* panel, int64_t stride, int64_t rows, int64_t first, int64_t end, double* sign)
{
	for (int64_t j = first; j < end; ++j)
	{
		double* column = panel + j * stride;
		take_columns(panel, stride, j, rows, first, j, sign);
		double size = sign ? fabs(column[j]) : column[j];
		if (!(size > 0) || !isfinite(size))
			return j;
		if (sign)
			sign[j] = column[j] < 0 ? -1 : 1;
		column[j] = sqrt(size);
		scale_column(rows - j - 1, column[j], sign ? sign[j] : 1, column + j + 1);
	}
	return end;
}

static int64_t finish_columns(double* panel, int64_t stride, int64_t rows, int64_t first, int64_t end, double* sign)
{
	return sign ? finish(panel, stride, rows, first, end, sign) : finish(panel, stride, rows, first, end, NULL);
}

static void follow_columns(double* panel, int64_t stride, int64_t row, int64_t rows, int64_t first, int64_t end,
                           const double* sign)
{
	for (int64_t j = first; j < end; ++j)
	{
		take_columns(panel, stride, row, rows, first, j, sign);
		scale_column(rows - row, panel[j * stride + j], sign ? sign[j] : 1, panel + j * stride + row);
	}
}

static void solve_down(const double* panel, int64_t stride, int64_t k, int64_t m, double* x, double* t)
{
	int64_t j = 0;
	memset(t, 0, (size_t)m * sizeof *t);
	for (; j + 2 <= k; j += 2)
	{
		const double *one = panel + j * stride, *two = one + stride;
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

static void solve_up(const double* panel, int64_t stride, int64_t k, int64_t m, double* x, const double* t)
{
	for (int64_t j = k - 1; j >= 0; --j)
	{
		const double* column = panel + j * stride;
		x[j] = (x[j] - (dot(k - j - 1, column + j + 1, x + j + 1) + dot(m, column + k, t))) / column[j];
	}
}

static void multiply_down(const double* L, int64_t stride, int64_t k, int64_t m, const double* x, double* t)
{
	int64_t j = 0;
	memset(t, 0, (size_t)m * sizeof *t);
	for (; j + 2 <= k; j += 2, L += 2 * stride)
		subtract_two(m, x[j], L, x[j + 1], L + stride, t);
	if (j < k)
		subtract_scaled(m, x[j], L, t);
}

static void multiply_up(const double* L, int64_t stride, int64_t k, int64_t m, double* x, const double* t)
{
	for (int64_t j = 0; j < k; ++j)
		x[j] -= dot(m, L + j * stride, t);
}

#endif
