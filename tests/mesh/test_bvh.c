// Closest points and the tree of boxes, against brute force and on degenerate input.
#include "test.h"

#include "mesh/shapes.h"

#include "mesh/bvh.h"
#include "mesh/closest.h"

static lm_vec3 random_point(uint64_t* seed, double size)
{
	double x = test_random(seed), y = test_random(seed), z = test_random(seed);
	return lm_v3(size * x, size * y, size * z);
}

// The closest point by looking at a fine mesh of the triangle: never much better than the answer.
static double sampled_distance2(lm_vec3 p, lm_vec3 a, lm_vec3 b, lm_vec3 c)
{
	double best = INFINITY;
	int n = 60;
	for (int i = 0; i <= n; ++i)
		for (int j = 0; i + j <= n; ++j)
		{
			lm_vec3 x = lm_add_scaled(lm_scale((double)i / n, a), (double)j / n, b);
			x = lm_add_scaled(x, (double)(n - i - j) / n, c);
			best = fmin(best, lm_dot(lm_sub(p, x), lm_sub(p, x)));
		}
	return best;
}

static void expect_closest(lm_vec3 p, lm_vec3 a, lm_vec3 b, lm_vec3 c)
{
	lm_closest hit = lm_closest_on_triangle(p, a, b, c);
	double sum = 0, size = lm_distance(a, b) + lm_distance(b, c);
	for (int i = 0; i < 3; ++i)
	{
		assert_true(hit.weights[i] >= 0);
		sum += hit.weights[i];
	}
	assert_near(sum, 1, 1e-12);
	lm_vec3 x = lm_add_scaled(lm_add_scaled(lm_scale(hit.weights[0], a), hit.weights[1], b), hit.weights[2], c);
	assert_near(lm_distance(x, hit.point), 0, 1e-12 * (1 + size));
	assert_near(lm_dot(lm_sub(p, x), lm_sub(p, x)), hit.distance2, 1e-9 * (1e-30 + hit.distance2));
	double sampled = sqrt(sampled_distance2(p, a, b, c)), found = sqrt(hit.distance2);
	assert_true(found <= sampled * (1 + 1e-7) + 1e-9 * size + 1e-15);
	assert_true(found >= sampled - size / 60 - 1e-15); // the samples are that far apart
}

static void closest_on_triangles_of_every_shape(void** state)
{
	(void)state;
	uint64_t seed = 5;
	for (int round = 0; round < 300; ++round)
	{
		lm_vec3 a = random_point(&seed, 1), b = random_point(&seed, 1), c = random_point(&seed, 1);
		if (round % 5 == 1) // needle: one corner close to the opposite edge
			c = lm_add(lm_lerp(a, b, test_random(&seed)), random_point(&seed, pow(10, -(round % 17))));
		if (round % 5 == 2) // exactly on a line
			c = lm_add(a, lm_scale(2, lm_sub(b, a)));
		if (round % 5 == 3) // two corners together, or all
			c = round % 2 ? b : (b = a);
		for (int k = 0; k < 10; ++k)
			expect_closest(random_point(&seed, k < 5 ? 1 : 100), a, b, c);
		expect_closest(a, a, b, c);
		expect_closest(lm_lerp(b, c, 0.3), a, b, c);
	}
}

