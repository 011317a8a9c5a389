// geometry.h: one surface made ready for rays: single-precision positions around the eye, and a normal per corner.
#ifndef LM_RENDER_GEOMETRY_H
#define LM_RENDER_GEOMETRY_H

#include "limber/render.h"
#include "math/vec.h"
#include "render/f3.h"

// How the world is seen by the renderer: q = (p - eye) / unit. The error of a float then is a fixed small angle seen
// from the eye, however far the scene lies from the origin and whatever its size.
typedef struct lm_space
{
	lm_vec3 eye;
	double unit;
	lm_vec3 focus; // what the picture is about, in q
} lm_space;

typedef struct lm_geometry
{
	lm_host host;
	int32_t vertex_count, triangle_count;
	int32_t* triangles; // the topology that `twins` was made for
	int32_t* twins;     // half-edge c goes from corner c to the next of its triangle; its twin runs back, or -1
	size_t triangle_capacity, twin_capacity, position_capacity, index_capacity, face_capacity, corner_capacity;
	float* positions;      // q, with room for the 16 bytes that Embree reads past the end
	uint32_t* indices;     // for Embree: triangles with a corner at no usable place are collapsed
	float* face_normals;   // unit, or zero for a triangle without area
	float* corner_normals; // 3 per triangle, unit, or zero
	lm_f3 low, high;       // of the positions in use; low.x > high.x when there are none
} lm_geometry;

void lm_geometry_init(lm_geometry* geometry, const lm_host* host);
void lm_geometry_release(lm_geometry* geometry);

// Takes over the surface's positions for this picture. index names the surface in messages.
lm_status lm_geometry_update(lm_geometry* geometry, const lm_surface* surface, int32_t index, const lm_space* space,
                             lm_error* error);

static inline int32_t lm_next_corner(int32_t corner)
{
	return corner % 3 == 2 ? corner - 2 : corner + 1;
}

static inline int32_t lm_previous_corner(int32_t corner)
{
	return corner % 3 == 0 ? corner + 2 : corner - 1;
}

// A flat ground: how far from the focus it is drawn, in units. It has faded into the background by then.
#define LM_GROUND_RADIUS 14.0

#endif
