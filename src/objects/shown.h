// shown.h: the surface of an object in space that is shown, and how it follows the simulated points.
#ifndef LM_OBJECTS_SHOWN_H
#define LM_OBJECTS_SHOWN_H

#include "scene/engine.h"

// Positions of the mesh are those of the description, before it is placed. Both are the caller's.
lm_status lm_shown_create(const lm_scene_object* description, const lm_host* host, lm_mesh** mesh, lm_binding** binding,
                          lm_error* error);

#endif
