// meet.h: bodies of `match` and `act` that touch each other.
//
// A body of `match` that is near one of `act` is a guest in the step of the latter (act/guest.h). In each step:
//   1. trial: bodies of `match` near `act`, and those near them, step under the usual forces; then they are put back
//   2. `act` steps, with their proxies
//   3. `match` steps under the forces that this has found
//   4. what touches is kept, with the true positions
#ifndef LM_WORLD_MEET_H
#define LM_WORLD_MEET_H

#include "match/state.h"
#include "world/world.h"

// Makes guests of the bodies of `match`, where there are bodies of `act` in space.
lm_status lm_meet_create(lm_world* world, lm_error* error);
void lm_meet_destroy(lm_world* world);

// At the beginning of a frame: who is near whom, and in how many steps they go.
void lm_meet_look_around(lm_world* world);
// Whether objects that are due have guests, so that lm_meet_step takes the steps of `act` and `match`.
bool lm_meet_is_due(const lm_world* world);
lm_status lm_meet_step(lm_world* world, lm_error* error);

// Contact may turn the speed around that a body has against what touches it, and what has been pressed or lifted may
// gain some, as from a fall of its own size. What is above is an error of overlapping or crushed bodies, and would
// throw it: the speeds that it may have after a step of h.
lm_match_speeds lm_meet_most(const lm_match* body, lm_match_speeds before, double size, double h);

uint64_t lm_meet_hash(const lm_world* world, uint64_t hash);
void lm_meet_save(const lm_world* world, lm_blob* blob);
lm_status lm_meet_load(lm_world* world, lm_blob* blob, lm_error* error);

#endif
