// fields.h: the force fields of a scene act on an object of any engine that has velocities.
#ifndef LM_OBJECTS_FIELDS_H
#define LM_OBJECTS_FIELDS_H

#include "scene/engine.h"

// Memory for lm_fields_play, the object's own. Nothing where the scene has no field.
lm_status lm_fields_create(lm_object* object, lm_error* error);

// For the step that is due.
lm_status lm_fields_play(lm_object* object, lm_error* error);

#endif
