// scene.h: a scene as a plain description, read from JSON or filled in by hand. docs/scene.md is the reference of the
// file format; it, the JSON Schema and the checks all come from one table of keys (src/scene/keys.c and those of the
// engines, src/objects).
#ifndef LIMBER_SCENE_H
#define LIMBER_SCENE_H

#include "limber/act_pilot.h"
#include "limber/contact.h"
#include "limber/design.h"
#include "limber/field.h"
#include "limber/format.h"
#include "limber/match.h"
#include "limber/mesh.h"
#include "limber/track.h"

#ifdef __cplusplus
extern "C"
{
#endif

// Structs that a scene file fills begin with what it says, and end with what is made of that when it is read. `given`
// has a bit for each key that the file names; programs that fill in a scene leave it 0, and fill in what is made.

// Where a collider is at a time.
typedef struct lm_scene_placement
{
	lm_placement_key key; // what is not given is the collider's own
	uint64_t given;
} lm_scene_placement;

// How a mesh collider deforms: frames from files, in the coordinates of its mesh.
typedef struct lm_scene_collider_cache
{
	const char* file; // or ""
	uint64_t given;
	int32_t first, last;
	double fps;
	double start, speed; // at time t of the scene its time (t - start) x speed is shown
} lm_scene_collider_cache;

typedef struct lm_scene_collider
{
	const char* name;
	uint64_t given;
	lm_collider_def def;   // `mesh`, `frames` and `keys` are made of what follows
	const char* mesh_file; // as the file names it, or ""
	lm_scene_collider_cache cache;
	double scale;
	double position[3], rotation[4]; // without keys, and where they leave it out
	int32_t key_count;
	lm_scene_placement* keys;
	float color[3]; // linear 0 .. 1
	bool visible;
	int32_t touch_count; // names of objects that touch it; 0: all do
	const char** touch;
	bool touch_off; // none does
} lm_scene_collider;

// A named set of vertices besides those that the mesh file brings; ends up among the groups of the mesh.
typedef struct lm_scene_group
{
	const char* name;
	uint64_t given;
	int32_t count;
	int32_t* vertices;
	const char* file;
	const char* group;   // its name in the file
	const char* weights; // a file with paint
	double box[2][3];
} lm_scene_group;

// Vertices held in place, or carried along: `offset` is from where they start, width 3. Or held together somewhere:
// `target` is absolute, width 3.
typedef struct lm_scene_pin
{
	const char* group; // or "": then `vertices` are listed
	uint64_t given;
	int32_t count;
	int32_t* vertices; // those of the group, once it is read
	lm_keyed offset;
	lm_keyed target;      // no keys: `offset` counts
	int32_t offset_count; // 0, or `count`
	double* offsets;      // 3 for each vertex, from the target; none: from the middle of where they start
	bool guide;           // `track`: instead of all that, each is held where the guide has it
	double start, end;    // seconds; end < 0: until the end
} lm_scene_pin;

// A vertex, or several together, pulled by springs towards a moving target.
typedef struct lm_scene_drag
{
	int32_t vertex; // that nearest to `near`, where that is given; counts when there are no `vertices`
	uint64_t given;
	double near[3];
	const char* group; // or ""
	int32_t count;
	int32_t* vertices;                  // those of the group, once it is read
	int32_t weight_count, offset_count; // 0, or `count`
	double* weights;                    // shares of the strength; none: all alike
	double* offsets;                    // as of pins, from the target
	lm_keyed target;                    // absolute, width 3
	double strength;                    // N/m, of all springs together
	double start, end;
} lm_scene_drag;

// An impulse at a time, shared by mass among the vertices.
typedef struct lm_scene_push
{
	const char* group;
	uint64_t given;
	int32_t count;
	int32_t* vertices; // neither group nor vertices: all of them
	double time;
	double impulse[3];  // N s
	bool by_velocity;   // then this instead:
	double velocity[3]; // m/s, added to that of each vertex
} lm_scene_push;

typedef struct lm_scene_example
{
	const char* file; // as the scene names it, or ""
	uint64_t given;
	lm_keyed strength; // width 1
	bool answers;      // to contact, by the two below
	double touching;   // strength while the object touches something
	double ease;       // seconds from 0 to 1 and back, > 0
	lm_mesh* mesh;     // a pose with the vertices of the simulation mesh
} lm_scene_example;

// Settings of a `match` object.
typedef struct lm_scene_match
{
	lm_match_settings settings;
	uint64_t given;
	lm_keyed_settings keyed; // those of the settings that change over time
	lm_match_locality locality;
	lm_match_descriptor descriptor;
	lm_match_method method;
	int32_t ring;
	int32_t example_count;
	lm_scene_example* examples;
	int32_t group_count; // names of vertex groups for LM_MATCH_GROUPS; all other vertices form one more group
	const char** groups;
	int32_t region_count; // names of vertex groups, each of which is a region of its own
	const char** regions;
} lm_scene_match;

// A pose that the rest shape of an `act` object may take.
typedef struct lm_scene_act_example
{
	const char* file;
	int32_t group;
	lm_mesh* mesh;
} lm_scene_act_example;

// A behaviour of an `act` object for some time. Of several that are on at a time the last counts.
typedef struct lm_scene_command
{
	lm_act_command command; // velocity and place are those of the time, found from what follows
	uint64_t given;
	double start, end; // seconds; end < 0: until the end
	lm_keyed velocity; // width 3: of the centre of mass; hop: when it leaves the ground
	lm_keyed path;     // go, roll: where the centre of mass shall be (x and z), width 3; no keys: none
} lm_scene_command;

// Rows of goals of an animator's own, one for each axis.
typedef struct lm_scene_goal
{
	const char* group; // or ""
	uint64_t given;
	int32_t count; // 0: the centre of mass
	int32_t* vertices;
	const char* axis_names;      // "xy", say; "": all that there are
	bool relative;               // position counts from where it starts
	lm_keyed position, velocity; // width 3
	double kp, kd, weight;
	lm_keyed_settings keyed; // those of these three that change over time
	double start, end;
	bool axes[3]; // made of axis_names
} lm_scene_goal;

// A motion that an `act` object performs by its own strength: a file, or a designed object.
typedef struct lm_scene_follow
{
	const char *file, *object; // one of them, or "" both
	uint64_t given;
	int32_t first, last; // of rows of meshes
	double fps;
	double start, speed; // at time t of the scene the file's time (t - start) x speed is shown
	double softness;     // 0 .. 1
	int32_t group_count; // names of vertex groups; 0: all of it follows
	const char** groups;
	int32_t frame_count, vertex_count; // of the file
	double* times;                     // [frame_count] ascending, from 0
	double* frames;                    // frame_count x vertex_count x 3
} lm_scene_follow;

// The energy of the solids of `act`.
typedef enum lm_scene_law
{
	LM_LAW_MODEL,       // as `kind` says
	LM_LAW_NEO_HOOKEAN, // lm_elastic_neo_hookean
} lm_scene_law;

// Settings of an `act` object.
typedef struct lm_scene_act
{
	lm_act_kind kind;
	uint64_t given;
	lm_scene_law law;
	lm_act_settings settings;
	lm_keyed_settings keyed; // those of the settings that change over time
	lm_act_control control;
	bool character;        // its body fits it, and settings, control, feet and trunk are found where they are not given
	const char* cage_file; // "" when it is made, with cage_vertices vertices
	int32_t cage_vertices;
	int32_t example_count;
	lm_scene_act_example* examples;
	int32_t foot_count; // names of vertex groups, left to right
	const char** feet;
	const char* trunk; // name of a vertex group, or ""
	int32_t command_count;
	lm_scene_command* commands;
	int32_t goal_count;
	lm_scene_goal* goals;
	lm_scene_follow follow;
	lm_mesh* cage;
} lm_scene_act;

// How a guide that is an object leads.
typedef enum lm_guide_bind
{
	LM_GUIDE_VERTICES, // vertex by vertex, or by painted groups of both
	LM_GUIDE_GARMENT,  // by the nearest points of its surface, which the cloth touches
	LM_GUIDE_SKIN      // likewise; the cloth takes the place of that surface
} lm_guide_bind;

// What leads a `track` object: frames from files, in the coordinates of the object's mesh, or another object.
typedef struct lm_scene_guide
{
	const char* file;   // or ""
	const char* object; // name of the other object, or ""
	lm_guide_bind bind;
	uint64_t given;
	const char* mesh_file;
	int32_t first, last;
	double fps;
	double scale;        // of its file, to be in the space of the mesh
	double rotation[4];  // likewise
	double offset[3];    // added to its positions
	double start, speed; // at time t of the scene its time (t - start) x speed is shown
	lm_mesh* mesh;       // undeformed shape of a guide that is another mesh; NULL: the object's mesh, subdivided or not
	int32_t frame_count, vertex_count;
	double* times;  // [frame_count] ascending, from 0
	double* frames; // frame_count x vertex_count x 3
} lm_scene_guide;

// A painted region: values at vertices of the cloth, and of the guide where that is another mesh.
typedef struct lm_scene_paint
{
	const char* group;
	const char* weights; // file, or ""
	const char* guide_group;
	int32_t regions;   // that it is split into when it is read
	lm_keyed strength; // width 1
	int32_t count, guide_count;
	int32_t *vertices, *guide_vertices;
	double *values, *guide_values;
} lm_scene_paint;

// A time at which a guide jumps.
typedef struct lm_scene_cut
{
	double time; // s
} lm_scene_cut;

// Where clusters are smaller or larger.
typedef struct lm_scene_denser
{
	const char* group;
	double density; // relative
} lm_scene_denser;

// A shape without stress that is not the mesh, or changes.
typedef struct lm_scene_undeformed
{
	const char *mesh_file, *to_file; // or ""
	uint64_t given;
	lm_keyed blend;     // width 1
	lm_mesh *mesh, *to; // NULL: the object's mesh, none
} lm_scene_undeformed;

// Settings of a `track` object.
typedef struct lm_scene_track
{
	lm_track_settings settings;
	lm_track_material material; // numbers that are not given are its
	uint64_t given;
	lm_keyed_settings keyed; // those of the settings that change over time
	int32_t levels;          // of subdivision
	lm_subdivision scheme;
	lm_scene_guide guide;
	int32_t paint_count;
	lm_scene_paint* paint;
	bool hats; // of the vertices before subdivision
	int32_t regions;
	double compact;
	bool aware; // clusters look at the guide's frames
	int32_t denser_count;
	lm_scene_denser* denser;
	bool pointwise;
	double preroll; // seconds
	bool repair;    // meshes as they are found are taken
	int32_t cut_count;
	lm_scene_cut* cuts;
	lm_scene_undeformed undeformed;
	int32_t coarse_count;   // vertices before subdivision
	lm_binding* map;        // from these to the vertices of the mesh; NULL without subdivision
	lm_binding* hat_map;    // its columns are the coarse mesh's hat functions; NULL: those of map are
	double* region_density; // per vertex, made of `denser`, or NULL
} lm_scene_track;

// Vertices that are held somewhere: turned about their middle by `rotation`, then moved by `by`, or to `to`.
typedef struct lm_scene_handle
{
	const char* group;
	uint64_t given;
	int32_t count;
	int32_t* vertices; // those of the group, or that nearest to `near`
	double near[3];
	bool has_to;
	double by[3], to[3];
	double rotation[4];
	double weight;
} lm_scene_handle;

// Where a `design` object, or some vertices of it, shall be at a time: a pose, under handles, placed.
typedef struct lm_scene_design_key
{
	double time, end; // end: held until then; below time: a moment
	uint64_t given;
	const char* pose_file; // or ""
	int32_t handle_count;
	lm_scene_handle* handles;
	bool has_position, has_rotation; // else where the object starts
	double position[3], rotation[4];
	const char* group; // "": the whole object
	bool via, broken;
	lm_mesh* pose; // NULL: the rest shape
	int32_t count; // of vertices; 0: the whole object
	int32_t* vertices;
} lm_scene_design_key;

// How fast a `design` object, or some vertices of it, shall be at a time.
typedef struct lm_scene_design_velocity
{
	double time;
	double linear[3];  // m/s, of the middle
	double angular[3]; // rad/s, about it
	const char* group; // "": the whole object
	int32_t count;     // of vertices; 0: the whole object
	int32_t* vertices;
} lm_scene_design_velocity;

// Settings of a `design` object. Those of the motion count for all objects of a scene, and are taken from the first.
typedef struct lm_scene_design
{
	int32_t nodes, voxels;
	double radius;
	int32_t frames;
	bool linear;
	lm_design_pose_settings pose;
	lm_design_motion_settings motion;
	int32_t key_count;
	lm_scene_design_key* keys;
	int32_t velocity_count;
	lm_scene_design_velocity* velocities;
	lm_design_dynamics dynamics;
	double rate; // steps of simulation per second; as the motion, of the first object
	int32_t denser_count;
	lm_scene_denser* denser; // where nodes lie closer
	double* node_density;    // per vertex, made of `denser`, or NULL
	int32_t simulated_count;
	lm_design_simulated* simulated;
} lm_scene_design;

// How a surface is wrapped in tetrahedra.
typedef struct lm_scene_lattice
{
	lm_lattice_settings settings;
	uint64_t given;
	bool fit; // lm_fitted_create
} lm_scene_lattice;

typedef struct lm_scene_object
{
	const char* name;
	const char* engine; // "match", "act", "track", "design"
	uint64_t given;
	const char* mesh_file;    // as the scene names it, or ""
	const char* surface_file; // "" when the simulation mesh is shown itself
	const char* start_file;   // "" when it starts at rest
	double scale;             // of what is in these files, and of all poses
	double height;            // m, in place of scale; 0: not given
	int up;                   // axis of the files that points up: 0 y, 1 z
	int forward;              // that a figure faces along: 0 found for characters, else x; 1 x, 2 -x, 3 z, 4 -z
	int place; // what `position` is the place of: 0 the origin of the files, 1 the middle of the lowest side
	lm_scene_lattice lattice;
	bool lattice_off;    // its triangles are simulated themselves
	int32_t touch_count; // names of objects that it touches; 0: all
	const char** touch;
	bool touch_off;             // it touches none
	double position[3];         // placement of the start
	double rotation[4];         // quaternion, w first
	double velocity[3];         // m/s at the start
	double angular_velocity[3]; // rad/s about the centre of mass at the start
	double density;
	float color[3];
	int32_t substeps; // per frame, at least: lm_world takes more where what it touches, or leads, does
	int32_t group_count;
	lm_scene_group* groups;
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
	lm_mesh* mesh;           // simulation mesh at rest, with its groups; scaled but not placed
	lm_mesh* surface;        // detailed display surface in the coordinates of `mesh`, or NULL
	lm_mesh* start_pose;     // pose to start from (then placed), or NULL
	lm_repair* repair;       // what was wrong with the mesh of the file, or NULL
	lm_fitted* fitted;       // the lattice that fits `surface`, whose mesh is a copy of `mesh`; NULL: another lattice
} lm_scene_object;

// A force field; what has keys follows them instead of `def`.
typedef struct lm_scene_field
{
	lm_field def;
	uint64_t given;
	lm_keyed position, velocity; // width 3
	lm_keyed strength;           // width 1
} lm_scene_field;

typedef struct lm_scene_camera
{
	bool automatic; // true: fitted to what moves, seen along `direction`
	uint64_t given;
	double eye[3], target[3];
	double direction[3]; // from the eye to the scene, for automatic; default (-0.5, -0.35, -1)
	double fov;          // vertical, degrees
	double zoom;         // automatic: 1 fits everything; larger comes closer
	bool follow;         // automatic: goes along with what moves where it would fill less than a third of the picture
} lm_scene_camera;

typedef struct lm_camera
{
	double eye[3], target[3], up[3];
	double fov; // vertical, degrees
} lm_camera;

typedef struct lm_scene_store lm_scene_store;

typedef struct lm_scene
{
	lm_host host;
	lm_scene_store* store; // owns everything below
	uint64_t given;
	int32_t version;    // of the format
	const char* schema; // for editors
	const char* name;
	const char* path; // of the file, or ""
	const char* description;
	double fps, seconds;
	double gravity[3];
	lm_scene_camera camera;
	float background[3]; // linear
	int32_t size[2];     // of pictures: width and height, pixels
	int32_t collider_count;
	lm_scene_collider* colliders;
	int32_t field_count;
	lm_scene_field* fields;
	int32_t object_count;
	lm_scene_object* objects;
	uint64_t fingerprint; // of the file and everything it names
	int32_t file_count;
	const char** files; // what it was read from besides `path`: meshes, poses, guides, groups, in the order of reading
} lm_scene;

// Reads a scene and every file that it names, and checks it all. On LM_BAD_INPUT `problems` lists everything found,
// each with its JSON path (or line, for syntax) and, for unknown keys, the key that was probably meant; release it
// with lm_problems_release. It may be NULL. When out of memory or cancelled it may hold less than all.
LM_API lm_status lm_scene_read(const char* path, const lm_host* host, lm_scene** scene, lm_problems* problems);
// The same of a text in memory, as if it were the file at `path`, which need not exist: files are looked for beside it.
// Takes and checkpoints of such a scene are those of the file that the text is written to.
LM_API lm_status lm_scene_read_text(const char* path, const char* text, size_t size, const lm_host* host,
                                    lm_scene** scene, lm_problems* problems);
LM_API void lm_scene_destroy(lm_scene* scene);

// An empty scene to be filled in by a program; lists are grown with the add functions (which return NULL when out
// of memory and fill in defaults). Text and arrays put into it must come from lm_scene_text / lm_scene_memory, which
// live as long as the scene; meshes are given away to the scene.
// Scenes are counted: a world keeps the one that it was made from, and lm_scene_destroy frees it when nothing else uses
// it.
LM_API lm_scene* lm_scene_create(const lm_host* host);
LM_API lm_scene_object* lm_scene_add_object(lm_scene* scene, const char* name, const char* engine);
LM_API lm_scene_collider* lm_scene_add_collider(lm_scene* scene, const char* name);
LM_API char* lm_scene_text(lm_scene* scene, const char* text);
LM_API void* lm_scene_memory(lm_scene* scene, size_t count, size_t size);

// Handles for posing from a JSON file, {"handles": [...]}, as the keys of `design` objects have them; `mesh` is the
// surface at rest with its groups. *settings (may be NULL) gets what the file says of the weights. Free with
// lm_handles_free.
LM_API lm_status lm_handles_read(const char* path, const lm_mesh* mesh, const lm_host* host, lm_scene_handle** handles,
                                 int32_t* count, lm_design_pose_settings* settings, lm_problems* problems);
LM_API void lm_handles_free(const lm_host* host, lm_scene_handle* handles, int32_t count);
// Where a handle takes a point once it has gone this share of its way, 0 .. 1: turned about the middle of its vertices
// and moved.
LM_API void lm_handle_place(const lm_scene_handle* handle, const lm_mesh* mesh, double share, const double point[3],
                            double place[3]);
// Holds a pose by these handles.
LM_API lm_status lm_handles_apply(const lm_scene_handle* handles, int32_t count, const lm_mesh* mesh,
                                  const lm_host* host, lm_design_pose* pose, lm_error* error);

// The JSON Schema of the format, and its reference as Markdown: text to be written to docs/. Caller frees with
// lm_text_free.
LM_API char* lm_scene_schema(const lm_host* host);
LM_API char* lm_scene_reference(const lm_host* host);

#ifdef __cplusplus
}
#endif
#endif
