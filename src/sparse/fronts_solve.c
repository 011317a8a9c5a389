// L L^T x = b with the fronts' panels: down the columns with each front's part of x, then up again.
//
// One right side goes along the columns of the panels; several go LM_FRONTS_WIDTH at a time, interleaved, so that a row
// of x fills registers and all work is products of dense blocks.
#include "base/parallel.h"
#include "sparse/fronts.h"

#include <string.h>

// A front, and the part of x that goes with its columns and rows.
typedef struct part
{
	const lm_fronts* f;
	int32_t s;
	int width;
	lm_real *own, *t;
} part;

static part part_of(const lm_fronts* f, int32_t s, int width, lm_real* t)
{
	return (part){ f, s, width, f->X + f->first[s] * (int64_t)width, t };
}

static const lm_real* L21_of(const part* a)
{
	return a->f->L + a->f->panel[a->s] + lm_front_columns(a->f, a->s);
}

// One right side, with the first m rows of L21.
static void down_one(const lm_fronts* f, int32_t s, int64_t m, lm_real* x, lm_real* t)
{
	f->kernels->solve_down(f->L + f->panel[s], lm_front_stride(f, s), lm_front_columns(f, s), m, x, t);
}

static void up_one(const lm_fronts* f, int32_t s, int64_t m, lm_real* x, lm_real* t)
{
	f->kernels->solve_up(f->L + f->panel[s], lm_front_stride(f, s), lm_front_columns(f, s), m, x, t);
}

// y[0 .. n) -= c row
static void subtract_row(int n, lm_real c, const lm_real* restrict row, lm_real* restrict y)
{
	for (int j = 0; j < n; ++j)
		y[j] -= c * row[j];
}

static void scale_row(int width, lm_real* x, lm_real factor)
{
	for (int r = 0; r < width; ++r)
		x[r] *= factor;
}

// x = L11^-1 x and x = L11^-T x.
static void solve_square(const part* a, bool up)
{
	const lm_fronts* f = a->f;
	int64_t k = lm_front_columns(f, a->s), stride = lm_front_stride(f, a->s), width = a->width;
	const lm_real* panel = f->L + f->panel[a->s];
	if (width == 1)
	{
		(up ? up_one : down_one)(f, a->s, 0, a->own, a->t);
		return;
	}
	for (int64_t c = 0; c < k; ++c)
	{
		int64_t j = up ? k - 1 - c : c;
		const lm_real* column = panel + j * stride;
		for (int64_t i = j + 1; i < k && up; ++i)
			subtract_row(a->width, column[i], a->own + i * width, a->own + j * width);
		scale_row(a->width, a->own + j * width, 1 / column[j]);
		for (int64_t i = j + 1; i < k && !up; ++i)
			subtract_row(a->width, column[i], a->own + j * width, a->own + i * width);
	}
}

// Rows begin .. end - 1 of t = -L21 x.
static void multiply_rows(const part* a, int64_t begin, int64_t end)
{
	int64_t width = a->width, k = lm_front_columns(a->f, a->s), stride = lm_front_stride(a->f, a->s);
	if (width == 1)
	{
		a->f->kernels->multiply_down(L21_of(a) + begin, stride, k, end - begin, a->own, a->t + begin);
		return;
	}
	memset(a->t + begin * width, 0, (size_t)((end - begin) * width) * sizeof *a->t);
	lm_product product = { .rows = width,
		                   .columns = end - begin,
		                   .inner = k,
		                   .A = a->own,
		                   .lda = width,
		                   .B = L21_of(a) + begin,
		                   .b_inner = stride,
		                   .b_column = 1,
		                   .C = a->t + begin * width,
		                   .ldc = width };
	a->f->kernels->subtract(&product);
}

