// objects.h: the engines that there are, and the bodies of their objects for programs that direct them by themselves.
#ifndef LM_OBJECTS_OBJECTS_H
#define LM_OBJECTS_OBJECTS_H

#include "scene/engine.h"

extern const lm_engine lm_engine_match;
extern const lm_engine lm_engine_act;
extern const lm_engine lm_engine_design;
extern const lm_engine lm_engine_track;

// NULL when the object is of another engine.
lm_match* lm_object_match(lm_object* object);
lm_act* lm_object_act(lm_object* object);
lm_track* lm_object_track(lm_object* object);
struct lm_design_object* lm_object_design(lm_object* object); // objects/design/guest.h

// What a cloth has for an object of the scene (objects/track/push.h), or NULL.
struct lm_track_bag* lm_object_track_bag(const lm_object* cloth, int32_t object);

// Where the vertices of an object of `design` are at any time, and how fast (may be NULL); before its motion is known,
// where it starts. Leaves the object as it is.
void lm_object_design_at(lm_object* object, double time, double* positions, double* velocities);

// The keys of an object of `design` as commands have changed them, and which of the scene's keys each was, -1: none, it
// is new. NULL when they are as the scene has them. Valid until the next command.
const lm_scene_design_key* lm_object_design_keys(const lm_object* object, int32_t* count, const int32_t** origins);

#endif
