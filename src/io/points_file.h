// points_file.h: a point cache in an open file, for tests that have no path.
#ifndef LM_IO_POINTS_FILE_H
#define LM_IO_POINTS_FILE_H

#include "limber/io.h"

// Takes the descriptor over: lm_points_destroy, or failing, closes it.
lm_status lm_points_open_file(int descriptor, uint64_t size, bool mdd, const char* path, const lm_host* host,
                              lm_points** points, lm_error* error);

#endif
