// Pairs of overlapping boxes against trying all of them; parts; SIMD levels; rounding; memory.
#include "contact/box_blocks.h"
#include "test.h"

enum
{
	count = 300
};

static unsigned char seen[count][count];

static void note(void* context, int32_t one, int32_t two)
{
	++*(int64_t*)context;
	++seen[one][two];
}

static void random_boxes(lm_box* boxes, uint64_t seed, double size)
{
	for (int i = 0; i < count; ++i)
	{
		lm_vec3 p = lm_v3(test_random(&seed), test_random(&seed), test_random(&seed));
		lm_vec3 q = lm_v3(size * fabs(test_random(&seed)), size, size);
		boxes[i] = (lm_box){ lm_sub(p, q), lm_add(p, q) };
	}
}

static void set_boxes(lm_box_blocks* blocks, const lm_box* boxes)
{
	for (int32_t place = 0; place < blocks->count; ++place)
		lm_box_blocks_set(blocks, place, boxes[blocks->items[place]]);
	lm_box_blocks_fit(blocks);
}

static void check(const lm_box_blocks* one, const lm_box* a, const lm_box_blocks* two, const lm_box* b, int32_t parts,
                  lm_simd simd)
{
	memset(seen, 0, sizeof seen);
	int64_t visits = 0, expected = 0;
	for (int32_t part = 0; part < parts; ++part)
		lm_box_blocks_pairs(one, two, part, parts, simd, note, &visits);
	for (int i = 0; i < one->count; ++i)
		for (int j = one == two ? i + 1 : 0; j < two->count; ++j)
		{
			bool overlap = lm_box_overlaps(a[i], b[j]);
			int times = seen[i][j] + (one == two ? seen[j][i] : 0);
			assert_int_equal(times, overlap);
			expected += overlap;
		}
	assert_int_equal(visits, expected);
	assert_true(expected > 10);
}

// Counts of every remainder modulo the eight of a block, and the sixteen of the widest vectors.
static void finds_all_pairs(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_box a[count], b[count];
	int32_t items[count];
	for (int32_t i = 0; i < count; ++i)
		items[i] = i;
	const lm_simd levels[] = { LM_SIMD_PLAIN, LM_SIMD_AUTO };
	for (int round = 0; round < 16; ++round)
	{
		random_boxes(a, 1, 0.1), random_boxes(b, 2, 0.2);
		lm_box_blocks one = { 0 }, two = { 0 };
		assert_int_equal(lm_box_blocks_create(items, count - round, a, &host, &one, NULL), LM_OK);
		assert_int_equal(lm_box_blocks_create(items, count - 3 * round, b, &host, &two, NULL), LM_OK);
		random_boxes(a, 10 + (uint64_t)round, 0.15), random_boxes(b, 20 + (uint64_t)round, 0.1);
		set_boxes(&one, a), set_boxes(&two, b);
		for (int32_t parts = 1; parts <= 16; parts *= 4)
			for (int level = 0; level < 2; ++level)
			{
				check(&one, a, &one, a, parts, levels[level]);
				check(&one, a, &two, b, parts, levels[level]);
			}
		lm_box_blocks_release(&one), lm_box_blocks_release(&two);
	}
}

// Boxes that overlap in double precision do so in single precision, however far away.
static void rounds_outwards(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const double places[] = { 0, 1e-40, 1.0 / 3, 123456.789, -1e9 / 7, 1e12 };
	for (size_t i = 0; i < sizeof places / sizeof *places; ++i)
	{
		double x = places[i];
		lm_box boxes[2] = { { { x, x, x }, { x, x, x } }, { { x, x, x }, { x + 1, x + 1, x + 1 } } };
		lm_box_blocks blocks = { 0 };
		assert_int_equal(lm_box_blocks_create((int32_t[]){ 0, 1 }, 2, boxes, &host, &blocks, NULL), LM_OK);
		set_boxes(&blocks, boxes);
		int64_t visits = 0;
		lm_box_blocks_pairs(&blocks, &blocks, 0, 1, LM_SIMD_AUTO, note, &visits);
		assert_int_equal(visits, 1);
		lm_box_blocks_release(&blocks);
	}
}

static void odd_input(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_box_blocks blocks = { 0 }, none = { 0 };
	lm_box boxes[count];
	int32_t items[count];
	for (int i = 0; i < count; ++i)
		boxes[i] = (lm_box){ { 1, 2, 3 }, { 1, 2, 3 } }, items[i] = i; // all in one point
	assert_int_equal(lm_box_blocks_create(items, count, boxes, &host, &blocks, NULL), LM_OK);
	set_boxes(&blocks, boxes);
	int64_t visits = 0;
	memset(seen, 0, sizeof seen);
	lm_box_blocks_pairs(&blocks, &blocks, 0, 1, LM_SIMD_AUTO, note, &visits);
	assert_int_equal(visits, count * (count - 1) / 2);
	assert_int_equal(lm_box_blocks_create(items, 0, boxes, &host, &none, NULL), LM_OK);
	set_boxes(&none, boxes);
	lm_box_blocks_pairs(&blocks, &none, 0, 1, LM_SIMD_AUTO, note, &visits);
	lm_box_blocks_pairs(&none, &blocks, 0, 1, LM_SIMD_AUTO, note, &visits);
	assert_int_equal(visits, count * (count - 1) / 2);
	lm_box_blocks_release(&blocks), lm_box_blocks_release(&none);
	test_memory memory = { 0 };
	lm_host failing = test_host(&memory);
	for (int64_t fail = 1; fail <= 8; ++fail)
	{
		memory = (test_memory){ .fail_at = fail };
		assert_int_equal(lm_box_blocks_create(items, count, boxes, &failing, &blocks, NULL), LM_NO_MEMORY);
		assert_int_equal(memory.held, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_all_pairs),
		cmocka_unit_test(rounds_outwards),
		cmocka_unit_test(odd_input),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
