// Every derivative of every potential against finite differences of the one below it: by the shape, by the rest shape,
// mixed, and weighted with a multiplier; compatible and incompatible; near rest, far from it, inverted and nearly
// degenerate.
#include "shapes.h"

// What a test differentiates: a vector function of body, with x or X varied in place.
typedef void quantity(test_body* b, const double* lambda, double* result);

static void energy(test_body* b, const double* lambda, double* result)
{
	(void)lambda;
	lm_elastic_state state = state_of(b);
	*result = lm_elastic_energy(b->body, &state);
}

static void gradient(test_body* b, const double* lambda, double* result)
{
	(void)lambda;
	lm_elastic_state state = state_of(b);
	memset(result, 0, (size_t)b->view.unknowns * sizeof *result);
	lm_elastic_add_gradient(b->body, &state, 1, result);
}

static void rest_gradient(test_body* b, const double* lambda, double* result)
{
	(void)lambda;
	lm_elastic_state state = state_of(b);
	memset(result, 0, (size_t)b->view.rest_unknowns * sizeof *result);
	lm_elastic_add_rest_gradient(b->body, &state, 1, result);
}

// psi_x = K lambda
static void stiffness_times(test_body* b, const double* lambda, double* result)
{
	lm_elastic_state state = state_of(b);
	double* values = zeros(b->view.pattern->entries);
	lm_elastic_add_stiffness(b->body, &state, false, 1, b->view.pattern, 0, values);
	lm_pattern_multiply(b->view.pattern, values, lambda, result);
	free(values);
}

// psi_X
static void mixed_transposed_times(test_body* b, const double* lambda, double* result)
{
	lm_elastic_state state = state_of(b);
	memset(result, 0, (size_t)b->view.rest_unknowns * sizeof *result);
	lm_elastic_add_mixed_transposed(b->body, &state, lambda, 1, result);
}

// rows: quantities, columns: varied numbers; fourth order.
static double* differences(quantity* f, test_body* b, const double* lambda, bool by_rest, double h, int rows)
{
	static const double offset[4] = { -2, -1, 1, 2 }, weight[4] = { 1. / 12, -2. / 3, 2. / 3, -1. / 12 };
	int columns = by_rest ? b->view.rest_unknowns : b->view.unknowns;
	double *D = zeros((int64_t)rows * columns), *at = zeros(rows), *varied = by_rest ? b->X : b->x;
	for (int j = 0; j < columns; ++j)
	{
		double here = varied[j];
		for (int k = 0; k < 4; ++k)
		{
			varied[j] = here + offset[k] * h;
			f(b, lambda, at);
			for (int i = 0; i < rows; ++i)
				D[i * columns + j] += weight[k] * at[i] / h;
		}
		varied[j] = here;
	}
	free(at);
	return D;
}

// Relative to the largest entry of the difference quotient, or to `floor`.
static void agree(const char* what, const test_body* b, const double* computed, double* D, int64_t count, double floor,
                  double tolerance)
{
	double error = distance_of(computed, D, count) / fmax(largest_of(D, count), floor);
	if (!(error < tolerance))
	{
		print_error("%s, %s: %s is off by %g\n", kind_names[b->view.kind],
		            b->view.incompatible ? "incompatible" : "compatible", what, error);
		fail();
	}
	free(D);
}

static double* identity(int n)
{
	double* I = zeros((int64_t)n * n);
	for (int i = 0; i < n; ++i)
		I[i * n + i] = 1;
	return I;
}

static void by_shape(test_body* b, const double* lambda, double h, double tolerance)
{
	int n = b->view.unknowns;
	lm_elastic_state state = state_of(b);
	double *g = zeros(n), *values = zeros(b->view.pattern->entries);
	gradient(b, NULL, g);
	agree("dW/dx", b, g, differences(energy, b, NULL, false, h, 1), n, 1e-9, tolerance);
	lm_elastic_add_stiffness(b->body, &state, false, 1, b->view.pattern, 0, values);
	double* A = dense_of(b->view.pattern, values);
	agree("d2W/dx2", b, A, differences(gradient, b, NULL, false, h, n), (int64_t)n * n, 1e-9, tolerance);
	free(A);
	memset(values, 0, (size_t)b->view.pattern->entries * sizeof *values);
	lm_elastic_add_multiplier_hessian(b->body, &state, lambda, 1, b->view.pattern, 0, values);
	A = dense_of(b->view.pattern, values);
	agree("psi_xx", b, A, differences(stiffness_times, b, lambda, false, h, n), (int64_t)n * n, 1e-9, tolerance);
	free(A);
	free(g);
	free(values);
}

