// walkers.c: bodies of `act` that walk: a castle on two legs.
#include "make.h"

#include <math.h>

// ---- the castle: 0.68 m x 1 m, standing on y = 0; 66 vertices ----

static const double castle_x[] = { -0.34, -0.2, -0.06, 0, 0.06, 0.2, 0.34 };
static const double castle_y[] = { 0, 0.1, 0.2, 0.3, 0.4, 0.52, 0.64, 0.76, 0.88, 1 };

static bool castle_filled(int32_t i, int32_t j)
{
	bool leg = i < 2 || i > 3, merlon = i == 0 || i == 5 || i == 2 || i == 3;
	return j < 4 ? leg : j < 8 || merlon;
}

static const make_grid castle = { .columns = 6, .rows = 9, .x = castle_x, .y = castle_y, .filled = castle_filled };

// Eleven vertices: outer and inner corners of both feet, the crotch, and three on each side.
static const double castle_cage[] = { -0.4, -0.05, -0.03, -0.05, 0,    0.36, 0.03, -0.05, 0.4,  -0.05, 0.4,
	                                  0.4,  0.4,   0.75,  0.4,   1.05, -0.4, 1.05, -0.4,  0.75, -0.4,  0.4 };

// The same castle as an elastic outline: 32 corners, counter-clockwise from the left foot.
static const double castle_outline[] = { -0.34, 0,     -0.2,  0,     -0.06, 0,     -0.06, 0.13,  -0.06, 0.27, -0.06,
	                                     0.4,   0.06,  0.4,   0.06,  0.27,  0.06,  0.13,  0.06,  0,     0.2,  0,
	                                     0.34,  0,     0.34,  0.17,  0.34,  0.34,  0.34,  0.51,  0.34,  0.68, 0.34,
	                                     0.85,  0.34,  1,     0.2,   1,     0.2,   0.88,  0.06,  0.88,  0.06, 1,
	                                     -0.06, 1,     -0.06, 0.88,  -0.2,  0.88,  -0.2,  1,     -0.34, 1,    -0.34,
	                                     0.85,  -0.34, 0.68,  -0.34, 0.51,  -0.34, 0.34,  -0.34, 0.17 };

static double box(double x, double y, double left, double right, double low, double high)
{
	double p[3] = { x, y, 0 }, centre[3] = { (left + right) / 2, (low + high) / 2, 0 };
	double half[3] = { (right - left) / 2, (high - low) / 2, 1 };
	return lm_field_box(p, centre, half, 0.012);
}

// Towers with merlons, two windows that look at you and an arched gate.
static double castle_field(const double p[3], const void* context)
{
	(void)context;
	double x = fabs(p[0]), y = p[1];
	double walls = lm_field_join(box(x, y, 0.06, 0.34, 0, 0.5), box(x, y, -0.34, 0.34, 0.4, 0.88), 0.03);
	walls = fmin(walls, fmin(box(x, y, 0.2, 0.34, 0.8, 1), box(x, y, -0.06, 0.06, 0.8, 1)));
	double window = fmin(hypot(x - 0.16, y - 0.72) - 0.045, box(x, y, 0.115, 0.205, 0.64, 0.72));
	double gate = fmax(hypot(x, y - 0.55) - 0.07, 0.52 - y);
	double stones = box(x, y, 0.17, 0.25, 0.235, 0.255);
	return fmax(walls, -fmin(fmin(window, gate), stones));
}

bool lm_make_walkers(make_output* output)
{
	lm_mesh* mesh = lm_make_grid_mesh(&castle, &output->host);
	lm_mesh* cage = lm_make_polygon(castle_cage, 11, true, &output->host);
	lm_mesh* outline = lm_make_polygon(castle_outline, 32, true, &output->host);
	double low[2] = { -0.39, -0.05 }, high[2] = { 0.39, 1.05 };
	lm_mesh* surface = lm_make_outline(castle_field, NULL, low, high, 0.015, &output->host);
	bool made = mesh && cage && outline && surface ? lm_make_write(output, "castle.obj", mesh, NULL) &&
	                                                     lm_make_write(output, "castle-cage.obj", cage, NULL) &&
	                                                     lm_make_write(output, "castle-outline.obj", outline, NULL) &&
	                                                     lm_make_write(output, "castle-surface.obj", surface, NULL)
	                                               : lm_make_no_memory(output);
	lm_mesh_destroy(mesh);
	lm_mesh_destroy(cage);
	lm_mesh_destroy(outline);
	lm_mesh_destroy(surface);
	return made;
}
