// split.c: a painted group as several regions: clusters of its triangles, each with the group's weights.
#include "base/alloc.h"
#include "math/vec.h"
#include "objects/track/track.h"
#include "track/clusters.h"

#include <math.h>
#include <string.h>

#define SPLIT_FRAMES 16 // of the guide, that are looked at

// Frames of the guide, evenly spaced, or the mesh alone.
static int32_t choose_frames(const lm_scene_body* body, const lm_scene_track* track, const double** frames)
{
	const lm_scene_guide* guide = &track->guide;
	frames[0] = body->mesh->positions;
	if (!track->aware || guide->frame_count == 0 || guide->vertex_count != body->mesh->vertex_count)
		return 1;
	int32_t count = guide->frame_count < SPLIT_FRAMES ? guide->frame_count : SPLIT_FRAMES;
	for (int32_t k = 0; k < count; ++k)
	{
		int32_t frame = count > 1 ? (int32_t)((int64_t)k * (guide->frame_count - 1) / (count - 1)) : 0;
		frames[k] = guide->frames + 3 * (int64_t)guide->vertex_count * frame;
	}
	return count;
}

// The triangles whose corners are all painted; how many.
static int32_t take_triangles(const lm_mesh* mesh, const lm_scene_paint* paint, bool* painted, int32_t* triangles)
{
	int32_t count = 0;
	for (int32_t k = 0; k < paint->count; ++k)
		painted[paint->vertices[k]] = true;
	for (int32_t t = 0; t < mesh->triangle_count; ++t)
	{
		const int32_t* v = mesh->triangles + 3 * (int64_t)t;
		if (painted[v[0]] && painted[v[1]] && painted[v[2]])
			memcpy(triangles + 3 * (int64_t)count++, v, 3 * sizeof *v);
	}
	return count;
}

// Painted vertices without such a triangle belong to the region of the nearest one that has one.
static void join_loose(const lm_mesh* mesh, const lm_scene_paint* paint, int32_t* region)
{
	for (int32_t k = 0; k < paint->count; ++k)
	{
		double least = INFINITY;
		int32_t v = paint->vertices[k], best = region[v];
		for (int32_t i = 0; i < paint->count && region[v] < 0; ++i)
		{
			int32_t u = paint->vertices[i];
			double far = lm_distance(lm_v3_at(mesh->positions, u), lm_v3_at(mesh->positions, v));
			if (region[u] >= 0 && region[u] < paint->regions && far < least)
				least = far, best = region[u];
		}
		region[v] = region[v] < 0 ? best + paint->regions : region[v]; // told from those that have one
	}
	for (int32_t k = 0; k < paint->count; ++k)
		region[paint->vertices[k]] %= paint->regions;
}

// The part of a painted group that is in a region.
static lm_scene_paint part_of(lm_reader* reader, const lm_scene_paint* paint, const int32_t* region, int32_t r)
{
	lm_scene_paint part = *paint;
	part.count = 0;
	part.vertices = lm_reader_keep(reader, (size_t)paint->count, sizeof *part.vertices);
	part.values = lm_reader_keep(reader, (size_t)paint->count, sizeof *part.values);
	for (int32_t k = 0; part.vertices != NULL && part.values != NULL && k < paint->count; ++k)
		if (region[paint->vertices[k]] == r)
			part.vertices[part.count] = paint->vertices[k], part.values[part.count++] = paint->values[k];
	return part;
}

// Fills parts, room for paint->regions; how many there are, 0 when there is a problem.
static int32_t split(lm_reader* reader, const lm_scene_body* body, const lm_scene_track* track,
                     const lm_scene_paint* paint, lm_scene_paint* parts)
{
	const lm_mesh* mesh = body->mesh;
	bool* painted = lm_reader_take(reader, (size_t)mesh->vertex_count, sizeof *painted);
	int32_t* region = lm_reader_take(reader, (size_t)mesh->vertex_count, sizeof *region);
	int32_t* triangles = lm_reader_take(reader, 3 * (size_t)mesh->triangle_count, sizeof *triangles);
	if (painted == NULL || region == NULL || triangles == NULL)
		return 0;
	int32_t found = take_triangles(mesh, paint, painted, triangles), count = 0;
	if (found == 0)
	{
		lm_problem_key(reader, "regions", "is %d, but the group has no whole triangle that could be split",
		               paint->regions);
		return 0;
	}
	const double* frames[SPLIT_FRAMES];
	lm_clusters_settings settings = lm_clusters_settings_default();
	settings.regions = paint->regions, settings.compact = track->compact, settings.density = track->region_density;
	lm_error error;
	if (lm_clusters_find(frames, choose_frames(body, track, frames), mesh->vertex_count, triangles, found, &settings,
	                     &reader->host, region, &count, &error) != LM_OK)
	{
		lm_problem_from(reader, "regions", &error);
		return 0;
	}
	join_loose(mesh, paint, region);
	for (int32_t r = 0; r < count; ++r)
		parts[r] = part_of(reader, paint, region, r);
	return count;
}

void lm_track_split_paints(lm_reader* reader, const lm_scene_body* body, lm_scene_track* track)
{
	int64_t most = 0, count = 0;
	bool any = false;
	for (int32_t i = 0; i < track->paint_count; ++i)
		most += track->paint[i].regions > 1 ? track->paint[i].regions : 1, any = any || track->paint[i].regions > 1;
	if (!any || body->mesh == NULL)
		return;
	lm_scene_paint* all = lm_reader_keep(reader, (size_t)most, sizeof *all);
	size_t mark = lm_reader_enter(reader, "paint");
	for (int32_t i = 0; all != NULL && i < track->paint_count; ++i)
	{
		const lm_scene_paint* paint = &track->paint[i];
		size_t item = lm_reader_enter_item(reader, i);
		if (paint->regions <= 1)
			all[count++] = *paint;
		else if (track->guide.mesh != NULL)
			lm_problem_key(reader, "regions", "is %d, but the guide is another mesh: give each region a group on both",
			               paint->regions);
		else if (paint->count > 0)
			count += split(reader, body, track, paint, all + count);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
	if (all != NULL)
		track->paint = all, track->paint_count = (int32_t)count;
}
