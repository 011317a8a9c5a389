// Cages made around bodies of all kinds: within the budget, closed, around everything, symmetric, the same every time.
#include "test.h"

#include "mesh/cage_expect.h"

static void budgets(void** state)
{
	(void)state;
	try_budgets(22);
}

static void symmetric_outlines(void** state)
{
	(void)state;
	static const struct
	{
		int shape, axis;
	} cases[5] = { { 0, 0 }, { 0, 1 }, { 1, 1 }, { 2, 0 }, { 10, 0 } };
	for (int i = 0; i < 5; ++i)
		for (int vertices = 8; vertices <= 40; vertices += 4)
		{
			body_shape shape = body_shape_at(cases[i].shape);
			lm_cage* cage = cage_around(&shape, vertices);
			expect_mirrored(&shape, cage, cases[i].axis);
			lm_cage_destroy(cage);
			body_free(&shape);
		}
}

// A C with room for its eight corners is followed into its mouth; more vertices never loosen the cage much.
static void concavities_are_kept(void** state)
{
	(void)state;
	body_shape shape = body_shape_at(1);
	lm_cage* cage = cage_around(&shape, 8);
	const double mouth[2] = { 0.6, 0.45 };
	assert_false(lm_cage_contains(cage, mouth));
	lm_cage_destroy(cage);
	cage = cage_around(&shape, 4);
	assert_true(lm_cage_contains(cage, mouth));
	lm_cage_destroy(cage);
	body_free(&shape);
	for (int i = 0; i < body_shape_count; i += i < 4 ? 1 : 4)
	{
		shape = body_shape_at(i);
		lm_cage *small = cage_around(&shape, 8), *large = cage_around(&shape, 60);
		assert_true(lm_cage_volume(large) <= lm_cage_volume(small) * 1.001);
		assert_true(large->vertex_count >= 45); // and the budget is used
		lm_cage_destroy(small);
		lm_cage_destroy(large);
		body_free(&shape);
	}
}

static void the_smallest_is_a_box(void** state)
{
	(void)state;
	body_shape shape = body_shape_at(7);
	lm_cage* cage = cage_around(&shape, 8);
	assert_int_equal(cage->vertex_count, 8);
	assert_near(lm_cage_volume(cage), 2.2 * 2.2 * 2.2, 0.2); // margin 0.05 of 2 on either side
	lm_cage_destroy(cage);
	body_free(&shape);
}

static void the_same_every_time(void** state)
{
	(void)state;
	for (int i = 1; i < body_shape_count; i += 4)
	{
		body_shape shape = body_shape_at(i);
		lm_cage *one = cage_around(&shape, 18), *two = cage_around(&shape, 18);
		assert_int_equal(one->vertex_count, two->vertex_count);
		assert_memory_equal(one->positions, two->positions,
		                    sizeof(double) * (size_t)(one->dimension * one->vertex_count));
		lm_cage_destroy(one);
		lm_cage_destroy(two);
		body_free(&shape);
	}
}

// Points without elements, several pieces, a straight line, a single element, huge and tiny: all get a cage.
static void odd_bodies(void** state)
{
	(void)state;
	double points[3 * 40];
	uint64_t seed = 3;
	for (double size = 1e-6; size < 1e7; size *= 1e6)
		for (int d = 2; d <= 3; ++d)
		{
			for (int i = 0; i < 40 * d; ++i)
				points[i] = size * (test_random(&seed) + (i / d < 20 ? 10 : 0)); // two clouds
			body_shape shape = { .name = "clouds",
				                 .body = { .dimension = d, .vertex_count = 40, .positions = points } };
			for (int vertices = 8; vertices < 60; vertices += d == 2 ? 17 : 40)
			{
				lm_cage* cage = cage_around(&shape, vertices);
				expect_good(&shape, cage, vertices);
				lm_cage_destroy(cage);
			}
			for (int i = 0; i < 40 * d; ++i)
				points[i] = i % d == 0 ? size * i : 0; // a straight line
			lm_cage* cage = cage_around(&shape, 20);
			expect_good(&shape, cage, 20);
			lm_cage_destroy(cage);
			shape.body.vertex_count = 2;
			cage = cage_around(&shape, 0);
			expect_good(&shape, cage, d == 2 ? 12 : 26);
			lm_cage_destroy(cage);
		}
	// more samples than are looked at one by one
	body_shape shape = body_sheet("fine sphere", 90, 181, true, body_map_sphere);
	lm_cage* cage = cage_around(&shape, 30);
	lm_error error = { 0 };
	assert_int_equal(lm_cage_check(cage, &error), LM_OK);
	for (int v = 0; v < shape.body.vertex_count; ++v)
		assert_true(lm_cage_contains(cage, shape.positions + 3 * v));
	lm_cage_destroy(cage);
	body_free(&shape);
}

