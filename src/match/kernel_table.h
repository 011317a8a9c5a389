// kernel_table.h: sums over rings. Both halves of the matching are one: the moments of a region are the sum of a record
// per member (kernel_regions.h), the mean map of a particle is the sum of a record per region (kernel_goals.h), and
// rings are symmetric. A chunk puts the records of all that it sees into a table that stays in the cache, and adds them
// up from there.
#ifndef LM_MATCH_KERNEL_TABLE_H
#define LM_MATCH_KERNEL_TABLE_H

#include "match/kernel_vector.h"

_Static_assert(LM_MAP == LM_RECORD, "maps and records are summed by the same code");

// A record is cut in two, so that no load crosses the border of a cache line.
typedef struct record_table
{
	float wide[LM_LOCALS][2 * LM_PLACE] __attribute__((aligned(64)));
	float narrow[LM_LOCALS][LM_PLACE] __attribute__((aligned(64)));
} record_table;

LM_INLINE void put_record(record_table* table, int64_t local, v4 a, v4 b, v4 c)
{
	store4(table->wide[local], a);
	store4(table->wide[local] + 4, b);
	store4(table->narrow[local], c);
}

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

LM_INLINE void add_record(record_sum* sum, const float* wide, const float* narrow)
{
#if LM_W == 4
	sum->a += load4(wide), sum->b += load4(wide + 4);
#else
	sum->a += *(const v8*)wide;
#endif
	sum->c += load4(narrow);
}

// Sum of the records of ring r. Four sums at a time, since an addition takes several cycles.
LM_INLINE void sum_table(const lm_match* body, int64_t r, const record_table* table, float rows[LM_RECORD])
{
	const int32_t *member = body->members + body->starts[r], *last = body->members + body->starts[r + 1];
	const float *wide = table->wide[0], *narrow = table->narrow[0];
	record_sum sum[4] = { 0 };
	for (; member < last; member += 4)
		for (int k = 0; k < 4; ++k)
			add_record(&sum[k], wide + 2 * (int64_t)member[k], narrow + member[k]);
#if LM_W == 4
	store4(rows, (sum[0].a + sum[1].a) + (sum[2].a + sum[3].a));
	store4(rows + 4, (sum[0].b + sum[1].b) + (sum[2].b + sum[3].b));
#else
	*(v8_unaligned*)rows = (sum[0].a + sum[1].a) + (sum[2].a + sum[3].a);
#endif
	store4(rows + 8, (sum[0].c + sum[1].c) + (sum[2].c + sum[3].c));
}

#endif
