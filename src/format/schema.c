// schema.c: the tables of table.h as a JSON Schema (draft 2020-12), for editors and for the tests.
#include "base/alloc.h"
#include "format/color.h"
#include "format/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- shared with the reference page ----

static int32_t add_table(const lm_table** tables, int32_t count, int32_t capacity, const lm_table* table)
{
	for (int32_t i = 0; i < count; ++i)
	{
		if (tables[i] == table)
			return count;
	}
	if (count == capacity)
		return count;
	tables[count++] = table;
	for (int32_t i = 0; i < lm_table_count(table); ++i)
	{
		lm_key key = lm_table_key(table, i);
		if (key.table != NULL)
			count = add_table(tables, count, capacity, key.table);
		else if (key.kind == LM_KEY_ROTATION)
			count = add_table(tables, count, capacity, &lm_rotation_table);
	}
	return count;
}

int32_t lm_all_tables(const lm_table* root, const lm_table** tables, int32_t capacity)
{
	return add_table(tables, 0, capacity, root);
}

// Whole numbers without a point: 24, not 24.0.
static json_t* number(double x)
{
	return x == floor(x) && fabs(x) < 1e15 ? json_integer((json_int_t)x) : json_real(x);
}

static json_t* numbers(const double* x, int32_t count)
{
	json_t* list = json_array();
	for (int32_t i = 0; i < count; ++i)
		json_array_append_new(list, number(x[i]));
	return list;
}

json_t* lm_key_default(const lm_key* key, const void* item)
{
	return key->usual != NULL || key->flags & LM_KEY_REQUIRED ? NULL : lm_key_value(key, item);
}

json_t* lm_key_value(const lm_key* key, const void* item)
{
	const void* at = (const char*)item + key->offset;
	char color[8];
	json_t* list;
	switch (key->kind)
	{
		case LM_KEY_NUMBER: return number(*(const double*)at);
		case LM_KEY_INTEGER: return json_integer(*(const int32_t*)at);
		case LM_KEY_FLAG: return json_boolean(*(const bool*)at);
		case LM_KEY_CHOICE: return lm_is_chosen(*(const int*)at) ? json_string(key->choices[*(const int*)at]) : NULL;
		case LM_KEY_VECTOR: return numbers(at, key->width);
		case LM_KEY_ROTATION: return numbers(at, 4);
		case LM_KEY_COLOR: lm_color_format(at, color); return json_string(color);
		case LM_KEY_INTEGERS:
			list = json_array();
			for (int32_t i = 0; i < key->width; ++i)
				json_array_append_new(list, json_integer(((const int32_t*)at)[i]));
			return list;
		default: return NULL;
	}
}

// ---- values ----

static json_t* of_type(const char* type)
{
	json_t* schema = json_object();
	json_object_set_new(schema, "type", json_string(type));
	return schema;
}

static json_t* reference_to(const lm_table* table)
{
	return json_pack("{s:o}", "$ref", json_sprintf("#/$defs/%s", table->name));
}

static json_t* number_schema(const lm_key* key, const char* type)
{
	json_t* schema = of_type(type);
	json_object_set_new(schema, key->flags & LM_KEY_ABOVE ? "exclusiveMinimum" : "minimum", number(lm_key_low(key)));
	json_object_set_new(schema, "maximum", number(lm_key_high(key)));
	return schema;
}

static json_t* list_schema(json_t* items, double least, double most)
{
	json_t* schema = of_type("array");
	json_object_set_new(schema, "items", items);
	json_object_set_new(schema, "minItems", number(least));
	json_object_set_new(schema, "maxItems", number(most));
	return schema;
}

static json_t* any_of(json_t* a, json_t* b)
{
	return json_pack("{s:[o,o]}", "anyOf", a, b);
}

// Rows [time, value...].
static json_t* keys_schema(json_t* value, int32_t width)
{
	json_t* times = json_array();
	json_array_append_new(times, of_type("number"));
	json_t* row = of_type("array");
	json_object_set_new(row, "prefixItems", times);
	json_object_set_new(row, "items", value);
	json_object_set_new(row, "minItems", json_integer(width + 1));
	json_object_set_new(row, "maxItems", json_integer(width + 1));
	json_t* rows = of_type("array");
	json_object_set_new(rows, "items", row);
	json_object_set_new(rows, "minItems", json_integer(1));
	return rows;
}

static json_t* keyed_schema(const lm_key* key)
{
	json_t* constant = number_schema(key, "number");
	if (key->width > 1)
		constant = list_schema(constant, key->width, key->width);
	return any_of(constant, keys_schema(number_schema(key, "number"), key->width));
}

static json_t* rows_schema(const lm_key* key)
{
	json_t* item = number_schema(key, "number");
	return list_schema(key->width > 1 ? list_schema(item, key->width, key->width) : item, 1, INT32_MAX / 4);
}

static json_t* text_schema(const lm_key* key)
{
	json_t* schema = of_type("string");
	json_t* choices = key->choices != NULL ? json_array() : NULL;
	for (int i = 0; key->choices != NULL && key->choices[i] != NULL; ++i)
		json_array_append_new(choices, json_string(key->choices[i]));
	if (choices != NULL)
		json_object_set_new(schema, "enum", choices);
	if (key->kind == LM_KEY_FILE)
		json_object_set_new(schema, "minLength", json_integer(1));
	if (key->kind == LM_KEY_COLOR)
		json_object_set_new(schema, "pattern", json_string("^#[0-9a-fA-F]{6}$"));
	return schema;
}

static json_t* value_schema(const lm_key* key);

