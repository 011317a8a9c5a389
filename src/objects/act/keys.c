// keys.c: the keys of objects whose engine is `act`.
#include "scene/keys.h"
#include "act/pilot/behaviours.h"
#include "act/settings.h"
#include "objects/act/act.h"

// ---- examples ----

static const lm_key example_keys[] = {
	{ "mesh", LM_KEY_FILE, LM_KEY_REQUIRED, LM_AT(lm_scene_act_example, file),
	  .help = "The pose: the same mesh, moved." },
	{ "group", LM_KEY_INTEGER, .high = 63, LM_AT(lm_scene_act_example, group),
	  .help = "Poses of a group are blended with each other and the shape at rest; groups that deform different parts "
	          "act on their own." },
};

static const lm_table example_table = {
	.name = "pose",
	.article = "a",
	.help = "A pose that the rest shape may take: an object, or just the name of the file.",
	.size = sizeof(lm_scene_act_example),
	.short_key = "mesh",
	LM_KEYS(example_keys),
};

// ---- commands ----

#define COMMAND(field) LM_AT(lm_scene_command, field)

static const lm_key command_keys[] = {
	{ .kind = LM_KEY_INCLUDE, .table = &lm_act_behaviour_table, COMMAND(command) },
	{ "start", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, COMMAND(start), .unit = "s",
	  .help = "From when. Of several commands that are on, the last in the list counts." },
	{ "end", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, .preset = { -1 }, COMMAND(end), .unit = "s", .usual = "never",
	  .help = "Until when." },
	{ "velocity", LM_KEY_KEYED, .width = 3, .low = -1000, .high = 1000, COMMAND(velocity), .unit = "m/s",
	  .usual = "none", .help = "Of the centre of mass: horizontally for `go`, when it leaves the ground for `hop`." },
	{ "path", LM_KEY_KEYED, .width = 3, COMMAND(path), .unit = "m", .usual = "none",
	  .help = "For `go`, `roll` and `walk`, instead of `velocity`: where the centre of mass shall be; y is ignored." },
	{ .kind = LM_KEY_INCLUDE, .table = &lm_act_command_table, COMMAND(command) },
};

const lm_table lm_command_table = {
	.name = "command",
	.article = "a",
	.help = "A behaviour that an object of `act` has for some time.",
	.size = sizeof(lm_scene_command),
	.given = offsetof(lm_scene_command, given),
	LM_KEYS(command_keys),
};

// ---- goals ----

#define GOAL(field) LM_AT(lm_scene_goal, field)

static const lm_key goal_keys[] = {
	{ "group", LM_KEY_TEXT, GOAL(group), .usual = "the centre of mass",
	  .help = "The group of vertices whose mean shall move." },
	{ "vertices", LM_KEY_INDICES, .high = LM_KEY_LIMIT, GOAL(vertices), LM_COUNT_AT(lm_scene_goal, count),
	  .usual = "the centre of mass", .help = "The vertices whose mean shall move, counted from 0." },
	{ "axes", LM_KEY_TEXT, GOAL(axis_names), .usual = "`\"xyz\"`; `\"xy\"` in the plane",
	  .help = "The axes that matter, as letters." },
	{ "position", LM_KEY_KEYED, .width = 3, GOAL(position), .unit = "m", .usual = "none",
	  .help = "Where it shall be." },
	{ "relative", LM_KEY_FLAG, GOAL(relative), .help = "Whether `position` counts from where it starts." },
	{ "velocity", LM_KEY_KEYED, .width = 3, GOAL(velocity), .unit = "m/s", .usual = "zero",
	  .help = "How it shall move." },
	{ "kp", LM_KEY_NUMBER, LM_KEY_IN_TIME, .off = offsetof(lm_scene_goal, keyed), .high = 1e6, .preset = { 8 },
	  GOAL(kp), .unit = "1/s", .usual = "8 with `position`, else 0", .help = "Gain of the position." },
	{ "kd", LM_KEY_NUMBER, LM_KEY_IN_TIME, .off = offsetof(lm_scene_goal, keyed), .high = 1e6, .preset = { 1 },
	  GOAL(kd), .help = "Gain of the velocity." },
	{ "weight", LM_KEY_NUMBER, LM_KEY_IN_TIME, .off = offsetof(lm_scene_goal, keyed), .high = 1e6, .preset = { 1 },
	  GOAL(weight), .help = "Against other goals and the regularisers." },
	{ "start", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, GOAL(start), .unit = "s", .help = "From when." },
	{ "end", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, .preset = { -1 }, GOAL(end), .unit = "s", .usual = "never",
	  .help = "Until when." },
};

const lm_table lm_goal_table = {
	.name = "goal",
	.article = "a",
	.help = "A goal of your own for an object of `act`, besides those of its commands: along each axis, weight times "
			"(kp times the error of the position plus kd times the error of the velocity) is made small.",
	.size = sizeof(lm_scene_goal),
	.given = offsetof(lm_scene_goal, given),
	LM_KEYS(goal_keys),
};

// ---- what it performs ----

#define FOLLOW(field) LM_AT(lm_scene_follow, field)

