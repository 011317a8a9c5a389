// cache_file.h: caches step by step, for runs that are resumed after whatever has happened, and for tests.
#ifndef LM_IO_CACHE_FILE_H
#define LM_IO_CACHE_FILE_H

#include "limber/io.h"

// Takes the descriptor over: lm_cache_destroy, or failing, closes it.
lm_status lm_cache_open_file(int descriptor, uint64_t size, const char* path, const lm_host* host, lm_cache** cache,
                             lm_error* error);

// How many frames at the beginning are whole; all of them are read, since a power cut may have lost any.
lm_status lm_cache_count_sound(lm_cache* cache, int64_t* frame_count, lm_error* error);

// An existing cache, to go on with: no other run can write it until the writer is closed. *frame_count: those at the
// beginning that are whole. Its info must equal `info`, except for the path of the scene. Nothing is changed yet.
lm_status lm_cache_reopen(const char* path, const lm_cache_info* info, const lm_host* host, int64_t* frame_count,
                          lm_cache_writer** writer, lm_error* error);
// Keeps the first frames, of those that are whole.
lm_status lm_cache_cut(lm_cache_writer* writer, int64_t frame_count, lm_error* error);
// On return the frames so far survive a power cut.
lm_status lm_cache_sync(lm_cache_writer* writer, lm_error* error);

#endif
