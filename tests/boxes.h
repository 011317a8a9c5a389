// boxes.h: figures of boxes that overlap, for tests.
#ifndef LIMBER_TEST_BOXES_H
#define LIMBER_TEST_BOXES_H

#include "limber/mesh.h"

// Each box: its lowest and its highest corner.
static inline lm_mesh* test_boxes(const lm_host* host, const double (*boxes)[6], int count)
{
	static const int32_t faces[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
		                               2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };
	lm_mesh* mesh = lm_mesh_create(host, 8 * count, 12 * count, 0);
	for (int b = 0; mesh != NULL && b < count; ++b)
	{
		for (int i = 0; i < 8; ++i)
			for (int c = 0; c < 3; ++c)
				mesh->positions[24 * b + 3 * i + c] = boxes[b][c + 3 * (i >> c & 1)];
		for (int k = 0; k < 36; ++k)
			mesh->triangles[36 * b + k] = 8 * b + faces[k];
	}
	return mesh;
}

// 1 m high, two legs 0.1 m apart, facing along x.
static const double test_walker_boxes[5][6] = { { -0.16, 0.38, -0.26, 0.16, 0.78, 0.26 },
	                                            { -0.1, 0.74, -0.12, 0.16, 1, 0.12 },
	                                            { -0.12, 0, 0.05, 0.14, 0.44, 0.25 },
	                                            { -0.12, 0, -0.25, 0.14, 0.44, -0.05 },
	                                            { 0.1, 0, -0.2, 0.2, 0.06, -0.1 } };
#define TEST_WALKER_BOXES 4 // the fifth is a toe that makes it uneven

#endif
