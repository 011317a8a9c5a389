// psd.c: a Cholesky factorisation decides whether there is anything to do (most elements are fine most of the time); if
// so, cyclic Jacobi rotations find the eigenvalues. A = sum e_k v_k v_k^T; the negative ones are taken away.
#include "elastic/psd.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define ROUNDING 1e-12 // of the trace: elements are singular for rigid motions, which rounding must not make negative
#define MAX_SWEEPS 30

static double size_of(int n, const double* A)
{
	double size = 0;
	for (int i = 0; i < n * n; ++i)
		size = fmax(size, fabs(A[i]));
	return size;
}

static bool semidefinite(int n, const double* A, double size)
{
	double L[LM_PSD_MAX * LM_PSD_MAX];
	for (int j = 0; j < n; ++j)
		for (int i = j; i < n; ++i)
		{
			double sum = A[i * n + j] + (i == j ? ROUNDING * n * size : 0);
			for (int k = 0; k < j; ++k)
				sum -= L[i * n + k] * L[j * n + k];
			if (i == j && !(sum > 0))
				return false;
			L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];
		}
	return true;
}

// A := G^T A G, V := V G for the rotation G in the plane (p, q) that makes A_pq zero.
static void rotate(int n, int p, int q, double* A, double* V)
{
	double apq = A[p * n + q];
	if (apq == 0)
		return;
	double theta = (A[q * n + q] - A[p * n + p]) / (2 * apq);
	double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + hypot(theta, 1));
	double c = 1 / sqrt(t * t + 1), s = t * c;
	for (int k = 0; k < n; ++k)
	{
		double akp = A[k * n + p], akq = A[k * n + q];
		A[k * n + p] = c * akp - s * akq, A[k * n + q] = s * akp + c * akq;
		double vkp = V[k * n + p], vkq = V[k * n + q];
		V[k * n + p] = c * vkp - s * vkq, V[k * n + q] = s * vkp + c * vkq;
	}
	for (int k = 0; k < n; ++k)
	{
		double apk = A[p * n + k], aqk = A[q * n + k];
		A[p * n + k] = c * apk - s * aqk, A[q * n + k] = s * apk + c * aqk;
	}
	A[p * n + q] = A[q * n + p] = 0;
}

void lm_psd_project(int n, double* A)
{
	double size = size_of(n, A);
	if (!(size > 0) || !isfinite(size) || semidefinite(n, A, size))
		return;
	double B[LM_PSD_MAX * LM_PSD_MAX], V[LM_PSD_MAX * LM_PSD_MAX];
	memset(V, 0, sizeof V);
	for (int i = 0; i < n; ++i)
		V[i * n + i] = 1;
	for (int i = 0; i < n * n; ++i)
		B[i] = A[i] / size;
	for (int sweep = 0; sweep < MAX_SWEEPS; ++sweep)
	{
		double off = 0;
		for (int p = 0; p < n; ++p)
			for (int q = p + 1; q < n; ++q)
				off = fmax(off, fabs(B[p * n + q]));
		if (off < 1e-15)
			break;
		for (int p = 0; p < n; ++p)
			for (int q = p + 1; q < n; ++q)
				rotate(n, p, q, B, V);
	}
	for (int k = 0; k < n; ++k)
		if (B[k * n + k] < 0)
			for (int i = 0; i < n; ++i)
				for (int j = 0; j < n; ++j)
					A[i * n + j] -= size * B[k * n + k] * V[i * n + k] * V[j * n + k];
}
