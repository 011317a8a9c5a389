// design.h: the parts of the engine `design` in scenes and worlds, which its table in object.c puts together.
#ifndef LM_OBJECTS_DESIGN_H
#define LM_OBJECTS_DESIGN_H

#include "design/performance.h"
#include "scene/engine.h"

// ---- in scenes: keys.c, resolve.c, handles.c ----

extern const lm_table lm_design_key_table;
extern const lm_table lm_design_handle_table;

lm_element_kind lm_design_elements(const lm_scene_object* object, const lm_mesh* mesh);
void lm_design_resolve(lm_reader* reader, const lm_scene_body* body, lm_scene_object* object);
void lm_design_release(lm_scene_object* object);
lm_status lm_design_check_object(const lm_scene* scene, const lm_scene_object* object, lm_error* error);

// Finds the vertices of handles; a problem of those that have none.
void lm_design_resolve_handles(lm_reader* reader, const lm_scene_body* body, lm_scene_handle* handles, int32_t count);

// ---- in worlds ----

typedef struct lm_design_play lm_design_play;
typedef struct lm_design_guest lm_design_guest;

// A wrench and a squeeze (match/touched.c).
typedef struct lm_design_load
{
	bool on;
	double wrench[6], squeeze[6];
} lm_design_load;

typedef struct lm_design_object
{
	lm_object base;
	uint64_t model_key;     // equal for objects that can share a model
	lm_design_model* model; // NULL until it is needed; may belong to another object
	bool owns_model;
	lm_design_play* play;        // what it plays with the others (play.h); NULL: nothing yet
	int32_t number;              // its place in that
	lm_design_guest* guest;      // what others touch while it is simulated (guest.h), or NULL
	lm_design_load touched;      // by bodies, in its next step
	lm_design_load pushed;       // by cloth
	struct lm_design_told* told; // keys that commands have changed; NULL: as the scene has them
	double time;                 // now
	double* nodes;               // now, metres; NULL without a model
	double* other;               // 2 x as many, scratch: at another time, and velocities
	int64_t steps;
} lm_design_object;

// object.c
// A model of its own unless it has one, and room for its nodes.
lm_status lm_design_make_model(lm_design_object* object, lm_error* error);
// Of what it plays; only for those that play.
const lm_design_course* lm_design_course_of(const lm_design_object* object);
lm_design_performance_report lm_design_report_of(const lm_design_object* object); // zeros for others
// Puts the nodes where the motion has them at its time.
void lm_design_show(lm_design_object* object);

// motion_keys.c: the object with its keys as a performance takes it, in memory of the arena.
lm_status lm_design_make_keys(const lm_design_object* object, lm_arena* memory, lm_design_performance_object* made,
                              lm_error* error);

// plan.c: what commands have changed (scene/engine.h).
lm_status lm_design_plan(lm_object* object, const lm_plan_change* change, lm_error* error);
uint64_t lm_design_plan_hash(const lm_object* object, uint64_t hash);
void lm_design_plan_forget(lm_design_object* object);
void lm_design_plan_save(const lm_design_object* object, lm_blob* blob);
lm_status lm_design_plan_load(lm_design_object* object, lm_blob* blob, lm_error* error);
// The keys that count: those of the scene, or as commands have changed them.
const lm_scene_design_key* lm_design_keys(const lm_design_object* object, int32_t* count);

// prepare.c
lm_status lm_design_check(lm_object* const* objects, int32_t count, lm_colliders* colliders, lm_error* error);
lm_status lm_design_prepare(lm_object* const* objects, int32_t count, lm_colliders* colliders, lm_error* error);

// Objects with the same mesh and settings share one model.
lm_status lm_design_share_models(lm_object* const* objects, int32_t count, lm_error* error);
// What is made of the objects of a world for a performance, in memory of the arena.
lm_status lm_design_objects_make(lm_object* const* objects, int32_t count, lm_arena* memory,
                                 lm_design_motion_settings* settings, lm_design_performance_object** made,
                                 lm_error* error);

// The same for others who solve it. It lasts as long as the visit.
typedef lm_status lm_design_visit(void* context, const lm_design_motion_settings* settings,
                                  const lm_design_performance_object* made, int32_t count,
                                  const lm_colliders* colliders, lm_error* error);
lm_status lm_design_objects_visit(lm_object* const* objects, int32_t count, const lm_colliders* colliders,
                                  lm_design_visit* visit, void* context, lm_error* error);

#endif
