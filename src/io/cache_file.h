// cache_file.h: a cache in an open file, for tests that have no path.
#ifndef LM_IO_CACHE_FILE_H
#define LM_IO_CACHE_FILE_H

#include "limber/io.h"

// Takes the descriptor over: lm_cache_destroy, or failing, closes it.
lm_status lm_cache_open_file(int descriptor, uint64_t size, const char* path, const lm_host* host, lm_cache** cache,
                             lm_error* error);

#endif
