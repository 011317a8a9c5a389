// design_object.h: the keys of a scene's objects of `design` as its motions take them, for others who solve them.
#ifndef LM_OBJECTS_DESIGN_OBJECT_H
#define LM_OBJECTS_DESIGN_OBJECT_H

#include "limber/design.h"

typedef lm_status lm_design_visit(void* context, const lm_motion_settings* settings, const lm_performance_object* made,
                                  int32_t count, const lm_colliders* colliders, lm_error* error);

// data: the engine's objects. What is visited lasts as long as the visit.
lm_status lm_design_objects_visit(void* const* data, int32_t count, const lm_colliders* colliders,
                                  lm_design_visit* visit, void* context, lm_error* error);

#endif
