// Bodies of `match`, `act` and `design` that touch each other, for long and in many combinations: see test_meet.c.
#include "meeting.h"

// Boxes on each other for 20 s, at mass ratios of 1:100 both ways. What an engine does not hold with its own kind is
// left out: 100 times its own mass lets a box of `match` collapse on another one, and one of `design` creeps by 0.3
// % on its own kind of the same mass.
static void boxes_rest_on_each_other(void** state)
{
	(void)state;
	const struct
	{
		const char *lower, *upper;
		double ratio; // of the upper to the lower one's mass
	} cases[] = {
		{ "act", "match", 0.01 }, { "act", "match", 1 },    { "act", "match", 100 },   { "match", "act", 0.01 },
		{ "match", "act", 1 },    { "act", "act", 1 },      { "match", "match", 1 },   { "act", "design", 0.01 },
		{ "act", "design", 1 },   { "act", "design", 100 }, { "design", "act", 0.01 }, { "design", "match", 0.01 },
	};
	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c)
	{
		meeting m = meeting_default(cases[c].lower, cases[c].upper);
		m.frequency = 200;
		m.upper_density = 100 * fmax(1, cases[c].ratio), m.lower_density = 100 * fmax(1, 1 / cases[c].ratio);
		check_rest(&m, 20);
	}
}

// However soft, heavy or light a body is, it is not thrown.
static void none_is_thrown(void** state)
{
	(void)state;
	const double frequencies[] = { 0, 5, 20, 100 };
	for (int f = 0; f < 4; ++f)
		for (int r = -1; r <= 1; ++r)
			for (int e = 0; e < 4; ++e)
			{
				meeting m = e < 2 ? meeting_default("act", "match") : meeting_default("match", "act");
				m.frequency = frequencies[f], m.ball = e % 2;
				m.upper_density = r > 0 ? 10000 : 100, m.lower_density = r < 0 ? 10000 : 100;
				check_not_thrown(&m);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxes_rest_on_each_other),
		cmocka_unit_test(none_is_thrown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
