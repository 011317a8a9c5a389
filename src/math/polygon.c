#include "math/polygon.h"

#include <math.h>
#include <string.h>

void lm_polygon_add(lm_polygon* p, double x, double z)
{
	if (p->count >= LM_POLYGON_MAX)
		return;
	p->at[p->count][0] = x;
	p->at[p->count++][1] = z;
}

static bool before(const double a[2], const double b[2])
{
	return a[0] < b[0] || (a[0] == b[0] && a[1] < b[1]);
}

static double turn(const double a[2], const double b[2], const double c[2])
{
	return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// Andrew's monotone chain.
void lm_polygon_hull(lm_polygon* p)
{
	double hull[2 * LM_POLYGON_MAX][2];
	int32_t count = 0;
	if (p->count < 3)
		return;
	for (int32_t i = 1; i < p->count; ++i)
		for (int32_t j = i; j > 0 && before(p->at[j], p->at[j - 1]); --j)
		{
			double swap[2] = { p->at[j][0], p->at[j][1] };
			memcpy(p->at[j], p->at[j - 1], sizeof swap);
			memcpy(p->at[j - 1], swap, sizeof swap);
		}
	for (int side = 0; side < 2; ++side)
	{
		int32_t base = count;
		for (int32_t i = 0; i < p->count; ++i)
		{
			const double* q = p->at[side ? p->count - 1 - i : i];
			while (count >= base + 2 && turn(hull[count - 2], hull[count - 1], q) <= 0)
				--count;
			memcpy(hull[count++], q, sizeof hull[0]);
		}
		--count; // it begins the other side
	}
	p->count = count;
	memcpy(p->at, hull, (size_t)count * sizeof hull[0]);
}

static void center_of(const lm_polygon* p, double center[2])
{
	double area = 0, sum[2] = { 0 };
	center[0] = center[1] = 0;
	for (int32_t i = 0; i < p->count; ++i)
	{
		const double *a = p->at[i], *b = p->at[(i + 1) % p->count];
		double cross = a[0] * b[1] - a[1] * b[0];
		area += cross;
		for (int d = 0; d < 2; ++d)
			center[d] += a[d] / p->count, sum[d] += cross * (a[d] + b[d]) / 3;
	}
	double size = 0;
	for (int32_t i = 0; i < p->count; ++i)
		size = fmax(size, hypot(p->at[i][0] - center[0], p->at[i][1] - center[1]));
	for (int d = 0; d < 2 && fabs(area) > 1e-6 * size * size; ++d)
		center[d] = sum[d] / area;
}

void lm_polygon_nearest(const lm_polygon* p, double share, const double q[2], double nearest[2])
{
	double center[2], best = INFINITY;
	bool left = false, right = false;
	memcpy(nearest, q, 2 * sizeof *q);
	if (p->count == 0)
		return;
	center_of(p, center);
	for (int32_t i = 0; i < p->count; ++i)
	{
		const double *s = p->at[i], *t = p->at[(i + 1) % p->count];
		double a[2], e[2], r[2];
		for (int d = 0; d < 2; ++d)
		{
			a[d] = center[d] + share * (s[d] - center[d]);
			e[d] = share * (t[d] - s[d]);
			r[d] = q[d] - a[d];
		}
		double cross = e[0] * r[1] - e[1] * r[0], square = e[0] * e[0] + e[1] * e[1];
		left |= cross >= 0, right |= cross < 0;
		double along = square > 0 ? fmin(fmax((e[0] * r[0] + e[1] * r[1]) / square, 0), 1) : 0;
		double distance = hypot(r[0] - along * e[0], r[1] - along * e[1]);
		if (distance < best)
			best = distance, nearest[0] = a[0] + along * e[0], nearest[1] = a[1] + along * e[1];
	}
	if (p->count > 2 && !(left && right))
		memcpy(nearest, q, 2 * sizeof *q);
}

bool lm_polygon_holds(const lm_polygon* p, double share, const double q[2])
{
	double nearest[2];
	lm_polygon_nearest(p, share, q, nearest);
	return p->count > 2 && nearest[0] == q[0] && nearest[1] == q[1];
}
