// world.h: a scene brought to life. The world advances in frames; between frames it can be read, directed, saved.
#ifndef LIMBER_WORLD_H
#define LIMBER_WORLD_H

#include "limber/io.h"
#include "limber/scene.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct lm_world lm_world;

// Compiles a scene. The world shares it: lm_scene_destroy may be called right away, but the scene must not be changed
// any more.
LM_API lm_status lm_world_create(const lm_scene* scene, const lm_host* host, lm_world** world, lm_error* error);
LM_API void lm_world_destroy(lm_world* world);

// Mistakes of a scene that would otherwise come to light only when it is prepared, a key inside an obstacle say, found
// with little work: LM_BAD_INPUT at the first. Leaves the world as it is; lm_world_prepare makes sure of the same.
LM_API lm_status lm_world_check(lm_world* world, lm_error* error);

// Two objects, a < b, that cannot touch though neither says so, or that begin inside each other.
typedef struct lm_world_pair
{
	int32_t a, b;
	const char* reason; // why they cannot touch, or NULL
	bool inside;        // their points or surfaces begin inside each other
	double depth;       // m, of the deepest point; 0 where only surfaces cross, and for bodies in the plane
} lm_world_pair;
// The first `capacity` of these pairs, as the objects are now, by a and b; *count: how many there are in all.
LM_API lm_status lm_world_pairs(lm_world* world, lm_world_pair* pairs, int64_t capacity, int64_t* count,
                                lm_error* error);

// Long work before the first frame (none for `match`). Reports progress, can be cancelled, is kept in checkpoints.
LM_API lm_status lm_world_prepare(lm_world* world, lm_error* error);
LM_API bool lm_world_is_prepared(const lm_world* world);

// Advances by one frame, 1 / fps seconds.
LM_API lm_status lm_world_step(lm_world* world, lm_error* error);

LM_API int64_t lm_world_frame(const lm_world* world); // frames stepped so far
LM_API double lm_world_time(const lm_world* world);   // seconds
LM_API uint64_t lm_world_hash(const lm_world* world); // of the whole state
// The same without what commands have told (command.h): equal to that of a run whose timeline says the same.
LM_API uint64_t lm_world_motion_hash(const lm_world* world);

// What there is to see: objects first, then the visible colliders. Views stay valid until the next step.
typedef struct lm_world_surface_view
{
	const char* name;
	const char* engine; // "collider" for colliders
	float color[3];
	int32_t vertex_count;
	const double* positions; // now
	int32_t triangle_count;
	const int32_t* triangles;
	int32_t face_count;
	const int32_t* face_starts;
	const int32_t* face_vertices;
	bool fixed; // never moves
} lm_world_surface_view;
LM_API int32_t lm_world_surface_count(const lm_world* world);
LM_API lm_world_surface_view lm_world_surface(lm_world* world, int32_t i);

LM_API int32_t lm_world_object_count(const lm_world* world);
LM_API int32_t lm_world_find_object(const lm_world* world, const char* name); // -1 if none
// The engine's own handle, to direct it through its API (lm_match_drag, ...). NULL when the object is of another
// engine.
LM_API lm_match* lm_world_match(lm_world* world, int32_t object);
LM_API lm_act* lm_world_act(lm_world* world, int32_t object);
LM_API lm_track* lm_world_track(lm_world* world, int32_t object);

// ---- checkpoints: the whole state as bytes; loading needs a world made from the same scene, at the same SIMD level
// ----
LM_API lm_status lm_world_save(const lm_world* world, const char* path, lm_error* error);
// Whole or not at all: after an error the world is as it was.
LM_API lm_status lm_world_load(lm_world* world, const char* path, lm_error* error);
// The SIMD level that a checkpoint was computed with; LM_SIMD_AUTO where there is none. LM_BAD_INPUT when this machine
// or build lacks it.
LM_API lm_status lm_checkpoint_simd(const char* path, lm_simd* simd, lm_error* error);

// ---- statistics, as docs/statistics.md lists them, as JSON text (lm_text_free) ----
LM_API char* lm_world_statistics(const lm_world* world, double wall_seconds);
// The statistics' keys with unit and meaning, as Markdown.
LM_API char* lm_statistics_reference(const lm_host* host);

// ---- numbers of the moment, to be plotted ----
typedef struct lm_world_number
{
	int32_t object;   // whose it is; -1: the world's
	const char* name; // "kinetic_energy"
	const char* unit; // "" when it has none
	const char* help;
	double value;
} lm_world_number;
// How many there are: the same in every frame of a world. lm_world_numbers fills in as many.
LM_API int32_t lm_world_number_count(const lm_world* world);
LM_API void lm_world_numbers(const lm_world* world, lm_world_number* numbers);

// ---- a whole run: cache, checkpoints, resume ----
typedef struct lm_run_settings
{
	const char* cache_path;      // .lmc; the checkpoint lies beside it with ".checkpoint" appended
	double seconds;              // <= 0: the scene's
	bool resume;                 // go on from the checkpoint if there is one that fits
	int64_t checkpoint_interval; // frames, default 24
	double checkpoint_seconds;   // or after so many seconds of work; such ones survive a power cut; default 5
	const char* numbers_path;    // a CSV file with the numbers of every frame; default NULL
	const struct lm_take* take;  // a performance to repeat (limber/command.h); default NULL
	const volatile int*
		interrupted; // when it becomes non-zero the run ends after the frame, with a checkpoint; may be NULL
} lm_run_settings;
LM_API lm_run_settings lm_run_settings_default(void);

typedef struct lm_run_report
{
	int64_t frames;      // in the cache now, the first frame (time 0) included
	int64_t first_frame; // where this run began, > 0 when resumed
	bool interrupted;
	int64_t differs_from; // with a take: the first of its marks at which the world had another hash; -1: none
	double wall_seconds;
} lm_run_report;
// How large the cache of such a run gets. seconds <= 0: the scene's.
LM_API lm_status lm_world_run_bytes(lm_world* world, double seconds, uint64_t* bytes, lm_error* error);

// Refuses at once when the disk has no room for the cache.
LM_API lm_status lm_world_run(lm_world* world, const lm_run_settings* settings, lm_run_report* report, lm_error* error);

#ifdef __cplusplus
}
#endif
#endif
