// test_fitted.c: simulation meshes that fit a figure.
#include "test.h"

#include "boxes.h"

static lm_fitted* fit_of(const lm_mesh* surface, double size, int vertices, bool legs)
{
	lm_host host = lm_host_default();
	lm_lattice_settings settings = lm_lattice_settings_default();
	lm_error error = { 0 };
	lm_fitted* fit = NULL;
	settings.size = size, settings.vertices = vertices, settings.legs = legs;
	if (lm_fitted_create(surface, &settings, &host, &fit, &error) != LM_OK)
		fail_msg("%s", error.message);
	assert_int_equal(lm_mesh_check(fit->mesh, "fit", &error), LM_OK);
	return fit;
}

static int32_t root_of(int32_t* parent, int32_t i)
{
	while (parent[i] != i)
		i = parent[i] = parent[parent[i]];
	return i;
}

// Pieces that hang together of the tetrahedra above a height.
static int pieces_above(const lm_mesh* mesh, double height)
{
	int32_t* parent = malloc(sizeof(int32_t) * (size_t)mesh->vertex_count);
	bool* used = calloc((size_t)mesh->vertex_count, sizeof *used);
	int pieces = 0;
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
		parent[v] = v;
	for (int32_t t = 0; t < mesh->tet_count; ++t)
	{
		const int32_t* c = mesh->tets + 4 * t;
		bool above = true;
		for (int i = 0; i < 4; ++i)
			above = above && mesh->positions[3 * c[i] + 1] > height;
		for (int i = 0; above && i < 4; ++i)
			used[c[i]] = true, parent[root_of(parent, c[i])] = root_of(parent, c[0]);
	}
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
		pieces += used[v] && root_of(parent, v) == v;
	free(parent);
	free(used);
	return pieces;
}

static void fingers_half_a_cell_apart_stay_apart(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const double boxes[3][6] = { { -0.2, 0, -0.3, 0.2, 0.3, 0.3 },
		                         { -0.1, 0.25, -0.25, 0.1, 1, -0.05 },
		                         { -0.1, 0.25, 0.05, 0.1, 1, 0.25 } };
	lm_mesh* surface = test_boxes(&host, boxes, 3);
	lm_fitted* fit = fit_of(surface, 0.2, 0, false); // the gap is 0.1 m, within one row of cells
	assert_int_equal(pieces_above(fit->mesh, 0.45), 2);
	assert_int_equal(pieces_above(fit->mesh, -1), 1);
	lm_fitted_destroy(fit);
	lm_mesh_destroy(surface);
}

static void mass_and_centre_are_those_of_the_inside(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const double boxes[2][6] = { { -0.2, 0, -0.3, 0.3, 0.4, 0.2 }, { -0.1, 0.4, -0.1, 0.1, 1, 0.1 } };
	double exact = 0.5 * 0.4 * 0.5 + 0.2 * 0.6 * 0.2, x = (0.1 * 0.05 + 0.024 * 0) / exact;
	double y = (0.1 * 0.2 + 0.024 * 0.7) / exact, z = (0.1 * -0.05) / exact;
	lm_mesh* surface = test_boxes(&host, boxes, 2);
	lm_fitted* fit = fit_of(surface, 0, 150, false);
	double volume = 0, centre[3] = { 0 };
	for (int32_t v = 0; v < fit->mesh->vertex_count; ++v)
	{
		assert_true(fit->volumes[v] > 0);
		volume += fit->volumes[v];
		for (int c = 0; c < 3; ++c)
			centre[c] += fit->volumes[v] * fit->mesh->positions[3 * v + c];
	}
	assert_near(volume / exact, 1, 0.05);
	assert_near(centre[0] / volume, x, 0.02);
	assert_near(centre[1] / volume, y, 0.02);
	assert_near(centre[2] / volume, z, 0.02);
	assert_true(fit->mesh->vertex_count <= 165);
	lm_mesh_facts facts;
	lm_error error;
	assert_int_equal(lm_mesh_get_facts(fit->mesh, &host, &facts, &error), LM_OK);
	assert_true(facts.volume < 1.3 * exact);
	lm_fitted_destroy(fit);
	lm_mesh_destroy(surface);
}

