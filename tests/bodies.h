// bodies.h: small tetrahedral bodies for tests.
#ifndef LIMBER_TEST_BODIES_H
#define LIMBER_TEST_BODIES_H

#include "limber/mesh.h"

// A block of nx x ny x nz cubes of side `size`, lowest corner at the origin, each cube cut into six tetrahedra around
// its diagonal. Vertex (i, j, k) is number (k (ny+1) + j)(nx+1) + i.
static inline lm_mesh* test_block(const lm_host* host, int nx, int ny, int nz, double size)
{
	lm_mesh* mesh = lm_mesh_create(host, (nx + 1) * (ny + 1) * (nz + 1), 0, 6 * nx * ny * nz);
	if (mesh == NULL)
		return NULL;
	int v = 0, t = 0;
	for (int k = 0; k <= nz; ++k)
		for (int j = 0; j <= ny; ++j)
			for (int i = 0; i <= nx; ++i, ++v)
			{
				mesh->positions[3 * v] = size * i;
				mesh->positions[3 * v + 1] = size * j;
				mesh->positions[3 * v + 2] = size * k;
			}
	// the six orders of the axes along which one can walk from corner 000 to corner 111
	static const int walks[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 1, 0, 2 }, { 0, 2, 1 }, { 2, 1, 0 } };
	const int stride[3] = { 1, nx + 1, (nx + 1) * (ny + 1) };
	for (int k = 0; k < nz; ++k)
		for (int j = 0; j < ny; ++j)
			for (int i = 0; i < nx; ++i)
				for (int w = 0; w < 6; ++w, ++t)
				{
					int at = k * stride[2] + j * stride[1] + i;
					int corners[4] = { at, 0, 0, 0 };
					for (int c = 0; c < 3; ++c)
						corners[c + 1] = corners[c] + stride[walks[w][c]];
					// odd orders of the axes turn the tetrahedron inside out
					int32_t* tet = &mesh->tets[4 * t];
					tet[0] = corners[0], tet[1] = corners[1];
					tet[2] = corners[w < 3 ? 2 : 3], tet[3] = corners[w < 3 ? 3 : 2];
				}
	return mesh;
}

#endif
