// test_oracle.c: control steps recorded from motions of all models and parameterisations, solved by limber at a tight
// tolerance and by IPOPT from the same start with the same derivatives. Ours is at least as good to a relative 1e-5, or
// another local minimum that is better, in every one.
#include "test.h"

#include "act_bodies.h"
#include "ipopt_step.h"

#include "act/control.h"
#include "act/equation.h"
#include "act/physics.h"

// Our optimum of the step that comes, p put back afterwards. The optimiser keeps its start.
static lm_act_report solve(lm_act* body, lm_colliders* ground, bool exact, const double* p)
{
	lm_act_settings settings = body->settings;
	body->settings.tolerance = 1e-9;
	body->settings.most_iterations = 400;
	body->settings.exact = exact;
	memcpy(body->p, p, (size_t)body->rest.parameters * sizeof *p);
	lm_act_rest_shape(&body->rest, body->p, body->X);
	assert_int_equal(lm_act_physics_begin(body, ACT_STEP, ground, &body, 1, NULL), LM_OK);
	lm_act_control_step(body, ACT_STEP);
	lm_act_report report = body->report;
	memcpy(body->p, p, (size_t)body->rest.parameters * sizeof *p);
	lm_act_rest_shape(&body->rest, body->p, body->X);
	body->settings = settings;
	return report;
}

typedef struct tally
{
	int compared, equal, better, worse;
} tally;

static void compare(lm_act* body, lm_colliders* ground, act_character which, int step, tally* sum)
{
	lm_act_report kept = body->report;
	double* p = malloc(sizeof *p * (size_t)body->rest.parameters);
	memcpy(p, body->p, (size_t)body->rest.parameters * sizeof *p);
	lm_act_report newton = solve(body, ground, false, p), exact = solve(body, ground, true, p);
	double ours = fmin(newton.objective, exact.objective);
	ipopt_step_report other = ipopt_step_solve(body, -INFINITY, 1e-8, NULL);
	bool solved = (other.status == 0 || other.status == 1) && other.violation < 1e-5;
	double relative = ours / other.objective - 1;
	printf("%-18s step %2d  from %.4g  ours %.8g (%d iterations; Gauss-Newton %.8g, %d)  ipopt %.8g (%d%s)  %+.1e%s\n",
	       act_character_name(which), step, exact.objective_start, exact.objective, exact.iterations, newton.objective,
	       newton.iterations, other.objective, other.iterations, solved ? "" : ", failed", relative,
	       !solved            ? ""
	       : relative > 1e-5  ? "  worse"
	       : relative < -1e-5 ? "  better"
	                          : "");
	fflush(stdout);
	++sum->compared;
	sum->equal += solved && fabs(relative) <= 1e-5;
	sum->better += !solved || relative < -1e-5;
	sum->worse += solved && relative > 1e-5;
	body->report = kept;
	free(p);
}

static tally run(act_character which, const int* steps, int count)
{
	lm_host host = lm_host_default();
	lm_colliders* ground = NULL;
	lm_act* body = NULL;
	tally sum = { 0 };
	assert_int_equal(act_ground_create(&host, &ground, NULL), LM_OK);
	assert_int_equal(act_character_create(which, &host, &body, NULL), LM_OK);
	for (int n = 0; n <= steps[count - 1]; ++n)
	{
		assert_int_equal(act_character_goals(body, which, n * ACT_STEP, NULL), LM_OK);
		for (int k = 0; k < count; ++k)
			if (steps[k] == n)
				compare(body, ground, which, n, &sum);
		assert_int_equal(lm_act_step(&body, 1, ACT_STEP, ground, n * ACT_STEP, NULL), LM_OK);
	}
	lm_act_destroy(body);
	lm_colliders_destroy(ground);
	return sum;
}

static void as_good_as_ipopt(void** state)
{
	(void)state;
	const int steps[] = { 3, 12, 36 }, early[] = { 2 }; // crouching, pushing, after a landing
	tally sum = { 0 };
	for (int which = 0; which < ACT_CHARACTERS; ++which)
	{
		tally one = which == ACT_CROSS ? run(which, early, 1) : run(which, steps, 3);
		sum.compared += one.compared, sum.equal += one.equal, sum.better += one.better, sum.worse += one.worse;
	}
	printf("%d control steps: %d equal to 1e-5, %d better, %d worse\n", sum.compared, sum.equal, sum.better, sum.worse);
	assert_true(sum.compared >= 20 && sum.equal >= sum.compared / 2);
	assert_int_equal(sum.worse, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(as_good_as_ipopt) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
