// Factorising front by front, task by task. Symbols as in fronts.h.
#include "base/parallel.h"
#include "sparse/fronts.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

// A front, and the worker on it.
typedef struct job
{
	lm_fronts* f;
	int32_t front;
	int worker; // whose stacks private updates lie on
} job;

static lm_real* update_of(const job* j, int32_t s)
{
	const lm_fronts* f = j->f;
	return (lm_front_is_private(f, s) ? f->private_ + j->worker * f->private_room : f->shared) + f->update[s];
}

// The first column of the update of child that belongs to `place` of its parent or behind.
static int64_t first_from(const lm_fronts* f, int32_t child, int64_t place)
{
	const int32_t* places = f->relative + f->row_start[child];
	int64_t low = 0, high = lm_front_rows(f, child);
	while (low < high)
	{
		int64_t middle = (low + high) / 2;
		if (places[middle] < place)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// Extend-add: the updates of the children for columns begin .. end - 1 of a front are added to a matrix: row r of the
// front lies r + shift places behind the start of its column.
static void extend_add(const job* work, int64_t begin, int64_t end, lm_real* to, int64_t stride, int64_t shift)
{
	const lm_fronts* f = work->f;
	for (int32_t child = f->child[work->front]; child >= 0; child = f->sibling[child])
	{
		int64_t m = lm_front_rows(f, child), own = lm_front_padded(m), last = first_from(f, child, end);
		const int32_t *place = f->relative + f->row_start[child], *run = f->run + f->row_start[child];
		const lm_real* from = update_of(work, child);
		for (int64_t j = first_from(f, child, begin); j < last; ++j)
			f->kernels->add_runs(m - j, place + j, run + j, from + j * own + j,
			                     to + (place[j] + shift) * stride + shift);
	}
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void clear_columns(const job* j, int64_t begin, int64_t end)
{
	int64_t stride = lm_front_stride(j->f, j->front);
	memset(j->f->L + j->f->panel[j->front] + begin * stride, 0, (size_t)((end - begin) * stride) * sizeof(lm_real));
}

// What the matrix has.
static void enter(const job* j, const double* values, double shift)
{
	lm_fronts* f = j->f;
	int32_t s = j->front;
	for (int32_t e = f->entry_start[s]; e < f->entry_start[s + 1]; ++e)
		f->L[f->target[e]] = (lm_real)values[f->entry[e]];
	for (int64_t c = 0; shift != 0 && c < lm_front_columns(f, s); ++c)
		f->L[f->panel[s] + c * (lm_front_stride(f, s) + 1)] += (lm_real)shift;
}

static void extend_add_columns(const job* j, int64_t begin, int64_t end)
{
	extend_add(j, begin, end, j->f->L + j->f->panel[j->front], lm_front_stride(j->f, j->front), 0);
}

// Some columns of the update: the part of the panel, and the updates of the children.
static void compute_update(const job* j, int64_t part)
{
	int64_t k = lm_front_columns(j->f, j->front), m = lm_front_rows(j->f, j->front);
	int64_t first = part * LM_FRONTS_COLUMNS, end = least(first + LM_FRONTS_COLUMNS, m);
	lm_real* update = update_of(j, j->front);
	lm_front_make_update(j->f, j->front, first, end, update);
	extend_add(j, k + first, k + end, update, lm_front_padded(m), -k);
}

typedef struct factorization
{
	lm_fronts* f;
	const double* values;
	double shift;
	atomic_int failed; // a task that failed, the first one of those so far
} factorization;

// A block's square. False when a pivot is not as it should be.
static bool finish_block(const job* j, int64_t first, lm_front_outcome* outcome)
{
	const lm_fronts* f = j->f;
	int64_t end = least(first + LM_FRONTS_BLOCK, lm_front_columns(f, j->front));
	int64_t bad = lm_front_finish_block(f, j->front, first);
	for (int64_t c = first; c < bad; ++c)
	{
		double pivot = f->L[f->panel[j->front] + c * (lm_front_stride(f, j->front) + 1)];
		outcome->smallest = fmin(outcome->smallest, pivot), outcome->largest = fmax(outcome->largest, pivot);
	}
	if (bad < end)
		outcome->front = j->front, outcome->column = bad;
	return bad == end;
}

// Whether a front that is done can be part of the saddle point that is expected, if one is.
static bool check_saddle(const job* j, lm_front_outcome* outcome)
{
	if (!j->f->constraints || j->f->is_saddle(j->f, j->front, update_of(j, j->front), j->worker))
		return true;
	outcome->front = j->front, outcome->column = -1;
	return false;
}

// By one thread.
static bool eliminate(const factorization* z, const job* j, lm_front_outcome* outcome)
{
	const lm_fronts* f = j->f;
	int64_t k = lm_front_columns(f, j->front), m = lm_front_rows(f, j->front);
	clear_columns(j, 0, k);
	enter(j, z->values, z->shift);
	extend_add_columns(j, 0, k);
	for (int64_t first = 0; first < k; first += LM_FRONTS_BLOCK)
	{
		if (!finish_block(j, first, outcome))
			return false;
		for (int64_t i = 0; i < lm_front_strips(f, j->front, first); ++i)
			lm_front_finish_strip(f, j->front, first, i);
		for (int64_t i = 0; i < lm_front_parts(f, j->front, first); ++i)
			lm_front_take_from_part(f, j->front, first, i);
	}
	for (int64_t i = 0; i * LM_FRONTS_COLUMNS < m; ++i)
		compute_update(j, i);
	return check_saddle(j, outcome);
}

// Fronts begin .. end - 1 of the sequence.
static bool eliminate_all(const factorization* z, int32_t begin, int32_t end, int64_t task, int worker)
{
	bool good = true;
	for (int32_t i = begin; i < end && good; ++i)
	{
		job j = { z->f, z->f->sequence[i], worker };
		good = eliminate(z, &j, &z->f->outcomes[task]);
	}
	return good;
}

// Tasks behind one that has failed are left out; those before it are not, and the first one is reported: whatever the
// number of threads it is the same one.
static void run_task(factorization* z, int64_t task, int worker)
{
	const lm_fronts* f = z->f;
	int failed = atomic_load(&z->failed);
	if (task > failed || eliminate_all(z, f->task_start[task], f->task_start[task + 1], task, worker))
		return;
	while (task < failed && !atomic_compare_exchange_weak(&z->failed, &failed, (int)task))
		;
}

static bool run_step(void* context, int64_t step, int64_t i, int worker)
{
	factorization* z = context;
	lm_fronts* f = z->f;
	lm_front_step now = f->plan.step[step];
	lm_front_outcome* outcome = &f->outcomes[f->tasks];
	job j = { f, now.front, worker };
	int64_t begin = i * LM_FRONTS_COLUMNS, end = 0;
	bool good = true;
	if (now.what == LM_FRONT_CLEAR || now.what == LM_FRONT_EXTEND_ADD)
		end = least(begin + LM_FRONTS_COLUMNS, lm_front_columns(f, now.front));
	switch (now.what)
	{
		case LM_FRONT_TASKS: run_task(z, i, worker); return true;
		case LM_FRONT_ALL:
			good = atomic_load(&z->failed) > f->tasks && eliminate_all(z, now.front, now.end, f->tasks, 0);
			break;
		case LM_FRONT_CLEAR: clear_columns(&j, begin, end); break;
		case LM_FRONT_ENTER: enter(&j, z->values, z->shift); break;
		case LM_FRONT_EXTEND_ADD: extend_add_columns(&j, begin, end); break;
		case LM_FRONT_BLOCK: good = atomic_load(&z->failed) > f->tasks && finish_block(&j, now.end, outcome); break;
		case LM_FRONT_CHECK: j.worker = 0, good = check_saddle(&j, outcome); break;
		case LM_FRONT_STRIPS: lm_front_finish_strip(f, now.front, now.end, i); break;
		case LM_FRONT_PARTS: lm_front_take_from_part(f, now.front, now.end, i); break;
		default: compute_update(&j, i);
	}
	if (!good && atomic_load(&z->failed) > f->tasks)
		atomic_store(&z->failed, f->tasks);
	return good;
}

static lm_factor_report failure(const lm_fronts* f, const lm_front_outcome* outcome)
{
	int32_t s = outcome->front;
	if (outcome->column < 0)
		return (lm_factor_report){ LM_FACTOR_NO_SADDLE, f->order[f->first[s]], 0, 0 };
	bool finite = isfinite(f->L[f->panel[s] + outcome->column * (lm_front_stride(f, s) + 1)]);
	lm_factor_status status = f->is_signed ? LM_FACTOR_SINGULAR : LM_FACTOR_NOT_POSITIVE;
	return (lm_factor_report){ finite ? status : LM_FACTOR_NOT_FINITE, f->order[f->first[s] + outcome->column], 0, 0 };
}

lm_factor_report lm_fronts_factorize(lm_fronts* f, const double* values, double shift)
{
	factorization z = { .f = f, .values = values, .shift = shift, .failed = f->tasks + 1 };
	for (int32_t t = 0; t <= f->tasks; ++t)
		f->outcomes[t] = (lm_front_outcome){ .front = -1, .smallest = INFINITY };
	lm_parallel_steps(f->host.threads, f->plan.steps, f->plan.first, run_step, &z);
	if (z.failed <= f->tasks)
		return failure(f, &f->outcomes[z.failed]);
	double smallest = INFINITY, largest = 0;
	for (int32_t t = 0; t <= f->tasks; ++t)
		smallest = fmin(smallest, f->outcomes[t].smallest), largest = fmax(largest, f->outcomes[t].largest);
	double ratio = f->n > 0 ? smallest / largest : 1;
	int64_t negative = 0;
	for (int32_t j = 0; f->is_signed && j < f->n; ++j)
		negative += f->sign[j] < 0;
	return (lm_factor_report){ LM_FACTOR_OK, -1, negative, ratio * ratio };
}
