// The lean solver against the exact one, on small scenes: it falls as fast, comes to a true rest, moves where regions
// give way, and nothing crosses.
#include "limber/track.h"
#include "test.h"
#include "track/body.h"
#include "track/state.h"

enum
{
	side = 17,
	longest = 60 // frames
};

static const double h = 1.0 / 96; // four steps a frame

typedef struct play
{
	const char* name;
	lm_track_def def;
	void (*guide_at)(const lm_mesh* mesh, double time, double* guide); // NULL: none
	int frames;
	double fall; // m
} play;

static lm_mesh* sheet(double size, double y)
{
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, side * side, 2 * (side - 1) * (side - 1), 0);
	int32_t* t = mesh->triangles;
	for (int v = 0; v < side * side; ++v)
	{
		double* x = mesh->positions + 3 * v;
		x[0] = size * ((double)(v % side) / (side - 1) - 0.5), x[1] = y;
		x[2] = size * ((double)(v / side) / (side - 1) - 0.5);
	}
	for (int j = 0; j + 1 < side; ++j)
		for (int i = 0; i + 1 < side; ++i)
		{
			int32_t a = j * side + i, b = a + 1, c = a + side, d = c + 1;
			const int32_t even[6] = { a, c, d, a, d, b }, odd[6] = { a, c, b, b, c, d };
			memcpy(t, (i + j) % 2 ? odd : even, sizeof even), t += 6;
		}
	return mesh;
}

typedef struct film
{
	double height[longest], speed[longest]; // mean ones, at the end of each frame
	double elastic;
	lm_track_report report;
	lm_track* cloth;
} film;

static film shoot(const play* p, lm_track_method method, int threads)
{
	lm_host host = lm_host_default();
	host.threads = threads;
	lm_track_def def = p->def;
	def.settings.solver = method;
	film f = { .cloth = NULL };
	lm_error error;
	if (lm_track_create(&def, &host, &f.cloth, &error) != LM_OK)
		fail_msg("%s", error.message);
	double* guide = malloc(3 * (size_t)def.mesh->vertex_count * sizeof *guide);
	for (int k = 0; k < 4 * p->frames; ++k)
	{
		if (p->guide_at != NULL)
			p->guide_at(def.mesh, (k + 1) * h, guide);
		assert_int_equal(lm_track_step(f.cloth, h, p->guide_at != NULL ? guide : NULL, k * h, NULL), LM_OK);
		if (k % 4 < 3)
			continue;
		double center[3];
		lm_track_center(f.cloth, center);
		f.height[k / 4] = center[1];
		f.speed[k / 4] = sqrt(2 * lm_track_kinetic_energy(f.cloth) / lm_track_mass(f.cloth));
		assert_int_equal(lm_track_intersections(f.cloth), 0);
	}
	free(guide);
	f.elastic = lm_track_elastic_energy(f.cloth);
	f.report = lm_track_get_report(f.cloth);
	assert_int_equal(f.report.stalled_steps, 0);
	return f;
}

static double mean_speed(const film* f, int from, int to)
{
	double sum = 0;
	for (int k = from; k < to; ++k)
		sum += f->speed[k] / (to - from);
	return sum;
}

// Both runs; the largest difference of heights in the first `frames`, as a share of the fall.
static double compare(const play* p, int frames, film* lean, film* exact)
{
	*lean = shoot(p, LM_TRACK_LEAN, 1), *exact = shoot(p, LM_TRACK_EXACT, 1);
	double most = 0;
	for (int k = 0; k < frames; ++k)
		most = fmax(most, fabs(lean->height[k] - exact->height[k]) / p->fall);
	print_message("%s: heights differ by %.2f %%, iterations %lld and %lld, done again %lld of %lld\n", p->name,
	              100 * most, (long long)lean->report.iterations_sum, (long long)exact->report.iterations_sum,
	              (long long)lean->report.exact_steps, (long long)lean->report.steps);
	assert_true(lean->report.iterations_sum < exact->report.iterations_sum);
	return most;
}

