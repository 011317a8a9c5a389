// waves.c: from rotations and weights to moved particles: the maps of all regions, and then the goals, whose sums over
// rings need the maps of chunks before and behind. Where the body is large these would leave the caches and come back
// from memory: 84 bytes per region, and more for each pose. So the maps run through the body as a wave, just ahead of
// the goals, and tiles whose maps are no longer needed are used again.
//
// Each thread has a part of the body and a wave of its own. It begins before its part and ends behind it: maps are pure
// functions of what is given, so that some are made twice, and the same bits come out for any number of threads. Where
// parts would be short beside what is made twice, one set of tiles holds all chunks, and both passes are shared.
#include "base/error.h"
#include "base/parallel.h"
#include "match/body.h"

#include <string.h>

#define LM_PLACES 0xffffff // that a run can name
#define LM_WORTH 4         // chunks of a part for each that is made twice

// Chunks that the rings of a chunk reach to, on either side.
static int64_t lead_of(const lm_match* body)
{
	return (body->reach + LM_CHUNK - 1) / LM_CHUNK;
}

lm_status lm_match_build_waves(lm_match* body, lm_error* error)
{
	int64_t lead = lead_of(body), ring = 1;
	bool parts = body->by_runs && (body->threads == 1 || body->chunks >= LM_WORTH * 2 * lead * body->threads);
	int32_t waves = parts ? body->threads : 1;
	while (ring < body->chunks && !(parts && ring > 2 * lead))
		ring *= 2;
	body->wave_count = parts ? waves : 0;
	int64_t poses = body->poses != NULL ? body->example_count : 0;
	body->map_tile = (LM_MAP + LM_MATRIX * poses) * LM_ROW;
	body->map_row = LM_MAP * (1 + poses);
	if (ring * body->map_tile > LM_PLACES) // dozens of poses of a large body
		body->by_runs = false, body->wave_count = 0;
	body->waves = LM_NEW(&body->host, waves, lm_match_wave);
	if (body->by_runs)
		body->map_tiles = LM_NEW(&body->host, (size_t)(waves * ring * body->map_tile), float);
	body->maps = LM_NEW(&body->host, ((size_t)body->blocks * LM_LANES + 1) * (size_t)body->map_row, float);
	body->next_rotation = body->rotation;
	if (body->wave_count > 1) // another wave still needs the rotations of before
		body->next_rotation = LM_NEW(&body->host, (size_t)body->blocks * 4 * LM_LANES, float);
	if (body->waves == NULL || body->maps == NULL || body->next_rotation == NULL ||
	    (body->by_runs && body->map_tiles == NULL))
		return lm_fail_memory(error);
	for (int64_t k = 0; body->by_runs && k < body->run_count; ++k)
	{
		int64_t chunk = body->runs[k].place / LM_TILE, place = body->runs[k].place % LM_TILE;
		body->runs[k].map_place = (uint32_t)((chunk & (ring - 1)) * body->map_tile + place) & LM_PLACES;
	}
	for (int32_t w = 0; w < waves; ++w)
		body->waves[w] =
			(lm_match_wave){ body->by_runs ? body->map_tiles + w * ring * body->map_tile : NULL, ring - 1 };
	return LM_OK;
}

static int64_t end_of(const lm_match* body, int64_t chunk)
{
	int64_t end = (chunk + 1) * LM_CHUNK;
	return end < body->count ? end : body->count;
}

static void take_part(void* context, int64_t part, int64_t end)
{
	lm_match* body = context;
	const lm_match_wave* wave = &body->waves[part];
	(void)end;
	int64_t lead = lead_of(body), first = part * body->chunks / body->wave_count;
	int64_t last = (part + 1) * body->chunks / body->wave_count, next = first > lead ? first - lead : 0;
	for (int64_t chunk = first; chunk < last; ++chunk)
	{
		for (; next < body->chunks && next <= chunk + lead; ++next)
			body->kernels->maps(body, wave, next * LM_CHUNK, end_of(body, next), next >= first);
		body->kernels->goals(body, wave, chunk * LM_CHUNK, end_of(body, chunk));
	}
}

static void maps_chunk(void* context, int64_t begin, int64_t end)
{
	lm_match* body = context;
	body->kernels->maps(body, body->waves, begin, end, true);
}

static void goals_chunk(void* context, int64_t begin, int64_t end)
{
	lm_match* body = context;
	body->kernels->goals(body, body->waves, begin, end);
}

void lm_match_take_waves(lm_match* body)
{
	if (body->wave_count > 0)
		lm_parallel_for(body->threads, body->wave_count, 1, take_part, body);
	else
	{
		lm_parallel_for(body->threads, body->count, LM_CHUNK, maps_chunk, body);
		lm_parallel_for(body->threads, body->count, LM_CHUNK, goals_chunk, body);
	}
	float* last = body->rotation;
	body->rotation = body->next_rotation, body->next_rotation = last;
}

// Lanes without a region are never written.
void lm_match_settle_rotations(lm_match* body)
{
	if (body->next_rotation != body->rotation)
		memcpy(body->next_rotation, body->rotation, (size_t)body->blocks * 4 * LM_LANES * sizeof(float));
}
