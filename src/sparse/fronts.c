// Building fronts: everything that does not depend on numbers.
#include "sparse/fronts.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

// What is needed only while building. Columns and rows are numbered in the order of elimination.
typedef struct draft
{
	int32_t* place;                  // [n] when an unknown is eliminated
	int32_t *above_start, *above;    // rows above the diagonal of each column
	int32_t *below_start, *below;    // and below
	int32_t *parent, *ancestor;      // [n] of columns
	int32_t *front_of, *mark, *next; // [n]
	int64_t* entries;                // [n]
} draft;

static void release_draft(const lm_host* host, draft* d)
{
	int32_t* all[] = { d->place,  d->above_start, d->above,    d->below_start, d->below,
		               d->parent, d->ancestor,    d->front_of, d->mark,        d->next };
	for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
		lm_free(host, all[i]);
	lm_free(host, d->entries);
}

static bool allocate_draft(const lm_host* host, const lm_pattern* A, draft* d)
{
	int32_t** all[] = { &d->place,  &d->above_start, &d->above,    &d->below_start, &d->below,
		                &d->parent, &d->ancestor,    &d->front_of, &d->mark,        &d->next };
	bool enough = (d->entries = LM_NEW(host, A->n, int64_t)) != NULL;
	for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
	{
		bool long_one = all[i] == &d->above || all[i] == &d->below;
		*all[i] = LM_NEW(host, long_one ? A->entries : A->n + 1, int32_t);
		enough = enough && *all[i];
	}
	return enough;
}

// Buckets of the entries off the diagonal: above by the later of their two places, below by the earlier one.
static void sort_entries(const lm_pattern* A, draft* d)
{
	for (int pass = 0; pass < 2; ++pass) // counts, then fills
	{
		for (int32_t c = 0; c < A->n; ++c)
			for (int32_t k = A->start[c]; k < A->diagonal[c]; ++k)
			{
				int32_t a = d->place[A->row[k]], b = d->place[c], low = a < b ? a : b, high = a < b ? b : a;
				if (pass == 0)
					++d->above_start[high + 1], ++d->below_start[low + 1];
				else
					d->above[d->mark[high]++] = low, d->below[d->next[low]++] = high;
			}
		for (int32_t j = 0; j < A->n && pass == 0; ++j)
		{
			d->above_start[j + 1] += d->above_start[j], d->below_start[j + 1] += d->below_start[j];
			d->mark[j] = d->above_start[j], d->next[j] = d->below_start[j];
		}
	}
}

static int by_number(const void* a, const void* b)
{
	int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
	return (x > y) - (x < y);
}

static void add_row(draft* d, int32_t s, int32_t row, int32_t last, lm_fronts* f, int64_t* count)
{
	if (row <= last || d->mark[row] == s)
		return;
	d->mark[row] = s;
	if (f->row_start[s] + *count < f->row_start[s + 1])
		f->rows[f->row_start[s] + *count] = row;
	++*count;
}

// Rows of a front: those of its columns, and those that its children leave. False when they are not as many as counted.
static bool find_rows(lm_fronts* f, draft* d, int32_t s)
{
	int32_t last = f->first[s + 1] - 1;
	int64_t count = 0;
	for (int32_t j = f->first[s]; j <= last; ++j)
		for (int32_t k = d->below_start[j]; k < d->below_start[j + 1]; ++k)
			add_row(d, s, d->below[k], last, f, &count);
	for (int32_t c = f->child[s]; c >= 0; c = f->sibling[c])
		for (int64_t k = f->row_start[c]; k < f->row_start[c + 1]; ++k)
			add_row(d, s, f->rows[k], last, f, &count);
	int32_t* rows = f->rows + f->row_start[s];
	if (count != lm_front_rows(f, s))
		return false;
	qsort(rows, (size_t)count, sizeof *rows, by_number);
	f->parent[s] = count > 0 ? d->front_of[rows[0]] : -1;
	if (count > 0)
		f->sibling[s] = f->child[f->parent[s]], f->child[f->parent[s]] = s;
	return true;
}

// The place of a row in a front, whose rows are searched from *from on.
static int64_t place_in(const lm_fronts* f, int32_t s, int32_t row, int64_t* from)
{
	if (row < f->first[s + 1])
		return row - f->first[s];
	while (f->rows[f->row_start[s] + *from] < row)
		++*from;
	return lm_front_columns(f, s) + *from;
}

