// timeline.h: pins, drags and pushes of a scene over time, for all engines; and the position and velocity at which an
// object starts.
#ifndef LM_OBJECTS_TIMELINE_H
#define LM_OBJECTS_TIMELINE_H

#include "scene/engine.h"

// Directs the object for the step that is due, through the functions of its engine: by the scene, then by commands
// (live.h). start: vertex_count x 3, where the
// vertices began, which pins hold on to.
lm_status lm_timeline_play(lm_object* object, const double* start, lm_error* error);

// Vertices that are held or pulled together: shares of the strength (NULL: all alike), and where each is held from the
// place of all (count x 3; NULL: as they start).
typedef struct lm_hold
{
	int32_t count;
	const int32_t* vertices;
	const double *weights, *offsets;
} lm_hold;
lm_status lm_hold_pin(lm_object* object, const lm_hold* hold, const double place[3], const double* start,
                      lm_error* error);
void lm_hold_drag(lm_object* object, const lm_hold* hold, const double place[3], double strength, const double* start);

// Of some of the vertices.
double lm_sum_masses(const double* masses, const int32_t* vertices, int32_t count);

// Whether something with a start and an end (< 0: none) is on during the step from `time` to `time` + h.
bool lm_timeline_is_on(double start, double end, double time, double h);

// The velocities with which an object starts, as of a rigid body with this centre.
void lm_start_velocities(const lm_scene_object* description, const double* positions, const double center[3],
                         double* velocities);

#endif
