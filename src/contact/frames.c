// frames.c: vertices that move from frame to frame on straight lines.
#include "contact/colliders.h"

int32_t lm_frame_before(const double* times, int32_t count, double time, double* share)
{
	int32_t low = 0, high = count - 1;
	while (high - low > 1)
	{
		int32_t middle = low + (high - low) / 2;
		if (times[middle] <= time)
			low = middle;
		else
			high = middle;
	}
	double span = high > low ? times[high] - times[low] : 0;
	*share = span > 0 ? fmin(1, fmax(0, (time - times[low]) / span)) : 0;
	return low;
}

static void set_speeds(const lm_collider_frames* frames, size_t numbers, double time, double* speeds)
{
	double share, first = frames->times[0], last = frames->times[frames->count - 1];
	int32_t k = lm_frame_before(frames->times, frames->count, time, &share);
	bool moves = time > first && time <= last;
	k -= moves && share == 0 && k > 0;
	const double* from = frames->positions + numbers * (size_t)k;
	for (size_t i = 0; i < numbers; ++i)
		speeds[i] = moves ? (from[numbers + i] - from[i]) / (frames->times[k + 1] - frames->times[k]) : 0;
}

void lm_collider_frames_at(const lm_collider_frames* frames, int32_t vertex_count, double time, double* positions,
                           double* speeds)
{
	if (frames->at != NULL)
	{
		frames->at(frames->context, time, positions, speeds);
		return;
	}
	double share;
	size_t numbers = 3 * (size_t)vertex_count;
	int32_t k = lm_frame_before(frames->times, frames->count, time, &share);
	const double *from = frames->positions + numbers * (size_t)k, *to = share > 0 ? from + numbers : from;
	for (size_t i = 0; i < numbers; ++i)
		positions[i] = share == 1 ? to[i] : from[i] + share * (to[i] - from[i]);
	if (speeds != NULL)
		set_speeds(frames, numbers, time, speeds);
}
