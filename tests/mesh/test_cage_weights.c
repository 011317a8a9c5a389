// Harmonic coordinates: what holds exactly (not negative, sum one, linear precision), what converges (harmonic), what a
// cage has to be, and that nothing reaches across a gap.
#include "test.h"

#include "mesh/cage_facets.h"
#include "mesh/cage_shapes.h"
#include "mesh/shapes.h"

// A U: two arms beside a slot of 0.04 between x = 0.48 and 0.52.
static const double u_points[16] = { 0, 0, 1, 0, 1, 1, 0.52, 1, 0.52, 0.2, 0.48, 0.2, 0.48, 1, 0, 1 };
// An L.
static const double l_points[12] = { 0, 0, 1, 0, 1, 0.4, 0.4, 0.4, 0.4, 1, 0, 1 };
static const double square_points[8] = { 0, 0, 1, 0, 1, 1, 0, 1 };

static double* weights_of(const lm_cage* cage, const double* points, int count, int nodes)
{
	lm_host host = lm_host_default();
	lm_cage_weights_settings settings = lm_cage_weights_settings_default();
	lm_error error = { 0 };
	settings.nodes = nodes;
	double* weights = calloc((size_t)(count * cage->vertex_count), sizeof(double));
	if (lm_cage_weights(cage, points, count, &settings, &host, weights, &error) != LM_OK)
		fail_msg("%s", error.message);
	return weights;
}

static double cage_size(const lm_cage* cage)
{
	double low[3], high[3];
	lm_cage_bounds(cage, low, high);
	return fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
}

// Random points inside; also on facets and on corners.
static int points_in(const lm_cage* cage, int count, uint64_t seed, double* points)
{
	double low[3], high[3];
	int d = cage->dimension, made = 0;
	lm_cage_bounds(cage, low, high);
	for (int v = 0; v < cage->vertex_count && made < count / 4; ++v, ++made)
		memcpy(points + d * made, cage->positions + d * v, sizeof(double) * (size_t)d);
	for (int f = 0; f < cage->facet_count && made < count / 2; ++f, ++made)
	{
		double w[3] = { test_random(&seed) + 1, test_random(&seed) + 1, test_random(&seed) + 1 };
		double sum = w[0] + w[1] + (d == 3 ? w[2] : 0);
		for (int k = 0; k < d; ++k)
		{
			points[d * made + k] = 0;
			for (int c = 0; c < d; ++c)
				points[d * made + k] += w[c] / sum * lm_cage_corner(cage, f, c)[k];
		}
	}
	while (made < count)
	{
		double q[3];
		for (int k = 0; k < 3; ++k)
			q[k] = low[k] + (high[k] - low[k]) * (0.5 + 0.5 * test_random(&seed));
		if (made % 7 == 0) // on a line of symmetry, where grids and cages like to coincide
			q[made % d] = (low[made % d] + high[made % d]) / 2;
		if (lm_cage_contains(cage, q))
			memcpy(points + d * made++, q, sizeof(double) * (size_t)d);
	}
	return made;
}

static void expect_exact(const lm_cage* cage, const double* points, int count, const double* weights)
{
	double size = cage_size(cage);
	for (int i = 0; i < count; ++i)
	{
		double sum = 0, x[3] = { 0 };
		for (int j = 0; j < cage->vertex_count; ++j)
		{
			double w = weights[i * cage->vertex_count + j];
			assert_true(w >= 0);
			sum += w;
			for (int k = 0; k < cage->dimension; ++k)
				x[k] += w * cage->positions[cage->dimension * j + k];
		}
		assert_near(sum, 1, 1e-13);
		for (int k = 0; k < cage->dimension; ++k)
			assert_near((x[k] - points[cage->dimension * i + k]) / size, 0, 1e-11);
	}
}

static void expect_exact_everywhere(lm_cage* cage, int nodes)
{
	double* points = calloc((size_t)(400 * cage->dimension), sizeof(double));
	int count = points_in(cage, 400, 5, points);
	double* weights = weights_of(cage, points, count, nodes);
	expect_exact(cage, points, count, weights);
	// at its own corners a cage's coordinates are 0 and 1
	for (int v = 0; v < cage->vertex_count && v < count / 4; ++v)
		assert_near(weights[v * cage->vertex_count + v], 1, 1e-9);
	free(points);
	free(weights);
	lm_cage_destroy(cage);
}

