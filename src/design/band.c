// band.c: see band.h. Left-looking over block columns, by narrow panels inside them.
#include "design/band.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

bool lm_design_band_resize(lm_design_band* band, const lm_host* host, int32_t size, int32_t width, int32_t count)
{
	int32_t padded = (size + 3) / 4 * 4;
	if (band->values != NULL && band->size == size && band->width == width && band->room >= count)
	{
		band->count = count;
		lm_design_band_clear(band);
		return true;
	}
	int32_t room = band->values != NULL ? count + count / 2 : count; // what grows once, grows again
	lm_design_band_release(band);
	*band = (lm_design_band){ .host = *host,
		                      .kernels = lm_sparse_find_kernels(host->simd),
		                      .size = size,
		                      .padded = padded,
		                      .width = width,
		                      .count = count,
		                      .room = room,
		                      .stride = (int64_t)(width + 1) * padded };
	band->values = LM_NEW(host, (size_t)room * (size_t)band->stride * (size_t)padded + 4, double);
	band->x = LM_NEW(host, (size_t)(room + width) * (size_t)padded + 4, double);
	band->t = LM_NEW(host, (size_t)width * (size_t)padded + 4, double);
	band->sums = LM_NEW(host, (size_t)(size / 3) * (size_t)(size / 3 + 1) / 2 * 12, double);
	if (band->values != NULL && band->x != NULL && band->t != NULL && band->sums != NULL)
		return true;
	lm_design_band_release(band);
	return false;
}

void lm_design_band_release(lm_design_band* band)
{
	if (band->values != NULL)
		lm_free(&band->host, band->values);
	if (band->x != NULL)
		lm_free(&band->host, band->x);
	if (band->t != NULL)
		lm_free(&band->host, band->t);
	if (band->sums != NULL)
		lm_free(&band->host, band->sums);
	*band = (lm_design_band){ 0 };
}

void lm_design_band_clear(lm_design_band* band)
{
	memset(band->values, 0, (size_t)band->count * (size_t)band->stride * (size_t)band->padded * sizeof(double));
}

// The panel less what the block columns before it contribute.
static void subtract_earlier(lm_design_band* b, int32_t column)
{
	for (int32_t i = column > b->width ? column - b->width : 0; i < column; ++i)
	{
		const double* from = lm_design_band_block(b, i, column - i);
		lm_product product = { .rows = (int64_t)(i + b->width - column + 1) * b->padded,
			                   .columns = b->padded,
			                   .inner = b->padded,
			                   .A = from,
			                   .lda = b->stride,
			                   .B = from,
			                   .b_inner = b->stride,
			                   .b_column = 1,
			                   .C = lm_design_band_panel(b, column),
			                   .ldc = b->stride };
		b->kernels->subtract_lower(&product);
	}
}

static bool factorize_panel(lm_design_band* b, double* panel, int64_t rows)
{
	enum
	{
		NARROW = 24
	};
	for (int64_t first = 0; first < b->padded; first += NARROW)
	{
		int64_t end = first + NARROW < b->padded ? first + NARROW : b->padded;
		if (b->kernels->finish_columns(panel, b->stride, rows, first, end, NULL) < end)
			return false;
		const double* from = panel + first * b->stride + end;
		lm_product product = { .rows = rows - end,
			                   .columns = b->padded - end,
			                   .inner = end - first,
			                   .A = from,
			                   .lda = b->stride,
			                   .B = from,
			                   .b_inner = b->stride,
			                   .b_column = 1,
			                   .C = panel + end * b->stride + end,
			                   .ldc = b->stride };
		if (product.columns > 0)
			b->kernels->subtract_lower(&product);
	}
	return true;
}

bool lm_design_band_factorize(lm_design_band* b, double shift)
{
	for (int32_t j = 0; j < b->count; ++j)
	{
		double* panel = lm_design_band_panel(b, j);
		for (int32_t i = 0; i < b->size; ++i)
			panel[i * b->stride + i] += shift;
		for (int32_t i = b->size; i < b->padded; ++i)
			panel[i * b->stride + i] = 1;
		subtract_earlier(b, j);
		int32_t below = b->count - 1 - j < b->width ? b->count - 1 - j : b->width;
		if (!factorize_panel(b, panel, (int64_t)(below + 1) * b->padded))
			return false;
	}
	return true;
}

void lm_design_band_solve_block(const lm_design_band* b, int32_t column, double* x)
{
	const double* panel = lm_design_band_panel(b, column);
	b->kernels->solve_down(panel, b->stride, b->padded, 0, x, b->t);
	b->kernels->solve_up(panel, b->stride, b->padded, 0, x, x + b->padded);
}

void lm_design_band_solve(lm_design_band* b, const double* g, double* d)
{
	memset(b->x, 0, (size_t)(b->count + b->width) * (size_t)b->padded * sizeof(double));
	for (int32_t j = 0; j < b->count; ++j)
		memcpy(b->x + (int64_t)j * b->padded, g + (int64_t)j * b->size, (size_t)b->size * sizeof(double));
	for (int32_t j = 0; j < b->count; ++j)
	{
		const double* panel = lm_design_band_panel(b, j);
		int32_t below = b->count - 1 - j < b->width ? b->count - 1 - j : b->width;
		double* x = b->x + (int64_t)j * b->padded;
		int64_t rows = (int64_t)below * b->padded;
		b->kernels->solve_down(panel, b->stride, b->padded, rows, x, b->t);
		for (int64_t r = 0; r < rows; ++r)
			x[b->padded + r] += b->t[r];
	}
	for (int32_t j = b->count - 1; j >= 0; --j)
	{
		int32_t below = b->count - 1 - j < b->width ? b->count - 1 - j : b->width;
		double* x = b->x + (int64_t)j * b->padded;
		b->kernels->solve_up(lm_design_band_panel(b, j), b->stride, b->padded, (int64_t)below * b->padded, x,
		                     x + b->padded);
	}
	for (int32_t j = 0; j < b->count; ++j)
		memcpy(d + (int64_t)j * b->size, b->x + (int64_t)j * b->padded, (size_t)b->size * sizeof(double));
}