static json_t* item_schema(const lm_table* table)
{
	if (table->short_key == NULL)
		return reference_to(table);
	lm_key key = lm_table_key(table, lm_table_find(table, table->short_key));
	return any_of(value_schema(&key), reference_to(table));
}

static json_t* map_schema(const lm_key* key)
{
	json_t* schema = of_type("object");
	json_object_set_new(schema, "additionalProperties", item_schema(key->table));
	json_object_set_new(schema, "maxProperties", number(key->high));
	return schema;
}

static json_t* in_time_schema(const lm_key* key)
{
	lm_key plain = *key;
	plain.flags &= ~LM_KEY_IN_TIME;
	json_t* number = key->kind == LM_KEY_FLAG ? of_type("boolean")
	                                          : number_schema(key, key->kind == LM_KEY_INTEGER ? "integer" : "number");
	return any_of(value_schema(&plain), keys_schema(number, lm_key_width(key)));
}

static json_t* value_schema(const lm_key* key)
{
	lm_key text = { .kind = LM_KEY_TEXT }, any = { .kind = LM_KEY_NUMBER };
	if (lm_key_in_time(key))
		return in_time_schema(key);
	switch (key->kind)
	{
		case LM_KEY_NUMBER: return number_schema(key, "number");
		case LM_KEY_INTEGER: return number_schema(key, "integer");
		case LM_KEY_FLAG: return of_type("boolean");
		case LM_KEY_TEXT:
		case LM_KEY_FILE:
		case LM_KEY_COLOR:
		case LM_KEY_CHOICE: return text_schema(key);
		case LM_KEY_VECTOR: return list_schema(number_schema(key, "number"), key->width, key->width);
		case LM_KEY_INTEGERS: return list_schema(number_schema(key, "integer"), key->width, key->width);
		case LM_KEY_BOX: return list_schema(list_schema(number_schema(&any, "number"), 3, 3), 2, 2);
		case LM_KEY_ROTATION:
			return any_of(list_schema(number_schema(&any, "number"), 4, 4), reference_to(&lm_rotation_table));
		case LM_KEY_KEYED: return keyed_schema(key);
		case LM_KEY_INDICES: return list_schema(number_schema(key, "integer"), 1, INT32_MAX / 4);
		case LM_KEY_NUMBERS: return rows_schema(key);
		case LM_KEY_TEXTS:
			if (key->flags & LM_KEY_OR_FALSE)
				return any_of(json_pack("{s:b}", "const", 0), list_schema(text_schema(&text), key->low, key->high));
			return list_schema(text_schema(&text), key->low, key->high);
		case LM_KEY_LIST: return list_schema(item_schema(key->table), key->low, key->high);
		case LM_KEY_MAP: return map_schema(key);
		case LM_KEY_INCLUDE: break;
		case LM_KEY_POINTER:
		case LM_KEY_TABLE:
			if (key->flags & LM_KEY_OR_FALSE)
				return any_of(json_pack("{s:b}", "const", 0), item_schema(key->table));
			return item_schema(key->table);
	}
	return NULL;
}

// ---- tables ----

static void add_properties(json_t* schema, const lm_table* table, const void* item)
{
	json_t *properties = json_object(), *required = json_array();
	for (int32_t i = 0; i < lm_table_count(table); ++i)
	{
		lm_key found = lm_table_key(table, i), *key = &found;
		json_t *property = json_object(), *usual = lm_key_default(key, item);
		json_object_set_new(property, "description",
		                    key->unit != NULL ? json_sprintf("%s [%s]", key->help, key->unit) : json_string(key->help));
		json_object_update_new(property, value_schema(key));
		if (usual != NULL)
			json_object_set_new(property, "default", usual);
		json_object_set_new(properties, key->name, property);
		if (key->flags & LM_KEY_REQUIRED)
			json_array_append_new(required, json_string(key->name));
	}
	json_object_set_new(schema, "type", json_string("object"));
	json_object_set_new(schema, "description", json_string(table->help));
	json_object_set_new(schema, "properties", properties);
	json_object_set_new(schema, "required", required);
	json_object_set_new(schema, "additionalProperties", json_false());
}

// False when out of memory.
static bool add_table_schema(const lm_host* host, json_t* schema, const lm_table* table)
{
	void* item = lm_alloc(host, 1, table->size);
	if (item == NULL)
		return false;
	lm_table_defaults(table, item);
	add_properties(schema, table, item);
	lm_free(host, item);
	return true;
}

char* lm_table_schema(const lm_host* host, const lm_table* root, const char* title)
{
	const lm_table* tables[LM_MOST_TABLES];
	int32_t count = lm_all_tables(root, tables, LM_MOST_TABLES);
	json_t *schema = json_object(), *definitions = json_object();
	json_object_set_new(schema, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
	json_object_set_new(schema, "title", json_string(title));
	bool good = add_table_schema(host, schema, tables[0]);
	for (int32_t i = 1; i < count && good; ++i)
	{
		json_t* definition = json_object();
		json_object_set_new(definitions, tables[i]->name, definition);
		good = add_table_schema(host, definition, tables[i]);
	}
	json_object_set_new(schema, "$defs", definitions);
	char* dumped = good ? json_dumps(schema, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) : NULL;
	json_decref(schema);
	size_t length = dumped != NULL ? strlen(dumped) : 0;
	char* text = dumped != NULL ? lm_alloc(host, length + 2, 1) : NULL;
	if (text != NULL)
	{
		memcpy(text, dumped, length);
		text[length] = '\n';
	}
	free(dumped);
	return text;
}
