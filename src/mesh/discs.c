// discs.c: a point-sampled surface as a mesh of small discs (surfels), so that whatever takes a surface takes points.
//
// Point i with normal n_i becomes vertex i, and around it LM_RIM corners of a disc across n_i with the area that the
// point stands for,
//
//   a_i = pi d_i^2 / LM_NEAR,   d_i the distance to its LM_NEAR-th nearest point,
//
// times LM_COVER, so that discs overlap. Their winding number is then about LM_COVER inside and 0 outside. A disc whose
// corners move with the material stays the surface element of its point: position, normal and stretch.
#include "base/alloc.h"
#include "base/error.h"
#include "limber/mesh.h"
#include "math/vec.h"

#include <stdlib.h>
#include <string.h>

#define LM_RIM 6
#define LM_NEAR 6
#define LM_COVER 1.5
#define LM_LOOKED_AT 64 // points of a cell of the grid, at most: many in one place do not take for ever
#define LM_FARTHEST 8   // cells

typedef struct point_cell
{
	int32_t cell[3], point;
} point_cell;

typedef struct point_grid
{
	const double* positions;
	int32_t count;
	double low[3], size; // of a cell
	point_cell* sorted;
} point_grid;

static int compare_cells(const void* a, const void* b)
{
	const point_cell *x = a, *y = b;
	for (int k = 0; k < 3; ++k)
		if (x->cell[k] != y->cell[k])
			return x->cell[k] < y->cell[k] ? -1 : 1;
	return x->point < y->point ? -1 : x->point > y->point;
}

static void find_cell(const point_grid* grid, const double* x, int32_t cell[3])
{
	for (int k = 0; k < 3; ++k)
		cell[k] = (int32_t)((x[k] - grid->low[k]) / grid->size);
}

