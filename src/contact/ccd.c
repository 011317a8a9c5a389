// Additive continuous collision detection; see ccd.h.
#include "contact/ccd.h"

#include "contact/gap.h"

#include <float.h>

static double larger(double a, double b)
{
	return a > b ? a : b;
}

double lm_ccd_approach(lm_barrier_kind kind, const lm_vec3 displacement[4])
{
	lm_vec3 mean = lm_v3(0, 0, 0);
	for (int i = 0; i < 4; ++i)
		mean = lm_add_scaled(mean, 0.25, displacement[i]);
	double squared[4];
	for (int i = 0; i < 4; ++i)
	{
		lm_vec3 d = lm_sub(displacement[i], mean);
		squared[i] = lm_dot(d, d);
	}
	bool edges = kind == LM_BARRIER_EDGE_EDGE;
	double one = edges ? larger(squared[0], squared[1]) : squared[0];
	double two = larger(edges ? squared[2] : larger(squared[1], squared[2]), squared[3]), far = sqrt(one) + sqrt(two);
	return far * (1 + 16 * DBL_EPSILON);
}

// Rounding of a distance: of the positions x + t displacement, and of the computation.
static double rounding(const lm_vec3 x[4], const lm_vec3 displacement[4])
{
	double most = 0;
	for (int i = 0; i < 4; ++i)
	{
		most = larger(most,
		              larger(fabs(x[i].x) + fabs(displacement[i].x),
		                     larger(fabs(x[i].y) + fabs(displacement[i].y), fabs(x[i].z) + fabs(displacement[i].z))));
	}
	return 64 * DBL_EPSILON * most;
}

static double distance_at(lm_barrier_kind kind, const lm_vec3 x[4], const lm_vec3 displacement[4], double t)
{
	lm_vec3 moved[4];
	for (int i = 0; i < 4; ++i)
		moved[i] = lm_add_scaled(x[i], t, displacement[i]);
	return lm_barrier_gap(kind, moved).D;
}

double lm_ccd(lm_barrier_kind kind, const lm_vec3 x[4], const lm_vec3 displacement[4], double longest,
              const lm_ccd_settings* settings)
{
	double slack = rounding(x, displacement), speed = lm_ccd_approach(kind, displacement);
	double D = distance_at(kind, x, displacement, 0) - slack;
	if (!(D > 0) || !isfinite(speed))
		return 0;
	double first = D < settings->near ? D : settings->near;
	double least = settings->floor < settings->most * first ? settings->floor : settings->most * first;
	double kept = larger(settings->keep * first, least), t = 0;
	if (speed * longest <= D - kept)
		return longest;
	for (int i = 0; i < settings->most_iterations; ++i)
	{
		double step = (D - kept) / speed;
		if (!(step > 1e-3 * kept / speed)) // close enough to where it ends
			break;
		t += step * (1 - 4 * DBL_EPSILON);
		if (t >= longest)
			return longest;
		D = distance_at(kind, x, displacement, t) - slack;
		if (!(D >= kept)) // rounding: the last step was the last
		{
			t -= step;
			break;
		}
	}
	return t > 0 ? t : 0;
}
