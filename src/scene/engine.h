// engine.h: what the rest of limber knows of an engine: a table of functions. To add an engine, write a folder like
// objects/match that wraps the engine's own API, and name its table in objects/engines.c.
#ifndef LM_SCENE_ENGINE_H
#define LM_SCENE_ENGINE_H

#include "base/arena.h"
#include "base/blob.h"
#include "scene/reader.h"

// One number that an engine adds to the statistics of each of its objects.
typedef struct lm_statistic_key
{
	const char* name;
	const char* unit; // "" when it has none
	const char* help;
	bool whole; // printed as an integer
} lm_statistic_key;

#define LM_STATISTICS_MAX 32
// Objects in a world. Lists of objects are made on the stack up to this.
#define LM_OBJECTS_MAX 10000

typedef struct lm_engine lm_engine;

// An object in a world. The engine's own struct begins with it; the world fills it in before `create`.
typedef struct lm_object
{
	const lm_engine* engine;
	lm_host host;
	const lm_scene* scene; // lives as long as the object
	const lm_scene_object* description;
	lm_arena memory;               // freed after `destroy`
	struct lm_object* leader;      // the object that it follows, or NULL
	struct lm_object* const* all;  // those of the world, in the order of the scene; once all are made
	lm_colliders* colliders;       // that it touches
	const bool* without;           // by collider of the scene: which it does not touch; NULL: it touches all
	const bool* apart;             // by object: which it does not touch; NULL: it touches all
	double* field_room;            // where fields act (objects/fields.h), or NULL
	struct lm_live* live;          // what commands have set (objects/live.h)
	double frame_start, frame_end; // seconds, of the frame that is being computed
	// the step that is to be taken, or has been
	bool due;
	double time, h;                // from `time` to `time` + h
	bool starts_frame, ends_frame; // whether it is the first or the last of its frame
} lm_object;

// The end of the step: no later than that of the frame, also after rounding, so that a key at the end of a frame is
// met, and one of the next frame has no effect yet.
static inline double lm_object_step_end(const lm_object* object)
{
	double end = object->time + object->h;
	return end < object->frame_end ? end : object->frame_end;
}

// Getters, valid at any time.
typedef struct lm_object_facts
{
	int32_t point_count;    // simulated points
	int64_t unknowns;       // numbers that a step solves for
	int32_t parameters;     // numbers that control can choose
	int64_t steps;          // inner steps so far
	double max_penetration; // deepest so far, metres
	double mass;            // kg; 0 where an engine has none
	double center[3];       // of mass
	int32_t example_count;  // whose strengths can be told
} lm_object_facts;

// What commands change of the keys of an object whose motion is planned, all of it, before it moves.
typedef enum lm_plan_kind
{
	LM_PLAN_KEY,           // a key of the whole object at `time`, in place of one that is there
	LM_PLAN_REMOVE_KEY,    // gone
	LM_PLAN_HANDLE,        // a handle of the key at `time`, moved when it is there
	LM_PLAN_REMOVE_HANDLE, // gone
	LM_PLAN_MOVE_KEY,      // the key at `time` is at `to_time` from now on
	LM_PLAN_FREE           // all keys as the scene has them
} lm_plan_kind;

typedef struct lm_plan_change
{
	lm_plan_kind kind;
	double time, to_time;
	bool via, stays;    // stays: `to` does not count
	const char* group;  // of a handle; "": vertices
	int32_t count;      // of vertices; the first of them tells handles apart
	int32_t* vertices;  // of the mesh
	double to[3];       // in the scene: of a handle's middle; of the mesh's origin, for a key
	double rotation[4]; // likewise; zeros: as it is
	double weight;
} lm_plan_change;

// A pose that an object prefers, as the scene names it.
typedef struct lm_engine_example
{
	const char* file; // or ""
	double strength;  // as the timeline says; 1 where it says nothing
} lm_engine_example;

struct lm_engine
{
	const char* name;

