// keys.c: the keys of objects whose engine is `design`.
#include "scene/keys.h"
#include "design/settings.h"
#include "objects/design/design.h"

#define AT(field) LM_AT(lm_scene_handle, field)

static const lm_key handle_keys[] = {
	{ "group", LM_KEY_TEXT, AT(group), .usual = "none", .help = "The group of vertices that is held." },
	{ "vertices", LM_KEY_INDICES, .high = LM_KEY_LIMIT, AT(vertices), LM_COUNT_AT(lm_scene_handle, count),
	  .usual = "none", .help = "The vertices that are held, counted from 0." },
	{ "near", LM_KEY_VECTOR, .width = 3, AT(near), .unit = "m", .usual = "none",
	  .help = "Holds the vertex that is nearest to this place of the mesh at rest." },
	{ "by", LM_KEY_VECTOR, .width = 3, AT(by), .unit = "m",
	  .help = "How far it is moved; without this, `to` and `rotation` it stays." },
	{ "to", LM_KEY_VECTOR, .width = 3, AT(to), .unit = "m", .usual = "none",
	  .help = "Where its middle goes, instead of `by`, in the coordinates of the mesh." },
	{ "rotation", LM_KEY_ROTATION, AT(rotation), .help = "How it is turned about its middle." },
	{ "weight", LM_DESIGN_HANDLE_WEIGHT, AT(weight) },
};

const lm_table lm_design_handle_table = {
	.name = "handle",
	.article = "a",
	.help = "Part of the surface that is held in place or moved; all else follows naturally.",
	.size = sizeof(lm_scene_handle),
	.given = offsetof(lm_scene_handle, given),
	LM_KEYS(handle_keys),
};

#undef AT
#define AT(field) LM_AT(lm_scene_design_key, field)

static const lm_key design_key_keys[] = {
	{ "time", LM_KEY_NUMBER, LM_KEY_REQUIRED, .high = LM_KEY_LIMIT, AT(time), .unit = "s", .help = "When." },
	{ "until", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, .preset = { -1 }, AT(end), .unit = "s", .usual = "a moment",
	  .help = "How long it is held: feet that stay, a rest." },
	{ "pose", LM_KEY_FILE, AT(pose_file), .usual = "the shape at rest", .help = "The pose: the same mesh, moved." },
	{ "handles", LM_KEY_LIST, .high = 10000, AT(handles), LM_COUNT_AT(lm_scene_design_key, handle_count),
	  .table = &lm_design_handle_table, .usual = "none",
	  .help = "What is held and moved to make the pose, in the coordinates of the mesh." },
	{ "position", LM_KEY_VECTOR, .width = 3, AT(position), .unit = "m", .usual = "the object's",
	  .help = "Where the mesh's origin is." },
	{ "rotation", LM_KEY_ROTATION, AT(rotation), .usual = "the object's", .help = "How the mesh is turned." },
	{ "group", LM_KEY_TEXT, AT(group), .usual = "the whole object",
	  .help = "The key holds only what is at this group of vertices." },
	{ "via", LM_KEY_FLAG, AT(via), .help = "The pose only shows the search a way; the motion need not go through it." },
	{ "break", LM_KEY_FLAG, AT(broken), .help = "The motion may turn sharply here, as in a bounce." },
};

const lm_table lm_design_key_table = {
	.name = "key of design",
	.article = "a",
	.help = "Where the object shall be at a time: a pose, changed by handles, then turned and moved.",
	.size = sizeof(lm_scene_design_key),
	.given = offsetof(lm_scene_design_key, given),
	LM_KEYS(design_key_keys),
};

static const lm_key velocity_keys[] = {
	{ "time", LM_KEY_NUMBER, LM_KEY_REQUIRED, .high = LM_KEY_LIMIT, LM_AT(lm_scene_design_velocity, time), .unit = "s",
	  .help = "When." },
	{ "linear", LM_KEY_VECTOR, .width = 3, LM_AT(lm_scene_design_velocity, linear), .unit = "m/s",
	  .help = "Of its middle." },
	{ "angular", LM_KEY_VECTOR, .width = 3, LM_AT(lm_scene_design_velocity, angular), .unit = "rad/s",
	  .help = "How it turns." },
	{ "group", LM_KEY_TEXT, LM_AT(lm_scene_design_velocity, group), .usual = "the whole object",
	  .help = "Only what is at this group of vertices moves like that; its middle is meant then." },
};

