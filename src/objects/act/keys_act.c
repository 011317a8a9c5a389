// keys_act.c: the keys of objects whose engine is `act`.
#include "scene/keys.h"
#include "scene/scene.h"

#define AT(type, field) .offset = offsetof(type, field)
#define COUNT_AT(type, field) .count = offsetof(type, field)
#define GIVEN(type, field) .given = offsetof(type, field)
#define KEYS(list) .keys = list, .key_count = (int32_t)(sizeof(list) / sizeof(list)[0])

// ---- examples ----

static const lm_key example_keys[] = {
	{ "mesh", LM_KEY_FILE, LM_KEY_REQUIRED, AT(lm_read_act_example, mesh), .help = "The pose: the same mesh, moved." },
	{ "group", LM_KEY_INTEGER, .high = 63, AT(lm_read_act_example, group),
	  .help = "Poses of a group are blended with each other and the shape at rest; groups that deform different parts "
	          "act on their own." },
};

static const lm_table example_table = {
	.name = "pose",
	.article = "a",
	.help = "A pose that the rest shape may take: an object, or just the name of the file.",
	.size = sizeof(lm_read_act_example),
	.short_key = "mesh",
	KEYS(example_keys),
};

// ---- commands ----

static void command_defaults(void* item)
{
	lm_read_command* read = item;
	lm_scene_command_defaults(&read->command);
	read->up = read->command.hop.velocity[1];
	read->weight = read->command.go.weight;
	read->height = read->command.go.height_weight;
	read->balance = read->command.hop.balance_weight;
}

// In the order of lm_scene_command_kind.
static const char* const command_names[] = { "go", "hop", "stand", "walk", "roll", "crawl", NULL };

