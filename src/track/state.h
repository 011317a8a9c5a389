// state.h: everything about a cloth that changes, for checkpoints and hashes.
#ifndef LM_TRACK_STATE_H
#define LM_TRACK_STATE_H

#include "base/blob.h"
#include "limber/track.h"

// Whether the next steps may use what those before have kept for speed alone. Off, the default: a step depends on the
// state and nothing else, and a cloth that is loaded goes on bit by bit. On: for steps before which none is saved.
void lm_track_keep_pattern(lm_track* cloth, bool on);

void lm_track_save(const lm_track* cloth, lm_blob* blob);

// Into a cloth created from the same definition. LM_BAD_INPUT when the blob is of another one or too short, and the
// cloth is as it was; also when a value is not what it may be, and the cloth is of no use until a good state is loaded.
lm_status lm_track_load(lm_track* cloth, lm_blob* blob, lm_error* error);

#endif
