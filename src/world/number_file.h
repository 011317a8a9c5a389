// number_file.h: the numbers of every frame of a run as a CSV file.
#ifndef LM_WORLD_NUMBER_FILE_H
#define LM_WORLD_NUMBER_FILE_H

#include "base/error.h"
#include "base/file.h"
#include "world/world.h"

typedef struct lm_number_file
{
	FILE* file; // NULL: nothing is written
	char path[4096], part[4096 + 8];
} lm_number_file;

// With the row of the frame that the world is at, or, resumed, with those that the file has up to it.
lm_status lm_number_file_open(lm_number_file* file, const lm_world* world, const char* path, bool resumed,
                              lm_error* error);
lm_status lm_number_file_add(lm_number_file* file, const lm_world* world, lm_error* error);
// Before a checkpoint: whenever that is there, even after a power cut, so are the rows up to it.
lm_status lm_number_file_save(lm_number_file* file, lm_error* error);
// `whole`: it gets its name; else the rows stay where a run that is resumed finds them.
lm_status lm_number_file_close(lm_number_file* file, bool whole, lm_error* error);

#endif
