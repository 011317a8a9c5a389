#include "mesh/cage_grid.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>

static const double most_places = 5e5;

// Shorter arms count as ending on their node; relative to h.
static const double shortest_arm = 1e-12;

// Where a line of the grid crosses the cage.
typedef struct crossing
{
	int64_t line; // place at which the line begins
	double at;
	int32_t end; // in grid->ends
} crossing;

typedef struct crossing_list
{
	crossing* items;
	size_t count, capacity;
} crossing_list;

static int compare_crossings(const void* a, const void* b)
{
	const crossing *x = a, *y = b;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

static void lay_out(lm_cage_grid* grid, int32_t nodes)
{
	int d = grid->cage->dimension;
	double low[3], high[3], box = 1;
	lm_cage_bounds(grid->cage, low, high);
	for (int k = 0; k < d; ++k)
		box *= high[k] - low[k];
	grid->h = fmax(pow(fabs(lm_cage_volume(grid->cage)) / nodes, 1.0 / d), pow(box / most_places, 1.0 / d));
	// a cage that is thin along one axis and long along another has more grid points than its box suggests
	double places;
	do
	{
		places = 1;
		for (int k = 0; k < d; ++k)
			places *= floor((high[k] - low[k]) / grid->h) + 3;
		if (places > 2 * most_places)
			grid->h *= 1.25;
	} while (places > 2 * most_places);
	grid->places = 1;
	for (int k = 0; k < 3; ++k)
	{
		grid->n[k] = k < d ? (int32_t)floor((high[k] - low[k]) / grid->h) + 3 : 1; // one beyond the box on either side
		grid->origin[k] = k < d ? (low[k] + high[k]) / 2 - grid->h * (grid->n[k] - 1) / 2.0 : 0;
		grid->places *= grid->n[k];
	}
}

static bool add_end(lm_cage_grid* grid, const lm_host* host, const lm_cage_point* point)
{
	if (!lm_grow(host, (void**)&grid->ends, &grid->end_capacity, grid->end_count + 1, sizeof *grid->ends))
		return false;
	grid->ends[grid->end_count++] = *point;
	return true;
}

// Crossings of the lines along `axis` with one facet. False: out of memory.
static bool cross_facet(lm_cage_grid* grid, int32_t facet, int axis, const lm_host* host, crossing_list* list)
{
	int32_t begin[3] = { 0 }, end[3] = { 1, 1, 1 };
	for (int k = 0; k < grid->cage->dimension; ++k)
	{
		double low = INFINITY, high = -INFINITY;
		for (int c = 0; c < grid->cage->dimension; ++c)
		{
			low = fmin(low, lm_cage_corner(grid->cage, facet, c)[k]);
			high = fmax(high, lm_cage_corner(grid->cage, facet, c)[k]);
		}
		if (k == axis)
			continue;
		begin[k] = (int32_t)fmax(floor((low - grid->origin[k]) / grid->h), 0);
		end[k] = (int32_t)fmin(ceil((high - grid->origin[k]) / grid->h) + 1, grid->n[k]);
	}
	int32_t i[3];
	for (i[2] = begin[2]; i[2] < end[2]; ++i[2])
		for (i[1] = begin[1]; i[1] < end[1]; ++i[1])
			for (i[0] = begin[0]; i[0] < end[0]; ++i[0])
			{
				double q[3], at;
				int64_t line = i[0] + (int64_t)grid->n[0] * (i[1] + (int64_t)grid->n[1] * i[2]);
				lm_cage_point point;
				for (int k = 0; k < 3; ++k)
					q[k] = lm_cage_grid_x(grid, k, i[k]);
				if (!lm_cage_crossing(grid->cage, facet, axis, q, &at, &point))
					continue;
				if (!lm_grow(host, (void**)&list->items, &list->capacity, list->count + 1, sizeof *list->items) ||
				    !add_end(grid, host, &point))
					return false;
				list->items[list->count++] = (crossing){ line, at, (int32_t)grid->end_count - 1 };
			}
	return true;
}

static bool find_crossings(lm_cage_grid* grid, const lm_host* host, crossing_list lists[3])
{
	for (int axis = 0; axis < grid->cage->dimension; ++axis)
	{
		for (int32_t f = 0; f < grid->cage->facet_count; ++f)
			if (!cross_facet(grid, f, axis, host, &lists[axis]))
				return false;
		if (lists[axis].count > 0)
			qsort(lists[axis].items, lists[axis].count, sizeof(crossing), compare_crossings);
	}
	return true;
}

// The crossings of one line: items[begin] .. items[end - 1].
static size_t line_end(const crossing_list* list, size_t begin)
{
	size_t end = begin;
	while (end < list->count && list->items[end].line == list->items[begin].line)
		++end;
	return end;
}

// A place is inside when its lines along all axes say so; they disagree only within rounding of the cage.
static void number_nodes(lm_cage_grid* grid, const crossing_list lists[3])
{
	int d = grid->cage->dimension;
	for (int axis = 0; axis < d; ++axis)
	{
		const crossing_list* list = &lists[axis];
		int64_t stride = lm_cage_grid_stride(grid, axis);
		for (size_t begin = 0, end; begin < list->count; begin = end)
		{
			end = line_end(list, begin);
			size_t below = begin;
			for (int32_t i = 0; i < grid->n[axis]; ++i)
			{
				while (below < end && list->items[below].at < lm_cage_grid_x(grid, axis, i))
					++below;
				grid->node[list->items[begin].line + stride * i] += (below - begin) % 2 == 1;
			}
		}
	}
	for (int64_t p = 0; p < grid->places; ++p)
		grid->node[p] = grid->node[p] == d ? grid->node_count++ : -1;
}

// The arm of the node at `place`, i along the axis, on one side: to a crossing if one comes first, else to the next
// node. A neighbour that is no node although nothing lies between is on the cage to rounding.
static bool set_arm(lm_cage_grid* grid, int64_t place, int32_t i, int axis, int side, const crossing* hit,
                    const lm_host* host)
{
	int d = grid->cage->dimension;
	double x = lm_cage_grid_x(grid, axis, i), next = lm_cage_grid_x(grid, axis, side ? i + 1 : i - 1);
	int64_t stride = lm_cage_grid_stride(grid, axis), neighbour = place + (side ? stride : -stride);
	int64_t arm = 2 * (int64_t)d * grid->node[place] + 2 * axis + side;
	grid->lengths[arm] = grid->h;
	if (hit != NULL && (side ? hit->at < next : hit->at >= next))
	{
		grid->arms[arm] = ~hit->end;
		grid->lengths[arm] = fmax(fabs(hit->at - x), shortest_arm * grid->h);
	}
	else if (grid->node[neighbour] >= 0)
		grid->arms[arm] = grid->node[neighbour];
	else
	{
		double q[3];
		lm_cage_point point;
		for (int k = 0; k < d; ++k)
			q[k] = lm_cage_grid_x(grid, k, (int32_t)(neighbour / lm_cage_grid_stride(grid, k) % grid->n[k]));
		lm_cage_closest(grid->cage, q, &point);
		if (!add_end(grid, host, &point))
			return false;
		grid->arms[arm] = ~((int32_t)grid->end_count - 1);
	}
	return true;
}

static bool set_arms(lm_cage_grid* grid, const crossing_list lists[3], const lm_host* host)
{
	for (int axis = 0; axis < grid->cage->dimension; ++axis)
	{
		const crossing_list* list = &lists[axis];
		int64_t stride = lm_cage_grid_stride(grid, axis);
		for (size_t begin = 0, end; begin < list->count; begin = end)
		{
			end = line_end(list, begin);
			size_t below = begin;
			for (int32_t i = 0; i < grid->n[axis]; ++i)
			{
				int64_t place = list->items[begin].line + stride * i;
				while (below < end && list->items[below].at < lm_cage_grid_x(grid, axis, i))
					++below;
				if (grid->node[place] < 0)
					continue;
				const crossing *left = below > begin ? &list->items[below - 1] : NULL,
							   *right = below < end ? &list->items[below] : NULL;
				if (!set_arm(grid, place, i, axis, 0, left, host) || !set_arm(grid, place, i, axis, 1, right, host))
					return false;
			}
		}
	}
	return true;
}

lm_status lm_cage_grid_create(const lm_cage* cage, int32_t nodes, const lm_host* host, lm_cage_grid* grid,
                              lm_error* error)
{
	*grid = (lm_cage_grid){ .cage = cage };
	lay_out(grid, nodes);
	crossing_list lists[3] = { 0 };
	grid->node = LM_NEW(host, grid->places, int32_t);
	bool done = grid->node != NULL && find_crossings(grid, host, lists);
	if (done)
	{
		number_nodes(grid, lists);
		size_t arms = 2 * (size_t)cage->dimension * (size_t)grid->node_count;
		grid->arms = LM_NEW(host, arms, int32_t);
		grid->lengths = LM_NEW(host, arms, double);
		done = grid->arms != NULL && grid->lengths != NULL && set_arms(grid, lists, host);
	}
	for (int axis = 0; axis < 3; ++axis)
		lm_free(host, lists[axis].items);
	if (done)
		return LM_OK;
	lm_cage_grid_release(grid, host);
	return lm_fail_memory(error);
}

void lm_cage_grid_release(lm_cage_grid* grid, const lm_host* host)
{
	lm_free(host, grid->node);
	lm_free(host, grid->arms);
	lm_free(host, grid->lengths);
	lm_free(host, grid->ends);
	*grid = (lm_cage_grid){ 0 };
}
