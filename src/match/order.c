// order.c: a numbering of the particles in which the members of a region lie close in memory. Breadth first from an end
// of the body: neighbours are at most two layers apart, whatever order the mesh came in.
#include "match/body.h"

// Appends all that can be reached from `seed` to `queue` behind `filled`; returns the new end. The last vertex is one
// of the farthest.
static int32_t spread(const lm_adjacency* neighbours, int32_t seed, int32_t filled, int32_t mark, int32_t* marks,
                      int32_t* queue)
{
	int32_t end = filled;
	queue[end++] = seed;
	marks[seed] = mark;
	for (int32_t next = filled; next < end; ++next)
		for (int64_t k = neighbours->starts[queue[next]]; k < neighbours->starts[queue[next] + 1]; ++k)
		{
			int32_t other = neighbours->items[k];
			if (marks[other] == mark)
				continue;
			marks[other] = mark;
			queue[end++] = other;
		}
	return end;
}

bool lm_match_order(const lm_adjacency* neighbours, const lm_host* host, int32_t* to_user)
{
	int32_t* marks = LM_NEW(host, neighbours->count, int32_t);
	if (marks == NULL)
		return false;
	int32_t filled = 0;
	for (int32_t seed = 0; seed < neighbours->count; ++seed)
	{
		if (marks[seed] != 0)
			continue;
		int32_t end = spread(neighbours, seed, filled, 1, marks, to_user);
		end = spread(neighbours, to_user[end - 1], filled, 2, marks, to_user);
		filled = spread(neighbours, to_user[end - 1], filled, 3, marks, to_user);
	}
	lm_free(host, marks);
	return true;
}
