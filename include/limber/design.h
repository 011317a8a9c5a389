// design.h: natural poses of any surface from a few handles, motion between poses, and the dynamics of both (Adams et
// al. 2009).
//
// A model is made once from a surface: nodes inside it, and smooth functions that carry what the nodes do to every
// vertex. A pose is a model under handles: set them, step, read the surface; made for dragging.
//
//   lm_design_model_def def = lm_design_model_def_default();
//   def.surface = &mesh;
//   lm_design_model* model;
//   if (lm_design_model_create(&def, &host, &model, &error) != LM_OK)
//       return error.status;
//   lm_design_pose_settings settings = lm_design_pose_settings_default();
//   lm_design_pose* pose;
//   if (lm_design_pose_create(model, &settings, &host, &pose, &error) != LM_OK ||
//       lm_design_pose_set_handles(pose, handles, 2, &error) != LM_OK)
//       return error.status;
//   while (dragging)
//   {
//       if (lm_design_pose_move_handle(pose, 1, targets, &error) != LM_OK)
//           return error.status;
//       lm_design_pose_step(pose);
//       lm_design_surface_floats(model, lm_design_pose_nodes(pose), 1, positions, normals);
//   }
//   lm_design_pose_destroy(pose);
//   lm_design_model_destroy(model);
//
// Thread safety: a model never changes and may be shared by threads; a pose by one thread at a time.
#ifndef LIMBER_DESIGN_H
#define LIMBER_DESIGN_H

#include "limber/contact.h"
#include "limber/mesh.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct lm_design_model_def
{
	const lm_mesh* surface; // its triangles enclose the material, with holes or without; copied
	int32_t nodes;          // how many there shall be, 4 .. 1000, default 60
	double radius;  // metres, up to 1e9; above 0: as many nodes as every point needs to see four within it, instead
	int32_t voxels; // of the material in which distances are measured, 1000 .. 1000000, default 16000
	int32_t points_per_node; // where energies are integrated, 1 .. 16, default 4
	int32_t
		nodes_per_vertex; // that the fast surface keeps, 0 (all) or 4 .. 64, default 0; see lm_design_surface_floats
	const double*
		density; // per vertex, above 0, at most 1e6: nodes per volume near it, relative; NULL: the same everywhere
} lm_design_model_def;

LM_API lm_design_model_def lm_design_model_def_default(void);

typedef struct lm_design_model lm_design_model;

// A surface that encloses nothing is LM_BAD_INPUT. Reports progress.
LM_API lm_status lm_design_model_create(const lm_design_model_def* def, const lm_host* host, lm_design_model** model,
                                        lm_error* error);
LM_API void lm_design_model_destroy(lm_design_model* model);

LM_API int32_t lm_design_model_vertex_count(const lm_design_model* model);
LM_API int32_t lm_design_model_node_count(const lm_design_model* model);
LM_API void lm_design_model_nodes(const lm_design_model* model, double* positions); // node_count x 3, at rest
LM_API double lm_design_model_radius(const lm_design_model* model, int32_t node);   // how far it reaches, metres
// Distance within the material from a node to a place in it, metres.
LM_API double lm_design_model_distance(const lm_design_model* model, int32_t node, const double place[3]);
// The shortest way within the material at rest from a node to another, as points (most x 3); returns how many, 0 when
// there is no way or no room.
LM_API int32_t lm_design_model_path(const lm_design_model* model, int32_t from, int32_t to, double* points,
                                    int32_t most);
// The nodes that move a place at rest, and how much each counts (sum 1); arrays of node_count numbers.
LM_API int32_t lm_design_model_weights(const lm_design_model* model, const double place[3], int32_t* nodes,
                                       double* weights);

// The surface for nodes at these positions, exact: vertex_count x 3. normals (unit, Eq. 7) may be NULL.
LM_API void lm_design_surface(const lm_design_model* model, const double* nodes, int threads, double* positions,
                              double* normals);
// The same in floats for drawing, with the normals of Eq. 9 made unit: streams through memory once. With
// nodes_per_vertex given only the heaviest nodes are kept, and the weights mended so that affine maps stay exact.
LM_API void lm_design_surface_floats(const lm_design_model* model, const double* nodes, int threads, float* positions,
                                     float* normals);

// The nodes whose surface comes closest to these vertices (vertex_count x 3): a pose mesh as nodes.
LM_API lm_status lm_design_fit(const lm_design_model* model, const double* positions, double* nodes, lm_error* error);

// ---- posing (Sec. 5) ----

typedef struct lm_design_pose_settings
{
	double handles;   // weight of the handles, above 0, at most 1e9, default 100 (Eq. 14, lambda_1)
	double strain;    // above 0, at most 1e9, default 1 (lambda_2)
	double volume;    // 0 .. 1e9, default 10 (lambda_3); 0: volume may change
	double tolerance; // lm_design_pose_solve ends when no node feels more than this (in units of strain), default 1e-6
	int32_t most_iterations; // of lm_design_pose_solve, default 200
} lm_design_pose_settings;

LM_API lm_design_pose_settings lm_design_pose_settings_default(void);

