// quick.c: W = 1/2 k (q(x) - q(X))^2, dW/dx = k (q(x) - q(X)) dq/dx for lengths, areas and volumes; for Green strain in
// the plane, with the edges e = (e1, e2), D = e^T e - E^T E and M the inverse of the rest shape's Gram matrix (law.h),
//
//     W = w/8 tr(M D M D),   dW/de = 2 e S,   S = w/4 M D M.
#include "elastic/quick.h"

#include "elastic/fan.h"

#include <math.h>

bool lm_quick_serves(const lm_term_set* set)
{
	const lm_measure* m = set->measure;
	return m == &lm_measure_length2 || m == &lm_measure_length3 || m == &lm_measure_area || m == &lm_measure_volume ||
	       m == &lm_measure_gram2 || m == &lm_measure_hinge;
}

// ---- lengths

static inline double length(int d, const double* x, const int32_t* v, double* e)
{
	double sum = 0;
	for (int i = 0; i < d; ++i)
	{
		e[i] = x[(int64_t)v[1] * d + i] - x[(int64_t)v[0] * d + i];
		sum += e[i] * e[i];
	}
	return sum;
}

static inline double length_energy(const lm_quick* q, int d, int32_t begin, int32_t end)
{
	double sum = 0, e[3], E[3];
	for (int64_t t = begin; t < end; ++t)
	{
		double D = length(d, q->x, q->corners + 2 * t, e) - length(d, q->X, q->set->slots + 2 * t, E);
		sum += 0.5 * q->stiffness * q->set->factors[t] * D * D;
	}
	return sum;
}

static inline void length_gradient(const lm_quick* q, int d, double scale, int32_t begin, int32_t end, double* g)
{
	double e[3], E[3];
	for (int64_t t = begin; t < end; ++t)
	{
		const int32_t* v = q->corners + 2 * t;
		double D = length(d, q->x, v, e) - length(d, q->X, q->set->slots + 2 * t, E);
		double force = 2 * scale * q->stiffness * q->set->factors[t] * D;
		for (int i = 0; i < d; ++i)
		{
			g[(int64_t)v[0] * d + i] -= force * e[i];
			g[(int64_t)v[1] * d + i] += force * e[i];
		}
	}
}

// ---- areas

static inline void flat_edges(const double* x, const int32_t* v, double* e)
{
	const double *a = x + 2 * (int64_t)v[0], *b = x + 2 * (int64_t)v[1], *c = x + 2 * (int64_t)v[2];
	e[0] = b[0] - a[0], e[1] = b[1] - a[1], e[2] = c[0] - a[0], e[3] = c[1] - a[1];
}

// f acts on corners 1 and 2, its opposite on corner 0.
static inline void add_flat(const int32_t* v, const double* f, double* g)
{
	g[2 * (int64_t)v[0]] -= f[0] + f[2], g[2 * (int64_t)v[0] + 1] -= f[1] + f[3];
	g[2 * (int64_t)v[1]] += f[0], g[2 * (int64_t)v[1] + 1] += f[1];
	g[2 * (int64_t)v[2]] += f[2], g[2 * (int64_t)v[2] + 1] += f[3];
}

static double area_difference(const lm_quick* q, int64_t t, double* e)
{
	double E[4];
	flat_edges(q->x, q->corners + 3 * t, e);
	flat_edges(q->X, q->set->slots + 3 * t, E);
	return 0.5 * ((e[0] * e[3] - e[1] * e[2]) - (E[0] * E[3] - E[1] * E[2]));
}

static double area_energy(const lm_quick* q, int32_t begin, int32_t end)
{
	double sum = 0, e[4];
	for (int32_t t = begin; t < end; ++t)
	{
		double D = area_difference(q, t, e);
		sum += 0.5 * q->stiffness * q->set->factors[t] * D * D;
	}
	return sum;
}

static void area_gradient(const lm_quick* q, double scale, int32_t begin, int32_t end, double* g)
{
	double e[4];
	for (int64_t t = begin; t < end; ++t)
	{
		double force = 0.5 * scale * q->stiffness * q->set->factors[t] * area_difference(q, t, e);
		const double f[4] = { force * e[3], -force * e[2], -force * e[1], force * e[0] };
		add_flat(q->corners + 3 * t, f, g);
	}
}

// ---- volumes

static inline void fan_of(const double* x, const int32_t* v, double* u)
{
	const double* a = x + 3 * (int64_t)v[0];
	for (int k = 0; k < 3; ++k)
		for (int i = 0; i < 3; ++i)
			u[3 * k + i] = x[3 * (int64_t)v[k + 1] + i] - a[i];
}

// of the determinants, six times the volumes; dets: the derivative by the edges
static double volume_difference(const lm_quick* q, int64_t t, double* dets)
{
	double u[9], unused[9];
	fan_of(q->X, q->set->slots + 4 * t, u);
	double rest = lm_fan_determinant(u, unused);
	fan_of(q->x, q->corners + 4 * t, u);
	return lm_fan_determinant(u, dets) - rest;
}

static double volume_energy(const lm_quick* q, int32_t begin, int32_t end)
{
	double sum = 0, dets[9];
	for (int32_t t = begin; t < end; ++t)
	{
		double D = volume_difference(q, t, dets) / 6;
		sum += 0.5 * q->stiffness * q->set->factors[t] * D * D;
	}
	return sum;
}

