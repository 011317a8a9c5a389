// shapes.h: closed surfaces for the tests of design: the boundary of filled cells of a grid.
#ifndef TEST_DESIGN_SHAPES_H
#define TEST_DESIGN_SHAPES_H

#include "test.h"

#include "limber/design.h"

typedef bool test_filled(int i, int j, int k);

static inline bool test_fill_all(int i, int j, int k)
{
	(void)i, (void)j, (void)k;
	return true;
}

// A tuning fork of 9 x 12 x 3 cells: two prongs, one cell apart, joined at the bottom.
static inline bool test_fill_fork(int i, int j, int k)
{
	(void)k;
	return j < 3 || i != 4;
}

// n cells of the given edge, low corner at the origin. Vertices that no face uses are left out.
static inline lm_mesh* test_cells(const int n[3], double edge, test_filled* filled, const lm_host* host)
{
	static const int corners[6][4] = { { 0, 4, 6, 2 }, { 1, 3, 7, 5 }, { 0, 1, 5, 4 },
		                               { 2, 6, 7, 3 }, { 0, 2, 3, 1 }, { 4, 5, 7, 6 } };
	int points = (n[0] + 1) * (n[1] + 1) * (n[2] + 1), faces = 0, used = 0;
	int* name = malloc(sizeof *name * (size_t)points);
	int* quads = malloc(sizeof *quads * 24 * (size_t)(n[0] * n[1] * n[2]));
	for (int p = 0; p < points; ++p)
		name[p] = -1;
	for (int c = 0; c < n[0] * n[1] * n[2]; ++c)
	{
		int at[3] = { c % n[0], c / n[0] % n[1], c / (n[0] * n[1]) };
		for (int side = 0; side < 6 && filled(at[0], at[1], at[2]); ++side)
		{
			int next[3] = { at[0], at[1], at[2] };
			next[side / 2] += side % 2 ? 1 : -1;
			int d = side / 2;
			if (next[d] >= 0 && next[d] < n[d] && filled(next[0], next[1], next[2]))
				continue;
			for (int q = 0; q < 4; ++q)
			{
				int bits = corners[side][q];
				int p = (at[0] + (bits & 1)) +
				        (n[0] + 1) * ((at[1] + (bits >> 1 & 1)) + (n[1] + 1) * (at[2] + (bits >> 2 & 1)));
				if (name[p] < 0)
					name[p] = used++;
				quads[4 * faces + q] = p;
			}
			++faces;
		}
	}
	lm_mesh* mesh = lm_mesh_create(host, used, 2 * faces, 0);
	for (int p = 0; p < points; ++p)
		if (name[p] >= 0)
		{
			mesh->positions[3 * name[p]] = edge * (p % (n[0] + 1));
			mesh->positions[3 * name[p] + 1] = edge * (p / (n[0] + 1) % (n[1] + 1));
			mesh->positions[3 * name[p] + 2] = edge * (p / ((n[0] + 1) * (n[1] + 1)));
		}
	for (int f = 0; f < faces; ++f)
	{
		static const int split[6] = { 0, 1, 2, 0, 2, 3 };
		for (int c = 0; c < 6; ++c)
			mesh->triangles[6 * f + c] = name[quads[4 * f + split[c]]];
	}
	free(name);
	free(quads);
	return mesh;
}

// A bar of 4 x 12 x 4 cells, 1.2 m high.
static inline lm_mesh* test_bar(const lm_host* host)
{
	return test_cells((int[3]){ 4, 12, 4 }, 0.1, test_fill_all, host);
}

static inline lm_mesh* test_fork(const lm_host* host)
{
	return test_cells((int[3]){ 9, 12, 3 }, 0.1, test_fill_fork, host);
}

// A bar of 2 x 6 x 2 cells of 0.1 m and a model of it, for tests of motion. False when it could not be made.
static inline bool test_bar_model(int32_t nodes, const lm_host* host, lm_mesh** mesh, lm_design_model** model)
{
	*mesh = test_cells((int[3]){ 2, 6, 2 }, 0.1, test_fill_all, host);
	lm_design_model_def def = lm_design_model_def_default();
	def.surface = *mesh, def.nodes = nodes, def.voxels = 1500;
	return lm_design_model_create(&def, host, model, NULL) == LM_OK;
}

#endif
