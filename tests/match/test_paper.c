// The method LM_MATCH_PAPER is the paper as printed, and differs from ours where docs/match.md says so. `--write`
// writes the table there anew.
#include "shapes.h"

#include "../../bench/reference.h"
#include "match/body.h"
#include "math/svd.h"

static bool write_table;

typedef struct fixture
{
	lm_host host;
	lm_mesh* mesh;
	double* examples[3];
	int32_t* groups;
	lm_match_def def;
} fixture;

static int set_up(void** state)
{
	fixture* f = calloc(1, sizeof *f);
	f->host = lm_host_default();
	f->mesh = grid_mesh(&f->host, 3, 7, 3, 0.1, 0.1, 0.1);
	f->examples[0] = twisted(f->mesh, 1.5);
	f->examples[1] = stretched(f->mesh, 1.4);
	f->examples[2] = s_shaped(f->mesh, 0.5);
	f->groups = calloc((size_t)f->mesh->vertex_count, sizeof *f->groups);
	for (int32_t i = 0; i < f->mesh->vertex_count; ++i)
		f->groups[i] = f->mesh->positions[3 * i + 1] > 0.35;
	f->def = lm_match_def_default();
	f->def.mesh = f->mesh;
	f->def.method = LM_MATCH_PAPER;
	f->def.example_count = 3;
	f->def.examples = (const double* const*)f->examples;
	f->def.region_groups = f->groups, f->def.group_count = 2;
	memset(f->def.settings.gravity, 0, sizeof f->def.settings.gravity);
	*state = f;
	return 0;
}

static int tear_down(void** state)
{
	fixture* f = *state;
	for (int k = 0; k < 3; ++k)
		free(f->examples[k]);
	free(f->groups);
	lm_mesh_destroy(f->mesh);
	free(f);
	return 0;
}

// The plain implementation in bench/, which shares no line with ours, moves alike: Eq. 1 to 7, for one row of weights,
// for groups and for every region on its own.
static void test_moves_as_the_reference(void** state)
{
	fixture* f = *state;
	int n = f->mesh->vertex_count;
	int32_t* each = calloc((size_t)n, sizeof *each);
	double *start = twisted(f->mesh, -1), *x = malloc((size_t)n * 24), gone = 0;
	uint64_t seed = 3;
	for (int i = 0; i < n; ++i)
	{
		each[i] = i;
		for (int k = 0; k < 3; ++k)
			start[3 * i + k] += 0.01 * test_random(&seed) + 0.2 * f->mesh->positions[3 * i + 1] * (k == 0);
	}
	f->def.start = start;
	f->def.settings.alpha = 0.3, f->def.settings.beta = 0.9, f->def.settings.gravity[1] = -9.81;
	reference_def plain = { .mesh = f->mesh,
		                    .start = start,
		                    .example_count = 3,
		                    .examples = f->def.examples,
		                    .alpha = 0.3,
		                    .beta = 0.9,
		                    .h = 1.0 / 100,
		                    .gravity = { 0, -9.81, 0 },
		                    .density = 1000 };
	for (int locality = LM_MATCH_GLOBAL; locality <= LM_MATCH_EACH; ++locality)
	{
		f->def.locality = locality;
		plain.groups = locality == LM_MATCH_GROUPS ? f->groups : locality == LM_MATCH_EACH ? each : NULL;
		plain.group_count = locality == LM_MATCH_GROUPS ? 2 : n;
		lm_match* body = make_body(&f->def, &f->host);
		reference* other = reference_create(&plain);
		for (int step = 0; step < 30; ++step)
		{
			lm_match_step(body, plain.h, NULL, step * plain.h);
			reference_step(other, NULL);
			double weights[4];
			lm_match_weights(body, 0, weights);
			for (int k = 0; k < 3; ++k)
				assert_near(weights[k + 1], reference_weights(other, 0)[k], 2e-4);
		}
		lm_match_positions(body, x);
		for (int k = 0; k < 3 * n; ++k)
		{
			assert_near(x[k], reference_positions(other)[k], 2e-5);
			gone = fmax(gone, fabs(x[k] - start[k]));
		}
		lm_match_destroy(body);
		reference_destroy(other);
	}
	assert_true(gone > 0.1);
	free(each);
	free(start);
	free(x);
}

