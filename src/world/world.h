// world.h: the inside of lm_world, shared by the files that step, show, save and measure it.
#ifndef LM_WORLD_WORLD_H
#define LM_WORLD_WORLD_H

#include "base/warnings.h"
#include "contact/collider_surface.h"
#include "limber/command.h"
#include "scene/engine.h"
#include "world/plate.h"

#include <jansson.h>
#include <limits.h>

// Lines between points.
typedef struct lm_edges
{
	int32_t count;
	int32_t* pairs; // count x 2; NULL: not found yet
} lm_edges;

typedef struct lm_world_object
{
	lm_object* object;
	double size; // longest side of the rest shape
	double start_center[3];
	double last_center[3];  // a frame ago, for the speed
	double speed;           // m/s, of the centre of mass in the last frame
	bool finite;            // no shown vertex was ever anything but a number
	double* points;         // simulated points, point_count x 3, as of the frame that is shown
	int32_t taken;          // substeps of the running frame, of `substeps`
	int32_t substeps;       // in the running frame: the usual ones, or what bodies that meet need
	int32_t usual_substeps; // those of the scene, or of what it steps with
	int32_t most_substeps;  // of any frame so far
	lm_edges lattice, cage; // found when they are first shown
} lm_world_object;

// Something to see. Objects first, in their order, then the visible colliders.
typedef struct lm_world_display
{
	const char* name;
	const char* engine;
	const float* color;
	lm_mesh* mesh;       // topology; positions are the current ones
	lm_binding* binding; // of an object: display vertices from simulated points
	// Of bodies in the plane: what is shown is a plate of the bound points (thickness > 0), or a ribbon of the
	// simulated ones.
	double thickness;
	double* flat; // of a plate: the bound points
	lm_ribbon* ribbon;
	int32_t collider; // of a collider: its index, else -1
	double* rest;     // of a collider: vertices in its own frame
	bool fixed;
	int64_t frame; // for which mesh->positions hold; -1: none yet
} lm_world_display;

typedef struct lm_meet lm_meet;
typedef struct lm_pressed lm_pressed;

struct lm_world
{
	lm_host host;
	lm_scene* scene; // shared with its creator
	int64_t frame;
	double prepare_seconds;
	double frame_seconds; // that the last frame took
	bool prepared;
	lm_colliders* colliders;
	int32_t object_count;
	lm_world_object* objects; // in the order of the scene
	lm_object** all;          // of these objects
	lm_object** order;        // by engine, and there leaders before followers
	int32_t* starts;          // in `order`, of each engine, and its end
	int32_t display_count;
	lm_world_display* displays;
	lm_camera camera;
	int32_t led_count; // designed objects that bodies of `match` and `act` touch: colliders behind those of the scene
	struct lm_led* led;
	struct lm_meet* meet;                               // NULL: nobody can meet a body of another engine (meet.h)
	bool has_cloth;                                     // objects of `track`, which push others (push.h)
	lm_pressed* pushes;                                 // [object_count]
	double* push_room;                                  // two vectors for each point of the largest object
	lm_warnings warnings;                               // since it was made
	lm_arena marks_memory, lines_memory, colors_memory; // of views (limber/view.h)
};

// Says where an error comes from, unless it says so itself: the file of the scene.
lm_status lm_world_place_error(const lm_world* world, lm_status status, lm_error* error);

// step.c: how long a step of an object is, and when it begins, once `taken` have been taken in the frame.
double lm_step_length(double fps, int64_t substeps);
double lm_step_begin(double fps, int64_t frame, int64_t substeps, int64_t taken);

// substeps.c: the usual ones of all objects; says which are not those of the scene.
void lm_world_choose_substeps(lm_world* world);
// Those of the running frame have grown: those of what steps with such objects grow, too.
void lm_world_share_substeps(lm_world* world);

// order.c: finds leaders, and `order`. LM_BAD_INPUT for cycles and for leaders that do not exist.
lm_status lm_world_find_order(lm_world* world, lm_error* error);

