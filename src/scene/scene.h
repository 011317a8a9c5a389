// scene.h: what the parts of the scene module share about lm_scene: its memory.
#ifndef LM_SCENE_SCENE_H
#define LM_SCENE_SCENE_H

#include "base/arena.h"
#include "limber/scene.h"

// The memory of a scene, and its reference count.
struct lm_scene_store
{
	lm_arena arena; // texts, lists, settings
	int users;      // the maker, and every world
};

// Adds a reference; lm_scene_destroy removes one.
lm_scene* lm_scene_share(const lm_scene* scene);

// What is the scene's unless an object has its own: density and gravity of its engine. False when out of memory for
// the settings of the engine.
bool lm_scene_add_settings(lm_scene* scene, lm_scene_object* object);

#endif
