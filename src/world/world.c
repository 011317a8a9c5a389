// world.c: making a world from a scene, and reading it.
#include "world/world.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/machine.h"
#include "objects/fields.h"
#include "objects/live.h"
#include "objects/objects.h"
#include "scene/scene.h"
#include "world/meet.h"
#include "world/push.h"
#include "world/touch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- creation ---------------------------------------------------------------------------------------------------

lm_status lm_world_place_error(const lm_world* world, lm_status status, lm_error* error)
{
	if (status == LM_BAD_INPUT && error != NULL && error->file[0] == 0)
		snprintf(error->file, sizeof error->file, "%s", world->scene->path);
	return status;
}

static lm_status create_object(lm_world* world, int32_t i, lm_error* error)
{
	const lm_scene_object* description = &world->scene->objects[i];
	lm_world_object* own = &world->objects[i];
	const lm_engine* engine = lm_engine_find(description->engine);
	if (engine == NULL)
		return lm_fail(error, LM_BAD_INPUT, "object \"%s\": there is no engine \"%s\"", description->name,
		               description->engine);
	lm_status status = lm_scene_check_object(world->scene, description, error);
	if (status != LM_OK)
		return status;
	own->object = lm_alloc(&world->host, 1, engine->object_size);
	if (own->object == NULL)
		return lm_fail_memory(error);
	own->object->engine = engine;
	own->object->host = world->host;
	own->object->scene = world->scene;
	own->object->description = description;
	lm_arena_init(&own->object->memory, &world->host);
	status = lm_world_find_colliders(world, i, error);
	if (status == LM_OK)
		status = engine->create(own->object, error);
	if (status != LM_OK)
		return lm_object_place_error(own->object, status, error);
	status = lm_live_create(own->object, error);
	if (status == LM_OK)
		status = lm_fields_create(own->object, error);
	if (status != LM_OK)
		return status;
	lm_object_facts facts = engine->facts(own->object);
	own->finite = true;
	own->size = lm_mesh_longest_side(description->mesh);
	memcpy(own->start_center, facts.center, sizeof facts.center);
	own->points = LM_NEW(&world->host, 3 * (size_t)facts.point_count, double);
	return own->points != NULL ? LM_OK : lm_fail_memory(error);
}

static lm_status fill_world(lm_world* world, lm_error* error)
{
	const lm_scene* scene = world->scene;
	world->object_count = scene->object_count;
	world->objects = LM_NEW(&world->host, scene->object_count, lm_world_object);
	world->all = LM_NEW(&world->host, scene->object_count, lm_object*);
	if (world->objects == NULL || world->all == NULL)
		return lm_fail_memory(error);
	lm_status status = lm_world_create_colliders(world, error);
	for (int32_t i = 0; status == LM_OK && i < scene->object_count; ++i)
	{
		double done = scene->object_count < 100 ? LM_PROGRESS_UNKNOWN : (double)i / scene->object_count;
		status = lm_progress(&world->host, "making bodies", done)
		             ? create_object(world, i, error)
		             : lm_fail(error, LM_CANCELLED, "cancelled while bodies were made");
		world->all[i] = world->objects[i].object;
	}
	for (int32_t i = 0; status == LM_OK && i < scene->object_count; ++i)
		world->all[i]->all = world->all;
	if (status == LM_OK)
		status = lm_world_find_order(world, error);
	if (status == LM_OK)
		status = lm_world_find_apart(world, error);
	if (status == LM_OK)
		status = lm_meet_create(world, error);
	if (status == LM_OK)
		status = lm_push_create(world, error);
	if (status == LM_OK)
	{
		lm_world_choose_substeps(world);
		status = lm_world_create_displays(world, error);
	}
	if (status == LM_OK)
		status = lm_world_place_camera(world, error);
	if (status == LM_OK)
		lm_world_warn_of_start(world);
	return status;
}

