// Making bodies: patterns, slots and shares; sentences for bad input; allocations failing in turn; threads.
#include "shapes.h"

// The stiffness added to a larger pattern, here of two bodies side by side, is the stiffness in the body's own.
static void stiffness_in_a_larger_pattern(void** state)
{
	(void)state;
	for (int kind = 0; kind < KINDS; ++kind)
	{
		test_body b = make_body(kind, kind % 2, 0.05, 0.1, 1);
		int n = b.view.unknowns;
		lm_element_list lists[4];
		assert_int_equal(lm_elastic_lists(b.body, false, lists), 2);
		int32_t* moved[2];
		for (int s = 0; s < 2; ++s)
		{
			int64_t count = lists[s].count * lists[s].size;
			moved[s] = malloc((size_t)count * sizeof *moved[s]);
			for (int64_t i = 0; i < count; ++i)
				moved[s][i] = lists[s].index[i] + b.view.vertex_count;
			lists[2 + s] = lists[s];
			lists[2 + s].index = moved[s];
		}
		lm_pattern* both = NULL;
		lm_host host = lm_host_default();
		assert_int_equal(lm_pattern_create(2 * n, true, lists, 4, &host, &both, NULL), LM_OK);
		double *values = zeros(both->entries), *own = zeros(b.view.pattern->entries);
		lm_elastic_state at = state_of(&b);
		lm_elastic_add_stiffness(b.body, &at, false, 2, both, 0, values);
		lm_elastic_add_stiffness(b.body, &at, false, 3, both, lm_elastic_term_count(b.body), values);
		lm_elastic_add_stiffness(b.body, &at, false, 1, b.view.pattern, 0, own);
		double *A = dense_of(both, values), *B = dense_of(b.view.pattern, own);
		for (int i = 0; i < n; ++i)
			for (int j = 0; j < n; ++j)
			{
				assert_near(A[i * 2 * n + j], 2 * B[i * n + j], 1e-12);
				assert_near(A[(n + i) * 2 * n + n + j], 3 * B[i * n + j], 1e-12);
				assert_true(A[i * 2 * n + n + j] == 0);
			}
		assert_true(largest_of(B, (int64_t)n * n) > 0.1);
		lm_pattern_destroy(both);
		double* all[4] = { values, own, A, B };
		for (int i = 0; i < 4; ++i)
			free(all[i]);
		free(moved[0]);
		free(moved[1]);
		free_body(&b);
	}
}

static void shares_sum_to_the_whole(void** state)
{
	(void)state;
	for (int kind = 1; kind < KINDS; ++kind)
		for (int incompatible = 0; incompatible < 2; ++incompatible)
		{
			test_body b = make_body(kind, incompatible, 0, 0, 1);
			double sum = 0, expected[KINDS] = { 0, 2.1, 1.8, 2, 2 };
			for (int i = 0; i < b.view.vertex_count; ++i)
				sum += b.view.shares[i];
			assert_near(sum, expected[kind], 0.3); // the grids are a little irregular
			free_body(&b);
		}
	double line[] = { 0, 0, 3, 4, 6, 8 };
	lm_elastic_shape shape = { LM_ELASTIC_CURVE2, false, 3, line, 2, (int32_t[]){ 0, 1, 1, 2 }, NULL };
	lm_host host = lm_host_default();
	lm_elastic* body = NULL;
	assert_int_equal(lm_elastic_create(&shape, &host, &body, NULL), LM_OK);
	assert_near(lm_elastic_get(body).shares[0], 2.5, 1e-15);
	assert_near(lm_elastic_get(body).shares[1], 5, 1e-15);
	lm_elastic_destroy(body);
}

