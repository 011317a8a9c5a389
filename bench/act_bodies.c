#include "act_bodies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

const char* act_character_name(act_character which)
{
	static const char* const names[ACT_CHARACTERS] = {
		"castle, cage",     "card, cage",     "block, cage",       "cross, examples",
		"letter, full",     "outline, cage",  "outline, examples", "outline, full",
		"letter, examples", "card, examples", "green block, cage", "small block, full",
	};
	return names[which];
}

// ---- bodies made of cells of a grid

typedef struct grid
{
	int size[3]; // cells along each axis; the last 1 in the plane, where there are no cells in depth
	bool flat;
	double cell;
	bool (*has)(int i, int j, int k);
	int extra; // simplices put upon the top, each with one more vertex
} grid;

static int corner(const grid* g, int i, int j, int k)
{
	return (k * (g->size[1] + 1) + j) * (g->size[0] + 1) + i;
}

// The numbers of the corners that are used, the others -1; how many.
static int number_corners(const grid* g, int32_t* number)
{
	int corners = (g->size[0] + 1) * (g->size[1] + 1) * (g->size[2] + 1), count = 0;
	for (int c = 0; c < corners; ++c)
		number[c] = -1;
	for (int k = 0; k < g->size[2]; ++k)
		for (int j = 0; j < g->size[1]; ++j)
			for (int i = 0; i < g->size[0]; ++i)
				for (int c = 0; c < (g->flat ? 4 : 8) && g->has(i, j, k); ++c)
					number[corner(g, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2))] = 0;
	for (int c = 0; c < corners; ++c)
		if (number[c] == 0)
			number[c] = count++;
	return count;
}

static int count_cells(const grid* g)
{
	int count = 0;
	for (int k = 0; k < g->size[2]; ++k)
		for (int j = 0; j < g->size[1]; ++j)
			for (int i = 0; i < g->size[0]; ++i)
				count += g->has(i, j, k);
	return count;
}

static void add_flat_cell(const grid* g, const int32_t* number, int i, int j, int32_t** at)
{
	int32_t a = number[corner(g, i, j, 0)], b = number[corner(g, i + 1, j, 0)];
	int32_t c = number[corner(g, i, j + 1, 0)], d = number[corner(g, i + 1, j + 1, 0)];
	bool odd = (i + j) % 2;
	const int32_t both[6] = { a, b, odd ? c : d, odd ? b : a, d, c };
	memcpy(*at, both, sizeof both);
	*at += 6;
}

// Six tetrahedra around the diagonal.
static void add_cell(const grid* g, const int32_t* number, int i, int j, int k, int32_t** at)
{
	static const int walks[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 1, 0, 2 }, { 0, 2, 1 }, { 2, 1, 0 } };
	for (int w = 0; w < 6; ++w)
	{
		int where[3] = { i, j, k };
		int32_t tet[4] = { number[corner(g, i, j, k)], 0, 0, 0 };
		for (int c = 0; c < 3; ++c)
		{
			++where[walks[w][c]];
			tet[c + 1] = number[corner(g, where[0], where[1], where[2])];
		}
		const int32_t right[4] = { tet[0], tet[1], tet[w < 3 ? 2 : 3], tet[w < 3 ? 3 : 2] };
		memcpy(*at, right, sizeof right);
		*at += 4;
	}
}

static void add_extras(const grid* g, const int32_t* number, int vertex, lm_mesh* mesh, int32_t* at);

static lm_mesh* make_body(const grid* g, const lm_host* host)
{
	int corners = (g->size[0] + 1) * (g->size[1] + 1) * (g->size[2] + 1);
	int32_t* number = malloc(sizeof *number * (size_t)corners);
	int vertices = number_corners(g, number), cells = count_cells(g);
	lm_mesh* mesh = lm_mesh_create(host, vertices + g->extra, g->flat ? 2 * cells + g->extra : 0,
	                               g->flat ? 0 : 6 * cells + g->extra);
	int32_t* at = !mesh ? NULL : g->flat ? mesh->triangles : mesh->tets;
	for (int k = 0; mesh && k <= g->size[2]; ++k)
		for (int j = 0; j <= g->size[1]; ++j)
			for (int i = 0; i <= g->size[0]; ++i)
			{
				int c = corner(g, i, j, k);
				if (number[c] < 0)
					continue;
				double* x = mesh->positions + 3 * number[c];
				x[0] = g->cell * i, x[1] = g->cell * j, x[2] = g->flat ? 0 : g->cell * k;
			}
	for (int k = 0; mesh && k < g->size[2]; ++k)
		for (int j = 0; j < g->size[1]; ++j)
			for (int i = 0; i < g->size[0]; ++i)
				if (g->has(i, j, k) && g->flat)
					add_flat_cell(g, number, i, j, &at);
				else if (g->has(i, j, k))
					add_cell(g, number, i, j, k, &at);
	if (mesh)
		add_extras(g, number, vertices, mesh, at);
	free(number);
	return mesh;
}

