// match.h: the parts of the engine `match` in scenes and worlds, which its table in object.c puts together.
#ifndef LM_OBJECTS_MATCH_H
#define LM_OBJECTS_MATCH_H

#include "scene/engine.h"

extern const lm_table lm_match_example_table;

lm_element_kind lm_match_elements(const lm_scene_object* object, const lm_mesh* mesh);
void lm_match_resolve(lm_reader* reader, const lm_scene_body* body, lm_scene_object* object);
void lm_match_release(lm_scene_object* object);
lm_status lm_match_check_object(const lm_scene* scene, const lm_scene_object* object, lm_error* error);

#endif
