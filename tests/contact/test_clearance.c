// A surface among itself and obstacles: pairs against trying all, derivatives, ways that never let it cross.
#include "contact/clearance.h"
#include "contact/gap.h"
#include "mesh/intersect.h"
#include "test.h"

// Two sheets of n x n vertices above each other; the upper one may be free and the lower one an obstacle.
enum
{
	side = 5,
	sheet = side * side,
	vertices = 2 * sheet,
	triangles = 4 * (side - 1) * (side - 1)
};

typedef struct stack
{
	double x[3 * vertices];
	int32_t t[3 * triangles];
} stack;

static stack make_stack(double gap, uint64_t seed, double noise)
{
	stack s;
	int32_t* t = s.t;
	for (int layer = 0; layer < 2; ++layer)
	{
		for (int v = 0; v < sheet; ++v)
		{
			double* x = s.x + 3 * (layer * sheet + v);
			x[0] = 0.1 * (v % side) + noise * test_random(&seed) + 0.031 * layer;
			x[1] = (layer == 0 ? gap : 0) + noise * test_random(&seed);
			x[2] = 0.1 * (v / side) + noise * test_random(&seed) + 0.017 * layer;
		}
		for (int j = 0; j + 1 < side; ++j)
			for (int i = 0; i + 1 < side; ++i)
			{
				int32_t a = layer * sheet + j * side + i, b = a + 1, c = a + side, d = c + 1;
				const int32_t two[6] = { a, b, d, a, d, c };
				memcpy(t, two, sizeof two), t += 6;
			}
	}
	return s;
}

static lm_clearance* make(const stack* s, int32_t free_count, const lm_host* host)
{
	lm_clearance_shape shape = {
		.vertex_count = vertices, .free = free_count, .rest = s->x, .triangle_count = triangles, .triangles = s->t
	};
	lm_clearance* c = NULL;
	assert_int_equal(lm_clearance_create(&shape, host, &c, NULL), LM_OK);
	return c;
}

static void at(const double* x, const int32_t v[4], lm_vec3 p[4])
{
	for (int i = 0; i < 4; ++i)
		p[i] = lm_v3_at(x, v[i]);
}

static bool shares(const int32_t* a, int n, const int32_t* b, int m)
{
	for (int i = 0; i < n; ++i)
		for (int j = 0; j < m; ++j)
			if (a[i] == b[j])
				return true;
	return false;
}

// Tries all vertices with all triangles.
static int count_points(const stack* s, double reach, int32_t free_count)
{
	int count = 0;
	for (int32_t v = 0; v < vertices; ++v)
		for (int k = 0; k < triangles; ++k)
		{
			int32_t q[4] = { v, s->t[3 * k], s->t[3 * k + 1], s->t[3 * k + 2] };
			lm_vec3 p[4];
			at(s->x, q, p);
			bool any = q[0] < free_count || q[1] < free_count || q[2] < free_count || q[3] < free_count;
			count += any && !shares(q, 1, q + 1, 3) && lm_gap_point_triangle(p).D < reach;
		}
	return count;
}

static void finds_all_pairs(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int32_t free_count = sheet; free_count <= vertices; free_count += sheet)
	{
		stack s = make_stack(0.02, 4, 0.004);
		lm_clearance* c = make(&s, free_count, &host);
		for (double reach = 0.015; reach < 0.05; reach *= 1.5)
		{
			assert_int_equal(lm_clearance_find(c, s.x, reach, 1, NULL), LM_OK);
			int points = 0;
			const lm_close_pair* pairs = lm_clearance_pairs(c);
			for (int32_t i = 0; i < lm_clearance_pair_count(c); ++i)
			{
				points += pairs[i].kind == LM_BARRIER_POINT_TRIANGLE;
				assert_false(shares(pairs[i].v, 2, pairs[i].v + 2, 2) && pairs[i].kind == LM_BARRIER_EDGE_EDGE);
			}
			assert_int_equal(points, count_points(&s, reach, free_count));
			assert_true(reach < 0.02 || points > 10);
			assert_true(lm_clearance_pair_count(c) >= points);
			int32_t found = lm_clearance_pair_count(c);
			lm_close_pair* kept = malloc((size_t)found * sizeof *kept + 1);
			memcpy(kept, pairs, (size_t)found * sizeof *kept);
			assert_int_equal(lm_clearance_find(c, s.x, reach, 4, NULL), LM_OK);
			assert_int_equal(lm_clearance_pair_count(c), found);
			assert_memory_equal(kept, lm_clearance_pairs(c), (size_t)found * sizeof *kept);
			free(kept);
		}
		lm_clearance_destroy(c);
	}
}

