// P A = L U with partial pivoting, by blocks of LM_DENSE_BLOCK columns: the columns of a block are finished one by one
// in all rows below, then the rest of the block's rows, and both together are taken from the remaining square.
#include "sparse/dense.h"
#include "sparse/dense_update.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

static void swap_rows(int n, double* A, int i, int j)
{
	double *a = A + (int64_t)i * n, *b = A + (int64_t)j * n;
	for (int k = 0; k < n && i != j; ++k)
	{
		double swap = a[k];
		a[k] = b[k], b[k] = swap;
	}
}

// The row at or below k with the largest number in column k; NaN is larger than all.
static int pivot_row(int n, const double* A, int k)
{
	int best = k;
	for (int i = k + 1; i < n && !isnan(A[(int64_t)best * n + k]); ++i)
		if (!(fabs(A[(int64_t)i * n + k]) <= fabs(A[(int64_t)best * n + k])))
			best = i;
	return best;
}

// Whether the pivot is lost in the rounding of its column, of which U holds the part above it.
static bool is_lost(int n, const double* A, int k)
{
	double above = 0, pivot = fabs(A[(int64_t)k * n + k]);
	for (int i = 0; i < k; ++i)
		above = fmax(above, fabs(A[(int64_t)i * n + k]));
	return pivot <= n * DBL_EPSILON * above || pivot == 0;
}

// Finishes columns first .. end - 1 in rows from first on. Returns the column without a pivot, or end.
static int finish_columns(int n, int first, int end, double* A, int32_t* pivots)
{
	for (int k = first; k < end; ++k)
	{
		pivots[k] = pivot_row(n, A, k);
		swap_rows(n, A, k, pivots[k]);
		const double* row = A + (int64_t)k * n;
		if (!isfinite(row[k]) || is_lost(n, A, k))
			return k;
		for (int i = k + 1; i < n; ++i)
		{
			double* below = A + (int64_t)i * n;
			below[k] /= row[k];
			lm_subtract_row(end - k - 1, below[k], row + k + 1, below + k + 1);
		}
	}
	return end;
}

lm_factor_report lm_dense_lu(int n, double* A, int32_t* pivots)
{
	double smallest = INFINITY, largest = 0;
	for (int first = 0; first < n; first += LM_DENSE_BLOCK)
	{
		int end = first + LM_DENSE_BLOCK < n ? first + LM_DENSE_BLOCK : n;
		int bad = finish_columns(n, first, end, A, pivots);
		if (bad < end)
		{
			bool finite = isfinite(A[(int64_t)bad * n + bad]);
			return (lm_factor_report){ finite ? LM_FACTOR_SINGULAR : LM_FACTOR_NOT_FINITE, bad, 0, 0 };
		}
		for (int k = first; k < end; ++k)
		{
			double* row = A + (int64_t)k * n;
			for (int i = first; i < k; ++i)
				lm_subtract_row(n - end, row[i], A + (int64_t)i * n + end, row + end);
			smallest = fmin(smallest, fabs(row[k])), largest = fmax(largest, fabs(row[k]));
		}
		for (int i = end; i < n; ++i)
			lm_subtract_rows(n - end, A + (int64_t)i * n + first, A + (int64_t)first * n + end, n,
			                 A + (int64_t)i * n + end);
	}
	return (lm_factor_report){ LM_FACTOR_OK, -1, 0, n > 0 ? smallest / largest : 1 };
}

static void swap_entries(double* x, int i, int j)
{
	double swap = x[i];
	x[i] = x[j], x[j] = swap;
}

void lm_dense_lu_solve(int n, const double* LU, const int32_t* pivots, int count, double* X)
{
	for (double* x = X; x < X + (int64_t)n * count; x += n)
	{
		for (int i = 0; i < n; ++i)
			swap_entries(x, i, pivots[i]);
		for (int i = 0; i < n; ++i)
			x[i] -= lm_dense_dot(i, LU + (int64_t)i * n, x);
		for (int i = n - 1; i >= 0; --i)
		{
			const double* row = LU + (int64_t)i * n;
			x[i] = (x[i] - lm_dense_dot(n - i - 1, row + i + 1, x + i + 1)) / row[i];
		}
	}
}

// A^T = U^T L^T P
void lm_dense_lu_solve_transposed(int n, const double* LU, const int32_t* pivots, int count, double* X)
{
	for (double* x = X; x < X + (int64_t)n * count; x += n)
	{
		for (int i = 0; i < n; ++i)
		{
			const double* row = LU + (int64_t)i * n;
			x[i] /= row[i];
			lm_subtract_row(n - i - 1, x[i], row + i + 1, x + i + 1);
		}
		for (int i = n - 1; i >= 0; --i)
			lm_subtract_row(i, x[i], LU + (int64_t)i * n, x);
		for (int i = n - 1; i >= 0; --i)
			swap_entries(x, i, pivots[i]);
	}
}
