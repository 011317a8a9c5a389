// Poses: the energy and its derivatives, and what handles do.
#include "test.h"

#include "design/pose.h"
#include "design/shapes.h"
#include "math/quat.h"

static lm_host host;
static lm_mesh* mesh;
static lm_design_model* model;

static int set_up(void** state)
{
	(void)state;
	host = lm_host_default();
	mesh = test_bar(&host);
	lm_design_model_def def = lm_design_model_def_default();
	def.surface = mesh, def.nodes = 24, def.voxels = 4000;
	return lm_design_model_create(&def, &host, &model, NULL) != LM_OK;
}

static int tear_down(void** state)
{
	(void)state;
	lm_design_model_destroy(model);
	lm_mesh_destroy(mesh);
	return 0;
}

static lm_design_pose* make_pose(double volume)
{
	lm_design_pose_settings settings = lm_design_pose_settings_default();
	lm_design_pose* pose = NULL;
	settings.volume = volume;
	assert_int_equal(lm_design_pose_create(model, &settings, &host, &pose, NULL), LM_OK);
	return pose;
}

// The vertices at the bottom (0) and at the top (1) of the bar.
typedef struct ends
{
	int32_t count[2], vertices[2][25];
	double targets[2][75];
	lm_design_pose_handle handles[2];
} ends;

static void find_ends(ends* e)
{
	memset(e, 0, sizeof *e);
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		double y = mesh->positions[3 * v + 1];
		int end = y < 1e-9 ? 0 : y > 1.2 - 1e-9 ? 1 : -1;
		if (end < 0)
			continue;
		memcpy(e->targets[end] + 3 * e->count[end], mesh->positions + 3 * v, 3 * sizeof(double));
		e->vertices[end][e->count[end]++] = v;
	}
	for (int end = 0; end < 2; ++end)
		e->handles[end] = (lm_design_pose_handle){
			.count = e->count[end], .vertices = e->vertices[end], .targets = e->targets[end], .weight = 1
		};
}

static double bar_volume(const lm_design_pose* pose)
{
	size_t count = 3 * (size_t)mesh->vertex_count;
	double *x = malloc(count * sizeof(double)), volume = 0;
	lm_design_surface(model, lm_design_pose_nodes(pose), 1, x, NULL);
	for (int32_t t = 0; t < mesh->triangle_count; ++t)
	{
		const int32_t* c = mesh->triangles + 3 * t;
		volume += lm_dot(lm_v3_at(x, c[0]), lm_cross(lm_v3_at(x, c[1]), lm_v3_at(x, c[2]))) / 6;
	}
	free(x);
	return volume;
}

static void wiggle(double* y, double amount, uint64_t seed)
{
	for (int32_t i = 0; i < 3 * model->node_count; ++i)
		y[i] = model->nodes[i] + amount * test_random(&seed);
}

// Slightly bent, badly squeezed, and inside out: all branches of the barrier.
static void forces_are_the_slope_of_the_energy(void** state)
{
	(void)state;
	const double amounts[3] = { 0.02, 0.1, 0.4 };
	double y[72], g[72] = { 0 }, least = 1;
	lm_design_stiffness s = { 1, 10 };
	for (int round = 0; round < 3; ++round)
	{
		wiggle(y, amounts[round], 5);
		memset(g, 0, sizeof g);
		double energy = lm_design_elastic(model, s, y, 0.7, g), size = 0;
		least = fmin(least, lm_design_least_volume(model, y));
		assert_true(energy > 0);
		for (int i = 0; i < 72; ++i)
			size = fmax(size, fabs(g[i]));
		for (int i = 0; i < 72; ++i)
		{
			double kept = y[i], e = 1e-6;
			y[i] = kept + e;
			double high = lm_design_elastic(model, s, y, 0.7, NULL);
			y[i] = kept - e;
			double low = lm_design_elastic(model, s, y, 0.7, NULL);
			y[i] = kept;
			assert_near(g[i], (high - low) / (2 * e), 1e-7 * size);
		}
	}
	assert_true(least < 0);
}

