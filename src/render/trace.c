// trace.c: pass 1, a tile of 8 x 8 pixels at a time, all rays in packets of 8. First a ray through the middle of every
// pixel; where it and its neighbours see one smooth patch of surface (or nothing) that is enough, elsewhere all samples
// of the pixel are traced. Points are shaded, then rays to sun and sky find out how much of them they see. A tile
// writes to its own texels only, so the order of tiles is free.
#include "render/shade.h"

#include "base/parallel.h"

#include <string.h>

#define RIM (LM_TILE + 2) // with one pixel more on every side
#define PACKET 8

typedef struct tile_work
{
	const lm_shot* shot;
	int32_t x, y, width, height; // pixels
	lm_hit middles[RIM * RIM];   // through the middles of the pixels and of those around them
	int point_count;
	lm_render_sample points[LM_TILE * LM_TILE * LM_MAX_SAMPLES];
	int patterns[LM_TILE * LM_TILE * LM_MAX_SAMPLES]; // of the points
	int starts[LM_TILE * LM_TILE + 1];                // points of each pixel
} tile_work;

// Rays, and where to note that they hit nothing.
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

static lm_f3 direction_at(const lm_shot* shot, float x, float y)
{
	float right = (2 * x / (float)shot->width - 1) * shot->tangent_x;
	float up = (1 - 2 * y / (float)shot->height) * shot->tangent_y;
	lm_f3 d = lm_f3_add_scaled(lm_f3_add_scaled(shot->forward, right, shot->right), up, shot->up);
	return lm_f3_normalize_or(d, shot->forward);
}

