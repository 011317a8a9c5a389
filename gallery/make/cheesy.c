// cheesy.c: a wedge of cheese on two legs, 1 m high, that faces along x: 84 vertices (252 unknowns) and a cage of 48
// that goes round each leg; and the grapes that are after it, a sphere of 42 vertices and a middle (129 unknowns).
#include "make.h"

#include <math.h>

static bool filled(int32_t i, int32_t j, int32_t k)
{
	(void)i;
	return j >= 2 || k != 1;
}

static const make_block cells = { .cells = { 2, 6, 3 }, .low = { -1, 0, 0 }, .cell = { 1, 1, 1 }, .filled = filled };
static const make_block cage_cells = {
	.cells = { 1, 5, 3 }, .low = { 0, 0, 0 }, .cell = { 1, 1, 1 }, .filled = filled
};

static const double hip = 0.36, rind = 0.28, tip = 0.07; // height of the hips, half widths at the rind and the tip

static double half_width(double y)
{
	return rind + (tip - rind) * (y - hip) / (1 - hip);
}

// From cells to metres; legs are slimmer at the ankles.
static void shape(double p[3])
{
	static const double height[7] = { 0, 0.17, 0.36, 0.52, 0.68, 0.84, 1 };
	int32_t level = (int32_t)p[1], line = (int32_t)p[2];
	double across = (2 * line - 3) / 3.0, leg = line < 2 ? -0.17 : 0.17, y = height[level];
	p[0] *= level == 1 ? 0.105 : level == 0 ? 0.15 : 0.14;
	p[1] = y;
	p[2] = level < 2 ? leg + (level == 1 ? 0.8 : 1) * (across * 0.255 - leg) : across * half_width(y);
}

static void cage_shape(double p[3])
{
	static const double height[6] = { -0.04, 0.17, 0.33, 0.56, 0.8, 1.06 };
	int32_t level = (int32_t)p[1], line = (int32_t)p[2];
	double y = height[level], wide = level < 2 ? 0.31 : half_width(fmax(y, hip)) + 0.05;
	double inner = level < 3 ? 0.045 : wide / 3;
	p[0] = 0.2 * (2 * p[0] - 1);
	p[1] = y;
	p[2] = (line < 2 ? -1 : 1) * (line == 0 || line == 3 ? wide : inner);
}

// ---- what is seen ----

static double wedge(const double q[3])
{
	double slope = (rind - tip) / (1 - hip), length = hypot(1, slope);
	double side = (q[2] - 0.01 - half_width(q[1])) / length;
	double block = -lm_field_join(-side, -fmax(fabs(q[0]) - 0.125, hip - 0.01 - q[1]), 0.04);
	block = -lm_field_join(-block, -(q[1] - 0.99), 0.04);
	double crust[3] = { 0, hip + 0.015, 0 }, crust_half[3] = { 0.14, 0.035, rind + 0.005 };
	return lm_field_join(block, lm_field_box(q, crust, crust_half, 0.03), 0.01);
}

static double holes(const double p[3], double solid)
{
	static const double list[][4] = { { 0.14, 0.86, 0.015, 0.045 },  { 0.14, 0.5, 0.185, 0.05 },
		                              { 0.14, 0.475, -0.19, 0.038 }, { 0.14, 0.7, -0.165, 0.03 },
		                              { -0.14, 0.6, 0.06, 0.07 },    { -0.14, 0.8, -0.05, 0.045 },
		                              { -0.14, 0.5, -0.15, 0.05 },   { 0.02, 0.6, 0.215, 0.055 },
		                              { -0.05, 0.8, 0.14, 0.04 },    { -0.02, 0.52, -0.24, 0.055 },
		                              { 0.05, 0.76, -0.165, 0.045 } };
	for (size_t k = 0; k < sizeof list / sizeof list[0]; k++)
	{
		double radii[3] = { list[k][3], list[k][3], list[k][3] };
		solid = lm_field_cut(solid, lm_field_ellipsoid(p, list[k], radii), 0.012);
	}
	return solid;
}

static double face(const double q[3], double solid)
{
	double eye[3] = { 0.125, 0.715, 0.06 }, eye_radii[3] = { 0.035, 0.058, 0.042 };
	double pupil[3] = { 0.162, 0.712, 0.056 }, pupil_radii[3] = { 0.016, 0.024, 0.018 };
	solid = lm_field_join(solid, lm_field_ellipsoid(q, eye, eye_radii), 0.006);
	solid = lm_field_cut(solid, lm_field_ellipsoid(q, pupil, pupil_radii), 0.004);
	// it is afraid: the mouth is an O
	double mouth[3] = { 0.135, 0.565, 0 }, mouth_radii[3] = { 0.05, 0.05, 0.04 };
	return lm_field_cut(solid, lm_field_ellipsoid(q, mouth, mouth_radii), 0.012);
}