static void by_rest(test_body* b, const double* lambda, double h, double tolerance)
{
	int N = b->view.rest_unknowns;
	lm_elastic_state state = state_of(b);
	double *g = zeros(N), *values = zeros(b->view.rest_pattern->entries);
	rest_gradient(b, NULL, g);
	agree("dW/dX", b, g, differences(energy, b, NULL, true, h, 1), N, 1e-9, tolerance);
	lm_elastic_add_rest_hessian(b->body, &state, false, 1, values);
	double* A = dense_of(b->view.rest_pattern, values);
	agree("d2W/dX2", b, A, differences(rest_gradient, b, NULL, true, h, N), (int64_t)N * N, 1e-9, tolerance);
	free(A);
	memset(values, 0, (size_t)b->view.rest_pattern->entries * sizeof *values);
	lm_elastic_add_multiplier_rest(b->body, &state, lambda, 1, values);
	A = dense_of(b->view.rest_pattern, values);
	agree("psi_XX", b, A, differences(mixed_transposed_times, b, lambda, true, h, N), (int64_t)N * N, 1e-9, tolerance);
	free(A);
	free(g);
	free(values);
}

static void by_both(test_body* b, const double* lambda, double h, double tolerance)
{
	int n = b->view.unknowns, N = b->view.rest_unknowns;
	lm_elastic_state state = state_of(b);
	double *I = identity(N), *E = zeros((int64_t)n * N), *t = zeros(N), *expected = zeros(N);
	lm_elastic_add_mixed(b->body, &state, 1, I, N, E);
	agree("d2W/dx dX", b, E, differences(gradient, b, NULL, true, h, n), (int64_t)n * N, 1e-9, tolerance);
	lm_elastic_add_mixed_transposed(b->body, &state, lambda, 1, t);
	for (int i = 0; i < n; ++i)
		for (int j = 0; j < N; ++j)
			expected[j] += E[i * N + j] * lambda[i];
	agree("its transpose times lambda", b, t, expected, N, 1e-9, 1e-12);
	memset(E, 0, (size_t)n * (size_t)N * sizeof *E);
	lm_elastic_add_multiplier_mixed(b->body, &state, lambda, 1, I, N, E);
	agree("psi_xX", b, E, differences(stiffness_times, b, lambda, true, h, n), (int64_t)n * N, 1e-9, tolerance);
	free(I);
	free(E);
	free(t);
}

static void check_all(test_body* b, double h, double tolerance)
{
	uint64_t seed = 99;
	double* lambda = zeros(b->view.unknowns);
	for (int i = 0; i < b->view.unknowns; ++i)
		lambda[i] = test_random(&seed);
	by_shape(b, lambda, h, tolerance);
	by_rest(b, lambda, h, tolerance);
	by_both(b, lambda, h, tolerance);
	free(lambda);
}

static void near_and_far_from_rest(void** state)
{
	(void)state;
	for (int kind = 0; kind < KINDS; ++kind)
		for (int incompatible = 0; incompatible < 2; ++incompatible)
			for (int far = 0; far < 2; ++far)
			{
				test_body b = make_body(kind, incompatible, far ? 0.1 : 0.02, far ? 0.15 : 0.02, 5 + (uint64_t)kind);
				check_all(&b, 3e-4, 1e-6);
				free_body(&b);
			}
}

// The shape turned inside out (mirrored); for the solids every element is inverted, for thin bodies every angle.
static void inverted(void** state)
{
	(void)state;
	for (int kind = 0; kind < KINDS; ++kind)
		for (int rest = 0; rest < 2; ++rest)
		{
			test_body b = make_body(kind, rest, 0.03, 0.03, 31);
			double* mirrored = rest ? b.X : b.x; // once the shape, once the rest shape
			int count = rest ? b.view.rest_unknowns : b.view.unknowns;
			for (int i = 0; i < count; i += b.view.dimension)
				mirrored[i] = -mirrored[i];
			check_all(&b, 3e-4, 1e-6);
			free_body(&b);
		}
}

