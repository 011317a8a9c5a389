// path.c: the shortest way within the material from one node to another, along which they are coupled (Adams et al.
// 2009, Fig. 4): down the distances to the first node, from voxel to voxel, then smoothed.
#include "design/model.h"

#include <string.h>

static const int smoothings = 4;

static double distance_at(const lm_design_model* m, int32_t slot, int32_t node)
{
	return m->distance[(size_t)slot * (size_t)m->node_count + (size_t)node];
}

// The neighbour within the material that is nearest to the node; the slot itself when none is nearer.
static int32_t step_down(const lm_design_model* m, int32_t slot, int32_t node)
{
	int32_t best = slot;
	for (int side = 0; side < 6; ++side)
	{
		int32_t next = m->grid.near[slot][side];
		if (next >= 0 && next < m->grid.material && distance_at(m, next, node) < distance_at(m, best, node))
			best = next;
	}
	return best;
}

// Steps along the axes become a curve: each point the middle of itself and its neighbours.
static void smooth(double* points, int32_t count)
{
	for (int round = 0; round < smoothings; ++round)
		for (int32_t k = 1; k + 1 < count; ++k)
		{
			lm_vec3 beside = lm_add(lm_v3_at(points, k - 1), lm_v3_at(points, k + 1));
			lm_v3_store(points, k, lm_add_scaled(lm_scale(0.25, beside), 0.5, lm_v3_at(points, k)));
		}
}

int32_t lm_design_model_path(const lm_design_model* m, int32_t from, int32_t to, double* points, int32_t most)
{
	int32_t count = 0, slot = lm_design_grid_nearest_material(&m->grid, lm_v3_at(m->nodes, to));
	if (most < 2 || from < 0 || to < 0 || from >= m->node_count || to >= m->node_count || slot < 0)
		return 0;
	lm_v3_store(points, count++, lm_v3_at(m->nodes, to));
	while (distance_at(m, slot, from) > m->grid.h)
	{
		int32_t next = step_down(m, slot, from);
		if (next == slot || count + 1 >= most)
			return 0;
		slot = next;
		lm_v3_store(points, count++, lm_design_grid_center(&m->grid, slot));
	}
	lm_v3_store(points, count++, lm_v3_at(m->nodes, from));
	smooth(points, count);
	for (int32_t k = 0; k < count; ++k)
		lm_v3_store(points, k, lm_add_scaled(m->center, m->size, lm_v3_at(points, k)));
	return count;
}