static void slots_of_incompatible_rest_shapes(void** state)
{
	(void)state;
	static const int32_t elements[KINDS] = { 8 + 7, 23, 12, 10, 10 },
						 slots[KINDS] = { 16 + 21, 13 * 4 + 10 * 2, 36, 40, 40 };
	for (int kind = 0; kind < KINDS; ++kind)
	{
		test_body b = make_body(kind, true, 0, 0, 1);
		assert_int_equal(b.view.rest_element_count, elements[kind]);
		assert_int_equal(b.view.rest_slots, slots[kind]);
		assert_int_equal(b.view.rest_starts[0], 0);
		assert_int_equal(b.view.rest_starts[elements[kind]], slots[kind]);
		for (int s = 0; s < b.view.rest_slots; ++s)
			for (int c = 0; c < b.view.dimension; ++c)
				assert_true(b.X[s * b.view.dimension + c] == b.initial[b.view.rest_vertices[s] * b.view.dimension + c]);
		free_body(&b);
	}
}

static void expect(const lm_elastic_shape* shape, int64_t element, const char* words)
{
	lm_host host = lm_host_default();
	lm_error error = { 0 };
	lm_elastic* body = NULL;
	assert_int_equal(lm_elastic_create(shape, &host, &body, &error), LM_BAD_INPUT);
	assert_null(body);
	if (!strstr(error.message, words) || error.element != element)
	{
		print_error("%s (element %d)\n", error.message, (int)error.element);
		fail();
	}
	assert_int_equal(lm_elastic_create(shape, &host, &body, NULL), LM_BAD_INPUT);
}

static void bad_shapes(void** state)
{
	(void)state;
	double plane[] = { 0, 0, 1, 0, 0, 1, 1, 1, 2, 0 };
	lm_elastic_shape s = { LM_ELASTIC_SOLID2, false, 5, plane, 2, (int32_t[]){ 0, 1, 2, 1, 2, 3 }, NULL };
	expect(&s, 1, "inverted");
	expect(&s, 1, "counter-clockwise");
	s.elements = (int32_t[]){ 0, 1, 2, 0, 1, 4 };
	expect(&s, 1, "no area");
	s.elements = (int32_t[]){ 0, 1, 2, 1, 3, 5 };
	expect(&s, 1, "only vertices 0 to 4");
	s.elements = (int32_t[]){ -1, 1, 2, 1, 3, 4 };
	expect(&s, 0, "names vertex -1");
	s.elements = (int32_t[]){ 0, 1, 2, 1, 3, 3 };
	expect(&s, 1, "twice");
	s.element_count = 0;
	expect(&s, -1, "at least one triangle");
	plane[3] = NAN;
	s.element_count = 1;
	expect(&s, 1, "finite");
	plane[3] = 0;

	double space[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5, 0.5, 0 };
	lm_elastic_shape t = { LM_ELASTIC_SOLID3_EDGES, false, 5, space, 1, (int32_t[]){ 0, 2, 1, 3 }, NULL };
	expect(&t, 0, "exchange two");
	t.elements = (int32_t[]){ 0, 1, 2, 4 };
	expect(&t, 0, "no volume");
	t.kind = LM_ELASTIC_SOLID3_GREEN;
	expect(&t, 0, "one plane");

	t.kind = LM_ELASTIC_SHELL3;
	t.elements = (int32_t[]){ 1, 2, 4 };
	expect(&t, 0, "no area");
	t.element_count = 3;
	t.elements = (int32_t[]){ 0, 1, 2, 1, 0, 3, 0, 1, 4 };
	expect(&t, 2, "one or two");

	lm_elastic_shape c = { LM_ELASTIC_CURVE2, false, 5, plane, 3, (int32_t[]){ 0, 1, 1, 2, 1, 3 }, NULL };
	expect(&c, 1, "does not branch");
	plane[2] = 0;
	c.element_count = 1;
	expect(&c, 0, "no length");
}

