// grid.c: which voxels are material, and who their neighbours are.
//
// Winding numbers are dear, so for closed surfaces only voxels near triangles ask for theirs; all others of one
// connected piece share one answer, since the winding number does not change without crossing the surface. Surfaces
// with holes have no such pieces: there every voxel asks.
#include "design/grid.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "mesh/bvh.h"
#include "mesh/winding.h"

#include <string.h>

enum
{
	UNKNOWN,
	TOUCHED, // by a triangle
	OUTSIDE,
	INSIDE
};

typedef struct builder
{
	lm_design_grid* grid;
	const lm_mesh* surface;
	lm_winding winding;
	uint8_t* kind;   // of each cell
	int32_t* queue;  // of cells
	int32_t* asking; // cells that need a winding number of their own
	int64_t ask_count;
	int64_t cells;
} builder;

static lm_vec3 cell_center(const lm_design_grid* g, int64_t cell)
{
	int64_t x = cell % g->n[0], y = cell / g->n[0] % g->n[1], z = cell / ((int64_t)g->n[0] * g->n[1]);
	return lm_v3(g->low.x + g->h * (double)x, g->low.y + g->h * (double)y, g->low.z + g->h * (double)z);
}

static void cell_of(const lm_design_grid* g, lm_vec3 p, int32_t c[3])
{
	double q[3] = { (p.x - g->low.x) / g->h, (p.y - g->low.y) / g->h, (p.z - g->low.z) / g->h };
	for (int d = 0; d < 3; ++d)
	{
		double r = floor(q[d] + 0.5);
		c[d] = r < 0 ? 0 : r > g->n[d] - 1 ? g->n[d] - 1 : (int32_t)r;
	}
}

static int64_t cell_index(const lm_design_grid* g, const int32_t c[3])
{
	return c[0] + (int64_t)g->n[0] * (c[1] + (int64_t)g->n[1] * c[2]);
}

// Whether a cell may be material. The band and the neighbours of the band lie around material, so it must keep off the
// border of the grid; sheets that lie on each other have a winding number beyond 0.55 even far from the surface.
static bool has_room(const lm_design_grid* g, const int32_t c[3])
{
	const int32_t room = LM_DESIGN_BAND + 1;
	for (int d = 0; d < 3; ++d)
		if (c[d] < room || c[d] >= g->n[d] - room)
			return false;
	return true;
}

int32_t lm_design_grid_slot_at(const lm_design_grid* grid, lm_vec3 x)
{
	int32_t c[3];
	cell_of(grid, x, c);
	return grid->slot[cell_index(grid, c)];
}

int32_t lm_design_grid_nearest_material(const lm_design_grid* grid, lm_vec3 x)
{
	int32_t c[3], best = -1;
	double best_distance = INFINITY;
	cell_of(grid, x, c);
	for (int32_t reach = 1; reach <= LM_DESIGN_BAND + 1 && best < 0; ++reach)
		for (int32_t k = c[2] - reach; k <= c[2] + reach; ++k)
			for (int32_t j = c[1] - reach; j <= c[1] + reach; ++j)
				for (int32_t i = c[0] - reach; i <= c[0] + reach; ++i)
				{
					if (i < 0 || j < 0 || k < 0 || i >= grid->n[0] || j >= grid->n[1] || k >= grid->n[2])
						continue;
					int32_t slot = grid->slot[cell_index(grid, (int32_t[3]){ i, j, k })];
					if (slot < 0 || slot >= grid->material)
						continue;
					double distance = lm_distance(lm_design_grid_center(grid, slot), x);
					if (distance < best_distance)
						best_distance = distance, best = slot;
				}
	return best;
}

// The volume that the triangles enclose, whichever way they face; of open ones a rough idea.
static double enclosed_volume(const lm_mesh* mesh)
{
	double volume = 0;
	for (int32_t t = 0; t < mesh->triangle_count; ++t)
	{
		const int32_t* c = mesh->triangles + 3 * (int64_t)t;
		lm_vec3 x = lm_v3_at(mesh->positions, c[0]), y = lm_v3_at(mesh->positions, c[1]);
		volume += lm_dot(x, lm_cross(y, lm_v3_at(mesh->positions, c[2]))) / 6;
	}
	return fabs(volume);
}

