#include "sparse/woodbury.h"

#include "base/alloc.h"
#include "base/error.h"
#include "sparse/dense.h"
#include "sparse/dense_update.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

struct lm_woodbury
{
	lm_host host;
	lm_cholesky* cholesky;
	int64_t n, k;
	bool ready;
	lm_sparse_columns V;
	double* Z;       // k columns of n numbers
	double* C;       // k x k, factorised
	double* small;   // k numbers
	int32_t* pivots; // k
	size_t Z_capacity, C_capacity, small_capacity, pivots_capacity;
};

lm_status lm_woodbury_create(lm_cholesky* cholesky, const lm_host* host, lm_woodbury** woodbury, lm_error* error)
{
	lm_woodbury* w = LM_NEW(host, 1, lm_woodbury);
	if (!w)
		return lm_fail_memory(error);
	w->host = *host, w->cholesky = cholesky, w->n = lm_cholesky_size(cholesky);
	*woodbury = w;
	return LM_OK;
}

void lm_woodbury_destroy(lm_woodbury* woodbury)
{
	if (!woodbury)
		return;
	lm_host host = woodbury->host;
	lm_free(&host, woodbury->Z), lm_free(&host, woodbury->C);
	lm_free(&host, woodbury->small), lm_free(&host, woodbury->pivots);
	lm_free(&host, woodbury);
}

static bool make_room(lm_woodbury* w, int64_t k)
{
	const lm_host* host = &w->host;
	return lm_grow(host, (void**)&w->Z, &w->Z_capacity, (size_t)(k * w->n), sizeof *w->Z) &&
	       lm_grow(host, (void**)&w->C, &w->C_capacity, (size_t)(k * k), sizeof *w->C) &&
	       lm_grow(host, (void**)&w->small, &w->small_capacity, (size_t)k, sizeof *w->small) &&
	       lm_grow(host, (void**)&w->pivots, &w->pivots_capacity, (size_t)k, sizeof *w->pivots);
}

// Column c of S with x.
static double sparse_dot(const lm_sparse_columns* S, int64_t c, const double* x)
{
	double sum = 0;
	for (int32_t e = S->start[c]; e < S->start[c + 1]; ++e)
		sum += S->value[e] * x[S->index[e]];
	return sum;
}

// C = I + V^T Z, and the largest number that took part in it.
static double small_matrix(const lm_woodbury* w)
{
	double largest = 1;
	for (int64_t i = 0; i < w->k; ++i)
		for (int64_t j = 0; j < w->k; ++j)
		{
			double product = sparse_dot(&w->V, i, w->Z + j * w->n);
			w->C[i * w->k + j] = (i == j) + product;
			largest = fmax(largest, fabs(product));
		}
	return largest;
}

lm_factor_report lm_woodbury_update(lm_woodbury* w, const lm_sparse_columns* U, const lm_sparse_columns* V)
{
	assert(U->count == V->count);
	int64_t k = U->count, n = w->n;
	w->ready = false, w->k = k, w->V = *V;
	if (!make_room(w, k))
		return (lm_factor_report){ LM_FACTOR_NO_MEMORY, -1, 0, 0 };
	memset(w->Z, 0, (size_t)(n * k) * sizeof *w->Z);
	for (int64_t c = 0; c < k; ++c)
		for (int32_t e = U->start[c]; e < U->start[c + 1]; ++e)
			w->Z[c * n + U->index[e]] += U->value[e];
	if (!lm_cholesky_solve(w->cholesky, k, w->Z, w->Z))
		return (lm_factor_report){ LM_FACTOR_NO_MEMORY, -1, 0, 0 };
	double largest = small_matrix(w);
	lm_factor_report report = lm_dense_lu((int)k, w->C, w->pivots);
	// 1 + v^T A^-1 u may cancel to nothing but rounding, which the pivots alone do not show.
	for (int64_t c = 0; c < k && report.status == LM_FACTOR_OK; ++c)
		if (fabs(w->C[c * k + c]) <= 64 * DBL_EPSILON * largest)
			report = (lm_factor_report){ LM_FACTOR_SINGULAR, c, 0, 0 };
	w->ready = report.status == LM_FACTOR_OK;
	return report;
}

bool lm_woodbury_solve(lm_woodbury* w, int64_t count, const double* B, double* X)
{
	if (!w->ready || !lm_cholesky_solve(w->cholesky, count, B, X))
		return false;
	for (double* x = X; x < X + count * w->n; x += w->n)
	{
		for (int64_t c = 0; c < w->k; ++c)
			w->small[c] = sparse_dot(&w->V, c, x);
		lm_dense_lu_solve((int)w->k, w->C, w->pivots, 1, w->small);
		for (int64_t c = 0; c < w->k; ++c)
			lm_subtract_row((int)w->n, w->small[c], w->Z + c * w->n, x);
	}
	return true;
}

bool lm_woodbury_solve_transposed(lm_woodbury* w, int64_t count, const double* B, double* X)
{
	if (!w->ready)
		return false;
	if (X != B)
		memcpy(X, B, (size_t)(count * w->n) * sizeof *X);
	for (double* x = X; x < X + count * w->n; x += w->n)
	{
		for (int64_t c = 0; c < w->k; ++c)
			w->small[c] = lm_dense_dot((int)w->n, w->Z + c * w->n, x);
		lm_dense_lu_solve_transposed((int)w->k, w->C, w->pivots, 1, w->small);
		for (int64_t c = 0; c < w->k; ++c)
			for (int32_t e = w->V.start[c]; e < w->V.start[c + 1]; ++e)
				x[w->V.index[e]] -= w->V.value[e] * w->small[c];
	}
	return lm_cholesky_solve(w->cholesky, count, X, X);
}
