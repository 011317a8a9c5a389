// small_qp.h: what the small quadratic programs share.
#ifndef LM_SOLVE_SMALL_QP_H
#define LM_SOLVE_SMALL_QP_H

#include <math.h>
#include <stdbool.h>

// A power of two that brings the largest number of G (n x n) and b to about 1. False when the numbers are all zero or
// not all finite.
static inline bool lm_small_qp_scale(int n, const double* G, const double* b, double* scale)
{
	double largest = 0, sum = 0; // the sum is NaN when any number is not finite, which fmax would hide
	for (int i = 0; i < n * n; ++i)
		largest = fmax(largest, fabs(G[i])), sum += 0 * G[i];
	for (int i = 0; i < n; ++i)
		largest = fmax(largest, fabs(b[i])), sum += 0 * b[i];
	if (largest == 0 || sum != 0)
		return false;
	int exponent;
	frexp(largest, &exponent);
	*scale = ldexp(1, -(exponent < -1000 ? -1000 : exponent > 1020 ? 1020 : exponent));
	return true;
}

// Solves L L^T x = x for the lower triangle L in rows of `stride` numbers.
static inline void lm_small_qp_substitute(int count, int stride, const double* L, double* x)
{
	for (int i = 0; i < count; ++i)
	{
		for (int k = 0; k < i; ++k)
			x[i] -= L[i * stride + k] * x[k];
		x[i] /= L[i * stride + i];
	}
	for (int i = count - 1; i >= 0; --i)
	{
		for (int k = i + 1; k < count; ++k)
			x[i] -= L[k * stride + i] * x[k];
		x[i] /= L[i * stride + i];
	}
}

#endif
