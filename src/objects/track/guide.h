// guide.h: the animation that leads a `track` object, at any time: frames interpolated and retimed, or another object
// as it is now; brought to the vertices that the cloth matches.
#ifndef LM_OBJECTS_TRACK_GUIDE_H
#define LM_OBJECTS_TRACK_GUIDE_H

#include "objects/track/wear.h"
#include "scene/engine.h"

typedef struct lm_track_guide
{
	const lm_object* object; // that is led
	const lm_mesh* mesh;     // the guide's own, undeformed, or NULL
	int32_t own_count;       // vertices of the frames, or of the object that leads
	int32_t vertex_count;    // of what lm_track_guide_at gives; 0: there is no guide
	const lm_binding* map;   // from own_count to vertex_count, or NULL
	double *own, *positions; // scratch
	lm_track_wear wear;      // of a garment or a skin
} lm_track_guide;

// start: where the cloth begins. Its memory is the object's, and what lm_track_guide_release frees.
lm_status lm_track_guide_init(lm_track_guide* guide, lm_object* object, const double* start, lm_error* error);
void lm_track_guide_release(lm_track_guide* guide);

// Positions at a time of the scene, valid until the next call; NULL when there is no guide.
const double* lm_track_guide_at(const lm_track_guide* guide, double time);

// At most `most` frames, evenly spaced, in the arena, to see what moves together; 0 for guides that are objects, -1
// when out of memory.
int32_t lm_track_guide_sample(const lm_track_guide* guide, int32_t most, lm_arena* memory, const double** frames);

#endif
