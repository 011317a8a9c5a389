// touch.h: who touches whom, as objects and colliders say (`touch`).
#ifndef LM_WORLD_TOUCH_H
#define LM_WORLD_TOUCH_H

#include "world/world.h"

// A designed object as a collider of others: while it is designed it moves so, whatever touches it.
typedef struct lm_led
{
	const lm_world* world;
	int32_t object;
} lm_led;

// The colliders of the scene, and designed objects where there are bodies of `match` or `act`; before there are
// objects.
lm_status lm_world_create_colliders(lm_world* world, lm_error* error);
// The motions of designed objects have become known, or others.
void lm_world_move_led(lm_world* world);

// Designed objects that are simulated now are no colliders: they give way (meet.h).
void lm_world_switch_led(lm_world* world);

// The colliders of object i, before it is created: all of the world's, or some.
lm_status lm_world_find_colliders(lm_world* world, int32_t i, lm_error* error);
void lm_world_destroy_colliders(lm_world* world);

// Which objects keep apart, told to those that exist.
lm_status lm_world_find_apart(lm_world* world, lm_error* error);

#endif
