// parade.c: figures that nobody has rigged, for characters that make themselves: closed parts that overlap, as
// modellers leave them. They face along x, and are unlike each other: thin legs and thick ones, close ones in shoes
// that touch, four legs, a tail on the ground, none at all, a heavy head on a small foot.
#include "make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum part_kind
{
	BALL, // a: centre, b: radii
	BOX,  // a: lowest corner, b: highest
	LIMB  // from a to b, radii r[0] and r[1], eight-sided
} part_kind;

typedef struct part
{
	part_kind kind;
	double a[3], b[3], r[2];
	bool mirrored; // there is another one at -z
} part;

typedef struct figure
{
	const char* file;
	int count;
	part parts[12];
} figure;

static const figure figures[] = {
	// thin legs, long arms
	{ "parade-imp.obj",
	  7,
	  { { .kind = BALL, .a = { 0, 0.56, 0 }, .b = { 0.13, 0.17, 0.16 } },
	    { .kind = BALL, .a = { 0.02, 0.84, 0 }, .b = { 0.15, 0.16, 0.15 } },
	    { .kind = LIMB, .a = { 0, 0.45, 0.08 }, .b = { 0, 0.04, 0.1 }, .r = { 0.045, 0.04 }, .mirrored = true },
	    { .kind = BOX, .a = { -0.08, 0, 0.04 }, .b = { 0.15, 0.05, 0.16 }, .mirrored = true },
	    { .kind = LIMB, .a = { 0, 0.66, 0.12 }, .b = { 0.05, 0.36, 0.24 }, .r = { 0.04, 0.035 }, .mirrored = true },
	    { .kind = LIMB, .a = { 0.1, 0.85, 0 }, .b = { 0.24, 0.81, 0 }, .r = { 0.04, 0.012 } },
	    { .kind = LIMB,
	      .a = { -0.02, 0.95, 0.08 },
	      .b = { -0.06, 1.0, 0.14 },
	      .r = { 0.03, 0.01 },
	      .mirrored = true } } },
	// thick boxes for legs
	{ "parade-golem.obj",
	  5,
	  { { .kind = BOX, .a = { -0.16, 0.38, -0.26 }, .b = { 0.16, 0.78, 0.26 } },
	    { .kind = BOX, .a = { -0.1, 0.74, -0.12 }, .b = { 0.16, 1.0, 0.12 } },
	    { .kind = BOX, .a = { -0.14, 0, 0.05 }, .b = { 0.18, 0.44, 0.25 }, .mirrored = true },
	    { .kind = LIMB, .a = { 0, 0.7, 0.24 }, .b = { 0.06, 0.3, 0.36 }, .r = { 0.09, 0.1 }, .mirrored = true },
	    { .kind = BOX, .a = { 0.1, 0.84, -0.05 }, .b = { 0.2, 0.9, 0.05 } } } },
	// close legs, shoes that touch
	{ "parade-clerk.obj",
	  6,
	  { { .kind = LIMB, .a = { 0, 0.78, 0 }, .b = { 0, 0.38, 0 }, .r = { 0.15, 0.19 } },
	    { .kind = BALL, .a = { 0.02, 0.88, 0 }, .b = { 0.12, 0.12, 0.11 } },
	    { .kind = LIMB, .a = { 0, 0.46, 0.1 }, .b = { 0, 0.03, 0.1 }, .r = { 0.075, 0.065 }, .mirrored = true },
	    { .kind = BALL, .a = { 0.05, 0.045, 0.1 }, .b = { 0.15, 0.045, 0.102 }, .mirrored = true },
	    { .kind = LIMB, .a = { 0, 0.72, 0.14 }, .b = { 0.04, 0.4, 0.2 }, .r = { 0.05, 0.05 }, .mirrored = true },
	    { .kind = BOX, .a = { -0.12, 0.93, -0.12 }, .b = { 0.18, 0.96, 0.12 } } } },
	// four legs and a tail in the air
	{ "parade-hound.obj",
	  8,
	  { { .kind = LIMB, .a = { -0.42, 0.55, 0 }, .b = { 0.38, 0.6, 0 }, .r = { 0.17, 0.2 } },
	    { .kind = LIMB, .a = { 0.36, 0.66, 0 }, .b = { 0.56, 0.86, 0 }, .r = { 0.12, 0.1 } },
	    { .kind = BALL, .a = { 0.62, 0.88, 0 }, .b = { 0.17, 0.12, 0.11 } },
	    { .kind = LIMB, .a = { 0.3, 0.55, 0.13 }, .b = { 0.32, 0, 0.14 }, .r = { 0.08, 0.06 }, .mirrored = true },
	    { .kind = LIMB, .a = { -0.36, 0.5, 0.12 }, .b = { -0.38, 0, 0.14 }, .r = { 0.09, 0.06 }, .mirrored = true },
	    { .kind = LIMB, .a = { -0.5, 0.62, 0 }, .b = { -0.78, 0.8, 0 }, .r = { 0.05, 0.02 } },
	    { .kind = LIMB, .a = { 0.56, 0.96, 0.07 }, .b = { 0.52, 1.04, 0.12 }, .r = { 0.04, 0.01 }, .mirrored = true },
	    { .kind = BOX, .a = { 0.7, 0.82, -0.05 }, .b = { 0.84, 0.89, 0.05 } } } },
	// no legs
	{ "parade-gourd.obj",
	  4,
	  { { .kind = BALL, .a = { 0, 0.3, 0 }, .b = { 0.32, 0.3, 0.3 } },
	    { .kind = LIMB, .a = { 0, 0.5, 0 }, .b = { 0.06, 0.86, 0 }, .r = { 0.2, 0.12 } },
	    { .kind = BOX, .a = { -0.2, 0, -0.2 }, .b = { 0.2, 0.1, 0.2 } },
	    { .kind = LIMB, .a = { 0.06, 0.84, 0 }, .b = { 0.16, 1.0, 0 }, .r = { 0.05, 0.02 } } } },
	// two legs, and a tail that reaches the ground
	{ "parade-raptor.obj",
	  7,
	  { { .kind = LIMB, .a = { -0.2, 0.5, 0 }, .b = { 0.2, 0.66, 0 }, .r = { 0.17, 0.15 } },
	    { .kind = LIMB, .a = { 0.18, 0.66, 0 }, .b = { 0.26, 0.9, 0 }, .r = { 0.11, 0.09 } },
	    { .kind = BALL, .a = { 0.36, 0.91, 0 }, .b = { 0.2, 0.09, 0.1 } },
	    { .kind = LIMB, .a = { -0.02, 0.5, 0.13 }, .b = { 0, 0.05, 0.15 }, .r = { 0.1, 0.06 }, .mirrored = true },
	    { .kind = BOX, .a = { -0.09, 0, 0.08 }, .b = { 0.2, 0.06, 0.23 }, .mirrored = true },
	    { .kind = LIMB, .a = { -0.25, 0.46, 0 }, .b = { -0.6, 0.035, 0 }, .r = { 0.1, 0.04 } },
	    { .kind = LIMB, .a = { 0.22, 0.6, 0.1 }, .b = { 0.34, 0.5, 0.13 }, .r = { 0.035, 0.02 }, .mirrored = true } } },
	// a heavy head on a small foot
	{ "parade-lamp.obj",
	  3,
	  { { .kind = BOX, .a = { -0.17, 0, -0.17 }, .b = { 0.17, 0.06, 0.17 } },
	    { .kind = LIMB, .a = { 0, 0.03, 0 }, .b = { 0, 0.66, 0 }, .r = { 0.09, 0.07 } },
	    { .kind = LIMB, .a = { 0, 0.6, 0 }, .b = { 0, 1.0, 0 }, .r = { 0.26, 0.14 } } } },
};

