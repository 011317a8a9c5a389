// law.c: see law.h. Gram matrices have 3 components in the plane (2 x 2) and 6 in space (3 x 3).
#include "elastic/law.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct square
{
	double m[3][3]; // of a 2 x 2 matrix the rest is zero
} square;

static square symmetric(int d, const double* q)
{
	square A = { 0 };
	for (int a = 0; a < d; ++a)
		for (int b = a; b < d; ++b, ++q)
			A.m[a][b] = A.m[b][a] = *q;
	return A;
}

static square times(int d, const square* A, const square* B)
{
	square C = { 0 };
	for (int i = 0; d == 2 && i < 2; ++i)
		for (int j = 0; j < 2; ++j)
			C.m[i][j] = A->m[i][0] * B->m[0][j] + A->m[i][1] * B->m[1][j];
	for (int i = 0; d == 3 && i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			C.m[i][j] = A->m[i][0] * B->m[0][j] + A->m[i][1] * B->m[1][j] + A->m[i][2] * B->m[2][j];
	return C;
}

// The factors of A = C diag(p) C^T, C unit lower triangular, with rows taken in the given order and no pivot below
// those of `least`, no entry of C above `most`.
static void factorize(int d, const square* A, const int* order, const double* least, double most, square* C, double* p)
{
	*C = (square){ 0 };
	for (int j = 0; j < d; ++j)
	{
		p[j] = A->m[order[j]][order[j]];
		for (int k = 0; k < j; ++k)
			p[j] -= C->m[j][k] * C->m[j][k] * p[k];
		if (!(p[j] > least[j]))
			p[j] = least[j];
		C->m[j][j] = 1;
		for (int i = j + 1; i < d; ++i)
		{
			double sum = A->m[order[i]][order[j]];
			for (int k = 0; k < j; ++k)
				sum -= C->m[i][k] * C->m[j][k] * p[k];
			C->m[i][j] = fmax(-most, fmin(most, sum / p[j]));
		}
	}
}

// The order that takes the largest remaining pivot first.
static void choose_order(int d, const square* A, int* order)
{
	square S = *A;
	for (int i = 0; i < d; ++i)
		order[i] = i;
	for (int k = 0; k < d; ++k)
	{
		int best = k;
		for (int i = k + 1; i < d; ++i)
			if (S.m[order[i]][order[i]] > S.m[order[best]][order[best]])
				best = i;
		int pivot = order[best];
		order[best] = order[k], order[k] = pivot;
		for (int i = k + 1; i < d && S.m[pivot][pivot] > 0; ++i)
		{
			double c = S.m[order[i]][pivot] / S.m[pivot][pivot];
			for (int j = k + 1; j < d; ++j)
				S.m[order[i]][order[j]] -= c * S.m[pivot][order[j]];
		}
	}
}

// M = (G + epsilon G_initial)^-1. The pivots of a sum of semidefinite matrices are at least those of each: what
// rounding leaves below epsilon times the pivots of the initial matrix is lifted to that. With the largest pivots
// first, entries of C are at most 1.
static square rest_inverse_of(int d, const square* G, const square* initial)
{
	square A, C, D = { 0 }, M = { 0 };
	double p[3], least[3] = { 0, 0, 0 };
	int order[3];
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			A.m[i][j] = G->m[i][j] + LM_LAW_RIGOUR * initial->m[i][j];
	choose_order(d, &A, order);
	factorize(d, initial, order, least, INFINITY, &C, p);
	for (int i = 0; i < d; ++i)
		least[i] = LM_LAW_RIGOUR * p[i];
	factorize(d, &A, order, least, 1, &C, p);
	for (int j = 0; j < d; ++j) // D = C^-1
	{
		D.m[j][j] = 1;
		for (int i = j + 1; i < d; ++i)
			for (int k = j; k < i; ++k)
				D.m[i][j] -= C.m[i][k] * D.m[k][j];
	}
	for (int i = 0; i < d; ++i)
		for (int j = 0; j < d; ++j)
			for (int k = 0; k < d; ++k)
				M.m[order[i]][order[j]] += D.m[k][i] * D.m[k][j] / p[k];
	return M;
}

static int dimension(const lm_law* law)
{
	return law->count == 3 ? 2 : 3;
}

// The inverse of a positive definite matrix by its adjugate; false when that could lose digits.
static bool plain_inverse(int d, const square* A, square* M)
{
	const double(*a)[3] = A->m;
	double size = a[0][0] * a[1][1] * (d == 3 ? a[2][2] : 1);
	double c00 = d == 3 ? a[1][1] * a[2][2] - a[1][2] * a[1][2] : a[1][1];
	double c01 = d == 3 ? a[0][2] * a[1][2] - a[0][1] * a[2][2] : -a[0][1];
	double c02 = d == 3 ? a[0][1] * a[1][2] - a[0][2] * a[1][1] : 0;
	double det = a[0][0] * c00 + a[0][1] * c01 + a[0][2] * c02;
	if (!(det > 1e-4 * size) || !(size > 1e-200) || !(size < 1e200))
		return false;
	double r = 1 / det;
	M->m[0][0] = r * c00, M->m[0][1] = M->m[1][0] = r * c01, M->m[0][2] = M->m[2][0] = r * c02;
	M->m[1][1] = r * (d == 3 ? a[0][0] * a[2][2] - a[0][2] * a[0][2] : a[0][0]);
	M->m[1][2] = M->m[2][1] = d == 3 ? r * (a[0][1] * a[0][2] - a[0][0] * a[1][2]) : 0;
	M->m[2][2] = d == 3 ? r * (a[0][0] * a[1][1] - a[0][1] * a[0][1]) : 0;
	return true;
}

static square rest_inverse(const lm_law* law, const double* Q)
{
	int d = dimension(law);
	double sums[LM_MEASURE_COUNT] = { 0 };
	for (int a = 0; a < law->count; ++a)
		sums[a] = Q[a] + LM_LAW_RIGOUR * law->initial[a];
	square A = symmetric(d, sums), M;
	if (plain_inverse(d, &A, &M))
		return M;
	square G = symmetric(d, Q), initial = symmetric(d, law->initial);
	return rest_inverse_of(d, &G, &initial);
}

void lm_law_inverse2(const lm_law* law, const double* Q, double* M)
{
	double a = Q[0] + LM_LAW_RIGOUR * law->initial[0], b = Q[1] + LM_LAW_RIGOUR * law->initial[1];
	double c = Q[2] + LM_LAW_RIGOUR * law->initial[2], size = a * c, det = size - b * b;
	if (det > 1e-4 * size && size > 1e-200 && size < 1e200)
	{
		double r = 1 / det;
		M[0] = r * c, M[1] = -r * b, M[2] = r * a;
		return;
	}
	square full = rest_inverse(law, Q);
	M[0] = full.m[0][0], M[1] = full.m[0][1], M[2] = full.m[1][1];
}

// tr(E_a A E_c B) for symmetric A and B, all pairs of components: E_a has ones in two places (i, j) and (j, i), or one.
static void traces(int d, const square* A, const square* B, double factor, double* K)
{
	static const int first[2][6] = { { 0, 0, 1 }, { 0, 0, 0, 1, 1, 2 } };
	static const int second[2][6] = { { 0, 1, 1 }, { 0, 1, 2, 1, 2, 2 } };
	const int *I = first[d - 2], *J = second[d - 2], m = d == 2 ? 3 : 6;
	for (int a = 0; a < m; ++a)
		for (int c = a; c < m; ++c)
		{
			int i = I[a], j = J[a], k = I[c], l = J[c];
			double sum = A->m[j][k] * B->m[l][i];
			if (i != j)
				sum += A->m[i][k] * B->m[l][j];
			if (k != l)
				sum += A->m[j][l] * B->m[k][i];
			if (i != j && k != l)
				sum += A->m[i][l] * B->m[k][j];
			K[a * m + c] = K[c * m + a] = factor * sum;
		}
}

static square of_vector(const lm_law* law, const square* M, const double* v)
{
	square V = symmetric(dimension(law), v);
	return times(dimension(law), M, &V);
}

void lm_law_K(const lm_law* law, const double* Q, double* K)
{
	if (!law->initial)
	{
		K[0] = law->weight;
		return;
	}
	square M = rest_inverse(law, Q);
	traces(dimension(law), &M, &M, 0.25 * law->weight, K); // tr(M E_a M E_b) = tr(E_a M E_b M)
}

void lm_law_K1(const lm_law* law, const double* Q, const double* v, double* K1)
{
	int m = law->count;
	memset(K1, 0, (size_t)(m * m) * sizeof *K1);
	if (!law->initial)
		return;
	square M = rest_inverse(law, Q), MV = of_vector(law, &M, v), N = times(dimension(law), &MV, &M);
	traces(dimension(law), &M, &N, -0.5 * law->weight, K1); // tr(M E_a M E_c M V) = tr(E_a M E_c M V M)
}

void lm_law_mixed(const lm_law* law, const double* Q, const double* v, double* C)
{
	if (!law->initial)
	{
		C[0] = -law->weight;
		return;
	}
	// Both are traces with M on the left: one of their sum.
	square M = rest_inverse(law, Q), MV = of_vector(law, &M, v), N = times(dimension(law), &MV, &M);
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			N.m[i][j] = 2 * N.m[i][j] + M.m[i][j];
	traces(dimension(law), &M, &N, -0.25 * law->weight, C);
}

// With A = M U M V M the first two traces are those of A and of A^T, tr(E_c (A + A^T) E_d M), and the third is
// tr(E_c M U M E_d M V M): all of symmetric matrices.
void lm_law_K2(const lm_law* law, const double* Q, const double* u, const double* v, double* K2)
{
	int m = law->count, d = dimension(law);
	double third[LM_MEASURE_COUNT * LM_MEASURE_COUNT];
	memset(K2, 0, (size_t)(m * m) * sizeof *K2);
	if (!law->initial)
		return;
	square M = rest_inverse(law, Q), MU = of_vector(law, &M, u), MV = of_vector(law, &M, v);
	square MUM = times(d, &MU, &M), MVM = times(d, &MV, &M), A = times(d, &MU, &MVM), both;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			both.m[i][j] = A.m[i][j] + A.m[j][i];
	traces(d, &both, &M, 0.5 * law->weight, K2);
	traces(d, &MUM, &MVM, 0.5 * law->weight, third);
	for (int k = 0; k < m * m; ++k)
		K2[k] += third[k];
}
