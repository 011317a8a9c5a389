// motion_keys.h: from keys to frames.
#ifndef LM_DESIGN_MOTION_KEYS_H
#define LM_DESIGN_MOTION_KEYS_H

#include "design/motion.h"

// Checks the keys and velocities of an object and makes its first frames.
lm_status lm_design_motion_take_keys(lm_design_motion* motion, int32_t body, const lm_design_motion_object* object,
                                     lm_error* error);

// Its first part: checks and keeps the keys.
lm_status lm_design_motion_keep_keys(lm_design_motion* motion, int32_t body, const lm_design_motion_object* object,
                                     lm_error* error);

// How deep a body is in obstacles at each of the keys that it keeps.
lm_status lm_design_motion_find_key_depths(const lm_design_motion* motion, int32_t body, lm_design_motion_depth* found,
                                           lm_error* error);

// Pins what keys of single nodes hold at the time of a frame.
void lm_design_motion_pin(const lm_design_motion_body* body, lm_design_frame* frame);

// Inserts a free frame where the interpolated motion is, at a time between frames.
bool lm_design_motion_insert(lm_design_motion_body* body, double time);

// Largest distance of a node from its key, own lengths.
double lm_design_motion_key_error(const lm_design_motion_body* body);

#endif