// Simplices upon cells whose top is free, from the top down, so that a body has as many vertices as the paper's.
static void add_extras(const grid* g, const int32_t* number, int vertex, lm_mesh* mesh, int32_t* at)
{
	int left = g->extra;
	for (int j = g->size[1] - 1; j >= 0 && left > 0; --j)
		for (int k = 0; k < g->size[2] && left > 0; ++k)
			for (int i = 0; i < g->size[0] && left > 0; ++i)
			{
				if (!g->has(i, j, k) || (j + 1 < g->size[1] && g->has(i, j + 1, k)))
					continue;
				double* x = mesh->positions + 3 * vertex;
				int32_t a = number[corner(g, i, j + 1, k)], b = number[corner(g, i + 1, j + 1, k)];
				x[0] = g->cell * (i + 0.5), x[1] = g->cell * (j + 1.6), x[2] = 0;
				if (g->flat)
				{
					const int32_t triangle[3] = { a, b, vertex };
					memcpy(at, triangle, sizeof triangle), at += 3;
				}
				else
				{
					int32_t c = number[corner(g, i + 1, j + 1, k + 1)]; // the diagonal of the face is a c
					const int32_t tet[4] = { a, c, b, vertex };
					x[0] = g->cell * (i + 0.65), x[2] = g->cell * (k + 0.35);
					memcpy(at, tet, sizeof tet), at += 4;
				}
				++vertex, --left;
			}
}

// A castle: two legs, a wall, two towers, a flag.
static bool castle(int i, int j, int k)
{
	(void)k;
	return j < 2 ? i < 3 || i > 5 : j < 6 || i % 8 == 0;
}

static bool letter(int i, int j, int k)
{
	(void)k;
	return j == 0 || j == 7 || i == 1;
}

static bool whole(int i, int j, int k)
{
	(void)i, (void)j, (void)k;
	return true;
}

// Six legs of 3 x 3 cells around a cube.
static bool cross(int i, int j, int k)
{
	int outside = (i < 3 || i > 5) + (j < 3 || j > 5) + (k < 3 || k > 5);
	return outside <= 1;
}

// 7 x 11 corners, arched, standing on its short sides: a flat one has nothing to push itself off with.
static lm_mesh* card(const lm_host* host)
{
	const grid g = { { 6, 10, 1 }, true, 0.1, whole, 0 };
	lm_mesh* mesh = make_body(&g, host);
	for (int32_t v = 0; mesh && v < mesh->vertex_count; ++v)
	{
		double* x = mesh->positions + 3 * v;
		double along = x[1];
		x[1] = 0.6 * along * (1 - along), x[2] = -along;
	}
	return mesh;
}

// The outline of a castle with 32 corners.
static lm_mesh* outline(const lm_host* host)
{
	static const double steps[][2] = { { 3, 0 },  { 0, 2 },  { 2, 0 },  { 0, -2 }, { 3, 0 },  { 0, 7 },
		                               { -2, 0 }, { 0, -1 }, { -1, 0 }, { 0, 1 },  { -2, 0 }, { 0, -1 },
		                               { -1, 0 }, { 0, 1 },  { -2, 0 }, { 0, -7 } };
	lm_mesh* mesh = lm_mesh_create(host, 32, 0, 0);
	int32_t edges[64];
	double x[2] = { 0, 0 };
	for (int c = 0; mesh && c < 32; ++c)
	{
		mesh->positions[3 * c] = 0.1 * x[0], mesh->positions[3 * c + 1] = 0.1 * x[1];
		x[0] += steps[c / 2][0] / 2, x[1] += steps[c / 2][1] / 2;
		edges[2 * c] = c, edges[2 * c + 1] = (c + 1) % 32;
	}
	if (mesh && lm_mesh_set_edges(mesh, edges, 32, NULL) == LM_OK)
		return mesh;
	lm_mesh_destroy(mesh);
	return NULL;
}