	// ---- its part of a scene ----
	const lm_table* table; // of its settings
	size_t settings;       // where lm_scene_object has the pointer to them
	size_t gravity;        // where the settings have the object's own gravity; 0: nowhere
	double density;        // of objects, unless given
	bool pushed_out;       // by colliders: its objects should not begin inside one
	// What is simulated of a mesh.
	lm_element_kind (*elements)(const lm_scene_object* object, const lm_mesh* mesh);
	// Whether meshes of triangles are repaired (lm_mesh_repair); may be NULL: no.
	bool (*repairs)(const lm_scene_object* object);
	// Changes the mesh before anything refers to its vertices; may be NULL.
	void (*change_mesh)(lm_reader* reader, lm_scene_body* body, lm_scene_object* object);
	// Loads the files that the settings name, finds groups, and checks what only makes sense together.
	void (*resolve)(lm_reader* reader, const lm_scene_body* body, lm_scene_object* object);
	// The same for what concerns several objects, once all are there; may be NULL.
	void (*resolve_between)(lm_reader* reader, lm_scene* scene);
	// Frees the meshes among the settings; all else is the scene's memory.
	void (*release)(lm_scene_object* object);
	// What a program has filled in, with the object's name in the error; may be NULL.
	lm_status (*check_settings)(const lm_scene* scene, const lm_scene_object* object, lm_error* error);

	// ---- an object in a world ----
	size_t object_size; // of the struct that begins with lm_object
	lm_status (*create)(lm_object* object, lm_error* error);
	void (*destroy)(lm_object* object); // what `create` made, also when it failed halfway
	// Name of the object that has to step before this one, "": none. May be NULL.
	const char* (*leader_name)(const lm_object* object);

	// All objects of the engine, leaders before followers.
	// Mistakes of the scene that would otherwise come to light only when it is prepared; may be NULL.
	lm_status (*check)(lm_object* const* objects, int32_t count, lm_colliders* colliders, lm_error* error);
	// Long work before the first frame; may be NULL.
	lm_status (*prepare)(lm_object* const* objects, int32_t count, lm_colliders* colliders, lm_error* error);
	// Directs an object that is due as the scene says; may be NULL: its step does.
	lm_status (*direct)(lm_object* object, lm_colliders* colliders, lm_error* error);
	// After the step of all engines; may be NULL.
	void (*finish)(lm_object* object);
	// Takes the step of those that are due, contact with each other included.
	lm_status (*step)(lm_object* const* objects, int32_t count, lm_colliders* colliders, lm_error* error);

	// Directing, for engines that can be: see timeline.h.
	bool (*can_be_held)(const lm_object* object); // and pushed; NULL: all can
	lm_status (*pin)(lm_object* object, int32_t vertex, const double position[3], lm_error* error);
	void (*unpin)(lm_object* object, int32_t vertex);
	void (*drag)(lm_object* object, int32_t vertex, const double target[3], double strength); // 0 lets go
	void (*push)(lm_object* object, const int32_t* vertices, int32_t count, const double impulse[3]);
	double (*mass_of)(const lm_object* object, const int32_t* vertices, int32_t count); // kg; for those with `push`
	const char* instead; // for engines that cannot be: why, and what can be done, after "cannot be grabbed: "

	// Settings that can change while it moves, and their table; NULL: none.
	const lm_table* live_table;
	size_t keyed; // where its part of a scene has those that change over time
	void (*get_settings)(const lm_object* object, void* settings);
	lm_status (*set_settings)(lm_object* object, const void* settings, lm_error* error);
	// Whether the object can carry out the command; NULL: it takes none.
	lm_status (*check_command)(const lm_object* object, const lm_act_command* command, lm_error* error);

	// For engines that plan the motion of their objects in `prepare`: changes what one of them plans by, which counts
	// once all are prepared again, and is part of its state; NULL: there is nothing to plan.
	lm_status (*plan)(lm_object* object, const lm_plan_change* change, lm_error* error);
	uint64_t (*plan_hash)(const lm_object* object, uint64_t hash); // of what was changed; as it is where nothing was

