// Steps of cloth under averaged constraints and contact: constraints met, nothing crossed, always an end.
#include "mesh/intersect.h"
#include "test.h"
#include "track/solver.h"

// A closed strip (a tube of `around` x `high` vertices), whose ends are turned against each other, or sheets.
typedef struct cloth_scene
{
	lm_host host;
	int32_t n, obstacles, triangles;
	double *X, *x, *v, *masses, *y;
	int32_t* t;
	lm_cloth* cloth;
	lm_clearance* clearance;
	lm_rows C;
	double *b, *q, *strength;
	lm_track_solver* solver;
	lm_bvh tree;
	lm_track_problem problem;
	lm_track_part part;
	lm_track_limits limits;
} cloth_scene;

static void tube(cloth_scene* s, int around, int high)
{
	s->n = around * high, s->triangles = 2 * around * (high - 1);
	s->X = calloc(3 * (size_t)s->n, sizeof(double)), s->t = calloc(3 * (size_t)s->triangles, sizeof(int32_t));
	int32_t* t = s->t;
	for (int j = 0; j < high; ++j)
		for (int i = 0; i < around; ++i)
		{
			double angle = 2 * 3.14159265358979 * i / around, *x = s->X + 3 * (j * around + i);
			x[0] = 0.2 * cos(angle), x[1] = 1.0 * j / (high - 1), x[2] = 0.2 * sin(angle);
			if (j + 1 == high)
				continue;
			int32_t a = j * around + i, b = j * around + (i + 1) % around, c = a + around, d = b + around;
			const int32_t two[6] = { a, c, b, b, c, d };
			memcpy(t, two, sizeof two), t += 6;
		}
}

// Regions: rings of vertices, `rings` of them, the lowest and highest ones among them.
static void create(cloth_scene* s, int around, int high, int rings, bool contact)
{
	*s = (cloth_scene){ .host = lm_host_default() };
	tube(s, around, high);
	assert_int_equal(lm_cloth_create(s->X, s->n, s->t, s->triangles, &s->host, &s->cloth, NULL), LM_OK);
	int32_t* region = malloc((size_t)s->n * sizeof *region);
	for (int v = 0; v < s->n; ++v)
	{
		int ring = v / around;
		region[v] = ring == 0 ? 0 : (ring == high - 1 ? 1 : -1);
		if (rings > 2 && ring == high / 2)
			region[v] = 2;
	}
	// quarters of the end rings, so that turning them means something
	for (int v = 0; v < s->n; ++v)
		if (region[v] >= 0 && region[v] < 2)
			region[v] = 4 * region[v] + v % around * 4 / around;
		else if (region[v] == 2)
			region[v] = 8;
	lm_rows S = { 0 };
	int32_t rows = rings > 2 ? 9 : 8;
	assert_int_equal(lm_rows_of_regions(region, s->n, rows, &s->host, &S, NULL), LM_OK);
	assert_int_equal(lm_rows_average(&S, s->X, s->n, s->t, s->triangles, &s->host, &s->C, NULL), LM_OK);
	lm_rows_release(&S, &s->host);
	free(region);
	size_t numbers = 3 * (size_t)s->n * sizeof(double);
	s->x = malloc(numbers), s->v = calloc(1, numbers), s->y = malloc(numbers), s->masses = malloc(numbers);
	s->b = calloc(3 * (size_t)rows, sizeof(double)), s->q = calloc(3 * (size_t)rows, sizeof(double));
	s->strength = malloc((size_t)rows * sizeof(double));
	memcpy(s->x, s->X, numbers);
	for (int32_t i = 0; i < rows; ++i)
		s->strength[i] = 1e4;
	for (int32_t v = 0; v < s->n; ++v)
		s->masses[v] = 0.2 * s->cloth->vertex_areas[v];
	if (contact)
	{
		lm_clearance_shape shape = {
			.vertex_count = s->n, .free = s->n, .rest = s->X, .triangle_count = s->triangles, .triangles = s->t
		};
		assert_int_equal(lm_clearance_create(&shape, &s->host, &s->clearance, NULL), LM_OK);
	}
	assert_int_equal(lm_track_solver_create(s->n, 0, rows, &s->host, &s->solver, NULL), LM_OK);
	assert_int_equal(lm_bvh_create(s->t, s->triangles, 3, s->x, &s->host, &s->tree, NULL), LM_OK);
	s->part = (lm_track_part){ .cloth = s->cloth, .material = { 1000, 0.25, 2e-4 } };
	s->problem = (lm_track_problem){ .part_count = 1,
		                             .parts = &s->part,
		                             .masses = s->masses,
		                             .h = 0.01,
		                             .y = s->y,
		                             .clearance = s->clearance,
		                             .reach = 0.01,
		                             .barrier = 1000,
		                             .friction = 0.3,
		                             .slack = 1e-4,
		                             .C = &s->C,
		                             .b = s->b,
		                             .strength = s->strength };
	s->limits = (lm_track_limits){
		.tolerance = 1e-6, .constraint = 1e-6, .most_iterations = 100, .longest = 0.15, .threads = 1
	};
}

static void destroy(cloth_scene* s)
{
	lm_bvh_release(&s->tree);
	lm_track_solver_destroy(s->solver);
	lm_clearance_destroy(s->clearance);
	lm_cloth_destroy(s->cloth);
	lm_rows_release(&s->C, &s->host);
	free(s->X), free(s->x), free(s->v), free(s->y), free(s->masses), free(s->t), free(s->b), free(s->q),
		free(s->strength);
}