// The weights of a made cage: the whole way from body to coordinates.
static void made_cages_have_weights(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_cage_weights_settings settings = { .nodes = 2000 };
	for (int i = 0; i < body_shape_count; ++i)
	{
		body_shape shape = body_shape_at(i);
		lm_cage* cage = cage_around(&shape, 14);
		int d = cage->dimension, m = cage->vertex_count, n = shape.body.vertex_count;
		double* weights = calloc((size_t)(m * n), sizeof(double));
		lm_error error = { 0 };
		if (lm_cage_weights(cage, shape.positions, n, &settings, &host, weights, &error) != LM_OK)
			fail_msg("%s: %s", shape.name, error.message);
		for (int v = 0; v < n; ++v)
			for (int k = 0; k < d; ++k)
			{
				double x = 0;
				for (int j = 0; j < m; ++j)
				{
					assert_true(weights[v * m + j] >= 0);
					x += weights[v * m + j] * cage->positions[d * j + k];
				}
				assert_near(x, shape.positions[d * v + k], 1e-11);
			}
		free(weights);
		lm_cage_destroy(cage);
		body_free(&shape);
	}
}

static void expect_refused(const lm_cage_body* body, int vertices, double margin, const char* text)
{
	lm_host host = lm_host_default();
	lm_cage_settings settings = { vertices, margin };
	lm_error error = { 0 };
	lm_cage* cage = NULL;
	assert_int_equal(lm_cage_create_around(body, &settings, &host, &cage, &error), LM_BAD_INPUT);
	assert_null(cage);
	if (strstr(error.message, text) == NULL)
		fail_msg("'%s' does not say '%s'", error.message, text);
}

static void what_cannot_be_is_said(void** state)
{
	(void)state;
	body_shape flat = body_shape_at(0), solid = body_shape_at(5);
	expect_refused(&flat.body, 3, 0.05, "give 4 (a box) to 1000");
	expect_refused(&solid.body, 7, 0.05, "give 8 (a box) to 1000");
	expect_refused(&solid.body, 1001, 0.05, "1000");
	expect_refused(&solid.body, 20, 0, "margin");
	expect_refused(&solid.body, 20, NAN, "margin");
	solid.elements[5] = 100000;
	expect_refused(&solid.body, 20, 0.05, "element 1 names vertex 100000, but there are only");
	solid.elements[5] = 0;
	solid.body.corners = 5;
	expect_refused(&solid.body, 20, 0.05, "elements of 5 corners");
	flat.positions[5] = NAN;
	expect_refused(&flat.body, 20, 0.05, "vertex 2 has a coordinate");
	flat.body.vertex_count = 1;
	flat.body.element_count = 0;
	expect_refused(&flat.body, 20, 0.05, "no extent");
	flat.body.vertex_count = 0;
	expect_refused(&flat.body, 20, 0.05, "vertices");
	body_free(&flat);
	body_free(&solid);
}

static void every_allocation_may_fail(void** state)
{
	(void)state;
	test_memory memory = { 0 };
	lm_host host = test_host(&memory);
	for (int i = 0; i < 2; ++i)
	{
		body_shape shape = i == 0 ? body_disc() : body_sheet("fine card", 80, 70, false, body_map_card);
		lm_cage_settings settings = { 12, 0.05 };
		lm_status status = LM_NO_MEMORY;
		for (memory.fail_at = 1; status != LM_OK; ++memory.fail_at)
		{
			lm_cage* cage = NULL;
			lm_error error = { 0 };
			memory.requests = 0;
			status = lm_cage_create_around(&shape.body, &settings, &host, &cage, &error);
			assert_true(status == LM_OK || (status == LM_NO_MEMORY && error.status == LM_NO_MEMORY && cage == NULL));
			lm_cage_destroy(cage);
			assert_int_equal(memory.held, 0);
		}
		assert_true(memory.fail_at > 8);
		body_free(&shape);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(budgets),
		cmocka_unit_test(symmetric_outlines),
		cmocka_unit_test(concavities_are_kept),
		cmocka_unit_test(the_smallest_is_a_box),
		cmocka_unit_test(the_same_every_time),
		cmocka_unit_test(odd_bodies),
		cmocka_unit_test(made_cages_have_weights),
		cmocka_unit_test(what_cannot_be_is_said),
		cmocka_unit_test(every_allocation_may_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
