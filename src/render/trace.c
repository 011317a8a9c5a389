// trace.c: pass 1. A tile of 8 x 8 pixels at a time: rays from the eye in packets of 8; shading, once per pixel where
// all its samples see one smooth patch and once per sample elsewhere; rays to sun and sky in packets of 8; texels. A
// tile writes to its own texels only, so the order of tiles is free.
#include "render/shade.h"

#include "base/parallel.h"

#include <string.h>

#define TILE 8
#define PACKET 8

// A shaded point, and which of its pixel's samples it stands for.
typedef struct point
{
	lm_sample sample;
	int pattern, first_sample, sample_count;
} point;

typedef struct tile_work
{
	const lm_shot* shot;
	int32_t x, y, width, height; // pixels
	int count;                   // samples: width x height x samples
	int point_count;
	lm_hit hits[TILE * TILE * LM_MAX_SAMPLES];
	point points[TILE * TILE * LM_MAX_SAMPLES];
	int starts[TILE * TILE + 1]; // points of each pixel
} tile_work;

// Rays on their way, and where to note that nothing stopped them.
typedef struct ray_packet
{
	struct RTCRay8 rays;
	float* noted[PACKET];
	float amounts[PACKET];
	int count;
} ray_packet;

static void flush(const lm_shot* shot, ray_packet* packet)
{
	if (packet->count == 0)
		return;
	RTC_ALIGN(32) int valid[PACKET];
	for (int i = 0; i < PACKET; ++i)
	{
		valid[i] = i < packet->count ? -1 : 0;
		packet->rays.mask[i] = ~0u;
		packet->rays.flags[i] = packet->rays.id[i] = 0;
		packet->rays.time[i] = 0;
	}
	struct RTCIntersectContext context;
	rtcInitIntersectContext(&context);
	rtcOccluded8(valid, shot->scene, &context, &packet->rays);
	for (int i = 0; i < packet->count; ++i)
		if (packet->rays.tfar[i] >= 0) // Embree sets it to -infinity for rays that hit
			*packet->noted[i] += packet->amounts[i];
	packet->count = 0;
}

static void send(const lm_shot* shot, ray_packet* packet, lm_f3 start, lm_f3 direction, float reach, float* note,
                 float amount)
{
	int i = packet->count++;
	packet->rays.org_x[i] = start.x;
	packet->rays.org_y[i] = start.y;
	packet->rays.org_z[i] = start.z;
	packet->rays.dir_x[i] = direction.x;
	packet->rays.dir_y[i] = direction.y;
	packet->rays.dir_z[i] = direction.z;
	packet->rays.tnear[i] = 0;
	packet->rays.tfar[i] = reach;
	packet->noted[i] = note;
	packet->amounts[i] = amount;
	if (packet->count == PACKET)
		flush(shot, packet);
}

// Where in the picture sample i of a tile lies.
static void place_of(const tile_work* tile, int i, float* x, float* y)
{
	int pixel = i / tile->shot->samples, s = i % tile->shot->samples;
	*x = (float)(tile->x + pixel % tile->width) + tile->shot->offsets[s][0];
	*y = (float)(tile->y + pixel / tile->width) + tile->shot->offsets[s][1];
}

static lm_f3 direction_at(const lm_shot* shot, float x, float y)
{
	float right = (2 * x / (float)shot->width - 1) * shot->tangent_x;
	float up = (1 - 2 * y / (float)shot->height) * shot->tangent_y;
	lm_f3 d = lm_f3_add_scaled(lm_f3_add_scaled(shot->forward, right, shot->right), up, shot->up);
	return lm_f3_normalize_or(d, shot->forward);
}

// Samples first .. first + 7 of the tile: follow their rays from the eye.
static void look(tile_work* tile, int first)
{
	const lm_shot* shot = tile->shot;
	struct RTCRayHit8 packet;
	RTC_ALIGN(32) int valid[PACKET];
	memset(&packet, 0, sizeof packet);
	for (int i = 0; i < PACKET; ++i)
	{
		valid[i] = first + i < tile->count ? -1 : 0;
		lm_hit* hit = &tile->hits[valid[i] ? first + i : first];
		place_of(tile, valid[i] ? first + i : first, &hit->x, &hit->y);
		hit->direction = direction_at(shot, hit->x, hit->y);
		packet.ray.dir_x[i] = hit->direction.x;
		packet.ray.dir_y[i] = hit->direction.y;
		packet.ray.dir_z[i] = hit->direction.z;
		packet.ray.tfar[i] = INFINITY;
		packet.ray.mask[i] = ~0u;
		packet.hit.geomID[i] = RTC_INVALID_GEOMETRY_ID;
		packet.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
	}
	struct RTCIntersectContext context;
	rtcInitIntersectContext(&context);
	context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
	rtcIntersect8(valid, shot->scene, &context, &packet);
	for (int i = 0; i < PACKET && valid[i]; ++i)
	{
		lm_hit* hit = &tile->hits[first + i];
		bool nothing = packet.hit.geomID[i] == RTC_INVALID_GEOMETRY_ID || !isfinite(packet.ray.tfar[i]);
		hit->surface = nothing ? -1 : (int32_t)packet.hit.geomID[i];
		hit->triangle = (int32_t)packet.hit.primID[i];
		hit->distance = packet.ray.tfar[i];
		hit->u = packet.hit.u[i];
		hit->v = packet.hit.v[i];
	}
}

