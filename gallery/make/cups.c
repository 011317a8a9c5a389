// cups.c: three tea cups of different size. What is simulated is the cup with its tea, a solid of revolution: a middle
// vertex and two rings of eight at each of five to seven heights (255 to 357 unknowns).
#include "make.h"

#include <math.h>

enum
{
	AROUND = 8,
	RING = 1 + 2 * AROUND,
	MOST_LEVELS = 7,
	TRIANGLES = 3 * AROUND
};

typedef struct cup
{
	const char *name, *surface;
	int32_t levels;
	double height, foot, rim; // foot and rim: radii
	int32_t flutes;           // around
} cup;

static const cup cups[] = {
	{ "cup-small.msh", "cup-small-surface.ply", 5, 0.26, 0.14, 0.19, 0 },
	{ "cup-middle.msh", "cup-middle-surface.ply", 6, 0.34, 0.17, 0.24, 12 },
	{ "cup-large.msh", "cup-large-surface.ply", 7, 0.42, 0.20, 0.28, 18 },
};

// Radius at a height: a foot, a belly and a rim that opens.
static double radius_at(const cup* c, double y)
{
	double s = fmin(fmax(y / c->height, 0), 1);
	return c->foot + (c->rim - c->foot) * sin(0.5 * MAKE_PI * s) * (1 - 0.12 * sin(MAKE_PI * s));
}

static double cup_field(const double p[3], const void* context)
{
	const cup* c = context;
	double rho = hypot(p[0], p[2]), around = atan2(p[2], p[0]), size = c->height;
	double flute = c->flutes > 0 ? 0.008 * size * cos(c->flutes * around) * lm_make_step(0.08, 0.25, p[1] / size) *
	                                   lm_make_step(0.92, 0.75, p[1] / size)
	                             : 0;
	double out = rho - radius_at(c, p[1]) - flute;
	double solid = -lm_field_join(-out, -fmax(-p[1], p[1] - size), 0.03 * size);
	// a foot ring: cut back above the ground
	double neck[3] = { 0, 0.085 * size, 0 };
	solid =
		lm_field_cut(solid, lm_field_ring(p, neck, radius_at(c, 0.085 * size) + 0.02 * size, 0.03 * size), 0.02 * size);
	// the hollow, down to the tea
	double hollow = fmax(rho - radius_at(c, p[1]) + 0.085 * size, 0.8 * size - p[1]);
	solid = lm_field_cut(solid, hollow, 0.02 * size);
	// the handle, behind (negative x)
	double x = p[0] + radius_at(c, 0.55 * size), y = p[1] - 0.55 * size;
	double ear = hypot(hypot(x, y) - 0.24 * size, p[2]) - 0.05 * size;
	solid = lm_field_join(solid, fmax(ear, out - 0.9 * size), 0.03 * size);
	if (rho < radius_at(c, p[1]) - 0.1 * size && p[1] > 0.78 * size) // no handle inside
		solid = fmax(solid, 0.8 * size - p[1] > 0 ? solid : p[1] - 0.8 * size);
	// the face, ahead
	double front = radius_at(c, 0.6 * size);
	double q[3] = { p[0], p[1], fabs(p[2]) };
	double eye[3] = { front * 0.93, 0.62 * size, 0.2 * size };
	double eye_radii[3] = { 0.07 * size, 0.085 * size, 0.065 * size };
	if (p[0] > 0)
	{
		solid = lm_field_join(solid, lm_field_ellipsoid(q, eye, eye_radii), 0.01 * size);
		double pupil[3] = { front * 0.93 + 0.075 * size, 0.635 * size, 0.2 * size };
		double pupil_radii[3] = { 0.035 * size, 0.04 * size, 0.03 * size };
		solid = lm_field_cut(solid, lm_field_ellipsoid(q, pupil, pupil_radii), 0.006 * size);
		double smile = hypot(hypot(p[2], p[1] - 0.5 * size) - 0.17 * size, fmax(p[1] - 0.42 * size, 0)) - 0.022 * size;
		solid = lm_field_cut(solid, hypot(fmax(smile, 0), out) - 0.018 * size, 0.012 * size);
	}
	return solid;
}

static void place(const cup* c, double* positions)
{
	for (int32_t level = 0; level < c->levels; level++)
	{
		double y = c->height * level / (c->levels - 1), radius = radius_at(c, y);
		double* p = positions + 3 * RING * level;
		p[0] = p[2] = 0, p[1] = y;
		for (int32_t v = 1; v < RING; v++)
		{
			double share = v <= AROUND ? 0.5 : 1, angle = 2 * MAKE_PI * ((v - 1) % AROUND) / AROUND;
			p[3 * v] = share * radius * cos(angle);
			p[3 * v + 1] = y;
			p[3 * v + 2] = share * radius * sin(angle);
		}
	}
}

static void triangulate(int32_t triangles[3 * TRIANGLES])
{
	int32_t* t = triangles;
	for (int32_t k = 0; k < AROUND; k++)
	{
		int32_t a = 1 + k, b = 1 + (k + 1) % AROUND;
		int32_t list[9] = { 0, a, b, a, a + AROUND, b + AROUND, a, b + AROUND, b };
		for (int32_t c = 0; c < 9; c++)
			*t++ = list[c];
	}
}

static bool make_cup(make_output* output, const cup* c, const int32_t* triangles)
{
	double positions[3 * RING * MOST_LEVELS];
	place(c, positions);
	make_layers layers = { .vertices = RING, .triangle_count = TRIANGLES, .triangles = triangles, .count = c->levels };
	double far = c->rim + 0.4 * c->height;
	double low[3] = { -far, -0.1 * c->height, -far }, high[3] = { far, 1.15 * c->height, far };
	lm_mesh* mesh = lm_make_layers_mesh(&layers, positions, &output->host);
	lm_mesh* surface = lm_make_polygonise(cup_field, c, low, high, 0.035 * c->height, &output->host);
	bool made = mesh && surface
	                ? lm_make_write(output, c->name, mesh, NULL) && lm_make_write(output, c->surface, surface, NULL)
	                : lm_make_no_memory(output);
	lm_mesh_destroy(mesh);
	lm_mesh_destroy(surface);
	return made;
}

bool lm_make_cups(make_output* output)
{
	int32_t triangles[3 * TRIANGLES];
	triangulate(triangles);
	bool made = true;
	for (size_t k = 0; made && k < sizeof cups / sizeof cups[0]; k++)
		made = make_cup(output, cups + k, triangles);
	return made;
}
