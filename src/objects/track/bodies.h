// bodies.h: shown surfaces of objects of other engines, as obstacles of a cloth.
#ifndef LM_OBJECTS_TRACK_BODIES_H
#define LM_OBJECTS_TRACK_BODIES_H

#include "scene/engine.h"

typedef struct lm_track_body
{
	int32_t object;      // of the scene
	lm_binding* binding; // of the shown surface to the simulated points
	lm_mesh* mesh;       // the vertices of its triangles alone, where they begin
	int32_t* vertices;   // of the shown surface, that the mesh has
	double *points, *shown, *positions;
} lm_track_body;

typedef struct lm_track_bodies
{
	lm_host host;
	int32_t count;
	lm_track_body* items;
	const lm_mesh** meshes; // theirs, for lm_track_def
} lm_track_bodies;

lm_status lm_track_bodies_create(lm_track_bodies* bodies, const lm_object* object, lm_error* error);
void lm_track_bodies_destroy(lm_track_bodies* bodies);

// Where they are now is where they shall be at the end of the cloth's step.
lm_status lm_track_bodies_move(const lm_track_bodies* bodies, const lm_object* object, lm_track* cloth,
                               lm_error* error);

#endif
