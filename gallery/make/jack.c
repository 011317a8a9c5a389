// jack.c: a cross of three bars, like the jack of the children's game, that runs on its six legs (351 vertices), and a
// pose for each leg in which it is longer.
#include "make.h"

#include <math.h>

enum
{
	LEG = 6 // cells
};

static const double core = 0.075, leg = 0.3; // half the core's width, a leg's length

static bool in_core(int32_t i)
{
	return i == LEG || i == LEG + 1;
}

static bool filled(int32_t i, int32_t j, int32_t k)
{
	return in_core(i) + in_core(j) + in_core(k) >= 2;
}

static const make_block cells = { .cells = { 2 * LEG + 2, 2 * LEG + 2, 2 * LEG + 2 },
	                              .low = { -LEG - 1, -LEG - 1, -LEG - 1 },
	                              .cell = { 1, 1, 1 },
	                              .filled = filled };

// From cells to metres: legs taper a little, their tips are rounded.
static void shape(double p[3])
{
	double q[3] = { p[0], p[1], p[2] }, out = fmax(fabs(q[0]), fmax(fabs(q[1]), fabs(q[2])));
	double s = fmax(out - 1, 0) / LEG, width = core * (1 - 0.2 * s) * (s > 0.99 ? 0.8 : 1);
	for (int32_t d = 0; d < 3; d++)
		p[d] = fabs(q[d]) > 1 ? copysign(core + s * leg, q[d]) : width * q[d];
}

// One leg 2.4 times as long and a little thinner.
static void longer(double p[3], const void* context)
{
	int32_t which = *(const int32_t*)context, axis = which / 2;
	double side = which % 2 ? -1 : 1, beyond = side * p[axis] - core;
	if (beyond <= 0)
		return;
	double thin = 1 - 0.2 * lm_make_step(0, 0.4 * leg, beyond);
	p[axis] = side * (core + 2.4 * beyond);
	p[(axis + 1) % 3] *= thin;
	p[(axis + 2) % 3] *= thin;
}

// ---- what is seen: bellows with round feet, and a face that looks between three legs ----

static double face(const double p[3], double solid)
{
	// the face's own axes: ahead (1, 1, 1), up (-1, 2, -1), and to its left
	double ahead = (p[0] + p[1] + p[2]) / sqrt(3), up = (2 * p[1] - p[0] - p[2]) / sqrt(6);
	double left = (p[0] - p[2]) / sqrt(2);
	double q[3] = { ahead, up, fabs(left) };
	double eye[3] = { 0.135, 0.03, 0.032 }, eye_radii[3] = { 0.022, 0.03, 0.022 };
	double pupil[3] = { 0.156, 0.034, 0.032 }, pupil_radii[3] = { 0.01, 0.012, 0.01 };
	solid = lm_field_join(solid, lm_field_ellipsoid(q, eye, eye_radii), 0.006);
	solid = lm_field_cut(solid, lm_field_ellipsoid(q, pupil, pupil_radii), 0.003);
	double smile = hypot(hypot(up - 0.01, left) - 0.05, fmax(up + 0.015, 0)) - 0.007;
	return ahead > 0 ? lm_field_cut(solid, fmax(smile, 0.1 - ahead), 0.005) : solid;
}

static double jack(const double p[3], const void* context)
{
	(void)context;
	double middle[3] = { 0, 0, 0 }, radii[3] = { 0.145, 0.145, 0.145 };
	double solid = lm_field_ellipsoid(p, middle, radii);
	for (int32_t axis = 0; axis < 3; axis++)
	{
		double along = fabs(p[axis]), across = hypot(p[(axis + 1) % 3], p[(axis + 2) % 3]);
		double s = fmin(fmax((along - core) / leg, 0), 1),
			   fold = 0.006 * cos(12 * MAKE_PI * s) * lm_make_step(0.8, 0.7, s);
		double bar = fmax(across - core * (0.82 - 0.2 * s) - fold, along - core - leg + 0.05);
		double foot = hypot(across, along - core - leg + 0.068) - 0.068;
		solid = lm_field_join(solid, lm_field_join(0.8 * bar, foot, 0.012), 0.04);
	}
	return face(p, solid);
}

bool lm_make_jack(make_output* output)
{
	lm_mesh* mesh = lm_make_block_mesh(&cells, &output->host);
	double low[3] = { -0.42, -0.42, -0.42 }, high[3] = { 0.42, 0.42, 0.42 };
	lm_mesh* surface = lm_make_polygonise(jack, NULL, low, high, 0.012, &output->host);
	bool made = mesh && surface;
	for (int32_t v = 0; made && v < mesh->vertex_count; v++)
		shape(mesh->positions + 3 * v);
	made = made ? lm_make_write(output, "cross.msh", mesh, NULL) &&
	                  lm_make_write(output, "cross-surface.ply", surface, NULL)
	            : lm_make_no_memory(output);
	for (int32_t k = 0; made && k < 6; k++)
	{
		char name[] = "cross-leg-0.msh";
		name[10] = (char)('1' + k);
		made = lm_make_write_pose(output, name, mesh, longer, &k);
	}
	lm_mesh_destroy(mesh);
	lm_mesh_destroy(surface);
	return made;
}