static void stiffness_is_the_slope_of_the_forces(void** state)
{
	(void)state;
	const double amounts[3] = { 0.02, 0.1, 0.4 };
	static double y[72], low[72], high[72];
	lm_design_stiffness s = { 1, 10 };
	lm_design_band band = { 0 };
	for (int round = 0; round < 3; ++round)
	{
		wiggle(y, amounts[round], 6);
		assert_true(lm_design_band_resize(&band, &host, 72, 0, 1));
		const double* H = lm_design_band_panel(&band, 0);
		lm_design_elastic_hessian(model, s, y, 1, false, &band, 0);
		double size = 0;
		for (int i = 0; i < 72 * 72; ++i)
			size = fmax(size, fabs(H[i]));
		for (int j = 0; j < 72; ++j)
		{
			double kept = y[j], e = 1e-6;
			memset(low, 0, sizeof low), memset(high, 0, sizeof high);
			y[j] = kept + e;
			lm_design_elastic(model, s, y, 1, high);
			y[j] = kept - e;
			lm_design_elastic(model, s, y, 1, low);
			y[j] = kept;
			for (int i = j; i < 72; ++i)
				assert_near(H[72 * j + i], (high[i] - low[i]) / (2 * e), 1e-6 * size);
		}
	}
	lm_design_band_release(&band);
}

static void stiffness_in_floats_is_the_same(void** state)
{
	(void)state;
	static double y[72];
	static float blocks[LM_ELASTIC_BLOCK * 24 * 25 / 2];
	lm_design_stiffness s = { 1, 10 };
	lm_design_band band = { 0 };
	for (int positive = 0; positive < 2; ++positive)
	{
		wiggle(y, 0.2, 3);
		assert_true(lm_design_band_resize(&band, &host, 72, 0, 1));
		lm_design_elastic_hessian(model, s, y, 1, positive, &band, 0);
		lm_design_elastic_blocks(model, s, y, positive, blocks);
		const double* H = lm_design_band_panel(&band, 0);
		double size = 0;
		for (int i = 0; i < 72 * 72; ++i)
			size = fmax(size, fabs(H[i]));
		for (int b = 0; b < 24; ++b)
			for (int a = b; a < 24; ++a)
				for (int j = 0; j < 3; ++j)
					for (int i = 0; i < 3; ++i)
						assert_near(blocks[LM_ELASTIC_BLOCK * lm_design_block(24, b, a) + 4 * j + i],
						            H[72 * (3 * b + j) + 3 * a + i], 3e-6 * size);
	}
	lm_design_band_release(&band);
}

// v^T H v >= 0 with what may be negative left out, also where the whole is not.
static void the_positive_part_is_positive(void** state)
{
	(void)state;
	static double y[72];
	lm_design_stiffness s = { 1, 10 };
	lm_design_band band = { 0 };
	int negative = 0;
	for (uint64_t round = 0; round < 6; ++round)
	{
		wiggle(y, 0.15, round);
		assert_true(lm_design_band_resize(&band, &host, 72, 0, 1));
		lm_design_elastic_hessian(model, s, y, 1, true, &band, 0);
		assert_true(lm_design_band_factorize(&band, 1e-9));
		lm_design_band_clear(&band);
		lm_design_elastic_hessian(model, s, y, 1, false, &band, 0);
		negative += !lm_design_band_factorize(&band, 1e-9);
	}
	assert_true(negative > 0);
	lm_design_band_release(&band);
}

static void rigid_motions_cost_nothing(void** state)
{
	(void)state;
	lm_quat q = lm_quat_axis_angle(lm_v3(1, -2, 0.5), 2);
	double y[72], g[72] = { 0 };
	for (int i = 0; i < 24; ++i)
		lm_v3_store(y, i, lm_add(lm_v3(2, 1, 0), lm_quat_rotate(q, lm_v3_at(model->nodes, i))));
	assert_near(lm_design_elastic(model, (lm_design_stiffness){ 1, 10 }, y, 1, g), 0, 1e-20);
	for (int i = 0; i < 72; ++i)
		assert_near(g[i], 0, 1e-9);
}

