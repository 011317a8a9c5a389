// take_keys.c: a value that commands have changed, as keys of a scene.
//
// A value is looked up once per step, at times that are known to the bit. Between two changes it is what was told, or
// what the scene says; keys at the first and the last of the times between them hold what was told, and no time lies
// between the last of one stretch and the first of the next. Keys of the scene are kept where both ends of a segment
// lie in the stretch; a segment that a change cuts gets a key at every time instead, because a straight line between
// other ends is rounded otherwise.
#include "world/take.h"

#include <math.h>
#include <string.h>

typedef struct key_list
{
	lm_arena* memory;
	int32_t width;
	lm_keyed keys;
	size_t capacity;
	bool failed;
} key_list;

static void add(key_list* list, double time, const double* value)
{
	lm_keyed* keys = &list->keys;
	size_t width = (size_t)list->width, count = (size_t)keys->count;
	if (count > 0 && keys->times[count - 1] >= time) // the same time
	{
		memcpy(keys->values + (count - 1) * width, value, width * sizeof *value);
		return;
	}
	if (count == list->capacity)
	{
		size_t capacity = 2 * count + 8;
		double *times = LM_TAKE(list->memory, capacity, double),
			   *values = LM_TAKE(list->memory, capacity * width, double);
		list->failed |= times == NULL || values == NULL;
		if (list->failed)
			return;
		if (count > 0)
		{
			memcpy(times, keys->times, count * sizeof *times);
			memcpy(values, keys->values, count * width * sizeof *values);
		}
		keys->times = times, keys->values = values, list->capacity = capacity;
	}
	keys->times[count] = time;
	memcpy(keys->values + count * width, value, width * sizeof *value);
	++keys->count;
}

// ---- times ----

static double time_of(const lm_take_steps* steps, int64_t step)
{
	int64_t frame = step / steps->substeps;
	double begin = lm_step_begin(steps->fps, frame, steps->substeps, step % steps->substeps);
	if (!steps->at_end)
		return begin;
	double end = begin + lm_step_length(steps->fps, steps->substeps), last = (double)(frame + 1) / steps->fps;
	return end < last ? end : last; // as lm_object_step_end
}

// ---- stretches ----

static void value_at(const lm_take_original* original, double time, double* value)
{
	if (original->keys == NULL)
		memcpy(value, original->constant, sizeof original->constant);
	else if (original->held)
		lm_keyed_held(original->keys, original->width, time, value);
	else
		lm_keyed_at(original->keys, original->width, time, value);
}

// Whether a time lies in a segment of the scene's keys that does not lie in low .. high as a whole.
static bool is_cut(const lm_keyed* keys, double time, double low, double high)
{
	int32_t i = keys->count - 1;
	while (i >= 0 && keys->times[i] > time)
		--i;
	return i >= 0 && i + 1 < keys->count && (keys->times[i] < low || keys->times[i + 1] > high);
}

// The scene's own value during steps from .. to - 1 (to < 0: for good).
static void add_original(key_list* list, const lm_take_original* original, const lm_take_steps* steps, int64_t from,
                         int64_t to)
{
	const lm_keyed* keys = original->keys;
	double low = from == 0 ? -INFINITY : time_of(steps, from), high = to < 0 ? INFINITY : time_of(steps, to - 1);
	double value[4];
	int32_t next = 0;
	while (keys != NULL && next < keys->count && keys->times[next] < low)
		++next;
	if (keys == NULL || from > 0)
	{
		value_at(original, time_of(steps, from), value);
		add(list, time_of(steps, from), value);
	}
	for (int64_t step = from; keys != NULL && !original->held && (to < 0 || step < to); ++step)
	{
		double time = time_of(steps, step);
		while (next < keys->count && keys->times[next] < time)
			add(list, keys->times[next], keys->values + (size_t)next * (size_t)original->width), ++next;
		if (is_cut(keys, time, low, high))
		{
			value_at(original, time, value);
			add(list, time, value);
		}
		else if (to < 0) // no other segment is cut
			break;
	}
	for (; keys != NULL && next < keys->count && keys->times[next] <= high; ++next)
		add(list, keys->times[next], keys->values + (size_t)next * (size_t)original->width);
	if (to < 0 || original->held)
		return;
	value_at(original, high, value);
	add(list, high, value);
}

static void add_told(key_list* list, const lm_take_original* original, const lm_take_steps* steps, int64_t from,
                     int64_t to, const double* value)
{
	add(list, time_of(steps, from), value);
	if (to > 0 && !original->held)
		add(list, time_of(steps, to - 1), value);
}

bool lm_take_make_keys(const lm_take_original* original, const lm_take_steps* steps, const lm_take_change* changes,
                       size_t count, lm_arena* memory, lm_keyed* keys)
{
	key_list list = { .memory = memory, .width = original->width };
	int64_t from = 0;
	const lm_take_change* now = NULL;       // what is told
	if (count > 0 && changes[0].frame == 0) // what the object is made with
		add(&list, -1, original->keys != NULL ? original->keys->values : original->constant);
	for (size_t i = 0; i <= count; ++i)
	{
		int64_t to = i < count ? changes[i].frame * steps->substeps : -1;
		bool stepped = to < 0 || to > from;
		if (stepped && now != NULL && !now->freed)
			add_told(&list, original, steps, from, to, now->value);
		else if (stepped)
			add_original(&list, original, steps, from, to);
		if (i < count)
			now = &changes[i], from = to;
	}
	*keys = list.keys;
	return !list.failed;
}
