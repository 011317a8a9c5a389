// fill.c: JSON into structs, as the tables of table.h say. Every value is checked on its own here: its kind, its range,
// whether it is one of the choices. A value that is wrong leaves the default in place and a problem in the list.
#include "format/fill.h"

#include "format/color.h"
#include "format/suggest.h"
#include "math/quat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char* lm_json_kind(const json_t* value)
{
	switch (json_typeof(value))
	{
		case JSON_OBJECT: return "an object";
		case JSON_ARRAY: return "a list";
		case JSON_STRING: return "text";
		case JSON_INTEGER:
		case JSON_REAL: return "a number";
		case JSON_TRUE: return "true";
		case JSON_FALSE: return "false";
		case JSON_NULL: return "null";
	}
	return "something else";
}

void lm_problem_kind(lm_reader* reader, const json_t* value, const lm_key* key)
{
	char expected[300];
	lm_key_expected(key, expected, sizeof expected);
	lm_problem(reader, "is %s, must be %s", lm_json_kind(value), expected);
}

// ---- numbers ----

bool lm_fill_number(lm_reader* reader, const lm_key* key, const json_t* value, double* number)
{
	bool whole = key->kind == LM_KEY_INTEGER || key->kind == LM_KEY_INTEGERS || key->kind == LM_KEY_INDICES;
	if (!json_is_number(value))
	{
		lm_problem(reader, "is %s, must be a %s", lm_json_kind(value), whole ? "whole number" : "number");
		return false;
	}
	double x = json_number_value(value);
	if (whole && x != floor(x))
	{
		lm_problem(reader, "is %.10g, must be a whole number", x);
		return false;
	}
	if (lm_key_allows(key, x))
	{
		*number = x;
		return true;
	}
	char range[100];
	lm_key_wanted_text(key, x, range, sizeof range);
	lm_problem(reader, "is %.10g, must be %s", x, range);
	return false;
}

// A list of exactly `count` numbers. All are checked, so that all problems are reported.
static bool fill_numbers(lm_reader* reader, const lm_key* key, json_t* value, size_t count, double* numbers)
{
	if (!json_is_array(value))
	{
		lm_problem_kind(reader, value, key);
		return false;
	}
	if (json_array_size(value) != count)
	{
		lm_problem(reader, "has %zu numbers, must have %zu", json_array_size(value), count);
		return false;
	}
	bool good = true;
	for (size_t i = 0; i < count; ++i)
	{
		size_t mark = lm_reader_enter_item(reader, (int64_t)i);
		good &= lm_fill_number(reader, key, json_array_get(value, i), &numbers[i]);
		lm_reader_leave(reader, mark);
	}
	return good;
}

static void fill_vector(lm_reader* reader, const lm_key* key, json_t* value, double* vector)
{
	double numbers[4] = { 0 };
	if (fill_numbers(reader, key, value, (size_t)key->width, numbers))
		memcpy(vector, numbers, sizeof(double) * (size_t)key->width);
}

static void fill_integers(lm_reader* reader, const lm_key* key, json_t* value, int32_t* integers)
{
	double numbers[4] = { 0 };
	if (!fill_numbers(reader, key, value, (size_t)key->width, numbers))
		return;
	for (int32_t i = 0; i < key->width; ++i)
		integers[i] = (int32_t)numbers[i];
}

static void fill_box(lm_reader* reader, const lm_key* key, json_t* value, double box[2][3])
{
	if (!json_is_array(value) || json_array_size(value) != 2)
	{
		lm_problem_kind(reader, value, key);
		return;
	}
	double corners[2][3];
	bool good = true;
	lm_key corner = { .kind = LM_KEY_VECTOR, .width = 3 };
	for (size_t i = 0; i < 2; ++i)
	{
		size_t mark = lm_reader_enter_item(reader, (int64_t)i);
		good &= fill_numbers(reader, &corner, json_array_get(value, i), 3, corners[i]);
		lm_reader_leave(reader, mark);
	}
	for (int i = 0; good && i < 3; ++i)
	{
		if (corners[0][i] > corners[1][i])
		{
			lm_problem(reader, "has its lowest corner above its highest: %g and %g for %c", corners[0][i],
			           corners[1][i], "xyz"[i]);
			good = false;
		}
	}
	if (good)
		memcpy(box, corners, sizeof corners);
}