static void legs_that_touch_are_split_by_their_feet(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const double boxes[4][6] = { { -0.15, 0.3, -0.2, 0.15, 1, 0.2 },
		                         { -0.15, 0, 0.04, 0.2, 0.35, 0.2 },
		                         { -0.15, 0, -0.2, 0.2, 0.35, -0.04 },
		                         { -0.1, 0.05, -0.1, 0.1, 0.35, 0.1 } }; // joins them from 5 % of the height on
	lm_mesh* surface = test_boxes(&host, boxes, 4);
	lm_fitted* fit = fit_of(surface, 0, 150, true);
	assert_int_equal(fit->foot_count, 2);
	const lm_mesh* mesh = fit->mesh;
	const lm_group* left = &mesh->groups[lm_mesh_find_group(mesh, "left foot")];
	const lm_group* right = &mesh->groups[lm_mesh_find_group(mesh, "right foot")];
	for (int32_t t = 0; t < mesh->tet_count; ++t) // no tetrahedron belongs to both
	{
		bool in[2] = { false, false };
		for (int i = 0; i < 4; ++i)
			for (int side = 0; side < 2; ++side)
				for (int32_t k = 0; k < (side ? right : left)->count; ++k)
					in[side] |= mesh->tets[4 * t + i] == (side ? right : left)->vertices[k];
		assert_false(in[0] && in[1]);
	}
	lm_fitted* joined = fit_of(surface, 0, 150, false);
	assert_int_equal(joined->foot_count, 0);
	lm_fitted_destroy(joined);
	lm_fitted_destroy(fit);
	lm_mesh_destroy(surface);
}

// Legs without a gap: nothing but the walls between the boxes tells that they are two.
static void legs_that_touch_all_along_are_told_by_their_walls(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const double boxes[3][6] = { { -0.1, 0, 0, 0.1, 0.4, 0.15 },
		                         { -0.1, 0, -0.15, 0.1, 0.4, 0 },
		                         { -0.1, 0.4, -0.15, 0.1, 1, 0.15 } };
	lm_mesh* surface = test_boxes(&host, boxes, 3);
	lm_fitted* fit = fit_of(surface, 0, 150, true);
	assert_int_equal(fit->foot_count, 2);
	const lm_mesh* mesh = fit->mesh;
	for (int32_t t = 0; t < mesh->tet_count; ++t) // in the lower half of the legs none is on both sides
	{
		double low = 0, high = 0, top = 0;
		for (int i = 0; i < 4; ++i)
		{
			const double* p = mesh->positions + 3 * (int64_t)mesh->tets[4 * t + i];
			low = fmin(low, p[2]), high = fmax(high, p[2]), top = fmax(top, p[1]);
		}
		assert_true(top > 0.21 || low > -0.02 || high < 0.02);
	}
	lm_fitted_destroy(fit);
	const double column[1][6] = { { -0.1, 0, -0.15, 0.1, 1, 0.15 } };
	lm_mesh* base = test_boxes(&host, column, 1);
	fit = fit_of(base, 0, 150, true);
	assert_int_equal(fit->foot_count, 0);
	lm_fitted_destroy(fit);
	lm_mesh_destroy(base);
	lm_mesh_destroy(surface);
}

// Six legs are thin against cells that are made for a wide body; without them it would stand on its belly.
static void thin_legs_are_kept_however_many_there_are(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	double boxes[13][6] = { { -0.5, 0.3, -0.25, 0.5, 0.5, 0.25 } };
	for (int k = 0; k < 6; ++k)
	{
		double x = 0.4 * (k % 3 - 1), z = k < 3 ? 0.5 : -0.5;
		const double leg[6] = { x - 0.02, 0, z - 0.02, x + 0.02, 0.4, z + 0.02 };
		const double thigh[6] = { x - 0.03, 0.35, fmin(z, 0) - 0.02, x + 0.03, 0.42, fmax(z, 0) + 0.02 };
		memcpy(boxes[1 + 2 * k], leg, sizeof leg);
		memcpy(boxes[2 + 2 * k], thigh, sizeof thigh);
	}
	lm_mesh* surface = test_boxes(&host, (const double(*)[6])boxes, 13);
	lm_fitted* fit = fit_of(surface, 0, 150, true);
	const lm_group* sole = &fit->mesh->groups[lm_mesh_find_group(fit->mesh, "sole")];
	int on[6] = { 0 };
	for (int32_t k = 0; k < sole->count; ++k)
	{
		const double* p = fit->mesh->positions + 3 * (int64_t)sole->vertices[k];
		int column = p[0] < -0.2 ? 0 : p[0] < 0.2 ? 1 : 2;
		on[column + (p[2] < 0 ? 3 : 0)]++;
	}
	for (int k = 0; k < 6; ++k)
		assert_true(on[k] > 0);
	lm_fitted_destroy(fit);
	lm_mesh_destroy(surface);
}

