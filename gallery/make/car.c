// car.c: a toy car: a cage of 192 particles (12 x 3 x 4 for the body, 6 x 2 x 4 more for the cabin), a detailed surface
// inside it, and three ways to crumple. It drives along x; the wheels stand on y = 0.
#include "make.h"

#include <math.h>

static const double cabin_middle = -4.0 / 11, cabin_foot = 0.84, cabin_height = 0.65;

// ---- the surface ----

// 1 where low < value < high, with soft borders.
static double band(double low, double high, double soft, double value)
{
	return lm_make_step(low - soft, low + soft, value) * lm_make_step(high + soft, high - soft, value);
}

// The cabin narrows upwards. Coordinates in which it is the box [-1, 1] x [0, 1] x [-1, 1].
static void cabin_coordinates(const double p[3], double u[3])
{
	u[1] = (p[1] - cabin_foot) / cabin_height;
	double h = fmin(fmax(u[1], -0.5), 1.2);
	u[0] = (p[0] - cabin_middle) / (0.9 - 0.3 * h);
	u[2] = p[2] / (0.77 - 0.13 * h);
}

static double cabin(const double p[3])
{
	double u[3];
	cabin_coordinates(p, u);
	double q[3] = { 0.72 * u[0], cabin_foot + cabin_height * u[1], 0.7 * u[2] };
	double middle[3] = { 0, cabin_foot + 0.1, 0 }, half[3] = { 0.72, 0.53, 0.7 };
	double solid = lm_field_box(q, middle, half, 0.2);
	// Panes: windscreen and rear window across, two windows on each side.
	double row = band(0.22, 0.78, 0.05, u[1]), side = lm_make_step(0.75, 0.85, fabs(u[2]));
	double ends = lm_make_step(0.75, 0.85, fabs(u[0])) * band(-0.74, 0.74, 0.05, u[2]);
	double flank = side * (band(-0.75, -0.1, 0.05, u[0]) + band(0.1, 0.75, 0.05, u[0]));
	return solid + 0.035 * row * fmin(ends + flank, 1);
}

static double body(const double p[3])
{
	double middle[3] = { 0, 0.49, 0 }, half[3] = { 1.93, 0.34, 0.82 };
	// The bonnet and the tail fall off a little.
	double drop = 0.1 * pow(fmax(fabs(p[0]) - 0.6, 0) / 1.4, 2);
	double q[3] = { p[0], p[1] + drop * lm_make_step(0.3, 0.8, p[1]), p[2] };
	double solid = lm_field_box(q, middle, half, 0.18);
	double flank = lm_make_step(0.6, 0.7, fabs(p[2])), seam = band(0.3, 0.68, 0.03, p[1]);
	for (int32_t line = 0; line < 3; line++) // the doors' seams
		solid += 0.035 * flank * seam * band(-0.03, 0.03, 0.03, p[0] - (-1.1 + 0.75 * line));
	double nose = lm_make_step(1.7, 1.8, p[0]);
	for (int32_t slot = 0; slot < 3; slot++) // the grille
		solid += 0.05 * nose * band(-0.34, 0.34, 0.03, p[2]) * band(-0.02, 0.02, 0.025, p[1] - (0.46 + 0.1 * slot));
	return solid;
}

static double wheels(const double p[3], double solid)
{
	double z = fabs(p[2]);
	for (int32_t end = -1; end <= 1; end += 2)
	{
		double middle[3] = { 1.22 * end, 0.305, 0 }, q[3] = { p[0], p[1], z };
		double arch[3] = { middle[0], middle[1], 0.9 }, tyre[3] = { middle[0], middle[1], 0.69 };
		solid = lm_field_cut(solid, lm_field_wheel(q, arch, 0.385, 0.36, 0.05), 0.06);
		double r = hypot(p[0] - middle[0], p[1] - middle[1]);
		double dish = 0.05 * lm_make_step(0.7, 0.75, z) * (lm_make_step(0.27, 0.19, r) - lm_make_step(0.14, 0.06, r));
		solid = lm_field_join(solid, lm_field_wheel(q, tyre, 0.295, 0.15, 0.07) + dish, 0.02);
		double axle[3] = { middle[0], middle[1], 0 };
		solid = lm_field_join(solid, lm_field_wheel(p, axle, 0.09, 0.6, 0.02), 0.03); // holds the wheel
	}
	return solid;
}

