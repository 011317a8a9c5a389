// What the figures of Bergou et al. 2007 show, measured: tugging of points that are held (Fig. 4), wrinkles as fine as
// the regions (Fig. 6), folds that stay and ringing that is damped (Fig. 8).
#include "test.h"

#include "limber/mesh.h"
#include "limber/track.h"

// A sheet of n x n vertices, 1 m wide and not quite flat, as that of the gallery.
static lm_mesh* sheet(int32_t n)
{
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, n * n, 2 * (n - 1) * (n - 1), 0);
	for (int32_t v = 0; v < n * n; ++v)
	{
		double u = (double)(v % n) / (n - 1), w = (double)(v / n) / (n - 1);
		const double p[3] = { u - 0.5, 0.003 * sin(29 * u + 4 * w) * sin(3 + 5 * u + 23 * w), 0.5 - w };
		memcpy(mesh->positions + 3 * v, p, sizeof p);
	}
	for (int32_t j = 0, t = 0; j + 1 < n; ++j)
		for (int32_t i = 0; i + 1 < n; ++i, t += 6)
		{
			int32_t a = j * n + i, b = a + 1, c = a + n, d = c + 1;
			const int32_t one[6] = { a, b, d, a, d, c }, two[6] = { a, b, c, b, d, c };
			memcpy(mesh->triangles + t, (i + j) % 2 == 0 ? one : two, sizeof one);
		}
	return mesh;
}

typedef struct cloth
{
	int32_t n;
	lm_mesh* mesh;
	lm_track* track;
	double *guide, *x;
} cloth;

static cloth make(int32_t n, int32_t regions, bool pointwise, const lm_track_settings* settings)
{
	lm_host host = lm_host_default();
	lm_error error;
	cloth c = { n, sheet(n), NULL, calloc(3 * (size_t)(n * n), sizeof(double)),
		        calloc(3 * (size_t)(n * n), sizeof(double)) };
	lm_track_def def = lm_track_def_default();
	def.mesh = c.mesh, def.regions = regions, def.compact = 1, def.pointwise = pointwise, def.settings = *settings;
	if (lm_track_create(&def, &host, &c.track, &error) != LM_OK)
		fail_msg("%s", error.message);
	return c;
}

static void release(cloth* c)
{
	assert_int_equal(lm_track_intersections(c->track), 0);
	lm_track_destroy(c->track), lm_mesh_destroy(c->mesh);
	free(c->guide), free(c->x);
}

static void step(cloth* c, double h, double time)
{
	lm_error error;
	assert_int_equal(lm_track_step(c->track, h, c->guide, time, &error), LM_OK);
	lm_track_positions(c->track, c->x);
}

// The guide's x is scaled by wide, its z by deep.
static void set_guide(cloth* c, double wide, double deep)
{
	memcpy(c->guide, c->mesh->positions, 3 * (size_t)(c->n * c->n) * sizeof(double));
	for (int32_t v = 0; v < c->n * c->n; ++v)
		c->guide[3 * v] *= wide, c->guide[3 * v + 2] *= deep;
}

// |Laplacian of (x - guide)|^2 at an inner vertex.
static double roughness(const cloth* c, int32_t v)
{
	const int32_t around[4] = { v - 1, v + 1, v - c->n, v + c->n };
	double sum = 0;
	for (int k = 0; k < 3; ++k)
	{
		double l = -(c->x[3 * v + k] - c->guide[3 * v + k]);
		for (int a = 0; a < 4; ++a)
			l += (c->x[3 * around[a] + k] - c->guide[3 * around[a] + k]) / 4;
		sum += l * l;
	}
	return sum;
}

static bool inside(const cloth* c, int32_t v)
{
	int32_t i = v % c->n, j = v / c->n;
	return i > 0 && j > 0 && i < c->n - 1 && j < c->n - 1;
}

// The vertex nearest to the middle of each region.
static void find_anchors(const cloth* c, bool* anchor)
{
	int32_t count = lm_track_constraint_count(c->track), all = c->n * c->n;
	int32_t* regions = calloc((size_t)all, sizeof *regions);
	lm_track_regions(c->track, regions);
	for (int32_t r = 0; r < count; ++r)
	{
		double middle[3] = { 0 }, size = 0, least = INFINITY;
		int32_t best = 0;
		for (int32_t v = 0; v < all; ++v)
			for (int k = 0; regions[v] == r && k < 3; ++k)
				middle[k] += c->mesh->positions[3 * v + k], size += 1.0 / 3;
		for (int32_t v = 0; v < all; ++v)
		{
			double far = 0;
			for (int k = 0; k < 3; ++k)
				far += pow(c->mesh->positions[3 * v + k] - middle[k] / size, 2);
			if (regions[v] == r && far < least)
				least = far, best = v;
		}
		anchor[best] = true;
	}
	free(regions);
}

