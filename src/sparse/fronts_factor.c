// Factorising front by front. Symbols as in fronts.h.
#include "sparse/fronts.h"

#include <math.h>
#include <string.h>

#define BLOCK 8 // columns of a panel that are finished before they are taken from the others
#define WIDE_BLOCK 64

static double* update_of(const lm_fronts* f, int32_t s)
{
	return f->updates + f->update[s];
}

// Columns first .. end - 1 of what child hands up go to columns of a matrix: row r of the parent lies r + shift places
// behind the start of its column.
static void take_up(const lm_fronts* f, int32_t child, int64_t first, int64_t end, double* to, int64_t stride,
                    int64_t shift)
{
	int64_t m = lm_front_rows(f, child), own = lm_front_padded(m);
	const int32_t *place = f->relative + f->row_start[child], *run = f->run + f->row_start[child];
	const double* from = update_of(f, child);
	for (int64_t j = first; j < end; ++j)
		f->kernels->add_runs(m - j, place + j, run + j, from + j * own + j, to + (place[j] + shift) * stride + shift);
}

// How many columns of what child hands up belong to its parent's panel.
static int64_t columns_for_panel(const lm_fronts* f, int32_t child)
{
	int64_t m = lm_front_rows(f, child), k = lm_front_columns(f, f->parent[child]), count = 0;
	const int32_t* place = f->relative + f->row_start[child];
	while (count < m && place[count] < k)
		++count;
	return count;
}

// Columns first .. end - 1 of a front from row on, times J: themselves where J is the identity there, which is nearly
// everywhere. Columns lie as far apart as in the panel.
static const double* times_signs(const lm_fronts* f, int32_t s, int64_t first, int64_t end, int64_t row)
{
	int64_t stride = lm_front_stride(f, s);
	const double* from = f->L + f->panel[s] + first * stride + row;
	const double* sign = f->is_signed ? f->sign + f->first[s] : NULL;
	bool flips = false;
	for (int64_t j = first; sign && j < end; ++j)
		flips = flips || sign[j] < 0;
	if (!flips)
		return from;
	int64_t rows = lm_front_columns(f, s) + lm_front_rows(f, s) - row;
	for (int64_t j = first; j < end; ++j)
		for (int64_t i = 0; i < rows; ++i)
			f->flipped[(j - first) * stride + i] = sign[j] * from[(j - first) * stride + i];
	return f->flipped;
}

