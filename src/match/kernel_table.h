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

// The record of a chunk's k-th local for moments: m~ x^ (y - middle, 1)^T, `weights` of the rest shape or an example.
LM_INLINE void make_record(const lm_match* body, const float* weights, int64_t k, v4 middle, v4 rows[3])
{
	v4 weight = load4(weights + 4 * k), x = load4(body->ahead + 4 * (int64_t)body->locals[k]) - middle;
	for (int j = 0; j < 3; ++j)
		rows[j] = weight * x[j];
}

static void fill_records(const lm_match* body, const float* weights, int64_t chunk, v4 middle, record_table* table)
{
	int64_t first = body->local_starts[chunk], count = body->local_starts[chunk + 1] - first;
	for (int64_t k = 0; k < count; ++k)
	{
		v4 rows[3];
		make_record(body, weights, first + k, middle, rows);
		put_record(table, k, rows[0], rows[1], rows[2]);
	}
}

// The same sum for chunks that see more than the table holds.
static void sum_directly(const lm_match* body, const float* weights, int64_t r, v4 middle, float rows[LM_RECORD])
{
	v4 sum[3] = { { 0 }, { 0 }, { 0 } };
	for (int32_t m = body->starts[r]; m < body->starts[r + 1]; ++m)
	{
		v4 record[3];
		make_record(body, weights, body->local_starts[r / LM_CHUNK] + body->members[m] / LM_PLACE, middle, record);
		for (int j = 0; j < 3; ++j)
			sum[j] += record[j];
	}
	for (int j = 0; j < 3; ++j)
		store4(rows + 4 * j, sum[j]);
}

// Sums of the records of LM_W rings. table is NULL where the records have no room in one.
LM_INLINE void sum_rings(const lm_match* body, const float* weights, int64_t first, const record_table* table,
                         v4 middle, float rows[LM_W][LM_RECORD])
{
	for (int l = 0; l < LM_W; ++l)
		if (table != NULL)
			sum_table(body, first + l, table, rows[l]);
		else
			sum_directly(body, weights, first + l, middle, rows[l]);
}

#endif
