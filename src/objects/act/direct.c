// direct.c: commands and goals of the scene, handed to the pilot of an object of `act` at each step.
#include "act/pilot/behaviours.h"
#include "math/vec.h"
#include "objects/act/act.h"
#include "objects/live.h"
#include "objects/timeline.h"

#include <math.h>
#include <string.h>

static const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };

// ---- commands ----

// The command as it is at the time: its velocity, or that of its path.
static lm_act_command command_at(const lm_scene_command* command, const lm_act_pilot* pilot, double time, double h)
{
	lm_act_command current = command->command;
	if (command->path.count > 0)
	{
		// the path's own velocity, and a correction that closes a gap at 2/s; what steps takes a few steps for it
		const double* center = lm_act_pilot_motion(pilot)->center;
		double now[3], next[3], rate = 2;
		if (lm_act_steps(current.behaviour))
			rate = 0.15 * sqrt(lm_act_pilot_gravity(pilot) / lm_act_pilot_height(pilot));
		lm_keyed_at(&command->path, 3, time, now);
		lm_keyed_at(&command->path, 3, time + h, next);
		for (int c = 0; c < 3; ++c)
			current.velocity[c] = (next[c] - now[c]) / h + rate * (now[c] - center[c]);
	}
	else if (command->velocity.count > 0)
		lm_keyed_at(&command->velocity, 3, time + h, current.velocity);
	return current;
}

// Of those that are on, the last counts; NULL: none is.
static const lm_scene_command* command_on(const lm_scene_act* act, double time, double h)
{
	const lm_scene_command* last = NULL;
	for (int32_t i = 0; i < act->command_count; ++i)
		if (lm_timeline_is_on(act->commands[i].start, act->commands[i].end, time, h))
			last = &act->commands[i];
	return last;
}

bool lm_act_find_goal(const lm_object* object, const lm_act_pilot* pilot, double time, double goal[3])
{
	const lm_scene_command* last = command_on(object->description->act, time, 1 / object->scene->fps);
	const lm_act_command* command = object->live->commanded ? &object->live->command : last ? &last->command : NULL;
	double place[3];
	if (command == NULL)
		return false;
	if (command->has_place)
		memcpy(place, command->place, sizeof place);
	else if (!object->live->commanded && last->path.count > 0)
		lm_keyed_at(&last->path, 3, time, place);
	else if (!lm_act_pilot_standing_place(pilot, place))
		return false;
	place[1] = object->engine->facts(object).center[1]; // behaviours move it horizontally
	memcpy(goal, place, sizeof place);
	return true;
}

// ---- goals ----

// Mean by mass of the goal's vertices, or the centre of mass.
static void place_of(const lm_scene_goal* goal, const lm_act* body, const double* positions, double place[3])
{
	if (goal->count == 0)
	{
		lm_act_center(body, place);
		return;
	}
	const double* masses = lm_act_masses(body);
	lm_vec3 sum = { 0 };
	double mass = 0;
	for (int32_t k = 0; k < goal->count; ++k)
	{
		sum = lm_add_scaled(sum, masses[goal->vertices[k]], lm_v3_at(positions, goal->vertices[k]));
		mass += masses[goal->vertices[k]];
	}
	lm_v3_store(place, 0, lm_scale(1 / mass, sum));
}

void lm_act_goal_starts(const lm_scene_act* act, const lm_act* body, const double* positions, double* starts)
{
	for (int32_t i = 0; i < act->goal_count; ++i)
		place_of(&act->goals[i], body, positions, starts + 3 * (size_t)i);
}

// A number of a goal at a time.
static double number_at(const lm_scene_goal* goal, const char* key, double time, double constant)
{
	for (int32_t i = 0; i < goal->keyed.count; ++i)
		if (strcmp(goal->keyed.items[i].key, key) == 0)
			lm_keyed_at(&goal->keyed.items[i].keys, 1, time, &constant);
	return constant;
}

static void aim(const lm_scene_goal* goal, const double start[3], lm_act_pilot* pilot, double time)
{
	double position[3], velocity[3];
	double kp = number_at(goal, "kp", time, goal->kp), kd = number_at(goal, "kd", time, goal->kd);
	double weight = number_at(goal, "weight", time, goal->weight);
	lm_keyed_at(&goal->position, 3, time, position);
	lm_keyed_at(&goal->velocity, 3, time, velocity);
	for (int c = 0; c < 3; ++c)
	{
		lm_act_target target = { .position = position[c] + (goal->relative ? start[c] : 0),
			                     .velocity = velocity[c],
			                     .kp = kp,
			                     .kd = kd,
			                     .weight = weight };
		if (!goal->axes[c])
			continue;
		if (goal->count > 0)
			lm_act_pilot_aim_points(pilot, goal->vertices, goal->count, axes[c], &target);
		else
			lm_act_pilot_aim_center(pilot, axes[c], &target);
	}
}

// ---- all of it ----

lm_status lm_act_direct(const lm_object* object, lm_act_pilot* pilot, const double* goal_starts, lm_act_follow* follow,
                        lm_error* error)
{
	const lm_scene_act* act = object->description->act;
	double time = object->time, h = object->h;
	if (act->command_count == 0 && act->goal_count == 0 && follow->part_count == 0 && !object->live->was_commanded)
		return LM_OK;
	lm_act_pilot_begin(pilot, h);
	const lm_scene_command* last = command_on(act, time, h);
	if (object->live->commanded)
		lm_act_pilot_do(pilot, &object->live->command);
	else if (last != NULL)
	{
		lm_act_command command = command_at(last, pilot, time, h);
		lm_act_pilot_do(pilot, &command);
	}
	else if (follow->part_count > 0 && act->character)
	{
		lm_act_command stand = lm_act_command_default(LM_ACT_STAND);
		lm_act_pilot_do(pilot, &stand);
	}
	for (int32_t i = 0; i < act->goal_count; ++i)
		if (lm_timeline_is_on(act->goals[i].start, act->goals[i].end, time, h))
			aim(&act->goals[i], goal_starts + 3 * (size_t)i, pilot, time + h);
	if (follow->part_count > 0)
		lm_act_follow_aim(follow, pilot);
	return lm_act_pilot_commit(pilot, error);
}
