// law.c: see law.h. Gram matrices have 3 components in the plane (2 x 2) and 6 in space (3 x 3).
#include "elastic/law.h"

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

static double determinant(const square* A)
{
	return A->m[0][0] * (A->m[1][1] * A->m[2][2] - A->m[1][2] * A->m[2][1]) +
	       A->m[0][1] * (A->m[1][2] * A->m[2][0] - A->m[1][0] * A->m[2][2]) +
	       A->m[0][2] * (A->m[1][0] * A->m[2][1] - A->m[1][1] * A->m[2][0]);
}

// Of a positive definite matrix.
static square inverse(int d, const square* A)
{
	square B = *A, R;
	if (d == 2)
		B.m[2][2] = 1;
	double det = determinant(&B);
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
		{
			int r = (j + 1) % 3, s = (j + 2) % 3, p = (i + 1) % 3, q = (i + 2) % 3;
			R.m[i][j] = (B.m[r][p] * B.m[s][q] - B.m[r][q] * B.m[s][p]) / det;
		}
	if (d == 2)
		R.m[2][2] = 0;
	return R;
}

static int dimension(const lm_law* law)
{
	return law->count == 3 ? 2 : 3;
}

static square rest_inverse(const lm_law* law, const double* Q)
{
	double G[LM_MEASURE_COUNT];
	for (int a = 0; a < law->count; ++a)
		G[a] = Q[a] + LM_LAW_RIGOUR * law->initial[a];
	square S = symmetric(dimension(law), G);
	return inverse(dimension(law), &S);
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
