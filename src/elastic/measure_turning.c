// measure_turning.c: the turning angle of two edges in the plane, from e = b - a to f = c - b
// (theta_a of Coros et al. 2012, appendix A): 0 when straight, smooth through it, positive to the left.
//
// With edges as complex numbers q = arg f - arg e, and arg z = Im log z, whose derivatives along u, v, w are
//   Im(u / z), Im(-u v / z^2), Im(2 u v w / z^3).
// As a matrix on (Re, Im) parts the form Im(u v Z) is [Im Z, Re Z; Re Z, -Im Z].
//
// The value comes from atan2 and is finite for all edges; an edge without length has 1 / z := 0 and so no derivatives.
#include "elastic/measure.h"

#include <math.h>

typedef struct complex2
{
	double re, im;
} complex2;

static complex2 times(complex2 a, complex2 b)
{
	return (complex2){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

static complex2 edge(const double* x, int k)
{
	return (complex2){ x[2 * k + 2] - x[2 * k], x[2 * k + 3] - x[2 * k + 1] };
}

// 1 / z of both edges.
static void inverses(const double* x, complex2 w[2])
{
	double length[2];
	for (int k = 0; k < 2; ++k)
		length[k] = hypot(edge(x, k).re, edge(x, k).im);
	double flat = fmax(LM_MEASURE_FLAT * fmax(length[0], length[1]), LM_MEASURE_TINY);
	for (int k = 0; k < 2; ++k)
	{
		complex2 z = edge(x, k);
		double l = length[k];
		w[k] = l > flat ? (complex2){ z.re / l / l, -z.im / l / l } : (complex2){ 0, 0 };
	}
}

static void value(const double* x, double* q)
{
	complex2 e = edge(x, 0), f = edge(x, 1);
	q[0] = atan2(e.re * f.im - e.im * f.re, e.re * f.re + e.im * f.im);
}

// On edges: g_e = -(Im w_e, Re w_e), g_f = (Im w_f, Re w_f); on corners -g_e, g_e - g_f, g_f.
static void edges_to_corners(const double* e, const double* f, double* J)
{
	for (int i = 0; i < 2; ++i)
	{
		J[i] = e[i];
		J[2 + i] = -e[i] - f[i];
		J[4 + i] = f[i];
	}
}

static void gradient(const double* x, double* J)
{
	complex2 w[2];
	inverses(x, w);
	double e[2] = { w[0].im, w[0].re }, f[2] = { w[1].im, w[1].re };
	edges_to_corners(e, f, J);
}

// A += c * form of edge k, Im(u v Z).
static void add_form(int k, complex2 Z, double c, double* A)
{
	double B[2][2] = { { c * Z.im, c * Z.re }, { c * Z.re, -c * Z.im } };
	for (int i = 0; i < 2; ++i)
		for (int j = 0; j < 2; ++j)
		{
			A[(2 * k + i) * 6 + 2 * k + j] += B[i][j];
			A[(2 * k + 2 + i) * 6 + 2 * k + 2 + j] += B[i][j];
			A[(2 * k + i) * 6 + 2 * k + 2 + j] -= B[i][j];
			A[(2 * k + 2 + i) * 6 + 2 * k + j] -= B[i][j];
		}
}

static void hessian(const double* x, const double* c, double* A)
{
	complex2 w[2];
	inverses(x, w);
	add_form(0, times(w[0], w[0]), c[0], A);
	add_form(1, times(w[1], w[1]), -c[0], A);
}

static void product(const double* x, const double* u, double* R)
{
	complex2 w[2];
	inverses(x, w);
	complex2 e = times(times(w[0], w[0]), edge(u, 0)), f = times(times(w[1], w[1]), edge(u, 1));
	double at_e[2] = { -e.im, -e.re }, at_f[2] = { -f.im, -f.re };
	edges_to_corners(at_e, at_f, R);
}

static void third(const double* x, const double* c, const double* u, double* A)
{
	complex2 w[2];
	inverses(x, w);
	add_form(0, times(times(w[0], edge(u, 0)), times(w[0], w[0])), -2 * c[0], A);
	add_form(1, times(times(w[1], edge(u, 1)), times(w[1], w[1])), 2 * c[0], A);
}

const lm_measure lm_measure_turning = { .dimension = 2,
	                                    .corners = 3,
	                                    .size = 6,
	                                    .count = 1,
	                                    .angle = true,
	                                    .value = value,
	                                    .gradient = gradient,
	                                    .hessian = hessian,
	                                    .product = product,
	                                    .third = third };