	// Of the points, for those that fields act on; may be NULL.
	void (*velocities)(const lm_object* object, double* velocities);
	lm_status (*set_velocities)(lm_object* object, const double* velocities, lm_error* error);
	void (*points)(const lm_object* object, double* positions); // simulated: what display surfaces are bound to
	lm_object_facts (*facts)(const lm_object* object);
	const lm_statistic_key* statistic_keys;
	int32_t statistic_count;                                     // at most LM_STATISTICS_MAX
	void (*statistics)(const lm_object* object, double* values); // in the order of statistic_keys
	// Numbers of the moment that can be plotted, frame by frame.
	const lm_statistic_key* number_keys;
	int32_t number_count;                                        // at most LM_STATISTICS_MAX
	int32_t (*numbers)(const lm_object* object, double* values); // returns how many of them this object has

	// Seeing, for studios (limber/view.h); all may be NULL.
	// Example k at a time of the scene, false when there is none.
	bool (*example)(const lm_object* object, int32_t k, double time, lm_engine_example* example);
	// Simulated points that touch something: how many, and which (ascending) when vertices is not NULL.
	int32_t (*contacts)(const lm_object* object, int32_t* vertices);
	// Where there is no `contacts`: points nearer than this to a collider touch it, metres.
	double (*contact_distance)(const lm_object* object);
	// Middles of the feet (at most LM_ACT_FEET_MAX x 3), how many. points: the simulated ones, here and below.
	int32_t (*feet)(const lm_object* object, const double* points, double* middles);
	// Where the centre of mass shall be at a time; false: nowhere in particular.
	bool (*goal)(const lm_object* object, double time, double goal[3]);
	// The cage at rest, or NULL; its vertices moved to where the body is, when positions (as many x 3) is not NULL.
	// scratch: room for as many numbers as the points have.
	const lm_mesh* (*cage)(const lm_object* object, const double* points, double* scratch, double* positions);
	// The region of each simulated point, -1: none, and how much it belongs to it, 0 .. 1. How many regions there are.
	int32_t (*regions)(const lm_object* object, int32_t* regions, double* shares);
	// What the rest shape and each example (at most 64) have of a simulated point: at least 0, sum 1. How many shares.
	int32_t (*blend)(const lm_object* object, int32_t point, double* shares);

	uint64_t (*hash)(const lm_object* object);
	void (*save)(const lm_object* object, lm_blob* blob);
	lm_status (*load)(lm_object* object, lm_blob* blob, lm_error* error);
};

// The table of engines (objects/engines.c), followed ones before those that may follow them.
int32_t lm_engine_count(void);
const lm_engine* lm_engine_at(int32_t i);
const lm_engine* lm_engine_find(const char* name); // NULL if there is none

// engines.c: where an error is, "objects[2]", unless it says so itself; for the functions above that are given several
// objects. Returns the status.
lm_status lm_object_place_error(const lm_object* object, lm_status status, lm_error* error);

// check.c: LM_BAD_INPUT for what a program put together wrongly: vertices that are not there, poses of other meshes.
// The engine must exist.
lm_status lm_scene_check_object(const lm_scene* scene, const lm_scene_object* object, lm_error* error);
// For check_settings: whether a pose fits the mesh, and whether the mesh has these vertices.
lm_status lm_scene_check_pose(const lm_scene_object* object, const char* what, const lm_mesh* pose, lm_error* error);
lm_status lm_scene_check_vertices(const lm_scene_object* object, const char* what, const int32_t* vertices,
                                  int32_t count, lm_error* error);

// The settings of an object of the engine, or NULL.
void* lm_engine_settings(const lm_engine* engine, const lm_scene_object* object);
void lm_engine_set_settings(const lm_engine* engine, lm_scene_object* object, void* settings);

#endif
