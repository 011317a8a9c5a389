// stand.c: standing still.
//
// The centre of mass stays over the place where the body began to stand. What it touches says only within what bounds
// that place has to be: aiming at the middle of the touching vertices instead would move the aim whenever a vertex
// comes loose, and a body with two feet, or a round one, throws itself about.
#include "act/pilot/pilot.h"

#include <math.h>

static const double x_axis[3] = { 1, 0, 0 }, y_axis[3] = { 0, 1, 0 }, z_axis[3] = { 0, 0, 1 };

// What is aimed at: the place, or what is nearest to it of what the body stands on, less a fifth at either end. It
// moves there within a quarter of a second or so.
static void aim_within_support(lm_act_pilot* pilot)
{
	const lm_act_motion* motion = &pilot->motion;
	lm_stand_state* state = &pilot->stand;
	double share = fmin(4 * pilot->h, 1);
	for (int c = 0; motion->touching > 0 && c < 3; ++c)
	{
		double margin = 0.2 * (motion->support_high[c] - motion->support_low[c]);
		double low = motion->support_low[c] + margin, high = motion->support_high[c] - margin;
		state->aim[c] += share * (fmin(fmax(state->place[c], low), high) - state->aim[c]);
	}
}

bool lm_act_pilot_standing_place(const lm_act_pilot* pilot, double place[3])
{
	bool stands = lm_act_pilot_stands(pilot);
	for (int c = 0; stands && c < 3; ++c)
		place[c] = pilot->stand.place[c];
	return stands;
}

void lm_act_pilot_stand(lm_act_pilot* pilot, const lm_act_stand* stand)
{
	const lm_act_motion* motion = &pilot->motion;
	lm_stand_state* state = &pilot->stand;
	if (!lm_act_pilot_stands(pilot))
		for (int c = 0; c < 3; ++c)
			state->place[c] = state->aim[c] = motion->center[c];
	for (int c = 0; stand->has_place && c < 3; ++c)
		state->place[c] = stand->place[c];
	state->step = pilot->step;
	aim_within_support(pilot);
	double weight = lm_pilot_weight(pilot, stand->weight);
	lm_act_target target = {
		.position = state->aim[0], .kp = 4 * lm_pilot_gain_scale(pilot), .kd = 1, .weight = weight
	};
	lm_act_pilot_aim_center(pilot, x_axis, &target);
	target.position = state->aim[2];
	if (pilot->dimension == 3)
		lm_act_pilot_aim_center(pilot, z_axis, &target);
	lm_act_target height = {
		.position = lm_pilot_ground(pilot) + stand->squat * pilot->stance, .kp = target.kp, .kd = 1, .weight = weight
	};
	lm_act_pilot_aim_center(pilot, y_axis, &height);
	lm_pilot_balance(pilot, stand->balance_weight);
}

bool lm_act_pilot_stands(const lm_act_pilot* pilot)
{
	return pilot->stand.step > 0 && pilot->stand.step + 1 >= pilot->step;
}
