// wear.h: cloth that a body wears: its guide is bound to the nearest points of the body's surface.
//
// A vertex that begins at p, nearest to the point sum w_i x_i of the triangle x_0 x_1 x_2, is led to
//
//     sum w_i x_i + a t + b s + c n,   t along x_1 - x_0, n across the triangle, s = n x t
//
// with w and a, b, c as they were at the start: it moves and turns with the triangle and keeps its distance.
// A garment touches its body, and starts at least a thickness away from it. A skin takes the place of its body's
// surface: they do not touch.
#ifndef LM_OBJECTS_TRACK_WEAR_H
#define LM_OBJECTS_TRACK_WEAR_H

#include "objects/track/bodies.h"

typedef struct lm_worn
{
	int32_t triangle;
	double weights[3]; // w
	double offset[3];  // a, b, c
} lm_worn;

typedef struct lm_track_wear
{
	lm_track_body body;
	int32_t count; // vertices of the cloth; 0: it is not worn
	lm_worn* worn; // [count]
} lm_track_wear;

// start: [count x 3] where the cloth begins.
lm_status lm_track_wear_create(lm_track_wear* wear, const lm_scene_object* leader, const double* start, int32_t count,
                               const lm_host* host, lm_error* error);
void lm_track_wear_destroy(lm_track_wear* wear, const lm_host* host);
// Where the vertices are led to, the leader being where it is.
void lm_track_wear_at(const lm_track_wear* wear, const lm_object* leader, double* positions);

// Moves a garment's start out, to at least a thickness from the body's surface where it begins; how many vertices, and
// how far at most.
typedef struct lm_moved_out
{
	int32_t count;
	double most; // m
} lm_moved_out;
lm_status lm_track_move_out(const lm_mesh* body, const lm_mesh* cloth, double thickness, const lm_host* host,
                            double* start, lm_moved_out* moved, lm_error* error);

#endif
