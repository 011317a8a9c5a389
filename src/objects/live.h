// live.h: what commands have told an object, instead of its timeline: handles that hold or pull patches of it,
// strengths of examples, settings (settings.h), a behaviour. Part of the state.
#ifndef LM_OBJECTS_LIVE_H
#define LM_OBJECTS_LIVE_H

#include "scene/engine.h"

// A patch of simulated vertices that is held, or pulled by springs.
typedef struct lm_live_handle
{
	int32_t id;
	bool pinned;
	bool in_use; // has been played: the engine knows of it
	int32_t count;
	int32_t* vertices;
	double* weights;       // sum 1
	double* offsets;       // count x 3: of each vertex's target from the handle's
	double stiffness;      // N/m, of all springs together
	double from[3], to[3]; // of the handle, at the beginning and at the end of the frame
} lm_live_handle;

// Bytes that the settings of an engine have at most.
#define LM_SETTINGS_MOST 1024

typedef struct lm_live
{
	int32_t handle_count;
	lm_live_handle* handles;
	int32_t example_count;
	double* strengths;  // of examples; NAN: as the timeline says
	bool commanded;     // `command` counts
	bool was_commanded; // so that goals have to be set anew in each step, also once it is free again
	lm_act_command command;
	uint64_t told_settings; // a bit for each setting that a command has set, by its number in the engine's table
	char* settings;         // those that the object was made with: no state
} lm_live;

lm_status lm_live_create(lm_object* object, lm_error* error);
void lm_live_destroy(lm_object* object);

// Room for one more handle with `count` vertices; NULL when out of memory.
lm_live_handle* lm_live_add(lm_object* object, int32_t count);
lm_live_handle* lm_live_find(const lm_object* object, int32_t id); // NULL: there is none
// Whether it holds its vertices as a pin does, not by springs.
bool lm_live_holds(const lm_object* object, const lm_live_handle* handle);
// Takes its vertices out of the engine's hold, and forgets it.
void lm_live_remove(lm_object* object, lm_live_handle* handle);

// Holds and pulls for the step that is due, after pins and drags of the timeline. Handles move linearly through the
// frame.
lm_status lm_live_pin(lm_object* object, lm_error* error);
void lm_live_drag(lm_object* object);
// The strength of an example, as the command or else as the timeline says.
double lm_live_strength(const lm_object* object, int32_t example, double timeline);
// Handles have arrived.
void lm_live_end_frame(lm_object* object);

uint64_t lm_live_hash(const lm_object* object, uint64_t hash); // unchanged when there is nothing
void lm_live_save(const lm_object* object, lm_blob* blob);
lm_status lm_live_load(lm_object* object, lm_blob* blob, lm_error* error);

#endif
