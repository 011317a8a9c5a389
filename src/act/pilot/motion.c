// motion.c: how a body is and moves as a whole, from its vertices.
//
// With masses m_i, positions x_i about the centre and X_i of the reference about its own:
//     angular momentum   L = sum m_i x_i x v_i,   spin w with I w = L,   I = sum m_i (|x_i|^2 1 - x_i x_i^T)
//     rotation           R = the rotation nearest to sum m_i x_i X_i^T (its polar factor)
// R is split into a turn about the vertical and a tilt about a horizontal axis after it: R = T(tilt) Y(heading).
#include "act/pilot/pilot.h"
#include "math/quat.h"
#include "math/svd.h"

static void measure_center(lm_act_pilot* pilot)
{
	lm_vec3 center = { 0 }, velocity = { 0 };
	double mass = 0;
	for (int32_t i = 0; i < pilot->vertex_count; ++i)
	{
		double m = pilot->masses[i];
		mass += m;
		center = lm_add_scaled(center, m, lm_v3_at(pilot->positions, i));
		velocity = lm_add_scaled(velocity, m, lm_v3_at(pilot->velocities, i));
	}
	lm_v3_store(pilot->motion.center, 0, lm_scale(1 / mass, center));
	lm_v3_store(pilot->motion.velocity, 0, lm_scale(1 / mass, velocity));
	lm_mesh_bounds(pilot->positions, pilot->vertex_count, pilot->motion.low, pilot->motion.high);
}

// I w = L by Cramer's rule; a body without extent about an axis does not spin.
static lm_vec3 spin_of(lm_mat3 I, lm_vec3 L)
{
	lm_vec3 a = lm_column(I, 0), b = lm_column(I, 1), c = lm_column(I, 2);
	double det = lm_dot(a, lm_cross(b, c)), trace = a.x + b.y + c.z;
	if (!(det > 1e-12 * trace * trace * trace))
		return lm_scale(trace > 0 ? 3 / (2 * trace) : 0, L);
	return lm_scale(1 / det, lm_v3(lm_dot(L, lm_cross(b, c)), lm_dot(a, lm_cross(L, c)), lm_dot(a, lm_cross(b, L))));
}

static void measure_spin(lm_act_pilot* pilot, lm_mat3* pairs)
{
	lm_vec3 c = lm_v3_at(pilot->motion.center, 0), v = lm_v3_at(pilot->motion.velocity, 0), L = { 0 };
	lm_mat3 I = { 0 };
	*pairs = (lm_mat3){ 0 };
	for (int32_t i = 0; i < pilot->vertex_count; ++i)
	{
		double m = pilot->masses[i];
		lm_vec3 x = lm_sub(lm_v3_at(pilot->positions, i), c);
		L = lm_add_scaled(L, m, lm_cross(x, lm_sub(lm_v3_at(pilot->velocities, i), v)));
		lm_add_outer(&I, -m, x, x);
		for (int k = 0; k < 3; ++k)
			I.m[k][k] += m * lm_dot(x, x);
		lm_add_outer(pairs, m, x, lm_v3_at(pilot->reference, i));
	}
	bool flat = pilot->dimension == 2;
	lm_vec3 spin = flat ? lm_v3(0, 0, I.m[2][2] > 0 ? L.z / I.m[2][2] : 0) : spin_of(I, L);
	lm_v3_store(pilot->motion.spin, 0, spin);
}

static void measure_turn(lm_act_pilot* pilot, lm_mat3 pairs)
{
	lm_act_motion* motion = &pilot->motion;
	motion->heading = 0;
	if (pilot->dimension == 2)
	{
		double angle = atan2(pairs.m[1][0] - pairs.m[0][1], pairs.m[0][0] + pairs.m[1][1]);
		lm_v3_store(motion->tilt, 0, lm_v3(0, 0, angle));
		return;
	}
	lm_mat3 R = lm_polar3(pairs).R;
	lm_quat tilt = lm_quat_between(lm_v3(0, 1, 0), lm_column(R, 1));
	lm_v3_store(motion->tilt, 0, lm_quat_log(tilt));
	lm_vec3 side = lm_quat_rotate(lm_quat_conjugate(tilt), lm_column(R, 0)); // horizontal
	motion->heading = atan2(-side.z, side.x);
}

// What a body stands on touches it in its lower part, up to this share of its height. What touches it higher up, a ball
// in flight or somebody beside it, is no ground: taken for it, a body that hops would believe that it has landed.
static const double standing_share = 0.4;

static double standing_height(const lm_act_pilot* pilot)
{
	double low = INFINITY, high = -INFINITY;
	for (int32_t i = 0; i < pilot->vertex_count; ++i)
		low = fmin(low, pilot->positions[3 * (int64_t)i + 1]), high = fmax(high, pilot->positions[3 * (int64_t)i + 1]);
	return low + standing_share * (high - low);
}

static void measure_contact(lm_act_pilot* pilot)
{
	lm_act_motion* motion = &pilot->motion;
	double top = standing_height(pilot);
	lm_vec3 mean = { 0 }, low = { 0 }, high = { 0 };
	motion->touching = 0;
	motion->load = 0;
	for (int32_t i = 0; i < pilot->vertex_count; ++i)
	{
		lm_vec3 x = lm_v3_at(pilot->positions, i);
		if (!(pilot->forces[i] > 0) || x.y > top)
			continue;
		low = motion->touching > 0 ? lm_min3(low, x) : x;
		high = motion->touching > 0 ? lm_max3(high, x) : x;
		mean = lm_add(mean, x);
		motion->load += pilot->forces[i];
		motion->touching++;
	}
	lm_v3_store(motion->support, 0, lm_scale(motion->touching > 0 ? 1.0 / motion->touching : 0, mean));
	lm_v3_store(motion->support_low, 0, low);
	lm_v3_store(motion->support_high, 0, high);
}

void lm_pilot_measure(lm_act_pilot* pilot)
{
	lm_act_positions(pilot->body, pilot->positions);
	lm_act_velocities(pilot->body, pilot->velocities);
	lm_act_contact_forces(pilot->body, pilot->forces);
	pilot->gravity = fmax(-lm_act_get_settings(pilot->body).gravity[1], 0);
	lm_mat3 pairs;
	measure_center(pilot);
	measure_spin(pilot, &pairs);
	measure_turn(pilot, pairs);
	measure_contact(pilot);
}
