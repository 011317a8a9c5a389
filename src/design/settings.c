// settings.c: the tables of settings: what checks, scene files and documents know of each.
#include "design/settings.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

// ---- models ----

#define AT(field) LM_AT(lm_design_model_def, field)

static const lm_key model_keys[] = {
	{ "nodes", LM_DESIGN_NODES, AT(nodes) },
	{ "radius", LM_DESIGN_RADIUS, AT(radius) },
	{ "voxels", LM_DESIGN_VOXELS, AT(voxels) },
	{ "points_per_node", LM_KEY_INTEGER, .low = 1, .high = 16, .preset = { 4 }, AT(points_per_node),
	  .help = "Where energies are integrated." },
	{ "nodes_per_vertex", LM_KEY_INTEGER, .high = 64, AT(nodes_per_vertex),
	  .help = "How many the fast surface keeps, at least 4; 0: all." },
};

const lm_table lm_design_model_table = {
	.name = "model of design",
	.article = "the",
	.help = "How a model is made from a surface.",
	.size = sizeof(lm_design_model_def),
	LM_KEYS(model_keys),
};

// ---- poses ----

#undef AT
#define AT(field) LM_AT(lm_design_pose_settings, field)

static const lm_key pose_keys[] = {
	{ "handles", LM_DESIGN_POSE_HANDLES, AT(handles) },
	{ "strain", LM_DESIGN_POSE_STRAIN, AT(strain) },
	{ "volume", LM_DESIGN_POSE_VOLUME, AT(volume) },
	{ "tolerance", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1e9, .preset = { 1e-6 }, AT(tolerance),
	  .help = "The search ends when no node feels more than this, in units of strain." },
	{ "most_iterations", LM_KEY_INTEGER, .low = 1, .high = 1e9, .preset = { 200 }, AT(most_iterations),
	  .help = "When the search ends at the latest." },
};

const lm_table lm_design_pose_table = {
	.name = "settings of poses",
	.article = "the",
	.help = "How a pose is found.",
	.size = sizeof(lm_design_pose_settings),
	LM_KEYS(pose_keys),
};

static const lm_key pose_handle_keys[] = {
	{ "weight", LM_DESIGN_HANDLE_WEIGHT, LM_AT(lm_design_pose_handle, weight) },
};

const lm_table lm_design_pose_handle_table = {
	.name = "handle",
	.article = "a",
	.help = "Something that is held, and where.",
	.size = sizeof(lm_design_pose_handle),
	LM_KEYS(pose_handle_keys),
};

// ---- motion ----

#undef AT
#define AT(field) LM_AT(lm_design_motion_settings, field)

static const lm_key search_keys[] = {
	{ "accuracy", LM_KEY_NUMBER, .high = 1e6, .preset = { 0.01 }, AT(accuracy),
	  .help = "Frames are inserted while the energy between frames exceeds that at them by more." },
	{ "one_by_one", LM_KEY_FLAG, AT(one_by_one),
	  .help = "Inserts one frame at a time, where it is needed most; slower, with fewer frames." },
	{ "strain", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1e9, .preset = { 1 }, AT(strain),
	  .help = "Weight of the shape in motion." },
	{ "volume", LM_KEY_NUMBER, .high = 1e9, .preset = { 5 }, AT(volume), .help = "Weight of the volume in motion." },
	{ "acceleration", LM_KEY_NUMBER, .high = 1e9, .preset = { 1e-3 }, AT(acceleration),
	  .help = "Weight of smoothness, with the whole time and the size of the object as units." },
	{ "velocity", LM_KEY_NUMBER, .high = 1e9, .preset = { 1 }, AT(velocity),
	  .help = "Weight of the velocities that are asked for." },
	{ "obstacles", LM_KEY_NUMBER, .high = 1e9, .preset = { 1000 }, AT(obstacles),
	  .help = "Weight of keeping off colliders." },
	{ "objects", LM_KEY_NUMBER, .high = 1e9, .preset = { 1000 }, AT(objects),
	  .help = "Weight of keeping off other objects." },
	{ "margin", LM_KEY_NUMBER, .high = 1, .preset = { 0.02 }, AT(margin),
	  .help = "Distance that is kept, in sizes of the object." },
	{ "tolerance", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1, .preset = { 1e-3 }, AT(tolerance),
	  .help = "When the search ends: what is still to be gained, relative to the energy." },
};