// Something that is held, and where. Give one of vertices, nodes and points.
typedef struct lm_design_pose_handle
{
	int32_t count;
	const int32_t* vertices; // of the surface
	const int32_t* nodes;
	const double* points;  // count x 3, places of the material at rest
	const double* targets; // count x 3, where they shall be
	double weight;         // of the handle as a whole, 0 .. 1e9, default 1
} lm_design_pose_handle;

LM_API lm_design_pose_handle lm_design_pose_handle_default(void);

typedef struct lm_design_pose lm_design_pose;

typedef struct lm_design_pose_report
{
	bool converged;
	int32_t iterations;
	double energy;       // Eq. 14, of the object as if it were 1 long and of volume 1
	double residual;     // largest force left on a node
	double handle_error; // farthest that a handle's point is from its target, metres
	double least_volume; // smallest local change of volume (1 at rest; below 0 is inside out)
} lm_design_pose_report;

// Starts at rest. The model must outlive the pose.
LM_API lm_status lm_design_pose_create(const lm_design_model* model, const lm_design_pose_settings* settings,
                                       const lm_host* host, lm_design_pose** pose, lm_error* error);
LM_API void lm_design_pose_destroy(lm_design_pose* pose);

// Other weights; the pose itself stays until it is stepped.
LM_API lm_status lm_design_pose_set_settings(lm_design_pose* pose, const lm_design_pose_settings* settings,
                                             lm_error* error);

// Replaces all handles; the pose itself stays until it is stepped.
LM_API lm_status lm_design_pose_set_handles(lm_design_pose* pose, const lm_design_pose_handle* handles, int32_t count,
                                            lm_error* error);
// Moves one: its count x 3 targets. Numbers that are not finite are LM_BAD_INPUT.
LM_API lm_status lm_design_pose_move_handle(lm_design_pose* pose, int32_t handle, const double* targets,
                                            lm_error* error);

// Towards the best pose, to within a hundredth of the energy or so: what a drag needs per event. The energy never
// rises; nothing is ever NaN.
LM_API lm_design_pose_report lm_design_pose_step(lm_design_pose* pose);
// All the way.
LM_API lm_design_pose_report lm_design_pose_solve(lm_design_pose* pose);

LM_API const double*
lm_design_pose_nodes(const lm_design_pose* pose); // node_count x 3, metres; valid until the next change
LM_API void lm_design_pose_set_nodes(lm_design_pose* pose, const double* nodes); // finite numbers; NULL: rest

// ---- motion (Sec. 6) ----

// Where an object, or some of its nodes, shall be, and when.
typedef struct lm_design_motion_key
{
	double time;              // seconds from the start of the motion, 0 .. seconds
	double end;               // later than time: held until then; default 0, a moment
	int32_t count;            // of nodes; 0: all
	const int32_t* nodes;     // count of them
	const double* positions;  // metres, of those nodes (of all when count is 0), x 3
	const double* velocities; // m/s, of all nodes x 3, how it passes through the key; NULL: found; count must be 0
	bool via;                 // only steers the search: the motion need not go there (Sec. 6.4)
	bool broken;              // the motion may turn sharply here, as in a bounce
} lm_design_motion_key;

// How fast the object, or some of its nodes, shall move at a time. Those of parts go their own way, whatever is said of
// the whole at the same time.
typedef struct lm_design_motion_velocity
{
	double time;
	double linear[3];     // of the centre of the nodes, m/s
	double angular[3];    // about it, rad/s
	int32_t count;        // of nodes; 0: all
	const int32_t* nodes; // count of them
} lm_design_motion_velocity;

typedef struct lm_design_motion_object
{
	const lm_design_model* model; // must outlive the motion; objects may share one
	int32_t key_count;            // at least one key of all nodes that is not via
	const lm_design_motion_key* keys;
	int32_t velocity_count;
	const lm_design_motion_velocity* velocities;
	int32_t frames;     // most that may be used, keys included, 2 .. 10000, default 24
	double from, until; // seconds between which others meet it; default 0, for ever (until 0 is for ever, too)
	bool linear;        // nodes go straight from key to key, without search; default false
} lm_design_motion_object;

LM_API lm_design_motion_object lm_design_motion_object_default(void);

typedef struct lm_design_motion_settings
{
	double seconds;      // of the motion, > 0, default 1
	double strain;       // weights of Eq. 25, each 0 .. 1e9 (strain above 0), default 1
	double volume;       // default 5
	double acceleration; // default 0.001; time counts in fractions of the whole, lengths in sizes of the object
	double velocity;     // default 1
	double obstacles;    // default 1000
	double objects;      // default 1000
	double margin;       // distance kept to obstacles and other objects, sizes of the object, 0 .. 1, default 0.02
	double
		accuracy; // frames are inserted while the energy in between exceeds that of the frames by more; 0 .. 1e6, 0.01
	bool one_by_one;  // insert one frame at a time (Fig. 12), not one into every interval that needs it; false
	double tolerance; // of each solve, relative to the energy, above 0, at most 1, default 1e-3
	double fps;       // the result is checked at ten times this rate, default 24
} lm_design_motion_settings;

