// shade.c: a look of painted clay. With albedo a, normal n, direction to the eye v, to the sun l, half vector h:
//
//     sun = L_sun (a max(n.l, 0) + 0.05 (n.h)^24)
//     sky = a mix(L_earth, L_sky, (1 + n_y) / 2) + a 0.10 max(n.v, 0) + 0.22 (1 - n.v)^4 L_sky (1 + n_y) / 2
//
// the last two terms being a faint lamp at the eye and a rim of sky. Rays to the light start from a point lifted to the
// curved surface that the corner normals suggest (Hanika 2021, "Hacking the shadow terminator", Ray Tracing Gems II,
// ch. 4), so that coarse meshes have no jagged shadow line.
#include "render/shade.h"

// Integral of the square wave that is +1 on [0, 1), -1 on [1, 2), and so on.
static double wave_integral(double x)
{
	double phase = x - 2 * floor(0.5 * x);
	return 1 - fabs(phase - 1);
}

static double wave_average(double x, double width)
{
	double w = fmax(width, 1e-6);
	return (wave_integral(x + 0.5 * w) - wave_integral(x - 0.5 * w)) / w;
}

float lm_checker(double x, double z, double width_x, double width_z)
{
	return (float)(wave_average(x, width_x) * wave_average(z, width_z));
}

// How the point moves on the plane of n when the ray turns by the sample's width towards an axis of the view.
static lm_f3 footprint(const lm_shot* shot, const lm_hit* hit, float width, lm_f3 axis, lm_f3 n)
{
	float along = lm_f3_dot(hit->direction, n);
	along = along < 0 ? lm_min(along, -1e-4f) : lm_max(along, 1e-4f);
	float size = hit->distance * shot->pixel * width;
	return lm_f3_scale(size, lm_f3_add_scaled(axis, -lm_f3_dot(axis, n) / along, hit->direction));
}

// Factor on the colour of a checkered surface. It lies in x and z on floors, in the two axes of its plane on walls.
static float checker_factor(const lm_shot* shot, const lm_hit* hit, float width, lm_f3 point, lm_f3 n)
{
	lm_f3 a = footprint(shot, hit, width, shot->right, n);
	lm_f3 b = footprint(shot, hit, width, shot->up, n);
	double unit = shot->space.unit;
	lm_vec3 eye = shot->space.eye;
	double at[3] = { eye.x + unit * (double)point.x, eye.y + unit * (double)point.y, eye.z + unit * (double)point.z };
	double wide[3] = { unit * (double)(fabsf(a.x) + fabsf(b.x)), unit * (double)(fabsf(a.y) + fabsf(b.y)),
		               unit * (double)(fabsf(a.z) + fabsf(b.z)) };
	int i = 0, k = 2;
	if (fabsf(n.x) > fabsf(n.y) && fabsf(n.x) > fabsf(n.z))
		i = 1;
	else if (fabsf(n.z) > fabsf(n.y))
		k = 1;
	return 1 + 0.10f * lm_checker(at[i], at[k], wide[i], wide[k]);
}

// Grounds fade into the background with the distance from what the picture is about.
static float ground_alpha(const lm_shot* shot, lm_f3 point)
{
	lm_vec3 focus = shot->space.focus;
	lm_f3 away = lm_f3_sub(point, lm_f3_make((float)focus.x, (float)focus.y, (float)focus.z));
	float distance = sqrtf(lm_f3_dot(away, away));
	return 1 - lm_smooth_step(0.6f, 0.25f * (float)LM_GROUND_RADIUS, distance);
}

// Distance in pixels from the sample to the nearest edge of its triangle, as seen in the picture.
static float edge_distance(const lm_shot* shot, const lm_hit* hit, const lm_f3 corners[3])
{
	float x[3], y[3];
	for (int k = 0; k < 3; ++k)
	{
		float depth = lm_f3_dot(corners[k], shot->forward);
		if (depth < 1e-6f)
			return 1e9f; // beside or behind the eye: no line rather than a wrong one
		x[k] = 0.5f * (float)shot->width * (1 + lm_f3_dot(corners[k], shot->right) / (depth * shot->tangent_x));
		y[k] = 0.5f * (float)shot->height * (1 - lm_f3_dot(corners[k], shot->up) / (depth * shot->tangent_y));
	}
	float nearest = 1e9f;
	for (int k = 0; k < 3; ++k)
	{
		int j = (k + 1) % 3;
		float dx = x[j] - x[k], dy = y[j] - y[k];
		float length = sqrtf(dx * dx + dy * dy);
		if (length > 1e-6f)
			nearest = lm_min(nearest, fabsf((hit->x - x[k]) * dy - (hit->y - y[k]) * dx) / length);
	}
	return nearest;
}

