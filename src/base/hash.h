// hash.h: a 64-bit hash of state, for determinism tests and checkpoints. Not cryptographic.
#ifndef LM_BASE_HASH_H
#define LM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define LM_HASH_START UINT64_C(0xcbf29ce484222325)

uint64_t lm_hash(uint64_t hash, const void* data, size_t bytes);

#endif
