// reference.c: the tables of table.h as a page of Markdown, with an introduction by hand.
#include "base/alloc.h"
#include "base/blob.h"
#include "format/document.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void put(lm_blob* blob, const char* text)
{
	lm_blob_put(blob, text, strlen(text));
}

// A heading as the address of a link: "key of design" is #key-of-design.
static void put_anchor(lm_blob* blob, const char* heading)
{
	for (const char* c = heading; *c != 0; ++c)
		lm_blob_put(blob, *c == ' ' ? "-" : c, 1);
}

// Values as the introduction's table calls them.
static void put_kind(lm_blob* blob, const lm_key* key)
{
	char text[300];
	if (lm_key_in_time(key))
	{
		put(blob, key->kind == LM_KEY_NUMBER    ? "keyed number"
		          : key->kind == LM_KEY_INTEGER ? "keyed whole number"
		          : key->kind == LM_KEY_FLAG    ? "keyed flag"
		                                        : "keyed vector");
		return;
	}
	switch (key->kind)
	{
		case LM_KEY_FILE: put(blob, "file"); return;
		case LM_KEY_COLOR: put(blob, "colour"); return;
		case LM_KEY_ROTATION: put(blob, "rotation"); return;
		case LM_KEY_KEYED: put(blob, key->width == 1 ? "keyed number" : "keyed vector"); return;
		case LM_KEY_INDICES: put(blob, "vertices"); return;
		case LM_KEY_TABLE:
		case LM_KEY_POINTER:
		case LM_KEY_LIST:
		case LM_KEY_MAP:
			put(blob, key->kind == LM_KEY_LIST ? "list of " : key->kind == LM_KEY_MAP ? "by name: " : "");
			put(blob, "[");
			put(blob, key->table->name);
			put(blob, "](#");
			put_anchor(blob, key->table->name);
			put(blob, key->flags & LM_KEY_OR_FALSE ? ") or `false`" : ")");
			return;
		default: break;
	}
	lm_key_expected(key, text, sizeof text);
	put(blob, text);
}

static void put_range(lm_blob* blob, const lm_key* key)
{
	char text[100];
	bool counted = key->kind == LM_KEY_LIST || key->kind == LM_KEY_MAP || key->kind == LM_KEY_TEXTS;
	if (counted || key->kind == LM_KEY_INDICES || (key->kind == LM_KEY_NUMBERS && key->width > 1) ||
	    key->kind == LM_KEY_TABLE || key->kind == LM_KEY_POINTER)
		return;
	if (key->low == key->high && key->low != 0) // said already
		return;
	lm_key_range_text(key, text, sizeof text);
	if (text[0] != 0)
		put(blob, ", ");
	put(blob, text);
}

static void put_default(lm_blob* blob, const lm_key* key, const void* item)
{
	json_t* value = lm_key_default(key, item);
	char* text = value != NULL ? json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)) : NULL;
	if (key->flags & LM_KEY_REQUIRED)
		put(blob, "**required**");
	else if (text != NULL)
	{
		put(blob, "`");
		put(blob, text);
		put(blob, "`");
	}
	else if (key->usual != NULL)
		put(blob, key->usual);
	free(text);
	json_decref(value);
}

static void put_table(lm_blob* blob, const lm_table* table, const void* item)
{
	put(blob, "\n## ");
	put(blob, table->name);
	put(blob, "\n\n");
	put(blob, table->help);
	put(blob, "\n\n| key | value | default | meaning |\n| --- | --- | --- | --- |\n");
	for (int32_t i = 0; i < lm_table_count(table); ++i)
	{
		lm_key found = lm_table_key(table, i), *key = &found;
		put(blob, "| `");
		put(blob, key->name);
		put(blob, "` | ");
		put_kind(blob, key);
		put_range(blob, key);
		if (key->unit != NULL)
		{
			put(blob, "; ");
			put(blob, key->unit);
		}
		put(blob, " | ");
		put_default(blob, key, item);
		put(blob, " | ");
		put(blob, key->help);
		put(blob, " |\n");
	}
}

char* lm_table_reference(const lm_host* host, const lm_table* root, const char* introduction)
{
	lm_blob blob;
	lm_blob_init(&blob, host);
	put(&blob, introduction);
	const lm_table* tables[LM_MOST_TABLES];
	int32_t count = lm_all_tables(root, tables, LM_MOST_TABLES);
	for (int32_t i = 0; i < count; ++i)
	{
		void* item = lm_alloc(host, 1, tables[i]->size);
		if (item != NULL)
		{
			lm_table_defaults(tables[i], item);
			put_table(&blob, tables[i], item);
		}
		blob.failed |= item == NULL;
		lm_free(host, item);
	}
	char* text = blob.failed ? NULL : lm_alloc(host, blob.size + 1, 1);
	if (text != NULL)
		memcpy(text, blob.data, blob.size);
	lm_blob_release(&blob);
	return text;
}
