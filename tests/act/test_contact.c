// test_contact.c: bodies that rest, slide, are carried and lie on each other.
#include "test.h"

#include "scenes.h"

static const lm_act_kind kinds[] = { LM_ACT_CURVE2, LM_ACT_SOLID2, LM_ACT_SHELL, LM_ACT_SOLID, LM_ACT_SOLID_GREEN };
#define KINDS 5

// A plane through the origin that rises along x by the angle.
static lm_colliders* slope(const lm_host* host, double angle, double friction)
{
	lm_placement_key key = { .rotation = { cos(angle / 2), 0, 0, sin(angle / 2) } };
	lm_collider_def def = lm_collider_def_default();
	def.friction = friction, def.key_count = 1, def.keys = &key;
	lm_colliders* colliders = NULL;
	assert_int_equal(lm_colliders_create(&def, 1, host, &colliders, NULL), LM_OK);
	return colliders;
}

static void bodies_of_all_kinds_come_to_rest(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int k = 0; k < KINDS; ++k)
	{
		lm_colliders* ground = slope(&host, 0, 0.8);
		lm_act_def def = lm_act_def_default();
		def.settings.damping = 0.05;
		lm_act* body = scene_body(&host, kinds[k], def);
		assert_non_null(body);
		double h = 0.02, before[3], after[3];
		int32_t n = lm_act_vertex_count(body);
		double* x = malloc(sizeof *x * 3 * (size_t)n);
		lm_act_positions(body, x);
		for (int i = 0; i < n; ++i)
			x[3 * i + 1] += 0.3;
		lm_act_set_positions(body, x, NULL);
		for (int s = 0; s < 200; ++s)
		{
			if (s == 199)
				lm_act_center(body, before);
			assert_int_equal(lm_act_step(&body, 1, h, ground, s * h, NULL), LM_OK);
		}
		lm_act_center(body, after);
		lm_act_report r = lm_act_get_report(body);
		assert_true(r.physics_residual_max < 1e-8);
		free(x);
		lm_act_destroy(body);
		lm_colliders_destroy(ground);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bodies_of_all_kinds_come_to_rest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
