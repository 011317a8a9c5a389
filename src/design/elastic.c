// elastic.c: energy, forces and stiffness of elastic.h. With f_k the columns of F, E = F^T F - I and c_k the columns of
// its cofactor matrix (c_0 = f_1 x f_2, ...):
//
//   psi = |E|^2:   dpsi/df_k   = 4 sum_l E_kl f_l
//                  d2psi       : A_lk = 4 (delta_lk F F^T + f_k f_l^T + E_lk I)
//   b(J):          db/df_k     = b' c_k
//                  d2b         : A_lk = b'' c_l c_k^T + b' d2J_lk,   d2J_01 = -[f_2]x, d2J_12 = -[f_0]x, d2J_20 =
//                  -[f_1]x
//
// and the nodes' blocks are H_ab = V sum_kl G_ak G_bl A_kl with G_a = grad Phi_a.
#include "design/elastic.h"

#include "math/svd.h"

#include <string.h>

typedef double columns[3][3]; // [k] is column k

static const double crushed = 0.1;

static void barrier(double J, double b[3])
{
	double K = J > crushed ? J : crushed;
	b[0] = (K - 1) * (K - 1) / K;
	b[1] = 1 - 1 / (K * K);
	b[2] = 2 / (K * K * K);
	double below = J - K;
	b[0] += below * (b[1] + 0.5 * below * b[2]);
	b[1] += below * b[2];
}