// Takes columns first .. end - 1 of a panel, which are finished, from columns end .. last - 1. Starting at a multiple
// of four, rows in fours stay within the stride.
static void update_columns(const lm_fronts* f, int32_t s, int64_t first, int64_t end, int64_t last)
{
	int64_t stride = lm_front_stride(f, s), rows = lm_front_columns(f, s) + lm_front_rows(f, s);
	double* panel = f->L + f->panel[s];
	if (last <= end)
		return;
	const double *A = panel + first * stride + end, *B = times_signs(f, s, first, end, end);
	lm_product product = { rows - end, last - end, end - first, A, stride, B, stride, 1, panel + end * stride + end,
		                   stride };
	f->kernels->subtract_lower(&product);
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

// L11 and L21 of front s. Returns the column whose pivot is not positive, or k. Blocks of columns are finished one by
// one within wide blocks, and only these are taken from all that follows, which may not fit the cache.
static int64_t factorize_panel(const lm_fronts* f, int32_t s)
{
	double* panel = f->L + f->panel[s];
	int64_t k = lm_front_columns(f, s), stride = lm_front_stride(f, s), rows = k + lm_front_rows(f, s);
	for (int64_t wide = 0; wide < k; wide += WIDE_BLOCK)
	{
		int64_t wide_end = least(wide + WIDE_BLOCK, k);
		for (int64_t first = wide; first < wide_end; first += BLOCK)
		{
			int64_t end = least(first + BLOCK, wide_end), bad;
			if (f->is_signed)
				bad = f->kernels->finish_signed(panel, stride, rows, first, end, f->sign + f->first[s]);
			else
				bad = f->kernels->finish_columns(panel, stride, rows, first, end);
			if (bad < end)
				return bad;
			update_columns(f, s, first, end, wide_end);
		}
		update_columns(f, s, wide, wide_end, k);
	}
	return k;
}

static void compute_update(const lm_fronts* f, int32_t s)
{
	int64_t k = lm_front_columns(f, s), m = lm_front_rows(f, s), stride = lm_front_stride(f, s);
	const double* L21 = f->L + f->panel[s] + k;
	const double* right = times_signs(f, s, 0, k, k);
	lm_product product = { m, m, k, L21, stride, right, stride, 1, update_of(f, s), lm_front_padded(m) };
	f->kernels->negate_lower(&product);
}

// The panel of a front as the matrix has it.
static void fill_panel(lm_fronts* f, int32_t s, const double* values, double shift)
{
	double* panel = f->L + f->panel[s];
	memset(panel, 0, (size_t)(f->panel[s + 1] - f->panel[s]) * sizeof(double));
	for (int32_t k = f->entry_start[s]; k < f->entry_start[s + 1]; ++k)
		f->L[f->target[k]] = values[f->entry[k]];
	for (int64_t j = 0; shift != 0 && j < lm_front_columns(f, s); ++j)
		panel[j * (lm_front_stride(f, s) + 1)] += shift;
}

// One front. *top counts the updates that wait. Returns as factorize_panel.
static int64_t eliminate(lm_fronts* f, int32_t s, int32_t* top)
{
	int64_t k = lm_front_columns(f, s), m = lm_front_rows(f, s);
	int32_t last = *top, first = last;
	for (; first > 0 && f->parent[f->waiting[first - 1]] == s; --first)
	{
		int32_t child = f->waiting[first - 1];
		take_up(f, child, 0, columns_for_panel(f, child), f->L + f->panel[s], lm_front_stride(f, s), 0);
	}
	*top = first;
	int64_t bad = factorize_panel(f, s);
	if (bad < k || m == 0)
		return bad;
	compute_update(f, s);
	for (int32_t i = last - 1; i >= first; --i)
	{
		int32_t child = f->waiting[i];
		int64_t rows = lm_front_rows(f, child);
		take_up(f, child, columns_for_panel(f, child), rows, update_of(f, s), lm_front_padded(m), -k);
	}
	f->waiting[(*top)++] = s;
	return bad;
}

lm_factor_report lm_fronts_factorize(lm_fronts* f, const double* values, double shift)
{
	int32_t top = 0;
	double smallest = INFINITY, largest = 0;
	for (int32_t s = 0; s < f->count; ++s)
	{
		fill_panel(f, s, values, shift);
		int64_t k = lm_front_columns(f, s), stride = lm_front_stride(f, s);
		int64_t bad = eliminate(f, s, &top);
		const double* panel = f->L + f->panel[s];
		if (bad < k)
		{
			bool finite = isfinite(panel[bad * stride + bad]);
			lm_factor_status failure = f->is_signed ? LM_FACTOR_SINGULAR : LM_FACTOR_NOT_POSITIVE;
			return (lm_factor_report){ finite ? failure : LM_FACTOR_NOT_FINITE, f->order[f->first[s] + bad], 0, 0 };
		}
		for (int64_t j = 0; j < k; ++j)
		{
			double pivot = panel[j * stride + j];
			smallest = fmin(smallest, pivot), largest = fmax(largest, pivot);
		}
	}
	double ratio = f->n > 0 ? smallest / largest : 1;
	int64_t negative = 0;
	for (int32_t j = 0; f->is_signed && j < f->n; ++j)
		negative += f->sign[j] < 0;
	return (lm_factor_report){ LM_FACTOR_OK, -1, negative, ratio * ratio };
}
