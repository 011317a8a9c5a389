// A ball of 10 g under 1 kg of cloth is never thrown, by whatever its start differs.
#include "pressing.h"

#define STARTS 24

static void check_starts(const char* engine, double jitter, int frames, double farthest)
{
	ways most = { 0, 0 };
	for (int seed = 1; seed <= STARTS; ++seed)
	{
		pressing p = { .engine = engine,
			           .body_mass = 0.01,
			           .cloth_mass = 1,
			           .gravity = { 9.81, 9.81 },
			           .ground = true,
			           .jitter = jitter,
			           .seed = seed };
		lm_world* world = make_pressing(&p);
		ways w = follow_body(world, frames);
		most.highest = fmax(most.highest, w.highest), most.farthest = fmax(most.farthest, w.farthest);
		lm_world_destroy(world);
	}
	print_message("%s, %d starts that differ by %g m, %d frames: up to %.3f m, %.3f m away\n", engine, STARTS, jitter,
	              frames, most.highest, most.farthest);
	assert_true(most.highest < 0.205);
	assert_true(most.farthest < farthest);
}

static void none_is_thrown(void** state)
{
	(void)state;
	check_starts("act", 1e-6, 60, 0.25);
	check_starts("act", 2e-3, 60, 0.25);
	check_starts("match", 1e-6, 26, 0.4);
	check_starts("match", 2e-3, 26, 0.4);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(none_is_thrown) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