static void end(film* lean, film* exact, lm_mesh* mesh)
{
	lm_track_destroy(lean->cloth), lm_track_destroy(exact->cloth), lm_mesh_destroy(mesh);
}

// A sheet falls on a ball: as fast, and to a rest from which the exact solver does not go on.
static void falls_and_rests(void** state)
{
	(void)state;
	lm_mesh* mesh = sheet(1, 0.5);
	const lm_placement_key key = { .rotation = { 1, 0, 0, 0 } };
	lm_collider_def ball = lm_collider_def_default();
	ball.shape = LM_SHAPE_SPHERE, ball.radius = 0.25, ball.keys = &key, ball.key_count = 1;
	play p = { .name = "drape", .def = lm_track_def_default(), .frames = longest, .fall = 0.5 };
	p.def.mesh = mesh, p.def.colliders = &ball, p.def.collider_count = 1;
	p.def.settings.damping = 0.02, p.def.settings.friction = 0.5;
	film lean, exact;
	assert_true(compare(&p, 18, &lean, &exact) < 0.01); // 0.23 s to the impact, and 0.5 s after it
	double trembling = lean.speed[longest - 1], calm = exact.speed[longest - 1];
	print_message("rest: %.2g and %.2g m/s, elastic %.4g and %.4g J\n", trembling, calm, lean.elastic, exact.elastic);
	assert_true(trembling <= fmax(2 * calm, 2e-3));
	lm_track_settings settings = lm_track_get_settings(lean.cloth);
	settings.solver = LM_TRACK_EXACT;
	assert_int_equal(lm_track_set_settings(lean.cloth, &settings, NULL), LM_OK);
	for (int k = 0; k < 48; ++k)
		assert_int_equal(lm_track_step(lean.cloth, h, NULL, 0, NULL), LM_OK);
	print_message("gone on exactly: %.4g J\n", lm_track_elastic_energy(lean.cloth));
	assert_near(lm_track_elastic_energy(lean.cloth), lean.elastic, 0.01 * lean.elastic);
	end(&lean, &exact, mesh);
}

static void fold_at(const lm_mesh* mesh, double time, double* guide)
{
	double angle = 3.6 * fmin(1, time); // beyond half a turn: through itself
	memcpy(guide, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof *guide);
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		double *g = guide + 3 * (size_t)v, r = g[0];
		if (r > 0)
			g[0] = r * cos(angle), g[1] += r * sin(angle);
	}
}

// The guide folds the sheet through itself: regions give way, about as many and as far, and the cloth goes on moving.
static void gives_way(void** state)
{
	(void)state;
	lm_mesh* mesh = sheet(1, 0);
	play p = { .name = "fold", .def = lm_track_def_default(), .guide_at = fold_at, .frames = 26, .fall = 0.5 };
	p.def.mesh = mesh, p.def.regions = 36;
	film lean, exact;
	assert_true(compare(&p, 19, &lean, &exact) < 0.01); // before they touch
	double share = mean_speed(&lean, 19, 24) / mean_speed(&exact, 19, 24);
	print_message("speed in conflict %.2f of the exact one; gave way %lld and %lld, by %.3g and %.3g m\n", share,
	              (long long)lean.report.gave_way_sum, (long long)exact.report.gave_way_sum, lean.report.missed_max,
	              exact.report.missed_max);
	assert_true(exact.report.gave_way_sum > 50 && share > 0.5);
	assert_true(lean.report.gave_way_sum <= 2 * exact.report.gave_way_sum);
	assert_true(lean.report.exact_steps <= 2);
	end(&lean, &exact, mesh);
}

static void wave_at(const lm_mesh* mesh, double time, double* guide)
{
	memcpy(guide, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof *guide);
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		double* g = guide + 3 * (size_t)v;
		g[0] += 0.3 * sin(6 * time), g[1] += 0.15 * sin(9 * time + 3 * g[0]);
	}
}

