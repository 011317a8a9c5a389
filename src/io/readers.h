// readers.h: one function per format, from a file that was read whole. The data has a zero byte behind its end; path
// is only named in errors.
#ifndef LM_IO_READERS_H
#define LM_IO_READERS_H

#include "limber/mesh.h"

lm_status lm_obj_parse(const lm_host* host, const char* path, const void* data, size_t size, lm_mesh** mesh,
                       lm_error* error);
lm_status lm_ply_parse(const lm_host* host, const char* path, const void* data, size_t size, lm_mesh** mesh,
                       lm_error* error);
lm_status lm_stl_parse(const lm_host* host, const char* path, const void* data, size_t size, lm_mesh** mesh,
                       lm_error* error);
lm_status lm_msh_parse(const lm_host* host, const char* path, const void* data, size_t size, lm_mesh** mesh,
                       lm_error* error);

// One of the two files of TetGen. elements may be NULL: points only.
typedef struct lm_tetgen_file
{
	const char* path;
	const void* data;
	size_t size;
} lm_tetgen_file;
lm_status lm_tetgen_parse(const lm_host* host, const lm_tetgen_file* nodes, const lm_tetgen_file* elements,
                          lm_mesh** mesh, lm_error* error);

#endif
