// polygonise.c: marching tetrahedra, then a few rounds of evening out.
//
// Each cube of the grid is cut into the six tetrahedra around its diagonal (Kuhn), whose edges go from a grid point p
// to p + e, e one of the seven non-zero corners of the unit cube. A surface vertex lies on each edge whose ends differ
// in sign, so an edge is named by its lower point and the bits of e, and neighbouring cubes share vertices by that
// name: the surface is closed by construction. Marching tetrahedra leave slivers; moving every vertex to the mean of
// its neighbours and back onto the zero set of the field a few times leaves triangles of nearly equal size.
#include "make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 8 // of evening out

typedef struct marcher
{
	make_field field;
	const void* context;
	double low[3], size;
	int32_t n[3];     // grid points
	double* values;   // at the grid points
	int32_t* edges;   // surface vertex on edge e of grid point g at 8 * g + e, or -1
	double* points;   // of the surface vertices
	int32_t* corners; // of the triangles
	int32_t point_count, corner_count;
} marcher;

static int32_t grid_point(const marcher* m, const int32_t cell[3], int32_t bits)
{
	return (cell[0] + (bits & 1)) + m->n[0] * ((cell[1] + (bits >> 1 & 1)) + m->n[1] * (cell[2] + (bits >> 2 & 1)));
}

// The surface vertex on the edge between two corners of a cube, of which the bits of one contain those of the other.
static int32_t edge_vertex(marcher* m, const int32_t cell[3], int32_t a, int32_t b)
{
	int32_t from = a < b ? a : b, to = a < b ? b : a;
	int32_t g = grid_point(m, cell, from), h = grid_point(m, cell, to);
	int32_t* name = m->edges + 8 * (size_t)g + (to - from);
	if (*name < 0)
	{
		double t = m->values[g] / (m->values[g] - m->values[h]);
		double* p = m->points + 3 * (size_t)m->point_count;
		for (int32_t d = 0; d < 3; d++)
		{
			double start = cell[d] + (from >> d & 1), end = cell[d] + (to >> d & 1);
			p[d] = m->low[d] + m->size * (start + t * (end - start));
		}
		*name = m->point_count++;
	}
	return *name;
}

static void add_triangle(marcher* m, int32_t a, int32_t b, int32_t c, bool turned)
{
	int32_t* corner = m->corners + m->corner_count;
	corner[0] = a, corner[1] = turned ? c : b, corner[2] = turned ? b : c;
	m->corner_count += 3;
}

// One tetrahedron with corners t, positively oriented: the triangles face the side of positive values.
static void march_tet(marcher* m, const int32_t cell[3], const int32_t t[4])
{
	int32_t inside[4], outside[4], in = 0, out = 0;
	for (int32_t v = 0; v < 4; v++)
	{
		if (m->values[grid_point(m, cell, t[v])] < 0)
			inside[in++] = v;
		else
			outside[out++] = v;
	}
	if (in == 0 || out == 0)
		return;
	if (in == 2)
	{
		int32_t a = inside[0], b = inside[1], c = outside[0], d = outside[1];
		int32_t ac = edge_vertex(m, cell, t[a], t[c]), ad = edge_vertex(m, cell, t[a], t[d]);
		int32_t bc = edge_vertex(m, cell, t[b], t[c]), bd = edge_vertex(m, cell, t[b], t[d]);
		// (a b c d) is an even permutation of (0 1 2 3) for 01|23, 03|12, 12|03, 23|01 and odd for 02|13, 13|02.
		bool odd = (a == 0 && b == 2) || (a == 1 && b == 3);
		add_triangle(m, ac, ad, bd, odd);
		add_triangle(m, ac, bd, bc, odd);
		return;
	}
	int32_t lone = in == 1 ? inside[0] : outside[0], other[3], count = 0;
	for (int32_t v = 0; v < 4; v++)
		if (v != lone)
			other[count++] = v;
	int32_t p = edge_vertex(m, cell, t[lone], t[other[0]]), q = edge_vertex(m, cell, t[lone], t[other[1]]);
	int32_t r = edge_vertex(m, cell, t[lone], t[other[2]]);
	// Seen from outside, the three others follow their order counter-clockwise when lone is even.
	add_triangle(m, p, q, r, (lone % 2 == 1) != (in == 3));
}

static void march(marcher* m)
{
	// The six orders in which the three axes can be walked from corner 0 to corner 7; odd ones are swapped to be
	// positively oriented.
	static const int32_t paths[6][4] = { { 0, 1, 3, 7 }, { 0, 3, 2, 7 }, { 0, 2, 6, 7 },
		                                 { 0, 6, 4, 7 }, { 0, 4, 5, 7 }, { 0, 5, 1, 7 } };
	int32_t cell[3];
	for (cell[2] = 0; cell[2] < m->n[2] - 1; cell[2]++)
		for (cell[1] = 0; cell[1] < m->n[1] - 1; cell[1]++)
			for (cell[0] = 0; cell[0] < m->n[0] - 1; cell[0]++)
				for (int32_t t = 0; t < 6; t++)
					march_tet(m, cell, paths[t]);
}

