// go.c: moving along, and standing still.
#include "act/control/pilot.h"

static const double x_axis[3] = { 1, 0, 0 }, y_axis[3] = { 0, 1, 0 }, z_axis[3] = { 0, 0, 1 };

// Height of the ground below: where it is felt, else as far below the centre as at rest.
static double ground_height(const lm_act_pilot* pilot)
{
	const lm_act_motion* motion = &pilot->motion;
	return motion->touching > 0 ? motion->support[1] : motion->center[1] - pilot->stance;
}

lm_act_go lm_act_go_default(void)
{
	return (lm_act_go){ .weight = 1, .height_weight = 0.3 };
}

void lm_act_pilot_go(lm_act_pilot* pilot, const lm_act_go* go)
{
	lm_act_target along = { .kd = 1, .weight = lm_pilot_weight(pilot, go->weight) };
	along.velocity = go->velocity[0];
	lm_act_pilot_aim_center(pilot, x_axis, &along);
	along.velocity = go->velocity[2];
	if (pilot->dimension == 3)
		lm_act_pilot_aim_center(pilot, z_axis, &along);
	lm_act_target height = { .position = ground_height(pilot) + pilot->stance,
		                     .kp = 8,
		                     .kd = 1,
		                     .weight = lm_pilot_weight(pilot, go->height_weight) };
	if (go->height_weight > 0)
		lm_act_pilot_aim_center(pilot, y_axis, &height);
	lm_pilot_balance(pilot, go->balance_weight);
}

lm_act_stand lm_act_stand_default(void)
{
	return (lm_act_stand){ .weight = 1, .balance_weight = 1 };
}

void lm_act_pilot_stand(lm_act_pilot* pilot, const lm_act_stand* stand)
{
	const lm_act_motion* motion = &pilot->motion;
	lm_act_target target = { .kp = motion->touching > 0 ? 8 : 0,
		                     .kd = 1,
		                     .weight = lm_pilot_weight(pilot, stand->weight) };
	target.position = motion->support[0];
	lm_act_pilot_aim_center(pilot, x_axis, &target);
	target.position = motion->support[2];
	if (pilot->dimension == 3)
		lm_act_pilot_aim_center(pilot, z_axis, &target);
	target.kp = 8;
	target.position = ground_height(pilot) + pilot->stance;
	lm_act_pilot_aim_center(pilot, y_axis, &target);
	lm_pilot_balance(pilot, stand->balance_weight);
}