// Columns begin .. end - 1 of x -= L21^T t.
static void multiply_columns(const part* a, int64_t begin, int64_t end)
{
	int64_t width = a->width, m = lm_front_rows(a->f, a->s), stride = lm_front_stride(a->f, a->s);
	const lm_real* L21 = L21_of(a) + begin * stride;
	if (width == 1)
	{
		a->f->kernels->multiply_up(L21, stride, end - begin, m, a->own + begin, a->t);
		return;
	}
	lm_product product = { .rows = width,
		                   .columns = end - begin,
		                   .inner = m,
		                   .A = a->t,
		                   .lda = width,
		                   .B = L21,
		                   .b_inner = 1,
		                   .b_column = stride,
		                   .C = a->own + begin * width,
		                   .ldc = width };
	a->f->kernels->subtract(&product);
}

// t is added to the rows of x that it belongs to, or in a task to places of its own.
static void scatter(const part* a)
{
	const int32_t* rows = a->f->down + a->f->row_start[a->s];
	int64_t m = lm_front_rows(a->f, a->s), width = a->width;
	lm_real* X = a->f->X;
	for (int64_t i = 0; i < m && width == 1; ++i)
		X[rows[i]] += a->t[i];
	for (int64_t i = 0; i < m && width > 1; ++i)
		subtract_row(a->width, -1, a->t + i * width, X + rows[i] * width);
}

static void gather(const part* a)
{
	const int32_t* rows = a->f->rows + a->f->row_start[a->s];
	int64_t m = lm_front_rows(a->f, a->s), width = a->width;
	const lm_real* X = a->f->X;
	for (int64_t i = 0; i < m && width == 1; ++i)
		a->t[i] = X[rows[i]];
	for (int64_t i = 0; i < m && width > 1; ++i)
		memcpy(a->t + i * width, X + rows[i] * width, (size_t)width * sizeof *X);
}

// By one thread.
static void go_down(const part* a)
{
	int64_t m = lm_front_rows(a->f, a->s);
	if (a->width == 1)
		down_one(a->f, a->s, m, a->own, a->t);
	else
		solve_square(a, false), multiply_rows(a, 0, m);
	scatter(a);
}

static void go_up(const part* a)
{
	gather(a);
	if (a->width == 1)
		up_one(a->f, a->s, lm_front_rows(a->f, a->s), a->own, a->t);
	else
		multiply_columns(a, 0, lm_front_columns(a->f, a->s)), solve_square(a, true);
}

// The part of the solve between down and up: with J.
static void apply_signs(const lm_fronts* f, int width, lm_real* X)
{
	for (int32_t j = 0; f->is_signed && j < f->n; ++j)
		if (f->sign[j] < 0)
			scale_row(width, X + j * (int64_t)width, -1);
}

typedef struct descent
{
	lm_fronts* f;
	int width;
} descent;

// A task adds to the top in places of its own, which are added up in order when all are done.
static void task_down(const descent* d, int64_t task, int worker)
{
	lm_fronts* f = d->f;
	memset(f->X + (f->n + (int64_t)f->touch_start[task]) * d->width, 0,
	       (size_t)(f->touch_start[task + 1] - f->touch_start[task]) * (size_t)d->width * sizeof(lm_real));
	for (int32_t i = f->task_start[task]; i < f->task_start[task + 1]; ++i)
	{
		part a = part_of(f, f->sequence[i], d->width, f->T + worker * f->T_room);
		go_down(&a);
	}
}

static void task_up(const descent* d, int64_t task, int worker)
{
	lm_fronts* f = d->f;
	for (int32_t i = f->task_start[task + 1] - 1; i >= f->task_start[task]; --i)
	{
		part a = part_of(f, f->sequence[i], d->width, f->T + worker * f->T_room);
		go_up(&a);
	}
}

static void add_touches(const descent* d)
{
	const lm_fronts* f = d->f;
	const lm_real* from = f->X + f->n * (int64_t)d->width;
	for (int64_t i = 0; i < f->touch_start[f->tasks]; ++i)
		for (int r = 0; r < d->width; ++r)
			f->X[f->touch[i] * (int64_t)d->width + r] += from[i * d->width + r];
}

