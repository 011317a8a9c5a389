// Signs of determinants where rounding would get them wrong, against integer arithmetic that cannot.
#include "math/predicates.h"
#include "test.h"

__extension__ typedef __int128 whole128;

static int64_t whole(uint64_t* seed, int64_t range)
{
	return (int64_t)floor(test_random(seed) * (double)range);
}

static int sign128(whole128 a)
{
	return (a > 0) - (a < 0);
}

// Coordinates on a grid of 2^-30 around 1: products are exact in 128 bits.
static void compare2(uint64_t* seed, int64_t spread)
{
	int64_t k[6];
	double p[6];
	for (int i = 0; i < 6; ++i)
		k[i] = (INT64_C(1) << 30) + whole(seed, spread), p[i] = (double)k[i] * 0x1p-30;
	whole128 det = (whole128)(k[0] - k[4]) * (k[3] - k[5]) - (whole128)(k[1] - k[5]) * (k[2] - k[4]);
	assert_int_equal(lm_orient2(p, p + 2, p + 4), sign128(det));
}

static void orient2_is_exact(void** state)
{
	(void)state;
	uint64_t seed = 1;
	for (int i = 0; i < 20000; ++i)
		compare2(&seed, i % 2 ? 3 : INT64_C(1) << 29);
}

static void compare3(uint64_t* seed, int64_t spread)
{
	int64_t k[12];
	lm_vec3 p[4];
	for (int i = 0; i < 12; ++i)
		k[i] = (INT64_C(1) << 30) + whole(seed, spread);
	for (int i = 0; i < 4; ++i)
		p[i] = lm_v3((double)k[3 * i] * 0x1p-30, (double)k[3 * i + 1] * 0x1p-30, (double)k[3 * i + 2] * 0x1p-30);
	whole128 u[3], v[3], w[3];
	for (int i = 0; i < 3; ++i)
		u[i] = k[i] - k[9 + i], v[i] = k[3 + i] - k[9 + i], w[i] = k[6 + i] - k[9 + i];
	whole128 det =
		u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
	assert_int_equal(lm_orient3(p[0], p[1], p[2], p[3]), sign128(det));
}

static void orient3_is_exact(void** state)
{
	(void)state;
	uint64_t seed = 2;
	for (int i = 0; i < 20000; ++i)
		compare3(&seed, i % 2 ? 2 : INT64_C(1) << 28);
}

// d lies in the plane of a, b, c but for the last bit, with differences that are not exact.
static void tiny_offsets_count(void** state)
{
	(void)state;
	lm_vec3 a = lm_v3(1e-20, 0, 0), b = lm_v3(1e10, 0, 0), c = lm_v3(0, 1, 0);
	for (int s = -1; s <= 1; ++s)
		assert_int_equal(lm_orient3(a, b, c, lm_v3(0.3, 0.1, s * 1e-80)), -s);
	double p[2] = { 0.5, 0.5 }, q[2] = { 12, 12 }, r[2] = { 24, 24 };
	assert_int_equal(lm_orient2(p, q, r), 0);
	p[0] = nextafter(0.5, 1);
	assert_int_equal(lm_orient2(p, q, r), -1);
	p[0] = nextafter(0.5, 0);
	assert_int_equal(lm_orient2(p, q, r), 1);
}

// Even permutations keep the sign and odd ones turn it, whatever the rounding.
static void permutations_agree(void** state)
{
	(void)state;
	uint64_t seed = 3;
	for (int i = 0; i < 5000; ++i)
	{
		lm_vec3 p[4];
		for (int k = 0; k < 4; ++k)
			p[k] = lm_v3(0.1 + 1e-16 * test_random(&seed), 0.7 + 1e-15 * test_random(&seed), 1e-3 * test_random(&seed));
		int sign = lm_orient3(p[0], p[1], p[2], p[3]);
		assert_int_equal(lm_orient3(p[1], p[0], p[2], p[3]), -sign);
		assert_int_equal(lm_orient3(p[3], p[1], p[2], p[0]), -sign);
		assert_int_equal(lm_orient3(p[2], p[3], p[0], p[1]), sign);
		assert_int_equal(lm_orient3(p[1], p[2], p[0], p[3]), sign);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orient2_is_exact),
		cmocka_unit_test(orient3_is_exact),
		cmocka_unit_test(tiny_offsets_count),
		cmocka_unit_test(permutations_agree),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
