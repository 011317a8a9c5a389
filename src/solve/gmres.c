#include "solve/gmres.h"

#include "sparse/dense_update.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// V: orthonormal basis, Z: what the preconditioner made of it, A Z_m = V_(m+1) H. Givens rotations (c, s) keep H upper
// triangular (column j at H[j]), g is the rotated right side: its last number is the residual.
typedef struct gmres
{
	const lm_gmres_problem* problem;
	double *V, *Z;
	double H[LM_GMRES_MOST][LM_GMRES_MOST + 1];
	double c[LM_GMRES_MOST], s[LM_GMRES_MOST], g[LM_GMRES_MOST + 1];
} gmres;

static double dot(int64_t n, const double* a, const double* b)
{
	return lm_dense_dot((int)n, a, b);
}

static void add(int64_t n, double scale, const double* a, double* to)
{
	lm_subtract_row((int)n, -scale, a, to);
}

// V_(j+1) from A Z_j by Gram and Schmidt, twice, so that the basis stays orthogonal; column j of H. False when there is
// nothing new or what came is not finite.
static bool extend(gmres* s, int j)
{
	int64_t n = s->problem->n;
	double *next = s->V + (j + 1) * n, *column = s->H[j];
	memset(column, 0, sizeof s->H[j]);
	if (!s->problem->precondition(s->problem->context, s->V + j * n, s->Z + j * n))
		return false;
	s->problem->multiply(s->problem->context, s->Z + j * n, next);
	double before = sqrt(dot(n, next, next));
	if (!isfinite(before))
		return false;
	for (int pass = 0; pass < 2; ++pass)
		for (int i = 0; i <= j; ++i)
		{
			double share = dot(n, s->V + i * n, next);
			column[i] += share;
			add(n, -share, s->V + i * n, next);
		}
	double length = sqrt(dot(n, next, next));
	column[j + 1] = length;
	for (int64_t i = 0; i < n && length > 0; ++i)
		next[i] /= length;
	return before > 0;
}

// Rotates column j, and the right side with it.
static void rotate(gmres* s, int j)
{
	double* h = s->H[j];
	for (int i = 0; i < j; ++i)
	{
		double a = h[i], b = h[i + 1];
		h[i] = s->c[i] * a + s->s[i] * b;
		h[i + 1] = s->c[i] * b - s->s[i] * a;
	}
	double r = hypot(h[j], h[j + 1]);
	s->c[j] = r > 0 ? h[j] / r : 1;
	s->s[j] = r > 0 ? h[j + 1] / r : 0;
	h[j] = r;
	s->g[j + 1] = -s->s[j] * s->g[j];
	s->g[j] *= s->c[j];
}

// x = Z_m y with H y = g.
static void combine(const gmres* s, int m, double* x)
{
	double y[LM_GMRES_MOST];
	for (int i = m - 1; i >= 0; --i)
	{
		double sum = s->g[i];
		for (int j = i + 1; j < m; ++j)
			sum -= s->H[j][i] * y[j];
		y[i] = s->H[i][i] > 0 ? sum / s->H[i][i] : 0;
	}
	memset(x, 0, (size_t)s->problem->n * sizeof *x);
	for (int j = 0; j < m; ++j)
		add(s->problem->n, y[j], s->Z + j * s->problem->n, x);
}

lm_gmres_report lm_gmres_solve(const lm_gmres_problem* problem, const double* b, double tolerance, int most, double* x,
                               double* work)
{
	assert(most >= 1 && most <= LM_GMRES_MOST);
	int64_t n = problem->n;
	gmres s;
	s.problem = problem, s.V = work, s.Z = work + (most + 1) * n;
	double size = sqrt(dot(n, b, b));
	memset(x, 0, (size_t)n * sizeof *x);
	if (size == 0 || !isfinite(size))
		return (lm_gmres_report){ size == 0, 0, size == 0 ? 0 : 1 };
	for (int64_t i = 0; i < n; ++i)
		s.V[i] = b[i] / size;
	s.g[0] = size;
	int m = 0;
	bool more = true;
	while (m < most && more && fabs(s.g[m]) > tolerance * size)
	{
		more = extend(&s, m);
		if (!more)
			break;
		rotate(&s, m);
		more = s.H[m][m] > 0;
		m += more;
	}
	combine(&s, m, x);
	double residual = fabs(s.g[m]) / size;
	return (lm_gmres_report){ residual <= tolerance, m, residual };
}
