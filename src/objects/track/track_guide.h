// track_guide.h: the animation that leads a `track` object, at any time: frames interpolated and retimed, or another
// object as it is now; brought to the vertices that the cloth matches.
#ifndef LM_OBJECTS_TRACK_GUIDE_H
#define LM_OBJECTS_TRACK_GUIDE_H

#include "base/arena.h"
#include "objects/engine.h"

typedef struct lm_track_guide
{
	int32_t vertex_count; // of what lm_track_guide_at gives; 0: there is no guide
	int32_t own_count;    // of the frames, or of the object that leads
	int32_t frame_count;
	double* times;
	double* frames; // placed as the object is
	double offset[3], start, speed;
	lm_binding* map;  // from own_count to vertex_count, or NULL
	const char* name; // of the object that leads, or ""
	const lm_engine* engine;
	const void* leader;
	double *own, *positions; // scratch
} lm_track_guide;

// Copies into the arena. On failure, too, lm_track_guide_release has to be called.
lm_status lm_track_guide_keep(lm_track_guide* guide, const lm_scene* scene, const lm_scene_object* description,
                              lm_arena* memory, const lm_host* host, lm_error* error);
void lm_track_guide_release(lm_track_guide* guide);

// Positions at a time of the scene, valid until the next call; NULL when there is no guide.
const double* lm_track_guide_at(const lm_track_guide* guide, double time);

// At most `most` frames, evenly spaced, in the arena, to see what moves together; 0 for guides that are objects.
int32_t lm_track_guide_sample(const lm_track_guide* guide, int32_t most, lm_arena* memory, const double** frames);

#endif