static const lm_key command_keys[] = {
	{ "do", LM_KEY_CHOICE, LM_KEY_REQUIRED | LM_KEY_DECIDES, AT(lm_read_command, command.kind),
	  .choices = command_names,
	  .help =
	      "`go` moves the centre of mass, rolling or creeping as it may; `hop` crouches, pushes off, flies and lands "
	      "over and over; `stand` stays where it is, upright; `walk` steps on two `feet`; "
	      "`roll` turns over like a wheel; `crawl` moves the front and the rear of its sole in turn and never leaves "
	      "the ground." },
	{ "start", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, AT(lm_read_command, command.start), .unit = "s",
	  .help = "From when. Of several commands that are on, the last in the list counts." },
	{ "end", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, AT(lm_read_command, command.end), GIVEN(lm_read_command, end_given),
	  .unit = "s", .usual = "never", .help = "Until when." },
	{ "velocity", LM_KEY_KEYED, .width = 3, .low = -1000, .high = 1000, AT(lm_read_command, velocity),
	  GIVEN(lm_read_command, velocity_given), .unit = "m/s", .usual = "none",
	  .help = "Of the centre of mass: horizontally for `go`, when it leaves the ground for `hop`." },
	{ "path", LM_KEY_KEYED, .width = 3, AT(lm_read_command, path), GIVEN(lm_read_command, path_given), .unit = "m",
	  .usual = "none",
	  .help = "For `go` and `roll`, instead of `velocity`: where the centre of mass shall be; y is ignored." },
	{ "to", LM_KEY_VECTOR, .width = 3, AT(lm_read_command, command.place), GIVEN(lm_read_command, to_given),
	  .unit = "m", .usual = "none",
	  .help = "Instead of `velocity`: the place to get to; y is ignored. `walk` knows it in the plane only." },
	{ "speed", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1000, AT(lm_read_command, command.speed),
	  GIVEN(lm_read_command, speed_given), .unit = "m/s", .help = "With `to`: not faster than this." },
	{ "up", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1000, AT(lm_read_command, up), GIVEN(lm_read_command, up_given),
	  .unit = "m/s", .help = "For `hop` with `to`: speed upwards when it leaves the ground." },
	{ "crouch", LM_KEY_NUMBER, .high = 60, AT(lm_read_command, command.hop.crouch_seconds),
	  GIVEN(lm_read_command, crouch_given), .unit = "s", .help = "For `hop`: how long it gathers itself." },
	{ "squat", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 2, AT(lm_read_command, command.hop.squat),
	  GIVEN(lm_read_command, squat_given),
	  .help = "For `hop`: height of the centre of mass when crouched, as a share of that at rest." },
	{ "lean", LM_KEY_NUMBER, .low = -2, .high = 2, AT(lm_read_command, command.hop.lean),
	  GIVEN(lm_read_command, lean_given),
	  .help =
	      "For `hop`: how far the centre of mass is ahead of the middle of its support when crouched, as a share of "
	      "the way to the edge; below 0 it leans back." },
	{ "land", LM_KEY_NUMBER, .high = 60, AT(lm_read_command, command.hop.land_seconds),
	  GIVEN(lm_read_command, land_given), .unit = "s", .help = "For `hop`: how long it steadies itself at least." },
	{ "step", LM_KEY_NUMBER, .low = 0.05, .high = 60, AT(lm_read_command, command.walk.step_seconds),
	  GIVEN(lm_read_command, step_given), .unit = "s",
	  .help = "For `walk`: how long a step takes; for `crawl`: how long each end moves." },
	{ "lift", LM_KEY_NUMBER, .high = 1, AT(lm_read_command, command.walk.lift), GIVEN(lm_read_command, lift_given),
	  .usual = "0.07; 0.015 for `crawl`",
	  .help = "For `walk` and `crawl`: how high a foot is lifted, as a share of the body's height." },
	{ "width", LM_KEY_NUMBER, .high = 1e6, AT(lm_read_command, command.walk.width), GIVEN(lm_read_command, width_given),
	  .unit = "m", .usual = "as they stand at the beginning",
	  .help = "For `walk` in space: how far apart the feet are set down." },
	{ "turn", LM_KEY_NUMBER, .high = 100, AT(lm_read_command, command.walk.turn), GIVEN(lm_read_command, turn_given),
	  .unit = "rad/s",
	  .help = "For `walk` in space: how fast it turns to face where it goes; 0 faces along x, whatever way it goes." },
	{ "weight", LM_KEY_NUMBER, .high = 1e6, AT(lm_read_command, weight),
	  .help = "Of what is wanted of the centre of mass, against other goals and the regularisers." },
	{ "height", LM_KEY_NUMBER, .high = 1e6, AT(lm_read_command, height), GIVEN(lm_read_command, height_given),
	  .help = "For `go` and `roll`: weight of keeping the centre of mass at its height at rest." },
	{ "balance", LM_KEY_NUMBER, .high = 1e6, AT(lm_read_command, balance), GIVEN(lm_read_command, balance_given),
	  .usual = "1; 0 for `go`", .help = "Weight of staying upright, of all but `walk` and `roll`." },
};

static const lm_table command_table = {
	.name = "command",
	.article = "a",
	.help = "Something that an object of `act` is told to do for a while.",
	.size = sizeof(lm_read_command),
	.defaults = command_defaults,
	KEYS(command_keys),
};

// ---- goals ----

static void goal_defaults(void* item)
{
	lm_scene_goal_defaults(&((lm_read_goal*)item)->goal);
}

