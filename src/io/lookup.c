#include "io/lookup.h"

#include "base/alloc.h"

void lm_lookup_init(lm_lookup* lookup, const lm_host* host)
{
	*lookup = (lm_lookup){ .host = *host };
}

void lm_lookup_release(lm_lookup* lookup)
{
	lm_free(&lookup->host, lookup->slots);
	lm_free(&lookup->host, lookup->hashes);
	lm_lookup_init(lookup, &lookup->host);
}

int32_t lm_lookup_find(const lm_lookup* lookup, uint64_t hash, const void* key, lm_same_fn* same, const void* context)
{
	if (lookup->count == 0)
		return -1;
	size_t mask = lookup->slot_count - 1;
	for (size_t s = hash & mask; lookup->slots[s] != 0; s = (s + 1) & mask)
	{
		int32_t item = lookup->slots[s] - 1;
		if (lookup->hashes[item] == hash && same(context, item, key))
			return item;
	}
	return -1;
}

static void place(int32_t* slots, size_t slot_count, uint64_t hash, int32_t item)
{
	size_t mask = slot_count - 1, s = hash & mask;
	while (slots[s] != 0)
		s = (s + 1) & mask;
	slots[s] = item + 1;
}

bool lm_lookup_add(lm_lookup* lookup, uint64_t hash)
{
	void* hashes = lookup->hashes;
	if (lookup->count == INT32_MAX ||
	    !lm_grow(&lookup->host, &hashes, &lookup->hash_capacity, (size_t)lookup->count + 1, sizeof(uint64_t)))
		return false;
	lookup->hashes = hashes;
	if (((size_t)lookup->count + 1) * 2 > lookup->slot_count) // at most half full
	{
		size_t larger = lookup->slot_count == 0 ? 64 : lookup->slot_count * 2;
		int32_t* slots = LM_NEW(&lookup->host, larger, int32_t);
		if (slots == NULL)
			return false;
		for (int32_t i = 0; i < lookup->count; ++i)
			place(slots, larger, lookup->hashes[i], i);
		lm_free(&lookup->host, lookup->slots);
		lookup->slots = slots;
		lookup->slot_count = larger;
	}
	lookup->hashes[lookup->count] = hash;
	place(lookup->slots, lookup->slot_count, hash, lookup->count++);
	return true;
}
