#include "base/hash.h"

#include <string.h>

// One word: multiply, then fold the high half down so that every input bit reaches every output bit in two rounds.
static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ (hash >> 32);
}

uint64_t lm_hash(uint64_t hash, const void* data, size_t bytes)
{
	const unsigned char* next = data;
	size_t left = bytes;
	for (; left >= 8; left -= 8, next += 8)
	{
		uint64_t word;
		memcpy(&word, next, 8);
		hash = mix(hash, word);
	}
	uint64_t tail = 0;
	if (left > 0)
		memcpy(&tail, next, left);
	return mix(mix(hash, tail), bytes);
}
