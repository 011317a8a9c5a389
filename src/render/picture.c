#include "base/alloc.h"
#include "base/error.h"
#include "limber/render.h"
#include "render/font.h"

#include <assert.h>

lm_status lm_picture_create(int32_t width, int32_t height, const lm_host* host, lm_picture* picture, lm_error* error)
{
	assert(host != NULL && picture != NULL);
	if (width < 1 || height < 1 || width > 65535 || height > 65535)
		return lm_fail(error, LM_BAD_INPUT, "a picture of %d x %d pixels cannot be made; use 1 to 65535 each way",
		               width, height);
	uint8_t* rgb = LM_NEW(host, 3 * (size_t)width * (size_t)height, uint8_t);
	if (rgb == NULL)
		return lm_fail_memory(error);
	*picture = (lm_picture){ .width = width, .height = height, .rgb = rgb, .host = *host };
	return LM_OK;
}

void lm_picture_release(lm_picture* picture)
{
	if (picture == NULL || picture->rgb == NULL)
		return;
	lm_free(&picture->host, picture->rgb);
	picture->rgb = NULL;
	picture->width = picture->height = 0;
}

// Pixels outside of the picture are left out.
static void fill_square(lm_picture* picture, int64_t left, int64_t top, int32_t size, const uint8_t rgb[3])
{
	for (int64_t y = top < 0 ? 0 : top; y < top + size && y < picture->height; ++y)
		for (int64_t x = left < 0 ? 0 : left; x < left + size && x < picture->width; ++x)
			for (int k = 0; k < 3; ++k)
				picture->rgb[3 * (y * picture->width + x) + k] = rgb[k];
}

void lm_picture_text(lm_picture* picture, int32_t x, int32_t y, int32_t scale, const uint8_t rgb[3], const char* text)
{
	assert(picture != NULL && rgb != NULL && text != NULL);
	if (scale < 1)
		return;
	int64_t left = x;
	for (const char* letter = text; *letter != 0 && left < picture->width; ++letter)
	{
		for (int row = 0; row < LM_FONT_HEIGHT; ++row)
			for (int column = 0; column < LM_FONT_WIDTH; ++column)
				if (lm_font_dot(*letter, column, row))
					fill_square(picture, left + (int64_t)column * scale, y + (int64_t)row * scale, scale, rgb);
		left += (int64_t)LM_FONT_WIDTH * scale;
	}
}
