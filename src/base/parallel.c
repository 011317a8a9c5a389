#include "base/parallel.h"

#include <assert.h>

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
