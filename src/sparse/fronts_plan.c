// The order in which threads that work together go about it: tasks first, then the top, front by front. Small fronts
// are eliminated by one thread, large ones by all, in steps. None of this changes what is computed.
#include "base/alloc.h"
#include "base/parallel.h"
#include "sparse/fronts.h"

static bool add(lm_fronts* f, lm_front_plan* plan, lm_front_step step, int64_t tasks)
{
	size_t steps = (size_t)plan->capacity, firsts = steps > 0 ? steps + 1 : 0, needed = (size_t)plan->steps + 1;
	if (tasks == 0)
		return true;
	if (needed > steps)
	{
		void *all = plan->step, *first = plan->first;
		bool enough = lm_grow(&f->host, &all, &steps, needed, sizeof *plan->step);
		plan->step = all;
		enough = enough && lm_grow(&f->host, &first, &firsts, steps + 1, sizeof *plan->first);
		plan->first = first;
		if (!enough)
			return false;
		plan->capacity = (int64_t)(steps < firsts - 1 ? steps : firsts - 1);
	}
	plan->step[plan->steps] = step;
	plan->first[plan->steps + 1] = plan->first[plan->steps] + tasks;
	++plan->steps;
	return true;
}

// The front at place i of the sequence, by one thread: with the one before, if that is, too.
static bool add_small(lm_fronts* f, lm_front_plan* plan, int32_t i, bool up)
{
	lm_front_step* last = plan->steps > 0 ? &plan->step[plan->steps - 1] : NULL;
	if (!last || last->what != LM_FRONT_ALL)
		return add(f, plan, (lm_front_step){ LM_FRONT_ALL, i, i + 1 }, 1);
	if (up)
		last->front = i;
	else
		last->end = i + 1;
	return true;
}

static bool add_large(lm_fronts* f, int32_t s)
{
	int64_t k = lm_front_columns(f, s), fills = lm_chunk_count(k, LM_FRONTS_COLUMNS);
	lm_front_plan* plan = &f->plan;
	bool enough = add(f, plan, (lm_front_step){ LM_FRONT_CLEAR, s, 0 }, fills) &&
	              add(f, plan, (lm_front_step){ LM_FRONT_ENTER, s, 0 }, 1) &&
	              add(f, plan, (lm_front_step){ LM_FRONT_EXTEND_ADD, s, 0 }, fills);
	for (int32_t first = 0; first < k; first += LM_FRONTS_BLOCK)
		enough = enough && add(f, plan, (lm_front_step){ LM_FRONT_BLOCK, s, first }, 1) &&
		         add(f, plan, (lm_front_step){ LM_FRONT_STRIPS, s, first }, lm_front_strips(f, s, first)) &&
		         add(f, plan, (lm_front_step){ LM_FRONT_PARTS, s, first }, lm_front_parts(f, s, first));
	return enough &&
	       add(f, plan, (lm_front_step){ LM_FRONT_UPDATE, s, 0 },
	           lm_chunk_count(lm_front_rows(f, s), LM_FRONTS_COLUMNS)) &&
	       add(f, plan, (lm_front_step){ LM_FRONT_CHECK, s, 0 }, 1);
}

static bool is_large(const lm_fronts* f, int32_t s)
{
	double k = (double)lm_front_columns(f, s), m = (double)lm_front_rows(f, s);
	return k * k * k / 3 + k * k * m + k * m * m >= f->worth_sharing;
}

static bool plan_solves(lm_fronts* f)
{
	lm_front_plan *down = &f->plan_down, *up = &f->plan_up;
	bool enough = add(f, down, (lm_front_step){ LM_FRONT_TASKS, 0, 0 }, f->tasks);
	for (int32_t i = f->task_start[f->tasks]; i < f->count && enough; ++i)
	{
		int32_t s = f->sequence[i];
		enough = add_small(f, down, i, false);
		if (enough && lm_front_is_wide(f, s))
			enough = add(f, down, (lm_front_step){ LM_FRONT_DOWN, s, 0 },
			             lm_chunk_count(lm_front_rows(f, s), LM_FRONTS_ROWS));
	}
	for (int32_t i = f->count - 1; i >= f->task_start[f->tasks] && enough; --i)
	{
		int32_t s = f->sequence[i];
		if (lm_front_is_wide(f, s))
			enough = add(f, up, (lm_front_step){ LM_FRONT_UP, s, 0 },
			             lm_chunk_count(lm_front_columns(f, s), LM_FRONTS_SOME));
		enough = enough && add_small(f, up, i, true);
	}
	return enough && add(f, up, (lm_front_step){ LM_FRONT_TASKS, 0, 0 }, f->tasks);
}

// How many threads lm_parallel_steps lets take part.
static int64_t widest(const lm_front_plan* plan, int64_t most)
{
	for (int64_t i = 0; i < plan->steps; ++i)
		most = plan->first[i + 1] - plan->first[i] > most ? plan->first[i + 1] - plan->first[i] : most;
	return most;
}

bool lm_fronts_plan(lm_fronts* f)
{
	f->plan.steps = f->plan_down.steps = f->plan_up.steps = 0;
	bool enough = add(f, &f->plan, (lm_front_step){ LM_FRONT_TASKS, 0, 0 }, f->tasks);
	for (int32_t i = f->task_start[f->tasks]; i < f->count && enough; ++i)
		enough = is_large(f, f->sequence[i]) ? add_large(f, f->sequence[i]) : add_small(f, &f->plan, i, false);
	enough = enough && plan_solves(f);
	f->workers = widest(&f->plan, widest(&f->plan_down, widest(&f->plan_up, 1)));
	f->workers = f->workers < f->host.threads ? f->workers : f->host.threads;
	return enough;
}
