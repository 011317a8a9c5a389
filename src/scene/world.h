// world.h: the inside of lm_world, shared by the files that step, show, save and measure it.
#ifndef LM_SCENE_WORLD_H
#define LM_SCENE_WORLD_H

#include "contact/collider_surface.h"
#include "limber/world.h"
#include "scene/engine.h"
#include "scene/plate.h"

typedef struct lm_world_object
{
	char* name;
	const lm_engine* engine;
	void* object; // the engine's
	int32_t substeps;
	double size; // longest side of the rest shape
	double start_center[3];
	bool finite;    // no shown vertex was ever anything but a number
	double* points; // simulated points, point_count x 3, as of points_frame
} lm_world_object;

// Something to see. Objects first, in their order, then the visible colliders.
typedef struct lm_world_display
{
	char* name;
	const char* engine;
	float color[3];
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
	char* scene_path;
	char* scene_name;
	double fps, seconds;
	uint64_t fingerprint;
	int64_t frame;
	double prepare_seconds;
	bool prepared;
	lm_colliders* colliders;
	int32_t object_count;
	lm_world_object* objects;
	int32_t display_count;
	lm_world_display* displays;
	int32_t* taken;   // substeps of the running frame that each object has taken
	void** colliding; // scratch for a round of contact
};

// world_check.c: LM_BAD_INPUT for what a program put together wrongly: vertices that are not there, poses of other
// meshes.
lm_status lm_world_check_object(const lm_scene* scene, const lm_scene_object* object, lm_error* error);

// display.c
lm_status lm_world_create_displays(lm_world* world, const lm_scene* scene, lm_error* error);
void lm_world_destroy_displays(lm_world* world);
void lm_world_update_display(lm_world* world, int32_t i);

// start.c: says through the host's log what begins inside a collider.
void lm_world_warn_of_start(lm_world* world, const lm_scene* scene);

#endif
