// document.h: what the two documents made from the tables, JSON Schema and reference page, share.
#ifndef LM_SCENE_DOCUMENT_H
#define LM_SCENE_DOCUMENT_H

#include "scene/keys.h"

#include <jansson.h>

// The tables in the order in which they are first mentioned, the scene first; at most `capacity`. Returns the count.
int32_t lm_all_tables(const lm_table** tables, int32_t capacity);

enum
{
	LM_MOST_TABLES = 64
};

// The default of a key as JSON, from an item with defaults. NULL when it has none, or one in words only.
json_t* lm_key_default(const lm_key* key, const void* item);

#endif
