// A = U^T U, right-looking by blocks of LM_DENSE_BLOCK rows: the rows of a block are finished one by one, then taken
// together from all rows below.
#include "sparse/dense.h"
#include "sparse/dense_update.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

// a_kk as it was given: what is left of it, and the squares that were taken from it.
static double given_diagonal(int n, const double* A, int k)
{
	double sum = A[(int64_t)k * n + k];
	for (int i = 0; i < k; ++i)
		sum += A[(int64_t)i * n + k] * A[(int64_t)i * n + k];
	return sum;
}

// Finishes rows first .. end - 1, from which all rows above first have been taken. Returns the row whose pivot is not
// positive, or end.
static int finish_rows(int n, int first, int end, double* A)
{
	for (int k = first; k < end; ++k)
	{
		double* row = A + (int64_t)k * n;
		for (int i = first; i < k; ++i)
			lm_subtract_row(n - k, A[(int64_t)i * n + k], A + (int64_t)i * n + k, row + k);
		if (!(row[k] > n * DBL_EPSILON * given_diagonal(n, A, k)) || !isfinite(row[k]))
			return k;
		double scale = 1 / sqrt(row[k]);
		for (int j = k; j < n; ++j)
			row[j] *= scale;
	}
	return end;
}

lm_factor_report lm_dense_cholesky(int n, double* A)
{
	lm_factor_report report = { .status = LM_FACTOR_OK, .column = -1, .rcond = 1 };
	double smallest = INFINITY, largest = 0, c[LM_DENSE_BLOCK];
	for (int first = 0; first < n; first += LM_DENSE_BLOCK)
	{
		int end = first + LM_DENSE_BLOCK < n ? first + LM_DENSE_BLOCK : n;
		int bad = finish_rows(n, first, end, A);
		if (bad < end)
		{
			bool finite = isfinite(A[(int64_t)bad * n + bad]);
			return (lm_factor_report){ finite ? LM_FACTOR_NOT_POSITIVE : LM_FACTOR_NOT_FINITE, bad, 0, 0 };
		}
		for (int i = end; i < n; ++i)
		{
			for (int k = 0; k < LM_DENSE_BLOCK; ++k)
				c[k] = A[(int64_t)(first + k) * n + i];
			lm_subtract_rows(n - i, c, A + (int64_t)first * n + i, n, A + (int64_t)i * n + i);
		}
		for (int k = first; k < end; ++k)
			smallest = fmin(smallest, A[(int64_t)k * n + k]), largest = fmax(largest, A[(int64_t)k * n + k]);
	}
	if (n > 0)
		report.rcond = smallest / largest * (smallest / largest);
	return report;
}

void lm_dense_cholesky_solve(int n, const double* U, int count, double* X)
{
	for (double* x = X; x < X + (int64_t)n * count; x += n)
	{
		for (int i = 0; i < n; ++i) // U^T y = b
		{
			const double* row = U + (int64_t)i * n;
			x[i] /= row[i];
			lm_subtract_row(n - i - 1, x[i], row + i + 1, x + i + 1);
		}
		for (int i = n - 1; i >= 0; --i) // U x = y
		{
			const double* row = U + (int64_t)i * n;
			x[i] = (x[i] - lm_dense_dot(n - i - 1, row + i + 1, x + i + 1)) / row[i];
		}
	}
}
