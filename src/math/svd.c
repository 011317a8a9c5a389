// svd.c: one-sided Jacobi for singular values, two-sided Jacobi for eigenvalues, of 3x3 matrices.
//
// One-sided Jacobi (Hestenes 1958; Demmel and Veselic 1992 for its accuracy) turns the columns of B = A V pairwise
// until they are orthogonal; then s_i = |b_i| and u_i = b_i / s_i. It never forms A^T A, so small singular values keep
// their digits. Columns i and j with alpha = |b_i|^2, beta = |b_j|^2, gamma = b_i . b_j are turned by the angle whose
// tangent is the smaller root of t^2 + 2 zeta t - 1 = 0, zeta = (beta - alpha) / (2 gamma).
//
// The input is first scaled by a power of two (exactly), so that nothing over- or underflows on the way.
#include "math/svd.h"

#include <float.h>

#define MAX_SWEEPS 24 // five or six are enough for any matrix; rank-deficient ones may spend a few on rounding noise
#define NO_DIRECTION 1e-140 // a column this short, next to one of length about 1, is zero (its square would underflow)

// Scales A so that its largest entry lies in [1/2, 1); false when A is zero or not finite.
static bool scale_to_one(lm_mat3* A, int* exponent)
{
	double largest = 0;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
		{
			if (!isfinite(A->m[i][j]))
				return false;
			largest = fmax(largest, fabs(A->m[i][j]));
		}
	if (largest == 0)
		return false;
	frexp(largest, exponent);
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			A->m[i][j] = ldexp(A->m[i][j], -*exponent);
	return true;
}

static lm_vec3 scale_back(lm_vec3 a, int exponent)
{
	return lm_v3(ldexp(a.x, exponent), ldexp(a.y, exponent), ldexp(a.z, exponent));
}

// The tangent of the Jacobi angle for zeta = cot(2 angle), |t| <= 1.
static double jacobi_tangent(double zeta)
{
	return copysign(1 / (fabs(zeta) + sqrt(1 + zeta * zeta)), zeta);
}

// (a, b) -> (c a - s b, s a + c b)
static void turn(lm_vec3* a, lm_vec3* b, double c, double s)
{
	lm_vec3 old = *a;
	*a = lm_sub(lm_scale(c, old), lm_scale(s, *b));
	*b = lm_add(lm_scale(s, old), lm_scale(c, *b));
}

static void swap(lm_vec3* a, lm_vec3* b)
{
	lm_vec3 old = *a;
	*a = *b, *b = old;
}

