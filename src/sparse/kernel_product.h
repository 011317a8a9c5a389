// kernel_product.h: products by tiles of 8 or 4 rows and 4 columns that stay in registers. Each kernel_*.c sets LM_DW,
// the doubles in a register of its machine, and LM_KERNELS, the name of its table.
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

// C(4 vectors' rows, columns c .. c + width) -= A B for `vectors` vectors of rows; always computes four columns.
LM_INLINE void tile(const lm_product* t, int64_t row, int64_t column, int width, const int vectors)
{
	vd sum[4][8 / LM_DW] = { 0 };
	const double *a = t->A + row, *b = t->B + column * t->b_column;
	int64_t second = width > 1 ? t->b_column : 0, third = width > 2 ? 2 * t->b_column : 0;
	int64_t fourth = width > 3 ? 3 * t->b_column : 0; // columns that are not there repeat the first
	for (int64_t p = 0; p < t->inner; ++p, a += t->lda, b += t->b_inner)
	{
		double b0 = b[0], b1 = b[second], b2 = b[third], b3 = b[fourth];
		for (int v = 0; v < vectors; ++v)
		{
			vd x = load(a + v * LM_DW);
			sum[0][v] += x * b0, sum[1][v] += x * b1, sum[2][v] += x * b2, sum[3][v] += x * b3;
		}
	}
	for (int c = 0; c < width; ++c)
	{
		double* target = t->C + (column + c) * t->ldc + row;
		for (int v = 0; v < vectors; ++v)
			store(target + v * LM_DW, load(target + v * LM_DW) - sum[c][v]);
	}
}

LM_INLINE void column_of_tiles(const lm_product* t, int64_t row, int64_t end, int64_t column, int width)
{
	for (; row + 4 < end; row += 8)
		tile(t, row, column, width, 8 / LM_DW);
	if (row < end)
		tile(t, row, column, width, 4 / LM_DW);
}

LM_INLINE int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

// Blocks of A that stay in the cache while all columns pass over them.
#define BLOCK_ROWS 64
#define BLOCK_INNER 128

LM_INLINE void subtract_blocks(const lm_product* product, const int lower)
{
	for (int64_t p = 0; p < product->inner; p += BLOCK_INNER)
	{
		lm_product t = *product;
		t.A += p * t.lda, t.B += p * t.b_inner, t.inner = least(BLOCK_INNER, t.inner - p);
		for (int64_t row = 0; row < t.rows; row += BLOCK_ROWS)
		{
			int64_t end = least(row + BLOCK_ROWS, t.rows), columns = lower ? least(t.columns, end) : t.columns,
					column = 0;
			for (; column + 4 <= columns; column += 4)
				column_of_tiles(&t, lower && column > row ? column : row, end, column, 4);
			if (column < columns)
				column_of_tiles(&t, lower && column > row ? column : row, end, column, (int)(columns - column));
		}
	}
}

static void subtract(const lm_product* product)
{
	subtract_blocks(product, 0);
}

static void subtract_lower(const lm_product* product)
{
	subtract_blocks(product, 1);
}

#endif
