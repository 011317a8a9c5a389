// shapes.h: meshes and colliders that the tests of contact are made of.
#ifndef LIMBER_TEST_SHAPES_H
#define LIMBER_TEST_SHAPES_H

#include "test.h"

#include "contact/colliders.h"
#include "limber/contact.h"

static inline lm_placement_key key_at(double time, double x, double y, double z)
{
	return (lm_placement_key){ time, { x, y, z }, { 1, 0, 0, 0 } };
}

// Owns the key, so that a def can be returned by value.
static inline lm_colliders* one_collider(lm_collider_def def, const lm_placement_key* keys, int32_t key_count)
{
	lm_host host = lm_host_default();
	lm_colliders* colliders = NULL;
	lm_error error;
	def.keys = keys, def.key_count = key_count;
	if (lm_colliders_create(&def, 1, &host, &colliders, &error) != LM_OK)
	{
		print_error("%s: %s\n", error.where, error.message);
		fail();
	}
	return colliders;
}

// The surface of a box, outward, 12 triangles.
static inline lm_mesh* box_mesh(double hx, double hy, double hz)
{
	static const int32_t faces[36] = { 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
		                               2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6 };
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, 8, 12, 0);
	for (int v = 0; v < 8; ++v)
	{
		mesh->positions[3 * v] = v & 1 ? hx : -hx;
		mesh->positions[3 * v + 1] = v & 2 ? hy : -hy;
		mesh->positions[3 * v + 2] = v & 4 ? hz : -hz;
	}
	memcpy(mesh->triangles, faces, sizeof faces);
	return mesh;
}

// A square in the x-z plane of n x n cells, facing up.
static inline lm_mesh* sheet_mesh(int n, double half)
{
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, (n + 1) * (n + 1), 2 * n * n, 0);
	for (int j = 0; j <= n; ++j)
		for (int i = 0; i <= n; ++i)
		{
			double* p = mesh->positions + 3 * (j * (n + 1) + i);
			p[0] = half * (2.0 * i / n - 1), p[1] = 0, p[2] = half * (2.0 * j / n - 1);
		}
	int32_t* t = mesh->triangles;
	for (int j = 0; j < n; ++j)
		for (int i = 0; i < n; ++i)
		{
			int a = j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
			*t++ = a, *t++ = c, *t++ = d, *t++ = a, *t++ = d, *t++ = b;
		}
	return mesh;
}

// nx x ny x nz cubes of six tetrahedra each, corner at (x, y, z).
static inline lm_mesh* grid_mesh(int nx, int ny, int nz, double size, double x, double y, double z)
{
	static const int corners[6][4] = { { 0, 1, 3, 7 }, { 0, 3, 2, 7 }, { 0, 2, 6, 7 },
		                               { 0, 6, 4, 7 }, { 0, 4, 5, 7 }, { 0, 5, 1, 7 } };
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, (nx + 1) * (ny + 1) * (nz + 1), 0, 6 * nx * ny * nz);
	int v = 0, t = 0;
	for (int k = 0; k <= nz; ++k)
		for (int j = 0; j <= ny; ++j)
			for (int i = 0; i <= nx; ++i, ++v)
				lm_v3_store(mesh->positions, v, lm_v3(x + i * size, y + j * size, z + k * size));
	for (int k = 0; k < nz; ++k)
		for (int j = 0; j < ny; ++j)
			for (int i = 0; i < nx; ++i)
				for (int s = 0; s < 6; ++s)
					for (int c = 0; c < 4; ++c)
					{
						int bits = corners[s][c], a = i + (bits & 1), b = j + (bits >> 1 & 1), d = k + (bits >> 2 & 1);
						mesh->tets[t++] = a + (nx + 1) * (b + (ny + 1) * d);
					}
	return mesh;
}

#endif
