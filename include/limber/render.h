// render.h: pictures and videos. A renderer draws triangles with soft light, shadows and ambient occlusion.
#ifndef LIMBER_RENDER_H
#define LIMBER_RENDER_H

#include "limber/io.h"
#include "limber/scene.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct lm_picture
{
	int32_t width, height;
	uint8_t* rgb; // height x width x 3, sRGB
	lm_host host;
} lm_picture;
LM_API lm_status lm_picture_create(int32_t width, int32_t height, const lm_host* host, lm_picture* picture,
                                   lm_error* error);
LM_API void lm_picture_release(lm_picture* picture);
// As .png. Calls progress of the picture's host while a large picture is written.
LM_API lm_status lm_picture_write(const lm_picture* picture, const char* path, lm_error* error);
// Letters of a small built-in font, `scale` pixels per font pixel, top left at x, y.
LM_API void lm_picture_text(lm_picture* picture, int32_t x, int32_t y, int32_t scale, const uint8_t rgb[3],
                            const char* text);

typedef struct lm_surface
{
	int32_t vertex_count;
	const double* positions;
	int32_t triangle_count;
	const int32_t* triangles;
	float color[3];             // linear
	const float* vertex_colors; // vertex_count x 3, linear, or NULL
	bool flat;                  // facets instead of smooth normals (creases sharper than 40 degrees stay sharp anyway)
	bool checker;               // a checkerboard in x and z of 1 m: for grounds
	bool edges;                 // draw the edges of the triangles as thin dark lines
} lm_surface;

typedef struct lm_render_settings
{
	int32_t width, height; // default 960 x 540
	int32_t samples;       // rays per pixel, a square number 1, 4, 9, 16; default 4
	int32_t occlusion;     // ambient occlusion rays per sample, default 4
	float background[3];   // linear; default a light grey-blue; the horizon fades into it
	double light[3];       // direction towards the light; default (-0.55, 1, 0.35)
} lm_render_settings;
LM_API lm_render_settings lm_render_settings_default(void);

typedef struct lm_renderer lm_renderer;
LM_API lm_status lm_renderer_create(const lm_render_settings* settings, const lm_host* host, lm_renderer** renderer,
                                    lm_error* error);
LM_API void lm_renderer_destroy(lm_renderer* renderer);
// The same picture for the same input, whatever the number of threads and whatever was drawn before. The topology
// (counts, triangles) of surface i may change between calls; it is quicker when it does not. picture has the
// renderer's size, or is zeroed: then it is created, to be released by the caller. Surfaces have two sides;
// triangles with a corner that is not finite are left out. For pictures of more than half a million pixels
// host.progress is called meanwhile: LM_CANCELLED leaves it half drawn.
LM_API lm_status lm_renderer_draw(lm_renderer* renderer, const lm_surface* surfaces, int32_t count,
                                  const lm_camera* camera, lm_picture* picture, lm_error* error);

// ---- video: .mp4, .webm, .gif through a pipe to ffmpeg ----
typedef struct lm_video lm_video;
// Whether there is an ffmpeg to make this video with; call it before hours of work: LM_OK, or LM_UNSUPPORTED with the
// name of the package to install; LM_BAD_INPUT when it is no name of a video. lm_video_open and lm_film call it, too.
LM_API lm_status lm_video_check(const char* path, lm_error* error);
LM_API lm_status lm_video_open(const char* path, int32_t width, int32_t height, double fps, const lm_host* host,
                               lm_video** video, lm_error* error);
// While either waits for ffmpeg it calls host.progress. After LM_CANCELLED only lm_video_abandon may be called;
// lm_video_close has then done that already.
LM_API lm_status lm_video_frame(lm_video* video, const lm_picture* picture, lm_error* error);
LM_API lm_status lm_video_close(lm_video* video,
                                lm_error* error); // waits, checks ffmpeg's exit status, renames into place
LM_API void lm_video_abandon(lm_video* video);

// ---- a cache as picture, video or contact sheet ----
typedef struct lm_film_settings
{
	lm_render_settings render;
	lm_scene_camera camera;
	bool sheet;          // one PNG with `sheet_count` moments, their times written in the corner
	int32_t sheet_count; // default 12
	int64_t frame;       // for a single PNG: which, -1: the middle of the run; a "{frame}" in the path draws all
	int32_t blur;        // moments that a picture is the average of, within half the time to the next frame; default 1
	lm_cache* beside;    // drawn to the right of each picture, at the same time and by the same camera; default NULL
} lm_film_settings;
// As lm_render_settings_default, but with 1 occlusion ray per sample: films have many frames.
LM_API lm_film_settings lm_film_settings_default(void);
// Takes camera, size and background from the scene.
LM_API lm_film_settings lm_film_settings_of(const lm_scene* scene);
// path: .png, .mp4, .webm, .gif. The automatic camera sees every place that anything moves to, and is the same for all
// frames; where what moves would fill less than a third of such a picture it comes closer and goes along
// (lm_scene_camera.follow). Fixed objects count as far as they are near. A fixed object called "ground", and planes
// (two triangles far larger than what moves), get a checkerboard.
LM_API lm_status lm_film(lm_cache* cache, const lm_film_settings* settings, const char* path, const lm_host* host,
                         lm_error* error);

#ifdef __cplusplus
}
#endif
#endif
