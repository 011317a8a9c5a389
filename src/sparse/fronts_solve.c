// L L^T x = b with the fronts' panels: down the columns with each front's part of x, then up again.
//
// One right side goes along the columns of the panels; several go LM_FRONTS_WIDTH at a time, interleaved, so that a row
// of x fills registers and all work is products of dense blocks.
#include "sparse/dense_update.h"
#include "sparse/fronts.h"

#include <string.h>

static void down_one(const lm_fronts* f, int32_t s, double* x, double* t)
{
	int64_t k = lm_front_columns(f, s), m = lm_front_rows(f, s);
	const int32_t* rows = f->rows + f->row_start[s];
	f->kernels->solve_down(f->L + f->panel[s], lm_front_stride(f, s), k, m, x + f->first[s], t);
	for (int64_t i = 0; i < m; ++i)
		x[rows[i]] += t[i];
}

static void up_one(const lm_fronts* f, int32_t s, double* x, double* t)
{
	int64_t k = lm_front_columns(f, s), m = lm_front_rows(f, s);
	const int32_t* rows = f->rows + f->row_start[s];
	for (int64_t i = 0; i < m; ++i)
		t[i] = x[rows[i]];
	f->kernels->solve_up(f->L + f->panel[s], lm_front_stride(f, s), k, m, x + f->first[s], t);
}

static void scale_row(int width, double* x, double factor)
{
	for (int r = 0; r < width; ++r)
		x[r] *= factor;
}

static void down_many(const lm_fronts* f, int32_t s, int width, double* X, double* T)
{
	int64_t k = lm_front_columns(f, s), m = lm_front_rows(f, s), stride = lm_front_stride(f, s);
	const double* panel = f->L + f->panel[s];
	const int32_t* rows = f->rows + f->row_start[s];
	double* own = X + f->first[s] * (int64_t)width;
	for (int64_t j = 0; j < k; ++j)
	{
		const double* column = panel + j * stride;
		scale_row(width, own + j * width, 1 / column[j]);
		for (int64_t i = j + 1; i < k; ++i)
			lm_subtract_row(width, column[i], own + j * width, own + i * width);
	}
	memset(T, 0, (size_t)(m * width) * sizeof *T);
	lm_product product = { width, m, k, own, width, panel + k, stride, 1, T, width };
	f->kernels->subtract(&product);
	for (int64_t i = 0; i < m; ++i)
		lm_subtract_row(width, -1, T + i * width, X + rows[i] * (int64_t)width);
}

static void up_many(const lm_fronts* f, int32_t s, int width, double* X, double* T)
{
	int64_t k = lm_front_columns(f, s), m = lm_front_rows(f, s), stride = lm_front_stride(f, s);
	const double* panel = f->L + f->panel[s];
	const int32_t* rows = f->rows + f->row_start[s];
	double* own = X + f->first[s] * (int64_t)width;
	for (int64_t i = 0; i < m; ++i)
		memcpy(T + i * width, X + rows[i] * (int64_t)width, (size_t)width * sizeof *T);
	lm_product product = { width, k, m, T, width, panel + k, 1, stride, own, width };
	f->kernels->subtract(&product);
	for (int64_t j = k - 1; j >= 0; --j)
	{
		const double* column = panel + j * stride;
		for (int64_t i = j + 1; i < k; ++i)
			lm_subtract_row(width, column[i], own + i * width, own + j * width);
		scale_row(width, own + j * width, 1 / column[j]);
	}
}

// The part of the solve between down and up: with J.
static void apply_signs(const lm_fronts* f, int width, double* X)
{
	for (int32_t j = 0; f->is_signed && j < f->n; ++j)
		if (f->sign[j] < 0)
			scale_row(width, X + j * (int64_t)width, -1);
}

static void solve_one(lm_fronts* f, const double* b, double* x)
{
	for (int32_t k = 0; k < f->n; ++k)
		f->X[k] = b[f->order[k]];
	for (int32_t s = 0; s < f->count; ++s)
		down_one(f, s, f->X, f->T);
	apply_signs(f, 1, f->X);
	for (int32_t s = f->count - 1; s >= 0; --s)
		up_one(f, s, f->X, f->T);
	for (int32_t k = 0; k < f->n; ++k)
		x[f->order[k]] = f->X[k];
}

// count right sides, at most LM_FRONTS_WIDTH, and zeros to fill up fours.
static void solve_many(lm_fronts* f, int count, const double* B, double* X)
{
	int64_t n = f->n;
	int width = (int)lm_front_padded(count);
	for (int64_t k = 0; k < n; ++k)
		for (int r = 0; r < width; ++r)
			f->X[k * width + r] = r < count ? B[r * n + f->order[k]] : 0;
	for (int32_t s = 0; s < f->count; ++s)
		down_many(f, s, width, f->X, f->T);
	apply_signs(f, width, f->X);
	for (int32_t s = f->count - 1; s >= 0; --s)
		up_many(f, s, width, f->X, f->T);
	for (int64_t k = 0; k < n; ++k)
		for (int r = 0; r < count; ++r)
			X[r * n + f->order[k]] = f->X[k * width + r];
}

void lm_fronts_solve(lm_fronts* fronts, int64_t count, const double* B, double* X)
{
	for (int64_t done = 0; done < count;)
	{
		int64_t left = count - done, at = done * fronts->n;
		int width = left < LM_FRONTS_WIDTH ? (int)left : LM_FRONTS_WIDTH;
		if (width == 1)
			solve_one(fronts, B + at, X + at);
		else
			solve_many(fronts, width, B + at, X + at);
		done += width;
	}
}
