// command.c: a command carried out: its place becomes a velocity, and its behaviour adds the rows of one step.
#include "act/pilot/pilot.h"

#include <math.h>

// ---- parameters of each behaviour ----

#define VELOCITY(command) .velocity = { (command)->velocity[0], (command)->velocity[1], (command)->velocity[2] }
#define PLACE(command)                                                                                                 \
	.has_place = (command)->has_place, .place = { (command)->place[0], (command)->place[1], (command)->place[2] }

static lm_act_go go_of(const lm_act_command* command)
{
	return (lm_act_go){ VELOCITY(command), .weight = command->weight, .height_weight = command->height_weight,
		                .balance_weight = command->balance_weight };
}

static lm_act_hop hop_of(const lm_act_command* command)
{
	return (lm_act_hop){ VELOCITY(command),
		                 .crouch_seconds = command->crouch_seconds,
		                 .land_seconds = command->land_seconds,
		                 .squat = command->squat,
		                 .lean = command->lean,
		                 .turns = command->behaviour == LM_ACT_SOMERSAULT ? command->turns : 0,
		                 .weight = command->weight,
		                 .balance_weight = command->balance_weight };
}

static lm_act_stand stand_of(const lm_act_command* command)
{
	return (lm_act_stand){ PLACE(command), .weight = command->weight, .balance_weight = command->balance_weight,
		                   .squat = command->behaviour == LM_ACT_CROUCH ? command->squat : 1 };
}

static lm_act_walk walk_of(const lm_act_command* command)
{
	return (lm_act_walk){ VELOCITY(command),        PLACE(command),          .step_seconds = command->step_seconds,
		                  .lift = command->lift,    .width = command->width, .turn = command->turn,
		                  .weight = command->weight };
}

static lm_act_roll roll_of(const lm_act_command* command)
{
	return (lm_act_roll){ VELOCITY(command), .weight = command->weight, .height_weight = command->height_weight,
		                  .spin_weight = 0.3 };
}

static lm_act_crawl crawl_of(const lm_act_command* command)
{
	return (lm_act_crawl){ VELOCITY(command), .step_seconds = command->step_seconds, .lift = command->lift,
		                   .weight = command->weight, .balance_weight = command->balance_weight };
}

lm_act_go lm_act_go_default(void)
{
	lm_act_command command = lm_act_command_default(LM_ACT_GO);
	return go_of(&command);
}

lm_act_hop lm_act_hop_default(void)
{
	lm_act_command command = lm_act_command_default(LM_ACT_HOP);
	return hop_of(&command);
}

lm_act_stand lm_act_stand_default(void)
{
	lm_act_command command = lm_act_command_default(LM_ACT_STAND);
	return stand_of(&command);
}

lm_act_walk lm_act_walk_default(void)
{
	lm_act_command command = lm_act_command_default(LM_ACT_WALK);
	return walk_of(&command);
}

lm_act_roll lm_act_roll_default(void)
{
	lm_act_command command = lm_act_command_default(LM_ACT_ROLL);
	return roll_of(&command);
}

lm_act_crawl lm_act_crawl_default(void)
{
	lm_act_command command = lm_act_command_default(LM_ACT_CRAWL);
	return crawl_of(&command);
}

// ---- places ----

// How long a hop with this velocity upwards flies: 2 up / g. What has no weight does not come down; this is finite all
// the same.
static double flight_seconds(const lm_act_pilot* pilot, double up)
{
	return 2 * up / fmax(lm_act_pilot_gravity(pilot), 0.01);
}

// Towards a place, not faster than `speed`, slowing down over the last stretch so that it would take `halt` seconds
// more.
static void velocity_towards(const double from[3], const double to[3], double speed, double halt, double velocity[3])
{
	double x = to[0] - from[0], z = to[2] - from[2], distance = hypot(x, z);
	double share = distance > 0 ? fmin(speed, distance / halt) / distance : 0;
	velocity[0] = share * x;
	velocity[2] = share * z;
}

// The velocity that brings it to its place.
static void head_for_place(const lm_act_pilot* pilot, lm_act_command* command)
{
	double halt = 0.5;
	command->velocity[1] = command->velocity[2] = 0;
	switch (command->behaviour)
	{
		case LM_ACT_WALK: command->velocity[0] = command->speed; return; // it finds its way by itself
		case LM_ACT_HOP:
			// hops are as long as it takes
			halt = flight_seconds(pilot, command->up);
			command->velocity[1] = command->up;
			break;
		default: break;
	}
	velocity_towards(pilot->motion.center, command->place, command->speed, halt, command->velocity);
}

