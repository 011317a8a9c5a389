#include "fine_cylinder.h"

#include <math.h>

#define PI 3.14159265358979323846

// A square grid pressed into the disc: each square ring of the grid becomes a circle.
static void to_disc(double u, double v, double* x, double* z)
{
	double reach = fmax(fabs(u), fabs(v)), length = hypot(u, v);
	double scale = length > 0 ? reach / length : 0;
	*x = u * scale, *z = v * scale;
}

static void place(lm_mesh* mesh, int32_t across, int32_t along, double radius, double height)
{
	double* p = mesh->positions;
	for (int32_t j = 0; j < along; ++j)
		for (int32_t i = 0; i < across; ++i)
			for (int32_t k = 0; k < across; ++k, p += 3)
			{
				to_disc(2.0 * i / (across - 1) - 1, 2.0 * k / (across - 1) - 1, &p[0], &p[2]);
				p[0] *= radius, p[2] *= radius;
				p[1] = height * j / (along - 1);
			}
}

static double volume(const lm_mesh* mesh, const int32_t* t)
{
	double e[3][3];
	for (int k = 0; k < 3; ++k)
		for (int d = 0; d < 3; ++d)
			e[k][d] = mesh->positions[3 * t[k + 1] + d] - mesh->positions[3 * t[0] + d];
	return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
	       e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

// Six tetrahedra around the diagonal of each cell. Corners of a cell: bit 0 along k, bit 1 along i, bit 2 along j.
static void fill_tets(lm_mesh* mesh, int32_t across, int32_t along)
{
	static const int8_t six[6][4] = { { 0, 1, 3, 7 }, { 0, 3, 2, 7 }, { 0, 2, 6, 7 },
		                              { 0, 6, 4, 7 }, { 0, 4, 5, 7 }, { 0, 5, 1, 7 } };
	int32_t* t = mesh->tets;
	for (int32_t j = 0; j + 1 < along; ++j)
		for (int32_t i = 0; i + 1 < across; ++i)
			for (int32_t k = 0; k + 1 < across; ++k)
				for (int s = 0; s < 6; ++s, t += 4)
				{
					for (int c = 0; c < 4; ++c)
					{
						int corner = six[s][c];
						t[c] = ((j + (corner >> 2)) * across + i + (corner >> 1 & 1)) * across + k + (corner & 1);
					}
					if (volume(mesh, t) < 0)
					{
						int32_t old = t[2];
						t[2] = t[3], t[3] = old;
					}
				}
}

lm_mesh* fine_cylinder(int32_t across, int32_t along, double radius, double height)
{
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, across * across * along, 0, 6 * (across - 1) * (across - 1) * (along - 1));
	if (!mesh)
		return NULL;
	place(mesh, across, along, radius, height);
	fill_tets(mesh, across, along);
	lm_error error;
	if (lm_mesh_extract_surface(mesh, &error) != LM_OK)
	{
		lm_mesh_destroy(mesh);
		return NULL;
	}
	return mesh;
}

lm_mesh* fine_corkscrew(const lm_mesh* cylinder, double height)
{
	lm_host host = lm_host_default();
	lm_mesh* pose = lm_mesh_copy(cylinder, &host);
	for (int32_t v = 0; pose && v < pose->vertex_count; ++v)
	{
		double* p = &pose->positions[3 * v];
		double angle = PI * p[1] / height, x = p[0], z = p[2];
		p[0] = 1.1 * (cos(angle) * x + sin(angle) * z);
		p[1] *= 0.7;
		p[2] = 1.1 * (cos(angle) * z - sin(angle) * x);
	}
	return pose;
}
