// Invariants of every potential: nothing at rest, nothing from rigid motions, forces that turn with the body and sum to
// no force and no torque, symmetric stiffness, the same answer for compatible and taken-apart rest shapes, for any
// number of threads, and finite numbers for any shape.
#include "shapes.h"

#include "math/quat.h"

static lm_mat3 rotation(int dimension)
{
	return lm_quat_matrix(dimension == 2 ? lm_quat_axis_angle(lm_v3(0, 0, 1), 1.1)
	                                     : lm_quat_axis_angle(lm_v3(0.3, -0.5, 0.8), 2.2));
}

static void move(int dimension, int count, double* positions, const double shift[3])
{
	lm_mat3 R = rotation(dimension);
	for (int i = 0; i < count; i += dimension)
	{
		double p[3] = { positions[i], positions[i + 1], dimension == 3 ? positions[i + 2] : 0 };
		for (int r = 0; r < dimension; ++r)
			positions[i + r] = R.m[r][0] * p[0] + R.m[r][1] * p[1] + R.m[r][2] * p[2] + shift[r];
	}
}

static const double away[3] = { 0.4, -1.3, 0.6 }, nowhere[3] = { 0, 0, 0 };

#define FOR_ALL_BODIES                                                                                                 \
	for (int kind = 0; kind < KINDS; ++kind)                                                                           \
		for (int incompatible = 0; incompatible < 2; ++incompatible)

static double* force_of(test_body* b)
{
	lm_elastic_state state = state_of(b);
	double* f = zeros(b->view.unknowns);
	lm_elastic_add_gradient(b->body, &state, -1, f);
	return f;
}

static double* stiffness_of(test_body* b, bool convex)
{
	lm_elastic_state state = state_of(b);
	double* values = zeros(b->view.pattern->entries);
	lm_elastic_add_stiffness(b->body, &state, convex, 1, b->view.pattern, 0, values);
	double* A = dense_of(b->view.pattern, values);
	free(values);
	return A;
}

static void nothing_at_rest_or_moved_rigidly(void** state)
{
	(void)state;
	FOR_ALL_BODIES
	{
		test_body b = make_body(kind, incompatible, 0, 0, 1);
		lm_elastic_state at = state_of(&b);
		for (int moved = 0; moved < 2; ++moved)
		{
			double *f = force_of(&b), *g = zeros(b.view.rest_unknowns);
			lm_elastic_add_rest_gradient(b.body, &at, 1, g);
			assert_true(lm_elastic_energy(b.body, &at) < 1e-28);
			assert_true(largest_of(f, b.view.unknowns) < 1e-13);
			assert_true(largest_of(g, b.view.rest_unknowns) < 1e-13);
			free(f);
			free(g);
			move(b.view.dimension, b.view.unknowns, b.x, away);
		}
		b.x[0] += 0.01; // and something as soon as it deforms
		assert_true(lm_elastic_energy(b.body, &at) > 1e-6);
		free_body(&b);
	}
}

static void forces_turn_with_the_body(void** state)
{
	(void)state;
	FOR_ALL_BODIES
	{
		test_body b = make_body(kind, incompatible, 0.05, 0.1, 2);
		lm_elastic_state at = state_of(&b);
		int n = b.view.unknowns, N = b.view.rest_unknowns;
		double W = lm_elastic_energy(b.body, &at), *f = force_of(&b), *G = zeros(N), *moved = zeros(N);
		lm_elastic_add_rest_gradient(b.body, &at, 1, G);
		move(b.view.dimension, n, b.x, away);
		double* g = force_of(&b);
		lm_elastic_add_rest_gradient(b.body, &at, 1, moved);
		assert_near(lm_elastic_energy(b.body, &at), W, 1e-12 * W);
		assert_true(distance_of(G, moved, N) < 1e-11 * largest_of(G, N)); // the rest shape does not see it
		move(b.view.dimension, n, f, nowhere);
		assert_true(distance_of(f, g, n) < 1e-11 * largest_of(f, n));
		free(g);
		move(b.view.dimension, N, b.X, nowhere); // a turned rest shape exerts the same forces
		g = force_of(&b);
		assert_true(distance_of(f, g, n) < 1e-11 * largest_of(f, n));
		free(f);
		free(g);
		free(G);
		free(moved);
		free_body(&b);
	}
}

static void forces_sum_to_nothing(void** state)
{
	(void)state;
	FOR_ALL_BODIES
	{
		test_body b = make_body(kind, incompatible, 0.1, 0.2, 3);
		double *f = force_of(&b), most = largest_of(f, b.view.unknowns), sum[3] = { 0 };
		lm_vec3 torque = { 0, 0, 0 };
		int d = b.view.dimension;
		for (int i = 0; i < b.view.unknowns; i += d)
		{
			for (int c = 0; c < d; ++c)
				sum[c] += f[i + c];
			torque = lm_add(torque, lm_cross(lm_v3(b.x[i], b.x[i + 1], d == 3 ? b.x[i + 2] : 0),
			                                 lm_v3(f[i], f[i + 1], d == 3 ? f[i + 2] : 0)));
		}
		assert_true(most > 1e-3);
		assert_true(largest_of(sum, 3) < 1e-12 * most);
		assert_true(lm_length(torque) < 1e-12 * most);
		free(f);
		free_body(&b);
	}
}