// Handles that ask for a rigid motion get exactly that.
static void rigid_handles_move_rigidly(void** state)
{
	(void)state;
	lm_design_pose* pose = make_pose(10);
	ends e;
	find_ends(&e);
	lm_quat q = lm_quat_axis_angle(lm_v3(0, 1, 1), 0.8);
	for (int end = 0; end < 2; ++end)
		for (int k = 0; k < e.count[end]; ++k)
			lm_v3_store(e.targets[end], k, lm_add(lm_v3(1, 0, 0), lm_quat_rotate(q, lm_v3_at(e.targets[end], k))));
	assert_int_equal(lm_design_pose_set_handles(pose, e.handles, 2, NULL), LM_OK);
	for (int round = 0; round < 3; ++round) // the anchor holds it back a little
		lm_design_pose_solve(pose);
	double rest[72];
	lm_design_model_nodes(model, rest);
	for (int i = 0; i < 24; ++i)
	{
		lm_vec3 wanted = lm_add(lm_v3(1, 0, 0), lm_quat_rotate(q, lm_v3_at(rest, i)));
		assert_near(lm_distance(lm_v3_at(lm_design_pose_nodes(pose), i), wanted), 0, 1e-5);
	}
	lm_design_pose_destroy(pose);
}

// Fig. 5: pulled to twice its length, a bar keeps its volume only when asked to.
static void volume_is_kept_when_asked(void** state)
{
	(void)state;
	ends e;
	find_ends(&e);
	for (int k = 0; k < e.count[1]; ++k)
		e.targets[1][3 * k + 1] += 0.8;
	double change[2];
	for (int with = 0; with < 2; ++with)
	{
		lm_design_pose* pose = make_pose(with ? 100 : 0);
		double rest = bar_volume(pose);
		assert_int_equal(lm_design_pose_set_handles(pose, e.handles, 2, NULL), LM_OK);
		lm_design_pose_report report = lm_design_pose_solve(pose);
		assert_true(report.converged);
		assert_true(report.handle_error < 0.1);
		change[with] = bar_volume(pose) / rest - 1;
		lm_design_pose_destroy(pose);
	}
	assert_true(change[0] > 0.2);
	assert_true(fabs(change[1]) < 0.03);
}

static void check_sound(const lm_design_pose* pose)
{
	for (int i = 0; i < 72; ++i)
		assert_true(isfinite(lm_design_pose_nodes(pose)[i]));
}

// Energy never rises from step to step, whatever the handles ask.
static void hard_pulls_end_well(void** state)
{
	(void)state;
	lm_design_pose* pose = make_pose(10);
	for (int hard = 0; hard < 5; ++hard)
	{
		ends e;
		find_ends(&e);
		for (int k = 0; k < e.count[1]; ++k)
		{
			double* t = e.targets[1] + 3 * k;
			if (hard == 0)
				t[0] += 12; // ten body lengths
			if (hard == 1)
				t[0] = 0.4 - t[0], t[2] = 0.4 - t[2]; // turned by 180 degrees about its axis
			if (hard == 2)
				t[1] = 1.2 - t[1], t[0] = 0.4 - t[0]; // upside down, into the other end
			if (hard == 3)
				t[0] = t[1] = t[2] = 0; // onto one point
			if (hard == 4)
				t[0] = 1e30, t[1] = -1e25;
		}
		assert_int_equal(lm_design_pose_set_handles(pose, e.handles, 2, NULL), LM_OK);
		lm_design_pose_set_nodes(pose, NULL);
		double before = INFINITY;
		for (int step = 0; step < 60; ++step)
		{
			lm_design_pose_report report = lm_design_pose_step(pose);
			assert_true(report.energy <= before * (1 + 1e-9));
			before = report.energy;
			check_sound(pose);
		}
		lm_design_pose_report report = lm_design_pose_solve(pose);
		assert_true(report.iterations <= 200);
		check_sound(pose);
	}
	lm_design_pose_destroy(pose);
}

// One step per event follows a drag closely.
static void a_drag_is_followed(void** state)
{
	(void)state;
	lm_design_pose* pose = make_pose(10);
	ends e;
	find_ends(&e);
	assert_int_equal(lm_design_pose_set_handles(pose, e.handles, 2, NULL), LM_OK);
	for (int event = 0; event < 50; ++event)
	{
		for (int k = 0; k < e.count[1]; ++k)
			e.targets[1][3 * k] += 0.012;
		assert_int_equal(lm_design_pose_move_handle(pose, 1, e.targets[1], NULL), LM_OK);
		assert_int_equal(lm_design_pose_step(pose).iterations, 1);
	}
	double dragged = lm_design_pose_energy(pose, pose->y, NULL);
	lm_design_pose_solve(pose);
	double best = lm_design_pose_energy(pose, pose->y, NULL);
	assert_true(dragged < best * 1.05);
	lm_design_pose_destroy(pose);
}

