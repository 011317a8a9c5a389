#include "mesh/half_edge.h"

#include <stdlib.h>

static int compare(const void* a, const void* b)
{
	const lm_half_edge *l = a, *r = b;
	if (l->low != r->low)
		return l->low < r->low ? -1 : 1;
	if (l->high != r->high)
		return l->high < r->high ? -1 : 1;
	if (l->triangle != r->triangle)
		return l->triangle < r->triangle ? -1 : 1;
	return (l->corner > r->corner) - (l->corner < r->corner);
}

void lm_half_edges_sort(lm_half_edge* edges, int64_t count)
{
	if (count > 0)
		qsort(edges, (size_t)count, sizeof *edges, compare);
}

void lm_half_edges_list(const int32_t* triangles, int32_t count, lm_half_edge* edges)
{
	for (int64_t t = 0; t < count; ++t)
		for (int c = 0; c < 3; ++c)
			edges[3 * t + c] =
				lm_half_edge_between(triangles[3 * t + c], triangles[3 * t + (c + 1) % 3], (int32_t)t, c);
	lm_half_edges_sort(edges, 3 * (int64_t)count);
}

int64_t lm_half_edges_keep_single(lm_half_edge* edges, int64_t count)
{
	int64_t kept = 0;
	for (int64_t begin = 0, end; begin < count; begin = end)
	{
		end = lm_half_edges_end(edges, count, begin);
		if (end - begin == 1)
			edges[kept++] = edges[begin];
	}
	return kept;
}
