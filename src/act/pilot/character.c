// character.c: what a character does with a command: with feet it walks, it gets up when it has fallen, and lengths,
// times and weights are those of its own size.
#include "act/pilot/behaviours.h"
#include "act/pilot/feet.h"

#include <math.h>

static const double fallen_tilt = 0.7, upright_tilt = 0.3, upright_height = 0.9; // rad, and of the height at rest
// What rest shapes cost while it gets up. At full cost two-legged figures scramble about: of homer, penguin and a toy,
// from belly, back and side, 5 of 9 rose; at a quarter 9 of 9, at four times the cost 3 of 9.
static const double cost_while_down = 0.25;
// Damping works against the changes of shape by which it rises. Of 24 runs (imp, clerk, golem, penguin, three ways of
// lying, two starts) 24 rose at 0.3 and at 0.1 of it, 16 at 4 times. At full damping 22 did, but what flew upright
// counted as up then; the two changes were not measured apart.
static const double damping_while_down = 0.3;
static const double base_hop = 1.5;    // m/s upwards, of what goes on a base
static const double settles_for = 0.2; // s before it sets off
static const double upright_for = 0.4; // s until it counts
// s until it may step. Leaning alone, it ran off aside and fell again where it had risen with some speed: homer and toy,
// three ways of lying, 5 starts: 26 of 30 stayed up then, 30 of 30 so.
static const double steps_for = 0.15;

double lm_pilot_beat(const lm_act_pilot* pilot)
{
	if (!pilot->character)
		return 1;
	return sqrt(pilot->height * 9.81 / fmax(pilot->gravity, LM_ACT_GRAVITY_TO_WALK));
}

double lm_pilot_tuned_step(const lm_act_pilot* pilot)
{
	return 0.02 * lm_pilot_beat(pilot);
}

void lm_act_pilot_set_character(lm_act_pilot* pilot)
{
	pilot->character = true;
}

// Whether it is on its feet; what has fallen is so again only after a while.
static bool is_up(lm_act_pilot* pilot)
{
	lm_fall_state* state = &pilot->fall;
	const lm_act_motion* m = &pilot->motion;
	double tilt = hypot(m->tilt[0], m->tilt[2]);
	double ground = lm_pilot_ground(pilot);
	bool upright = m->touching > 0 && tilt < upright_tilt && m->center[1] - ground > upright_height * pilot->stance;
	state->upright_for = upright ? state->upright_for + pilot->h : 0;
	if (tilt > fallen_tilt || (tilt > upright_tilt && m->center[1] - ground < 0.6 * pilot->stance))
		state->down = true;
	else if (state->upright_for > upright_for * lm_pilot_beat(pilot))
		state->down = false;
	lm_act_set_rest_cost(pilot->body, state->down ? cost_while_down : 1);
	lm_act_set_damping_share(pilot->body, state->down ? damping_while_down : 1);
	return !state->down;
}

// Whether it has been on the ground for a moment since it began, or fell: what still drops does not set off.
static bool has_settled(lm_act_pilot* pilot)
{
	lm_fall_state* state = &pilot->fall;
	const lm_act_motion* m = &pilot->motion;
	double enough = settles_for * lm_pilot_beat(pilot);
	bool still = m->touching > 0 && fabs(m->velocity[1]) < 0.02 * sqrt(pilot->gravity * pilot->height);
	if (state->settled_for < enough)
		state->settled_for = still ? state->settled_for + pilot->h : 0;
	return state->settled_for >= enough;
}

lm_act_command lm_pilot_own_command(const lm_act_pilot* pilot, const lm_act_command* command)
{
	lm_act_command own = *command, usual = lm_act_command_default(command->behaviour);
	double beat = lm_pilot_beat(pilot), speed = pilot->height / beat; // of 1 m/s at 1 m
	if (command->crouch_seconds == usual.crouch_seconds)
		own.crouch_seconds *= beat;
	if (command->land_seconds == usual.land_seconds)
		own.land_seconds *= beat;
	if (command->up == usual.up)
		own.up *= speed;
	if (command->speed == usual.speed)
		own.speed *= speed;
	if (command->behaviour == LM_ACT_GO && lm_pilot_foot_count(pilot) == 0)
	{
		own.behaviour = LM_ACT_HOP;
		own.balance_weight = 1;
		own.up = own.velocity[1] = base_hop * speed;
	}
	return own;
}

// Steps of a gait, in its own time where the command has none of its own.
static lm_act_walk walk_of(const lm_act_pilot* pilot, const lm_act_command* command, bool four)
{
	lm_act_walk walk = { .has_place = command->has_place,
		                 .step_seconds = command->step_seconds,
		                 .lift = command->lift,
		                 .width = command->width,
		                 .turn = command->turn,
		                 .weight = command->weight,
		                 .bounce = command->bounce,
		                 .sway = command->sway,
		                 .lean = fmin(fmax(command->lean, -LM_ACT_LEAN_MOST), LM_ACT_LEAN_MOST),
		                 .trot = command->behaviour == LM_ACT_TROT };
	for (int c = 0; c < 3; ++c)
	{
		walk.velocity[c] = command->velocity[c], walk.place[c] = command->place[c];
		walk.face[c] = command->face[c];
	}
	lm_act_command usual = lm_act_command_default(LM_ACT_WALK);
	if (command->step_seconds == usual.step_seconds)
		walk.step_seconds = (four && !walk.trot ? 0.2 : usual.step_seconds) * lm_pilot_beat(pilot);
	if (command->lift == usual.lift && four)
		walk.lift = 0.09;
	return walk;
}

// Standing on two feet it steps when it must; on more, or on a base, it leans.
static void stand(lm_act_pilot* pilot, const lm_act_command* command, const lm_act_stand* plain, bool up)
{
	if (!up || lm_pilot_foot_count(pilot) != 2 || plain->squat != 1)
	{
		lm_act_pilot_stand(pilot, plain);
		return;
	}
	lm_act_walk walk = walk_of(pilot, command, false);
	for (int c = 0; c < 3; ++c)
		walk.velocity[c] = walk.face[c] = 0;
	walk.bounce = walk.sway = walk.lean = 0;
	walk.has_place = false;
	lm_pilot_stride(pilot, &walk);
}

bool lm_pilot_do_as_character(lm_act_pilot* pilot, const lm_act_command* command, const lm_act_stand* plain)
{
	int32_t feet = lm_pilot_foot_count(pilot);
	bool up = is_up(pilot), walks = lm_act_steps(command->behaviour) || command->behaviour == LM_ACT_GO;
	if (!(pilot->gravity >= LM_ACT_GRAVITY_TO_WALK))
		return false;
	if (!up || command->behaviour == LM_ACT_STAND || command->behaviour == LM_ACT_CROUCH)
	{
		lm_act_stand here = *plain;
		here.has_place = here.has_place && up;
		stand(pilot, command, &here, up || pilot->fall.upright_for > steps_for * lm_pilot_beat(pilot));
		return true;
	}
	if (!walks || (feet != 2 && feet != 4))
		return false;
	lm_act_walk walk = walk_of(pilot, command, feet == 4);
	if (command->has_place) // it finds its way by itself
		walk.velocity[0] = command->speed, walk.velocity[2] = 0;
	bool settled = has_settled(pilot);
	if (!settled)
		walk.has_place = false, walk.velocity[0] = walk.velocity[2] = walk.face[0] = walk.face[2] = 0;
	if (feet == 2)
		lm_pilot_stride(pilot, &walk);
	else if (settled)
		lm_pilot_amble(pilot, &walk);
	else
		lm_act_pilot_stand(pilot, plain);
	return true;
}