static double car(const double p[3], const void* context)
{
	(void)context;
	double q[3] = { p[0], p[1], fabs(p[2]) };
	double solid = lm_field_join(body(p), cabin(p), 0.12);
	solid = wheels(p, solid);
	double lamp[3] = { 1.9, 0.58, 0.57 }, tail[3] = { -1.88, 0.6, 0.6 };
	double lamp_radii[3] = { 0.1, 0.13, 0.13 }, tail_radii[3] = { 0.06, 0.1, 0.12 };
	solid = lm_field_join(solid, lm_field_ellipsoid(q, lamp, lamp_radii), 0.02);
	solid = lm_field_join(solid, lm_field_ellipsoid(q, tail, tail_radii), 0.02);
	double front[3] = { 1.89, 0.26, 0 }, rear[3] = { -1.89, 0.28, 0 }, bumper[3] = { 0.1, 0.08, 0.83 };
	solid = lm_field_join(solid, lm_field_box(q, front, bumper, 0.07), 0.03);
	solid = lm_field_join(solid, lm_field_box(q, rear, bumper, 0.07), 0.03);
	double mirror[3] = { 0.36, 0.91, 0.76 }, mirror_radii[3] = { 0.06, 0.06, 0.08 };
	return lm_field_join(solid, lm_field_ellipsoid(q, mirror, mirror_radii), 0.03);
}

// ---- the cage ----

static bool cage_filled(int32_t i, int32_t j, int32_t k)
{
	(void)k;
	return j < 2 || (i >= 2 && i < 7);
}

static const make_block cage = {
	.cells = { 11, 4, 3 }, .low = { -2, 0, -0.86 }, .cell = { 4.0 / 11, 0.42, 1.72 / 3 }, .filled = cage_filled
};

// The upper two layers follow the cabin.
static void fit_cage(double p[3], const void* context)
{
	(void)context;
	double h = fmax(p[1] - cabin_foot, 0) / 0.84;
	p[1] = p[1] <= cabin_foot ? p[1] : cabin_foot + h * cabin_height;
	p[0] += h * (cabin_middle - p[0]) * 0.3;
	p[2] *= 1 - 0.17 * h;
}

// ---- three ways to crumple ----

// Folds like a squeeze-box.
static void pleated(double p[3], const void* context)
{
	(void)context;
	double wave = cos(2 * MAKE_PI * (p[0] - 2) / 1.4545);
	p[2] *= 1.05 - 0.22 * wave;
	p[1] *= 1.04 - 0.18 * wave;
	p[0] *= 0.66;
}

// Rears up in the middle.
static void arched(double p[3], const void* context)
{
	(void)context;
	double swing = 0.32 * (1 + cos(MAKE_PI * p[0] / 2)), lean = -0.42 * sin(MAKE_PI * p[0] / 2), y = p[1] - 0.4;
	p[0] = 0.78 * p[0] - sin(lean) * y;
	p[1] = 0.4 + swing + cos(lean) * y;
}

// Turns about its own length.
static void wrung(double p[3], const void* context)
{
	(void)context;
	double middle[3] = { 0, 0.55, 0 }, axis[3] = { 1, 0, 0 };
	lm_make_turn(p, middle, axis, 0.11 * MAKE_PI * p[0]);
	p[0] *= 0.74;
}

bool lm_make_cars(make_output* output)
{
	double low[3] = { -2.1, -0.1, -1 }, high[3] = { 2.1, 1.6, 1 };
	lm_mesh* surface = lm_make_polygonise(car, NULL, low, high, 0.06, &output->host);
	lm_mesh* mesh = lm_make_block_mesh(&cage, &output->host);
	bool made = surface && mesh;
	if (made)
	{
		for (int32_t v = 0; v < mesh->vertex_count; v++)
			fit_cage(mesh->positions + 3 * v, NULL);
		made = lm_make_write(output, "car.msh", mesh, NULL) &&
		       lm_make_write(output, "car-surface.ply", surface, NULL) &&
		       lm_make_write_pose(output, "car-pleated.msh", mesh, pleated, NULL) &&
		       lm_make_write_pose(output, "car-arched.msh", mesh, arched, NULL) &&
		       lm_make_write_pose(output, "car-wrung.msh", mesh, wrung, NULL);
	}
	else
		lm_make_no_memory(output);
	lm_mesh_destroy(surface);
	lm_mesh_destroy(mesh);
	return made;
}
