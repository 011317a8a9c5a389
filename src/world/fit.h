// fit.h: the eye's frame, and fitting a camera around points, for pictures and for whoever looks at a world.
#ifndef LM_WORLD_FIT_H
#define LM_WORLD_FIT_H

#include "limber/scene.h"
#include "math/vec.h"

// Where a camera stands and what its axes are, with every nonsense (eye at the target, up along the view, not finite)
// replaced by something that gives a picture.
typedef struct lm_view
{
	lm_vec3 eye, right, up, forward; // axes: orthonormal, right x up = -forward
	double distance;                 // from the eye to the target
	double tangent;                  // of half the vertical field of view
} lm_view;

lm_view lm_view_of(const lm_camera* camera);

// The tightest camera along a direction that sees all points added. With c = (x, y, z) the coordinates of a point along
// right, up and forward, and an eye at (e_x, e_y, -D), the point is in the picture when |x - e_x| <= t_x (z + D), t_x
// the tangent of half the horizontal field of view; the same in y. So only four extremes need to be remembered:
// max (x - t_x z) and min (x + t_x z), and their like in y.
typedef struct lm_fit
{
	lm_view view; // only the axes are meant
	double tangent_x, tangent_y;
	double high[2], low[2]; // max (x - t z), min (x + t z)
	double near_z, far_z;   // extremes of z
	int64_t count;          // points so far
} lm_fit;

lm_fit lm_fit_start(const double direction[3], double fov, double aspect);
void lm_fit_add(lm_fit* fit, lm_vec3 point); // points that are not finite are passed over
void lm_fit_add_box(lm_fit* fit, lm_vec3 low, lm_vec3 high);

// A surface in the picture, as it is at a moment.
typedef struct lm_fit_thing
{
	const char* name;
	int32_t vertex_count, triangle_count;
	const double* positions;
	bool fixed;  // it never moves
	bool ground; // lm_fit_find_grounds
} lm_fit_thing;

// The box around what moves; begins as lm_fit_no_bounds.
typedef struct lm_fit_bounds
{
	lm_vec3 low, high;
} lm_fit_bounds;
lm_fit_bounds lm_fit_no_bounds(void);

// Grounds: a fixed thing with that name, and planes, which are two triangles far larger than what moves.
void lm_fit_find_grounds(lm_fit_thing* things, int32_t count);
// All that moves has to be in the picture; once for each frame.
void lm_fit_add_moving(lm_fit* fit, const lm_fit_thing* things, int32_t count, lm_fit_bounds* moving);
// What stands still counts as far as it is near the things that move, or all of it where nothing moves. Grounds are
// everywhere and do not count.
void lm_fit_add_still(lm_fit* fit, const lm_fit_thing* things, int32_t count, lm_fit_bounds moving);

// zoom 1: everything just fits, with a little air around; 2: twice as close.
lm_camera lm_fit_camera(const lm_fit* fit, double zoom);

#endif
