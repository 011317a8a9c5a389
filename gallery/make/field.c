// field.c: solids as signed fields, negative inside. The values are distances near the surface, or close to them: all
// that the polygoniser needs is the sign, and a gradient of about 1 where fields are blended.
#include "make.h"

#include <math.h>

static double length3(const double v[3])
{
	return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// |q| (|q| - 1) / |grad| with q the point in units of the radii: the first-order distance.
double lm_field_ellipsoid(const double p[3], const double centre[3], const double radii[3])
{
	double q[3], g[3];
	for (int32_t d = 0; d < 3; d++)
	{
		q[d] = (p[d] - centre[d]) / radii[d];
		g[d] = q[d] / radii[d];
	}
	double n = length3(q), slope = length3(g);
	return slope > 1e-12 ? n * (n - 1) / slope : -fmin(radii[0], fmin(radii[1], radii[2]));
}

double lm_field_limb(const double p[3], const double a[3], const double b[3], double ra, double rb)
{
	double axis[3], r[3], along = 0, square = 0;
	for (int32_t d = 0; d < 3; d++)
	{
		axis[d] = b[d] - a[d];
		r[d] = p[d] - a[d];
		along += axis[d] * r[d];
		square += axis[d] * axis[d];
	}
	double t = fmin(fmax(along / square, 0), 1);
	for (int32_t d = 0; d < 3; d++)
		r[d] -= t * axis[d];
	return length3(r) - (ra + t * (rb - ra));
}

double lm_field_box(const double p[3], const double centre[3], const double half[3], double rounding)
{
	double out[3], inside = -1e9;
	for (int32_t d = 0; d < 3; d++)
	{
		double q = fabs(p[d] - centre[d]) - (half[d] - rounding);
		out[d] = fmax(q, 0);
		inside = fmax(inside, q);
	}
	return length3(out) + fmin(inside, 0) - rounding;
}

double lm_field_wheel(const double p[3], const double centre[3], double radius, double half_width, double rounding)
{
	double x = p[0] - centre[0], y = p[1] - centre[1];
	double q = sqrt(x * x + y * y) - (radius - rounding), r = fabs(p[2] - centre[2]) - (half_width - rounding);
	double out[3] = { fmax(q, 0), fmax(r, 0), 0 };
	return length3(out) + fmin(fmax(q, r), 0) - rounding;
}

double lm_field_ring(const double p[3], const double centre[3], double radius, double thickness)
{
	double x = p[0] - centre[0], z = p[2] - centre[2];
	double q[3] = { sqrt(x * x + z * z) - radius, p[1] - centre[1], 0 };
	return length3(q) - thickness;
}

// The polynomial smooth minimum: equal to min(a, b) where they differ by more than k.
double lm_field_join(double a, double b, double k)
{
	double h = k > 0 ? fmax(k - fabs(a - b), 0) / k : 0;
	return fmin(a, b) - h * h * k / 4;
}

double lm_field_cut(double a, double b, double k)
{
	return -lm_field_join(-a, b, k);
}
