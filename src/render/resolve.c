// resolve.c: pass 2. Soft shadow and occlusion of a pixel are averaged over the 4 x 4 pixels around it that see the
// same surface at nearly the same place, which holds all 16 sample patterns; then light is turned into sRGB.
#include "base/parallel.h"
#include "render/shot.h"

typedef struct resolve_job
{
	const lm_shot* shot;
	const float* background;
	const uint8_t* table;
	int32_t first;
	uint8_t* rgb;
} resolve_job;

static float srgb_from_linear(float x)
{
	return x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f;
}

void lm_make_srgb_table(uint8_t* table)
{
	for (int i = 0; i < LM_SRGB_STEPS; ++i)
		table[i] = (uint8_t)(255 * srgb_from_linear((float)i / (LM_SRGB_STEPS - 1)) + 0.5f);
}

static uint8_t to_byte(const uint8_t* table, float linear)
{
	float clamped = lm_min(lm_max(linear, 0), 1); // also turns a NaN into 0
	return table[(int)(clamped * (LM_SRGB_STEPS - 1) + 0.5f)];
}

// Straight up to 0.6, then a shoulder that never reaches 1.
static float tone(float x)
{
	const float knee = 0.6f;
	return x <= knee ? x : 1 - (1 - knee) * expf((knee - x) / (1 - knee));
}

// Averages of lit and open over the neighbours that belong to the same patch of surface.
static void smooth(const lm_shot* shot, int32_t x, int32_t y, float* lit, float* open)
{
	const lm_texel* here = lm_texels_of_row(shot, y) + x;
	float lit_sum = 0, open_sum = 0;
	int count = 0;
	const float step = 24 * shot->pixel * here->depth; // how much the depth of a slanted surface may change
	for (int32_t j = y - LM_ROWS_ABOVE; j <= y + LM_ROWS_BELOW; ++j)
		for (int32_t i = x - 2; i < x + 2; ++i)
		{
			if (i < 0 || j < 0 || i >= shot->width || j >= shot->height)
				continue;
			const lm_texel* there = lm_texels_of_row(shot, j) + i;
			if (there->region != here->region || lm_f3_dot(there->normal, here->normal) < 0.9f ||
			    fabsf(there->depth - here->depth) > step)
				continue;
			lit_sum += there->lit;
			open_sum += there->open;
			++count;
		}
	*lit = lit_sum / (float)count; // the pixel itself always counts
	*open = open_sum / (float)count;
}

static void resolve_rows(void* context, int64_t begin, int64_t end)
{
	const resolve_job* job = context;
	const lm_shot* shot = job->shot;
	for (int32_t y = job->first + (int32_t)begin; y < job->first + end; ++y)
		for (int32_t x = 0; x < shot->width; ++x)
		{
			int64_t at = (int64_t)y * shot->width + x;
			const lm_texel* texel = lm_texels_of_row(shot, y) + x;
			float lit = texel->lit, open = texel->open;
			if (texel->region >= 0)
				smooth(shot, x, y, &lit, &open);
			lm_f3 sum = lm_f3_add_scaled(lm_open_sky(texel->sky, texel->albedo, open), lit, texel->sun);
			const float light[3] = { sum.x, sum.y, sum.z };
			for (int k = 0; k < 3; ++k)
			{
				float solid = texel->coverage > 1e-6f ? texel->coverage * tone(light[k] / texel->coverage) : 0;
				job->rgb[3 * at + k] = to_byte(job->table, solid + (1 - texel->coverage) * job->background[k]);
			}
		}
}

void lm_resolve(const lm_shot* shot, const float background[3], const uint8_t* srgb_table, int32_t begin, int32_t end,
                uint8_t* rgb)
{
	resolve_job job = { shot, background, srgb_table, begin, rgb };
	lm_parallel_for(shot->threads, end - begin, 16, resolve_rows, &job);
}