// Follows up to 8 rays from the eye. The places of the hits in the picture are given, the rest is found.
static void look_8(const lm_shot* shot, lm_hit* hits, int count)
{
	struct RTCRayHit8 packet;
	RTC_ALIGN(32) int valid[PACKET];
	memset(&packet, 0, sizeof packet);
	for (int i = 0; i < PACKET; ++i)
	{
		valid[i] = i < count ? -1 : 0;
		lm_hit* hit = &hits[i < count ? i : 0];
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
	for (int i = 0; i < count; ++i)
	{
		bool nothing = packet.hit.geomID[i] == RTC_INVALID_GEOMETRY_ID || !isfinite(packet.ray.tfar[i]);
		hits[i].surface = nothing ? -1 : (int32_t)packet.hit.geomID[i];
		hits[i].triangle = (int32_t)packet.hit.primID[i];
		hits[i].distance = packet.ray.tfar[i];
		hits[i].u = packet.hit.u[i];
		hits[i].v = packet.hit.v[i];
	}
}

static void look(const lm_shot* shot, lm_hit* hits, int count)
{
	for (int i = 0; i < count; i += PACKET)
		look_8(shot, hits + i, count - i < PACKET ? count - i : PACKET);
}

// Whether two hits less than two pixels apart see one smooth patch of surface, or both nothing.
static bool is_patch(const lm_shot* shot, const lm_hit* a, const lm_hit* b)
{
	if (a->surface != b->surface)
		return false;
	if (a->surface < 0 || a->triangle == b->triangle)
		return true;
	// Elsewhere on the surface: it must continue the facet, not be the far side of a fold.
	const lm_geometry* geometry = &shot->geometries[a->surface];
	lm_f3 facet = lm_f3_at(geometry->face_normals, a->triangle);
	float slant = lm_max(fabsf(lm_f3_dot(facet, a->direction)), 0.02f);
	return lm_f3_dot(lm_f3_at(geometry->face_normals, b->triangle), facet) > 0.9f &&
	       fabsf(b->distance - a->distance) < 3 * shot->pixel * a->distance / slant;
}

static void look_through_middles(tile_work* tile)
{
	for (int i = 0; i < RIM * RIM; ++i)
	{
		tile->middles[i].x = (float)(tile->x + i % RIM - 1) + 0.5f;
		tile->middles[i].y = (float)(tile->y + i / RIM - 1) + 0.5f;
	}
	look(tile->shot, tile->middles, RIM * RIM);
}

static void add_point(tile_work* tile, const lm_hit* hit, int pattern, float width)
{
	lm_render_sample* made = &tile->points[tile->point_count];
	tile->patterns[tile->point_count++] = pattern;
	*made = (lm_render_sample){ .surface = -1 };
	if (hit->surface >= 0)
		lm_shade(tile->shot, hit, width, made);
}

// One point for a pixel that lies within a patch, one per sample for the others.
static void shade_pixel(tile_work* tile, int column, int row)
{
	const lm_shot* shot = tile->shot;
	const lm_hit* middle = &tile->middles[(row + 1) * RIM + column + 1];
	int pattern = lm_light_pattern(tile->x + column, tile->y + row);
	bool patch = true;
	for (int k = 0; k < 9 && patch; ++k)
		patch = is_patch(shot, middle, middle + (k / 3 - 1) * RIM + k % 3 - 1);
	if (patch || shot->samples == 1)
	{
		add_point(tile, middle, pattern, 1);
		return;
	}
	lm_hit hits[LM_MAX_SAMPLES];
	for (int s = 0; s < shot->samples; ++s)
	{
		hits[s].x = (float)(tile->x + column) + shot->offsets[s][0];
		hits[s].y = (float)(tile->y + row) + shot->offsets[s][1];
	}
	look(shot, hits, shot->samples);
	for (int s = 0; s < shot->samples; ++s)
		add_point(tile, &hits[s], (pattern + 5 * s) % LM_PATTERNS, 1 / sqrtf((float)shot->samples));
}

static void shade_pixels(tile_work* tile)
{
	tile->point_count = 0;
	for (int pixel = 0; pixel < tile->width * tile->height; ++pixel)
	{
		tile->starts[pixel] = tile->point_count;
		shade_pixel(tile, pixel % tile->width, pixel / tile->width);
	}
	tile->starts[tile->width * tile->height] = tile->point_count;
}

static bool needs_light(const lm_render_sample* point)
{
	return point->surface >= 0 && point->alpha > 0;
}

static void look_at_sun(tile_work* tile)
{
	const lm_shot* shot = tile->shot;
	const lm_light* light = shot->light;
	ray_packet packet = { .count = 0 };
	for (int i = 0; i < tile->point_count; ++i)
	{
		lm_render_sample* point = &tile->points[i];
		if (!needs_light(point) || lm_f3_dot(point->normal, light->towards) <= 0)
			continue;
		const lm_f3* directions = light->sun_rays + tile->patterns[i] * light->sun_count;
		for (int k = 0; k < light->sun_count; ++k)
			send(shot, &packet, point->start, directions[k], INFINITY, &point->lit, 1 / (float)light->sun_count);
	}
	flush(shot, &packet);
}

// How far the rays to the sky look, in units: farther things shade the light from all round no more.
static const float sky_reach = 0.25f;

// True when a point of a flat ground is too far from everything else for its sky to be hidden: most of most pictures.
static bool is_alone(const lm_shot* shot, const lm_render_sample* sample)
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
		lm_render_sample* point = &tile->points[i];
		if (!needs_light(point))
			continue;
		bool alone = light->sky_count == 0 || is_alone(shot, point);
		point->open = alone ? 1 : 0;
		if (alone)
			continue;
		const lm_sky_ray* rays = light->sky_rays + tile->patterns[i] * light->sky_count;
		lm_f3 n = point->normal, t, b;
		lm_tangents(n, &t, &b);
		for (int k = 0; k < light->sky_count; ++k)
		{
			lm_f3 local = rays[k].direction;
			lm_f3 d = lm_f3_add_scaled(lm_f3_add_scaled(lm_f3_scale(local.z, n), local.x, t), local.y, b);
			float below = lm_f3_dot(d, point->facet);
			if (below < 0) // into the triangle itself, which is only there because the mesh is coarse
				d = lm_f3_add_scaled(d, -2 * below, point->facet);
			send(shot, &packet, point->start, d, sky_reach * rays[k].reach, &point->open, 1 / (float)light->sky_count);
		}
	}
	flush(shot, &packet);
}

