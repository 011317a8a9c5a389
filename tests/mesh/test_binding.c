// Bindings: partition of unity, affine maps, outside points, threads, bad input.
#include "test.h"

#include "mesh/shapes.h"

#include <stdbool.h>

static lm_mesh* bent_block(const lm_host* host)
{
	lm_mesh* mesh = shape_block(host, 5, 4, 3);
	uint64_t seed = 21;
	for (int i = 0; i < 3 * mesh->vertex_count; ++i)
		mesh->positions[i] += 0.12 * test_random(&seed);
	return mesh;
}

// Points in, on and well outside the block, and its vertices themselves.
static double* queries(const lm_mesh* mesh, int32_t count)
{
	double* points = malloc(3 * sizeof(double) * (size_t)count);
	uint64_t seed = 4;
	for (int32_t v = 0; v < count; ++v)
	{
		lm_vec3 p = lm_v3(2.5 + 4 * test_random(&seed), 2 + 4 * test_random(&seed), 1.5 + 3 * test_random(&seed));
		lm_v3_store(points, v, v < mesh->vertex_count ? lm_v3_at(mesh->positions, v) : p);
	}
	return points;
}

static lm_vec3 affine(lm_vec3 p)
{
	return lm_v3(3 + 2 * p.x - p.y, 0.5 * p.y + p.z - 7, 0.25 * p.x + 1.5 * p.z + 0.1 * p.y);
}

static void affine_maps_carry_over(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	lm_mesh* mesh = bent_block(&host);
	assert_int_equal(lm_mesh_check(mesh, "x", &error), LM_OK);
	int32_t count = 3000, outside = 0;
	double* points = queries(mesh, count);
	double* moved = malloc(3 * sizeof(double) * (size_t)count);
	lm_binding* binding;
	assert_int_equal(lm_binding_create(mesh, points, count, &host, &binding, &error), LM_OK);
	lm_binding_view view = lm_binding_get(binding);
	assert_int_equal(view.vertex_count, count);
	assert_int_equal(view.point_count, mesh->vertex_count);
	for (int32_t v = 0; v < count; ++v)
	{
		double sum = 0, least = 0;
		for (int64_t k = view.starts[v]; k < view.starts[v + 1]; ++k)
		{
			assert_in_range(view.points[k], 0, mesh->vertex_count - 1);
			sum += view.weights[k];
			least = fmin(least, view.weights[k]);
		}
		assert_near(sum, 1, 1e-12);
		outside += least < -1e-9;
		assert_true(least > -40); // the closest of well-shaped tetrahedra: no wild extrapolation
		assert_true(v >= mesh->vertex_count || least > -1e-9);
	}
	assert_true(outside > 500 && outside < count - 500);
	lm_binding_apply(binding, mesh->positions, 1, moved);
	for (int i = 0; i < 3 * count; ++i) // at rest everything is where it was, outside too
		assert_near(moved[i], points[i], 1e-11);
	for (int v = 0; v < mesh->vertex_count; ++v)
		lm_v3_store(mesh->positions, v, affine(lm_v3_at(mesh->positions, v)));
	lm_binding_apply(binding, mesh->positions, 1, moved);
	for (int v = 0; v < count; ++v)
		assert_near(lm_distance(lm_v3_at(moved, v), affine(lm_v3_at(points, v))), 0, 1e-10);
	lm_binding_destroy(binding);
	lm_binding_destroy(NULL);
	lm_mesh_destroy(mesh);
	free(points);
	free(moved);
}

// A vertex of the display that lies inside must follow its own tetrahedron and no other.
static void only_the_own_tetrahedron_moves_a_point(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = shape_block(&host, 3, 3, 3);
	int tets = mesh->tet_count;
	double* centres = malloc(3 * sizeof(double) * (size_t)tets);
	for (int t = 0; t < tets; ++t)
	{
		lm_vec3 sum = { 0 };
		for (int i = 0; i < 4; ++i)
			sum = lm_add_scaled(sum, 0.25, lm_v3_at(mesh->positions, mesh->tets[4 * t + i]));
		lm_v3_store(centres, t, sum);
	}
	lm_binding* binding;
	assert_int_equal(lm_binding_create(mesh, centres, tets, &host, &binding, NULL), LM_OK);
	lm_binding_view view = lm_binding_get(binding);
	for (int t = 0; t < tets; ++t)
		for (int i = 0; i < 4; ++i)
		{
			assert_int_equal(view.points[view.starts[t] + i], mesh->tets[4 * t + i]);
			assert_near(view.weights[view.starts[t] + i], 0.25, 1e-12);
		}
	lm_binding_destroy(binding);
	lm_mesh_destroy(mesh);
	free(centres);
}