// Fronts begin .. end - 1 of the sequence, in the top. Of a wide one only the square: its rows follow in the next step,
// and are scattered after that.
static void top_down(const descent* d, int32_t begin, int32_t end)
{
	const lm_fronts* f = d->f;
	int32_t top = f->task_start[f->tasks];
	if (begin == top)
		add_touches(d);
	for (int32_t i = begin; i < end; ++i)
	{
		part a = part_of(f, f->sequence[i], d->width, f->T), before = a;
		before.s = i > top ? f->sequence[i - 1] : -1;
		if (i > top && lm_front_is_wide(f, before.s))
			scatter(&before);
		if (lm_front_is_wide(f, a.s))
			solve_square(&a, false);
		else
			go_down(&a);
	}
}

// The same backwards: what a wide front needs of x is gathered by the one after it.
static void top_up(const descent* d, int32_t begin, int32_t end)
{
	const lm_fronts* f = d->f;
	for (int32_t i = end - 1; i >= begin; --i)
	{
		part a = part_of(f, f->sequence[i], d->width, f->T), next = a;
		if (lm_front_is_wide(f, a.s))
			solve_square(&a, true);
		else
			go_up(&a);
		next.s = i > f->task_start[f->tasks] ? f->sequence[i - 1] : -1;
		if (next.s >= 0 && lm_front_is_wide(f, next.s))
			gather(&next);
	}
}

static bool step_down(void* context, int64_t step, int64_t task, int worker)
{
	const descent* d = context;
	lm_front_step now = d->f->plan_down.step[step];
	if (now.what == LM_FRONT_TASKS)
		task_down(d, task, worker);
	else if (now.what == LM_FRONT_ALL)
		top_down(d, now.front, now.end);
	else
	{
		part a = part_of(d->f, now.front, d->width, d->f->T);
		int64_t begin = task * LM_FRONTS_ROWS, m = lm_front_rows(d->f, now.front);
		multiply_rows(&a, begin, begin + LM_FRONTS_ROWS < m ? begin + LM_FRONTS_ROWS : m);
	}
	return true;
}

static bool step_up(void* context, int64_t step, int64_t task, int worker)
{
	const descent* d = context;
	lm_front_step now = d->f->plan_up.step[step];
	if (now.what == LM_FRONT_TASKS)
		task_up(d, task, worker);
	else if (now.what == LM_FRONT_ALL)
		top_up(d, now.front, now.end);
	else
	{
		part a = part_of(d->f, now.front, d->width, d->f->T);
		int64_t begin = task * LM_FRONTS_SOME, k = lm_front_columns(d->f, now.front);
		multiply_columns(&a, begin, begin + LM_FRONTS_SOME < k ? begin + LM_FRONTS_SOME : k);
	}
	return true;
}

// Of f->X, right sides in the order of elimination, width of them interleaved.
static void solve_ordered(lm_fronts* f, int width)
{
	descent d = { f, width };
	int threads = f->panel[f->count] * width < f->worth_solving ? 1 : f->host.threads;
	lm_parallel_steps(threads, f->plan_down.steps, f->plan_down.first, step_down, &d);
	apply_signs(f, width, f->X);
	lm_parallel_steps(threads, f->plan_up.steps, f->plan_up.first, step_up, &d);
}

// count right sides, at most LM_FRONTS_WIDTH, and zeros to fill up what kernels take at once.
static void solve_some(lm_fronts* f, int count, const double* B, double* X)
{
	int64_t n = f->n;
	int width = count == 1 ? 1 : (int)lm_front_padded(count);
	for (int64_t k = 0; k < n; ++k)
		for (int r = 0; r < width; ++r)
			f->X[k * width + r] = r < count ? (lm_real)B[r * n + f->order[k]] : 0;
	solve_ordered(f, width);
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
		solve_some(fronts, width, B + at, X + at);
		done += width;
	}
}
