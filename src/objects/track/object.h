// object.h: an object of `track` in a world, and the tables of what is told of it.
#ifndef LM_OBJECTS_TRACK_OBJECT_H
#define LM_OBJECTS_TRACK_OBJECT_H

#include "objects/objects.h"
#include "objects/track/bodies.h"
#include "objects/track/guide.h"
#include "objects/track/layers.h"

typedef struct lm_track_object
{
	lm_object base;
	lm_track* cloth;
	double size;
	double* start;   // vertex_count x 3: where the vertices began
	double* blended; // likewise: the undeformed shape, NULL when it is always the mesh
	lm_track_guide guide;
	lm_track_bodies bodies; // that it touches
	lm_track_layer layer;   // among other cloths
	bool prepared;
	// what goes into checkpoints besides the cloth
	struct
	{
		double blend;
		int64_t intersections, steps, pinched;
		double lag, penetration; // largest at the end of a frame, m
		bool told_lag, told_jump;
	} record;
} lm_track_object;

// numbers.c: over a run, and in a frame
#define LM_TRACK_STATISTICS 15
#define LM_TRACK_NUMBERS 14
extern const lm_statistic_key lm_track_statistic_keys[LM_TRACK_STATISTICS];
extern const lm_statistic_key lm_track_number_keys[LM_TRACK_NUMBERS];
void lm_track_object_statistics(const lm_object* base, double* values);
int32_t lm_track_object_numbers(const lm_object* base, double* values);

#endif