lm_status lm_world_create(const lm_scene* scene, const lm_host* host, lm_world** result, lm_error* error)
{
	if (!(scene->fps > 0) || !isfinite(scene->fps))
		return lm_fail(error, LM_BAD_INPUT, "fps is %g, must be above 0", scene->fps);
	if (scene->object_count > LM_OBJECTS_MAX)
		return lm_fail(error, LM_BAD_INPUT, "the scene has %d objects, at most %d are possible", scene->object_count,
		               LM_OBJECTS_MAX);
	lm_status status = lm_simd_check(host->simd, error);
	if (status != LM_OK)
		return status;
	lm_world* world = LM_NEW(host, 1, lm_world);
	if (world == NULL)
		return lm_fail_memory(error);
	world->host = *host;
	if (host->simd == LM_SIMD_AUTO)
		world->host.simd = lm_simd_best();
	lm_warnings_listen(&world->warnings, &world->host);
	world->scene = lm_scene_share(scene);
	lm_arena_init(&world->marks_memory, host);
	lm_arena_init(&world->lines_memory, host);
	lm_arena_init(&world->colors_memory, host);
	status = fill_world(world, error);
	if (status != LM_OK)
	{
		lm_world_place_error(world, status, error);
		lm_world_destroy(world);
		return status;
	}
	*result = world;
	return LM_OK;
}

static void destroy_object(const lm_host* host, lm_object* object)
{
	if (object == NULL)
		return;
	lm_live_destroy(object);
	object->engine->destroy(object);
	lm_arena_release(&object->memory);
	lm_free(host, object);
}

void lm_world_destroy(lm_world* world)
{
	if (world == NULL)
		return;
	const lm_host host = world->host;
	lm_world_destroy_displays(world);
	lm_meet_destroy(world);
	lm_push_destroy(world);
	lm_world_destroy_colliders(world);
	for (int32_t i = 0; world->objects != NULL && i < world->object_count; ++i)
	{
		destroy_object(&host, world->objects[i].object);
		lm_free(&host, world->objects[i].points);
		lm_free(&host, world->objects[i].lattice.pairs);
		lm_free(&host, world->objects[i].cage.pairs);
	}
	lm_free(&host, world->objects);
	lm_free(&host, world->order);
	lm_free(&host, world->all);
	lm_free(&host, world->starts);
	lm_scene_destroy(world->scene);
	lm_arena_release(&world->marks_memory);
	lm_arena_release(&world->lines_memory);
	lm_arena_release(&world->colors_memory);
	lm_free(&host, world);
}

// ---- reading ----------------------------------------------------------------------------------------------------

int64_t lm_world_frame(const lm_world* world)
{
	return world->frame;
}

double lm_world_time(const lm_world* world)
{
	return (double)world->frame / world->scene->fps;
}

uint64_t lm_world_hash(const lm_world* world)
{
	uint64_t hash = lm_hash(LM_HASH_START, &world->frame, sizeof world->frame);
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		const lm_object* object = world->objects[i].object;
		uint64_t part = lm_live_hash(object, object->engine->hash(object));
		if (object->engine->plan_hash != NULL)
			part = object->engine->plan_hash(object, part);
		hash = lm_hash(hash, &part, sizeof part);
	}
	return lm_meet_hash(world, hash);
}

uint64_t lm_world_motion_hash(const lm_world* world)
{
	uint64_t hash = lm_hash(LM_HASH_START, &world->frame, sizeof world->frame);
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		uint64_t part = world->objects[i].object->engine->hash(world->objects[i].object);
		hash = lm_hash(hash, &part, sizeof part);
	}
	return lm_meet_hash(world, hash);
}

int32_t lm_world_object_count(const lm_world* world)
{
	return world->object_count;
}

int32_t lm_world_find_object(const lm_world* world, const char* name)
{
	for (int32_t i = 0; i < world->object_count; ++i)
		if (strcmp(world->scene->objects[i].name, name) == 0)
			return i;
	return -1;
}

lm_act* lm_world_act(lm_world* world, int32_t object)
{
	return lm_object_act(world->objects[object].object);
}

lm_track* lm_world_track(lm_world* world, int32_t object)
{
	return lm_object_track(world->objects[object].object);
}

lm_match* lm_world_match(lm_world* world, int32_t object)
{
	return lm_object_match(world->objects[object].object);
}
