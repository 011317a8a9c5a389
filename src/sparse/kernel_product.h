// kernel_product.h: products by tiles of 12, 8 or 4 rows (of floats twice as many) and 4 columns that stay in registers.
// Each kernel_*.c sets LM_REGISTER, the bytes in a register of its machine.
//
// Large products are packed (Goto and van de Geijn 2008): a block of B in the order in which tiles read it, which stays
// in the second cache, and, row of tiles by row of tiles, A, which stays in the first. Every number of C is the same
// sum in the same order however a product is packed or cut into tiles, or C into panels of columns.
#ifndef LM_SPARSE_KERNEL_PRODUCT_H
#define LM_SPARSE_KERNEL_PRODUCT_H

#include "sparse/kernel.h"

#include <stdbool.h>
#include <string.h>

#define LM_INLINE static inline __attribute__((always_inline))

#define LM_DW (LM_REGISTER / (int64_t)sizeof(lm_real)) // numbers in a register

typedef lm_real vd __attribute__((vector_size(LM_REGISTER)));

LM_INLINE vd load(const lm_real* p)
{
	vd v;
	memcpy(&v, p, sizeof v);
	return v;
}

LM_INLINE void store(lm_real* p, vd v)
{
	memcpy(p, &v, sizeof v);
}

LM_INLINE int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

// What a product does to C.
enum
{
	SUBTRACT,
	NEGATE
};

#define TILE_ROWS (3 * LM_FRONTS_ROOM)
#define TILE_COLUMNS 4
#define BLOCK_INNER 128
#define BLOCK_COLUMNS 96 // of B; a multiple of both sides of a tile
#define BLOCK_ROWS 72    // of A, where nothing is packed

// What a tile reads, from its first row or column on: a(i, p) = a[p lda + i], b(p, c) = b[p b_inner + c b_column].
typedef struct operands
{
	const lm_real *a, *b;
	int64_t lda, b_inner, b_column;
} operands;

// C(`vectors` vectors of rows, `width` columns) -= A B, or = -A B.
LM_INLINE void tile(int64_t inner, operands o, lm_real* C, int64_t ldc, const int width, const int vectors,
                    const int how)
{
	vd sum[TILE_COLUMNS][TILE_ROWS / LM_DW] = { 0 };
	for (int c = 0; c < width; ++c)
		__builtin_prefetch(C + c * ldc, 1), __builtin_prefetch(C + c * ldc + vectors * LM_DW - 1, 1);
	for (; inner > 0; --inner, o.a += o.lda, o.b += o.b_inner)
	{
		vd x[TILE_ROWS / LM_DW];
		for (int v = 0; v < vectors; ++v)
			x[v] = load(o.a + v * LM_DW);
		for (int c = 0; c < width; ++c)
		{
			lm_real factor = o.b[c * o.b_column];
			for (int v = 0; v < vectors; ++v)
				sum[c][v] += x[v] * factor;
		}
	}
	for (int c = 0; c < width; ++c)
		for (int v = 0; v < vectors; ++v)
		{
			lm_real* target = C + c * ldc + v * LM_DW;
			store(target, how == NEGATE ? -sum[c][v] : load(target) - sum[c][v]);
		}
}

// rows <= TILE_ROWS.
LM_INLINE void tile_of_rows(int64_t rows, int64_t inner, operands o, lm_real* C, int64_t ldc, const int width,
                            const int how)
{
	if (rows > 2 * LM_FRONTS_ROOM)
		tile(inner, o, C, ldc, width, 3 * LM_FRONTS_ROOM / LM_DW, how);
	else if (rows > LM_FRONTS_ROOM)
		tile(inner, o, C, ldc, width, 2 * LM_FRONTS_ROOM / LM_DW, how);
	else
		tile(inner, o, C, ldc, width, LM_FRONTS_ROOM / LM_DW, how);
}

// Part of a product with at most BLOCK_INNER of its inner numbers.
LM_INLINE lm_product inner_block(const lm_product* product, int64_t p)
{
	lm_product t = *product;
	t.A += p * t.lda, t.B += p * t.b_inner, t.inner = least(BLOCK_INNER, t.inner - p);
	t.sign = t.sign ? t.sign + p : NULL;
	return t;
}

// ---- small products: where they lie ----

LM_INLINE void column_of_tiles(const lm_product* t, int64_t row, int64_t end, int64_t column, const int width,
                               const int how)
{
	operands o = { t->A + row, t->B + column * t->b_column, t->lda, t->b_inner, t->b_column };
	for (; row < end; row += TILE_ROWS, o.a += TILE_ROWS)
		tile_of_rows(end - row, t->inner, o, t->C + column * t->ldc + row, t->ldc, width, how);
}

// The row at which to begin in a column of tiles: what lies above the diagonal is skipped, as far as rows are taken
// together.
LM_INLINE int64_t first_row(int64_t row, int64_t column, const int lower)
{
	return lower && column > row ? column / LM_FRONTS_ROOM * LM_FRONTS_ROOM : row;
}

LM_INLINE void rows_of_tiles(const lm_product* t, int64_t row, const int lower, const int how)
{
	int64_t end = least(row + BLOCK_ROWS, t->rows), columns = lower ? least(t->columns, end) : t->columns, column = 0;
	for (; column + 4 <= columns; column += 4)
		column_of_tiles(t, first_row(row, column, lower), end, column, 4, how);
	int64_t first = first_row(row, column, lower);
	if (columns - column == 3)
		column_of_tiles(t, first, end, column, 3, how);
	else if (columns - column == 2)
		column_of_tiles(t, first, end, column, 2, how);
	else if (columns - column == 1)
		column_of_tiles(t, first, end, column, 1, how);
}

