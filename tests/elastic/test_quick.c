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
	o->term = (lm_term){ m, { m->count, 2 * o->factor, green ? o->initial : NULL }, { 0 } };
}

static double largest(int n, const double* a)
{
	double size = 1e-30;
	for (int i = 0; i < n; ++i)
		size = fmax(size, fabs(a[i]));
	return size;
}

#define TERMS 17 // counts of every remainder modulo the lanes of a vector are tried

// Seven terms of one measure that share no corner, from two rest shapes.
typedef struct many
{
	one terms[TERMS];
	lm_term_set set;
	int32_t corners[4 * TERMS];
	double factors[TERMS], initial[6 * TERMS], X[12 * TERMS], other[12 * TERMS], x[12 * TERMS];
} many;

static void make_many(const lm_measure* m, int trial, uint64_t* seed, many* all)
{
	for (int t = 0; t < TERMS; ++t)
	{
		one* o = &all->terms[t];
		make(m, trial + (t == 3), seed, o);
		memcpy(all->X + t * m->size, o->X, (size_t)m->size * sizeof *o->X);
		memcpy(all->x + t * m->size, o->x, (size_t)m->size * sizeof *o->x);
		memcpy(all->initial + t * m->count, o->initial, (size_t)m->count * sizeof *o->initial);
		for (int i = 0; i < m->size; ++i)
			all->other[t * m->size + i] = o->x[i] + 0.1 * test_random(seed);
		for (int i = 0; i < m->corners; ++i)
			all->corners[t * m->corners + i] = t * m->corners + i;
		all->factors[t] = o->factor;
	}
	all->set = all->terms[0].set;
	all->set.count = TERMS, all->set.vertices = all->set.slots = all->corners;
	all->set.factors = all->factors, all->set.initial = all->initial;
}

// The sum of both potentials of term t by the chain rule: the second times `scale`.
static double expect(many* all, int t, double scale, int convex, double* g, double* A)
{
	one* o = &all->terms[t];
	const double* other = all->other + t * o->term.measure->size;
	double more_g[12], more_A[144], W = lm_chain_energy(&o->term, o->X, o->x);
	lm_chain_gradient(&o->term, o->X, o->x, g);
	(convex ? lm_chain_convex : lm_chain_stiffness)(&o->term, o->X, o->x, A);
	if (scale == 0)
		return W;
	lm_chain_gradient(&o->term, other, o->x, more_g);
	(convex ? lm_chain_convex : lm_chain_stiffness)(&o->term, other, o->x, more_A);
	for (int i = 0; i < o->term.measure->size; ++i)
		g[i] += scale * more_g[i];
	for (int i = 0; i < o->term.measure->size * o->term.measure->size; ++i)
		A[i] += scale * more_A[i];
	return W + scale * lm_chain_energy(&o->term, other, o->x);
}

static void compare(const lm_quick_kernels* kernels, const lm_quick* q, many* all, int count, double scale)
{
	const lm_measure* m = q->set->measure;
	lm_host host = lm_host_default();
	lm_element_list list = { TERMS, all->corners, NULL, m->corners, m->dimension };
	lm_pattern* pattern = NULL;
	assert_int_equal(lm_pattern_create(TERMS * m->size, true, &list, 1, &host, &pattern, NULL), LM_OK);
	double sum = 0, forces[12 * TERMS] = { 0 };
	kernels->add_gradient(q, 0, count, forces);
	for (int convex = 0; convex < 2; ++convex)
	{
		double values[144 * TERMS] = { 0 };
		if (convex && scale != 0 && m == &lm_measure_gram2)
			continue; // of two stresses the positive part of the sum is taken, not the sum of theirs
		kernels->add_stiffness(q, convex, 0, count, pattern, 0, values);
		for (int t = 0; t < count; ++t)
		{
			double g[12], A[144], expected[144 * TERMS] = { 0 }, size;
			sum += convex ? 0 : expect(all, t, scale, convex, g, A);
			expect(all, t, scale, convex, g, A);
			size = largest(m->size * m->size, A);
			for (int i = 0; i < m->size; ++i)
				assert_near(forces[t * m->size + i], g[i], 1e-10 * largest(m->size, g));
			lm_pattern_scatter(pattern, t, A, expected);
			for (int64_t i = pattern->start[t * m->size]; i < pattern->start[(t + 1) * m->size]; ++i)
				assert_near(values[i], expected[i], 1e-9 * size);
		}
	}
	for (int i = count * m->size; i < TERMS * m->size; ++i)
		assert_true(forces[i] == 0);
	assert_near(kernels->energy(q, 0, count), sum, 1e-11 * sum + 1e-14);
	lm_pattern_destroy(pattern);
}

static void quick_is_the_chain_rule(void** state)
{
	(void)state;
	uint64_t seed = 11;
	const lm_quick_kernels* machines[2] = { &lm_quick_kernels_plain, lm_quick_find_kernels(LM_SIMD_AUTO) };
	for (int k = 0; k < 6 * 60; ++k)
	{
		const lm_measure* m = measures[k % 6];
		many all;
		double measured[2][6 * TERMS];
		make_many(m, k / 6, &seed, &all);
		assert_true(lm_quick_numbers(&all.set) > 0);
		const lm_quick_kernels* kernels = machines[k / 6 / TERMS % 2];
		int count = 1 + k / 6 % TERMS;
		for (int variant = 0; variant < 4; ++variant)
		{
			double scale = variant < 2 ? 0 : 0.7;
			lm_quick q = { &all.set, all.corners, all.x, 1 + (scale != 0), { { all.X, NULL, 2 } } };
			q.rests[1] = (lm_quick_rest){ all.other, NULL, 2 * scale };
			for (int r = 0; r < q.rest_count && variant % 2; ++r)
			{
				lm_quick rest = { .set = &all.set, .rest_count = 1, .rests = { q.rests[r] } };
				kernels->measure(&rest, 0, count, measured[r]);
				q.rests[r].measured = measured[r];
				q.rests[r].X = NULL; // nothing looks at it any more
			}
			compare(kernels, &q, &all, count, scale);
		}
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
