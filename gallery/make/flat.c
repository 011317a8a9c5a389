// flat.c: bodies in the plane: triangles on a grid of lines for simulation, and fine outlines from fields for display.
#include "make.h"

#include <math.h>
#include <stdlib.h>

// ---- cells between lines ----

static bool cell_there(const make_grid* grid, int32_t i, int32_t j)
{
	return i >= 0 && j >= 0 && i < grid->columns && j < grid->rows && (!grid->filled || grid->filled(i, j));
}

// Diagonals of the left half lean one way and those of the right half the other, so that a symmetric body stays so.
static void split_cell(const make_grid* grid, const int32_t* numbers, int32_t i, int32_t j, int32_t* triangles)
{
	int32_t across = grid->columns + 1;
	int32_t corners[4] = { numbers[i + across * j], numbers[i + 1 + across * j], numbers[i + 1 + across * (j + 1)],
		                   numbers[i + across * (j + 1)] };
	int32_t first = (2 * i + 1 < grid->columns) == (j % 2 == 0) ? 0 : 1;
	for (int32_t e = 0; e < 3; e++)
	{
		triangles[e] = corners[(first + e) % 4];
		triangles[3 + e] = corners[(first + 2 + e) % 4];
	}
}

lm_mesh* lm_make_grid_mesh(const make_grid* grid, const lm_host* host)
{
	int32_t across = grid->columns + 1, vertex_count = 0, cell_count = 0;
	int32_t* numbers = malloc(sizeof *numbers * (size_t)(across * (grid->rows + 1)));
	if (!numbers)
		return NULL;
	for (int32_t j = 0; j <= grid->rows; j++)
		for (int32_t i = 0; i <= grid->columns; i++)
		{
			bool used = cell_there(grid, i, j) || cell_there(grid, i - 1, j) || cell_there(grid, i, j - 1) ||
			            cell_there(grid, i - 1, j - 1);
			numbers[i + across * j] = used ? vertex_count++ : -1;
			cell_count += cell_there(grid, i, j);
		}
	lm_mesh* mesh = lm_mesh_create(host, vertex_count, 2 * cell_count, 0);
	int32_t* triangle = mesh ? mesh->triangles : NULL;
	for (int32_t j = 0; mesh && j <= grid->rows; j++)
		for (int32_t i = 0; i <= grid->columns; i++)
		{
			int32_t v = numbers[i + across * j];
			if (v >= 0)
				mesh->positions[3 * v] = grid->x[i], mesh->positions[3 * v + 1] = grid->y[j];
			if (!cell_there(grid, i, j))
				continue;
			split_cell(grid, numbers, i, j, triangle);
			triangle += 6;
		}
	free(numbers);
	return mesh;
}

lm_mesh* lm_make_polygon(const double* points, int32_t count, bool closed, const lm_host* host)
{
	lm_mesh* mesh = lm_mesh_create(host, count, 0, 0);
	int32_t* edges = malloc(sizeof *edges * 2 * (size_t)count);
	for (int32_t v = 0; mesh && edges && v < count; v++)
	{
		mesh->positions[3 * v] = points[2 * v], mesh->positions[3 * v + 1] = points[2 * v + 1];
		edges[2 * v] = v, edges[2 * v + 1] = (v + 1) % count;
	}
	bool made = mesh && edges && lm_mesh_set_edges(mesh, edges, closed ? count : count - 1, NULL) == LM_OK;
	free(edges);
	if (!made)
	{
		lm_mesh_destroy(mesh);
		mesh = NULL;
	}
	return mesh;
}

// ---- outlines of fields, by marching triangles ----

typedef struct outline
{
	make_field field;
	const void* context;
	int32_t columns, rows;
	double low[2], size;
	double* values;   // at the points of the grid
	int32_t* numbers; // of vertices: 3 per grid point: itself, and the crossing on its three edges (x, y, diagonal)
	lm_mesh* mesh;    // NULL while counting
	int32_t vertex_count, triangle_count;
} outline;

static void point_at(const outline* o, int32_t g, double p[3])
{
	p[0] = o->low[0] + o->size * (g % (o->columns + 1));
	p[1] = o->low[1] + o->size * (g / (o->columns + 1));
	p[2] = 0;
}