static lm_f3 albedo_of(const lm_surface* surface, const int32_t* triangle, const float weights[3])
{
	lm_f3 color = lm_f3_at(surface->color, 0);
	if (surface->vertex_colors != NULL)
	{
		color = lm_f3_make(0, 0, 0);
		for (int k = 0; k < 3; ++k)
			color = lm_f3_add_scaled(color, weights[k], lm_f3_at(surface->vertex_colors, triangle[k]));
	}
	// Nothing real reflects more than 95 %; a NaN becomes black.
	return lm_f3_make(lm_min(lm_max(color.x, 0), 0.95f), lm_min(lm_max(color.y, 0), 0.95f),
	                  lm_min(lm_max(color.z, 0), 0.95f));
}

// Ray Tracing Gems II, ch. 4, listing 4-1: the point is projected onto the tangent plane of every corner (never
// downwards), and the projections are interpolated.
static lm_f3 lifted(lm_f3 point, const lm_f3 corners[3], const lm_f3 normals[3], const float weights[3])
{
	lm_f3 lift = { 0, 0, 0 };
	for (int k = 0; k < 3; ++k)
	{
		float height = lm_min(lm_f3_dot(lm_f3_sub(point, corners[k]), normals[k]), 0);
		lift = lm_f3_add_scaled(lift, -height * weights[k], normals[k]);
	}
	return lm_f3_add(point, lift);
}

static void reflect_light(const lm_shot* shot, lm_f3 view, lm_render_sample* sample)
{
	const lm_light* light = shot->light;
	lm_f3 n = sample->normal;
	float facing = lm_min(lm_max(lm_f3_dot(n, view), 0), 1);
	float up = 0.5f + 0.5f * n.y;
	float diffuse = lm_f3_dot(n, light->towards);
	sample->sun = lm_f3_make(0, 0, 0);
	if (diffuse > 0)
	{
		lm_f3 half = lm_f3_normalize_or(lm_f3_add(light->towards, view), n);
		float cosine = lm_max(lm_f3_dot(n, half), 0);
		float power_2 = cosine * cosine, power_8 = power_2 * power_2 * power_2 * power_2;
		float gloss = 0.05f * power_8 * power_8 * power_8;
		sample->sun =
			lm_f3_tint(light->sun, lm_f3_add_scaled(lm_f3_make(gloss, gloss, gloss), diffuse, sample->albedo));
	}
	lm_f3 around = lm_f3_lerp(light->earth, light->sky, up);
	around = lm_f3_add(around, lm_f3_scale(0.10f * facing, lm_f3_make(1, 1, 1)));
	float edge = 1 - facing;
	edge *= edge;
	sample->sky = lm_f3_add_scaled(lm_f3_tint(sample->albedo, around), 0.22f * edge * edge * up, light->sky);
}

void lm_shade(const lm_shot* shot, const lm_hit* hit, float width, lm_render_sample* sample)
{
	const lm_surface* surface = &shot->surfaces[hit->surface];
	const lm_geometry* geometry = &shot->geometries[hit->surface];
	const int32_t* triangle = geometry->triangles + 3 * hit->triangle;
	const float weights[3] = { 1 - hit->u - hit->v, hit->u, hit->v };
	lm_f3 view = lm_f3_scale(-1, hit->direction);
	lm_f3 facet = lm_f3_at(geometry->face_normals, hit->triangle);
	float side = lm_f3_dot(facet, view) < 0 ? -1 : 1; // surfaces have two sides
	facet = lm_f3_normalize_or(lm_f3_scale(side, facet), view);
	lm_f3 corners[3], normals[3], smooth = { 0, 0, 0 };
	for (int k = 0; k < 3; ++k)
	{
		corners[k] = lm_f3_at(geometry->positions, triangle[k]);
		normals[k] = lm_f3_scale(side, lm_f3_at(geometry->corner_normals, 3 * (int64_t)hit->triangle + k));
		smooth = lm_f3_add_scaled(smooth, weights[k], normals[k]);
	}
	lm_f3 point = lm_f3_scale(hit->distance, hit->direction);
	*sample = (lm_render_sample){ .surface = hit->surface, .depth = hit->distance, .alpha = 1, .facet = facet };
	sample->normal = lm_f3_normalize_or(smooth, facet);
	sample->albedo = albedo_of(surface, triangle, weights);
	if (surface->checker)
	{
		sample->albedo = lm_f3_scale(checker_factor(shot, hit, width, point, facet), sample->albedo);
		sample->alpha = ground_alpha(shot, point);
	}
	if (surface->edges)
	{
		float line = 1 - lm_smooth_step(0.25f, 1.1f, edge_distance(shot, hit, corners));
		sample->albedo = lm_f3_scale(1 - 0.75f * line, sample->albedo);
	}
	sample->start = lm_f3_add_scaled(lifted(point, corners, normals, weights), 1e-4f * hit->distance, facet);
	reflect_light(shot, view, sample);
}
