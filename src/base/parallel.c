#include "base/parallel.h"

#include <assert.h>
#include <omp.h>
#include <stdatomic.h>
#include <threads.h>

void lm_parallel_for(int threads, int64_t count, int64_t grain, lm_range_fn* function, void* context)
{
	assert(grain > 0);
	int64_t chunks = lm_chunk_count(count, grain);
	int team = chunks < threads ? (int)chunks : threads;
	if (team <= 1) // not even a team of one is made: that costs as much as a small loop
	{
		for (int64_t begin = 0; begin < count; begin += grain)
			function(context, begin, begin + grain < count ? begin + grain : count);
		return;
	}
#pragma omp parallel for schedule(static) num_threads(team)
	for (int64_t k = 0; k < chunks; ++k)
	{
		int64_t begin = k * grain;
		int64_t end = begin + grain < count ? begin + grain : count;
		function(context, begin, end);
	}
}

typedef struct progress
{
	int64_t steps;
	const int64_t* first;
	lm_step_fn* function;
	void* context;
	atomic_int_least64_t taken, done; // tasks
	atomic_bool stopped;
} progress;

#define SPIN_LIMIT 2000 // idle rounds before a thread yields the processor

static void work(progress* p, int worker)
{
	int64_t step = 0, spins = 0;
	while (step < p->steps && !atomic_load(&p->stopped))
	{
		int64_t end = p->first[step + 1], task = atomic_load(&p->taken);
		if (task >= end)
		{
			if (atomic_load(&p->done) >= end)
				++step, spins = 0;
			else if (++spins > SPIN_LIMIT)
				thrd_yield();
		}
		else if (atomic_compare_exchange_weak(&p->taken, &task, task + 1))
		{
			if (!p->function(p->context, step, task - p->first[step], worker))
				atomic_store(&p->stopped, true);
			atomic_fetch_add(&p->done, 1);
		}
	}
}

bool lm_parallel_steps(int threads, int64_t steps, const int64_t* first, lm_step_fn* function, void* context)
{
	int64_t widest = 0;
	for (int64_t k = 0; k < steps; ++k)
		widest = first[k + 1] - first[k] > widest ? first[k + 1] - first[k] : widest;
	int team = widest < threads ? (int)widest : threads;
	progress p = { .steps = steps, .first = first, .function = function, .context = context };
	if (team <= 1)
		work(&p, 0);
	else
	{
#pragma omp parallel num_threads(team)
		work(&p, omp_get_thread_num());
	}
	return !p.stopped;
}
