// quick_stiffness.c: second derivatives of the terms of quick.c, in the edges e_k = x_k - x_0 first:
//
//     lengths            2 w D I + 4 w e e^T
//     areas, volumes, hinges   w r r^T + w D H,   r and H the derivatives of the measure
//     Green strain       J^T K J + 2 S (x) I,   K of the law (law.h), J the derivative of the Gram matrix, S of quick.c
//
// convex: as lm_chain_convex: of the second terms only what is positive semidefinite by itself, and nothing of areas
// and volumes.
#include "elastic/fan.h"
#include "elastic/quick.h"

#include <math.h>
#include <string.h>

// Numbers without a place go down the sink, which is quicker than asking.
static inline void add_local(const lm_pattern* pattern, int64_t element, int count, const double* A, double* sink,
                             double* values)
{
	const int32_t* place = pattern->place + pattern->local_start[element];
	for (int k = 0; k < count; ++k)
	{
		double* to = place[k] >= 0 ? values + place[k] : sink + k;
		*to += A[k];
	}
}

static inline void length_local(const lm_quick* q, int d, int64_t t, bool convex, double scale, double* A)
{
	double e[3], l2 = 0, L2 = 0, weight = scale * q->stiffness * q->set->factors[t];
	const int32_t *v = q->corners + 2 * t, *V = q->set->slots + 2 * t;
	for (int i = 0; i < d; ++i)
	{
		double E = q->X[(int64_t)V[1] * d + i] - q->X[(int64_t)V[0] * d + i];
		e[i] = q->x[(int64_t)v[1] * d + i] - q->x[(int64_t)v[0] * d + i];
		l2 += e[i] * e[i], L2 += E * E;
	}
	double D = convex ? fmax(0, l2 - L2) : l2 - L2;
	for (int i = 0; i < d; ++i)
		for (int j = 0; j < d; ++j)
		{
			double B = 4 * weight * e[i] * e[j] + (i == j ? 2 * weight * D : 0);
			A[i * 2 * d + j] = A[(d + i) * 2 * d + d + j] = B;
			A[i * 2 * d + d + j] = A[(d + i) * 2 * d + j] = -B;
		}
}

static void flat_edges(const double* x, const int32_t* v, double* e)
{
	for (int k = 0; k < 2; ++k)
		for (int i = 0; i < 2; ++i)
			e[2 * k + i] = x[2 * (int64_t)v[k + 1] + i] - x[2 * (int64_t)v[0] + i];
}

// A (6 x 6) of the corners from B (4 x 4) of the edges.
static void spread(const double B[4][4], double* A)
{
	for (int i = 0; i < 4; ++i)
		for (int j = 0; j < 4; ++j)
			A[(2 + i) * 6 + 2 + j] = B[i][j];
	for (int i = 0; i < 2; ++i)
		for (int j = 0; j < 4; ++j)
			A[i * 6 + 2 + j] = A[(2 + j) * 6 + i] = -(B[i][j] + B[2 + i][j]);
	for (int i = 0; i < 2; ++i)
		for (int j = 0; j < 2; ++j)
			A[i * 6 + j] = -(A[i * 6 + 2 + j] + A[i * 6 + 4 + j]);
}

static void area_local(const lm_quick* q, int64_t t, bool convex, double scale, double* A)
{
	double e[4], E[4], B[4][4], weight = scale * q->stiffness * q->set->factors[t];
	flat_edges(q->x, q->corners + 3 * t, e);
	flat_edges(q->X, q->set->slots + 3 * t, E);
	double D = 0.5 * ((e[0] * e[3] - e[1] * e[2]) - (E[0] * E[3] - E[1] * E[2]));
	const double r[4] = { 0.5 * e[3], -0.5 * e[2], -0.5 * e[1], 0.5 * e[0] };
	for (int i = 0; i < 4; ++i)
		for (int j = 0; j < 4; ++j)
			B[i][j] = weight * r[i] * r[j];
	if (!convex)
	{
		double c = 0.5 * weight * D;
		B[0][3] += c, B[3][0] += c, B[1][2] -= c, B[2][1] -= c;
	}
	spread((const double(*)[4])B, A);
}

static void volume_local(const lm_quick* q, int64_t t, bool convex, double scale, double* A)
{
	double u[9], r[9], H[81], weight = scale * q->stiffness * q->set->factors[t] / 36;
	const int32_t *v = q->corners + 4 * t, *V = q->set->slots + 4 * t;
	for (int k = 0; k < 9; ++k)
		u[k] = q->X[3 * (int64_t)V[k / 3 + 1] + k % 3] - q->X[3 * (int64_t)V[0] + k % 3];
	double rest = lm_fan_determinant(u, r);
	for (int k = 0; k < 9; ++k)
		u[k] = q->x[3 * (int64_t)v[k / 3 + 1] + k % 3] - q->x[3 * (int64_t)v[0] + k % 3];
	double D = convex ? 0 : lm_fan_determinant(u, r) - rest;
	if (convex)
	{
		lm_fan_determinant(u, r);
		memset(H, 0, sizeof H);
	}
	else
		lm_fan_determinant_hessian(u, H);
	for (int i = 0; i < 9; ++i)
		for (int j = 0; j < 9; ++j)
			H[9 * i + j] = weight * (D * H[9 * i + j] + r[i] * r[j]);
	memset(A, 0, 144 * sizeof *A);
	lm_fan_hessian(H, 1, A);
}

