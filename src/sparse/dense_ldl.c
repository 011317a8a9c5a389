// P A P^T = U^T D U, Bunch and Kaufman's partial pivoting ("Some stable methods for calculating inertia and solving
// symmetric linear systems", 1977) on the rows of the upper triangle. D's blocks lie on the diagonal of A; the first of
// two rows of a block holds the block's off-diagonal number where U has a zero.
//
// pivots[k] = p: row k was exchanged with p, D has a block of 1 there. pivots[k] = pivots[k + 1] = ~p: rows k and k + 1
// are a block of 2, and k + 1 was exchanged with p.
#include "sparse/dense.h"
#include "sparse/dense_update.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

static const double bunch_kaufman = 0.6403882032022076; // (1 + sqrt 17) / 8 bounds the growth

#define AT(i, j) A[(int64_t)(i)*n + (j)]

static void swap_numbers(double* a, double* b)
{
	double swap = *a;
	*a = *b, *b = swap;
}

// Exchanges rows and columns k < p of the symmetric matrix, in the upper triangle, and of U above.
static void exchange(int n, double* A, int k, int p)
{
	if (k == p)
		return;
	for (int i = 0; i < k; ++i)
		swap_numbers(&AT(i, k), &AT(i, p));
	swap_numbers(&AT(k, k), &AT(p, p));
	for (int i = k + 1; i < p; ++i)
		swap_numbers(&AT(k, i), &AT(i, p));
	for (int j = p + 1; j < n; ++j)
		swap_numbers(&AT(k, j), &AT(p, j));
}

// The largest number of row r besides the diagonal, among rows and columns from k on, and where it is.
static double largest_beside(int n, const double* A, int k, int r, int* where)
{
	double largest = 0;
	*where = r;
	for (int i = k; i < n; ++i)
	{
		double size = i == r ? 0 : fabs(i < r ? AT(i, r) : AT(r, i));
		if (!(size <= largest)) // NaN too
			largest = size, *where = i;
	}
	return largest;
}

// Chooses the next block: its size, and the row that comes to its last place.
static int choose(int n, const double* A, int k, int* p)
{
	int r, unused;
	double lambda = largest_beside(n, A, k, k, &r), diagonal = fabs(AT(k, k));
	*p = k;
	if (!(diagonal < bunch_kaufman * lambda))
		return 1;
	double sigma = largest_beside(n, A, k, r, &unused);
	if (diagonal * sigma >= bunch_kaufman * lambda * lambda)
		return 1;
	*p = r;
	return fabs(AT(r, r)) >= bunch_kaufman * sigma ? 1 : 2;
}

static void eliminate_one(int n, double* A, int k)
{
	double d = AT(k, k);
	for (int i = k + 1; i < n; ++i)
		lm_subtract_row(n - i, AT(k, i) / d, &AT(k, i), &AT(i, i));
	for (int j = k + 1; j < n; ++j)
		AT(k, j) /= d;
}

// z = D^-1 (a, b) for the block [d0 e; e d1], scaled by e so that the determinant does not overflow: in a block that
// was chosen |e| is the largest, so that |d0 d1| < e^2.
static void solve_block(double d0, double e, double d1, double* a, double* b)
{
	double p = d0 / e, q = d1 / e, scale = 1 / (p * q - 1), s = *a / e, t = *b / e;
	*a = (q * s - t) * scale;
	*b = (p * t - s) * scale;
}

static void eliminate_two(int n, double* A, int k)
{
	double d0 = AT(k, k), e = AT(k, k + 1), d1 = AT(k + 1, k + 1);
	for (int i = k + 2; i < n; ++i)
	{
		double a = AT(k, i), b = AT(k + 1, i);
		solve_block(d0, e, d1, &a, &b);
		lm_subtract_row(n - i, a, &AT(k, i), &AT(i, i));
		lm_subtract_row(n - i, b, &AT(k + 1, i), &AT(i, i));
	}
	for (int j = k + 2; j < n; ++j)
		solve_block(d0, e, d1, &AT(k, j), &AT(k + 1, j));
}

// Eigenvalues of a block of 2 that was chosen have opposite signs; how small the smaller is, is good enough so.
static double smallest_of_block(double d0, double e, double d1)
{
	double size = fmax(fabs(e), fmax(fabs(d0), fabs(d1)));
	return fabs(d0 / size * d1 - e / size * e);
}

