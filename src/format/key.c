// key.c: properties of a single key or table: its default item, its range and kind in words.
#include "format/table.h"

#include "base/error.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the keys of a table ----

int32_t lm_table_count(const lm_table* table)
{
	int32_t count = 0;
	for (int32_t i = 0; i < table->key_count; ++i)
		count += table->keys[i].kind == LM_KEY_INCLUDE ? lm_table_count(table->keys[i].table) : 1;
	return count;
}

lm_key lm_table_key(const lm_table* table, int32_t i)
{
	for (int32_t k = 0; k < table->key_count; ++k)
	{
		lm_key key = table->keys[k];
		if (key.kind != LM_KEY_INCLUDE)
		{
			if (i-- == 0)
				return key;
			continue;
		}
		int32_t inside = lm_table_count(key.table);
		if (i < inside)
		{
			lm_key found = lm_table_key(key.table, i);
			found.offset += key.offset;
			found.count += key.offset;
			found.off += key.offset;
			if (key.flags & LM_KEY_IN_TIME)
				found.flags |= LM_KEY_IN_TIME, found.off = key.off;
			return found;
		}
		i -= inside;
	}
	assert(false);
	return (lm_key){ 0 };
}

int32_t lm_table_find(const lm_table* table, const char* name)
{
	for (int32_t i = 0; i < lm_table_count(table); ++i)
		if (strcmp(lm_table_key(table, i).name, name) == 0)
			return i;
	return -1;
}

bool lm_key_given(const lm_table* table, const void* item, size_t offset)
{
	uint64_t given = *(const uint64_t*)((const char*)item + table->given);
	for (int32_t i = 0; i < lm_table_count(table); ++i)
		if (lm_table_key(table, i).offset == offset)
			return given >> i & 1;
	assert(false);
	return false;
}

// ---- defaults ----

static void set_preset(const lm_key* key, void* at)
{
	double* numbers = at;
	switch (key->kind)
	{
		case LM_KEY_NUMBER: *numbers = key->preset[0]; break;
		case LM_KEY_INTEGER: *(int32_t*)at = (int32_t)key->preset[0]; break;
		case LM_KEY_CHOICE: *(int*)at = (int)key->preset[0]; break;
		case LM_KEY_FLAG: *(bool*)at = key->preset[0] != 0; break;
		case LM_KEY_TEXT:
		case LM_KEY_FILE: *(const char**)at = ""; break;
		case LM_KEY_ROTATION: numbers[0] = 1; break;
		case LM_KEY_VECTOR: memcpy(at, key->preset, sizeof(double) * (size_t)key->width); break;
		case LM_KEY_INTEGERS:
			for (int32_t k = 0; k < key->width; ++k)
				((int32_t*)at)[k] = (int32_t)key->preset[k];
			break;
		case LM_KEY_TABLE: lm_table_defaults(key->table, at); break;
		default: break;
	}
}

void lm_table_defaults(const lm_table* table, void* item)
{
	memset(item, 0, table->size);
	for (int32_t i = 0; i < lm_table_count(table); ++i)
	{
		lm_key key = lm_table_key(table, i);
		set_preset(&key, (char*)item + key.offset);
	}
	if (table->defaults != NULL)
		table->defaults(item);
}

// ---- numbers ----

bool lm_key_in_time(const lm_key* key)
{
	bool can = key->kind == LM_KEY_NUMBER || key->kind == LM_KEY_INTEGER || key->kind == LM_KEY_FLAG ||
	           key->kind == LM_KEY_VECTOR;
	return can && key->flags & LM_KEY_IN_TIME && !(key->flags & LM_KEY_FIXED);
}

int32_t lm_key_width(const lm_key* key)
{
	return key->kind == LM_KEY_VECTOR || key->kind == LM_KEY_KEYED ? key->width : 1;
}

void lm_key_get(const lm_key* key, const void* place, double* numbers)
{
	switch (key->kind)
	{
		case LM_KEY_NUMBER: numbers[0] = *(const double*)place; break;
		case LM_KEY_INTEGER: numbers[0] = *(const int32_t*)place; break;
		case LM_KEY_CHOICE: numbers[0] = *(const int*)place; break;
		case LM_KEY_FLAG: numbers[0] = *(const bool*)place; break;
		case LM_KEY_VECTOR: memcpy(numbers, place, sizeof(double) * (size_t)key->width); break;
		default: assert(false);
	}
}

