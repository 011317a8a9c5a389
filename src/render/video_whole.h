// video_whole.h: whether a video that another program has written is complete.
#ifndef LM_RENDER_VIDEO_WHOLE_H
#define LM_RENDER_VIDEO_WHOLE_H

#include <stdbool.h>

// format: a path whose ending (.mp4, .webm or .gif) says what the file at `path` should be.
bool lm_video_is_whole(const char* path, const char* format);

#endif