static const lm_key goal_keys[] = {
	{ "group", LM_KEY_TEXT, AT(lm_read_goal, group), GIVEN(lm_read_goal, group_given), .usual = "the centre of mass",
	  .help = "The group of vertices whose mean shall move." },
	{ "vertices", LM_KEY_INDICES, .high = LM_KEY_LIMIT, AT(lm_read_goal, vertices), COUNT_AT(lm_read_goal, count),
	  GIVEN(lm_read_goal, vertices_given), .usual = "the centre of mass",
	  .help = "The vertices whose mean shall move, counted from 0." },
	{ "axes", LM_KEY_TEXT, AT(lm_read_goal, axes), .usual = "`\"xyz\"`; `\"xy\"` in the plane",
	  .help = "The axes that matter, as letters." },
	{ "position", LM_KEY_KEYED, .width = 3, AT(lm_read_goal, position), GIVEN(lm_read_goal, position_given),
	  .unit = "m", .usual = "none", .help = "Where it shall be." },
	{ "relative", LM_KEY_FLAG, AT(lm_read_goal, goal.relative), GIVEN(lm_read_goal, relative_given),
	  .help = "Whether `position` counts from where it starts." },
	{ "velocity", LM_KEY_KEYED, .width = 3, AT(lm_read_goal, velocity), GIVEN(lm_read_goal, velocity_given),
	  .unit = "m/s", .usual = "zero", .help = "How it shall move." },
	{ "kp", LM_KEY_NUMBER, .high = 1e6, AT(lm_read_goal, goal.kp), GIVEN(lm_read_goal, kp_given), .unit = "1/s",
	  .usual = "8 with `position`, else 0", .help = "Gain of the position." },
	{ "kd", LM_KEY_NUMBER, .high = 1e6, AT(lm_read_goal, goal.kd), .help = "Gain of the velocity." },
	{ "weight", LM_KEY_NUMBER, .high = 1e6, AT(lm_read_goal, goal.weight),
	  .help = "Against other goals and the regularisers." },
	{ "start", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, AT(lm_read_goal, goal.start), .unit = "s", .help = "From when." },
	{ "end", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, AT(lm_read_goal, goal.end), GIVEN(lm_read_goal, end_given),
	  .unit = "s", .usual = "never", .help = "Until when." },
};

static const lm_table goal_table = {
	.name = "goal",
	.article = "a",
	.help = "A goal of your own for an object of `act`, besides those of its commands: along each axis, weight times "
			"(kp times the error of the position plus kd times the error of the velocity) is made small.",
	.size = sizeof(lm_read_goal),
	.defaults = goal_defaults,
	KEYS(goal_keys),
};

// ---- the engine ----

static void act_defaults(void* item)
{
	lm_scene_act_defaults(&((lm_read_act*)item)->act);
}

// In the order of lm_act_kind and lm_act_control.
static const char* const model_names[] = { "curve", "solid2", "shell", "solid", "solid-green", NULL };
static const char* const control_names[] = { "passive", "full", "cage", "examples", NULL };

#define SETTING(field) AT(lm_read_act, act.settings.field)

