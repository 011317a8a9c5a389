// document_print.c: JSON as a person would write it: objects over several lines, lists of plain values in one.
#include "document.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct printer
{
	char* text;
	size_t size, capacity;
	bool failed;
} printer;

static void put_bytes(printer* p, const char* bytes, size_t size)
{
	if (p->size + size + 1 > p->capacity && !p->failed)
	{
		size_t capacity = 2 * (p->capacity + size) + 256;
		char* grown = realloc(p->text, capacity);
		p->failed = grown == NULL;
		p->text = grown != NULL ? grown : p->text;
		p->capacity = grown != NULL ? capacity : p->capacity;
	}
	if (p->failed)
		return;
	memcpy(p->text + p->size, bytes, size);
	p->size += size;
	p->text[p->size] = 0;
}

static void put(printer* p, const char* text)
{
	put_bytes(p, text, strlen(text));
}

static void put_line(printer* p, int depth)
{
	put(p, "\n");
	for (int i = 0; i < depth; ++i)
		put(p, "\t");
}

// As few digits as bring the number back to the bit.
static void put_real(printer* p, double x)
{
	char text[40];
	for (int digits = 6; digits <= 17; ++digits)
	{
		snprintf(text, sizeof text, "%.*g", digits, x);
		if (strtod(text, NULL) == x)
			break;
	}
	put(p, text);
	if (strpbrk(text, ".e") == NULL)
		put(p, ".0");
}

static void put_plain(printer* p, const json_t* json)
{
	if (json_is_real(json))
	{
		put_real(p, json_real_value(json));
		return;
	}
	char* text = json_dumps(json, JSON_ENCODE_ANY | JSON_COMPACT);
	p->failed |= text == NULL;
	if (text != NULL)
		put(p, text);
	free(text);
}

static bool is_plain(const json_t* json)
{
	return !json_is_object(json) && !json_is_array(json);
}

// Lists of numbers and texts, and lists of such short lists as keys are.
static bool fits_line(const json_t* json)
{
	bool fits = json_is_array(json);
	for (size_t i = 0; fits && i < json_array_size(json); ++i)
	{
		const json_t* item = json_array_get(json, i);
		fits = is_plain(item) || (json_array_size(json) <= 8 && json_array_size(item) <= 8 && fits_line(item));
	}
	return fits;
}

static void put_value(printer* p, const json_t* json, int depth);

static void put_list(printer* p, const json_t* list, int depth)
{
	bool line = fits_line(list);
	put(p, "[");
	for (size_t i = 0; i < json_array_size(list); ++i)
	{
		put(p, i == 0 ? "" : line ? ", " : ",");
		if (!line)
			put_line(p, depth + 1);
		put_value(p, json_array_get(list, i), depth + 1);
	}
	if (!line && json_array_size(list) > 0)
		put_line(p, depth);
	put(p, "]");
}

static void put_object(printer* p, json_t* object, int depth)
{
	const char* key;
	json_t* value;
	bool first = true;
	put(p, "{");
	json_object_foreach(object, key, value)
	{
		json_t* name = json_string(key);
		put(p, first ? "" : ",");
		put_line(p, depth + 1);
		put_plain(p, name);
		put(p, ": ");
		put_value(p, value, depth + 1);
		json_decref(name);
		first = false;
	}
	if (!first)
		put_line(p, depth);
	put(p, "}");
}

static void put_value(printer* p, const json_t* json, int depth)
{
	if (json_is_array(json))
		put_list(p, json, depth);
	else if (json_is_object(json))
		put_object(p, (json_t*)json, depth);
	else
		put_plain(p, json);
}

char* document_print(const json_t* json)
{
	printer p = { 0 };
	put_value(&p, json, 0);
	put(&p, "\n");
	if (!p.failed)
		return p.text;
	free(p.text);
	return NULL;
}
