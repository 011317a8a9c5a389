// shade.h: what a surface looks like where a ray meets it.
#ifndef LM_RENDER_SHADE_H
#define LM_RENDER_SHADE_H

#include "render/shot.h"

typedef struct lm_hit
{
	lm_f3 direction; // of the ray, unit; it starts at the eye
	float distance;
	float u, v;                // Embree's: weights of corners 1 and 2
	int32_t surface, triangle; // surface -1: nothing was hit
	float x, y;                // in the picture, pixels
} lm_hit;

// Light that would be seen, sun and sky apart, before anything stands in its way.
typedef struct lm_render_sample
{
	lm_f3 sun, sky, albedo;
	lm_f3 normal, facet; // of shading and of the triangle, both towards the eye
	lm_f3 start;         // where rays to the light begin
	float depth;
	float alpha; // 1, or less where a ground fades into the background
	float lit, open;
	int32_t surface; // -1: nothing was hit
} lm_render_sample;

// width: of what the sample stands for, in pixels.
void lm_shade(const lm_shot* shot, const lm_hit* hit, float width, lm_render_sample* sample);

// A checkerboard of 1 m around x, averaged over boxes of the given widths: -1 .. 1.
float lm_checker(double x, double z, double width_x, double width_z);

#endif
