// cache_format.h: the bytes of a run cache (.lmc), all in the byte order of the machine that wrote it, every item on a
// multiple of 8 bytes:
//
//   header  "LMCACHE" 0; u32 byte order mark, u32 version; u64 bytes of the header, u64 bytes of a frame;
//           f64 fps, u64 fingerprint, u64 object count; text scene;
//           per object: text name; i32 vertices, triangles, faces, corners of faces, fixed, 0; f32 colour x 3, 0;
//           i32 triangles x 3; if there are faces: i32 starts, i32 vertices; if fixed: f64 positions x 3;
//           u64 check sum of all that
//   frame   u64 number; per object that is not fixed: f64 origin x 3, f32 positions x 3 relative to it;
//           u64 check sum of all that
//
// A text is a u64 length and the bytes, at least one zero byte behind.
#ifndef LM_IO_CACHE_FORMAT_H
#define LM_IO_CACHE_FORMAT_H

#include "base/blob.h"
#include "limber/io.h"

#define LM_CACHE_VERSION 1
#define LM_CACHE_PREFIX 32 // bytes up to and with the lengths

// Bytes of a frame, 0 when no such frame can be.
uint64_t lm_cache_frame_bytes(const lm_cache_info* info);

// The header of a new cache. Problems of the info itself (a corner that is no vertex, positions that are not finite)
// are LM_BAD_INPUT.
lm_status lm_cache_encode_header(const lm_cache_info* info, const char* path, lm_blob* blob, lm_error* error);

// The lengths in the first LM_CACHE_PREFIX bytes of a file, checked against its size as far as possible.
lm_status lm_cache_decode_prefix(const unsigned char* prefix, uint64_t file_size, const char* path,
                                 uint64_t* header_bytes, uint64_t* frame_bytes, lm_error* error);

// The whole header. Texts and arrays of *info point into it, so it must be aligned to 8 bytes; the objects are made
// with the host's allocator, for the caller to free.
lm_status lm_cache_decode_header(const lm_host* host, const unsigned char* header, const char* path,
                                 lm_cache_info* info, lm_error* error);

// A frame of positions as lm_cache_write_frame takes them into lm_cache_frame_bytes bytes.
lm_status lm_cache_encode_frame(const lm_cache_info* info, uint64_t number, const double* const* positions,
                                const char* path, unsigned char* frame, lm_error* error);
// The check sum and number of a frame are right.
bool lm_cache_frame_is_whole(const unsigned char* frame, uint64_t frame_bytes, uint64_t number);
// Positions of one object from a whole frame.
lm_status lm_cache_decode_frame(const lm_cache_info* info, const unsigned char* frame, int64_t number, int32_t object,
                                const char* path, double* positions, lm_error* error);

#endif
