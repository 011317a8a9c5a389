// keys_design.c: the keys of objects whose engine is `design`, and of files of handles.
#include "scene/keys.h"
#include "scene/scene.h"

#define AT(type, field) .offset = offsetof(type, field)
#define GIVEN(type, field) .given = offsetof(type, field)
#define COUNT_AT(type, field) .count = offsetof(type, field)
#define KEYS(list) .keys = list, .key_count = (int32_t)(sizeof(list) / sizeof(list)[0])

static void handle_defaults(void* item)
{
	lm_read_handle* read = item;
	read->handle.weight = 1;
	read->handle.rotation[0] = 1;
}

static const lm_key handle_keys[] = {
	{ "group", LM_KEY_TEXT, AT(lm_read_handle, group), GIVEN(lm_read_handle, group_given), .usual = "none",
	  .help = "The group of vertices that is held." },
	{ "vertices", LM_KEY_INDICES, .high = LM_KEY_LIMIT, AT(lm_read_handle, vertices), COUNT_AT(lm_read_handle, count),
	  GIVEN(lm_read_handle, vertices_given), .usual = "none", .help = "The vertices that are held, counted from 0." },
	{ "near", LM_KEY_VECTOR, .width = 3, AT(lm_read_handle, near), GIVEN(lm_read_handle, near_given), .unit = "m",
	  .usual = "none", .help = "Holds the vertex that is nearest to this place of the mesh at rest." },
	{ "by", LM_KEY_VECTOR, .width = 3, AT(lm_read_handle, handle.by), GIVEN(lm_read_handle, by_given), .unit = "m",
	  .help = "How far it is moved; without this, `to` and `rotation` it stays." },
	{ "to", LM_KEY_VECTOR, .width = 3, AT(lm_read_handle, handle.to), GIVEN(lm_read_handle, handle.has_to), .unit = "m",
	  .usual = "none", .help = "Where its middle goes, instead of `by`, in the coordinates of the mesh." },
	{ "rotation", LM_KEY_ROTATION, AT(lm_read_handle, handle.rotation), .help = "How it is turned about its middle." },
	{ "weight", LM_KEY_NUMBER, .high = 1e6, AT(lm_read_handle, handle.weight),
	  .help = "How much it counts against other handles and the shape." },
};

static const lm_table handle_table = {
	.name = "handle",
	.article = "a",
	.help = "Part of the surface that is held in place or moved; all else follows naturally.",
	.size = sizeof(lm_read_handle),
	.defaults = handle_defaults,
	KEYS(handle_keys),
};

static void design_key_defaults(void* item)
{
	((lm_read_design_key*)item)->key.rotation[0] = 1;
}

static const lm_key design_key_keys[] = {
	{ "time", LM_KEY_NUMBER, LM_KEY_REQUIRED, .high = LM_KEY_LIMIT, AT(lm_read_design_key, key.time), .unit = "s",
	  .help = "When." },
	{ "until", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, AT(lm_read_design_key, key.end),
	  GIVEN(lm_read_design_key, until_given), .unit = "s", .usual = "a moment",
	  .help = "How long it is held: feet that stay, a rest." },
	{ "pose", LM_KEY_FILE, AT(lm_read_design_key, mesh), .usual = "the shape at rest",
	  .help = "The pose: the same mesh, moved." },
	{ "handles", LM_KEY_LIST, .high = 10000, AT(lm_read_design_key, handles),
	  COUNT_AT(lm_read_design_key, handle_count), .table = &handle_table, .usual = "none",
	  .help = "What is held and moved to make the pose, in the coordinates of the mesh." },
	{ "position", LM_KEY_VECTOR, .width = 3, AT(lm_read_design_key, key.position),
	  GIVEN(lm_read_design_key, key.has_position), .unit = "m", .usual = "the object's",
	  .help = "Where the mesh's origin is." },
	{ "rotation", LM_KEY_ROTATION, AT(lm_read_design_key, key.rotation), GIVEN(lm_read_design_key, key.has_rotation),
	  .usual = "the object's", .help = "How the mesh is turned." },
	{ "group", LM_KEY_TEXT, AT(lm_read_design_key, group), GIVEN(lm_read_design_key, group_given),
	  .usual = "the whole object", .help = "The key holds only what is at this group of vertices." },
	{ "via", LM_KEY_FLAG, AT(lm_read_design_key, key.via),
	  .help = "The pose only shows the search a way; the motion need not go through it." },
	{ "break", LM_KEY_FLAG, AT(lm_read_design_key, key.broken),
	  .help = "The motion may turn sharply here, as in a bounce." },
};

