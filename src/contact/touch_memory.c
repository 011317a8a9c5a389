// touch_memory.c: touches that bodies keep from step to step.
#include "contact/touches.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"

void lm_touch_memory_init(lm_touch_memory* memory, const lm_host* host)
{
	*memory = (lm_touch_memory){ .host = *host };
}

void lm_touch_memory_release(lm_touch_memory* memory)
{
	lm_free(&memory->host, memory->records);
	memory->records = NULL, memory->count = 0, memory->capacity = 0;
}

void lm_touch_memory_clear(lm_touch_memory* memory)
{
	memory->count = 0;
}

// Numbers of a record without the padding of the struct.
typedef struct flat_record
{
	int32_t names[5];
	int32_t zero;
	double numbers[4];
} flat_record;

_Static_assert(sizeof(flat_record) == 5 * 4 + 4 + 4 * 8, "no padding");

static flat_record flatten(const lm_touch_record* r)
{
	return (flat_record){ { r->sample, r->collider, r->other, r->feature, r->side },
		                  0,
		                  { r->gap, r->anchor[0], r->anchor[1], r->anchor[2] } };
}

void lm_touch_memory_save(const lm_touch_memory* memory, lm_blob* blob)
{
	lm_blob_put(blob, &memory->count, sizeof memory->count);
	for (int32_t i = 0; i < memory->count; ++i)
	{
		flat_record record = flatten(&memory->records[i]);
		lm_blob_put(blob, &record, sizeof record);
	}
}

static bool makes_sense(const flat_record* r, int32_t last_sample)
{
	bool finite = true;
	for (int k = 0; k < 4; ++k)
		finite &= isfinite(r->numbers[k]) != 0;
	bool one = (r->names[1] >= 0) != (r->names[2] >= 0); // a collider or a body
	return finite && one && r->names[0] >= last_sample && r->names[4] >= -1 && r->names[4] <= 1;
}

lm_status lm_touch_memory_load(lm_touch_memory* memory, lm_blob* blob, lm_error* error)
{
	int32_t count;
	lm_blob_get(blob, &count, sizeof count);
	memory->count = 0;
	if (blob->failed || count < 0 || (size_t)count > (blob->size - blob->cursor) / sizeof(flat_record))
		return lm_fail(error, LM_BAD_INPUT,
		               "the touches in the checkpoint are cut short; it was not written completely");
	void* records = memory->records;
	if (!lm_grow(&memory->host, &records, &memory->capacity, count > 0 ? (size_t)count : 1, sizeof(lm_touch_record)))
		return lm_fail_memory(error);
	memory->records = records;
	for (int32_t i = 0, sample = 0; i < count; ++i)
	{
		flat_record r;
		lm_blob_get(blob, &r, sizeof r);
		if (!makes_sense(&r, sample))
			return lm_fail(error, LM_BAD_INPUT, "touch %d of the checkpoint makes no sense; the file is damaged", i);
		sample = r.names[0];
		memory->records[i] = (lm_touch_record){ .sample = r.names[0],
			                                    .collider = r.names[1],
			                                    .other = r.names[2],
			                                    .feature = r.names[3],
			                                    .side = r.names[4],
			                                    .gap = r.numbers[0],
			                                    .anchor = { r.numbers[1], r.numbers[2], r.numbers[3] } };
	}
	memory->count = count;
	return LM_OK;
}

uint64_t lm_touch_memory_hash(const lm_touch_memory* memory, uint64_t hash)
{
	hash = lm_hash(hash, &memory->count, sizeof memory->count);
	for (int32_t i = 0; i < memory->count; ++i)
	{
		flat_record record = flatten(&memory->records[i]);
		hash = lm_hash(hash, &record, sizeof record);
	}
	return hash;
}
