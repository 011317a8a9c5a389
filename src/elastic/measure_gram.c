// measure_gram.c: the edge Gram matrix g = S^T S of a triangle in the plane or a tetrahedron, S = (x_1 - x_0, ...),
// upper triangle row by row. The Green strain between a shape x and its rest shape X is
//   E = (F^T F - I) / 2 = S(X)^-T (g(x) - g(X)) / 2 S(X)^-1,   F = S(x) S(X)^-1
// (Coros et al. 2012, section 5 and appendix A), so that g carries all of it. Entries e_a . e_b are quadratic: their
// Hessians are constant, and H u is the gradient at u.
#include "elastic/measure_both.h"

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

LM_MEASURE_IN(lm_measure_gram2, 2, 3, 3);
LM_MEASURE_IN(lm_measure_gram3, 3, 4, 6);
