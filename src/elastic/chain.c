// chain.c: see chain.h for the formulas.
#include "elastic/chain.h"

#include "elastic/psd.h"
#include "math/svd.h"

#include <math.h>
#include <string.h>

#define COUNT LM_MEASURE_COUNT
#define SIZE LM_MEASURE_SIZE

static const double turn = 6.283185307179586476925286766559;

// Q = q(X) and D = q(x) - q(X).
static void difference(const lm_term* term, const double* X, const double* x, double* Q, double* D)
{
	term->measure->value(x, D);
	term->measure->value(X, Q);
	for (int a = 0; a < term->measure->count; ++a)
		D[a] -= Q[a];
	if (term->measure->angle)
	{
		if (D[0] > turn / 2)
			D[0] -= turn;
		else if (D[0] <= -turn / 2)
			D[0] += turn;
	}
}

// r = K v, m x m
static void apply(int m, const double* K, const double* v, double* r)
{
	for (int a = 0; a < m; ++a)
	{
		r[a] = 0;
		for (int b = 0; b < m; ++b)
			r[a] += K[a * m + b] * v[b];
	}
}

// g = J^T v
static void pull(int m, int n, const double* J, const double* v, double* g)
{
	for (int i = 0; i < n; ++i)
		g[i] = v[0] * J[i];
	for (int a = 1; a < m; ++a)
		for (int i = 0; i < n; ++i)
			g[i] += v[a] * J[a * n + i];
}

// R = K J
static inline void multiply_of(int m, int n, const double* K, const double* J, double* R)
{
	for (int a = 0; a < m; ++a)
		for (int i = 0; i < n; ++i)
		{
			double sum = K[a * m] * J[i];
			for (int b = 1; b < m; ++b)
				sum += K[a * m + b] * J[b * n + i];
			R[a * n + i] = sum;
		}
}

// Loops of known length are unrolled: solids in the plane and in space have these.
static void multiply(int m, int n, const double* K, const double* J, double* R)
{
	switch (m * 16 + n)
	{
		case 1 * 16 + 6: multiply_of(1, 6, K, J, R); break;
		case 1 * 16 + 12: multiply_of(1, 12, K, J, R); break;
		case 3 * 16 + 6: multiply_of(3, 6, K, J, R); break;
		case 6 * 16 + 12: multiply_of(6, 12, K, J, R); break;
		default: multiply_of(m, n, K, J, R);
	}
}

// A = P^T R
static inline void outer_of(int m, int n, const double* P, const double* R, double* A)
{
	for (int i = 0; i < n; ++i)
		for (int j = 0; j < n; ++j)
		{
			double sum = P[i] * R[j];
			for (int a = 1; a < m; ++a)
				sum += P[a * n + i] * R[a * n + j];
			A[i * n + j] = sum;
		}
}

void lm_chain_outer(int m, int n, const double* P, const double* R, double* A)
{
	switch (m * 16 + n)
	{
		case 1 * 16 + 6: outer_of(1, 6, P, R, A); break;
		case 1 * 16 + 12: outer_of(1, 12, P, R, A); break;
		case 3 * 16 + 6: outer_of(3, 6, P, R, A); break;
		case 6 * 16 + 12: outer_of(6, 12, P, R, A); break;
		default: outer_of(m, n, P, R, A);
	}
}

// The scalar law: one number q, and K a constant.
static double scalar_difference(const lm_term* term, const double* X, const double* x)
{
	double Q[COUNT], D[COUNT];
	difference(term, X, x, Q, D);
	return D[0];
}

double lm_chain_energy(const lm_term* term, const double* X, const double* x)
{
	if (term->own.model != NULL)
		return lm_own_energy(&term->own, X, x);
	if (!term->law.initial)
	{
		double difference_now = scalar_difference(term, X, x);
		return 0.5 * term->law.weight * difference_now * difference_now;
	}
	int m = term->measure->count;
	double Q[COUNT], D[COUNT], K[COUNT * COUNT], s[COUNT], W = 0;
	difference(term, X, x, Q, D);
	lm_law_K(&term->law, Q, K);
	apply(m, K, D, s);
	for (int a = 0; a < m; ++a)
		W += 0.5 * s[a] * D[a];
	return W;
}