// Few regions, wind, no contact: averages are met as exactly, and nothing gives way.
static void follows(void** state)
{
	(void)state;
	lm_mesh* mesh = sheet(1, 0);
	play p = { .name = "flag", .def = lm_track_def_default(), .guide_at = wave_at, .frames = 24, .fall = 0.3 };
	p.def.mesh = mesh, p.def.regions = 4, p.def.settings.wind[2] = 4, p.def.settings.air_drag = 0.4;
	film lean, exact;
	assert_true(compare(&p, 24, &lean, &exact) < 0.01);
	assert_int_equal(lean.report.gave_way_sum, 0);
	assert_true(lean.report.residual_max < 1e-8 && lean.report.exact_steps == 0);
	assert_near(mean_speed(&lean, 12, 24), mean_speed(&exact, 12, 24), 0.1 * mean_speed(&exact, 12, 24));
	end(&lean, &exact, mesh);
}

// A leg swings in a skirt that hangs from its waist: it is pushed along, as far from the leg as the exact one.
static void is_pushed(void** state)
{
	(void)state;
	enum
	{
		around = 32,
		high = 9
	};
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, around * high, 2 * around * (high - 1), 0);
	int32_t* t = mesh->triangles;
	for (int v = 0; v < around * high; ++v)
	{
		double share = (double)(v / around) / (high - 1), angle = 2 * 3.14159265358979 * (v % around) / around;
		double r = 0.14 + 0.1 * share, *x = mesh->positions + 3 * v;
		x[0] = r * cos(angle), x[1] = -0.5 * share, x[2] = r * sin(angle);
		int32_t a = v, b = v / around * around + (v + 1) % around, c = a + around, d = b + around;
		const int32_t two[6] = { a, b, c, b, d, c };
		if (v / around + 1 < high)
			memcpy(t, two, sizeof two), t += 6;
	}
	lm_placement_key keys[8];
	for (int k = 0; k < 8; ++k)
	{
		double angle = 0.6 * (k % 2 ? 1 : -1) * (k > 0);
		keys[k] = (lm_placement_key){ .time = 0.25 * k,
			                          .position = { 0.45 * sin(angle), -0.45 * cos(angle), 0 },
			                          .rotation = { cos(angle / 2), 0, 0, sin(angle / 2) } };
	}
	lm_collider_def leg = lm_collider_def_default();
	leg.shape = LM_SHAPE_CAPSULE, leg.radius = 0.06, leg.half_length = 0.35, leg.keys = keys, leg.key_count = 8;
	play p = { .name = "skirt", .def = lm_track_def_default(), .frames = 0, .fall = 0.25 };
	p.def.mesh = mesh, p.def.colliders = &leg, p.def.collider_count = 1, p.def.settings.thickness = 0.006;
	film films[2];
	for (int i = 0; i < 2; ++i)
	{
		films[i] = shoot(&p, i == 0 ? LM_TRACK_LEAN : LM_TRACK_EXACT, 1);
		for (int v = 0; v < around; ++v)
			assert_int_equal(lm_track_pin(films[i].cloth, v, mesh->positions + 3 * (size_t)v, NULL), LM_OK);
	}
	double most = 0, lag = 0;
	for (int k = 0; k < 4 * 14; ++k)
	{
		double centers[2][3];
		for (int i = 0; i < 2; ++i)
		{
			assert_int_equal(lm_track_step(films[i].cloth, h, NULL, k * h, NULL), LM_OK);
			lm_track_center(films[i].cloth, centers[i]);
			lag = fmax(lag, lm_track_get_report(films[i].cloth).collider_lag);
			assert_true(k % 4 < 3 || lm_track_intersections(films[i].cloth) == 0);
		}
		for (int i = 0; i < 3; ++i)
			most = fmax(most, fabs(centers[0][i] - centers[1][i]));
	}
	lm_track_report lean = lm_track_get_report(films[0].cloth), exact = lm_track_get_report(films[1].cloth);
	print_message("skirt: centers differ by %.1f mm, iterations %lld and %lld\n", 1000 * most,
	              (long long)lean.iterations_sum, (long long)exact.iterations_sum);
	assert_near(lag, 0, 0);
	assert_true(most < 0.02 && lean.stalled_steps == 0 && lean.gave_way_sum <= 2 * exact.gave_way_sum);
	end(&films[0], &films[1], mesh);
}

