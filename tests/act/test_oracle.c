// test_oracle.c: control steps recorded from motions of all models and parameterisations, solved by limber at a tight
// tolerance and by IPOPT from the same start with the same derivatives. Where IPOPT finds an optimum, ours with exact
// second derivatives is as good to a relative 1e-5 in every one, and that of Gauss-Newton, which converges slowly, to
// 1e-4. Each of the two is judged by itself, and steps in which IPOPT fails are left out.
#include "test.h"

#include "act_bodies.h"
#include "ipopt_step.h"

#include "act/equation.h"
#include "act/optimize.h"
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
	lm_act_optimize_step(body, ACT_STEP);
	lm_act_report report = body->report;
	memcpy(body->p, p, (size_t)body->rest.parameters * sizeof *p);
	lm_act_rest_shape(&body->rest, body->p, body->X);
	body->settings = settings;
	return report;
}

// How one of our modes did where IPOPT found an optimum.
typedef struct tally
{
	int equal, better, worse; // by 1e-5
	double worst;             // relative
} tally;

typedef struct results
{
	int compared, failed; // failed: by IPOPT
	tally exact, newton;
} results;

static double judge(double ours, double other, tally* sum)
{
	double relative = ours / other - 1;
	sum->equal += fabs(relative) <= 1e-5;
	sum->better += relative < -1e-5;
	sum->worse += relative > 1e-5;
	sum->worst = fmax(sum->worst, relative);
	return relative;
}

static void compare(lm_act* body, lm_colliders* ground, act_character which, int step, results* sum)
{
	lm_act_report kept = body->report;
	double* p = malloc(sizeof *p * (size_t)body->rest.parameters);
	memcpy(p, body->p, (size_t)body->rest.parameters * sizeof *p);
	lm_act_report newton = solve(body, ground, false, p), exact = solve(body, ground, true, p);
	ipopt_step_options options = { .wanted = -INFINITY, .tolerance = 1e-8 };
	ipopt_step_report other = ipopt_step_solve(body, &options, NULL);
	bool solved = (other.status == 0 || other.status == 1) && other.violation < 1e-5;
	printf("%-18s step %2d  from %.4g  ipopt %.8g (%d)", act_character_name(which), step, exact.objective_start,
	       other.objective, other.iterations);
	if (solved)
		printf("  exact %+.1e (%d)  Gauss-Newton %+.1e (%d)\n", judge(exact.objective, other.objective, &sum->exact),
		       exact.iterations, judge(newton.objective, other.objective, &sum->newton), newton.iterations);
	else
		printf("  failed; ours %.8g and %.8g\n", exact.objective, newton.objective);
	fflush(stdout);
	sum->compared += solved;
	sum->failed += !solved;
	body->report = kept;
	free(p);
}

static void run(act_character which, const int* steps, int count, results* sum)
{
	lm_host host = lm_host_default();
	lm_colliders* ground = NULL;
	lm_act* body = NULL;
	assert_int_equal(act_ground_create(&host, &ground, NULL), LM_OK);
	assert_int_equal(act_character_create(which, &host, &body, NULL), LM_OK);
	for (int n = 0; n <= steps[count - 1]; ++n)
	{
		assert_int_equal(act_character_goals(body, which, n * ACT_STEP, NULL), LM_OK);
		for (int k = 0; k < count; ++k)
			if (steps[k] == n)
				compare(body, ground, which, n, sum);
		assert_int_equal(lm_act_step(&body, 1, ACT_STEP, ground, n * ACT_STEP, NULL), LM_OK);
	}
	lm_act_destroy(body);
	lm_colliders_destroy(ground);
}

static void as_good_as_ipopt(void** state)
{
	(void)state;
	const int steps[] = { 3, 12, 36 }, early[] = { 2 }; // crouching, pushing, after a landing
	results sum = { 0 };
	for (int which = 0; which < ACT_CHARACTERS; ++which)
		run(which, which == ACT_CROSS ? early : steps, which == ACT_CROSS ? 1 : 3, &sum);
	printf("%d control steps, %d in which IPOPT fails\n", sum.compared + sum.failed, sum.failed);
	const tally* modes[2] = { &sum.exact, &sum.newton };
	for (int k = 0; k < 2; ++k)
		printf("%s: %d equal to 1e-5, %d better, %d worse, by %.1e at most\n", k ? "Gauss-Newton" : "exact",
		       modes[k]->equal, modes[k]->better, modes[k]->worse, modes[k]->worst);
	assert_true(sum.compared >= 30);
	assert_int_equal(sum.exact.worse, 0);
	assert_true(sum.exact.equal >= sum.compared - 2); // a better one is another minimum: rare
	assert_true(sum.newton.worst < 1e-4 && sum.newton.equal >= sum.compared - 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(as_good_as_ipopt) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
