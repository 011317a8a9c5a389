// test_optimize_model.c: the optimiser's derivatives against finite differences of whole forward solves.
#include "test.h"

#include "control_scenes.h"

#include "act/goals.h"
#include "act/optimizer.h"
#include "act/physics.h"

// f at p, the physics solved as well as can be.
static double objective(lm_act* body, const double* p)
{
	lm_act_optimizer* o = body->optimizer;
	memcpy(o->now.p, p, (size_t)o->m * sizeof *p);
	lm_act_rest_shape(&body->rest, p, o->now.X);
	memcpy(o->now.y, body->y, (size_t)o->n * sizeof *p);
	lm_act_forward_report report =
		lm_act_physics_forward(body, o->now.X, (lm_act_effort){ 1e-13, 60, INT32_MAX, false }, o->now.y);
	assert_true(report.residual < 1e-10);
	lm_act_point_evaluate(body, &o->now);
	o->factorized = false;
	return lm_act_point_value(&o->now);
}

// A body in the middle of something, at parameters of its own, pinned at one vertex so that pins are tried, too.
static lm_act* prepare(const lm_host* host, const control_case* c, bool exact, double* p)
{
	lm_act_def def = lm_act_def_default();
	def.settings.exact = exact;
	def.settings.rest_material = (lm_act_material){ 20, 0.1, 30 };
	lm_act* body = control_body(host, c, def);
	assert_non_null(body);
	double pin[3] = { 0 };
	memcpy(pin, body->x, (size_t)body->dimension * sizeof *pin);
	pin[1] += 0.01;
	lm_act_pin(body, 0, pin);
	assert_int_equal(control_goals(body, 0.5), LM_OK);
	uint64_t seed = 5;
	for (int32_t k = 0; k < body->rest.parameters; ++k)
	{
		p[k] = c->control == LM_ACT_EXAMPLES ? 0.25 + 0.1 * test_random(&seed) : 0.02 * test_random(&seed);
		body->optimizer->p_n[k] = 0.5 * p[k];
	}
	for (int32_t i = 0; i < body->unknowns; ++i)
		body->v[i] = 0.3 * test_random(&seed);
	assert_int_equal(lm_act_physics_begin(body, 0.02, NULL, NULL, 0, NULL), LM_OK);
	lm_act_goals_prepare(&body->goals, body->x, 0.02, body->optimizer->scale, body->optimizer->goal);
	return body;
}

static void gradients(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int k = 0; k < 2 * CONTROL_CASES; ++k)
	{
		double p[256];
		lm_act* body = prepare(&host, &control_cases[k / 2], k % 2, p);
		lm_act_optimizer* o = body->optimizer;
		objective(body, p);
		assert_true(lm_act_model_build(body));
		double gradient[256], size = 0;
		memcpy(gradient, o->gradient, (size_t)o->m * sizeof *gradient);
		for (int32_t i = 0; i < o->m; ++i)
			size = fmax(size, fabs(gradient[i]));
		assert_true(size > 1e-4);
		for (int32_t i = 0; i<o->m; i += o->m> 30 ? 7 : 1)
		{
			double eps = 1e-5, at = p[i];
			p[i] = at + eps;
			double above = objective(body, p);
			p[i] = at - eps;
			double below = objective(body, p);
			p[i] = at;
			assert_near((above - below) / (2 * eps), gradient[i], 2e-6 * size);
		}
		lm_act_destroy(body);
	}
}

// K without projection is the derivative of the gradient. The test takes what `blend` takes for t = 0.
static void exact_hessians(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int k = 0; k < CONTROL_CASES; ++k)
	{
		static double H[256 * 256];
		double p[256];
		lm_act* body = prepare(&host, &control_cases[k], true, p);
		lm_act_optimizer* o = body->optimizer;
		int m = o->m;
		objective(body, p);
		assert_true(lm_act_model_build(body));
		memcpy(H, o->exact, (size_t)m * (size_t)m * sizeof *H);
		double size = 0;
		for (int i = 0; i < m * m; ++i)
			size = fmax(size, fabs(H[i]));
		for (int i = 0; i<m; i += m> 12 ? 11 : 1)
		{
			double eps = 1e-5, at = p[i], above[256];
			p[i] = at + eps;
			objective(body, p);
			assert_true(lm_act_model_build(body));
			memcpy(above, o->gradient, (size_t)m * sizeof *above);
			p[i] = at - eps;
			objective(body, p);
			assert_true(lm_act_model_build(body));
			p[i] = at;
			for (int j = 0; j < m; ++j)
				assert_near((above[j] - o->gradient[j]) / (2 * eps), H[j * m + i], 1e-5 * size);
		}
		lm_act_destroy(body);
	}
}

// Both sides give the same A, lambda and gradient, and K of Gauss and Newton is positive definite.
static void sides_agree(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int k = 0; k < CONTROL_CASES; ++k)
	{
		double p[256];
		lm_act* body = prepare(&host, &control_cases[k], false, p);
		lm_act_optimizer* o = body->optimizer;
		objective(body, p);
		body->settings.exact = false;
		assert_true(lm_act_model_build(body));
		bool first = o->by_parameters;
		double gradient[256], lambda[1024];
		memcpy(gradient, o->gradient, (size_t)o->m * sizeof *gradient);
		memcpy(lambda, o->lambda, (size_t)o->n * sizeof *lambda);
		body->settings.exact = true;
		o->factorized = false;
		assert_true(lm_act_model_build(body));
		assert_true(o->by_parameters);
		for (int32_t i = 0; i < o->n; ++i)
			assert_near(lambda[i], o->lambda[i], 1e-9);
		for (int32_t i = 0; i < o->m && !first; ++i)
			assert_near(gradient[i], o->gradient[i], 1e-7);
		lm_act_destroy(body);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gradients),
		cmocka_unit_test(exact_hessians),
		cmocka_unit_test(sides_agree),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
