// measure_length.c: the squared length of an edge, q = |b - a|^2 (l^2 of Coros et al. 2012, appendix A).
//   dq/da = -2 (b - a), dq/db = 2 (b - a); d2q = 2 [I -I; -I I], constant.
// The gradient is linear in x, so H u is the gradient at u.
#include "elastic/measure.h"

static inline void value(int d, const double* x, double* q)
{
	q[0] = 0;
	for (int i = 0; i < d; ++i)
		q[0] += (x[d + i] - x[i]) * (x[d + i] - x[i]);
}

static inline void gradient(int d, const double* x, double* J)
{
	for (int i = 0; i < d; ++i)
	{
		J[d + i] = 2 * (x[d + i] - x[i]);
		J[i] = -J[d + i];
	}
}

static inline void hessian(int d, const double* c, double* A)
{
	int n = 2 * d;
	for (int i = 0; i < d; ++i)
	{
		A[i * n + i] += 2 * c[0];
		A[(d + i) * n + d + i] += 2 * c[0];
		A[i * n + d + i] -= 2 * c[0];
		A[(d + i) * n + i] -= 2 * c[0];
	}
}

static void value2(const double* x, double* q)
{
	value(2, x, q);
}

static void gradient2(const double* x, double* J)
{
	gradient(2, x, J);
}

static void hessian2(const double* x, const double* c, double* A)
{
	(void)x;
	hessian(2, c, A);
}

static void product2(const double* x, const double* u, double* R)
{
	(void)x;
	gradient(2, u, R);
}

static void value3(const double* x, double* q)
{
	value(3, x, q);
}

static void gradient3(const double* x, double* J)
{
	gradient(3, x, J);
}

static void hessian3(const double* x, const double* c, double* A)
{
	(void)x;
	hessian(3, c, A);
}

static void product3(const double* x, const double* u, double* R)
{
	(void)x;
	gradient(3, u, R);
}

const lm_measure lm_measure_length2 = { .dimension = 2,
	                                    .corners = 2,
	                                    .size = 4,
	                                    .count = 1,
	                                    .value = value2,
	                                    .gradient = gradient2,
	                                    .hessian = hessian2,
	                                    .product = product2 };
const lm_measure lm_measure_length3 = { .dimension = 3,
	                                    .corners = 2,
	                                    .size = 6,
	                                    .count = 1,
	                                    .value = value3,
	                                    .gradient = gradient3,
	                                    .hessian = hessian3,
	                                    .product = product3 };
