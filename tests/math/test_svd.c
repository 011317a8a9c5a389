// Every class of 3x3 matrix, thousands of each: the factors multiply back, are rotations, are sorted and signed.
#include "test.h"

#include "math/quat.h"
#include "math/svd.h"

#define ROUNDS 3000
#define TOLERANCE 4e-15

static lm_mat3 random_matrix(uint64_t* seed)
{
	lm_mat3 A;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			A.m[i][j] = test_random(seed);
	return A;
}

static lm_mat3 random_rotation(uint64_t* seed)
{
	lm_quat q = { test_random(seed), test_random(seed), test_random(seed), test_random(seed) };
	return lm_quat_matrix(lm_quat_normalize(q));
}

static lm_mat3 diagonal(double a, double b, double c)
{
	return (lm_mat3){ { { a, 0, 0 }, { 0, b, 0 }, { 0, 0, c } } };
}

static lm_mat3 compose(lm_mat3 U, lm_vec3 s, lm_mat3 V)
{
	return lm_mul(lm_mul(U, diagonal(s.x, s.y, s.z)), lm_transpose(V));
}

static lm_mat3 scaled(double s, lm_mat3 A)
{
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			A.m[i][j] *= s;
	return A;
}

static double largest(lm_mat3 A)
{
	double most = 0;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			most = fmax(most, fabs(A.m[i][j]));
	return most;
}

static void assert_same(lm_mat3 A, lm_mat3 B, double tolerance)
{
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			assert_near(A.m[i][j], B.m[i][j], tolerance);
}

static void assert_rotation(lm_mat3 R)
{
	assert_same(lm_mul(lm_transpose(R), R), lm_identity(), TOLERANCE);
	assert_near(lm_det(R), 1, TOLERANCE);
}

// What must hold for the factors of any finite matrix, relative to its size.
static lm_svd check(lm_mat3 A)
{
	double size = largest(A);
	lm_svd f = lm_svd3(A);
	assert_rotation(f.U);
	assert_rotation(f.V);
	assert_true(f.s.x >= f.s.y && f.s.y >= fabs(f.s.z));
	assert_true(f.s.y >= 0);
	assert_same(compose(f.U, f.s, f.V), A, TOLERANCE * size);

	lm_polar p = lm_polar3(A);
	assert_rotation(p.R);
	assert_same(p.S, lm_transpose(p.S), 0);
	assert_same(lm_mul(p.R, p.S), A, TOLERANCE * size);
	return f;
}

static void general_matrices(void** state)
{
	(void)state;
	uint64_t seed = 1;
	int reflections = 0;
	for (int round = 0; round < ROUNDS; ++round)
	{
		lm_mat3 A = random_matrix(&seed);
		lm_svd f = check(A);
		double det = lm_det(A);
		if (fabs(det) > 1e-10)
			assert_true((det < 0) == (f.s.z < 0));
		reflections += det < 0;
	}
	assert_in_range(reflections, ROUNDS / 3, 2 * ROUNDS / 3); // both signs were really there
}

// With singular values given, they come back: also small ones to their own relative accuracy when the matrix is a
// rotation times a diagonal (columns orthogonal, however different in length).
static void known_singular_values(void** state)
{
	(void)state;
	uint64_t seed = 2;
	for (int round = 0; round < ROUNDS; ++round)
	{
		double s0 = 1 + fabs(test_random(&seed)), s1 = s0 * fabs(test_random(&seed)), s2 = s1 * test_random(&seed);
		lm_svd f = check(compose(random_rotation(&seed), lm_v3(s0, s1, s2), random_rotation(&seed)));
		assert_near(f.s.x, s0, TOLERANCE * s0);
		assert_near(f.s.y, s1, TOLERANCE * s0);
		assert_near(f.s.z, s2, TOLERANCE * s0);

		lm_mat3 U = random_rotation(&seed);
		f = check(lm_mul(U, diagonal(1e-12 * s1, -s0, 1e-25 * s2)));
		assert_near(f.s.x, s0, TOLERANCE * s0);
		assert_near(f.s.y, 1e-12 * s1, TOLERANCE * 1e-12 * s1);
		assert_near(fabs(f.s.z), 1e-25 * fabs(s2), TOLERANCE * 1e-25 * fabs(s2));
	}
}

