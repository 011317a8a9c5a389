// shot.h: everything the two passes over a picture share. Pass 1 (trace.c) follows rays tile by tile and makes a
// texel per pixel; pass 2 (resolve.c) smooths the noise of soft light and turns light into bytes. Both go over bands of
// rows, one after the other: texels are large, and between bands host.progress is called.
#ifndef LM_RENDER_SHOT_H
#define LM_RENDER_SHOT_H

#include "render/geometry.h"
#include "render/light.h"

#include <embree3/rtcore.h>

#define LM_MAX_SAMPLES 16

// What one pixel has gathered. Light is weighted by coverage.
typedef struct lm_texel
{
	lm_f3 sun;    // sunlight reflected where no shadow falls
	lm_f3 sky;    // light from all round where nothing is near
	lm_f3 albedo; // for the colour of occluded places
	lm_f3 normal;
	float depth;    // in units
	float lit;      // share of the sun that is seen
	float open;     // share of the sky that is seen
	float coverage; // 0: background .. 1
	int32_t region; // surface seen by all samples, or -1: several, shaded one by one; lit and open are 1 then
} lm_texel;

// Light from all round that reaches a place where only a share of the sky is open. Light that the surface throws onto
// itself fills such places with its own colour, sky open (1 + a (1 - open) + a^2 (1 - open)^2 + ...), and no place is
// quite without light.
static inline lm_f3 lm_open_sky(lm_f3 sky, lm_f3 albedo, float open)
{
	open = 0.12f + 0.88f * open;
	float shut = 1 - open;
	return lm_f3_make(sky.x * open / (1 - albedo.x * shut), sky.y * open / (1 - albedo.y * shut),
	                  sky.z * open / (1 - albedo.z * shut));
}

typedef struct lm_shot
{
	int32_t width, height;
	int samples;
	const lm_light* light;
	lm_space space;
	lm_f3 right, up, forward; // the view's axes
	float tangent_x, tangent_y;
	float pixel; // angle of a pixel near the middle
	const lm_surface* surfaces;
	const lm_geometry* geometries; // Embree's geometry i is surface i
	int32_t count;
	RTCScene scene;
	float offsets[LM_MAX_SAMPLES][2]; // of samples within a pixel
	lm_texel* texels;                 // of the rows from first_row
	int32_t first_row;                // of the picture
	int threads;
} lm_shot;

static inline lm_texel* lm_texels_of_row(const lm_shot* shot, int32_t row)
{
	return shot->texels + (int64_t)(row - shot->first_row) * shot->width;
}

#define LM_TILE 8 // pixels each way: what is traced at once

// Makes the texels of rows begin to end. begin is a multiple of LM_TILE.
void lm_trace(const lm_shot* shot, int32_t begin, int32_t end);
// Makes the bytes of rows begin to end of the picture, for which it needs the texels of LM_ROWS_ABOVE rows more above
// and LM_ROWS_BELOW below them, as far as the picture has them.
#define LM_ROWS_ABOVE 2
#define LM_ROWS_BELOW 1
void lm_resolve(const lm_shot* shot, const float background[3], const uint8_t* srgb_table, int32_t begin, int32_t end,
                uint8_t* rgb);

// Table for lm_resolve: linear light in LM_SRGB_STEPS steps to sRGB bytes.
#define LM_SRGB_STEPS 16384
void lm_make_srgb_table(uint8_t* table);

#endif
