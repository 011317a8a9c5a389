// law.c: see law.h. Gram matrices have 3 components in the plane (2 x 2) and 6 in space (3 x 3).
#include "elastic/law.h"

#include <math.h>
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

static square times(const square* A, const square* B)
{
	square C;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			C.m[i][j] = A->m[i][0] * B->m[0][j] + A->m[i][1] * B->m[1][j] + A->m[i][2] * B->m[2][j];
	return C;
}

// tr(A B)
static double trace(const square* A, const square* B)
{
	double t = 0;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			t += A->m[i][j] * B->m[j][i];
	return t;
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

// M = (G + rigour G_initial)^-1. The pivots of a sum of semidefinite matrices are at least those of each: what rounding
// leaves below rigour times the pivots of the initial matrix is lifted to that. With the largest pivots first, entries
// of C are at most 1.
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

static square rest_inverse(const lm_law* law, const double* Q)
{
	int d = dimension(law);
	square G = symmetric(d, Q), initial = symmetric(d, law->initial);
	return rest_inverse_of(d, &G, &initial);
}

// M E_a of all components.
static void bases(const lm_law* law, const square* M, square* P)
{
	int d = dimension(law);
	for (int a = 0; a < d; ++a)
		for (int b = a; b < d; ++b, ++P)
		{
			square E = { 0 };
			E.m[a][b] = E.m[b][a] = 1;
			*P = times(M, &E);
		}
}

static square of_vector(const lm_law* law, const square* M, const double* v)
{
	square V = symmetric(dimension(law), v);
	return times(M, &V);
}

void lm_law_K(const lm_law* law, const double* Q, double* K)
{
	if (!law->initial)
	{
		K[0] = law->weight;
		return;
	}
	square M = rest_inverse(law, Q), P[LM_MEASURE_COUNT];
	bases(law, &M, P);
	for (int a = 0; a < law->count; ++a)
		for (int b = a; b < law->count; ++b)
			K[a * law->count + b] = K[b * law->count + a] = 0.25 * law->weight * trace(&P[a], &P[b]);
}

void lm_law_K1(const lm_law* law, const double* Q, const double* v, double* K1)
{
	int m = law->count;
	memset(K1, 0, (size_t)(m * m) * sizeof *K1);
	if (!law->initial)
		return;
	square M = rest_inverse(law, Q), P[LM_MEASURE_COUNT], V = of_vector(law, &M, v);
	bases(law, &M, P);
	for (int a = 0; a < m; ++a)
	{
		square VP = times(&V, &P[a]);
		for (int c = a; c < m; ++c)
			K1[a * m + c] = K1[c * m + a] = -0.5 * law->weight * trace(&VP, &P[c]);
	}
}

void lm_law_K2(const lm_law* law, const double* Q, const double* u, const double* v, double* K2)
{
	int m = law->count;
	memset(K2, 0, (size_t)(m * m) * sizeof *K2);
	if (!law->initial)
		return;
	square M = rest_inverse(law, Q), P[LM_MEASURE_COUNT];
	square U = of_vector(law, &M, u), V = of_vector(law, &M, v), UV = times(&U, &V);
	bases(law, &M, P);
	for (int c = 0; c < m; ++c)
		for (int d = c; d < m; ++d)
		{
			square cd = times(&P[c], &P[d]), dc = times(&P[d], &P[c]);
			square cU = times(&P[c], &U), dV = times(&P[d], &V);
			double sum = trace(&cd, &UV) + trace(&dc, &UV) + trace(&cU, &dV);
			K2[c * m + d] = K2[d * m + c] = 0.5 * law->weight * sum;
		}
}
