#include "act/pilot/feet.h"

#include <math.h>

static const double up[3] = { 0, 1, 0 }, x_axis[3] = { 1, 0, 0 }, z_axis[3] = { 0, 0, 1 };
static const double* const axes[3] = { x_axis, up, z_axis };

static const double near_ground = 0.015; // of the height: what is lower holds
static const double swing_rise = 0.35;   // of a swing: it is at the height where it lands, but for its lift
static const double longest_wait = 0.35, full_wait = 0.03; // of a swing, at a rise of that many heights
static const double single_share = 0.5; // weight of all vertices of a sole together, beside the foot's own

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

void lm_pilot_sole_hull(const lm_act_pilot* pilot, double felt, lm_polygon* result)
{
	result->count = 0;
	for (int32_t f = 0; f < lm_pilot_foot_count(pilot); ++f)
		for (int32_t k = 0; k < pilot->feet[f].count; ++k)
		{
			lm_vec3 x = lm_v3_at(pilot->positions, pilot->feet[f].vertices[k]);
			if (x.y < lm_pilot_see(pilot, x.x, x.z) + felt + near_ground * pilot->height)
				lm_polygon_add(result, x.x, x.z);
		}
	lm_polygon_hull(result);
}

void lm_swing_height(double from, double to, double lift, double u, double* height, double* rate)
{
	double a = fmin(fmax(to > from ? u / swing_rise : 1 - (1 - u) / swing_rise, 0), 1);
	*height = from + a * a * (3 - 2 * a) * (to - from) + lift * 16 * u * u * (1 - u) * (1 - u);
	*rate = 6 * a * (1 - a) / swing_rise * (to - from) + lift * 32 * u * (1 - u) * (1 - 2 * u);
}

void lm_swing_way(double rise, double u, double* share, double* rate)
{
	double wait = fmin(fabs(rise) / full_wait, 1) * longest_wait, span = 1 - wait;
	double a = fmin(fmax((rise > 0 ? u - wait : u) / span, 0), 1);
	*share = a * a * (3 - 2 * a);
	*rate = 6 * a * (1 - a) / span;
}

// Directions are numbers without a unit: as lengths they count by the height.
static void aim_level(lm_act_pilot* pilot, const lm_foot* f, const lm_foot_aim* aim, double weight)
{
	lm_heading_frame facing = lm_heading_axes(aim->heading);
	lm_act_target flat = { .kp = 8 * lm_pilot_gain_scale(pilot), .kd = 1, .weight = pilot->height * weight };
	for (int d = 0; d < 2; ++d)
	{
		double rise = aim->slope[0] * facing.axes[d][0] + aim->slope[1] * facing.axes[d][2];
		flat.position = rise / sqrt(1 + rise * rise);
		lm_act_pilot_aim_axis(pilot, f->vertices, f->count, up, d == 0 ? x_axis : z_axis, &flat);
	}
	flat.position = 0;
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
	aim_level(pilot, f, aim, weight / 2);
	lm_act_target level = {
		.velocity = aim->velocity[1], .kp = kp, .kd = 1, .weight = single_share * weight / sqrt(f->count)
	};
	lm_vec3 place = lm_pilot_foot_place(pilot, foot);
	for (int32_t k = 0; k < f->count; ++k)
	{
		lm_vec3 off = lm_sub(lm_v3_at(pilot->positions, f->vertices[k]), place);
		level.position = aim->position[1] + aim->slope[0] * off.x + aim->slope[1] * off.z;
		lm_act_pilot_aim_points(pilot, f->vertices + k, 1, up, &level);
	}
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

void lm_pilot_aim_trunk(lm_act_pilot* pilot, const lm_trunk_aim* aim, double weight)
{
	const lm_foot* trunk = &pilot->trunk;
	lm_heading_frame f = lm_heading_axes(aim->heading);
	double kp = 8 * lm_pilot_gain_scale(pilot), raised[2] = { cos(aim->pitch), sin(aim->pitch) };
	for (int c = 0; trunk->count > 0 && c < 3; ++c)
	{
		double top = raised[0] * up[c] - raised[1] * f.axes[0][c];
		lm_act_target forward = { .kp = kp, .kd = 1, .weight = pilot->height * weight }, upright = forward;
		forward.position = raised[0] * f.axes[0][c] + raised[1] * up[c];
		upright.position = cos(aim->roll) * top + sin(aim->roll) * f.axes[1][c];
		lm_act_pilot_aim_axis(pilot, trunk->vertices, trunk->count, axes[c], x_axis, &forward);
		lm_act_pilot_aim_axis(pilot, trunk->vertices, trunk->count, axes[c], up, &upright);
	}
	if (trunk->count == 0)
		lm_pilot_balance_facing(pilot, aim->heading, weight);
}
