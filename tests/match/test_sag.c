// `sag`: one softness for every size, resolution and ring.
#include "shapes.h"

// How far a block of 2 x 3 x 2 sinks on the ground, as a share of its height, with so many cells along the height.
static double sink(double height, int cells, int ring, double gravity, const lm_match_settings* changed)
{
	lm_host host = lm_host_default();
	double cell = height / cells;
	lm_mesh* mesh = grid_mesh(&host, 2 * cells / 3, cells, 2 * cells / 3, cell, cell, cell);
	lm_match_def def = lm_match_def_default();
	def.mesh = mesh, def.ring = ring;
	def.settings.sag = changed->sag, def.settings.frequency = changed->frequency;
	def.settings.damping = 0.5, def.settings.gravity[1] = -gravity;
	def.settings.drag = 4 * sqrt(gravity / height); // so that it comes to rest soon
	lm_match* body = make_body(&def, &host);
	lm_placement_key key = { .rotation = { 1, 0, 0, 0 } };
	lm_collider_def ground = lm_collider_def_default();
	ground.keys = &key, ground.key_count = 1, ground.shape = LM_SHAPE_PLANE;
	double low[3], high[3], h = 0.05 * sqrt(height / gravity);
	lm_mesh_bounds(mesh->positions, mesh->vertex_count, low, high);
	key.position[1] = low[1];
	lm_colliders* colliders;
	assert_int_equal(lm_colliders_create(&ground, 1, &host, &colliders, NULL), LM_OK);
	int inner = h > 0.1 ? (int)ceil(h / 0.1) : 1;
	for (int step = 0; step < 100 * inner; ++step)
		lm_match_step(body, h / inner, colliders, step * h / inner);
	double* x = malloc((size_t)mesh->vertex_count * 24);
	lm_match_positions(body, x);
	double now_low[3], now_high[3];
	lm_mesh_bounds(x, mesh->vertex_count, now_low, now_high);
	free(x);
	lm_match_destroy(body);
	lm_colliders_destroy(colliders);
	lm_mesh_destroy(mesh);
	return 1 - (now_high[1] - now_low[1]) / height;
}

static void it_means_the_same_everywhere(void** state)
{
	(void)state;
	lm_match_settings soft = { .sag = 0.02 };
	for (double height = 0.01; height < 200; height *= 100)
		for (int cells = 3; cells <= 12; cells *= 2)
		{
			double sag = sink(height, cells, 1, 9.81, &soft);
			print_message("%g m, %d cells: %.4f\n", height, cells, sag);
			assert_true(sag > 0.7 * 0.02 && sag < 1.4 * 0.02);
		}
	double moon = sink(1, 6, 1, 1.62, &soft), wide = sink(1, 6, 2, 9.81, &soft), plain = sink(1, 6, 1, 9.81, &soft);
	print_message("moon %.4f, ring of two %.4f, plain %.4f\n", moon, wide, plain);
	assert_near(moon / plain, 1, 0.05);
	assert_true(wide > 0.7 * 0.02 && wide < 1.4 * 0.02);
}

static void more_is_softer_and_a_frequency_overrules(void** state)
{
	(void)state;
	lm_match_settings stiff = { .sag = 0.002 }, soft = { .sag = 0.05 }, both = { .sag = 0.002, .frequency = 12 };
	lm_match_settings raw = { .sag = 0.05, .frequency = 12 };
	assert_true(sink(1, 6, 1, 9.81, &soft) > 10 * sink(1, 6, 1, 9.81, &stiff));
	assert_true(sink(1, 6, 1, 9.81, &both) == sink(1, 6, 1, 9.81, &raw));
}

// What is switched off later does not change the material.
static void gravity_is_that_of_the_beginning(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = grid_mesh(&host, 3, 4, 3, 0.1, 0.1, 0.1);
	lm_match_def def = lm_match_def_default();
	def.mesh = mesh;
	lm_match* body = make_body(&def, &host);
	double before = lm_match_frequency(body);
	lm_match_settings settings = lm_match_get_settings(body);
	settings.gravity[1] = 0;
	assert_int_equal(lm_match_set_settings(body, &settings, NULL), LM_OK);
	assert_true(lm_match_frequency(body) == before);
	lm_match_destroy(body);
	def.settings.gravity[1] = 0;
	body = make_body(&def, &host);
	assert_near(lm_match_frequency(body), before, 1e-9 * before);
	lm_match_destroy(body);
	lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_means_the_same_everywhere),
		cmocka_unit_test(more_is_softer_and_a_frequency_overrules),
		cmocka_unit_test(gravity_is_that_of_the_beginning),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