static void cross(const double a[3], const double b[3], double c[3])
{
	c[0] = a[1] * b[2] - a[2] * b[1];
	c[1] = a[2] * b[0] - a[0] * b[2];
	c[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void gather(const lm_design_rows* rows, int32_t p, const double* y, columns f)
{
	memset(f, 0, sizeof(columns));
	for (int64_t e = rows->start[p]; e < rows->start[p + 1]; ++e)
	{
		const double *g = rows->grad[e], *x = y + 3 * (int64_t)rows->node[e];
		for (int k = 0; k < 3; ++k)
			for (int i = 0; i < 3; ++i)
				f[k][i] += g[k] * x[i];
	}
}

static void measure(columns f, columns c, double E[3][3], double* J)
{
	cross(f[1], f[2], c[0]);
	cross(f[2], f[0], c[1]);
	cross(f[0], f[1], c[2]);
	*J = dot(f[0], c[0]);
	for (int k = 0; k < 3; ++k)
		for (int l = 0; l < 3; ++l)
			E[k][l] = dot(f[k], f[l]) - (k == l);
}

double lm_design_elastic(const lm_design_model* m, lm_design_stiffness s, const double* y, double scale,
                         double* gradient)
{
	const lm_design_rows* rows = &m->integration;
	double total = 0;
	for (int32_t p = 0; p < m->point_count; ++p)
	{
		columns f, c;
		double E[3][3], J, b[3], V = scale * m->volumes[p];
		gather(rows, p, y, f);
		measure(f, c, E, &J);
		barrier(J, b);
		total += V * (s.strain * (dot(E[0], E[0]) + dot(E[1], E[1]) + dot(E[2], E[2])) + s.volume * b[0]);
		if (gradient == NULL)
			continue;
		columns P; // dE/df_k
		for (int k = 0; k < 3; ++k)
			for (int i = 0; i < 3; ++i)
				P[k][i] = V * (4 * s.strain * (E[k][0] * f[0][i] + E[k][1] * f[1][i] + E[k][2] * f[2][i]) +
				               s.volume * b[1] * c[k][i]);
		for (int64_t e = rows->start[p]; e < rows->start[p + 1]; ++e)
		{
			const double* g = rows->grad[e];
			double* target = gradient + 3 * (int64_t)rows->node[e];
			for (int i = 0; i < 3; ++i)
				target[i] += g[0] * P[0][i] + g[1] * P[1][i] + g[2] * P[2][i];
		}
	}
	return total;
}

// E without its negative eigenvalues.
static void keep_positive(double E[3][3])
{
	lm_mat3 A;
	memcpy(A.m, E, sizeof A.m);
	lm_eigen e = lm_eigen3(A);
	double values[3] = { e.e.x, e.e.y, e.e.z };
	memset(E, 0, 9 * sizeof(double));
	for (int n = 0; n < 3; ++n)
		for (int k = 0; k < 3 && values[n] > 0; ++k)
			for (int l = 0; l < 3; ++l)
				E[k][l] += values[n] * e.V.m[k][n] * e.V.m[l][n];
}

// A[l][k] is the 3 x 3 block of columns l and k, times V.
static void stiffness_of_point(columns f, lm_design_stiffness s, double V, bool positive, double A[3][3][3][3])
{
	columns c;
	double E[3][3], J, b[3], FF[3][3];
	measure(f, c, E, &J);
	barrier(J, b);
	if (positive)
		keep_positive(E);
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			FF[i][j] = f[0][i] * f[0][j] + f[1][i] * f[1][j] + f[2][i] * f[2][j];
	double strain = 4 * V * s.strain, second = V * s.volume * b[2], first = positive ? 0 : V * s.volume * b[1];
	for (int l = 0; l < 3; ++l)
		for (int k = 0; k < 3; ++k)
			for (int i = 0; i < 3; ++i)
				for (int j = 0; j < 3; ++j)
					A[l][k][i][j] = strain * (f[k][i] * f[l][j] + (l == k ? FF[i][j] : 0) + (i == j ? E[l][k] : 0)) +
					                second * c[l][i] * c[k][j];
	for (int n = 0; n < 3; ++n)
	{
		int l = (n + 1) % 3, k = (n + 2) % 3; // d2J_lk = -[f_n]x
		double x = first * f[n][0], y = first * f[n][1], z = first * f[n][2];
		double cross_matrix[3][3] = { { 0, -z, y }, { z, 0, -x }, { -y, x, 0 } };
		for (int i = 0; i < 3; ++i)
			for (int j = 0; j < 3; ++j)
			{
				A[l][k][i][j] -= cross_matrix[i][j];
				A[k][l][i][j] -= cross_matrix[j][i];
			}
	}
}

static void add_blocks(const lm_design_rows* rows, int32_t p, double A[3][3][3][3], double* block, int64_t stride)
{
	int64_t begin = rows->start[p], end = rows->start[p + 1];
	for (int64_t b = begin; b < end; ++b)
	{
		const double* g = rows->grad[b];
		double B[3][3][3]; // [k][i][j]: sum over l of A_kl G_bl
		for (int k = 0; k < 3; ++k)
			for (int i = 0; i < 3; ++i)
				for (int j = 0; j < 3; ++j)
					B[k][i][j] = A[k][0][i][j] * g[0] + A[k][1][i][j] * g[1] + A[k][2][i][j] * g[2];
		double* column = block + 3 * (int64_t)rows->node[b] * stride;
		for (int64_t a = b; a < end; ++a)
		{
			const double* h = rows->grad[a];
			double* target = column + 3 * (int64_t)rows->node[a];
			for (int j = 0; j < 3; ++j)
				for (int i = 0; i < 3; ++i)
					target[j * stride + i] += h[0] * B[0][i][j] + h[1] * B[1][i][j] + h[2] * B[2][i][j];
		}
	}
}

void lm_design_elastic_hessian(const lm_design_model* m, lm_design_stiffness s, const double* y, double scale,
                               bool positive, double* block, int64_t stride)
{
	for (int32_t p = 0; p < m->point_count; ++p)
	{
		columns f;
		double A[3][3][3][3];
		gather(&m->integration, p, y, f);
		stiffness_of_point(f, s, scale * m->volumes[p], positive, A);
		add_blocks(&m->integration, p, A, block, stride);
	}
}

double lm_design_least_volume(const lm_design_model* m, const double* y)
{
	double least = INFINITY;
	for (int32_t p = 0; p < m->point_count; ++p)
		least = fmin(least, lm_det(lm_design_gradient_at(&m->integration, p, y)));
	return least;
}
