// bag.c: a paper bag of 88 vertices that does a backflip without regard for itself (Bergou et al. 2007, Sec. 5.3), and
// three undeformed shapes for the cloth of two subdivisions that follows it.
#include "make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Rings from the opening down: five of sixteen vertices, then one of eight, which is the bottom.
static lm_mesh* bag(const lm_host* host)
{
	lm_mesh* mesh = lm_mesh_create(host, 88, 158, 0);
	if (!mesh)
		return NULL;
	for (int32_t ring = 0; ring < 6; ring++)
		for (int32_t i = 0; i < (ring < 5 ? 16 : 8); i++)
		{
			double angle = 2 * MAKE_PI * i / (ring < 5 ? 16 : 8), radius = ring < 5 ? 0.26 : 0.17;
			double* p = mesh->positions + 3 * (16 * (size_t)ring + (size_t)i);
			p[0] = radius * cos(angle), p[1] = ring < 5 ? 1 - 0.225 * ring : 0, p[2] = -radius * sin(angle);
		}
	int32_t* t = mesh->triangles;
	for (int32_t ring = 0; ring < 4; ring++)
		for (int32_t i = 0; i < 16; i++, t += 6)
		{
			int32_t a = 16 * ring + i, b = 16 * ring + (i + 1) % 16, c = a + 16, d = b + 16;
			const int32_t one[6] = { a, c, d, a, d, b }, two[6] = { a, c, b, b, c, d };
			memcpy(t, (ring + i) % 2 ? one : two, sizeof one);
		}
	for (int32_t i = 0; i < 8; i++, t += 9)
	{
		int32_t a = 64 + 2 * i, b = a + 1, c = 64 + (2 * i + 2) % 16, d = 80 + i, e = 80 + (i + 1) % 8;
		const int32_t skirt[9] = { a, d, b, b, d, e, b, e, c };
		memcpy(t, skirt, sizeof skirt);
	}
	for (int32_t i = 1; i < 7; i++, t += 3)
	{
		const int32_t fan[3] = { 80, 80 + i + 1, 80 + i };
		memcpy(t, fan, sizeof fan);
	}
	return mesh;
}

// Bent about the x axis by `angle` from bottom to top; beyond 1 / angle the inner side goes through itself.
static void bend(double p[3], double angle)
{
	if (fabs(angle) < 1e-9)
		return;
	double along = angle * p[1], radius = 1 / angle, out = radius - p[2];
	p[1] = out * sin(along), p[2] = radius - out * cos(along);
}

static void backflip(double p[3], double time, const void* context)
{
	(void)context;
	static const double lean[][2] = { { 0.1, 0 },   { 0.8, 3.6 }, { 1.2, -1.2 }, { 1.6, 3.9 },
		                              { 2.0, 0.5 }, { 2.4, 2.6 }, { 2.9, 0 } };
	static const double turn[][2] = { { 1.05, 0 }, { 2.05, -360 } };
	static const double rise[][2] = { { 1.0, 0 }, { 1.55, 0.9 }, { 2.1, 0 } };
	bend(p, lm_make_curve(lean, 7, time));
	const double middle[3] = { 0, 0.4, 0.1 }, axis[3] = { 1, 0, 0 };
	lm_make_turn(p, middle, axis, lm_make_curve(turn, 2, time) * MAKE_PI / 180);
	p[1] += lm_make_curve(rise, 3, time);
}

// ---- undeformed shapes ----

// Folded across like an accordion.
static void accordion(double p[3], const void* context)
{
	(void)context;
	double swing = fabs(remainder(p[1] * 7, 1)) * 2 - 0.5;
	double scale = 1 + 0.22 * swing * lm_make_step(0.05, 0.15, p[1]);
	p[0] *= scale, p[2] *= scale;
}

// Pleated along, like a ribbon.
static void ribbon(double p[3], const void* context)
{
	(void)context;
	double scale = 1 + 0.08 * cos(8 * atan2(p[2], p[0])) * lm_make_step(0.02, 0.2, p[1]);
	p[0] *= scale, p[2] *= scale;
}

// Crumpled: sines that have nothing to do with each other.
static void crumpled(double p[3], const void* context)
{
	(void)context;
	double q[3] = { p[0], p[1], p[2] };
	for (int32_t d = 0; d < 3; d++)
		p[d] +=
			0.006 * (sin(31 * q[0] + 17 * q[1] - 23 * q[2] + 2 * d) + sin(-19 * q[0] + 41 * q[1] + 29 * q[2] + 5 * d));
}

static bool write_shape(make_output* output, const char* name, const lm_mesh* fine, make_map map)
{
	double* positions = lm_make_posed(fine, map, NULL);
	if (!positions)
		return lm_make_no_memory(output);
	bool written = lm_make_write(output, name, fine, positions);
	free(positions);
	return written;
}

bool lm_make_bags(make_output* output)
{
	lm_mesh *mesh = bag(&output->host), *fine = NULL;
	lm_binding* map = NULL;
	if (!mesh)
		return lm_make_no_memory(output);
	bool made = lm_make_write(output, "bag.obj", mesh, NULL) &&
	            lm_make_write_film(output, "bag-backflip.pc2", mesh, &(make_film){ 97, 24, backflip, NULL }) &&
	            lm_mesh_subdivide(mesh, 2, LM_SUBDIVIDE_LOOP, &output->host, &fine, &map, &output->error) == LM_OK &&
	            write_shape(output, "bag-accordion.ply", fine, accordion) &&
	            write_shape(output, "bag-ribbon.ply", fine, ribbon) &&
	            write_shape(output, "bag-crumpled.ply", fine, crumpled);
	lm_mesh_destroy(mesh), lm_mesh_destroy(fine), lm_binding_destroy(map);
	return made;
}