static void fill_rotation(lm_reader* reader, const lm_key* key, json_t* value, double rotation[4])
{
	double q[4];
	if (json_is_object(value))
	{
		int32_t before = reader->problems->count;
		lm_read_rotation turn = { 0 };
		lm_fill(reader, &lm_rotation_table, value, &turn);
		if (reader->problems->count != before)
			return;
		lm_vec3 axis = lm_v3(turn.axis[0], turn.axis[1], turn.axis[2]);
		if (!(lm_length(axis) > 0))
		{
			lm_problem_key(reader, "axis", "is [0, 0, 0], must point somewhere");
			return;
		}
		lm_quat r = lm_quat_axis_angle(axis, turn.degrees * (LM_PI / 180));
		q[0] = r.w, q[1] = r.x, q[2] = r.y, q[3] = r.z;
	}
	else
	{
		if (!fill_numbers(reader, key, value, 4, q))
			return;
		double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
		if (!(length > 1e-9))
		{
			lm_problem(reader, "is [0, 0, 0, 0], must be a unit quaternion [w, x, y, z]");
			return;
		}
		for (int i = 0; i < 4; ++i)
			q[i] /= length;
	}
	memcpy(rotation, q, sizeof q);
}

// ---- text ----

static int find_choice(lm_reader* reader, const lm_key* key, const char* text)
{
	lm_suggestion suggestion = lm_suggest(text);
	for (int i = 0; key->choices[i] != NULL; ++i)
	{
		if (strcmp(text, key->choices[i]) == 0)
			return i;
		lm_suggest_try(&suggestion, key->choices[i]);
	}
	char expected[300], hint[100];
	lm_key_expected(key, expected, sizeof expected);
	lm_suggest_text(&suggestion, hint, sizeof hint);
	lm_problem(reader, "is \"%.60s\", must be %s%s", text, expected, hint);
	return LM_NO_CHOICE;
}

static void fill_text(lm_reader* reader, const lm_key* key, const json_t* value, const char** text)
{
	if (!json_is_string(value))
		lm_problem_kind(reader, value, key);
	else if (json_string_length(value) == 0 && !(key->flags & LM_KEY_EMPTY))
		lm_problem(reader, "is empty, must be %s", key->kind == LM_KEY_FILE ? "the name of a file" : "a name");
	else if (key->choices == NULL || lm_is_chosen(find_choice(reader, key, json_string_value(value))))
		*text = lm_reader_keep_text(reader, json_string_value(value));
}

static void fill_choice(lm_reader* reader, const lm_key* key, const json_t* value, int* choice)
{
	int found = LM_NO_CHOICE;
	if (json_is_string(value))
		found = find_choice(reader, key, json_string_value(value));
	else
		lm_problem_kind(reader, value, key);
	if (lm_is_chosen(found) || key->flags & LM_KEY_DECIDES)
		*choice = found;
}

static void fill_color(lm_reader* reader, const lm_key* key, const json_t* value, float color[3])
{
	if (!json_is_string(value))
		lm_problem_kind(reader, value, key);
	else if (!lm_color_parse(json_string_value(value), color))
		lm_problem(reader, "is \"%.60s\", must be a colour such as \"#d94f3d\"", json_string_value(value));
}

// ---- lists ----