// Over a corner shared by a sliver and a fat tetrahedron the fat one is continued.
static void slivers_are_not_continued(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const double xyz[18] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, -0.5, 1e-5, -1 };
	const int32_t tets[8] = { 0, 5, 4, 3, 0, 1, 2, 3 }; // the sliver first
	lm_mesh* mesh = lm_mesh_create(&host, 6, 0, 2);
	memcpy(mesh->positions, xyz, sizeof xyz);
	memcpy(mesh->tets, tets, sizeof tets);
	assert_int_equal(lm_mesh_check(mesh, "x", NULL), LM_OK);
	const double over[6] = { 0, -0.05, 3, 0, -0.01, 1.5 };
	lm_binding* binding;
	assert_int_equal(lm_binding_create(mesh, over, 2, &host, &binding, NULL), LM_OK);
	lm_binding_view view = lm_binding_get(binding);
	for (int k = 0; k < 8; ++k)
	{
		assert_int_equal(view.points[k], tets[4 + k % 4]);
		assert_true(fabs(view.weights[k]) < 5);
	}
	lm_binding_destroy(binding);
	// alone and hopelessly thin: the point is put on it rather than thrown about
	mesh->tet_count = 1;
	mesh->positions[16] = 1e-11;
	assert_int_equal(lm_binding_create(mesh, (double[]){ 0, 5, 0 }, 1, &host, &binding, NULL), LM_OK);
	double result[3];
	lm_binding_apply(binding, mesh->positions, 1, result);
	assert_near(lm_length(lm_v3(result[0], result[1], result[2])), 0, 1e-9);
	for (int k = 0; k < 4; ++k)
		assert_true(lm_binding_get(binding).weights[k] >= 0);
	lm_binding_destroy(binding);
	lm_mesh_destroy(mesh);
}

static void surfaces_bind_to_closest_triangles(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = shape_sphere(&host, 8, lm_v3(1, 2, 3), 1, -1);
	double points[300], results[300];
	uint64_t seed = 3;
	for (int v = 0; v < 100; ++v)
		lm_v3_store(points, v,
		            lm_add(lm_v3(1, 2, 3), lm_v3(test_random(&seed), test_random(&seed), 2 + test_random(&seed))));
	lm_binding* binding;
	assert_int_equal(lm_binding_create(mesh, points, 100, &host, &binding, NULL), LM_OK);
	assert_int_equal(lm_binding_get(binding).starts[100], 300);
	lm_binding_apply(binding, mesh->positions, 1, results);
	for (int v = 0; v < 100; ++v)
	{
		double radius = lm_distance(lm_v3_at(results, v), lm_v3(1, 2, 3));
		assert_true(radius > 0.95 && radius < 1.0000001); // on the facets
		double before = lm_distance(lm_v3_at(points, v), lm_v3(1, 2, 3));
		assert_near(lm_distance(lm_v3_at(points, v), lm_v3_at(results, v)), before - 1, 0.05);
	}
	lm_binding_destroy(binding);
	lm_mesh_destroy(mesh);
}

// In the plane, points outside follow the closest triangle's map; slivers and sheets in space hold on to their border.
static void flat_triangles_are_continued(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, 4, 2, 0);
	const double xyz[12] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 };
	memcpy(mesh->positions, xyz, sizeof xyz);
	memcpy(mesh->triangles, (int32_t[]){ 0, 1, 2, 0, 2, 3 }, 6 * sizeof(int32_t));
	const double points[9] = { 0.25, 0.5, 0, 1.2, 0.5, 0, -0.1, -0.1, 0 };
	double moved[9];
	lm_binding* binding;
	assert_int_equal(lm_binding_create(mesh, points, 3, &host, &binding, NULL), LM_OK);
	for (int v = 0; v < 4; ++v)
	{
		lm_vec3 x = lm_v3_at(xyz, v);
		lm_v3_store(mesh->positions, v, lm_v3(2 * x.x + x.y, x.y - x.x, 0));
	}
	lm_binding_apply(binding, mesh->positions, 1, moved);
	for (int v = 0; v < 3; ++v)
	{
		assert_near(moved[3 * v], 2 * points[3 * v] + points[3 * v + 1], 1e-12);
		assert_near(moved[3 * v + 1], points[3 * v + 1] - points[3 * v], 1e-12);
	}
	lm_binding_destroy(binding);
	mesh->positions[2] = 1e-3; // no longer flat: the closest point it is
	assert_int_equal(lm_binding_create(mesh, (double[]){ 9, 9, 0 }, 1, &host, &binding, NULL), LM_OK);
	lm_binding_view view = lm_binding_get(binding);
	for (int k = 0; k < 3; ++k)
		assert_true(view.weights[k] >= 0);
	lm_binding_destroy(binding);
	lm_mesh_destroy(mesh);
}

