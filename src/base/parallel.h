// parallel.h: the only place that starts threads.
//
// Work is cut into chunks [k grain, (k+1) grain) that do not depend on the number of threads. A function that writes
// only to places belonging to its chunk, and leaves sums per chunk (index begin / grain) to be added in order
// afterwards, gives the same bits for any number of threads.
#ifndef LM_BASE_PARALLEL_H
#define LM_BASE_PARALLEL_H

#include <stdbool.h>
#include <stdint.h>

typedef void lm_range_fn(void* context, int64_t begin, int64_t end);

void lm_parallel_for(int threads, int64_t count, int64_t grain, lm_range_fn* function, void* context);

// Steps one after the other, tasks first[k] .. first[k + 1] - 1 of step k, in order, each by the thread that is free
// next, a step when all of the one before are done. A thread that the system does not schedule delays the others only
// if it holds a task. function gets the number of the task within its step, and worker, less than threads, which is
// different for threads that run at the same time: use it for work space only. When function returns false no further
// task is begun, and the result is false.
typedef bool lm_step_fn(void* context, int64_t step, int64_t task, int worker);

bool lm_parallel_steps(int threads, int64_t steps, const int64_t* first, lm_step_fn* function, void* context);

// How many chunks lm_parallel_for makes.
static inline int64_t lm_chunk_count(int64_t count, int64_t grain)
{
	return (count + grain - 1) / grain;
}

#endif
