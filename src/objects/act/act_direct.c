// act_direct.c: commands and goals of the scene, handed to the pilot of an object of `act` at each step.
#include "objects/act/act_direct.h"

#include "math/vec.h"
#include "objects/timeline.h"

#include <string.h>

static const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };

// ---- keeping ----

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

bool lm_act_direction_keep(lm_act_direction* direction, const lm_scene_act* act, const lm_act* body, lm_arena* memory)
{
	direction->command_count = act->command_count;
	direction->goal_count = act->goal_count;
	direction->commands = lm_keep(memory, act->commands, (size_t)act->command_count, sizeof *direction->commands);
	direction->goals = lm_keep(memory, act->goals, (size_t)act->goal_count, sizeof *direction->goals);
	direction->starts = LM_TAKE(memory, 3 * (size_t)act->goal_count, double);
	double* positions = LM_TAKE(memory, 3 * (size_t)lm_act_vertex_count(body), double);
	bool kept =
		direction->commands != NULL && direction->goals != NULL && direction->starts != NULL && positions != NULL;
	if (kept)
		lm_act_positions(body, positions);
	for (int32_t i = 0; kept && i < act->command_count; ++i)
		kept = lm_keep_keyed(memory, &direction->commands[i].velocity, 3) &&
		       lm_keep_keyed(memory, &direction->commands[i].path, 3);
	for (int32_t i = 0; kept && i < act->goal_count; ++i)
	{
		lm_scene_goal* goal = &direction->goals[i];
		goal->vertices = lm_keep(memory, goal->vertices, (size_t)goal->count, sizeof(int32_t));
		kept = goal->vertices != NULL && lm_keep_keyed(memory, &goal->position, 3) &&
		       lm_keep_keyed(memory, &goal->velocity, 3);
		if (kept)
			place_of(goal, body, positions, direction->starts + 3 * (size_t)i);
	}
	return kept;
}

// ---- commands ----

// Towards a place, not faster than `speed`, slowing down over the last stretch so that it would take `halt` seconds
// more.
static void velocity_towards(const double from[3], const double to[3], double speed, double halt, double velocity[3])
{
	double x = to[0] - from[0], z = to[2] - from[2], distance = hypot(x, z);
	double share = distance > 0 ? fmin(speed, distance / halt) / distance : 0;
	velocity[0] = share * x;
	velocity[2] = share * z;
}

// What the command wants of the centre of mass: along its path, to its place, or with its velocity.
static void wanted_velocity(const lm_scene_command* command, const lm_act_pilot* pilot, double time, double h,
                            double halt, double velocity[3])
{
	const double* center = lm_act_pilot_motion(pilot)->center;
	if (command->has_place)
		velocity_towards(center, command->place, command->speed, halt, velocity);
	else if (command->path.count > 0)
	{
		// the path's own velocity, and a correction that closes a gap at 2/s
		double now[3], next[3];
		lm_keyed_at(&command->path, 3, time, now);
		lm_keyed_at(&command->path, 3, time + h, next);
		for (int c = 0; c < 3; ++c)
			velocity[c] = (next[c] - now[c]) / h + 2 * (now[c] - center[c]);
	}
	else
		lm_keyed_at(&command->velocity, 3, time + h, velocity);
}

// Whether it is where the command wants it, within `share` of its height, and stands there; once it does it may be
// pushed a tenth of its height away before it sets off again.
static bool stands_at_place(const lm_scene_command* command, lm_act_pilot* pilot, double share)
{
	const double* center = lm_act_pilot_motion(pilot)->center;
	double distance = hypot(command->place[0] - center[0], command->place[2] - center[2]);
	if (!command->has_place || distance > (lm_act_pilot_stands(pilot) ? 0.1 : share) * lm_act_pilot_height(pilot))
		return false;
	lm_act_pilot_stand(pilot, &command->stand);
	return true;
}

