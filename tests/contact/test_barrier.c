// Distances, barrier and continuous collision detection: derivatives in every branch, and no missed collision.
#include "contact/barrier.h"
#include "contact/ccd.h"
#include "contact/gap.h"
#include "test.h"

typedef struct pose
{
	lm_vec3 x[4];
	int free;     // parameters that are inside
	int zeros[4]; // which of the four points have no say
} pose;

// Point against face, edge, corner; edges inside, end against inside, end against end, nearly parallel.
static const pose point_poses[] = {
	{ { { 0.2, 0.3, 0.05 }, { 0, 0, 0 }, { 1, 0.1, 0 }, { 0.1, 1, 0.2 } }, 2, { 0 } },
	{ { { 0.5, 0.01, 0.02 }, { 0, 0, 0 }, { 1, 0.1, 0 }, { 0.1, 1, 0.2 } }, 1, { 0, 0, 0, 1 } },
	{ { { -0.03, -0.04, 0.02 }, { 0, 0, 0 }, { 1, 0.1, 0 }, { 0.1, 1, 0.2 } }, 0, { 0, 0, 1, 1 } },
};
static const pose edge_poses[] = {
	{ { { -1, 0, 0.05 }, { 1, 0.1, 0.04 }, { 0, -1, 0 }, { 0.1, 1, 0.01 } }, 2, { 0 } },
	{ { { 0.04, 0, 0.03 }, { 1, 0.1, 0.2 }, { 0, -1, 0 }, { 0.02, 1, 0.01 } }, 1, { 0, 1, 0, 0 } },
	{ { { 0.04, 0, 0.03 }, { 1, 0.1, 0.2 }, { 0, 0.05, 0 }, { -0.5, 1, 0.01 } }, 0, { 0, 1, 0, 1 } },
	{ { { 0, 0, 0 }, { 1, 0, 0 }, { 0.2, 0.01, 0.05 }, { 1.3, 0.03, 0.05 } }, 1, { 0 } }, // fades
};

static lm_gap gap_of(lm_barrier_kind kind, const lm_vec3 x[4])
{
	return kind == LM_BARRIER_EDGE_EDGE ? lm_gap_edge_edge(x) : lm_gap_point_triangle(x);
}

static void check_gap(lm_barrier_kind kind, const pose* p)
{
	lm_gap gap = gap_of(kind, p->x);
	assert_int_equal(gap.free, p->free); // the case that is meant
	for (int i = 0; i < 4; ++i)
		assert_true((gap.c[i] == 0) == (p->zeros[i] != 0));
	double g[12], H[144];
	lm_gap_derivatives(&gap, p->x, g, H);
	const double step = 1e-6;
	for (int i = 0; i < 12; ++i)
	{
		lm_vec3 high[4], low[4];
		memcpy(high, p->x, sizeof high), memcpy(low, p->x, sizeof low);
		lm_vec3 move = lm_v3(i % 3 == 0 ? step : 0, i % 3 == 1 ? step : 0, i % 3 == 2 ? step : 0);
		high[i / 3] = lm_add(high[i / 3], move), low[i / 3] = lm_sub(low[i / 3], move);
		lm_gap up = gap_of(kind, high), down = gap_of(kind, low);
		assert_true(up.free == p->free && down.free == p->free);
		assert_near(g[i], (up.D - down.D) / (2 * step), 1e-8);
		double gu[12], gd[12];
		lm_gap_derivatives(&up, high, gu, NULL), lm_gap_derivatives(&down, low, gd, NULL);
		for (int j = 0; j < 12; ++j)
			assert_near(H[12 * i + j], (gu[j] - gd[j]) / (2 * step), 1e-5 / gap.D);
	}
}

static void gap_derivatives(void** state)
{
	(void)state;
	for (size_t i = 0; i < sizeof point_poses / sizeof point_poses[0]; ++i)
		check_gap(LM_BARRIER_POINT_TRIANGLE, &point_poses[i]);
	for (size_t i = 0; i < 3; ++i)
		check_gap(LM_BARRIER_EDGE_EDGE, &edge_poses[i]);
}

// Against sampling both primitives densely.
static void gap_is_shortest(void** state)
{
	(void)state;
	uint64_t seed = 11;
	for (int trial = 0; trial < 300; ++trial)
	{
		lm_vec3 x[4];
		for (int i = 0; i < 4; ++i)
			x[i] = lm_v3(test_random(&seed), test_random(&seed), (trial % 3 ? 1 : 1e-9) * test_random(&seed));
		double edges = INFINITY, point = INFINITY;
		for (int i = 0; i <= 60; ++i)
			for (int j = 0; j <= 60; ++j)
			{
				double s = i / 60.0, t = j / 60.0;
				edges = fmin(edges, lm_distance(lm_lerp(x[0], x[1], s), lm_lerp(x[2], x[3], t)));
				lm_vec3 q = lm_lerp(x[1], lm_lerp(x[2], x[3], s), t);
				point = fmin(point, lm_distance(x[0], q));
			}
		double e = lm_gap_edge_edge(x).D, p = lm_gap_point_triangle(x).D;
		assert_true(e <= edges + 1e-12 && e >= edges - 0.1);
		assert_true(p <= point + 1e-12 && p >= point - 0.1);
	}
}

