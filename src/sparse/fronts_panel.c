// The dense work of one front, in wide blocks of columns. Symbols as in fronts.h.
//
// A wide block's square on the diagonal is factorised first, then strips of the rows below it follow, then it is taken
// from all columns right of it, panel of columns by panel of columns. Strips and panels are independent of each other;
// where they begin and end is fixed.
#include "base/parallel.h"
#include "sparse/fronts.h"

#define BLOCK 8   // columns that are finished before they are taken from the others of a wide block
#define STRIP 192 // rows: with a wide block's columns they fit the second cache
#define SHORT 384 // panels with fewer rows are not cut into strips

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

typedef struct panel
{
	const lm_sparse_kernels* kernels;
	lm_real* L;
	int64_t stride, columns, rows; // rows: all, those of L11 too
	lm_real* sign;                 // or NULL
	int64_t first, end;            // of the wide block that is worked on
	int64_t below;                 // first row of the strips
} panel;

// With the wide block that begins at column `first`. There are no numbers yet while work is only counted.
static panel panel_of(const lm_fronts* f, int32_t s, int64_t first)
{
	int64_t k = lm_front_columns(f, s), rows = k + lm_front_rows(f, s), end = least(first + LM_FRONTS_BLOCK, k);
	return (panel){ .kernels = f->kernels,
		            .L = f->L != NULL ? f->L + f->panel[s] : NULL,
		            .stride = lm_front_stride(f, s),
		            .columns = k,
		            .rows = rows,
		            .sign = f->is_signed && f->sign != NULL ? f->sign + f->first[s] : NULL,
		            .first = first,
		            .end = end,
		            .below = rows - first <= SHORT ? rows : least(lm_front_padded(end), rows) };
}

// Takes columns first .. end - 1 from columns `column` .. last - 1, in rows row .. rows - 1. Rows are written
// several at a time: row and, unless they are the last, rows are multiples of LM_FRONTS_ROOM.
static void take(const panel* p, int64_t first, int64_t end, int64_t column, int64_t last, int64_t row, int64_t rows,
                 void (*kernel)(const lm_product*))
{
	if (last <= column || rows <= row)
		return;
	const lm_real* done = p->L + first * p->stride;
	lm_product product = { .rows = rows - row,
		                   .columns = last - column,
		                   .inner = end - first,
		                   .A = done + row,
		                   .lda = p->stride,
		                   .B = done + column,
		                   .b_inner = p->stride,
		                   .b_column = 1,
		                   .C = p->L + column * p->stride + row,
		                   .ldc = p->stride,
		                   .sign = p->sign ? p->sign + first : NULL };
	kernel(&product);
}

int64_t lm_front_finish_block(const lm_fronts* f, int32_t s, int64_t first_column)
{
	panel p = panel_of(f, s, first_column);
	for (int64_t first = p.first; first < p.end; first += BLOCK)
	{
		int64_t end = least(first + BLOCK, p.end);
		int64_t bad = p.kernels->finish_columns(p.L, p.stride, p.below, first, end, p.sign);
		if (bad < end)
			return bad;
		take(&p, first, end, end, p.end, end, p.below, p.kernels->subtract_lower);
	}
	return p.end;
}

int64_t lm_front_strips(const lm_fronts* f, int32_t s, int64_t first_column)
{
	panel p = panel_of(f, s, first_column);
	return lm_chunk_count(p.rows - p.below, STRIP);
}

void lm_front_finish_strip(const lm_fronts* f, int32_t s, int64_t first_column, int64_t strip)
{
	panel p = panel_of(f, s, first_column);
	int64_t row = p.below + strip * STRIP, rows = least(row + STRIP, p.rows);
	for (int64_t first = p.first; first < p.end; first += BLOCK)
	{
		int64_t end = least(first + BLOCK, p.end);
		p.kernels->follow_columns(p.L, p.stride, row, rows, first, end, p.sign);
		take(&p, first, end, end, p.end, row, rows, p.kernels->subtract);
	}
}

int64_t lm_front_parts(const lm_fronts* f, int32_t s, int64_t first_column)
{
	panel p = panel_of(f, s, first_column);
	return lm_chunk_count(p.columns - p.end, LM_FRONTS_COLUMNS);
}

void lm_front_take_from_part(const lm_fronts* f, int32_t s, int64_t first_column, int64_t part)
{
	panel p = panel_of(f, s, first_column);
	int64_t column = p.end + part * LM_FRONTS_COLUMNS, last = least(column + LM_FRONTS_COLUMNS, p.columns);
	take(&p, p.first, p.end, column, last, column, p.rows, p.kernels->subtract_lower);
}

void lm_front_make_update(const lm_fronts* f, int32_t s, int64_t first, int64_t end, lm_real* update)
{
	panel p = panel_of(f, s, 0);
	int64_t m = p.rows - p.columns, stride = lm_front_padded(m);
	const lm_real* L21 = p.L + p.columns + first;
	lm_product product = { .rows = m - first,
		                   .columns = end - first,
		                   .inner = p.columns,
		                   .A = L21,
		                   .lda = p.stride,
		                   .B = L21,
		                   .b_inner = p.stride,
		                   .b_column = 1,
		                   .C = update + first * stride + first,
		                   .ldc = stride,
		                   .sign = p.sign };
	f->kernels->negate_lower(&product);
}
