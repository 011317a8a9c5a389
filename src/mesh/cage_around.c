// cage_around.c: a cage around a body, with a budget of vertices.
//
// In 2D see cage_outline.h. In 3D the body's box is cut by a few planes (cage_cells.h), the cells that the body reaches
// into become a closed surface on the corners of that lattice, and the surface is drawn in towards the body
// (cage_fit.h). The first surface encloses the body because its cells do; drawing in keeps that. Without planes it is
// the box.
#include "limber/mesh.h"

#include "base/alloc.h"
#include "base/error.h"
#include "mesh/cage_cells.h"
#include "mesh/cage_facets.h"
#include "mesh/cage_fit.h"
#include "mesh/cage_outline.h"

#include <assert.h>
#include <math.h>
#include <string.h>

lm_cage_settings lm_cage_settings_default(void)
{
	return (lm_cage_settings){ .vertices = 0, .margin = 0.05 };
}

// ---- the surface of the cells

static bool is_filled(const lm_cage_cells* cells, const int32_t cell[3])
{
	const int32_t* n = cells->planes.n;
	for (int k = 0; k < 3; ++k)
		if (cell[k] < 0 || cell[k] >= n[k])
			return false;
	return cells->filled[cell[0] + n[0] * (cell[1] + (int64_t)n[1] * cell[2])];
}

// The corners of a cell's side, counter-clockwise seen from outside.
static void side_corners(const lm_cage_lattice* lattice, const int32_t cell[3], int axis, int side, int32_t corners[4])
{
	for (int i = 0; i < 4; ++i)
	{
		int32_t p[3] = { cell[0], cell[1], cell[2] };
		p[axis] += side;
		p[(axis + 1) % 3] += i == 1 || i == 2;
		p[(axis + 2) % 3] += i >= 2;
		corners[side ? i : 3 - i] = lattice->index[lm_cage_lattice_place(lattice, p)];
	}
}

// Adds the facets of a side. Split so that the corner farthest from the middle is cut off, which leaves it free to be
// drawn in, and mirror images alike.
static void add_side(lm_cage_lattice* lattice, const int32_t cell[3], int axis, int side)
{
	lm_cage* cage = lattice->cage;
	int32_t q[4];
	side_corners(lattice, cell, axis, side, q);
	int b = (axis + 1) % 3, c = (axis + 2) % 3;
	int quadrant = (2 * cell[b] + 1 - lattice->n[b]) * (2 * cell[c] + 1 - lattice->n[c]);
	int s = (quadrant > 0) != (side == 0); // the diagonal joins corners s and s + 2
	const int32_t split[6] = { q[s], q[s + 1], q[s + 2], q[s], q[s + 2], q[(s + 3) % 4] };
	memcpy(cage->facets + 3 * (int64_t)cage->facet_count, split, sizeof split);
	cage->facet_count += 2;
}

// Counts the sides between filled and not; adds their facets unless lattice is NULL.
static int32_t walk_sides(const lm_cage_cells* cells, lm_cage_lattice* lattice)
{
	int32_t count = 0, cell[3];
	for (cell[2] = 0; cell[2] < cells->planes.n[2]; ++cell[2])
		for (cell[1] = 0; cell[1] < cells->planes.n[1]; ++cell[1])
			for (cell[0] = 0; cell[0] < cells->planes.n[0]; ++cell[0])
				for (int i = 0; i < 6 && is_filled(cells, cell); ++i)
				{
					int32_t next[3] = { cell[0], cell[1], cell[2] };
					next[i / 2] += i % 2 ? 1 : -1;
					if (is_filled(cells, next))
						continue;
					++count;
					if (lattice != NULL)
						add_side(lattice, cell, i / 2, i % 2);
				}
	return count;
}

static void place_vertices(const lm_cage_voxels* voxels, const lm_cage_cells* cells, lm_cage_lattice* lattice)
{
	int32_t p[3], next = 0;
	for (p[2] = 0; p[2] <= lattice->n[2]; ++p[2])
		for (p[1] = 0; p[1] <= lattice->n[1]; ++p[1])
			for (p[0] = 0; p[0] <= lattice->n[0]; ++p[0])
			{
				int set = lm_cage_cells_around(&cells->planes, cells->filled, p);
				bool used = set != 0 && set != 255;
				lattice->index[lm_cage_lattice_place(lattice, p)] = used ? next : -1;
				if (!used)
					continue;
				for (int k = 0; k < 3; ++k)
				{
					lattice->corners[3 * next + k] = p[k];
					lattice->cage->positions[3 * next + k] =
						voxels->low[k] + voxels->step[k] * cells->planes.at[k][p[k]];
				}
				++next;
			}
	assert(next == cells->vertices);
}

static bool surface_of_cells(const lm_cage_voxels* voxels, const lm_cage_cells* cells, const lm_host* host,
                             lm_cage_lattice* lattice)
{
	const int32_t* n = cells->planes.n;
	size_t corners = (size_t)(n[0] + 1) * (size_t)(n[1] + 1) * (size_t)(n[2] + 1);
	*lattice = (lm_cage_lattice){ .cage = lm_cage_create(host, 3, cells->vertices, 2 * walk_sides(cells, NULL)),
		                          .n = { n[0], n[1], n[2] },
		                          .corners = LM_NEW(host, 3 * (size_t)cells->vertices, int32_t),
		                          .index = LM_NEW(host, corners, int32_t) };
	if (lattice->cage == NULL || lattice->corners == NULL || lattice->index == NULL)
		return false;
	lattice->cage->facet_count = 0;
	place_vertices(voxels, cells, lattice);
	walk_sides(cells, lattice);
	return true;
}

