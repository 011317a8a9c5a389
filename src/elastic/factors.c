// factors.c: the mixed derivative d2W/dx dX as a sum over terms of U^T V (chain.h), kept, so that it can be applied to
// vectors many times.
#include "base/alloc.h"
#include "elastic/body.h"

#include <string.h>

static int64_t numbers_of(const lm_term_set* set)
{
	return 2 * (int64_t)set->measure->count * set->measure->size;
}

int64_t lm_elastic_factor_count(const lm_elastic* body)
{
	int64_t count = 0;
	for (int s = 0; s < body->set_count; ++s)
		count += body->sets[s].count * numbers_of(&body->sets[s]);
	return count;
}

static double stiffness_of(const lm_term_set* set, const lm_elastic_material* material)
{
	return set->stiffness == LM_STIFFNESS_STRETCH ? material->stretch
	       : set->stiffness == LM_STIFFNESS_BEND  ? material->bend
	                                              : material->volume;
}

static void gather(const lm_measure* m, const int32_t* indices, const double* from, double* to)
{
	for (int i = 0; i < m->corners; ++i)
		for (int k = 0; k < m->dimension; ++k)
			to[i * m->dimension + k] = from[(int64_t)indices[i] * m->dimension + k];
}

void lm_elastic_mixed_factors(const lm_elastic* body, const lm_elastic_state* state, double* factors)
{
	for (int s = 0; s < body->set_count; ++s)
	{
		const lm_term_set* set = &body->sets[s];
		const lm_measure* m = set->measure;
		double stiffness = stiffness_of(set, state->material), x[LM_MEASURE_SIZE], X[LM_MEASURE_SIZE];
		int64_t half = numbers_of(set) / 2;
		for (int64_t t = 0; t < set->count; ++t, factors += 2 * half)
		{
			lm_term term = {
				m, { m->count, stiffness * set->factors[t], set->green ? set->initial + t * m->count : NULL }
			};
			gather(m, set->vertices + t * m->corners, state->x, x);
			gather(m, set->slots + t * m->corners, state->X, X);
			lm_chain_mixed(&term, X, x, factors, factors + half);
		}
	}
}

// out += V^T (U in) over the terms of a set, for factors that lie `half` apart: V after U, or before.
static void apply(const lm_term_set* set, const double* U, const double* V, const int32_t* from, const int32_t* to,
                  const double* in, double* out)
{
	const lm_measure* m = set->measure;
	int n = m->size, d = m->dimension;
	int64_t step = numbers_of(set);
	for (int64_t t = 0; t < set->count; ++t, U += step, V += step, from += m->corners, to += m->corners)
	{
		double local[LM_MEASURE_SIZE];
		gather(m, from, in, local);
		for (int a = 0; a < m->count; ++a)
		{
			double along = 0;
			for (int i = 0; i < n; ++i)
				along += U[a * n + i] * local[i];
			for (int i = 0; i < n; ++i)
				out[(int64_t)to[i / d] * d + i % d] += along * V[a * n + i];
		}
	}
}

void lm_elastic_apply_factors(const lm_elastic* body, const double* factors, const double* dX, double* result)
{
	for (int s = 0; s < body->set_count; ++s)
	{
		const lm_term_set* set = &body->sets[s];
		apply(set, factors + numbers_of(set) / 2, factors, set->slots, set->vertices, dX, result);
		factors += set->count * numbers_of(set);
	}
}

void lm_elastic_apply_factors_transposed(const lm_elastic* body, const double* factors, const double* lambda,
                                         double* result)
{
	for (int s = 0; s < body->set_count; ++s)
	{
		const lm_term_set* set = &body->sets[s];
		apply(set, factors, factors + numbers_of(set) / 2, set->vertices, set->slots, lambda, result);
		factors += set->count * numbers_of(set);
	}
}
