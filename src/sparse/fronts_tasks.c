// Cutting the tree into tasks, and placing the updates of fronts in memory.
//
// A front belongs to the top when its subtree takes more than a share of all operations, or there are too few to share
// at all; the subtrees below the top are independent of each other, and neighbours are put together to tasks of no more
// than half such a share. Shares are small where fronts of the top are large enough for several threads, so that many
// threads find work, and larger where they are not. All this depends on the matrix, not on the number of threads; so
// do, hence, the sums.
#include "base/alloc.h"
#include "sparse/fronts.h"

#include <math.h>

#define MOST_SHARES 16
#define FEWEST_SHARES 4
#define LARGE_SHARE 1e8   // operations
#define WORTH_SHARING 4e7 // operations: one or two milliseconds

static double share_of(double total)
{
	return fmax(total / MOST_SHARES, fmin(total / FEWEST_SHARES, LARGE_SHARE));
}

// Cost of a front: its elimination and extend-add, which is slow for its few operations.
static double cost_of(const lm_fronts* f, int32_t s)
{
	double k = (double)lm_front_columns(f, s), m = (double)lm_front_rows(f, s);
	return k * k * k / 3 + k * k * m + k * m * m + 8 * (k + m) * (k + m) + 1000;
}

typedef struct cut
{
	double* cost;  // [count] of a front and all below it
	int32_t* task; // [count] that a front belongs to, or -1: the top
	int32_t* rank; // [tasks] when a task's turn comes
	double* sum;   // [tasks] cost of a task
} cut;

static bool is_below_top(const cut* c, double limit, int32_t s)
{
	return c->cost[s] <= limit;
}

// Tasks in the order of fronts. Returns how many.
static int32_t group(lm_fronts* f, double limit, cut* c)
{
	int32_t tasks = 0;
	for (int32_t s = f->count - 1; s >= 0; --s) // roots first: a front is in its parent's task unless that is the top
	{
		int32_t parent = f->parent[s];
		if (!is_below_top(c, limit, s))
			c->task[s] = -1;
		else if (parent >= 0 && is_below_top(c, limit, parent))
			c->task[s] = c->task[parent];
		else
		{
			if (tasks == 0 || c->sum[tasks - 1] + c->cost[s] > limit / 2)
				c->sum[tasks++] = 0;
			c->task[s] = tasks - 1, c->sum[tasks - 1] += c->cost[s];
		}
	}
	return tasks;
}

// The longest tasks come first: then the last ones to finish are short.
static void rank_tasks(int32_t tasks, cut* c)
{
	for (int32_t a = 0; a < tasks; ++a)
	{
		c->rank[a] = 0;
		for (int32_t b = 0; b < tasks; ++b)
			c->rank[a] += c->sum[b] > c->sum[a] || (c->sum[b] == c->sum[a] && b < a);
	}
}

static void list_fronts(lm_fronts* f, const cut* c)
{
	int32_t* start = f->task_start; // of the task before, first
	for (int32_t s = 0; s < f->count; ++s)
	{
		f->task[s] = c->task[s] < 0 ? f->tasks : c->rank[c->task[s]];
		++start[f->task[s] + 1];
	}
	for (int32_t t = 0; t <= f->tasks; ++t)
		start[t + 1] += start[t];
	for (int32_t s = f->count - 1; s >= 0; --s)
		f->sequence[--start[f->task[s] + 1]] = s;
	for (int32_t t = 0; t <= f->tasks; ++t) // each was taken down to its own start
		start[t] = start[t + 1];
	start[f->tasks + 1] = f->count;
}

static bool cut_tree(lm_fronts* f, cut* c)
{
	double total = 0;
	for (int32_t s = 0; s < f->count; ++s)
		total += cost_of(f, s);
	for (int32_t s = 0; s < f->count; ++s)
	{
		c->cost[s] += cost_of(f, s);
		if (f->parent[s] >= 0)
			c->cost[f->parent[s]] += c->cost[s];
	}
	f->tasks = total < WORTH_SHARING ? 0 : group(f, share_of(total), c);
	for (int32_t s = 0; s < f->count && f->tasks == 0; ++s)
		c->task[s] = -1;
	rank_tasks(f->tasks, c);
	f->task_start = LM_NEW(&f->host, f->tasks + 2, int32_t);
	f->touch_start = LM_NEW(&f->host, f->tasks + 1, int32_t);
	f->outcomes = LM_NEW(&f->host, f->tasks + 1, lm_front_outcome);
	if (!f->task_start || !f->touch_start || !f->outcomes)
		return false;
	list_fronts(f, c);
	return true;
}

