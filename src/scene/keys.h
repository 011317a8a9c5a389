// keys.h: the tables of scene files, and what they fill: plain values go straight into the structs of the scene, the
// rest waits beside them.
//
// A new engine adds a table of its own, and a key named as the engine to the table of objects.
#ifndef LM_SCENE_KEYS_H
#define LM_SCENE_KEYS_H

#include "format/table.h"
#include "limber/scene.h"

typedef struct lm_read_placement
{
	lm_placement_key key;
	bool position_given, rotation_given;
} lm_read_placement;

typedef struct lm_read_collider
{
	lm_scene_collider collider;
	const char* name;
	const char* mesh;
	double scale;
	double position[3], rotation[4];
	int32_t key_count;
	lm_read_placement* keys;
	bool radius_given, half_given, half_length_given, mesh_given, scale_given;
} lm_read_collider;

typedef struct lm_read_group
{
	const char* name; // first: see LM_KEY_MAP
	int32_t count;
	int32_t* vertices;
	const char* file;
	const char* group;
	double box[2][3];
	bool vertices_given, file_given, group_given, box_given;
} lm_read_group;

typedef struct lm_read_pin
{
	lm_scene_pin pin;
	const char* group;
	int32_t count;
	int32_t* vertices;
	lm_keyed offset;
	bool group_given, vertices_given, end_given;
} lm_read_pin;

typedef struct lm_read_drag
{
	lm_scene_drag drag;
	double near[3];
	lm_keyed target;
	bool vertex_given, near_given, end_given;
} lm_read_drag;

typedef struct lm_read_push
{
	lm_scene_push push;
	const char* group;
	int32_t count;
	int32_t* vertices;
	bool group_given, vertices_given;
} lm_read_push;

typedef struct lm_read_example
{
	const char* mesh;
	lm_keyed strength;
} lm_read_example;

typedef struct lm_read_match
{
	lm_scene_match match;
	int32_t group_count;
	const char** groups;
	int32_t example_count;
	lm_read_example* examples;
	bool gravity_given, locality_given, groups_given;
} lm_read_match;

typedef struct lm_read_act_example
{
	const char* mesh;
	int32_t group;
} lm_read_act_example;

typedef struct lm_read_command
{
	lm_scene_command command;
	lm_keyed velocity, path;
	double up, weight, height, balance; // go where the kind of command wants them
	bool end_given, velocity_given, path_given, to_given, speed_given, up_given, crouch_given, land_given, squat_given,
		lean_given, height_given, balance_given, step_given, lift_given, width_given, turn_given;
} lm_read_command;

typedef struct lm_read_goal
{
	lm_scene_goal goal;
	const char* group;
	int32_t count;
	int32_t* vertices;
	const char* axes;
	lm_keyed position, velocity;
	bool group_given, vertices_given, position_given, velocity_given, kp_given, relative_given, end_given;
} lm_read_goal;

typedef struct lm_read_act
{
	lm_scene_act act;
	const char* cage;
	int32_t foot_count;
	const char** feet;
	const char* trunk;
	int32_t example_count;
	lm_read_act_example* examples;
	int32_t command_count;
	lm_read_command* commands;
	int32_t goal_count;
	lm_read_goal* goals;
	bool gravity_given, control_given, cage_given, cage_vertices_given, examples_given;
} lm_read_act;

typedef struct lm_read_guide
{
	lm_scene_guide guide;
	const char *file, *object, *mesh;
	int32_t first, last;
	double fps;
	bool file_given, object_given, mesh_given, last_given, fps_given;
} lm_read_guide;

typedef struct lm_read_paint
{
	const char *group, *weights, *guide_group;
	lm_keyed strength;
} lm_read_paint;

typedef struct lm_read_denser
{
	const char* group;
	double density;
} lm_read_denser;

typedef struct lm_read_undeformed
{
	const char *mesh, *to;
	lm_keyed blend;
	bool blend_given;
} lm_read_undeformed;

typedef struct lm_read_track
{
	lm_scene_track track;
	lm_read_guide guide;
	int32_t paint_count;
	lm_read_paint* paint;
	int32_t denser_count;
	lm_read_denser* denser;
	lm_read_undeformed undeformed;
	lm_keyed wind, strength;
	bool gravity_given, guide_given, hats_given, regions_given;
} lm_read_track;
typedef struct lm_read_handle
{
	lm_scene_handle handle;
	const char* group;
	int32_t count;
	int32_t* vertices;
	double near[3];
	bool group_given, vertices_given, near_given, by_given;
} lm_read_handle;

typedef struct lm_read_design_key
{
	lm_scene_design_key key;
	const char* mesh;
	const char* group;
	int32_t handle_count;
	lm_read_handle* handles;
	bool group_given, until_given;
} lm_read_design_key;

typedef struct lm_read_design
{
	lm_scene_design design;
	int32_t key_count;
	lm_read_design_key* keys;
	int32_t velocity_count;
	lm_motion_velocity* velocities;
	int32_t simulated_count;
	lm_simulated* simulated;
} lm_read_design;

typedef struct lm_read_handles // a file of handles
{
	lm_pose_settings settings;
	int32_t handle_count;
	lm_read_handle* handles;
} lm_read_handles;

typedef struct lm_read_lattice
{
	lm_lattice_settings settings;
	bool size_given, vertices_given;
} lm_read_lattice;

typedef struct lm_read_object
{
	lm_scene_object object;
	const char* name;
	const char* engine;
	const char* mesh;
	const char* surface;
	const char* start;
	double scale;
	lm_read_lattice lattice;
	bool lattice_given, lattice_off;
	int32_t group_count;
	lm_read_group* groups;
	int32_t pin_count;
	lm_read_pin* pins;
	int32_t drag_count;
	lm_read_drag* drags;
	int32_t push_count;
	lm_read_push* pushes;
	lm_read_match match;
	lm_read_act act;
	lm_read_track track;
	lm_read_design design;
	bool match_given, act_given, track_given, design_given, density_given;
} lm_read_object;

typedef struct lm_read_camera
{
	lm_scene_camera camera;
	bool eye_given, target_given, direction_given, zoom_given;
} lm_read_camera;

typedef struct lm_read_scene
{
	lm_scene scene;
	int32_t version;
	const char* schema;
	const char* name;
	const char* description;
	int32_t size[2];
	lm_read_camera camera;
	int32_t collider_count;
	lm_read_collider* colliders;
	int32_t object_count;
	lm_read_object* objects;
} lm_read_scene;

extern const lm_table lm_scene_table;
extern const lm_table lm_match_table;
extern const lm_table lm_act_table;
extern const lm_table lm_track_table;
extern const lm_table lm_design_table;
extern const lm_table lm_handles_table;
extern const char* const lm_engine_names[]; // NULL-terminated

#endif