const lm_table lm_design_search_table = {
	.name = "search for a motion",
	.article = "the",
	.help = "How a motion is found.",
	.size = sizeof(lm_design_motion_settings),
	LM_KEYS(search_keys),
};

static const lm_key motion_keys[] = {
	{ "seconds", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = LM_KEY_LIMIT, .preset = { 1 }, AT(seconds), .unit = "s",
	  .help = "How long the motion takes." },
	{ .kind = LM_KEY_INCLUDE, .table = &lm_design_search_table },
	{ "fps", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = LM_KEY_LIMIT, .preset = { 24 }, AT(fps), .unit = "1/s",
	  .help = "The result is checked at ten times this rate." },
};

const lm_table lm_design_motion_table = {
	.name = "settings of motions",
	.article = "the",
	.help = "How a motion is found, and how long it is.",
	.size = sizeof(lm_design_motion_settings),
	LM_KEYS(motion_keys),
};

static void motion_object_defaults(void* item)
{
	((lm_design_motion_object*)item)->until = INFINITY;
}

static const lm_key motion_object_keys[] = {
	{ "frames", LM_DESIGN_FRAMES, LM_AT(lm_design_motion_object, frames) },
};

const lm_table lm_design_motion_object_table = {
	.name = "object of a motion",
	.article = "an",
	.help = "What each object of a motion may use.",
	.size = sizeof(lm_design_motion_object),
	.defaults = motion_object_defaults,
	LM_KEYS(motion_object_keys),
};

// ---- dynamics ----

#undef AT
#define AT(field) LM_AT(lm_design_dynamics, field)

static const lm_key dynamics_keys[] = {
	{ "secondary", LM_KEY_NUMBER, .high = 10, AT(secondary),
	  .help = "How much its limbs lag behind and swing on where it is designed; 1: as their inertia asks for." },
	{ "frequency", LM_KEY_NUMBER, .low = 0.1, .high = 100, .preset = { 4 }, AT(frequency), .unit = "Hz",
	  .help = "How fast it swings by itself, at its slowest: stiffer things swing faster." },
	{ "damping", LM_KEY_NUMBER, .high = 10, .preset = { 0.1 }, AT(damping),
	  .help = "How soon that swinging dies: 0 never, 1 before it has begun." },
	{ "friction", LM_KEY_NUMBER, .high = 1e6, .preset = { 0.5 }, AT(friction),
	  .help = "With what it touches when simulated." },
	{ "release", LM_KEY_NUMBER, .high = 10, .preset = { 0.1 }, AT(release), .unit = "s",
	  .help = "How long it takes the lead to let go where a simulated time begins." },
};

const lm_table lm_design_dynamics_table = {
	.name = "dynamics",
	.article = "the",
	.help = "How an object behaves when it is not led, and how much of that it shows when it is.",
	.size = sizeof(lm_design_dynamics),
	LM_KEYS(dynamics_keys),
};

#undef AT
#define AT(field) LM_AT(lm_design_performance_settings, field)

static const lm_key performance_keys[] = {
	{ .kind = LM_KEY_INCLUDE, .table = &lm_design_motion_table, AT(motion) },
	{ "gravity", LM_KEY_VECTOR, .width = 3, .low = -1e6, .high = 1e6, .preset = { 0, -9.81, 0 }, AT(gravity),
	  .unit = "m/s^2", .help = "What simulated objects fall with." },
	{ "rate", LM_DESIGN_RATE, AT(rate) },
};

const lm_table lm_design_performance_table = {
	.name = "settings of performances",
	.article = "the",
	.help = "What all objects of a performance share.",
	.size = sizeof(lm_design_performance_settings),
	LM_KEYS(performance_keys),
};

// ---- checks ----

lm_status lm_design_check_item(const lm_table* table, const void* item, const char* what, int32_t index,
                               lm_error* error)
{
	lm_status status = lm_table_check(table, item, error);
	if (status == LM_OK || error == NULL)
		return status;
	char text[sizeof error->message];
	memcpy(text, error->message, sizeof text);
	return lm_fail(error, status, "%s %d: %s", what, index, text);
}