// Flattened to a hundredth along one axis: slivers everywhere.
static void nearly_degenerate(void** state)
{
	(void)state;
	for (int kind = 0; kind < KINDS; ++kind)
		for (int rest = 0; rest < 2; ++rest)
		{
			test_body b = make_body(kind, rest, 0.02, 0.02, 37);
			double* flat = rest ? b.X : b.x;
			int count = rest ? b.view.rest_unknowns : b.view.unknowns;
			for (int i = 1; i < count; i += b.view.dimension)
				flat[i] *= 0.01;
			check_all(&b, 2e-6, 1e-4);
			free_body(&b);
		}
}

// Beside the point the comparison must fail: it does not compare a thing with itself.
static void comparison_can_fail(void** state)
{
	(void)state;
	for (int kind = 0; kind < KINDS; ++kind)
	{
		test_body b = make_body(kind, false, 0.05, 0.05, 41);
		int n = b.view.unknowns;
		double *g = zeros(n), *D = differences(energy, &b, NULL, false, 3e-4, 1);
		b.x[0] += 1e-3;
		gradient(&b, NULL, g);
		assert_true(distance_of(g, D, n) > 1e-5 * largest_of(D, n));
		free(D);
		D = differences(energy, &b, NULL, false, 3e-4, 1);
		b.material.stretch *= 1.0001;
		gradient(&b, NULL, g);
		assert_true(distance_of(g, D, n) > 1e-5 * largest_of(D, n));
		free(D);
		free(g);
		free_body(&b);
	}
}

// E = (d2W/dx dX) L and L^T S L for a dense L of more columns than are done at a time, against plain sums; blocks too.
static void products_with_a_dense_matrix(void** state)
{
	(void)state;
	for (int kind = 0; kind < KINDS; ++kind)
	{
		test_body b = make_body(kind, kind % 2, 0.05, 0.05, 43);
		int n = b.view.unknowns, N = b.view.rest_unknowns, p = 37, d = b.view.dimension;
		uint64_t seed = 1;
		double *L = zeros((int64_t)N * p), *I = identity(N), *full = zeros((int64_t)n * N), *E = zeros((int64_t)n * p);
		double *plain = zeros((int64_t)n * p), *blocks = zeros((int64_t)n * N);
		for (int i = 0; i < N * p; ++i)
			L[i] = test_random(&seed);
		lm_elastic_state at = state_of(&b);
		lm_elastic_add_mixed(b.body, &at, 2, I, N, full);
		lm_elastic_add_mixed(b.body, &at, 2, L, p, E);
		for (int i = 0; i < n; ++i)
			for (int j = 0; j < N; ++j)
				for (int c = 0; c < p; ++c)
					plain[i * p + c] += full[i * N + j] * L[j * p + c];
		assert_true(distance_of(E, plain, (int64_t)n * p) < 1e-12 * largest_of(E, (int64_t)n * p));
		for (int32_t t = 0; t < lm_elastic_term_count(b.body); ++t)
		{
			lm_elastic_block block;
			lm_elastic_mixed_block(b.body, &at, t, &block);
			for (int i = 0; i < block.size; ++i)
				for (int j = 0; j < block.size; ++j)
					blocks[(block.vertices[i / d] * d + i % d) * N + block.slots[j / d] * d + j % d] +=
						2 * block.values[i * block.size + j];
		}
		assert_true(distance_of(blocks, full, (int64_t)n * N) < 1e-12 * largest_of(full, (int64_t)n * N));

		double *values = zeros(b.view.rest_pattern->entries), *work = zeros((int64_t)N * p), *C = zeros(p * p);
		lm_elastic_add_rest_hessian(b.body, &at, false, 1, values);
		lm_elastic_add_reduced(b.body, values, L, p, 3, work, C);
		double* S = dense_of(b.view.rest_pattern, values);
		for (int a = 0; a < p; ++a)
			for (int c = 0; c <= a; ++c)
			{
				double sum = 0;
				for (int i = 0; i < N; ++i)
					for (int j = 0; j < N; ++j)
						sum += 3 * L[i * p + a] * S[i * N + j] * L[j * p + c];
				assert_near(C[a * p + c], sum, 1e-11 * largest_of(C, p * p));
				assert_true(C[a * p + c] == C[c * p + a]);
			}
		double* all[10] = { L, I, full, E, plain, blocks, values, work, C, S };
		for (int i = 0; i < 10; ++i)
			free(all[i]);
		free_body(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(near_and_far_from_rest),
		cmocka_unit_test(inverted),
		cmocka_unit_test(nearly_degenerate),
		cmocka_unit_test(comparison_can_fail),
		cmocka_unit_test(products_with_a_dense_matrix),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