static void closest_on_triangle_in_every_region(void** state)
{
	(void)state;
	lm_vec3 a = lm_v3(0, 0, 0), b = lm_v3(4, 0, 0), c = lm_v3(0, 4, 0);
	const struct
	{
		lm_vec3 query, answer;
	} cases[] = {
		{ { -1, -1, 2 }, { 0, 0, 0 } }, { { 6, -1, 0 }, { 4, 0, 0 } },  { { -1, 7, 1 }, { 0, 4, 0 } },
		{ { 1, -3, 1 }, { 1, 0, 0 } },  { { -2, 1, -1 }, { 0, 1, 0 } }, { { 4, 4, 5 }, { 2, 2, 0 } },
		{ { 1, 2, -7 }, { 1, 2, 0 } },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
		for (int turn = 0; turn < 2; ++turn)
		{
			lm_closest hit = lm_closest_on_triangle(cases[i].query, a, turn ? c : b, turn ? b : c);
			assert_near(lm_distance(hit.point, cases[i].answer), 0, 1e-15);
		}
	assert_near(lm_closest_on_segment(lm_v3(1, 5, 0), a, b), 0.25, 1e-15);
	assert_near(lm_closest_on_segment(lm_v3(-1, 5, 0), a, b), 0, 0);
	assert_near(lm_closest_on_segment(lm_v3(9, 5, 0), a, b), 1, 0);
	assert_near(lm_closest_on_segment(lm_v3(9, 5, 0), a, a), 0, 0);
}

static void barycentrics_and_distance_of_tets(void** state)
{
	(void)state;
	uint64_t seed = 9;
	for (int round = 0; round < 2000; ++round)
	{
		lm_vec3 x[4], p = random_point(&seed, 1.5);
		for (int i = 0; i < 4; ++i)
			x[i] = random_point(&seed, 1);
		double w[4] = { 0 }, on[4] = { 0 };
		assert_true(lm_tet_barycentrics(p, x[0], x[1], x[2], x[3], w));
		lm_vec3 sum = { 0 }, closest = { 0 };
		double distance2 = lm_closest_on_tet(p, x, on), faces2 = INFINITY, on_sum = 0;
		for (int i = 0; i < 4; ++i)
		{
			sum = lm_add_scaled(sum, w[i], x[i]);
			closest = lm_add_scaled(closest, on[i], x[i]);
			on_sum += on[i];
			assert_true(on[i] >= 0);
			faces2 = fmin(faces2, lm_closest_on_triangle(p, x[i], x[(i + 1) % 4], x[(i + 2) % 4]).distance2);
		}
		double largest = fmax(fmax(fabs(w[0]), fabs(w[1])), fmax(fabs(w[2]), fabs(w[3])));
		assert_near(lm_distance(sum, p), 0, 1e-13 * (1 + largest));
		assert_near(on_sum, 1, 1e-9);
		bool inside = w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && w[3] >= 0;
		assert_near(distance2, inside ? 0 : faces2, 1e-12);
		assert_near(lm_distance(closest, p), sqrt(distance2), 1e-7);
	}
	lm_vec3 flat[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 } };
	double w[4] = { 7, 7, 7, 7 };
	assert_false(lm_tet_barycentrics(lm_v3(0, 0, 1), flat[0], flat[1], flat[2], flat[3], w));
	assert_true(w[0] == 7);
	assert_near(lm_closest_on_tet(lm_v3(0.75, 0.75, 2), flat, w), 4, 1e-15);
	lm_vec3 point[4] = { { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 } };
	assert_near(lm_closest_on_tet(lm_v3(1, 1, 3), point, w), 4, 1e-15);
}

// Some triangles made degenerate, some equal to others.
static void spoil(lm_mesh* mesh)
{
	for (int t = 0; t + 2 < mesh->triangle_count; t += 7)
	{
		int32_t* c = mesh->triangles + 3 * t;
		lm_vec3 a = lm_v3_at(mesh->positions, c[0]), b = lm_v3_at(mesh->positions, c[1]);
		lm_v3_store(mesh->positions, c[2], t % 2 ? a : lm_lerp(a, b, 0.5));
		memcpy(mesh->triangles + 3 * (t + 1), c, 3 * sizeof(int32_t));
	}
}

static void expect_tree_is_sound(const lm_bvh* bvh)
{
	unsigned char* seen = calloc((size_t)bvh->count + 1, 1);
	for (int32_t i = 0; i < bvh->node_count; ++i)
	{
		const lm_bvh_node* node = &bvh->nodes[i];
		int depth = 0;
		for (int32_t up = i; up > 0; up = bvh->nodes[up].parent)
		{
			assert_true(bvh->nodes[up].parent < up);
			++depth;
		}
		assert_true(depth < LM_BVH_STACK);
		for (int32_t k = 0; k < node->count; ++k)
		{
			int32_t element = bvh->items[node->right + k];
			assert_int_equal(seen[element]++, 0);
			lm_box box = lm_bvh_element_box(bvh, element), joined = lm_box_join(box, node->box);
			assert_memory_equal(&joined, &node->box, sizeof joined);
		}
		if (node->count == 0)
		{
			assert_int_equal(bvh->nodes[i + 1].parent, i);
			assert_int_equal(bvh->nodes[node->right].parent, i);
			assert_int_equal(bvh->nodes[i + 1].end, node->right);
			assert_int_equal(bvh->nodes[node->right].end, node->end);
		}
	}
	for (int32_t e = 0; e < bvh->count; ++e)
		assert_int_equal(seen[e], 1);
	free(seen);
}

