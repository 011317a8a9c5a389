// reel.h: a cache with a camera and a renderer: any of its frames as a picture.
#ifndef LM_RENDER_REEL_H
#define LM_RENDER_REEL_H

#include "limber/render.h"
#include "render/camera_path.h"

typedef struct lm_reel
{
	lm_host host;
	lm_cache* cache;
	const lm_cache_info* info;
	int64_t frame_count;
	lm_surface* surfaces; // one per object
	double** positions;   // one per object that moves, NULL for fixed ones
	double** next;        // likewise, of the next frame, for blurred pictures
	lm_fit_thing* things; // one per object, for the camera
	bool automatic;       // the camera is that of `path`
	lm_camera_path path;
	lm_camera camera; // of the frame that was drawn last; before that, of frame 0
	lm_renderer* renderer;
	lm_picture picture;    // drawn last
	int32_t width, height; // of the picture without what is beside
	int32_t blur;          // moments in a picture
	struct lm_reel* beside;
	lm_host inner; // the host for parts of the work: their progress is that from `from` to `to` of the whole
	double from, to;
} lm_reel;

// width, height: of its pictures, without what is beside; everything else is taken from the settings.
lm_status lm_reel_open(lm_reel* reel, lm_cache* cache, const lm_film_settings* settings, int32_t width, int32_t height,
                       const lm_host* host, lm_error* error);
void lm_reel_close(lm_reel* reel);
int32_t lm_reel_width(const lm_reel* reel); // of its pictures, with what is beside
// To be called before each part of the work: `done` of `total` pictures are ready, and with this part `next` will be
// (0.8: the first is drawn but not written). LM_CANCELLED when the host wants to stop.
#define LM_DRAWN 0.8
lm_status lm_reel_go_on(lm_reel* reel, double done, double next, int64_t total, lm_error* error);
lm_status lm_reel_draw(lm_reel* reel, int64_t frame, lm_error* error); // into reel->picture

#endif