// The positive semidefinite part of a symmetric 2 x 2 matrix.
static void positive_part(double* S)
{
	double mean = 0.5 * (S[0] + S[2]), half = 0.5 * (S[0] - S[2]), radius = sqrt(half * half + S[1] * S[1]);
	if (mean - radius >= 0)
		return;
	double high = mean + radius;
	if (high <= 0 || radius == 0)
	{
		S[0] = S[1] = S[2] = 0;
		return;
	}
	// high times the projector (S - low I) / (high - low)
	double low = mean - radius, factor = high / (2 * radius);
	S[0] = factor * (S[0] - low), S[1] = factor * S[1], S[2] = factor * (S[2] - low);
}

static void green_local(const lm_quick* q, int64_t t, bool convex, double scale, double* A)
{
	double e[4], E[4], M[3], S[3], B[4][4], weight = 0.25 * scale * q->stiffness * q->set->factors[t];
	flat_edges(q->x, q->corners + 3 * t, e);
	flat_edges(q->X, q->set->slots + 3 * t, E);
	const double G[3] = { E[0] * E[0] + E[1] * E[1], E[0] * E[2] + E[1] * E[3], E[2] * E[2] + E[3] * E[3] };
	const double D[3] = { e[0] * e[0] + e[1] * e[1] - G[0], e[0] * e[2] + e[1] * e[3] - G[1],
		                  e[2] * e[2] + e[3] * e[3] - G[2] };
	lm_law law = { 3, 0, q->set->initial + 3 * t };
	lm_law_inverse2(&law, G, M);
	double a = M[0] * D[0] + M[1] * D[1], b = M[0] * D[1] + M[1] * D[2];
	double c = M[1] * D[0] + M[2] * D[1], d = M[1] * D[1] + M[2] * D[2];
	S[0] = weight * (a * M[0] + b * M[1]), S[1] = weight * (a * M[1] + b * M[2]), S[2] = weight * (c * M[1] + d * M[2]);
	if (convex)
		positive_part(S);
	const double K[3][3] = { { M[0] * M[0], 2 * M[0] * M[1], M[1] * M[1] },
		                     { 2 * M[0] * M[1], 2 * (M[0] * M[2] + M[1] * M[1]), 2 * M[1] * M[2] },
		                     { M[1] * M[1], 2 * M[1] * M[2], M[2] * M[2] } };
	const double J[3][4] = { { 2 * e[0], 2 * e[1], 0, 0 }, { e[2], e[3], e[0], e[1] }, { 0, 0, 2 * e[2], 2 * e[3] } };
	double KJ[3][4];
	for (int k = 0; k < 3; ++k)
		for (int j = 0; j < 4; ++j)
			KJ[k][j] = weight * (K[k][0] * J[0][j] + K[k][1] * J[1][j] + K[k][2] * J[2][j]);
	for (int i = 0; i < 4; ++i)
		for (int j = 0; j < 4; ++j)
			B[i][j] = J[0][i] * KJ[0][j] + J[1][i] * KJ[1][j] + J[2][i] * KJ[2][j];
	for (int i = 0; i < 2; ++i)
	{
		B[i][i] += 2 * S[0], B[2 + i][2 + i] += 2 * S[2];
		B[i][2 + i] += 2 * S[1], B[2 + i][i] += 2 * S[1];
	}
	spread((const double(*)[4])B, A);
}

static void hinge_local(const lm_quick* q, int64_t t, bool convex, double scale, double* A)
{
	double x[12], J[12], weight = scale * q->stiffness * q->set->factors[t];
	double force = weight * lm_quick_hinge(q, t, x, J);
	for (int i = 0; i < 12; ++i)
		for (int j = 0; j < 12; ++j)
			A[12 * i + j] = weight * J[i] * J[j];
	if (!convex)
		lm_measure_hinge.hessian(x, &force, A);
}

void lm_quick_add_stiffness(const lm_quick* q, bool convex, double scale, int32_t begin, int32_t end,
                            const lm_pattern* pattern, int64_t first, double* values)
{
	const lm_measure* m = q->set->measure;
	double A[144], sink[144] = { 0 };
	for (int32_t t = begin; t < end; ++t)
		if (m == &lm_measure_length3)
			length_local(q, 3, t, convex, scale, A), add_local(pattern, first + t, 36, A, sink, values);
		else if (m == &lm_measure_length2)
			length_local(q, 2, t, convex, scale, A), add_local(pattern, first + t, 16, A, sink, values);
		else if (m == &lm_measure_volume)
			volume_local(q, t, convex, scale, A), add_local(pattern, first + t, 144, A, sink, values);
		else if (m == &lm_measure_hinge)
			hinge_local(q, t, convex, scale, A), add_local(pattern, first + t, 144, A, sink, values);
		else if (m == &lm_measure_area)
			area_local(q, t, convex, scale, A), add_local(pattern, first + t, 36, A, sink, values);
		else
			green_local(q, t, convex, scale, A), add_local(pattern, first + t, 36, A, sink, values);
}
