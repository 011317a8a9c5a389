// direct.c: commands and goals of the scene, handed to the pilot of an object of `act` at each step.
#include "math/vec.h"
#include "objects/act/act.h"
#include "objects/live.h"
#include "objects/timeline.h"

static const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };

// ---- commands ----

// The command as it is at the time: its velocity, or that of its path.
static lm_act_command command_at(const lm_scene_command* command, const lm_act_pilot* pilot, double time, double h)
{
	lm_act_command current = command->command;
	if (command->path.count > 0)
	{
		// the path's own velocity, and a correction that closes a gap at 2/s
		const double* center = lm_act_pilot_motion(pilot)->center;
		double now[3], next[3];
		lm_keyed_at(&command->path, 3, time, now);
		lm_keyed_at(&command->path, 3, time + h, next);
		for (int c = 0; c < 3; ++c)
			current.velocity[c] = (next[c] - now[c]) / h + 2 * (now[c] - center[c]);
	}
	else if (command->velocity.count > 0)
		lm_keyed_at(&command->velocity, 3, time + h, current.velocity);
	return current;
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

static void aim(const lm_scene_goal* goal, const double start[3], lm_act_pilot* pilot, double time)
{
	double position[3], velocity[3];
	lm_keyed_at(&goal->position, 3, time, position);
	lm_keyed_at(&goal->velocity, 3, time, velocity);
	for (int c = 0; c < 3; ++c)
	{
		lm_act_target target = { .position = position[c] + (goal->relative ? start[c] : 0),
			                     .velocity = velocity[c],
			                     .kp = goal->kp,
			                     .kd = goal->kd,
			                     .weight = goal->weight };
		if (!goal->axes[c])
			continue;
		if (goal->count > 0)
			lm_act_pilot_aim_points(pilot, goal->vertices, goal->count, axes[c], &target);
		else
			lm_act_pilot_aim_center(pilot, axes[c], &target);
	}
}

// ---- all of it ----

lm_status lm_act_direct(const lm_object* object, lm_act_pilot* pilot, const double* goal_starts, lm_error* error)
{
	const lm_scene_act* act = object->description->act;
	double time = object->time, h = object->h;
	if (act->command_count == 0 && act->goal_count == 0 && !object->live->was_commanded)
		return LM_OK;
	lm_act_pilot_begin(pilot, h);
	const lm_scene_command* last = NULL;
	for (int32_t i = 0; i < act->command_count; ++i)
		if (lm_timeline_is_on(act->commands[i].start, act->commands[i].end, time, h))
			last = &act->commands[i];
	if (object->live->commanded)
		lm_act_pilot_do(pilot, &object->live->command);
	else if (last != NULL)
	{
		lm_act_command command = command_at(last, pilot, time, h);
		lm_act_pilot_do(pilot, &command);
	}
	for (int32_t i = 0; i < act->goal_count; ++i)
		if (lm_timeline_is_on(act->goals[i].start, act->goals[i].end, time, h))
			aim(&act->goals[i], goal_starts + 3 * (size_t)i, pilot, time + h);
	return lm_act_pilot_commit(pilot, error);
}