static void barrier_values(void** state)
{
	(void)state;
	const double d = 0.1;
	assert_true(lm_barrier_value(0, d, NULL, NULL) == INFINITY);
	assert_true(lm_barrier_value(d, d, NULL, NULL) == 0 && lm_barrier_value(1, d, NULL, NULL) == 0);
	for (double D = 0.001; D < d; D *= 1.5)
	{
		double b1, b2, up1, down1, step = 1e-6 * D;
		assert_true(lm_barrier_value(D, d, &b1, &b2) > 0);
		double up = lm_barrier_value(D + step, d, &up1, NULL), down = lm_barrier_value(D - step, d, &down1, NULL);
		assert_true(b1 < 0 && b2 > 0);
		assert_near(b1, (up - down) / (2 * step), 1e-6 * fabs(b1) + 1e-9);
		assert_near(b2, (up1 - down1) / (2 * step), 1e-6 * b2 + 1e-6);
	}
}

static void check_pair(const lm_barrier_pair* pair, const lm_vec3 x[4])
{
	double g[12], H[144], most = 0;
	double energy = lm_barrier_energy(pair, x, g, H);
	assert_true(energy > 0);
	assert_near(lm_barrier_energy(pair, x, NULL, NULL), energy, 0);
	for (int i = 0; i < 144; ++i)
		most = fmax(most, fabs(H[i]));
	for (int i = 0; i < 12; ++i)
	{
		const double step = 1e-7;
		lm_vec3 high[4], low[4];
		memcpy(high, x, sizeof high), memcpy(low, x, sizeof low);
		lm_vec3 move = lm_v3(i % 3 == 0 ? step : 0, i % 3 == 1 ? step : 0, i % 3 == 2 ? step : 0);
		high[i / 3] = lm_add(high[i / 3], move), low[i / 3] = lm_sub(low[i / 3], move);
		double gu[12], gd[12];
		double up = lm_barrier_energy(pair, high, gu, NULL), down = lm_barrier_energy(pair, low, gd, NULL);
		assert_near(g[i], (up - down) / (2 * step), 1e-6 * (1 + fabs(g[i])));
		for (int j = 0; j < 12; ++j)
		{
			assert_near(H[12 * i + j], (gu[j] - gd[j]) / (2 * step), 1e-5 * most);
			assert_near(H[12 * i + j], H[12 * j + i], 1e-12 * most);
		}
	}
	for (int c = 0; c < 3; ++c) // no net force
		assert_near(g[c] + g[3 + c] + g[6 + c] + g[9 + c], 0, 1e-12 * (1 + fabs(g[c])));
}

static void barrier_derivatives(void** state)
{
	(void)state;
	lm_barrier_pair pair = { .kind = LM_BARRIER_POINT_TRIANGLE, .reach = 0.1 };
	for (size_t i = 0; i < sizeof point_poses / sizeof point_poses[0]; ++i)
		check_pair(&pair, point_poses[i].x);
	pair.kind = LM_BARRIER_EDGE_EDGE;
	for (size_t i = 0; i < sizeof edge_poses / sizeof edge_poses[0]; ++i)
	{
		const lm_vec3* x = edge_poses[i].x;
		pair.fade = lm_barrier_fade(lm_sub(x[1], x[0]), lm_sub(x[3], x[2]));
		check_pair(&pair, x);
	}
	// edges that fade are there: the test above means something
	const lm_vec3* x = edge_poses[3].x;
	lm_vec3 n = lm_cross(lm_sub(x[1], x[0]), lm_sub(x[3], x[2]));
	assert_true(lm_dot(n, n) < pair.fade);
}

