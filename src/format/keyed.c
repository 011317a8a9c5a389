// keyed.c: values that change over time, linear between keys and constant outside of them.
#include "limber/format.h"

#include <assert.h>
#include <string.h>

// The last key at or before a time, or the first of all; there is one.
static int32_t find(const lm_keyed* keyed, double time)
{
	int32_t low = 0, high = keyed->count; // it is in [low, high)
	while (high - low > 1)
	{
		int32_t middle = low + (high - low) / 2;
		if (keyed->times[middle] <= time)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void lm_keyed_held(const lm_keyed* keyed, int32_t width, double time, double* value)
{
	assert(width > 0);
	if (keyed->count == 0)
		memset(value, 0, sizeof(double) * (size_t)width);
	else
		memcpy(value, keyed->values + (size_t)find(keyed, time) * (size_t)width, sizeof(double) * (size_t)width);
}

void lm_keyed_at(const lm_keyed* keyed, int32_t width, double time, double* value)
{
	lm_keyed_held(keyed, width, time, value);
	int32_t low = keyed->count > 0 ? find(keyed, time) : 0;
	if (keyed->count == 0 || time <= keyed->times[low] || low + 1 == keyed->count)
		return;
	const double* a = keyed->values + (size_t)low * (size_t)width;
	double t = (time - keyed->times[low]) / (keyed->times[low + 1] - keyed->times[low]);
	const double* b = a + width;
	for (int32_t i = 0; i < width; ++i)
		value[i] = a[i] == b[i] ? a[i] : (1 - t) * a[i] + t * b[i]; // what is held is held to the bit
}
