// ground.h: a plane to stand on, for scenes that tests make themselves.
#ifndef LIMBER_TEST_GROUND_H
#define LIMBER_TEST_GROUND_H

#include "scene/scene.h"

// Everything is handed to the scene at once, so that it is freed whatever fails next.
static inline bool add_ground(lm_scene* scene)
{
	lm_scene_collider* ground = lm_scene_add_collider(scene, "ground");
	lm_placement_key* key = ground != NULL ? lm_scene_memory(scene, 1, sizeof *key) : NULL;
	if (key == NULL)
		return false;
	key->rotation[0] = 1;
	ground->def.key_count = 1, ground->def.keys = key;
	return true;
}

#endif
