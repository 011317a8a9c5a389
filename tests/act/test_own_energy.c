// Bodies of an elastic energy of a program's own: they hop, with the exact Hessian and without, by every control; they
// keep momentum; what was crushed and turned inside out comes back.
#include "test.h"

#include "limber/act_pilot.h"
#include "scenes.h"

static lm_colliders* ground_of(const lm_host* host)
{
	lm_collider_def ground = lm_collider_def_default();
	lm_placement_key key = { .rotation = { 1, 0, 0, 0 } };
	lm_colliders* colliders;
	ground.key_count = 1, ground.keys = &key, ground.friction = 0.8;
	assert_int_equal(lm_colliders_create(&ground, 1, host, &colliders, NULL), LM_OK);
	return colliders;
}

typedef struct outcome
{
	lm_act_record record;
	uint64_t hash;
	double residual; // of the physics, the largest
} outcome;

// Hops for 2.4 s.
static outcome hop(lm_act_kind kind, const lm_elastic_model* model, lm_act_control control, bool exact, int threads)
{
	lm_host host = lm_host_default();
	lm_error error;
	host.threads = threads;
	lm_colliders* colliders = ground_of(&host);
	lm_mesh* mesh = scene_mesh(&host, kind);
	lm_act_def def = lm_act_def_default();
	double* squat = malloc(3 * (size_t)mesh->vertex_count * sizeof *squat);
	const double* poses[1] = { squat };
	for (int32_t v = 0; v < 3 * mesh->vertex_count; ++v)
		squat[v] = (v % 3 == 1 ? 0.6 : 1.2) * mesh->positions[v];
	def.kind = kind, def.mesh = mesh, def.control = control, def.model = model;
	def.settings.exact = exact;
	if (control == LM_ACT_EXAMPLES)
		def.example_count = 1, def.examples = poses;
	lm_act* body;
	lm_act_pilot* pilot;
	if (lm_act_create(&def, &host, &body, &error) != LM_OK)
		fail_msg("%s", error.message);
	assert_int_equal(lm_act_pilot_create(body, &host, &pilot, &error), LM_OK);
	lm_act_hop how = lm_act_hop_default();
	how.squat = 0.75;
	for (int step = 0; step < 120; ++step)
	{
		lm_act_pilot_begin(pilot, 0.02);
		lm_act_pilot_hop(pilot, &how);
		assert_int_equal(lm_act_pilot_commit(pilot, &error), LM_OK);
		assert_int_equal(lm_act_step(&body, 1, 0.02, colliders, 0.02 * step, &error), LM_OK);
		lm_act_pilot_record(pilot, 0.02);
	}
	outcome result = { lm_act_pilot_get_record(pilot), lm_act_hash(body),
		               lm_act_get_report(body).physics_residual_max };
	lm_act_pilot_destroy(pilot);
	lm_act_destroy(body);
	lm_mesh_destroy(mesh);
	lm_colliders_destroy(colliders);
	free(squat);
	return result;
}

static void it_hops(void** state)
{
	(void)state;
	const struct
	{
		lm_act_kind kind;
		lm_act_control control;
		bool exact;
	} cases[] = {
		{ LM_ACT_SOLID2, LM_ACT_FULL, false },
		{ LM_ACT_SOLID2, LM_ACT_CAGE, true },
		{ LM_ACT_SOLID, LM_ACT_FULL, false },
		{ LM_ACT_SOLID, LM_ACT_EXAMPLES, true },
	};
	for (int k = 0; k < 4; ++k)
	{
		const lm_elastic_model* model = lm_elastic_neo_hookean(cases[k].kind == LM_ACT_SOLID2 ? 2 : 3);
		outcome o = hop(cases[k].kind, model, cases[k].control, cases[k].exact, 1);
		if (o.record.hops < 2 || o.record.toppled || !(o.residual < 1e-6))
			fail_msg("case %d: %d hops, toppled %d, residual %g", k, o.record.hops, o.record.toppled, o.residual);
	}
}

static void threads_do_not_matter(void** state)
{
	(void)state;
	uint64_t one = hop(LM_ACT_SOLID2, lm_elastic_neo_hookean(2), LM_ACT_CAGE, false, 1).hash;
	assert_true(hop(LM_ACT_SOLID2, lm_elastic_neo_hookean(2), LM_ACT_CAGE, false, 4).hash == one);
	assert_true(hop(LM_ACT_SOLID2, NULL, LM_ACT_CAGE, false, 1).hash != one); // it is another material
}

// Without `third` there is no exact Hessian: it does without, and says nothing.
static void third_derivatives_may_be_missing(void** state)
{
	(void)state;
	lm_elastic_model model = *lm_elastic_neo_hookean(2);
	uint64_t plain = hop(LM_ACT_SOLID2, &model, LM_ACT_CAGE, false, 1).hash;
	model.third = NULL;
	outcome without = hop(LM_ACT_SOLID2, &model, LM_ACT_CAGE, true, 1);
	assert_true(without.record.hops >= 2);
	assert_true(hop(LM_ACT_SOLID2, &model, LM_ACT_CAGE, false, 1).hash == plain);
}

// Free in space, crushed, with inverted elements: it comes back to its shape, and no force from outside has acted.
static void what_is_turned_inside_out_comes_back(void** state)
{
	(void)state;
	for (int32_t d = 2; d <= 3; ++d)
	{
		lm_host host = lm_host_default();
		lm_act_def def = lm_act_def_default();
		def.model = lm_elastic_neo_hookean(d), def.settings.gravity[1] = 0, def.settings.damping = 0.05;
		lm_act* body = scene_body(&host, d == 2 ? LM_ACT_SOLID2 : LM_ACT_SOLID, def);
		int32_t n = lm_act_vertex_count(body);
		double* x = malloc(3 * (size_t)n * sizeof *x);
		lm_act_positions(body, x);
		for (int32_t i = 0; i < 3 * n; ++i) // flattened, and one vertex pushed through its neighbours
			x[i] *= i % 3 == 1 ? 0.1 : 1;
		x[3 * 5 + 1] += 0.04, x[3 * 5] += 0.05;
		lm_act_set_positions(body, x, NULL);
		double most = lm_act_elastic_energy(body), linear[3], angular[3], spin;
		for (int step = 0; step < 250; ++step)
			assert_int_equal(lm_act_step(&body, 1, 0.02, NULL, 0.02 * step, NULL), LM_OK);
		scene_momentum(body, linear, angular);
		spin = hypot(angular[0], hypot(angular[1], angular[2]));
		assert_true(lm_act_elastic_energy(body) < 1e-6 * most);
		assert_true(hypot(linear[0], hypot(linear[1], linear[2])) < 1e-8 && spin < 1);
		free(x);
		lm_act_destroy(body);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_hops),
		cmocka_unit_test(threads_do_not_matter),
		cmocka_unit_test(third_derivatives_may_be_missing),
		cmocka_unit_test(what_is_turned_inside_out_comes_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
