// scene.h: a scene as a plain description, read from JSON or filled in by hand. docs/scene.md is the reference of the
// file format; it, the JSON Schema and the checks all come from one table of keys (src/scene/keys.c and those of the
// engines, src/objects).
#ifndef LIMBER_SCENE_H
#define LIMBER_SCENE_H

#include "limber/act_control.h"
#include "limber/contact.h"
#include "limber/design.h"
#include "limber/format.h"
#include "limber/match.h"
#include "limber/mesh.h"
#include "limber/track.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct lm_scene_collider
{
	char* name;
	lm_collider_def def; // mesh and keys are owned by the scene
	float color[3];      // linear 0 .. 1
	bool visible;
} lm_scene_collider;

// Vertices held in place, or carried along: `offset` is from where they start, width 3.
typedef struct lm_scene_pin
{
	int32_t count;
	int32_t* vertices;
	lm_keyed offset;
	double start, end; // seconds; end < 0: until the end
} lm_scene_pin;

// A vertex pulled by a spring towards a moving target.
typedef struct lm_scene_drag
{
	int32_t vertex;
	lm_keyed target; // absolute, width 3
	double strength; // N/m
	double start, end;
} lm_scene_drag;

// An impulse at a time, shared by mass among the vertices.
typedef struct lm_scene_push
{
	int32_t count;
	int32_t* vertices;
	double time;
	double impulse[3]; // N s
} lm_scene_push;

typedef struct lm_scene_example
{
	char* path;
	lm_mesh* mesh;     // a pose with the vertices of the simulation mesh
	lm_keyed strength; // width 1
} lm_scene_example;

// Settings of a `match` object.
typedef struct lm_scene_match
{
	lm_match_settings settings;
	lm_match_locality locality;
	lm_match_descriptor descriptor;
	int32_t ring;
	int32_t example_count;
	lm_scene_example* examples;
	int32_t group_count; // names of vertex groups for LM_MATCH_GROUPS; all other vertices form one more group
	char** groups;
} lm_scene_match;

// A pose that the rest shape of an `act` object may take.
typedef struct lm_scene_act_example
{
	char* path;
	lm_mesh* mesh;
	int32_t group;
} lm_scene_act_example;

typedef enum lm_scene_command_kind
{
	LM_SCENE_GO,
	LM_SCENE_HOP,
	LM_SCENE_STAND,
	LM_SCENE_WALK,
	LM_SCENE_ROLL,
	LM_SCENE_CRAWL
} lm_scene_command_kind;

// What an `act` object is told to do for a while. Of several that are on at a time the last counts.
typedef struct lm_scene_command
{
	lm_scene_command_kind kind;
	double start, end; // seconds; end < 0: until the end
	lm_keyed velocity; // width 3: of the centre of mass; hop: when it leaves the ground
	lm_keyed path;     // go: where the centre of mass shall be (x and z), width 3; no keys: none
	bool has_place;    // to `place` (x and z), not faster than `speed`
	double place[3], speed;
	lm_act_go go; // what else there is to say of each kind; velocities in them are not used
	lm_act_hop hop;
	lm_act_stand stand;
	lm_act_walk walk;
	lm_act_roll roll;
	lm_act_crawl crawl;
} lm_scene_command;

// Rows of goals of an animator's own, one for each axis.
typedef struct lm_scene_goal
{
	int32_t count; // 0: the centre of mass
	int32_t* vertices;
	bool axes[3];
	bool relative;               // position counts from where it starts
	lm_keyed position, velocity; // width 3
	double kp, kd, weight;
	double start, end;
} lm_scene_goal;

// Settings of an `act` object.
typedef struct lm_scene_act
{
	lm_act_kind kind;
	lm_act_settings settings;
	lm_act_control control;
	char* cage_path; // "" when it is made, with cage_vertices vertices
	lm_mesh* cage;
	int32_t cage_vertices;
	int32_t example_count;
	lm_scene_act_example* examples;
	int32_t foot_count; // names of vertex groups, left to right
	char** feet;
	char* trunk; // name of a vertex group, or ""
	int32_t command_count;
	lm_scene_command* commands;
	int32_t goal_count;
	lm_scene_goal* goals;
} lm_scene_act;

