#include "test.h"

#include "math/quat.h"

#define ROUNDS 2000
#define TOLERANCE 3e-15

static lm_vec3 random_vector(uint64_t* seed, double reach)
{
	return lm_v3(reach * test_random(seed), reach * test_random(seed), reach * test_random(seed));
}

static lm_quat random_quat(uint64_t* seed)
{
	return lm_quat_normalize((lm_quat){ test_random(seed), test_random(seed), test_random(seed), test_random(seed) });
}

static void assert_vector(lm_vec3 a, lm_vec3 b, double tolerance)
{
	assert_near(a.x, b.x, tolerance);
	assert_near(a.y, b.y, tolerance);
	assert_near(a.z, b.z, tolerance);
}

// q and -q are the same rotation.
static void assert_same_rotation(lm_quat a, lm_quat b, double tolerance)
{
	double sign = lm_quat_dot(a, b) < 0 ? -1 : 1;
	assert_near(a.w, sign * b.w, tolerance);
	assert_vector(lm_v3(a.x, a.y, a.z), lm_v3(sign * b.x, sign * b.y, sign * b.z), tolerance);
}

static void rotates_as_it_should(void** state)
{
	(void)state;
	lm_quat quarter = lm_quat_axis_angle(lm_v3(0, 0, 5), LM_PI / 2); // x to y, y to -x
	assert_vector(lm_quat_rotate(quarter, lm_v3(1, 0, 0)), lm_v3(0, 1, 0), TOLERANCE);
	assert_vector(lm_quat_rotate(quarter, lm_v3(0, 1, 0)), lm_v3(-1, 0, 0), TOLERANCE);
	uint64_t seed = 1;
	for (int round = 0; round < ROUNDS; ++round)
	{
		lm_quat a = random_quat(&seed), b = random_quat(&seed);
		lm_vec3 v = random_vector(&seed, 1);
		assert_near(lm_length(lm_quat_rotate(a, v)), lm_length(v), TOLERANCE);
		assert_vector(lm_quat_rotate(lm_quat_mul(a, b), v), lm_quat_rotate(a, lm_quat_rotate(b, v)), TOLERANCE);
		assert_vector(lm_quat_rotate(lm_quat_conjugate(a), lm_quat_rotate(a, v)), v, TOLERANCE);
		assert_vector(lm_mul_v(lm_quat_matrix(a), v), lm_quat_rotate(a, v), TOLERANCE);
		assert_near(lm_det(lm_quat_matrix(a)), 1, TOLERANCE);
	}
}

static void matrix_round_trip(void** state)
{
	(void)state;
	uint64_t seed = 2;
	for (int round = 0; round < ROUNDS; ++round)
	{
		lm_quat a = random_quat(&seed);
		assert_same_rotation(lm_quat_from_matrix(lm_quat_matrix(a)), a, TOLERANCE);
		// half turns and nearly half turns: the trace is negative, each axis in turn is the largest
		lm_quat half = lm_quat_axis_angle(random_vector(&seed, 1), LM_PI - (round % 2) * 1e-9);
		assert_same_rotation(lm_quat_from_matrix(lm_quat_matrix(half)), half, TOLERANCE);
	}
	assert_same_rotation(lm_quat_from_matrix(lm_identity()), lm_quat_identity(), 0);
}

static void exp_and_log(void** state)
{
	(void)state;
	uint64_t seed = 3;
	for (int round = 0; round < ROUNDS; ++round)
	{
		double reach = pow(10, -(round % 20)); // from large rotations to far below rounding
		lm_vec3 v = random_vector(&seed, 1.8 * reach);
		lm_quat q = lm_quat_exp(v);
		assert_near(lm_quat_dot(q, q), 1, TOLERANCE);
		assert_vector(lm_quat_log(q), v, 8e-15 * reach);
		assert_vector(lm_quat_log((lm_quat){ -q.w, -q.x, -q.y, -q.z }), v, 8e-15 * reach);
		assert_same_rotation(lm_quat_axis_angle(v, lm_length(v)), q, TOLERANCE);
	}
	assert_vector(lm_quat_log(lm_quat_identity()), lm_v3(0, 0, 0), 0);
	assert_same_rotation(lm_quat_exp(lm_v3(0, 0, 0)), lm_quat_identity(), 0);
}

static void slerp(void** state)
{
	(void)state;
	uint64_t seed = 4;
	for (int round = 0; round < ROUNDS; ++round)
	{
		lm_quat a = random_quat(&seed), b = random_quat(&seed);
		double t = 0.5 + 0.5 * test_random(&seed);
		assert_same_rotation(lm_quat_slerp(a, b, 0), a, TOLERANCE);
		assert_same_rotation(lm_quat_slerp(a, b, 1), b, TOLERANCE);
		// constant speed, the short way
		double whole = lm_length(lm_quat_log(lm_quat_mul(lm_quat_conjugate(a), b)));
		double part = lm_length(lm_quat_log(lm_quat_mul(lm_quat_conjugate(a), lm_quat_slerp(a, b, t))));
		assert_near(part, t * whole, 1e-13);
		assert_true(whole <= LM_PI + 1e-12);
		assert_same_rotation(lm_quat_slerp(a, (lm_quat){ -b.w, -b.x, -b.y, -b.z }, t), lm_quat_slerp(a, b, t), 1e-13);
	}
}

static void between(void** state)
{
	(void)state;
	uint64_t seed = 5;
	for (int round = 0; round < ROUNDS; ++round)
	{
		lm_vec3 a = random_vector(&seed, 3), b = random_vector(&seed, 0.1);
		if (round % 4 == 1)
			b = lm_scale(-0.3, a); // exactly opposite
		if (round % 4 == 2)
			b = lm_scale(7, a);
		if (round % 4 == 3)
			b = lm_add(lm_scale(-1, a), random_vector(&seed, 1e-5)); // nearly opposite
		lm_vec3 turned = lm_quat_rotate(lm_quat_between(a, b), lm_scale(1 / lm_length(a), a));
		assert_vector(turned, lm_scale(1 / lm_length(b), b), 1e-9);
	}
	static const lm_vec3 axes[] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
	for (int i = 0; i < 3; ++i)
		assert_vector(lm_quat_rotate(lm_quat_between(axes[i], lm_scale(-1, axes[i])), axes[i]), lm_scale(-1, axes[i]),
		              TOLERANCE);
}

static void degenerate_input_gives_the_identity(void** state)
{
	(void)state;
	lm_quat one = lm_quat_identity();
	assert_same_rotation(lm_quat_normalize((lm_quat){ 0, 0, 0, 0 }), one, 0);
	assert_same_rotation(lm_quat_normalize((lm_quat){ NAN, 0, 0, 1 }), one, 0);
	assert_same_rotation(lm_quat_normalize((lm_quat){ 0, INFINITY, 0, 1 }), one, 0);
	assert_same_rotation(lm_quat_axis_angle(lm_v3(0, 0, 0), 1), one, TOLERANCE);
	assert_same_rotation(lm_quat_exp(lm_v3(NAN, 0, 0)), one, 0);
	assert_same_rotation(lm_quat_exp(lm_v3(INFINITY, 0, 0)), one, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rotates_as_it_should),
		cmocka_unit_test(matrix_round_trip),
		cmocka_unit_test(exp_and_log),
		cmocka_unit_test(slerp),
		cmocka_unit_test(between),
		cmocka_unit_test(degenerate_input_gives_the_identity),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
