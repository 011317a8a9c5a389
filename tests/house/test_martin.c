// The method of Martin et al. that `match` is compared with does what it should: it rests, falls, prefers its example,
// and twists when it hangs. `--write FILE.msh` keeps the twisted cuboid, for the picture in docs/match.md.
#include "test.h"

#include "../../bench/match_martin.h"
#include "../../bench/scenes.h"
#include "../bodies.h"

static const char* written;

static martin_def block_def(lm_mesh* mesh, double* example)
{
	for (int32_t i = 0; i < 3 * mesh->vertex_count; ++i)
		example[i] = mesh->positions[i] * (i % 3 == 1 ? 1.3 : 1);
	return (martin_def){ .mesh = mesh, .example = example, .young = 2e4, .rest = 0.05, .density = 1000 };
}

static void rests_and_falls(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = test_block(&host, 2, 3, 2, 0.1);
	double* example = malloc(3 * (size_t)mesh->vertex_count * sizeof *example);
	martin_def def = block_def(mesh, example);
	for (int falls = 0; falls < 2; ++falls)
	{
		def.gravity[1] = -9.81 * falls;
		martin* body = martin_create(&def);
		for (int step = 0; step < 10; ++step)
			martin_step(body, 0.01);
		for (int32_t i = 0; i < 3 * mesh->vertex_count; ++i)
			assert_near(martin_positions(body)[i], mesh->positions[i] - falls * (i % 3 == 1) * 9.81 * 1e-4 * 55, 1e-6);
		assert_near(martin_weight(body), 0, 1e-3);
		martin_destroy(body);
	}
	free(example);
	lm_mesh_destroy(mesh);
}

// A pull that lengthens the block as its example does makes the weight grow, and it is longer than without.
static void prefers_its_example(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = test_block(&host, 2, 3, 2, 0.1);
	double *example = malloc(3 * (size_t)mesh->vertex_count * sizeof *example), length[2], weight[2];
	martin_def def = block_def(mesh, example);
	def.gravity[1] = -9.81, def.drag = 2;
	for (int k = 0; k < 2; ++k)
	{
		def.rest = k == 0 ? 1 : 0.3;
		martin* body = martin_create(&def);
		for (int32_t i = 0; i < mesh->vertex_count; ++i)
			if (mesh->positions[3 * i + 1] > 0.299)
				martin_pin(body, i);
		for (int step = 0; step < 60; ++step)
			martin_step(body, 1.0 / 60);
		double low[3], high[3];
		lm_mesh_bounds(martin_positions(body), mesh->vertex_count, low, high);
		length[k] = high[1] - low[1], weight[k] = martin_weight(body);
		assert_true(martin_solves(body) < 60 * 60); // Newton's method converges
		martin_destroy(body);
	}
	assert_true(length[0] > 0.305 && length[1] > length[0] + 0.3 * (length[0] - 0.3));
	assert_true(weight[1] > 0.05 && weight[1] <= 1);
	free(example);
	lm_mesh_destroy(mesh);
}

// Fig. 10: no torque acts on it.
static void hangs_and_twists(void** state)
{
	(void)state;
	lm_error error;
	lm_host host = lm_host_default();
	lm_scene* scene = bench_read_scene("match/twist.json", &error);
	if (scene == NULL)
		fail_msg("%s", error.message);
	lm_world* world = NULL;
	assert_int_equal(lm_world_create(scene, &host, &world, &error), LM_OK);
	martin* body = match_martin_create(scene, lm_world_match(world, 0));
	int steps = written != NULL ? 180 : 30;
	for (int step = 0; step < steps; ++step)
		martin_step(body, 1.0 / 60);
	lm_mesh* mesh = scene->objects[0].mesh;
	double cross = 0, dot = 0, lowest = 0;
	for (int32_t i = 0; i < mesh->vertex_count; ++i)
	{
		const double *X = mesh->positions + 3 * i, *x = martin_positions(body) + 3 * i;
		lowest = fmin(lowest, x[1]);
		if (X[1] < -0.499)
			cross += X[0] * x[2] - X[2] * x[0], dot += X[0] * x[0] + X[2] * x[2];
	}
	print_message("weight %.3f, length %.3f, the end has turned by %.1f degrees, %.1f linear systems per step\n",
	              martin_weight(body), 0.5 - lowest, fabs(atan2(cross, dot)) * 57.29577951308232,
	              (double)martin_solves(body) / steps);
	assert_true(martin_weight(body) > 0.1 && fabs(atan2(cross, dot)) > 0.3);
	if (written != NULL)
	{
		lm_mesh* pose = lm_mesh_copy(mesh, &host);
		memcpy(pose->positions, martin_positions(body), 3 * (size_t)mesh->vertex_count * sizeof(double));
		assert_int_equal(lm_mesh_write(written, pose, NULL, &error), LM_OK);
		lm_mesh_destroy(pose);
	}
	martin_destroy(body);
	lm_world_destroy(world);
	lm_scene_destroy(scene);
}

int main(int argc, char** argv)
{
	written = argc > 2 && strcmp(argv[1], "--write") == 0 ? argv[2] : NULL;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rests_and_falls),
		cmocka_unit_test(prefers_its_example),
		cmocka_unit_test(hangs_and_twists),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