// The caller's number of the row that exchanges have brought to k.
static int64_t original_row(const int32_t* pivots, int k)
{
	for (int i = k; i >= 0; --i)
	{
		if (pivots[i] >= 0)
			k = k == i ? pivots[i] : k == pivots[i] ? i : k;
		else // the second row of a block of 2
		{
			k = k == i ? ~pivots[i] : k == ~pivots[i] ? i : k;
			--i;
		}
	}
	return k;
}

lm_factor_report lm_dense_ldl(int n, double* A, int32_t* pivots)
{
	double size = 0, smallest = INFINITY, largest = 0;
	for (int i = 0; i < n; ++i)
		for (int j = i; j < n; ++j)
		{
			if (!isfinite(AT(i, j)))
				return (lm_factor_report){ LM_FACTOR_NOT_FINITE, j, 0, 0 };
			size = fmax(size, fabs(AT(i, j)));
		}
	lm_factor_report report = { .status = LM_FACTOR_OK, .column = -1 };
	for (int k = 0, p, block; k < n; k += block)
	{
		block = choose(n, A, k, &p);
		int last = k + block - 1;
		exchange(n, A, last, p);
		pivots[last] = block == 1 ? p : ~p;
		double pivot = fabs(AT(k, k));
		if (block == 2)
		{
			pivots[k] = ~p;
			pivot = smallest_of_block(AT(k, k), AT(k, k + 1), AT(last, last));
		}
		bool finite = isfinite(pivot);
		if (!finite || pivot <= n * DBL_EPSILON * size)
			return (lm_factor_report){ finite ? LM_FACTOR_SINGULAR : LM_FACTOR_NOT_FINITE, original_row(pivots, last),
				                       report.negative, 0 };
		report.negative += block == 2 || AT(k, k) < 0;
		smallest = fmin(smallest, pivot), largest = fmax(largest, block == 1 ? pivot : fabs(AT(k, k + 1)));
		if (block == 1)
			eliminate_one(n, A, k);
		else
			eliminate_two(n, A, k);
	}
	report.rcond = n > 0 ? fmin(1, smallest / largest) : 1;
	return report;
}

static void exchange_entries(int n, const int32_t* pivots, double* x)
{
	for (int k = 0; k < n; ++k)
		if (pivots[k] >= 0)
			swap_numbers(x + k, x + pivots[k]);
		else
			++k, swap_numbers(x + k, x + ~pivots[k]);
}

static void exchange_entries_back(int n, const int32_t* pivots, double* x)
{
	for (int k = n - 1; k >= 0; --k)
		if (pivots[k] >= 0)
			swap_numbers(x + k, x + pivots[k]);
		else
			swap_numbers(x + k, x + ~pivots[k]), --k;
}

// x becomes D^-1 U^-T x; U's rows begin behind their block.
static void solve_down(int n, const double* A, const int32_t* pivots, double* x)
{
	for (int k = 0, block; k < n; k += block)
	{
		block = pivots[k] >= 0 ? 1 : 2;
		for (int i = k; i < k + block; ++i)
			lm_subtract_row(n - k - block, x[i], A + (int64_t)i * n + k + block, x + k + block);
		if (block == 1)
			x[k] /= AT(k, k);
		else
			solve_block(AT(k, k), AT(k, k + 1), AT(k + 1, k + 1), x + k, x + k + 1);
	}
}

static void solve_up(int n, const double* A, const int32_t* pivots, double* x)
{
	for (int k = n - 1, end = n; k >= 0; end = k--)
	{
		bool two = pivots[k] < 0;
		x[k] -= lm_dense_dot(n - end, A + (int64_t)k * n + end, x + end);
		if (two)
			--k, x[k] -= lm_dense_dot(n - end, A + (int64_t)k * n + end, x + end);
	}
}

void lm_dense_ldl_solve(int n, const double* A, const int32_t* pivots, int count, double* X)
{
	for (double* x = X; x < X + (int64_t)n * count; x += n)
	{
		exchange_entries(n, pivots, x);
		solve_down(n, A, pivots, x);
		solve_up(n, A, pivots, x);
		exchange_entries_back(n, pivots, x);
	}
}