// The first entry that is not before a cell.
static int32_t first_in(const point_grid* grid, const int32_t cell[3])
{
	point_cell wanted = { { cell[0], cell[1], cell[2] }, -1 };
	int32_t low = 0, high = grid->count;
	while (low < high)
	{
		int32_t middle = low + (high - low) / 2;
		if (compare_cells(&grid->sorted[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void look_into(const point_grid* grid, int32_t point, const int32_t cell[3], double nearest[LM_NEAR])
{
	int32_t first = first_in(grid, cell);
	for (int32_t k = first; k < grid->count && k < first + LM_LOOKED_AT; ++k)
	{
		const point_cell* other = &grid->sorted[k];
		if (memcmp(other->cell, cell, sizeof other->cell) != 0)
			return;
		double d = lm_distance(lm_v3_at(grid->positions, point), lm_v3_at(grid->positions, other->point));
		if (other->point == point || d >= nearest[LM_NEAR - 1])
			continue;
		int at = LM_NEAR - 1;
		for (; at > 0 && nearest[at - 1] > d; --at)
			nearest[at] = nearest[at - 1];
		nearest[at] = d;
	}
}

// The distance to the LM_NEAR-th nearest point: cells of growing distance, until nothing nearer can follow.
static double find_spacing(const point_grid* grid, int32_t point)
{
	double nearest[LM_NEAR];
	int32_t middle[3];
	find_cell(grid, grid->positions + 3 * (int64_t)point, middle);
	for (int k = 0; k < LM_NEAR; ++k)
		nearest[k] = INFINITY;
	for (int32_t reach = 0; reach <= LM_FARTHEST && !(nearest[LM_NEAR - 1] <= (reach - 1) * grid->size); ++reach)
		for (int32_t i = -reach; i <= reach; ++i)
			for (int32_t j = -reach; j <= reach; ++j)
				for (int32_t k = -reach; k <= reach; ++k)
					if (abs(i) == reach || abs(j) == reach || abs(k) == reach)
						look_into(grid, point, (int32_t[3]){ middle[0] + i, middle[1] + j, middle[2] + k }, nearest);
	for (int k = LM_NEAR - 1; k >= 0; --k)
		if (isfinite(nearest[k]))
			return nearest[k];
	return grid->size;
}

static bool sort_points(const lm_mesh* points, point_grid* grid)
{
	double high[3], area = 0, extent[3];
	*grid = (point_grid){ .positions = points->positions, .count = points->vertex_count };
	lm_mesh_bounds(points->positions, points->vertex_count, grid->low, high);
	for (int k = 0; k < 3; ++k)
		extent[k] = high[k] - grid->low[k];
	for (int k = 0; k < 3; ++k)
		area += 2 * extent[k] * extent[(k + 1) % 3];
	double longest = fmax(extent[0], fmax(extent[1], extent[2]));
	// as many cells along an axis as numbers hold, whatever the points are
	grid->size = fmax(2 * sqrt(area / points->vertex_count), fmax(1e-6 * longest, 1e-30));
	grid->sorted = LM_NEW(&points->host, points->vertex_count, point_cell);
	if (grid->sorted == NULL)
		return false;
	for (int32_t i = 0; i < points->vertex_count; ++i)
	{
		grid->sorted[i].point = i;
		find_cell(grid, points->positions + 3 * (int64_t)i, grid->sorted[i].cell);
	}
	qsort(grid->sorted, (size_t)grid->count, sizeof *grid->sorted, compare_cells);
	return true;
}

static int32_t rim_of(const lm_mesh* points, int32_t point, int corner)
{
	return points->vertex_count + LM_RIM * point + corner;
}

static void make_disc(const lm_mesh* points, int32_t i, lm_vec3 normal, double spacing, lm_mesh* mesh)
{
	lm_vec3 x = lm_v3_at(points->positions, i), n = lm_normalize_or(normal, lm_v3(0, 1, 0));
	lm_vec3 across = fabs(n.x) < 0.6 ? lm_v3(1, 0, 0) : lm_v3(0, 1, 0);
	lm_vec3 u = lm_normalize_or(lm_cross(n, across), lm_v3(1, 0, 0)), v = lm_cross(n, u);
	double area = LM_COVER * LM_PI * spacing * spacing / LM_NEAR, turn = 2 * LM_PI / LM_RIM;
	double radius = sqrt(area / (LM_RIM / 2.0 * sin(turn)));
	lm_v3_store(mesh->positions, i, x);
	for (int c = 0; c < LM_RIM; ++c)
	{
		lm_vec3 corner = lm_add_scaled(lm_add_scaled(x, radius * cos(turn * c), u), radius * sin(turn * c), v);
		lm_v3_store(mesh->positions, rim_of(points, i, c), corner);
		int32_t* triangle = mesh->triangles + 3 * ((int64_t)LM_RIM * i + c);
		triangle[0] = i, triangle[1] = rim_of(points, i, c), triangle[2] = rim_of(points, i, (c + 1) % LM_RIM);
	}
}

// Discs are in the groups of their points.
static lm_status copy_groups(const lm_mesh* points, lm_mesh* mesh, lm_error* error)
{
	lm_status status = LM_OK;
	double* weights = LM_NEW(&points->host, mesh->vertex_count, double);
	int32_t* vertices = LM_NEW(&points->host, mesh->vertex_count, int32_t);
	if (weights == NULL || vertices == NULL)
		status = lm_fail_memory(error);
	for (int32_t g = 0; status == LM_OK && g < points->group_count; ++g)
	{
		const lm_group* group = &points->groups[g];
		int32_t count = 0;
		for (int32_t i = 0; group->weights != NULL && i < mesh->vertex_count; ++i)
			weights[i] = group->weights[i < points->vertex_count ? i : (i - points->vertex_count) / LM_RIM];
		for (int32_t k = 0; group->weights == NULL && k < group->count; ++k)
		{
			vertices[count++] = group->vertices[k];
			for (int c = 0; c < LM_RIM; ++c)
				vertices[count++] = rim_of(points, group->vertices[k], c);
		}
		status = group->weights != NULL ? lm_mesh_paint_group(mesh, group->name, weights, error)
		                                : lm_mesh_set_group(mesh, group->name, vertices, count, error);
	}
	lm_free(&points->host, weights);
	lm_free(&points->host, vertices);
	return status;
}

lm_status lm_mesh_discs(const lm_mesh* points, const double* normals, lm_mesh** mesh, lm_error* error)
{
	int32_t count = points->vertex_count;
	if (count > LM_MESH_MOST_DISCS)
		return lm_fail(error, LM_BAD_INPUT, "there are %d points, must be at most %d to be drawn as discs", count,
		               LM_MESH_MOST_DISCS);
	point_grid grid = { 0 };
	lm_mesh* made = lm_mesh_create(&points->host, (1 + LM_RIM) * count, LM_RIM * count, 0);
	lm_status status = made != NULL && sort_points(points, &grid) ? LM_OK : lm_fail_memory(error);
	for (int32_t i = 0; status == LM_OK && i < count; ++i)
		make_disc(points, i, lm_v3_at(normals, i), find_spacing(&grid, i), made);
	if (status == LM_OK)
		status = copy_groups(points, made, error);
	lm_free(&points->host, grid.sorted);
	if (status == LM_OK)
		*mesh = made;
	else
		lm_mesh_destroy(made);
	return status;
}