enum
{
	SIDES = 8
};

typedef struct builder
{
	lm_mesh* mesh;
	int32_t vertices, triangles;
} builder;

static int32_t add_vertex(builder* b, const double x[3], bool flipped)
{
	double* to = b->mesh->positions + 3 * (size_t)b->vertices;
	to[0] = x[0], to[1] = x[1], to[2] = flipped ? -x[2] : x[2];
	return b->vertices++;
}

static void add_triangle(builder* b, int32_t i, int32_t j, int32_t k, bool flipped)
{
	int32_t* to = b->mesh->triangles + 3 * (size_t)b->triangles++;
	to[0] = i, to[1] = flipped ? k : j, to[2] = flipped ? j : k;
}

static void add_ball(builder* b, const part* p, bool flipped)
{
	double points[3 * MAKE_SPHERE_POINTS];
	int32_t triangles[3 * MAKE_SPHERE_TRIANGLES], first = b->vertices;
	lm_make_sphere(points, triangles);
	for (int i = 0; i < MAKE_SPHERE_POINTS; ++i)
	{
		double x[3];
		for (int c = 0; c < 3; ++c)
			x[c] = p->a[c] + p->b[c] * points[3 * i + c];
		add_vertex(b, x, flipped);
	}
	for (int t = 0; t < MAKE_SPHERE_TRIANGLES; ++t)
	{
		const int32_t* c = triangles + 3 * t;
		const double *p0 = points + 3 * c[0], *p1 = points + 3 * c[1], *p2 = points + 3 * c[2];
		double volume = p0[0] * (p1[1] * p2[2] - p1[2] * p2[1]) + p0[1] * (p1[2] * p2[0] - p1[0] * p2[2]) +
		                p0[2] * (p1[0] * p2[1] - p1[1] * p2[0]);
		add_triangle(b, first + c[0], first + c[1], first + c[2], flipped != (volume < 0));
	}
}

