// read_act.c: what is particular to objects of the engine `act`: how they lie in the plane, their cage and examples,
// and what they are told to do.
#include "base/alloc.h"
#include "math/vec.h"
#include "scene/reader.h"
#include "scene/scene.h"

#include <string.h>

static bool in_plane(const lm_scene_act* act)
{
	return act->kind == LM_ACT_CURVE2 || act->kind == LM_ACT_SOLID2;
}

// Not the contrary of the other: nobody knows when the model is missing or wrong.
static bool in_space(const lm_scene_act* act)
{
	return lm_is_chosen((int)act->kind) && !in_plane(act);
}

// ---- placement ----

static void check_plane(lm_reader* reader, const lm_scene_object* object)
{
	static const char reason[] = "because the body lies in the plane z = 0";
	if (object->position[2] != 0)
		lm_problem_key(reader, "position", "has z = %.10g, must have 0, %s", object->position[2], reason);
	if (object->velocity[2] != 0)
		lm_problem_key(reader, "velocity", "has z = %.10g, must have 0, %s", object->velocity[2], reason);
	if (object->rotation[1] != 0 || object->rotation[2] != 0)
		lm_problem_key(reader, "rotation", "must be about the z axis, %s", reason);
	if (object->angular_velocity[0] != 0 || object->angular_velocity[1] != 0)
		lm_problem_key(reader, "angular_velocity", "must be about the z axis, %s", reason);
}

// ---- control ----

static void choose_control(lm_reader* reader, const lm_read_act* read, lm_scene_act* act)
{
	bool cage = read->cage_given || read->cage_vertices_given;
	if (!lm_is_chosen((int)act->control))
		return;
	if (!read->control_given && cage)
		act->control = LM_ACT_CAGE;
	else if (!read->control_given && read->examples_given)
		act->control = LM_ACT_EXAMPLES;
	if (read->cage_given && act->control != LM_ACT_CAGE)
		lm_problem_key(reader, "cage", "is given, but control is not \"cage\"");
	if (read->cage_vertices_given && act->control != LM_ACT_CAGE)
		lm_problem_key(reader, "cage_vertices", "is given, but control is not \"cage\"");
	if (read->cage_given && read->cage_vertices_given)
		lm_problem_key(reader, "cage_vertices", "is given together with cage, which has its vertices already");
	if (read->examples_given && act->control != LM_ACT_EXAMPLES)
		lm_problem_key(reader, "examples", "is given, but control is not \"examples\"");
	if (act->control == LM_ACT_EXAMPLES && !read->examples_given)
		lm_problem_key(reader, "examples", "is missing, must list poses, because control is \"examples\"");
	if (act->control == LM_ACT_PASSIVE && (read->command_count > 0 || read->goal_count > 0))
		lm_problem_key(reader, read->command_count > 0 ? "commands" : "goals",
		               "is given, but control is \"passive\": a passive body cannot do anything");
}

static char* path_text(lm_reader* reader, lm_scene* scene, const char* name)
{
	const char* path = lm_reader_beside(reader, name);
	char* text = path != NULL ? lm_scene_text(scene, path) : NULL;
	if (text == NULL)
		lm_reader_no_memory(reader);
	return text;
}

static void read_cage(lm_reader* reader, const lm_read_body* body, const lm_read_act* read, lm_scene_act* act)
{
	if (read->cage == NULL)
		return;
	lm_free(&body->scene->host, act->cage_path);
	act->cage_path = path_text(reader, body->scene, read->cage);
	act->cage = lm_read_mesh(reader, "cage", read->cage, body->scale);
	lm_error error;
	if (act->cage == NULL)
		return;
	if (lm_mesh_check(act->cage, read->cage, &error) != LM_OK)
		lm_problem_from(reader, "cage", &error);
	else if (in_space(act) && act->cage->triangle_count == 0)
		lm_problem_key(reader, "cage", "has no triangles, must be a closed surface");
}

