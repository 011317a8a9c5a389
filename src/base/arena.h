// arena.h: scratch memory that grows and is handed back all at once. Blocks never move, so pointers stay valid until
// the reset; after the first rounds an arena stops asking the host for memory.
#ifndef LM_BASE_ARENA_H
#define LM_BASE_ARENA_H

#include "limber/base.h"

typedef struct lm_arena_block lm_arena_block;

typedef struct lm_arena
{
	lm_host host;
	lm_arena_block* first;   // chain of blocks, each at least twice the one before
	lm_arena_block* current; // the one being filled
} lm_arena;

void lm_arena_init(lm_arena* arena, const lm_host* host);
void lm_arena_release(lm_arena* arena);

// Memory that is not zeroed, aligned to 64 bytes; NULL when out of memory.
void* lm_arena_take(lm_arena* arena, size_t count, size_t size);
#define LM_TAKE(arena, count, type) ((type*)lm_arena_take((arena), (size_t)(count), sizeof(type)))

void lm_arena_reset(lm_arena* arena);

#endif
