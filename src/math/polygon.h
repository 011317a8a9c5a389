// polygon.h: convex polygons on the ground, x and z: what holds a body.
#ifndef LM_MATH_POLYGON_H
#define LM_MATH_POLYGON_H

#include <stdbool.h>
#include <stdint.h>

#define LM_POLYGON_MAX 96

typedef struct lm_polygon
{
	int32_t count;
	double at[LM_POLYGON_MAX][2];
} lm_polygon;

void lm_polygon_add(lm_polygon* polygon, double x, double z); // beyond LM_POLYGON_MAX: left out
// The convex hull of the points, in order.
void lm_polygon_hull(lm_polygon* polygon);
// The point of the convex polygon (or line, or point), shrunk to a share about its centre, that is nearest to q.
void lm_polygon_nearest(const lm_polygon* polygon, double share, const double q[2], double nearest[2]);
bool lm_polygon_holds(const lm_polygon* polygon, double share, const double q[2]);

#endif
