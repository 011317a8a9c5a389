// pose.h: the inside of a posing session.
#ifndef LM_WORLD_POSE_H
#define LM_WORLD_POSE_H

#include "limber/pose.h"
#include "math/quat.h"
#include "mesh/topology.h"
#include "world/world.h"

// What the session began with: a surface in the coordinates of the object's mesh, and how it is shown.
typedef struct lm_pose_surface
{
	lm_mesh* mesh;    // positions as they were at the beginning
	lm_mesh* body;    // likewise: what poses are made of where that is not `mesh`; else NULL
	lm_quat rotation; // shown = rotation (x - from) + to
	lm_vec3 from, to;
	double scale; // of the files
	bool flat;    // a body in the plane, shown as a plate or ribbon: handles and poses stay in the plane z = 0
} lm_pose_surface;

enum
{
	LM_POSE_STATES = 200,
	LM_POSE_POINTS = 48 // of a handle: more would cost time and hold no better
};

#define LM_POSE_RADIUS 0.05 // of the size: how far a handle reaches, unless said

typedef struct lm_pose_grip_put
{
	lm_pose_grip given;
	int32_t count;
	int32_t vertices[LM_POSE_POINTS];
	double offsets[3 * LM_POSE_POINTS]; // of where the vertices were when it was put, from their middle
} lm_pose_grip_put;

typedef struct lm_pose_active
{
	int32_t grip;
	lm_vec3 to;
	lm_quat rotation;
} lm_pose_active;

typedef struct lm_pose_state
{
	int32_t count;
	lm_pose_active* handles;
	double* nodes; // of the pose
	bool volume;
} lm_pose_state;

struct lm_pose_session
{
	lm_host host;
	lm_pose_surface surface;
	int32_t object;                // of the world, or -1
	const lm_scene_design* design; // its settings when it is one of `design`, else NULL
	lm_pose_start start;
	double size;
	lm_adjacency neighbours;
	lm_design_model* model;
	lm_design_pose* pose;
	lm_design_pose_settings settings; // with volume
	size_t grip_count, grip_capacity;
	lm_pose_grip_put** grips;
	lm_pose_state now;
	int32_t past_count;
	lm_pose_state past[LM_POSE_STATES];
	int32_t moving;      // the handle whose moves belong to one gesture, or -1
	double *own, *shown; // vertex_count x 3: the surface in own coordinates, and as it is shown
};

// pose_start.c
lm_status lm_pose_surface_of(lm_world* world, int32_t object, lm_pose_start start, lm_pose_surface* surface,
                             lm_error* error);

#endif
