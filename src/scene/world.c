// world.c: making a world from a scene, and stepping it.
#include "scene/world.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- creation ---------------------------------------------------------------------------------------------------

static lm_status create_colliders(lm_world* world, const lm_scene* scene, lm_error* error)
{
	lm_collider_def* defs = LM_NEW(&world->host, scene->collider_count, lm_collider_def);
	if (defs == NULL)
		return lm_fail_memory(error);
	for (int32_t i = 0; i < scene->collider_count; ++i)
		defs[i] = scene->colliders[i].def;
	lm_status status = lm_colliders_create(defs, scene->collider_count, &world->host, &world->colliders, error);
	lm_free(&world->host, defs);
	return status;
}

static double longest_side(const lm_mesh* mesh)
{
	double low[3], high[3];
	lm_mesh_bounds(mesh->positions, mesh->vertex_count, low, high);
	return fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
}

// Says where an error comes from: the scene, and object i of it (-1: nobody knows which).
static lm_status place_error(const lm_world* world, int32_t i, lm_status status, lm_error* error)
{
	if (status != LM_BAD_INPUT || error == NULL)
		return status;
	if (error->file[0] == 0 && world->scene_path != NULL)
		snprintf(error->file, sizeof error->file, "%s", world->scene_path);
	if (error->where[0] == 0 && i >= 0)
		snprintf(error->where, sizeof error->where, "objects[%d]", i);
	return status;
}

static lm_status create_object(lm_world* world, const lm_scene* scene, int32_t i, lm_error* error)
{
	const lm_scene_object* description = &scene->objects[i];
	lm_world_object* object = &world->objects[i];
	object->engine = lm_engine_find(description->engine);
	if (object->engine == NULL)
		return lm_fail(error, LM_BAD_INPUT, "object \"%s\": there is no engine \"%s\"", description->name,
		               description->engine);
	lm_status status = lm_world_check_object(scene, description, error);
	if (status != LM_OK)
		return status;
	object->substeps = description->substeps;
	object->finite = true;
	object->size = longest_side(description->mesh);
	object->name = lm_copy_text(&world->host, description->name);
	if (object->name == NULL)
		return lm_fail_memory(error);
	status = object->engine->create(scene, description, &world->host, &object->object, error);
	if (status != LM_OK)
		return place_error(world, i, status, error);
	object->points = LM_NEW(&world->host, 3 * (size_t)object->engine->point_count(object->object), double);
	if (object->points == NULL)
		return lm_fail_memory(error);
	object->engine->center(object->object, object->start_center);
	return LM_OK;
}

static lm_status find_leaders(lm_world* world, lm_error* error)
{
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		lm_world_object* object = &world->objects[i];
		const char* name = object->engine->leader_name != NULL ? object->engine->leader_name(object->object) : "";
		if (name[0] == 0)
			continue;
		int32_t leader = lm_world_find_object(world, name);
		if (leader < 0 || leader == i)
			return lm_fail(error, LM_BAD_INPUT, "object \"%s\": \"%s\" cannot lead it", object->name, name);
		object->engine->set_leader(object->object, world->objects[leader].engine, world->objects[leader].object);
	}
	return LM_OK;
}

static lm_status fill_world(lm_world* world, const lm_scene* scene, lm_error* error)
{
	const lm_host* host = &world->host;
	world->fps = scene->fps;
	world->seconds = scene->seconds;
	world->fingerprint = scene->fingerprint;
	world->object_count = scene->object_count;
	world->scene_path = lm_copy_text(host, scene->path != NULL ? scene->path : "");
	world->scene_name = lm_copy_text(host, scene->name != NULL ? scene->name : "");
	world->objects = LM_NEW(host, scene->object_count, lm_world_object);
	world->taken = LM_NEW(host, scene->object_count, int32_t);
	world->colliding = LM_NEW(host, scene->object_count, void*);
	if (world->scene_path == NULL || world->scene_name == NULL || world->objects == NULL || world->taken == NULL ||
	    world->colliding == NULL)
		return lm_fail_memory(error);
	lm_status status = create_colliders(world, scene, error);
	for (int32_t i = 0; status == LM_OK && i < scene->object_count; ++i)
		status = create_object(world, scene, i, error);
	if (status == LM_OK)
		status = find_leaders(world, error);
	if (status == LM_OK)
		status = lm_world_create_displays(world, scene, error);
	if (status == LM_OK)
		lm_world_warn_of_start(world, scene);
	return status;
}