// Samples of a pixel that see the same surface average their light: fewer specks along edges.
static void share_light(lm_render_sample* points, int count)
{
	float lit[LM_MAX_SAMPLES], open[LM_MAX_SAMPLES];
	for (int s = 0; s < count; ++s)
	{
		float sum = 0;
		lit[s] = open[s] = 0;
		for (int k = 0; k < count; ++k)
			if (points[k].surface == points[s].surface && lm_f3_dot(points[k].facet, points[s].facet) > 0.5f)
			{
				lit[s] += points[k].lit;
				open[s] += points[k].open;
				sum += 1;
			}
		lit[s] /= lm_max(sum, 1);
		open[s] /= lm_max(sum, 1);
	}
	for (int s = 0; s < count; ++s)
		points[s].lit = lit[s], points[s].open = open[s];
}

// The points of a pixel become a texel: a single one keeps its light apart for smoothing, several are added up.
static void gather(lm_render_sample* points, int count, lm_texel* texel)
{
	*texel = (lm_texel){ .region = -1, .lit = 1, .open = 1 };
	if (count == 1 && points->surface >= 0)
	{
		*texel = (lm_texel){ .sun = lm_f3_scale(points->alpha, points->sun),
			                 .sky = lm_f3_scale(points->alpha, points->sky),
			                 .albedo = points->albedo,
			                 .normal = points->normal,
			                 .depth = points->depth,
			                 .lit = points->lit,
			                 .open = points->open,
			                 .coverage = points->alpha,
			                 .region = points->surface };
		return;
	}
	share_light(points, count);
	for (int s = 0; s < count; ++s)
	{
		const lm_render_sample* point = &points[s];
		if (point->surface < 0)
			continue;
		float weight = point->alpha / (float)count;
		texel->coverage += weight;
		texel->sun = lm_f3_add_scaled(texel->sun, weight * point->lit, point->sun);
		texel->sky = lm_f3_add_scaled(texel->sky, weight, lm_open_sky(point->sky, point->albedo, point->open));
	}
}

typedef struct trace_job
{
	const lm_shot* shot;
	int32_t begin, end; // rows
	int64_t count, stride;
} trace_job;

static void trace_tile(const trace_job* job, int64_t index)
{
	const lm_shot* shot = job->shot;
	int64_t columns = (shot->width + LM_TILE - 1) / LM_TILE;
	tile_work tile;
	tile.shot = shot;
	tile.x = (int32_t)(index % columns) * LM_TILE;
	tile.y = job->begin + (int32_t)(index / columns) * LM_TILE;
	tile.width = shot->width - tile.x < LM_TILE ? shot->width - tile.x : LM_TILE;
	tile.height = job->end - tile.y < LM_TILE ? job->end - tile.y : LM_TILE;
	look_through_middles(&tile);
	shade_pixels(&tile);
	look_at_sun(&tile);
	look_at_sky(&tile);
	for (int pixel = 0; pixel < tile.width * tile.height; ++pixel)
	{
		lm_texel* texel = lm_texels_of_row(shot, tile.y + pixel / tile.width) + tile.x + pixel % tile.width;
		gather(&tile.points[tile.starts[pixel]], tile.starts[pixel + 1] - tile.starts[pixel], texel);
	}
}

static void trace_tiles(void* context, int64_t begin, int64_t end)
{
	const trace_job* job = context;
	for (int64_t k = begin; k < end; ++k)
		trace_tile(job, k * job->stride % job->count);
}

static int64_t greatest_divisor(int64_t a, int64_t b)
{
	return b == 0 ? a : greatest_divisor(b, a % b);
}

// Threads get equal shares of consecutive numbers, but tiles with much to see lie next to each other. So number k is
// the tile at k golden sections of the rows, with a step that visits every tile once.
void lm_trace(const lm_shot* shot, int32_t begin, int32_t end)
{
	int64_t columns = (shot->width + LM_TILE - 1) / LM_TILE, rows = (end - begin + LM_TILE - 1) / LM_TILE;
	trace_job job = { shot, begin, end, columns * rows, (int64_t)(0.618 * (double)(columns * rows)) + 1 };
	while (greatest_divisor(job.stride, job.count) != 1)
		++job.stride;
	lm_parallel_for(shot->threads, job.count, 4, trace_tiles, &job);
}
