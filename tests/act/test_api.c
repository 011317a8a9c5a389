// test_api.c: what bodies refuse, that runs repeat bit by bit, that memory may run out, and statics.
#include "test.h"

#include "scenes.h"

#include "act/equation.h"
#include "act/state.h"

static const lm_act_kind kinds[] = { LM_ACT_CURVE2, LM_ACT_SOLID2, LM_ACT_SHELL, LM_ACT_SOLID, LM_ACT_SOLID_GREEN };
#define KINDS 5

static void expect(const lm_act_def* def, const char* words)
{
	lm_host host = lm_host_default();
	lm_error error = { 0 };
	lm_act* body = NULL;
	assert_int_equal(lm_act_create(def, &host, &body, &error), LM_BAD_INPUT);
	assert_null(body);
	if (strstr(error.message, words) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

static void bad_meshes_are_refused(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_act_def def = lm_act_def_default();
	lm_mesh *block = test_block(&host, 1, 1, 1, 1), *sheet = scene_rectangle(&host, 2, 2, 0.5);
	def.mesh = block;
	def.kind = LM_ACT_CURVE2;
	expect(&def, "z = 1");
	def.kind = (lm_act_kind)9;
	expect(&def, "kind 9");
	def.kind = LM_ACT_SHELL;
	expect(&def, "no triangles");
	def.mesh = sheet;
	def.kind = LM_ACT_SOLID;
	expect(&def, "no tetrahedra");
	def.kind = LM_ACT_CURVE2;
	expect(&def, "no edges");
	def.kind = LM_ACT_SOLID2;
	sheet->triangles[0] = sheet->triangles[1];
	expect(&def, "twice");
	sheet->triangles[0] = 77;
	expect(&def, "vertex 77");
	int32_t swap = block->tets[0];
	block->tets[0] = block->tets[1], block->tets[1] = swap;
	def.mesh = block, def.kind = LM_ACT_SOLID;
	expect(&def, "inverted");
	block->tets[1] = block->tets[0], block->tets[0] = swap;
	double keep = block->positions[4];
	block->positions[4] = NAN;
	expect(&def, "must be a number");
	block->positions[4] = keep;
	lm_mesh* loose = lm_mesh_create(&host, 9, 0, 6);
	memcpy(loose->positions, block->positions, sizeof(double) * 24);
	memcpy(loose->tets, block->tets, sizeof(int32_t) * 24);
	loose->positions[24] = 3;
	def.mesh = loose;
	expect(&def, "vertex 8 belongs to no element");
	def.mesh = block;
	double start[24] = { INFINITY };
	def.start = start;
	expect(&def, "start");
	def.start = NULL;
	lm_mesh_destroy(block), lm_mesh_destroy(sheet), lm_mesh_destroy(loose);
}

static void bad_settings_are_refused(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* block = test_block(&host, 1, 1, 1, 1);
	const lm_act_def good = { .mesh = block };
#define REFUSED(change, words)                                                                                         \
	do                                                                                                                 \
	{                                                                                                                  \
		lm_act_def def = lm_act_def_default();                                                                         \
		def.mesh = good.mesh;                                                                                          \
		change;                                                                                                        \
		expect(&def, words);                                                                                           \
	} while (0)
	REFUSED(def.settings.material.stretch = 0, "the stretch is 0 N/m^2");
	REFUSED(def.settings.material.volume = -1, "volume");
	REFUSED(def.settings.rest_material.stretch = NAN, "rest stretch");
	REFUSED(def.settings.damping = 11, "damping");
	REFUSED(def.settings.gravity[2] = INFINITY, "gravity");
	REFUSED(def.settings.contact_stiffness = 0, "contact stiffness");
	REFUSED(def.settings.contact_smoothing = -1, "contact smoothing");
	REFUSED(def.settings.friction = -0.1, "friction");
	REFUSED(def.settings.friction_slack = 0, "friction slack");
	REFUSED(def.settings.parameter_weight = 0, "parameter weight");
	REFUSED(def.settings.change_weight = -1, "change weight");
	REFUSED(def.settings.smallest_rest = 1, "smallest rest");
	REFUSED(def.settings.most_iterations = -1, "iterations");
	REFUSED(def.settings.tolerance = 0, "tolerance");
	REFUSED(def.density = 0, "density");
	REFUSED(def.control = (lm_act_control)7, "control 7");
	lm_act_def def = lm_act_def_default();
	def.mesh = block;
	lm_act* body;
	lm_error error;
	assert_int_equal(lm_act_create(&def, &host, &body, &error), LM_OK);
	const double steps[] = { 0, -1, 0.2, NAN };
	for (int k = 0; k < 4; ++k)
	{
		assert_int_equal(lm_act_step(&body, 1, steps[k], NULL, 0, &error), LM_BAD_INPUT);
		assert_non_null(strstr(error.message, "time step"));
	}
	lm_act_settings settings = lm_act_get_settings(body);
	settings.damping = -1;
	assert_int_equal(lm_act_set_settings(body, &settings, &error), LM_BAD_INPUT);
	assert_near(lm_act_get_settings(body).damping, 0.01, 0);
	lm_act_destroy(body);
	lm_mesh_destroy(block);
}

// Two bodies fall on a ball on the ground; one of them is held.
typedef struct world
{
	lm_act* bodies[2];
	lm_colliders* ground;
} world;

static lm_status make_world(const lm_host* host, lm_act_kind kind, world* w)
{
	lm_placement_key keys[2] = { { .rotation = { 1, 0, 0, 0 } },
		                         { .position = { 0.3, 0, 0.2 }, .rotation = { 1, 0, 0, 0 } } };
	lm_collider_def defs[2] = { lm_collider_def_default(), lm_collider_def_default() };
	defs[0].key_count = defs[1].key_count = 1, defs[0].keys = keys, defs[1].keys = keys + 1;
	defs[1].shape = LM_SHAPE_SPHERE, defs[1].radius = 0.2;
	*w = (world){ 0 };
	lm_status status = lm_colliders_create(defs, 2, host, &w->ground, NULL);
	for (int b = 0; b < 2 && status == LM_OK; ++b)
	{
		w->bodies[b] = scene_body(host, kind, lm_act_def_default());
		if (w->bodies[b] == NULL)
			return LM_NO_MEMORY;
		int32_t n = lm_act_vertex_count(w->bodies[b]);
		double* x = malloc(sizeof *x * 3 * (size_t)n);
		lm_act_positions(w->bodies[b], x);
		for (int32_t i = 0; i < n; ++i)
			x[3 * i + 1] += 0.25 + 1.02 * b, x[3 * i] += 0.1 * b;
		lm_act_set_positions(w->bodies[b], x, NULL);
		free(x);
	}
	return status;
}

static void end_world(world* w)
{
	lm_act_destroy(w->bodies[0]), lm_act_destroy(w->bodies[1]);
	lm_colliders_destroy(w->ground);
}

static void run(world* w, int begin, int end)
{
	for (int s = begin; s < end; ++s)
		assert_int_equal(lm_act_step(w->bodies, 2, 0.02, w->ground, s * 0.02, NULL), LM_OK);
}

static uint64_t hash(const world* w)
{
	return lm_act_hash(w->bodies[0]) ^ (lm_act_hash(w->bodies[1]) << 1);
}

static void threads_and_resuming_change_no_bit(void** state)
{
	(void)state;
	for (int k = 0; k < KINDS; ++k)
	{
		uint64_t expected = 0;
		for (int threads = 1; threads <= 4; threads *= 2)
		{
			lm_host host = lm_host_default();
			host.threads = threads;
			world w;
			assert_int_equal(make_world(&host, kinds[k], &w), LM_OK);
			run(&w, 0, 40);
			if (threads == 1)
				expected = hash(&w);
			assert_true(hash(&w) == expected);
			end_world(&w);
		}
		lm_host host = lm_host_default();
		world w, resumed;
		assert_int_equal(make_world(&host, kinds[k], &w), LM_OK);
		assert_int_equal(make_world(&host, kinds[k], &resumed), LM_OK);
		run(&w, 0, 25);
		for (int b = 0; b < 2; ++b)
		{
			lm_blob blob;
			lm_blob_init(&blob, &host);
			lm_act_save(w.bodies[b], &blob);
			assert_int_equal(lm_act_load(resumed.bodies[b], &blob, NULL), LM_OK);
			assert_int_equal(blob.cursor, blob.size);
			assert_true(lm_act_hash(resumed.bodies[b]) == lm_act_hash(w.bodies[b]));
			// what is too short changes nothing
			uint64_t before = lm_act_hash(resumed.bodies[b]);
			for (size_t cut = 0; cut < blob.size; cut += 97)
			{
				lm_blob shorter = blob;
				shorter.size = cut, shorter.cursor = 0, shorter.failed = false;
				assert_int_equal(lm_act_load(resumed.bodies[b], &shorter, NULL), LM_BAD_INPUT);
				assert_true(lm_act_hash(resumed.bodies[b]) == before);
			}
			lm_blob_release(&blob);
		}
		run(&resumed, 25, 40);
		assert_true(hash(&resumed) == expected);
		end_world(&w), end_world(&resumed);
	}
}

// A body so large that threads share the factorisations of its steps.
static void shared_factorisations_change_no_bit(void** state)
{
	(void)state;
	uint64_t expected = 0;
	for (int threads = 1; threads <= 4; threads *= 2)
	{
		lm_host host = lm_host_default();
		host.threads = threads;
		lm_mesh* mesh = test_block(&host, 9, 9, 9, 0.1);
		lm_act_def def = lm_act_def_default();
		def.mesh = mesh, def.kind = LM_ACT_SOLID;
		lm_act* body = NULL;
		assert_int_equal(lm_act_create(&def, &host, &body, NULL), LM_OK);
		lm_act_pin(body, 0, mesh->positions);
		for (int s = 0; s < 2; ++s)
			assert_int_equal(lm_act_step(&body, 1, 0.02, NULL, 0.02 * s, NULL), LM_OK);
		assert_true(lm_cholesky_get_info(body->physics->cholesky).tasks >= 3); // the case that is meant
		expected = threads == 1 ? lm_act_hash(body) : expected;
		assert_true(lm_act_hash(body) == expected);
		lm_act_destroy(body);
		lm_mesh_destroy(mesh);
	}
}

static void memory_may_run_out(void** state)
{
	(void)state;
	test_memory memory = { 0 };
	lm_host host = test_host(&memory);
	bool done = false;
	for (int64_t fail = 1; !done; ++fail)
	{
		memory = (test_memory){ .fail_at = fail };
		world w;
		lm_status status = make_world(&host, LM_ACT_SOLID2, &w);
		for (int s = 0; status == LM_OK && s < 14; ++s)
		{
			uint64_t before = hash(&w);
			status = lm_act_step(w.bodies, 2, 0.02, w.ground, s * 0.02, NULL);
			if (status == LM_OK)
				continue;
			assert_int_equal(status, LM_NO_MEMORY);
			assert_true(hash(&w) == before);
			assert_int_equal(lm_act_get_report(w.bodies[0]).steps, s);
			run(&w, s, s + 1); // and goes on when there is memory again
		}
		lm_act_static_report report;
		if (status == LM_OK)
			status = lm_act_settle(w.bodies[0], w.ground, &report, NULL);
		done = status == LM_OK;
		end_world(&w);
		assert_int_equal(memory.held, 0);
	}
}

static void no_allocation_once_warm(void** state)
{
	(void)state;
	test_memory memory = { 0 };
	lm_host host = test_host(&memory);
	lm_placement_key key = { .rotation = { 1, 0, 0, 0 } };
	lm_collider_def plane = lm_collider_def_default();
	plane.key_count = 1, plane.keys = &key;
	lm_colliders* ground;
	assert_int_equal(lm_colliders_create(&plane, 1, &host, &ground, NULL), LM_OK);
	for (int k = 1; k < KINDS; ++k) // a ring would roll on to touch more
	{
		lm_act* body = scene_body(&host, kinds[k], lm_act_def_default());
		for (int s = 0; s < 40; ++s)
			assert_int_equal(lm_act_step(&body, 1, 0.02, ground, s * 0.02, NULL), LM_OK);
		int64_t requests = memory.requests;
		for (int s = 40; s < 60; ++s)
			assert_int_equal(lm_act_step(&body, 1, 0.02, ground, s * 0.02, NULL), LM_OK);
		assert_int_equal(memory.requests, requests);
		lm_act_destroy(body);
	}
	lm_colliders_destroy(ground);
}

// A body hung up by a pin and dragged: forces balance, and a long simulation ends at the same place.
static void statics_are_where_dynamics_end(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int k = 0; k < KINDS; ++k)
	{
		lm_act_def def = lm_act_def_default();
		def.settings.damping = 0.1;
		lm_act *still = scene_body(&host, kinds[k], def), *moving = scene_body(&host, kinds[k], def);
		int32_t n = lm_act_vertex_count(still), last = n - 1;
		double* x = malloc(sizeof *x * 6 * (size_t)n);
		double* y = x + 3 * n;
		lm_act_positions(still, x);
		for (int b = 0; b < 2; ++b)
		{
			lm_act* body = b ? moving : still;
			lm_act_pin(body, 0, x), lm_act_pin(body, 1, x + 3);
			lm_act_drag(body, last, (double[3]){ x[3 * last] + 0.1, x[3 * last + 1] + 0.1, x[3 * last + 2] }, 100);
		}
		lm_act_static_report report;
		assert_int_equal(lm_act_settle(still, NULL, &report, NULL), LM_OK);
		assert_true(report.converged && report.residual < 1e-8 && report.iterations > 0);
		for (int s = 0; s < 300; ++s)
			assert_int_equal(lm_act_step(&moving, 1, 0.05, NULL, 0, NULL), LM_OK);
		lm_act_positions(still, x), lm_act_positions(moving, y);
		for (int32_t i = 0; i < 3 * n; ++i)
			assert_near(x[i], y[i], 1e-3);
		free(x);
		lm_act_destroy(still), lm_act_destroy(moving);
	}
}

static void statics_lie_on_the_ground_and_float_where_nothing_holds(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int k = 1; k < KINDS; k += 2)
	{
		world w;
		assert_int_equal(make_world(&host, kinds[k], &w), LM_OK);
		lm_placement_key key = { .rotation = { 1, 0, 0, 0 } };
		lm_collider_def plane = lm_collider_def_default();
		plane.key_count = 1, plane.keys = &key;
		lm_colliders* ground;
		assert_int_equal(lm_colliders_create(&plane, 1, &host, &ground, NULL), LM_OK);
		double before[3], after[3];
		lm_act_static_report report;
		lm_act_center(w.bodies[0], before);
		assert_int_equal(lm_act_settle(w.bodies[0], NULL, &report, NULL), LM_OK);
		assert_true(report.converged);
		lm_act_center(w.bodies[0], after);
		assert_near(after[1], before[1], 1e-6);
		assert_int_equal(lm_act_settle(w.bodies[0], ground, &report, NULL), LM_OK);
		assert_true(report.converged);
		lm_act_center(w.bodies[0], after);
		assert_near(after[1], k == 1 ? 0.5 : 0.375, 0.02);
		lm_colliders_destroy(ground);
		end_world(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_meshes_are_refused),
		cmocka_unit_test(bad_settings_are_refused),
		cmocka_unit_test(threads_and_resuming_change_no_bit),
		cmocka_unit_test(shared_factorisations_change_no_bit),
		cmocka_unit_test(memory_may_run_out),
		cmocka_unit_test(no_allocation_once_warm),
		cmocka_unit_test(statics_are_where_dynamics_end),
		cmocka_unit_test(statics_lie_on_the_ground_and_float_where_nothing_holds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