static int32_t number(outline* o, int32_t slot, const double p[3])
{
	if (o->numbers[slot] < 0)
	{
		o->numbers[slot] = o->vertex_count++;
		for (int32_t d = 0; o->mesh && d < 3; d++)
			o->mesh->positions[3 * o->numbers[slot] + d] = p[d];
	}
	return o->numbers[slot];
}

static int32_t inner_vertex(outline* o, int32_t g)
{
	double p[3];
	point_at(o, g, p);
	return number(o, 4 * g, p);
}

// Where the field is zero between two grid points.
static int32_t crossing(outline* o, int32_t a, int32_t b)
{
	int32_t from = a < b ? a : b, to = a < b ? b : a, step = to - from;
	int32_t kind = step == 1 ? 1 : step == o->columns + 1 ? 2 : 3;
	double p[3], q[3], low = 0, high = 1;
	point_at(o, from, p);
	point_at(o, to, q);
	bool inside = o->values[from] < 0;
	for (int32_t k = 0; k < 30; k++)
	{
		double t = (low + high) / 2, m[3] = { p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]), 0 };
		if ((o->field(m, o->context) < 0) == inside)
			low = t;
		else
			high = t;
	}
	double m[3] = { p[0] + low * (q[0] - p[0]), p[1] + low * (q[1] - p[1]), 0 };
	return number(o, 4 * from + kind, m);
}

static void add_triangle(outline* o, int32_t a, int32_t b, int32_t c)
{
	int32_t* t = o->mesh ? o->mesh->triangles + 3 * o->triangle_count : NULL;
	if (t)
		t[0] = a, t[1] = b, t[2] = c;
	o->triangle_count++;
}

// The part of the grid triangle a b c (counter-clockwise) that is inside.
static void march(outline* o, const int32_t corners[3])
{
	int32_t inside = 0, first = 0;
	for (int32_t k = 0; k < 3; k++)
		inside += o->values[corners[k]] < 0;
	if (inside == 0)
		return;
	// turned so that the odd one comes first
	while (inside != 3 && (o->values[corners[first]] < 0) != (inside == 1))
		first++;
	int32_t a = corners[first], b = corners[(first + 1) % 3], c = corners[(first + 2) % 3];
	if (inside == 3)
		add_triangle(o, inner_vertex(o, a), inner_vertex(o, b), inner_vertex(o, c));
	else if (inside == 1)
		add_triangle(o, inner_vertex(o, a), crossing(o, a, b), crossing(o, a, c));
	else
	{
		int32_t ab = crossing(o, a, b), ac = crossing(o, a, c), vb = inner_vertex(o, b), vc = inner_vertex(o, c);
		add_triangle(o, ab, vb, vc);
		add_triangle(o, ab, vc, ac);
	}
}

static void march_all(outline* o)
{
	int32_t across = o->columns + 1;
	o->vertex_count = o->triangle_count = 0;
	for (int32_t s = 0; s < 4 * across * (o->rows + 1); s++)
		o->numbers[s] = -1;
	for (int32_t j = 0; j < o->rows; j++)
		for (int32_t i = 0; i < o->columns; i++)
		{
			int32_t g = i + across * j;
			march(o, (int32_t[3]){ g, g + 1, g + across + 1 });
			march(o, (int32_t[3]){ g, g + across + 1, g + across });
		}
}

lm_mesh* lm_make_outline(make_field field, const void* context, const double low[2], const double high[2], double size,
                         const lm_host* host)
{
	outline o = { .field = field, .context = context, .low = { low[0], low[1] }, .size = size };
	o.columns = (int32_t)ceil((high[0] - low[0]) / size), o.rows = (int32_t)ceil((high[1] - low[1]) / size);
	size_t count = (size_t)((o.columns + 1) * (o.rows + 1));
	o.values = malloc(sizeof *o.values * count);
	o.numbers = malloc(sizeof *o.numbers * 4 * count);
	for (int32_t g = 0; o.values && g < (int32_t)count; g++)
	{
		double p[3];
		point_at(&o, g, p);
		o.values[g] = field(p, context);
	}
	if (o.values && o.numbers)
	{
		march_all(&o);
		o.mesh = lm_mesh_create(host, o.vertex_count, o.triangle_count, 0);
		if (o.mesh)
			march_all(&o);
	}
	free(o.values);
	free(o.numbers);
	return o.mesh;
}