static void touching_is_infinite(void** state)
{
	(void)state;
	const lm_vec3 point[4] = { { 0.25, 0.25, 0 }, { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
	const lm_vec3 edges[4] = { { -1, 0, 0 }, { 1, 0, 0 }, { 0, -1, 0 }, { 0, 1, 0 } };
	lm_barrier_pair pair = { .kind = LM_BARRIER_POINT_TRIANGLE, .reach = 0.1, .fade = 1e-3 };
	double g[12], H[144];
	assert_true(lm_barrier_energy(&pair, point, g, H) == INFINITY);
	pair.kind = LM_BARRIER_EDGE_EDGE;
	assert_true(lm_barrier_energy(&pair, edges, g, H) == INFINITY);
	for (int i = 0; i < 144; ++i)
		assert_true(isfinite(H[i]) && isfinite(g[i / 12]));
}

// ---- continuous collision detection -------------------------------------------------------------------------------

// The distance along the way stays above what is promised, at many times up to the answer, rounded positions included.
static void check_safe(lm_barrier_kind kind, const lm_vec3 x[4], const lm_vec3 way[4], double t)
{
	for (int i = 0; i <= 50; ++i)
	{
		lm_vec3 moved[4];
		for (int k = 0; k < 4; ++k)
			moved[k] = lm_add_scaled(x[k], t * i / 50, way[k]);
		double D = gap_of(kind, moved).D;
		if (!(D > 0))
			print_error("kind %d: touches at %g of %g\n", kind, i / 50.0, t);
		assert_true(D > 0);
	}
}

static void random_ways_are_safe(void** state)
{
	(void)state;
	uint64_t seed = 21;
	lm_ccd_settings settings = lm_ccd_settings_default();
	const double scales[] = { 1, 1e-8, 1e8 }, offsets[] = { 0, 1e3, 0 };
	int met = 0, total = 0;
	for (int trial = 0; trial < 6000; ++trial)
	{
		lm_vec3 x[4], way[4];
		double scale = scales[trial % 3], flat = trial % 4 == 1 ? 1e-7 : (trial % 4 == 2 ? 0 : 1);
		for (int i = 0; i < 4; ++i)
		{
			x[i] = lm_v3(test_random(&seed), test_random(&seed), flat * test_random(&seed));
			way[i] = lm_v3(2 * test_random(&seed), 2 * test_random(&seed), 2 * flat * test_random(&seed));
			x[i] = lm_add(lm_scale(scale, x[i]), lm_v3(offsets[trial % 3], 0, 0));
			way[i] = lm_scale(scale, way[i]);
		}
		for (int kind = 0; kind < 2; ++kind)
		{
			double t = lm_ccd((lm_barrier_kind)kind, x, way, 1, &settings);
			assert_true(t >= 0 && t <= 1);
			if (gap_of((lm_barrier_kind)kind, x).D > 0 && t > 0)
				check_safe((lm_barrier_kind)kind, x, way, t);
			met += t < 1, ++total;
		}
	}
	assert_true(met > total / 10 && met < total); // both cases are there
}

// A collision at a time that is known: the answer is below it, and not by much.
static void known_times(void** state)
{
	(void)state;
	lm_ccd_settings settings = lm_ccd_settings_default();
	settings.keep = 1e-3;
	const double scales[] = { 1e-6, 1, 1e6 };
	for (int i = 0; i < 3; ++i)
		for (double hit = 0.01; hit < 1; hit *= 3)
		{
			double s = scales[i];
			lm_vec3 point[4] = { { 0.2 * s, 0.2 * s, s }, { 0, 0, 0 }, { s, 0, 0 }, { 0, s, 0 } };
			lm_vec3 fall[4] = { { 0, 0, -s / hit }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } };
			double t = lm_ccd(LM_BARRIER_POINT_TRIANGLE, point, fall, 1, &settings);
			assert_true(t < hit && t > 0.99 * hit);
			lm_vec3 edges[4] = { { -s, 0, s }, { s, 0, s }, { 0, -s, 0 }, { 0, s, 0 } };
			lm_vec3 meet[4] = { { 0, 0, -s / hit }, { 0, 0, -s / hit }, { 0, 0, 0 }, { 0, 0, 0 } };
			t = lm_ccd(LM_BARRIER_EDGE_EDGE, edges, meet, 1, &settings);
			assert_true(t < hit && t > 0.99 * hit);
			lm_vec3 parallel[4] = { { -s, 0, s }, { s, 0, s }, { -s, 0, 0 }, { s, 0, 0 } };
			t = lm_ccd(LM_BARRIER_EDGE_EDGE, parallel, meet, 1, &settings);
			assert_true(t < hit && t > 0.99 * hit);
		}
}

// Moving together is free, and so is moving apart as far as the common part goes.
static void common_motion_is_free(void** state)
{
	(void)state;
	lm_ccd_settings settings = lm_ccd_settings_default();
	lm_vec3 x[4] = { { 0.2, 0.2, 1e-6 }, { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, way[4];
	for (int i = 0; i < 4; ++i)
		way[i] = lm_v3(3, -5, 2);
	assert_near(lm_ccd(LM_BARRIER_POINT_TRIANGLE, x, way, 1, &settings), 1, 0);
	assert_near(lm_ccd(LM_BARRIER_EDGE_EDGE, x, way, 0.5, &settings), 0.5, 0);
	x[0].z = 0;
	assert_near(lm_ccd(LM_BARRIER_POINT_TRIANGLE, x, way, 1, &settings), 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gap_derivatives),      cmocka_unit_test(gap_is_shortest),
		cmocka_unit_test(barrier_values),       cmocka_unit_test(barrier_derivatives),
		cmocka_unit_test(touching_is_infinite), cmocka_unit_test(random_ways_are_safe),
		cmocka_unit_test(known_times),          cmocka_unit_test(common_motion_is_free),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