// The pattern stores one triangle, so symmetry shows in the terms: U^T V of d2W/dx dX at x = X is -d2W/dx2 there, which
// has zero energy for all rigid motions and is positive otherwise.
static void stiffness_at_rest(void** state)
{
	(void)state;
	FOR_ALL_BODIES
	{
		test_body b = make_body(kind, incompatible, 0, 0, 4);
		int n = b.view.unknowns, d = b.view.dimension;
		double *A = stiffness_of(&b, false), scale = largest_of(A, (int64_t)n * n);
		for (int axis = 0; axis < d; ++axis)
			for (int i = 0; i < n; ++i)
			{
				double moved = 0, turned = 0; // translation along the axis, rotation in the plane (axis, axis + 1)
				int other = (axis + 1) % d;
				for (int j = 0; j < n; j += d)
				{
					moved += A[i * n + j + axis];
					turned += A[i * n + j + other] * b.x[j + axis] - A[i * n + j + axis] * b.x[j + other];
				}
				assert_near(moved, 0, 1e-13 * scale);
				assert_near(turned, 0, 1e-12 * scale);
			}
		uint64_t seed = 5;
		for (int k = 0; k < 20; ++k)
		{
			double *u = zeros(n), energy = 0;
			for (int i = 0; i < n; ++i)
				u[i] = test_random(&seed);
			for (int i = 0; i < n; ++i)
				for (int j = 0; j < n; ++j)
					energy += u[i] * A[i * n + j] * u[j];
			assert_true(energy > 1e-3);
			free(u);
		}
		free(A);
		free_body(&b);
	}
}

// Convex stiffness: u^T A u >= 0 for all u tried, also where the true one is negative; equal at rest.
static void convex_stiffness(void** state)
{
	(void)state;
	FOR_ALL_BODIES
	{
		test_body b = make_body(kind, incompatible, 0.02, 0.05, 6);
		int n = b.view.unknowns, negative = 0;
		for (int i = 0; i < n; ++i)
			b.x[i] *= 0.5; // compressed: indefinite
		double *A = stiffness_of(&b, false), *P = stiffness_of(&b, true), scale = largest_of(A, (int64_t)n * n);
		uint64_t seed = 8;
		for (int k = 0; k < 300; ++k)
		{
			double *u = zeros(n), plain = 0, convex = 0;
			for (int i = 0; i < n; ++i)
				u[i] = k < n ? i == k : test_random(&seed);
			for (int i = 0; i < n; ++i)
				for (int j = 0; j < n; ++j)
				{
					plain += u[i] * A[i * n + j] * u[j];
					convex += u[i] * P[i * n + j] * u[j];
				}
			assert_true(convex >= -1e-11 * scale * n);
			assert_true(convex >= plain - 1e-11 * scale * n); // the negative parts are gone, nothing else
			negative += plain < 0;
			free(u);
		}
		assert_true(negative > 0);
		free(A);
		free(P);
		memcpy(b.x, b.initial, (size_t)n * sizeof *b.x);
		lm_elastic_gather_rest(b.body, b.initial, b.X);
		A = stiffness_of(&b, false), P = stiffness_of(&b, true);
		assert_true(distance_of(A, P, (int64_t)n * n) < 1e-10 * largest_of(A, (int64_t)n * n));
		free(A);
		free(P);
		free_body(&b);
	}
}

// A rest shape taken apart, each element turned and moved on its own, is the same rest shape.
static void taken_apart_is_the_same(void** state)
{
	(void)state;
	for (int kind = 0; kind < KINDS; ++kind)
	{
		test_body whole = make_body(kind, false, 0.05, 0.1, 9), apart = make_body(kind, true, 0, 0, 9);
		int n = whole.view.unknowns, d = whole.view.dimension;
		memcpy(apart.x, whole.x, (size_t)n * sizeof *apart.x);
		lm_elastic_gather_rest(apart.body, whole.X, apart.X);
		for (int e = 0; e < apart.view.rest_element_count; ++e)
		{
			int32_t first = apart.view.rest_starts[e], end = apart.view.rest_starts[e + 1];
			double shift[3] = { 0.1 * e, 1 - 0.2 * e, 0.3 };
			for (int turns = 0; turns < e % 4; ++turns)
				move(d, (end - first) * d, apart.X + first * d, shift);
		}
		lm_elastic_state one = state_of(&whole), two = state_of(&apart);
		double W = lm_elastic_energy(whole.body, &one);
		assert_near(lm_elastic_energy(apart.body, &two), W, 1e-12 * W);
		double *f = force_of(&whole), *g = force_of(&apart), *A = stiffness_of(&whole, false),
			   *B = stiffness_of(&apart, false);
		assert_true(distance_of(f, g, n) < 1e-11 * largest_of(f, n));
		assert_true(distance_of(A, B, (int64_t)n * n) < 1e-11 * largest_of(A, (int64_t)n * n));
		double* all[4] = { f, g, A, B };
		for (int i = 0; i < 4; ++i)
			free(all[i]);
		free_body(&whole);
		free_body(&apart);
	}
}

