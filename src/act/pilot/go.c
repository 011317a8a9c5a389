// go.c: moving along.
#include "act/pilot/pilot.h"

static const double x_axis[3] = { 1, 0, 0 }, y_axis[3] = { 0, 1, 0 }, z_axis[3] = { 0, 0, 1 };

void lm_act_pilot_go(lm_act_pilot* pilot, const lm_act_go* go)
{
	lm_act_target along = { .kd = 1, .weight = lm_pilot_weight(pilot, go->weight) };
	along.velocity = go->velocity[0];
	lm_act_pilot_aim_center(pilot, x_axis, &along);
	along.velocity = go->velocity[2];
	if (pilot->dimension == 3)
		lm_act_pilot_aim_center(pilot, z_axis, &along);
	lm_act_target height = { .position = lm_pilot_ground(pilot) + pilot->stance,
		                     .kp = 8 * lm_pilot_gain_scale(pilot),
		                     .kd = 1,
		                     .weight = lm_pilot_weight(pilot, go->height_weight) };
	if (go->height_weight > 0)
		lm_act_pilot_aim_center(pilot, y_axis, &height);
	lm_pilot_balance(pilot, go->balance_weight);
}
