// shapes.h: generated bodies that the tests of match share.
#ifndef LIMBER_TEST_SHAPES_H
#define LIMBER_TEST_SHAPES_H

#include "../test.h"

#include "limber/match.h"

// nx x ny x nz cubes of the given edge lengths, six tetrahedra each, corner at the origin.
static inline lm_mesh* grid_mesh(const lm_host* host, int nx, int ny, int nz, double dx, double dy, double dz)
{
	lm_mesh* mesh = lm_mesh_create(host, (nx + 1) * (ny + 1) * (nz + 1), 0, 6 * nx * ny * nz);
	if (mesh == NULL)
		return NULL;
	for (int i = 0, v = 0; i <= nx; ++i)
		for (int j = 0; j <= ny; ++j)
			for (int k = 0; k <= nz; ++k, ++v)
			{
				mesh->positions[3 * v] = i * dx;
				mesh->positions[3 * v + 1] = j * dy;
				mesh->positions[3 * v + 2] = k * dz;
			}
	static const int orders[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 0, 2, 1 }, { 2, 1, 0 }, { 1, 0, 2 } };
	int32_t* tet = mesh->tets;
	for (int i = 0; i < nx; ++i)
		for (int j = 0; j < ny; ++j)
			for (int k = 0; k < nz; ++k)
				for (int o = 0; o < 6; ++o, tet += 4)
				{
					int at[3] = { i, j, k };
					for (int c = 0; c < 4; ++c)
					{
						tet[c] = (at[0] * (ny + 1) + at[1]) * (nz + 1) + at[2];
						if (c < 3)
							++at[orders[o][c]];
					}
					if (o >= 3) // odd orders of the axes are mirrored
					{
						int32_t swap = tet[2];
						tet[2] = tet[3], tet[3] = swap;
					}
				}
	return mesh;
}

// The pose of a mesh whose cross-sections along y are turned about their middle, by `turn` from end to end.
static inline double* twisted(const lm_mesh* mesh, double turn)
{
	double low[3], high[3];
	lm_mesh_bounds(mesh->positions, mesh->vertex_count, low, high);
	double* pose = malloc((size_t)mesh->vertex_count * 3 * sizeof(double));
	for (int v = 0; v < mesh->vertex_count; ++v)
	{
		const double* X = mesh->positions + 3 * v;
		double angle = turn * ((X[1] - low[1]) / (high[1] - low[1]) - 0.5);
		double x = X[0] - (low[0] + high[0]) / 2, z = X[2] - (low[2] + high[2]) / 2;
		pose[3 * v] = (low[0] + high[0]) / 2 + cos(angle) * x + sin(angle) * z;
		pose[3 * v + 1] = X[1];
		pose[3 * v + 2] = (low[2] + high[2]) / 2 - sin(angle) * x + cos(angle) * z;
	}
	return pose;
}

// The pose stretched by `factor` along y.
static inline double* stretched(const lm_mesh* mesh, double factor)
{
	double* pose = malloc((size_t)mesh->vertex_count * 3 * sizeof(double));
	for (int k = 0; k < 3 * mesh->vertex_count; ++k)
		pose[k] = mesh->positions[k] * (k % 3 == 1 ? factor : 1);
	return pose;
}

// The pose bent to an S in the x-y plane: the middle line leans by up to `turn` to one side and the other, keeps its
// length, and cross-sections stay square to it.
static inline double* s_shaped(const lm_mesh* mesh, double turn)
{
	double low[3], high[3];
	lm_mesh_bounds(mesh->positions, mesh->vertex_count, low, high);
	double middle = (low[0] + high[0]) / 2, length = high[1] - low[1];
	double* pose = malloc((size_t)mesh->vertex_count * 3 * sizeof(double));
	for (int v = 0; v < mesh->vertex_count; ++v)
	{
		const double* X = mesh->positions + 3 * v;
		double x = middle, y = low[1], step = (X[1] - low[1]) / 100, lean = 0;
		for (int k = 0; k < 100; ++k)
		{
			lean = turn * sin(6.283185307179586 * (k + 0.5) * step / length);
			x += step * sin(lean), y += step * cos(lean);
		}
		lean = turn * sin(6.283185307179586 * (X[1] - low[1]) / length);
		pose[3 * v] = x + cos(lean) * (X[0] - middle);
		pose[3 * v + 1] = y - sin(lean) * (X[0] - middle);
		pose[3 * v + 2] = X[2];
	}
	return pose;
}

static inline lm_match* make_body(const lm_match_def* def, const lm_host* host)
{
	lm_match* body = NULL;
	lm_error error = { 0 };
	if (lm_match_create(def, host, &body, &error) != LM_OK)
		print_error("%s\n", error.message);
	assert_non_null(body);
	return body;
}

// Root mean square distance between two shapes after the best rigid motion, relative to the size of b.
double shape_difference(const double* a, const double* b, int32_t count);

#endif
