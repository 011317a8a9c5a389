// world.h: the inside of lm_world, shared by the files that step, show, save and measure it.
#ifndef LM_WORLD_WORLD_H
#define LM_WORLD_WORLD_H

#include "contact/collider_surface.h"
#include "limber/command.h"
#include "scene/engine.h"
#include "world/plate.h"

#include <jansson.h>

typedef struct lm_world_object
{
	lm_object* object;
	double size; // longest side of the rest shape
	double start_center[3];
	double last_center[3]; // a frame ago, for the speed
	double speed;          // m/s, of the centre of mass in the last frame
	bool finite;           // no shown vertex was ever anything but a number
	double* points;        // simulated points, point_count x 3, as of the frame that is shown
	int32_t taken;         // substeps of the running frame
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
	lm_object** order;        // by engine, and there leaders before followers
	int32_t* starts;          // in `order`, of each engine, and its end
	int32_t display_count;
	lm_world_display* displays;
};

// Says where an error comes from: the scene, and object i of it (-1: unknown).
lm_status lm_world_place_error(const lm_world* world, int32_t i, lm_status status, lm_error* error);

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

// numbers.c
void lm_world_measure_speed(lm_world* world, int32_t object);
// Rows of a CSV file: the names, and the numbers of the moment. Texts are freed with lm_free; NULL when out of memory.
char* lm_world_number_names(const lm_world* world);
char* lm_world_number_row(const lm_world* world);

// command_text.c
json_t* lm_command_to_json(const lm_world* world, const lm_command* command);
lm_status lm_command_from_json(const lm_world* world, json_t* json, lm_command* command, lm_error* error);

// display.c
lm_status lm_world_create_displays(lm_world* world, lm_error* error);
void lm_world_destroy_displays(lm_world* world);
void lm_world_update_display(lm_world* world, int32_t i);

// start.c: says through the host's log what begins inside a collider.
void lm_world_warn_of_start(lm_world* world);

#endif
