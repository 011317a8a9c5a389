// play.c: see play.h.
#include "objects/design/play.h"

#include "base/alloc.h"
#include "base/error.h"
#include "objects/design/guest.h"
#include "objects/objects.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

static lm_design_object* object_at(const lm_design_play* play, int32_t i)
{
	return (lm_design_object*)play->objects[i];
}

// ---- making -----------------------------------------------------------------------------------------------------

static bool is_flat(const lm_scene_object* o)
{
	return o->act != NULL && (o->act->kind == LM_ACT_CURVE2 || o->act->kind == LM_ACT_SOLID2);
}

// Whether bodies of other engines can touch what is simulated of these.
static bool is_together(lm_object* const* objects, int32_t count)
{
	const lm_scene* scene = objects[0]->scene;
	bool found = false;
	for (int32_t i = 0; i < count; ++i)
		for (int32_t j = 0; j < scene->object_count; ++j)
		{
			const lm_scene_object *own = objects[i]->description, *other = &scene->objects[j];
			found = found || (own->design->simulated_count > 0 && strcmp(other->engine, own->engine) != 0 &&
			                  !is_flat(other) && lm_scene_may_touch(own, other));
		}
	return found;
}

static lm_status begin(lm_design_play* play, lm_error* error)
{
	const lm_object* first = play->objects[0];
	lm_design_performance_settings settings = { .rate = first->description->design->rate };
	memcpy(settings.gravity, first->scene->gravity, sizeof settings.gravity);
	lm_status status =
		lm_design_objects_make(play->objects, play->count, &play->memory, &settings.motion, &play->made, error);
	if (status == LM_OK)
		status = lm_design_performance_begin(play->made, play->count, first->colliders, 0, &settings, &play->host,
		                                     &play->performance, error);
	return status;
}

static lm_status begin_finished(lm_design_play* play, lm_error* error)
{
	lm_status status = lm_design_share_models(play->objects, play->count, error);
	const lm_design_model** models = LM_TAKE(&play->memory, play->count, const lm_design_model*);
	if (status != LM_OK || models == NULL)
		return status != LM_OK ? status : lm_fail_memory(error);
	for (int32_t i = 0; i < play->count; ++i)
		models[i] = object_at(play, i)->model;
	return lm_design_performance_create_finished(models, play->count, &play->host, &play->performance, error);
}

static void name_object(const lm_design_play* play, lm_error* error)
{
	const char* rest = error != NULL ? strchr(error->message, ':') : NULL;
	if (rest == NULL || error->element < 0 || error->element >= play->count ||
	    strncmp(error->message, "object ", 7) != 0)
		return;
	char text[sizeof error->message];
	snprintf(text, sizeof text, "object \"%.60s\"%s", play->objects[error->element]->description->name, rest);
	memcpy(error->message, text, sizeof text);
}

lm_status lm_design_play_create(lm_object* const* objects, int32_t count, bool finished, lm_error* error)
{
	lm_design_play* play = LM_NEW(&objects[0]->host, 1, lm_design_play);
	if (play == NULL)
		return lm_fail_memory(error);
	play->host = objects[0]->host, play->count = count;
	lm_arena_init(&play->memory, &play->host);
	lm_blob_init(&play->before, &play->host);
	play->objects = LM_TAKE(&play->memory, count, lm_object*);
	lm_status status = play->objects != NULL ? LM_OK : lm_fail_memory(error);
	if (status == LM_OK)
	{
		memcpy(play->objects, objects, (size_t)count * sizeof *objects);
		play->together = is_together(objects, count);
		status = finished ? begin_finished(play, error) : begin(play, error);
	}
	if (status == LM_BAD_INPUT)
		name_object(play, error);
	for (int32_t i = 0; status == LM_OK && i < count; ++i)
		object_at(play, i)->play = play, object_at(play, i)->number = i;
	if (status != LM_OK)
		lm_design_play_destroy(play);
	return status;
}

void lm_design_play_destroy(lm_design_play* play)
{
	if (play == NULL)
		return;
	for (int32_t i = 0; play->objects != NULL && i < play->count; ++i)
		object_at(play, i)->play = object_at(play, i)->play == play ? NULL : object_at(play, i)->play;
	lm_design_performance_destroy(play->performance);
	lm_blob_release(&play->before);
	lm_arena_release(&play->memory);
	lm_free(&play->host, play);
}

// ---- going on ---------------------------------------------------------------------------------------------------

static void tell_collisions(lm_design_play* play)
{
	const lm_design_motion_report r = lm_design_performance_get_report(play->performance, -1).motion;
	if (play->told || r.collision_free)
		return;
	play->told = true;
	lm_log(&play->host, LM_LOG_WARNING,
	       "design: the motion is not free of collisions: %.2g of the size into obstacles, %.2g into other objects",
	       r.obstacle_depth, r.pair_depth);
}

static void apply_loads(lm_design_play* play)
{
	for (int32_t i = 0; i < play->count; ++i)
		lm_design_apply_loads(object_at(play, i));
}

lm_status lm_design_play_advance(lm_design_play* play, double until, lm_error* error)
{
	if (play->performance->finished)
		return LM_OK;
	apply_loads(play);
	lm_status status = lm_design_performance_advance(play->performance, until, play->together, error);
	if (status == LM_BAD_INPUT)
		name_object(play, error);
	if (status == LM_OK)
		tell_collisions(play);
	return status;
}

lm_status lm_design_play_try(lm_design_play* play, double h, lm_error* error)
{
	play->before.size = play->before.cursor = 0, play->before.failed = false;
	lm_design_performance_save_run(play->performance, &play->before);
	if (play->before.failed)
		return lm_fail_memory(error);
	apply_loads(play);
	return lm_design_performance_try(play->performance, h, error);
}

lm_status lm_design_play_end_trial(lm_design_play* play, lm_error* error)
{
	return lm_design_performance_load_run(play->performance, &play->before, error);
}
