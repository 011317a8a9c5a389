// wrap.h: surfaces that are simulated by a lattice of tetrahedra around them.
#ifndef LM_SCENE_WRAP_H
#define LM_SCENE_WRAP_H

#include "scene/reader.h"

// Makes body->mesh around the surface, which becomes body->skin, and finds body->nearest. Reports and leaves the body
// alone when it cannot.
void lm_wrap(lm_reader* reader, const lm_lattice_settings* settings, lm_mesh* surface, lm_read_body* body);

// The pose of body->mesh that goes with a pose of body->skin; NULL when out of memory.
lm_mesh* lm_wrap_pose(lm_reader* reader, const lm_read_body* body, const lm_mesh* pose);

#endif