static lm_mesh* make_mesh(act_character which, const lm_host* host)
{
	static const grid castle_grid = { { 9, 7, 1 }, true, 0.1, castle, 1 };
	static const grid letter_grid = { { 3, 8, 1 }, true, 0.15, letter, 1 };
	static const grid block_grid = { { 3, 4, 3 }, false, 0.2, whole, 2 };
	static const grid small_grid = { { 2, 2, 2 }, false, 0.3, whole, 0 };
	static const grid cross_grid = { { 9, 9, 9 }, false, 0.1, cross, 24 };
	switch (which)
	{
		case ACT_CASTLE: return make_body(&castle_grid, host);
		case ACT_CARD:
		case ACT_CARD_POSES: return card(host);
		case ACT_BLOCK:
		case ACT_BLOCK_GREEN: return make_body(&block_grid, host);
		case ACT_BLOCK_FULL: return make_body(&small_grid, host);
		case ACT_CROSS: return make_body(&cross_grid, host);
		case ACT_LETTER:
		case ACT_LETTER_POSES: return make_body(&letter_grid, host);
		default: return outline(host);
	}
}

// ---- cages

// A prism over a polygon of n corners around the body: flat bodies get the polygon alone.
static lm_mesh* make_cage(const lm_mesh* mesh, bool flat, int n, const lm_host* host)
{
	double low[3], high[3];
	lm_mesh_bounds(mesh->positions, mesh->vertex_count, low, high);
	int up = flat ? 1 : 2, side = flat ? 1 : 2; // the polygon's plane is x-y, or x-z with y up
	double stretch = 1.06 / cos(PI / n),
		   radius[2] = { stretch * (high[0] - low[0]) / sqrt(2.0), stretch * (high[side] - low[side]) / sqrt(2.0) };
	lm_mesh* cage = lm_mesh_create(host, flat ? n : 2 * n, flat ? 0 : 2 * n + 2 * (n - 2), 0);
	for (int v = 0; cage && v < cage->vertex_count; ++v)
	{
		double angle = 2 * PI * (v % n + 0.5) / n, *x = cage->positions + 3 * v;
		x[0] = (low[0] + high[0]) / 2 + radius[0] * cos(angle);
		x[side] = (low[side] + high[side]) / 2 + radius[1] * sin(angle) * (flat ? 1 : -1);
		if (up == 2)
			x[1] = v < n ? low[1] - 0.05 : high[1] + 0.05;
	}
	int32_t* t = cage ? cage->triangles : NULL;
	for (int i = 0; cage && !flat && i < n; ++i)
	{
		int j = (i + 1) % n;
		const int32_t walls[6] = { i, j, n + j, i, n + j, n + i };
		memcpy(t, walls, sizeof walls), t += 6;
		const int32_t lids[6] = { 0, j, i, n, n + i, n + j };
		if (i > 0 && i < n - 1)
			memcpy(t, lids, sizeof lids), t += 6;
	}
	return cage;
}

// ---- poses

static void pose_of(act_character which, int pose, const lm_mesh* mesh, double* out)
{
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		const double* x = mesh->positions + 3 * v;
		double* y = out + 3 * v;
		memcpy(y, x, 3 * sizeof *y);
		if (which == ACT_CROSS) // a leg each: twice as long
		{
			int axis = pose / 2;
			double sign = pose % 2 ? 1 : -1, beyond = sign * (x[axis] - 0.45) - 0.15;
			if (beyond > 0)
				y[axis] += sign * 1.2 * beyond;
		}
		else if (which == ACT_CARD_POSES) // curled about one axis, the other, a diagonal
		{
			double c = pose == 0 ? x[0] - 0.3 : pose == 1 ? x[2] + 0.5 : (x[0] - 0.2) - (x[2] + 0.4);
			y[1] = x[1] + (pose == 0 ? 0.9 : pose == 1 ? -1.2 : 0.6) * c * c;
		}
		else if (pose == 0) // bent to one side
		{
			double angle = 0.7 * x[1], r = x[0] + 1.2;
			y[0] = r * cos(angle) - 1.2, y[1] = r * sin(angle);
		}
		else if (pose == 1) // compressed and leaning
			y[1] = 0.6 * x[1], y[0] = 1.1 * x[0] + 0.25 * x[1];
		else
			y[0] = x[0] - 0.4 * x[1], y[1] = 1.1 * x[1];
	}
}

// ---- characters

