// The best rotations that the kernels find, against the polar decomposition in double precision; and the appendix.
#define LM_W 4
#include "shapes.h"

#include "match/kernel_rotation.h"
#include "math/quat.h"
#include "math/svd.h"

static lm_mat3 random_matrix(uint64_t* seed)
{
	lm_mat3 A;
	for (int i = 0; i < 9; ++i)
		A.m[i / 3][i % 3] = test_random(seed);
	return A;
}

static lm_mat3 random_rotation(uint64_t* seed)
{
	lm_quat q = { test_random(seed), test_random(seed), test_random(seed), test_random(seed) };
	return lm_quat_matrix(lm_quat_normalize(q));
}

static double trace_with(lm_mat3 R, lm_mat3 A)
{
	double sum = 0;
	for (int i = 0; i < 9; ++i)
		sum += R.m[i / 3][i % 3] * A.m[i / 3][i % 3];
	return sum;
}

// The rotation that the kernels find_rotation to from `start`, in some time steps.
static lm_mat3 climbed(lm_mat3 A, lm_quat start, int steps)
{
	mat_v wide;
	for (int i = 0; i < 9; ++i)
		wide.m[i / 3][i % 3] = all((float)A.m[i / 3][i % 3]);
	quat_v q = { all((float)start.w), all((float)start.x), all((float)start.y), all((float)start.z) };
	for (int k = 0; k < steps; ++k)
		find_rotation(&wide, LM_GOAL_TOLERANCE, &q);
	double norm = (double)(q.w[0] * q.w[0] + q.x[0] * q.x[0] + q.y[0] * q.y[0] + q.z[0] * q.z[0]);
	assert_near(norm, 1, 1e-5);
	return lm_quat_matrix(
		lm_quat_normalize((lm_quat){ (double)q.w[0], (double)q.x[0], (double)q.y[0], (double)q.z[0] }));
}

// What counts is tr(R^T A): where the best rotation is not unique any of them is good.
static void check_within(lm_mat3 A, lm_quat start, int steps, double tolerance)
{
	double best = trace_with(lm_polar3(A).R, A), size = sqrt(trace_with(A, A));
	assert_near(trace_with(climbed(A, start, steps), A), best, tolerance * size);
}

static void check(lm_mat3 A, lm_quat start)
{
	check_within(A, start, 4, 1e-5);
}

static void test_any_matrix_from_any_start(void** state)
{
	(void)state;
	uint64_t seed = 1;
	for (int k = 0; k < 3000; ++k)
	{
		lm_mat3 A = random_matrix(&seed); // half of them inverted
		check(A, lm_quat_identity());
		check(A, lm_quat_normalize((lm_quat){ test_random(&seed), test_random(&seed), test_random(&seed), 0.1 }));
	}
}

static void test_rank_two_one_and_zero(void** state)
{
	(void)state;
	uint64_t seed = 2;
	for (int k = 0; k < 1000; ++k)
	{
		lm_mat3 U = random_rotation(&seed), V = random_rotation(&seed), flat = { 0 }, line = { 0 };
		lm_add_outer(&flat, 1, lm_column(U, 0), lm_column(V, 0));
		lm_add_outer(&line, 1, lm_column(U, 0), lm_column(V, 0));
		lm_add_outer(&flat, 0.5 + 0.4 * test_random(&seed), lm_column(U, 1), lm_column(V, 1));
		check(flat, lm_quat_identity());
		check(line, lm_quat_identity());
	}
	lm_quat start = lm_quat_normalize((lm_quat){ 1, 2, 3, 4 });
	lm_mat3 kept = climbed((lm_mat3){ 0 }, start, 3), before = lm_quat_matrix(start);
	for (int i = 0; i < 9; ++i) // nothing to match: the rotation stays
		assert_near(kept.m[i / 3][i % 3], before.m[i / 3][i % 3], 1e-6);
}