// A spear far to one side, and a staff on the ground, are neither feet nor the middle of the figure.
static void what_a_figure_holds_takes_no_feet_away(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	double boxes[6][6];
	memcpy(boxes, test_walker_boxes, sizeof test_walker_boxes);
	const double spear[6] = { 0, 0.6, 0.2, 0.03, 0.63, 1.4 };
	const double staff[6] = { 0, 0, 0.24, 0.1, 1.1, 0.38 };
	for (int k = 0; k < 2; ++k)
	{
		memcpy(boxes[5], k == 0 ? spear : staff, sizeof spear);
		if (k == 1) // apart from the leg at the ground
			boxes[5][2] = 0.3, boxes[4][5] = 0.32, boxes[4][1] = 0.5, boxes[4][4] = 0.56, boxes[4][2] = 0.2;
		lm_mesh* surface = test_boxes(&host, (const double(*)[6])boxes, 6);
		lm_facing facing;
		assert_int_equal(lm_figure_facing(surface, &host, &facing, &error), LM_OK);
		assert_int_equal(facing.axis, 0);
		assert_int_equal(facing.foot_count, 2);
		lm_fitted* fit = fit_of(surface, 0, 150, true);
		assert_int_equal(fit->foot_count, 2);
		lm_fitted_destroy(fit);
		lm_mesh_destroy(surface);
	}
}

// A dog with two legs that are shorter by 2 and 4 % of its height still has four.
static void legs_of_unequal_length_are_feet(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const double boxes[6][6] = { { -0.5, 0.5, -0.2, 0.5, 0.8, 0.2 },    { 0.45, 0.7, -0.12, 0.7, 1, 0.12 },
		                         { -0.45, 0, -0.2, -0.3, 0.55, -0.08 }, { 0.3, 0.02, -0.2, 0.45, 0.55, -0.08 },
		                         { -0.45, 0, 0.08, -0.3, 0.55, 0.2 },   { 0.3, 0.04, 0.08, 0.45, 0.55, 0.2 } };
	lm_mesh* surface = test_boxes(&host, boxes, 6);
	lm_fitted* fit = fit_of(surface, 0, 150, true);
	assert_int_equal(fit->foot_count, 4);
	lm_fitted_destroy(fit);
	lm_mesh_destroy(surface);
}

// Two of its legs are beside each other, but its third one carries as much as they do.
static void a_tripod_does_not_walk_on_two_of_its_legs(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const double boxes[4][6] = { { -0.3, 0.7, -0.3, 0.3, 1, 0.3 },
		                         { 0.15, 0, -0.06, 0.27, 0.75, 0.06 },
		                         { -0.27, 0, -0.27, -0.15, 0.75, -0.15 },
		                         { -0.27, 0, 0.15, -0.15, 0.75, 0.27 } };
	lm_mesh* surface = test_boxes(&host, boxes, 4);
	lm_fitted* fit = fit_of(surface, 0, 150, true);
	assert_int_equal(fit->foot_count, 0);
	lm_fitted_destroy(fit);
	lm_mesh_destroy(surface);
}

static void soles_are_flat_and_the_surface_is_bound_where_it_was(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* surface = test_boxes(&host, test_walker_boxes, TEST_WALKER_BOXES);
	lm_fitted* fit = fit_of(surface, 0, 150, true);
	const lm_group* sole = &fit->mesh->groups[lm_mesh_find_group(fit->mesh, "sole")];
	assert_true(sole->count >= 8);
	for (int32_t k = 0; k < sole->count; ++k)
		assert_near(fit->mesh->positions[3 * sole->vertices[k] + 1], 0, 1e-12);
	double* shown = malloc(3 * (size_t)surface->vertex_count * sizeof *shown);
	lm_binding_apply(fit->binding, fit->mesh->positions, 1, shown);
	for (int32_t k = 0; k < 3 * surface->vertex_count; ++k)
		assert_near(shown[k], surface->positions[k], 1e-9);
	lm_binding_view contacts = lm_binding_get(fit->contacts);
	assert_true(contacts.vertex_count > sole->count);
	free(shown);
	lm_fitted_destroy(fit);
	lm_mesh_destroy(surface);
}

