// factors.c: the mixed derivative d2W/dx dX as a sum over terms of U^T V (chain.h), kept, so that it can be applied to
// vectors many times.
#include "base/alloc.h"
#include "elastic/body.h"

#include <string.h>

static int64_t numbers_of(const lm_term_set* set)
{
	return 2 * (int64_t)lm_chain_rows(set->measure, set->model) * set->measure->size;
}

int64_t lm_elastic_factor_count(const lm_elastic* body)
{
	int64_t count = 0;
	for (int s = 0; s < body->set_count; ++s)
		count += body->sets[s].count * numbers_of(&body->sets[s]);
	return count;
}

static inline void gather(int corners, int d, const int32_t* indices, const double* from, double* to)
{
	for (int i = 0; i < corners; ++i)
		for (int k = 0; k < d; ++k)
			to[i * d + k] = from[(int64_t)indices[i] * d + k];
}

void lm_elastic_mixed_factors(const lm_elastic* body, const lm_elastic_state* state, double* factors)
{
	for (int s = 0; s < body->set_count; ++s)
	{
		const lm_term_set* set = &body->sets[s];
		const lm_measure* m = set->measure;
		double x[LM_MEASURE_SIZE], X[LM_MEASURE_SIZE];
		int64_t half = numbers_of(set) / 2;
		for (int64_t t = 0; t < set->count; ++t, factors += 2 * half)
		{
			lm_term term = lm_term_set_get(set, state->material, t);
			gather(m->corners, m->dimension, set->vertices + t * m->corners, state->x, x);
			gather(m->corners, m->dimension, set->slots + t * m->corners, state->X, X);
			lm_chain_mixed(&term, X, x, factors, factors + half);
		}
	}
}

// One use of the factors of a set: out += V^T (U in), from the places `from` of in to the places `to` of out.
typedef struct use
{
	int32_t count;
	const double *U, *V;
	const int32_t *from, *to;
	const double* in;
	double* out;
} use;

// For terms of `rows` numbers on `corners` corners: loops of known length are unrolled.
static inline void apply_of(const use* a, int rows, int corners, int d)
{
	int n = corners * d;
	for (int64_t t = 0; t < a->count; ++t)
	{
		const double *U = a->U + 2 * rows * n * t, *V = a->V + 2 * rows * n * t;
		const int32_t* to = a->to + corners * t;
		double local[LM_MEASURE_SIZE], result[LM_MEASURE_SIZE] = { 0 };
		gather(corners, d, a->from + corners * t, a->in, local);
		for (int r = 0; r < rows; ++r)
		{
			double along = 0;
			for (int i = 0; i < n; ++i)
				along += U[r * n + i] * local[i];
			for (int i = 0; i < n; ++i)
				result[i] += along * V[r * n + i];
		}
		for (int c = 0; c < corners; ++c)
			for (int k = 0; k < d; ++k)
				a->out[(int64_t)to[c] * d + k] += result[c * d + k];
	}
}

static void apply(const lm_term_set* set, const use* a)
{
	const lm_measure* m = set->measure;
	int rows = lm_chain_rows(m, set->model);
	switch (100 * rows + 10 * m->corners + m->dimension)
	{
		case 122: apply_of(a, 1, 2, 2); break; // lengths
		case 123: apply_of(a, 1, 2, 3); break;
		case 132: apply_of(a, 1, 3, 2); break; // areas, turning angles
		case 143: apply_of(a, 1, 4, 3); break; // volumes, hinges
		case 332: apply_of(a, 3, 3, 2); break; // Gram matrices
		case 643: apply_of(a, 6, 4, 3); break;
		default: apply_of(a, rows, m->corners, m->dimension);
	}
}

void lm_elastic_apply_factors(const lm_elastic* body, const double* factors, const double* dX, double* result)
{
	for (int s = 0; s < body->set_count; ++s)
	{
		const lm_term_set* set = &body->sets[s];
		const double* V = factors + numbers_of(set) / 2;
		apply(set, &(use){ set->count, V, factors, set->slots, set->vertices, dX, result });
		factors += set->count * numbers_of(set);
	}
}

void lm_elastic_apply_factors_transposed(const lm_elastic* body, const double* factors, const double* lambda,
                                         double* result)
{
	for (int s = 0; s < body->set_count; ++s)
	{
		const lm_term_set* set = &body->sets[s];
		const double* V = factors + numbers_of(set) / 2;
		apply(set, &(use){ set->count, factors, V, set->vertices, set->slots, lambda, result });
		factors += set->count * numbers_of(set);
	}
}
