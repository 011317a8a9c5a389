// scene.c: making, growing and freeing lm_scene, and the defaults of its parts.
#include "scene/scene.h"

#include "base/alloc.h"
#include "format/color.h"

#include <assert.h>
#include <string.h>

// ---- defaults ----

lm_scene_camera lm_scene_camera_default(void)
{
	return (lm_scene_camera){ .automatic = true, .direction = { -0.5, -0.35, -1 }, .fov = 35, .zoom = 1 };
}

void lm_scene_defaults(lm_scene* scene)
{
	scene->fps = 24;
	scene->seconds = 5;
	scene->gravity[1] = -9.81;
	scene->camera = lm_scene_camera_default();
	lm_color_parse("#dbe4ee", scene->background);
	scene->width = 960;
	scene->height = 540;
}

void lm_scene_object_defaults(lm_scene_object* object)
{
	object->rotation[0] = 1;
	object->density = 1000;
	lm_color_parse("#e0663f", object->color);
	object->substeps = 4;
}

void lm_scene_collider_defaults(lm_scene_collider* collider)
{
	collider->def = lm_collider_def_default();
	lm_color_parse("#b9bec6", collider->color);
	collider->visible = true;
}

void lm_scene_match_defaults(lm_scene_match* match)
{
	lm_match_def def = lm_match_def_default();
	match->settings = def.settings;
	match->locality = def.locality;
	match->descriptor = def.descriptor;
	match->ring = def.ring;
}

void lm_scene_act_defaults(lm_scene_act* act)
{
	lm_act_def def = lm_act_def_default();
	act->kind = def.kind;
	act->settings = def.settings;
	act->control = def.control;
	act->cage_vertices = def.cage_vertices;
}

void lm_scene_track_defaults(lm_scene_track* track)
{
	lm_track_def def = lm_track_def_default();
	track->settings = def.settings;
	track->compact = def.compact;
	track->guide.speed = 1;
	track->aware = true;
}

void lm_scene_command_defaults(lm_scene_command* command)
{
	command->end = -1;
	command->speed = 0.5;
	command->go = lm_act_go_default();
	command->hop = lm_act_hop_default();
	command->stand = lm_act_stand_default();
	command->walk = lm_act_walk_default();
	command->roll = lm_act_roll_default();
	command->crawl = lm_act_crawl_default();
}

void lm_scene_goal_defaults(lm_scene_goal* goal)
{
	goal->axes[0] = goal->axes[1] = goal->axes[2] = true;
	goal->kp = 8;
	goal->kd = goal->weight = 1;
	goal->end = -1;
}

// ---- making ----

lm_scene* lm_scene_create(const lm_host* host)
{
	lm_scene* scene = LM_NEW(host, 1, lm_scene);
	if (scene == NULL)
		return NULL;
	scene->host = *host;
	lm_scene_defaults(scene);
	scene->name = lm_copy_text(host, "");
	scene->path = lm_copy_text(host, "");
	scene->description = lm_copy_text(host, "");
	if (scene->name == NULL || scene->path == NULL || scene->description == NULL)
	{
		lm_scene_destroy(scene);
		return NULL;
	}
	return scene;
}

char* lm_scene_text(lm_scene* scene, const char* text)
{
	return lm_copy_text(&scene->host, text);
}

void* lm_scene_memory(lm_scene* scene, size_t count, size_t size)
{
	return lm_alloc(&scene->host, count, size);
}

// A list with room for one more, the old content moved over; NULL when out of memory.
static void* grown(const lm_scene* scene, void* list, int32_t count, size_t size)
{
	void* larger = lm_alloc(&scene->host, (size_t)count + 1, size);
	if (larger == NULL)
		return NULL;
	if (count > 0)
		memcpy(larger, list, (size_t)count * size);
	lm_free(&scene->host, list);
	return larger;
}

static void release_object(const lm_host* host, lm_scene_object* object);