static void bad_materials(void** state)
{
	(void)state;
	static const lm_elastic_material bad[] = { { 0, 1, 1 },   { -1, 1, 1 },         { NAN, 1, 1 },
		                                       { 1, -1, -1 }, { 1, NAN, INFINITY }, { 1e31, 1, 1 } };
	for (int kind = 0; kind < KINDS; ++kind)
	{
		for (int i = 0; i < 6; ++i)
		{
			lm_error error = { 0 };
			assert_int_equal(lm_elastic_check_material(kind, &bad[i], &error), LM_BAD_INPUT);
			assert_non_null(strstr(error.message, i == 3 || i == 4 ? "0 or more" : "positive"));
		}
		assert_int_equal(lm_elastic_check_material(kind, &(lm_elastic_material){ 1, 0, 0 }, NULL), LM_OK);
	}
	assert_int_equal(lm_elastic_check_material(LM_ELASTIC_CURVE2, &(lm_elastic_material){ 1, 1, -1 }, NULL), LM_OK);
}

// Stiffness 0 switches a term off; each stiffness scales its own term.
static void stiffnesses_scale_their_terms(void** state)
{
	(void)state;
	for (int kind = 0; kind < KINDS; ++kind)
	{
		test_body b = make_body(kind, false, 0.05, 0.1, 2);
		lm_elastic_state at = state_of(&b);
		b.material = (lm_elastic_material){ 1, 0, 0 };
		double stretch = lm_elastic_energy(b.body, &at);
		b.material = (lm_elastic_material){ 1e-30, 1, 1 };
		double other = lm_elastic_energy(b.body, &at);
		b.material = (lm_elastic_material){ 5, 7, 7 };
		assert_near(lm_elastic_energy(b.body, &at), 5 * stretch + 7 * other, 1e-12);
		assert_true(stretch > 1e-3 && other > 1e-4);
		free_body(&b);
	}
}

static void smallest_rest_elements(void** state)
{
	(void)state;
	for (int kind = 0; kind < KINDS; ++kind)
		for (int incompatible = 0; incompatible < 2; ++incompatible)
		{
			test_body b = make_body(kind, incompatible, 0, 0, 1);
			int d = b.view.dimension;
			bool solid = kind >= LM_ELASTIC_SOLID2;
			assert_near(lm_elastic_smallest_rest(b.body, b.X), 1, 1e-12);
			for (int i = 0; i < b.view.rest_unknowns; ++i)
				b.X[i] *= 0.5;
			// lengths of edges count, too, where there are edge terms: the smaller of 1/2 and 1/4 or 1/8
			assert_near(lm_elastic_smallest_rest(b.body, b.X), solid ? pow(0.5, d) : 0.5, 1e-12);
			for (int i = 0; i < b.view.rest_unknowns; i += d)
				b.X[i] = -b.X[i];
			assert_near(lm_elastic_smallest_rest(b.body, b.X), solid ? -pow(0.5, d) : 0.5, 1e-12);
			free_body(&b);
		}
}

static void failing_allocations(void** state)
{
	(void)state;
	for (int kind = 0; kind < KINDS; ++kind)
		for (int incompatible = 0; incompatible < 2; ++incompatible)
		{
			test_grid grid = make_grid(kind);
			lm_elastic_shape shape = shape_of(&grid, kind, incompatible);
			for (int64_t n = 1;; ++n)
			{
				test_memory memory = { .fail_at = n };
				lm_host host = test_host(&memory);
				lm_elastic* body = NULL;
				lm_error error = { 0 };
				lm_status status = lm_elastic_create(&shape, &host, &body, &error);
				if (status == LM_OK)
				{
					assert_true(n > 10);
					int64_t requests = memory.requests;
					double *g = zeros(lm_elastic_get(body).unknowns), *X = zeros(lm_elastic_get(body).rest_unknowns);
					lm_elastic_material material = { 1, 1, 1 };
					lm_elastic_gather_rest(body, grid.positions, X);
					lm_elastic_add_gradient(
						body, &(lm_elastic_state){ .material = &material, .X = X, .x = grid.positions }, 1, g);
					assert_int_equal(memory.requests, requests); // nothing is allocated later
					free(g);
					free(X);
					lm_elastic_destroy(body);
					assert_int_equal(memory.held, 0);
					break;
				}
				assert_int_equal(status, LM_NO_MEMORY);
				assert_int_equal(error.status, LM_NO_MEMORY);
				assert_null(body);
				assert_int_equal(memory.held, 0);
			}
		}
	lm_elastic_destroy(NULL);
}

