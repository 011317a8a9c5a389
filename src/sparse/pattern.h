// pattern.h: square sparse matrices whose places are known beforehand: sums of small dense element matrices.
//
// A pattern is built once from lists of elements. The numbers are plain arrays of `entries` doubles that the caller
// owns, so that one pattern serves many matrices. Columns are compressed, rows ascend in each; symmetric patterns hold
// the upper triangle only (row <= column). The diagonal is always there, element or not.
//
// Element matrices ("locals") are dense, row by row, and lie one after another: that of element e (counted through all
// lists) begins at local_start[e]. A pattern knows the place of each of their numbers, so assembly is pure adding,
// in the order of the elements: lm_pattern_gather gives the same bits for any number of threads, and the same as
// lm_pattern_scatter of each element in order.
#ifndef LM_SPARSE_PATTERN_H
#define LM_SPARSE_PATTERN_H

#include "limber/base.h"

// Element e couples index[start[e]] .. index[start[e + 1] - 1], or, where start is NULL, size indices from size * e on.
// With block d an index v stands for the unknowns d v .. d v + d - 1; a negative one is no unknown (pinned) and what
// belongs to it is left out, but keeps its room in the local matrix.
typedef struct lm_element_list
{
	int64_t count;
	const int32_t* index;
	const int32_t* start; // count + 1 of them, or NULL
	int32_t size;         // where start is NULL
	int32_t block;        // 1 for plain unknowns; 2 or 3 for vertices
} lm_element_list;

typedef struct lm_pattern
{
	lm_host host;
	int32_t n; // rows and columns
	bool symmetric;
	// Unknowns that are eliminated as one block: 3 for vertices, i. e. unknowns 3 i .. 3 i + 2. Set by the owner,
	// 1 otherwise. Divides n.
	int32_t block_size;
	int32_t first_late; // unknowns from here on are eliminated after half of what they are coupled with; 0: none
	int64_t entries;
	int32_t* start;    // [n + 1] first entry of each column
	int32_t* row;      // [entries]
	int32_t* diagonal; // [n] entry of each diagonal place

	int64_t element_count, local_count;
	int64_t* local_start;  // [element_count + 1] into locals
	int32_t* place;        // [local_count] entry that each number of the locals is added to, or -1
	int32_t* gather_start; // [entries + 1]
	int32_t* gather;       // which locals make up each entry, ascending
} lm_pattern;

// LM_BAD_INPUT when an index lies outside of 0 .. n - 1, or when the matrix has 2^31 places or more.
lm_status lm_pattern_create(int64_t n, bool symmetric, const lm_element_list* lists, int list_count,
                            const lm_host* host, lm_pattern** pattern, lm_error* error);
void lm_pattern_destroy(lm_pattern* pattern);

// values = the sum of all locals.
void lm_pattern_gather(const lm_pattern* pattern, const double* locals, int threads, double* values);

// values += the matrix of one element. Of a symmetric pattern only one of (i, j) and (j, i) is read.
void lm_pattern_scatter(const lm_pattern* pattern, int64_t element, const double* local, double* values);

// The entry at a place (of a symmetric pattern, either of the two places), or -1 where the matrix is always zero.
int64_t lm_pattern_find(const lm_pattern* pattern, int64_t row, int64_t column);

void lm_pattern_diagonal(const lm_pattern* pattern, const double* values, double* diagonal);

// values += scale diag(d); with d NULL, of the identity.
void lm_pattern_add_diagonal(const lm_pattern* pattern, double scale, const double* d, double* values);

// y = A x and y = A^T x. x and y must not overlap.
void lm_pattern_multiply(const lm_pattern* pattern, const double* values, const double* x, double* y);
void lm_pattern_multiply_transposed(const lm_pattern* pattern, const double* values, const double* x, double* y);

// Y = A X for n rows of `count` numbers each, rows `stride` apart. X and Y must not overlap.
void lm_pattern_multiply_rows(const lm_pattern* pattern, const double* values, int64_t count, const double* X,
                              int64_t stride, double* Y);

// x^T A y
double lm_pattern_form(const lm_pattern* pattern, const double* values, const double* x, const double* y);

#endif
