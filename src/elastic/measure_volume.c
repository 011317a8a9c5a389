// measure_volume.c: the signed volume of a tetrahedron, q = (b - a) . ((c - a) x (d - a)) / 6 (v_e of Coros et al.
// 2012, appendix A). q is cubic: its Hessian is linear in x, so the derivative of the Hessian along u is the Hessian at
// u.
#include "elastic/fan.h"
#include "elastic/measure.h"

static void value(const double* x, double* q)
{
	double u[9], g[9];
	lm_fan_edges(x, u);
	q[0] = lm_fan_determinant(u, g) / 6;
}

static void gradient(const double* x, double* J)
{
	double u[9], g[9];
	lm_fan_edges(x, u);
	lm_fan_determinant(u, g);
	for (int i = 0; i < 9; ++i)
		g[i] /= 6;
	lm_fan_gradient(g, J);
}

static void hessian(const double* x, const double* c, double* A)
{
	double u[9], H[81];
	lm_fan_edges(x, u);
	lm_fan_determinant_hessian(u, H);
	lm_fan_hessian(H, c[0] / 6, A);
}

// H(x) u is the derivative of the gradient along u: of each product a x b it is u_a x b + a x u_b.
static void product(const double* x, const double* u, double* R)
{
	double e[9], f[9], g[9];
	lm_fan_edges(x, e);
	lm_fan_edges(u, f);
	for (int k = 0; k < 3; ++k)
	{
		const double *a = e + 3 * ((k + 1) % 3), *b = e + 3 * ((k + 2) % 3);
		const double *s = f + 3 * ((k + 1) % 3), *t = f + 3 * ((k + 2) % 3);
		for (int i = 0; i < 3; ++i)
		{
			int j = (i + 1) % 3, l = (i + 2) % 3;
			g[3 * k + i] = (s[j] * b[l] - s[l] * b[j] + a[j] * t[l] - a[l] * t[j]) / 6;
		}
	}
	lm_fan_gradient(g, R);
}

static void third(const double* x, const double* c, const double* u, double* A)
{
	(void)x;
	hessian(u, c, A);
}

const lm_measure lm_measure_volume = { .dimension = 3,
	                                   .corners = 4,
	                                   .size = 12,
	                                   .count = 1,
	                                   .value = value,
	                                   .gradient = gradient,
	                                   .hessian = hessian,
	                                   .product = product,
	                                   .third = third };