// A large sheet, so that there are several chunks; every result has the same bits for 1, 2 and 5 threads.
static void threads_do_not_matter(void** state)
{
	(void)state;
	enum
	{
		side = 40,
		count = side * side,
		columns = 9
	};
	double* p = zeros(3 * count);
	int32_t *triangles = calloc(6 * count, sizeof *triangles), used = 0;
	uint64_t seed = 3;
	for (int i = 0; i < count; ++i)
		p[3 * i] = i % side, p[3 * i + 1] = i / side, p[3 * i + 2] = 0.3 * test_random(&seed);
	for (int i = 0; i + 1 < side; ++i)
		for (int j = 0; j + 1 < side; ++j)
		{
			int32_t a = i * side + j, quad[6] = { a, a + 1, a + side + 1, a, a + side + 1, a + side };
			memcpy(triangles + 6 * used++, quad, sizeof quad);
		}
	lm_elastic_shape shape = { LM_ELASTIC_SHELL3, false, count, p, 2 * used, triangles, NULL };
	double *first = NULL, *x = zeros(3 * count), *L = zeros(3 * count * columns), *lambda = zeros(3 * count);
	for (int i = 0; i < 3 * count; ++i)
		x[i] = p[i] + 0.1 * test_random(&seed), lambda[i] = test_random(&seed);
	for (int i = 0; i < 3 * count * columns; ++i)
		L[i] = test_random(&seed);
	for (int threads = 1; threads <= 5; threads += threads)
	{
		lm_host host = lm_host_default();
		host.threads = threads == 4 ? 5 : threads;
		lm_elastic* body = NULL;
		assert_int_equal(lm_elastic_create(&shape, &host, &body, NULL), LM_OK);
		lm_elastic_material material = { 2, 1, 0 };
		lm_elastic_state at = { .material = &material, .X = p, .x = x };
		int64_t n = 3 * count, nnz = lm_elastic_get(body).pattern->entries;
		int64_t size = 1 + 3 * n + 3 * nnz + 2 * n * columns + columns * columns;
		double *all = zeros(size), *r = all, *work = zeros(n * columns);
		*r++ = lm_elastic_energy(body, &at);
		lm_elastic_add_gradient(body, &at, 1, r), r += n;
		lm_elastic_add_rest_gradient(body, &at, 1, r), r += n;
		lm_elastic_add_mixed_transposed(body, &at, lambda, 1, r), r += n;
		lm_elastic_add_stiffness(body, &at, true, 1, lm_elastic_get(body).pattern, 0, r), r += nnz;
		lm_elastic_add_multiplier_hessian(body, &at, lambda, 1, lm_elastic_get(body).pattern, 0, r), r += nnz;
		lm_elastic_add_rest_hessian(body, &at, false, 1, r), r += nnz;
		lm_elastic_add_mixed(body, &at, 1, L, columns, r), r += n * columns;
		lm_elastic_add_multiplier_mixed(body, &at, lambda, 1, L, columns, r), r += n * columns;
		lm_elastic_add_reduced(body, all + 1 + 3 * n, L, columns, 1, work, r);
		lm_elastic_destroy(body);
		free(work);
		if (first)
		{
			assert_memory_equal(first, all, (size_t)size * sizeof *all);
			free(all);
		}
		else
			first = all;
	}
	free(first);
	free(x);
	free(L);
	free(lambda);
	free(p);
	free(triangles);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stiffness_in_a_larger_pattern),
		cmocka_unit_test(shares_sum_to_the_whole),
		cmocka_unit_test(slots_of_incompatible_rest_shapes),
		cmocka_unit_test(bad_shapes),
		cmocka_unit_test(bad_materials),
		cmocka_unit_test(stiffnesses_scale_their_terms),
		cmocka_unit_test(smallest_rest_elements),
		cmocka_unit_test(failing_allocations),
		cmocka_unit_test(threads_do_not_matter),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