static void read_examples(lm_reader* reader, const lm_read_body* body, const lm_read_act* read, lm_scene_act* act)
{
	act->examples = lm_read_list(reader, body->scene, read->example_count, sizeof *act->examples, &act->example_count);
	size_t mark = lm_reader_enter(reader, "examples");
	for (int32_t i = 0; i < act->example_count && reader->status == LM_OK; ++i)
	{
		size_t item = lm_reader_enter_item(reader, i);
		act->examples[i].group = read->examples[i].group;
		if (read->examples[i].mesh != NULL)
		{
			act->examples[i].path = path_text(reader, body->scene, read->examples[i].mesh);
			act->examples[i].mesh = lm_read_pose(reader, body, "mesh", read->examples[i].mesh, "an example pose");
		}
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
}

// ---- commands ----

// Keys that only some commands know.
static void check_known(lm_reader* reader, const lm_read_command* read)
{
	enum
	{
		GO = 1 << LM_SCENE_GO,
		HOP = 1 << LM_SCENE_HOP,
		STAND = 1 << LM_SCENE_STAND,
		WALK = 1 << LM_SCENE_WALK,
		ROLL = 1 << LM_SCENE_ROLL,
		CRAWL = 1 << LM_SCENE_CRAWL,
		MOVES = GO | HOP | WALK | ROLL | CRAWL
	};
	const struct
	{
		const char* key;
		bool given;
		int kinds;
	} keys[] = {
		{ "velocity", read->velocity_given, MOVES },
		{ "path", read->path_given, GO | ROLL },
		{ "to", read->to_given, MOVES },
		{ "speed", read->speed_given, MOVES },
		{ "up", read->up_given, HOP },
		{ "crouch", read->crouch_given, HOP },
		{ "squat", read->squat_given, HOP },
		{ "lean", read->lean_given, HOP },
		{ "land", read->land_given, HOP },
		{ "height", read->height_given, GO | ROLL },
		{ "balance", read->balance_given, GO | HOP | STAND | CRAWL },
		{ "step", read->step_given, WALK | CRAWL },
		{ "lift", read->lift_given, WALK | CRAWL },
		{ "width", read->width_given, WALK },
		{ "turn", read->turn_given, WALK },
	};
	static const char* const names[] = { "go", "hop", "stand", "walk", "roll", "crawl" };
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i)
		if (keys[i].given && !(keys[i].kinds & 1 << read->command.kind))
			lm_problem_key(reader, keys[i].key, "is given, but means nothing for \"%s\"", names[read->command.kind]);
}

static void check_way(lm_reader* reader, const lm_read_command* read, bool space)
{
	bool path = read->command.kind == LM_SCENE_GO || read->command.kind == LM_SCENE_ROLL;
	int ways = read->velocity_given + (path && read->path_given) + read->to_given;
	if (read->command.kind == LM_SCENE_STAND)
		return;
	if (read->command.kind == LM_SCENE_WALK && read->to_given && space)
		lm_problem_key(reader, "to", "is given, but bodies in space cannot walk to a place, only with a velocity");
	if (ways != 1)
		lm_problem(reader, "has %s, must have one of them",
		           path ? (ways == 0 ? "neither velocity nor path nor to" : "more than one of velocity, path and to")
		                : (ways == 0 ? "neither velocity nor to" : "both velocity and to"));
	if (read->speed_given && !read->to_given)
		lm_problem_key(reader, "speed", "is given, but goes with to, which is not");
	if (read->up_given && !read->to_given)
		lm_problem_key(reader, "up", "is given, but goes with to, which is not; velocity has its own y");
}

static void read_command(lm_reader* reader, const lm_read_body* body, const lm_read_command* read, bool space,
                         lm_scene_command* command)
{
	*command = read->command;
	lm_read_check_end(reader, read->end_given, command->start, command->end);
	if (lm_is_chosen((int)read->command.kind))
	{
		check_known(reader, read);
		check_way(reader, read, space);
	}
	command->velocity = lm_read_keyed(reader, body->scene, &read->velocity, 3, 0);
	if (read->path_given)
		command->path = lm_read_keyed(reader, body->scene, &read->path, 3, 0);
	command->has_place = read->to_given;
	command->go.weight = command->hop.weight = command->stand.weight = command->walk.weight = read->weight;
	command->roll.weight = command->crawl.weight = read->weight;
	command->go.height_weight = command->roll.height_weight = read->height;
	command->hop.velocity[1] = read->up;
	if (read->balance_given)
		command->go.balance_weight = read->balance;
	command->hop.balance_weight = command->stand.balance_weight = command->crawl.balance_weight = read->balance;
	if (read->step_given)
		command->crawl.step_seconds = command->walk.step_seconds;
	if (read->lift_given)
		command->crawl.lift = command->walk.lift;
}

// ---- goals ----

static void read_axes(lm_reader* reader, const char* axes, bool plane, bool chosen[3])
{
	if (axes == NULL)
	{
		chosen[2] = !plane;
		return;
	}
	bool good = axes[0] != 0;
	chosen[0] = chosen[1] = chosen[2] = false;
	for (const char* c = axes; *c != 0; ++c)
	{
		good &= *c >= 'x' && *c <= (plane ? 'y' : 'z');
		if (*c >= 'x' && *c <= 'z')
			chosen[*c - 'x'] = true;
	}
	if (!good)
		lm_problem_key(reader, "axes", "is \"%.20s\", must be letters out of \"%s\"", axes, plane ? "xy" : "xyz");
}

