// play.h: what the designed objects of a world play together: their performance, which goes on as the world steps.
#ifndef LM_OBJECTS_DESIGN_PLAY_H
#define LM_OBJECTS_DESIGN_PLAY_H

#include "objects/design/design.h"

struct lm_design_play
{
	lm_host host;
	lm_arena memory; // of the keys
	lm_design_performance* performance;
	lm_design_performance_object* made; // [count] as long as it is not finished
	int32_t count;
	lm_object** objects;
	bool together;  // objects of other engines can touch what is simulated: its steps end with theirs
	bool told;      // that the motion is not free of collisions
	lm_blob before; // of a trial
};

// For all designed objects of a world, in the order of the scene; they know it from then on, and the first of them
// owns it. finished: what has been played is going to be loaded.
lm_status lm_design_play_create(lm_object* const* objects, int32_t count, bool finished, lm_error* error);
void lm_design_play_destroy(lm_design_play* play);
// All is known up to a time.
lm_status lm_design_play_advance(lm_design_play* play, double until, lm_error* error);
// Where simulated bodies would be after a step of h, until `end`.
lm_status lm_design_play_try(lm_design_play* play, double h, lm_error* error);
lm_status lm_design_play_end_trial(lm_design_play* play, lm_error* error);

#endif