static void go_on(lm_track* cloth, const lm_mesh* mesh, int from, int steps)
{
	double* guide = malloc(3 * (size_t)mesh->vertex_count * sizeof *guide);
	for (int k = from; k < from + steps; ++k)
	{
		fold_at(mesh, (k + 1) * h, guide);
		assert_int_equal(lm_track_step(cloth, h, guide, k * h, NULL), LM_OK);
	}
	free(guide);
}

// Conflict and contact: the same bits for any number of threads, and for one that begins anew from what was saved,
// without pairs, candidates and factorisation.
static void same_bits(void** state)
{
	(void)state;
	lm_mesh* mesh = sheet(1, 0);
	play p = { .name = "fold", .def = lm_track_def_default(), .guide_at = fold_at, .frames = 21, .fall = 0.5 };
	p.def.mesh = mesh, p.def.regions = 36;
	uint64_t expected = 0, later = 0;
	for (int threads = 1; threads <= 4; threads *= 2)
	{
		film f = shoot(&p, LM_TRACK_LEAN, threads);
		expected = threads == 1 ? lm_track_hash(f.cloth) : expected;
		assert_true(lm_track_hash(f.cloth) == expected && f.report.gave_way_sum > 0);
		lm_host host = lm_host_default();
		lm_blob blob;
		lm_blob_init(&blob, &host);
		lm_track_save(f.cloth, &blob);
		lm_track* other = NULL;
		assert_int_equal(lm_track_create(&p.def, &host, &other, NULL), LM_OK);
		assert_int_equal(lm_track_load(other, &blob, NULL), LM_OK);
		assert_true(lm_track_hash(other) == expected);
		go_on(f.cloth, mesh, 84, 6), go_on(other, mesh, 84, 6);
		later = threads == 1 ? lm_track_hash(f.cloth) : later;
		assert_true(lm_track_hash(f.cloth) == later && lm_track_hash(other) == later && later != expected);
		lm_track_destroy(f.cloth), lm_track_destroy(other);
		lm_blob_release(&blob);
	}
	lm_mesh_destroy(mesh);
}

// So stiff that factors in single precision fail: they are in double then, and no step is done again. One that goes on
// from what was saved tries single precision as late as the other.
static void stiff_cloth_takes_double(void** state)
{
	(void)state;
	lm_mesh* mesh = sheet(1, 0);
	play p = { .name = "stiff", .def = lm_track_def_default(), .guide_at = wave_at, .frames = 2, .fall = 0.5 };
	p.def.mesh = mesh, p.def.regions = 4, p.def.settings.stretch = 1e9;
	film f = shoot(&p, LM_TRACK_LEAN, 1);
	print_message("stiff: %d steps in double to go, %lld of %lld done again\n", f.cloth->double_steps,
	              (long long)f.report.exact_steps, (long long)f.report.steps);
	assert_true(f.cloth->double_steps > 0 && f.report.exact_steps == 0);
	lm_host host = lm_host_default();
	lm_blob blob;
	lm_blob_init(&blob, &host);
	lm_track_save(f.cloth, &blob);
	lm_track* other = NULL;
	assert_int_equal(lm_track_create(&p.def, &host, &other, NULL), LM_OK);
	assert_int_equal(lm_track_load(other, &blob, NULL), LM_OK);
	go_on(f.cloth, mesh, 8, 6), go_on(other, mesh, 8, 6);
	assert_true(lm_track_hash(f.cloth) == lm_track_hash(other) && f.cloth->double_steps == other->double_steps);
	lm_track_destroy(f.cloth), lm_track_destroy(other), lm_mesh_destroy(mesh);
	lm_blob_release(&blob);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(falls_and_rests), cmocka_unit_test(gives_way), cmocka_unit_test(follows),
		cmocka_unit_test(is_pushed),       cmocka_unit_test(same_bits), cmocka_unit_test(stiff_cloth_takes_double),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