static void threads_change_no_bit(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = bent_block(&host);
	int32_t count = 20000;
	double* points = queries(mesh, count);
	size_t bytes = 3 * sizeof(double) * (size_t)count;
	double *reference = malloc(bytes), *results = malloc(bytes), *weights = malloc(4 * sizeof(double) * (size_t)count);
	const int threads[3] = { 1, 2, 4 };
	for (int i = 0; i < 3; ++i)
	{
		host.threads = threads[i];
		lm_binding* binding;
		assert_int_equal(lm_binding_create(mesh, points, count, &host, &binding, NULL), LM_OK);
		lm_binding_view view = lm_binding_get(binding);
		if (i == 0)
			memcpy(weights, view.weights, 4 * sizeof(double) * (size_t)count);
		assert_memory_equal(weights, view.weights, 4 * sizeof(double) * (size_t)count);
		for (int j = 0; j < 3; ++j)
		{
			lm_binding_apply(binding, mesh->positions, threads[j], i + j == 0 ? reference : results);
			if (i + j > 0)
				assert_memory_equal(results, reference, bytes);
		}
		lm_binding_destroy(binding);
	}
	free(points);
	free(reference);
	free(results);
	free(weights);
	lm_mesh_destroy(mesh);
}

static void identity_is_the_identity(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_binding* binding;
	assert_int_equal(lm_binding_create_identity(5, &host, &binding, NULL), LM_OK);
	double points[15], results[15];
	for (int i = 0; i < 15; ++i)
		points[i] = i * 0.1;
	lm_binding_apply(binding, points, 3, results);
	assert_memory_equal(points, results, sizeof points);
	assert_int_equal(lm_binding_get(binding).starts[5], 5);
	lm_binding_destroy(binding);
	assert_int_equal(lm_binding_create_identity(0, &host, &binding, NULL), LM_OK);
	lm_binding_apply(binding, points, 1, results);
	lm_binding_destroy(binding);
}

static void bad_input_is_named(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	lm_binding* binding = NULL;
	lm_mesh* empty = lm_mesh_create(&host, 3, 0, 0);
	double points[6] = { 0, 0, 0, 1, INFINITY, 1 };
	assert_int_equal(lm_binding_create(empty, points, 1, &host, &binding, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "nothing to bind to"));
	assert_int_equal(lm_binding_create(empty, NULL, 0, &host, &binding, &error), LM_OK);
	lm_binding_destroy(binding);
	lm_mesh_destroy(empty);
	lm_mesh* mesh = shape_block(&host, 1, 1, 1);
	binding = NULL;
	for (int i = 0; i < 3; ++i)
	{
		points[4] = i == 0 ? INFINITY : i == 1 ? NAN : -1e200;
		assert_int_equal(lm_binding_create(mesh, points, 2, &host, &binding, &error), LM_BAD_INPUT);
		assert_int_equal(error.element, 1);
	}
	assert_null(binding);
	points[4] = 1e30; // absurd but finite: weights stay finite
	assert_int_equal(lm_binding_create(mesh, points, 2, &host, &binding, &error), LM_OK);
	double results[6];
	lm_binding_apply(binding, mesh->positions, 1, results);
	assert_true(isfinite(results[4]));
	lm_binding_destroy(binding);
	lm_mesh_destroy(mesh);
}

static void failing_memory_leaks_nothing(void** state)
{
	(void)state;
	lm_host plain = lm_host_default();
	lm_mesh* mesh = shape_block(&plain, 2, 2, 2);
	for (int64_t fail_at = 1;; ++fail_at)
	{
		test_memory memory = { .fail_at = fail_at };
		lm_host host = test_host(&memory);
		lm_binding *binding = NULL, *identity = NULL;
		lm_error error;
		lm_status status = lm_binding_create(mesh, mesh->positions, mesh->vertex_count, &host, &binding, &error);
		if (status == LM_OK)
			status = lm_binding_create_identity(4, &host, &identity, &error);
		lm_binding_destroy(binding);
		lm_binding_destroy(identity);
		assert_int_equal(memory.held, 0);
		if (status == LM_OK)
		{
			assert_int_equal(fail_at, 12);
			break;
		}
		assert_int_equal(status, LM_NO_MEMORY);
	}
	lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(affine_maps_carry_over),       cmocka_unit_test(only_the_own_tetrahedron_moves_a_point),
		cmocka_unit_test(slivers_are_not_continued),    cmocka_unit_test(surfaces_bind_to_closest_triangles),
		cmocka_unit_test(threads_change_no_bit),        cmocka_unit_test(flat_triangles_are_continued),
		cmocka_unit_test(identity_is_the_identity),     cmocka_unit_test(bad_input_is_named),
		cmocka_unit_test(failing_memory_leaks_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
