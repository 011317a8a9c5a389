// key.c: questions to a single key or table: its default item, its range and kind in words.
#include "format/table.h"

#include <stdio.h>
#include <string.h>

const lm_key* lm_table_find(const lm_table* table, const char* name)
{
	for (int32_t i = 0; i < table->key_count; ++i)
	{
		if (strcmp(table->keys[i].name, name) == 0)
			return &table->keys[i];
	}
	return NULL;
}

void lm_table_defaults(const lm_table* table, void* item)
{
	memset(item, 0, table->size);
	if (table->defaults != NULL)
		table->defaults(item);
}

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

static void choices_text(const char* const* choices, char* text, size_t capacity)
{
	size_t length = (size_t)snprintf(text, capacity, choices[1] != NULL ? "one of " : "");
	for (int i = 0; choices[i] != NULL && length < capacity; ++i)
		length += (size_t)snprintf(text + length, capacity - length, "%s\"%s\"", i > 0 ? ", " : "", choices[i]);
}

void lm_key_expected(const lm_key* key, char* text, size_t capacity)
{
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
		case LM_KEY_TEXTS: snprintf(text, capacity, "a list of names"); break;
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
