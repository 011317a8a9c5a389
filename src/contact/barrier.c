// The barrier of a pair with derivatives; see barrier.h.
#include "contact/barrier.h"

#include "contact/gap.h"

#include <string.h>

double lm_barrier_value(double D, double d, double* first, double* second)
{
	double b = 0, b1 = 0, b2 = 0;
	if (!(D > 0))
		b = INFINITY;
	else if (D < d)
	{
		// b = -(D-d)^2 L, b' = -2 (D-d) L - (D-d)^2 / D, b'' = -2 L - 4 (D-d) / D + (D-d)^2 / D^2, L = ln(D/d)
		double t = D - d, L = log(D / d), q = t / D;
		b = -t * t * L;
		b1 = -2 * t * L - t * q;
		b2 = -2 * L - 4 * q + q * q;
	}
	if (first != NULL)
		*first = b1;
	if (second != NULL)
		*second = b2;
	return b;
}

// m(c) with derivatives; 1 and no derivatives beyond e.
static double mollifier(double c, double e, double* first, double* second)
{
	*first = *second = 0;
	if (!(c < e))
		return 1;
	double q = c / e;
	*first = 2 * (1 - q) / e;
	*second = -2 / (e * e);
	return q * (2 - q);
}

// c = |u x v|^2 = u.u v.v - (u.v)^2 with u = x1 - x0, v = x3 - x2, and its derivatives by the four points.
static double crossing(const lm_vec3 x[4], double g[12], double* H)
{
	lm_vec3 u = lm_sub(x[1], x[0]), v = lm_sub(x[3], x[2]), n = lm_cross(u, v);
	double uu = lm_dot(u, u), vv = lm_dot(v, v), uv = lm_dot(u, v);
	const double a[3] = { u.x, u.y, u.z }, b[3] = { v.x, v.y, v.z };
	const double sign[4] = { -1, 1, -1, 1 };
	for (int i = 0; i < 12; ++i) // dc/du = 2 (vv u - uv v), dc/dv = 2 (uu v - uv u)
		g[i] = sign[i / 3] * 2 * (i < 6 ? vv * a[i % 3] - uv * b[i % 3] : uu * b[i % 3] - uv * a[i % 3]);
	for (int i = 0; H != NULL && i < 12; ++i)
		for (int j = 0; j < 12; ++j)
		{
			int p = i % 3, q = j % 3;
			double same = p == q, h;
			if (i < 6 && j < 6) // vv I - v v^T
				h = same * vv - b[p] * b[q];
			else if (i >= 6 && j >= 6)
				h = same * uu - a[p] * a[q];
			else if (i < 6) // du dv: 2 u v^T - v u^T - uv I
				h = 2 * a[p] * b[q] - b[p] * a[q] - same * uv;
			else
				h = 2 * b[p] * a[q] - a[p] * b[q] - same * uv;
			H[12 * i + j] = 2 * sign[i / 3] * sign[j / 3] * h;
		}
	return lm_dot(n, n);
}

// E = b(D)
static void plain_pair(double b1, double b2, const double gD[12], const double HD[144], double* gradient,
                       double* hessian)
{
	for (int i = 0; i < 12; ++i)
		gradient[i] = b1 * gD[i];
	for (int i = 0; hessian != NULL && i < 144; ++i)
		hessian[i] = b2 * gD[i / 12] * gD[i % 12] + b1 * HD[i];
}

// E = m(c) b(D), added to what plain_pair left: gradient and hessian are those of b.
static void fade_pair(double b, double b1, const double gD[12], double m, double m1, double m2, const double gc[12],
                      const double Hc[144], double* gradient, double* hessian)
{
	for (int i = 0; hessian != NULL && i < 144; ++i)
	{
		int p = i / 12, q = i % 12;
		hessian[i] = m * hessian[i] + b * (m2 * gc[p] * gc[q] + m1 * Hc[i]) + m1 * b1 * (gc[p] * gD[q] + gD[p] * gc[q]);
	}
	for (int i = 0; i < 12; ++i)
		gradient[i] = m * gradient[i] + m1 * b * gc[i];
}

double lm_barrier_energy(const lm_barrier_pair* pair, const lm_vec3 x[4], double* gradient, double* hessian)
{
	bool edges = pair->kind == LM_BARRIER_EDGE_EDGE;
	lm_gap gap = lm_barrier_gap(pair->kind, x);
	if (gradient != NULL)
		memset(gradient, 0, 12 * sizeof *gradient);
	if (hessian != NULL)
		memset(hessian, 0, 144 * sizeof *hessian);
	if (gap.D >= pair->reach)
		return 0;
	double b1, b2, b = lm_barrier_value(gap.D, pair->reach, &b1, &b2);
	double gc[12], Hc[144], m1 = 0, m2 = 0, m = 1;
	if (edges)
		m = mollifier(crossing(x, gc, hessian != NULL ? Hc : NULL), pair->fade, &m1, &m2);
	if (!isfinite(b) || (gradient == NULL && hessian == NULL))
		return isfinite(b) ? m * b : INFINITY;
	double gD[12], HD[144], unused[12], *g = gradient != NULL ? gradient : unused;
	lm_gap_derivatives(&gap, x, gD, hessian != NULL ? HD : NULL);
	plain_pair(b1, b2, gD, HD, g, hessian);
	if (m < 1)
		fade_pair(b, b1, gD, m, m1, m2, gc, Hc, g, hessian);
	return m * b;
}