LM_API lm_design_motion_settings lm_design_motion_settings_default(void);

typedef struct lm_design_motion lm_design_motion;

typedef struct lm_design_motion_report
{
	int64_t variables; // three for every node and frame, keyframes included, as the paper counts
	int32_t frames_inserted;
	int32_t rounds, iterations, evaluations;
	double energy;         // Eq. 25
	double key_error;      // largest distance of a node from its key, relative to size
	double obstacle_depth; // deepest that a surface is in an obstacle, relative to size, at ten times fps
	double pair_depth;     // in another object
	bool collision_free;   // both at most 0.01
	double seconds;        // that the solve took
} lm_design_motion_report;

// colliders (may be NULL) are the obstacles; they move on their own keys, in seconds from `start`. Keys at one time,
// or that contradict each other, or inside an obstacle, are LM_BAD_INPUT: one sentence says which.
LM_API lm_status lm_design_motion_create(const lm_design_motion_object* objects, int32_t count,
                                         const lm_colliders* colliders, double start,
                                         const lm_design_motion_settings* settings, const lm_host* host,
                                         lm_design_motion** motion, lm_error* error);
LM_API void lm_design_motion_destroy(lm_design_motion* motion);
// Finds the motion. Reports progress, can be cancelled.
LM_API lm_status lm_design_motion_solve(lm_design_motion* motion, lm_error* error);
LM_API lm_design_motion_report lm_design_motion_get_report(const lm_design_motion* motion);
// Of one object: its variables, frames_inserted, key_error and depths; the rest as for all.
LM_API lm_design_motion_report lm_design_motion_object_report(const lm_design_motion* motion, int32_t object);

// Nodes of an object at a time, node_count x 3, metres; velocities (m/s) may be NULL.
LM_API void lm_design_motion_nodes(const lm_design_motion* motion, int32_t object, double time, double* nodes,
                                   double* velocities);
LM_API int32_t lm_design_motion_frame_count(const lm_design_motion* motion, int32_t object);
LM_API double lm_design_motion_frame_time(const lm_design_motion* motion, int32_t object, int32_t frame);

// ---- dynamics (Sec. 7) ----

// How a body behaves when it is not led, and how much of that it shows when it is.
typedef struct lm_design_dynamics
{
	double frequency; // Hz of its slowest free vibration: stiffer is faster; 0.1 .. 100, default 4
	double damping;   // of that vibration: 0 goes on for ever, 1 just does not swing; 0 .. 10, default 0.1
	double friction;  // Coulomb coefficient with whatever it touches, 0 .. 1e6, default 0.5
	double
		secondary;  // how much limbs lag behind and swing on in designed parts; 0 (none, default) .. 10, 1: by inertia
	double release; // seconds over which the lead lets go where a simulated part begins, 0 .. 10, default 0.1
} lm_design_dynamics;

LM_API lm_design_dynamics lm_design_dynamics_default(void);

// A time in which an object is simulated, not designed.
typedef struct lm_design_simulated
{
	double from, until; // seconds; at the end of the performance it need not stop
} lm_design_simulated;

typedef struct lm_design_performance_object
{
	lm_design_motion_object
		motion; // keys and velocities lie outside of the simulated times; a key may be where one begins
	lm_design_dynamics dynamics;
	int32_t simulated_count;
	const lm_design_simulated* simulated; // in the order of time, apart
	const double* start; // nodes when it begins simulated and has no key at 0; metres; NULL: the model's own
} lm_design_performance_object;

LM_API lm_design_performance_object lm_design_performance_object_default(void);

typedef struct lm_design_performance_settings
{
	lm_design_motion_settings motion; // of every designed part; seconds are those of the whole
	double gravity[3];                // m/s^2, default 0 -9.81 0
	double rate;                      // steps of simulation per second, 24 .. 10000, default 240
} lm_design_performance_settings;

LM_API lm_design_performance_settings lm_design_performance_settings_default(void);

typedef struct lm_design_performance lm_design_performance;

typedef struct lm_design_performance_report
{
	lm_design_motion_report motion; // sums over the designed parts; errors and depths of the whole, as it is played
	double simulate_seconds;        // that simulation took
} lm_design_performance_report;

// Finds it all, in the order of time: what comes later never changes what was before. A designed part after a simulated
// one starts from where that ends, with its velocities. Reports progress, can be cancelled.
LM_API lm_status lm_design_performance_create(const lm_design_performance_object* objects, int32_t count,
                                              const lm_colliders* colliders, double start,
                                              const lm_design_performance_settings* settings, const lm_host* host,
                                              lm_design_performance** performance, lm_error* error);
LM_API void lm_design_performance_destroy(lm_design_performance* performance);
// Of one object; the rest as for all (object -1).
LM_API lm_design_performance_report lm_design_performance_get_report(const lm_design_performance* performance,
                                                                     int32_t object);
// Nodes of an object at a time, node_count x 3, metres; velocities (m/s) may be NULL.
LM_API void lm_design_performance_nodes(const lm_design_performance* performance, int32_t object, double time,
                                        double* nodes, double* velocities);

#ifdef __cplusplus
}
#endif
#endif
