#include "mesh/closest.h"

// Below these shares of the squared edges the squared doubled area is rounding noise, and rounding turns the normal.
static const double flat_share = 1e-30, thin_share = 1e-12;

static lm_closest with_weights(lm_vec3 p, lm_vec3 a, lm_vec3 b, lm_vec3 c, double u, double v, double w)
{
	lm_vec3 point = lm_add_scaled(lm_add_scaled(lm_scale(u, a), v, b), w, c);
	lm_vec3 offset = lm_sub(p, point);
	return (lm_closest){ point, { u, v, w }, lm_dot(offset, offset) };
}

// The closest of the three edges.
static lm_closest on_outline(lm_vec3 p, lm_vec3 a, lm_vec3 b, lm_vec3 c)
{
	double t = lm_closest_on_segment(p, a, b);
	lm_closest best = with_weights(p, a, b, c, 1 - t, t, 0);
	t = lm_closest_on_segment(p, b, c);
	lm_closest other = with_weights(p, a, b, c, 0, 1 - t, t);
	best = other.distance2 < best.distance2 ? other : best;
	t = lm_closest_on_segment(p, c, a);
	other = with_weights(p, a, b, c, t, 0, 1 - t);
	return other.distance2 < best.distance2 ? other : best;
}

// The region that p lies over, of a triangle with a normal.
static lm_closest on_regions(lm_vec3 p, lm_vec3 a, lm_vec3 b, lm_vec3 c, lm_vec3 normal)
{
	lm_vec3 ab = lm_sub(b, a), ac = lm_sub(c, a);
	lm_vec3 ap = lm_sub(p, a), bp = lm_sub(p, b), cp = lm_sub(p, c);
	double ab_a = lm_dot(ab, ap), ac_a = lm_dot(ac, ap);
	if (ab_a <= 0 && ac_a <= 0)
		return with_weights(p, a, b, c, 1, 0, 0);
	double ab_b = lm_dot(ab, bp), ac_b = lm_dot(ac, bp);
	if (ab_b >= 0 && ac_b <= ab_b)
		return with_weights(p, a, b, c, 0, 1, 0);
	double ab_c = lm_dot(ab, cp), ac_c = lm_dot(ac, cp);
	if (ac_c >= 0 && ab_c <= ac_c)
		return with_weights(p, a, b, c, 0, 0, 1);

	// areas of the projection with each edge, times the doubled area of the triangle; from the normal, because the
	// products of the dots above cancel badly far from the triangle
	double beyond_ab = lm_dot(normal, lm_cross(ap, bp));
	if (beyond_ab <= 0 && ab_a >= 0 && ab_b <= 0)
	{
		double t = ab_a / (ab_a - ab_b);
		return with_weights(p, a, b, c, 1 - t, t, 0);
	}
	double beyond_ca = lm_dot(normal, lm_cross(cp, ap));
	if (beyond_ca <= 0 && ac_a >= 0 && ac_c <= 0)
	{
		double t = ac_a / (ac_a - ac_c);
		return with_weights(p, a, b, c, 1 - t, 0, t);
	}
	double beyond_bc = lm_dot(normal, lm_cross(bp, cp));
	double bc_b = ac_b - ab_b, bc_c = ab_c - ac_c; // along bc from b, and along cb from c
	if (beyond_bc <= 0 && bc_b >= 0 && bc_c >= 0)
	{
		double t = bc_b / (bc_b + bc_c);
		return with_weights(p, a, b, c, 0, 1 - t, t);
	}
	if (beyond_ab < 0 || beyond_ca < 0 || beyond_bc < 0) // contradictory to rounding: near an edge or corner
		return on_outline(p, a, b, c);
	double sum = beyond_ab + beyond_bc + beyond_ca;
	double v = beyond_ca / sum, w = beyond_ab / sum;
	return with_weights(p, a, b, c, fmax(0, 1 - v - w), v, w);
}

lm_closest lm_closest_on_triangle(lm_vec3 p, lm_vec3 a, lm_vec3 b, lm_vec3 c)
{
	lm_vec3 ab = lm_sub(b, a), ac = lm_sub(c, a);
	lm_vec3 normal = lm_cross(ab, ac);
	double area2 = lm_dot(normal, normal), size4 = lm_dot(ab, ab) * lm_dot(ac, ac);
	if (!(area2 > flat_share * size4))
		return on_outline(p, a, b, c);
	lm_closest best = on_regions(p, a, b, c, normal);
	if (area2 > thin_share * size4)
		return best;
	lm_closest other = on_outline(p, a, b, c); // both are points of the triangle: the closer one wins
	return other.distance2 < best.distance2 ? other : best;
}

double lm_closest_on_tet(lm_vec3 p, const lm_vec3 corners[4], double weights[4])
{
	static const int faces[4][3] = { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 1, 3 }, { 0, 2, 1 } };
	double inside[4];
	bool solid = lm_tet_barycentrics(p, corners[0], corners[1], corners[2], corners[3], inside);
	if (solid && inside[0] >= 0 && inside[1] >= 0 && inside[2] >= 0 && inside[3] >= 0)
	{
		for (int i = 0; i < 4; ++i)
			weights[i] = inside[i];
		return 0;
	}
	double best = INFINITY;
	for (int f = 0; f < 4; ++f)
	{
		if (solid && inside[f] >= 0) // the closest point lies on a face that p can see
			continue;
		const int* corner = faces[f];
		lm_closest hit = lm_closest_on_triangle(p, corners[corner[0]], corners[corner[1]], corners[corner[2]]);
		if (!(hit.distance2 < best))
			continue;
		best = hit.distance2;
		weights[f] = 0;
		for (int i = 0; i < 3; ++i)
			weights[corner[i]] = hit.weights[i];
	}
	return best;
}