static void find_relatives(lm_fronts* f, int32_t s)
{
	int64_t from = 0;
	for (int64_t k = f->row_start[s]; k < f->row_start[s + 1]; ++k)
		f->relative[k] = (int32_t)place_in(f, f->parent[s], f->rows[k], &from);
	for (int64_t k = f->row_start[s + 1] - 1; k >= f->row_start[s]; --k)
		f->run[k] = k + 1 < f->row_start[s + 1] && f->relative[k + 1] == f->relative[k] + 1 ? f->run[k + 1] + 1 : 1;
}

static int64_t target_of(const lm_fronts* f, int32_t s, int32_t low, int32_t high)
{
	int64_t row = high - f->first[s];
	if (high >= f->first[s + 1])
	{
		const int32_t* rows = f->rows + f->row_start[s];
		const int32_t* found = bsearch(&high, rows, (size_t)lm_front_rows(f, s), sizeof high, by_number);
		row = lm_front_columns(f, s) + (found - rows);
	}
	return f->panel[s] + (low - f->first[s]) * lm_front_stride(f, s) + row;
}

// Which entries each front takes in, and where.
static void list_entries(lm_fronts* f, draft* d)
{
	const lm_pattern* A = f->pattern;
	for (int pass = 0; pass < 2; ++pass) // counts, then fills
	{
		for (int32_t c = 0; c < A->n; ++c)
			for (int32_t k = A->start[c]; k < A->start[c + 1]; ++k)
			{
				int32_t a = d->place[A->row[k]], b = d->place[c], low = a < b ? a : b, high = a < b ? b : a;
				int32_t s = d->front_of[low];
				if (pass == 0)
					++f->entry_start[s + 1];
				else
				{
					int32_t at = d->mark[s]++;
					f->entry[at] = k, f->target[at] = target_of(f, s, low, high);
				}
			}
		for (int32_t s = 0; s < f->count && pass == 0; ++s)
		{
			f->entry_start[s + 1] += f->entry_start[s];
			d->mark[s] = f->entry_start[s];
		}
	}
}

// Whether children always lie on top of a stack when their parent's turn comes. waiting has room for all fronts.
static bool is_postorder(const lm_fronts* f, int32_t* waiting)
{
	int32_t top = 0;
	for (int32_t s = 0; s < f->count; ++s)
	{
		while (top > 0 && f->parent[waiting[top - 1]] == s)
			--top;
		if (f->parent[s] >= 0)
			waiting[top++] = s;
	}
	return top == 0;
}

static bool allocate_rows(lm_fronts* f, const int32_t* counts, const draft* d)
{
	for (int32_t s = 0; s < f->count; ++s)
	{
		f->row_start[s + 1] = f->row_start[s] + counts[f->first[s + 1] - 1] - 1;
		// kernels read more rows than there are: the memory after a panel belongs to it
		f->panel[s + 1] = f->panel[s] + lm_front_columns(f, s) * lm_front_stride(f, s) + LM_FRONTS_ROOM;
		for (int32_t j = f->first[s]; j < f->first[s + 1]; ++j)
			d->front_of[j] = s;
		f->child[s] = f->sibling[s] = -1;
	}
	for (int32_t j = 0; j < f->n; ++j)
		d->mark[j] = -1;
	f->rows = LM_NEW(&f->host, f->row_start[f->count], int32_t);
	f->relative = LM_NEW(&f->host, f->row_start[f->count], int32_t);
	f->run = LM_NEW(&f->host, f->row_start[f->count], int32_t);
	return f->rows && f->relative && f->run;
}

static bool allocate_numbers(lm_fronts* f)
{
	int64_t workers = f->workers, touches = f->touch_start[f->tasks];
	for (int32_t s = 0; s < f->count; ++s)
		f->most_rows = lm_front_rows(f, s) > f->most_rows ? lm_front_rows(f, s) : f->most_rows;
	f->T_room = f->most_rows * LM_FRONTS_WIDTH;
	if (f->is_signed && !(f->sign = LM_NEW(&f->host, f->n, lm_real)))
		return false;
	f->L = LM_NEW(&f->host, f->panel[f->count], lm_real);
	f->shared = LM_NEW(&f->host, f->shared_room + LM_FRONTS_ROOM, lm_real);
	f->private_ = LM_NEW(&f->host, workers * f->private_room + LM_FRONTS_ROOM, lm_real);
	f->X = LM_NEW(&f->host, (f->n + touches) * LM_FRONTS_WIDTH, lm_real);
	f->T = LM_NEW(&f->host, workers * f->T_room, lm_real);
	return f->L && f->shared && f->private_ && f->X && f->T;
}

