// roll.c: rolling.
//
// A wheel of radius r that rolls with velocity v turns with the angular velocity w = up x v / r. With v as
// the only goal a body may lean, shuffle or slide; with w as well it turns over. r is the height of the centre above
// the ground as it is, so that a body that is flattened, or not round at all, turns as fast as its place of contact
// wants.
#include "act/pilot/pilot.h"

#include <math.h>

static const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };

void lm_act_pilot_roll(lm_act_pilot* pilot, const lm_act_roll* roll)
{
	bool flat = pilot->dimension == 2;
	double ground = lm_pilot_ground(pilot), least = 0.2 * pilot->stance;
	double radius = fmax(pilot->motion.center[1] - ground, least);
	double spin[3] = { roll->velocity[2] / radius, 0, -roll->velocity[0] / radius };
	lm_act_target along = { .kd = 1, .weight = lm_pilot_weight(pilot, roll->weight) };
	for (int c = 0; c < (flat ? 1 : 3); c += 2)
	{
		along.velocity = roll->velocity[c];
		lm_act_pilot_aim_center(pilot, axes[c], &along);
	}
	lm_act_target height = { .position = ground + pilot->stance, .kp = 8 * lm_pilot_gain_scale(pilot), .kd = 1 };
	height.weight = lm_pilot_weight(pilot, roll->height_weight);
	lm_act_pilot_aim_center(pilot, axes[1], &height);
	for (int c = flat ? 2 : 0; c < 3; ++c)
		lm_act_pilot_aim_spin(pilot, axes[c], spin[c], lm_pilot_weight(pilot, roll->spin_weight));
}