// Eq. 4 and 5 on one tetrahedron without examples, twice as long as at rest: its goal is the rest shape.
static void test_takes_alpha_of_the_way(void** state)
{
	fixture* f = *state;
	lm_mesh* tet = lm_mesh_create(&f->host, 4, 0, 1);
	static const double corners[12] = { 1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1 };
	memcpy(tet->positions, corners, sizeof corners);
	memcpy(tet->tets, (const int32_t[4]){ 0, 1, 2, 3 }, 4 * sizeof(int32_t));
	double start[12], v[12];
	for (int k = 0; k < 12; ++k)
		start[k] = corners[k] * (k % 3 == 1 ? 2 : 1);
	f->def.mesh = tet, f->def.example_count = 0, f->def.start = start;
	f->def.settings.alpha = 0.3;
	lm_match* body = make_body(&f->def, &f->host);
	lm_match_step(body, 0.02, NULL, 0);
	lm_match_velocities(body, v);
	for (int k = 0; k < 12; ++k)
		assert_near(v[k], 0.3 * (corners[k] - start[k]) / 0.02, 1e-4);
	assert_int_equal(lm_match_get_report(body).steps, 1);
	lm_match_destroy(body);
	lm_mesh_destroy(tet);
}

// "set to zero, and its absolute value is divided by n and subtracted from all the other weights".
static void test_rule_of_thumb(void** state)
{
	(void)state;
	double once[3] = { 0.9, 0.4, -0.3 };
	assert_int_equal(lm_match_remove_negative(2, once), 1);
	assert_near(once[0], 0.75, 1e-15);
	assert_near(once[1], 0.25, 1e-15);
	assert_near(once[2], 0, 0);
	double for_ever[3] = { 3, -1, -1 }; // -1.5 / 2 after a round, -0.75 / 2 after the next, and so on
	assert_int_equal(lm_match_remove_negative(2, for_ever), 4);
	assert_near(for_ever[0] + for_ever[1] + for_ever[2], 1, 1e-15);
	for (int k = 0; k < 3; ++k)
		assert_true(for_ever[k] >= 0);
}

// ---- where the two differ ----

typedef struct row
{
	const char* what;
	double ours, paper;
} row;

enum
{
	ROWS = 6
};

// The angle by which the lowest layer has turned against the highest, about y, in radians.
static double turn_of(const lm_mesh* mesh, const double* x)
{
	double low[3], high[3], cross[2] = { 0 }, dot[2] = { 0 }, middle[2][2] = { { 0 } }, count[2] = { 0 };
	lm_mesh_bounds(mesh->positions, mesh->vertex_count, low, high);
	double cx = (low[0] + high[0]) / 2, cz = (low[2] + high[2]) / 2;
	for (int pass = 0; pass < 2; ++pass)
		for (int i = 0; i < mesh->vertex_count; ++i)
		{
			const double *X = mesh->positions + 3 * i, *p = x + 3 * i;
			int end = X[1] > high[1] - 1e-9 ? 1 : X[1] < low[1] + 1e-9 ? 0 : -1;
			if (end < 0)
				continue;
			if (pass == 0)
				middle[end][0] += p[0], middle[end][1] += p[2], ++count[end];
			else
			{
				double px = p[0] - middle[end][0] / count[end], pz = p[2] - middle[end][1] / count[end];
				cross[end] += (X[0] - cx) * pz - (X[2] - cz) * px, dot[end] += (X[0] - cx) * px + (X[2] - cz) * pz;
			}
		}
	return fabs(atan2(cross[1], dot[1]) - atan2(cross[0], dot[0]));
}

static double turn_of_body(const lm_mesh* mesh, const lm_match* body)
{
	double* x = malloc((size_t)mesh->vertex_count * 24);
	lm_match_positions(body, x);
	double turn = turn_of(mesh, x);
	free(x);
	return turn;
}

static void run(lm_match* body, double seconds, double h)
{
	for (int step = 0; step < (int)lround(seconds / h); ++step)
		lm_match_step(body, h, NULL, step * h);
}