static void volume_gradient(const lm_quick* q, double scale, int32_t begin, int32_t end, double* g)
{
	double dets[9];
	for (int64_t t = begin; t < end; ++t)
	{
		const int32_t* v = q->corners + 4 * t;
		double force = scale * q->stiffness * q->set->factors[t] * volume_difference(q, t, dets) / 36;
		for (int i = 0; i < 3; ++i)
		{
			g[3 * (int64_t)v[0] + i] -= force * (dets[i] + dets[3 + i] + dets[6 + i]);
			for (int k = 0; k < 3; ++k)
				g[3 * (int64_t)v[k + 1] + i] += force * dets[3 * k + i];
		}
	}
}

// ---- Green strain in the plane

// S of the term, and w/8 tr(M D M D).
static double green(const lm_quick* q, int64_t t, double* e, double* S)
{
	double E[4], weight = q->stiffness * q->set->factors[t];
	flat_edges(q->x, q->corners + 3 * t, e);
	flat_edges(q->X, q->set->slots + 3 * t, E);
	double G[3] = { E[0] * E[0] + E[1] * E[1], E[0] * E[2] + E[1] * E[3], E[2] * E[2] + E[3] * E[3] };
	const double D[3] = { e[0] * e[0] + e[1] * e[1] - G[0], e[0] * e[2] + e[1] * e[3] - G[1],
		                  e[2] * e[2] + e[3] * e[3] - G[2] };
	double M[3];
	lm_law law = { 3, weight, q->set->initial + 3 * t };
	lm_law_inverse2(&law, G, M);
	// M D
	double a = M[0] * D[0] + M[1] * D[1], b = M[0] * D[1] + M[1] * D[2];
	double c = M[1] * D[0] + M[2] * D[1], d = M[1] * D[1] + M[2] * D[2];
	S[0] = 0.25 * weight * (a * M[0] + b * M[1]);
	S[1] = 0.25 * weight * (a * M[1] + b * M[2]);
	S[2] = 0.25 * weight * (c * M[1] + d * M[2]);
	return 0.125 * weight * (a * a + 2 * b * c + d * d);
}

static double green_energy(const lm_quick* q, int32_t begin, int32_t end)
{
	double sum = 0, e[4], S[3];
	for (int32_t t = begin; t < end; ++t)
		sum += green(q, t, e, S);
	return sum;
}

static void green_gradient(const lm_quick* q, double scale, int32_t begin, int32_t end, double* g)
{
	double e[4], S[3];
	for (int64_t t = begin; t < end; ++t)
	{
		green(q, t, e, S);
		double f[4];
		for (int i = 0; i < 2; ++i)
		{
			f[i] = 2 * scale * (e[i] * S[0] + e[2 + i] * S[1]);
			f[2 + i] = 2 * scale * (e[i] * S[1] + e[2 + i] * S[2]);
		}
		add_flat(q->corners + 3 * t, f, g);
	}
}

// ---- hinges

// The difference of two angles is the angle of the quotient: one arc tangent for both, within half a turn by itself.
double lm_quick_hinge(const lm_quick* q, int64_t t, double* x, double* J)
{
	const int32_t *v = q->corners + 4 * t, *V = q->set->slots + 4 * t;
	double X[12], c, s, C, S;
	for (int k = 0; k < 12; ++k)
		x[k] = q->x[3 * (int64_t)v[k / 3] + k % 3], X[k] = q->X[3 * (int64_t)V[k / 3] + k % 3];
	lm_hinge_pair(X, &C, &S);
	lm_hinge_first(x, &c, &s, J);
	return atan2(s * C - c * S, c * C + s * S);
}

static double hinge_energy(const lm_quick* q, int32_t begin, int32_t end)
{
	double sum = 0, x[12], J[12];
	for (int32_t t = begin; t < end; ++t)
	{
		double D = lm_quick_hinge(q, t, x, J);
		sum += 0.5 * q->stiffness * q->set->factors[t] * D * D;
	}
	return sum;
}

static void hinge_gradient(const lm_quick* q, double scale, int32_t begin, int32_t end, double* g)
{
	double x[12], J[12];
	for (int64_t t = begin; t < end; ++t)
	{
		const int32_t* v = q->corners + 4 * t;
		double force = scale * q->stiffness * q->set->factors[t] * lm_quick_hinge(q, t, x, J);
		for (int k = 0; k < 12; ++k)
			g[3 * (int64_t)v[k / 3] + k % 3] += force * J[k];
	}
}

// ---- choosing

double lm_quick_energy(const lm_quick* q, int32_t begin, int32_t end)
{
	const lm_measure* m = q->set->measure;
	if (m == &lm_measure_length2)
		return length_energy(q, 2, begin, end);
	if (m == &lm_measure_length3)
		return length_energy(q, 3, begin, end);
	if (m == &lm_measure_area)
		return area_energy(q, begin, end);
	if (m == &lm_measure_hinge)
		return hinge_energy(q, begin, end);
	return m == &lm_measure_volume ? volume_energy(q, begin, end) : green_energy(q, begin, end);
}

void lm_quick_add_gradient(const lm_quick* q, double scale, int32_t begin, int32_t end, double* g)
{
	const lm_measure* m = q->set->measure;
	if (m == &lm_measure_length2)
		length_gradient(q, 2, scale, begin, end, g);
	else if (m == &lm_measure_length3)
		length_gradient(q, 3, scale, begin, end, g);
	else if (m == &lm_measure_area)
		area_gradient(q, scale, begin, end, g);
	else if (m == &lm_measure_volume)
		volume_gradient(q, scale, begin, end, g);
	else if (m == &lm_measure_hinge)
		hinge_gradient(q, scale, begin, end, g);
	else
		green_gradient(q, scale, begin, end, g);
}
