// Exact signs; see predicates.h.
//
// A sum of doubles is kept as components that do not overlap and grow in magnitude, so that its sign is that of the
// last one that is not zero. two_sum and two_product give a rounded result and what rounding took from it.
#include "math/predicates.h"

#include <float.h>

// orient3 sums 24 products of three numbers, each of which is four doubles.
#define COMPONENTS 96

typedef struct expansion
{
	int count;
	double e[COMPONENTS];
} expansion;

static inline double two_sum(double a, double b, double* rest)
{
	double sum = a + b, b_part = sum - a, a_part = sum - b_part;
	*rest = (a - a_part) + (b - b_part);
	return sum;
}

static inline double two_product(double a, double b, double* rest)
{
	double product = a * b;
	*rest = fma(a, b, -product);
	return product;
}

static void add(expansion* sum, double b)
{
	int kept = 0;
	for (int i = 0; i < sum->count; ++i)
	{
		double rest;
		b = two_sum(b, sum->e[i], &rest);
		if (rest != 0)
			sum->e[kept++] = rest;
	}
	if (b != 0)
		sum->e[kept++] = b;
	sum->count = kept;
}

static void add_product2(expansion* sum, double sign, double a, double b)
{
	double low, high = two_product(sign * a, b, &low);
	add(sum, low), add(sum, high);
}

static void add_product3(expansion* sum, double sign, double a, double b, double c)
{
	double low, high = two_product(a, b, &low), rest;
	double part = two_product(low, sign * c, &rest);
	add(sum, rest), add(sum, part);
	part = two_product(high, sign * c, &rest);
	add(sum, rest), add(sum, part);
}

static int sign_of(double a)
{
	return (a > 0) - (a < 0);
}

static int sign_of_sum(const expansion* sum)
{
	return sum->count > 0 ? sign_of(sum->e[sum->count - 1]) : 0;
}

// ---- in the plane ------------------------------------------------------------------------------------------------

// a x b + b x c + c x a
static int exact_orient2(const double a[2], const double b[2], const double c[2])
{
	const double* p[3] = { a, b, c };
	expansion sum = { 0 };
	for (int i = 0; i < 3; ++i)
	{
		const double *u = p[i], *v = p[(i + 1) % 3];
		add_product2(&sum, 1, u[0], v[1]);
		add_product2(&sum, -1, u[1], v[0]);
	}
	return sign_of_sum(&sum);
}

int lm_orient2(const double a[2], const double b[2], const double c[2])
{
	double left = (a[0] - c[0]) * (b[1] - c[1]), right = (a[1] - c[1]) * (b[0] - c[0]);
	double det = left - right, bound = 4 * DBL_EPSILON * (fabs(left) + fabs(right));
	return fabs(det) > bound ? sign_of(det) : exact_orient2(a, b, c);
}

// ---- in space ----------------------------------------------------------------------------------------------------

// a . (b x c)
static void add_determinant(expansion* sum, double sign, lm_vec3 a, lm_vec3 b, lm_vec3 c)
{
	add_product3(sum, sign, a.x, b.y, c.z);
	add_product3(sum, -sign, a.x, b.z, c.y);
	add_product3(sum, sign, a.y, b.z, c.x);
	add_product3(sum, -sign, a.y, b.x, c.z);
	add_product3(sum, sign, a.z, b.x, c.y);
	add_product3(sum, -sign, a.z, b.y, c.x);
}

static bool exact_difference(double a, double b, double* difference)
{
	double rest;
	*difference = two_sum(a, -b, &rest);
	return rest == 0;
}

static bool exact_vector(lm_vec3 a, lm_vec3 b, lm_vec3* difference)
{
	return exact_difference(a.x, b.x, &difference->x) && exact_difference(a.y, b.y, &difference->y) &&
	       exact_difference(a.z, b.z, &difference->z);
}

static int exact_orient3(lm_vec3 a, lm_vec3 b, lm_vec3 c, lm_vec3 d)
{
	expansion sum = { 0 };
	lm_vec3 u, v, w;
	if (exact_vector(a, d, &u) && exact_vector(b, d, &v) && exact_vector(c, d, &w))
		add_determinant(&sum, 1, u, v, w); // on grids the differences are exact: a quarter of the products
	else
	{
		add_determinant(&sum, 1, a, b, c);
		add_determinant(&sum, -1, d, b, c);
		add_determinant(&sum, -1, a, d, c);
		add_determinant(&sum, -1, a, b, d);
	}
	return sign_of_sum(&sum);
}

int lm_orient3(lm_vec3 a, lm_vec3 b, lm_vec3 c, lm_vec3 d)
{
	lm_vec3 u = lm_sub(a, d), v = lm_sub(b, d), w = lm_sub(c, d);
	double det = lm_dot(u, lm_cross(v, w));
	double size = fabs(u.x) * (fabs(v.y * w.z) + fabs(v.z * w.y)) + fabs(u.y) * (fabs(v.z * w.x) + fabs(v.x * w.z)) +
	              fabs(u.z) * (fabs(v.x * w.y) + fabs(v.y * w.x));
	return fabs(det) > 8 * DBL_EPSILON * size ? sign_of(det) : exact_orient3(a, b, c, d);
}
