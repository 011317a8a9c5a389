// prepare.c: before the first frame all objects of the engine are solved for together. Objects with the same mesh and
// settings share one model.
#include "base/alloc.h"
#include "base/error.h"
#include "objects/design/design.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

// ---- what is solved ---------------------------------------------------------------------------------------------

static lm_status share_models(lm_object* const* objects, int32_t count, lm_error* error)
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

lm_status lm_design_objects_visit(lm_object* const* objects, int32_t count, const lm_colliders* colliders,
                                  lm_design_visit* visit, void* context, lm_error* error)
{
	lm_arena memory;
	lm_arena_init(&memory, &objects[0]->host);
	lm_status status = check_colliders(objects, count, error);
	if (status == LM_OK)
		status = share_models(objects, count, error);
	lm_design_performance_object* made = LM_TAKE(&memory, count, lm_design_performance_object);
	if (status == LM_OK && made == NULL)
		status = lm_fail_memory(error);
	for (int32_t i = 0; status == LM_OK && i < count; ++i)
	{
		status = lm_design_make_keys((const lm_design_object*)objects[i], &memory, &made[i], error);
		lm_object_place_error(objects[i], status, error);
	}
	lm_design_motion_settings settings = objects[0]->description->design->motion;
	settings.seconds = objects[0]->scene->seconds, settings.fps = objects[0]->scene->fps;
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

// "object 2: ..." by its name.
static void name_object(lm_object* const* objects, int32_t count, lm_error* error)
{
	const char* rest = error != NULL ? strchr(error->message, ':') : NULL;
	if (rest == NULL || error->element < 0 || error->element >= count || strncmp(error->message, "object ", 7) != 0)
		return;
	char text[sizeof error->message];
	snprintf(text, sizeof text, "object \"%.60s\"%s", objects[error->element]->description->name, rest);
	memcpy(error->message, text, sizeof text);
}

static void take_motion(lm_design_object* object, lm_design_performance* performance, int32_t i)
{
	object->report = lm_design_performance_get_report(performance, i);
	lm_design_course_release(&object->course);
	lm_design_performance_take_course(performance, i, &object->course);
	object->prepared = true;
	lm_design_show(object);
}

static lm_status solve(lm_object* const* objects, int32_t count, const lm_design_motion_settings* motion,
                       const lm_design_performance_object* made, const lm_colliders* colliders, lm_error* error)
{
	const lm_object* first = objects[0];
	lm_design_performance* performance = NULL;
	lm_design_performance_settings settings = { .motion = *motion, .rate = first->description->design->rate };
	memcpy(settings.gravity, first->scene->gravity, sizeof settings.gravity);
	lm_status status =
		lm_design_performance_create(made, count, colliders, 0, &settings, &first->host, &performance, error);
	if (status == LM_BAD_INPUT)
		name_object(objects, count, error);
	if (status != LM_OK)
		return status;
	for (int32_t i = 0; i < count; ++i)
		take_motion((lm_design_object*)objects[i], performance, i);
	const lm_design_motion_report all = lm_design_performance_get_report(performance, -1).motion;
	if (!all.collision_free)
		lm_log(&first->host, LM_LOG_WARNING,
		       "design: the motion is not free of collisions: %.2g of the size into obstacles, %.2g into other objects",
		       all.obstacle_depth, all.pair_depth);
	lm_design_performance_destroy(performance);
	return LM_OK;
}

static lm_status solve_visited(void* context, const lm_design_motion_settings* settings,
                               const lm_design_performance_object* made, int32_t count, const lm_colliders* colliders,
                               lm_error* error)
{
	lm_status status = check_visited(context, settings, made, count, colliders, error);
	return status == LM_OK ? solve(context, count, settings, made, colliders, error) : status;
}

lm_status lm_design_prepare(lm_object* const* objects, int32_t count, lm_colliders* colliders, lm_error* error)
{
	(void)colliders;
	return lm_design_objects_visit(objects, count, objects[0]->colliders, solve_visited, (void*)objects, error);
}