bool lm_fronts_cut(lm_fronts* f)
{
	// as many numbers as there are fronts: at least as many as tasks
	cut c = { .cost = LM_NEW(&f->host, f->count, double),
		      .task = LM_NEW(&f->host, f->count, int32_t),
		      .rank = LM_NEW(&f->host, f->count, int32_t),
		      .sum = LM_NEW(&f->host, f->count, double) };
	f->sequence = LM_NEW(&f->host, f->count, int32_t);
	f->task = LM_NEW(&f->host, f->count, int32_t);
	bool enough = c.cost && c.task && c.rank && c.sum && f->sequence && f->task && cut_tree(f, &c);
	lm_free(&f->host, c.cost), lm_free(&f->host, c.task), lm_free(&f->host, c.rank), lm_free(&f->host, c.sum);
	return enough;
}

// Where a front is added to x on the way down: rows of the top, in a task, to a place of the task's own.
bool lm_fronts_list_touches(lm_fronts* f, const int32_t* front_of, int32_t* mark, int32_t* place)
{
	for (int32_t j = 0; j < f->n; ++j)
		mark[j] = -1;
	int64_t most = 0;
	for (int32_t s = 0; s < f->count; ++s)
		most += f->parent[s] >= 0 && f->task[s] != f->task[f->parent[s]] ? lm_front_rows(f, s) : 0;
	f->touch = LM_NEW(&f->host, most, int32_t);
	f->down = LM_NEW(&f->host, f->row_start[f->count], int32_t);
	if (!f->touch || !f->down || most > INT32_MAX - f->n)
		return false;
	int32_t count = 0, t = 0;
	for (int32_t i = 0; i < f->count; ++i)
	{
		int32_t s = f->sequence[i];
		while (t < f->task[s])
			f->touch_start[++t] = count;
		for (int64_t k = f->row_start[s]; k < f->row_start[s + 1]; ++k)
		{
			int32_t row = f->rows[k];
			bool outside = f->task[front_of[row]] != t;
			if (outside && mark[row] != t)
				mark[row] = t, place[row] = count, f->touch[count++] = row;
			f->down[k] = outside ? f->n + place[row] : row;
		}
	}
	while (t < f->tasks)
		f->touch_start[++t] = count;
	return true;
}

// Updates lie on one of two stacks, one after the other in memory, by the parity of the front's depth.
typedef struct stacks
{
	int64_t used[2], most[2];
} stacks;

static void put(lm_fronts* f, int32_t s, int stack_index, stacks* on)
{
	int64_t size = lm_front_padded(lm_front_rows(f, s));
	f->update[s] = on->used[stack_index], on->used[stack_index] += size * size;
	if (on->used[stack_index] > on->most[stack_index])
		on->most[stack_index] = on->used[stack_index];
}

// Within a task, and within the top, children lie on top of their stack when their parent's turn comes, because fronts
// are in postorder; what a task hands to the top lies below all else.
void lm_fronts_place_updates(lm_fronts* f, int32_t* stack_index)
{
	stacks own = { 0 }, shared = { 0 };
	for (int32_t s = f->count - 1; s >= 0; --s)
		stack_index[s] = f->parent[s] >= 0 && !stack_index[f->parent[s]];
	for (int32_t s = 0; s < f->count; ++s)
		if (f->parent[s] >= 0 && f->task[s] != f->task[f->parent[s]])
			put(f, s, stack_index[s], &shared);
	for (int32_t i = 0; i < f->count; ++i)
	{
		int32_t s = f->sequence[i];
		stacks* on = f->task[s] < f->tasks ? &own : &shared;
		for (int32_t child = f->child[s]; child >= 0; child = f->sibling[child])
			if (f->task[child] == f->task[s])
				on->used[!stack_index[s]] = f->update[child];
		if (f->parent[s] >= 0 && f->task[s] == f->task[f->parent[s]])
			put(f, s, stack_index[s], on);
	}
	for (int32_t s = 0; s < f->count; ++s)
		if (stack_index[s])
			f->update[s] += lm_front_is_private(f, s) ? own.most[0] : shared.most[0];
	f->private_room = own.most[0] + own.most[1];
	f->shared_room = shared.most[0] + shared.most[1];
}
