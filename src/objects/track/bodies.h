// bodies.h: shown surfaces of objects of other engines, as obstacles of a cloth.
#ifndef LM_OBJECTS_TRACK_BODIES_H
#define LM_OBJECTS_TRACK_BODIES_H

#include "objects/track/push.h"
#include "scene/engine.h"

typedef struct lm_track_body
{
	int32_t object;      // of the scene
	lm_binding* binding; // of the shown surface to the simulated points
	lm_mesh* mesh;       // the vertices of its triangles alone, where they begin
	int32_t* vertices;   // of the shown surface, that the mesh has
	double *points, *shown, *positions;
} lm_track_body;

lm_status lm_track_body_create(lm_track_body* body, const lm_scene_object* o, const lm_host* host, lm_error* error);
void lm_track_body_destroy(lm_track_body* body, const lm_host* host);
// body->positions: where it is now.
void lm_track_body_follow(const lm_track_body* body, const lm_object* object);

typedef struct lm_track_bodies
{
	lm_host host;
	int32_t count;
	lm_track_body* items;
	const lm_mesh** meshes; // theirs, for lm_track_def
	int32_t leader;         // object of the scene that leads the cloth and can be pushed, or -1
	lm_track_bag* bags;     // [count + 1] what bodies are to be given; the last: the leader, when it is not touched
} lm_track_bodies;

lm_status lm_track_bodies_create(lm_track_bodies* bodies, const lm_object* object, lm_error* error);
void lm_track_bodies_destroy(lm_track_bodies* bodies);

// What the cloth does to them is found out, from its next step on.
void lm_track_bodies_attach(const lm_track_bodies* bodies, lm_track* cloth);
// After a step of h, with the bodies where they are: what it did goes into their bags.
void lm_track_bodies_push(const lm_track_bodies* bodies, const lm_object* object, lm_track* cloth, double h);
// The bag for an object of the scene, or NULL.
lm_track_bag* lm_track_bodies_bag(const lm_track_bodies* bodies, int32_t object);
double lm_track_bodies_lost(const lm_track_bodies* bodies); // N s, of all bags

uint64_t lm_track_bodies_hash(const lm_track_bodies* bodies, uint64_t hash);
void lm_track_bodies_save(const lm_track_bodies* bodies, lm_blob* blob);
void lm_track_bodies_load(const lm_track_bodies* bodies, lm_blob* blob);

// Where they are now is where they shall be at the end of the cloth's step.
lm_status lm_track_bodies_move(const lm_track_bodies* bodies, const lm_object* object, lm_track* cloth,
                               lm_error* error);

#endif
