// parallel.h: the only place that starts threads.
//
// Work is cut into chunks [k grain, (k+1) grain) that do not depend on the number of threads. A function that writes
// only to places belonging to its chunk, and leaves sums per chunk (index begin / grain) to be added in order
// afterwards, gives the same bits for any number of threads.
#ifndef LM_BASE_PARALLEL_H
#define LM_BASE_PARALLEL_H

#include <stdint.h>

typedef void lm_range_fn(void* context, int64_t begin, int64_t end);

void lm_parallel_for(int threads, int64_t count, int64_t grain, lm_range_fn* function, void* context);

// How many chunks lm_parallel_for makes.
static inline int64_t lm_chunk_count(int64_t count, int64_t grain)
{
	return (count + grain - 1) / grain;
}

#endif
