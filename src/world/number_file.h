// number_file.h: the numbers of every frame of a run as a CSV file.
#ifndef LM_WORLD_NUMBER_FILE_H
#define LM_WORLD_NUMBER_FILE_H

#include "base/error.h"
#include "base/file.h"
#include "world/world.h"

typedef struct lm_number_file
{
	lm_output output;
	bool open; // else nothing is written
} lm_number_file;

// With the row of the frame that the world is at, or, resumed, with those that the file has up to it.
lm_status lm_number_file_open(lm_number_file* file, const lm_world* world, const char* path, bool resumed,
                              lm_error* error);
lm_status lm_number_file_add(lm_number_file* file, const lm_world* world, lm_error* error);
lm_status lm_number_file_close(lm_number_file* file, bool keep, lm_error* error);

#endif
