// write.h: JSON as text that people can read and edit.
#ifndef LM_FORMAT_WRITE_H
#define LM_FORMAT_WRITE_H

#include "limber/base.h"

#include <jansson.h>

// What fits on a line stays on it; lists of numbers fill their lines. Numbers come back to the bit. Caller frees with
// lm_free; NULL when out of memory.
char* lm_json_write(const json_t* json, const lm_host* host);

#endif
