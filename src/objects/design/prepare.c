// prepare.c: before the first frame the motions of all objects of the engine are found together, as far as nothing is
// simulated before them.
#include "base/alloc.h"
#include "base/error.h"
#include "objects/design/play.h"
#include "scene/scene.h"

#include <stdio.h>

// ---- what is solved ---------------------------------------------------------------------------------------------

lm_status lm_design_share_models(lm_object* const* objects, int32_t count, lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && i < count; ++i)
	{
		lm_design_object* object = (lm_design_object*)objects[i];
		for (int32_t j = 0; j < i && object->model == NULL; ++j)
		{
			const lm_design_object* other = (const lm_design_object*)objects[j];
			if (other->model_key == object->model_key)
				object->model = other->model;
		}
		status = lm_design_make_model(object, error);
	}
	return status;
}

// They move together, among the same colliders.
static lm_status check_colliders(lm_object* const* objects, int32_t count, lm_error* error)
{
	for (int32_t i = 1; i < count; ++i)
		if (objects[i]->colliders != objects[0]->colliders)
			return lm_fail(error, LM_BAD_INPUT,
			               "\"%s\" touches other colliders than \"%s\": a collider's `touch` names all designed "
			               "objects, or none",
			               objects[i]->description->name, objects[0]->description->name);
	return LM_OK;
}

lm_status lm_design_objects_make(lm_object* const* objects, int32_t count, lm_arena* memory,
                                 lm_design_motion_settings* settings, lm_design_performance_object** made,
                                 lm_error* error)
{
	lm_status status = check_colliders(objects, count, error);
	if (status == LM_OK)
		status = lm_design_share_models(objects, count, error);
	*made = LM_TAKE(memory, count, lm_design_performance_object);
	if (status == LM_OK && *made == NULL)
		status = lm_fail_memory(error);
	for (int32_t i = 0; status == LM_OK && i < count; ++i)
	{
		status = lm_design_make_keys((const lm_design_object*)objects[i], memory, &(*made)[i], error);
		lm_object_place_error(objects[i], status, error);
	}
	*settings = objects[0]->description->design->motion;
	settings->seconds = objects[0]->scene->seconds, settings->fps = objects[0]->scene->fps;
	return status;
}

lm_status lm_design_objects_visit(lm_object* const* objects, int32_t count, const lm_colliders* colliders,
                                  lm_design_visit* visit, void* context, lm_error* error)
{
	lm_arena memory;
	lm_arena_init(&memory, &objects[0]->host);
	lm_design_performance_object* made;
	lm_design_motion_settings settings;
	lm_status status = lm_design_objects_make(objects, count, &memory, &settings, &made, error);
	if (status == LM_OK)
		status = visit(context, &settings, made, count, colliders, error);
	lm_arena_release(&memory);
	return status;
}

// ---- checks -----------------------------------------------------------------------------------------------------

// Of collider n of those that the object touches, in the scene.
static int32_t collider_number(const lm_object* object, int32_t n)
{
	return (int32_t)(lm_scene_collider_of(object->scene, object->description, n) - object->scene->colliders);
}

// The first key of the object that lies in an obstacle is a mistake in the scene.
static lm_status check_keys(const lm_object* object, const lm_design_motion_object* motion,
                            const lm_design_motion_settings* settings, const lm_colliders* colliders, lm_error* error)
{
	int32_t index = (int32_t)(object->description - object->scene->objects);
	lm_design_motion_depth* found = LM_NEW(&object->host, motion->key_count, lm_design_motion_depth);
	lm_status status = found != NULL
	                       ? lm_design_motion_key_depths(motion, colliders, 0, settings, &object->host, found, error)
	                       : lm_fail_memory(error);
	for (int32_t k = 0; status == LM_OK && k < motion->key_count; ++k)
	{
		char where[64];
		bool own = object->description->design->key_count > 0;       // without keys it rests where it starts
		bool told = ((const lm_design_object*)object)->told != NULL; // by commands: they stand in no file
		snprintf(where, sizeof where,
		         told  ? "objects[%d].design"
		         : own ? "objects[%d].design.keys[%d]"
		               : "objects[%d].position",
		         index, k);
		if (found[k].collider >= 0)
			status = lm_fail_at(error, LM_BAD_INPUT, "", where,
			                    "is %.3g m inside colliders[%d] at %g s; move it out, for a motion has to pass through "
			                    "its keys",
			                    found[k].depth, collider_number(object, found[k].collider), motion->keys[k].time);
	}
	lm_free(&object->host, found);
	return status;
}

static lm_status check_visited(void* context, const lm_design_motion_settings* settings,
                               const lm_design_performance_object* made, int32_t count, const lm_colliders* colliders,
                               lm_error* error)
{
	lm_object* const* objects = context;
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && lm_colliders_count(colliders) > 0 && i < count; ++i)
		status = check_keys(objects[i], &made[i].motion, settings, colliders, error);
	return status;
}

lm_status lm_design_check(lm_object* const* objects, int32_t count, lm_colliders* colliders, lm_error* error)
{
	(void)colliders; // they have their own
	return lm_design_objects_visit(objects, count, objects[0]->colliders, check_visited, (void*)objects, error);
}

// ---- the motion -------------------------------------------------------------------------------------------------

// As far as it does not depend on what is simulated. When keys were changed meanwhile, from the beginning to now, but
// without what bodies of other engines did to it: that belonged to the motion before.
lm_status lm_design_prepare(lm_object* const* objects, int32_t count, lm_colliders* colliders, lm_error* error)
{
	lm_status status = lm_design_check(objects, count, colliders, error);
	lm_design_object* first = (lm_design_object*)objects[0];
	if (status == LM_OK)
	{
		lm_design_play_destroy(first->play);
		for (int32_t i = 0; i < count; ++i)
			((lm_design_object*)objects[i])->touched.on = ((lm_design_object*)objects[i])->pushed.on = false;
		status = lm_design_play_create(objects, count, false, error);
	}
	if (status != LM_OK)
		return status;
	lm_design_play* play = first->play;
	status = lm_design_play_advance(play, first->time, error);
	for (int32_t i = 0; status == LM_OK && i < count; ++i)
		lm_design_show((lm_design_object*)objects[i]);
	if (status != LM_OK)
		lm_design_play_destroy(play);
	return status;
}
