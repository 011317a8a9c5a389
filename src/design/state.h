// state.h: timelines as bytes, for checkpoints, and out of solved motions.
#ifndef LM_DESIGN_STATE_H
#define LM_DESIGN_STATE_H

#include "base/blob.h"
#include "design/motion.h"

// A copy that outlives the motion.
lm_status lm_design_motion_take_timeline(const lm_design_motion* motion, int32_t object, const lm_host* host,
                                         lm_design_timeline* timeline, lm_error* error);
void lm_design_timeline_save(const lm_design_timeline* timeline, lm_blob* blob);
// timeline has host and model, and no frames.
lm_status lm_design_timeline_load(lm_design_timeline* timeline, lm_blob* blob, lm_error* error);

#endif