void lm_chain_gradient(const lm_term* term, const double* X, const double* x, double* g)
{
	if (term->own.model != NULL)
	{
		lm_own_first(&term->own, X, x, g, NULL);
		return;
	}
	int m = term->measure->count, n = term->measure->size;
	if (!term->law.initial)
	{
		double force = term->law.weight * scalar_difference(term, X, x);
		term->measure->gradient(x, g);
		for (int i = 0; i < n; ++i)
			g[i] *= force;
		return;
	}
	double Q[COUNT], D[COUNT], K[COUNT * COUNT], s[COUNT], J[COUNT * SIZE];
	difference(term, X, x, Q, D);
	lm_law_K(&term->law, Q, K);
	apply(m, K, D, s);
	term->measure->gradient(x, J);
	pull(m, n, J, s, g);
}

// A = weight J^T J
static void square_of_row(int n, double weight, const double* J, double* A)
{
	for (int i = 0; i < n; ++i)
	{
		double factor = weight * J[i];
		for (int j = 0; j < n; ++j)
			A[i * n + j] = factor * J[j];
	}
}

void lm_chain_stiffness(const lm_term* term, const double* X, const double* x, double* A)
{
	if (term->own.model != NULL)
	{
		lm_own_second(&term->own, X, x, A, NULL);
		return;
	}
	int m = term->measure->count, n = term->measure->size;
	if (!term->law.initial)
	{
		double row[SIZE], force = term->law.weight * scalar_difference(term, X, x);
		term->measure->gradient(x, row);
		square_of_row(n, term->law.weight, row, A);
		term->measure->hessian(x, &force, A);
		return;
	}
	double Q[COUNT], D[COUNT], K[COUNT * COUNT], s[COUNT], J[COUNT * SIZE], KJ[COUNT * SIZE];
	difference(term, X, x, Q, D);
	lm_law_K(&term->law, Q, K);
	apply(m, K, D, s);
	term->measure->gradient(x, J);
	multiply(m, n, K, J, KJ);
	lm_chain_outer(m, n, J, KJ, A);
	term->measure->hessian(x, s, A);
}

// The positive semidefinite part of the symmetric matrix whose components, off-diagonal ones doubled, are s.
static void positive_part(int m, double* s)
{
	int d = m == 3 ? 2 : 3, at = 0;
	lm_mat3 S = { 0 };
	for (int a = 0; a < d; ++a)
		for (int b = a; b < d; ++b, ++at)
			S.m[a][b] = S.m[b][a] = a == b ? s[at] : s[at] / 2;
	lm_eigen eigen = lm_eigen3(S);
	const double e[3] = { eigen.e.x, eigen.e.y, eigen.e.z };
	for (int k = 0; k < 3; ++k)
		if (e[k] < 0)
			lm_add_outer(&S, -e[k], lm_column(eigen.V, k), lm_column(eigen.V, k));
	at = 0;
	for (int a = 0; a < d; ++a)
		for (int b = a; b < d; ++b, ++at)
			s[at] = a == b ? S.m[a][b] : 2 * S.m[a][b];
}

static bool definite(int m, const double* s)
{
	bool two = s[0] >= 0 && 4 * s[0] * s[m == 3 ? 2 : 3] >= s[1] * s[1];
	return m == 3 && two && s[2] >= 0;
}

