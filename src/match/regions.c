// regions.c: what a region is at rest, and the descriptor of a pose, in double precision.
//
// Eq. 1 divides by the rest moment Aqq_r = sum m~_i q_i q_i^T, which has no inverse where the region is flat or a line,
// and a useless one where it is nearly so. B_r is its inverse in the directions (eigenvectors) whose variance is above
// LM_FLAT of the largest, fading to nothing at LM_GONE; D_r = I - Aqq_r B_r is what is missing. With A0 = (sum m~ p
// q^T) B_r the moment matrix is completed as A = A0 + R D_r: along missing directions the region is taken to be
// unstretched. Since tr(R^T R D) does not depend on R, the best rotation of A is that of A0, and S = R^T A0 + D_r.
#include "match/body.h"
#include "math/svd.h"

#define LM_GONE 1e-4     // a plate of 1 % of its width
#define LM_FLAT 2.5e-3   // 5 %
#define LM_INVERTED 0.02 // of the rest volume: below this a region counts as collapsed

static double filtered(double ratio)
{
	double t = (ratio - LM_GONE) / (LM_FLAT - LM_GONE);
	t = t < 0 ? 0 : t > 1 ? 1 : t;
	return t * t * (3 - 2 * t);
}

lm_match_rest_region lm_match_measure_region(const lm_match* body, int32_t r)
{
	lm_match_rest_region rest = { 0 };
	lm_vec3 near = lm_match_rest_position(body, r),
			sum = { 0 }; // sums relative to the particle itself: no cancellation
	int32_t size = lm_match_ring_size(body, r);
	for (int32_t k = 0; k < size; ++k)
	{
		int32_t i = lm_match_member(body, r, k);
		double m = body->rest_moment[4 * (int64_t)i + 3];
		sum = lm_add_scaled(sum, m, lm_sub(lm_match_rest_position(body, i), near));
		rest.mass += m;
	}
	rest.centre = lm_add_scaled(near, 1 / rest.mass, sum);
	for (int32_t k = 0; k < size; ++k)
	{
		int32_t i = lm_match_member(body, r, k);
		lm_vec3 q = lm_sub(lm_match_rest_position(body, i), rest.centre);
		lm_add_outer(&rest.moment, body->rest_moment[4 * (int64_t)i + 3], q, q);
	}
	double trace = rest.moment.m[0][0] + rest.moment.m[1][1] + rest.moment.m[2][2];
	rest.scale = trace > 1e-24 * body->size * body->size * rest.mass ? 1 / trace : 0;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			rest.moment.m[i][j] *= rest.scale;
	lm_eigen axes = lm_eigen3(rest.moment);
	double variance[3];
	lm_v3_store(variance, 0, axes.e);
	for (int k = 0; k < 3; ++k)
	{
		lm_vec3 axis = lm_column(axes.V, k);
		double kept = rest.scale > 0 ? filtered(variance[k] / variance[0]) : 0;
		if (kept > 0)
			lm_add_outer(&rest.inverse, kept / variance[k], axis, axis);
		lm_add_outer(&rest.missing, 1 - kept, axis, axis);
		rest.flat = rest.flat || kept < 1;
	}
	return rest;
}

// Positions are taken relative to the region's own particle.
lm_mat3 lm_match_measure_moment(const lm_match* body, int32_t r, const lm_match_rest_region* rest, const double* pose,
                                lm_vec3* centre)
{
	lm_vec3 near = lm_v3_at(pose, r), sum = { 0 };
	lm_mat3 moment = { 0 };
	for (int32_t k = 0; k < lm_match_ring_size(body, r); ++k)
	{
		int32_t i = lm_match_member(body, r, k);
		double m = body->rest_moment[4 * (int64_t)i + 3];
		lm_vec3 q = lm_sub(lm_match_rest_position(body, i), rest->centre), p = lm_sub(lm_v3_at(pose, i), near);
		lm_add_outer(&moment, rest->scale * m, p, q);
		sum = lm_add_scaled(sum, m / rest->mass, p);
	}
	*centre = lm_add(near, sum);
	return moment;
}

lm_mat3 lm_match_measure_turn(const lm_match* body, int32_t r, const lm_match_rest_region* rest, const double* pose)
{
	lm_vec3 centre;
	return lm_polar3(lm_mul(lm_match_measure_moment(body, r, rest, pose, &centre), rest->inverse)).R;
}

lm_mat3 lm_match_measure_stretch(const lm_match* body, int32_t r, const lm_match_rest_region* rest, const double* pose)
{
	lm_vec3 centre;
	lm_mat3 A = lm_mul(lm_match_measure_moment(body, r, rest, pose, &centre), rest->inverse);
	lm_mat3 S = lm_mul(lm_transpose(lm_polar3(A).R), A);
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			S.m[i][j] += rest->missing.m[i][j];
	return S;
}

void lm_match_fill_region(lm_match* body, int32_t r, const lm_match_rest_region* rest)
{
	float* shape = body->shape + (int64_t)(r / LM_LANES) * LM_SHAPE_FIELDS * LM_LANES;
	int lane = r % LM_LANES;
	double size2 = body->size * body->size;
	shape[LM_SHAPE_WEIGHT * LM_LANES + lane] = rest->scale > 0 ? (float)(1 / (rest->scale * size2)) : 0;
	shape[LM_SHAPE_SCALE * LM_LANES + lane] = (float)rest->scale;
	shape[LM_SHAPE_MASS * LM_LANES + lane] = (float)(1 / rest->mass);
	// A flat region has no volume to lose.
	shape[LM_SHAPE_FLOOR * LM_LANES + lane] = rest->flat ? -1e30f : (float)(LM_INVERTED * lm_det(rest->moment));
	double centre[3];
	lm_v3_store(centre, 0, rest->centre);
	for (int k = 0; k < 3; ++k)
		body->rest_centre[((int64_t)(r / LM_LANES) * 3 + k) * LM_LANES + lane] = (float)centre[k];
}