static void expect_closest_like_brute_force(const lm_bvh* bvh, uint64_t seed)
{
	for (int k = 0; k < 200; ++k)
	{
		lm_vec3 p = random_point(&seed, k < 100 ? 1.2 : 20);
		double best = INFINITY;
		for (int32_t e = 0; e < bvh->count; ++e)
		{
			const int32_t* c = bvh->elements + bvh->corners * e;
			lm_vec3 x[4] = { 0 };
			double w[4];
			for (int i = 0; i < bvh->corners; ++i)
				x[i] = lm_v3_at(bvh->positions, c[i]);
			best = fmin(best, bvh->corners == 3 ? lm_closest_on_triangle(p, x[0], x[1], x[2]).distance2
			                                    : lm_closest_on_tet(p, x, w));
		}
		lm_bvh_hit hit = lm_bvh_closest(bvh, p, INFINITY);
		assert_true(hit.element >= 0);
		assert_near(hit.distance2, best, 1e-14 * best);
		assert_near(lm_distance(hit.point, p), sqrt(best), 1e-7);
		double distance = sqrt(best);
		assert_true(lm_bvh_closest(bvh, p, distance * 0.999 - 1e-9).element < 0 || distance == 0);
		assert_int_equal(lm_bvh_closest(bvh, p, distance * 1.001 + 1e-9).element, hit.element);
	}
}

static bool collect(void* context, int32_t element)
{
	((unsigned char*)context)[element]++;
	return true;
}

static bool stop_at_once(void* context, int32_t element)
{
	(void)element;
	++*(int*)context;
	return false;
}

static void expect_overlaps_like_brute_force(const lm_bvh* bvh, uint64_t seed)
{
	unsigned char* found = calloc((size_t)bvh->count, 1);
	for (int k = 0; k < 50; ++k)
	{
		lm_vec3 a = random_point(&seed, 1.1), size = random_point(&seed, 0.5);
		lm_box box = { a, lm_add(a, lm_v3(fabs(size.x), fabs(size.y), fabs(size.z))) };
		memset(found, 0, (size_t)bvh->count);
		assert_true(lm_bvh_overlaps(bvh, box, collect, found));
		for (int32_t e = 0; e < bvh->count; ++e)
			assert_int_equal(found[e], lm_box_overlaps(lm_bvh_element_box(bvh, e), box));
	}
	free(found);
	int calls = 0;
	lm_box all = { { -9, -9, -9 }, { 9, 9, 9 } };
	assert_false(lm_bvh_overlaps(bvh, all, stop_at_once, &calls));
	assert_int_equal(calls, 1);
}

static void trees_of_triangles(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int i = 0; i < 6; ++i)
	{
		int triangles = i < 2 ? i + 1 : i * i * 60;
		lm_mesh* mesh = shape_soup(&host, 30 + 40 * i, triangles, (uint64_t)i);
		spoil(mesh);
		lm_bvh bvh;
		assert_int_equal(lm_bvh_create(mesh->triangles, triangles, 3, mesh->positions, &host, &bvh, NULL), LM_OK);
		expect_tree_is_sound(&bvh);
		expect_closest_like_brute_force(&bvh, 77);
		expect_overlaps_like_brute_force(&bvh, 78);
		uint64_t seed = 3;
		for (int k = 0; k < 3 * mesh->vertex_count; ++k) // everything moves: boxes follow, answers stay right
			mesh->positions[k] = test_random(&seed);
		lm_bvh_refit(&bvh, mesh->positions);
		expect_tree_is_sound(&bvh);
		expect_closest_like_brute_force(&bvh, 79);
		lm_bvh_release(&bvh);
		lm_mesh_destroy(mesh);
	}
}

static void trees_of_tets(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = shape_block(&host, 4, 3, 3);
	uint64_t seed = 8;
	for (int i = 0; i < 3 * mesh->vertex_count; ++i)
		mesh->positions[i] = 0.3 * (mesh->positions[i] + 0.15 * test_random(&seed)) - 0.5;
	assert_int_equal(lm_mesh_check(mesh, "x", NULL), LM_OK);
	lm_bvh bvh;
	assert_int_equal(lm_bvh_create(mesh->tets, mesh->tet_count, 4, mesh->positions, &host, &bvh, NULL), LM_OK);
	expect_tree_is_sound(&bvh);
	expect_closest_like_brute_force(&bvh, 4);
	expect_overlaps_like_brute_force(&bvh, 5);
	int inside = 0;
	for (int k = 0; k < 2000; ++k)
	{
		lm_vec3 p = random_point(&seed, 0.7);
		double w[4] = { 0 }, brute[4] = { 0 };
		int32_t expected = -1, tet = lm_bvh_containing_tet(&bvh, p, 0, w);
		double deepest = 0;
		for (int32_t e = 0; e < mesh->tet_count; ++e)
		{
			lm_vec3 x[4];
			for (int i = 0; i < 4; ++i)
				x[i] = lm_v3_at(mesh->positions, mesh->tets[4 * e + i]);
			lm_tet_barycentrics(p, x[0], x[1], x[2], x[3], brute);
			double depth = fmin(fmin(brute[0], brute[1]), fmin(brute[2], brute[3]));
			if (depth > deepest)
			{
				deepest = depth;
				expected = e;
			}
		}
		assert_int_equal(tet, expected);
		assert_int_equal(lm_bvh_containing_tet(&bvh, p, 0, NULL), expected);
		inside += tet >= 0;
		if (tet >= 0)
			assert_near(fmin(fmin(w[0], w[1]), fmin(w[2], w[3])), deepest, 0);
	}
	assert_true(inside > 200 && inside < 1900);
	// just outside a face: found with a tolerance only
	lm_mesh* one = shape_block(&host, 1, 1, 1);
	lm_bvh cube;
	assert_int_equal(lm_bvh_create(one->tets, 6, 4, one->positions, &host, &cube, NULL), LM_OK);
	assert_int_equal(lm_bvh_containing_tet(&cube, lm_v3(0.5, 0.3, 1.001), 0, NULL), -1);
	assert_true(lm_bvh_containing_tet(&cube, lm_v3(0.5, 0.3, 1.001), 0.01, NULL) >= 0);
	assert_true(lm_bvh_containing_tet(&cube, lm_v3(0, 0, 0), 0, NULL) == 0); // a corner of all six
	lm_bvh_release(&cube);
	lm_bvh_release(&bvh);
	lm_mesh_destroy(one);
	lm_mesh_destroy(mesh);
}