// rms of the roughness at anchors over that of all vertices, 4 Hz pulsation.
static double tugging(int32_t regions, bool pointwise)
{
	lm_track_settings s = lm_track_def_default().settings;
	cloth c = make(48, regions, pointwise, &s);
	bool* anchor = calloc((size_t)(c.n * c.n), sizeof *anchor);
	find_anchors(&c, anchor);
	double at = 0, all = 0, at_count = 0, all_count = 0;
	for (int k = 1; k <= 30; ++k)
	{
		double beat = 1 + 0.1 * (1 - cos(2 * 3.14159265358979 * 4 * k / 96.0)) * fmin(1, k / 24.0);
		set_guide(&c, beat, beat);
		step(&c, 1.0 / 96, (k - 1) / 96.0);
		for (int32_t v = 0; k > 12 && v < c.n * c.n; ++v)
			if (inside(&c, v))
			{
				double r = roughness(&c, v);
				all += r, ++all_count;
				at += anchor[v] ? r : 0, at_count += anchor[v];
			}
	}
	free(anchor);
	release(&c);
	return sqrt(at / at_count / (all / all_count));
}

static void averages_do_not_tug(void** state)
{
	(void)state;
	double averaged = tugging(63, false), pointwise = tugging(63, true);
	print_message("63 regions: averaged %.2f, pointwise %.2f\n", averaged, pointwise);
	assert_true(averaged <= 0.5 * pointwise);
	averaged = tugging(16, false), pointwise = tugging(16, true);
	print_message("16 regions: averaged %.2f, pointwise %.2f\n", averaged, pointwise);
	assert_true(averaged <= 0.25 * pointwise);
}

// Crossings of the mean height along the rows, per row, after the sheet is drawn together.
static double crossings(int32_t regions)
{
	lm_track_settings s = lm_track_def_default().settings;
	s.stretch = 100, s.bend = 2e-5, s.damping = 0.01, s.gravity[1] = -3;
	cloth c = make(28, regions, false, &s);
	for (int k = 1; k <= 14; ++k)
	{
		set_guide(&c, 1 - 0.3 * fmin(1, k / 10.0), 1);
		step(&c, 1.0 / 24, (k - 1) / 24.0);
	}
	int32_t count = 0;
	for (int32_t j = 0; j < c.n; ++j)
	{
		double mean = 0;
		for (int32_t i = 0; i < c.n; ++i)
			mean += c.x[3 * (j * c.n + i) + 1] / c.n;
		for (int32_t i = 1; i < c.n; ++i)
			count += (c.x[3 * (j * c.n + i) + 1] > mean) != (c.x[3 * (j * c.n + i - 1) + 1] > mean);
	}
	double per_row = (double)count / c.n;
	release(&c);
	return per_row;
}

static void finer_regions_make_finer_wrinkles(void** state)
{
	(void)state;
	double coarse = crossings(16), fine = crossings(144);
	print_message("crossings per row: %.1f with 16 regions, %.1f with 144\n", coarse, fine);
	assert_true(fine > 1.5 * coarse);
}

// rms slope of the heights after the sheet was drawn together and stretched out again, and left alone for a while.
static double left_over(double yield)
{
	lm_track_settings s = lm_track_def_default().settings;
	s.stretch = 200, s.bend = 3e-4, s.damping = 0.02, s.gravity[1] = 0, s.yield = yield;
	cloth c = make(16, 16, false, &s);
	for (int k = 1; k <= 40; ++k)
	{
		set_guide(&c, 1 - 0.3 * fmax(0, fmin(1, fmin(k / 10.0, (25 - k) / 8.0))), 1);
		step(&c, 1.0 / 48, (k - 1) / 48.0);
	}
	double sum = 0;
	for (int32_t v = 0; v < c.n * c.n; ++v)
		if (inside(&c, v))
			sum += roughness(&c, v);
	release(&c);
	return sqrt(sum);
}

static void plastic_wrinkles_persist(void** state)
{
	(void)state;
	double elastic = left_over(INFINITY), plastic = left_over(2);
	print_message("roughness left over: elastic %.3g, plastic %.3g\n", elastic, plastic);
	assert_true(plastic > 4 * elastic);
}

// Kinetic energy (of unit masses) left some time after the guide has stopped suddenly, over that just after.
static double ringing(double damping)
{
	lm_track_settings s = lm_track_def_default().settings;
	s.stretch = 300, s.bend = 5e-4, s.damping = damping, s.gravity[1] = 0;
	cloth c = make(14, 4, false, &s);
	double* v = calloc(3 * (size_t)(c.n * c.n), sizeof *v);
	double first = 0, last = 0;
	for (int k = 1; k <= 40; ++k)
	{
		set_guide(&c, 1, 1);
		for (int32_t i = 0; i < c.n * c.n; ++i)
			c.guide[3 * i + 1] += 2 * c.guide[3 * i] * c.guide[3 * i] * fmin(1, k / 8.0); // bends, and stops
		step(&c, 1.0 / 96, (k - 1) / 96.0);
		lm_track_velocities(c.track, v);
		double energy = 0;
		for (int32_t i = 0; i < 3 * c.n * c.n; ++i)
			energy += v[i] * v[i];
		first += k > 10 && k <= 14 ? energy : 0, last += k > 36 ? energy : 0;
	}
	free(v);
	release(&c);
	return last / first;
}

static void damping_shortens_the_ringing(void** state)
{
	(void)state;
	double little = ringing(0), much = ringing(0.05);
	print_message("energy left: %.3g without damping, %.3g with\n", little, much);
	assert_true(much < 0.5 * little);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finer_regions_make_finer_wrinkles),
		cmocka_unit_test(plastic_wrinkles_persist),
		cmocka_unit_test(damping_shortens_the_ringing),
		cmocka_unit_test(averages_do_not_tug),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
