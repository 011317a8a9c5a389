// touch.c: who touches whom, as objects and colliders say (`touch`).
#include "world/touch.h"

#include "act/guest.h"
#include "base/alloc.h"
#include "base/error.h"
#include "contact/colliders.h"
#include "match/state.h"
#include "objects/design/guest.h"
#include "objects/objects.h"
#include "scene/scene.h"

#include <string.h>

// ---- colliders of the world

// Filled in by lm_colliders when it is moved.
static void place_led(void* context, double time, double* positions, double* velocities)
{
	const lm_led* led = context;
	lm_object* object = led->world->objects[led->object].object;
	const lm_scene_object* description = &led->world->scene->objects[led->object];
	if (object != NULL)
		lm_object_design_at(object, time, positions, velocities);
	else
	{
		lm_start_positions(description, positions);
		if (velocities != NULL)
			memset(velocities, 0, 3 * (size_t)description->mesh->vertex_count * sizeof *velocities);
	}
}

static bool is_of(const lm_scene_object* object, const lm_engine* engine)
{
	return strcmp(object->engine, engine->name) == 0;
}

static bool is_flat(const lm_scene_object* object)
{
	return is_of(object, &lm_engine_act) && (object->act->kind == LM_ACT_CURVE2 || object->act->kind == LM_ACT_SOLID2);
}

// What touches a led object.
static bool is_pushed(const lm_scene_object* object)
{
	return is_of(object, &lm_engine_match) || (is_of(object, &lm_engine_act) && !is_flat(object));
}

static lm_status find_led(lm_world* world, lm_error* error)
{
	const lm_scene* scene = world->scene;
	bool pushed = false;
	world->led = LM_NEW(&world->host, scene->object_count, lm_led);
	if (world->led == NULL)
		return lm_fail_memory(error);
	for (int32_t i = 0; i < scene->object_count; ++i)
		pushed = pushed || is_pushed(&scene->objects[i]);
	for (int32_t i = 0; pushed && i < scene->object_count; ++i)
		if (is_of(&scene->objects[i], &lm_engine_design) && scene->objects[i].mesh != NULL)
			world->led[world->led_count++] = (lm_led){ world, i };
	return LM_OK;
}

// Collider c of all, those of the scene first.
static lm_collider_def define(lm_world* world, int32_t c)
{
	static const lm_placement_key here = { .rotation = { 1, 0, 0, 0 } };
	const lm_scene* scene = world->scene;
	if (c < scene->collider_count)
		return scene->colliders[c].def;
	lm_led* led = &world->led[c - scene->collider_count];
	lm_collider_def def = lm_collider_def_default();
	def.shape = LM_SHAPE_MESH, def.mesh = scene->objects[led->object].mesh;
	def.key_count = 1, def.keys = &here;
	def.frames.at = place_led, def.frames.context = led;
	return def;
}

static int32_t count_all(const lm_world* world)
{
	return world->scene->collider_count + world->led_count;
}

// Those without `without`, which may be NULL.
static lm_status make_colliders(lm_world* world, const bool* without, lm_colliders** colliders, lm_error* error)
{
	lm_collider_def* defs = LM_NEW(&world->host, count_all(world), lm_collider_def);
	if (defs == NULL)
		return lm_fail_memory(error);
	int32_t count = 0;
	for (int32_t c = 0; c < count_all(world); ++c)
		if (without == NULL || !without[c])
			defs[count++] = define(world, c);
	lm_status status = lm_colliders_create(defs, count, &world->host, colliders, error);
	lm_free(&world->host, defs);
	return status;
}

lm_status lm_world_create_colliders(lm_world* world, lm_error* error)
{
	lm_status status = find_led(world, error);
	return status == LM_OK ? make_colliders(world, NULL, &world->colliders, error) : status;
}

