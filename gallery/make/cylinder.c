// cylinder.c: the cylinder of 81 x 25 = 2025 particles and its four poses.
//
// A cross-section is a point and four rings of 8, 16, 24 and 32 points; ring r and ring r - 1 are joined, in each of
// eight sectors, by 2 r - 1 triangles. Layers of 24 prisms are cut into three tetrahedra each.
#include "make.h"

#include <math.h>

enum
{
	RINGS = 4,
	SECTORS = 8,
	SECTION = 1 + SECTORS * RINGS * (RINGS + 1) / 2, // points in a cross-section
	SECTION_TRIANGLES = SECTORS * RINGS * RINGS,
	LAYERS = 24
};

static const double radius = 0.28, height = 1.2; // metres; it stands on y = 0

// Point i of ring r; i may run once round.
static int32_t ring_point(int32_t r, int32_t i)
{
	return r == 0 ? 0 : 1 + SECTORS * r * (r - 1) / 2 + i % (SECTORS * r);
}

static void fill_positions(lm_mesh* mesh)
{
	for (int32_t layer = 0; layer <= LAYERS; layer++)
		for (int32_t r = 0; r <= RINGS; r++)
			for (int32_t i = 0; i < (r == 0 ? 1 : SECTORS * r); i++)
			{
				double* p = mesh->positions + 3 * (layer * SECTION + ring_point(r, i));
				double angle = r == 0 ? 0 : 2 * MAKE_PI * i / (SECTORS * r), reach = radius * r / RINGS;
				p[0] = reach * cos(angle);
				p[1] = height * layer / LAYERS;
				p[2] = reach * sin(angle);
			}
}

static void fill_section(int32_t triangles[SECTION_TRIANGLES][3])
{
	int32_t count = 0;
	for (int32_t r = 1; r <= RINGS; r++)
		for (int32_t s = 0; s < SECTORS; s++)
			for (int32_t i = 0; i < r; i++)
			{
				int32_t inner = s * (r - 1) + i, outer = s * r + i;
				int32_t wide[3] = { ring_point(r, outer), ring_point(r, outer + 1), ring_point(r - 1, inner) };
				int32_t narrow[3] = { ring_point(r - 1, inner), ring_point(r, outer + 1),
					                  ring_point(r - 1, inner + 1) };
				for (int32_t v = 0; v < 3; v++)
				{
					triangles[count][v] = wide[v];
					if (i + 1 < r)
						triangles[count + 1][v] = narrow[v];
				}
				count += i + 1 < r ? 2 : 1;
			}
}

// The rank that decides where a prism's side is cut: from the lower point of lower rank to the upper of higher rank.
// Inner rings come first, and within a ring every other point, so that the cuts run to and fro and do not wind.
static int32_t rank(int32_t point)
{
	int32_t r = 0;
	while (point >= ring_point(r + 1, 0) && r < RINGS)
		r++;
	return r == 0 ? 0 : 1000 * r + 500 * ((point - ring_point(r, 0)) & 1) + point;
}

static void write_tet(lm_mesh* mesh, int32_t* tet, int32_t a, int32_t b, int32_t c, int32_t d)
{
	const double* p = mesh->positions;
	double u[3], v[3], w[3];
	for (int32_t k = 0; k < 3; k++)
		u[k] = p[3 * b + k] - p[3 * a + k], v[k] = p[3 * c + k] - p[3 * a + k], w[k] = p[3 * d + k] - p[3 * a + k];
	double volume =
		(u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] + (u[0] * v[1] - u[1] * v[0]) * w[2];
	tet[0] = a, tet[1] = b, tet[2] = volume > 0 ? c : d, tet[3] = volume > 0 ? d : c;
}

// All layers are cut alike, so that regions of one column have the same shape (src/match/runs.c).
static void fill_tets(lm_mesh* mesh)
{
	int32_t triangles[SECTION_TRIANGLES][3], *tet = mesh->tets;
	fill_section(triangles);
	for (int32_t layer = 0; layer < LAYERS; layer++)
		for (int32_t t = 0; t < SECTION_TRIANGLES; t++)
		{
			int32_t v[3] = { triangles[t][0], triangles[t][1], triangles[t][2] };
			for (int32_t pass = 0; pass < 2; pass++)
				for (int32_t k = 0; k < 2; k++)
					if (rank(v[k]) > rank(v[k + 1]))
					{
						int32_t swap = v[k];
						v[k] = v[k + 1], v[k + 1] = swap;
					}
			int32_t low = layer * SECTION, high = low + SECTION;
			write_tet(mesh, tet, low + v[0], low + v[1], low + v[2], high + v[2]);
			write_tet(mesh, tet + 4, low + v[0], low + v[1], high + v[1], high + v[2]);
			write_tet(mesh, tet + 8, low + v[0], high + v[0], high + v[1], high + v[2]);
			tet += 12;
		}
}

// ---- the display surface: a fluted column with ring grooves and rounded rims ----

enum
{
	COLUMNS = 112,
	ROWS = 110,
	FLUTES = 14,
	BANDS = 6
};

