// fan.h: functions of four corners written in the three edges u = (x1 - x0, x2 - x0, x3 - x0), nine numbers, and their
// derivatives carried over to the corners: what acts on the edges acts on corners 1 to 3, and its opposite on corner 0,
// so that forces always sum to zero.
#ifndef LM_ELASTIC_FAN_H
#define LM_ELASTIC_FAN_H

static inline void lm_fan_edges(const double* x, double* u)
{
	for (int i = 0; i < 9; ++i)
		u[i] = x[3 + i] - x[i % 3];
}

static inline void lm_fan_gradient(const double* g, double* J)
{
	for (int i = 0; i < 3; ++i)
		J[i] = -(g[i] + g[3 + i] + g[6 + i]);
	for (int i = 0; i < 9; ++i)
		J[3 + i] = g[i];
}

// A (12 x 12) += c P^T H P for H (9 x 9).
static inline void lm_fan_hessian(const double* H, double c, double* A)
{
	double top[3][9] = { 0 }; // the rows of corner 0
	for (int i = 0; i < 9; ++i)
		for (int j = 0; j < 9; ++j)
		{
			A[(3 + i) * 12 + 3 + j] += c * H[i * 9 + j];
			top[i % 3][j] -= c * H[i * 9 + j];
		}
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 9; ++j)
		{
			A[i * 12 + 3 + j] += top[i][j];
			A[(3 + j) * 12 + i] += top[i][j];
			A[i * 12 + j % 3] -= top[i][j];
		}
}

// det(u) = u_1 . (u_2 x u_3): gradient (9) and Hessian (9 x 9), which is linear in u.
static inline double lm_fan_determinant(const double* u, double* g)
{
	for (int k = 0; k < 3; ++k)
	{
		const double *a = u + 3 * ((k + 1) % 3), *b = u + 3 * ((k + 2) % 3);
		g[3 * k] = a[1] * b[2] - a[2] * b[1];
		g[3 * k + 1] = a[2] * b[0] - a[0] * b[2];
		g[3 * k + 2] = a[0] * b[1] - a[1] * b[0];
	}
	return u[0] * g[0] + u[1] * g[1] + u[2] * g[2];
}

static inline void lm_fan_determinant_hessian(const double* u, double* H)
{
	for (int i = 0; i < 81; ++i)
		H[i] = 0;
	// d(u_k)^T d(u_l) for l after k: du_k . (du_l x w) = du_k^T [-w]x du_l, w the third edge
	for (int k = 0; k < 3; ++k)
	{
		int l = (k + 1) % 3;
		const double* w = u + 3 * ((k + 2) % 3);
		for (int i = 0; i < 3; ++i)
		{
			int j = (i + 1) % 3;
			double v = w[(i + 2) % 3];
			// [-w]x has +w_z at (x, y), -w_z at (y, x), and so on round
			H[(3 * k + i) * 9 + 3 * l + j] = v;
			H[(3 * k + j) * 9 + 3 * l + i] = -v;
			H[(3 * l + j) * 9 + 3 * k + i] = v;
			H[(3 * l + i) * 9 + 3 * k + j] = -v;
		}
	}
}

#endif
