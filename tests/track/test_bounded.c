// Forces of constraints that are bounded on demand: cloth bends rather than stretches where the guide asks for too
// much; and materials by name.
#include "limber/track.h"
#include "test.h"
#include "track/sheet.h"

enum
{
	SIDE = 9,
	COUNT = SIDE * SIDE
};

typedef struct outcome
{
	double width, residual;
	int32_t gave_way;
} outcome;

// The guide widens the sheet by the factor within 0.4 s, and rests.
static outcome widen(double factor, bool bounded, lm_track_method solver, double force)
{
	lm_mesh* mesh = make_square_sheet(SIDE);
	lm_host host = lm_host_default();
	lm_track_def def = lm_track_def_default();
	def.mesh = mesh, def.regions = 8;
	def.settings.gravity[1] = 0, def.settings.damping = 0.02;
	def.settings.bounded = bounded, def.settings.strength = force, def.settings.solver = solver;
	lm_track* cloth = NULL;
	lm_error error;
	if (lm_track_create(&def, &host, &cloth, &error) != LM_OK)
		fail_msg("%s", error.message);
	double guide[3 * COUNT], x[3 * COUNT];
	for (int step = 1; step <= 60; ++step)
	{
		double wide = 1 + (factor - 1) * fmin(1, step / 40.0);
		for (int v = 0; v < COUNT; ++v)
		{
			memcpy(guide + 3 * v, mesh->positions + 3 * v, 3 * sizeof(double));
			guide[3 * v] = 0.5 + wide * (guide[3 * v] - 0.5);
		}
		assert_int_equal(lm_track_step(cloth, 0.01, guide, 0.01 * (step - 1), &error), LM_OK);
	}
	lm_track_positions(cloth, x);
	double low = 1e9, high = -1e9;
	for (int v = 0; v < COUNT; ++v)
		low = fmin(low, x[3 * v]), high = fmax(high, x[3 * v]);
	assert_int_equal(lm_track_intersections(cloth), 0);
	lm_track_report report = lm_track_get_report(cloth);
	lm_track_destroy(cloth), lm_mesh_destroy(mesh);
	return (outcome){ high - low, report.residual, report.gave_way };
}

static void bends_rather_than_stretches(void** state)
{
	(void)state;
	for (int solver = LM_TRACK_LEAN; solver <= LM_TRACK_EXACT; ++solver)
	{
		outcome hard = widen(1.6, false, solver, 5), soft = widen(1.6, true, solver, 5);
		print_message("solver %d: %.3f wide, bounded %.3f, %d gave way\n", solver, hard.width, soft.width,
		              soft.gave_way);
		assert_true(hard.width > 1.4);
		assert_true(soft.width > 1 && soft.width < 1.05); // 5 N of about 3 regions at 1000 N/m
		assert_true(soft.gave_way > 0);
		outcome strong = widen(1.05, true, solver, 500); // what can be met is
		assert_true(strong.residual < 1e-5 && strong.gave_way == 0);
	}
}

static void materials_differ(void** state)
{
	(void)state;
	lm_track_settings plain = lm_track_def_default().settings, none = plain, silk, leather;
	double density = 0, of_silk, of_leather;
	lm_track_set_material(LM_MATERIAL_NONE, &none, &density);
	assert_memory_equal(&none.stretch, &plain.stretch, 4 * sizeof(double)); // stretch, poisson, bend, damping
	assert_true(none.friction == plain.friction && density == lm_track_def_default().density);
	silk = leather = plain;
	lm_track_set_material(LM_MATERIAL_SILK, &silk, &of_silk);
	lm_track_set_material(LM_MATERIAL_LEATHER, &leather, &of_leather);
	assert_true(of_silk < of_leather && silk.bend < leather.bend && silk.stretch < leather.stretch);
	lm_mesh* mesh = make_square_sheet(SIDE);
	lm_host host = lm_host_default();
	for (int m = 0; m < LM_MATERIALS; ++m) // all are good
	{
		lm_track_def def = lm_track_def_default();
		def.mesh = mesh;
		lm_track_set_material((lm_track_material)m, &def.settings, &def.density);
		lm_track* cloth;
		assert_int_equal(lm_track_create(&def, &host, &cloth, NULL), LM_OK);
		lm_track_destroy(cloth);
	}
	lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(bends_rather_than_stretches),
		                                cmocka_unit_test(materials_differ) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
