// figure_rest.c: how a rigid body comes to rest on the ground.
//
// It stands on the hull of its lowest points. Where the centre of mass lies outside, it rolls over the point of the
// hull that is nearest to the centre, until the next point of the surface touches the ground; and so on.
#include "math/polygon.h"
#include "math/quat.h"
#include "mesh/figure.h"

#include <math.h>
#include <string.h>

enum
{
	DIRECTIONS = 64, // in which the hull is exact
	MOST_ROLLS = 100
};

static const double sole_share = 0.01;    // of the height: what is that low touches the ground
static const double least_outside = 0.02; // of the height: a soft body balances over less
static const double least_angle = 1e-3;   // radians: what is nearer to the ground touches it already

static double lowest(const lm_mesh* surface, lm_quat R)
{
	double low = INFINITY;
	for (int32_t i = 0; i < 3 * surface->triangle_count; ++i)
		low = fmin(low, lm_quat_rotate(R, lm_v3_at(surface->positions, surface->triangles[i])).y);
	return low;
}

// The hull of what is at most `high`, by its farthest points in many directions.
static void find_hull(const lm_mesh* surface, lm_quat R, double high, lm_polygon* hull)
{
	double farthest[DIRECTIONS], at[DIRECTIONS][2];
	for (int d = 0; d < DIRECTIONS; ++d)
		farthest[d] = -INFINITY;
	for (int32_t i = 0; i < 3 * surface->triangle_count; ++i)
	{
		lm_vec3 x = lm_quat_rotate(R, lm_v3_at(surface->positions, surface->triangles[i]));
		for (int d = 0; x.y <= high && d < DIRECTIONS; ++d)
		{
			double angle = 2 * LM_PI * d / DIRECTIONS, along = cos(angle) * x.x + sin(angle) * x.z;
			if (along > farthest[d])
				farthest[d] = along, at[d][0] = x.x, at[d][1] = x.z;
		}
	}
	hull->count = 0;
	for (int d = 0; d < DIRECTIONS; ++d)
		if (isfinite(farthest[d]))
			lm_polygon_add(hull, at[d][0], at[d][1]);
	lm_polygon_hull(hull);
}

// Over which line on the ground the body rolls: through a point, towards a direction.
typedef struct roll
{
	double point[2], towards[2];
	double outside; // how far the centre of mass is beyond it
} roll;

static roll find_roll(const lm_polygon* hull, lm_vec3 center)
{
	roll r = { .outside = 0 };
	double q[2] = { center.x, center.z };
	lm_polygon_nearest(hull, 1, q, r.point);
	r.outside = hypot(q[0] - r.point[0], q[1] - r.point[1]);
	for (int c = 0; c < 2 && r.outside > 0; ++c)
		r.towards[c] = (q[c] - r.point[c]) / r.outside;
	return r;
}

// The angle at which the next point of the surface touches the ground.
static double next_touch(const lm_mesh* surface, lm_quat R, const roll* r, double ground)
{
	double least = INFINITY;
	for (int32_t i = 0; i < 3 * surface->triangle_count; ++i)
	{
		lm_vec3 x = lm_quat_rotate(R, lm_v3_at(surface->positions, surface->triangles[i]));
		double ahead = (x.x - r->point[0]) * r->towards[0] + (x.z - r->point[1]) * r->towards[1];
		double angle = atan2(x.y - ground, ahead);
		if (angle > least_angle)
			least = fmin(least, angle);
	}
	return least;
}

// What lies in the direction t on the ground goes down.
static lm_quat roll_by(const double t[2], double angle, lm_quat R)
{
	double c = cos(0.5 * angle), s = sin(0.5 * angle);
	return lm_quat_normalize(lm_quat_mul((lm_quat){ c, s * t[1], 0, -s * t[0] }, R));
}

double lm_figure_rest(const lm_mesh* surface, const double center[3], double turn[3][3])
{
	lm_quat R = lm_quat_identity();
	double low[3], high[3];
	bool rests = false;
	lm_mesh_bounds(surface->positions, surface->vertex_count, low, high);
	double height = high[1] - low[1];
	for (int k = 0; !rests && k < MOST_ROLLS && height > 0 && surface->triangle_count > 0; ++k)
	{
		lm_polygon hull;
		double ground = lowest(surface, R);
		find_hull(surface, R, ground + sole_share * height, &hull);
		roll r = find_roll(&hull, lm_quat_rotate(R, lm_v3_at(center, 0)));
		double angle = next_touch(surface, R, &r, ground);
		rests = r.outside <= (k == 0 ? least_outside * height : 0) || !(angle < 3.2);
		if (!rests)
			R = roll_by(r.towards, angle, R);
	}
	R = rests ? R : lm_quat_identity(); // a ball rolls for ever
	lm_mat3 matrix = lm_quat_matrix(R);
	memcpy(turn, matrix.m, sizeof matrix.m);
	return 2 * acos(fmin(fabs(R.w), 1)) * 180 / LM_PI;
}
