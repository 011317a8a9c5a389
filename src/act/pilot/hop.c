// hop.c: hopping: crouch, push off, fly, land, and again.
//
// Goals on the centre of mass alone make a body tumble after a hop or two; rows on its angular momentum keep it
// upright. In the air nothing can move the centre, and the rows are there only to let the rest shape come back.
#include "act/pilot/feet.h"

#include <math.h>
#include <string.h>

static const double x_axis[3] = { 1, 0, 0 }, y_axis[3] = { 0, 1, 0 }, z_axis[3] = { 0, 0, 1 };

// Seconds. A push that has not left the ground by then has failed; a contact that is lost for less is a flutter.
static const double sole_share = 0.25; // weight of a character's sole beside that of the centre
static const double free_share = 0.4;  // of half its support: where the crouched centre of a character may be
static const double fastest = 1.3;     // times the commanded speed: a take-off of a character
static const double longest_push = 0.35, longest_landing = 0.6, longest_wait = 0.6, flutter = 0.04;

static void enter(lm_hop_state* state, lm_hop_phase phase)
{
	state->phase = (int32_t)phase;
	state->since = 0;
}

// Upright enough, and turning slowly enough, to push off.
static bool is_steady(const lm_act_pilot* pilot)
{
	const lm_act_motion* motion = &pilot->motion;
	double tilt = hypot(motion->tilt[0], hypot(motion->tilt[1], motion->tilt[2]));
	double spin = hypot(motion->spin[0], hypot(motion->spin[1], motion->spin[2]));
	return tilt < 0.2 && spin < 1 / lm_pilot_beat(pilot);
}

// Which phase this step belongs to.
static void change_phase(lm_act_pilot* pilot, const lm_act_hop* hop)
{
	double beat = lm_pilot_beat(pilot);
	const lm_act_motion* motion = &pilot->motion;
	lm_hop_state* state = &pilot->hop;
	bool on_ground = motion->touching > 0;
	double speed = hypot(hypot(motion->velocity[0], motion->velocity[2]), motion->velocity[1]);
	switch ((lm_hop_phase)state->phase)
	{
		case LM_HOP_CROUCH:
			if (state->since >= hop->crouch_seconds && on_ground &&
			    (is_steady(pilot) || state->since >= hop->crouch_seconds + longest_wait * beat))
				enter(state, LM_HOP_PUSH);
			else if (state->since >= hop->crouch_seconds + flutter * beat && !on_ground)
				enter(state, LM_HOP_AIR);
			break;
		case LM_HOP_PUSH:
			if (!on_ground && state->since >= flutter * beat)
				enter(state, LM_HOP_AIR);
			else if (state->since >= longest_push * beat)
				enter(state, LM_HOP_LAND);
			break;
		case LM_HOP_AIR:
			if (on_ground && state->since >= flutter * beat)
				enter(state, LM_HOP_LAND);
			break;
		case LM_HOP_LAND:
			if (state->since >= longest_landing * beat ||
			    (state->since >= hop->land_seconds && on_ground && speed < 0.3 * fabs(hop->velocity[1])))
				enter(state, LM_HOP_CROUCH);
			break;
	}
}

// What it stands on: what touches, or of a character, whose sole may flutter, all of its sole.
typedef struct support
{
	double low[3], high[3];
} support;

static support support_of(const lm_act_pilot* pilot)
{
	support s;
	memcpy(s.low, pilot->motion.support_low, sizeof s.low);
	memcpy(s.high, pilot->motion.support_high, sizeof s.high);
	if (pilot->character)
		lm_pilot_sole_box(pilot, s.low, s.high);
	return s;
}

// How far ahead of the middle of its support the centre shall be along axis k: a share of the way to the edge.
static double lean(const lm_act_hop* hop, const support* on, int k)
{
	double speed = hypot(hop->velocity[0], hop->velocity[2]);
	double reach = (on->high[k] - on->low[k]) / 2;
	return speed > 0 ? hop->lean * reach * hop->velocity[k] / speed : 0;
}

// Where the centre shall be along axis k over its support: in the middle and ahead by the lean, or, of a character,
// which may stand on feet and a tail far behind, what is nearest to where it is, not far from that.
static double over_support(const lm_act_pilot* pilot, const lm_act_hop* hop, const support* on, int k)
{
	double wanted = (on->low[k] + on->high[k]) / 2 + lean(hop, on, k);
	double free = pilot->character ? free_share * (on->high[k] - on->low[k]) / 2 : 0;
	return fmin(fmax(pilot->motion.center[k], wanted - free), wanted + free);
}

