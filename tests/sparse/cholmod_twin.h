// cholmod_twin.h: the same systems solved by CHOLMOD's supernodal factorisation, to compare with. It is under the GPL,
// and only tests and benchmarks use it.
#ifndef LIMBER_TEST_CHOLMOD_TWIN_H
#define LIMBER_TEST_CHOLMOD_TWIN_H

#include "sparse/pattern.h"

#include <cholmod.h>
#include <string.h>

// (A + shift I) X = B for count right sides; A positive definite. False when CHOLMOD fails.
static inline bool cholmod_twin_solve(const lm_pattern* pattern, const double* values, double shift, int64_t count,
                                      const double* B, double* X)
{
	cholmod_common common;
	cholmod_start(&common);
	common.supernodal = CHOLMOD_SUPERNODAL;
	size_t n = (size_t)pattern->n;
	cholmod_sparse A = { .nrow = n,
		                 .ncol = n,
		                 .nzmax = (size_t)pattern->entries,
		                 .p = pattern->start,
		                 .i = pattern->row,
		                 .x = (void*)values,
		                 .stype = 1, // the upper triangle
		                 .itype = CHOLMOD_INT,
		                 .xtype = CHOLMOD_REAL,
		                 .dtype = CHOLMOD_DOUBLE,
		                 .sorted = 1,
		                 .packed = 1 };
	cholmod_dense b = { .nrow = n,
		                .ncol = (size_t)count,
		                .nzmax = n * (size_t)count,
		                .d = n,
		                .x = (void*)B,
		                .xtype = CHOLMOD_REAL,
		                .dtype = CHOLMOD_DOUBLE };
	cholmod_factor* factor = cholmod_analyze(&A, &common);
	double beta[2] = { shift, 0 };
	bool good = factor != NULL && cholmod_factorize_p(&A, beta, NULL, 0, factor, &common) && factor->minor == n &&
	            factor->is_super;
	cholmod_dense* x = good ? cholmod_solve(CHOLMOD_A, factor, &b, &common) : NULL;
	if (x != NULL)
		memcpy(X, x->x, n * (size_t)count * sizeof *X);
	good = x != NULL;
	cholmod_free_dense(&x, &common);
	cholmod_free_factor(&factor, &common);
	cholmod_finish(&common);
	return good;
}

#endif