static const lm_table design_key_table = {
	.name = "key of design",
	.article = "a",
	.help = "Where the object shall be at a time: a pose, changed by handles, then turned and moved.",
	.size = sizeof(lm_read_design_key),
	.defaults = design_key_defaults,
	KEYS(design_key_keys),
};

static const lm_key velocity_keys[] = {
	{ "time", LM_KEY_NUMBER, LM_KEY_REQUIRED, .high = LM_KEY_LIMIT, AT(lm_motion_velocity, time), .unit = "s",
	  .help = "When." },
	{ "linear", LM_KEY_VECTOR, .width = 3, AT(lm_motion_velocity, linear), .unit = "m/s", .help = "Of its middle." },
	{ "angular", LM_KEY_VECTOR, .width = 3, AT(lm_motion_velocity, angular), .unit = "rad/s", .help = "How it turns." },
};

static const lm_table velocity_table = {
	.name = "velocity",
	.article = "a",
	.help = "How fast the object shall move at a time.",
	.size = sizeof(lm_motion_velocity),
	KEYS(velocity_keys),
};

static void simulated_defaults(void* item)
{
	((lm_simulated*)item)->until = LM_KEY_LIMIT;
}

static const lm_key simulated_keys[] = {
	{ "from", LM_KEY_NUMBER, LM_KEY_REQUIRED, .high = LM_KEY_LIMIT, AT(lm_simulated, from), .unit = "s",
	  .help = "When the lead lets go: at the last key before, as a rule, or 0." },
	{ "until", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, AT(lm_simulated, until), .unit = "s", .usual = "the end",
	  .help = "When it is led again, from where it is then, with the velocities that it has, to the keys after." },
};

static const lm_table simulated_table = {
	.name = "simulated time",
	.article = "a",
	.help =
		"A time in which the object is not designed but falls, bounces and swings by itself. Keys lie outside of it; "
		"one may be where it begins.",
	.size = sizeof(lm_simulated),
	.defaults = simulated_defaults,
	KEYS(simulated_keys),
};

static void design_defaults(void* item)
{
	lm_scene_design_defaults(&((lm_read_design*)item)->design);
}

#define D(field) AT(lm_read_design, design.field)

