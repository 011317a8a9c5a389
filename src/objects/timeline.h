// timeline.h: what a scene does to an object over time, whatever its engine: pins, drags and pushes; and where and how
// fast an object starts.
#ifndef LM_OBJECTS_TIMELINE_H
#define LM_OBJECTS_TIMELINE_H

#include "base/arena.h"
#include "limber/scene.h"

typedef struct lm_timeline
{
	const double* start; // vertex_count x 3: where the vertices began, which pins hold on to; not owned
	int32_t pin_count, drag_count, push_count;
	lm_scene_pin* pins;
	lm_scene_drag* drags;
	lm_scene_push* pushes;
} lm_timeline;

// How an engine is directed.
typedef struct lm_timeline_target
{
	void (*pin)(void* body, int32_t vertex, const double position[3]);
	void (*unpin)(void* body, int32_t vertex);
	void (*drag)(void* body, int32_t vertex, const double target[3], double strength); // 0 lets go
	void (*push)(void* body, const int32_t* vertices, int32_t count, const double impulse[3]);
} lm_timeline_target;

// Copies into the arena. False when out of memory.
void* lm_keep(lm_arena* memory, const void* source, size_t count, size_t size);
bool lm_keep_keyed(lm_arena* memory, lm_keyed* keyed, int32_t width);
bool lm_timeline_keep(lm_timeline* timeline, const lm_scene_object* description, const double* start, lm_arena* memory);

// Directs the body for the step from `time` to `time` + h.
void lm_timeline_play(const lm_timeline* timeline, double time, double h, const lm_timeline_target* target, void* body);

// Whether something with a start and an end (< 0: none) is on during the step from `time` to `time` + h.
bool lm_timeline_is_on(double start, double end, double time, double h);

// Where the vertices of an object start: its start pose (or rest shape), turned and moved.
void lm_start_positions(const lm_scene_object* description, double* positions);
// Their velocities, as of a rigid body with this centre.
void lm_start_velocities(const lm_scene_object* description, const double* positions, const double center[3],
                         double* velocities);

#endif
