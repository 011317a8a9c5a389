#include "mesh/lattice_grid.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "mesh/triangle_tet.h"

#include <assert.h>

enum
{
	most_cells_along = 1 << 20, // so that places interleave into 63 bits
	padding = 4,                // cells beyond the surface, both sides together: two each, less half for a shift
	smallest_box = 2            // boxes of this many cells are decided vertex by vertex
};

// How far from the threshold the winding number must be all over a box for the box to be decided as a whole.
static const double clear_margin = 0.2;

static double component(lm_vec3 a, int axis)
{
	return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

static double cells_along(const lm_lattice_surface* surface, double h, int axis)
{
	return ceil((component(surface->box.high, axis) - component(surface->box.low, axis)) / h) + padding;
}

double lm_lattice_cells(const lm_lattice_surface* surface, double h)
{
	double cells = 1;
	for (int axis = 0; axis < 3; ++axis)
	{
		double n = cells_along(surface, h, axis);
		if (!(n <= most_cells_along))
			return INFINITY;
		cells *= n;
	}
	return cells;
}

// Corner e of the face between a cell and its neighbour along axis, as offsets 0 or 1 along the two other axes.
static const int face_corners[4][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } };

void lm_lattice_tet(const lm_lattice_grid* grid, int64_t cell, int axis, int edge, lm_lattice_vertex corners[4])
{
	int64_t step[3] = { 1, grid->n[0], (int64_t)grid->n[0] * grid->n[1] };
	int64_t next = cell + step[axis], b = step[(axis + 1) % 3], c = step[(axis + 2) % 3];
	const int *q = face_corners[edge], *r = face_corners[(edge + 1) % 4];
	corners[0] = (lm_lattice_vertex){ cell, true };
	corners[1] = (lm_lattice_vertex){ next, true };
	corners[2] = (lm_lattice_vertex){ next + q[0] * b + q[1] * c, false };
	corners[3] = (lm_lattice_vertex){ next + r[0] * b + r[1] * c, false };
}

// ---- which tetrahedra the surface touches

typedef struct rasterizer
{
	lm_lattice_grid* grid;
	double slack;          // in units of h
	lm_vec3 tets[6][4][4]; // face (axis, then axis + 3 for the lower side), edge, corner; in h from the cell's centre
} rasterizer;

static lm_vec3 along_axes(int axis, double a, double b, double c)
{
	double v[3];
	v[axis] = a, v[(axis + 1) % 3] = b, v[(axis + 2) % 3] = c;
	return lm_v3(v[0], v[1], v[2]);
}

static void prepare_tets(rasterizer* r)
{
	for (int face = 0; face < 6; ++face)
		for (int edge = 0; edge < 4; ++edge)
		{
			int axis = face % 3;
			double side = face < 3 ? 0.5 : -0.5;
			const int *q = face_corners[edge], *p = face_corners[(edge + 1) % 4];
			lm_vec3* x = r->tets[face][edge];
			x[0] = lm_v3(0, 0, 0);
			x[1] = along_axes(axis, 2 * side, 0, 0);
			x[2] = along_axes(axis, side, q[0] - 0.5, q[1] - 0.5);
			x[3] = along_axes(axis, side, p[0] - 0.5, p[1] - 0.5);
		}
}

// Marks the tetrahedra that reach into the cell and touch the triangle.
static void mark_cell(const rasterizer* r, const int32_t place[3], const lm_vec3 triangle[3])
{
	lm_lattice_grid* grid = r->grid;
	int64_t cell = lm_lattice_cell(grid, place), step[3] = { 1, grid->n[0], (int64_t)grid->n[0] * grid->n[1] };
	lm_vec3 centre = lm_lattice_position(grid, place, true), local[3];
	for (int i = 0; i < 3; ++i)
		local[i] = lm_scale(1 / grid->h, lm_sub(triangle[i], centre));
	for (int face = 0; face < 6; ++face)
	{
		int axis = face % 3;
		int64_t owner = face < 3 ? cell : cell - step[axis], other = face < 3 ? cell + step[axis] : cell;
		for (int edge = 0; edge < 4; ++edge)
		{
			uint16_t bit = (uint16_t)(1u << (4 * axis + edge));
			if ((grid->tets[owner] & bit) || !lm_triangle_touches_tet(local, r->tets[face][edge], r->slack))
				continue;
			grid->tets[owner] |= bit;
			grid->flags[owner] |= LM_CELL_TOUCHED;
			grid->flags[other] |= LM_CELL_TOUCHED;
		}
	}
}

