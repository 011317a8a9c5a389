// Exact intersection of triangles: constructed cases, neighbours, symmetry, and a brute-force count.
#include "mesh/intersect.h"
#include "test.h"

static lm_vec3 turned(lm_vec3 p, int k)
{
	for (; k > 0; --k)
		p = lm_v3(p.y, p.z, p.x);
	return p;
}

// Both orders, all corner orders and axes agree.
static void expect(const lm_vec3 a[3], const lm_vec3 b[3], bool meet)
{
	for (int axis = 0; axis < 3; ++axis)
		for (int order = 0; order < 9; ++order)
		{
			lm_vec3 p[3], q[3];
			for (int i = 0; i < 3; ++i)
				p[i] = turned(a[(i + order) % 3], axis), q[i] = turned(b[(i + order / 3) % 3], axis);
			assert_int_equal(lm_triangles_intersect(p, q), meet);
			assert_int_equal(lm_triangles_intersect(q, p), meet);
		}
}

static void constructed_cases(void** state)
{
	(void)state;
	lm_vec3 a[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
	lm_vec3 through[3] = { { 0.2, 0.2, -1 }, { 0.2, 0.2, 1 }, { 3, 3, 0 } };
	lm_vec3 beside[3] = { { 2, 2, -1 }, { 2, 2, 1 }, { 3, 3, 0 } };
	lm_vec3 above[3] = { { 0, 0, 1e-300 }, { 1, 0, 1e-30 }, { 0, 1, 1e-30 } };
	lm_vec3 touching[3] = { { 0.25, 0.25, 0 }, { 0.25, 0.25, 1 }, { 1, 1, 1 } };
	lm_vec3 corner[3] = { { 0, 0, 0 }, { -1, 0, 1 }, { 0, -1, 1 } };
	lm_vec3 inside[3] = { { 0.1, 0.1, 0 }, { 0.2, 0.1, 0 }, { 0.1, 0.2, 0 } };
	lm_vec3 aside[3] = { { 1, 1, 0 }, { 2, 1, 0 }, { 1, 2, 0 } };
	lm_vec3 edge[3] = { { 0.5, 0.5, 0 }, { 2, 1, 0 }, { 1, 2, 0 } };
	lm_vec3 line[3] = { { 0.2, 0.2, -1 }, { 0.2, 0.2, 0 }, { 0.2, 0.2, 1 } };
	lm_vec3 line_aside[3] = { { 0.6, 0.6, -1 }, { 0.6, 0.6, 0 }, { 0.6, 0.6, 1 } };
	// two segments as triangles that meet seen along each axis, and still are apart
	lm_vec3 needle[3] = { { 0, 0, 0.25 }, { 0, 0, 0.25 }, { 1, 1, 0.75 } };
	lm_vec3 over[3] = { { 0.25, 0.75, 0.28125 }, { 0.75, 0.25, 0.78125 }, { 0.75, 0.25, 0.78125 } };
	expect(needle, over, false);
	over[0].z = 0.25, over[1].z = over[2].z = 0.75;
	expect(needle, over, true);
	expect(a, through, true), expect(a, beside, false);
	above[0].z = 1e-80; // predicates hold from 1e-90 on
	expect(a, above, false);
	expect(a, touching, true), expect(a, corner, true), expect(a, inside, true), expect(a, aside, false);
	expect(a, edge, true), expect(a, a, true), expect(a, line, true), expect(a, line_aside, false);
}

static void neighbours(void** state)
{
	(void)state;
	// 0 1 2 and 1 3 2 share an edge; 4 and 5 make a triangle at vertex 0
	double x[18] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, -1, 0, 0, 0, -1, 0 };
	int32_t a[3] = { 0, 1, 2 }, b[3] = { 1, 3, 2 }, c[3] = { 0, 4, 5 };
	assert_false(lm_mesh_triangles_intersect(x, a, b));
	x[9] = 0.25, x[10] = 0.25; // folded flat onto its neighbour
	assert_true(lm_mesh_triangles_intersect(x, a, b));
	x[11] = 1e-12; // not quite
	assert_false(lm_mesh_triangles_intersect(x, a, b));
	assert_false(lm_mesh_triangles_intersect(x, a, c));
	x[12] = 0.5, x[13] = 0.1, x[14] = 0.2, x[15] = 0.1, x[16] = 0.5, x[17] = 0.2;
	assert_false(lm_mesh_triangles_intersect(x, a, c)); // stands on a corner
	x[17] = -0.2;                                       // and dips through
	assert_true(lm_mesh_triangles_intersect(x, a, c));
	assert_true(lm_mesh_triangles_intersect(x, c, a));
	assert_true(lm_mesh_triangles_intersect(x, a, a));
}

// A pile of random triangles: the tree finds what trying all pairs finds, in order; a plane grid has none.
static void counts(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	enum
	{
		triangles = 120
	};
	double x[9 * triangles];
	int32_t t[3 * triangles];
	uint64_t seed = 5;
	for (int i = 0; i < 9 * triangles; i += 3)
		for (int c = 0; c < 3; ++c)
			x[i + c] = 2 * sin(17.0 * (i / 9) + c) + 0.5 * test_random(&seed);
	for (int i = 0; i < 3 * triangles; ++i)
		t[i] = i;
	lm_bvh tree = { 0 };
	assert_int_equal(lm_bvh_create(t, triangles, 3, x, &host, &tree, NULL), LM_OK);
	int64_t expected = 0;
	static lm_triangle_pair pairs[triangles * triangles];
	int64_t found = lm_mesh_count_intersections(&tree, pairs, triangles * triangles);
	for (int32_t i = 0; i < triangles; ++i)
		for (int32_t j = i + 1; j < triangles; ++j)
			if (lm_mesh_triangles_intersect(x, t + 3 * i, t + 3 * j))
			{
				assert_int_equal(pairs[expected].first, i);
				assert_int_equal(pairs[expected].second, j);
				++expected;
			}
	assert_true(expected > 10);
	assert_int_equal(found, expected);
	assert_int_equal(lm_meshes_count_intersections(&tree, &tree, NULL, 0), 2 * expected + triangles);
	lm_bvh_release(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constructed_cases),
		cmocka_unit_test(neighbours),
		cmocka_unit_test(counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