static void repeated_singular_values(void** state)
{
	(void)state;
	uint64_t seed = 3;
	static const double values[][3] = { { 1, 1, 1 }, { 1, 1, -1 },        { 2, 1, 1 },           { 2, 1, -1 },
		                                { 2, 2, 1 }, { 1, 1 - 1e-15, 1 }, { 1, 1 - 1e-9, 1e-9 }, { 1, 1, 0 },
		                                { 1, 0, 0 }, { 1, 1e-16, 1e-16 } };
	for (int round = 0; round < ROUNDS; ++round)
		for (size_t k = 0; k < sizeof values / sizeof *values; ++k)
		{
			lm_vec3 s = { values[k][0], values[k][1], values[k][2] };
			lm_svd f = check(compose(random_rotation(&seed), s, random_rotation(&seed)));
			assert_near(f.s.x, s.x, 2 * TOLERANCE);
			assert_near(f.s.y, s.y, 2 * TOLERANCE);
			assert_near(f.s.z, s.z, 2 * TOLERANCE);
		}
}

static void rank_deficient(void** state)
{
	(void)state;
	uint64_t seed = 4;
	for (int round = 0; round < ROUNDS; ++round)
	{
		lm_mat3 A = random_matrix(&seed);
		for (int i = 0; i < 3; ++i) // rank 2 exactly: two columns alike
			A.m[i][2] = A.m[i][round % 2];
		lm_svd f = check(A);
		assert_near(f.s.z, 0, TOLERANCE);

		lm_mat3 B = { { { 0 } } }; // rank 1
		lm_vec3 a = { test_random(&seed), test_random(&seed), test_random(&seed) };
		lm_vec3 b = { test_random(&seed), test_random(&seed), test_random(&seed) };
		lm_add_outer(&B, 1, a, b);
		f = check(B);
		assert_near(f.s.x, lm_length(a) * lm_length(b), TOLERANCE);
		assert_near(f.s.y, 0, TOLERANCE);

		lm_mat3 C = { { { 0 } } }; // one entry only
		C.m[round % 3][round / 3 % 3] = test_random(&seed);
		f = check(C);
		assert_near(f.s.x, largest(C), 0);
		assert_near(f.s.y, 0, 0);
	}
	lm_svd zero = check(diagonal(0, 0, 0));
	assert_same(zero.U, lm_identity(), 0);
	assert_near(zero.s.x, 0, 0);
}

// Scaling by a power of two changes nothing but s; any scale keeps the relative accuracy.
static void scales(void** state)
{
	(void)state;
	uint64_t seed = 5;
	for (int round = 0; round < ROUNDS; ++round)
	{
		lm_mat3 A = random_matrix(&seed);
		if (round % 3 == 1)
			for (int i = 0; i < 3; ++i)
				A.m[i][1] = A.m[i][0];
		lm_svd f = lm_svd3(A), g = lm_svd3(scaled(ldexp(1, round % 1000 - 500), A));
		assert_memory_equal(&f.U, &g.U, sizeof f.U);
		assert_memory_equal(&f.V, &g.V, sizeof f.V);
		double exponent = 150 * test_random(&seed);
		check(scaled(pow(10, exponent), A));
		check(scaled(1e150, A));
		check(scaled(1e-150, A));
		check(lm_mul(random_rotation(&seed), diagonal(1e150, 1, 1e-150))); // both in one matrix
	}
	assert_rotation(lm_svd3(scaled(1e-310, random_matrix(&seed))).U); // subnormal
	assert_rotation(lm_svd3(scaled(1e308, random_matrix(&seed))).U);
}

static void not_finite(void** state)
{
	(void)state;
	const double bad[] = { NAN, INFINITY, -INFINITY };
	for (int k = 0; k < 27; ++k)
	{
		lm_mat3 A = lm_identity();
		A.m[k % 3][k / 3 % 3] = bad[k / 9];
		lm_svd f = lm_svd3(A);
		assert_same(f.U, lm_identity(), 0);
		assert_near(f.s.x, 0, 0);
		assert_same(lm_eigen3(A).V, lm_identity(), 0);
		assert_same(lm_polar3(A).R, lm_identity(), 0);
	}
}

