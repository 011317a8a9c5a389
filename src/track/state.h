// state.h: everything about a cloth that changes, for checkpoints and hashes.
#ifndef LM_TRACK_STATE_H
#define LM_TRACK_STATE_H

#include "base/blob.h"
#include "limber/track.h"

void lm_track_save(const lm_track* cloth, lm_blob* blob);

// Into a cloth created from the same definition; LM_BAD_INPUT when the blob is of another one or too short, and the
// cloth is as it was.
lm_status lm_track_load(lm_track* cloth, lm_blob* blob, lm_error* error);

#endif
