#include "objects/track/guide.h"

#include "base/error.h"
#include "contact/colliders.h"
#include "math/quat.h"
#include "objects/track/track.h"

#include <math.h>
#include <string.h>

static lm_status make_room(lm_track_guide* guide, lm_object* object, lm_error* error)
{
	guide->own = LM_TAKE(&object->memory, 3 * (size_t)guide->own_count, double);
	guide->positions = LM_TAKE(&object->memory, 3 * (size_t)guide->vertex_count, double);
	return guide->own != NULL && guide->positions != NULL ? LM_OK : lm_fail_memory(error);
}

lm_status lm_track_guide_init(lm_track_guide* guide, lm_object* object, const double* start, lm_error* error)
{
	const lm_scene_object* description = object->description;
	const lm_scene_track* track = description->track;
	const lm_scene_object* leader = lm_track_leader(object->scene, description);
	bool led = track->guide.object[0] != 0;
	if (led && (leader == NULL || leader->mesh == NULL))
		return lm_fail(error, LM_BAD_INPUT, "object \"%s\": its guide \"%s\" is not an object of the scene",
		               description->name, track->guide.object);
	guide->object = object;
	if (led && track->guide.bind != LM_GUIDE_VERTICES)
	{
		if (!lm_track_can_wear(leader))
			return lm_fail(error, LM_BAD_INPUT, "object \"%s\": its guide \"%s\" is no body that can wear cloth",
			               description->name, track->guide.object);
		guide->mesh = description->mesh;
		guide->own_count = guide->vertex_count = description->mesh->vertex_count;
		lm_status status = lm_track_wear_create(&guide->wear, leader, start, guide->own_count, &object->host, error);
		return status == LM_OK ? make_room(guide, object, error) : status;
	}
	guide->mesh = led ? leader->mesh : track->guide.mesh;
	guide->own_count = led ? leader->mesh->vertex_count : track->guide.vertex_count;
	guide->vertex_count = guide->own_count;
	if (track->map != NULL && guide->own_count == track->coarse_count)
	{
		guide->map = track->map;
		guide->vertex_count = lm_binding_get(track->map).vertex_count;
	}
	return make_room(guide, object, error);
}

void lm_track_guide_release(lm_track_guide* guide)
{
	if (guide->object != NULL)
		lm_track_wear_destroy(&guide->wear, &guide->object->host);
}

// Frames are in the coordinates of the mesh; they go where the object goes.
static void interpolate(const lm_track_guide* guide, double time, double* result)
{
	const lm_scene_object* description = guide->object->description;
	const lm_scene_guide* from = &description->track->guide;
	const double* q = description->rotation;
	lm_quat turn = lm_quat_normalize((lm_quat){ q[0], q[1], q[2], q[3] });
	lm_vec3 position = lm_v3_at(description->position, 0);

	double t = (time - from->start) * from->speed;
	double share;
	int32_t low = lm_frame_before(from->times, from->frame_count, t, &share);
	int32_t high = low + 1 < from->frame_count ? low + 1 : low;
	size_t numbers = 3 * (size_t)guide->own_count;
	const double *first = from->frames + numbers * (size_t)low, *second = from->frames + numbers * (size_t)high;
	for (int32_t v = 0; v < guide->own_count; ++v)
	{
		lm_vec3 a = lm_add(position, lm_quat_rotate(turn, lm_v3_at(first, v)));
		lm_vec3 b = lm_add(position, lm_quat_rotate(turn, lm_v3_at(second, v)));
		lm_v3_store(result, v, share == 1 ? b : lm_add_scaled(a, share, lm_sub(b, a)));
	}
}

const double* lm_track_guide_at(const lm_track_guide* guide, double time)
{
	const lm_object* leader = guide->object->leader;
	const lm_scene_guide* from = &guide->object->description->track->guide;
	if (guide->vertex_count == 0)
		return NULL;
	if (leader != NULL && guide->wear.count > 0)
		lm_track_wear_at(&guide->wear, leader, guide->own);
	else if (leader != NULL)
		leader->engine->points(leader, guide->own);
	else if (from->frame_count > 0)
		interpolate(guide, time, guide->own);
	else
		return NULL;
	for (int64_t i = 0; i < 3 * (int64_t)guide->own_count; ++i)
		guide->own[i] += from->offset[i % 3];
	if (guide->map == NULL)
		return guide->own;
	lm_binding_apply(guide->map, guide->own, 1, guide->positions);
	return guide->positions;
}

int32_t lm_track_guide_sample(const lm_track_guide* guide, int32_t most, lm_arena* memory, const double** frames)
{
	const lm_scene_guide* from = &guide->object->description->track->guide;
	int32_t count = from->frame_count < most ? from->frame_count : most;
	size_t bytes = 3 * (size_t)guide->vertex_count * sizeof(double);
	for (int32_t k = 0; k < count; ++k)
	{
		int32_t frame = count > 1 ? (int32_t)((int64_t)k * (from->frame_count - 1) / (count - 1)) : 0;
		double* copy = lm_arena_take(memory, bytes, 1);
		const double* now = lm_track_guide_at(guide, from->start + from->times[frame] / from->speed);
		if (copy == NULL || now == NULL)
			return -1;
		memcpy(copy, now, bytes);
		frames[k] = copy;
	}
	return count;
}
