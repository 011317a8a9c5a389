// band.h: Cholesky factorisation of symmetric matrices of dense blocks in a band: frames of a motion, each coupled with
// the one or two after it; or a single block. Blocks are padded to fours with ones on the diagonal, so that the kernels
// of src/sparse can be used as they are.
//
// Block column j is one panel, column by column: the diagonal block (lower triangle) above the blocks of rows j + 1 ..
// j + width.
#ifndef LM_DESIGN_BAND_H
#define LM_DESIGN_BAND_H

#include "sparse/kernel.h"

#include "limber/base.h"

typedef struct lm_design_band
{
	lm_host host;
	const lm_sparse_kernels* kernels;
	int32_t size;   // unknowns of a block
	int32_t padded; // the same in fours
	int32_t width;  // blocks below the diagonal one
	int32_t count;  // block columns
	int32_t room;   // for so many
	int64_t stride; // of the columns of a panel: (width + 1) * padded
	double* values; // panels one after another: the matrix, then its factor
	double* x;      // [count + width blocks] right sides
	double* t;      // [width blocks]
	double* sums;   // where the diagonal block of a column is summed up when unknowns are nodes: see elastic_kernel.h
} lm_design_band;

// Grows as needed; blocks zero.
bool lm_design_band_resize(lm_design_band* band, const lm_host* host, int32_t size, int32_t width, int32_t count);
void lm_design_band_release(lm_design_band* band);
void lm_design_band_clear(lm_design_band* band);

static inline double* lm_design_band_panel(const lm_design_band* band, int32_t column)
{
	return band->values + (int64_t)column * band->stride * band->padded;
}

// First number of the block `below` rows under the diagonal block of a column; its columns are band->stride apart.
static inline double* lm_design_band_block(const lm_design_band* band, int32_t column, int32_t below)
{
	return lm_design_band_panel(band, column) + (int64_t)below * band->padded;
}

// In place, of A + shift I. False when A is not positive definite.
bool lm_design_band_factorize(lm_design_band* band, double shift);

// d = A^-1 g, count x size numbers each; may be the same.
void lm_design_band_solve(lm_design_band* band, const double* g, double* d);

// The same for one block of a band of width 0. x: padded numbers, in place.
void lm_design_band_solve_block(const lm_design_band* band, int32_t column, double* x);

#endif
