// alloc.h: all of limber's own memory goes through these, so that a host can count, limit or fail it.
#ifndef LM_BASE_ALLOC_H
#define LM_BASE_ALLOC_H

#include "limber/base.h"

// Zeroed memory for count items of size bytes, aligned to 64 bytes (a cache line, any SIMD vector). NULL when the
// host has none left or count * size overflows. count 0 gives a valid pointer, so NULL always means failure.
void* lm_alloc(const lm_host* host, size_t count, size_t size);

// Frees what lm_alloc returned; NULL is fine.
void lm_free(const lm_host* host, void* memory);

// Makes *memory hold at least needed items: keeps what is there, zeroes the rest, grows by half so that pushing is
// amortised. *capacity counts items. On failure both stay as they were.
bool lm_grow(const lm_host* host, void** memory, size_t* capacity, size_t needed, size_t size);

#define LM_NEW(host, count, type) ((type*)lm_alloc((host), (size_t)(count), sizeof(type)))

// A copy in the host's memory.
void* lm_copy(const lm_host* host, const void* source, size_t count, size_t size);
char* lm_copy_text(const lm_host* host, const char* text);

#endif
