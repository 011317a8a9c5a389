// optimize_sparse.c: the model's step where every vertex of the rest shape is free (full control of larger bodies).
//
// K = R'' + A^T A with R'' = W_reg'' + (w_p + w_c) I sparse and A of a few dozen rows. By the formula of Woodbury,
//     U = R''^-1 A^T,   C = I + A U,   dp = -(R''^-1 g - U C^-1 A R''^-1 g),
// so that a step costs a sparse factorisation and a dense one of the size of the goals, and nothing of the size n m or
// m^2 is stored. The predicted decrease is -g . dp / 2.
#include "act/optimizer.h"
#include "base/alloc.h"
#include "base/error.h"
#include "sparse/cholesky.h"
#include "sparse/dense.h"

#include <math.h>
#include <string.h>

struct lm_act_sparse
{
	lm_cholesky* cholesky; // of R''
	double* U;             // [goals x m] row by row
	double* C;             // [goals x goals] its factor
	double* t;             // [goals]
};

lm_status lm_act_sparse_create(lm_act* body, const lm_host* host, lm_act_sparse** result, lm_error* error)
{
	lm_act_sparse* made = LM_NEW(host, 1, lm_act_sparse);
	if (made == NULL)
		return lm_fail_memory(error);
	lm_status status =
		lm_cholesky_create(lm_elastic_get(body->elastic).rest_pattern, LM_CHOLESKY_LL, host, &made->cholesky, error);
	if (status == LM_OK)
		*result = made;
	else
		lm_act_sparse_destroy(made, host);
	return status;
}

void lm_act_sparse_destroy(lm_act_sparse* sparse, const lm_host* host)
{
	if (sparse == NULL)
		return;
	lm_cholesky_destroy(sparse->cholesky);
	lm_free(host, sparse->U);
	lm_free(host, sparse->C);
	lm_free(host, sparse->t);
	lm_free(host, sparse);
}

static bool exchange(const lm_host* host, double** memory, int64_t numbers)
{
	double* more = LM_NEW(host, numbers, double);
	if (more == NULL)
		return false;
	lm_free(host, *memory);
	*memory = more;
	return true;
}

bool lm_act_sparse_reserve(lm_act_sparse* s, const lm_host* host, int32_t goals, int32_t m)
{
	return exchange(host, &s->U, (int64_t)goals * m) && exchange(host, &s->C, (int64_t)goals * goals) &&
	       exchange(host, &s->t, goals);
}

static double dot(int64_t n, const double* a, const double* b)
{
	double sum = 0;
	for (int64_t i = 0; i < n; ++i)
		sum += a[i] * b[i];
	return sum;
}

bool lm_act_sparse_build(lm_act* body)
{
	lm_act_optimizer* o = body->optimizer;
	lm_act_sparse* s = o->sparse;
	int64_t m = o->m, goals = body->goals.count;
	lm_act_regular_values(body, o->now.X, o->values);
	double diagonal = body->settings.parameter_weight + body->settings.change_weight;
	if (lm_cholesky_factorize(s->cholesky, o->values, diagonal).status != LM_FACTOR_OK ||
	    !lm_cholesky_solve(s->cholesky, goals, o->A, s->U))
		return false;
	for (int64_t r = 0; r < goals; ++r)
	{
		for (int64_t i = 0; i < m; ++i)
			o->gradient[i] += o->A[r * m + i] * o->other[r];
		for (int64_t q = r; q < goals; ++q)
			s->C[r * goals + q] = (r == q) + dot(m, o->A + r * m, s->U + q * m);
	}
	return lm_dense_cholesky((int)goals, s->C).status == LM_FACTOR_OK;
}

double lm_act_sparse_step(lm_act* body)
{
	lm_act_optimizer* o = body->optimizer;
	lm_act_sparse* s = o->sparse;
	int64_t m = o->m, goals = body->goals.count;
	for (int64_t k = 0; k < m; ++k)
		o->dp[k] = -o->gradient[k];
	if (!lm_cholesky_solve(s->cholesky, 1, o->dp, o->dp))
		return 0;
	for (int64_t r = 0; r < goals; ++r)
		s->t[r] = dot(m, o->A + r * m, o->dp);
	lm_dense_cholesky_solve((int)goals, s->C, 1, s->t);
	for (int64_t r = 0; r < goals; ++r)
		for (int64_t k = 0; k < m; ++k)
			o->dp[k] -= s->t[r] * s->U[r * m + k];
	double predicted = -dot(m, o->gradient, o->dp) / 2;
	return isfinite(predicted) ? predicted : 0;
}