static const lm_key design_keys[] = {
	{ "nodes", LM_KEY_INTEGER, .low = 4, .high = 1000, D(nodes), .help = "How many nodes move the surface." },
	{ "radius", LM_KEY_NUMBER, .high = LM_KEY_LIMIT, D(radius), .unit = "m",
	  .help = "Above 0: as many nodes as every point needs to see four of them within it, instead of `nodes`." },
	{ "voxels", LM_KEY_INTEGER, .low = 1000, .high = 1000000, D(voxels),
	  .help = "How finely the material is divided to measure distances in it; more keeps narrow gaps apart." },
	{ "handles", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1e9, D(pose.handles), .help = "Weight of the handles of poses." },
	{ "pose_volume", LM_KEY_NUMBER, .high = 1e9, D(pose.volume),
	  .help = "Weight of the volume in poses made by handles; 0 lets it change." },
	{ "frames", LM_KEY_INTEGER, .low = 2, .high = 10000, D(frames),
	  .help = "Most frames that the motion may have, keys included." },
	{ "accuracy", LM_KEY_NUMBER, .high = 1e6, D(motion.accuracy),
	  .help = "Frames are inserted while the energy between frames exceeds that at them by more." },
	{ "one_by_one", LM_KEY_FLAG, D(motion.one_by_one),
	  .help = "Inserts one frame at a time, where it is needed most; slower, with fewer frames." },
	{ "strain", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1e9, D(motion.strain), .help = "Weight of the shape in motion." },
	{ "volume", LM_KEY_NUMBER, .high = 1e9, D(motion.volume), .help = "Weight of the volume in motion." },
	{ "acceleration", LM_KEY_NUMBER, .high = 1e9, D(motion.acceleration),
	  .help = "Weight of smoothness, with the whole time and the size of the object as units." },
	{ "obstacles", LM_KEY_NUMBER, .high = 1e9, D(motion.obstacles), .help = "Weight of keeping off colliders." },
	{ "objects", LM_KEY_NUMBER, .high = 1e9, D(motion.objects), .help = "Weight of keeping off other objects." },
	{ "margin", LM_KEY_NUMBER, .high = 1, D(motion.margin), .help = "Distance that is kept, in sizes of the object." },
	{ "tolerance", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1, D(motion.tolerance),
	  .help = "When the search ends: what is still to be gained, relative to the energy." },
	{ "keys", LM_KEY_LIST, .high = 10000, AT(lm_read_design, keys), COUNT_AT(lm_read_design, key_count),
	  .table = &design_key_table, .usual = "rests where it starts", .help = "Where it shall be, and when." },
	{ "velocities", LM_KEY_LIST, .high = 10000, AT(lm_read_design, velocities),
	  COUNT_AT(lm_read_design, velocity_count), .table = &velocity_table, .usual = "none",
	  .help = "How fast it shall be, and when." },
	{ "simulate", LM_KEY_LIST, .high = 10000, AT(lm_read_design, simulated), COUNT_AT(lm_read_design, simulated_count),
	  .table = &simulated_table, .usual = "none", .help = "When it is simulated instead." },
	{ "secondary", LM_KEY_NUMBER, .high = 10, D(dynamics.secondary),
	  .help = "How much its limbs lag behind and swing on where it is designed; 1: as their inertia asks for." },
	{ "frequency", LM_KEY_NUMBER, .low = 0.1, .high = 100, D(dynamics.frequency), .unit = "Hz",
	  .help = "How fast it swings by itself, at its slowest: stiffer things swing faster." },
	{ "damping", LM_KEY_NUMBER, .high = 10, D(dynamics.damping),
	  .help = "How soon that swinging dies: 0 never, 1 before it has begun." },
	{ "friction", LM_KEY_NUMBER, .high = 1e6, D(dynamics.friction), .help = "With what it touches when simulated." },
	{ "release", LM_KEY_NUMBER, .high = 10, D(dynamics.release), .unit = "s",
	  .help = "How long it takes the lead to let go where a simulated time begins." },
	{ "rate", LM_KEY_NUMBER, .low = 24, .high = 10000, D(rate), .unit = "1/s",
	  .help = "Steps of simulation per second, of the first object." },
};

const lm_table lm_design_table = {
	.name = "design",
	.article = "the engine",
	.help =
		"Settings of the engine `design`: poses from handles, and collision-free motion between keys. What concerns "
		"motion (accuracy to tolerance) counts for all objects of the scene and is taken from the first.",
	.size = sizeof(lm_read_design),
	.defaults = design_defaults,
	KEYS(design_keys),
};

static void handles_defaults(void* item)
{
	((lm_read_handles*)item)->settings = lm_pose_settings_default();
}

static const lm_key handles_keys[] = {
	{ "handles", LM_KEY_LIST, LM_KEY_REQUIRED, .low = 1, .high = 10000, AT(lm_read_handles, handles),
	  COUNT_AT(lm_read_handles, handle_count), .table = &handle_table, .help = "What is held and moved." },
	{ "weight", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1e9, AT(lm_read_handles, settings.handles),
	  .help = "Weight of all handles." },
	{ "strain", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1e9, AT(lm_read_handles, settings.strain),
	  .help = "Weight of the shape." },
	{ "volume", LM_KEY_NUMBER, .high = 1e9, AT(lm_read_handles, settings.volume), .help = "Weight of the volume." },
};

const lm_table lm_handles_table = {
	.name = "handles",
	.article = "a file of",
	.help = "Handles for `limber pose`.",
	.size = sizeof(lm_read_handles),
	.defaults = handles_defaults,
	KEYS(handles_keys),
};