// Collapsed to a line or a point, mirrored, enormous: all numbers finite, in the shape, in the rest shape and in both.
static void always_finite(void** state)
{
	(void)state;
	static const double factors[][3] = { { 0, 0, 0 },          { 1, 0, 0 },    { 1, 1, 0 },
		                                 { -1, 1, 1 },         { 1e-9, 1, 1 }, { 1e-200, 1e-200, 1e-200 },
		                                 { 1e20, 1e20, 1e20 }, { 1e20, 0, 0 }, { 0, 1e15, 1e20 } };
	FOR_ALL_BODIES
	for (int k = 0; k < 9 * 3; ++k)
	{
		test_body b = make_body(kind, incompatible, 0.02, 0.02, 10);
		int n = b.view.unknowns, N = b.view.rest_unknowns, d = b.view.dimension;
		for (int i = 0; k % 3 != 1 && i < n; ++i)
			b.x[i] *= factors[k / 3][i % d];
		for (int i = 0; k % 3 != 0 && i < N; ++i)
			b.X[i] *= factors[k / 3][i % d];
		lm_elastic_state at = state_of(&b);
		int32_t count = b.view.pattern->entries + b.view.rest_pattern->entries;
		double *v = zeros(n + 2 * N), *A = zeros(count), *B = zeros(count), *E = zeros(2 * n), *lambda = zeros(n),
			   *L = zeros(N);
		for (int i = 0; i < n; ++i)
			lambda[i] = cos(i);
		for (int i = 0; i < N; ++i)
			L[i] = sin(i);
		assert_true(isfinite(lm_elastic_energy(b.body, &at)));
		lm_elastic_add_gradient(b.body, &at, 1, v);
		lm_elastic_add_rest_gradient(b.body, &at, 1, v + n);
		lm_elastic_add_mixed_transposed(b.body, &at, lambda, 1, v + n + N);
		for (int convex = 0; convex < 2; ++convex)
		{
			lm_elastic_add_stiffness(b.body, &at, convex, 1, b.view.pattern, 0, A);
			lm_elastic_add_rest_hessian(b.body, &at, convex, 1, A + b.view.pattern->entries);
		}
		lm_elastic_add_multiplier_hessian(b.body, &at, lambda, 1, b.view.pattern, 0, B);
		lm_elastic_add_multiplier_rest(b.body, &at, lambda, 1, B + b.view.pattern->entries);
		lm_elastic_add_mixed(b.body, &at, 1, L, 1, E);
		lm_elastic_add_multiplier_mixed(b.body, &at, lambda, 1, L, 1, E + n);
		for (int i = 0; i < n + 2 * N; ++i)
			assert_true(isfinite(v[i]));
		for (int i = 0; i < count; ++i)
			assert_true(isfinite(A[i]) && isfinite(B[i]));
		for (int i = 0; i < 2 * n; ++i)
			assert_true(isfinite(E[i]));
		double* all[6] = { v, A, B, E, lambda, L };
		for (int i = 0; i < 6; ++i)
			free(all[i]);
		free_body(&b);
	}
}

// An angle may pass pi: the shorter way round counts, and a hinge folded shut either way is the same.
static void folded_shut(void** state)
{
	(void)state;
	double positions[12] = { 0, 0, 0, 1, 0, 0, 0.5, 1, 0, 0.5, 0.9, 0.05 }, folded[12];
	int32_t triangles[6] = { 0, 1, 2, 1, 0, 3 };
	lm_elastic_shape shape = { LM_ELASTIC_SHELL3, false, 4, positions, 2, triangles, NULL };
	lm_host host = lm_host_default();
	lm_elastic* body = NULL;
	lm_elastic_material material = { 1, 1, 0 };
	assert_int_equal(lm_elastic_create(&shape, &host, &body, NULL), LM_OK);
	memcpy(folded, positions, sizeof folded);
	folded[11] = -0.05; // through the other wing: the angle jumps from pi - 0.05 to -(pi - 0.05)
	lm_elastic_state at = { .material = &material, .X = positions, .x = folded };
	double turn = 2 * atan2(0.05, 0.9), area = lm_elastic_get(body).shares[0] + lm_elastic_get(body).shares[1] +
	                                           lm_elastic_get(body).shares[2] + lm_elastic_get(body).shares[3];
	assert_near(lm_elastic_energy(body, &at), 0.5 * 3 / area * turn * turn, 1e-9);
	lm_elastic_destroy(body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_at_rest_or_moved_rigidly),
		cmocka_unit_test(forces_turn_with_the_body),
		cmocka_unit_test(forces_sum_to_nothing),
		cmocka_unit_test(stiffness_at_rest),
		cmocka_unit_test(convex_stiffness),
		cmocka_unit_test(taken_apart_is_the_same),
		cmocka_unit_test(always_finite),
		cmocka_unit_test(folded_shut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
