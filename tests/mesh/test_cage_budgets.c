// Cages with every budget from the smallest to 60 around every body.
#include "test.h"

#include "mesh/cage_expect.h"

static void budgets(void** state)
{
	(void)state;
	try_budgets(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(budgets) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