LM_INLINE void multiply_in_place(const lm_product* t, const int lower, const int how)
{
	for (int64_t row = 0; row < t->rows; row += BLOCK_ROWS)
		rows_of_tiles(t, row, lower, how);
}

// ---- large ones, and those with signs: packed ----

typedef struct packed
{
	_Alignas(64) lm_real a[TILE_ROWS * BLOCK_INNER];
	_Alignas(64) lm_real b[BLOCK_COLUMNS * BLOCK_INNER]; // four columns, then four more: each row's four side by side
} packed;

// Four numbers of row p from a column on; those from `end` on are zero.
LM_INLINE void pack_four(const lm_product* t, int64_t p, int64_t column, int64_t end, lm_real* to)
{
	const lm_real* from = t->B + p * t->b_inner + column * t->b_column;
	lm_real sign = t->sign ? t->sign[p] : 1;
	if (LM_DW <= TILE_COLUMNS && t->b_column == 1 && column + TILE_COLUMNS <= end)
		for (int v = 0; v < TILE_COLUMNS; v += LM_DW)
			store(to + v, load(from + v) * sign);
	else
		for (int64_t c = 0; c < TILE_COLUMNS; ++c)
			to[c] = column + c < end ? sign * from[c * t->b_column] : 0;
}

LM_INLINE void pack_b(const lm_product* t, int64_t first, int64_t end, lm_real* to)
{
	for (int64_t column = first; column < end; column += TILE_COLUMNS)
		for (int64_t p = 0; p < t->inner; ++p, to += TILE_COLUMNS)
			pack_four(t, p, column, end, to);
}

LM_INLINE void pack_a(const lm_product* t, int64_t row, int64_t vectors, lm_real* to)
{
	const lm_real* from = t->A + row;
	for (int64_t p = 0; p < t->inner; ++p, from += t->lda, to += TILE_ROWS)
		for (int64_t v = 0; v < vectors; ++v)
			store(to + v * LM_DW, load(from + v * LM_DW));
}

// A tile as wide as the columns that are left.
LM_INLINE void packed_tile(const lm_product* t, const operands* o, int64_t row, int64_t end, int64_t column, int how)
{
	lm_real* C = t->C + column * t->ldc + row;
	int64_t left = t->columns - column;
	if (left >= 4)
		tile_of_rows(end - row, t->inner, *o, C, t->ldc, 4, how);
	else if (left == 3)
		tile_of_rows(end - row, t->inner, *o, C, t->ldc, 3, how);
	else if (left == 2)
		tile_of_rows(end - row, t->inner, *o, C, t->ldc, 2, how);
	else
		tile_of_rows(end - row, t->inner, *o, C, t->ldc, 1, how);
}

LM_INLINE void multiply_packed(const lm_product* t, packed* room, const int lower, const int how)
{
	for (int64_t first = 0; first < t->columns; first += BLOCK_COLUMNS)
	{
		int64_t last = least(first + BLOCK_COLUMNS, t->columns);
		pack_b(t, first, last, room->b);
		for (int64_t row = lower ? first : 0; row < t->rows; row += TILE_ROWS)
		{
			int64_t end = least(row + TILE_ROWS, t->rows), columns_end = lower ? least(last, end) : last;
			pack_a(t, row, (end - row + LM_FRONTS_ROOM - 1) / LM_FRONTS_ROOM * LM_FRONTS_ROOM / LM_DW, room->a);
			for (int64_t column = first; column < columns_end; column += TILE_COLUMNS)
			{
				int64_t start = first_row(row, column, lower);
				operands o = { room->a + (start - row), room->b + (column - first) * t->inner, TILE_ROWS, TILE_COLUMNS,
					           1 };
				packed_tile(t, &o, start, end, column, how);
			}
		}
	}
}

// ---- either ----

// Packing costs as much as some columns and rows of tiles.
LM_INLINE bool is_worth_packing(const lm_product* t)
{
	return t->inner >= 48 && t->rows >= 48 && t->columns >= 24;
}

LM_INLINE bool has_flips(const lm_product* t)
{
	bool flips = false;
	for (int64_t p = 0; t->sign && p < t->inner; ++p)
		flips = flips || t->sign[p] < 0;
	return flips;
}

static __attribute__((noinline)) void multiply_large(const lm_product* t, const int lower, const int how)
{
	packed room;
	if (lower && how == NEGATE)
		multiply_packed(t, &room, 1, NEGATE);
	else if (lower)
		multiply_packed(t, &room, 1, SUBTRACT);
	else
		multiply_packed(t, &room, 0, SUBTRACT);
}

LM_INLINE void multiply(const lm_product* product, const int lower, const int how)
{
	for (int64_t p = 0; p < product->inner || (p == 0 && how == NEGATE); p += BLOCK_INNER)
	{
		lm_product t = inner_block(product, p);
		if (is_worth_packing(&t) || has_flips(&t))
			multiply_large(&t, lower, p == 0 ? how : SUBTRACT);
		else if (p == 0 && how == NEGATE)
			multiply_in_place(&t, lower, NEGATE);
		else
			multiply_in_place(&t, lower, SUBTRACT);
	}
}

static void subtract(const lm_product* product)
{
	multiply(product, 0, SUBTRACT);
}

static void subtract_lower(const lm_product* product)
{
	multiply(product, 1, SUBTRACT);
}

static void negate_lower(const lm_product* product)
{
	multiply(product, 1, NEGATE);
}

#endif
