// resolve.c: what is particular to objects of the engine `act`: what is simulated of their mesh, how they lie in the
// plane, their cage and examples, and their commands.
#include "act/pilot/behaviours.h"
#include "act/settings.h"
#include "base/error.h"
#include "limber/act_character.h"
#include "objects/act/act.h"

#include <math.h>
#include <string.h>

static bool in_plane(const lm_scene_act* act)
{
	return act->kind == LM_ACT_CURVE2 || act->kind == LM_ACT_SOLID2;
}

// Not the contrary of the other: both are false when the model is wrong.
static bool in_space(const lm_scene_act* act)
{
	return lm_is_chosen((int)act->kind) && !in_plane(act);
}

lm_element_kind lm_act_elements(const lm_scene_object* object, const lm_mesh* mesh)
{
	bool lattice = LM_GIVEN(lm_object_table, object, lattice);
	if (!lm_is_chosen((int)object->act->kind)) // what there is
		return mesh->tet_count > 0 || lattice ? LM_TETRAHEDRA : mesh->triangle_count > 0 ? LM_TRIANGLES : LM_EDGES;
	switch (object->act->kind)
	{
		case LM_ACT_CURVE2: return LM_EDGES;
		case LM_ACT_SOLID2:
		case LM_ACT_SHELL: return LM_TRIANGLES;
		case LM_ACT_SOLID:
		case LM_ACT_SOLID_GREEN: break;
	}
	return LM_TETRAHEDRA;
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

// ---- material ----

static void check_law(lm_reader* reader, const lm_scene_act* act)
{
	bool thin = act->kind == LM_ACT_CURVE2 || act->kind == LM_ACT_SHELL;
	if (act->law == LM_LAW_NEO_HOOKEAN && thin)
		lm_problem_key(reader, "law", "is \"neo-hookean\", but model is \"%s\": only solids can have it",
		               act->kind == LM_ACT_SHELL ? "shell" : "curve");
}

// ---- control ----

static void choose_control(lm_reader* reader, lm_scene_act* act)
{
	bool cage = LM_GIVEN(lm_act_table, act, cage_file), cage_vertices = LM_GIVEN(lm_act_table, act, cage_vertices);
	bool examples = LM_GIVEN(lm_act_table, act, examples), control = LM_GIVEN(lm_act_table, act, control);
	if (!lm_is_chosen((int)act->control))
		return;
	if (!control && (cage || cage_vertices))
		act->control = LM_ACT_CAGE;
	else if (!control && examples)
		act->control = LM_ACT_EXAMPLES;
	if (cage && act->control != LM_ACT_CAGE)
		lm_problem_key(reader, "cage", "is given, but control is not \"cage\"");
	if (cage_vertices && act->control != LM_ACT_CAGE)
		lm_problem_key(reader, "cage_vertices", "is given, but control is not \"cage\"");
	if (cage && cage_vertices)
		lm_problem_key(reader, "cage_vertices", "is given together with cage, which has its vertices already");
	if (examples && act->control != LM_ACT_EXAMPLES)
		lm_problem_key(reader, "examples", "is given, but control is not \"examples\"");
	if (act->control == LM_ACT_EXAMPLES && !examples)
		lm_problem_key(reader, "examples", "is missing, must list poses, because control is \"examples\"");
	if (act->control == LM_ACT_PASSIVE && (act->command_count > 0 || act->goal_count > 0))
		lm_problem_key(reader, act->command_count > 0 ? "commands" : "goals",
		               "is given, but control is \"passive\": a passive body cannot do anything");
}

static void read_cage(lm_reader* reader, const lm_scene_body* body, lm_scene_act* act)
{
	if (act->cage_file[0] == 0)
		return;
	act->cage = lm_read_mesh(reader, "cage", act->cage_file, body->scale);
	lm_error error;
	if (act->cage == NULL)
		return;
	if (lm_mesh_check(act->cage, act->cage_file, &error) != LM_OK)
		lm_problem_from(reader, "cage", &error);
	else if (in_space(act) && act->cage->triangle_count == 0)
		lm_problem_key(reader, "cage", "has no triangles, must be a closed surface");
}

static void read_examples(lm_reader* reader, const lm_scene_body* body, lm_scene_act* act)
{
	size_t mark = lm_reader_enter(reader, "examples");
	for (int32_t i = 0; i < act->example_count && reader->status == LM_OK; ++i)
	{
		lm_scene_act_example* example = &act->examples[i];
		size_t item = lm_reader_enter_item(reader, i);
		if (example->file[0] != 0)
			example->mesh = lm_read_pose(reader, body, "mesh", example->file, "an example pose");
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
}

// ---- commands ----

static bool concerns_all(const char* key)
{
	return strcmp(key, "do") == 0 || strcmp(key, "start") == 0 || strcmp(key, "end") == 0;
}

// Keys that only some behaviours know.
static void check_known(lm_reader* reader, const lm_scene_command* command)
{
	lm_act_behaviour behaviour = command->command.behaviour;
	for (int32_t i = 0; i < lm_table_count(&lm_command_table); ++i)
	{
		const char* key = lm_table_key(&lm_command_table, i).name;
		if (command->given >> i & 1 && !concerns_all(key) && !lm_act_behaviour_knows(behaviour, key))
			lm_problem_key(reader, key, "is given, but means nothing for \"%s\"", lm_act_behaviour_names[behaviour]);
	}
}

bool lm_act_can_walk(const lm_scene_act* act)
{
	return act->foot_count == 2 || lm_act_can_trot(act);
}

bool lm_act_can_trot(const lm_scene_act* act)
{
	return act->character && act->foot_count == 4;
}

// space: it cannot walk to a place.
static void check_way(lm_reader* reader, const lm_scene_command* command, bool space)
{
	lm_act_behaviour behaviour = command->command.behaviour;
	if (!lm_act_behaviour_knows(behaviour, "to")) // it stays, or jumps straight up unless its velocity says otherwise
		return;
	bool path = lm_act_behaviour_knows(behaviour, "path"), to = LM_GIVEN(lm_command_table, command, command.place);
	int ways = LM_GIVEN(lm_command_table, command, velocity) + (path && LM_GIVEN(lm_command_table, command, path)) + to;
	if (lm_act_steps(behaviour) && to && space)
		lm_problem_key(reader, "to", "is given, but bodies in space cannot walk to a place, only with a velocity");
	if (ways != 1)
		lm_problem(reader, "has %s, must have one of them",
		           path ? (ways == 0 ? "neither velocity nor path nor to" : "more than one of velocity, path and to")
		                : (ways == 0 ? "neither velocity nor to" : "both velocity and to"));
	if (LM_GIVEN(lm_command_table, command, command.speed) && !to)
		lm_problem_key(reader, "speed", "is given, but goes with to, which is not");
	if (LM_GIVEN(lm_command_table, command, command.up) && !to)
		lm_problem_key(reader, "up", "is given, but goes with to, which is not; velocity has its own y");
}

static void read_command(lm_reader* reader, lm_scene_command* command, bool space)
{
	lm_read_check_end(reader, LM_GIVEN(lm_command_table, command, end), command->start, command->end);
	if (!lm_is_chosen((int)command->command.behaviour))
		return;
	check_known(reader, command);
	check_way(reader, command, space);
	lm_act_command_complete(&lm_command_table, command, offsetof(lm_scene_command, command));
	lm_act_command usual = lm_act_command_default(command->command.behaviour);
	memcpy(command->command.velocity, usual.velocity, sizeof usual.velocity); // where it is not keyed
	command->command.has_place = LM_GIVEN(lm_command_table, command, command.place);
}

// ---- goals ----

static void read_axes(lm_reader* reader, lm_scene_goal* goal, bool plane)
{
	const char* names = goal->axis_names[0] != 0 ? goal->axis_names : plane ? "xy" : "xyz";
	bool good = true;
	goal->axes[0] = goal->axes[1] = goal->axes[2] = false;
	for (const char* c = names; *c != 0; ++c)
	{
		good &= *c >= 'x' && *c <= (plane ? 'y' : 'z');
		if (*c >= 'x' && *c <= 'z')
			goal->axes[*c - 'x'] = true;
	}
	if (!good)
		lm_problem_key(reader, "axes", "is \"%.20s\", must be letters out of \"%s\"", names, plane ? "xy" : "xyz");
}

static bool is_keyed(const lm_scene_goal* goal, const char* key)
{
	bool found = false;
	for (int32_t i = 0; i < goal->keyed.count; ++i)
		found |= strcmp(goal->keyed.items[i].key, key) == 0;
	return found;
}

static void read_goal(lm_reader* reader, const lm_scene_body* body, lm_scene_goal* goal, bool plane)
{
	bool listed = LM_GIVEN(lm_goal_table, goal, vertices), position = LM_GIVEN(lm_goal_table, goal, position);
	lm_read_check_end(reader, LM_GIVEN(lm_goal_table, goal, end), goal->start, goal->end);
	read_axes(reader, goal, plane);
	if (goal->group[0] != 0 || listed)
		lm_read_vertices(reader, body, goal->group, listed, &goal->vertices, &goal->count);
	if (!position && !LM_GIVEN(lm_goal_table, goal, velocity))
		lm_problem(reader, "has neither position nor velocity, must have one of them or both");
	if (!position && LM_GIVEN(lm_goal_table, goal, kp) && (goal->kp > 0 || is_keyed(goal, "kp")))
		lm_problem_key(reader, "kp", "is given, but there is no position");
	if (!position && LM_GIVEN(lm_goal_table, goal, relative))
		lm_problem_key(reader, "relative", "is given, but there is no position");
	if (!position)
		goal->kp = 0;
	if (goal->kp == 0 && goal->kd == 0 && !is_keyed(goal, "kp") && !is_keyed(goal, "kd"))
		lm_problem_key(reader, "kd", "is 0 and so is kp, one of them must be above 0");
}

// ---- feet ----

static void check_group(lm_reader* reader, const lm_scene_body* body, const char* name)
{
	if (name[0] == 0 || !lm_read_has_group(reader, body, name) || body->mesh == NULL)
		return;
	if (body->mesh->groups[lm_mesh_find_group(body->mesh, name)].count == 0)
		lm_problem(reader, "is \"%.60s\", which has no vertices", name);
}

static void check_feet(lm_reader* reader, const lm_scene_body* body, const lm_scene_act* act)
{
	size_t mark = lm_reader_enter(reader, "feet");
	for (int32_t i = 0; i < act->foot_count; ++i)
	{
		size_t item = lm_reader_enter_item(reader, i);
		check_group(reader, body, act->feet[i]);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
	lm_reader_enter(reader, "trunk");
	check_group(reader, body, act->trunk);
	lm_reader_leave(reader, mark);
	bool walks = false, trots = false;
	for (int32_t i = 0; i < act->command_count; ++i)
	{
		walks |= lm_act_steps(act->commands[i].command.behaviour);
		trots |= act->commands[i].command.behaviour == LM_ACT_TROT;
	}
	if (!walks || (trots ? lm_act_can_trot(act) : lm_act_can_walk(act)) || body->mesh == NULL)
		return;
	if (trots)
	{
		lm_problem_key(reader, "feet", "must be four of a character, because it trots");
		return;
	}
	if (act->character && act->foot_count == 0)
		lm_problem_key(
			reader, "feet",
			"could not be found: it stands on a base, and cannot walk; it can hop and go, or name vertex groups");
	else
		lm_problem_key(reader, "feet",
		               act->character ? "must name two vertex groups, left to right, or four, because it walks"
		                              : "must name two vertex groups, left to right, because it walks");
}

// ---- characters ----

static size_t size_of(lm_key key)
{
	return key.kind == LM_KEY_VECTOR    ? (size_t)key.width * sizeof(double)
	       : key.kind == LM_KEY_INTEGER ? sizeof(int32_t)
	       : key.kind == LM_KEY_FLAG    ? sizeof(bool)
	                                    : sizeof(double);
}

// Settings that the file does not give follow from size, mass and gravity.
static void complete_settings(lm_reader* reader, const lm_scene_object* object, const lm_fitted* fitted)
{
	lm_scene_act* act = object->act;
	lm_act_settings found;
	lm_error error;
	double mass = 0;
	for (int32_t v = 0; v < fitted->mesh->vertex_count; ++v)
		mass += object->density * fitted->volumes[v];
	if (lm_character_settings(fitted, mass, act->settings.gravity, &reader->host, &found, &error) != LM_OK)
	{
		lm_problem_from(reader, "character", &error);
		return;
	}
	for (int32_t i = 0; i < lm_table_count(&lm_act_settings_table); ++i)
	{
		lm_key key = lm_table_key(&lm_act_settings_table, i);
		if (!lm_key_given(&lm_act_table, act, offsetof(lm_scene_act, settings) + key.offset))
			memcpy((char*)&act->settings + key.offset, (char*)&found + key.offset, size_of(key));
	}
}

static void complete_rig(lm_reader* reader, const lm_fitted* fitted, lm_scene_act* act)
{
	if (!LM_GIVEN(lm_act_table, act, trunk))
		act->trunk = "trunk";
	if (LM_GIVEN(lm_act_table, act, feet) || fitted->foot_count == 0)
		return;
	act->feet = lm_reader_keep(reader, (size_t)fitted->foot_count, sizeof *act->feet);
	for (int32_t f = 0; act->feet != NULL && f < fitted->foot_count; ++f)
		act->feet[f] = lm_reader_keep_text(reader, fitted->feet[f]);
	act->foot_count = act->feet != NULL ? fitted->foot_count : 0;
}

#define LM_CHARACTER_DENSITY 1000 // kg/m^3: as heavy as other bodies of its size, so that they meet as equals

static void complete_character(lm_reader* reader, const lm_scene_body* body, lm_scene_object* object)
{
	lm_scene_act* act = object->act;
	if (!LM_GIVEN(lm_object_table, object, density))
		object->density = LM_CHARACTER_DENSITY;
	if (!LM_GIVEN(lm_act_table, act, control) && !LM_GIVEN(lm_act_table, act, cage_file) &&
	    !LM_GIVEN(lm_act_table, act, cage_vertices) && !LM_GIVEN(lm_act_table, act, examples))
		act->control = LM_ACT_FULL;
	if (in_plane(act) || act->kind == LM_ACT_SHELL)
		lm_problem_key(reader, "character", "is true, but only solids become characters by themselves");
	else if (body->mesh != NULL && body->fitted == NULL)
		lm_problem_key(reader, "character", "is true, but the mesh has tetrahedra already; give its surface instead");
	if (body->fitted == NULL)
		return;
	complete_settings(reader, object, body->fitted);
	complete_rig(reader, body->fitted, act);
	if (!LM_GIVEN(lm_object_table, object, substeps))
	{
		double step = lm_character_step(body->fitted, -act->settings.gravity[1]);
		object->substeps = (int32_t)fmin(fmax(ceil(1 / (body->scene->fps * step) - 0.05), 1), 1000);
	}
}

// ---- all of it ----

void lm_act_resolve(lm_reader* reader, const lm_scene_body* body, lm_scene_object* object)
{
	lm_scene_act* act = object->act;
	if (in_plane(act))
		check_plane(reader, object);
	if (act->kind == LM_ACT_CURVE2 && object->surface_file[0] != 0)
		lm_problem_key(reader, "surface", "is given, but a curve is shown as it is");
	size_t mark = lm_reader_enter(reader, "act"), item;
	if (act->character)
		complete_character(reader, body, object);
	check_law(reader, act);
	choose_control(reader, act);
	lm_act_complete_passive(body, object);
	read_cage(reader, body, act);
	read_examples(reader, body, act);
	check_feet(reader, body, act);
	size_t list = lm_reader_enter(reader, "commands");
	for (int32_t i = 0; i < act->command_count; ++i)
	{
		item = lm_reader_enter_item(reader, i);
		read_command(reader, &act->commands[i], in_space(act) && !act->character);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, list);
	lm_reader_enter(reader, "goals");
	for (int32_t i = 0; i < act->goal_count; ++i)
	{
		item = lm_reader_enter_item(reader, i);
		read_goal(reader, body, &act->goals[i], in_plane(act));
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, list);
	lm_act_resolve_follow(reader, body, act);
	lm_reader_leave(reader, mark);
}

void lm_act_resolve_between(lm_reader* reader, lm_scene* scene)
{
	size_t mark = lm_reader_enter(reader, "objects");
	for (int32_t i = 0; i < scene->object_count; ++i)
	{
		const lm_scene_object* object = &scene->objects[i];
		if (object->act == NULL)
			continue;
		size_t item = lm_reader_enter_item(reader, i);
		lm_act_check_follow(reader, scene, object);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
}

void lm_act_release(lm_scene_object* object)
{
	lm_mesh_destroy(object->act->cage);
	for (int32_t i = 0; i < object->act->example_count; ++i)
		lm_mesh_destroy(object->act->examples[i].mesh);
}

// ---- what a program has filled in ----

// Walking needs weight.
static lm_status check_walk(const lm_scene_object* object, const double g[3], lm_error* error)
{
	if (!(-g[1] >= LM_ACT_GRAVITY_TO_WALK))
		return lm_fail(error, LM_BAD_INPUT,
		               "object \"%.60s\" shall walk, but its gravity is (%g, %g, %g): walking needs at least "
		               "%g m/s^2 downwards, along -y",
		               object->name, g[0], g[1], g[2], LM_ACT_GRAVITY_TO_WALK);
	return LM_OK;
}

lm_status lm_act_check_command(const lm_scene_object* object, const lm_act_settings* settings,
                               const lm_act_command* command, lm_error* error)
{
	lm_error found;
	lm_status status = lm_table_check(&lm_act_behaviour_table, command, &found);
	if (status == LM_OK)
		status = lm_table_check(&lm_act_command_table, command, &found);
	if (status != LM_OK)
		return lm_fail(error, status, "object \"%.60s\": %s", object->name, found.message);
	for (int k = 0; k < 3; ++k)
		if (!(fabs(command->velocity[k]) <= 1000))
			return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\": the velocity is %g m/s, must be at most 1000",
			               object->name, command->velocity[k]);
	return lm_act_steps(command->behaviour) ? check_walk(object, settings->gravity, error) : LM_OK;
}

lm_status lm_act_check_object(const lm_scene* scene, const lm_scene_object* object, lm_error* error)
{
	(void)scene;
	const lm_scene_act* act = object->act;
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && i < act->goal_count; ++i)
		status = lm_scene_check_vertices(object, "a goal", act->goals[i].vertices, act->goals[i].count, error);
	for (int32_t i = 0; status == LM_OK && i < act->example_count; ++i)
		status = lm_scene_check_pose(object, "an example", act->examples[i].mesh, error);
	for (int32_t i = 0; status == LM_OK && i < act->command_count; ++i)
		status = lm_act_check_command(object, &act->settings, &act->commands[i].command, error);
	return status;
}
