#include "act/pilot/feet.h"

#include <math.h>

static const double up[3] = { 0, 1, 0 }, x_axis[3] = { 1, 0, 0 }, z_axis[3] = { 0, 0, 1 };
static const double* const axes[3] = { x_axis, up, z_axis };

static const double near_ground = 0.015; // of the height: what is lower holds
static const double smoothing = 0.2;     // of the felt ground, per 0.02 s
static const double single_share = 0.5;  // weight of all vertices of a sole together, beside the foot's own

lm_heading_frame lm_heading_axes(double heading)
{
	double c = cos(heading), s = sin(heading);
	return (lm_heading_frame){ { { c, 0, -s }, { s, 0, c } } };
}

double lm_dot_ground(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[2] * b[2];
}

int32_t lm_pilot_foot_count(const lm_act_pilot* pilot)
{
	int32_t count = 0;
	while (count < LM_ACT_FEET_MAX && pilot->feet[count].count > 0)
		count++;
	return count;
}

lm_vec3 lm_pilot_foot_place(const lm_act_pilot* pilot, int foot)
{
	const lm_foot* f = &pilot->feet[foot];
	lm_vec3 sum = { 0 };
	double mass = 0;
	for (int32_t k = 0; k < f->count; ++k)
	{
		mass += pilot->masses[f->vertices[k]];
		sum = lm_add_scaled(sum, pilot->masses[f->vertices[k]], lm_v3_at(pilot->positions, f->vertices[k]));
	}
	return lm_scale(1 / mass, sum);
}

double lm_pilot_foot_half(const lm_act_pilot* pilot, int foot, int axis)
{
	const lm_foot* f = &pilot->feet[foot];
	double low = INFINITY, high = -INFINITY;
	for (int32_t k = 0; k < f->count; ++k)
	{
		double x = pilot->reference[3 * (int64_t)f->vertices[k] + 2 * axis];
		low = fmin(low, x), high = fmax(high, x);
	}
	return (high - low) / 2;
}

void lm_pilot_sole_hull(const lm_act_pilot* pilot, double ground, lm_polygon* result)
{
	result->count = 0;
	for (int32_t f = 0; f < lm_pilot_foot_count(pilot); ++f)
		for (int32_t k = 0; k < pilot->feet[f].count; ++k)
		{
			lm_vec3 x = lm_v3_at(pilot->positions, pilot->feet[f].vertices[k]);
			if (x.y < ground + near_ground * pilot->height)
				lm_polygon_add(result, x.x, x.z);
		}
	lm_polygon_hull(result);
}

double lm_pilot_feel_ground(const lm_act_pilot* pilot, bool known, double ground)
{
	double felt = pilot->motion.support[1];
	if (pilot->motion.touching == 0)
		return known ? ground : pilot->motion.center[1] - pilot->stance;
	return known ? ground + (1 - pow(1 - smoothing, pilot->h / lm_pilot_tuned_step(pilot))) * (felt - ground) : felt;
}

// Directions are numbers without a unit: as lengths they count by the height.
static void aim_level(lm_act_pilot* pilot, const lm_foot* f, double heading, double weight)
{
	lm_heading_frame facing = lm_heading_axes(heading);
	lm_act_target flat = { .kp = 8 * lm_pilot_gain_scale(pilot), .kd = 1, .weight = pilot->height * weight };
	lm_act_pilot_aim_axis(pilot, f->vertices, f->count, up, x_axis, &flat);
	lm_act_pilot_aim_axis(pilot, f->vertices, f->count, up, z_axis, &flat);
	lm_act_pilot_aim_axis(pilot, f->vertices, f->count, facing.axes[1], x_axis, &flat);
}

void lm_pilot_aim_foot(lm_act_pilot* pilot, int foot, const lm_foot_aim* aim, double weight)
{
	const lm_foot* f = &pilot->feet[foot];
	double kp = 12 * lm_pilot_gain_scale(pilot);
	for (int c = 0; c < 3; ++c)
	{
		lm_act_target target = {
			.position = aim->position[c], .velocity = aim->velocity[c], .kp = kp, .kd = 1, .weight = weight
		};
		lm_act_pilot_aim_points(pilot, f->vertices, f->count, axes[c], &target);
	}
	aim_level(pilot, f, aim->heading, weight / 2);
	lm_act_target level = { .position = aim->position[1],
		                    .velocity = aim->velocity[1],
		                    .kp = kp,
		                    .kd = 1,
		                    .weight = single_share * weight / sqrt(f->count) };
	for (int32_t k = 0; k < f->count; ++k)
		lm_act_pilot_aim_points(pilot, f->vertices + k, 1, up, &level);
}

void lm_pilot_aim_sole(lm_act_pilot* pilot, double ground, double weight)
{
	lm_act_target level = { .position = ground,
		                    .kp = 12 * lm_pilot_gain_scale(pilot),
		                    .kd = 1,
		                    .weight = weight / sqrt(fmax(pilot->sole.count, 1)) };
	for (int32_t k = 0; k < pilot->sole.count; ++k)
		lm_act_pilot_aim_points(pilot, pilot->sole.vertices + k, 1, up, &level);
}

void lm_pilot_sole_box(const lm_act_pilot* pilot, double low[3], double high[3])
{
	for (int32_t k = 0; k < pilot->sole.count; ++k)
		for (int c = 0; c < 3; ++c)
		{
			double x = pilot->positions[3 * (int64_t)pilot->sole.vertices[k] + c];
			low[c] = k == 0 ? x : fmin(low[c], x), high[c] = k == 0 ? x : fmax(high[c], x);
		}
}

void lm_pilot_aim_trunk(lm_act_pilot* pilot, double heading, double weight)
{
	const lm_foot* trunk = &pilot->trunk;
	lm_heading_frame f = lm_heading_axes(heading);
	double kp = 8 * lm_pilot_gain_scale(pilot);
	for (int c = 0; trunk->count > 0 && c < 3; ++c)
	{
		lm_act_target forward = { .position = f.axes[0][c], .kp = kp, .kd = 1, .weight = pilot->height * weight };
		lm_act_target upright = { .position = up[c], .kp = kp, .kd = 1, .weight = pilot->height * weight };
		lm_act_pilot_aim_axis(pilot, trunk->vertices, trunk->count, axes[c], x_axis, &forward);
		lm_act_pilot_aim_axis(pilot, trunk->vertices, trunk->count, axes[c], up, &upright);
	}
	if (trunk->count == 0)
		lm_pilot_balance_facing(pilot, heading, weight);
}