static void add_box(builder* b, const part* p, bool flipped)
{
	static const int faces[12][3] = { { 0, 2, 1 }, { 1, 2, 3 }, { 4, 5, 6 }, { 5, 7, 6 }, { 0, 1, 4 }, { 1, 5, 4 },
		                              { 2, 6, 3 }, { 3, 6, 7 }, { 0, 4, 2 }, { 2, 4, 6 }, { 1, 3, 5 }, { 3, 7, 5 } };
	int32_t first = b->vertices;
	for (int i = 0; i < 8; ++i)
	{
		double x[3] = { i & 1 ? p->b[0] : p->a[0], i & 2 ? p->b[1] : p->a[1], i & 4 ? p->b[2] : p->a[2] };
		add_vertex(b, x, flipped);
	}
	for (int t = 0; t < 12; ++t)
		add_triangle(b, first + faces[t][0], first + faces[t][1], first + faces[t][2], flipped);
}

// Two unit vectors across d.
static void across(const double d[3], double u[3], double v[3])
{
	double length = hypot(hypot(d[0], d[1]), d[2]), n[3] = { d[0] / length, d[1] / length, d[2] / length };
	double aside[3] = { fabs(n[1]) > 0.7 ? 1 : 0, fabs(n[1]) > 0.7 ? 0 : 1, 0 };
	u[0] = n[1] * aside[2] - n[2] * aside[1], u[1] = n[2] * aside[0] - n[0] * aside[2],
	u[2] = n[0] * aside[1] - n[1] * aside[0];
	double size = hypot(hypot(u[0], u[1]), u[2]);
	for (int c = 0; c < 3; ++c)
		u[c] /= size;
	v[0] = n[1] * u[2] - n[2] * u[1], v[1] = n[2] * u[0] - n[0] * u[2], v[2] = n[0] * u[1] - n[1] * u[0];
}

static void add_limb(builder* b, const part* p, bool flipped)
{
	double d[3] = { p->b[0] - p->a[0], p->b[1] - p->a[1], p->b[2] - p->a[2] }, u[3], v[3];
	int32_t first = b->vertices;
	across(d, u, v);
	for (int end = 0; end < 2; ++end)
		for (int i = 0; i < SIDES; ++i)
		{
			double angle = 2 * MAKE_PI * i / SIDES, x[3];
			for (int c = 0; c < 3; ++c)
				x[c] = (end ? p->b : p->a)[c] + p->r[end] * (cos(angle) * u[c] + sin(angle) * v[c]);
			add_vertex(b, x, flipped);
		}
	int32_t ends[2] = { add_vertex(b, p->a, flipped), add_vertex(b, p->b, flipped) };
	for (int i = 0; i < SIDES; ++i)
	{
		int32_t j = (i + 1) % SIDES, low = first, high = first + SIDES;
		add_triangle(b, low + i, low + j, high + i, flipped);
		add_triangle(b, low + j, high + j, high + i, flipped);
		add_triangle(b, ends[0], low + j, low + i, flipped);
		add_triangle(b, ends[1], high + i, high + j, flipped);
	}
}

static bool make_figure(make_output* output, const figure* f)
{
	builder b = { .mesh = lm_mesh_create(&output->host, 24 * MAKE_SPHERE_POINTS, 24 * MAKE_SPHERE_TRIANGLES, 0) };
	if (b.mesh == NULL)
		return lm_make_no_memory(output);
	for (int k = 0; k < f->count; ++k)
		for (int flipped = 0; flipped <= f->parts[k].mirrored; ++flipped)
			switch (f->parts[k].kind)
			{
				case BALL: add_ball(&b, &f->parts[k], flipped); break;
				case BOX: add_box(&b, &f->parts[k], flipped); break;
				case LIMB: add_limb(&b, &f->parts[k], flipped); break;
			}
	b.mesh->vertex_count = b.vertices, b.mesh->triangle_count = b.triangles; // less than there is room for
	bool made = lm_make_write(output, f->file, b.mesh, NULL);
	lm_mesh_destroy(b.mesh);
	return made;
}

bool lm_make_parade(make_output* output)
{
	for (size_t i = 0; i < sizeof figures / sizeof *figures; ++i)
		if (!make_figure(output, &figures[i]))
			return false;
	return true;
}