static bool is_whole(double x)
{
	return x == floor(x) && fabs(x) <= INT32_MAX;
}

bool lm_key_put(const lm_key* key, const double* numbers, void* place)
{
	double x = numbers[0];
	bool good = true;
	switch (key->kind)
	{
		case LM_KEY_NUMBER: *(double*)place = x; break;
		case LM_KEY_INTEGER: *(int32_t*)place = (good = is_whole(x)) ? (int32_t)x : 0; break;
		case LM_KEY_CHOICE: *(int*)place = (good = is_whole(x)) ? (int)x : 0; break;
		case LM_KEY_FLAG: *(bool*)place = x != 0, good = x == 0 || x == 1; break;
		case LM_KEY_VECTOR: memcpy(place, numbers, sizeof(double) * (size_t)key->width); break;
		default: assert(false); good = false;
	}
	return good;
}

// ---- ranges ----

static bool is_unlimited(const lm_key* key)
{
	return key->low == 0 && key->high == 0;
}

double lm_key_low(const lm_key* key)
{
	return is_unlimited(key) ? -LM_KEY_LIMIT : key->low;
}

double lm_key_high(const lm_key* key)
{
	return is_unlimited(key) ? LM_KEY_LIMIT : key->high;
}

void lm_key_range_text(const lm_key* key, char* text, size_t capacity)
{
	const char* above = key->flags & LM_KEY_ABOVE ? "above" : "at least";
	text[0] = 0;
	if (is_unlimited(key))
		return;
	if (key->high >= LM_KEY_LIMIT)
		snprintf(text, capacity, "%s %g", above, key->low);
	else if (key->low == key->high)
		snprintf(text, capacity, "%g", key->low);
	else if (key->flags & LM_KEY_ABOVE)
		snprintf(text, capacity, "above %.10g and at most %.10g", key->low, key->high);
	else
		snprintf(text, capacity, "between %.10g and %.10g", key->low, key->high);
}

// A default may be infinite: never.
bool lm_key_allows(const lm_key* key, double x)
{
	if (isinf(x) && x == key->preset[0])
		return true;
	return x >= lm_key_low(key) && x <= lm_key_high(key) && !(x == lm_key_low(key) && key->flags & LM_KEY_ABOVE);
}

void lm_key_wanted_text(const lm_key* key, double x, char* text, size_t capacity)
{
	double low = lm_key_low(key), high = lm_key_high(key);
	lm_key_range_text(key, text, capacity);
	if (x > high && high >= LM_KEY_LIMIT)
		snprintf(text, capacity, "at most %g", high);
	else if (text[0] == 0)
		snprintf(text, capacity, "at least %g", low);
}

// "contact_stiffness" in words.
static void plain_name(const lm_key* key, char* name, size_t capacity)
{
	snprintf(name, capacity, "%s", key->name);
	for (char* c = name; *c != 0; ++c)
		*c = *c == '_' ? ' ' : *c;
}

static lm_status check_number(const lm_key* key, double x, lm_error* error)
{
	if (lm_key_allows(key, x))
		return LM_OK;
	char name[64], range[100];
	plain_name(key, name, sizeof name);
	lm_key_wanted_text(key, x, range, sizeof range);
	const char* unit = key->unit != NULL ? key->unit : "";
	return lm_fail(error, LM_BAD_INPUT, "the %s is %g%s%s, must be %s", name, x, unit[0] != 0 ? " " : "", unit, range);
}

static lm_status check_choice(const lm_key* key, int choice, lm_error* error)
{
	int count = 0;
	while (key->choices[count] != NULL)
		++count;
	return choice >= 0 && choice < count
	           ? LM_OK
	           : lm_fail(error, LM_BAD_INPUT, "%s %d does not exist, must be 0 to %d", key->name, choice, count - 1);
}

lm_status lm_table_check(const lm_table* table, const void* item, lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && i < lm_table_count(table); ++i)
	{
		lm_key key = lm_table_key(table, i);
		const void* at = (const char*)item + key.offset;
		switch (key.kind)
		{
			case LM_KEY_NUMBER: status = check_number(&key, *(const double*)at, error); break;
			case LM_KEY_INTEGER: status = check_number(&key, *(const int32_t*)at, error); break;
			case LM_KEY_CHOICE: status = check_choice(&key, *(const int*)at, error); break;
			case LM_KEY_VECTOR:
				for (int32_t k = 0; status == LM_OK && k < key.width; ++k)
					status = check_number(&key, ((const double*)at)[k], error);
				break;
			default: break;
		}
	}
	return status;
}

