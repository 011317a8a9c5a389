// measure_length.c: the squared length of an edge, q = |b - a|^2 (l^2 of Coros et al. 2012, appendix A).
//   dq/da = -2 (b - a), dq/db = 2 (b - a); d2q = 2 [I -I; -I I], constant.
// The gradient is linear in x, so H u is the gradient at u.
#include "elastic/measure_both.h"

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

LM_MEASURE_IN(lm_measure_length2, 2, 2, 1);
LM_MEASURE_IN(lm_measure_length3, 3, 2, 1);
