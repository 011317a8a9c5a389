// check.c: whether what an object is made of fits together. Scenes that are read from files have been checked,
// with better places; those that a program has filled in have not.
#include "base/error.h"
#include "scene/engine.h"

#include <math.h>

lm_status lm_scene_check_vertices(const lm_scene_object* object, const char* what, const int32_t* vertices,
                                  int32_t count, lm_error* error)
{
	int32_t limit = object->mesh->vertex_count;
	for (int32_t i = 0; i < count; ++i)
		if (vertices == NULL || vertices[i] < 0 || vertices[i] >= limit)
			return lm_fail(error, LM_BAD_INPUT,
			               "object \"%.60s\": %s names vertex %d, but the mesh has %d, counted from 0", object->name,
			               what, vertices != NULL ? vertices[i] : -1, limit);
	return LM_OK;
}

lm_status lm_scene_check_pose(const lm_scene_object* object, const char* what, const lm_mesh* pose, lm_error* error)
{
	if (pose != NULL && pose->vertex_count == object->mesh->vertex_count)
		return LM_OK;
	return lm_fail(error, LM_BAD_INPUT,
	               "object \"%.60s\": %s has %d vertices, the mesh has %d; it must be the same mesh, moved",
	               object->name, what, pose != NULL ? pose->vertex_count : 0, object->mesh->vertex_count);
}

static lm_status check_as_many(const lm_scene_object* object, const char* what, int32_t numbers, int32_t vertices,
                               lm_error* error)
{
	if (numbers == 0 || numbers == vertices)
		return LM_OK;
	return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\": %s has %d numbers for %d vertices", object->name, what,
	               numbers, vertices);
}

static lm_status check_drag(const lm_scene_object* object, const lm_scene_drag* drag, lm_error* error)
{
	lm_status status = LM_OK;
	if (drag->count == 0)
		status = lm_scene_check_vertices(object, "a drag", &drag->vertex, 1, error);
	else
		status = lm_scene_check_vertices(object, "a drag", drag->vertices, drag->count, error);
	if (status == LM_OK)
		status = check_as_many(object, "a drag", drag->weight_count, drag->count, error);
	return status == LM_OK ? check_as_many(object, "a drag", drag->offset_count, drag->count, error) : status;
}

static lm_status check_actions(const lm_scene_object* object, lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && i < object->pin_count; ++i)
		status = lm_scene_check_vertices(object, "a pin", object->pins[i].vertices, object->pins[i].count, error);
	for (int32_t i = 0; status == LM_OK && i < object->pin_count; ++i)
		status = check_as_many(object, "a pin", object->pins[i].offset_count, object->pins[i].count, error);
	for (int32_t i = 0; status == LM_OK && i < object->drag_count; ++i)
		status = check_drag(object, &object->drags[i], error);
	for (int32_t i = 0; status == LM_OK && i < object->push_count; ++i)
		status = lm_scene_check_vertices(object, "a push", object->pushes[i].vertices, object->pushes[i].count, error);
	return status;
}

static lm_status check_keys(const lm_scene_object* object, const lm_key* key, const lm_keyed* keys, lm_error* error)
{
	bool good = keys->count > 0 && isfinite(keys->times[0]);
	for (int32_t i = 1; i < keys->count; ++i)
		good &= keys->times[i] > keys->times[i - 1] && isfinite(keys->times[i]);
	for (int64_t i = 0; good && i < (int64_t)keys->count * lm_key_width(key); ++i)
		good = isfinite(keys->values[i]) && (key->kind == LM_KEY_FLAG || lm_key_allows(key, keys->values[i]));
	if (good)
		return LM_OK;
	return lm_fail(error, LM_BAD_INPUT,
	               "object \"%.60s\": the keys of %s are not in order, or have a value that is not possible",
	               object->name, key->name);
}

static lm_status check_keyed(const lm_scene_object* object, const lm_engine* engine, lm_error* error)
{
	if (engine->live_table == NULL)
		return LM_OK;
	const lm_keyed_settings* keyed =
		(const lm_keyed_settings*)((char*)lm_engine_settings(engine, object) + engine->keyed);
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && i < keyed->count; ++i)
	{
		int32_t number = lm_table_find(engine->live_table, keyed->items[i].key);
		if (number < 0)
			return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\": %s has no setting \"%.60s\" that can change",
			               object->name, engine->name, keyed->items[i].key);
		lm_key key = lm_table_key(engine->live_table, number);
		if (key.flags & LM_KEY_FIXED)
			return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\": %s cannot change over time", object->name, key.name);
		status = check_keys(object, &key, &keyed->items[i].keys, error);
	}
	return status;
}

static lm_status check_numbers(const lm_scene* scene, const lm_scene_object* object, lm_error* error)
{
	if (object->substeps < 1)
		return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\": substeps is %d, must be at least 1", object->name,
		               object->substeps);
	double step = 1 / (scene->fps * object->substeps);
	if (step > 0.1 && object->design == NULL)
		return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\": steps of %g s are too long, at most 0.1 s are possible",
		               object->name, step);
	for (int k = 0; k < 3; ++k)
		if (!isfinite(object->position[k]) || !isfinite(object->velocity[k]) ||
		    !isfinite(object->angular_velocity[k]) || !isfinite(scene->gravity[k]))
			return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\": place, velocity or gravity is not a number",
			               object->name);
	return LM_OK;
}

lm_status lm_scene_check_object(const lm_scene* scene, const lm_scene_object* object, lm_error* error)
{
	if (object->mesh == NULL)
		return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\" has no mesh, must have one", object->name);
	lm_status status = check_numbers(scene, object, error);
	if (status == LM_OK)
		status = check_actions(object, error);
	if (status == LM_OK && object->start_pose != NULL)
		status = lm_scene_check_pose(object, "the start", object->start_pose, error);
	const lm_engine* engine = lm_engine_find(object->engine);
	if (status == LM_OK)
		status = check_keyed(object, engine, error);
	if (status == LM_OK && engine->check_settings != NULL)
		status = engine->check_settings(scene, object, error);
	const lm_mesh* surface = object->surface;
	for (int64_t i = 0; status == LM_OK && surface != NULL && i < 3 * (int64_t)surface->triangle_count; ++i)
		if (surface->triangles[i] < 0 || surface->triangles[i] >= surface->vertex_count)
			status =
				lm_fail(error, LM_BAD_INPUT, "object \"%.60s\": triangle %lld of its surface names vertex %d of %d",
			            object->name, (long long)(i / 3), surface->triangles[i], surface->vertex_count);
	return status;
}
