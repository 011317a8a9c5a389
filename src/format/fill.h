// fill.h: pieces of fill.c that are shared between its files.
#ifndef LM_FORMAT_FILL_H
#define LM_FORMAT_FILL_H

#include "format/reader.h"

// "text", "a number", "a list", ...
const char* lm_json_kind(const json_t* value);

// "is text, must be a number", where we are.
void lm_problem_kind(lm_reader* reader, const json_t* value, const lm_key* key);

// A number in the key's range; otherwise a problem where we are, and *number untouched.
bool lm_fill_number(lm_reader* reader, const lm_key* key, const json_t* value, double* number);

// One key, the preset.
void lm_keyed_preset(lm_reader* reader, const lm_key* key, lm_keyed* keyed);

// Whether a value is written as keys [[time, ...], ...].
bool lm_is_keys(const json_t* value);
// Keys of a setting, one more in the list; the first goes to the place of the value.
void lm_fill_in_time(lm_reader* reader, const lm_key* key, json_t* value, void* place, lm_keyed_settings* settings);

// Constant or keys.
void lm_fill_keyed(lm_reader* reader, const lm_key* key, json_t* value, lm_keyed* keyed);

#endif