static lm_act_def define(act_character which)
{
	lm_act_def def = lm_act_def_default();
	switch (which)
	{
		case ACT_CASTLE:
		case ACT_LETTER:
		case ACT_LETTER_POSES: def.kind = LM_ACT_SOLID2; break;
		case ACT_CARD:
		case ACT_CARD_POSES: def.kind = LM_ACT_SHELL, def.density = 0.3; break;
		case ACT_OUTLINE:
		case ACT_OUTLINE_POSES:
		case ACT_OUTLINE_FULL: def.kind = LM_ACT_CURVE2, def.density = 0.3; break;
		case ACT_BLOCK_GREEN: def.kind = LM_ACT_SOLID_GREEN; break;
		default: def.kind = LM_ACT_SOLID;
	}
	switch (which)
	{
		case ACT_CROSS:
		case ACT_OUTLINE_POSES:
		case ACT_LETTER_POSES:
		case ACT_CARD_POSES: def.control = LM_ACT_EXAMPLES; break;
		case ACT_LETTER:
		case ACT_OUTLINE_FULL:
		case ACT_BLOCK_FULL: def.control = LM_ACT_FULL; break;
		default: def.control = LM_ACT_CAGE;
	}
	if (def.kind != LM_ACT_CURVE2)
		def.settings.rest_material = (lm_act_material){ 20, 0.1, 20 };
	return def;
}

lm_status act_character_create(act_character which, const lm_host* host, lm_act** body, lm_error* error)
{
	static const int32_t legs[6] = { 0, 1, 2, 3, 4, 5 };
	lm_act_def def = define(which);
	bool flat = def.kind == LM_ACT_CURVE2 || def.kind == LM_ACT_SOLID2;
	lm_mesh* mesh = make_mesh(which, host);
	int corners = which == ACT_CARD ? 7 : flat ? 11 : 4, poses = which == ACT_CROSS ? 6 : 3;
	lm_mesh* cage = mesh && def.control == LM_ACT_CAGE ? make_cage(mesh, flat, corners, host) : NULL;
	size_t count = mesh ? 3 * (size_t)mesh->vertex_count : 0;
	double* numbers = calloc((size_t)poses * count + 1, sizeof *numbers);
	const double* examples[6];
	for (int k = 0; mesh && k < poses; ++k)
		pose_of(which, k, mesh, numbers + (size_t)k * count), examples[k] = numbers + (size_t)k * count;
	def.mesh = mesh, def.cage = cage;
	def.example_count = poses, def.examples = examples, def.example_groups = which == ACT_CROSS ? legs : NULL;
	lm_status status =
		!mesh || (def.control == LM_ACT_CAGE && !cage) ? LM_NO_MEMORY : lm_act_create(&def, host, body, error);
	free(numbers);
	lm_mesh_destroy(cage);
	lm_mesh_destroy(mesh);
	return status;
}

lm_status act_ground_create(const lm_host* host, lm_colliders** ground, lm_error* error)
{
	const lm_placement_key key = { .rotation = { 1, 0, 0, 0 } };
	lm_collider_def def = lm_collider_def_default();
	def.key_count = 1, def.keys = &key, def.friction = 0.8;
	return lm_colliders_create(&def, 1, host, ground, error);
}

// ---- goals

#define MOST_GOALS 8

lm_status act_character_goals(lm_act* body, act_character which, double time, lm_error* error)
{
	int32_t n = lm_act_vertex_count(body), rows = 0;
	int dimension = lm_act_dimension(body);
	int32_t* vertices = malloc(sizeof *vertices * MOST_GOALS * (size_t)n);
	double *coefficients = malloc(sizeof *coefficients * MOST_GOALS * 3 * (size_t)n), clock = fmod(time, 0.6);
	lm_act_goal goals[MOST_GOALS];
	bool creeps = which == ACT_CROSS;
	double rise = creeps ? 0 : clock < 0.2 ? -0.4 : clock < 0.34 ? 1.6 : 0;
	const double speed[3] = { creeps || (clock >= 0.2 && clock < 0.34) ? 0.6 : 0, rise, 0 };
	for (int i = 0; i < dimension; ++i, ++rows) // the centre of mass
	{
		const double axis[3] = { i == 0, i == 1, i == 2 };
		int32_t* v = vertices + (int64_t)rows * n;
		double* a = coefficients + 3 * (int64_t)rows * n;
		int32_t count = lm_act_row_center(body, axis, v, a);
		goals[rows] = (lm_act_goal){ count, v, a, 0, speed[i], 0, 1, creeps && i == 1 ? 0.2 : 1 };
	}
	for (int i = dimension == 2 ? 2 : 0; i < 3 && !creeps; ++i, ++rows) // no spin
	{
		const double axis[3] = { i == 0, i == 1, i == 2 };
		int32_t* v = vertices + (int64_t)rows * n;
		double* a = coefficients + 3 * (int64_t)rows * n;
		int32_t count = lm_act_row_spin(body, axis, v, a);
		goals[rows] = (lm_act_goal){ count, v, a, 0, 0, 0, 1 / lm_act_mass(body), 0.5 };
	}
	lm_status status = lm_act_set_goals(body, goals, rows, error);
	free(vertices);
	free(coefficients);
	return status;
}
