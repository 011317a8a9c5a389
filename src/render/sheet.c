#include "render/sheet.h"

#include "base/error.h"
#include "render/font.h"
#include "render/reel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const int32_t cell_width = 480, gutter = 4;

typedef struct sheet_layout
{
	int32_t count, columns, rows, cell_height;
} sheet_layout;

static sheet_layout lay_out(const lm_film_settings* settings, int64_t frames)
{
	sheet_layout made = { .count = settings->sheet_count };
	if (made.count > frames)
		made.count = (int32_t)frames;
	made.columns = (int32_t)ceil(sqrt(made.count)); // 12 moments: 4 x 3
	made.rows = (made.count + made.columns - 1) / made.columns;
	double shape = (double)settings->render.height / settings->render.width;
	made.cell_height = (int32_t)fmin(fmax(round(cell_width * shape), 60), 2000);
	return made;
}

static void paste(lm_picture* sheet, const lm_picture* cell, int32_t left, int32_t top)
{
	for (int32_t y = 0; y < cell->height; ++y)
		memcpy(sheet->rgb + 3 * ((size_t)(top + y) * (size_t)sheet->width + (size_t)left),
		       cell->rgb + 3 * (size_t)y * (size_t)cell->width, 3 * (size_t)cell->width);
}

// "1.25 s" in the lower left corner, dark on a light shadow: readable on anything. No %f, which follows the locale.
static void label(lm_picture* cell, double seconds)
{
	static const uint8_t dark[3] = { 35, 38, 45 }, light[3] = { 245, 246, 248 };
	long long hundredths = llround(100 * fmin(fmax(seconds, 0), 1e12));
	char text[48];
	snprintf(text, sizeof text, "%lld.%02lld s", hundredths / 100, hundredths % 100);
	int32_t x = 10, y = cell->height - 2 * LM_FONT_HEIGHT - 6;
	for (int32_t dy = -1; dy <= 1; ++dy)
		for (int32_t dx = -1; dx <= 1; ++dx)
			lm_picture_text(cell, x + dx, y + dy, 2, light, text);
	lm_picture_text(cell, x, y, 2, dark, text);
}

static lm_status fill_sheet(lm_reel* reel, const sheet_layout* layout, lm_picture* sheet, lm_error* error)
{
	memset(sheet->rgb, 255, 3 * (size_t)sheet->width * (size_t)sheet->height);
	double fps = reel->info->fps > 0 ? reel->info->fps : 24;
	for (int32_t k = 0; k < layout->count; ++k)
	{
		int64_t frame = layout->count > 1 ? (reel->frame_count - 1) * k / (layout->count - 1) : 0;
		lm_status status = lm_reel_go_on(reel, k, k + 1.0, layout->count, error);
		if (status == LM_OK)
			status = lm_reel_draw(reel, frame, error);
		if (status != LM_OK)
			return status;
		label(&reel->picture, (double)frame / fps);
		paste(sheet, &reel->picture, gutter + (k % layout->columns) * (cell_width + gutter),
		      gutter + (k / layout->columns) * (layout->cell_height + gutter));
	}
	return lm_reel_go_on(reel, layout->count, layout->count, layout->count, error);
}

lm_status lm_sheet(lm_cache* cache, const lm_film_settings* settings, const char* path, const lm_host* host,
                   lm_error* error)
{
	if (settings->sheet_count < 1 || settings->sheet_count > 400)
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "a contact sheet has 1 to 400 pictures, not %d",
		                  settings->sheet_count);
	sheet_layout layout = lay_out(settings, lm_cache_frame_count(cache));
	lm_reel reel;
	lm_status status = lm_reel_open(&reel, cache, settings, cell_width, layout.cell_height, host, error);
	if (status != LM_OK)
		return status;
	lm_picture sheet = { 0 };
	status = lm_picture_create(gutter + layout.columns * (cell_width + gutter),
	                           gutter + layout.rows * (layout.cell_height + gutter), &reel.inner, &sheet, error);
	if (status == LM_OK)
		status = fill_sheet(&reel, &layout, &sheet, error);
	if (status == LM_OK)
		status = lm_picture_write(&sheet, path, error);
	lm_picture_release(&sheet);
	lm_reel_close(&reel);
	return status;
}