static void points_and_nodes_are_handles_too(void** state)
{
	(void)state;
	lm_design_pose* pose = make_pose(10);
	double nodes[72], place[3] = { 0.2, 0.6, 0.2 }, target[3] = { 0.5, 0.6, 0.2 };
	int32_t node = 3;
	lm_design_model_nodes(model, nodes);
	lm_design_pose_handle handles[2] = { lm_design_pose_handle_default(), lm_design_pose_handle_default() };
	handles[0].count = 1, handles[0].nodes = &node, handles[0].targets = nodes + 9;
	handles[1].count = 1, handles[1].points = place, handles[1].targets = target;
	assert_int_equal(lm_design_pose_set_handles(pose, handles, 2, NULL), LM_OK);
	lm_design_pose_report report = lm_design_pose_solve(pose);
	assert_true(report.handle_error < 0.02); // it may turn freely about two points
	lm_design_pose_destroy(pose);
}

static void bad_handles_are_told(void** state)
{
	(void)state;
	lm_design_pose* pose = make_pose(10);
	lm_error error;
	double nowhere[3] = { 0, NAN, 0 }, here[3] = { 0 };
	int32_t vertex = mesh->vertex_count;
	lm_design_pose_handle h = { .count = 1, .vertices = &vertex, .targets = here, .weight = 1 };
	assert_int_equal(lm_design_pose_set_handles(pose, &h, 1, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "vertex"));
	vertex = 0, h.targets = nowhere;
	assert_int_equal(lm_design_pose_set_handles(pose, &h, 1, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "not finite"));
	h.targets = here, h.weight = -1;
	assert_int_equal(lm_design_pose_set_handles(pose, &h, 1, &error), LM_BAD_INPUT);
	h.weight = 1, h.vertices = NULL;
	assert_int_equal(lm_design_pose_set_handles(pose, &h, 1, &error), LM_BAD_INPUT);
	h.nodes = &vertex, vertex = -1;
	assert_int_equal(lm_design_pose_set_handles(pose, &h, 1, &error), LM_BAD_INPUT);
	vertex = 0;
	assert_int_equal(lm_design_pose_set_handles(pose, &h, 1, &error), LM_OK);
	assert_int_equal(lm_design_pose_move_handle(pose, 0, nowhere, &error), LM_BAD_INPUT);
	lm_design_pose_destroy(pose);
	lm_design_pose_settings settings = lm_design_pose_settings_default();
	settings.strain = 0;
	assert_int_equal(lm_design_pose_create(model, &settings, &host, &pose, &error), LM_BAD_INPUT);
}

static void memory_may_run_out_anywhere(void** state)
{
	(void)state;
	lm_design_pose_settings settings = lm_design_pose_settings_default();
	ends e;
	find_ends(&e);
	lm_status status = LM_NO_MEMORY;
	for (int64_t fail = 1; status == LM_NO_MEMORY; ++fail)
	{
		test_memory memory = { .fail_at = fail };
		lm_host own = test_host(&memory);
		lm_design_pose* pose = NULL;
		status = lm_design_pose_create(model, &settings, &own, &pose, NULL);
		if (status == LM_OK)
			status = lm_design_pose_set_handles(pose, e.handles, 2, NULL);
		lm_design_pose_destroy(pose);
		assert_int_equal(memory.held, 0);
	}
	assert_int_equal(status, LM_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forces_are_the_slope_of_the_energy),
		cmocka_unit_test(stiffness_is_the_slope_of_the_forces),
		cmocka_unit_test(stiffness_in_floats_is_the_same),
		cmocka_unit_test(the_positive_part_is_positive),
		cmocka_unit_test(rigid_motions_cost_nothing),
		cmocka_unit_test(rigid_handles_move_rigidly),
		cmocka_unit_test(volume_is_kept_when_asked),
		cmocka_unit_test(hard_pulls_end_well),
		cmocka_unit_test(a_drag_is_followed),
		cmocka_unit_test(points_and_nodes_are_handles_too),
		cmocka_unit_test(bad_handles_are_told),
		cmocka_unit_test(memory_may_run_out_anywhere),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