// The centre over the support, at a share of its height at rest, coming to a halt.
static void aim_squat(lm_act_pilot* pilot, const lm_act_hop* hop, double share, double kp)
{
	const lm_act_motion* motion = &pilot->motion;
	lm_act_target over = { .kp = motion->touching > 0 ? kp : 0,
		                   .kd = 1,
		                   .weight = lm_pilot_weight(pilot, hop->weight) };
	support on = support_of(pilot);
	over.kp *= lm_pilot_gain_scale(pilot);
	over.position = over_support(pilot, hop, &on, 0);
	lm_act_pilot_aim_center(pilot, x_axis, &over);
	over.position = over_support(pilot, hop, &on, 2);
	if (pilot->dimension == 3)
		lm_act_pilot_aim_center(pilot, z_axis, &over);
	lm_act_target height = { .position = pilot->hop.ground + share * pilot->stance,
		                     .kp = 8 * lm_pilot_gain_scale(pilot),
		                     .kd = 1,
		                     .weight = lm_pilot_weight(pilot, hop->weight) };
	lm_act_pilot_aim_center(pilot, y_axis, &height);
	if (pilot->character && motion->touching > 0)
		lm_pilot_aim_sole(pilot, pilot->hop.ground, sole_share * height.weight);
}

// The mean speed is lower than that of the take-off, because it crouches and lands: from hop to hop the take-off is
// made faster, or slower, until it fits.
static void correct_speed(lm_act_pilot* pilot, const lm_act_hop* hop, bool pushes)
{
	lm_hop_state* state = &pilot->hop;
	const double* x = pilot->motion.center;
	double speed = hypot(hop->velocity[0], hop->velocity[2]);
	state->gain = state->gain > 0 ? state->gain : 1;
	state->cycle += pilot->h;
	if (!pushes)
		return;
	if (state->pushed && speed > 0)
	{
		double way = (x[0] - state->from[0]) * hop->velocity[0] + (x[2] - state->from[2]) * hop->velocity[2];
		double share = way > 0 ? speed * speed * state->cycle / way : 2;
		state->gain = fmin(fmax(state->gain * fmin(fmax(share, 0.6), 1.5), 0.5), fastest);
	}
	for (int c = 0; c < 3; ++c)
		state->from[c] = x[c];
	state->pushed = true;
	state->cycle = 0;
}

static void aim_velocity(lm_act_pilot* pilot, const lm_act_hop* hop)
{
	double gain = pilot->character ? pilot->hop.gain : 1;
	lm_act_target target = { .kd = 1, .weight = lm_pilot_weight(pilot, hop->weight) };
	target.velocity = gain * hop->velocity[0];
	lm_act_pilot_aim_center(pilot, x_axis, &target);
	target.velocity = hop->velocity[1];
	lm_act_pilot_aim_center(pilot, y_axis, &target);
	target.velocity = gain * hop->velocity[2];
	if (pilot->dimension == 3)
		lm_act_pilot_aim_center(pilot, z_axis, &target);
}

void lm_act_pilot_hop(lm_act_pilot* pilot, const lm_act_hop* hop)
{
	lm_hop_state* state = &pilot->hop;
	if (pilot->motion.touching > 0)
		state->ground = pilot->motion.support[1];
	if (state->step + 1 != pilot->step) // it did something else meanwhile
	{
		enter(state, LM_HOP_CROUCH);
		state->pushed = false;
	}
	state->step = pilot->step;
	bool crouched = state->phase == LM_HOP_CROUCH;
	change_phase(pilot, hop);
	if (pilot->character)
		correct_speed(pilot, hop, crouched && state->phase == LM_HOP_PUSH);
	switch ((lm_hop_phase)state->phase)
	{
		case LM_HOP_CROUCH: aim_squat(pilot, hop, hop->squat, 8); break;
		case LM_HOP_PUSH: aim_velocity(pilot, hop); break;
		case LM_HOP_AIR: break;
		case LM_HOP_LAND: aim_squat(pilot, hop, 1, 0); break;
	}
	lm_pilot_balance(pilot, hop->balance_weight);
	state->since += pilot->h;
}
