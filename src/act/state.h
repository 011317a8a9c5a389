// state.h: everything about a body that changes, for checkpoints and hashes.
#ifndef LM_ACT_STATE_H
#define LM_ACT_STATE_H

#include "base/blob.h"
#include "limber/act.h"

// Goals are not in it: they have to be set again.
void lm_act_save(const lm_act* body, lm_blob* blob);

// Into a body created from the same definition. LM_BAD_INPUT when the blob is of another one or too short, and the body
// is as it was; also when a value is not what it may be, and the body is of no use until a good state is loaded.
lm_status lm_act_load(lm_act* body, lm_blob* blob, lm_error* error);

#endif