static lm_cage* twisted(lm_cage* cage) // nothing along an axis
{
	for (int v = 0; v < cage->vertex_count; ++v)
	{
		double* x = cage->positions + cage->dimension * v;
		double a = x[0] * 0.8 - x[1] * 0.6, b = x[0] * 0.6 + x[1] * 0.8;
		x[0] = a, x[1] = b;
		if (cage->dimension == 3)
			x[1] = b * 0.8 - x[2] * 0.6, x[2] = b * 0.6 + x[2] * 0.8;
	}
	return cage;
}

static void exact_in_any_cage(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const int nodes[3] = { 16, 300, 0 };
	for (int i = 0; i < 3; ++i)
	{
		expect_exact_everywhere(cage_polygon(&host, u_points, 8), nodes[i]);
		expect_exact_everywhere(twisted(cage_polygon(&host, u_points, 8)), nodes[i]);
		expect_exact_everywhere(twisted(cage_polygon(&host, l_points, 6)), nodes[i]);
		expect_exact_everywhere(cage_box(&host, (double[3]){ 0, 0, 0 }, (double[3]){ 1, 2, 1 }), nodes[i]);
	}
	expect_exact_everywhere(cage_prism(&host, l_points, 6, 3, 0.5), 2000);
	expect_exact_everywhere(twisted(cage_prism(&host, l_points, 6, 3, 0.5)), 2000);
	// a card: far thinner than the nodes are apart, and so thin that there is none
	expect_exact_everywhere(cage_box(&host, (double[3]){ 0, 0, 0 }, (double[3]){ 1, 1.4, 0.02 }), 1000);
	expect_exact_everywhere(cage_box(&host, (double[3]){ 0, 0, 0 }, (double[3]){ 1, 1.4, 1e-6 }), 1000);
	// far from the origin, huge, tiny
	expect_exact_everywhere(cage_box(&host, (double[3]){ 5, 5, 5 }, (double[3]){ 1e6, 2e6, 1e6 }), 1000);
	expect_exact_everywhere(cage_box(&host, (double[3]){ 0, 0, 0 }, (double[3]){ 1e-6, 1e-6, 2e-6 }), 1000);
}

// Harmonic functions: with boundary values that are linear along each edge only in special cases, so take those.
// On the square, h of the corner (1, 1) is x y: linear on every edge, harmonic inside.
static void square_is_bilinear(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_cage* cage = cage_polygon(&host, square_points, 4);
	double points[2 * 100];
	int count = points_in(cage, 100, 11, points);
	double* weights = weights_of(cage, points, count, 0);
	for (int i = 0; i < count; ++i) // bilinear functions are what interpolation along the axes reproduces
		assert_near(weights[4 * i + 2], points[2 * i] * points[2 * i + 1], 1e-10);
	free(weights);
	lm_cage_destroy(cage);
}

// Re and Im of z^2 on a fine polygon around a disc: the boundary values sampled at its corners, harmonic inside.
static void fine_polygon_reproduces_harmonic_functions(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	double corners[2 * 200], points[2 * 200], before = INFINITY;
	for (int i = 0; i < 200; ++i)
		corners[2 * i] = cos(M_PI * i / 100 + 0.1), corners[2 * i + 1] = sin(M_PI * i / 100 + 0.1);
	lm_cage* cage = cage_polygon(&host, corners, 200);
	int count = points_in(cage, 200, 13, points);
	const int nodes[3] = { 250, 1000, 4000 };
	for (int n = 0; n < 3; ++n)
	{
		double* weights = weights_of(cage, points, count, nodes[n]);
		double worst = 0;
		for (int i = 0; i < count; ++i)
		{
			double x = points[2 * i], y = points[2 * i + 1], f = 0;
			for (int j = 0; j < 200; ++j)
			{
				double u = corners[2 * j], v = corners[2 * j + 1];
				f += weights[200 * i + j] * (u * u * u - 3 * u * v * v);
			}
			worst = fmax(worst, fabs(f - (x * x * x - 3 * x * y * y)));
		}
		assert_true(worst < before / 2);
		before = worst;
		free(weights);
	}
	assert_true(before < 2e-3);
	lm_cage_destroy(cage);
}

