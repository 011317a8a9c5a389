// engine.h: what the world knows of an engine: a table of functions. To add an engine, write one file like
// match_object.c that wraps the engine's own API, and name its table in engines.c.
#ifndef LM_OBJECTS_ENGINE_H
#define LM_OBJECTS_ENGINE_H

#include "base/blob.h"
#include "limber/scene.h"

// One number that an engine adds to the statistics of each of its objects.
typedef struct lm_statistic_key
{
	const char* name;
	const char* unit; // "" when it has none
	const char* help;
	bool whole; // printed as an integer
} lm_statistic_key;

#define LM_STATISTICS_MAX 32
// Objects in a world. Collision lists are made on the stack up to this.
#define LM_OBJECTS_MAX 4096

typedef struct lm_engine
{
	const char* name;
	bool pushed_out; // by colliders: its objects should not begin inside one
	lm_status (*create)(const lm_scene* scene, const lm_scene_object* description, const lm_host* host, void** object,
	                    lm_error* error);
	void (*destroy)(void* object);
	// For engines whose objects may be led by another one: its name ("": none), and itself, once all are there. NULL
	// for others.
	const char* (*leader_name)(const void* object);
	void (*set_leader)(void* object, const struct lm_engine* engine, const void* leader);
	// Mistakes of the scene that only the engine can find, and would find when it prepares; may be NULL. For all
	// objects of the engine at once; colliders are those of the world.
	lm_status (*check_all)(void* const* objects, int32_t count, lm_colliders* colliders, lm_error* error);
	lm_status (*prepare)(void* object, lm_error* error); // long work before the first frame; may be NULL
	// The same for all objects of the engine at once, after that; may be NULL.
	lm_status (*prepare_all)(void* const* objects, int32_t count, lm_colliders* colliders, lm_error* error);
	// From `time` to `time` + h; directs the object as its scene says first.
	void (*step)(void* object, double time, double h, lm_colliders* colliders);
	// Contact of this engine's objects with each other and themselves, after a round of steps of about h.
	lm_status (*collide)(void* const* objects, int32_t count, double h, lm_error* error);
	int32_t (*point_count)(const void* object);
	int64_t (*unknowns)(const void* object);               // numbers that a step solves for; NULL: three per point
	void (*points)(const void* object, double* positions); // simulated points: what display surfaces are bound to
	void (*center)(const void* object, double center[3]);  // of mass
	double (*max_penetration)(const void* object);         // deepest so far, metres
	int64_t (*steps)(const void* object);                  // inner steps so far
	int32_t (*parameters)(const void* object);             // numbers that control can choose
	const lm_statistic_key* statistic_keys;
	int32_t statistic_count;                                // at most LM_STATISTICS_MAX
	void (*statistics)(const void* object, double* values); // in the order of statistic_keys
	uint64_t (*hash)(const void* object);
	void (*save)(const void* object, lm_blob* blob);
	lm_status (*load)(void* object, lm_blob* blob, lm_error* error);
} lm_engine;

// For `create`: whether example k has the vertices of the object; otherwise the error says so.
bool lm_engine_takes_example(const lm_scene_object* object, int32_t k, const lm_mesh* example, lm_error* error);

int32_t lm_engine_count(void);
const lm_engine* lm_engine_at(int32_t i);
const lm_engine* lm_engine_find(const char* name); // NULL if there is none

extern const lm_engine lm_engine_match;
lm_match* lm_match_object_body(void* object); // of an object of lm_engine_match
extern const lm_engine lm_engine_design;
extern const lm_engine lm_engine_act;
lm_act* lm_act_object_body(void* object);
extern const lm_engine lm_engine_track; // after the others: its objects may be led by theirs
lm_track* lm_track_object_cloth(void* object);

#endif