// patch.c: simulated vertices around a place of an object's shown surface, and their weights (sum 1).
typedef struct lm_patch
{
	int32_t count;
	int32_t* vertices; // ascending
	double* weights;
	double place[3]; // metres, now
} lm_patch;
lm_status lm_world_find_patch(lm_world* world, int32_t object, int32_t triangle, const double place[3], double radius,
                              lm_arena* memory, lm_patch* patch, lm_error* error);

// command.c
lm_status lm_command_check_vector(const double v[3], const char* what, lm_error* error);
lm_status lm_command_check_place(const lm_world* world, const lm_command* command, lm_error* error);

// plan.c
bool lm_command_plans(const lm_world* world, const lm_command* command); // whether it is about keys or handles

// numbers.c
void lm_world_measure_speed(lm_world* world, int32_t object);
// Rows of a CSV file: the names, and the numbers of the moment. Texts are freed with lm_free; NULL when out of memory.
char* lm_world_number_names(const lm_world* world);
char* lm_world_number_row(const lm_world* world);

// command_text.c
json_t* lm_command_to_json(const lm_world* world, const lm_command* command);
lm_status lm_command_from_json(const lm_world* world, json_t* json, lm_command* command, lm_error* error);

// cache_info.c: for the cache of a run; `objects` has room for one of each display.
lm_cache_info lm_world_cache_info(lm_world* world, lm_cache_object* objects, char scene[PATH_MAX]);
int64_t lm_world_frames_of(const lm_world* world, double seconds); // the number of the last; <= 0: of the whole scene
// LM_IO_FAILED when the disk of `path` has no room for a run's cache and checkpoints.
lm_status lm_world_check_room(lm_world* world, const char* path, double seconds, lm_error* error);

// display.c
lm_status lm_world_create_displays(lm_world* world, lm_error* error);
void lm_world_destroy_displays(lm_world* world);
void lm_world_update_display(lm_world* world, int32_t i);
// Three numbers at each simulated point, carried to the vertices of the object's surface as positions are.
void lm_world_carry(const lm_world* world, const lm_world_display* display, const double* values, double* shown);

// marks.c: the simulated points now, in the object's own memory.
const double* lm_world_points(const lm_world* world, int32_t object);
lm_status lm_world_check_object(const lm_world* world, int32_t object, lm_error* error);
// How many simulated points touch something, and which (ascending) when vertices is not NULL.
int32_t lm_world_touching(const lm_world* world, int32_t object, const double* points, int32_t* vertices);

// lines.c: those of the simulated mesh, found once.
lm_status lm_world_lattice_edges(lm_world* world, int32_t object, const lm_edges** edges, lm_error* error);

// describe.c: the name of an example: that of its file without folder and ending, or "example k + 1", for which
// `fallback` has room. *length: of the name.
const char* lm_world_stem(const char* file, int32_t k, char fallback[32], size_t* length);

// paint.c: the values 0 .. 1 of a group at the simulated points.
lm_status lm_world_group_values(const lm_world* world, int32_t object, const char* name, double* values,
                                lm_error* error);

// camera.c: world->camera.
lm_status lm_world_place_camera(lm_world* world, lm_error* error);

// start.c: says through the host's log what begins inside a collider.
void lm_world_warn_of_start(lm_world* world);

// checkpoint.c. The last one of a run that surely survives a power cut is kept under this ending, behind that of the
// newest, until the next such one is written.
#define LM_CHECKPOINT_BEFORE ".before"
typedef enum lm_checkpoint_state
{
	LM_CHECKPOINT_MISSING,
	LM_CHECKPOINT_TORN,    // by a power cut
	LM_CHECKPOINT_FOREIGN, // of another version, no checkpoint at all, or it cannot be read: loading says which
	LM_CHECKPOINT_WHOLE
} lm_checkpoint_state;
// *frame: of a whole one.
lm_checkpoint_state lm_checkpoint_look(const char* path, const lm_host* host, int64_t* frame);
lm_status lm_checkpoint_write(const lm_world* world, const char* path, bool durable, lm_error* error);

#endif
