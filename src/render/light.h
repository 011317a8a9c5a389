// light.h: the light of a picture and the fixed sample patterns that test for shadow.
#ifndef LM_RENDER_LIGHT_H
#define LM_RENDER_LIGHT_H

#include "limber/render.h"
#include "render/f3.h"

// Every pixel uses one of 16 patterns, by its place in a block of 4 x 4. Whatever 4 x 4 pixels a filter averages, it
// sees all 16 patterns, which together cover light and hemisphere evenly.
#define LM_PATTERNS 16

typedef struct lm_sky_ray
{
	lm_f3 direction; // unit, cosine-weighted about z
	float reach;     // how far it looks, as a share of the largest reach
} lm_sky_ray;

typedef struct lm_light
{
	lm_host host;
	lm_f3 towards;            // unit
	lm_f3 sun;                // colour times strength
	lm_f3 sky;                // light from straight above
	lm_f3 earth;              // light thrown back from below
	int sun_count, sky_count; // rays per point
	lm_f3* sun_rays;          // LM_PATTERNS x sun_count unit directions
	lm_sky_ray* sky_rays;     // LM_PATTERNS x sky_count
} lm_light;

// False when out of memory.
bool lm_light_init(lm_light* light, const lm_render_settings* settings, const lm_host* host);
void lm_light_release(lm_light* light);

// The pattern of a pixel: neighbours differ as much as they can.
int lm_light_pattern(int x, int y);

// Orthonormal t, b for a unit n.
void lm_tangents(lm_f3 n, lm_f3* t, lm_f3* b);

#endif