static int32_t count_crossings(const marcher* m, int32_t* triangle_bound)
{
	int32_t crossings = 0, mixed = 0, cell[3];
	for (cell[2] = 0; cell[2] < m->n[2]; cell[2]++)
		for (cell[1] = 0; cell[1] < m->n[1]; cell[1]++)
			for (cell[0] = 0; cell[0] < m->n[0]; cell[0]++)
			{
				bool here = m->values[grid_point(m, cell, 0)] < 0, differs = false;
				for (int32_t e = 1; e < 8; e++)
				{
					bool last = false;
					for (int32_t d = 0; d < 3; d++)
						last = last || ((e >> d & 1) && cell[d] == m->n[d] - 1);
					if (!last && (m->values[grid_point(m, cell, e)] < 0) != here)
						crossings++, differs = true;
				}
				mixed += differs;
			}
	*triangle_bound = 12 * mixed; // two for each of the six tetrahedra
	return crossings;
}

// One Newton step along the gradient, no longer than half a cell.
static void pull_onto_surface(const marcher* m, double p[3])
{
	double gradient[3], square = 0, reach = 0.01 * m->size, value = m->field(p, m->context);
	for (int32_t d = 0; d < 3; d++)
	{
		double q[3] = { p[0], p[1], p[2] };
		q[d] += reach;
		gradient[d] = (m->field(q, m->context) - value) / reach;
		square += gradient[d] * gradient[d];
	}
	if (square < 1e-6)
		return;
	double step = -value / square, limit = 0.5 * m->size / sqrt(square);
	step = fmin(fmax(step, -limit), limit);
	for (int32_t d = 0; d < 3; d++)
		p[d] += step * gradient[d];
}

static bool even_out(marcher* m)
{
	double* mean = malloc(sizeof *mean * 4 * (size_t)m->point_count);
	if (!mean)
		return false;
	for (int32_t round = 0; round < ROUNDS; round++)
	{
		memset(mean, 0, sizeof *mean * 4 * (size_t)m->point_count);
		for (int32_t c = 0; c < m->corner_count; c++)
		{
			// The corner after this one in its triangle; every edge is met twice, once from each end.
			int32_t next = m->corners[c % 3 == 2 ? c - 2 : c + 1];
			double* sum = mean + 4 * (size_t)m->corners[c];
			for (int32_t d = 0; d < 3; d++)
				sum[d] += m->points[3 * (size_t)next + (size_t)d];
			sum[3] += 1;
		}
		for (int32_t v = 0; v < m->point_count; v++)
			for (int32_t d = 0; d < 3 && mean[4 * v + 3] > 0; d++)
				m->points[3 * v + d] += 0.7 * (mean[4 * v + d] / mean[4 * v + 3] - m->points[3 * v + d]);
		for (int32_t v = 0; v < m->point_count; v++)
			pull_onto_surface(m, m->points + 3 * (size_t)v);
	}
	for (int32_t v = 0; v < m->point_count; v++)
		pull_onto_surface(m, m->points + 3 * (size_t)v);
	free(mean);
	return true;
}

static lm_mesh* finish(const marcher* m, const lm_host* host)
{
	lm_mesh* mesh = lm_mesh_create(host, m->point_count, m->corner_count / 3, 0);
	if (!mesh)
		return NULL;
	memcpy(mesh->positions, m->points, sizeof *m->points * 3 * (size_t)m->point_count);
	memcpy(mesh->triangles, m->corners, sizeof *m->corners * (size_t)m->corner_count);
	return mesh;
}

lm_mesh* lm_make_polygonise(make_field field, const void* context, const double low[3], const double high[3],
                            double size, const lm_host* host)
{
	marcher m = { .field = field, .context = context, .size = size };
	size_t grid = 1;
	for (int32_t d = 0; d < 3; d++)
	{
		m.low[d] = low[d];
		m.n[d] = (int32_t)ceil((high[d] - low[d]) / size) + 1;
		grid *= (size_t)m.n[d];
	}
	lm_mesh* mesh = NULL;
	m.values = malloc(sizeof *m.values * grid);
	m.edges = malloc(sizeof *m.edges * 8 * grid);
	if (m.values && m.edges)
	{
		for (size_t g = 0; g < grid; g++)
		{
			size_t n0 = (size_t)m.n[0], n1 = (size_t)m.n[1];
			double p[3] = { low[0] + size * (double)(g % n0), low[1] + size * (double)(g / n0 % n1),
				            low[2] + size * (double)(g / (n0 * n1)) };
			m.values[g] = field(p, context);
		}
		for (size_t e = 0; e < 8 * grid; e++)
			m.edges[e] = -1;
		int32_t triangle_bound, point_bound = count_crossings(&m, &triangle_bound);
		m.points = malloc(sizeof *m.points * 3 * (size_t)(point_bound + 1));
		m.corners = malloc(sizeof *m.corners * 3 * (size_t)(triangle_bound + 1));
		if (m.points && m.corners)
		{
			march(&m);
			if (even_out(&m))
				mesh = finish(&m, host);
		}
	}
	free(m.values);
	free(m.edges);
	free(m.points);
	free(m.corners);
	return mesh;
}
