// kernel.h: the inner loops of factorisations and solves, compiled for several machines and chosen at run time. Results
// may differ between machines in the last bits, never between runs or numbers of threads.
#ifndef LM_SPARSE_KERNEL_H
#define LM_SPARSE_KERNEL_H

#include "limber/base.h"

typedef struct lm_product
{
	int64_t rows, columns, inner;
	const double* A; // rows x inner, column by column, columns lda apart
	int64_t lda;
	const double* B; // b(p, c) = B[p b_inner + c b_column]: inner x columns
	int64_t b_inner, b_column;
	double* C; // rows x columns, column by column, columns ldc apart
	int64_t ldc;
	const double* sign; // [inner] 1 or -1: B's rows are multiplied by these; NULL: all 1
} lm_product;

typedef struct lm_sparse_kernels
{
	// C -= A B. Rows are taken in fours: up to three more than given are read from A and written to C.
	void (*subtract)(const lm_product* product);
	// The same for what is not above the diagonal of C; some numbers above it are written, too.
	void (*subtract_lower)(const lm_product* product);
	// C = -A B for what is not above the diagonal, rows in fours likewise.
	void (*negate_lower)(const lm_product* product);
	// to[place[i]] += from[i] for i < count; run[i] places from place[i] on follow each other.
	void (*add_runs)(int64_t count, const int32_t* place, const int32_t* run, const double* from, double* to);
	// L J L^T of columns first .. end - 1 of a panel that nothing left of first has to be taken from any more, in all
	// rows from each diagonal place on; J = diag(sign), 1 or -1, is written. With sign NULL it is L L^T. Returns the
	// column whose pivot is zero or, with L L^T, not positive; or end.
	int64_t (*finish_columns)(double* panel, int64_t stride, int64_t rows, int64_t first, int64_t end, double* sign);
	// The same for other rows, row .. rows - 1, once it is done up to row end.
	void (*follow_columns)(double* panel, int64_t stride, int64_t row, int64_t rows, int64_t first, int64_t end,
	                       const double* sign);
	// With L11 (k x k, lower triangle) above L21 (m x k) in a panel: x = L11^-1 x, t = -L21 x; and back up:
	// x = L11^-T (x - L21^T t).
	void (*solve_down)(const double* panel, int64_t stride, int64_t k, int64_t m, double* x, double* t);
	void (*solve_up)(const double* panel, int64_t stride, int64_t k, int64_t m, double* x, const double* t);
	// Of these, for parts of L21: t = -L x and x -= L^T t with L m x k.
	void (*multiply_down)(const double* L, int64_t stride, int64_t k, int64_t m, const double* x, double* t);
	void (*multiply_up)(const double* L, int64_t stride, int64_t k, int64_t m, double* x, const double* t);
} lm_sparse_kernels;

extern const lm_sparse_kernels lm_sparse_kernels_plain, lm_sparse_kernels_avx2;

// The widest that are not above this level.
const lm_sparse_kernels* lm_sparse_find_kernels(lm_simd simd);

#endif
