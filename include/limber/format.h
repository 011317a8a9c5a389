// format.h: shared by all input files: values that change over time, and lists of problems.
#ifndef LIMBER_FORMAT_H
#define LIMBER_FORMAT_H

#include "limber/base.h"

#ifdef __cplusplus
extern "C"
{
#endif

// A number that may change over time: piecewise linear between keys, constant outside. One key is a constant.
typedef struct lm_keyed
{
	int32_t count;
	double* times;
	double* values; // count x width, width given by the use
} lm_keyed;

// Value of keys at a time.
LM_API void lm_keyed_at(const lm_keyed* keyed, int32_t width, double time, double* value);

// The value of the last key at or before a time (before all keys: of the first), for what cannot be between two values.
LM_API void lm_keyed_held(const lm_keyed* keyed, int32_t width, double time, double* value);

// Settings that change over time: the key of each in scene files, and the keys of its value. Whole numbers and flags
// (0 or 1) hold until the next key.
typedef struct lm_keyed_setting
{
	const char* key;
	lm_keyed keys;
} lm_keyed_setting;

typedef struct lm_keyed_settings
{
	int32_t count;
	lm_keyed_setting* items;
} lm_keyed_settings;

// All problems found, in the order of the file.
typedef struct lm_problems
{
	int32_t count;
	lm_error* items;
	lm_host host;
} lm_problems;
LM_API void lm_problems_release(lm_problems* problems);

// Frees text that a function of limber returned.
LM_API void lm_text_free(const lm_host* host, char* text);

#ifdef __cplusplus
}
#endif
#endif
