// file.h: whole files in, whole files out. An output is written under a temporary name in the same folder and renamed
// when complete: readers see the old file or the new one, never half of one.
#ifndef LM_BASE_FILE_H
#define LM_BASE_FILE_H

#include "limber/base.h"

#include <stdio.h>

// Reads path into fresh memory with a zero byte behind the last one (so text can be scanned). max_bytes guards
// against absurd files. A missing file or folder is LM_BAD_INPUT with a sentence that says so. "-" is the standard
// input; it and pipes are read to their end, and refused when nothing comes through them for 5 s.
lm_status lm_file_read(const lm_host* host, const char* path, size_t max_bytes, unsigned char** data, size_t* size,
                       lm_error* error);

// Goes on from *hash (hash.h) with the bytes of a regular file.
lm_status lm_file_hash(const char* path, uint64_t* hash, lm_error* error);

typedef struct lm_output
{
	FILE* file; // write here with fwrite/fprintf; errors are collected and reported by lm_output_commit
	char* path;
	char* temporary;
	lm_host host;
	bool durable; // set before the commit: then it survives a power cut once it is committed
} lm_output;

// Folders that are missing on the way to path are made.
lm_status lm_output_open(const lm_host* host, const char* path, lm_output* output, lm_error* error);
// Flushes, checks, renames. On failure the temporary file is removed. Either way the output is closed.
lm_status lm_output_commit(lm_output* output, lm_error* error);
// Removes the temporary file. Does nothing on an output that was committed or never opened (zeroed).
void lm_output_abandon(lm_output* output);

// Names that were given or taken away in the folder of path survive a power cut from now on.
void lm_sync_folder_of(const char* path);

// mkdir -p of the folder that path lies in.
lm_status lm_make_folder_of(const char* path, lm_error* error);

// "folder/of/base" + name, unless name is absolute: how files named in a file are found. NULL when out of memory.
char* lm_path_beside(const lm_host* host, const char* base, const char* name);

// The part behind the last dot of the last path component, "" if none. Compare with lm_same_ending.
const char* lm_path_ending(const char* path);
bool lm_same_ending(const char* path, const char* ending); // ignores case

#endif