static bool check_count(lm_reader* reader, const lm_key* key, size_t count)
{
	bool numbers = key->kind == LM_KEY_INDICES || key->kind == LM_KEY_NUMBERS; // their range is that of each
	double low = numbers ? 1 : key->low, high = numbers ? INT32_MAX / 4 : key->high;
	if ((double)count >= low && (double)count <= high)
		return true;
	if (count == 0)
		lm_problem(reader, "is empty, must hold at least one");
	else
		lm_problem(reader, "holds %zu, may hold at most %.10g", count, high);
	return false;
}

static void fill_indices(lm_reader* reader, const lm_key* key, json_t* value, int32_t** indices, int32_t* count)
{
	if (!json_is_array(value))
	{
		lm_problem_kind(reader, value, key);
		return;
	}
	size_t size = json_array_size(value);
	int32_t* list = check_count(reader, key, size) ? lm_reader_keep(reader, size, sizeof *list) : NULL;
	bool good = list != NULL;
	for (size_t i = 0; list != NULL && i < size; ++i)
	{
		double number = 0;
		size_t mark = lm_reader_enter_item(reader, (int64_t)i);
		good &= lm_fill_number(reader, key, json_array_get(value, i), &number);
		lm_reader_leave(reader, mark);
		list[i] = (int32_t)number;
	}
	if (good)
	{
		*indices = list;
		*count = (int32_t)size;
	}
}

static void fill_rows(lm_reader* reader, const lm_key* key, json_t* value, double** rows, int32_t* count)
{
	if (!json_is_array(value))
	{
		lm_problem_kind(reader, value, key);
		return;
	}
	size_t size = json_array_size(value), width = key->width > 1 ? (size_t)key->width : 1;
	double* list = check_count(reader, key, size) ? lm_reader_keep(reader, size * width, sizeof *list) : NULL;
	bool good = list != NULL;
	for (size_t i = 0; list != NULL && i < size; ++i)
	{
		json_t* row = json_array_get(value, i);
		size_t mark = lm_reader_enter_item(reader, (int64_t)i);
		good &= width > 1 ? fill_numbers(reader, &(lm_key){ .kind = LM_KEY_VECTOR, .width = key->width }, row, width,
		                                 list + i * width)
		                  : lm_fill_number(reader, key, row, &list[i]);
		lm_reader_leave(reader, mark);
	}
	if (good)
	{
		*rows = list;
		*count = (int32_t)size;
	}
}

static void fill_texts(lm_reader* reader, const lm_key* key, json_t* value, const char*** texts, int32_t* count)
{
	if (!json_is_array(value))
	{
		lm_problem_kind(reader, value, key);
		return;
	}
	size_t size = json_array_size(value);
	const char** list = check_count(reader, key, size) ? lm_reader_keep(reader, size, sizeof *list) : NULL;
	if (list == NULL)
		return;
	lm_key item = { .kind = LM_KEY_TEXT };
	for (size_t i = 0; i < size; ++i)
	{
		size_t mark = lm_reader_enter_item(reader, (int64_t)i);
		list[i] = "";
		fill_text(reader, &item, json_array_get(value, i), &list[i]);
		lm_reader_leave(reader, mark);
	}
	*texts = list;
	*count = (int32_t)size;
}

// Whatever type of pointer is there.
static void set_pointer(void* place, void* pointer)
{
	memcpy(place, &pointer, sizeof pointer);
}

static void fill_list(lm_reader* reader, const lm_key* key, json_t* value, void* items, int32_t* count)
{
	if (!json_is_array(value))
	{
		lm_problem_kind(reader, value, key);
		return;
	}
	size_t size = json_array_size(value);
	char* list = check_count(reader, key, size) ? lm_reader_keep(reader, size, key->table->size) : NULL;
	if (list == NULL)
		return;
	for (size_t i = 0; i < size && reader->status == LM_OK; ++i)
	{
		void* item = list + i * key->table->size;
		size_t mark = lm_reader_enter_item(reader, (int64_t)i);
		lm_reader_defaults(reader, key->table, item);
		lm_fill(reader, key->table, json_array_get(value, i), item);
		lm_reader_leave(reader, mark);
	}
	set_pointer(items, list);
	*count = (int32_t)size;
}

