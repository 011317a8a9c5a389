// roller.c: a ball that rolls: two nested spheres of 42 vertices and a centre (255 unknowns), dressed as a beach ball
// with a face.
#include "make.h"

#include <math.h>
#include <string.h>

#define RADIUS 0.3

enum
{
	POINTS = MAKE_SPHERE_POINTS,
	TRIANGLES = MAKE_SPHERE_TRIANGLES
};

// ---- the icosahedron with every triangle cut in four ----

static const double golden = 1.6180339887498949;

static int32_t add_point(double* points, int32_t* count, const double p[3])
{
	double size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), unit[3] = { p[0] / size, p[1] / size, p[2] / size };
	for (int32_t v = 0; v < *count; v++)
	{
		const double* q = points + 3 * v;
		if (fabs(q[0] - unit[0]) + fabs(q[1] - unit[1]) + fabs(q[2] - unit[2]) < 1e-6)
			return v;
	}
	memcpy(points + 3 * *count, unit, sizeof unit);
	return (*count)++;
}

static int32_t add_middle(double* points, int32_t* count, int32_t a, int32_t b)
{
	const double *p = points + 3 * a, *q = points + 3 * b;
	double middle[3] = { p[0] + q[0], p[1] + q[1], p[2] + q[2] };
	return add_point(points, count, middle);
}

void lm_make_sphere(double* points, int32_t* triangles)
{
	int32_t count = 0;
	for (int32_t k = 0; k < 12; k++)
	{
		double p[3], one = k & 1 ? -1 : 1, phi = k & 2 ? -golden : golden;
		int32_t axis = k / 4;
		p[axis] = 0, p[(axis + 1) % 3] = one, p[(axis + 2) % 3] = phi;
		add_point(points, &count, p);
	}
	// neighbours among the twelve are 1.0515 apart
	int32_t* t = triangles;
	for (int32_t a = 0; a < 12; a++)
		for (int32_t b = a + 1; b < 12; b++)
			for (int32_t c = b + 1; c < 12; c++)
			{
				bool near = true;
				for (int32_t k = 0; k < 3; k++)
				{
					const double* p = points + 3 * (k == 0 ? a : k == 1 ? b : c);
					const double* q = points + 3 * (k == 0 ? b : k == 1 ? c : a);
					near = near && hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]) < 1.1;
				}
				if (!near)
					continue;
				int32_t ab = add_middle(points, &count, a, b), bc = add_middle(points, &count, b, c);
				int32_t ca = add_middle(points, &count, c, a);
				int32_t list[12] = { a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca };
				memcpy(t, list, sizeof list);
				t += 12;
			}
}

// ---- what is seen ----

// Six gores with seams between them, a button at each end, and a face between the ends.
static double ball(const double p[3], const void* context)
{
	(void)context;
	double r = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), solid = r - RADIUS;
	double size = fmax(r, 1e-9), u[3] = { p[0] / size, p[1] / size, p[2] / size };
	double around = atan2(p[1], p[0]), gore = remainder(around, MAKE_PI / 3);
	double seam = hypot(sin(gore) * hypot(p[0], p[1]), fmax(fabs(u[2]) - 0.93, 0)) - 0.012;
	solid = lm_field_cut(solid, hypot(fmax(seam, 0), solid) + fmin(seam, 0), 0.006);
	double button[3] = { 0, 0, p[2] < 0 ? -RADIUS : RADIUS }, button_radii[3] = { 0.07, 0.07, 0.02 };
	solid = lm_field_join(solid, lm_field_ellipsoid(p, button, button_radii), 0.008);
	// the face looks along x, its up is y
	double q[3] = { p[0], p[1], fabs(p[2]) };
	double eye[3] = { 0.255, 0.105, 0.095 }, eye_radii[3] = { 0.03, 0.05, 0.038 };
	solid = lm_field_join(solid, lm_field_ellipsoid(q, eye, eye_radii), 0.005);
	double pupil[3] = { 0.284, 0.112, 0.1 }, pupil_radii[3] = { 0.016, 0.019, 0.016 };
	solid = lm_field_cut(solid, lm_field_ellipsoid(q, pupil, pupil_radii), 0.003);
	double smile = hypot(hypot(p[2], p[1] - 0.04) - 0.14, fmax(p[1] + 0.02, 0)) - 0.011;
	if (p[0] > 0)
		solid = lm_field_cut(solid, hypot(fmax(smile, 0), solid) - 0.009 + fmin(smile, 0), 0.006);
	return solid;
}

bool lm_make_roller(make_output* output)
{
	double points[3 * POINTS], positions[3 * (2 * POINTS + 1)] = { 0 };
	int32_t triangles[3 * TRIANGLES];
	lm_make_sphere(points, triangles);
	for (int32_t c = 0; c < 3 * POINTS; c++)
	{
		positions[c] = RADIUS * points[c];
		positions[3 * POINTS + c] = 0.55 * RADIUS * points[c];
	}
	make_layers layers = {
		.vertices = POINTS, .triangle_count = TRIANGLES, .triangles = triangles, .count = 2, .core = true
	};
	double low[3] = { -0.36, -0.36, -0.36 }, high[3] = { 0.36, 0.36, 0.36 };
	lm_mesh* mesh = lm_make_layers_mesh(&layers, positions, &output->host);
	lm_mesh* surface = lm_make_polygonise(ball, NULL, low, high, 0.0125, &output->host);
	bool made = mesh && surface ? lm_make_write(output, "sphere.msh", mesh, NULL) &&
	                                  lm_make_write(output, "sphere-surface.ply", surface, NULL)
	                            : lm_make_no_memory(output);
	lm_mesh_destroy(mesh);
	lm_mesh_destroy(surface);
	return made;
}
