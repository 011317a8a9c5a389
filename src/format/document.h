// document.h: what the two documents made from the tables, JSON Schema and reference page, share.
#ifndef LM_FORMAT_DOCUMENT_H
#define LM_FORMAT_DOCUMENT_H

#include "format/table.h"

#include <jansson.h>

// The tables in the order in which they are first mentioned, `root` first; at most `capacity`. Returns the count.
int32_t lm_all_tables(const lm_table* root, const lm_table** tables, int32_t capacity);

enum
{
	LM_MOST_TABLES = 64
};

// The default of a key as JSON, from an item with defaults. NULL when it has none, or one in words only.
json_t* lm_key_default(const lm_key* key, const void* item);

// A plain value (numbers, flags, choices, vectors, colours) in an item, as JSON; NULL for all else, and what has no
// place in JSON: infinity.
json_t* lm_key_value(const lm_key* key, const void* item);

// The tables as a JSON Schema (draft 2020-12), and as a page of Markdown; freed with lm_text_free, NULL when out of
// memory.
char* lm_table_schema(const lm_host* host, const lm_table* root, const char* title);
char* lm_table_reference(const lm_host* host, const lm_table* root, const char* introduction);

#endif
