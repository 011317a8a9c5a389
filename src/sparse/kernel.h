// kernel.h: the inner loops of factorisations and solves, compiled for several machines and chosen at run time. Results
// may differ between machines in the last bits, never between runs or numbers of threads.
#ifndef LM_SPARSE_KERNEL_H
#define LM_SPARSE_KERNEL_H

#include "limber/base.h"
#include "sparse/real.h"

typedef struct lm_product
{
	int64_t rows, columns, inner;
	const lm_real* A; // rows x inner, column by column, columns lda apart
	int64_t lda;
	const lm_real* B; // b(p, c) = B[p b_inner + c b_column]: inner x columns
	int64_t b_inner, b_column;
	lm_real* C; // rows x columns, column by column, columns ldc apart
	int64_t ldc;
	const lm_real* sign; // [inner] 1 or -1: B's rows are multiplied by these; NULL: all 1
} lm_product;

typedef struct lm_sparse_kernels
{
	// C -= A B. Rows are taken LM_FRONTS_ROOM at a time: up to so many are read from A
	// and written to C, even where fewer are left.
	void (*subtract)(const lm_product* product);
	// The same for what is not above the diagonal of C; some numbers above it are written, too.
	void (*subtract_lower)(const lm_product* product);
	// C = -A B for what is not above the diagonal, rows likewise.
	void (*negate_lower)(const lm_product* product);
	// to[place[i]] += from[i] for i < count; run[i] places from place[i] on follow each other.
	void (*add_runs)(int64_t count, const int32_t* place, const int32_t* run, const lm_real* from, lm_real* to);
	// L J L^T of columns first .. end - 1 of a panel that nothing left of first has to be taken from any more, in all
	// rows from each diagonal place on; J = diag(sign), 1 or -1, is written. With sign NULL it is L L^T. Returns the
	// column whose pivot is zero or, with L L^T, not positive; or end.
	int64_t (*finish_columns)(lm_real* panel, int64_t stride, int64_t rows, int64_t first, int64_t end, lm_real* sign);
	// The same for other rows, row .. rows - 1, once it is done up to row end.
	void (*follow_columns)(lm_real* panel, int64_t stride, int64_t row, int64_t rows, int64_t first, int64_t end,
	                       const lm_real* sign);
	// With L11 (k x k, lower triangle) above L21 (m x k) in a panel: x = L11^-1 x, t = -L21 x; and back up:
	// x = L11^-T (x - L21^T t).
	void (*solve_down)(const lm_real* panel, int64_t stride, int64_t k, int64_t m, lm_real* x, lm_real* t);
	void (*solve_up)(const lm_real* panel, int64_t stride, int64_t k, int64_t m, lm_real* x, const lm_real* t);
	// Of these, for parts of L21: t = -L x and x -= L^T t with L m x k.
	void (*multiply_down)(const lm_real* L, int64_t stride, int64_t k, int64_t m, const lm_real* x, lm_real* t);
	void (*multiply_up)(const lm_real* L, int64_t stride, int64_t k, int64_t m, lm_real* x, const lm_real* t);
} lm_sparse_kernels;

extern const lm_sparse_kernels lm_sparse_kernels_plain, lm_sparse_kernels_avx2;

// The widest that are not above this level.
const lm_sparse_kernels* lm_sparse_find_kernels(lm_simd simd);

#endif