// The rotation of the polar factor is the closest: no rotation nearby is closer.
static void polar_is_closest(void** state)
{
	(void)state;
	uint64_t seed = 6;
	for (int round = 0; round < ROUNDS; ++round)
	{
		lm_mat3 A = random_matrix(&seed), R = lm_polar3(A).R;
		// |R - A|^2 = const - 2 R:A
		double best = 0;
		for (int i = 0; i < 3; ++i)
			for (int j = 0; j < 3; ++j)
				best += R.m[i][j] * A.m[i][j];
		for (int trial = 0; trial < 8; ++trial)
		{
			double reach = trial < 4 ? 1e-3 : 3;
			lm_vec3 turn = { reach * test_random(&seed), reach * test_random(&seed), reach * test_random(&seed) };
			lm_mat3 Q = lm_mul(lm_quat_matrix(lm_quat_exp(turn)), R);
			double other = 0;
			for (int i = 0; i < 3; ++i)
				for (int j = 0; j < 3; ++j)
					other += Q.m[i][j] * A.m[i][j];
			assert_true(other <= best + 1e-14);
		}
	}
}

static void polar_of_a_rotation_is_itself(void** state)
{
	(void)state;
	uint64_t seed = 7;
	for (int round = 0; round < ROUNDS; ++round)
	{
		lm_mat3 R = random_rotation(&seed);
		lm_polar p = lm_polar3(R);
		assert_same(p.R, R, TOLERANCE);
		assert_same(p.S, lm_identity(), TOLERANCE);
	}
}

static void check_eigen(lm_mat3 A, const double* expected)
{
	double size = largest(A);
	lm_eigen f = lm_eigen3(A);
	assert_rotation(f.V);
	assert_true(f.e.x >= f.e.y && f.e.y >= f.e.z);
	assert_same(compose(f.V, f.e, f.V), A, TOLERANCE * size);
	if (expected)
	{
		assert_near(f.e.x, expected[0], 2 * TOLERANCE * size);
		assert_near(f.e.y, expected[1], 2 * TOLERANCE * size);
		assert_near(f.e.z, expected[2], 2 * TOLERANCE * size);
	}
}

static lm_mat3 symmetric_part(lm_mat3 A)
{
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < i; ++j)
			A.m[i][j] = A.m[j][i] = 0.5 * (A.m[i][j] + A.m[j][i]);
	return A;
}

static void symmetric_eigen(void** state)
{
	(void)state;
	uint64_t seed = 8;
	static const double values[][3] = { { 3, 2, 1 },  { 1, 1, 1 },  { 2, 1, 1 },     { 2, 2, 1 },    { 1, 0, -1 },
		                                { 0, 0, -1 }, { 1, 0, 0 },  { 1, 1, 0 },     { 1, 1e-9, 0 }, { -1, -2, -2 },
		                                { 0, 0, 0 },  { 1, 1, -1 }, { 1e-3, 0, -5 }, { 1, -1, -1 } };
	for (int round = 0; round < ROUNDS; ++round)
	{
		lm_mat3 A = symmetric_part(random_matrix(&seed));
		check_eigen(A, NULL);
		check_eigen(scaled(pow(10, 150 * test_random(&seed)), A), NULL);
		size_t k = (size_t)round % (sizeof values / sizeof *values);
		lm_mat3 V = random_rotation(&seed);
		check_eigen(symmetric_part(compose(V, lm_v3(values[k][0], values[k][1], values[k][2]), V)), values[k]);
	}
	const double sorted[] = { 5, 2, -7 }; // already diagonal, in every order
	check_eigen(diagonal(5, 2, -7), sorted);
	check_eigen(diagonal(2, 5, -7), sorted);
	check_eigen(diagonal(-7, 2, 5), sorted);
	check_eigen(diagonal(-7, 5, 2), sorted);
	check_eigen(diagonal(2, -7, 5), sorted);
	check_eigen(diagonal(5, -7, 2), sorted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(general_matrices),
		cmocka_unit_test(known_singular_values),
		cmocka_unit_test(repeated_singular_values),
		cmocka_unit_test(rank_deficient),
		cmocka_unit_test(scales),
		cmocka_unit_test(not_finite),
		cmocka_unit_test(polar_is_closest),
		cmocka_unit_test(polar_of_a_rotation_is_itself),
		cmocka_unit_test(symmetric_eigen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
