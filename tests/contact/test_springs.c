// The contact law "springs": its derivatives against finite differences in every branch, the cone, rest and anchors.
#include "test.h"

#include "contact/springs.h"

static lm_vec3 random3(uint64_t* seed, double size)
{
	double x = size * test_random(seed), y = size * test_random(seed), z = size * test_random(seed);
	return lm_v3(x, y, z);
}

static lm_vec3 shifted(lm_vec3 p, int axis, double by)
{
	return lm_v3(p.x + (axis == 0 ? by : 0), p.y + (axis == 1 ? by : 0), p.z + (axis == 2 ? by : 0));
}

static double component(lm_vec3 a, int k)
{
	return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

static lm_feature feature_of(lm_feature_kind kind, double radius, double core)
{
	lm_vec3 axis = lm_normalize_or(lm_v3(0.3, 1, -0.2), lm_v3(0, 1, 0));
	return (lm_feature){
		.kind = kind, .radius = radius, .core = core, .origin = { 0.1, -0.2, 0.05 }, .axis = axis, .collider = -1
	};
}

// A point at the distance d of the feature, somewhere around it.
static lm_vec3 point_at(const lm_feature* feature, double d, uint64_t* seed)
{
	lm_vec3 p = lm_add(feature->origin, random3(seed, 0.3));
	lm_vec3 n = lm_feature_normal(feature, p);
	for (int i = 0; i < 8; ++i)
		p = lm_add_scaled(p, d - lm_feature_distance(feature, p, NULL, NULL), n);
	return p;
}

static void the_normal_force_is_smooth_and_one_sided(void** state)
{
	(void)state;
	double k = 2000, s = 0.005, h = 1e-8;
	for (double d = -0.02; d < 0.012; d += 1.7e-4)
	{
		double first, second, before, after;
		double N = lm_spring_normal(k, s, d, &first, &second);
		double below = lm_spring_normal(k, s, d - h, &before, NULL),
			   above = lm_spring_normal(k, s, d + h, &after, NULL);
		assert_true(N >= 0 && first <= 0 && second >= 0);
		assert_near(first, (above - below) / (2 * h), 1e-6 * k);
		assert_near(second, (after - before) / (2 * h), 1e-5 * k / s);
	}
	// N, N' and N'' have no jumps where the pieces meet
	for (int i = 0; i < 2; ++i)
	{
		double at = i == 0 ? 0 : s, a1, a2, b1, b2;
		double a = lm_spring_normal(k, s, at - 1e-12, &a1, &a2), b = lm_spring_normal(k, s, at + 1e-12, &b1, &b2);
		assert_near(a, b, 1e-8);
		assert_near(a1, b1, 1e-5 * k);
		assert_near(a2, b2, 1e-5 * k / s);
	}
	assert_true(lm_spring_normal(k, s, s, NULL, NULL) == 0);
	assert_near(lm_spring_normal(k, s, -1, NULL, NULL), k * (1 + s / 2), 1e-9);
}

static void a_load_rests_where_the_law_says(void** state)
{
	(void)state;
	for (double load = 0; load < 50; load += 0.37)
	{
		double d = lm_spring_rest(2000, 0.005, load);
		assert_near(lm_spring_normal(2000, 0.005, d, NULL, NULL), load, 1e-9);
		assert_true(d <= 0.005);
	}
	assert_near(lm_spring_rest(2000, 0.005, 5), 0, 1e-15); // k s / 2 rests on the surface
}

static void features_have_three_derivatives(void** state)
{
	(void)state;
	uint64_t seed = 1;
	double h = 1e-6;
	for (int trial = 0; trial < 200; ++trial)
	{
		lm_feature_kind kind = (lm_feature_kind)(trial % 3);
		// every second one is nearly on the axis, where the core counts
		double core = trial % 2 == 0 ? 1e-3 : 0.1;
		lm_feature feature = feature_of(kind, 0.07 * (trial % 5), core);
		lm_vec3 p = lm_add(feature.origin, random3(&seed, trial % 2 == 0 ? 0.3 : 0.05)), n, lambda = random3(&seed, 1);
		lm_mat3 H, T = lm_feature_third(&feature, p, lambda);
		lm_feature_distance(&feature, p, &n, &H);
		for (int j = 0; j < 3; ++j)
		{
			lm_vec3 before, after;
			lm_mat3 H0, H1;
			double d0 = lm_feature_distance(&feature, shifted(p, j, -h), &before, &H0);
			double d1 = lm_feature_distance(&feature, shifted(p, j, h), &after, &H1);
			assert_near(component(n, j), (d1 - d0) / (2 * h), 1e-8);
			lm_vec3 l0 = lm_mul_v(H0, lambda), l1 = lm_mul_v(H1, lambda);
			for (int i = 0; i < 3; ++i)
			{
				double scale = 1 + fabs(H.m[i][j]), cube = 1 + fabs(T.m[i][j]);
				assert_near(H.m[i][j], (component(after, i) - component(before, i)) / (2 * h), 1e-5 * scale);
				assert_near(T.m[i][j], (component(l1, i) - component(l0, i)) / (2 * h), 1e-4 * cube);
			}
		}
	}
}

static lm_spring spring_of(lm_feature feature, lm_vec3 p, lm_vec3 anchor)
{
	return (lm_spring){ .feature = feature,
		                .normal = lm_feature_normal(&feature, p),
		                .anchor = anchor,
		                .stiffness = 2000,
		                .smoothing = 0.005,
		                .friction = 0.8,
		                .slack = 0.001 };
}

// |numbers - formulas| relative to the size of the whole matrix.
static void check_jacobian(const lm_spring* spring, lm_vec3 p, lm_vec3 lambda)
{
	lm_spring_force at, below, above;
	lm_spring_evaluate(spring, p, &at);
	lm_mat3 S = lm_spring_second(spring, p, lambda), J = at.A;
	lm_add_outer(&J, 1, at.U, at.V);
	double h = 1e-8, size = 1e-9, second = 1e-9;
	for (int i = 0; i < 9; ++i)
		size = fmax(size, fabs(J.m[i / 3][i % 3])), second = fmax(second, fabs(S.m[i / 3][i % 3]));
	for (int j = 0; j < 3; ++j)
	{
		lm_spring_evaluate(spring, shifted(p, j, -h), &below);
		lm_spring_evaluate(spring, shifted(p, j, h), &above);
		lm_mat3 J0 = below.A, J1 = above.A;
		lm_add_outer(&J0, 1, below.U, below.V);
		lm_add_outer(&J1, 1, above.U, above.V);
		// d(lambda . f)/dp = -J^T lambda
		lm_vec3 g0 = lm_scale(-1, lm_tmul_v(J0, lambda)), g1 = lm_scale(-1, lm_tmul_v(J1, lambda));
		for (int i = 0; i < 3; ++i)
		{
			assert_near(J.m[i][j], (component(below.f, i) - component(above.f, i)) / (2 * h), 2e-5 * size);
			assert_near(S.m[i][j], (component(g1, i) - component(g0, i)) / (2 * h), 1e-4 * second);
			assert_true(at.A.m[i][j] == at.A.m[j][i] || fabs(at.A.m[i][j] - at.A.m[j][i]) < 1e-12 * size);
			assert_near(S.m[i][j], S.m[j][i], 1e-12 * second);
		}
	}
}

static void forces_have_exact_derivatives(void** state)
{
	(void)state;
	uint64_t seed = 5;
	static const double distances[] = { -0.03, -0.002, -1e-4, 1e-4, 0.0013, 0.0025, 0.0041, 0.0048 };
	static const double stretches[] = { 0, 1e-4, 1e-3, 0.008, 0.3 };
	for (int kind = 0; kind < 3; ++kind)
		for (size_t i = 0; i < sizeof distances / sizeof *distances; ++i)
			for (size_t k = 0; k < sizeof stretches / sizeof *stretches; ++k)
			{
				lm_feature feature = feature_of((lm_feature_kind)kind, 0.1, 1e-4);
				lm_vec3 p = point_at(&feature, distances[i], &seed);
				lm_vec3 anchor = lm_add(p, random3(&seed, stretches[k]));
				lm_spring spring = spring_of(feature, p, anchor);
				// the frozen normal is not the one here
				spring.normal = lm_normalize_or(lm_add(spring.normal, random3(&seed, 0.2)), spring.normal);
				check_jacobian(&spring, p, random3(&seed, 1));
			}
}

static void mesh_edges_without_radius_have_derivatives_near_the_edge(void** state)
{
	(void)state;
	uint64_t seed = 11;
	for (int i = 0; i < 40; ++i)
	{
		lm_feature feature = feature_of(i % 2 == 0 ? LM_FEATURE_POINT : LM_FEATURE_LINE, 0, 1e-4);
		lm_vec3 p = lm_add(feature.origin, random3(&seed, 3e-4));
		lm_spring spring = spring_of(feature, p, lm_add(p, random3(&seed, 0.002)));
		check_jacobian(&spring, p, random3(&seed, 1));
	}
}

static void friction_stays_in_the_cone_and_vanishes_without_touch(void** state)
{
	(void)state;
	uint64_t seed = 7;
	for (int trial = 0; trial < 300; ++trial)
	{
		lm_feature feature = feature_of((lm_feature_kind)(trial % 3), 0.1, 1e-4);
		lm_vec3 p = point_at(&feature, 0.02 * test_random(&seed), &seed);
		lm_spring spring = spring_of(feature, p, lm_add(p, random3(&seed, pow(10, 4 * test_random(&seed)))));
		lm_spring_force force;
		lm_spring_evaluate(&spring, p, &force);
		assert_true(force.normal >= 0);
		assert_true(lm_length(force.friction) <= 0.8 * force.normal);
		if (force.distance >= spring.smoothing)
			assert_true(lm_length(force.f) == 0 && lm_length(force.U) == 0 && force.A.m[0][0] == 0);
		else if (force.normal > 1e-9) // against the stretch, never along it
			assert_true(lm_dot(force.friction, lm_sub(p, spring.anchor)) <= 0);
	}
}

static void planes_make_semidefinite_matrices(void** state)
{
	(void)state;
	uint64_t seed = 9;
	for (int trial = 0; trial < 100; ++trial)
	{
		lm_feature feature = feature_of(LM_FEATURE_PLANE, 0, 0);
		lm_vec3 p = point_at(&feature, 0.004 * test_random(&seed), &seed);
		lm_spring spring = spring_of(feature, p, lm_add(p, random3(&seed, 0.01)));
		lm_spring_force force;
		lm_spring_evaluate(&spring, p, &force);
		for (int i = 0; i < 20; ++i)
		{
			lm_vec3 v = random3(&seed, 1);
			assert_true(lm_dot(v, lm_mul_v(force.A, v)) >= -1e-9);
		}
	}
}

static void anchors_follow_at_the_limit(void** state)
{
	(void)state;
	lm_feature feature = { .kind = LM_FEATURE_PLANE, .axis = { 0, 1, 0 } };
	lm_spring spring = spring_of(feature, lm_v3(0, 0, 0), lm_v3(0, 0.3, 0));
	lm_vec3 near = lm_spring_slide(&spring, lm_v3(0.003, -0.001, 0)); // within four slacks: stays, but at our height
	assert_near(near.x, 0, 1e-15);
	assert_near(near.y, -0.001, 1e-15);
	lm_vec3 far = lm_spring_slide(&spring, lm_v3(0.3, -0.001, 0.4));
	assert_near(lm_distance(far, lm_v3(0.3, -0.001, 0.4)), 0.004, 1e-12);
	assert_near(far.x / far.z, 0.75, 1e-9);
	spring.anchor = far;
	lm_spring_force force;
	lm_spring_evaluate(&spring, lm_v3(0.3, -0.001, 0.4), &force);
	assert_near(lm_length(force.friction) / (0.8 * force.normal), 4 / sqrt(17), 1e-9);
}

static void enormous_input_stays_finite(void** state)
{
	(void)state;
	static const double sizes[] = { 0, 1e-300, 1e-30, 1e9, 1e30 };
	for (int kind = 0; kind < 3; ++kind)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
			for (size_t j = 0; j < sizeof sizes / sizeof *sizes; ++j)
			{
				lm_feature feature = feature_of((lm_feature_kind)kind, sizes[j], 1e-4);
				lm_vec3 p = lm_add(feature.origin, lm_v3(sizes[i], -sizes[i], 0.5 * sizes[i]));
				lm_spring spring = spring_of(feature, p, lm_v3(sizes[j], 0, -sizes[j]));
				lm_spring_force force;
				lm_spring_evaluate(&spring, p, &force);
				lm_mat3 S = lm_spring_second(&spring, p, lm_v3(1, 1e9, -1));
				assert_true(lm_finite(force.f) && lm_finite(force.U) && lm_finite(force.V));
				assert_true(lm_finite(spring.normal) && lm_finite(lm_spring_slide(&spring, p)));
				for (int k = 0; k < 9; ++k)
					assert_true(isfinite(force.A.m[k / 3][k % 3]) && isfinite(S.m[k / 3][k % 3]));
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_normal_force_is_smooth_and_one_sided),
		cmocka_unit_test(a_load_rests_where_the_law_says),
		cmocka_unit_test(features_have_three_derivatives),
		cmocka_unit_test(forces_have_exact_derivatives),
		cmocka_unit_test(mesh_edges_without_radius_have_derivatives_near_the_edge),
		cmocka_unit_test(friction_stays_in_the_cone_and_vanishes_without_touch),
		cmocka_unit_test(planes_make_semidefinite_matrices),
		cmocka_unit_test(anchors_follow_at_the_limit),
		cmocka_unit_test(enormous_input_stays_finite),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
