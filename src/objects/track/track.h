// track.h: the parts of the engine `track` in scenes and worlds, which its table in object.c puts together.
#ifndef LM_OBJECTS_TRACK_H
#define LM_OBJECTS_TRACK_H

#include "scene/engine.h"

extern const lm_table lm_track_guide_table;
extern const lm_table lm_track_undeformed_table;

lm_element_kind lm_track_elements(const lm_scene_object* object, const lm_mesh* mesh);
bool lm_track_repairs(const lm_scene_object* object);
void lm_track_change_mesh(lm_reader* reader, lm_scene_body* body, lm_scene_object* object); // subdivides it
void lm_track_resolve(lm_reader* reader, const lm_scene_body* body, lm_scene_object* object);
void lm_track_resolve_between(lm_reader* reader, lm_scene* scene);
void lm_track_release(lm_scene_object* object);
lm_status lm_track_check_object(const lm_scene* scene, const lm_scene_object* object, lm_error* error);

// The guide alone, where the reader is at it.
void lm_track_resolve_guide(lm_reader* reader, const lm_scene_body* body, lm_scene_guide* guide);

// Warns of guides that are in another space than the mesh, and says what would bring them back (guide_space.c).
void lm_track_check_guide_space(lm_reader* reader, const lm_scene_body* body, const lm_scene_object* object);

// Whether it is a body in space, of another engine.
bool lm_track_can_wear(const lm_scene_object* object);

// The object that leads this one, or NULL.
// substeps.c: raises them where cloths touch or are led, and warns of that.
void lm_track_settle_substeps(lm_reader* reader, lm_scene* scene);
const lm_scene_object* lm_track_leader(const lm_scene* scene, const lm_scene_object* object);

// Vertices whose weight is above 0, and their weights; *taken is how many.
void lm_track_take_weights(lm_reader* reader, const double* weights, int32_t count, int32_t** vertices, double** values,
                           int32_t* taken);

// split.c: painted groups that shall be several regions become several.
void lm_track_split_paints(lm_reader* reader, const lm_scene_body* body, lm_scene_track* track);

// functions.c: those of the cloth, or of a guide that is another mesh.
lm_status lm_track_gather_functions(const lm_scene_track* track, bool on_guide, lm_arena* scratch,
                                    lm_track_functions* functions, lm_error* error);

#endif