static const lm_key follow_keys[] = {
	{ "object", LM_KEY_TEXT, FOLLOW(object), .usual = "none", .help = "An object of `design` with the same mesh." },
	{ "file", LM_KEY_FILE, FOLLOW(file), .usual = "none",
	  .help = "Or an animation of the same mesh: a point cache (.pc2, .mdd), or meshes with {frame} in their names." },
	LM_ANIMATION_KEYS(lm_scene_follow),
	{ "softness", LM_KEY_NUMBER, .high = 1, FOLLOW(softness),
	  .help = "0 follows as closely as it can, 1 loosely: what is behind comes up within 0.1 to 1 s." },
	{ "groups", LM_KEY_TEXTS, .low = 1, .high = 4096, FOLLOW(groups), LM_COUNT_AT(lm_scene_follow, group_count),
	  .usual = "all of it", .help = "Groups of vertices that follow." },
};

const lm_table lm_follow_table = {
	.name = "follow",
	.article = "a",
	.help =
		"A motion that an object of `act` performs by its own strength, as far as that goes; it may be pushed off it "
		"and comes back. What moves it as a whole is its command: it stands unless that says otherwise. Files are "
		"turned as the object is. `follow_error` in the statistics tells how close it came.",
	.size = sizeof(lm_scene_follow),
	.given = offsetof(lm_scene_follow, given),
	LM_KEYS(follow_keys),
};

// ---- the engine ----

static void act_defaults(void* item)
{
	lm_scene_act* act = item;
	lm_act_def def = lm_act_def_default();
	act->kind = def.kind;
	act->control = def.control;
	act->cage_vertices = def.cage_vertices;
}

// In the order of lm_act_kind and lm_act_control.
static const char* const model_names[] = { "curve", "solid2", "shell", "solid", "solid-green", NULL };
static const char* const law_names[] = { "model", "neo-hookean", NULL };
static const char* const control_names[] = { "passive", "full", "cage", "examples", NULL };

#define AT(field) LM_AT(lm_scene_act, field)

static const lm_key act_keys[] = {
	{ "model", LM_KEY_CHOICE, LM_KEY_DECIDES, AT(kind), .choices = model_names,
	  .help = "`curve`: lines in the plane z = 0; `solid2`: triangles in that plane, counter-clockwise; `shell`: "
	          "triangles in space; `solid`: tetrahedra by their edge lengths; `solid-green`: tetrahedra by Green's "
	          "strain. Bodies in the plane and in space do not touch each other." },
	{ "law", LM_KEY_CHOICE, AT(law), .choices = law_names,
	  .help =
	      "Of solids: the energy that `model` says, or a neo-Hookean one, which resists being crushed and stretched "
	      "far more evenly and is the same material near rest as `solid2` and `solid-green`." },
	{ "control", LM_KEY_CHOICE, LM_KEY_DECIDES, AT(control), .choices = control_names,
	  .usual = "`\"cage\"` with a cage, `\"examples\"` with examples, else `\"passive\"`",
	  .help =
	      "How its rest shape may change to meet its goals: not at all, at every vertex, by the vertices of a cage, "
	      "or by blending examples." },
	{ "character", LM_KEY_FLAG, AT(character),
	  .help =
	      "Whether the figure becomes a character by itself: a lattice that fits it, full control, settings from its "
	      "size, mass and gravity, feet and trunk, each where it is not given. It faces along x." },
	{ "cage", LM_KEY_FILE, AT(cage_file), .usual = "one is made",
	  .help = "A closed surface around the mesh; in the plane a closed polygon, its vertices in order." },
	{ "cage_vertices", LM_KEY_INTEGER, .low = 3, .high = 4096, AT(cage_vertices),
	  .help = "Vertices of a cage that is made." },
	{ "examples", LM_KEY_LIST, .low = 1, .high = 64, AT(examples), LM_COUNT_AT(lm_scene_act, example_count),
	  .table = &example_table, .usual = "none", .help = "Poses that its rest shape may take." },
	{ .kind = LM_KEY_INCLUDE,
	  LM_KEY_IN_TIME,
	  .table = &lm_act_settings_table,
	  AT(settings),
	  .off = offsetof(lm_scene_act, keyed) },
	{ "feet", LM_KEY_TEXTS, .low = 1, .high = LM_ACT_FEET_MAX, AT(feet), LM_COUNT_AT(lm_scene_act, foot_count),
	  .usual = "none",
	  .help = "Names of the vertex groups that are its feet, for `walk` (two, left to right) and for counting steps." },
	{ "trunk", LM_KEY_TEXT, AT(trunk), .usual = "none", .help = "Name of the vertex group that `walk` keeps upright." },
	{ "commands", LM_KEY_LIST, .high = 10000, AT(commands), LM_COUNT_AT(lm_scene_act, command_count),
	  .table = &lm_command_table, .usual = "none", .help = "Its behaviours over time." },
	{ "goals", LM_KEY_LIST, .high = 10000, AT(goals), LM_COUNT_AT(lm_scene_act, goal_count), .table = &lm_goal_table,
	  .usual = "none", .help = "Goals of your own." },
	{ "follow", LM_KEY_TABLE, AT(follow), .table = &lm_follow_table, .usual = "nothing",
	  .help = "A designed object or an animation that it performs." },
};

const lm_table lm_act_table = {
	.name = "act",
	.article = "the engine",
	.help = "Settings of the engine `act`: soft characters that move themselves by changing their rest shape, and "
			"passive soft bodies that share their world.",
	.size = sizeof(lm_scene_act),
	.given = offsetof(lm_scene_act, given),
	.defaults = act_defaults,
	LM_KEYS(act_keys),
};