// Cofactors of enormous matrices cannot be held: these are climbed without Newton's step, which takes longer and
// ends where single precision sees no gain.
static void test_enormous_matrices(void** state)
{
	(void)state;
	uint64_t seed = 5;
	for (int k = 0; k < 1000; ++k)
	{
		lm_mat3 A = random_matrix(&seed), line = { 0 }, U = random_rotation(&seed), V = random_rotation(&seed);
		double size = pow(10, 12 + k % 6);
		lm_add_outer(&line, size, lm_column(U, 0), lm_column(V, 0));
		for (int i = 0; i < 9; ++i)
			A.m[i / 3][i % 3] *= size, line.m[i / 3][i % 3] += test_random(&seed);
		check_within(A, lm_quat_identity(), 200, 1e-3);
		check_within(line, lm_quat_identity(), 200, 1e-3);
	}
}

// Exactly opposite starts are saddles of tr(R^T A).
static void test_leaves_saddles(void** state)
{
	(void)state;
	check(lm_identity(), (lm_quat){ 0, 1, 0, 0 });
	check(lm_identity(), (lm_quat){ 0, 0, 0, 1 });
	lm_mat3 stretch = { { { 3, 0, 0 }, { 0, 2, 0 }, { 0, 0, 1 } } };
	check(stretch, (lm_quat){ 0, 1, 0, 0 });
	check(stretch, (lm_quat){ 0, 0, 1, 0 });
	check((lm_mat3){ { { -1, 0, 0 }, { 0, -1, 0 }, { 0, 0, -1 } } }, lm_quat_identity());
}

// One step of Newton is exact for rigid motion, and leaves |w|^3 otherwise.
static void test_one_step_is_nearly_enough(void** state)
{
	(void)state;
	uint64_t seed = 3;
	for (int k = 0; k < 300; ++k)
	{
		lm_quat turn =
			lm_quat_exp(lm_v3(0.05 * test_random(&seed), 0.05 * test_random(&seed), 0.05 * test_random(&seed)));
		lm_mat3 S = { { { 1.2, 0.1, 0 }, { 0.1, 0.9, -0.05 }, { 0, -0.05, 1 } } };
		lm_mat3 A = lm_mul(lm_quat_matrix(turn), S), R = climbed(A, lm_quat_identity(), 1);
		for (int i = 0; i < 9; ++i)
			assert_near(R.m[i / 3][i % 3], lm_quat_matrix(turn).m[i / 3][i % 3], 3e-5);
	}
}

// Appendix: the moment matrix of an affine map is that map; so its descriptor is the right stretch of the map, in every
// region, and example descriptors of it are met with weight 1.
static void test_appendix_moment_matrix_of_an_affine_map(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = grid_mesh(&host, 2, 3, 2, 0.3, 0.2, 0.25);
	uint64_t seed = 4;
	lm_mat3 A = random_matrix(&seed);
	for (int i = 0; i < 3; ++i)
		A.m[i][i] += 1.5;
	double* pose = malloc((size_t)mesh->vertex_count * 24);
	for (int v = 0; v < mesh->vertex_count; ++v)
		lm_v3_store(pose, v, lm_add(lm_mul_v(A, lm_v3_at(mesh->positions, v)), lm_v3(1, 2, 3)));
	lm_match_def def = lm_match_def_default();
	def.mesh = mesh;
	lm_match* body = make_body(&def, &host);
	double* inner = malloc((size_t)mesh->vertex_count * 24);
	for (int i = 0; i < body->count; ++i)
		lm_v3_store(inner, i, lm_v3_at(pose, body->to_user[i]));
	lm_mat3 S = lm_polar3(A).S;
	for (int r = 0; r < body->count; ++r)
	{
		lm_match_rest_region rest = lm_match_measure_region(body, r);
		lm_mat3 found = lm_match_measure_stretch(body, r, &rest, inner);
		for (int i = 0; i < 9; ++i)
			assert_near(found.m[i / 3][i % 3], S.m[i / 3][i % 3], 1e-10);
	}
	lm_match_destroy(body);
	free(pose);
	free(inner);
	lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_matrix_from_any_start),
		cmocka_unit_test(test_rank_two_one_and_zero),
		cmocka_unit_test(test_enormous_matrices),
		cmocka_unit_test(test_leaves_saddles),
		cmocka_unit_test(test_one_step_is_nearly_enough),
		cmocka_unit_test(test_appendix_moment_matrix_of_an_affine_map),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
