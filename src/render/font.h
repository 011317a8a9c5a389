// font.h: a small bitmap font for labels in pictures.
#ifndef LM_RENDER_FONT_H
#define LM_RENDER_FONT_H

#include <stdbool.h>

#define LM_FONT_WIDTH 6  // from letter to letter, the gap included
#define LM_FONT_HEIGHT 8 // the row below the line included

// Whether a letter has ink in column x (0 .. 4) and row y (0 .. 7). Characters without a glyph look like '?'.
bool lm_font_dot(char letter, int x, int y);

#endif
