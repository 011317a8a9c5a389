// Winding numbers: closed, open, overlapping, inside out, and the fast sum against the exact one.
#include "test.h"

#include "mesh/shapes.h"

#include "mesh/winding.h"

typedef struct field
{
	lm_bvh bvh;
	lm_winding winding;
} field;

static void make_field(const lm_mesh* mesh, field* f)
{
	lm_host host = lm_host_default();
	assert_int_equal(lm_bvh_create(mesh->triangles, mesh->triangle_count, 3, mesh->positions, &host, &f->bvh, NULL),
	                 LM_OK);
	assert_int_equal(lm_winding_create(&f->bvh, &f->winding, NULL), LM_OK);
}

static void release_field(field* f)
{
	lm_winding_release(&f->winding);
	lm_bvh_release(&f->bvh);
}

static void closed_sphere_is_one_inside_and_zero_outside(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = shape_sphere(&host, 24, lm_v3(3, -2, 1), 2, -1);
	field f;
	make_field(mesh, &f);
	uint64_t seed = 2;
	int inside = 0;
	for (int k = 0; k < 1000; ++k)
	{
		lm_vec3 d = lm_v3(3 * test_random(&seed), 3 * test_random(&seed), 3 * test_random(&seed));
		double radius = lm_length(d);
		if (fabs(radius - 1.99) < 0.02) // the facets lie up to 0.02 below the sphere
			continue;
		lm_vec3 p = lm_add(lm_v3(3, -2, 1), d);
		double expected = radius < 2 ? 1 : 0;
		assert_near(lm_winding_number(&f.winding, p, INFINITY), expected, 1e-10);
		assert_near(lm_winding_number(&f.winding, p, LM_WINDING_ACCURACY), expected, 0.03);
		inside += radius < 2;
	}
	assert_true(inside > 50 && inside < 900);
	for (int t = 0; t < mesh->triangle_count; ++t) // inside out
	{
		int32_t swap = mesh->triangles[3 * t];
		mesh->triangles[3 * t] = mesh->triangles[3 * t + 1];
		mesh->triangles[3 * t + 1] = swap;
	}
	field turned;
	make_field(mesh, &turned);
	assert_near(lm_winding_number(&turned.winding, lm_v3(3, -2, 1), INFINITY), -1, 1e-10);
	release_field(&turned);
	release_field(&f);
	lm_mesh_destroy(mesh);
}

static void open_sphere_is_the_share_of_the_view(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* half = shape_sphere(&host, 40, lm_v3(0, 0, 0), 1, 0);
	field f;
	make_field(half, &f);
	assert_near(lm_winding_number(&f.winding, lm_v3(0, 0, 0), INFINITY), 0.5, 1e-9); // half of the view exactly
	assert_true(lm_winding_number(&f.winding, lm_v3(0, 0, 0.6), LM_WINDING_ACCURACY) > 0.7);
	assert_true(lm_winding_number(&f.winding, lm_v3(0.5, 0.2, 0.4), LM_WINDING_ACCURACY) > 0.55);
	assert_true(lm_winding_number(&f.winding, lm_v3(0, 0, -0.5), LM_WINDING_ACCURACY) < 0.3);
	assert_near(lm_winding_number(&f.winding, lm_v3(0, 0, 40), LM_WINDING_ACCURACY), 0, 1e-3);
	release_field(&f);
	lm_mesh_destroy(half);
}

static void overlapping_spheres_add_up(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* a = shape_sphere(&host, 16, lm_v3(0, 0, 0), 1, -1);
	lm_mesh* b = shape_sphere(&host, 12, lm_v3(1, 0, 0), 1, -1);
	lm_mesh* both = shape_join(&host, a, b);
	field f;
	make_field(both, &f);
	assert_near(lm_winding_number(&f.winding, lm_v3(0.5, 0, 0), INFINITY), 2, 1e-10);
	assert_near(lm_winding_number(&f.winding, lm_v3(0.5, 0, 0), LM_WINDING_ACCURACY), 2, 0.03);
	assert_near(lm_winding_number(&f.winding, lm_v3(-0.5, 0, 0), LM_WINDING_ACCURACY), 1, 0.03);
	assert_near(lm_winding_number(&f.winding, lm_v3(1.5, 0.2, 0), LM_WINDING_ACCURACY), 1, 0.03);
	assert_near(lm_winding_number(&f.winding, lm_v3(0.5, 0, 1.2), LM_WINDING_ACCURACY), 0, 0.03);
	release_field(&f);
	lm_mesh_destroy(a);
	lm_mesh_destroy(b);
	lm_mesh_destroy(both);
}