// Makes the columns b orthogonal, turning v along.
static void orthogonalize(lm_vec3 b[3], lm_vec3 v[3])
{
	static const int pairs[3][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
	bool turned = true;
	for (int sweep = 0; turned && sweep < MAX_SWEEPS; ++sweep)
	{
		turned = false;
		for (int k = 0; k < 3; ++k)
		{
			int i = pairs[k][0], j = pairs[k][1];
			double alpha = lm_dot(b[i], b[i]), beta = lm_dot(b[j], b[j]), gamma = lm_dot(b[i], b[j]);
			if (fabs(gamma) <= DBL_EPSILON * sqrt(alpha) * sqrt(beta))
				continue;
			double t = jacobi_tangent((beta - alpha) / (2 * gamma)), c = 1 / sqrt(1 + t * t);
			turn(&b[i], &b[j], c, c * t);
			turn(&v[i], &v[j], c, c * t);
			turned = true;
		}
	}
}

// The longest of the columns from first on comes to first.
static void longest_first(lm_vec3 b[3], lm_vec3 v[3], int first)
{
	int longest = first;
	for (int j = first + 1; j < 3; ++j)
		if (lm_dot(b[j], b[j]) > lm_dot(b[longest], b[longest]))
			longest = j;
	swap(&b[first], &b[longest]);
	swap(&v[first], &v[longest]);
}

// Some unit vector orthogonal to the unit vector a.
static lm_vec3 any_orthogonal(lm_vec3 a)
{
	lm_vec3 axis = fabs(a.x) <= fabs(a.y) && fabs(a.x) <= fabs(a.z) ? lm_v3(1, 0, 0)
	               : fabs(a.y) <= fabs(a.z)                         ? lm_v3(0, 1, 0)
	                                                                : lm_v3(0, 0, 1);
	return lm_normalize_or(lm_cross(a, axis), lm_v3(1, 0, 0));
}

// The unit vector along b made orthogonal to the unit vector a; any, when b has no direction of its own.
static lm_vec3 direction_beside(lm_vec3 b, lm_vec3 a)
{
	double length = lm_length(b);
	if (length < NO_DIRECTION)
		return any_orthogonal(a);
	lm_vec3 u = lm_scale(1 / length, b);
	// Twice is enough (Kahan): the first pass may leave a remainder along a when b is rounding noise.
	u = lm_add_scaled(u, -lm_dot(a, u), a);
	u = lm_normalize_or(u, any_orthogonal(a));
	u = lm_add_scaled(u, -lm_dot(a, u), a);
	return lm_normalize_or(u, any_orthogonal(a));
}

lm_svd lm_svd3(lm_mat3 A)
{
	int exponent;
	if (!scale_to_one(&A, &exponent))
		return (lm_svd){ lm_identity(), lm_identity(), { 0, 0, 0 } };

	lm_vec3 b[3] = { lm_column(A, 0), lm_column(A, 1), lm_column(A, 2) };
	lm_vec3 v[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
	orthogonalize(b, v);

	longest_first(b, v, 0);
	double s0 = lm_length(b[0]);
	lm_vec3 u0 = lm_scale(1 / s0, b[0]);
	// What is left of the others along u0 is rounding; without it the order of their lengths is the order of s.
	b[1] = lm_add_scaled(b[1], -lm_dot(u0, b[1]), u0);
	b[2] = lm_add_scaled(b[2], -lm_dot(u0, b[2]), u0);
	longest_first(b, v, 1);
	lm_vec3 u1 = direction_beside(b[1], u0), u2 = lm_cross(u0, u1);
	double s1 = fmin(s0, fmax(0, lm_dot(u1, b[1])));

	// Sorting may have made V a reflection. The sign goes into s.z by way of b_2.
	if (lm_dot(v[0], lm_cross(v[1], v[2])) < 0)
	{
		v[2] = lm_scale(-1, v[2]);
		b[2] = lm_scale(-1, b[2]);
	}
	double s2 = fmin(s1, fmax(-s1, lm_dot(u2, b[2])));
	return (lm_svd){ lm_columns(u0, u1, u2), lm_columns(v[0], v[1], v[2]), scale_back(lm_v3(s0, s1, s2), exponent) };
}

// Annihilates A[p][q] (and A[q][p]) of the symmetric A by a rotation of columns p and q of V.
static void annihilate(double A[3][3], double V[3][3], int p, int q)
{
	double t = jacobi_tangent((A[q][q] - A[p][p]) / (2 * A[p][q])), c = 1 / sqrt(1 + t * t), s = c * t;
	int r = 3 - p - q;
	double apr = A[p][r], aqr = A[q][r], shift = t * A[p][q];
	A[p][p] -= shift;
	A[q][q] += shift;
	A[p][q] = A[q][p] = 0;
	A[p][r] = A[r][p] = c * apr - s * aqr;
	A[q][r] = A[r][q] = s * apr + c * aqr;
	for (int k = 0; k < 3; ++k)
	{
		double vp = V[k][p], vq = V[k][q];
		V[k][p] = c * vp - s * vq;
		V[k][q] = s * vp + c * vq;
	}
}

lm_eigen lm_eigen3(lm_mat3 A)
{
	int exponent;
	if (!scale_to_one(&A, &exponent))
		return (lm_eigen){ lm_identity(), { 0, 0, 0 } };
	lm_mat3 V = lm_identity();
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < i; ++j)
			A.m[i][j] = A.m[j][i] = 0.5 * (A.m[i][j] + A.m[j][i]);

	bool turned = true;
	for (int sweep = 0; turned && sweep < MAX_SWEEPS; ++sweep)
	{
		turned = false;
		for (int p = 0; p < 2; ++p)
			for (int q = p + 1; q < 3; ++q)
				if (fabs(A.m[p][q]) > 0.01 * DBL_EPSILON) // the largest entry of A is about 1
				{
					annihilate(A.m, V.m, p, q);
					turned = true;
				}
	}

	double e[3] = { A.m[0][0], A.m[1][1], A.m[2][2] };
	lm_vec3 v[3] = { lm_column(V, 0), lm_column(V, 1), lm_column(V, 2) };
	for (int k = 0; k < 3; ++k) // three neighbours exchanged in turn (0, 1, 0) sort three numbers
	{
		int i = k % 2;
		if (e[i] >= e[i + 1])
			continue;
		double old = e[i];
		e[i] = e[i + 1], e[i + 1] = old;
		swap(&v[i], &v[i + 1]);
		v[i] = lm_scale(-1, v[i]); // an exchange and a change of sign: still a rotation
	}
	return (lm_eigen){ lm_columns(v[0], v[1], v[2]), scale_back(lm_v3(e[0], e[1], e[2]), exponent) };
}

lm_polar lm_polar3(lm_mat3 A)
{
	// A = (U V^T) (V diag(s) V^T)
	lm_svd svd = lm_svd3(A);
	lm_polar polar = { lm_mul(svd.U, lm_transpose(svd.V)), { { { 0 } } } };
	const double s[3] = { svd.s.x, svd.s.y, svd.s.z };
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j <= i; ++j)
		{
			double sum = 0;
			for (int k = 0; k < 3; ++k)
				sum += s[k] * (svd.V.m[i][k] * svd.V.m[j][k]);
			polar.S.m[i][j] = polar.S.m[j][i] = sum;
		}
	return polar;
}
