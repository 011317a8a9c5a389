// cage_weights.c: harmonic coordinates (P. Joshi et al., Harmonic Coordinates for Character Articulation, 2007): h_j is
// harmonic inside the cage, linear on its facets, 1 at cage vertex j and 0 at the others.
//
// On the nodes i of a grid inside the cage, with arms a of length l_a to neighbours or to points b_a on the cage,
//   sum_a ( h_j(x_a) - h_j(x_i) ) / l_a = 0,   h_j(b_a) given by the facet.
// (F. Gibou et al., A Second-Order-Accurate Symmetric Discretization of the Poisson Equation on Irregular Domains,
// 2002.) Opposite arms weighted by 1 / l balance, so every node's value is a convex combination of its neighbours' and
// the combination also gives x_i. Both are inherited by the solution of the whole system: the h_j are not negative, sum
// to one and satisfy sum_j h_j(x) C_j = x, exactly, on any grid; only the harmonic part is approximate (second order).
// The matrix is symmetric and positive definite: one factorisation, one right side per cage vertex.
//
// Between nodes we interpolate along one axis after another, and where the cage comes before the next node, from
// there: again convex combinations that give x, which never reach across a gap of the cage.
#include "limber/mesh.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "mesh/cage_grid.h"
#include "sparse/cholesky.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Relative to the cage's size: points this far outside still count as on the cage; points this close are given the
// cage's own coordinates.
static const double outside_tolerance = 1e-9, on_cage = 1e-13;

enum
{
	default_nodes_2d = 16000,
	default_nodes_3d = 24000,
	point_grain = 64
};

lm_cage_weights_settings lm_cage_weights_settings_default(void)
{
	return (lm_cage_weights_settings){ 0 };
}

// ---- the values at the nodes

// The arms between nodes as pairs, each once; pairs: 2 per arm. Returns how many.
static int64_t list_pairs(const lm_cage_grid* grid, int32_t* pairs)
{
	int arms = 2 * grid->cage->dimension;
	int64_t count = 0;
	for (int32_t i = 0; i < grid->node_count; ++i)
		for (int a = 1; a < arms; a += 2) // upwards: the one below is the neighbour's
		{
			int32_t other = grid->arms[(int64_t)arms * i + a];
			if (other < 0)
				continue;
			pairs[2 * count] = i;
			pairs[2 * count + 1] = other;
			++count;
		}
	return count;
}

// values: the matrix, times h; sides: for each cage vertex one right side.
static void fill_system(const lm_cage_grid* grid, const lm_pattern* pattern, double* diagonal, double* row,
                        double* values, double* sides)
{
	const lm_cage* cage = grid->cage;
	int arms = 2 * cage->dimension;
	const double local[4] = { 1, -1, -1, 1 };
	for (int64_t e = 0; e < pattern->element_count; ++e)
		lm_pattern_scatter(pattern, e, local, values);
	for (int64_t i = 0; i < grid->node_count; ++i)
	{
		memset(row, 0, sizeof(double) * (size_t)cage->vertex_count);
		for (int a = 0; a < arms; ++a)
		{
			int32_t arm = grid->arms[arms * i + a];
			if (arm >= 0)
				continue;
			double weight = grid->h / grid->lengths[arms * i + a];
			diagonal[i] += weight;
			lm_cage_add_point(cage, &grid->ends[~arm], weight, row);
		}
		for (int64_t j = 0; j < cage->vertex_count; ++j)
			sides[j * grid->node_count + i] = row[j];
	}
	lm_pattern_add_diagonal(pattern, 1, diagonal, values);
}

static lm_status solve_system(const lm_cage_grid* grid, const lm_pattern* pattern, const lm_host* host, double* h,
                              lm_error* error)
{
	lm_cholesky* cholesky = NULL;
	double* values = LM_NEW(host, pattern->entries, double);
	double* diagonal = LM_NEW(host, grid->node_count, double);
	double* row = LM_NEW(host, grid->cage->vertex_count, double);
	lm_status status = values != NULL && diagonal != NULL && row != NULL ? LM_OK : lm_fail_memory(error);
	if (status == LM_OK)
		status = lm_cholesky_create(pattern, LM_CHOLESKY_LL, host, &cholesky, error);
	if (status == LM_OK)
	{
		fill_system(grid, pattern, diagonal, row, values, h);
		lm_factor_report report = lm_cholesky_factorize(cholesky, values, 0);
		assert(report.status == LM_FACTOR_OK || report.status == LM_FACTOR_NO_MEMORY);
		if (report.status != LM_FACTOR_OK || !lm_cholesky_solve(cholesky, grid->cage->vertex_count, h, h))
			status = lm_fail_memory(error);
	}
	lm_cholesky_destroy(cholesky);
	lm_free(host, values);
	lm_free(host, diagonal);
	lm_free(host, row);
	return status;
}

