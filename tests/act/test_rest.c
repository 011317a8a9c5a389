// test_rest.c: rest shapes: what examples and cages make of them, and what is refused.
#include "test.h"

#include "control_scenes.h"

#include "act/body.h"

static const lm_act_kind kinds[] = { LM_ACT_CURVE2, LM_ACT_SOLID2, LM_ACT_SHELL, LM_ACT_SOLID };

static lm_status create(lm_act_kind kind, const lm_mesh* mesh, const double* const* poses, int count, lm_act** body,
                        lm_error* error)
{
	lm_host host = lm_host_default();
	lm_act_def def = lm_act_def_default();
	def.kind = kind, def.mesh = mesh, def.control = LM_ACT_EXAMPLES;
	def.examples = poses, def.example_count = count;
	return lm_act_create(&def, &host, body, error);
}

// A turned and moved body is the body: nothing is left to interpolate. At p = 1 a pose is at rest.
static void poses_are_registered(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int k = 0; k < 4; ++k)
	{
		lm_mesh* mesh = scene_mesh(&host, kinds[k]);
		double moved[300], bent[300];
		const double* poses[2] = { moved, bent };
		control_pose(mesh, 0, k < 2, bent);
		for (int v = 0; v < mesh->vertex_count; ++v)
		{
			const double* x = mesh->positions + 3 * v;
			moved[3 * v] = 0.6 * x[0] - 0.8 * x[1] + 3, moved[3 * v + 1] = 0.8 * x[0] + 0.6 * x[1] - 1;
			moved[3 * v + 2] = x[2];
		}
		lm_act* body = NULL;
		assert_int_equal(create(kinds[k], mesh, poses, 2, &body, NULL), LM_OK);
		double changed = 0;
		for (int64_t i = 0; i < body->rest.rest_unknowns; ++i)
		{
			assert_true(body->rest.L[2 * i] == 0);
			changed = fmax(changed, fabs(body->rest.L[2 * i + 1]));
		}
		assert_true(changed > 1e-3);
		const double p[2] = { 0, 1 };
		lm_act_set_parameters(body, p);
		lm_elastic_material material = lm_act_elastic_material(&body->settings.material);
		double x[300];
		for (int64_t i = 0; i < body->unknowns; ++i)
			x[i] = bent[i / body->dimension * 3 + i % body->dimension];
		lm_elastic_state at = { .material = &material, .X = body->X, .x = x };
		assert_near(lm_elastic_energy(body->elastic, &at), 0, 1e-15);
		lm_act_destroy(body);
		lm_mesh_destroy(mesh);
	}
}

// A pose of one half leaves the elements of the other alone.
static void poses_are_local(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = scene_mesh(&host, LM_ACT_SOLID2);
	double pose[300];
	const double* poses[1] = { pose };
	for (int v = 0; v < mesh->vertex_count; ++v)
	{
		memcpy(pose + 3 * v, mesh->positions + 3 * v, 3 * sizeof *pose);
		pose[3 * v] += pose[3 * v + 1] > 0.6 ? 0.1 * (pose[3 * v + 1] - 0.6) : 0;
	}
	lm_act* body = NULL;
	assert_int_equal(create(LM_ACT_SOLID2, mesh, poses, 1, &body, NULL), LM_OK);
	lm_elastic_view view = lm_elastic_get(body->elastic);
	int still = 0;
	for (int32_t e = 0; e < view.rest_element_count; ++e)
	{
		double top = 0, change = 0;
		for (int32_t s = view.rest_starts[e]; s < view.rest_starts[e + 1]; ++s)
		{
			top = fmax(top, mesh->positions[3 * view.rest_vertices[s] + 1]);
			change += fabs(body->rest.L[2 * s]) + fabs(body->rest.L[2 * s + 1]);
		}
		assert_true(top > 0.6 ? change > 0 : change == 0);
		still += change == 0;
	}
	assert_true(still > 0);
	lm_act_destroy(body);
	lm_mesh_destroy(mesh);
}

static void bad_poses_are_refused(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int k = 0; k < 4; ++k)
	{
		lm_mesh* mesh = scene_mesh(&host, kinds[k]);
		double pose[300];
		const double* poses[1] = { pose };
		lm_act* body = NULL;
		lm_error error;
		memcpy(pose, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof *pose);
		pose[4] = NAN;
		assert_int_equal(create(kinds[k], mesh, poses, 1, &body, &error), LM_BAD_INPUT);
		assert_int_equal(error.element, 1);
		for (int v = 0; v < mesh->vertex_count; ++v) // inverted, or nothing left of it
			for (int i = 0; i < 3; ++i)
				pose[3 * v + i] = (kinds[k] == LM_ACT_SOLID2 || kinds[k] == LM_ACT_SOLID ? (i == 0 ? -1 : 1) : 0) *
				                  mesh->positions[3 * v + i];
		assert_int_equal(create(kinds[k], mesh, poses, 1, &body, &error), LM_BAD_INPUT);
		assert_true(strstr(error.message, "element 0 of example 0") != NULL);
		assert_int_equal(create(kinds[k], mesh, poses, 0, &body, &error), LM_BAD_INPUT);
		assert_null(body);
		lm_mesh_destroy(mesh);
	}
}

// A cage moves the body linearly; one that does not enclose it is refused.
static void cages_move_bodies(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const control_case c = { LM_ACT_SOLID2, LM_ACT_CAGE, 0 };
	lm_act* body = control_body(&host, &c, lm_act_def_default());
	assert_non_null(body);
	assert_int_equal(lm_act_cage(body)->vertex_count, 6);
	double p[12];
	for (int j = 0; j < 6; ++j) // a linear map of the cage is one of the body
	{
		const double* C = lm_act_cage(body)->positions + 3 * j;
		p[2 * j] = 0.1 * C[0] + 0.2 * C[1], p[2 * j + 1] = -0.1 * C[0] + 0.3;
	}
	lm_act_set_parameters(body, p);
	for (int v = 0; v < body->vertex_count; ++v)
	{
		const double* X0 = body->rest.X0 + 2 * v;
		assert_near(body->X[2 * v], X0[0] + 0.1 * X0[0] + 0.2 * X0[1], 1e-9);
		assert_near(body->X[2 * v + 1], X0[1] - 0.1 * X0[0] + 0.3, 1e-9);
	}
	lm_act_destroy(body);

	lm_mesh* mesh = scene_mesh(&host, LM_ACT_SOLID2);
	lm_mesh* cage = control_cage(&host, mesh, true);
	for (int i = 0; i < 3 * cage->vertex_count; ++i)
		cage->positions[i] *= 0.5;
	lm_act_def def = lm_act_def_default();
	lm_error error;
	def.kind = LM_ACT_SOLID2, def.mesh = mesh, def.control = LM_ACT_CAGE, def.cage = cage;
	body = NULL;
	assert_int_equal(lm_act_create(&def, &host, &body, &error), LM_BAD_INPUT);
	assert_true(strlen(error.message) > 20);
	def.cage = NULL; // made around it
	assert_int_equal(lm_act_create(&def, &host, &body, &error), LM_OK);
	assert_true(lm_act_cage(body)->vertex_count <= 8);
	lm_act_destroy(body);
	lm_mesh_destroy(cage);
	lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(poses_are_registered),
		cmocka_unit_test(poses_are_local),
		cmocka_unit_test(bad_poses_are_refused),
		cmocka_unit_test(cages_move_bodies),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
