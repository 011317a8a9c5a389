// half_edge.h: the sides of triangles, and how those that lie on the same edge find each other: sorted, they are
// neighbours.
#ifndef LM_MESH_HALF_EDGE_H
#define LM_MESH_HALF_EDGE_H

#include <stdint.h>

typedef struct lm_half_edge
{
	int32_t low, high;        // the vertices of its edge
	int32_t from, to;         // the same, as its triangle passes them
	int32_t triangle, corner; // the side from this corner of this triangle to the next
} lm_half_edge;

static inline lm_half_edge lm_half_edge_between(int32_t from, int32_t to, int32_t triangle, int32_t corner)
{
	return (lm_half_edge){ from < to ? from : to, from < to ? to : from, from, to, triangle, corner };
}

// All sides of the triangles, 3 count, sorted.
void lm_half_edges_list(const int32_t* triangles, int32_t count, lm_half_edge* edges);

// By edge, and on each edge by triangle and corner.
void lm_half_edges_sort(lm_half_edge* edges, int64_t count);

// Behind the last that lies on the same edge as the one at begin; of sorted ones.
static inline int64_t lm_half_edges_end(const lm_half_edge* edges, int64_t count, int64_t begin)
{
	int64_t end = begin + 1;
	while (end < count && edges[end].low == edges[begin].low && edges[end].high == edges[begin].high)
		++end;
	return end;
}

// Moves those that are alone on their edge to the front, in order; returns how many there are.
int64_t lm_half_edges_keep_single(lm_half_edge* edges, int64_t count);

#endif
