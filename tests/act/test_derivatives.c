// test_derivatives.c: c, D and the second derivatives of lambda . c of a step agree by finite differences, with
// damping, drags, pins, friction on a slope and a neighbour; solves solve.
#include "test.h"

#include "scenes.h"

#include "act/equation.h"

static const lm_act_kind kinds[] = { LM_ACT_CURVE2, LM_ACT_SOLID2, LM_ACT_SHELL, LM_ACT_SOLID, LM_ACT_SOLID_GREEN };
#define KINDS 5

typedef struct fixture
{
	lm_act* bodies[2];
	lm_colliders* ground;
	int32_t n;
	double *y, *u, *lambda, *a, *b, *c;
} fixture;

static double* numbers(int32_t n)
{
	return calloc((size_t)n, sizeof(double));
}

static void shake(lm_act* body, double size, uint64_t seed)
{
	for (int64_t i = 0; i < body->unknowns; ++i)
		body->x[i] += size * test_random(&seed), body->v[i] = 0.3 * test_random(&seed);
}

// A body on a slope that has just touched it and slides, with another of its kind falling onto it.
static fixture set_up(lm_act_kind kind, bool held)
{
	lm_host host = lm_host_default();
	fixture f = { 0 };
	lm_placement_key key = { .rotation = { cos(0.1), 0, 0, sin(0.1) } };
	lm_placement_key ball = { .position = { 0.6, -0.45, 0.3 }, .rotation = { 1, 0, 0, 0 } };
	lm_collider_def defs[2] = { lm_collider_def_default(), lm_collider_def_default() };
	defs[0].key_count = defs[1].key_count = 1, defs[0].keys = &key, defs[1].keys = &ball;
	defs[1].shape = LM_SHAPE_SPHERE, defs[1].radius = 0.5;
	assert_int_equal(lm_colliders_create(defs, 2, &host, &f.ground, NULL), LM_OK);
	for (int k = 0; k < 2; ++k)
	{
		f.bodies[k] = scene_body(&host, kind, lm_act_def_default());
		assert_non_null(f.bodies[k]);
		shake(f.bodies[k], 0.004, 5 + (uint64_t)k);
	}
	double top = kind == LM_ACT_SHELL ? 0.011 : kind == LM_ACT_CURVE2 ? 1.011 : kind == LM_ACT_SOLID2 ? 0.985 : 0.74;
	for (int64_t v = 0; v < f.bodies[1]->vertex_count; ++v)
	{
		f.bodies[1]->x[v * f.bodies[1]->dimension + 1] += top;
		f.bodies[1]->v[v * f.bodies[1]->dimension + 1] -= 0.6;
	}
	lm_act* body = f.bodies[0];
	f.n = body->unknowns;
	if (held)
	{
		lm_act_pin(body, 2, (double[3]){ body->x[2 * body->dimension], body->x[2 * body->dimension + 1] + 0.01, 0 });
		lm_act_drag(body, 0, (double[3]){ 0, 1, 0 }, 20);
	}
	lm_colliders_set_time(f.ground, 0);
	assert_int_equal(lm_act_physics_begin(body, 0.02, f.ground, f.bodies, 2, NULL), LM_OK);
	f.y = numbers(f.n), f.u = numbers(f.n), f.lambda = numbers(f.n);
	f.a = numbers(f.n), f.b = numbers(f.n), f.c = numbers(f.n);
	uint64_t seed = 11;
	for (int32_t i = 0; i < f.n; ++i)
	{
		f.y[i] = body->y[i];
		bool pinned = body->pinned[i / body->dimension];
		f.u[i] = pinned ? 0 : test_random(&seed), f.lambda[i] = pinned ? 0 : test_random(&seed);
	}
	return f;
}

static void tear_down(fixture* f)
{
	double* const all[] = { f->y, f->u, f->lambda, f->a, f->b, f->c };
	for (int k = 0; k < 6; ++k)
		free(all[k]);
	lm_act_destroy(f->bodies[0]);
	lm_act_destroy(f->bodies[1]);
	lm_colliders_destroy(f->ground);
}

static int pushing(const lm_act* body, bool of_bodies)
{
	const lm_act_system* s = &body->physics->alone;
	int count = 0;
	for (int64_t k = 0; k < s->link_count; ++k)
		count += s->links[k].force.normal > 0 && (s->links[k].touch.b >= 0) == of_bodies;
	return count;
}

// out = D x, or D^T x, as factorised last.
static void multiply(lm_act* body, bool transposed, const double* x, double* out)
{
	const lm_act_physics* p = body->physics;
	lm_pattern_multiply(lm_elastic_get(body->elastic).pattern, p->values, x, out);
	const lm_act_columns *left = transposed ? &p->V : &p->U, *right = transposed ? &p->U : &p->V;
	for (int64_t c = 0; c < p->U.count; ++c)
	{
		double along = 0;
		for (int32_t e = right->start[c]; e < right->start[c + 1]; ++e)
			along += right->value[e] * x[right->index[e]];
		for (int32_t e = left->start[c]; e < left->start[c + 1]; ++e)
			out[left->index[e]] += along * left->value[e];
	}
}