// What leads a `track` object: frames from files, in the coordinates of the object's mesh, or another object.
typedef struct lm_scene_guide
{
	char* path;    // of the file, or ""
	char* object;  // name of the other object, or ""
	lm_mesh* mesh; // undeformed shape of a guide that is another mesh; NULL: the object's mesh, subdivided or not
	int32_t frame_count, vertex_count;
	double* times;       // [frame_count] ascending, from 0
	double* frames;      // frame_count x vertex_count x 3
	double offset[3];    // added to its positions
	double start, speed; // at time t of the scene its time (t - start) x speed is shown
} lm_scene_guide;

// A painted region: values at vertices of the cloth, and of the guide where that is another mesh.
typedef struct lm_scene_paint
{
	char* group;
	int32_t count, guide_count;
	int32_t *vertices, *guide_vertices;
	double *values, *guide_values;
	lm_keyed strength; // width 1
} lm_scene_paint;

// Settings of a `track` object.
typedef struct lm_scene_track
{
	lm_track_settings settings;
	int32_t levels; // of subdivision
	lm_subdivision scheme;
	int32_t coarse_count; // vertices before subdivision
	lm_binding* map;      // from these to the vertices of the mesh; NULL without subdivision
	lm_binding* hat_map;  // its columns are the coarse mesh's hat functions; NULL: those of map are
	lm_scene_guide guide;
	int32_t paint_count;
	lm_scene_paint* paint;
	bool hats; // of the vertices before subdivision
	int32_t regions;
	double compact;
	bool aware;             // clusters look at the guide's frames
	double* region_density; // per vertex, or NULL
	bool pointwise;
	lm_keyed strength;                   // width 1
	lm_keyed wind;                       // width 3
	double preroll;                      // seconds
	lm_mesh *undeformed, *undeformed_to; // NULL: the mesh, none
	lm_keyed blend;                      // width 1
} lm_scene_track;
// Vertices that are held somewhere: turned about their middle by `rotation`, then moved by `by`, or to `to`.
typedef struct lm_scene_handle
{
	int32_t count;
	int32_t* vertices;
	bool has_to;
	double by[3], to[3];
	double rotation[4];
	double weight;
} lm_scene_handle;

// Where a `design` object, or some vertices of it, shall be at a time: a pose, under handles, placed.
typedef struct lm_scene_design_key
{
	double time, end; // end: held until then; below time: a moment
	lm_mesh* pose;    // NULL: the rest shape
	int32_t handle_count;
	lm_scene_handle* handles;
	bool has_position, has_rotation; // else where the object starts
	double position[3], rotation[4];
	int32_t count; // of vertices; 0: the whole object
	int32_t* vertices;
	bool via, broken;
} lm_scene_design_key;

// Settings of a `design` object. Those of the motion count for all objects of a scene, and are taken from the first.
typedef struct lm_scene_design
{
	int32_t nodes, voxels;
	double radius;
	int32_t frames;
	lm_pose_settings pose;
	lm_motion_settings motion;
	int32_t key_count;
	lm_scene_design_key* keys;
	int32_t velocity_count;
	lm_motion_velocity* velocities;
	lm_dynamics dynamics;
	double rate; // steps of simulation per second; as the motion, of the first object
	int32_t simulated_count;
	lm_simulated* simulated;
} lm_scene_design;