static lm_status lay_out(builder* b, int32_t voxels, lm_error* error)
{
	lm_design_grid* g = b->grid;
	double low[3], high[3], box = 1, longest = 0;
	lm_mesh_bounds(b->surface->positions, b->surface->vertex_count, low, high);
	for (int d = 0; d < 3; ++d)
	{
		box *= fmax(high[d] - low[d], 1e-3);
		longest = fmax(longest, high[d] - low[d]);
	}
	double volume = fmin(fmax(enclosed_volume(b->surface), 0.02 * box), box);
	g->h = fmin(fmax(cbrt(volume / voxels), longest / 200), longest / 12);
	b->cells = 1;
	const int32_t padding = LM_DESIGN_BAND + 2;
	for (int d = 0; d < 3; ++d)
	{
		double cells = fmax(1, ceil((high[d] - low[d]) / g->h));
		g->n[d] = (int32_t)cells + 2 * padding;
		low[d] += 0.5 * (high[d] - low[d] - cells * g->h) + (0.5 - padding) * g->h;
		b->cells *= g->n[d];
	}
	// A little off the middle, since centres of voxels that lie exactly in a triangle have no clear side.
	g->low = lm_v3(low[0] + 0.0137 * g->h, low[1] + 0.0211 * g->h, low[2] + 0.0173 * g->h);
	g->slot = LM_NEW(&g->host, b->cells, int32_t);
	b->kind = LM_NEW(&g->host, b->cells, uint8_t);
	b->queue = LM_NEW(&g->host, b->cells, int32_t);
	b->asking = LM_NEW(&g->host, b->cells, int32_t);
	return g->slot && b->kind && b->queue && b->asking ? LM_OK : lm_fail_memory(error);
}

static void touch_triangles(builder* b)
{
	const lm_design_grid* g = b->grid;
	for (int32_t t = 0; t < b->surface->triangle_count; ++t)
	{
		lm_vec3 low = { INFINITY, INFINITY, INFINITY }, high = { -INFINITY, -INFINITY, -INFINITY };
		for (int i = 0; i < 3; ++i)
		{
			lm_vec3 x = lm_v3_at(b->surface->positions, b->surface->triangles[3 * (int64_t)t + i]);
			low = lm_min3(low, x), high = lm_max3(high, x);
		}
		int32_t from[3], to[3];
		cell_of(g, low, from), cell_of(g, high, to);
		for (int32_t k = from[2]; k <= to[2]; ++k)
			for (int32_t j = from[1]; j <= to[1]; ++j)
				memset(b->kind + cell_index(g, (int32_t[3]){ from[0], j, k }), TOUCHED, (size_t)(to[0] - from[0] + 1));
	}
}

static bool is_inside(const builder* b, int64_t cell)
{
	const lm_design_grid* g = b->grid;
	int64_t layer = (int64_t)g->n[0] * g->n[1];
	int32_t c[3] = { (int32_t)(cell % g->n[0]), (int32_t)(cell / g->n[0] % g->n[1]), (int32_t)(cell / layer) };
	return has_room(g, c) && fabs(lm_winding_number(&b->winding, cell_center(g, cell), 3.0)) > 0.55;
}

// Spreads a kind over the piece of unknown cells that hangs together with this one.
static void flood(builder* b, int32_t seed, uint8_t kind)
{
	const lm_design_grid* g = b->grid;
	int64_t stride[3] = { 1, g->n[0], (int64_t)g->n[0] * g->n[1] };
	int64_t first = 0, last = 0;
	b->queue[last++] = seed;
	b->kind[seed] = kind;
	while (first < last)
	{
		int32_t cell = b->queue[first++];
		int32_t c[3] = { cell % g->n[0], cell / g->n[0] % g->n[1], (int32_t)(cell / stride[2]) };
		for (int d = 0; d < 3; ++d)
			for (int side = -1; side <= 1; side += 2)
			{
				if (c[d] + side < 0 || c[d] + side >= g->n[d])
					continue;
				int64_t next = cell + side * stride[d];
				if (b->kind[next] != UNKNOWN)
					continue;
				b->kind[next] = kind;
				b->queue[last++] = (int32_t)next;
			}
	}
}

static void ask_range(void* context, int64_t begin, int64_t end)
{
	builder* b = context;
	for (int64_t i = begin; i < end; ++i)
		b->kind[b->asking[i]] = is_inside(b, b->asking[i]) ? INSIDE : OUTSIDE;
}

static void classify(builder* b, bool closed)
{
	for (int64_t cell = 0; cell < b->cells; ++cell)
		if (b->kind[cell] == UNKNOWN && closed)
			flood(b, (int32_t)cell, is_inside(b, cell) ? INSIDE : OUTSIDE);
		else if (b->kind[cell] <= TOUCHED)
			b->asking[b->ask_count++] = (int32_t)cell;
	lm_parallel_for(b->grid->host.threads, b->ask_count, 256, ask_range, b);
}

// A point of the surface with no material in the voxels around it: its own becomes material.
static void keep_thin_point(builder* b, lm_vec3 p)
{
	const lm_design_grid* g = b->grid;
	int32_t c[3];
	cell_of(g, p, c);
	for (int32_t k = c[2] - 1; k <= c[2] + 1; ++k)
		for (int32_t j = c[1] - 1; j <= c[1] + 1; ++j)
			for (int32_t i = c[0] - 1; i <= c[0] + 1; ++i)
				if (b->kind[cell_index(g, (int32_t[3]){ i, j, k })] == INSIDE)
					return;
	b->kind[cell_index(g, c)] = INSIDE;
}

