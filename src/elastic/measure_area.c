// measure_area.c: the signed area of a triangle abc in the plane, q = ((b - a) x (c - a)) / 2, positive when the
// corners run counter-clockwise (a_e of Coros et al. 2012, appendix A).
//   q = (a x b + b x c + c x a) / 2, so dq/da = rot(b - c) / 2 with rot(v) = (v_y, -v_x), and so on round.
// The gradient is linear in x, so the Hessian is constant and H u is the gradient at u.
#include "elastic/measure.h"

static void value(const double* x, double* q)
{
	q[0] = 0.5 * ((x[2] - x[0]) * (x[5] - x[1]) - (x[3] - x[1]) * (x[4] - x[0]));
}

static void gradient(const double* x, double* J)
{
	for (int i = 0; i < 3; ++i)
	{
		const double *b = x + 2 * ((i + 1) % 3), *c = x + 2 * ((i + 2) % 3);
		J[2 * i] = 0.5 * (b[1] - c[1]);
		J[2 * i + 1] = 0.5 * (c[0] - b[0]);
	}
}

// d2q / dx_i dy_j = +-1/2 for different corners i and j, + when j follows i.
static void hessian(const double* x, const double* c, double* A)
{
	(void)x;
	for (int i = 0; i < 3; ++i)
	{
		int next = (i + 1) % 3, last = (i + 2) % 3;
		A[(2 * i) * 6 + 2 * next + 1] += 0.5 * c[0];
		A[(2 * i) * 6 + 2 * last + 1] -= 0.5 * c[0];
		A[(2 * i + 1) * 6 + 2 * last] += 0.5 * c[0];
		A[(2 * i + 1) * 6 + 2 * next] -= 0.5 * c[0];
	}
}

static void product(const double* x, const double* u, double* R)
{
	(void)x;
	gradient(u, R);
}

const lm_measure lm_measure_area = { .dimension = 2,
	                                 .corners = 3,
	                                 .size = 6,
	                                 .count = 1,
	                                 .value = value,
	                                 .gradient = gradient,
	                                 .hessian = hessian,
	                                 .product = product };