static void fill_map(lm_reader* reader, const lm_key* key, json_t* value, void* items, int32_t* count)
{
	if (!json_is_object(value))
	{
		lm_problem_kind(reader, value, key);
		return;
	}
	size_t size = json_object_size(value);
	char* list = check_count(reader, key, size) ? lm_reader_keep(reader, size, key->table->size) : NULL;
	if (list == NULL)
		return;
	const char* name;
	json_t* member;
	char* item = list;
	json_object_foreach(value, name, member)
	{
		size_t mark = lm_reader_enter(reader, name);
		lm_reader_defaults(reader, key->table, item);
		*(const char**)item = lm_reader_keep_text(reader, name);
		lm_fill(reader, key->table, member, item);
		lm_reader_leave(reader, mark);
		item += key->table->size;
	}
	set_pointer(items, list);
	*count = (int32_t)size;
}

// ---- objects ----

static void fill_pointer(lm_reader* reader, const lm_key* key, json_t* value, void* place)
{
	void* item = lm_reader_keep(reader, 1, key->table->size);
	if (item == NULL)
		return;
	lm_reader_defaults(reader, key->table, item);
	if (json_is_object(value) || key->table->short_key != NULL)
		lm_fill(reader, key->table, value, item);
	else
		lm_problem_kind(reader, value, key);
	set_pointer(place, item);
}

static void fill_value(lm_reader* reader, const lm_key* key, json_t* value, char* item)
{
	void* to = item + key->offset;
	int32_t* count = (int32_t*)(item + key->count);
	double number;
	if (lm_key_in_time(key) && lm_is_keys(value))
	{
		lm_fill_in_time(reader, key, value, to, (lm_keyed_settings*)(item + key->off));
		return;
	}
	switch (key->kind)
	{
		case LM_KEY_NUMBER: lm_fill_number(reader, key, value, to); break;
		case LM_KEY_INTEGER:
			if (lm_fill_number(reader, key, value, &number))
				*(int32_t*)to = (int32_t)number;
			break;
		case LM_KEY_FLAG:
			if (json_is_boolean(value))
				*(bool*)to = json_is_true(value);
			else
				lm_problem_kind(reader, value, key);
			break;
		case LM_KEY_TEXT:
		case LM_KEY_FILE: fill_text(reader, key, value, to); break;
		case LM_KEY_CHOICE: fill_choice(reader, key, value, to); break;
		case LM_KEY_VECTOR: fill_vector(reader, key, value, to); break;
		case LM_KEY_INTEGERS: fill_integers(reader, key, value, to); break;
		case LM_KEY_BOX: fill_box(reader, key, value, to); break;
		case LM_KEY_ROTATION: fill_rotation(reader, key, value, to); break;
		case LM_KEY_COLOR: fill_color(reader, key, value, to); break;
		case LM_KEY_KEYED: lm_fill_keyed(reader, key, value, to); break;
		case LM_KEY_INDICES: fill_indices(reader, key, value, to, count); break;
		case LM_KEY_NUMBERS: fill_rows(reader, key, value, to, count); break;
		case LM_KEY_TEXTS:
			if (json_is_false(value) && key->flags & LM_KEY_OR_FALSE)
				*(bool*)(item + key->off) = true;
			else
				fill_texts(reader, key, value, to, count);
			break;
		case LM_KEY_LIST: fill_list(reader, key, value, to, count); break;
		case LM_KEY_MAP: fill_map(reader, key, value, to, count); break;
		case LM_KEY_POINTER: fill_pointer(reader, key, value, to); break;
		case LM_KEY_INCLUDE: break; // has no name
		case LM_KEY_TABLE:
			if (json_is_false(value) && key->flags & LM_KEY_OR_FALSE)
				*(bool*)(item + key->off) = true;
			else if (!json_is_object(value) && key->table->short_key == NULL)
				lm_problem_kind(reader, value, key);
			else
				lm_fill(reader, key->table, value, to);
			break;
	}
}