static const lm_key act_keys[] = {
	{ "model", LM_KEY_CHOICE, LM_KEY_DECIDES, AT(lm_read_act, act.kind), .choices = model_names,
	  .help = "`curve`: lines in the plane z = 0; `solid2`: triangles in that plane, counter-clockwise; `shell`: "
	          "triangles in space; `solid`: tetrahedra by their edge lengths; `solid-green`: tetrahedra by Green's "
	          "strain. Bodies in the plane and in space do not touch each other." },
	{ "stretch", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1e12, SETTING(material.stretch), .unit = "N/m^2",
	  .help = "Stiffness against stretching; N/m for shells and solids in the plane, N for curves." },
	{ "bend", LM_KEY_NUMBER, .high = 1e12, SETTING(material.bend), .unit = "N m",
	  .help = "Stiffness of shells against bending; N m^2 for curves." },
	{ "volume", LM_KEY_NUMBER, .high = 1e12, SETTING(material.volume), .unit = "N/m^2",
	  .help = "Stiffness of solids against changes of volume; N/m in the plane, where it is the area." },
	{ "damping", LM_KEY_NUMBER, .high = 10, SETTING(damping), .unit = "s",
	  .help = "Of deformation, as a share of the stiffness; flight and spin are not slowed." },
	{ "gravity", LM_KEY_VECTOR, .width = 3, .low = -1e6, .high = 1e6, SETTING(gravity),
	  GIVEN(lm_read_act, gravity_given), .unit = "m/s^2", .usual = "the scene's", .help = "For this object alone." },
	{ "friction", LM_KEY_NUMBER, .high = 100, SETTING(friction),
	  .help = "Coulomb's coefficient; two touching things use the geometric mean of theirs." },
	{ "contact_stiffness", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1e12, SETTING(contact_stiffness), .unit = "N/m",
	  .help = "Of the spring at each touching vertex." },
	{ "contact_smoothing", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1e6, SETTING(contact_smoothing), .unit = "m",
	  .help = "Depth over which that spring sets in." },
	{ "friction_slack", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1e6, SETTING(friction_slack), .unit = "m",
	  .help = "How far a vertex gives way before friction holds it." },
	{ "control", LM_KEY_CHOICE, LM_KEY_DECIDES, AT(lm_read_act, act.control), GIVEN(lm_read_act, control_given),
	  .choices = control_names, .usual = "`\"cage\"` with a cage, `\"examples\"` with examples, else `\"passive\"`",
	  .help =
	      "How its rest shape may change to meet its goals: not at all, at every vertex, by the vertices of a cage, "
	      "or by blending examples." },
	{ "cage", LM_KEY_FILE, AT(lm_read_act, cage), GIVEN(lm_read_act, cage_given), .usual = "one is made",
	  .help = "A closed surface around the mesh; in the plane a closed polygon, its vertices in order." },
	{ "cage_vertices", LM_KEY_INTEGER, .low = 3, .high = 4096, AT(lm_read_act, act.cage_vertices),
	  GIVEN(lm_read_act, cage_vertices_given), .help = "Vertices of a cage that is made." },
	{ "examples", LM_KEY_LIST, .low = 1, .high = 64, AT(lm_read_act, examples), COUNT_AT(lm_read_act, example_count),
	  GIVEN(lm_read_act, examples_given), .table = &example_table, .usual = "none",
	  .help = "Poses that its rest shape may take." },
	{ "rest_stretch", LM_KEY_NUMBER, .high = 1e12, SETTING(rest_material.stretch), .unit = "N/m^2",
	  .help = "What it costs to stretch the rest shape; units as those of `stretch`." },
	{ "rest_bend", LM_KEY_NUMBER, .high = 1e12, SETTING(rest_material.bend), .unit = "N m",
	  .help = "What it costs to bend the rest shape; units as those of `bend`." },
	{ "rest_volume", LM_KEY_NUMBER, .high = 1e12, SETTING(rest_material.volume), .unit = "N/m^2",
	  .help = "What it costs to change the volume of the rest shape; units as those of `volume`." },
	{ "parameter_weight", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1e12, SETTING(parameter_weight),
	  .help = "What it costs to be away from the rest shape at all." },
	{ "change_weight", LM_KEY_NUMBER, .high = 1e12, SETTING(change_weight),
	  .help = "What it costs to change the rest shape from step to step; more is calmer." },
	{ "smallest_rest", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 0.99, SETTING(smallest_rest),
	  .help = "No element of the rest shape shrinks below this share of its size." },
	{ "iterations", LM_KEY_INTEGER, .high = 1000, SETTING(most_iterations),
	  .help = "Of the optimiser, per step, at most; 0 keeps the rest shape." },
	{ "tolerance", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1, SETTING(tolerance), .help = "Of the optimiser, relative." },
	{ "starts", LM_KEY_INTEGER, .high = 128, SETTING(starts),
	  .help = "With examples: how many further starts the optimiser tries in each step, poses in turn." },
	{ "exact", LM_KEY_FLAG, SETTING(exact),
	  .help = "Whether the optimiser uses exact second derivatives: fewer iterations at tight tolerances." },
	{ "feet", LM_KEY_TEXTS, .low = 1, .high = LM_ACT_FEET_MAX, AT(lm_read_act, feet), COUNT_AT(lm_read_act, foot_count),
	  .usual = "none",
	  .help = "Names of the vertex groups that are its feet, for `walk` (two, left to right) and for counting steps." },
	{ "trunk", LM_KEY_TEXT, AT(lm_read_act, trunk), .usual = "none",
	  .help = "Name of the vertex group that `walk` keeps upright." },
	{ "commands", LM_KEY_LIST, .high = 10000, AT(lm_read_act, commands), COUNT_AT(lm_read_act, command_count),
	  .table = &command_table, .usual = "none", .help = "What it is told to do." },
	{ "goals", LM_KEY_LIST, .high = 10000, AT(lm_read_act, goals), COUNT_AT(lm_read_act, goal_count),
	  .table = &goal_table, .usual = "none", .help = "Goals of your own." },
};

const lm_table lm_act_table = {
	.name = "act",
	.article = "the engine",
	.help = "Settings of the engine `act`: soft characters that move themselves by changing their rest shape, and "
			"passive soft bodies that share their world.",
	.size = sizeof(lm_read_act),
	.defaults = act_defaults,
	KEYS(act_keys),
};
