// layers.h: cloths of a scene that touch each other.
//
// Cloths that may come near each other in a step are stepped as one system (limber/track.h, lm_track_together), the
// others alone, each at its own price. Who is near whom is guessed from boxes around where they go. When steps are done
// and two that were stepped apart have come near each other all the same, those steps are taken back and done together:
// the boxes of start and end are far apart for all that are left, so that nothing has crossed.
//
// A cloth that leads another one is stepped before it. Only cloths that are as far from the beginning of such a chain
// touch each other: previews touch previews, and what follows them touches what follows them.
#ifndef LM_OBJECTS_TRACK_LAYERS_H
#define LM_OBJECTS_TRACK_LAYERS_H

#include "mesh/bvh.h"
#include "scene/engine.h"

// What of a cloth counts here; its owner fills in the first part.
typedef struct lm_track_layer
{
	const lm_object* object;
	lm_track* cloth;
	const double* guide; // for the next step, or NULL
	bool starts_frame;   // the next step is the first of a frame
	double preroll;      // s, 0 for none

	int32_t island;              // the first of those that it is stepped with
	int32_t last_island;         // before some were united
	lm_box box;                  // where it goes, or went
	bool done;                   // the step has been taken
	bool carried;                // over a cut, before this step
	bool was_alone;              // in the step before, of the same frame
	lm_blob before;              // its state at the start of the step, where it may have to be taken back
	lm_track_together* together; // the last system whose first cloth it was
	int32_t member_count;
	lm_track** members; // of that system
	size_t list_room, guides_room;
	int32_t* list; // of the first of all: room for the members of an island, and for their guides
	const double** guides;
} lm_track_layer;

void lm_track_layer_release(lm_track_layer* layer);

// Its state, to be taken back to.
lm_status lm_track_layer_save(lm_track_layer* layer, lm_error* error);
lm_status lm_track_layer_take_back(lm_track_layer* layer, lm_error* error);

// How many objects of `track` lead it, directly or through others.
int32_t lm_track_depth(const lm_object* object);
bool lm_track_layers_touch(const lm_object* one, const lm_object* two);

// LM_BAD_INPUT when two that touch cross each other. *at: the cloth that an error concerns, here and below.
lm_status lm_track_layers_check(lm_track_layer* const* layers, int32_t count, int32_t* at, lm_error* error);

// cuts.c: carries those over whose guides jump in the next step.
lm_status lm_track_layers_cut(lm_track_layer* const* layers, int32_t count, int32_t* at, lm_error* error);

// A step of all of them, which are equally deep and due.
lm_status lm_track_layers_step(lm_track_layer* const* layers, int32_t count, int32_t* at, lm_error* error);

// The pre-roll of those that touch, for as long as the longest of them.
lm_status lm_track_layers_preroll(lm_track_layer* const* layers, int32_t count, int32_t* at, lm_error* error);

// Pairs of triangles of a cloth that intersect one of another that it touches.
int64_t lm_track_layers_crossings(const lm_object* object);

#endif
