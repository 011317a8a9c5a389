// scene.h: what the parts of the scene module share about lm_scene: its memory.
#ifndef LM_SCENE_SCENE_H
#define LM_SCENE_SCENE_H

#include "base/arena.h"
#include "base/warnings.h"
#include "limber/scene.h"

// The memory of a scene, and its reference count.
struct lm_scene_store
{
	lm_arena arena;       // texts, lists, settings
	int users;            // the maker, and every world
	lm_warnings warnings; // of reading it
};

// Adds a reference; lm_scene_destroy removes one.
lm_scene* lm_scene_share(const lm_scene* scene);

// Where the vertices of an object start: its start pose (or rest shape), turned and moved.
void lm_start_positions(const lm_scene_object* object, double* positions);

// What is the scene's unless an object has its own: density and gravity of its engine. False when out of memory for
// the settings of the engine.
bool lm_scene_add_settings(lm_scene* scene, lm_scene_object* object);

// Whether two objects touch, and an object a collider, as far as they say (`touch`).
bool lm_scene_may_touch(const lm_scene_object* a, const lm_scene_object* b);
bool lm_scene_collider_touches(const lm_scene_collider* collider, const lm_scene_object* object);
// Collider n of those that the object touches; NULL: there are fewer.
const lm_scene_collider* lm_scene_collider_of(const lm_scene* scene, const lm_scene_object* object, int32_t n);

#endif