static void read_goal(lm_reader* reader, const lm_read_body* body, const lm_read_goal* read, bool plane,
                      lm_scene_goal* goal)
{
	*goal = read->goal;
	lm_read_check_end(reader, read->end_given, goal->start, goal->end);
	read_axes(reader, read->axes, plane, goal->axes);
	lm_read_selection from = { read->group, read->group_given, read->vertices_given, read->count, read->vertices };
	if (read->group_given || read->vertices_given)
		goal->vertices = lm_read_vertices(reader, body, &from, &goal->count);
	if (!read->position_given && !read->velocity_given)
		lm_problem(reader, "has neither position nor velocity, must have one of them or both");
	if (!read->position_given && read->kp_given && goal->kp > 0)
		lm_problem_key(reader, "kp", "is given, but there is no position");
	if (!read->position_given && read->relative_given)
		lm_problem_key(reader, "relative", "is given, but there is no position");
	if (!read->position_given)
		goal->kp = 0;
	if (goal->kp == 0 && goal->kd == 0)
		lm_problem_key(reader, "kd", "is 0 and so is kp, one of them must be above 0");
	goal->position = lm_read_keyed(reader, body->scene, &read->position, 3, 0);
	goal->velocity = lm_read_keyed(reader, body->scene, &read->velocity, 3, 0);
}

// ---- feet ----

static char* group_name(lm_reader* reader, const lm_read_body* body, const char* name)
{
	lm_read_has_group(reader, body, name);
	char* text = lm_scene_text(body->scene, name);
	if (text == NULL)
		lm_reader_no_memory(reader);
	return text;
}

static void read_feet(lm_reader* reader, const lm_read_body* body, const lm_read_act* read, lm_scene_act* act)
{
	act->feet = lm_read_list(reader, body->scene, read->foot_count, sizeof *act->feet, &act->foot_count);
	size_t mark = lm_reader_enter(reader, "feet");
	for (int32_t i = 0; i < act->foot_count; ++i)
	{
		size_t item = lm_reader_enter_item(reader, i);
		if (read->feet[i] != NULL)
			act->feet[i] = group_name(reader, body, read->feet[i]);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
	if (read->trunk != NULL)
	{
		mark = lm_reader_enter(reader, "trunk");
		lm_free(&body->scene->host, act->trunk);
		act->trunk = group_name(reader, body, read->trunk);
		lm_reader_leave(reader, mark);
	}
	for (int32_t i = 0; i < read->command_count; ++i)
		if (read->commands[i].command.kind == LM_SCENE_WALK && read->foot_count != 2)
		{
			lm_problem_key(reader, "feet", "must name two vertex groups, left to right, because it walks");
			break;
		}
}

// ---- all of it ----

void lm_read_act_into(lm_reader* reader, const lm_read_body* body, const lm_read_act* read, lm_scene_object* object)
{
	lm_scene_act* act = object->act;
	char *cage_path = act->cage_path, *trunk = act->trunk;
	*act = read->act;
	act->cage_path = cage_path;
	act->trunk = trunk;
	if (in_plane(act))
		check_plane(reader, object);
	size_t mark = lm_reader_enter(reader, "act"), item;
	if (!read->gravity_given)
		memcpy(act->settings.gravity, body->scene->gravity, sizeof act->settings.gravity);
	choose_control(reader, read, act);
	read_cage(reader, body, read, act);
	read_examples(reader, body, read, act);
	read_feet(reader, body, read, act);
	act->commands = lm_read_list(reader, body->scene, read->command_count, sizeof *act->commands, &act->command_count);
	act->goals = lm_read_list(reader, body->scene, read->goal_count, sizeof *act->goals, &act->goal_count);
	size_t list = lm_reader_enter(reader, "commands");
	for (int32_t i = 0; i < act->command_count; ++i)
	{
		item = lm_reader_enter_item(reader, i);
		read_command(reader, body, &read->commands[i], in_space(act), &act->commands[i]);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, list);
	lm_reader_enter(reader, "goals");
	for (int32_t i = 0; i < act->goal_count; ++i)
	{
		item = lm_reader_enter_item(reader, i);
		read_goal(reader, body, &read->goals[i], in_plane(act), &act->goals[i]);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
}