// The settings that go with the engine. False when out of memory.
static bool add_settings(lm_scene* scene, const char* engine, lm_scene_object* object)
{
	if (strcmp(engine, "match") == 0)
	{
		object->match = lm_scene_memory(scene, 1, sizeof *object->match);
		if (object->match == NULL)
			return false;
		lm_scene_match_defaults(object->match);
		memcpy(object->match->settings.gravity, scene->gravity, sizeof scene->gravity);
	}
	else if (strcmp(engine, "act") == 0)
	{
		object->density = lm_act_def_default().density;
		object->act = lm_scene_memory(scene, 1, sizeof *object->act);
		if (object->act == NULL)
			return false;
		lm_scene_act_defaults(object->act);
		memcpy(object->act->settings.gravity, scene->gravity, sizeof scene->gravity);
		object->act->cage_path = lm_scene_text(scene, "");
		object->act->trunk = lm_scene_text(scene, "");
		return object->act->cage_path != NULL && object->act->trunk != NULL;
	}
	else if (strcmp(engine, "track") == 0)
	{
		object->density = lm_track_def_default().density;
		object->track = lm_scene_memory(scene, 1, sizeof *object->track);
		if (object->track == NULL)
			return false;
		lm_scene_track_defaults(object->track);
		memcpy(object->track->settings.gravity, scene->gravity, sizeof scene->gravity);
		object->track->guide.path = lm_scene_text(scene, "");
		object->track->guide.object = lm_scene_text(scene, "");
		return object->track->guide.path != NULL && object->track->guide.object != NULL;
	}
	else if (strcmp(engine, "design") == 0)
	{
		object->design = lm_scene_memory(scene, 1, sizeof *object->design);
		if (object->design == NULL)
			return false;
		lm_scene_design_defaults(object->design);
	}
	return true;
}

lm_scene_object* lm_scene_add_object(lm_scene* scene, const char* name, const char* engine)
{
	assert(name != NULL && engine != NULL);
	lm_scene_object object = { .name = lm_scene_text(scene, name),
		                       .engine = lm_scene_text(scene, engine),
		                       .mesh_path = lm_scene_text(scene, ""),
		                       .surface_path = lm_scene_text(scene, "") };
	lm_scene_object_defaults(&object);
	bool good = object.name != NULL && object.engine != NULL && object.mesh_path != NULL &&
	            object.surface_path != NULL && add_settings(scene, engine, &object);
	lm_scene_object* objects = good ? grown(scene, scene->objects, scene->object_count, sizeof object) : NULL;
	if (objects == NULL)
	{
		release_object(&scene->host, &object);
		return NULL;
	}
	scene->objects = objects;
	objects[scene->object_count] = object;
	return &objects[scene->object_count++];
}

lm_scene_collider* lm_scene_add_collider(lm_scene* scene, const char* name)
{
	assert(name != NULL);
	lm_scene_collider collider = { .name = lm_scene_text(scene, name) };
	lm_scene_collider_defaults(&collider);
	lm_scene_collider* colliders =
		collider.name != NULL ? grown(scene, scene->colliders, scene->collider_count, sizeof collider) : NULL;
	if (colliders == NULL)
	{
		lm_free(&scene->host, collider.name);
		return NULL;
	}
	scene->colliders = colliders;
	colliders[scene->collider_count] = collider;
	return &colliders[scene->collider_count++];
}

// ---- freeing ----

static void release_keyed(const lm_host* host, lm_keyed* keyed)
{
	lm_free(host, keyed->times);
	lm_free(host, keyed->values);
}

static void release_match(const lm_host* host, lm_scene_match* match)
{
	if (match == NULL)
		return;
	for (int32_t i = 0; i < match->example_count; ++i)
	{
		lm_free(host, match->examples[i].path);
		lm_mesh_destroy(match->examples[i].mesh);
		release_keyed(host, &match->examples[i].strength);
	}
	lm_free(host, match->examples);
	for (int32_t i = 0; i < match->group_count; ++i)
		lm_free(host, match->groups[i]);
	lm_free(host, match->groups);
	lm_free(host, match);
}