static void derivatives(void** state)
{
	(void)state;
	const double reach = 0.03, k = 7, step = 1e-7;
	stack s = make_stack(0.02, 4, 0.004);
	lm_host host = lm_host_default();
	lm_clearance* c = make(&s, vertices, &host);
	assert_int_equal(lm_clearance_find(c, s.x, reach, 1, NULL), LM_OK);
	double g[3 * vertices] = { 0 };
	lm_clearance_derivatives(c, s.x, reach, k, 1, g, NULL);
	double largest = 0;
	for (int i = 0; i < 3 * vertices; ++i)
		largest = fmax(largest, fabs(g[i]));
	for (int i = 0; i < 3 * vertices; i += 7)
	{
		double kept = s.x[i];
		s.x[i] = kept + step;
		double high = lm_clearance_energy(c, s.x, reach, k, 1);
		assert_true(high == lm_clearance_energy(c, s.x, reach, k, 3));
		s.x[i] = kept - step;
		double low = lm_clearance_energy(c, s.x, reach, k, 1);
		s.x[i] = kept;
		assert_near(g[i], (high - low) / (2 * step), 1e-4 * largest);
	}
	// locals are the barrier's Hessians: their sum along a direction is the change of the gradient
	int32_t count = lm_clearance_pair_count(c);
	const lm_close_pair* pairs = lm_clearance_pairs(c);
	double *locals = malloc(144 * (size_t)count * sizeof *locals), again[3 * vertices] = { 0 };
	lm_clearance_derivatives(c, s.x, reach, k, 2, again, locals);
	assert_memory_equal(again, g, sizeof g);
	double d[3 * vertices], product[3 * vertices] = { 0 }, up[3 * vertices] = { 0 }, down[3 * vertices] = { 0 };
	double high[3 * vertices], low[3 * vertices];
	uint64_t seed = 9;
	for (int i = 0; i < 3 * vertices; ++i)
		d[i] = test_random(&seed), high[i] = s.x[i] + step * d[i], low[i] = s.x[i] - step * d[i];
	for (int64_t e = 0; e < count; ++e)
		for (int i = 0; i < 144; ++i)
		{
			int row = 3 * pairs[e].v[i / 36] + i / 12 % 3, column = 3 * pairs[e].v[i % 12 / 3] + i % 3;
			product[row] += locals[144 * e + i] * d[column];
		}
	lm_clearance_derivatives(c, high, reach, k, 1, up, NULL);
	lm_clearance_derivatives(c, low, reach, k, 1, down, NULL);
	double scale = 0;
	for (int i = 0; i < 3 * vertices; ++i)
		scale = fmax(scale, fabs(product[i]));
	for (int i = 0; i < 3 * vertices; ++i)
		assert_near(product[i], (up[i] - down[i]) / (2 * step), 1e-4 * scale);
	free(locals);
	lm_clearance_destroy(c);
}

// What is found on the way is what a search without any past finds, in the same order.
static void finds_the_same(lm_clearance* c, const stack* at_rest, const double* x, double reach)
{
	lm_host host = lm_host_default();
	assert_int_equal(lm_clearance_find(c, x, reach, 2, NULL), LM_OK);
	int32_t count = lm_clearance_pair_count(c);
	lm_close_pair* kept = malloc((size_t)count * sizeof *kept + 1);
	memcpy(kept, lm_clearance_pairs(c), (size_t)count * sizeof *kept);
	lm_clearance* fresh = make(at_rest, vertices, &host);
	assert_int_equal(lm_clearance_find(fresh, x, reach, 1, NULL), LM_OK);
	assert_int_equal(lm_clearance_pair_count(fresh), count);
	assert_memory_equal(kept, lm_clearance_pairs(fresh), (size_t)count * sizeof *kept);
	lm_clearance_destroy(fresh);
	free(kept);
}

// Random ways, again and again: the sheets never cross, whatever they do.
static void never_crosses(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_ccd_settings settings = lm_ccd_settings_default();
	stack s = make_stack(0.02, 4, 0.004);
	const stack rest = s;
	lm_clearance* c = make(&s, vertices, &host);
	lm_bvh tree = { 0 };
	assert_int_equal(lm_bvh_create(s.t, triangles, 3, s.x, &host, &tree, NULL), LM_OK);
	uint64_t seed = 31;
	int cut = 0;
	const double reach = 0.02;
	for (int round = 0; round < 60; ++round)
	{
		double way[3 * vertices];
		for (int i = 0; i < 3 * vertices; ++i)
			way[i] = 0.05 * test_random(&seed) + (i % 3 == 1 ? (i < 3 * sheet ? -0.05 : 0.05) : 0);
		if (round % 4 == 3) // a small way, for which the candidates are known
			for (int i = 0; i < 3 * vertices; ++i)
				way[i] *= 0.01;
		double step, again;
		assert_int_equal(lm_clearance_step(c, s.x, way, 1, reach, 0.3 * reach, &settings, 1 + round % 3, &step, NULL),
		                 LM_OK);
		assert_true(step >= 0 && step <= 1);
		lm_clearance* fresh = make(&rest, vertices, &host);
		assert_int_equal(lm_clearance_step(fresh, s.x, way, 1, reach, 0, &settings, 1, &again, NULL), LM_OK);
		assert_true(step == again);
		lm_clearance_destroy(fresh);
		cut += step < 1;
		for (int i = 0; i < 3 * vertices; ++i)
			s.x[i] += step * way[i];
		lm_bvh_refit(&tree, s.x);
		assert_int_equal(lm_mesh_count_intersections(&tree, NULL, 0), 0);
		finds_the_same(c, &rest, s.x, reach);
	}
	assert_true(cut > 20);
	assert_true(lm_clearance_searches(c) < 60); // of the cloth with itself: not in every round
	lm_bvh_release(&tree);
	lm_clearance_destroy(c);
}

