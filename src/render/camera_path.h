// camera_path.h: where the automatic camera is in each frame. It holds still when what moves fills at least a third of
// the picture that shows every place it moves to. Else it follows: the direction and the distance stay, and it goes
// along with the middle of what moves, smoothed over time so that hops and steps do not shake it.
#ifndef LM_RENDER_CAMERA_PATH_H
#define LM_RENDER_CAMERA_PATH_H

#include "world/fit.h"

typedef struct lm_camera_path
{
	lm_host host;
	lm_scene_camera wanted;
	double aspect;
	int64_t frame_count;
	lm_fit whole;         // of every frame
	lm_fit_bounds moving; // of every frame
	double distance;      // the largest that a frame alone asks for
	double* middles;      // frame_count x 3: of what moves; smoothed when the path is finished
	lm_camera camera;     // of frame 0, or of all frames
	bool follows;
} lm_camera_path;

lm_status lm_camera_path_begin(lm_camera_path* path, const lm_scene_camera* wanted, double aspect, int64_t frame_count,
                               const lm_host* host, lm_error* error);
// What there is to see in a frame; once for each, from 0 on.
void lm_camera_path_add(lm_camera_path* path, int64_t frame, const lm_fit_thing* things, int32_t count);
void lm_camera_path_finish(lm_camera_path* path, const lm_fit_thing* things, int32_t count, double fps);
lm_camera lm_camera_path_at(const lm_camera_path* path, int64_t frame);
void lm_camera_path_release(lm_camera_path* path);

#endif
