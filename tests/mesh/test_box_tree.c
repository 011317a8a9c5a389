// Pairs of overlapping boxes against trying all of them; parts; refits; memory.
#include "mesh/box_tree.h"
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

static void check(const lm_box_tree* one, const lm_box* a, const lm_box_tree* two, const lm_box* b, int32_t parts)
{
	memset(seen, 0, sizeof seen);
	int64_t visits = 0, expected = 0;
	for (int32_t part = 0; part < parts; ++part)
		lm_box_tree_pairs(one, a, two, b, part, parts, note, &visits);
	for (int i = 0; i < count; ++i)
		for (int j = one == two ? i + 1 : 0; j < count; ++j)
		{
			bool overlap = lm_box_overlaps(a[i], b[j]);
			int times = seen[i][j] + (one == two ? seen[j][i] : 0);
			assert_int_equal(times, overlap);
			expected += overlap;
		}
	assert_int_equal(visits, expected);
	assert_true(expected > 10);
}

static void finds_all_pairs(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_box a[count], b[count];
	random_boxes(a, 1, 0.1), random_boxes(b, 2, 0.2);
	lm_box_tree one = { 0 }, two = { 0 };
	assert_int_equal(lm_box_tree_create(a, count, &host, &one, NULL), LM_OK);
	assert_int_equal(lm_box_tree_create(b, count, &host, &two, NULL), LM_OK);
	for (int round = 0; round < 3; ++round)
	{
		for (int32_t parts = 1; parts <= 16; parts *= 4)
		{
			check(&one, a, &one, a, parts);
			check(&one, a, &two, b, parts);
		}
		random_boxes(a, 10 + (uint64_t)round, 0.15), random_boxes(b, 20 + (uint64_t)round, 0.1);
		lm_box_tree_refit(&one, a), lm_box_tree_refit(&two, b);
	}
	lm_box_tree_release(&one), lm_box_tree_release(&two);
}

static void odd_input(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_box_tree tree = { 0 }, none = { 0 };
	lm_box boxes[count];
	for (int i = 0; i < count; ++i)
		boxes[i] = (lm_box){ { 1, 2, 3 }, { 1, 2, 3 } }; // all in one point
	boxes[7].low.x = NAN, boxes[7].high.x = NAN;         // overlaps nothing, harms nothing
	assert_int_equal(lm_box_tree_create(boxes, count, &host, &tree, NULL), LM_OK);
	int64_t visits = 0;
	memset(seen, 0, sizeof seen);
	lm_box_tree_pairs(&tree, boxes, &tree, boxes, 0, 1, note, &visits);
	assert_int_equal(visits, (count - 1) * (count - 2) / 2);
	assert_int_equal(lm_box_tree_create(boxes, 0, &host, &none, NULL), LM_OK);
	lm_box_tree_pairs(&tree, boxes, &none, boxes, 0, 1, note, &visits);
	assert_int_equal(visits, (count - 1) * (count - 2) / 2);
	lm_box_tree_release(&tree), lm_box_tree_release(&none);
	test_memory memory = { 0 };
	lm_host failing = test_host(&memory);
	for (int64_t fail = 1; fail <= 5; ++fail)
	{
		memory = (test_memory){ .fail_at = fail };
		assert_int_equal(lm_box_tree_create(boxes, count, &failing, &tree, NULL), LM_NO_MEMORY);
		assert_int_equal(memory.held, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_all_pairs),
		cmocka_unit_test(odd_input),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