// In space: a fine sphere and x y z.
static void fine_sphere_reproduces_harmonic_functions(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* sphere = shape_sphere(&host, 12, lm_v3(0, 0, 0), 1, -1);
	lm_cage* cage = cage_of_mesh(&host, sphere);
	double points[3 * 100], before = INFINITY;
	for (int i = 0; i < 100; ++i)
	{
		uint64_t seed = (uint64_t)i;
		for (int k = 0; k < 3; ++k)
			points[3 * i + k] = 0.5 * test_random(&seed);
	}
	const int nodes[2] = { 300, 3000 };
	for (int n = 0; n < 2; ++n)
	{
		double* weights = weights_of(cage, points, 100, nodes[n]);
		double worst = 0;
		for (int i = 0; i < 100; ++i)
		{
			double f = 0, *x = points + 3 * i;
			for (int j = 0; j < cage->vertex_count; ++j)
			{
				const double* c = cage->positions + 3 * j;
				f += weights[i * cage->vertex_count + j] * (c[0] * c[0] - c[1] * c[1]);
			}
			worst = fmax(worst, fabs(f - (x[0] * x[0] - x[1] * x[1])));
		}
		assert_true(worst < before);
		before = worst;
		free(weights);
	}
	assert_true(before < 0.01); // what is left is the sphere's own coarseness
	lm_cage_destroy(cage);
	lm_mesh_destroy(sphere);
}

// On a cage with a re-entrant corner, measured against a finer grid.
static void refinement_converges(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_cage* cage = twisted(cage_polygon(&host, l_points, 6));
	double points[2 * 200];
	int count = points_in(cage, 200, 17, points);
	double* fine = weights_of(cage, points, count, 60000);
	double before = INFINITY;
	const int nodes[3] = { 100, 800, 6400 };
	for (int n = 0; n < 3; ++n)
	{
		double* weights = weights_of(cage, points, count, nodes[n]);
		double worst = 0, sum = 0;
		for (int i = 0; i < count * 6; ++i)
		{
			double off = fabs(weights[i] - fine[i]);
			worst = fmax(worst, off);
			sum += off * off;
		}
		double mean = sqrt(sum / (count * 6));
		assert_true(mean < 0.6 * before); // points beside the corner, where the gradient is infinite, weigh most
		assert_true(n < 2 || worst < 0.01);
		before = mean;
		free(weights);
	}
	assert_true(before < 1e-3);
	free(fine);
	lm_cage_destroy(cage);
}

// Points on either side of a slot are close in space and far apart within the cage.
static void nothing_reaches_across_a_slot(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_cage* cage = cage_polygon(&host, u_points, 8);
	const double points[4] = { 0.47, 0.9, 0.53, 0.9 };
	for (int nodes = 16; nodes < 10000; nodes *= 8)
	{
		double* weights = weights_of(cage, points, 2, nodes);
		// vertex 6 is the left arm's inner tip, 3 the right one's: even nodes farther apart than the slot keep them so
		assert_true(weights[6] > 0.7 && weights[3] < 1e-3);
		assert_true(weights[8 + 3] > 0.7 && weights[8 + 6] < 1e-3);
		free(weights);
	}
	lm_cage_destroy(cage);
}

static void mirror_images_have_mirrored_weights(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_cage* cage = cage_polygon(&host, u_points, 8);
	double points[2 * 100];
	int count = points_in(cage, 50, 19, points);
	for (int i = 0; i < count; ++i)
		points[2 * (count + i)] = 1 - points[2 * i], points[2 * (count + i) + 1] = points[2 * i + 1];
	double* weights = weights_of(cage, points, 2 * count, 0);
	const int mirror[8] = { 1, 0, 7, 6, 5, 4, 3, 2 };
	for (int i = 0; i < count; ++i)
		for (int j = 0; j < 8; ++j)
			assert_near(weights[8 * i + j], weights[8 * (count + i) + mirror[j]], 1e-9);
	free(weights);
	lm_cage_destroy(cage);
}

