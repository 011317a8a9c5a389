// act_direct.h: what a scene tells an object of `act` to do: commands and goals, step by step.
#ifndef LM_OBJECTS_ACT_DIRECT_H
#define LM_OBJECTS_ACT_DIRECT_H

#include "base/arena.h"
#include "limber/scene.h"

typedef struct lm_act_direction
{
	int32_t command_count, goal_count;
	lm_scene_command* commands;
	lm_scene_goal* goals;
	double* starts; // goal_count x 3: where the points of each goal were at the beginning
} lm_act_direction;

// Copies into the arena; false when out of memory.
bool lm_act_direction_keep(lm_act_direction* direction, const lm_scene_act* act, const lm_act* body, lm_arena* memory);

// Sets the goals of the step from `time` to `time` + h.
lm_status lm_act_direct(const lm_act_direction* direction, lm_act_pilot* pilot, double time, double h, lm_error* error);

#endif