static void choices_text(const char* const* choices, char* text, size_t capacity)
{
	size_t length = (size_t)snprintf(text, capacity, choices[1] != NULL ? "one of " : "");
	for (int i = 0; choices[i] != NULL && length < capacity; ++i)
		length += (size_t)snprintf(text + length, capacity - length, "%s\"%s\"", i > 0 ? ", " : "", choices[i]);
}

void lm_key_expected(const lm_key* key, char* text, size_t capacity)
{
	if (lm_key_in_time(key))
	{
		lm_key plain = *key;
		plain.flags &= ~LM_KEY_IN_TIME;
		lm_key_expected(&plain, text, capacity);
		size_t length = strlen(text);
		snprintf(text + length, capacity - length, " or keys %s",
		         key->kind == LM_KEY_FLAG     ? "[[time, true], ...]"
		         : key->kind == LM_KEY_VECTOR ? "[[time, x, y, z], ...]"
		                                      : "[[time, value], ...]");
		return;
	}
	switch (key->kind)
	{
		case LM_KEY_NUMBER: snprintf(text, capacity, "a number"); break;
		case LM_KEY_INTEGER:
			if (key->low == key->high && key->low != 0)
				snprintf(text, capacity, "the number %g", key->low);
			else
				snprintf(text, capacity, "a whole number");
			break;
		case LM_KEY_FLAG: snprintf(text, capacity, "true or false"); break;
		case LM_KEY_FILE: snprintf(text, capacity, "the name of a file"); break;
		case LM_KEY_VECTOR: snprintf(text, capacity, "a list of %d numbers", key->width); break;
		case LM_KEY_INTEGERS: snprintf(text, capacity, "a list of %d whole numbers", key->width); break;
		case LM_KEY_BOX: snprintf(text, capacity, "two corners [[x, y, z], [x, y, z]]"); break;
		case LM_KEY_COLOR: snprintf(text, capacity, "a colour such as \"#d94f3d\""); break;
		case LM_KEY_INDICES: snprintf(text, capacity, "a list of vertices, counted from 0"); break;
		case LM_KEY_TEXTS:
			snprintf(text, capacity, key->flags & LM_KEY_OR_FALSE ? "a list of names or false" : "a list of names");
			break;
		case LM_KEY_NUMBERS:
			snprintf(text, capacity, key->width > 1 ? "a list of lists of %d numbers" : "a list of numbers",
			         key->width);
			break;
		case LM_KEY_LIST: snprintf(text, capacity, "a list"); break;
		case LM_KEY_MAP: snprintf(text, capacity, "an object {\"name\": ...}"); break;
		case LM_KEY_ROTATION:
			snprintf(text, capacity, "[w, x, y, z] or {\"axis\": [x, y, z], \"degrees\": angle}");
			break;
		case LM_KEY_KEYED:
			snprintf(text, capacity, "%s",
			         key->width == 1 ? "a number or keys [[time, value], ...]"
			                         : "[x, y, z] or keys [[time, x, y, z], ...]");
			break;
		case LM_KEY_TABLE:
		case LM_KEY_POINTER:
		case LM_KEY_INCLUDE:
			snprintf(text, capacity, key->flags & LM_KEY_OR_FALSE ? "an object or false" : "an object");
			break;
		case LM_KEY_TEXT:
		case LM_KEY_CHOICE:
			if (key->choices != NULL)
				choices_text(key->choices, text, capacity);
			else
				snprintf(text, capacity, "text");
			break;
	}
}

// ---- rotations ----

static const lm_key rotation_keys[] = {
	{ "axis", LM_KEY_VECTOR, LM_KEY_REQUIRED, 3, .offset = offsetof(lm_read_rotation, axis),
	  .help = "Axis of the rotation, of any length." },
	{ "degrees", LM_KEY_NUMBER, LM_KEY_REQUIRED, .offset = offsetof(lm_read_rotation, degrees), .unit = "degrees",
	  .help = "Angle, counter-clockwise when the axis points at you." },
};

const lm_table lm_rotation_table = {
	.name = "rotation",
	.article = "a",
	.help = "A rotation by an angle about an axis.",
	.size = sizeof(lm_read_rotation),
	.keys = rotation_keys,
	.key_count = 2,
};