// h: for each cage vertex the values at all nodes.
static lm_status solve_nodes(const lm_cage_grid* grid, const lm_host* host, double* h, lm_error* error)
{
	if (grid->node_count == 0)
		return LM_OK;
	int32_t* pairs = LM_NEW(host, 2 * (size_t)grid->cage->dimension * (size_t)grid->node_count, int32_t);
	if (pairs == NULL)
		return lm_fail_memory(error);
	lm_pattern* pattern = NULL;
	lm_element_list list = { .count = list_pairs(grid, pairs), .index = pairs, .size = 2, .block = 1 };
	lm_status status = lm_pattern_create(grid->node_count, true, &list, 1, host, &pattern, error);
	if (status == LM_OK)
		status = solve_system(grid, pattern, host, h, error);
	lm_pattern_destroy(pattern);
	lm_free(host, pairs);
	return status;
}

// ---- between the nodes

typedef struct point_job
{
	const lm_cage* cage;
	const lm_cage_grid* grid;
	const double* h; // at the nodes
	const double* points;
	double size;
	double* depths; // of the points: > 0 inside, 0 on the cage, < 0 outside
	double* weights;
} point_job;

// The nearest crossings below and above q along an axis, if they come before the places low and high.
typedef struct span
{
	double low, high;
	bool low_hit, high_hit;
	lm_cage_point low_point, high_point;
} span;

static void cut_span(const lm_cage* cage, int axis, const double* q, span* s)
{
	for (int32_t f = 0; f < cage->facet_count; ++f)
	{
		double at;
		lm_cage_point point;
		if (!lm_cage_crossing(cage, f, axis, q, &at, &point))
			continue;
		if (at <= q[axis] && at >= s->low)
			s->low = at, s->low_hit = true, s->low_point = point;
		else if (at > q[axis] && at <= s->high)
			s->high = at, s->high_hit = true, s->high_point = point;
	}
}

// row += scale h(x) of the node at a place; q is where we came from, x the place. No node although the cage does not
// lie between: one of the two is on the cage to rounding.
static void add_node(const point_job* job, int64_t place, const double* q, const double* x, double scale, double* row)
{
	int32_t node = job->grid->node[place];
	if (node >= 0)
	{
		for (int64_t j = 0; j < job->cage->vertex_count; ++j)
			row[j] += scale * job->h[j * job->grid->node_count + node];
		return;
	}
	lm_cage_point near_q, near_x;
	bool x_closer = lm_cage_closest(job->cage, x, &near_x) <= lm_cage_closest(job->cage, q, &near_q);
	lm_cage_add_point(job->cage, x_closer ? &near_x : &near_q, scale, row);
}

// row += scale h(q). Along the axes before this one q is a place of the grid.
static void add_value(const point_job* job, int axis, const double* q, int64_t place, double scale, double* row)
{
	const lm_cage_grid* grid = job->grid;
	int32_t cell = (int32_t)floor((q[axis] - grid->origin[axis]) / grid->h);
	cell = cell < 0 ? 0 : cell > grid->n[axis] - 2 ? grid->n[axis] - 2 : cell;
	span s = { .low = lm_cage_grid_x(grid, axis, cell), .high = lm_cage_grid_x(grid, axis, cell + 1) };
	s.low = fmin(s.low, q[axis]); // the cell may be off by rounding
	s.high = fmax(s.high, q[axis]);
	cut_span(job->cage, axis, q, &s);
	double t = s.high > s.low ? (q[axis] - s.low) / (s.high - s.low) : 0;
	for (int side = 0; side < 2; ++side)
	{
		double part = scale * (side ? t : 1 - t), x[3];
		if (part == 0)
			continue;
		if (side ? s.high_hit : s.low_hit)
		{
			lm_cage_add_point(job->cage, side ? &s.high_point : &s.low_point, part, row);
			continue;
		}
		int64_t next = place + lm_cage_grid_stride(grid, axis) * (cell + side);
		memcpy(x, q, sizeof(double) * (size_t)job->cage->dimension);
		x[axis] = side ? s.high : s.low;
		if (axis + 1 < job->cage->dimension)
			add_value(job, axis + 1, x, next, part, row);
		else
			add_node(job, next, q, x, part, row);
	}
}

