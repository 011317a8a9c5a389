// scene.c: making, growing, sharing and freeing lm_scene.
#include "scene/scene.h"

#include "base/alloc.h"
#include "scene/engine.h"
#include "scene/keys.h"

#include <assert.h>
#include <string.h>

// ---- making ----

lm_scene* lm_scene_create(const lm_host* host)
{
	lm_scene* scene = LM_NEW(host, 1, lm_scene);
	lm_scene_store* store = LM_NEW(host, 1, lm_scene_store);
	if (scene == NULL || store == NULL)
	{
		lm_free(host, scene);
		lm_free(host, store);
		return NULL;
	}
	lm_table_defaults(&lm_scene_table, scene);
	lm_arena_init(&store->arena, host);
	store->users = 1;
	scene->host = *host;
	scene->store = store;
	scene->path = "";
	return scene;
}

void* lm_scene_memory(lm_scene* scene, size_t count, size_t size)
{
	void* memory = lm_arena_take(&scene->store->arena, count, size);
	return memory != NULL ? memset(memory, 0, count * size) : NULL;
}

char* lm_scene_text(lm_scene* scene, const char* text)
{
	char* copy = lm_scene_memory(scene, strlen(text) + 1, 1);
	return copy != NULL ? strcpy(copy, text) : NULL;
}

// The list with room for one more; NULL when out of memory. It doubles when its count is a power of two.
static void* grown(lm_scene* scene, void* list, int32_t count, size_t size)
{
	if (count > 0 && (count & (count - 1)) != 0)
		return list;
	void* larger = lm_scene_memory(scene, count > 0 ? 2 * (size_t)count : 1, size);
	if (larger != NULL && count > 0)
		memcpy(larger, list, (size_t)count * size);
	return larger;
}

bool lm_scene_add_settings(lm_scene* scene, lm_scene_object* object)
{
	const lm_engine* engine = lm_engine_find(object->engine);
	if (engine == NULL) // which is reported by others
		return true;
	char* settings = lm_engine_settings(engine, object);
	if (settings == NULL)
	{
		settings = lm_scene_memory(scene, 1, engine->table->size);
		if (settings == NULL)
			return false;
		lm_table_defaults(engine->table, settings);
		lm_engine_set_settings(engine, object, settings);
	}
	if (!LM_GIVEN(lm_object_table, object, density))
		object->density = engine->density;
	if (engine->gravity != 0 && !lm_key_given(engine->table, settings, engine->gravity))
		memcpy(settings + engine->gravity, scene->gravity, sizeof scene->gravity);
	return true;
}

lm_scene_object* lm_scene_add_object(lm_scene* scene, const char* name, const char* engine)
{
	assert(name != NULL && engine != NULL);
	lm_scene_object object;
	lm_table_defaults(&lm_object_table, &object);
	object.name = lm_scene_text(scene, name);
	object.engine = lm_scene_text(scene, engine);
	bool good = object.name != NULL && object.engine != NULL && lm_scene_add_settings(scene, &object);
	lm_scene_object* objects = good ? grown(scene, scene->objects, scene->object_count, sizeof object) : NULL;
	if (objects == NULL)
		return NULL;
	scene->objects = objects;
	objects[scene->object_count] = object;
	return &objects[scene->object_count++];
}

lm_scene_collider* lm_scene_add_collider(lm_scene* scene, const char* name)
{
	assert(name != NULL);
	lm_scene_collider collider;
	lm_table_defaults(&lm_collider_table, &collider);
	collider.name = lm_scene_text(scene, name);
	lm_scene_collider* colliders =
		collider.name != NULL ? grown(scene, scene->colliders, scene->collider_count, sizeof collider) : NULL;
	if (colliders == NULL)
		return NULL;
	scene->colliders = colliders;
	colliders[scene->collider_count] = collider;
	return &colliders[scene->collider_count++];
}

// ---- sharing and freeing ----

lm_scene* lm_scene_share(const lm_scene* scene)
{
	__atomic_add_fetch(&scene->store->users, 1, __ATOMIC_RELAXED);
	return (lm_scene*)scene; // nothing but the count of its users ever changes
}

static void release_meshes(lm_scene_object* object)
{
	lm_mesh_destroy(object->mesh);
	lm_mesh_destroy(object->surface);
	lm_mesh_destroy(object->start_pose);
	lm_fitted_destroy(object->fitted);
	lm_repair_destroy(object->repair);
	for (int32_t e = 0; e < lm_engine_count(); ++e)
		if (lm_engine_settings(lm_engine_at(e), object) != NULL && lm_engine_at(e)->release != NULL)
			lm_engine_at(e)->release(object);
}

void lm_scene_destroy(lm_scene* scene)
{
	if (scene == NULL || __atomic_sub_fetch(&scene->store->users, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	const lm_host host = scene->host;
	for (int32_t i = 0; i < scene->object_count; ++i)
		release_meshes(&scene->objects[i]);
	for (int32_t i = 0; i < scene->collider_count; ++i)
		lm_mesh_destroy((lm_mesh*)scene->colliders[i].def.mesh);
	lm_arena_release(&scene->store->arena);
	lm_free(&host, scene->store);
	lm_free(&host, scene);
}

static bool is_named(const char* const* names, int32_t count, const char* name)
{
	bool named = count == 0;
	for (int32_t i = 0; i < count; ++i)
		named = named || strcmp(names[i], name) == 0;
	return named;
}

static bool names(const lm_scene_object* a, const lm_scene_object* b)
{
	return !a->touch_off && is_named(a->touch, a->touch_count, b->name);
}

bool lm_scene_may_touch(const lm_scene_object* a, const lm_scene_object* b)
{
	return names(a, b) && names(b, a);
}

bool lm_scene_collider_touches(const lm_scene_collider* collider, const lm_scene_object* object)
{
	return !collider->touch_off && is_named(collider->touch, collider->touch_count, object->name);
}

const lm_scene_collider* lm_scene_collider_of(const lm_scene* scene, const lm_scene_object* object, int32_t n)
{
	for (int32_t i = 0; i < scene->collider_count; ++i)
		if (lm_scene_collider_touches(&scene->colliders[i], object) && n-- == 0)
			return &scene->colliders[i];
	return NULL;
}