static void figures_face_where_their_toes_point(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	const double boxes[5][6] = { { -0.15, 0.3, -0.25, 0.15, 1, 0.25 },
		                         { -0.1, 0, 0.05, 0.1, 0.35, 0.2 },
		                         { -0.1, 0, -0.2, 0.1, 0.35, -0.05 },
		                         { 0.05, 0, 0.05, 0.25, 0.06, 0.2 },
		                         { 0.05, 0, -0.2, 0.25, 0.06, -0.05 } };
	for (int way = 0; way < 4; ++way)
	{
		lm_mesh* surface = test_boxes(&host, boxes, 5);
		for (int32_t v = 0; v < surface->vertex_count; ++v)
			for (int turn = 0; turn < way; ++turn) // x to z to -x to -z
			{
				double *p = surface->positions + 3 * v, x = p[0];
				p[0] = -p[2], p[2] = x;
			}
		lm_facing facing;
		assert_int_equal(lm_figure_facing(surface, &host, &facing, &error), LM_OK);
		assert_true(facing.certain);
		assert_int_equal(facing.axis, way % 2 == 0 ? 0 : 2);
		assert_int_equal(facing.sign, way < 2 ? 1 : -1);
		lm_mesh_destroy(surface);
	}
}

static void what_has_no_inside_is_refused(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	lm_mesh* sheet = lm_mesh_create(&host, 3, 1, 0);
	double corners[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
	memcpy(sheet->positions, corners, sizeof corners);
	sheet->triangles[1] = 1, sheet->triangles[2] = 2;
	lm_lattice_settings settings = lm_lattice_settings_default();
	lm_fitted* fit = NULL;
	assert_int_equal(lm_fitted_create(sheet, &settings, &host, &fit, &error), LM_BAD_INPUT);
	assert_null(fit);
	lm_mesh_destroy(sheet);
}

static void failing_memory_leaks_nothing(void** state)
{
	(void)state;
	lm_host plain = lm_host_default();
	lm_mesh* surface = test_boxes(&plain, test_walker_boxes, TEST_WALKER_BOXES);
	for (int64_t fail_at = 1;; ++fail_at)
	{
		test_memory memory = { .fail_at = fail_at };
		lm_host host = test_host(&memory);
		lm_lattice_settings settings = lm_lattice_settings_default();
		settings.size = 0.3, settings.legs = true;
		lm_error error;
		lm_fitted* fit = NULL;
		lm_facing facing;
		lm_status status = lm_figure_facing(surface, &host, &facing, &error);
		if (status == LM_OK)
			status = lm_fitted_create(surface, &settings, &host, &fit, &error);
		lm_fitted_destroy(fit);
		assert_int_equal(memory.held, 0);
		if (status == LM_OK)
		{
			assert_true(fail_at > 40);
			break;
		}
		assert_int_equal(status, LM_NO_MEMORY);
	}
	lm_mesh_destroy(surface);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fingers_half_a_cell_apart_stay_apart),
		cmocka_unit_test(mass_and_centre_are_those_of_the_inside),
		cmocka_unit_test(legs_that_touch_are_split_by_their_feet),
		cmocka_unit_test(legs_that_touch_all_along_are_told_by_their_walls),
		cmocka_unit_test(thin_legs_are_kept_however_many_there_are),
		cmocka_unit_test(what_a_figure_holds_takes_no_feet_away),
		cmocka_unit_test(legs_of_unequal_length_are_feet),
		cmocka_unit_test(a_tripod_does_not_walk_on_two_of_its_legs),
		cmocka_unit_test(soles_are_flat_and_the_surface_is_bound_where_it_was),
		cmocka_unit_test(figures_face_where_their_toes_point),
		cmocka_unit_test(what_has_no_inside_is_refused),
		cmocka_unit_test(failing_memory_leaks_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
