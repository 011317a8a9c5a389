// characters_ground.c: grounds that characters of 1 m walk on: level to x = 0.4, then a slope, stairs, or rough.
#include "characters.h"

#include <math.h>
#include <stdlib.h>

static const double begins = 0.4, left = -2, right = 6, aside = 2.5, deep = 3; // m
static const double rise = 0.05, tread = 0.5;                                  // of stairs
static const double rough = 0.01, spacing = 0.1;                               // height of the noise, and its cells

enum
{
	MOST_COLUMNS = 128,
	MOST_LINES = 64
};

// 0 .. 1, for a cell of the rough ground.
static double noise(int i, int j)
{
	unsigned n = (unsigned)(i * 374761393 + j * 668265263) ^ 0x9e3779b9u;
	n = (n ^ (n >> 13)) * 1274126177u;
	return ((n ^ (n >> 16)) & 0xffff) / 65535.0;
}

static double rough_height(double x, double z)
{
	double i = floor(x / spacing), j = floor(z / spacing), u = x / spacing - i, v = z / spacing - j;
	double a = noise((int)i, (int)j) * (1 - u) + noise((int)i + 1, (int)j) * u;
	double b = noise((int)i, (int)j + 1) * (1 - u) + noise((int)i + 1, (int)j + 1) * u;
	return rough * (a * (1 - v) + b * v);
}

double ground_height(const ground_shape* g, double x, double z)
{
	switch (g->kind)
	{
		case GROUND_SLOPE: return x > begins ? tan(g->angle) * (x - begins) : 0;
		case GROUND_STAIRS: return x > begins ? rise * (1 + floor((x - begins) / tread)) : 0;
		case GROUND_ROUGH: return x > begins ? rough_height(x, z) : 0;
		default: return 0;
	}
}

// Where the columns of the grid are, and the heights there; two at the edge of a stair.
typedef struct columns
{
	int count;
	double x[MOST_COLUMNS], y[MOST_COLUMNS];
} columns;

static void add_column(columns* c, double x, double y)
{
	c->x[c->count] = x, c->y[c->count++] = y;
}

static void list_columns(const ground_shape* g, columns* c)
{
	*c = (columns){ 0 };
	add_column(c, left, 0);
	add_column(c, begins, 0);
	if (g->kind == GROUND_SLOPE)
		add_column(c, right, ground_height(g, right, 0));
	for (int k = 0; g->kind == GROUND_STAIRS && begins + k * tread < right; ++k)
	{
		add_column(c, begins + k * tread, rise * (k + 1));
		add_column(c, begins + (k + 1) * tread, rise * (k + 1));
	}
	for (double x = ceil(begins / spacing) * spacing + spacing; g->kind == GROUND_ROUGH && x < right; x += spacing)
		add_column(c, x, 0);
}

static void add_quad(lm_mesh* mesh, int32_t* count, int32_t a, int32_t b, int32_t c, int32_t d)
{
	int32_t corners[6] = { a, b, c, a, c, d };
	for (int k = 0; k < 6; ++k)
		mesh->triangles[(*count)++] = corners[k];
}

// A closed block whose upper side is the ground.
static lm_mesh* make_block(const ground_shape* g, const lm_host* host)
{
	columns c;
	list_columns(g, &c);
	int32_t lines = g->kind == GROUND_ROUGH ? (int32_t)(2 * aside / spacing) + 1 : 2, n = c.count, count = 0;
	lm_mesh* mesh = lm_mesh_create(host, 2 * n * lines, 4 * (n - 1) * (lines - 1) + 4 * (n - 1) + 4 * (lines - 1), 0);
	if (mesh == NULL)
		return NULL;
	for (int32_t j = 0; j < lines; ++j)
		for (int32_t i = 0; i < n; ++i)
			for (int32_t low = 0; low < 2; ++low)
			{
				double z = -aside + 2 * aside * j / (lines - 1),
					   *p = mesh->positions + 3 * (low * n * lines + j * n + i);
				double y = g->kind == GROUND_ROUGH ? ground_height(g, c.x[i], z) : c.y[i];
				p[0] = c.x[i], p[1] = low ? -deep : y, p[2] = z;
			}
	int32_t down = n * lines;
	for (int32_t j = 0; j + 1 < lines; ++j)
		for (int32_t i = 0; i + 1 < n; ++i)
		{
			int32_t a = j * n + i, b = a + 1, d = a + n, e = d + 1;
			add_quad(mesh, &count, a, d, e, b);
			add_quad(mesh, &count, down + a, down + b, down + e, down + d);
		}
	for (int32_t i = 0; i + 1 < n; ++i)
	{
		int32_t far = (lines - 1) * n + i;
		add_quad(mesh, &count, i, i + 1, down + i + 1, down + i);
		add_quad(mesh, &count, far, down + far, down + far + 1, far + 1);
	}
	for (int32_t j = 0; j + 1 < lines; ++j)
	{
		int32_t a = j * n, b = a + n - 1;
		add_quad(mesh, &count, a, down + a, down + a + n, a + n);
		add_quad(mesh, &count, b, b + n, down + b + n, down + b);
	}
	return mesh;
}

bool ground_create(const ground_shape* g, lm_colliders** colliders, lm_error* error)
{
	lm_host host = lm_host_default();
	lm_collider_def def = lm_collider_def_default();
	lm_placement_key place = { .rotation = { 1, 0, 0, 0 } };
	lm_mesh* block = g->kind == GROUND_LEVEL ? NULL : make_block(g, &host);
	def.key_count = 1, def.keys = &place;
	if (block != NULL)
		def.shape = LM_SHAPE_MESH, def.mesh = block;
	bool good = lm_colliders_create(&def, 1, &host, colliders, error) == LM_OK;
	lm_mesh_destroy(block);
	return good;
}
