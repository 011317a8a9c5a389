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

// pose_start.c
lm_status lm_pose_surface_of(lm_world* world, int32_t object, lm_pose_start start, lm_pose_surface* surface,
                             lm_error* error);

#endif