// Outline from the middle of the foot (s = 0) to the middle of the top (s = 1): radius and height.
static void outline(double s, double turn, double* r, double* y)
{
	double reach = 0.985 * radius, rim = 0.05, side = height - 2 * rim, flat = reach - rim, arc = MAKE_PI / 2 * rim;
	double length = 2 * flat + 2 * arc + side, at = fmin(s, 1 - s) * length;
	if (at < flat)
		*r = at, *y = 0;
	else if (at < flat + arc)
	{
		double angle = (at - flat) / rim;
		*r = flat + rim * sin(angle), *y = rim * (1 - cos(angle));
	}
	else
		*r = reach, *y = at - flat - arc + rim;
	if (s > 0.5)
		*y = height - *y;
	double flute = cos(FLUTES * turn), band = pow(cos(MAKE_PI * BANDS * *y / height), 16);
	double wall =
		lm_make_step(0, 0.12, *y) * lm_make_step(height, height - 0.12, *y) * lm_make_step(0.8 * flat, reach, *r);
	*r -= wall * fmax(0.008 * (1 - flute), 0.014 * band);
}

static lm_mesh* fluted_surface(const lm_host* host)
{
	lm_mesh* mesh = lm_mesh_create(host, 2 + COLUMNS * (ROWS - 1), 2 * COLUMNS * (ROWS - 1), 0);
	if (!mesh)
		return NULL;
	mesh->positions[3 * (mesh->vertex_count - 1) + 1] = height;
	for (int32_t row = 1; row < ROWS; row++)
		for (int32_t c = 0; c < COLUMNS; c++)
		{
			double turn = 2 * MAKE_PI * c / COLUMNS, r, y;
			outline((double)row / ROWS, turn, &r, &y);
			double* p = mesh->positions + 3 * (1 + (row - 1) * COLUMNS + c);
			p[0] = r * cos(turn), p[1] = y, p[2] = r * sin(turn);
		}
	int32_t* triangle = mesh->triangles;
	for (int32_t row = 0; row < ROWS; row++)
		for (int32_t c = 0; c < COLUMNS; c++)
		{
			int32_t next = (c + 1) % COLUMNS, below = 1 + (row - 1) * COLUMNS, above = 1 + row * COLUMNS;
			if (row == 0)
				*triangle++ = 0, *triangle++ = above + c, *triangle++ = above + next;
			else if (row == ROWS - 1)
				*triangle++ = mesh->vertex_count - 1, *triangle++ = below + next, *triangle++ = below + c;
			else
			{
				*triangle++ = below + c, *triangle++ = above + c, *triangle++ = above + next;
				*triangle++ = below + c, *triangle++ = above + next, *triangle++ = below + next;
			}
		}
	return mesh;
}

// ---- the poses: all shorter than the rest shape, so that pressing from above calls them, and all different ----

static void widen(double p[3], double scale)
{
	p[0] *= scale;
	p[2] *= scale;
}

static void bellows(double p[3], const void* context)
{
	(void)context;
	widen(p, 1.06 - 0.3 * cos(2 * MAKE_PI * 3 * p[1] / height));
	p[1] *= 0.68;
}

static void corkscrew(double p[3], const void* context)
{
	(void)context;
	double angle = MAKE_PI * p[1] / height, x = p[0], z = p[2];
	p[0] = cos(angle) * x + sin(angle) * z;
	p[2] = cos(angle) * z - sin(angle) * x;
	widen(p, 1.1);
	p[1] *= 0.7;
}

// Sways to one side and back to the other; cross-sections stay level, so that it does not topple.
static void snaking(double p[3], const void* context)
{
	(void)context;
	p[0] += 0.15 * sin(2 * MAKE_PI * p[1] / height);
	p[1] *= 0.74;
}

static void hourglass(double p[3], const void* context)
{
	(void)context;
	double t = 2 * p[1] / height - 1;
	widen(p, 0.55 + 0.85 * t * t);
	p[1] *= 0.7;
}

bool lm_make_cylinders(make_output* output)
{
	lm_mesh* mesh = lm_mesh_create(&output->host, SECTION * (LAYERS + 1), 0, 3 * SECTION_TRIANGLES * LAYERS);
	lm_mesh* surface = fluted_surface(&output->host);
	bool made = mesh && surface;
	if (made)
	{
		fill_positions(mesh);
		fill_tets(mesh);
		made = lm_mesh_extract_surface(mesh, &output->error) == LM_OK &&
		       lm_make_write(output, "cylinder.msh", mesh, NULL) &&
		       lm_make_write(output, "cylinder-surface.ply", surface, NULL) &&
		       lm_make_write_pose(output, "cylinder-bellows.msh", mesh, bellows, NULL) &&
		       lm_make_write_pose(output, "cylinder-corkscrew.msh", mesh, corkscrew, NULL) &&
		       lm_make_write_pose(output, "cylinder-snake.msh", mesh, snaking, NULL) &&
		       lm_make_write_pose(output, "cylinder-hourglass.msh", mesh, hourglass, NULL);
	}
	else
		lm_make_no_memory(output);
	lm_mesh_destroy(mesh);
	lm_mesh_destroy(surface);
	return made;
}
