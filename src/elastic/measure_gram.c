// measure_gram.c: the edge Gram matrix g = S^T S of a triangle in the plane or a tetrahedron, S = (x_1 - x_0, ...),
// upper triangle row by row. The Green strain between a shape x and its rest shape X is
//   E = (F^T F - I) / 2 = S(X)^-T (g(x) - g(X)) / 2 S(X)^-1,   F = S(x) S(X)^-1
// (Coros et al. 2012, section 5 and appendix A), so that g carries all of it. Entries e_a . e_b are quadratic: their
// Hessians are constant, and H u is the gradient at u.
#include "elastic/measure.h"

#include <string.h>

static inline double edge(int d, const double* x, int a, int i)
{
	return x[d * (a + 1) + i] - x[i];
}

static inline void value(int d, const double* x, double* q)
{
	for (int a = 0; a < d; ++a)
		for (int b = a; b < d; ++b, ++q)
		{
			*q = 0;
			for (int i = 0; i < d; ++i)
				*q += edge(d, x, a, i) * edge(d, x, b, i);
		}
}

static inline void gradient(int d, const double* x, double* J)
{
	int n = d * (d + 1);
	memset(J, 0, (size_t)(n * n / 2) * sizeof *J);
	for (int a = 0; a < d; ++a)
		for (int b = a; b < d; ++b, J += n)
			for (int i = 0; i < d; ++i)
			{
				double ea = edge(d, x, a, i), eb = edge(d, x, b, i);
				J[d * (a + 1) + i] += eb;
				J[d * (b + 1) + i] += ea;
				J[i] -= ea + eb;
			}
}

// c as the symmetric matrix C with sum c_ab e_a . e_b = tr(S C S^T) makes H the Kronecker product of 2 C, extended to
// corner 0 by zero row sums, with I.
static inline void hessian(int d, const double* c, double* A)
{
	double C[4][4] = { { 0 } };
	int n = d * (d + 1);
	for (int a = 1; a <= d; ++a)
		for (int b = a; b <= d; ++b, ++c)
		{
			C[a][b] += *c;
			C[b][a] += *c;
		}
	for (int a = 1; a <= d; ++a)
		for (int b = 1; b <= d; ++b)
			C[0][a] -= C[b][a];
	for (int a = 1; a <= d; ++a)
	{
		C[a][0] = C[0][a];
		C[0][0] -= C[0][a];
	}
	for (int a = 0; a <= d; ++a)
		for (int b = 0; b <= d; ++b)
			for (int i = 0; i < d; ++i)
				A[(d * a + i) * n + d * b + i] += C[a][b];
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

const lm_measure lm_measure_gram2 = { .dimension = 2,
	                                  .corners = 3,
	                                  .size = 6,
	                                  .count = 3,
	                                  .value = value2,
	                                  .gradient = gradient2,
	                                  .hessian = hessian2,
	                                  .product = product2 };
const lm_measure lm_measure_gram3 = { .dimension = 3,
	                                  .corners = 4,
	                                  .size = 12,
	                                  .count = 6,
	                                  .value = value3,
	                                  .gradient = gradient3,
	                                  .hessian = hessian3,
	                                  .product = product3 };
