// lookup.h: a hash table of items 0, 1, 2 ... The caller keeps the items and compares them.
#ifndef LM_IO_LOOKUP_H
#define LM_IO_LOOKUP_H

#include "limber/base.h"

typedef struct lm_lookup
{
	lm_host host;
	int32_t* slots; // index + 1, or 0 for an empty slot; a power of two of them
	size_t slot_count;
	uint64_t* hashes; // of the items
	size_t hash_capacity;
	int32_t count;
} lm_lookup;

typedef bool lm_same_fn(const void* context, int32_t item, const void* key);

void lm_lookup_init(lm_lookup* lookup, const lm_host* host);
void lm_lookup_release(lm_lookup* lookup);

// The item equal to key, or -1.
int32_t lm_lookup_find(const lm_lookup* lookup, uint64_t hash, const void* key, lm_same_fn* same, const void* context);
// Adds item number `count`, which must not be there yet. False when out of memory.
bool lm_lookup_add(lm_lookup* lookup, uint64_t hash);

#endif