// Cells from first to last whose numbers along one axis may meet [low, high] (in cells, with slack).
static void cell_range(double low, double high, double slack, int32_t n, int32_t* first, int32_t* last)
{
	*first = (int32_t)fmax(1, floor(low - slack)); // the outermost cells stay empty
	*last = (int32_t)fmin(n - 2, floor(high + slack));
}

// Walks the columns of cells along the axis the triangle faces most, and in each only the cells its plane passes.
static void mark_triangle(const rasterizer* r, const lm_vec3 triangle[3])
{
	const lm_lattice_grid* grid = r->grid;
	lm_vec3 x[3]; // in cells
	for (int i = 0; i < 3; ++i)
		x[i] = lm_scale(1 / grid->h, lm_sub(triangle[i], grid->origin));
	int32_t first[3], last[3];
	for (int k = 0; k < 3; ++k)
	{
		double a = component(x[0], k), b = component(x[1], k), c = component(x[2], k);
		cell_range(fmin(a, fmin(b, c)), fmax(a, fmax(b, c)), r->slack, grid->n[k], &first[k], &last[k]);
	}
	lm_vec3 normal = lm_cross(lm_sub(x[1], x[0]), lm_sub(x[2], x[0]));
	double size[3] = { fabs(normal.x), fabs(normal.y), fabs(normal.z) };
	int w = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
	int u = (w + 1) % 3, v = (w + 2) % 3;
	bool has_plane = size[w] > 1e-9; // in cells squared; smaller triangles meet few cells anyway
	double reach = has_plane ? 0.5 * (size[u] + size[v]) / size[w] + r->slack : 0;
	int32_t place[3];
	for (place[u] = first[u]; place[u] <= last[u]; ++place[u])
		for (place[v] = first[v]; place[v] <= last[v]; ++place[v])
		{
			int32_t begin = first[w], end = last[w];
			if (has_plane)
			{
				double du = place[u] + 0.5 - component(x[0], u), dv = place[v] + 0.5 - component(x[0], v);
				double slope_u = component(normal, u) / component(normal, w);
				double slope_v = component(normal, v) / component(normal, w);
				double height = component(x[0], w) - slope_u * du - slope_v * dv;
				int32_t low, high;
				cell_range(height - reach, height + reach, r->slack, grid->n[w], &low, &high);
				begin = low > begin ? low : begin;
				end = high < end ? high : end;
			}
			for (place[w] = begin; place[w] <= end; ++place[w])
				mark_cell(r, place, triangle);
		}
}

static void mark_surface(const lm_lattice_surface* surface, lm_lattice_grid* grid)
{
	lm_vec3 far = lm_max3(lm_scale(-1, surface->box.low), surface->box.high);
	double coordinate = fmax(far.x, fmax(far.y, far.z));
	rasterizer r = { .grid = grid, .slack = 1e-9 + 1e-15 * coordinate / grid->h };
	prepare_tets(&r);
	const lm_mesh* mesh = surface->mesh;
	for (int32_t t = 0; t < mesh->triangle_count; ++t)
	{
		lm_vec3 triangle[3];
		for (int i = 0; i < 3; ++i)
			triangle[i] = lm_v3_at(mesh->positions, mesh->triangles[3 * (int64_t)t + i]);
		mark_triangle(&r, triangle);
	}
}

// ---- which vertices are inside
//
// Where no surface is near, the winding number is harmonic: it varies smoothly and is constant if the surface is
// closed. So boxes of cells are decided as a whole when they are free of surface and clearly on one side at their
// corners and centre, and cut into eight otherwise.

typedef struct cell_box
{
	int32_t low[3];
	int32_t size; // cells along each axis, a power of two; may reach beyond the grid
} cell_box;

typedef struct classify_job
{
	const lm_lattice_surface* surface;
	lm_lattice_grid* grid;
	const cell_box* boxes;
	uint8_t* cut; // per box: to be cut further
} classify_job;

// Points beyond the surface's box are outside: near openings the winding number alone does not decide.
static double winding_at(const lm_lattice_surface* surface, lm_vec3 p)
{
	if (!lm_box_overlaps(surface->box, (lm_box){ p, p }))
		return -INFINITY;
	return surface->orientation * lm_winding_number(&surface->winding, p, LM_WINDING_ACCURACY);
}

static void classify_vertices(const classify_job* job, const int32_t place[3])
{
	const lm_lattice_surface* surface = job->surface;
	uint8_t* flags = &job->grid->flags[lm_lattice_cell(job->grid, place)];
	if (winding_at(surface, lm_lattice_position(job->grid, place, false)) > surface->inside)
		*flags |= LM_CELL_CORNER_INSIDE;
	if (winding_at(surface, lm_lattice_position(job->grid, place, true)) > surface->inside)
		*flags |= LM_CELL_CENTRE_INSIDE;
}