// Whether it is within 1 % of its height of its place; once it stands there it may be pushed a tenth of its height away
// before it sets off again.
static bool crawled_to_place(const lm_act_command* command, const lm_act_pilot* pilot)
{
	const double* center = pilot->motion.center;
	double distance = hypot(command->place[0] - center[0], command->place[2] - center[2]);
	return distance <= (lm_act_pilot_stands(pilot) ? 0.1 : 0.01) * pilot->height;
}

// Whether it stands at its place, or would land there if it stopped pushing now: then it stops pushing. Soft bodies
// stretch and fly a little further than that, hence 3 % of their height early. What stands leans over to its place, and
// hops again if it comes to rest further away than 5 %, or leans by more than 0.08 rad.
static bool hopped_to_place(const lm_act_command* command, const lm_act_pilot* pilot)
{
	const lm_act_motion* motion = &pilot->motion;
	const double *x = motion->center, *v = motion->velocity;
	double height = pilot->height, way[2] = { command->place[0] - x[0], command->place[2] - x[2] };
	double distance = hypot(way[0], way[1]);
	bool at_rest = motion->touching > 0 && hypot(v[0], hypot(v[1], v[2])) < 0.02 * height;
	double lean = hypot(motion->tilt[0], motion->tilt[2]);
	if (lm_act_pilot_stands(pilot))
		return at_rest ? distance < 0.05 * height && lean < 0.08 : distance < 0.3 * height;
	double flight = fmax(flight_seconds(pilot, v[1]), 0.05);
	double left = distance - flight * (v[0] * way[0] + v[2] * way[1]) / fmax(distance, 1e-9);
	return distance < 0.02 * height || (left < 0.03 * height && distance < 0.5 * height);
}

// Once: what does something else meanwhile may jump again.
static void jump(lm_act_pilot* pilot, const lm_act_hop* hop, const lm_act_stand* stand)
{
	lm_hop_state* state = &pilot->hop;
	if (state->step + 1 != pilot->step)
		state->landed = false;
	bool landing = state->phase == LM_HOP_LAND;
	if (!state->landed)
		lm_act_pilot_hop(pilot, hop);
	else
		lm_act_pilot_stand(pilot, stand);
	state->landed = state->landed || (landing && state->phase == LM_HOP_CROUCH);
	state->step = pilot->step;
}

// ---- all of it ----

void lm_act_pilot_do(lm_act_pilot* pilot, const lm_act_command* command)
{
	lm_act_command current = pilot->character ? lm_pilot_own_command(pilot, command) : *command;
	const lm_act_command asked = current;
	if (current.has_place)
		head_for_place(pilot, &current);
	lm_act_go go = go_of(&current);
	lm_act_hop hop = hop_of(&current);
	lm_act_stand stand = stand_of(&current);
	lm_act_walk walk = walk_of(&current);
	lm_act_roll roll = roll_of(&current);
	lm_act_crawl crawl = crawl_of(&current);
	if (pilot->character && lm_pilot_do_as_character(pilot, &asked, &stand))
		return;
	switch (current.behaviour)
	{
		case LM_ACT_GO: lm_act_pilot_go(pilot, &go); break;
		case LM_ACT_HOP:
			if (current.has_place && hopped_to_place(&current, pilot))
				lm_act_pilot_stand(pilot, &stand);
			else
				lm_act_pilot_hop(pilot, &hop);
			break;
		case LM_ACT_CROUCH:
		case LM_ACT_STAND: lm_act_pilot_stand(pilot, &stand); break;
		case LM_ACT_SOMERSAULT:
		case LM_ACT_JUMP: jump(pilot, &hop, &stand); break;
		case LM_ACT_WALK:
		case LM_ACT_TROT: lm_act_pilot_walk(pilot, &walk); break;
		case LM_ACT_ROLL: lm_act_pilot_roll(pilot, &roll); break;
		case LM_ACT_CRAWL:
			stand.has_place = false; // it stays where it has arrived
			if (current.has_place && crawled_to_place(&current, pilot))
				lm_act_pilot_stand(pilot, &stand);
			else
				lm_act_pilot_crawl(pilot, &crawl);
			break;
	}
}
