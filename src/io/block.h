// block.h: pieces of large files that are not read whole.
#ifndef LM_IO_BLOCK_H
#define LM_IO_BLOCK_H

#include "limber/base.h"

// Opens an existing regular file, to be closed with close. Writing also needs it to be there.
lm_status lm_block_open(const char* path, bool write, int* descriptor, uint64_t* size, lm_error* error);
// All bytes or a failure: LM_BAD_INPUT when the file is too short, LM_IO_FAILED when the system refuses.
lm_status lm_block_read(int descriptor, const char* path, void* data, size_t bytes, uint64_t offset, lm_error* error);
// LM_IO_FAILED with the system's reason; some of the bytes may be in the file then.
lm_status lm_block_write(int descriptor, const char* path, const void* data, size_t bytes, uint64_t offset,
                         lm_error* error);

#endif