// All samples of a pixel on one smooth patch: shading it once is enough.
static bool is_patch(const lm_shot* shot, const lm_hit* hits)
{
	if (hits[0].surface < 0)
		return false;
	const lm_geometry* geometry = &shot->geometries[hits[0].surface];
	lm_f3 facet = lm_f3_at(geometry->face_normals, hits[0].triangle);
	float slant = lm_max(fabsf(lm_f3_dot(facet, hits[0].direction)), 0.02f);
	for (int s = 1; s < shot->samples; ++s)
	{
		if (hits[s].surface != hits[0].surface)
			return false;
		if (hits[s].triangle == hits[0].triangle)
			continue;
		// Elsewhere on the surface: it must continue the facet, not be the far side of a fold.
		if (lm_f3_dot(lm_f3_at(geometry->face_normals, hits[s].triangle), facet) < 0.9f ||
		    fabsf(hits[s].distance - hits[0].distance) > 2 * shot->pixel * hits[0].distance / slant)
			return false;
	}
	return true;
}

static void add_point(tile_work* tile, const lm_hit* hit, int pattern, int first_sample, int sample_count)
{
	point* made = &tile->points[tile->point_count++];
	made->pattern = pattern;
	made->first_sample = first_sample;
	made->sample_count = sample_count;
	made->sample.surface = -1;
	if (hit->surface >= 0)
		lm_shade(tile->shot, hit, sample_count > 1 ? 1 : 1 / sqrtf((float)tile->shot->samples), &made->sample);
}

static void shade_pixels(tile_work* tile)
{
	int samples = tile->shot->samples;
	tile->point_count = 0;
	for (int pixel = 0; pixel < tile->width * tile->height; ++pixel)
	{
		const lm_hit* hits = &tile->hits[pixel * samples];
		int pattern = lm_light_pattern(tile->x + pixel % tile->width, tile->y + pixel / tile->width);
		tile->starts[pixel] = tile->point_count;
		if (is_patch(tile->shot, hits))
			add_point(tile, &hits[samples / 2], pattern, 0, samples);
		else
			for (int s = 0; s < samples; ++s)
				add_point(tile, &hits[s], pattern, s, 1);
	}
	tile->starts[tile->width * tile->height] = tile->point_count;
}

static bool needs_light(const point* at)
{
	return at->sample.surface >= 0 && at->sample.alpha > 0;
}

static void look_at_sun(tile_work* tile)
{
	const lm_shot* shot = tile->shot;
	const lm_light* light = shot->light;
	ray_packet packet = { .count = 0 };
	for (int i = 0; i < tile->point_count; ++i)
	{
		point* at = &tile->points[i];
		if (!needs_light(at) || lm_f3_dot(at->sample.normal, light->towards) <= 0)
			continue;
		const lm_f3* directions = light->sun_rays + (at->pattern * shot->samples + at->first_sample) * LM_SUN_RAYS;
		int rays = at->sample_count * LM_SUN_RAYS;
		for (int k = 0; k < rays; ++k)
			send(shot, &packet, at->sample.start, directions[k], INFINITY, &at->sample.lit, 1 / (float)rays);
	}
	flush(shot, &packet);
}

// How far the rays to the sky look, in units: farther things shade the light from all round no more.
static const float sky_reach = 0.30f;

// True when a point of a flat ground is too far from everything else for its sky to be hidden: most of most pictures.
static bool is_alone(const lm_shot* shot, const lm_sample* sample)
{
	const int32_t worthwhile = 64; // surfaces; beyond that Embree is quicker
	if (!shot->surfaces[sample->surface].checker || shot->surfaces[sample->surface].triangle_count > 2 ||
	    shot->count > worthwhile)
		return false;
	for (int32_t i = 0; i < shot->count; ++i)
	{
		lm_f3 p = sample->start, low = shot->geometries[i].low, high = shot->geometries[i].high;
		lm_f3 gap = { lm_max(lm_max(low.x - p.x, p.x - high.x), 0), lm_max(lm_max(low.y - p.y, p.y - high.y), 0),
			          lm_max(lm_max(low.z - p.z, p.z - high.z), 0) };
		if (i != sample->surface && lm_f3_dot(gap, gap) < sky_reach * sky_reach)
			return false;
	}
	return true;
}

