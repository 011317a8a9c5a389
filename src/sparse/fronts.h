// fronts.h: Cholesky factorisation by dense fronts (the multifrontal method: Duff and Reid 1983; Liu 1992).
//
// Columns that are eliminated one after another and have (nearly) the same rows form a front of k columns and m further
// rows. Its dense panel, (k + m) x k, takes in the matrix and what its children in the elimination tree hand up, is
// factorised, and hands an m x m update up to its parent:
//
//     panel = [A11; A21] + children,   L11 L11^T = A11,   L21 = A21 L11^-T,   update = children - L21 L21^T
//
// Updates lie on two stacks, fronts and their children on different ones, so that a front can write its own while its
// children's are still there and none has to be moved.
//
// Signed fronts make L J L^T with J = diag(+-1) instead, without pivoting: that exists for every quasi-definite matrix
// (positive definite in some unknowns, negative definite in the others), whatever the order, and for nearly every
// other.
//
// All the arithmetic is in products of dense blocks. Panels lie column by column, update matrices too; of both only the
// lower triangle means something.
#ifndef LM_SPARSE_FRONTS_H
#define LM_SPARSE_FRONTS_H

#include "sparse/factor.h"
#include "sparse/kernel.h"
#include "sparse/pattern.h"

#define LM_FRONTS_WIDTH 32 // most right sides that are solved for together

typedef struct lm_fronts
{
	lm_host host;
	const lm_pattern* pattern;
	const lm_sparse_kernels* kernels;
	int32_t n, count;
	int32_t* order;       // [n] the unknown that is eliminated k-th
	int32_t* first;       // [count + 1] first column of each front
	int32_t* parent;      // [count] or -1
	int64_t* row_start;   // [count + 1] into rows
	int32_t* rows;        // further rows of each front, ascending
	int32_t* relative;    // beside rows: the row's place in the parent's front
	int32_t* run;         // beside rows: how many rows from this one on lie side by side there
	int64_t* panel;       // [count + 1] into L
	int32_t* entry_start; // [count + 1] entries of the pattern that each front takes in,
	int32_t* entry;       // [entries of the pattern] one front after another,
	int64_t* target;      // beside entry: and where in L they go

	bool is_signed;
	double* sign;    // [n] diagonal of J, in the order of elimination; signed only
	double* flipped; // a panel's columns times J, before they are multiplied with themselves; signed only

	double* L;
	double* updates;
	int64_t* update;  // [n] where there each front's begins
	int32_t* waiting; // [n] fronts whose updates have not been taken up yet
	double* X;        // [n * width] right sides in the order of elimination, interleaved
	double* T;        // [most rows * width]
} lm_fronts;

// order is a postorder of the elimination tree, counts[k] the entries of column k of the factor: as CHOLMOD's analysis
// gives them. LM_UNSUPPORTED when order is not a postorder or sizes overflow.
lm_status lm_fronts_create(const lm_pattern* pattern, const int32_t* order, const int32_t* counts, bool is_signed,
                           const lm_host* host, lm_fronts** fronts);
void lm_fronts_destroy(lm_fronts* fronts);

// Not signed: LM_FACTOR_NOT_POSITIVE where a pivot is not; signed: LM_FACTOR_SINGULAR where one is zero.
lm_factor_report lm_fronts_factorize(lm_fronts* fronts, const double* values, double shift);
void lm_fronts_solve(lm_fronts* fronts, int64_t count, const double* B, double* X);

// Of the tree (fronts_tree.c): parents of columns, and columns joined to fronts; returns the number of fronts.
void lm_fronts_column_parents(int32_t n, const int32_t* start, const int32_t* above, int32_t* parent,
                              int32_t* ancestor);
int32_t lm_fronts_join(int32_t n, const int32_t* parent, const int32_t* counts, int32_t* first, int64_t* entries);

static inline int64_t lm_front_columns(const lm_fronts* f, int32_t s)
{
	return f->first[s + 1] - f->first[s];
}

static inline int64_t lm_front_rows(const lm_fronts* f, int32_t s)
{
	return f->row_start[s + 1] - f->row_start[s];
}

// Room for a count of rows in the kernels' fours.
static inline int64_t lm_front_padded(int64_t rows)
{
	return (rows + 3) / 4 * 4;
}

// Distance of a panel's columns.
static inline int64_t lm_front_stride(const lm_fronts* f, int32_t s)
{
	return lm_front_padded(lm_front_columns(f, s) + lm_front_rows(f, s));
}

#endif