// +1: all clearly inside, -1: all clearly outside, 0: undecided.
static int side_of_box(const classify_job* job, const int32_t low[3], const int32_t high[3])
{
	const lm_lattice_surface* surface = job->surface;
	const lm_lattice_grid* grid = job->grid;
	lm_box box = { lm_lattice_position(grid, low, false), lm_lattice_position(grid, high, false) };
	if (!lm_box_overlaps(box, surface->box))
		return -1;
	int64_t row = 0;
	for (int32_t k = low[2]; k < high[2]; ++k)
		for (int32_t j = low[1]; j < high[1]; ++j)
		{
			row = lm_lattice_cell(grid, (int32_t[]){ 0, j, k });
			for (int32_t i = low[0]; i < high[0]; ++i)
				if (grid->flags[row + i] & LM_CELL_TOUCHED)
					return 0;
		}
	int side = 0;
	for (int corner = 0; corner < 9; ++corner)
	{
		lm_vec3 p = lm_lerp(box.low, box.high, 0.5);
		if (corner < 8)
			p = lm_v3(corner & 1 ? box.high.x : box.low.x, corner & 2 ? box.high.y : box.low.y,
			          corner & 4 ? box.high.z : box.low.z);
		double excess = winding_at(surface, p) - surface->inside;
		int here = excess > clear_margin ? 1 : excess < -clear_margin ? -1 : 0;
		if (here == 0 || (corner > 0 && here != side))
			return 0;
		side = here;
	}
	return side;
}

static void classify_box(const classify_job* job, int64_t index)
{
	const lm_lattice_grid* grid = job->grid;
	const cell_box* box = &job->boxes[index];
	int32_t high[3];
	for (int k = 0; k < 3; ++k)
	{
		high[k] = box->low[k] + box->size < grid->n[k] ? box->low[k] + box->size : grid->n[k];
		if (high[k] <= box->low[k])
			return;
	}
	int side = box->size > smallest_box ? side_of_box(job, box->low, high) : 0;
	if (side == 0 && box->size > smallest_box)
	{
		job->cut[index] = 1;
		return;
	}
	int32_t place[3];
	for (place[2] = box->low[2]; side >= 0 && place[2] < high[2]; ++place[2])
		for (place[1] = box->low[1]; place[1] < high[1]; ++place[1])
			for (place[0] = box->low[0]; place[0] < high[0]; ++place[0])
				if (side == 0)
					classify_vertices(job, place);
				else
					grid->flags[lm_lattice_cell(grid, place)] |= LM_CELL_CORNER_INSIDE | LM_CELL_CENTRE_INSIDE;
}

static void classify_boxes(void* context, int64_t begin, int64_t end)
{
	for (int64_t i = begin; i < end; ++i)
		classify_box(context, i);
}

// The eighths of all boxes that must be cut; NULL when out of memory.
static cell_box* cut_boxes(const cell_box* boxes, const uint8_t* cut, int64_t count, const lm_host* host,
                           int64_t* result_count)
{
	int64_t total = 0, next = 0;
	for (int64_t i = 0; i < count; ++i)
		total += 8 * cut[i];
	cell_box* smaller = LM_NEW(host, total, cell_box);
	for (int64_t i = 0; smaller != NULL && i < count; ++i)
		for (int part = 0; cut[i] && part < 8; ++part)
		{
			cell_box* box = &smaller[next++];
			box->size = boxes[i].size / 2;
			for (int k = 0; k < 3; ++k)
				box->low[k] = boxes[i].low[k] + ((part >> k) & 1) * box->size;
		}
	*result_count = total;
	return smaller;
}

static lm_status mark_inside(const lm_lattice_surface* surface, lm_lattice_grid* grid, const lm_host* host,
                             lm_error* error)
{
	int32_t size = smallest_box;
	while (size < grid->n[0] || size < grid->n[1] || size < grid->n[2])
		size *= 2;
	int64_t count = 1;
	cell_box* boxes = LM_NEW(host, 1, cell_box);
	if (boxes == NULL)
		return lm_fail_memory(error);
	boxes[0].size = size;
	while (count > 0)
	{
		uint8_t* cut = LM_NEW(host, count, uint8_t);
		cell_box* smaller = NULL;
		if (cut != NULL)
		{
			classify_job job = { surface, grid, boxes, cut };
			// Threads cost more than they give where there is little to do, as in each of ten thousand small objects.
			bool little = (double)count * surface->mesh->triangle_count < 100000;
			lm_parallel_for(little ? 1 : host->threads, count, 4, classify_boxes, &job);
			smaller = cut_boxes(boxes, cut, count, host, &count);
		}
		lm_free(host, cut);
		lm_free(host, boxes);
		boxes = smaller;
		if (boxes == NULL)
			return lm_fail_memory(error);
	}
	lm_free(host, boxes);
	return LM_OK;
}

