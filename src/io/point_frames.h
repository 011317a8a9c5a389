// point_frames.h: a point cache, read whole.
#ifndef LM_IO_POINT_FRAMES_H
#define LM_IO_POINT_FRAMES_H

#include "limber/io.h"

typedef struct lm_point_frames
{
	int32_t frame_count, vertex_count;
	bool timed;        // the file has times of its own
	double* times;     // [frame_count]
	double* positions; // frame_count x vertex_count x 3
} lm_point_frames;

// Times and positions are freed with lm_free; there are none when it fails.
lm_status lm_point_frames_read(const char* path, const lm_host* host, lm_point_frames* frames, lm_error* error);

#endif
