#include "mesh/triangle_tet.h"

// Whether the projections on the axis are apart by more than slack. An axis of length zero separates nothing.
static bool separates(lm_vec3 axis, const lm_vec3 triangle[3], const lm_vec3 tet[4], double slack)
{
	double low1 = INFINITY, high1 = -INFINITY, low2 = INFINITY, high2 = -INFINITY;
	for (int i = 0; i < 3; ++i)
	{
		double s = lm_dot(axis, triangle[i]);
		low1 = s < low1 ? s : low1;
		high1 = s > high1 ? s : high1;
	}
	for (int i = 0; i < 4; ++i)
	{
		double s = lm_dot(axis, tet[i]);
		low2 = s < low2 ? s : low2;
		high2 = s > high2 ? s : high2;
	}
	double gap = low1 > high2 ? low1 - high2 : low2 - high1;
	return gap > 0 && gap * gap > slack * slack * lm_dot(axis, axis);
}

bool lm_triangle_touches_tet(const lm_vec3 triangle[3], const lm_vec3 tet[4], double slack)
{
	// boxes first: most pairs end here
	if (separates(lm_v3(1, 0, 0), triangle, tet, slack) || separates(lm_v3(0, 1, 0), triangle, tet, slack) ||
	    separates(lm_v3(0, 0, 1), triangle, tet, slack))
		return false;
	static const int faces[4][3] = { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 1, 3 }, { 0, 2, 1 } };
	for (int f = 0; f < 4; ++f)
	{
		lm_vec3 a = tet[faces[f][0]];
		lm_vec3 normal = lm_cross(lm_sub(tet[faces[f][1]], a), lm_sub(tet[faces[f][2]], a));
		if (separates(normal, triangle, tet, slack))
			return false;
	}
	lm_vec3 edges[3] = { lm_sub(triangle[1], triangle[0]), lm_sub(triangle[2], triangle[1]),
		                 lm_sub(triangle[0], triangle[2]) };
	if (separates(lm_cross(edges[0], edges[1]), triangle, tet, slack))
		return false;
	static const int tet_edges[6][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };
	for (int e = 0; e < 6; ++e)
	{
		lm_vec3 along = lm_sub(tet[tet_edges[e][1]], tet[tet_edges[e][0]]);
		for (int i = 0; i < 3; ++i)
			if (separates(lm_cross(along, edges[i]), triangle, tet, slack))
				return false;
	}
	return true;
}