static void threads_do_not_matter(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_cage* cage = twisted(cage_prism(&host, l_points, 6, 3, 0.5));
	lm_cage_weights_settings settings = lm_cage_weights_settings_default();
	double points[3 * 300];
	int count = points_in(cage, 300, 23, points);
	settings.nodes = 1500;
	double* first = weights_of(cage, points, count, settings.nodes);
	double* other = calloc((size_t)(count * cage->vertex_count), sizeof(double));
	for (host.threads = 1; host.threads <= 4; host.threads *= 2)
	{
		assert_int_equal(lm_cage_weights(cage, points, count, &settings, &host, other, NULL), LM_OK);
		assert_memory_equal(first, other, sizeof(double) * (size_t)(count * cage->vertex_count));
	}
	free(first);
	free(other);
	lm_cage_destroy(cage);
}

// ---- what is wrong

static void expect_bad(const lm_cage* cage, const double* points, int count, const char* text)
{
	lm_host host = lm_host_default();
	lm_cage_weights_settings settings = lm_cage_weights_settings_default();
	lm_error error = { 0 };
	double* weights = calloc((size_t)(count * cage->vertex_count), sizeof(double));
	assert_int_equal(lm_cage_weights(cage, points, count, &settings, &host, weights, &error), LM_BAD_INPUT);
	if (strstr(error.message, text) == NULL)
		fail_msg("'%s' does not say '%s'", error.message, text);
	free(weights);
}

static void points_outside_are_named(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_cage* cage = cage_polygon(&host, u_points, 8);
	expect_bad(cage, (double[4]){ 0.2, 0.5, 1.25, 0.5 }, 2, "vertex 1 lies 0.25 outside of the cage;");
	expect_bad(cage, (double[6]){ 0.5, 0.5, 0.2, 0.2, 0.5, 1.5 }, 3, "vertex 2 lies 0.5 outside of the cage (2 vert");
	expect_bad(cage, (double[2]){ 0.5, NAN }, 1, "vertex 0 has a coordinate");
	lm_cage_weights_settings settings = { .nodes = 3 };
	lm_error error = { 0 };
	double weights[8] = { 0 };
	assert_int_equal(lm_cage_weights(cage, u_points, 1, &settings, &host, weights, &error), LM_BAD_INPUT);
	// within rounding it is on the cage
	double* on = weights_of(cage, (double[2]){ 1 + 1e-12, 0.25 }, 1, 0);
	assert_near(on[1], 0.75, 1e-9);
	assert_near(on[2], 0.25, 1e-9);
	free(on);
	lm_cage_destroy(cage);
}

static void unfit_polygons_are_refused(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_cage* cage = NULL;
	assert_int_equal(lm_cage_create_polygon(square_points, 2, &host, &cage, NULL), LM_BAD_INPUT);
	const double inside[2] = { 0.5, 0.25 }, bow_tie[8] = { 0, 0, 1, 0, 0, 1, 1, 1 };
	cage = cage_polygon(&host, bow_tie, 4);
	expect_bad(cage, inside, 1, "edges 1 and 3 of the cage cross each other");
	lm_cage_destroy(cage);
	cage = cage_polygon(&host, square_points, 4);
	cage->facet_count = 3;
	expect_bad(cage, inside, 1, "the cage is open at vertex");
	cage->facet_count = 4;
	cage->facets[0] = 1, cage->facets[1] = 0;
	expect_bad(cage, inside, 1, "face opposite ways");
	cage->facets[0] = 0, cage->facets[1] = 2;
	expect_bad(cage, inside, 1, "the cage");
	cage->facets[1] = 9;
	expect_bad(cage, inside, 1, "facet 0 of the cage names vertex 9, but there are only 4");
	cage->facets[1] = 0;
	expect_bad(cage, inside, 1, "names vertex 0 twice");
	cage->facets[1] = 1;
	cage->positions[5] = INFINITY;
	expect_bad(cage, inside, 1, "vertex 2 of the cage has a coordinate");
	cage->positions[5] = 1;
	for (int v = 0; v < 4; ++v)
		cage->positions[2 * v + 1] = 0;
	expect_bad(cage, inside, 1, "flat");
	cage->facet_count = 0;
	expect_bad(cage, inside, 1, "no facets");
	lm_cage_destroy(cage);
}

