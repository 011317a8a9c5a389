// syntax.h: parses JSON, with error messages for authors.
#ifndef LM_FORMAT_SYNTAX_H
#define LM_FORMAT_SYNTAX_H

#include "limber/base.h"

#include <jansson.h>

// The JSON in a buffer; the caller drops the reference. NULL, and *error at its line, when there is a mistake in it.
json_t* lm_json_parse(const char* path, const void* data, size_t size, lm_error* error);

#endif