// The same stiffness for both at steps of 1/240 s: alpha = (2 pi f h)^2.
static void soften(lm_match_def* def, double frequency)
{
	double wh = LM_TURN * frequency / 240;
	def->settings.frequency = frequency, def->settings.alpha = wh * wh;
}

// How long a bar that hangs from its top has become after two seconds, of its length.
static double sinks(lm_match_def def, const fixture* f, double h)
{
	def.settings.gravity[1] = -9.81, def.settings.drag = 4;
	lm_match* body = make_body(&def, &f->host);
	for (int i = 0; i < f->mesh->vertex_count; ++i)
		if (f->mesh->positions[3 * i + 1] > 0.699)
			lm_match_pin(body, i, f->mesh->positions + 3 * i);
	run(body, 2, h);
	double* x = malloc((size_t)f->mesh->vertex_count * 24);
	lm_match_positions(body, x);
	double low[3], high[3];
	lm_mesh_bounds(x, f->mesh->vertex_count, low, high);
	free(x);
	lm_match_destroy(body);
	return (high[1] - low[1]) / 0.7 - 1;
}

// Share of the twist that is left of a body that started in its only example, beta 1.
static double keeps_example(lm_match_def def, const fixture* f, double seconds)
{
	def.example_count = 1, def.start = f->examples[0];
	def.settings.beta = 1, def.settings.drag = 2;
	lm_match* body = make_body(&def, &f->host);
	run(body, seconds, 1.0 / 240);
	double left = turn_of_body(f->mesh, body) / turn_of(f->mesh, f->examples[0]);
	lm_match_destroy(body);
	return left;
}

// Largest kinetic energy in the last of ten seconds over that in the first, without damping or drag.
static double energy_ratio(lm_match_def def, const fixture* f)
{
	double *start = stretched(f->mesh, 0.8), most[2] = { 0 };
	def.start = start, def.settings.damping = 0, def.settings.beta = 1;
	lm_match* body = make_body(&def, &f->host);
	for (int step = 0; step < 2400; ++step)
	{
		lm_match_step(body, 1.0 / 240, NULL, step / 240.0);
		if (step < 240 || step >= 2160)
			most[step >= 240] = fmax(most[step >= 240], lm_match_kinetic_energy(body));
	}
	lm_match_destroy(body);
	free(start);
	return fmin(most[1] / most[0], 10);
}

// Volume after four seconds of a body that starts mirrored, of that at rest.
static double unfolds(lm_match_def def, const fixture* f)
{
	double* start = stretched(f->mesh, -1);
	def.start = start, def.example_count = 0, def.settings.drag = 1;
	lm_match* body = make_body(&def, &f->host);
	run(body, 4, 1.0 / 240);
	double volume = 0, whole = 0.3 * 0.3 * 0.7;
	lm_match_positions(body, start);
	for (int e = 0; e < f->mesh->tet_count; ++e)
	{
		const int32_t* t = f->mesh->tets + 4 * e;
		lm_vec3 a = lm_v3_at(start, t[0]), b = lm_sub(lm_v3_at(start, t[1]), a), c = lm_sub(lm_v3_at(start, t[2]), a);
		volume += lm_dot(lm_cross(b, c), lm_sub(lm_v3_at(start, t[3]), a)) / 6;
	}
	lm_match_destroy(body);
	free(start);
	return volume / whole;
}

static void measure_rows(const fixture* f, row rows[ROWS])
{
	static const char* const names[ROWS] = {
		"a bar that hangs, steps of 1/240 s: longer by",
		"the same with steps of 1/480 s: longer by",
		"started in a twist, beta 1: left of it after 1 s",
		"after 4 s",
		"undamped, three examples: largest kinetic energy in the 10th second, of that in the 1st (10: or more)",
		"started as its mirror image: volume after 4 s, of that at rest",
	};
	for (int paper = 0; paper < 2; ++paper)
	{
		lm_match_def def = f->def;
		def.method = paper ? LM_MATCH_PAPER : LM_MATCH_OURS;
		soften(&def, 12);
		lm_match_def plain = def;
		plain.example_count = 0;
		const double values[ROWS] = { sinks(plain, f, 1.0 / 240), sinks(plain, f, 1.0 / 480), keeps_example(def, f, 1),
			                          keeps_example(def, f, 4),   energy_ratio(def, f),       unfolds(def, f) };
		for (int k = 0; k < ROWS; ++k)
		{
			rows[k].what = names[k];
			*(paper ? &rows[k].paper : &rows[k].ours) = values[k];
		}
	}
}