// A key that this table does not have: the nearest one it has, or the right place for one of the same name.
static void unknown_key(lm_reader* reader, const lm_table* table, const char* name)
{
	lm_suggestion suggestion = lm_suggest(name);
	int32_t count = lm_table_count(table);
	for (int32_t i = 0; i < count; ++i)
		lm_suggest_try(&suggestion, lm_table_key(table, i).name);
	char hint[200];
	lm_suggest_text(&suggestion, hint, sizeof hint);
	for (int32_t i = 0; i < count && suggestion.distance != 1; ++i)
	{
		lm_key key = lm_table_key(table, i);
		bool inside = key.kind == LM_KEY_TABLE || key.kind == LM_KEY_POINTER;
		if (inside && lm_table_find(key.table, name) >= 0)
			snprintf(hint, sizeof hint, "; it belongs into \"%s\"", key.name);
	}
	if (hint[0] == 0)
	{
		size_t length = (size_t)snprintf(hint, sizeof hint, "; it has");
		for (int32_t i = 0; i < count && length < sizeof hint; ++i)
			length += (size_t)snprintf(hint + length, sizeof hint - length, "%s %s", i > 0 ? "," : "",
			                           lm_table_key(table, i).name);
		if (length >= sizeof hint)
			memcpy(hint + sizeof hint - 4, "...", 4);
	}
	lm_problem_key(reader, name, "%s %s has no such key%s", table->article, table->name, hint);
}

static void missing_key(lm_reader* reader, const lm_key* key, char* item)
{
	if (key->flags & LM_KEY_DECIDES)
		*(int*)(item + key->offset) = LM_NO_CHOICE;
	char expected[300];
	lm_key_expected(key, expected, sizeof expected);
	lm_problem_key(reader, key->name, "is missing, must be %s", expected);
}

static void fill_key(lm_reader* reader, const lm_table* table, int32_t number, json_t* value, char* item)
{
	lm_key key = lm_table_key(table, number);
	if (table->given != 0)
		*(uint64_t*)(item + table->given) |= (uint64_t)1 << number;
	fill_value(reader, &key, value, item);
}

void lm_reader_defaults(lm_reader* reader, const lm_table* table, void* item)
{
	lm_table_defaults(table, item);
	for (int32_t i = 0; i < lm_table_count(table); ++i)
	{
		lm_key key = lm_table_key(table, i);
		if (key.kind == LM_KEY_KEYED && key.flags & LM_KEY_CONSTANT)
			lm_keyed_preset(reader, &key, (lm_keyed*)((char*)item + key.offset));
		else if (key.kind == LM_KEY_TABLE)
			lm_reader_defaults(reader, key.table, (char*)item + key.offset);
	}
}

void lm_fill(lm_reader* reader, const lm_table* table, json_t* value, void* item)
{
	if (!json_is_object(value))
	{
		if (table->short_key != NULL)
			fill_key(reader, table, lm_table_find(table, table->short_key), value, item);
		else
			lm_problem(reader, "is %s, must be an object", lm_json_kind(value));
		return;
	}
	const char* name;
	json_t* member;
	json_object_foreach(value, name, member)
	{
		int32_t number = lm_table_find(table, name);
		if (number < 0)
		{
			unknown_key(reader, table, name);
			continue;
		}
		size_t mark = lm_reader_enter(reader, name);
		fill_key(reader, table, number, member, item);
		lm_reader_leave(reader, mark);
	}
	for (int32_t i = 0; i < lm_table_count(table); ++i)
	{
		lm_key key = lm_table_key(table, i);
		if (key.flags & LM_KEY_REQUIRED && json_object_get(value, key.name) == NULL)
			missing_key(reader, &key, item);
	}
}
