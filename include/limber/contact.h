// contact.h: the things that soft objects touch: planes, spheres, boxes, capsules and triangle meshes, at rest or
// moving on keyframes.
#ifndef LIMBER_CONTACT_H
#define LIMBER_CONTACT_H

#include "limber/mesh.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef enum lm_shape
{
	LM_SHAPE_PLANE,   // the half-space y <= 0 of its own frame is solid
	LM_SHAPE_SPHERE,  // radius, about its origin
	LM_SHAPE_BOX,     // half extents, about its origin
	LM_SHAPE_CAPSULE, // radius and half length, along its y axis
	LM_SHAPE_MESH     // a triangle mesh; solid inside when closed, two-sided sheets otherwise
} lm_shape;

// Where a collider is at a time. Between keys the position is a Catmull-Rom spline through the keys and the
// rotation a slerp; before the first and after the last it rests.
typedef struct lm_placement_key
{
	double time;
	double position[3];
	double rotation[4]; // quaternion, w first; normalised on use
} lm_placement_key;

// How a mesh collider deforms: places of its vertices in its own frame, linear between frames; before the first and
// after the last it rests.
typedef struct lm_collider_frames
{
	int32_t count;           // 0: it keeps its shape
	const double* times;     // ascending, seconds
	const double* positions; // count x vertex_count x 3
	// In place of a list (count 0): places and, unless NULL, velocities of the vertices at any time; NULL: none.
	void (*at)(void* context, double time, double* positions, double* velocities);
	void* context;
} lm_collider_frames;

typedef struct lm_collider_def
{
	lm_shape shape;
	double radius;             // sphere, capsule; metres, > 0
	double half[3];            // box; metres, > 0
	double half_length;        // capsule, half the distance between the centres of its caps; metres, >= 0
	const lm_mesh* mesh;       // LM_SHAPE_MESH; copied
	lm_collider_frames frames; // of the mesh's vertices; not copied, they must live as long as the colliders
	double friction;           // Coulomb coefficient, 0 .. 1e9, default 0.5; two touching things use the geometric mean
	double restitution;        // 0 .. 1, default 0; the larger of the two counts
	int32_t key_count;         // at least 1; one key is a collider at rest
	const lm_placement_key* keys; // times ascending
} lm_collider_def;

LM_API lm_collider_def lm_collider_def_default(void); // a plane through the origin, without keys

// A set of colliders, compiled for queries.
typedef struct lm_colliders lm_colliders;

LM_API lm_status lm_colliders_create(const lm_collider_def* defs, int32_t count, const lm_host* host,
                                     lm_colliders** colliders, lm_error* error);
LM_API void lm_colliders_destroy(lm_colliders* colliders);
LM_API int32_t lm_colliders_count(const lm_colliders* colliders);

// Moves all to where they are at this time; velocities follow from the splines.
LM_API void lm_colliders_set_time(lm_colliders* colliders, double time);

// Position and rotation (w first) of collider i at the time last set.
LM_API void lm_colliders_placement(const lm_colliders* colliders, int32_t i, double position[3], double rotation[4]);

// The contact of a point with the collider that it is deepest in, among those nearer than `reach`.
typedef struct lm_touch
{
	int32_t collider;   // -1: nothing within reach
	double distance;    // to the surface, negative inside
	double normal[3];   // unit, out of the collider
	double velocity[3]; // of the surface there
	double friction, restitution;
} lm_touch;
LM_API lm_touch lm_colliders_query(const lm_colliders* colliders, const double point[3], double reach);

#ifdef __cplusplus
}
#endif
#endif