// ---- together

static bool encloses(const lm_cage* cage, const lm_cage_body* body)
{
	for (int64_t v = 0; v < body->vertex_count; ++v)
		if (!lm_cage_contains(cage, body->positions + body->dimension * v))
			return false;
	return true;
}

// Shrinks the cage towards the body; where that fails it stays as it was.
static lm_status shrink(const lm_cage_body* body, const lm_cage_voxels* voxels, const lm_cage_lattice* lattice,
                        const lm_host* host, lm_error* error)
{
	lm_cage* cage = lattice->cage;
	size_t numbers = (size_t)cage->dimension * (size_t)cage->vertex_count;
	double* before = lm_copy(host, cage->positions, numbers, sizeof(double));
	if (before == NULL)
		return lm_fail_memory(error);
	lm_status status = lm_cage_fit(voxels, lattice, host, error);
	if (status == LM_OK && (!encloses(cage, body) || lm_cage_check(cage, error) != LM_OK))
		memcpy(cage->positions, before, numbers * sizeof(double));
	lm_free(host, before);
	return status;
}

static lm_status make_cage(const lm_cage_body* body, const lm_cage_voxels* voxels, const lm_cage_cells* cells,
                           const lm_host* host, lm_cage** result, lm_error* error)
{
	lm_cage_lattice lattice;
	lm_status status = surface_of_cells(voxels, cells, host, &lattice) ? shrink(body, voxels, &lattice, host, error)
	                                                                   : lm_fail_memory(error);
	if (status == LM_OK)
		*result = lattice.cage;
	else
		lm_cage_destroy(lattice.cage);
	lm_free(host, lattice.corners);
	lm_free(host, lattice.index);
	return status;
}

// Small for a cage that is tight and whose vertices are many and even: volume times the mean square of its edges.
static double looseness(const lm_cage* cage)
{
	double sum = 0;
	for (int32_t f = 0; f < cage->facet_count; ++f)
		for (int c = 0; c < 3; ++c)
			for (int k = 0; k < 3; ++k)
				sum += pow(lm_cage_corner(cage, f, c)[k] - lm_cage_corner(cage, f, (c + 1) % 3)[k], 2);
	return lm_cage_volume(cage) * sum / cage->facet_count;
}

static bool same_planes(const lm_cage_planes* a, const lm_cage_planes* b)
{
	for (int k = 0; k < 3; ++k)
		if (a->n[k] != b->n[k] || memcmp(a->at[k], b->at[k], (size_t)a->n[k] + 1) != 0)
			return false;
	return true;
}

// Cells of one tightness; a cage of them takes the place of *best if it is better. Not looked at when it is like those
// of the tightness before (planes).
static lm_status try_tightness(const lm_cage_body* body, const lm_cage_voxels* voxels, int32_t vertices,
                               double tightness, const lm_host* host, lm_cage_planes* planes, lm_cage** best,
                               lm_error* error)
{
	lm_cage_cells cells;
	lm_status status = lm_cage_cells_create(voxels, vertices, tightness, host, &cells, error);
	if (status != LM_OK)
		return status;
	lm_cage* cage = NULL;
	if (!same_planes(&cells.planes, planes))
		status = make_cage(body, voxels, &cells, host, &cage, error);
	*planes = cells.planes;
	lm_cage_cells_release(&cells, host);
	if (cage == NULL)
		return status;
	bool better = *best == NULL || looseness(cage) < looseness(*best) * (1 - 1e-9);
	lm_cage_destroy(better ? *best : cage);
	*best = better ? cage : *best;
	return status;
}

// The best of a few: how tight the cells should be is known only when the cage has been drawn in.
static lm_status make_best(const lm_cage_body* body, const lm_cage_voxels* voxels, int32_t vertices,
                           const lm_host* host, lm_cage** result, lm_error* error)
{
	static const double tightness[3] = { 0, 2, 5 };
	lm_cage_planes planes = { 0 };
	lm_cage* best = NULL;
	lm_status status = LM_OK;
	for (int i = 0; i < 3 && status == LM_OK; ++i)
		status = try_tightness(body, voxels, vertices, tightness[i], host, &planes, &best, error);
	if (status == LM_OK)
		*result = best;
	else
		lm_cage_destroy(best);
	return status;
}

lm_status lm_cage_create_around(const lm_cage_body* body, const lm_cage_settings* settings, const lm_host* host,
                                lm_cage** result, lm_error* error)
{
	assert(body != NULL && settings != NULL && host != NULL && result != NULL);
	assert(body->dimension == 2 || body->dimension == 3);
	bool flat = body->dimension == 2;
	int32_t vertices = settings->vertices != 0 ? settings->vertices : flat ? 12 : 26, least = flat ? 4 : 8;
	if (vertices < least || vertices > 1000)
		return lm_fail(error, LM_BAD_INPUT,
		               "a cage in %dD with at most %d vertices cannot be made: give %d (a box) to 1000",
		               body->dimension, vertices, least);
	if (!(settings->margin >= 0.01 && settings->margin <= 1))
		return lm_fail(error, LM_BAD_INPUT, "the cage's margin of %g is out of range: 0.01 to 1 of the body's size",
		               settings->margin);
	lm_cage_voxels voxels;
	lm_status status = lm_cage_voxels_create(body, settings->margin, host, &voxels, error);
	if (status != LM_OK)
		return status;
	status = flat ? lm_cage_outline(&voxels, vertices, host, result, error)
	              : make_best(body, &voxels, vertices, host, result, error);
	lm_cage_voxels_release(&voxels, host);
	return status;
}
