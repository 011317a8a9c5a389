// vec.h: small vectors and matrices in double precision. By value, inline, without aliasing.
#ifndef LM_MATH_VEC_H
#define LM_MATH_VEC_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define LM_PI 3.14159265358979323846

typedef struct lm_vec3
{
	double x, y, z;
} lm_vec3;

// m[row][column]
typedef struct lm_mat3
{
	double m[3][3];
} lm_mat3;

static inline lm_vec3 lm_v3(double x, double y, double z)
{
	return (lm_vec3){ x, y, z };
}

// The i-th of interleaved positions.
static inline lm_vec3 lm_v3_at(const double* xyz, int64_t i)
{
	return (lm_vec3){ xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2] };
}

static inline void lm_v3_store(double* xyz, int64_t i, lm_vec3 a)
{
	xyz[3 * i] = a.x, xyz[3 * i + 1] = a.y, xyz[3 * i + 2] = a.z;
}

// The k-th coordinate. (&a.x)[k] would read past a member: that is undefined, and compilers do make something else of
// it.
static inline double lm_v3_get(lm_vec3 a, int k)
{
	return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

static inline lm_vec3 lm_add(lm_vec3 a, lm_vec3 b)
{
	return (lm_vec3){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static inline lm_vec3 lm_sub(lm_vec3 a, lm_vec3 b)
{
	return (lm_vec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static inline lm_vec3 lm_scale(double s, lm_vec3 a)
{
	return (lm_vec3){ s * a.x, s * a.y, s * a.z };
}

// a + s b
static inline lm_vec3 lm_add_scaled(lm_vec3 a, double s, lm_vec3 b)
{
	return (lm_vec3){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z };
}

static inline lm_vec3 lm_lerp(lm_vec3 a, lm_vec3 b, double t)
{
	return lm_add(lm_scale(1 - t, a), lm_scale(t, b));
}

static inline double lm_dot(lm_vec3 a, lm_vec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline lm_vec3 lm_cross(lm_vec3 a, lm_vec3 b)
{
	return (lm_vec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static inline double lm_length(lm_vec3 a)
{
	return sqrt(lm_dot(a, a));
}

static inline double lm_distance(lm_vec3 a, lm_vec3 b)
{
	return lm_length(lm_sub(a, b));
}

// a / |a|, or fallback when a is too short to have a direction (or not finite).
static inline lm_vec3 lm_normalize_or(lm_vec3 a, lm_vec3 fallback)
{
	double length = lm_length(a);
	return length > 1e-300 && isfinite(length) ? lm_scale(1 / length, a) : fallback;
}

static inline lm_vec3 lm_min3(lm_vec3 a, lm_vec3 b)
{
	return (lm_vec3){ fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z) };
}

static inline lm_vec3 lm_max3(lm_vec3 a, lm_vec3 b)
{
	return (lm_vec3){ fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z) };
}

static inline bool lm_finite(lm_vec3 a)
{
	return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline lm_mat3 lm_identity(void)
{
	return (lm_mat3){ { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
}

static inline lm_mat3 lm_columns(lm_vec3 a, lm_vec3 b, lm_vec3 c)
{
	return (lm_mat3){ { { a.x, b.x, c.x }, { a.y, b.y, c.y }, { a.z, b.z, c.z } } };
}

static inline lm_vec3 lm_column(lm_mat3 A, int j)
{
	return (lm_vec3){ A.m[0][j], A.m[1][j], A.m[2][j] };
}

static inline lm_vec3 lm_mul_v(lm_mat3 A, lm_vec3 b)
{
	return (lm_vec3){ A.m[0][0] * b.x + A.m[0][1] * b.y + A.m[0][2] * b.z,
		              A.m[1][0] * b.x + A.m[1][1] * b.y + A.m[1][2] * b.z,
		              A.m[2][0] * b.x + A.m[2][1] * b.y + A.m[2][2] * b.z };
}

// A^T b
static inline lm_vec3 lm_tmul_v(lm_mat3 A, lm_vec3 b)
{
	return (lm_vec3){ A.m[0][0] * b.x + A.m[1][0] * b.y + A.m[2][0] * b.z,
		              A.m[0][1] * b.x + A.m[1][1] * b.y + A.m[2][1] * b.z,
		              A.m[0][2] * b.x + A.m[1][2] * b.y + A.m[2][2] * b.z };
}

static inline lm_mat3 lm_mul(lm_mat3 A, lm_mat3 B)
{
	lm_mat3 C;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			C.m[i][j] = A.m[i][0] * B.m[0][j] + A.m[i][1] * B.m[1][j] + A.m[i][2] * B.m[2][j];
	return C;
}

static inline lm_mat3 lm_transpose(lm_mat3 A)
{
	return (lm_mat3){ { { A.m[0][0], A.m[1][0], A.m[2][0] },
		                { A.m[0][1], A.m[1][1], A.m[2][1] },
		                { A.m[0][2], A.m[1][2], A.m[2][2] } } };
}

// A += s a b^T
static inline void lm_add_outer(lm_mat3* A, double s, lm_vec3 a, lm_vec3 b)
{
	double u[3] = { s * a.x, s * a.y, s * a.z }, v[3] = { b.x, b.y, b.z };
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			A->m[i][j] += u[i] * v[j];
}

static inline double lm_det(lm_mat3 A)
{
	return lm_dot(lm_column(A, 0), lm_cross(lm_column(A, 1), lm_column(A, 2)));
}

// False, and nothing written, where A is as good as flat.
static inline bool lm_invert(lm_mat3 A, lm_mat3* inverse)
{
	lm_vec3 a = lm_column(A, 0), b = lm_column(A, 1), c = lm_column(A, 2);
	lm_vec3 rows[3] = { lm_cross(b, c), lm_cross(c, a), lm_cross(a, b) };
	double det = lm_dot(a, rows[0]), size = lm_dot(a, a) + lm_dot(b, b) + lm_dot(c, c);
	if (!(fabs(det) > 1e-6 * size * sqrt(size)))
		return false;
	for (int i = 0; i < 3; ++i)
	{
		inverse->m[i][0] = rows[i].x / det;
		inverse->m[i][1] = rows[i].y / det;
		inverse->m[i][2] = rows[i].z / det;
	}
	return true;
}

#endif