static void unfit_surfaces_are_refused(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const double low[3] = { 0, 0, 0 }, high[3] = { 1, 1, 1 }, inside[3] = { 0.5, 0.4, 0.3 };
	lm_cage* cage = cage_box(&host, low, high);
	cage->facet_count = 11;
	expect_bad(cage, inside, 1, "the cage is open at the edge from vertex");
	cage->facet_count = 12;
	int32_t swap = cage->facets[0];
	cage->facets[0] = cage->facets[1], cage->facets[1] = swap;
	expect_bad(cage, inside, 1, "face opposite ways");
	cage->facets[1] = cage->facets[0], cage->facets[0] = swap;
	lm_vec3 corner = lm_v3_at(cage->positions, 7);
	lm_v3_store(cage->positions, 7, lm_v3(-1, 0.4, 0.4)); // pulled through the opposite side
	expect_bad(cage, inside, 1, "cross each other");
	lm_v3_store(cage->positions, 7, corner);
	double* weights = weights_of(cage, inside, 1, 500);
	// inside out is as good
	for (int f = 0; f < 12; ++f)
	{
		swap = cage->facets[3 * f];
		cage->facets[3 * f] = cage->facets[3 * f + 1], cage->facets[3 * f + 1] = swap;
	}
	double* turned = weights_of(cage, inside, 1, 500);
	for (int j = 0; j < 8; ++j)
		assert_near(turned[j], weights[j], 1e-9);
	free(weights);
	free(turned);
	lm_cage_destroy(cage);
	cage = lm_cage_create(&host, 3, 9, 12);
	lm_cage* box = cage_box(&host, low, high);
	memcpy(cage->positions, box->positions, 24 * sizeof(double));
	memcpy(cage->facets, box->facets, 36 * sizeof(int32_t));
	expect_bad(cage, inside, 1, "vertex 8 of the cage belongs to none of its facets");
	lm_cage_destroy(box);
	lm_cage_destroy(cage);
}

static void every_allocation_may_fail(void** state)
{
	(void)state;
	test_memory memory = { 0 };
	lm_host host = test_host(&memory);
	lm_cage_weights_settings settings = { .nodes = 60 };
	const double points[4] = { 0.2, 0.3, 0.3, 0.3 };
	lm_status status = LM_NO_MEMORY;
	for (memory.fail_at = 1; status != LM_OK; ++memory.fail_at)
	{
		lm_cage* cage = NULL;
		double weights[2 * 6] = { 0 };
		lm_error error = { 0 };
		memory.requests = 0;
		status = lm_cage_create_polygon(l_points, 6, &host, &cage, &error);
		if (status == LM_OK)
			status = lm_cage_weights(cage, points, 2, &settings, &host, weights, &error);
		assert_true(status == LM_OK || (status == LM_NO_MEMORY && error.status == LM_NO_MEMORY));
		lm_cage_destroy(cage);
		assert_int_equal(memory.held, 0);
	}
	assert_true(memory.fail_at > 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_in_any_cage),
		cmocka_unit_test(square_is_bilinear),
		cmocka_unit_test(fine_polygon_reproduces_harmonic_functions),
		cmocka_unit_test(fine_sphere_reproduces_harmonic_functions),
		cmocka_unit_test(refinement_converges),
		cmocka_unit_test(nothing_reaches_across_a_slot),
		cmocka_unit_test(mirror_images_have_mirrored_weights),
		cmocka_unit_test(threads_do_not_matter),
		cmocka_unit_test(points_outside_are_named),
		cmocka_unit_test(unfit_polygons_are_refused),
		cmocka_unit_test(unfit_surfaces_are_refused),
		cmocka_unit_test(every_allocation_may_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