static void keep_thin_parts(builder* b)
{
	for (int32_t t = 0; t < b->surface->triangle_count; ++t)
	{
		const int32_t* corner = b->surface->triangles + 3 * (int64_t)t;
		lm_vec3 x = lm_v3_at(b->surface->positions, corner[0]), y = lm_v3_at(b->surface->positions, corner[1]);
		lm_vec3 z = lm_v3_at(b->surface->positions, corner[2]);
		double longest = fmax(lm_distance(x, y), fmax(lm_distance(y, z), lm_distance(z, x)));
		int steps = 1 + (int)(longest / b->grid->h);
		for (int i = 0; i <= steps; ++i)
			for (int j = 0; j <= steps - i; ++j)
			{
				double u = (double)i / steps, v = (double)j / steps;
				keep_thin_point(b, lm_add(lm_scale(1 - u - v, x), lm_add(lm_scale(u, y), lm_scale(v, z))));
			}
	}
}

// ---- loose pieces -----------------------------------------------------------------------------------------------

// Numbers the pieces of the material in slot[] (as -2 - piece) and returns how many there are, and the largest.
static int32_t find_pieces(builder* b, int32_t* largest)
{
	lm_design_grid* g = b->grid;
	int64_t stride[3] = { 1, g->n[0], (int64_t)g->n[0] * g->n[1] };
	int32_t pieces = 0, best = 0;
	for (int64_t cell = 0; cell < b->cells; ++cell)
		g->slot[cell] = -1;
	for (int64_t cell = 0; cell < b->cells; ++cell)
	{
		if (b->kind[cell] != INSIDE || g->slot[cell] != -1)
			continue;
		int32_t first = 0, last = 0, mark = -2 - pieces;
		b->queue[last++] = (int32_t)cell;
		g->slot[cell] = mark;
		while (first < last)
		{
			int32_t at = b->queue[first++];
			for (int d = 0; d < 3; ++d) // the padding keeps material off the border
				for (int side = -1; side <= 1; side += 2)
				{
					int64_t next = at + side * stride[d];
					if (b->kind[next] == INSIDE && g->slot[next] == -1)
						g->slot[next] = mark, b->queue[last++] = (int32_t)next;
				}
		}
		if (last > best)
			best = last, *largest = pieces;
		++pieces;
	}
	return pieces;
}

// Grows outwards from piece `largest` over empty cells until another piece is met, and fills the way back.
static void bridge(builder* b, int32_t largest)
{
	lm_design_grid* g = b->grid;
	int64_t stride[3] = { 1, g->n[0], (int64_t)g->n[0] * g->n[1] };
	int32_t* from = b->asking; // free by now
	int64_t first = 0, last = 0;
	for (int64_t cell = 0; cell < b->cells; ++cell)
	{
		from[cell] = -1;
		if (g->slot[cell] == -2 - largest)
			from[cell] = (int32_t)cell, b->queue[last++] = (int32_t)cell;
	}
	while (first < last)
	{
		int32_t at = b->queue[first++];
		int32_t c[3] = { at % g->n[0], at / g->n[0] % g->n[1], (int32_t)(at / stride[2]) };
		for (int d = 0; d < 3; ++d)
			for (int side = -1; side <= 1; side += 2)
			{
				if (c[d] + side < 1 || c[d] + side >= g->n[d] - 1)
					continue;
				int64_t next = at + side * stride[d];
				if (from[next] >= 0)
					continue;
				from[next] = at;
				b->queue[last++] = (int32_t)next;
				if (b->kind[next] != INSIDE)
					continue;
				for (int32_t back = at; b->kind[back] != INSIDE; back = from[back])
					b->kind[back] = INSIDE;
				return;
			}
	}
}

// ---- lists ------------------------------------------------------------------------------------------------------

static void list_material(builder* b)
{
	lm_design_grid* g = b->grid;
	for (int64_t cell = 0; cell < b->cells; ++cell)
	{
		g->slot[cell] = -1;
		if (b->kind[cell] == INSIDE)
			g->slot[cell] = g->count, b->queue[g->count++] = (int32_t)cell;
	}
	g->material = g->count;
}

