// state.h: everything about a body that changes, for checkpoints and hashes.
#ifndef LM_MATCH_STATE_H
#define LM_MATCH_STATE_H

#include "limber/match.h"

#include "base/blob.h"

void lm_match_save(const lm_match* body, lm_blob* blob);

// Into a body created from the same definition. LM_BAD_INPUT when the blob is of another one or too short, and the body
// is as it was; also when a value is not what it may be, and the body is of no use until a good state is loaded.
lm_status lm_match_load(lm_match* body, lm_blob* blob, lm_error* error);

#endif
