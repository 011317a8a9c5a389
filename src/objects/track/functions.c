// functions.c: the test functions of a cloth: painted regions first, then hats, which are the columns of a map.
#include "base/error.h"
#include "objects/track/track.h"

#include <string.h>

lm_status lm_track_gather_functions(const lm_scene_track* track, bool on_guide, lm_arena* scratch,
                                    lm_track_functions* functions, lm_error* error)
{
	lm_binding_view map = { 0 };
	if (track->hats && track->map != NULL && !on_guide)
		map = lm_binding_get(track->hat_map != NULL ? track->hat_map : track->map);
	int32_t count = track->paint_count + map.point_count;
	int64_t numbers = map.vertex_count > 0 ? map.starts[map.vertex_count] : 0;
	for (int32_t i = 0; i < track->paint_count; ++i)
		numbers += on_guide ? track->paint[i].guide_count : track->paint[i].count;
	int64_t* starts = LM_TAKE(scratch, (size_t)count + 2, int64_t);
	int32_t* vertices = LM_TAKE(scratch, (size_t)numbers, int32_t);
	double* values = LM_TAKE(scratch, (size_t)numbers, double);
	if (starts == NULL || vertices == NULL || values == NULL)
		return lm_fail_memory(error);
	int64_t at = 0;
	for (int32_t i = 0; i < track->paint_count; ++i)
	{
		const lm_scene_paint* paint = &track->paint[i];
		size_t own = (size_t)(on_guide ? paint->guide_count : paint->count);
		starts[i] = at;
		memcpy(vertices + at, on_guide ? paint->guide_vertices : paint->vertices, own * sizeof *vertices);
		memcpy(values + at, on_guide ? paint->guide_values : paint->values, own * sizeof *values);
		at += (int64_t)own;
	}
	// hats: count, sum up, fill; starts are one further than they end up while they are filled
	int64_t* hat = starts + track->paint_count;
	memset(hat, 0, ((size_t)map.point_count + 2) * sizeof *hat);
	for (int64_t k = 0; k < numbers - at; ++k)
		++hat[map.points[k] + 2];
	hat[0] = hat[1] = at;
	for (int32_t i = 0; i < map.point_count; ++i)
		hat[i + 2] += hat[i + 1];
	for (int32_t v = 0; v < map.vertex_count; ++v)
		for (int64_t k = map.starts[v]; k < map.starts[v + 1]; ++k)
		{
			int64_t slot = hat[map.points[k] + 1]++;
			vertices[slot] = v, values[slot] = map.weights[k];
		}
	*functions = (lm_track_functions){ count, starts, vertices, values };
	return LM_OK;
}