static lm_status build(lm_fronts* f, const int32_t* counts, draft* d)
{
	for (int32_t k = 0; k < f->n; ++k)
		d->place[f->order[k]] = k;
	sort_entries(f->pattern, d);
	lm_fronts_column_parents(f->n, d->above_start, d->above, d->parent, d->ancestor);
	f->count = lm_fronts_join(f->n, d->parent, counts, f->first, d->entries);
	if (!allocate_rows(f, counts, d))
		return LM_NO_MEMORY;
	for (int32_t s = 0; s < f->count; ++s)
		if (!find_rows(f, d, s))
			return LM_UNSUPPORTED;
	for (int32_t s = 0; s < f->count; ++s)
		if (f->parent[s] >= 0)
			find_relatives(f, s);
	list_entries(f, d);
	if (!is_postorder(f, d->mark))
		return LM_UNSUPPORTED;
	if (!lm_fronts_cut(f) || !lm_fronts_list_touches(f, d->front_of, d->mark, d->next))
		return LM_NO_MEMORY;
	lm_fronts_place_updates(f, d->mark);
	return lm_fronts_plan(f) && allocate_numbers(f) ? LM_OK : LM_NO_MEMORY;
}

lm_status lm_fronts_create(const lm_pattern* pattern, const int32_t* order, const int32_t* counts, bool is_signed,
                           const lm_host* host, lm_fronts** fronts)
{
	int64_t n = pattern->n;
	lm_fronts* f = LM_NEW(host, 1, lm_fronts);
	if (!f)
		return LM_NO_MEMORY;
	*f = (lm_fronts){ .host = *host,
		              .pattern = pattern,
		              .kernels = lm_sparse_find_kernels(host->simd),
		              .n = pattern->n,
		              .is_signed = is_signed,
		              .worth_sharing = 1e7,
		              .wide = 262144,
		              .worth_solving = 4000000, // some milliseconds: on a busy machine it takes as long to get threads
		              .order = lm_copy(host, order, (size_t)n, sizeof *order),
		              .first = LM_NEW(host, n + 1, int32_t),
		              .parent = LM_NEW(host, n, int32_t),
		              .row_start = LM_NEW(host, n + 1, int64_t),
		              .panel = LM_NEW(host, n + 1, int64_t),
		              .update = LM_NEW(host, n, int64_t),
		              .child = LM_NEW(host, n, int32_t),
		              .sibling = LM_NEW(host, n, int32_t),
		              .target = LM_NEW(host, pattern->entries, int64_t),
		              .entry = LM_NEW(host, pattern->entries, int32_t),
		              .entry_start = LM_NEW(host, n + 1, int32_t) };
	draft d = { 0 };
	lm_status status = LM_NO_MEMORY;
	if (allocate_draft(host, pattern, &d) && f->order && f->first && f->parent && f->row_start && f->panel &&
	    f->update && f->child && f->sibling && f->target && f->entry && f->entry_start)
		status = build(f, counts, &d);
	release_draft(host, &d);
	if (status == LM_OK)
		*fronts = f;
	else
		lm_fronts_destroy(f);
	return status;
}

void lm_fronts_get_info(const lm_fronts* fronts, int64_t* entries, int32_t* tasks)
{
	*entries = fronts->panel[fronts->count], *tasks = fronts->tasks;
}

void lm_fronts_destroy(lm_fronts* fronts)
{
	if (!fronts)
		return;
	lm_host host = fronts->host;
	void* all[] = { fronts->order,
		            fronts->first,
		            fronts->parent,
		            fronts->child,
		            fronts->sibling,
		            fronts->row_start,
		            fronts->rows,
		            fronts->relative,
		            fronts->run,
		            fronts->panel,
		            fronts->update,
		            fronts->target,
		            fronts->entry,
		            fronts->entry_start,
		            fronts->task,
		            fronts->sequence,
		            fronts->task_start,
		            fronts->touch_start,
		            fronts->touch,
		            fronts->down,
		            fronts->outcomes,
		            fronts->L,
		            fronts->shared,
		            fronts->private_,
		            fronts->X,
		            fronts->T,
		            fronts->sign,
		            fronts->plan.step,
		            fronts->plan.first,
		            fronts->plan_down.step,
		            fronts->plan_down.first,
		            fronts->plan_up.step,
		            fronts->plan_up.first,
		            fronts->constraints,
		            fronts->negative,
		            fronts->later };
	for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
		lm_free(&host, all[i]);
	lm_free(&host, fronts);
}
