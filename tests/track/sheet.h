// sheet.h: a level square sheet of cloth for tests, of 1 m, triangles split along the same diagonal.
#ifndef TESTS_TRACK_SHEET_H
#define TESTS_TRACK_SHEET_H

#include "limber/limber.h"

#include <string.h>

static inline lm_mesh* make_square_sheet(int side)
{
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, side * side, 2 * (side - 1) * (side - 1), 0);
	int32_t* t = mesh->triangles;
	for (int v = 0; v < side * side; ++v)
	{
		mesh->positions[3 * v] = (double)(v % side) / (side - 1);
		mesh->positions[3 * v + 2] = (double)(v / side) / (side - 1);
	}
	for (int j = 0; j + 1 < side; ++j)
		for (int i = 0; i + 1 < side; ++i, t += 6)
		{
			int32_t a = j * side + i;
			const int32_t corners[6] = { a, a + side, a + 1, a + 1, a + side, a + side + 1 };
			memcpy(t, corners, sizeof corners);
		}
	return mesh;
}

#endif