void lm_world_move_led(lm_world* world)
{
	if (world->led_count == 0)
		return;
	for (int32_t i = 0; i < world->object_count; ++i)
		lm_colliders_forget_shapes(world->objects[i].object->colliders);
	lm_colliders_forget_shapes(world->colliders);
	lm_colliders_set_time(world->colliders, lm_world_time(world));
}

void lm_world_switch_led(lm_world* world)
{
	for (int32_t k = 0; k < world->led_count; ++k)
	{
		const lm_led* led = &world->led[k];
		const lm_design_object* object = lm_object_design(world->objects[led->object].object);
		bool on = world->meet == NULL || !lm_design_is_free(object);
		lm_colliders_switch(world->colliders, led, on);
		for (int32_t i = 0; i < world->object_count; ++i)
			if (world->objects[i].object->colliders != world->colliders)
				lm_colliders_switch(world->objects[i].object->colliders, led, on);
	}
}

// ---- those of an object

static bool touches(const lm_world* world, const lm_scene_object* object, int32_t c)
{
	const lm_scene* scene = world->scene;
	if (c < scene->collider_count)
		return lm_scene_collider_touches(&scene->colliders[c], object);
	const lm_scene_object* led = &scene->objects[world->led[c - scene->collider_count].object];
	bool follows = object->act != NULL && strcmp(object->act->follow.object, led->name) == 0;
	return is_pushed(object) && !follows && lm_scene_may_touch(object, led);
}

static bool same_colliders(const lm_world* world, const bool* a, const bool* b)
{
	return memcmp(a, b, (size_t)count_all(world) * sizeof *a) == 0;
}

lm_status lm_world_find_colliders(lm_world* world, int32_t i, lm_error* error)
{
	lm_object* object = world->objects[i].object;
	bool all = true;
	for (int32_t c = 0; c < count_all(world); ++c)
		all = all && touches(world, object->description, c);
	object->colliders = world->colliders;
	if (all)
		return LM_OK;
	bool* without = LM_TAKE(&object->memory, count_all(world), bool);
	if (without == NULL)
		return lm_fail_memory(error);
	for (int32_t c = 0; c < count_all(world); ++c)
		without[c] = !touches(world, object->description, c);
	object->without = without;
	for (int32_t j = 0; j < i; ++j)
	{
		const lm_object* other = world->objects[j].object;
		if (other->without != NULL && same_colliders(world, without, other->without))
		{
			object->colliders = other->colliders;
			return LM_OK;
		}
	}
	return make_colliders(world, without, &object->colliders, error);
}

void lm_world_destroy_colliders(lm_world* world)
{
	for (int32_t i = 0; world->objects != NULL && i < world->object_count; ++i)
	{
		lm_object* object = world->objects[i].object;
		if (object == NULL || object->colliders == world->colliders)
			continue;
		lm_colliders* own = object->colliders;
		for (int32_t j = i; j < world->object_count; ++j) // those that share it
			if (world->objects[j].object != NULL && world->objects[j].object->colliders == own)
				world->objects[j].object->colliders = world->colliders;
		lm_colliders_destroy(own);
	}
	lm_colliders_destroy(world->colliders);
	lm_free(&world->host, world->led);
}

// ---- objects

lm_status lm_world_find_apart(lm_world* world, lm_error* error)
{
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		lm_object* object = world->objects[i].object;
		const lm_scene_object* own = object->description;
		if (own->touch_off || own->touch_count > 0)
		{
			bool* apart = LM_TAKE(&object->memory, world->object_count, bool);
			if (apart == NULL)
				return lm_fail_memory(error);
			for (int32_t j = 0; j < world->object_count; ++j)
				apart[j] = j != i && !lm_scene_may_touch(own, &world->scene->objects[j]);
			object->apart = apart;
		}
		if (lm_object_act(object) != NULL)
			lm_act_set_touch(lm_object_act(object), i, object->apart, object->without);
		if (lm_object_match(object) != NULL)
			lm_match_set_touch(lm_object_match(object), i, object->apart);
	}
	return LM_OK;
}
