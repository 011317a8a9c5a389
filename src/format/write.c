// write.c: see write.h.
#include "format/write.h"

#include "base/blob.h"
#include "io/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
	WIDTH = 110,
	INDENT = 2
};

static void put(lm_blob* blob, const char* text)
{
	lm_blob_put(blob, text, strlen(text));
}

static void put_line(lm_blob* blob, int depth)
{
	put(blob, "\n");
	for (int i = 0; i < INDENT * depth; ++i)
		put(blob, " ");
}

static void put_scalar(lm_blob* blob, const json_t* json)
{
	char number[LM_NUMBER_LENGTH];
	if (json_is_real(json))
	{
		double x = json_real_value(json);
		lm_number_write(x, number);
		put(blob, x == 0 && signbit(x) ? "-0.0" : number);
		return;
	}
	char* text = json_dumps(json, JSON_ENCODE_ANY);
	if (text != NULL)
		put(blob, text);
	blob->failed |= text == NULL;
	free(text);
}

static void put_name(lm_blob* blob, const char* name)
{
	json_t* text = json_string(name);
	put_scalar(blob, text);
	put(blob, ": ");
	json_decref(text);
}

static bool is_scalar(const json_t* json)
{
	return !json_is_array(json) && !json_is_object(json);
}

// All on one line.
static void put_flat(lm_blob* blob, const json_t* json)
{
	const char* name;
	json_t* item;
	size_t i;
	if (json_is_array(json))
	{
		put(blob, "[");
		json_array_foreach(json, i, item)
		{
			put(blob, i > 0 ? ", " : "");
			put_flat(blob, item);
		}
		put(blob, "]");
	}
	else if (json_is_object(json))
	{
		i = 0;
		put(blob, "{");
		json_object_foreach((json_t*)json, name, item)
		{
			put(blob, i++ > 0 ? ", " : " ");
			put_name(blob, name);
			put_flat(blob, item);
		}
		put(blob, i > 0 ? " }" : "}");
	}
	else
		put_scalar(blob, json);
}

static size_t flat_size(const lm_host* host, const json_t* json)
{
	lm_blob blob;
	lm_blob_init(&blob, host);
	put_flat(&blob, json);
	size_t size = blob.size;
	lm_blob_release(&blob);
	return size;
}

// Scalars, as many on a line as fit.
static void put_filled(lm_blob* blob, const json_t* list, int depth)
{
	size_t i, column = 0;
	json_t* item;
	json_array_foreach(list, i, item)
	{
		size_t size = flat_size(&blob->host, item) + 2;
		put(blob, i > 0 ? "," : "");
		if (i == 0 || column + size > WIDTH)
			put_line(blob, depth), column = (size_t)(INDENT * depth);
		else
			put(blob, " ");
		put_flat(blob, item);
		column += size;
	}
}

static void put_value(lm_blob* blob, const json_t* json, int depth, size_t column)
{
	const char* name;
	json_t* item;
	size_t i = 0;
	if (is_scalar(json) || (depth > 0 && column + flat_size(&blob->host, json) <= WIDTH))
		put_flat(blob, json);
	else if (json_is_object(json))
	{
		put(blob, "{");
		json_object_foreach((json_t*)json, name, item)
		{
			put(blob, i++ > 0 ? "," : "");
			put_line(blob, depth + 1);
			put_name(blob, name);
			put_value(blob, item, depth + 1, (size_t)(INDENT * (depth + 1)) + strlen(name) + 4);
		}
		put_line(blob, depth);
		put(blob, "}");
	}
	else
	{
		bool scalars = true;
		json_array_foreach(json, i, item) scalars &= is_scalar(item);
		put(blob, "[");
		if (scalars)
			put_filled(blob, json, depth + 1);
		json_array_foreach(json, i, item)
		{
			if (scalars)
				break;
			put(blob, i > 0 ? "," : "");
			put_line(blob, depth + 1);
			put_value(blob, item, depth + 1, (size_t)(INDENT * (depth + 1)));
		}
		put_line(blob, depth);
		put(blob, "]");
	}
}

char* lm_json_write(const json_t* json, const lm_host* host)
{
	lm_blob blob;
	lm_blob_init(&blob, host);
	put_value(&blob, json, 0, 0);
	lm_blob_put(&blob, "\n", 2); // and the zero byte
	if (!blob.failed)
		return (char*)blob.data;
	lm_blob_release(&blob);
	return NULL;
}
