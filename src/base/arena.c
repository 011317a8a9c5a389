#include "base/arena.h"

#include "base/alloc.h"

struct lm_arena_block
{
	lm_arena_block* next;
	size_t capacity; // bytes in data
	size_t used;
	unsigned char* data;
};

void lm_arena_init(lm_arena* arena, const lm_host* host)
{
	*arena = (lm_arena){ .host = *host };
}

void lm_arena_release(lm_arena* arena)
{
	for (lm_arena_block* block = arena->first; block != NULL;)
	{
		lm_arena_block* next = block->next;
		lm_free(&arena->host, block->data);
		lm_free(&arena->host, block);
		block = next;
	}
	arena->first = arena->current = NULL;
}

static lm_arena_block* add_block(lm_arena* arena, size_t bytes)
{
	size_t capacity = arena->current != NULL ? 2 * arena->current->capacity : 1 << 16;
	if (capacity < bytes)
		capacity = bytes;
	lm_arena_block* block = LM_NEW(&arena->host, 1, lm_arena_block);
	if (block == NULL)
		return NULL;
	block->data = lm_alloc(&arena->host, capacity, 1);
	if (block->data == NULL)
	{
		lm_free(&arena->host, block);
		return NULL;
	}
	block->capacity = capacity;
	if (arena->current != NULL)
		arena->current->next = block;
	else
		arena->first = block;
	return block;
}

void* lm_arena_take(lm_arena* arena, size_t count, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX - 64)
		return NULL;
	bytes = (bytes + 63) & ~(size_t)63;
	while (arena->current == NULL || arena->current->capacity - arena->current->used < bytes)
	{
		lm_arena_block* next = arena->current != NULL ? arena->current->next : arena->first;
		if (next == NULL)
			next = add_block(arena, bytes);
		if (next == NULL)
			return NULL;
		next->used = 0;
		arena->current = next;
	}
	void* memory = arena->current->data + arena->current->used;
	arena->current->used += bytes;
	return memory;
}

void lm_arena_reset(lm_arena* arena)
{
	arena->current = arena->first;
	if (arena->first != NULL)
		arena->first->used = 0;
}
