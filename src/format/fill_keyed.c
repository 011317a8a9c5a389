// fill_keyed.c: values that may change over time: one value, or a list of keys [time, value...] in ascending order.
#include "format/fill.h"

#include <stdio.h>
#include <string.h>

static bool allocate(lm_reader* reader, const lm_key* key, size_t count, lm_keyed* keyed)
{
	keyed->times = lm_reader_keep(reader, count, sizeof(double));
	keyed->values = keyed->times != NULL ? lm_reader_keep(reader, count * (size_t)key->width, sizeof(double)) : NULL;
	keyed->count = keyed->values != NULL ? (int32_t)count : 0;
	return keyed->count > 0;
}

void lm_keyed_preset(lm_reader* reader, const lm_key* key, lm_keyed* keyed)
{
	if (allocate(reader, key, 1, keyed))
		for (int32_t i = 0; i < key->width; ++i)
			keyed->values[i] = key->preset[i];
}

static bool fill_one(lm_reader* reader, const lm_key* key, const json_t* value, double* number)
{
	if (key->kind != LM_KEY_FLAG)
		return lm_fill_number(reader, key, value, number);
	if (!json_is_boolean(value))
	{
		lm_problem(reader, "is %s, must be true or false", lm_json_kind(value));
		return false;
	}
	*number = json_is_true(value);
	return true;
}

static bool fill_row(lm_reader* reader, const lm_key* key, json_t* row, double* time, double* values)
{
	const char* form = key->width == 1 ? "[time, value]" : "[time, x, y, z]";
	if (!json_is_array(row))
	{
		lm_problem(reader, "is %s, must be a key %s", lm_json_kind(row), form);
		return false;
	}
	if (json_array_size(row) != (size_t)key->width + 1)
	{
		lm_problem(reader, "has %zu numbers, must be a key %s", json_array_size(row), form);
		return false;
	}
	lm_key times = { .kind = LM_KEY_NUMBER };
	bool good = true;
	for (size_t i = 0; i <= (size_t)key->width; ++i)
	{
		size_t mark = lm_reader_enter_item(reader, (int64_t)i);
		good &= fill_one(reader, i == 0 ? &times : key, json_array_get(row, i), i == 0 ? time : &values[i - 1]);
		lm_reader_leave(reader, mark);
	}
	return good;
}

static void fill_keys(lm_reader* reader, const lm_key* key, json_t* list, lm_keyed* keyed)
{
	size_t count = json_array_size(list);
	lm_keyed keys;
	if (!allocate(reader, key, count, &keys))
		return;
	bool good = true;
	for (size_t i = 0; i < count; ++i)
	{
		size_t mark = lm_reader_enter_item(reader, (int64_t)i);
		bool row = fill_row(reader, key, json_array_get(list, i), &keys.times[i], keys.values + i * (size_t)key->width);
		if (row && good && i > 0 && keys.times[i] <= keys.times[i - 1])
		{
			lm_problem(reader, "has time %.10g after time %.10g: times must ascend", keys.times[i], keys.times[i - 1]);
			row = false;
		}
		good &= row;
		lm_reader_leave(reader, mark);
	}
	if (good)
		*keyed = keys;
}

bool lm_is_keys(const json_t* value)
{
	return json_is_array(value) && json_array_size(value) > 0 && json_is_array(json_array_get(value, 0));
}

// The list grows by one: there are few.
static lm_keyed_setting* add_setting(lm_reader* reader, lm_keyed_settings* settings)
{
	lm_keyed_setting* items = lm_reader_keep(reader, (size_t)settings->count + 1, sizeof *items);
	if (items == NULL)
		return NULL;
	if (settings->count > 0)
		memcpy(items, settings->items, (size_t)settings->count * sizeof *items);
	settings->items = items;
	return &items[settings->count++];
}

void lm_fill_in_time(lm_reader* reader, const lm_key* key, json_t* value, void* place, lm_keyed_settings* settings)
{
	lm_key wide = *key;
	lm_keyed keys = { 0 };
	wide.width = lm_key_width(key);
	fill_keys(reader, &wide, value, &keys);
	lm_keyed_setting* setting = keys.count > 0 ? add_setting(reader, settings) : NULL;
	if (setting == NULL)
		return;
	*setting = (lm_keyed_setting){ lm_reader_keep_text(reader, key->name), keys };
	lm_key_put(key, keys.values, place);
}

void lm_fill_keyed(lm_reader* reader, const lm_key* key, json_t* value, lm_keyed* keyed)
{
	if (json_is_array(value) && json_array_size(value) == 0)
	{
		lm_problem(reader, "is empty, must hold at least one key");
		return;
	}
	if (json_is_array(value) && !json_is_number(json_array_get(value, 0)))
	{
		fill_keys(reader, key, value, keyed);
		return;
	}
	bool list = json_is_array(value);
	if (list != (key->width > 1) || !(list || json_is_number(value)))
	{
		lm_problem_kind(reader, value, key);
		return;
	}
	if (list && json_array_size(value) != (size_t)key->width)
	{
		lm_problem(reader, "has %zu numbers, must have %d", json_array_size(value), key->width);
		return;
	}
	lm_keyed constant;
	if (!allocate(reader, key, 1, &constant))
		return;
	bool good = true;
	for (size_t i = 0; list && i < (size_t)key->width; ++i)
	{
		size_t mark = lm_reader_enter_item(reader, (int64_t)i);
		good &= lm_fill_number(reader, key, json_array_get(value, i), &constant.values[i]);
		lm_reader_leave(reader, mark);
	}
	if (!list)
		good = lm_fill_number(reader, key, value, constant.values);
	if (good)
		*keyed = constant;
}