lm_status lm_world_create(const lm_scene* scene, const lm_host* host, lm_world** result, lm_error* error)
{
	if (!(scene->fps > 0) || !isfinite(scene->fps))
		return lm_fail(error, LM_BAD_INPUT, "fps is %g, must be above 0", scene->fps);
	if (scene->object_count > LM_OBJECTS_MAX)
		return lm_fail(error, LM_BAD_INPUT, "the scene has %d objects, at most %d are possible", scene->object_count,
		               LM_OBJECTS_MAX);
	lm_world* world = LM_NEW(host, 1, lm_world);
	if (world == NULL)
		return lm_fail_memory(error);
	world->host = *host;
	lm_status status = fill_world(world, scene, error);
	if (status != LM_OK)
	{
		place_error(world, -1, status, error);
		lm_world_destroy(world);
		return status;
	}
	*result = world;
	return LM_OK;
}

void lm_world_destroy(lm_world* world)
{
	if (world == NULL)
		return;
	const lm_host host = world->host;
	lm_world_destroy_displays(world);
	for (int32_t i = 0; world->objects != NULL && i < world->object_count; ++i)
	{
		lm_world_object* object = &world->objects[i];
		if (object->object != NULL)
			object->engine->destroy(object->object);
		lm_free(&host, object->name);
		lm_free(&host, object->points);
	}
	lm_colliders_destroy(world->colliders);
	lm_free(&host, world->objects);
	lm_free(&host, world->taken);
	lm_free(&host, world->colliding);
	lm_free(&host, world->scene_path);
	lm_free(&host, world->scene_name);
	lm_free(&host, world);
}

// The objects of an engine, into world->colliding.
static int32_t objects_of(lm_world* world, const lm_engine* engine)
{
	int32_t count = 0;
	for (int32_t i = 0; i < world->object_count; ++i)
		if (world->objects[i].engine == engine)
			world->colliding[count++] = world->objects[i].object;
	return count;
}

static lm_status prepare_all(lm_world* world, const lm_engine* engine, lm_error* error)
{
	int32_t count = objects_of(world, engine);
	return count > 0 && engine->prepare_all != NULL
	           ? engine->prepare_all(world->colliding, count, world->colliders, error)
	           : LM_OK;
}

lm_status lm_world_check(lm_world* world, lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t e = 0; e < lm_engine_count() && status == LM_OK && !world->prepared; ++e)
	{
		int32_t count = objects_of(world, lm_engine_at(e));
		if (count > 0 && lm_engine_at(e)->check_all != NULL)
			status = lm_engine_at(e)->check_all(world->colliding, count, world->colliders, error);
	}
	return place_error(world, -1, status, error);
}

lm_status lm_world_prepare(lm_world* world, lm_error* error)
{
	double start = lm_clock_seconds();
	for (int32_t i = 0; i < world->object_count && !world->prepared; ++i)
	{
		lm_world_object* object = &world->objects[i];
		lm_status status = object->engine->prepare != NULL ? object->engine->prepare(object->object, error) : LM_OK;
		if (status != LM_OK)
			return place_error(world, i, status, error);
	}
	for (int32_t e = 0; e < lm_engine_count() && !world->prepared; ++e)
	{
		lm_status status = prepare_all(world, lm_engine_at(e), error);
		if (status != LM_OK)
			return place_error(world, -1, status, error);
	}
	for (int32_t i = 0; i < world->display_count && !world->prepared; ++i)
		world->displays[i].frame = -1; // preparing may have moved it
	world->prepared = true;
	world->prepare_seconds += lm_clock_seconds() - start;
	return LM_OK;
}

