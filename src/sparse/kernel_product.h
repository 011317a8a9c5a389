// kernel_product.h: products by tiles of 12, 8 or 4 rows and 4 columns that stay in registers. Each kernel_*.c sets
// LM_DW, the doubles in a register of its machine, and LM_KERNELS, the name of its table.
#ifndef LM_SPARSE_KERNEL_PRODUCT_H
#define LM_SPARSE_KERNEL_PRODUCT_H

#include "sparse/kernel.h"

#include <string.h>

#define LM_INLINE static inline __attribute__((always_inline))

typedef double vd __attribute__((vector_size(8 * LM_DW)));

LM_INLINE vd load(const double* p)
{
	vd v;
	memcpy(&v, p, sizeof v);
	return v;
}

LM_INLINE void store(double* p, vd v)
{
	memcpy(p, &v, sizeof v);
}

// What a product does to C.
enum
{
	SUBTRACT,
	NEGATE
};

// C(`vectors` vectors of rows, columns c .. c + width) -= A B, or = -A B.
LM_INLINE void tile(const lm_product* t, int64_t row, int64_t column, const int width, const int vectors, const int how)
{
	vd sum[4][12 / LM_DW] = { 0 };
	const double *a = t->A + row, *b = t->B + column * t->b_column;
	const int64_t b_column = t->b_column, b_inner = t->b_inner, lda = t->lda;
	for (int64_t p = t->inner; p > 0; --p, a += lda, b += b_inner)
	{
		vd x[12 / LM_DW];
		for (int v = 0; v < vectors; ++v)
			x[v] = load(a + v * LM_DW);
		for (int c = 0; c < width; ++c)
		{
			double factor = b[c * b_column];
			for (int v = 0; v < vectors; ++v)
				sum[c][v] += x[v] * factor;
		}
	}
	for (int c = 0; c < width; ++c)
	{
		double* target = t->C + (column + c) * t->ldc + row;
		for (int v = 0; v < vectors; ++v)
			store(target + v * LM_DW, how == NEGATE ? -sum[c][v] : load(target + v * LM_DW) - sum[c][v]);
	}
}

LM_INLINE void column_of_tiles(const lm_product* t, int64_t row, int64_t end, int64_t column, const int width,
                               const int how)
{
	for (; row + 8 < end; row += 12)
		tile(t, row, column, width, 12 / LM_DW, how);
	if (row + 4 < end)
		tile(t, row, column, width, 8 / LM_DW, how);
	else if (row < end)
		tile(t, row, column, width, 4 / LM_DW, how);
}

LM_INLINE int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

// Blocks of A that stay in the cache while all columns pass over them.
#define BLOCK_ROWS 72
#define BLOCK_INNER 128

LM_INLINE lm_product inner_block(const lm_product* product, int64_t p)
{
	lm_product t = *product;
	t.A += p * t.lda, t.B += p * t.b_inner, t.inner = least(BLOCK_INNER, t.inner - p);
	return t;
}

LM_INLINE void rows_of_tiles(const lm_product* t, int64_t row, const int lower, const int how)
{
	int64_t end = least(row + BLOCK_ROWS, t->rows), columns = lower ? least(t->columns, end) : t->columns, column = 0;
	for (; column + 4 <= columns; column += 4)
		column_of_tiles(t, lower && column > row ? column : row, end, column, 4, how);
	int64_t first = lower && column > row ? column : row;
	if (columns - column == 3)
		column_of_tiles(t, first, end, column, 3, how);
	else if (columns - column == 2)
		column_of_tiles(t, first, end, column, 2, how);
	else if (columns - column == 1)
		column_of_tiles(t, first, end, column, 1, how);
}

static void subtract(const lm_product* product)
{
	for (int64_t p = 0; p < product->inner; p += BLOCK_INNER)
	{
		lm_product t = inner_block(product, p);
		for (int64_t row = 0; row < t.rows; row += BLOCK_ROWS)
			rows_of_tiles(&t, row, 0, SUBTRACT);
	}
}

static void subtract_lower_from(const lm_product* product, int64_t inner)
{
	for (int64_t p = inner; p < product->inner; p += BLOCK_INNER)
	{
		lm_product t = inner_block(product, p);
		for (int64_t row = 0; row < t.rows; row += BLOCK_ROWS)
			rows_of_tiles(&t, row, 1, SUBTRACT);
	}
}

static void subtract_lower(const lm_product* product)
{
	subtract_lower_from(product, 0);
}

static void negate_lower(const lm_product* product)
{
	lm_product t = inner_block(product, 0);
	for (int64_t row = 0; row < t.rows; row += BLOCK_ROWS)
		rows_of_tiles(&t, row, 1, NEGATE);
	subtract_lower_from(product, BLOCK_INNER);
}

#endif
