// psd.c: translations are eigenvectors of eigenvalue zero. An orthonormal basis of what is left,
//   b_k = (1, .., 1, -k, 0, ..) / sqrt(k (k + 1)),   k = 1 .. corners - 1,
// per direction, makes the problem smaller by one corner: B = P^T A P, A = P B P^T. An edge in space becomes 3 x 3, a
// tetrahedron 9 x 9. A Cholesky factorisation decides whether there is anything to do (most elements are fine most of
// the time); if so, B = sum e_k v_k v_k^T by Jacobi rotations, and the negative parts are taken away.
#include "elastic/psd.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define MAX 9          // rows of B
#define ROUNDING 1e-12 // relative: elements are singular for rotations, which rounding must not make negative
#define CONVERGED 1e-9 // off-diagonal entries: errors of the eigenvalues are of second order in them
#define MAX_SWEEPS 30

// P (corners x (corners - 1)), the same for each direction.
static void basis(int corners, double P[4][3])
{
	for (int k = 1; k < corners; ++k)
	{
		double scale = 1 / sqrt(k * (k + 1.0));
		for (int i = 0; i < corners; ++i)
			P[i][k - 1] = i < k ? scale : i == k ? -k * scale : 0;
	}
}

// B = P^T A P
static void shrink(int corners, int d, double P[4][3], const double* A, double* B)
{
	int n = corners * d, m = n - d;
	double AP[12 * MAX] = { 0 }; // n x m
	memset(B, 0, (size_t)(m * m) * sizeof *B);
	for (int r = 0; r < n; ++r)
		for (int j = 0; j < corners; ++j)
			for (int l = 0; l < corners - 1; ++l)
				for (int c = 0; c < d; ++c)
					AP[r * m + l * d + c] += A[r * n + j * d + c] * P[j][l];
	for (int i = 0; i < corners; ++i)
		for (int k = 0; k < corners - 1; ++k)
			for (int r = 0; r < d; ++r)
				for (int c = 0; c < m; ++c)
					B[(k * d + r) * m + c] += P[i][k] * AP[(i * d + r) * m + c];
}

// A -= e (P v) (P v)^T
static void take_away(int corners, int d, double P[4][3], double e, const double* v, double* A)
{
	int n = corners * d;
	double u[12] = { 0 };
	for (int i = 0; i < corners; ++i)
		for (int k = 0; k < corners - 1; ++k)
			for (int c = 0; c < d; ++c)
				u[i * d + c] += P[i][k] * v[k * d + c];
	for (int i = 0; i < n; ++i)
		for (int j = 0; j < n; ++j)
			A[i * n + j] -= e * u[i] * u[j];
}

static bool semidefinite(int m, const double* B, double size)
{
	double L[MAX * MAX];
	for (int j = 0; j < m; ++j)
		for (int i = j; i < m; ++i)
		{
			double sum = B[i * m + j] + (i == j ? ROUNDING * size : 0);
			for (int k = 0; k < j; ++k)
				sum -= L[i * m + k] * L[j * m + k];
			if (i == j && !(sum > 0))
				return false;
			L[i * m + j] = i == j ? sqrt(sum) : sum / L[j * m + j];
		}
	return true;
}

// B := G B G^T, V := G V for the rotation G of the rows p and q that makes B_pq zero. Rows of V are eigenvectors.
static void rotate(int m, int p, int q, double* B, double* V)
{
	double theta = (B[q * m + q] - B[p * m + p]) / (2 * B[p * m + q]);
	double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
	double c = 1 / sqrt(t * t + 1), s = t * c, shift = t * B[p * m + q];
	double *bp = B + p * m, *bq = B + q * m, *vp = V + p * m, *vq = V + q * m;
	double pp = bp[p] - shift, qq = bq[q] + shift;
	for (int k = 0; k < m; ++k)
	{
		double x = bp[k], y = bq[k], u = vp[k], w = vq[k];
		bp[k] = c * x - s * y, bq[k] = s * x + c * y;
		vp[k] = c * u - s * w, vq[k] = s * u + c * w;
	}
	for (int k = 0; k < m; ++k)
		B[k * m + p] = bp[k], B[k * m + q] = bq[k];
	bp[p] = pp, bq[q] = qq, bp[q] = bq[p] = 0;
}

static void diagonalize(int m, double size, double* B, double* V)
{
	memset(V, 0, (size_t)(m * m) * sizeof *V);
	for (int i = 0; i < m; ++i)
		V[i * m + i] = 1;
	for (int sweep = 0; sweep < MAX_SWEEPS; ++sweep)
	{
		int turned = 0;
		for (int p = 0; p < m; ++p)
			for (int q = p + 1; q < m; ++q)
				if (fabs(B[p * m + q]) > CONVERGED * size)
				{
					rotate(m, p, q, B, V);
					++turned;
				}
		if (turned == 0)
			return;
	}
}

void lm_psd_project(int corners, int d, double* A)
{
	int m = (corners - 1) * d;
	double P[4][3], B[MAX * MAX], V[MAX * MAX], size = 0;
	basis(corners, P);
	shrink(corners, d, P, A, B);
	for (int i = 0; i < m * m; ++i)
		size = fmax(size, fabs(B[i]));
	if (!(size > 0) || !isfinite(size) || semidefinite(m, B, size))
		return;
	diagonalize(m, size, B, V);
	for (int k = 0; k < m; ++k)
		if (B[k * m + k] < 0)
			take_away(corners, d, P, B[k * m + k], V + k * m, A);
}

// B has the eigenvalues alpha, across the edge, and along = alpha + beta |e|^2 >= alpha.
void lm_psd_project_edge(int d, const double* x, double* A)
{
	int n = 2 * d;
	double e[3], length = 0, along = 0, trace = 0;
	for (int i = 0; i < d; ++i)
	{
		e[i] = x[d + i] - x[i];
		length = fmax(length, fabs(e[i]));
		trace += A[i * n + i];
	}
	double e2 = 0;
	for (int i = 0; i < d; ++i)
	{
		e[i] = length > 0 ? e[i] / length : i == 0;
		e2 += e[i] * e[i];
	}
	for (int i = 0; i < d; ++i)
		for (int j = 0; j < d; ++j)
			along += e[i] * A[i * n + j] * e[j] / e2;
	if ((trace - along) / (d - 1) >= 0)
		return;
	for (int i = 0; i < n; ++i)
		for (int j = 0; j < n; ++j)
			A[i * n + j] = (i / d == j / d ? 1 : -1) * fmax(along, 0) * e[i % d] * e[j % d] / e2;
}