static void look_at_sky(tile_work* tile)
{
	const lm_shot* shot = tile->shot;
	const lm_light* light = shot->light;
	ray_packet packet = { .count = 0 };
	for (int i = 0; i < tile->point_count; ++i)
	{
		point* at = &tile->points[i];
		if (!needs_light(at))
			continue;
		bool alone = light->occlusion == 0 || is_alone(shot, &at->sample);
		at->sample.open = alone ? 1 : 0;
		if (alone)
			continue;
		int first = (at->pattern * shot->samples + at->first_sample) * light->occlusion;
		int rays = at->sample_count * light->occlusion;
		lm_f3 n = at->sample.normal, t, b;
		lm_tangents(n, &t, &b);
		for (int k = first; k < first + rays; ++k)
		{
			lm_f3 local = light->sky_rays[k];
			lm_f3 d = lm_f3_add_scaled(lm_f3_add_scaled(lm_f3_scale(local.z, n), local.x, t), local.y, b);
			float below = lm_f3_dot(d, at->sample.facet);
			if (below < 0) // into the triangle itself, which is only there because the mesh is coarse
				d = lm_f3_add_scaled(d, -2 * below, at->sample.facet);
			send(shot, &packet, at->sample.start, d, sky_reach * light->reaches[k], &at->sample.open, 1 / (float)rays);
		}
	}
	flush(shot, &packet);
}

// The points of a pixel become a texel: a single one keeps its light apart for smoothing, several are added up.
static void gather(const point* points, int count, lm_texel* texel)
{
	bool patch = count == 1;
	const lm_sample* first = &points[0].sample;
	*texel = (lm_texel){ .region = -1, .lit = 1, .open = 1 };
	if (patch && first->surface >= 0)
	{
		*texel = (lm_texel){ .sun = lm_f3_scale(first->alpha, first->sun),
			                 .sky = lm_f3_scale(first->alpha, first->sky),
			                 .albedo = first->albedo,
			                 .normal = first->normal,
			                 .depth = first->depth,
			                 .lit = first->lit,
			                 .open = first->open,
			                 .coverage = first->alpha,
			                 .region = first->surface };
		return;
	}
	for (int s = 0; s < count; ++s)
	{
		const lm_sample* sample = &points[s].sample;
		if (sample->surface < 0)
			continue;
		float weight = sample->alpha / (float)count;
		texel->coverage += weight;
		texel->sun = lm_f3_add_scaled(texel->sun, weight * sample->lit, sample->sun);
		texel->sky = lm_f3_add_scaled(texel->sky, weight, lm_open_sky(sample->sky, sample->albedo, sample->open));
	}
}

static void trace_tile(void* context, int64_t begin, int64_t end)
{
	const lm_shot* shot = context;
	int64_t rows = (shot->height + TILE - 1) / TILE;
	for (int64_t k = begin; k < end; ++k)
	{
		// Neighbouring chunks go to the same thread, and the sky is above: hand out columns of tiles, not rows.
		int32_t x = (int32_t)(k / rows) * TILE, y = (int32_t)(k % rows) * TILE;
		tile_work tile;
		tile.shot = shot, tile.x = x, tile.y = y;
		tile.width = shot->width - x < TILE ? shot->width - x : TILE;
		tile.height = shot->height - y < TILE ? shot->height - y : TILE;
		tile.count = tile.width * tile.height * shot->samples;
		for (int i = 0; i < tile.count; i += PACKET)
			look(&tile, i);
		shade_pixels(&tile);
		look_at_sun(&tile);
		look_at_sky(&tile);
		for (int pixel = 0; pixel < tile.width * tile.height; ++pixel)
		{
			int64_t at = (int64_t)(y + pixel / tile.width) * shot->width + x + pixel % tile.width;
			gather(&tile.points[tile.starts[pixel]], tile.starts[pixel + 1] - tile.starts[pixel], &shot->texels[at]);
		}
	}
}

void lm_trace(lm_shot* shot)
{
	int64_t columns = (shot->width + TILE - 1) / TILE, rows = (shot->height + TILE - 1) / TILE;
	lm_parallel_for(shot->threads, columns * rows, 4, trace_tile, shot);
}