// ---- stepping ---------------------------------------------------------------------------------------------------

// Contact among the objects of each engine.
static lm_status collide(lm_world* world, double h, lm_error* error)
{
	for (int32_t e = 0; e < lm_engine_count(); ++e)
	{
		const lm_engine* engine = lm_engine_at(e);
		int32_t count = objects_of(world, engine);
		if (count > 0 && engine->collide != NULL)
		{
			lm_status status = engine->collide(world->colliding, count, h, error);
			if (status != LM_OK)
				return place_error(world, -1, status, error);
		}
	}
	return LM_OK;
}

// Objects take different numbers of substeps. Rounds go in the order of the times at which substeps end: in each round
// all objects step whose next substep ends first, and then contact is resolved.
lm_status lm_world_step(lm_world* world, lm_error* error)
{
	lm_status status = lm_world_prepare(world, error);
	double frame_time = 1 / world->fps;
	double start = (double)world->frame / world->fps;
	memset(world->taken, 0, (size_t)world->object_count * sizeof(int32_t));
	while (status == LM_OK)
	{
		// the smallest (taken + 1) / substeps, compared without division
		const lm_world_object* first = NULL;
		int64_t first_next = 0;
		for (int32_t i = 0; i < world->object_count; ++i)
		{
			const lm_world_object* object = &world->objects[i];
			int64_t next = world->taken[i] + 1;
			if (next <= object->substeps && (first == NULL || next * first->substeps < first_next * object->substeps))
				first = object, first_next = next;
		}
		if (first == NULL)
			break;
		double h = frame_time;
		for (int32_t i = 0; i < world->object_count; ++i)
		{
			lm_world_object* object = &world->objects[i];
			int64_t next = world->taken[i] + 1;
			if (next > object->substeps || next * first->substeps != first_next * object->substeps)
				continue;
			double step = frame_time / object->substeps;
			object->engine->step(object->object, start + step * world->taken[i], step, world->colliders);
			world->taken[i] += 1;
			h = fmin(h, step);
		}
		status = collide(world, h, error);
	}
	world->frame += status == LM_OK;
	lm_colliders_set_time(world->colliders, lm_world_time(world));
	return status;
}

// ---- reading ----------------------------------------------------------------------------------------------------

int64_t lm_world_frame(const lm_world* world)
{
	return world->frame;
}

double lm_world_time(const lm_world* world)
{
	return (double)world->frame / world->fps;
}

uint64_t lm_world_hash(const lm_world* world)
{
	uint64_t hash = lm_hash(LM_HASH_START, &world->frame, sizeof world->frame);
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		uint64_t part = world->objects[i].engine->hash(world->objects[i].object);
		hash = lm_hash(hash, &part, sizeof part);
	}
	return hash;
}

int32_t lm_world_object_count(const lm_world* world)
{
	return world->object_count;
}

int32_t lm_world_find_object(const lm_world* world, const char* name)
{
	for (int32_t i = 0; i < world->object_count; ++i)
		if (strcmp(world->objects[i].name, name) == 0)
			return i;
	return -1;
}

lm_act* lm_world_act(lm_world* world, int32_t object)
{
	lm_world_object* o = &world->objects[object];
	return o->engine == &lm_engine_act ? lm_act_object_body(o->object) : NULL;
}

lm_track* lm_world_track(lm_world* world, int32_t object)
{
	lm_world_object* o = &world->objects[object];
	return o->engine == &lm_engine_track ? lm_track_object_cloth(o->object) : NULL;
}

lm_match* lm_world_match(lm_world* world, int32_t object)
{
	lm_world_object* o = &world->objects[object];
	return o->engine == &lm_engine_match ? lm_match_object_body(o->object) : NULL;
}
