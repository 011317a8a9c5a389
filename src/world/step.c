// step.c: preparing a world and advancing it by a frame.
#include "objects/live.h"
#include "objects/objects.h"
#include "world/meet.h"
#include "world/push.h"
#include "world/touch.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

typedef lm_status engine_call(lm_object* const* objects, int32_t count, lm_colliders* colliders, lm_error* error);

// For the objects of engine e; `call` may be NULL.
static lm_status call_engine(lm_world* world, int32_t e, engine_call* call, lm_error* error)
{
	int32_t count = world->starts[e + 1] - world->starts[e];
	if (call == NULL || count == 0)
		return LM_OK;
	lm_status status = call(world->order + world->starts[e], count, world->colliders, error);
	return lm_world_place_error(world, status, error);
}

lm_status lm_world_check(lm_world* world, lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t e = 0; e < lm_engine_count() && status == LM_OK && !world->prepared; ++e)
		status = call_engine(world, e, lm_engine_at(e)->check, error);
	return status;
}

lm_status lm_world_prepare(lm_world* world, lm_error* error)
{
	if (world->prepared)
		return LM_OK;
	double start = lm_clock_seconds();
	lm_status status = LM_OK;
	for (int32_t e = 0; e < lm_engine_count() && status == LM_OK; ++e)
		status = call_engine(world, e, lm_engine_at(e)->prepare, error);
	for (int32_t i = 0; i < world->display_count; ++i)
		world->displays[i].frame = -1; // preparing may have moved it
	lm_world_move_led(world);
	world->prepared = status == LM_OK;
	world->prepare_seconds += lm_clock_seconds() - start;
	return status;
}

bool lm_world_is_prepared(const lm_world* world)
{
	return world->prepared;
}

double lm_step_length(double fps, int64_t substeps)
{
	return 1 / fps / (double)substeps;
}

double lm_step_begin(double fps, int64_t frame, int64_t substeps, int64_t taken)
{
	return (double)frame / fps + lm_step_length(fps, substeps) * (double)taken;
}

// Objects take different numbers of substeps. Rounds go in the order of the times at which substeps end: in each round
// all objects step whose next substep ends first. Marks those; false when the frame is done.
static bool find_due(lm_world* world)
{
	// the smallest (taken + 1) / substeps, compared without division
	int64_t first_next = 0, first_substeps = 0;
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		int64_t next = world->objects[i].taken + 1, substeps = world->objects[i].substeps;
		if (next <= substeps && (first_substeps == 0 || next * first_substeps < first_next * substeps))
			first_next = next, first_substeps = substeps;
	}
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		lm_world_object* own = &world->objects[i];
		lm_object* object = own->object;
		int64_t next = own->taken + 1, substeps = own->substeps;
		object->due = next <= substeps && next * first_substeps == first_next * substeps;
		if (!object->due)
			continue;
		object->h = lm_step_length(world->scene->fps, substeps);
		object->time = lm_step_begin(world->scene->fps, world->frame, substeps, own->taken);
		object->starts_frame = own->taken == 0;
		object->ends_frame = next == substeps;
		own->taken += 1;
	}
	return first_substeps > 0;
}

static bool any_due(const lm_world* world, int32_t e)
{
	for (int32_t i = world->starts[e]; i < world->starts[e + 1]; ++i)
		if (world->order[i]->due)
			return true;
	return false;
}

// Directs all objects that are due.
static lm_status direct(lm_world* world, lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t i = 0; i < world->object_count && status == LM_OK; ++i)
	{
		lm_object* object = world->order[i];
		if (object->due && object->engine->direct != NULL)
			status = lm_object_place_error(object, object->engine->direct(object, world->colliders, error), error);
	}
	return lm_world_place_error(world, status, error);
}

// A step of the engines that do not meet others: designed objects first, as all others look at where they will be.
static lm_status step_rest(lm_world* world, bool meet, bool designed, lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t e = 0; e < lm_engine_count() && status == LM_OK; ++e)
	{
		const lm_engine* engine = lm_engine_at(e);
		if ((engine == &lm_engine_design) == designed && any_due(world, e) && !(meet && lm_meet_takes(world, engine)))
			status = call_engine(world, e, engine->step, error);
	}
	return status;
}

// A step of all objects that are due.
static lm_status advance(lm_world* world, lm_error* error)
{
	lm_status status = direct(world, error);
	bool meet = lm_meet_is_due(world);
	if (status == LM_OK)
		lm_push_begin(world);
	if (status == LM_OK)
		status = step_rest(world, meet, true, error);
	if (status == LM_OK && meet)
		status = lm_world_place_error(world, lm_meet_step(world, error), error);
	status = status == LM_OK ? step_rest(world, meet, false, error) : status;
	lm_push_end(world);
	for (int32_t i = 0; i < world->object_count && status == LM_OK; ++i)
		if (world->order[i]->due && world->order[i]->engine->finish != NULL)
			world->order[i]->engine->finish(world->order[i]);
	return status;
}

lm_status lm_world_step(lm_world* world, lm_error* error)
{
	lm_status status = lm_world_prepare(world, error);
	double begin = lm_clock_seconds();
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		lm_object* object = world->objects[i].object;
		world->objects[i].taken = 0;
		world->objects[i].substeps = world->objects[i].usual_substeps;
		memcpy(world->objects[i].last_center, object->engine->facts(object).center,
		       sizeof world->objects[i].last_center);
		object->frame_start = (double)world->frame / world->scene->fps;
		object->frame_end = (double)(world->frame + 1) / world->scene->fps;
	}
	if (status == LM_OK)
		lm_meet_look_around(world);
	while (status == LM_OK && find_due(world))
		status = advance(world, error);
	world->frame += status == LM_OK;
	for (int32_t i = 0; status == LM_OK && i < world->object_count; ++i)
	{
		lm_live_end_frame(world->objects[i].object);
		lm_world_measure_speed(world, i);
	}
	world->frame_seconds = lm_clock_seconds() - begin;
	lm_colliders_set_time(world->colliders, lm_world_time(world));
	return status;
}
