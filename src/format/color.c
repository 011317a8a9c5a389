// color.c: colours as artists write them, "#rrggbb" in sRGB, and as light adds up, linear (IEC 61966-2-1).
#include "format/color.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool lm_color_parse(const char* text, float color[3])
{
	if (text[0] != '#' || strlen(text) != 7)
		return false;
	for (int i = 1; i < 7; ++i)
	{
		if (!isxdigit((unsigned char)text[i]))
			return false;
	}
	long rgb = strtol(text + 1, NULL, 16);
	for (int i = 0; i < 3; ++i)
	{
		double s = (double)((rgb >> (16 - 8 * i)) & 255) / 255;
		color[i] = (float)(s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4));
	}
	return true;
}

void lm_color_srgb(const float color[3], uint8_t rgb[3])
{
	for (int i = 0; i < 3; ++i)
	{
		double c = fmin(fmax(color[i], 0), 1);
		double s = c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
		rgb[i] = (uint8_t)lround(255 * s);
	}
}

void lm_color_format(const float color[3], char text[8])
{
	uint8_t rgb[3];
	lm_color_srgb(color, rgb);
	snprintf(text, 8, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

void lm_color_usual(int32_t index, float color[3])
{
	static const char* const usual[] = { "#e0663f", "#3d7fb6", "#e9b949", "#3a9d78",
		                                 "#8d6fb5", "#d1698f", "#7f9f3f", "#5fb0c4" };
	lm_color_parse(usual[index % (int32_t)(sizeof usual / sizeof usual[0])], color);
}