static double cheesy(const double p[3], const void* context)
{
	(void)context;
	double q[3] = { p[0], p[1], fabs(p[2]) };
	double solid = face(q, holes(p, wedge(q)));
	double top[3] = { 0, 0.4, 0.17 }, ankle[3] = { 0, 0.12, 0.17 };
	double shoe[3] = { 0.012, 0.05, 0.17 }, shoe_half[3] = { 0.14, 0.05, 0.082 };
	double toe[3] = { 0.085, 0.07, 0.17 }, toe_radii[3] = { 0.07, 0.06, 0.08 };
	double leg = lm_field_limb(q, top, ankle, 0.06, 0.05);
	leg = lm_field_join(leg, lm_field_box(q, shoe, shoe_half, 0.045), 0.03);
	leg = lm_field_join(leg, lm_field_ellipsoid(q, toe, toe_radii), 0.02);
	return lm_field_join(solid, leg, 0.03);
}

// ---- a grape: round, with a face and the end of its stalk ----

#define GRAPE 0.12

static double grape(const double p[3], const void* context)
{
	(void)context;
	double q[3] = { p[0], p[1], fabs(p[2]) }, middle[3] = { 0 }, radii[3] = { GRAPE, GRAPE, GRAPE };
	double solid = lm_field_ellipsoid(p, middle, radii);
	double from[3] = { 0, 0.11, 0 }, to[3] = { -0.012, 0.145, 0.008 };
	solid = lm_field_join(solid, lm_field_limb(p, from, to, 0.016, 0.012), 0.012);
	double eye[3] = { 0.102, 0.045, 0.04 }, eye_radii[3] = { 0.014, 0.024, 0.018 };
	double brow[3] = { 0.112, 0.066, 0.042 }, brow_to[3] = { 0.122, 0.054, 0.014 };
	solid = lm_field_join(solid, lm_field_ellipsoid(q, eye, eye_radii), 0.003);
	solid = lm_field_join(solid, lm_field_limb(q, brow, brow_to, 0.007, 0.007), 0.003);
	double grin = hypot(hypot(p[2], p[1] - 0.01) - 0.05, fmax(p[1] + 0.012, 0)) - 0.007;
	return p[0] > 0 ? lm_field_cut(solid, fmax(grin, 0.07 - p[0]), 0.004) : solid;
}

static bool make_grape(make_output* output)
{
	double positions[3 * (MAKE_SPHERE_POINTS + 1)] = { 0 };
	int32_t triangles[3 * MAKE_SPHERE_TRIANGLES];
	lm_make_sphere(positions, triangles);
	for (int32_t c = 0; c < 3 * MAKE_SPHERE_POINTS; c++)
		positions[c] *= GRAPE;
	make_layers layers = { .vertices = MAKE_SPHERE_POINTS,
		                   .triangle_count = MAKE_SPHERE_TRIANGLES,
		                   .triangles = triangles,
		                   .count = 1,
		                   .core = true };
	double low[3] = { -0.17, -0.17, -0.17 }, high[3] = { 0.17, 0.17, 0.17 };
	lm_mesh* mesh = lm_make_layers_mesh(&layers, positions, &output->host);
	lm_mesh* surface = lm_make_polygonise(grape, NULL, low, high, 0.0085, &output->host);
	bool made = mesh && surface ? lm_make_write(output, "grape.msh", mesh, NULL) &&
	                                  lm_make_write(output, "grape-surface.ply", surface, NULL)
	                            : lm_make_no_memory(output);
	lm_mesh_destroy(mesh);
	lm_mesh_destroy(surface);
	return made;
}

// ---- all of it ----

static lm_mesh* shaped(const make_block* block, void (*map)(double p[3]), const lm_host* host)
{
	lm_mesh* mesh = lm_make_block_mesh(block, host);
	for (int32_t v = 0; mesh && v < mesh->vertex_count; v++)
		map(mesh->positions + 3 * v);
	return mesh;
}

bool lm_make_cheesy(make_output* output)
{
	lm_mesh *mesh = shaped(&cells, shape, &output->host), *cage = shaped(&cage_cells, cage_shape, &output->host);
	double low[3] = { -0.25, -0.06, -0.38 }, high[3] = { 0.25, 1.07, 0.38 };
	lm_mesh* surface = lm_make_polygonise(cheesy, NULL, low, high, 0.016, &output->host);
	bool made = mesh && cage && surface ? lm_make_write(output, "cheesy.msh", mesh, NULL) &&
	                                          lm_make_write(output, "cheesy-cage.obj", cage, NULL) &&
	                                          lm_make_write(output, "cheesy-surface.ply", surface, NULL)
	                                    : lm_make_no_memory(output);
	lm_mesh_destroy(mesh);
	lm_mesh_destroy(cage);
	lm_mesh_destroy(surface);
	return made && make_grape(output);
}