static void weigh_points(void* context, int64_t begin, int64_t end)
{
	const point_job* job = context;
	int64_t m = job->cage->vertex_count;
	for (int64_t i = begin; i < end; ++i)
	{
		const double* q = job->points + job->cage->dimension * i;
		double *row = job->weights + m * i, sum = 0;
		memset(row, 0, sizeof(double) * (size_t)m);
		if (job->depths[i] <= on_cage * job->size)
		{
			lm_cage_point point;
			lm_cage_closest(job->cage, q, &point);
			lm_cage_add_point(job->cage, &point, 1, row);
		}
		else
			add_value(job, 0, q, 0, 1, row);
		for (int64_t j = 0; j < m; ++j) // rounding of the solve
			sum += row[j] = fmax(row[j], 0);
		for (int64_t j = 0; j < m; ++j)
			row[j] /= sum;
	}
}

static void find_depths(void* context, int64_t begin, int64_t end)
{
	const point_job* job = context;
	for (int64_t i = begin; i < end; ++i)
	{
		const double* q = job->points + job->cage->dimension * i;
		lm_cage_point point;
		double depth = lm_cage_closest(job->cage, q, &point);
		job->depths[i] = lm_cage_contains(job->cage, q) ? depth : -depth;
	}
}

// ---- together

static lm_status check_points(const lm_cage* cage, const double* points, int32_t count, lm_error* error)
{
	for (int64_t i = 0; i < (int64_t)cage->dimension * count; ++i)
		if (!(fabs(points[i]) <= 1e30))
			return lm_fail_element(error, i / cage->dimension,
			                       "vertex %lld has a coordinate that is not a number up to 1e30",
			                       (long long)(i / cage->dimension));
	return LM_OK;
}

static lm_status check_depths(const point_job* job, int32_t count, lm_error* error)
{
	int32_t outside = 0, worst = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		outside += job->depths[i] < -outside_tolerance * job->size;
		if (job->depths[i] < job->depths[worst])
			worst = i;
	}
	if (outside == 0)
		return LM_OK;
	char others[64] = "";
	if (outside > 1)
		snprintf(others, sizeof others, " (%d vertices do, this one farthest)", outside);
	return lm_fail_element(error, worst,
	                       "vertex %d lies %.3g outside of the cage%s; the cage has to enclose the whole body", worst,
	                       -job->depths[worst], others);
}

static lm_status weigh(point_job* job, int32_t count, int32_t nodes, const lm_host* host, lm_error* error)
{
	const lm_cage* cage = job->cage;
	lm_parallel_for(host->threads, count, point_grain, find_depths, job);
	lm_status status = check_depths(job, count, error);
	if (status != LM_OK)
		return status;
	lm_cage_grid grid;
	status = lm_cage_grid_create(cage, nodes, host, &grid, error);
	if (status != LM_OK)
		return status;
	double* h = LM_NEW(host, (size_t)grid.node_count * (size_t)cage->vertex_count, double);
	status = h != NULL ? solve_nodes(&grid, host, h, error) : lm_fail_memory(error);
	if (status == LM_OK)
	{
		job->grid = &grid;
		job->h = h;
		lm_parallel_for(host->threads, count, point_grain, weigh_points, job);
	}
	lm_free(host, h);
	lm_cage_grid_release(&grid, host);
	return status;
}

lm_status lm_cage_weights(const lm_cage* cage, const double* points, int32_t count,
                          const lm_cage_weights_settings* settings, const lm_host* host, double* weights,
                          lm_error* error)
{
	assert(cage != NULL && settings != NULL && host != NULL && count >= 0 && (count == 0 || weights != NULL));
	int32_t nodes = settings->nodes != 0 ? settings->nodes : cage->dimension == 2 ? default_nodes_2d : default_nodes_3d;
	if (nodes < 16 || nodes > 1000000)
		return lm_fail(error, LM_BAD_INPUT, "%d nodes inside the cage are out of range: 16 to 1000000, or 0 to choose",
		               nodes);
	lm_status status = lm_cage_check(cage, error);
	if (status == LM_OK)
		status = check_points(cage, points, count, error);
	if (status != LM_OK || count == 0)
		return status;
	point_job job = { .cage = cage, .points = points, .weights = weights, .depths = LM_NEW(host, count, double) };
	if (job.depths == NULL)
		return lm_fail_memory(error);
	double low[3], high[3];
	lm_cage_bounds(cage, low, high);
	for (int k = 0; k < cage->dimension; ++k)
		job.size = fmax(job.size, high[k] - low[k]);
	status = weigh(&job, count, nodes, host, error);
	lm_free(host, job.depths);
	return status;
}