static const lm_table velocity_table = {
	.name = "velocity",
	.article = "a",
	.help = "How fast the object shall move at a time.",
	.size = sizeof(lm_scene_design_velocity),
	LM_KEYS(velocity_keys),
};

static const lm_key simulated_keys[] = {
	{ "from", LM_KEY_NUMBER, LM_KEY_REQUIRED, .high = LM_KEY_LIMIT, LM_AT(lm_design_simulated, from), .unit = "s",
	  .help = "When the lead lets go: at the last key before, as a rule, or 0." },
	{ "until", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, .preset = { LM_KEY_LIMIT }, LM_AT(lm_design_simulated, until),
	  .unit = "s", .usual = "the end",
	  .help = "When it is led again, from where it is then, with the velocities that it has, to the keys after." },
};

static const lm_table simulated_table = {
	.name = "simulated time",
	.article = "a",
	.help =
		"A time in which the object is not designed but falls, bounces and swings by itself. Keys lie outside of it; "
		"one may be where it begins.",
	.size = sizeof(lm_design_simulated),
	LM_KEYS(simulated_keys),
};

static const lm_key denser_keys[] = {
	{ "group", LM_KEY_TEXT, LM_KEY_REQUIRED, LM_AT(lm_scene_denser, group), .help = "Where." },
	{ "density", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1e6, .preset = { 1 }, LM_AT(lm_scene_denser, density),
	  .help = "Nodes per volume, relative to elsewhere." },
};

static const lm_table denser_table = {
	.name = "denser nodes",
	.article = "a",
	.help = "Where nodes lie closer, or farther apart.",
	.size = sizeof(lm_scene_denser),
	LM_KEYS(denser_keys),
};

// Settings that a scene cannot change have their defaults, too.
static void design_defaults(void* item)
{
	lm_scene_design* design = item;
	design->pose = lm_design_pose_settings_default();
	design->motion = lm_design_motion_settings_default();
}

#undef AT
#define AT(field) LM_AT(lm_scene_design, field)

static const lm_key design_keys[] = {
	{ "nodes", LM_DESIGN_NODES, AT(nodes) },
	{ "radius", LM_DESIGN_RADIUS, AT(radius) },
	{ "voxels", LM_DESIGN_VOXELS, AT(voxels) },
	{ "denser", LM_KEY_LIST, .high = 10000, AT(denser), LM_COUNT_AT(lm_scene_design, denser_count),
	  .table = &denser_table, .usual = "none",
	  .help = "Where nodes lie closer, or farther apart; their number stays." },
	{ "handles", LM_DESIGN_POSE_HANDLES, AT(pose.handles) },
	{ "pose_volume", LM_DESIGN_POSE_VOLUME, AT(pose.volume) },
	{ "frames", LM_DESIGN_FRAMES, AT(frames) },
	{ "linear", LM_KEY_FLAG, AT(linear),
	  .help = "Goes straight from key to key, every part of it by itself and through everything: what the search is "
	          "better than (Fig. 9 and 12 of the paper)." },
	{ .kind = LM_KEY_INCLUDE, .table = &lm_design_search_table, AT(motion) },
	{ "keys", LM_KEY_LIST, .high = 10000, AT(keys), LM_COUNT_AT(lm_scene_design, key_count),
	  .table = &lm_design_key_table, .usual = "rests where it starts", .help = "Where it shall be, and when." },
	{ "velocities", LM_KEY_LIST, .high = 10000, AT(velocities), LM_COUNT_AT(lm_scene_design, velocity_count),
	  .table = &velocity_table, .usual = "none", .help = "How fast it shall be, and when." },
	{ "simulate", LM_KEY_LIST, .high = 10000, AT(simulated), LM_COUNT_AT(lm_scene_design, simulated_count),
	  .table = &simulated_table, .usual = "none", .help = "When it is simulated instead." },
	{ .kind = LM_KEY_INCLUDE, .table = &lm_design_dynamics_table, AT(dynamics) },
	{ "rate", LM_DESIGN_RATE, AT(rate) },
};

const lm_table lm_design_table = {
	.name = "design",
	.article = "the engine",
	.help =
		"Settings of the engine `design`: poses from handles, and collision-free motion between keys. What concerns "
		"motion (accuracy to tolerance) counts for all objects of the scene and is taken from the first.",
	.size = sizeof(lm_scene_design),
	.defaults = design_defaults,
	LM_KEYS(design_keys),
};