// Whether it stands at its place, or would land there if it stopped pushing now: then it stops pushing. Soft bodies
// stretch and fly a little further than that, hence 3 % of their height early. What stands leans over to its place, and
// hops again if it comes to rest further away than 5 %, or leans by more than 0.08 rad.
static bool hopped_to_place(const lm_scene_command* command, lm_act_pilot* pilot)
{
	const lm_act_motion* motion = lm_act_pilot_motion(pilot);
	const double *x = motion->center, *v = motion->velocity, g = 9.81;
	double height = lm_act_pilot_height(pilot), way[2] = { command->place[0] - x[0], command->place[2] - x[2] };
	double distance = hypot(way[0], way[1]);
	bool at_rest = motion->touching > 0 && hypot(v[0], hypot(v[1], v[2])) < 0.02 * height;
	double lean = hypot(motion->tilt[0], motion->tilt[2]);
	if (lm_act_pilot_stands(pilot))
		return at_rest ? distance < 0.05 * height && lean < 0.08 : distance < 0.3 * height;
	double flight = fmax(2 * v[1] / g, 0.05);
	double left = distance - flight * (v[0] * way[0] + v[2] * way[1]) / fmax(distance, 1e-9);
	return distance < 0.02 * height || (left < 0.03 * height && distance < 0.5 * height);
}

static void follow(const lm_scene_command* command, lm_act_pilot* pilot, double time, double h)
{
	lm_act_go go = command->go;
	lm_act_hop hop = command->hop;
	lm_act_walk walk = command->walk;
	lm_act_roll roll = command->roll;
	lm_act_crawl crawl = command->crawl;
	lm_act_stand stand = command->stand;
	switch (command->kind)
	{
		case LM_SCENE_GO:
			wanted_velocity(command, pilot, time, h, 0.5, go.velocity);
			lm_act_pilot_go(pilot, &go);
			break;
		case LM_SCENE_HOP:
			// hops to a place are as long as it takes: the flight lasts 2 up / g
			wanted_velocity(command, pilot, time, h, 2 * hop.velocity[1] / 9.81, hop.velocity);
			stand.has_place = command->has_place;
			memcpy(stand.place, command->place, sizeof stand.place);
			if (command->has_place && hopped_to_place(command, pilot))
				lm_act_pilot_stand(pilot, &stand);
			else
				lm_act_pilot_hop(pilot, &hop);
			break;
		case LM_SCENE_STAND: lm_act_pilot_stand(pilot, &command->stand); break;
		case LM_SCENE_WALK:
			walk.has_place = command->has_place;
			memcpy(walk.place, command->place, sizeof walk.place);
			lm_keyed_at(&command->velocity, 3, time + h, walk.velocity);
			if (command->has_place)
				walk.velocity[0] = command->speed;
			lm_act_pilot_walk(pilot, &walk);
			break;
		case LM_SCENE_ROLL:
			wanted_velocity(command, pilot, time, h, 0.5, roll.velocity);
			lm_act_pilot_roll(pilot, &roll);
			break;
		case LM_SCENE_CRAWL:
			wanted_velocity(command, pilot, time, h, 0.5, crawl.velocity);
			if (!stands_at_place(command, pilot, 0.01))
				lm_act_pilot_crawl(pilot, &crawl);
			break;
	}
}

// ---- goals ----

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

lm_status lm_act_direct(const lm_act_direction* direction, lm_act_pilot* pilot, double time, double h, lm_error* error)
{
	if (direction->command_count == 0 && direction->goal_count == 0)
		return LM_OK;
	lm_act_pilot_begin(pilot, h);
	const lm_scene_command* last = NULL;
	for (int32_t i = 0; i < direction->command_count; ++i)
		if (lm_timeline_is_on(direction->commands[i].start, direction->commands[i].end, time, h))
			last = &direction->commands[i];
	if (last != NULL)
		follow(last, pilot, time, h);
	for (int32_t i = 0; i < direction->goal_count; ++i)
		if (lm_timeline_is_on(direction->goals[i].start, direction->goals[i].end, time, h))
			aim(&direction->goals[i], direction->starts + 3 * (size_t)i, pilot, time + h);
	return lm_act_pilot_commit(pilot, error);
}