void lm_chain_convex(const lm_term* term, const double* X, const double* x, double* A)
{
	if (term->own.model != NULL)
	{
		lm_own_second(&term->own, X, x, A, NULL);
		lm_psd_project(term->measure->corners, term->measure->dimension, A);
		return;
	}
	int m = term->measure->count, n = term->measure->size;
	double J[COUNT * SIZE];
	term->measure->gradient(x, J);
	if (!term->law.initial)
	{
		square_of_row(n, term->law.weight, J, A);
		double force = term->measure->corners == 2 ? term->law.weight * scalar_difference(term, X, x) : 0;
		if (force > 0)
			term->measure->hessian(x, &force, A);
		return;
	}
	double Q[COUNT], D[COUNT], K[COUNT * COUNT], s[COUNT], KJ[COUNT * SIZE];
	difference(term, X, x, Q, D);
	lm_law_K(&term->law, Q, K);
	apply(m, K, D, s);
	if (!definite(m, s))
		positive_part(m, s);
	multiply(m, n, K, J, KJ);
	lm_chain_outer(m, n, J, KJ, A);
	term->measure->hessian(x, s, A);
}

// phi_Q = K1(D) D / 2 - K D
static void rest_force(int m, const double* D, const double* K, const double* K1, double* s)
{
	double KD[COUNT], K1D[COUNT];
	apply(m, K, D, KD);
	apply(m, K1, D, K1D);
	for (int a = 0; a < m; ++a)
		s[a] = 0.5 * K1D[a] - KD[a];
}

void lm_chain_rest_gradient(const lm_term* term, const double* X, const double* x, double* g)
{
	if (term->own.model != NULL)
	{
		lm_own_first(&term->own, X, x, NULL, g);
		return;
	}
	int m = term->measure->count, n = term->measure->size;
	double Q[COUNT], D[COUNT], K[COUNT * COUNT], K1[COUNT * COUNT], s[COUNT], J[COUNT * SIZE];
	difference(term, X, x, Q, D);
	lm_law_K(&term->law, Q, K);
	lm_law_K1(&term->law, Q, D, K1);
	rest_force(m, D, K, K1, s);
	term->measure->gradient(X, J);
	pull(m, n, J, s, g);
}

void lm_chain_rest_hessian(const lm_term* term, const double* X, const double* x, double* A)
{
	if (term->own.model != NULL)
	{
		lm_own_second(&term->own, X, x, NULL, A);
		return;
	}
	int m = term->measure->count, n = term->measure->size;
	double Q[COUNT], D[COUNT], K[COUNT * COUNT], K1[COUNT * COUNT], K2[COUNT * COUNT], s[COUNT], J[COUNT * SIZE],
		KJ[COUNT * SIZE];
	difference(term, X, x, Q, D);
	lm_law_K(&term->law, Q, K);
	lm_law_K1(&term->law, Q, D, K1);
	lm_law_K2(&term->law, Q, D, D, K2);
	rest_force(m, D, K, K1, s);
	for (int i = 0; i < m * m; ++i)
		K[i] += 0.5 * K2[i] - 2 * K1[i];
	term->measure->gradient(X, J);
	multiply(m, n, K, J, KJ);
	lm_chain_outer(m, n, J, KJ, A);
	term->measure->hessian(X, s, A);
}

void lm_chain_mixed(const lm_term* term, const double* X, const double* x, double* U, double* V)
{
	if (term->own.model != NULL)
	{
		lm_own_mixed(&term->own, X, x, U, V);
		return;
	}
	int m = term->measure->count, n = term->measure->size;
	if (!term->law.initial) // phi_qQ = -weight
	{
		term->measure->gradient(x, U);
		term->measure->gradient(X, V);
		for (int i = 0; i < n; ++i)
			U[i] *= -term->law.weight;
		return;
	}
	double Q[COUNT], D[COUNT], C[COUNT * COUNT], J[COUNT * SIZE];
	difference(term, X, x, Q, D);
	lm_law_mixed(&term->law, Q, D, C); // phi_qQ
	term->measure->gradient(x, J);
	term->measure->gradient(X, V);
	multiply(m, n, C, J, U); // C is symmetric
}

