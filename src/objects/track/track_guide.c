#include "objects/track/track_guide.h"

#include "base/error.h"
#include "math/quat.h"
#include "objects/timeline.h"

#include <math.h>
#include <string.h>

// ---- keeping ----

static const lm_scene_object* find(const lm_scene* scene, const char* name)
{
	for (int32_t i = 0; i < scene->object_count; ++i)
		if (strcmp(scene->objects[i].name, name) == 0)
			return &scene->objects[i];
	return NULL;
}

// Frames are in the coordinates of the mesh; they go where the object goes.
static void place(const lm_scene_object* description, double* frames, int64_t count)
{
	const double* q = description->rotation;
	lm_quat turn = lm_quat_normalize((lm_quat){ q[0], q[1], q[2], q[3] });
	lm_vec3 position = lm_v3_at(description->position, 0);
	for (int64_t i = 0; i < count; ++i)
		lm_v3_store(frames, i, lm_add(position, lm_quat_rotate(turn, lm_v3_at(frames, i))));
}

static lm_status count_vertices(lm_track_guide* guide, const lm_scene* scene, const lm_scene_object* description,
                                lm_error* error)
{
	const lm_scene_guide* from = &description->track->guide;
	guide->own_count = from->vertex_count;
	if (from->object[0] == 0)
		return LM_OK;
	const lm_scene_object* leader = find(scene, from->object);
	if (leader == NULL || leader->mesh == NULL)
		return lm_fail(error, LM_BAD_INPUT, "object \"%s\": its guide \"%s\" is not an object of the scene",
		               description->name, from->object);
	guide->own_count = leader->mesh->vertex_count;
	return LM_OK;
}

lm_status lm_track_guide_keep(lm_track_guide* guide, const lm_scene* scene, const lm_scene_object* description,
                              lm_arena* memory, const lm_host* host, lm_error* error)
{
	const lm_scene_track* track = description->track;
	const lm_scene_guide* from = &track->guide;
	lm_status status = count_vertices(guide, scene, description, error);
	if (status != LM_OK)
		return status;
	int64_t numbers = 3 * (int64_t)from->frame_count * from->vertex_count;
	guide->vertex_count = guide->own_count;
	guide->frame_count = from->frame_count, guide->start = from->start, guide->speed = from->speed;
	memcpy(guide->offset, from->offset, sizeof guide->offset);
	guide->name = lm_keep(memory, from->object, strlen(from->object) + 1, 1);
	guide->times = lm_keep(memory, from->times, (size_t)from->frame_count, sizeof(double));
	guide->frames = lm_keep(memory, from->frames, (size_t)numbers, sizeof(double));
	if (guide->name == NULL || guide->times == NULL || guide->frames == NULL)
		return lm_fail_memory(error);
	place(description, guide->frames, numbers / 3);
	if (track->map != NULL && guide->own_count == track->coarse_count)
	{
		lm_binding_view view = lm_binding_get(track->map);
		status = lm_binding_create_rows(&view, host, &guide->map, error);
		guide->vertex_count = view.vertex_count;
	}
	guide->own = LM_TAKE(memory, 3 * (size_t)guide->own_count, double);
	guide->positions = LM_TAKE(memory, 3 * (size_t)guide->vertex_count, double);
	if (status == LM_OK && (guide->own == NULL || guide->positions == NULL))
		status = lm_fail_memory(error);
	return status;
}

void lm_track_guide_release(lm_track_guide* guide)
{
	lm_binding_destroy(guide->map);
}

// ---- playing ----

static void interpolate(const lm_track_guide* guide, double time, double* result)
{
	double t = (time - guide->start) * guide->speed;
	int32_t low = 0, high = guide->frame_count - 1;
	while (high - low > 1)
	{
		int32_t middle = low + (high - low) / 2;
		if (guide->times[middle] <= t)
			low = middle;
		else
			high = middle;
	}
	double span = guide->times[high] - guide->times[low];
	double share = span > 0 ? fmin(1, fmax(0, (t - guide->times[low]) / span)) : 0;
	size_t numbers = 3 * (size_t)guide->own_count;
	const double *a = guide->frames + numbers * (size_t)low, *b = guide->frames + numbers * (size_t)high;
	for (size_t i = 0; i < numbers; ++i)
		result[i] = share == 1 ? b[i] : a[i] + share * (b[i] - a[i]);
}

const double* lm_track_guide_at(const lm_track_guide* guide, double time)
{
	if (guide->vertex_count == 0)
		return NULL;
	if (guide->leader != NULL)
		guide->engine->points(guide->leader, guide->own);
	else if (guide->frame_count > 0)
		interpolate(guide, time, guide->own);
	else
		return NULL;
	for (int64_t i = 0; i < 3 * (int64_t)guide->own_count; ++i)
		guide->own[i] += guide->offset[i % 3];
	if (guide->map == NULL)
		return guide->own;
	lm_binding_apply(guide->map, guide->own, 1, guide->positions);
	return guide->positions;
}

int32_t lm_track_guide_sample(const lm_track_guide* guide, int32_t most, lm_arena* memory, const double** frames)
{
	int32_t count = guide->frame_count < most ? guide->frame_count : most;
	size_t bytes = 3 * (size_t)guide->vertex_count * sizeof(double);
	for (int32_t k = 0; k < count; ++k)
	{
		int32_t frame = count > 1 ? (int32_t)((int64_t)k * (guide->frame_count - 1) / (count - 1)) : 0;
		double* copy = lm_arena_take(memory, bytes, 1);
		const double* now = lm_track_guide_at(guide, guide->start + guide->times[frame] / guide->speed);
		if (copy == NULL || now == NULL)
			return -1;
		memcpy(copy, now, bytes);
		frames[k] = copy;
	}
	return count;
}