static void memory(void** state)
{
	(void)state;
	stack s = make_stack(0.02, 4, 0.004);
	test_memory held = { 0 };
	lm_host host = test_host(&held);
	lm_clearance* c = make(&s, vertices, &host);
	assert_int_equal(lm_clearance_find(c, s.x, 0.05, 1, NULL), LM_OK);
	int64_t requests = held.requests;
	assert_int_equal(lm_clearance_find(c, s.x, 0.04, 1, NULL), LM_OK);
	assert_int_equal(held.requests, requests);
	lm_clearance_destroy(c);
	assert_int_equal(held.held, 0);
	held = (test_memory){ 0 };
	c = make(&s, vertices, &host);
	held.fail_at = held.requests + 1;
	double way[3 * vertices] = { 0 }, step;
	lm_ccd_settings settings = lm_ccd_settings_default();
	assert_int_equal(lm_clearance_step(c, s.x, way, 1, 0.05, 0, &settings, 1, &step, NULL), LM_NO_MEMORY);
	assert_near(step, 0, 0);
	assert_int_equal(lm_clearance_step(c, s.x, way, 1, 0.05, 0, &settings, 1, &step, NULL), LM_OK);
	assert_near(step, 1, 0);
	lm_clearance_destroy(c);
	assert_int_equal(held.held, 0);
	lm_clearance_shape shape = {
		.vertex_count = vertices, .free = vertices, .rest = s.x, .triangle_count = triangles, .triangles = s.t
	};
	for (int64_t fail = 1; fail <= requests; ++fail)
	{
		held = (test_memory){ .fail_at = fail };
		c = NULL;
		lm_status status = lm_clearance_create(&shape, &host, &c, NULL);
		if (status == LM_OK)
		{
			assert_int_equal(lm_clearance_find(c, s.x, 0.05, 1, NULL), LM_NO_MEMORY);
			assert_int_equal(lm_clearance_find(c, s.x, 0.05, 1, NULL), LM_OK); // goes on when there is memory again
		}
		else
			assert_int_equal(status, LM_NO_MEMORY);
		lm_clearance_destroy(c);
		assert_int_equal(held.held, 0);
	}
}

// What is nearer than reach in the undeformed shape touches from that distance on.
static void rests_without_force(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const double gap = 0.02, reach = 0.03;
	stack s = make_stack(gap, 4, 0);
	lm_clearance_shape shape = { .vertex_count = vertices,
		                         .free = vertices,
		                         .rest = s.x,
		                         .rests_apart = true,
		                         .triangle_count = triangles,
		                         .triangles = s.t };
	lm_clearance* c = NULL;
	assert_int_equal(lm_clearance_create(&shape, &host, &c, NULL), LM_OK);
	assert_int_equal(lm_clearance_find(c, s.x, reach, 1, NULL), LM_OK);
	assert_int_equal(lm_clearance_pair_count(c), 0);
	for (int v = 0; v < sheet; ++v)
		s.x[3 * v + 1] = 0.9 * gap;
	assert_int_equal(lm_clearance_find(c, s.x, reach, 1, NULL), LM_OK);
	assert_true(lm_clearance_pair_count(c) > 10);
	double near = lm_clearance_energy(c, s.x, reach, 1, 1);
	assert_true(near > 0);
	double down[3 * vertices] = { 0 }, fraction; // and nothing goes through
	for (int v = 0; v < sheet; ++v)
		down[3 * v + 1] = -gap;
	lm_ccd_settings settings = lm_ccd_settings_default();
	settings.floor = 0.3 * reach;
	assert_int_equal(lm_clearance_step(c, s.x, down, 1, reach, 0, &settings, 1, &fraction, NULL), LM_OK);
	assert_true(fraction > 0.55 && fraction < 0.65); // 0.3 of its own reach, which is the gap, is left: 0.6 of the way
	for (int v = 0; v < sheet; ++v)
		s.x[3 * v + 1] = 0.02 * gap; // a distance that is never left again without force
	assert_int_equal(lm_clearance_find(c, s.x, reach, 1, NULL), LM_OK);
	assert_true(lm_clearance_energy(c, s.x, reach, 1, 1) > 10 * near);
	lm_clearance_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_all_pairs), cmocka_unit_test(rests_without_force),
		cmocka_unit_test(derivatives),     cmocka_unit_test(never_crosses),
		cmocka_unit_test(memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