static char* read_page(const char* path)
{
	FILE* file = fopen(path, "rb");
	assert_non_null(file);
	char* text = calloc(1, 1 << 20);
	assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	return text;
}

// The page has these rows; numbers may differ by what another processor or compiler rounds.
static void test_differs_where_the_page_says(void** state)
{
	row rows[ROWS];
	measure_rows(*state, rows);
	static const char path[] = LIMBER_SOURCE "/docs/match.md", begin[] = "<!-- table: test_match_paper -->\n";
	char* page = read_page(path);
	char* table = strstr(page, begin);
	assert_non_null(table);
	table += strlen(begin);
	char* end = strstr(table, "<!-- end of table -->");
	assert_non_null(end);
	FILE* file = write_table ? fopen(path, "wb") : NULL;
	if (file != NULL)
	{
		fprintf(file, "%.*s| | ours | paper |\n| --- | --- | --- |\n", (int)(table - page), page);
		for (int k = 0; k < ROWS; ++k)
			fprintf(file, "| %s | %.3g | %.3g |\n", rows[k].what, rows[k].ours, rows[k].paper);
		fprintf(file, "%s", end);
		fclose(file);
	}
	for (int k = 0; file == NULL && k < ROWS; ++k)
	{
		char* found = strstr(table, rows[k].what);
		double ours, paper;
		assert_non_null(found);
		assert_int_equal(sscanf(found + strlen(rows[k].what), " | %lf | %lf |", &ours, &paper), 2);
		assert_near(ours, rows[k].ours, 0.02 + 0.1 * fabs(ours));
		assert_near(paper, rows[k].paper, 0.02 + 0.1 * fabs(paper));
	}
	free(page);
	assert_near(rows[0].ours, rows[1].ours, 0.03 * rows[0].ours); // the step does not matter to ours
	assert_true(rows[1].paper < 0.4 * rows[0].paper);             // four times as stiff at half the step
	assert_true(rows[3].ours > 0.95 && rows[3].paper < 0.5);
	assert_true(rows[4].ours < 1.5 && rows[4].paper > 3 && rows[5].ours > 0.9 && rows[5].paper < -0.9);
}

// Bit-identical for any number of threads; examples that repeat each other or rest, and a body without extent in one
// direction, give numbers.
static void test_is_sound(void** state)
{
	fixture* f = *state;
	lm_mesh* large = grid_mesh(&f->host, 12, 30, 5, 0.1, 0.1, 0.1);
	double *twist = twisted(large, 1), *start = twisted(large, -1);
	const double* examples[] = { twist, twist, large->positions };
	f->def.mesh = large, f->def.examples = examples, f->def.start = start;
	uint64_t hashes[3];
	for (int k = 0; k < 3; ++k)
	{
		lm_host host = f->host;
		host.threads = 1 << k;
		lm_match* body = make_body(&f->def, &host);
		run(body, 0.1, 1.0 / 60);
		hashes[k] = lm_match_hash(body);
		lm_match_report report = lm_match_get_report(body);
		assert_true(report.weights_min >= 0 && report.weights_sum_max <= 1 + 1e-9 && report.recovered == 0);
		lm_match_destroy(body);
	}
	assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
	for (int i = 0; i < large->vertex_count; ++i)
		start[3 * i + 2] = 0; // flat
	lm_match* body = make_body(&f->def, &f->host);
	run(body, 0.1, 1.0 / 60);
	assert_true(isfinite(lm_match_kinetic_energy(body)));
	lm_match_destroy(body);
	free(twist);
	free(start);
	lm_mesh_destroy(large);
}

int main(int argc, char** argv)
{
	write_table = argc > 1 && strcmp(argv[1], "--write") == 0;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_moves_as_the_reference, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_takes_alpha_of_the_way, set_up, tear_down),
		cmocka_unit_test(test_rule_of_thumb),
		cmocka_unit_test_setup_teardown(test_differs_where_the_page_says, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_is_sound, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
