// color.h: colours as artists write them.
#ifndef LM_FORMAT_COLOR_H
#define LM_FORMAT_COLOR_H

#include <stdbool.h>
#include <stdint.h>

// "#rrggbb" (sRGB) to linear 0 .. 1; false when the text is something else.
bool lm_color_parse(const char* text, float color[3]);
// Back again, for documents.
void lm_color_format(const float color[3], char text[8]);
void lm_color_srgb(const float color[3], uint8_t rgb[3]);
// The colour of item `index` >= 0 where nothing is said: neighbours are told apart.
void lm_color_usual(int32_t index, float color[3]);

#endif