static void compare(int32_t n, const double* a, const double* b, double tolerance)
{
	double size = 0, worst = 0;
	for (int32_t i = 0; i < n; ++i)
		size = fmax(size, fabs(b[i])), worst = fmax(worst, fabs(a[i] - b[i]));
	assert_true(size > 0);
	assert_near(worst / size, 0, tolerance);
}

// (f(y + e u) - f(y - e u)) / 2 e of the residual.
static void difference(fixture* f, double e)
{
	lm_act* body = f->bodies[0];
	for (int32_t i = 0; i < f->n; ++i)
		f->c[i] = f->y[i] + e * f->u[i];
	lm_act_physics_residual(body, body->X, f->c, f->a);
	for (int32_t i = 0; i < f->n; ++i)
		f->c[i] = f->y[i] - e * f->u[i];
	lm_act_physics_residual(body, body->X, f->c, f->b);
	for (int32_t i = 0; i < f->n; ++i)
		f->a[i] = (f->a[i] - f->b[i]) / (2 * e);
}

static void the_matrix_is_the_derivative(void** state)
{
	(void)state;
	for (int k = 0; k < 2 * KINDS; ++k)
	{
		fixture f = set_up(kinds[k / 2], k % 2);
		lm_act* body = f.bodies[0];
		assert_true(lm_act_physics_factorize(body, body->X, f.y));
		assert_true(pushing(body, false) > 0 && body->physics->U.count > 0);
		assert_true(pushing(body, true) > 0);
		difference(&f, 1e-7);
		multiply(body, false, f.u, f.b);
		compare(f.n, f.b, f.a, 2e-7);
		// solves give back what was multiplied, transposed ones too
		assert_true(lm_act_physics_solve(body, 1, f.b, f.b));
		compare(f.n, f.b, f.u, 1e-9);
		multiply(body, true, f.u, f.b);
		assert_true(lm_act_physics_solve_transposed(body, 1, f.b, f.b));
		compare(f.n, f.b, f.u, 1e-9);
		tear_down(&f);
	}
}

static void second_derivatives_are_those_of_the_matrix(void** state)
{
	(void)state;
	for (int k = 0; k < KINDS; ++k)
	{
		fixture f = set_up(kinds[k], false);
		lm_act* body = f.bodies[0];
		const lm_pattern* pattern = lm_elastic_get(body->elastic).pattern;
		double e = 1e-7, *ahead = numbers(f.n), *behind = numbers(f.n), *values = numbers((int32_t)pattern->entries);
		for (int32_t i = 0; i < f.n; ++i)
			f.a[i] = f.y[i] + e * f.u[i], f.b[i] = f.y[i] - e * f.u[i];
		lm_act_physics_factorize(body, body->X, f.a);
		multiply(body, true, f.lambda, ahead);
		lm_act_physics_factorize(body, body->X, f.b);
		multiply(body, true, f.lambda, behind);
		for (int32_t i = 0; i < f.n; ++i)
			ahead[i] = (ahead[i] - behind[i]) / (2 * e);
		lm_act_physics_add_multiplier_hessian(body, body->X, f.y, f.lambda, values);
		lm_pattern_multiply(pattern, values, f.u, f.c);
		compare(f.n, f.c, ahead, 1e-6);
		free(ahead), free(behind), free(values);
		tear_down(&f);
	}
}

// Squeezed to a tenth a body's D is indefinite: it is still solved with.
static void indefinite_matrices_are_solved_with(void** state)
{
	(void)state;
	for (int k = 1; k < KINDS; ++k)
	{
		fixture f = set_up(kinds[k], false);
		lm_act* body = f.bodies[0];
		uint64_t seed = 3;
		body->physics->inertia *= 1e-3;
		body->physics->damping = 0;
		for (int32_t i = 0; i < f.n; ++i)
			f.y[i] = 0.1 * f.y[i] + 0.01 * test_random(&seed);
		assert_true(lm_act_physics_factorize(body, body->X, f.y));
		assert_ptr_equal(body->physics->current, body->physics->indefinite);
		for (int t = 0; t < 2; ++t)
		{
			multiply(body, t, f.u, f.b);
			assert_true(t ? lm_act_physics_solve_transposed(body, 1, f.b, f.b)
			              : lm_act_physics_solve(body, 1, f.b, f.b));
			compare(f.n, f.b, f.u, 1e-7);
		}
		tear_down(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_matrix_is_the_derivative),
		cmocka_unit_test(second_derivatives_are_those_of_the_matrix),
		cmocka_unit_test(indefinite_matrices_are_solved_with),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
