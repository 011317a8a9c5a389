// hop.c: hopping: crouch, push off, fly, land, and again.
//
// Goals on the centre of mass alone make a body tumble after a hop or two; rows on its angular momentum keep it
// upright. In the air nothing can move the centre, and the rows are there only to let the rest shape come back.
#include "act/pilot/feet.h"
#include "math/vec.h"

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

// ---- somersaults ----
//
// On the ground it pushes for the spin that turns it over in the time of its flight. In the air the spin is what it is,
// but a body that draws itself together turns faster: it becomes as large as it must to be upright when it lands.

static const double smallest = 0.85, largest = 1.05; // shares of its size that it may take in the air
static const double opens = 0.15;                    // s before it lands: at its own size again

// What it turns about, forwards: across its way; about -z, towards x, where there is none.
static void turning_axis(const lm_act_pilot* pilot, const lm_act_hop* hop, double axis[3])
{
	double speed = pilot->dimension == 3 ? hypot(hop->velocity[0], hop->velocity[2]) : fabs(hop->velocity[0]);
	bool moves = speed > 1e-9;
	axis[0] = moves && pilot->dimension == 3 ? hop->velocity[2] / speed : 0;
	axis[1] = 0;
	axis[2] = moves ? -hop->velocity[0] / speed : -1;
}

// How far it is turned about the axis: its own up, in the plane across the axis.
static double turned_now(const lm_act_pilot* pilot, const double axis[3])
{
	const double* tilt = pilot->motion.tilt;
	double angle = hypot(tilt[0], hypot(tilt[1], tilt[2]));
	if (!(angle > 1e-9))
		return 0;
	double along = (tilt[0] * axis[0] + tilt[2] * axis[2]) / angle;
	return atan2(sin(angle) * along, cos(angle));
}

static void count_turn(lm_act_pilot* pilot, const double axis[3])
{
	lm_hop_state* state = &pilot->hop;
	double angle = turned_now(pilot, axis);
	if (state->phase == LM_HOP_CROUCH)
		state->turned = 0;
	else
		state->turned += remainder(angle - state->angle, 2 * LM_PI);
	state->angle = angle;
}

// Seconds until the centre is at its height at rest again, as it flies now.
static double time_to_land(const lm_act_pilot* pilot, double up)
{
	double g = fmax(pilot->gravity, 0.01), above = pilot->motion.center[1] - pilot->hop.ground - pilot->stance;
	return (up + sqrt(fmax(up * up + 2 * g * above, 0))) / g;
}

static void push_over(lm_act_pilot* pilot, const lm_act_hop* hop, const double axis[3])
{
	double left = 2 * LM_PI * hop->turns - pilot->hop.turned;
	double rate = left / fmax(time_to_land(pilot, hop->velocity[1]), 0.1);
	lm_act_pilot_aim_spin(pilot, axis, rate, lm_pilot_weight(pilot, hop->balance_weight));
}

// As large as it must be: angular momentum is kept, so that the rate goes with one over the square of the size.
static void draw_together(lm_act_pilot* pilot, const lm_act_hop* hop, const double axis[3])
{
	const lm_act_motion* motion = &pilot->motion;
	double left = 2 * LM_PI * hop->turns - pilot->hop.turned;
	double until = time_to_land(pilot, motion->velocity[1]), wanted = left / fmax(until, 0.02);
	double rate = motion->spin[0] * axis[0] + motion->spin[2] * axis[2];
	double ratio = wanted * rate > 0 ? rate / wanted : 1;
	double share = until < opens * lm_pilot_beat(pilot) ? 1 : fmin(fmax(sqrt(ratio), smallest), largest),
		   angle = pilot->hop.angle;
	// its own axes across the axis of turning: where they are now, and how long they shall be
	const double way[3] = { -axis[2], 0, axis[0] }, up[3] = { 0, 1, 0 };
	for (int k = 0; k < 2; ++k)
	{
		const double* material = k == 0 ? up : way;
		double c = k == 0 ? cos(angle) : -sin(angle), s = k == 0 ? sin(angle) : cos(angle), now[3];
		for (int i = 0; i < 3; ++i)
			now[i] = c * up[i] + s * way[i];
		lm_act_target size = { .position = share, .kp = 4 * lm_pilot_gain_scale(pilot), .kd = 1 };
		size.weight = lm_pilot_weight(pilot, hop->balance_weight) * pilot->height;
		lm_act_pilot_aim_axis(pilot, pilot->all, pilot->vertex_count, now, material, &size);
	}
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
	double axis[3];
	bool flies = state->phase == LM_HOP_PUSH || state->phase == LM_HOP_AIR;
	turning_axis(pilot, hop, axis);
	if (hop->turns != 0)
		count_turn(pilot, axis);
	switch ((lm_hop_phase)state->phase)
	{
		case LM_HOP_CROUCH: aim_squat(pilot, hop, hop->squat, 8); break;
		case LM_HOP_PUSH: aim_velocity(pilot, hop); break;
		case LM_HOP_AIR: break;
		case LM_HOP_LAND: aim_squat(pilot, hop, 1, 0); break;
	}
	if (hop->turns != 0 && flies)
		(state->phase == LM_HOP_PUSH ? push_over : draw_together)(pilot, hop, axis);
	else
		lm_pilot_balance(pilot, hop->balance_weight);
	state->since += pilot->h;
}
