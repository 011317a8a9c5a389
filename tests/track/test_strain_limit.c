// Cloth that stretches by so much only: derivatives, a sheet that hangs by its corners, and a guide that asks for more.
#include "limber/track.h"
#include "sparse/pattern.h"
#include "test.h"
#include "track/cloth.h"
#include "track/sheet.h"
#include "track/strain_limit.h"

#include <math.h>

enum
{
	SIDE = 13,
	COUNT = SIDE * SIDE
};

// The four cases: within, one direction beyond, both, and both by the same.
static const double stretched[4][2] = { { 1.04, 1.02 }, { 1.2, 1.01 }, { 1.2, 1.15 }, { 1.1, 1.1 } };

static const lm_cloth_material limited = { .stretch = 800, .poisson = 0.3, .bend = 0.05, .strain_limit = 0.05 };

static double energy(const lm_cloth* cloth, const double* x)
{
	lm_cloth_law law = { cloth, limited };
	return lm_cloth_energy(&law, 1, x, 1);
}

// One triangle, turned and stretched along directions that are not its edges'.
static void derivatives(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const double rest[9] = { 0, 0, 0, 1, 0, 0.1, 0.2, 0, 0.9 };
	const int32_t corners[3] = { 0, 1, 2 };
	lm_cloth* cloth = NULL;
	assert_int_equal(lm_cloth_create(rest, 3, corners, 1, &host, &cloth, NULL), LM_OK);
	lm_cloth_law law = { cloth, limited };
	for (int k = 0; k < 4; ++k)
	{
		double x[9], g[9] = { 0 }, H[81], lean[9] = { 0 }, blocks[LM_CLOTH_TRIANGLE_NUMBERS];
		for (int v = 0; v < 3; ++v) // along (0.8, 0.6) and across
		{
			double a = stretched[k][0] * (0.8 * rest[3 * v] + 0.6 * rest[3 * v + 2]);
			double b = stretched[k][1] * (-0.6 * rest[3 * v] + 0.8 * rest[3 * v + 2]);
			x[3 * v] = 0.3 * a, x[3 * v + 1] = b, x[3 * v + 2] = sqrt(1 - 0.09) * a;
		}
		lm_cloth_derivatives(&law, 1, x, 1, g, H);
		lm_cloth_linearize(&law, 1, x, 1, lean, &(lm_cloth_stiffness){ blocks, NULL, true });
		for (int i = 0; i < 9; ++i)
		{
			const double step = 1e-6;
			double kept = x[i], up[9] = { 0 }, down[9] = { 0 };
			assert_near(lean[i], g[i], 1e-12 * (1 + fabs(g[i])));
			x[i] = kept + step;
			double high = energy(cloth, x);
			lm_cloth_derivatives(&law, 1, x, 1, up, NULL);
			x[i] = kept - step;
			double low = energy(cloth, x);
			lm_cloth_derivatives(&law, 1, x, 1, down, NULL);
			x[i] = kept;
			assert_near(g[i], (high - low) / (2 * step), 1e-5 * (1 + fabs(g[i])));
			for (int j = 0; j < 9; ++j)
				assert_near(H[9 * i + j], (up[j] - down[j]) / (2 * step), 1e-4 * (1000 + fabs(H[9 * i + j])));
		}
		// pulled in both directions: nothing is projected, and the lean blocks are those of the Hessian
		static const int8_t block[3][3] = { { 0, 1, 2 }, { 1, 3, 4 }, { 2, 4, 5 } };
		for (int i = 0; i < 9; ++i)
			for (int j = 3 * (i / 3); j < 9; ++j)
				assert_near(blocks[9 * block[i / 3][j / 3] + 3 * (i % 3) + j % 3], H[9 * i + j],
				            1e-9 * (1000 + fabs(H[9 * i + j])));
	}
	lm_cloth_destroy(cloth);
}

// Hangs by two corners for a second: the largest stretch of a frame.
static double hang(double limit, lm_track_method solver)
{
	lm_error error;
	lm_host host = lm_host_default();
	lm_mesh* mesh = make_square_sheet(SIDE);
	lm_track_def def = lm_track_def_default();
	def.mesh = mesh, def.settings.stretch = 40, def.settings.strain_limit = limit, def.settings.solver = solver;
	lm_track* cloth = NULL;
	assert_int_equal(lm_track_create(&def, &host, &cloth, &error), LM_OK);
	const int32_t corners[2] = { 0, SIDE - 1 };
	for (int i = 0; i < 2; ++i)
		assert_int_equal(lm_track_pin(cloth, corners[i], mesh->positions + 3 * corners[i], &error), LM_OK);
	double most = 0;
	for (int step = 0; step < 80; ++step)
	{
		assert_int_equal(lm_track_step(cloth, 1.0 / 80, NULL, step / 80.0, &error), LM_OK);
		most = fmax(most, lm_track_largest_stretch(cloth));
		assert_int_equal(lm_track_intersections(cloth), 0);
	}
	lm_track_destroy(cloth), lm_mesh_destroy(mesh);
	return most;
}

static void it_hangs_within_the_limit(void** state)
{
	(void)state;
	double none = hang(0, LM_TRACK_LEAN), lean = hang(0.05, LM_TRACK_LEAN), exact = hang(0.05, LM_TRACK_EXACT);
	print_message("stretched by %.3f without a limit, %.4f and exactly %.4f with 0.05\n", none, lean, exact);
	assert_true(none > 0.3);
	assert_true(lean < 0.065 && exact < 0.065);
	assert_true(lean > 0.04);
}

// The guide asks for 10 %: averages are met all the same.
static void averages_come_first(void** state)
{
	(void)state;
	lm_error error;
	lm_host host = lm_host_default();
	lm_mesh* mesh = make_square_sheet(SIDE);
	lm_track_def def = lm_track_def_default();
	def.mesh = mesh, def.settings.strain_limit = 0.05, def.regions = 16, def.settings.strength = 1e6;
	lm_track* cloth = NULL;
	assert_int_equal(lm_track_create(&def, &host, &cloth, &error), LM_OK);
	double guide[3 * COUNT];
	for (int step = 0; step < 40; ++step)
	{
		memcpy(guide, mesh->positions, sizeof guide);
		for (int v = 0; v < COUNT; ++v)
			guide[3 * v] *= 1 + 0.1 * fmin(1, step / 30.0);
		assert_int_equal(lm_track_step(cloth, 1.0 / 96, guide, step / 96.0, &error), LM_OK);
		assert_int_equal(lm_track_intersections(cloth), 0);
		assert_int_equal(lm_track_get_report(cloth).gave_way, 0);
	}
	assert_true(lm_track_get_report(cloth).residual < 1e-6);
	assert_true(lm_track_largest_stretch(cloth) > 0.08);
	lm_track_destroy(cloth), lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(derivatives),
		cmocka_unit_test(it_hangs_within_the_limit),
		cmocka_unit_test(averages_come_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
