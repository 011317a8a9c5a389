// light.c: sample patterns. Points come from the additive recurrence with the plastic number (Roberts 2018, "The
// unreasonable effectiveness of quasirandom sequences"): u_i = frac(i / g), v_i = frac(i / g^2), w_i with a third
// irrational. Each pattern shifts them (modulo 1) by a point of the same sequence.
#include "render/light.h"

#include "base/alloc.h"
#include "math/vec.h"

static double fraction(double x)
{
	return x - floor(x);
}

// Point i of the sequence in dimension d.
static double sequence(int i, int d)
{
	static const double step[3] = { 0.7548776662466927, 0.5698402909980532, 0.6180339887498949 };
	return fraction(0.5 + i * step[d]);
}

void lm_tangents(lm_f3 n, lm_f3* t, lm_f3* b)
{
	lm_f3 axis = fabsf(n.x) < 0.6f ? lm_f3_make(1, 0, 0) : lm_f3_make(0, 1, 0);
	*t = lm_f3_normalize_or(lm_f3_cross(axis, n), lm_f3_make(0, 0, 1));
	*b = lm_f3_cross(n, *t);
}

int lm_light_pattern(int x, int y)
{
	static const unsigned char order[16] = { 0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5 };
	return order[4 * (y & 3) + (x & 3)];
}

// A point of the disc from one of the square, areas kept.
static void to_disc(double u, double v, double* x, double* y)
{
	double r = sqrt(u);
	*x = r * cos(2 * LM_PI * v);
	*y = r * sin(2 * LM_PI * v);
}

static void make_sun_rays(lm_light* light)
{
	const double width = 0.045; // tangent of the sun's half angle: shadows soften with distance but stay readable
	lm_f3 t, b;
	lm_tangents(light->towards, &t, &b);
	int rays = light->sun_count;
	for (int pattern = 0; pattern < LM_PATTERNS; ++pattern)
		for (int i = 0; i < rays; ++i)
		{
			double x, y;
			double u = fraction((i + 0.5) / rays + sequence(pattern, 2) / rays);
			to_disc(u, fraction(sequence(i, 0) + sequence(pattern, 1)), &x, &y);
			lm_f3 d = lm_f3_add_scaled(lm_f3_add_scaled(light->towards, (float)(width * x), t), (float)(width * y), b);
			light->sun_rays[pattern * rays + i] = lm_f3_normalize_or(d, light->towards);
		}
}

static void make_sky_rays(lm_light* light)
{
	int rays = light->sky_count;
	for (int pattern = 0; pattern < LM_PATTERNS; ++pattern)
		for (int i = 0; i < rays; ++i)
		{
			double x, y;
			double u = fraction((i + 0.5) / rays + sequence(pattern, 2) / rays);
			to_disc(u, fraction(sequence(i, 0) + sequence(pattern, 0)), &x, &y);
			double z = sqrt(fmax(1 - x * x - y * y, 1e-4));
			lm_sky_ray* ray = &light->sky_rays[pattern * rays + i];
			ray->direction = lm_f3_normalize_or(lm_f3_make((float)x, (float)y, (float)z), lm_f3_make(0, 0, 1));
			// Rays of many lengths make occluders fade out with their distance.
			ray->reach = (float)(0.08 + 0.92 * fraction(sequence(i, 1) + sequence(pattern, 1)));
		}
}

bool lm_light_init(lm_light* light, const lm_render_settings* settings, const lm_host* host)
{
	*light = (lm_light){ .host = *host,
		                 .sun_count = settings->samples > 4 ? settings->samples / 2 : 2,
		                 .sky_count = settings->samples * settings->occlusion };
	lm_f3 towards = { (float)settings->light[0], (float)settings->light[1], (float)settings->light[2] };
	light->towards = lm_f3_normalize_or(towards, lm_f3_make(0, 1, 0));
	light->sun = lm_f3_scale(0.85f, lm_f3_make(1.0f, 0.92f, 0.80f));
	light->sky = lm_f3_scale(0.36f, lm_f3_make(0.84f, 0.93f, 1.0f));
	light->earth = lm_f3_scale(0.17f, lm_f3_make(1.0f, 0.92f, 0.82f));
	light->sun_rays = LM_NEW(host, LM_PATTERNS * light->sun_count, lm_f3);
	light->sky_rays = LM_NEW(host, LM_PATTERNS * light->sky_count, lm_sky_ray);
	if (light->sun_rays == NULL || light->sky_rays == NULL)
	{
		lm_light_release(light);
		return false;
	}
	make_sun_rays(light);
	make_sky_rays(light);
	return true;
}

void lm_light_release(lm_light* light)
{
	lm_free(&light->host, light->sun_rays);
	lm_free(&light->host, light->sky_rays);
	light->sun_rays = NULL;
	light->sky_rays = NULL;
}
