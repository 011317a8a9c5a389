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

typedef enum lm_bytes_kind
{
	LM_BYTES_DOUBLE,
	LM_BYTES_FLOAT,
	LM_BYTES_BOOL,
	LM_BYTES_INT32,
	LM_BYTES_INT64
} lm_bytes_kind;

// A part of a state that is plain memory: numbers of one kind. Engines list theirs once, for hashing, saving and
// loading.
typedef struct lm_bytes
{
	void* data;
	size_t bytes;
	lm_bytes_kind kind;
	double low, high; // what each number may be
} lm_bytes;

#define LM_STATE_LARGEST 1e30 // of numbers that know no other bound

static inline lm_bytes lm_doubles_in(double* data, size_t count, double low, double high)
{
	return (lm_bytes){ data, count * sizeof *data, LM_BYTES_DOUBLE, low, high };
}

static inline lm_bytes lm_doubles(double* data, size_t count)
{
	return lm_doubles_in(data, count, -LM_STATE_LARGEST, LM_STATE_LARGEST);
}

static inline lm_bytes lm_floats_in(float* data, size_t count, double low, double high)
{
	return (lm_bytes){ data, count * sizeof *data, LM_BYTES_FLOAT, low, high };
}

static inline lm_bytes lm_floats(float* data, size_t count)
{
	return lm_floats_in(data, count, -LM_STATE_LARGEST, LM_STATE_LARGEST);
}

static inline lm_bytes lm_bools(bool* data, size_t count)
{
	return (lm_bytes){ data, count * sizeof *data, LM_BYTES_BOOL, 0, 1 };
}

static inline lm_bytes lm_ints_in(int32_t* data, size_t count, double low, double high)
{
	return (lm_bytes){ data, count * sizeof *data, LM_BYTES_INT32, low, high };
}

// What has been counted.
static inline lm_bytes lm_counts(int64_t* data, size_t count)
{
	return (lm_bytes){ data, count * sizeof *data, LM_BYTES_INT64, 0, 1e15 };
}

size_t lm_bytes_count(const lm_bytes* parts, int count);
uint64_t lm_bytes_hash(const lm_bytes* parts, int count, uint64_t hash);
void lm_bytes_put(const lm_bytes* parts, int count, lm_blob* blob);
// Marks the blob as failed when a number is not what it may be.
void lm_bytes_get(const lm_bytes* parts, int count, lm_blob* blob);
// Whether all numbers are what they may be. For memory that was loaded in one piece: no value of it has been used yet,
// so that a byte which is no bool does no harm.
bool lm_bytes_sound(const lm_bytes* parts, int count);

#endif
