// blob.h: bytes written in order and read back in order: checkpoints. Reading checks every length.
#ifndef LM_BASE_BLOB_H
#define LM_BASE_BLOB_H

#include "limber/base.h"

typedef struct lm_blob
{
	lm_host host;
	unsigned char* data;
	size_t size;     // bytes written
	size_t capacity; // bytes allocated
	size_t cursor;   // next byte to be read
	bool failed;     // out of memory while writing, or reading past the end: checked once, at the end
} lm_blob;

void lm_blob_init(lm_blob* blob, const lm_host* host);
void lm_blob_release(lm_blob* blob);
void lm_blob_put(lm_blob* blob, const void* data, size_t bytes);

// Fills data with zeros and marks the blob as failed when fewer bytes are left.
void lm_blob_get(lm_blob* blob, void* data, size_t bytes);

// A part of a state that is plain memory. Engines list theirs once, for hashing, saving and loading.
typedef struct lm_bytes
{
	void* data;
	size_t bytes;
} lm_bytes;

size_t lm_bytes_count(const lm_bytes* parts, int count);
uint64_t lm_bytes_hash(const lm_bytes* parts, int count, uint64_t hash);
void lm_bytes_put(const lm_bytes* parts, int count, lm_blob* blob);
void lm_bytes_get(const lm_bytes* parts, int count, lm_blob* blob);

#endif
