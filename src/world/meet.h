// meet.h: bodies of `match`, `act` and, while they are simulated, `design` that touch each other.
//
// A body of `match` or `design` that is near one of another engine is a guest in a common step (act/guest.h), also
// where none of `act` is about. In each step:
//   1. trial: the guests, and bodies of their engines near them, step under the usual forces; then they are put back
//   2. `act` steps, with their proxies
//   3. the guests step under the forces that this has found
//   4. what touches is kept, with the true positions
#ifndef LM_WORLD_MEET_H
#define LM_WORLD_MEET_H

#include "match/state.h"
#include "world/world.h"

// Makes guests, where bodies of two engines can meet.
lm_status lm_meet_create(lm_world* world, lm_error* error);
void lm_meet_destroy(lm_world* world);

// At the beginning of a frame: who is near whom, and in how many steps they go.
void lm_meet_look_around(lm_world* world);
// Whether objects that are due have guests, so that lm_meet_step takes the steps of all that are due of some engines.
bool lm_meet_is_due(const lm_world* world);
bool lm_meet_takes(const lm_world* world, const lm_engine* engine);
lm_status lm_meet_step(lm_world* world, lm_error* error);

// Contact may turn the speed around that a body has against what touches it, and what has been pressed or lifted may
// gain some, as from a fall of its own size. What is above is an error of overlapping or crushed bodies, and would
// throw it: the speeds that it may have after a step of h. gravity: m/s^2, at least 1.
lm_match_speeds lm_meet_most(double gravity, lm_match_speeds before, double size, double h);

uint64_t lm_meet_hash(const lm_world* world, uint64_t hash);
void lm_meet_save(const lm_world* world, lm_blob* blob);
lm_status lm_meet_load(lm_world* world, lm_blob* blob, lm_error* error);

#endif
