// actors.c: bodies of `act` in the plane: the letter I with its cage and poses, a disc.
#include "make.h"

#include <math.h>
#include <stdlib.h>

// ---- the letter I: 0.5 m x 1.2 m, standing on y = 0; 29 vertices, 32 triangles ----

static const double i_x[] = { -0.25, -0.1, 0, 0.1, 0.25 }, i_y[] = { 0, 0.2, 0.4, 0.6, 0.8, 1, 1.2 };

static bool i_filled(int32_t i, int32_t j)
{
	return j == 0 || j == 5 || i == 1 || i == 2;
}

static const make_grid letter_i = { .columns = 4, .rows = 6, .x = i_x, .y = i_y, .filled = i_filled };

// Its outline, corners a little rounded.
static double i_field(const double p[3], const void* context)
{
	(void)context;
	double q[3] = { p[0], p[1], 0 };
	double low[3] = { 0, 0.1, 0 }, top[3] = { 0, 1.1, 0 }, middle[3] = { 0, 0.6, 0 };
	double serif_half[3] = { 0.25, 0.1, 1 }, stem_half[3] = { 0.1, 0.55, 1 };
	double serifs = fmin(lm_field_box(q, low, serif_half, 0.03), lm_field_box(q, top, serif_half, 0.03));
	return lm_field_join(serifs, lm_field_box(q, middle, stem_half, 0.001), 0.04);
}

// The outline 0.05 m further out, with a vertex in the middle of each side of the stem.
static const double i_cage[] = {
	-0.3, -0.05, 0.3,  -0.05, 0.3,  0.25, 0.15,  0.25, 0.15,  0.6, 0.15,  0.95, 0.3,  0.95,
	0.3,  1.25,  -0.3, 1.25,  -0.3, 0.95, -0.15, 0.95, -0.15, 0.6, -0.15, 0.25, -0.3, 0.25
};

// A pose like a leg that bends its knee: foot and head stay level, the stem between them bows out to the right. The
// angle of its middle line to the vertical is bend sin(2 pi s), s from foot to head; the line keeps its length. Then
// all is made lower and wider. Extending from such a pose throws the body up and to the left.
typedef struct crouch
{
	double bend; // radians
	double height, width;
} crouch;

static void crouched(double p[3], const void* context)
{
	enum
	{
		PIECES = 400
	};
	const crouch* c = context;
	const double foot = 0.2, stem = 0.8;
	double s = fmin(fmax((p[1] - foot) / stem, 0), 1), beyond = p[1] - foot - stem * s, x = 0, y = 0;
	for (int32_t k = 0; k < PIECES; k++)
	{
		double angle = c->bend * sin(2 * MAKE_PI * s * (k + 0.5) / PIECES);
		x += stem * s * sin(angle) / PIECES;
		y += stem * s * cos(angle) / PIECES;
	}
	double angle = c->bend * sin(2 * MAKE_PI * s);
	x += p[0] * cos(angle);
	y += foot + beyond - p[0] * sin(angle);
	p[0] = c->width * x;
	p[1] = c->height * y;
}

static bool make_letter(make_output* output)
{
	lm_mesh* mesh = lm_make_grid_mesh(&letter_i, &output->host);
	lm_mesh* cage = lm_make_polygon(i_cage, 14, true, &output->host);
	double low[2] = { -0.3, -0.05 }, high[2] = { 0.3, 1.25 };
	lm_mesh* surface = lm_make_outline(i_field, NULL, low, high, 0.02, &output->host);
	crouch bent = { .bend = 0.9, .height = 1, .width = 1 }, compressed = { .bend = 0.7, .height = 0.6, .width = 1.2 };
	bool made = mesh && cage && surface
	                ? lm_make_write(output, "i.obj", mesh, NULL) && lm_make_write(output, "i-cage.obj", cage, NULL) &&
	                      lm_make_write(output, "i-surface.obj", surface, NULL) &&
	                      lm_make_write_pose(output, "i-bent.obj", mesh, crouched, &bent) &&
	                      lm_make_write_pose(output, "i-compressed.obj", mesh, crouched, &compressed)
	                : lm_make_no_memory(output);
	lm_mesh_destroy(mesh);
	lm_mesh_destroy(cage);
	lm_mesh_destroy(surface);
	return made;
}

// ---- a disc about the origin, radius 0.5 m: a centre, 8 and 16 vertices; 32 triangles ----

enum
{
	INNER = 8,
	OUTER = 16
};

static void fill_disc(lm_mesh* mesh)
{
	for (int32_t v = 1; v <= INNER + OUTER; v++)
	{
		bool outer = v > INNER;
		double angle = 2 * MAKE_PI * (outer ? (double)(v - 1 - INNER) / OUTER : (double)(v - 1) / INNER);
		mesh->positions[3 * v] = (outer ? 0.5 : 0.27) * cos(angle);
		mesh->positions[3 * v + 1] = (outer ? 0.5 : 0.27) * sin(angle);
	}
	int32_t* t = mesh->triangles;
	for (int32_t k = 0; k < INNER; k++)
	{
		int32_t a = 1 + k, b = 1 + (k + 1) % INNER;
		int32_t p = 1 + INNER + 2 * k, q = p + 1, r = 1 + INNER + (2 * k + 2) % OUTER;
		int32_t list[12] = { 0, a, b, a, p, q, a, q, b, b, q, r };
		for (int32_t c = 0; c < 12; c++)
			*t++ = list[c];
	}
}

