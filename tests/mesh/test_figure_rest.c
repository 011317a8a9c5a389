// test_figure_rest.c: how bodies come to rest on the ground.
#include "test.h"

#include "boxes.h"
#include "math/vec.h"

static lm_vec3 apply(double turn[3][3], lm_vec3 x)
{
	double y[3];
	for (int c = 0; c < 3; ++c)
		y[c] = turn[c][0] * x.x + turn[c][1] * x.y + turn[c][2] * x.z;
	return lm_v3_at(y, 0);
}

// A post with an arm: it tips over the foot of the post until the end of the arm touches the ground.
static void what_topples_is_laid_down(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const double boxes[2][6] = { { -0.1, 0, -0.1, 0.1, 0.5, 0.1 }, { -0.1, 0.5, -0.1, 1.5, 0.7, 0.1 } };
	lm_mesh* surface = test_boxes(&host, boxes, 2);
	double turn[3][3], center[3] = { 0.55, 0.55, 0 };
	assert_near(lm_figure_rest(surface, center, turn), atan2(0.5, 1.4) * 180 / acos(-1), 1e-6);
	lm_vec3 foot = apply(turn, lm_v3(0.1, 0, 0)), end = apply(turn, lm_v3(1.5, 0.5, 0));
	assert_near(foot.y, end.y, 1e-9);
	for (int32_t v = 0; v < surface->vertex_count; ++v)
		assert_true(apply(turn, lm_v3_at(surface->positions, v)).y > foot.y - 1e-9);
	lm_mesh_destroy(surface);
}

static void what_stands_is_left_as_it_is(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const double boxes[1][6] = { { -0.1, 0, -0.2, 0.1, 1, 0.2 } };
	lm_mesh* surface = test_boxes(&host, boxes, 1);
	// The last is outside by less than counts.
	const double centers[3][3] = { { 0, 0.5, 0 }, { 0.09, 0.9, -0.19 }, { 0.115, 0.5, 0 } };
	for (int k = 0; k < 3; ++k)
	{
		double turn[3][3];
		assert_near(lm_figure_rest(surface, centers[k], turn), 0, 0);
		for (int i = 0; i < 9; ++i)
			assert_near(turn[i / 3][i % 3], i % 4 == 0, 0);
	}
	double turn[3][3], outside[3] = { 0.125, 0.5, 0 };
	assert_near(lm_figure_rest(surface, outside, turn), 90, 1e-6); // onto its side
	lm_mesh_destroy(surface);
}

// No triangles, no height, a centre that is no place over anything: an angle and a rotation all the same.
static void nothing_to_stand_on(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const double flat[1][6] = { { 0, 0, 0, 1, 0, 1 } };
	lm_mesh *surface = test_boxes(&host, flat, 1), *none = lm_mesh_create(&host, 3, 0, 0);
	double turn[3][3];
	assert_near(lm_figure_rest(surface, (double[3]){ 9, 9, 9 }, turn), 0, 0);
	assert_near(lm_figure_rest(none, (double[3]){ 9, 9, 9 }, turn), 0, 0);
	lm_mesh_destroy(surface), lm_mesh_destroy(none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_topples_is_laid_down),
		cmocka_unit_test(what_stands_is_left_as_it_is),
		cmocka_unit_test(nothing_to_stand_on),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
