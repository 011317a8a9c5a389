// kernel_table.h: sums over rings. Both halves of the matching are one: the moments of a region are the sum of a record
// per member (kernel_regions.h), the mean map of a particle is the sum of a record per region (kernel_goals.h), and
// rings are symmetric. A chunk puts the records of all that it sees into a table that stays in the cache, and adds them
// up from there.
#ifndef LM_MATCH_KERNEL_TABLE_H
#define LM_MATCH_KERNEL_TABLE_H

#include "match/kernel_vector.h"

_Static_assert(LM_MAP == LM_RECORD, "maps and records are summed by the same code");

typedef struct record_table
{
	float records[LM_LOCALS][LM_RECORD] __attribute__((aligned(64)));
} record_table;

// Whether all that the chunk sees has room in a table.
LM_INLINE bool fits_table(const lm_match* body, int64_t chunk)
{
	return body->local_starts[chunk + 1] - body->local_starts[chunk] <= LM_LOCALS;
}

// Sum of records: 12 floats.
typedef struct record_sum
{
#if LM_W == 4
	v4 a, b, c;
#else
	v8 a;
	v4 c;
#endif
} record_sum;

LM_INLINE void add_record(record_sum* sum, const float* record)
{
#if LM_W == 4
	sum->a += load4(record), sum->b += load4(record + 4);
#else
	sum->a += *(const v8_unaligned*)record;
#endif
	sum->c += load4(record + 8);
}

// Sum of the records of ring r. Four sums at a time, since an addition takes several cycles.
LM_INLINE void sum_table(const lm_match* body, int64_t r, const float* records, float rows[LM_RECORD])
{
	const int32_t *member = body->members + body->starts[r], *last = body->members + body->starts[r + 1];
	record_sum sum[4] = { 0 };
	for (; member < last; member += 4)
		for (int k = 0; k < 4; ++k)
			add_record(&sum[k], records + member[k]);
#if LM_W == 4
	store4(rows, (sum[0].a + sum[1].a) + (sum[2].a + sum[3].a));
	store4(rows + 4, (sum[0].b + sum[1].b) + (sum[2].b + sum[3].b));
#else
	*(v8_unaligned*)rows = (sum[0].a + sum[1].a) + (sum[2].a + sum[3].a);
#endif
	store4(rows + 8, (sum[0].c + sum[1].c) + (sum[2].c + sum[3].c));
}

#endif
