// cuboid.c: the cuboid of 5 x 9 x 5 = 225 particles (twist, slope, beta) and a bar of as many (local).
#include "make.h"

#include <math.h>

// ---- the cuboid stands upright: 0.5 m x 1 m x 0.5 m about the origin ----

static const make_block cuboid = { .cells = { 4, 8, 4 },
	                               .low = { -0.25, -0.5, -0.25 },
	                               .cell = { 0.125, 0.125, 0.125 } };

typedef struct twist
{
	double turn;    // radians from end to end
	double stretch; // of the length
	double girth;   // of the cross-section
} twist;

static void twisted(double p[3], const void* context)
{
	const twist* t = context;
	double angle = t->turn * p[1], x = t->girth * p[0], z = t->girth * p[2];
	p[0] = cos(angle) * x + sin(angle) * z;
	p[1] *= t->stretch;
	p[2] = cos(angle) * z - sin(angle) * x;
}

// An S in the x-y plane. Cross-sections lean half as much as the curve, which keeps the cells of a body this stout from
// folding at the inner side of the bends.
static void s_shaped(double p[3], const void* context)
{
	double swing = *(const double*)context;
	double shift = swing * sin(2 * MAKE_PI * p[1]), slope = 2 * MAKE_PI * swing * cos(2 * MAKE_PI * p[1]);
	double lean = 0.5 * atan(slope), x = p[0];
	p[0] = shift + cos(lean) * x;
	p[1] = 0.92 * p[1] - sin(lean) * x;
}

// ---- the bar lies along x: 1.6 m x 0.4 m x 0.4 m about the origin ----

static const make_block bar = { .cells = { 8, 4, 4 }, .low = { -0.8, -0.2, -0.2 }, .cell = { 0.2, 0.1, 0.1 } };

// Rolls the bar downwards about the z axis, evenly from end to end; the middle line keeps its length.
static void curled(double p[3], const void* context)
{
	double turn = *(const double*)context / 1.6, radius = 1 / turn, angle = turn * p[0];
	double reach = radius + p[1];
	p[0] = reach * sin(angle);
	p[1] = reach * cos(angle) - radius;
}

static bool write_body(make_output* output, const make_block* block, const char* name, const char* surface_name,
                       lm_mesh** mesh)
{
	*mesh = lm_make_block_mesh(block, &output->host);
	lm_mesh* surface = lm_make_block_surface(block, 0.035, 0.012, 6, &output->host);
	bool written = *mesh && surface
	                   ? lm_make_write(output, name, *mesh, NULL) && lm_make_write(output, surface_name, surface, NULL)
	                   : lm_make_no_memory(output);
	lm_mesh_destroy(surface);
	return written;
}

bool lm_make_cuboids(make_output* output)
{
	lm_mesh* mesh = NULL;
	twist hanging = { .turn = 1.6 * MAKE_PI, .stretch = 1.6, .girth = 0.8 };
	twist tumbling = { .turn = 1.1 * MAKE_PI, .stretch = 0.85, .girth = 1 };

	double swing = 0.15, roll = 1.4 * MAKE_PI;
	bool made = write_body(output, &cuboid, "cuboid.msh", "cuboid-surface.ply", &mesh) &&
	            lm_make_write_pose(output, "cuboid-twist.msh", mesh, twisted, &hanging) &&
	            lm_make_write_pose(output, "cuboid-curl.msh", mesh, twisted, &tumbling) &&

	            lm_make_write_pose(output, "cuboid-s.msh", mesh, s_shaped, &swing);
	lm_mesh_destroy(mesh);
	mesh = NULL;
	made = made && write_body(output, &bar, "bar.msh", "bar-surface.ply", &mesh) &&
	       lm_make_write_pose(output, "bar-curl.msh", mesh, curled, &roll);
	lm_mesh_destroy(mesh);
	return made;
}
