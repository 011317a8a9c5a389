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

#endif
