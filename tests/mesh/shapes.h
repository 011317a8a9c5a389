// shapes.h: meshes that the tests of this folder are made on.
#ifndef LIMBER_TEST_SHAPES_H
#define LIMBER_TEST_SHAPES_H

#include "limber/mesh.h"
#include "math/vec.h"

// A block of nx x ny x nz unit cubes, each cut into six tetrahedra around its diagonal (Kuhn).
static inline lm_mesh* shape_block(const lm_host* host, int nx, int ny, int nz)
{
	lm_mesh* mesh = lm_mesh_create(host, (nx + 1) * (ny + 1) * (nz + 1), 0, 6 * nx * ny * nz);
	if (mesh == NULL)
		return NULL;
	const int step[3] = { 1, nx + 1, (nx + 1) * (ny + 1) };
	// even permutations of the axes first: going along them gives positive volumes; odd ones swap two corners
	const int order[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 0, 2, 1 }, { 2, 1, 0 }, { 1, 0, 2 } };
	int32_t* tet = mesh->tets;
	for (int k = 0; k <= nz; ++k)
		for (int j = 0; j <= ny; ++j)
			for (int i = 0; i <= nx; ++i)
			{
				int v = i + j * step[1] + k * step[2];
				lm_v3_store(mesh->positions, v, lm_v3(i, j, k));
				for (int p = 0; p < 6 && i < nx && j < ny && k < nz; ++p, tet += 4)
				{
					int a = v + step[order[p][0]], b = a + step[order[p][1]];
					tet[0] = v;
					tet[1] = p < 3 ? a : b;
					tet[2] = p < 3 ? b : a;
					tet[3] = v + step[0] + step[1] + step[2];
				}
			}
	return mesh;
}

// A sphere of `rows` rings of latitude and 2 rows meridians, closed, outward; only triangles above z >= cut are kept
// (cut -1: all). The poles are single vertices.
static inline lm_mesh* shape_sphere(const lm_host* host, int rows, lm_vec3 centre, double radius, double cut)
{
	int around = 2 * rows;
	lm_mesh* mesh = lm_mesh_create(host, 2 + (rows - 1) * around, 2 * around * (rows - 1), 0);
	if (mesh == NULL)
		return NULL;
	const double pi = 3.14159265358979323846;
	lm_v3_store(mesh->positions, 0, lm_add(centre, lm_v3(0, 0, radius)));
	lm_v3_store(mesh->positions, mesh->vertex_count - 1, lm_add(centre, lm_v3(0, 0, -radius)));
	for (int i = 1; i < rows; ++i)
		for (int j = 0; j < around; ++j)
		{
			double t = pi * i / rows, p = 2 * pi * j / around;
			lm_vec3 n = lm_v3(sin(t) * cos(p), sin(t) * sin(p), cos(t));
			lm_v3_store(mesh->positions, 1 + (i - 1) * around + j, lm_add_scaled(centre, radius, n));
		}
	int32_t kept = 0;
	for (int i = 0; i < rows; ++i)
		for (int j = 0; j < around; ++j)
		{
			int next = (j + 1) % around, top = 1 + (i - 1) * around, low = 1 + i * around;
			int a = i == 0 ? 0 : top + j, b = i == 0 ? 0 : top + next;
			int c = i == rows - 1 ? mesh->vertex_count - 1 : low + j, d = i == rows - 1 ? c : low + next;
			int both[2][3] = { { a, c, d }, { a, d, b } };
			for (int s = 0; s < 2; ++s)
				if (both[s][0] != both[s][1] && both[s][1] != both[s][2] && both[s][2] != both[s][0] &&
				    cos(pi * (i + 1) / rows) >= cut - 1e-9)
					memcpy(mesh->triangles + 3 * kept++, both[s], sizeof both[s]);
		}
	mesh->triangle_count = kept;
	return mesh;
}

// Both surfaces (not their tetrahedra) in one mesh.
static inline lm_mesh* shape_join(const lm_host* host, const lm_mesh* a, const lm_mesh* b)
{
	lm_mesh* mesh = lm_mesh_create(host, a->vertex_count + b->vertex_count, a->triangle_count + b->triangle_count, 0);
	if (mesh == NULL)
		return NULL;
	memcpy(mesh->positions, a->positions, 3 * sizeof(double) * (size_t)a->vertex_count);
	memcpy(mesh->positions + 3 * (size_t)a->vertex_count, b->positions, 3 * sizeof(double) * (size_t)b->vertex_count);
	memcpy(mesh->triangles, a->triangles, 3 * sizeof(int32_t) * (size_t)a->triangle_count);
	for (int i = 0; i < 3 * b->triangle_count; ++i)
		mesh->triangles[3 * a->triangle_count + i] = b->triangles[i] + a->vertex_count;
	return mesh;
}

// Triangles between random vertices: anything may touch anything.
static inline lm_mesh* shape_soup(const lm_host* host, int vertices, int triangles, uint64_t seed)
{
	lm_mesh* mesh = lm_mesh_create(host, vertices, triangles, 0);
	if (mesh == NULL)
		return NULL;
	for (int i = 0; i < 3 * vertices; ++i)
		mesh->positions[i] = test_random(&seed);
	for (int t = 0; t < triangles; ++t)
	{
		int32_t* corner = mesh->triangles + 3 * t;
		for (int i = 0; i < 3; ++i)
			do
				corner[i] = (int32_t)((test_random(&seed) + 1) / 2 * vertices);
			while ((i > 0 && corner[i] == corner[0]) || (i > 1 && corner[i] == corner[1]));
	}
	return mesh;
}

// Signed volume inside the triangles (of a closed surface).
static inline double shape_volume(const lm_mesh* mesh)
{
	double sum = 0;
	for (int t = 0; t < mesh->triangle_count; ++t)
	{
		const int32_t* c = mesh->triangles + 3 * (size_t)t;
		lm_vec3 a = lm_v3_at(mesh->positions, c[0]);
		sum += lm_dot(a, lm_cross(lm_v3_at(mesh->positions, c[1]), lm_v3_at(mesh->positions, c[2]))) / 6;
	}
	return sum;
}

static inline double shape_tet_volume(const lm_mesh* mesh, int t)
{
	const int32_t* c = mesh->tets + 4 * (size_t)t;
	lm_vec3 a = lm_v3_at(mesh->positions, c[0]), b = lm_sub(lm_v3_at(mesh->positions, c[1]), a);
	return lm_dot(lm_cross(b, lm_sub(lm_v3_at(mesh->positions, c[2]), a)), lm_sub(lm_v3_at(mesh->positions, c[3]), a)) /
	       6;
}

static inline double shape_tets_volume(const lm_mesh* mesh)
{
	double sum = 0;
	for (int t = 0; t < mesh->tet_count; ++t)
		sum += shape_tet_volume(mesh, t);
	return sum;
}

#endif