// Centres in one point, and centres crowding towards one: the tree must not become deep.
static void hostile_trees_stay_shallow(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	enum
	{
		count = 3000
	};
	lm_mesh* mesh = lm_mesh_create(&host, 3 * count, count, 0);
	for (int kind = 0; kind < 2; ++kind)
	{
		for (int v = 0; v < 3 * count; ++v)
		{
			double x = kind ? pow(0.8, v / 3) : 0;
			lm_v3_store(mesh->positions, v, lm_v3(x, v % 3 == 1 ? x : 0, v % 3 == 2 ? x : 0));
			mesh->triangles[v] = v;
		}
		lm_bvh bvh;
		assert_int_equal(lm_bvh_create(mesh->triangles, count, 3, mesh->positions, &host, &bvh, NULL), LM_OK);
		expect_tree_is_sound(&bvh);
		expect_closest_like_brute_force(&bvh, 6);
		if (kind == 0) // equally close: the lowest
			assert_int_equal(lm_bvh_closest(&bvh, lm_v3(1, 2, 3), INFINITY).element, 0);
		lm_bvh_release(&bvh);
	}
	lm_mesh_destroy(mesh);
}

static void empty_trees_find_nothing(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_bvh bvh;
	assert_int_equal(lm_bvh_create(NULL, 0, 4, NULL, &host, &bvh, NULL), LM_OK);
	assert_int_equal(lm_bvh_closest(&bvh, lm_v3(0, 0, 0), INFINITY).element, -1);
	assert_int_equal(lm_bvh_containing_tet(&bvh, lm_v3(0, 0, 0), 0.1, NULL), -1);
	assert_true(lm_bvh_overlaps(&bvh, (lm_box){ { 0, 0, 0 }, { 1, 1, 1 } }, stop_at_once, NULL));
	lm_bvh_refit(&bvh, NULL);
	lm_bvh_release(&bvh);
	lm_bvh zero = { 0 };
	lm_bvh_release(&zero);
}

static void failing_memory_leaks_nothing(void** state)
{
	(void)state;
	lm_host plain = lm_host_default();
	lm_mesh* mesh = shape_soup(&plain, 30, 100, 1);
	for (int64_t fail_at = 1; fail_at <= 4; ++fail_at)
	{
		test_memory memory = { .fail_at = fail_at };
		lm_host host = test_host(&memory);
		lm_bvh bvh = { 0 };
		lm_error error;
		lm_status status = lm_bvh_create(mesh->triangles, 100, 3, mesh->positions, &host, &bvh, &error);
		assert_int_equal(status, fail_at <= 3 ? LM_NO_MEMORY : LM_OK);
		if (status == LM_OK)
			lm_bvh_release(&bvh);
		assert_int_equal(memory.held, 0);
	}
	lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closest_on_triangles_of_every_shape),
		cmocka_unit_test(closest_on_triangle_in_every_region),
		cmocka_unit_test(barycentrics_and_distance_of_tets),
		cmocka_unit_test(trees_of_triangles),
		cmocka_unit_test(trees_of_tets),
		cmocka_unit_test(hostile_trees_stay_shallow),
		cmocka_unit_test(empty_trees_find_nothing),
		cmocka_unit_test(failing_memory_leaks_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