// A face, so that one sees it roll.
static double disc_field(const double p[3], const void* context)
{
	(void)context;
	double x = fabs(p[0]), r = hypot(p[0], p[1]);
	double eye = hypot(x - 0.16, p[1] - 0.12) - 0.06;
	double mouth = fmax(fabs(r - 0.27) - 0.025, p[1] + 0.1);
	return fmax(r - 0.5, -fmin(eye, mouth));
}

static bool make_disc(make_output* output)
{
	lm_mesh* mesh = lm_mesh_create(&output->host, 1 + INNER + OUTER, 32, 0);
	double low[2] = { -0.55, -0.55 }, high[2] = { 0.55, 0.55 };
	lm_mesh* surface = lm_make_outline(disc_field, NULL, low, high, 0.02, &output->host);
	double around[2 * INNER];
	for (int32_t v = 0; v < INNER; v++)
	{
		around[2 * v] = 0.6 * cos(2 * MAKE_PI * (v + 0.5) / INNER);
		around[2 * v + 1] = 0.6 * sin(2 * MAKE_PI * (v + 0.5) / INNER);
	}
	lm_mesh* cage = lm_make_polygon(around, INNER, true, &output->host);
	if (mesh)
		fill_disc(mesh);
	bool made = mesh && cage && surface ? lm_make_write(output, "disc.obj", mesh, NULL) &&
	                                          lm_make_write(output, "disc-cage.obj", cage, NULL) &&
	                                          lm_make_write(output, "disc-surface.obj", surface, NULL)
	                                    : lm_make_no_memory(output);
	lm_mesh_destroy(cage);
	lm_mesh_destroy(mesh);
	lm_mesh_destroy(surface);
	return made;
}

// ---- bodies of every model, to be dropped ----

static bool make_hoop(make_output* output)
{
	enum
	{
		COUNT = 24
	};
	double points[2 * COUNT];
	for (int32_t v = 0; v < COUNT; v++)
	{
		points[2 * v] = 0.3 * cos(2 * MAKE_PI * v / COUNT);
		points[2 * v + 1] = 0.3 * sin(2 * MAKE_PI * v / COUNT);
	}
	lm_mesh* hoop = lm_make_polygon(points, COUNT, true, &output->host);
	bool made = hoop ? lm_make_write(output, "hoop.obj", hoop, NULL) : lm_make_no_memory(output);
	lm_mesh_destroy(hoop);
	return made;
}

// A bowl: the lower part of a sphere of radius 0.4 m, rings of triangles from the bottom to the rim.
static bool make_bowl(make_output* output)
{
	enum
	{
		RINGS = 5,
		AROUND = 16
	};
	lm_mesh* bowl = lm_mesh_create(&output->host, 1 + RINGS * AROUND, AROUND * (2 * RINGS - 1), 0);
	if (!bowl)
		return lm_make_no_memory(output);
	int32_t* t = bowl->triangles;
	for (int32_t r = 0; r < RINGS; r++)
		for (int32_t k = 0; k < AROUND; k++)
		{
			double polar = 0.45 * MAKE_PI * (r + 1) / RINGS, angle = 2 * MAKE_PI * (k + 0.5 * r) / AROUND;
			double* p = bowl->positions + 3 * (1 + r * AROUND + k);
			p[0] = 0.4 * sin(polar) * cos(angle), p[1] = -0.4 * cos(polar), p[2] = 0.4 * sin(polar) * sin(angle);
			int32_t a = 1 + r * AROUND + k, b = 1 + r * AROUND + (k + 1) % AROUND;
			int32_t c = a - AROUND, d = b - AROUND;
			int32_t list[6] = { c, a, d, d, a, b };
			if (r == 0)
				list[0] = 0, list[1] = a, list[2] = b;
			for (int32_t e = 0; e < (r == 0 ? 3 : 6); e++)
				*t++ = list[e];
		}
	bowl->positions[1] = -0.4;
	bool made = lm_make_write(output, "bowl.obj", bowl, NULL);
	lm_mesh_destroy(bowl);
	return made;
}

static double ball_field(const double p[3], const void* context)
{
	(void)context;
	return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - 0.3;
}

static bool make_ball(make_output* output)
{
	double low[3] = { -0.4, -0.4, -0.4 }, high[3] = { 0.4, 0.4, 0.4 };
	lm_mesh* surface = lm_make_polygonise(ball_field, NULL, low, high, 0.04, &output->host);
	if (!surface)
		return lm_make_no_memory(output);
	lm_mesh* mesh = NULL;
	lm_lattice_settings settings = lm_lattice_settings_default();
	settings.vertices = 90;
	bool made = lm_lattice_create(surface, &settings, &output->host, &mesh, &output->error) == LM_OK &&
	            lm_make_write(output, "ball.msh", mesh, NULL) &&
	            lm_make_write(output, "ball-surface.ply", surface, NULL);
	lm_mesh_destroy(mesh);
	lm_mesh_destroy(surface);
	return made;
}

static bool make_brick(make_output* output)
{
	make_block brick = { .cells = { 4, 2, 2 }, .low = { -0.3, -0.15, -0.15 }, .cell = { 0.15, 0.15, 0.15 } };
	lm_mesh* mesh = lm_make_block_mesh(&brick, &output->host);
	lm_mesh* surface = lm_make_block_surface(&brick, 0.03, 0.008, 6, &output->host);
	bool made = mesh && surface ? lm_make_write(output, "brick.msh", mesh, NULL) &&
	                                  lm_make_write(output, "brick-surface.ply", surface, NULL)
	                            : lm_make_no_memory(output);
	lm_mesh_destroy(mesh);
	lm_mesh_destroy(surface);
	return made;
}

bool lm_make_actors(make_output* output)
{
	return make_letter(output) && make_disc(output) && make_hoop(output) && make_bowl(output) && make_ball(output) &&
	       make_brick(output);
}