// r = J lambda
static void along(const lm_term* term, const double* J, const double* lambda, double* r)
{
	int n = term->measure->size;
	for (int a = 0; a < term->measure->count; ++a)
	{
		r[a] = 0;
		for (int i = 0; i < n; ++i)
			r[a] += J[a * n + i] * lambda[i];
	}
}

void lm_chain_multiplier_hessian(const lm_term* term, const double* X, const double* x, const double* lambda, double* A)
{
	if (term->own.model != NULL)
	{
		lm_own_third(&term->own, X, x, lambda, A, NULL);
		return;
	}
	int m = term->measure->count, n = term->measure->size;
	double Q[COUNT], D[COUNT], K[COUNT * COUNT], r[COUNT], Kr[COUNT], s[COUNT];
	double J[COUNT * SIZE], N[COUNT * SIZE], KN[COUNT * SIZE];
	difference(term, X, x, Q, D);
	lm_law_K(&term->law, Q, K);
	term->measure->gradient(x, J);
	term->measure->product(x, lambda, N);
	along(term, J, lambda, r);
	apply(m, K, r, Kr);
	apply(m, K, D, s);
	multiply(m, n, K, N, KN);
	lm_chain_outer(m, n, J, KN, A);
	for (int i = 0; i < n; ++i) // A + A^T
	{
		for (int j = 0; j < i; ++j)
			A[i * n + j] = A[j * n + i] = A[i * n + j] + A[j * n + i];
		A[i * n + i] *= 2;
	}
	term->measure->hessian(x, Kr, A);
	if (term->measure->third)
		term->measure->third(x, s, lambda, A);
}

void lm_chain_multiplier_mixed(const lm_term* term, const double* X, const double* x, const double* lambda, double* U,
                               double* V)
{
	if (term->own.model != NULL)
	{
		lm_own_third_mixed(&term->own, X, x, lambda, U, V);
		return;
	}
	int m = term->measure->count, n = term->measure->size;
	double Q[COUNT], D[COUNT], C[COUNT * COUNT], K1[COUNT * COUNT], r[COUNT];
	double J[COUNT * SIZE], N[COUNT * SIZE], CN[COUNT * SIZE];
	difference(term, X, x, Q, D);
	term->measure->gradient(x, J);
	term->measure->product(x, lambda, N);
	along(term, J, lambda, r);
	lm_law_mixed(&term->law, Q, D, C); // phi_qQ
	lm_law_K1(&term->law, Q, r, K1);
	multiply(m, n, K1, J, U);
	multiply(m, n, C, N, CN);
	for (int i = 0; i < m * n; ++i)
		U[i] += CN[i];
	term->measure->gradient(X, V);
}

void lm_chain_multiplier_rest(const lm_term* term, const double* X, const double* x, const double* lambda, double* A)
{
	if (term->own.model != NULL)
	{
		lm_own_third(&term->own, X, x, lambda, NULL, A);
		return;
	}
	int m = term->measure->count, n = term->measure->size;
	double Q[COUNT], D[COUNT], C[COUNT * COUNT], K1[COUNT * COUNT], K2[COUNT * COUNT], r[COUNT], s[COUNT];
	double J[COUNT * SIZE], KJ[COUNT * SIZE];
	difference(term, X, x, Q, D);
	term->measure->gradient(x, J);
	along(term, J, lambda, r);
	lm_law_mixed(&term->law, Q, D, C); // phi_qQ
	apply(m, C, r, s);
	lm_law_K1(&term->law, Q, r, K1);
	lm_law_K2(&term->law, Q, r, D, K2);
	for (int i = 0; i < m * m; ++i)
		K2[i] -= 2 * K1[i];
	term->measure->gradient(X, J);
	multiply(m, n, K2, J, KJ);
	lm_chain_outer(m, n, J, KJ, A);
	term->measure->hessian(X, s, A);
}
