// Every kernel at every remainder of the count modulo the lanes of a vector: the same motion as the plain kernels make,
// whatever lies on the stack. The kernels of 16 lanes are compiled for plain machines and for AVX2 as well (tests/
// CMakeLists.txt), since few machines have AVX-512.
#include "shapes.h"

#include "match/body.h"

extern const lm_match_kernels lm_match_kernels_wide;
extern const lm_match_kernels lm_match_kernels_wide_avx2;

// All tables of kernels that this machine can run; returns how many.
static int list_kernels(const lm_match_kernels* kernels[5])
{
	int count = 0;
	for (lm_simd simd = LM_SIMD_PLAIN; simd <= lm_simd_best(); ++simd)
		kernels[count++] = lm_match_find_kernels(simd);
	kernels[count++] = &lm_match_kernels_wide;
#if defined(LM_X86)
	if (lm_simd_best() >= LM_SIMD_AVX2)
		kernels[count++] = &lm_match_kernels_wide_avx2;
#endif
	return count;
}

// A strip of tetrahedra along a helix: a body of any number of vertices, whose rings are runs.
static lm_mesh* strip_mesh(int32_t count)
{
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, count, 0, count - 3);
	assert_non_null(mesh);
	for (int32_t v = 0; v < count; ++v)
	{
		const double at[3] = { 0.1 * cos(2.1 * v), 0.06 * v, 0.1 * sin(2.1 * v) };
		memcpy(mesh->positions + 3 * (size_t)v, at, sizeof at);
	}
	for (int32_t t = 0; t < count - 3; ++t)
		for (int32_t c = 0; c < 4; ++c)
			mesh->tets[4 * t + c] = t + c;
	return mesh;
}

// Leaves what is no number where the next call has its stack.
static __attribute__((noinline)) void spoil_stack(void)
{
	volatile float waste[100000];
	for (size_t k = 0; k < sizeof waste / sizeof waste[0]; ++k)
		waste[k] = NAN;
}

typedef struct outcome
{
	double x[3 * 300];
	bool inverted;
	int64_t recovered;
} outcome;

static outcome simulate(const lm_match_def* def, bool by_runs, const lm_match_kernels* kernels)
{
	outcome result = { 0 };
	lm_host host = lm_host_default();
	lm_match* body = make_body(def, &host);
	assert_true(body->by_runs);
	if (!by_runs) // what it takes without is there always
		body->by_runs = false, body->wave_count = 0;
	body->kernels = kernels;
	for (int step = 0; step < 5; ++step)
	{
		spoil_stack();
		lm_match_step(body, 1.0 / 120, NULL, 0);
		result.inverted = result.inverted || body->pass.inverted;
	}
	lm_match_positions(body, result.x);
	result.recovered = body->report.recovered;
	lm_match_destroy(body);
	return result;
}

static void compare_kernels(const lm_match_def* def)
{
	const lm_match_kernels* kernels[5];
	int count = list_kernels(kernels);
	for (int by_runs = 0; by_runs < 2; ++by_runs)
	{
		outcome plain = simulate(def, by_runs, kernels[0]);
		assert_false(plain.inverted);
		for (int k = 1; k < count; ++k)
		{
			outcome other = simulate(def, by_runs, kernels[k]);
			assert_int_equal(other.inverted, plain.inverted);
			assert_int_equal(other.recovered, plain.recovered);
			for (int32_t i = 0; i < 3 * def->mesh->vertex_count; ++i)
				assert_near(other.x[i], plain.x[i], 1e-4 * 0.06 * def->mesh->vertex_count); // as test_reference.c
		}
	}
}

static void compare_examples(int32_t count)
{
	lm_mesh* mesh = strip_mesh(count);
	double *tall = stretched(mesh, 1.2), *twist = twisted(mesh, 0.5), *start = twisted(mesh, 0.1);
	for (int32_t i = 0; i < count; ++i)
		start[3 * i + 1] *= 1.05;
	const double *stretches[2] = { tall, start }, *poses[2] = { twist, tall };
	lm_match_def def = lm_match_def_default();
	def.settings.frequency = 10;
	def.mesh = mesh, def.start = start;
	compare_kernels(&def);
	for (def.example_count = 1; def.example_count <= 2; ++def.example_count)
		for (def.locality = LM_MATCH_GLOBAL; def.locality <= LM_MATCH_EACH; def.locality += 2)
		{
			def.examples = stretches, compare_kernels(&def);
			def.examples = poses, compare_kernels(&def);
		}
	free(tall), free(twist), free(start);
	lm_mesh_destroy(mesh);
}

static void test_every_remainder(void** state)
{
	(void)state;
	for (int32_t count = 16; count < 32; ++count)
		compare_examples(count);
	const int32_t two_chunks[] = { 1, 7, 8, 9, 15 };
	for (size_t k = 0; k < sizeof two_chunks / sizeof *two_chunks; ++k)
		compare_examples(LM_CHUNK + two_chunks[k]);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_every_remainder) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