// Each round adds all empty cells around those of the last one; cells at the border of the grid stay out.
static void list_band(builder* b)
{
	lm_design_grid* g = b->grid;
	int32_t begin = 0;
	for (int round = 0; round < LM_DESIGN_BAND; ++round)
	{
		int32_t end = g->count;
		for (int32_t s = begin; s < end; ++s)
		{
			int32_t cell = b->queue[s];
			int32_t c[3] = { cell % g->n[0], cell / g->n[0] % g->n[1], cell / (g->n[0] * g->n[1]) };
			for (int32_t k = c[2] - 1; k <= c[2] + 1; ++k)
				for (int32_t j = c[1] - 1; j <= c[1] + 1; ++j)
					for (int32_t i = c[0] - 1; i <= c[0] + 1; ++i)
					{
						int64_t at = cell_index(g, (int32_t[3]){ i, j, k });
						if (g->slot[at] < 0)
							g->slot[at] = g->count, b->queue[g->count++] = (int32_t)at;
					}
		}
		begin = end;
	}
}

// The nearest material of a slot of the band, among those of the slots around it that come before it in the list.
static int32_t nearest_of_neighbours(const lm_design_grid* g, int32_t s)
{
	int32_t cell = g->cell[s], best = 0;
	double best_distance = INFINITY;
	lm_vec3 x = lm_design_grid_center(g, s);
	for (int32_t k = -1; k <= 1; ++k)
		for (int32_t j = -1; j <= 1; ++j)
			for (int32_t i = -1; i <= 1; ++i)
			{
				int32_t other = g->slot[cell + i + (int64_t)g->n[0] * (j + (int64_t)g->n[1] * k)];
				if (other < 0 || other >= s)
					continue;
				double distance = lm_distance(x, lm_design_grid_center(g, g->nearest[other]));
				if (distance < best_distance)
					best_distance = distance, best = g->nearest[other];
			}
	return best;
}

static lm_status keep_lists(builder* b, lm_error* error)
{
	lm_design_grid* g = b->grid;
	list_material(b);
	if (g->material < 8)
		return lm_fail(error, LM_BAD_INPUT,
		               "the surface has no inside: nothing is enclosed by it; close it, or give it thickness");
	list_band(b);
	int64_t stride[3] = { 1, g->n[0], (int64_t)g->n[0] * g->n[1] };
	g->cell = lm_copy(&g->host, b->queue, (size_t)g->count, sizeof *g->cell);
	g->near = lm_alloc(&g->host, (size_t)g->count, sizeof *g->near);
	g->nearest = LM_NEW(&g->host, g->count, int32_t);
	if (g->cell == NULL || g->near == NULL || g->nearest == NULL)
		return lm_fail_memory(error);
	for (int32_t s = 0; s < g->count; ++s)
		g->nearest[s] = s < g->material ? s : nearest_of_neighbours(g, s);
	for (int32_t s = 0; s < g->count; ++s)
		for (int side = 0; side < 6; ++side) // the padding is wider than the band
			g->near[s][side] = g->slot[g->cell[s] + (side % 2 ? 1 : -1) * stride[side / 2]];
	return LM_OK;
}

static lm_status fill(builder* b, int32_t voxels, lm_error* error)
{
	lm_mesh_facts facts;
	lm_bvh bvh = { 0 };
	lm_status status = lm_mesh_get_facts(b->surface, &b->grid->host, &facts, error);
	if (status == LM_OK)
		status = lay_out(b, voxels, error);
	if (status == LM_OK)
		status = lm_bvh_create(b->surface->triangles, b->surface->triangle_count, 3, b->surface->positions,
		                       &b->grid->host, &bvh, error);
	if (status == LM_OK)
		status = lm_winding_create(&bvh, &b->winding, error);
	if (status == LM_OK)
	{
		touch_triangles(b);
		classify(b, facts.closed);
		int64_t inside = 0;
		for (int64_t cell = 0; cell < b->cells; ++cell)
			inside += b->kind[cell] == INSIDE;
		if (inside >= 8)
			keep_thin_parts(b);
		int32_t largest = 0;
		for (int round = 0; round < 256 && find_pieces(b, &largest) > 1; ++round)
			bridge(b, largest);
		status = keep_lists(b, error);
	}
	lm_winding_release(&b->winding);
	lm_bvh_release(&bvh);
	return status;
}

lm_status lm_design_grid_create(const lm_mesh* surface, int32_t voxels, const lm_host* host, lm_design_grid* grid,
                                lm_error* error)
{
	*grid = (lm_design_grid){ .host = *host };
	builder b = { .grid = grid, .surface = surface };
	lm_status status = fill(&b, voxels, error);
	lm_free(host, b.kind);
	lm_free(host, b.queue);
	lm_free(host, b.asking);
	if (status != LM_OK)
		lm_design_grid_release(grid);
	return status;
}

void lm_design_grid_release(lm_design_grid* grid)
{
	lm_free(&grid->host, grid->slot);
	lm_free(&grid->host, grid->cell);
	lm_free(&grid->host, grid->near);
	lm_free(&grid->host, grid->nearest);
	*grid = (lm_design_grid){ .host = grid->host };
}