static void release_act(const lm_host* host, lm_scene_act* act)
{
	if (act == NULL)
		return;
	lm_free(host, act->cage_path);
	lm_free(host, act->trunk);
	for (int32_t i = 0; i < act->foot_count; ++i)
		lm_free(host, act->feet[i]);
	lm_free(host, act->feet);
	lm_mesh_destroy(act->cage);
	for (int32_t i = 0; i < act->example_count; ++i)
	{
		lm_free(host, act->examples[i].path);
		lm_mesh_destroy(act->examples[i].mesh);
	}
	lm_free(host, act->examples);
	for (int32_t i = 0; i < act->command_count; ++i)
	{
		release_keyed(host, &act->commands[i].velocity);
		release_keyed(host, &act->commands[i].path);
	}
	lm_free(host, act->commands);
	for (int32_t i = 0; i < act->goal_count; ++i)
	{
		lm_free(host, act->goals[i].vertices);
		release_keyed(host, &act->goals[i].position);
		release_keyed(host, &act->goals[i].velocity);
	}
	lm_free(host, act->goals);
	lm_free(host, act);
}

static void release_track(const lm_host* host, lm_scene_track* track)
{
	if (track == NULL)
		return;
	lm_binding_destroy(track->map);
	lm_binding_destroy(track->hat_map);
	lm_free(host, track->guide.path);
	lm_free(host, track->guide.object);
	lm_mesh_destroy(track->guide.mesh);
	lm_free(host, track->guide.times);
	lm_free(host, track->guide.frames);
	for (int32_t i = 0; i < track->paint_count; ++i)
	{
		lm_scene_paint* paint = &track->paint[i];
		lm_free(host, paint->group);
		lm_free(host, paint->vertices);
		lm_free(host, paint->values);
		lm_free(host, paint->guide_vertices);
		lm_free(host, paint->guide_values);
		release_keyed(host, &paint->strength);
	}
	lm_free(host, track->paint);
	lm_free(host, track->region_density);
	release_keyed(host, &track->strength);
	release_keyed(host, &track->wind);
	lm_mesh_destroy(track->undeformed);
	lm_mesh_destroy(track->undeformed_to);
	release_keyed(host, &track->blend);
	lm_free(host, track);
}

static void release_object(const lm_host* host, lm_scene_object* object)
{
	lm_free(host, object->name);
	lm_free(host, object->engine);
	lm_free(host, object->mesh_path);
	lm_free(host, object->surface_path);
	lm_mesh_destroy(object->mesh);
	lm_mesh_destroy(object->surface);
	lm_mesh_destroy(object->start_pose);
	for (int32_t i = 0; i < object->pin_count; ++i)
	{
		lm_free(host, object->pins[i].vertices);
		release_keyed(host, &object->pins[i].offset);
	}
	lm_free(host, object->pins);
	for (int32_t i = 0; i < object->drag_count; ++i)
		release_keyed(host, &object->drags[i].target);
	lm_free(host, object->drags);
	for (int32_t i = 0; i < object->push_count; ++i)
		lm_free(host, object->pushes[i].vertices);
	lm_free(host, object->pushes);
	release_match(host, object->match);
	lm_scene_design_release(host, object->design);
	release_act(host, object->act);
	release_track(host, object->track);
}

static void release_collider(const lm_host* host, lm_scene_collider* collider)
{
	lm_free(host, collider->name);
	lm_mesh_destroy((lm_mesh*)collider->def.mesh);
	lm_free(host, (lm_placement_key*)collider->def.keys);
}

void lm_scene_destroy(lm_scene* scene)
{
	if (scene == NULL)
		return;
	lm_host host = scene->host;
	for (int32_t i = 0; i < scene->object_count; ++i)
		release_object(&host, &scene->objects[i]);
	for (int32_t i = 0; i < scene->collider_count; ++i)
		release_collider(&host, &scene->colliders[i]);
	for (int32_t i = 0; i < scene->file_count; ++i)
		lm_free(&host, scene->files[i]);
	lm_free(&host, scene->files);
	lm_free(&host, scene->objects);
	lm_free(&host, scene->colliders);
	lm_free(&host, scene->name);
	lm_free(&host, scene->path);
	lm_free(&host, scene->description);
	lm_free(&host, scene);
}
