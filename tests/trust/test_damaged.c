// Checkpoints with values that no run writes, behind a sum that is right: refused in words, and the world is as it was;
// or they are loaded, and the next frame ends and is finite.
#define _GNU_SOURCE // memfd_create
#include "test.h"

#include "damage.h"
#include "result.h"

static int mutants = 400;

static void damaged_checkpoints_are_refused_or_go_on(void** state)
{
	(void)state;
	lm_world* world = damage_world();
	assert_non_null(world);
	size_t size;
	unsigned char* whole = damage_state(world, &size);
	assert_true(size > 1000);
	unsigned char* bytes = malloc(size);
	uint64_t seed = 29, before = lm_world_hash(world);
	int refused = 0;
	for (int k = 0; k < mutants; ++k)
	{
		size_t at = 44 + (size_t)(0.5 * (1 + test_random(&seed)) * (double)(size - 44 - 17));
		memcpy(bytes, whole, size);
		damage_at(bytes, at, k);
		lm_error error = { 0 };
		lm_status status = damage_load(world, bytes, size, &error);
		if (status == LM_BAD_INPUT)
		{
			++refused;
			assert_true(error.message[0] != 0);
			assert_true(lm_world_hash(world) == before);
			continue;
		}
		assert_int_equal(status, LM_OK);
		status = lm_world_step(world, &error);
		if (status != LM_OK && status != LM_BAD_INPUT)
			fail_msg("damage %d at %zu: %s", k, at, error.message);
		if (!is_world_finite(world))
			fail_msg("damage %d at %zu of %zu: not finite", k, at, size);
		assert_int_equal(damage_load(world, whole, size, &error), LM_OK);
		assert_true(lm_world_hash(world) == before);
	}
	char figures[100];
	snprintf(figures, sizeof figures, "{\"checkpoints\": %d, \"refused\": %d}", mutants, refused);
	keep_result("damaged", figures);
	print_message("%d damaged checkpoints, %d refused\n", mutants, refused);
	assert_true(refused > mutants / 10);
	free(bytes);
	free(whole);
	lm_world_destroy(world);
}

int main(int count, char** words)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_checkpoints_are_refused_or_go_on),
	};
	if (count > 1)
		mutants = atoi(words[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