typedef struct lm_scene_object
{
	char* name;
	char* engine; // "match", "act", "track", "design"
	char* mesh_path;
	lm_mesh* mesh;              // simulation mesh at rest, with its groups; scaled but not placed
	char* surface_path;         // "" when the simulation mesh is shown itself
	lm_mesh* surface;           // detailed display surface in the coordinates of `mesh`, or NULL
	double position[3];         // placement of the start
	double rotation[4];         // quaternion, w first
	double velocity[3];         // m/s at the start
	double angular_velocity[3]; // rad/s about the centre of mass at the start
	lm_mesh* start_pose;        // pose to start from (then placed), or NULL
	double density;
	float color[3];
	int32_t substeps; // per frame
	int32_t pin_count;
	lm_scene_pin* pins;
	int32_t drag_count;
	lm_scene_drag* drags;
	int32_t push_count;
	lm_scene_push* pushes;
	lm_scene_match* match;   // when engine is "match"
	lm_scene_act* act;       // when engine is "act"
	lm_scene_track* track;   // when engine is "track"
	lm_scene_design* design; // when engine is "design"
} lm_scene_object;

typedef struct lm_scene_camera
{
	bool automatic; // true: fitted to what moves, seen along `direction`
	double eye[3], target[3];
	double direction[3]; // from the eye to the scene, for automatic; default (-0.5, -0.35, -1)
	double fov;          // vertical, degrees
	double zoom;         // automatic: 1 fits everything; larger comes closer
} lm_scene_camera;

typedef struct lm_scene
{
	lm_host host; // owns everything below
	char* name;
	char* path; // of the file, or ""
	char* description;
	double fps, seconds;
	double gravity[3];
	lm_scene_camera camera;
	float background[3];   // linear
	int32_t width, height; // of pictures, pixels
	int32_t collider_count;
	lm_scene_collider* colliders;
	int32_t object_count;
	lm_scene_object* objects;
	uint64_t fingerprint; // of the file and everything it names
	int32_t file_count;
	char** files; // what it was read from besides `path`: meshes, poses, guides, groups, in the order of reading
} lm_scene;

// Reads a scene and every file that it names, and checks it all. On LM_BAD_INPUT `problems` lists everything found,
// each with its JSON path (or line, for syntax) and, for unknown keys, the key that was probably meant; release it
// with lm_problems_release. It may be NULL. When out of memory or cancelled it may hold less than all.
LM_API lm_status lm_scene_read(const char* path, const lm_host* host, lm_scene** scene, lm_problems* problems);
LM_API void lm_scene_destroy(lm_scene* scene);

// An empty scene to be filled in by a program; lists are grown with the add functions (which return NULL when out
// of memory and fill in defaults). Text and arrays put into it must come from lm_scene_text / lm_scene_memory,
// because lm_scene_destroy frees them; meshes are given away to the scene.
LM_API lm_scene* lm_scene_create(const lm_host* host);
LM_API lm_scene_object* lm_scene_add_object(lm_scene* scene, const char* name, const char* engine);
LM_API lm_scene_collider* lm_scene_add_collider(lm_scene* scene, const char* name);
LM_API char* lm_scene_text(lm_scene* scene, const char* text);
LM_API void* lm_scene_memory(lm_scene* scene, size_t count, size_t size);

// Handles for posing from a JSON file, {"handles": [...]}, as the keys of `design` objects have them; `mesh` is the
// surface at rest with its groups. *settings (may be NULL) gets what the file says of the weights. Free with
// lm_handles_free.
LM_API lm_status lm_handles_read(const char* path, const lm_mesh* mesh, const lm_host* host, lm_scene_handle** handles,
                                 int32_t* count, lm_pose_settings* settings, lm_problems* problems);
LM_API void lm_handles_free(const lm_host* host, lm_scene_handle* handles, int32_t count);
// Holds a pose by these handles.
LM_API lm_status lm_handles_apply(const lm_scene_handle* handles, int32_t count, const lm_mesh* mesh,
                                  const lm_host* host, lm_pose* pose, lm_error* error);

// The JSON Schema of the format, and its reference as Markdown: text to be written to docs/. Caller frees with
// lm_text_free.
LM_API char* lm_scene_schema(const lm_host* host);
LM_API char* lm_scene_reference(const lm_host* host);

#ifdef __cplusplus
}
#endif
#endif
