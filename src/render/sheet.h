// sheet.h: contact sheets.
#ifndef LM_RENDER_SHEET_H
#define LM_RENDER_SHEET_H

#include "limber/render.h"

// `sheet_count` moments of the run, evenly spread, with their times.
lm_status lm_sheet(lm_cache* cache, const lm_film_settings* settings, const char* path, const lm_host* host,
                   lm_error* error);

#endif
