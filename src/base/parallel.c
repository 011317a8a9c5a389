#include "base/parallel.h"

#include <assert.h>

void lm_parallel_for(int threads, int64_t count, int64_t grain, lm_range_fn* function, void* context)
{
	assert(grain > 0);
	int64_t chunks = lm_chunk_count(count, grain);
	int team = chunks < threads ? (int)chunks : threads;
	(void)team; // without OpenMP nothing below reads it
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
	for (int64_t k = 0; k < chunks; ++k)
	{
		int64_t begin = k * grain;
		int64_t end = begin + grain < count ? begin + grain : count;
		function(context, begin, end);
	}
}