// The guide: the tube with its upper part turned by an angle, and squeezed.
static void set_targets(cloth_scene* s, double angle, double squeeze)
{
	double* guide = malloc(3 * (size_t)s->n * sizeof(double));
	for (int32_t v = 0; v < s->n; ++v)
	{
		const double* X = s->X + 3 * (int64_t)v;
		double a = angle * X[1], *g = guide + 3 * (int64_t)v;
		g[0] = cos(a) * X[0] - sin(a) * X[2], g[2] = sin(a) * X[0] + cos(a) * X[2], g[1] = X[1] * (1 - squeeze);
	}
	lm_rows_apply(&s->C, guide, s->b);
	free(guide);
}

static lm_track_solve_report step(cloth_scene* s)
{
	lm_track_solve_report report;
	double h = s->problem.h;
	for (int64_t i = 0; i < 3 * (int64_t)s->n; ++i)
		s->y[i] = s->x[i] + h * s->v[i] - (i % 3 == 1 ? 9.81 * h * h : 0);
	double* before = malloc(3 * (size_t)s->n * sizeof(double));
	memcpy(before, s->x, 3 * (size_t)s->n * sizeof(double));
	assert_int_equal(lm_track_solve(s->solver, &s->problem, &s->limits, s->x, s->q, &report, NULL), LM_OK);
	for (int64_t i = 0; i < 3 * (int64_t)s->n; ++i)
	{
		s->v[i] = (s->x[i] - before[i]) / h;
		assert_true(isfinite(s->x[i]));
	}
	free(before);
	lm_bvh_refit(&s->tree, s->x);
	return report;
}

// Without contact: constraints to 1e-10, few iterations, converged.
static void constraints_are_met(void** state)
{
	(void)state;
	cloth_scene s;
	create(&s, 12, 13, 3, false);
	int iterations = 0;
	for (int i = 1; i <= 30; ++i)
	{
		set_targets(&s, 0.05 * i, 0);
		lm_track_solve_report report = step(&s);
		assert_int_equal(report.outcome, LM_TRACK_CONVERGED);
		assert_false(report.relaxed);
		assert_true(report.rows.residual < 1e-10);
		iterations += report.iterations;
	}
	assert_true(iterations < 30 * 8);
	destroy(&s);
}

// A constraint that is switched off lets go.
static void rows_can_be_off(void** state)
{
	(void)state;
	cloth_scene s;
	create(&s, 12, 13, 3, false);
	set_targets(&s, 0, 0);
	s.strength[8] = 0;
	s.b[3 * 8] += 0.5;
	for (int i = 0; i < 3; ++i)
	{
		lm_track_solve_report report = step(&s);
		assert_int_equal(report.outcome, LM_TRACK_CONVERGED);
		assert_true(report.rows.residual < 1e-10);
		for (int k = 0; k < 3; ++k)
			assert_near(s.q[3 * 8 + k], 0, 0);
	}
	destroy(&s);
}

// Twisted by a whole turn and pressed together: folds touch everywhere, nothing crosses, constraints give way where
// they must.
static void twist_never_crosses(void** state)
{
	(void)state;
	cloth_scene s;
	create(&s, 16, 17, 2, true);
	int iterations = 0, converged = 0, touched = 0;
	for (int i = 1; i <= 60; ++i)
	{
		set_targets(&s, 0.09 * i, 0.006 * i);
		lm_track_solve_report report = step(&s);
		assert_int_equal(lm_mesh_count_intersections(&s.tree, NULL, 0), 0);
		iterations += report.iterations, converged += report.outcome == LM_TRACK_CONVERGED;
		touched += report.pairs > 0;
		if (getenv("LIMBER_TRACE"))
			printf("step %d: outcome %d, %d iterations, %d factorizations, %d analyses, gave way %d, residual %.2e, "
			       "yielded "
			       "%d, pairs %d, gap %.2e, move %.2e\n",
			       i, report.outcome, report.iterations, report.factorizations, report.analyses, report.relaxed,
			       report.rows.residual, report.rows.gave_way, report.pairs, report.smallest_gap, report.step);
	}
	assert_true(touched > 20);
	assert_true(converged >= 57);
	assert_true(iterations < 60 * 25);
	destroy(&s);
}

// The guide passes through itself: its top ends up below its bottom. The cloth stays clean, constraints give way, and
// come back when the guide does.
static void contradictions_give_way(void** state)
{
	(void)state;
	cloth_scene s;
	create(&s, 12, 9, 2, true);
	for (int32_t i = 0; i < s.C.count; ++i)
		s.strength[i] = 50;
	int yielded = 0;
	double last = 1;
	for (int i = 1; i <= 60; ++i)
	{
		double there = i <= 25 ? i / 25.0 : (i < 50 ? (50 - i) / 25.0 : 0);
		set_targets(&s, 0, 1.3 * there);
		lm_track_solve_report report = step(&s);
		assert_int_equal(lm_mesh_count_intersections(&s.tree, NULL, 0), 0);
		assert_true(report.iterations <= s.limits.most_iterations);
		if (getenv("LIMBER_TRACE"))
			printf("step %d: outcome %d, %d iterations, gave way %d, residual %.2e, yielded %d, pairs %d, gap %.2e\n",
			       i, report.outcome, report.iterations, report.relaxed, report.rows.residual, report.rows.gave_way,
			       report.pairs, report.smallest_gap);
		yielded += report.rows.gave_way > 0;
		last = report.rows.residual;
	}
	assert_true(yielded > 5);
	assert_true(last < 1e-6);
	destroy(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constraints_are_met),
		cmocka_unit_test(rows_can_be_off),
		cmocka_unit_test(twist_never_crosses),
		cmocka_unit_test(contradictions_give_way),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