// On soups nothing cancels: the approximation must follow the exact sum, and better with more accuracy.
static void fast_follows_exact(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = shape_sphere(&host, 30, lm_v3(0, 0, 0), 1, 0.3);
	uint64_t seed = 12;
	for (int i = 0; i < 3 * mesh->vertex_count; ++i)
		mesh->positions[i] += 0.02 * test_random(&seed);
	field f;
	make_field(mesh, &f);
	double worst[3] = { 0 };
	for (int k = 0; k < 500; ++k)
	{
		lm_vec3 p = lm_v3(1.5 * test_random(&seed), 1.5 * test_random(&seed), 1.5 * test_random(&seed));
		double exact = lm_winding_number(&f.winding, p, INFINITY), brute = 0;
		for (int t = 0; t < mesh->triangle_count; ++t) // by another formula: sum of spherical angles less pi
		{
			lm_vec3 u[3];
			for (int i = 0; i < 3; ++i)
				u[i] =
					lm_normalize_or(lm_sub(lm_v3_at(mesh->positions, mesh->triangles[3 * t + i]), p), lm_v3(1, 0, 0));
			double excess = -3.14159265358979323846;
			for (int i = 0; i < 3; ++i)
			{
				lm_vec3 n1 = lm_cross(u[i], u[(i + 1) % 3]), n2 = lm_cross(u[i], u[(i + 2) % 3]);
				double cosine = lm_dot(n1, n2) / (lm_length(n1) * lm_length(n2));
				excess += acos(fmax(-1, fmin(1, cosine)));
			}
			double up = lm_dot(u[0], lm_cross(u[1], u[2]));
			brute += up > 0 ? excess : -excess;
		}
		assert_near(exact, brute / (4 * 3.14159265358979323846), 1e-5);
		for (int i = 0; i < 3; ++i)
			worst[i] = fmax(worst[i], fabs(lm_winding_number(&f.winding, p, 2 << i) - exact));
	}
	assert_true(worst[0] < 0.08 && worst[1] < 0.4 * worst[0] && worst[2] < 0.4 * worst[1]);
	release_field(&f);
	lm_mesh_destroy(mesh);
}

static void degenerate_surfaces_stay_finite(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = shape_soup(&host, 12, 40, 5);
	for (int i = 0; i < 18; ++i) // half of the vertices in one point, another on a line
		mesh->positions[i] = i < 9 ? 0.25 : 0.25 * (i / 3);
	field f;
	make_field(mesh, &f);
	for (int v = 0; v < 12; ++v)
	{
		assert_true(isfinite(lm_winding_number(&f.winding, lm_v3_at(mesh->positions, v), LM_WINDING_ACCURACY)));
		assert_true(isfinite(lm_winding_number(&f.winding, lm_v3_at(mesh->positions, v), INFINITY)));
	}
	assert_true(isfinite(lm_winding_number(&f.winding, lm_v3(1e30, -1e30, 1e30), LM_WINDING_ACCURACY)));
	release_field(&f);
	for (int i = 0; i < 36; ++i) // all of it in one point
		mesh->positions[i] = 7;
	make_field(mesh, &f);
	assert_near(lm_winding_number(&f.winding, lm_v3(7, 7, 7), LM_WINDING_ACCURACY), 0, 0);
	assert_near(lm_winding_number(&f.winding, lm_v3(7, 8, 7), LM_WINDING_ACCURACY), 0, 0);
	release_field(&f);
	lm_bvh none;
	lm_winding nothing;
	assert_int_equal(lm_bvh_create(NULL, 0, 3, NULL, &host, &none, NULL), LM_OK);
	assert_int_equal(lm_winding_create(&none, &nothing, NULL), LM_OK);
	assert_near(lm_winding_number(&nothing, lm_v3(0, 0, 0), LM_WINDING_ACCURACY), 0, 0);
	lm_winding_release(&nothing);
	lm_bvh_release(&none);
	lm_mesh_destroy(mesh);
}

static void failing_memory_leaks_nothing(void** state)
{
	(void)state;
	lm_host plain = lm_host_default();
	lm_mesh* mesh = shape_sphere(&plain, 4, lm_v3(0, 0, 0), 1, -1);
	test_memory memory = { 0 };
	lm_host host = test_host(&memory);
	lm_bvh bvh;
	assert_int_equal(lm_bvh_create(mesh->triangles, mesh->triangle_count, 3, mesh->positions, &host, &bvh, NULL),
	                 LM_OK);
	lm_winding winding = { 0 };
	memory.fail_at = memory.requests + 1;
	assert_int_equal(lm_winding_create(&bvh, &winding, NULL), LM_NO_MEMORY);
	lm_winding_release(&winding);
	lm_bvh_release(&bvh);
	assert_int_equal(memory.held, 0);
	lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed_sphere_is_one_inside_and_zero_outside),
		cmocka_unit_test(open_sphere_is_the_share_of_the_view),
		cmocka_unit_test(overlapping_spheres_add_up),
		cmocka_unit_test(fast_follows_exact),
		cmocka_unit_test(degenerate_surfaces_stay_finite),
		cmocka_unit_test(failing_memory_leaks_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