// ---- keeping tetrahedra

static bool is_inside(const lm_lattice_grid* grid, lm_lattice_vertex v)
{
	return grid->flags[v.cell] & (v.centre ? LM_CELL_CENTRE_INSIDE : LM_CELL_CORNER_INSIDE);
}

static void use_vertex(lm_lattice_grid* grid, lm_lattice_vertex v)
{
	uint8_t bit = v.centre ? LM_CELL_CENTRE_USED : LM_CELL_CORNER_USED;
	grid->vertices += !(grid->flags[v.cell] & bit);
	grid->flags[v.cell] |= bit;
}

// Quick test that no tetrahedron of a cell is kept: none touched, no vertex inside in the eight cells that they reach.
static bool is_void(const lm_lattice_grid* grid, int64_t cell)
{
	const uint8_t* flags = grid->flags + cell;
	int64_t y = grid->n[0], z = y * grid->n[1];
	int all = flags[0] | flags[1] | flags[y] | flags[y + 1] | flags[z] | flags[z + 1] | flags[y + z] | flags[y + z + 1];
	return grid->tets[cell] == 0 && !(all & (LM_CELL_CORNER_INSIDE | LM_CELL_CENTRE_INSIDE));
}

static void keep_tets_of(lm_lattice_grid* grid, int64_t cell)
{
	for (int t = 0; t < 12; ++t)
	{
		lm_lattice_vertex v[4];
		lm_lattice_tet(grid, cell, t / 4, t % 4, v);
		if (!(grid->tets[cell] >> t & 1) && !is_inside(grid, v[0]) && !is_inside(grid, v[1]) &&
		    !is_inside(grid, v[2]) && !is_inside(grid, v[3]))
			continue;
		grid->tets[cell] |= (uint16_t)(1u << t);
		++grid->tet_count;
		for (int i = 0; i < 4; ++i)
			use_vertex(grid, v[i]);
	}
}

static void keep_tets(lm_lattice_grid* grid)
{
	int32_t place[3];
	for (place[2] = 0; place[2] < grid->n[2] - 1; ++place[2])
		for (place[1] = 0; place[1] < grid->n[1] - 1; ++place[1])
			for (place[0] = 0; place[0] < grid->n[0] - 1; ++place[0])
			{
				int64_t cell = lm_lattice_cell(grid, place);
				if (!is_void(grid, cell))
					keep_tets_of(grid, cell);
			}
}

lm_status lm_lattice_grid_create(const lm_lattice_surface* surface, lm_lattice_fit fit, const lm_host* host,
                                 lm_lattice_grid* result, lm_error* error)
{
	double h = fit.h;
	assert(lm_lattice_cells(surface, h) <= LM_LATTICE_MOST_CELLS);
	lm_lattice_grid grid = { .h = h, .cells = 1 };
	for (int k = 0; k < 3; ++k)
	{
		grid.n[k] = (int32_t)cells_along(surface, h, k);
		grid.cells *= grid.n[k];
	}
	// the surface in the middle: unless shifted, what is symmetric stays so, because the lattice is
	lm_vec3 middle = lm_lerp(surface->box.low, surface->box.high, 0.5);
	grid.origin = lm_add_scaled(middle, -0.5 * h, lm_v3(grid.n[0], grid.n[1], grid.n[2]));
	grid.origin = lm_add_scaled(grid.origin, h, fit.shift);
	grid.tets = LM_NEW(host, grid.cells, uint16_t);
	grid.flags = LM_NEW(host, grid.cells, uint8_t);
	lm_status status = grid.tets == NULL || grid.flags == NULL ? lm_fail_memory(error) : LM_OK;
	if (status == LM_OK)
	{
		mark_surface(surface, &grid);
		status = mark_inside(surface, &grid, host, error);
	}
	if (status != LM_OK)
	{
		lm_lattice_grid_release(&grid, host);
		return status;
	}
	keep_tets(&grid);
	*result = grid;
	return LM_OK;
}

void lm_lattice_grid_release(lm_lattice_grid* grid, const lm_host* host)
{
	lm_free(host, grid->tets);
	lm_free(host, grid->flags);
	*grid = (lm_lattice_grid){ 0 };
}
