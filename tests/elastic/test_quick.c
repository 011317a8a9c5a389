// test_quick.c: the sums that are written out (quick.h) against the chain rule, term by term: near rest, far from it,
// collapsed and inverted.
#include "test.h"

#include "elastic/body.h"
#include "elastic/quick.h"

#include "sparse/pattern.h"

static const lm_measure* const measures[] = { &lm_measure_length2, &lm_measure_length3, &lm_measure_area,
	                                          &lm_measure_volume,  &lm_measure_hinge,   &lm_measure_gram2 };

typedef struct one
{
	lm_term_set set;
	lm_term term;
	int32_t corners[4];
	double factor, initial[6], X[12], x[12];
} one;

// One term of the measure; how far x is from X, and how flat X is, hangs on the trial.
static void make(const lm_measure* m, int trial, uint64_t* seed, one* o)
{
	double away = trial % 3 == 0 ? 1e-3 : trial % 3 == 1 ? 0.3 : 3;
	for (int i = 0; i < m->size; ++i)
	{
		o->X[i] = (i % (m->dimension + 1) == m->dimension ? 1 : 0) + 0.2 * test_random(seed);
		o->x[i] = o->X[i] + away * test_random(seed);
	}
	for (int i = 0; i < m->corners; ++i)
		o->X[i * m->dimension + i % m->dimension] += 1 + 0.3 * i;
	double initial[12];
	memcpy(initial, o->X, sizeof initial);
	if (trial % 7 == 0) // a rest shape that has all but collapsed
		for (int i = 0; i < m->size; ++i)
			o->X[i] = o->X[i % m->dimension] + 1e-5 * o->X[i];
	m->value(initial, o->initial);
	o->factor = 1.5;
	for (int i = 0; i < 4; ++i)
		o->corners[i] = i;
	bool green = m == &lm_measure_gram2;
	o->set = (lm_term_set){ .measure = m, .green = green, .count = 1, .vertices = o->corners, .slots = o->corners };
	o->set.factors = &o->factor, o->set.initial = o->initial;
	o->term = (lm_term){ m, { m->count, 2 * o->factor, green ? o->initial : NULL } };
}

static double largest(int n, const double* a)
{
	double size = 1e-30;
	for (int i = 0; i < n; ++i)
		size = fmax(size, fabs(a[i]));
	return size;
}

static void quick_is_the_chain_rule(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	uint64_t seed = 11;
	for (int k = 0; k < 6 * 60; ++k)
	{
		const lm_measure* m = measures[k % 6];
		one o;
		make(m, k / 6, &seed, &o);
		lm_quick q = { &o.set, 2, o.X, o.x, o.corners };
		assert_true(lm_quick_serves(&o.set));
		double W = lm_chain_energy(&o.term, o.X, o.x), g[12], quick[12] = { 0 };
		assert_near(lm_quick_energy(&q, 0, 1), W, 1e-11 * W + 1e-14);
		lm_chain_gradient(&o.term, o.X, o.x, g);
		lm_quick_add_gradient(&q, 3, 0, 1, quick);
		for (int i = 0; i < m->size; ++i)
			assert_near(quick[i], 3 * g[i], 1e-10 * largest(m->size, g));

		lm_element_list list = { 1, o.corners, NULL, m->corners, m->dimension };
		lm_pattern* pattern = NULL;
		assert_int_equal(lm_pattern_create(m->size, true, &list, 1, &host, &pattern, NULL), LM_OK);
		for (int convex = 0; convex < 2; ++convex)
		{
			double A[144], values[144] = { 0 }, expected[144] = { 0 };
			(convex ? lm_chain_convex : lm_chain_stiffness)(&o.term, o.X, o.x, A);
			lm_pattern_scatter(pattern, 0, A, expected);
			lm_quick_add_stiffness(&q, convex, 1, 0, 1, pattern, 0, values);
			for (int i = 0; i < pattern->entries; ++i)
				assert_near(values[i], expected[i], 1e-9 * largest(m->size * m->size, A));
		}
		lm_pattern_destroy(pattern);
	}
}

// lm_chain_convex is positive semidefinite, and the stiffness itself at rest.
static void convex_is_convex(void** state)
{
	(void)state;
	uint64_t seed = 12;
	for (int k = 0; k < 6 * 40; ++k)
	{
		const lm_measure* m = measures[k % 6];
		one o;
		double A[144], B[144], u[12];
		make(m, k / 6, &seed, &o);
		lm_chain_convex(&o.term, o.X, o.x, A);
		for (int trial = 0; trial < 20; ++trial)
		{
			double form = 0, size = largest(m->size * m->size, A);
			for (int i = 0; i < m->size; ++i)
				u[i] = test_random(&seed);
			for (int i = 0; i < m->size; ++i)
				for (int j = 0; j < m->size; ++j)
					form += u[i] * A[i * m->size + j] * u[j];
			assert_true(form >= -1e-10 * size);
		}
		lm_chain_convex(&o.term, o.X, o.X, A);
		lm_chain_stiffness(&o.term, o.X, o.X, B);
		for (int i = 0; i < m->size * m->size; ++i)
			assert_near(A[i], B[i], 1e-9 * largest(m->size * m->size, B));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quick_is_the_chain_rule),
		cmocka_unit_test(convex_is_convex),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
