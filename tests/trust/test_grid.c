// Grids of `design` of surfaces that enclose little or nothing: sheets that lie on each other, specks, giants. The band
// around the material and its neighbours must lie within the grid, or they are read and written beyond its memory.
#include "test.h"

#include "design/model.h"

// The lists of a grid stay within it: the band has its width on every side.
static void check_grid(const lm_design_grid* grid)
{
	assert_true(grid->material >= 8 && grid->count > grid->material);
	for (int32_t s = 0; s < grid->material; ++s)
	{
		int32_t cell = grid->cell[s];
		int32_t c[3] = { cell % grid->n[0], cell / grid->n[0] % grid->n[1], cell / (grid->n[0] * grid->n[1]) };
		for (int d = 0; d < 3; ++d)
			assert_in_range(c[d], LM_DESIGN_BAND + 1, grid->n[d] - LM_DESIGN_BAND - 2);
	}
	for (int32_t s = 0; s < grid->count; ++s)
		for (int side = 0; side < 6; ++side)
			assert_true(grid->near[s][side] >= -1 && grid->near[s][side] < grid->count);
}

// Flat squares in one plane, all facing the same way, so that winding numbers add up above and below.
static lm_mesh* make_sheets(int sheets, const lm_host* host)
{
	lm_mesh* mesh = lm_mesh_create(host, 4, 2 * sheets, 0);
	static const double corners[12] = { -0.5, -0.5, 0, 0.5, -0.5, 0, 0.5, 0.5, 0, -0.5, 0.5, 0 };
	static const int32_t halves[6] = { 0, 1, 2, 0, 2, 3 };
	memcpy(mesh->positions, corners, sizeof corners);
	for (int i = 0; i < 6 * sheets; ++i)
		mesh->triangles[i] = halves[i % 6];
	return mesh;
}

static void sheets_on_each_other_stay_within_the_grid(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	for (int sheets = 1; sheets <= 6; ++sheets)
	{
		lm_mesh* mesh = make_sheets(sheets, &host);
		lm_design_grid grid;
		lm_status status = lm_design_grid_create(mesh, 2000, &host, &grid, &error);
		if (sheets > 3)
			assert_int_equal(status, LM_OK);
		if (status == LM_OK)
			check_grid(&grid), lm_design_grid_release(&grid);
		else
			assert_int_equal(status, LM_BAD_INPUT);
		lm_mesh_destroy(mesh);
	}
}

// Random triangles, many flat, repeated or without area: refused in words, or a grid in order.
static void heaps_of_triangles_are_refused_or_in_order(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	uint64_t seed = 19;
	int made = 0;
	for (int round = 0; round < 30; ++round)
	{
		lm_mesh* mesh = lm_mesh_create(&host, 7, 1 + round, 0);
		for (int i = 0; i < 21; ++i)
			mesh->positions[i] =
				(i % 3 == 2 && round % 3 > 0) || (i % 3 == 1 && round % 3 > 1) ? 0 : test_random(&seed);
		for (int i = 0; i < 3 * (1 + round); ++i)
			mesh->triangles[i] = (int32_t)(3.5 * (1 + test_random(&seed)));
		lm_design_grid grid;
		lm_error error;
		lm_status status = lm_design_grid_create(mesh, 1000, &host, &grid, &error);
		if (status == LM_OK)
			check_grid(&grid), lm_design_grid_release(&grid), ++made;
		else
			assert_int_equal(status, LM_BAD_INPUT);
		lm_mesh_destroy(mesh);
	}
	assert_true(made > 2);
}

// Sizes from the smallest number to the largest: the usual ones work, the others are refused in words.
static void specks_and_giants_are_refused_or_work(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	static const double scales[] = { 4e-324, 1e-310, 1e-200, 1e-90, 1e-6, 1e6, 1e25, 1e90, 1e200, 1.7e308 };
	static const int32_t triangles[12] = { 0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2 };
	for (size_t i = 0; i < sizeof scales / sizeof *scales; ++i)
	{
		lm_mesh* mesh = lm_mesh_create(&host, 4, 4, 0);
		memcpy(mesh->triangles, triangles, sizeof triangles);
		for (int v = 0; v < 4; ++v)
			for (int d = 0; d < 3; ++d)
				mesh->positions[3 * v + d] = v == d + 1 ? scales[i] : -scales[i];
		lm_design_model_def def = lm_design_model_def_default();
		def.surface = mesh, def.nodes = 8, def.voxels = 1000;
		lm_design_model* model = NULL;
		lm_error error;
		lm_status status = lm_design_model_create(&def, &host, &model, &error);
		bool usual = scales[i] > 1e-99 && scales[i] < 1e30;
		if (usual && status != LM_OK)
			print_error("%g: %s\n", scales[i], error.message);
		assert_int_equal(status, usual ? LM_OK : LM_BAD_INPUT);
		if (usual)
			check_grid(&model->grid);
		lm_design_model_destroy(model);
		lm_mesh_destroy(mesh);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sheets_on_each_other_stay_within_the_grid),
		cmocka_unit_test(heaps_of_triangles_are_refused_or_in_order),
		cmocka_unit_test(specks_and_giants_are_refused_or_work),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
