// The outside of the engine: bad input, memory, saving, directing, reading, contact.
#include "shapes.h"

#include "base/blob.h"
#include "match/body.h"
#include "match/state.h"

#include "limber/contact.h"

typedef struct fixture
{
	lm_host host;
	lm_mesh* mesh;
	double* pose;
	const double* examples[2];
	lm_match_def def;
} fixture;

static fixture make_fixture(int nx, int ny, int nz)
{
	fixture f = { .host = lm_host_default() };
	f.mesh = grid_mesh(&f.host, nx, ny, nz, 0.1, 0.1, 0.1);
	f.pose = twisted(f.mesh, 1);
	f.examples[0] = f.examples[1] = f.pose;
	f.def = lm_match_def_default();
	f.def.settings.frequency = 10;
	f.def.mesh = f.mesh, f.def.example_count = 1;
	f.def.settings.gravity[1] = 0;
	return f;
}

static void free_fixture(fixture* f)
{
	free(f->pose);
	lm_mesh_destroy(f->mesh);
}

static void expect_bad(const lm_match_def* def, const char* word)
{
	lm_host host = lm_host_default();
	lm_match* body = NULL;
	lm_error error = { 0 };
	lm_status status = lm_match_create(def, &host, &body, &error);
	if (status != LM_BAD_INPUT || strstr(error.message, word) == NULL)
		print_error("wanted \"%s\", got %d: %s\n", word, (int)status, error.message);
	assert_int_equal(status, LM_BAD_INPUT);
	assert_non_null(strstr(error.message, word));
	assert_null(body);
}

static void test_bad_settings(void** state)
{
	(void)state;
	fixture f = make_fixture(1, 2, 1);
	f.def.examples = f.examples;
	struct
	{
		double* value;
		double bad;
		const char* word;
	} cases[] = {
		{ &f.def.settings.frequency, -1, "frequency" },  { &f.def.settings.frequency, 1001, "frequency" },
		{ &f.def.settings.frequency, NAN, "frequency" }, { &f.def.settings.damping, -0.1, "damping" },
		{ &f.def.settings.damping, 2.1, "damping" },     { &f.def.settings.drag, -1, "drag" },
		{ &f.def.settings.beta, 1.01, "beta" },          { &f.def.settings.gravity[2], INFINITY, "gravity" },
		{ &f.def.settings.friction, -1, "friction" },    { &f.def.settings.restitution, 2, "restitution" },
		{ &f.def.settings.thickness, -1, "thickness" },  { &f.def.density, 0, "density" },
	};
	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
	{
		double good = *cases[k].value;
		*cases[k].value = cases[k].bad;
		expect_bad(&f.def, cases[k].word);
		*cases[k].value = good;
	}
	lm_match* body = make_body(&f.def, &f.host);
	lm_match_settings settings = lm_match_get_settings(body);
	settings.beta = -1;
	lm_error error = { 0 };
	assert_int_equal(lm_match_set_settings(body, &settings, &error), LM_BAD_INPUT);
	assert_near(lm_match_get_settings(body).beta, 0.995, 0);
	settings.beta = 0.5;
	assert_int_equal(lm_match_set_settings(body, &settings, NULL), LM_OK);
	assert_near(lm_match_get_settings(body).beta, 0.5, 0);
	lm_match_destroy(body);
	free_fixture(&f);
}

static void test_bad_definitions(void** state)
{
	(void)state;
	fixture f = make_fixture(1, 2, 1);
	f.def.examples = f.examples;
	lm_match_def def = f.def;
	def.ring = 0, expect_bad(&def, "ring"), def.ring = 9, expect_bad(&def, "ring"), def.ring = 1;
	def.example_count = 65, expect_bad(&def, "examples"), def.example_count = 1;
	def.examples = NULL, expect_bad(&def, "example 0 is NULL"), def.examples = f.examples;
	def.locality = 3, expect_bad(&def, "locality 3"), def.locality = LM_MATCH_GLOBAL;
	int32_t groups[12] = { 0 };
	def.locality = LM_MATCH_GROUPS, expect_bad(&def, "groups");
	def.region_groups = groups, def.group_count = 4097, expect_bad(&def, "groups");
	def.group_count = 2, groups[7] = 2, expect_bad(&def, "vertex 7");
	def = f.def;
	double masses[12] = { 1, 1, 1, 0 };
	def.masses = masses, expect_bad(&def, "vertex 3"), def.masses = NULL;
	f.pose[3 * 4] = NAN, expect_bad(&def, "example 0: vertex 4"), f.pose[3 * 4] = 0;
	def.start = f.pose, f.pose[3 * 5 + 1] = INFINITY, def.example_count = 0, expect_bad(&def, "start: vertex 5");
	def.start = NULL;
	double keep = f.mesh->positions[30];
	f.mesh->positions[30] = NAN, expect_bad(&def, "rest shape: vertex 10"), f.mesh->positions[30] = keep;
	int32_t corner = f.mesh->tets[9];
	f.mesh->tets[9] = 12, expect_bad(&def, "tetrahedron 2"), f.mesh->tets[9] = corner;
	for (int k = 0; k < 12; ++k)
		f.mesh->positions[3 * k + 2] = 0;
	expect_bad(&def, "no volume");
	memset(f.mesh->positions, 0, 12 * 24);
	expect_bad(&def, "extent");
	f.mesh->tet_count = 0;
	expect_bad(&def, "only points");
	f.mesh->vertex_count = 0;
	expect_bad(&def, "no vertices");
	free_fixture(&f);
	if (lm_simd_best() < LM_SIMD_AVX512)
	{
		f = make_fixture(1, 1, 1);
		f.def.example_count = 0, f.host.simd = LM_SIMD_AVX512;
		lm_match* body = NULL;
		lm_error error;
		assert_int_equal(lm_match_create(&f.def, &f.host, &body, &error), LM_UNSUPPORTED);
		free_fixture(&f);
	}
}

static void test_every_allocation_may_fail(void** state)
{
	(void)state;
	fixture f = make_fixture(2, 3, 2);
	int32_t* groups = calloc((size_t)f.mesh->vertex_count, sizeof *groups);
	f.def.examples = f.examples, f.def.example_count = 2, f.def.region_groups = groups, f.def.group_count = 1;
	double* tall = stretched(f.mesh, 1.2); // examples that are stretches are kept in another way
	for (int kind = 0; kind <= LM_MATCH_EACH + 1; ++kind)
		for (int64_t fail_at = 1;; ++fail_at)
		{
			f.def.locality = kind <= LM_MATCH_EACH ? (lm_match_locality)kind : LM_MATCH_GLOBAL;
			f.examples[0] = f.examples[1] = kind <= LM_MATCH_EACH ? f.pose : tall;
			test_memory memory = { .fail_at = fail_at };
			lm_host host = test_host(&memory);
			lm_match* pair[2] = { NULL, NULL };
			lm_error error = { 0 };
			lm_status status = lm_match_create(&f.def, &host, &pair[0], &error);
			if (status == LM_OK)
				status = lm_match_create(&f.def, &host, &pair[1], &error);
			if (status == LM_OK)
			{
				pair[0]->settings.self_contact = true;
				status = lm_match_collide(pair, 2, 1.0 / 60, &error);
			}
			lm_match_destroy(pair[0]);
			lm_match_destroy(pair[1]);
			assert_int_equal(memory.held, 0);
			if (status == LM_OK)
				break;
			assert_int_equal(status, LM_NO_MEMORY);
			assert_true(fail_at < 2000);
		}
	free(groups), free(tall);
	free_fixture(&f);
}

// A busy scene: groups, pins, drags, pushes, colliders.
static void direct(lm_match* body, int frame)
{
	const double target[3] = { 0.02 * frame, 0.3, 0 }, there[3] = { 0, 1, 0.5 }, impulse[3] = { 0, 3, 1 };
	int32_t vertices[] = { 3, 4, 5 };
	if (frame < 20)
		lm_match_pin(body, 0, target);
	if (frame == 20)
		lm_match_unpin(body, 0);
	if (frame == 5)
		lm_match_drag(body, 9, there, 500);
	if (frame == 30)
		lm_match_drag(body, 9, there, 0);
	if (frame % 7 == 0)
		lm_match_push(body, vertices, 3, impulse);
	if (frame == 12)
		lm_match_set_example(body, 0, 0.4);
}

static lm_colliders* ground(const lm_host* host)
{
	lm_collider_def plane = lm_collider_def_default();
	lm_placement_key key = { .position = { 0, -0.5, 0 }, .rotation = { 1, 0, 0, 0 } };
	plane.key_count = 1, plane.keys = &key;
	lm_colliders* colliders = NULL;
	assert_int_equal(lm_colliders_create(&plane, 1, host, &colliders, NULL), LM_OK);
	return colliders;
}

static void test_hash_does_not_depend_on_threads(void** state)
{
	(void)state;
	fixture f = make_fixture(11, 21, 11); // more than 8 chunks
	f.def.examples = f.examples;
	f.def.settings.gravity[1] = -9.81;
	for (f.def.locality = LM_MATCH_GLOBAL; f.def.locality <= LM_MATCH_EACH; f.def.locality += 2)
	{
		uint64_t hash[3];
		for (int k = 0; k < 3; ++k)
		{
			lm_host host = f.host;
			host.threads = 1 << k;
			lm_colliders* colliders = ground(&host);
			lm_match* body = make_body(&f.def, &host);
			assert_int_equal(body->threads, host.threads);
			for (int frame = 0; frame < 30; ++frame)
			{
				direct(body, frame);
				lm_match_step(body, 1.0 / 60, colliders, frame / 60.0);
			}
			hash[k] = lm_match_hash(body);
			lm_match_destroy(body);
			lm_colliders_destroy(colliders);
		}
		assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
	}
	free_fixture(&f);
}

static void test_saved_state_continues_bit_for_bit(void** state)
{
	(void)state;
	fixture f = make_fixture(3, 7, 2);
	int32_t* groups = calloc((size_t)f.mesh->vertex_count, sizeof *groups);
	for (int i = 0; i < f.mesh->vertex_count; ++i)
		groups[i] = i % 3;
	f.def.examples = f.examples, f.def.region_groups = groups, f.def.group_count = 3;
	for (f.def.locality = LM_MATCH_GLOBAL; f.def.locality <= LM_MATCH_EACH; ++f.def.locality)
	{
		lm_match *a = make_body(&f.def, &f.host), *b = make_body(&f.def, &f.host);
		lm_blob blob;
		lm_blob_init(&blob, &f.host);
		for (int frame = 0; frame < 40; ++frame)
		{
			if (frame == 15)
			{
				lm_match_save(a, &blob);
				assert_false(blob.failed);
				assert_int_equal(lm_match_load(b, &blob, NULL), LM_OK);
				assert_int_equal(blob.cursor, blob.size);
				assert_true(lm_match_hash(a) == lm_match_hash(b));
			}
			direct(a, frame);
			lm_match_step(a, 1.0 / 60, NULL, frame / 60.0);
			if (frame >= 15)
			{
				direct(b, frame);
				lm_match_step(b, 1.0 / 60, NULL, frame / 60.0);
			}
		}
		assert_true(lm_match_hash(a) == lm_match_hash(b));
		uint64_t before = lm_match_hash(b);
		lm_error error = { 0 };
		blob.cursor = 0, blob.size -= 100; // truncated
		assert_int_equal(lm_match_load(b, &blob, &error), LM_BAD_INPUT);
		blob.cursor = 8, blob.size += 100; // something else
		assert_int_equal(lm_match_load(b, &blob, &error), LM_BAD_INPUT);
		assert_true(lm_match_hash(b) == before);
		lm_blob_release(&blob);
		lm_match_destroy(a);
		lm_match_destroy(b);
	}
	free(groups);
	free_fixture(&f);
}

static void test_pins_hold_and_move(void** state)
{
	(void)state;
	fixture f = make_fixture(2, 5, 2);
	f.def.example_count = 0, f.def.settings.gravity[1] = -9.81, f.def.settings.damping = 1;
	f.def.settings.frequency = 20;
	lm_match* body = make_body(&f.def, &f.host);
	double x[3 * 54], corner[3];
	for (int v = 0; v < 54; ++v)
		if (f.mesh->positions[3 * v + 1] > 0.45)
			lm_match_pin(body, v, f.mesh->positions + 3 * v);
	for (int k = 0; k < 120; ++k)
		lm_match_step(body, 1.0 / 60, NULL, k / 60.0);
	lm_match_positions(body, x);
	for (int v = 0; v < 54; ++v)
		for (int k = 0; k < 3; ++k)
		{
			if (f.mesh->positions[3 * v + 1] > 0.45)
				assert_near(x[3 * v + k], f.mesh->positions[3 * v + k], 1e-7);
			assert_near(x[3 * v + k], f.mesh->positions[3 * v + k], 0.2); // hangs, and does not fall
		}
	memcpy(corner, f.mesh->positions + 3 * 5, sizeof corner);
	for (int k = 0; k < 3; ++k)
		corner[k] += 0.05;
	lm_match_pin(body, 5, corner);
	lm_match_step(body, 1.0 / 60, NULL, 2);
	lm_match_positions(body, x);
	for (int v = 0; v < 54; ++v)
		if (v == 5)
			for (int k = 0; k < 3; ++k)
				assert_near(x[3 * v + k], corner[k], 1e-7);
	for (int v = 0; v < 54; ++v)
		lm_match_unpin(body, v);
	assert_int_equal(body->handle_count, 0);
	for (int k = 0; k < 60; ++k)
		lm_match_step(body, 1.0 / 60, NULL, k / 60.0);
	lm_match_center(body, corner);
	assert_true(corner[1] < -3);
	lm_match_destroy(body);
	free_fixture(&f);
}

static void test_drag_of_any_strength(void** state)
{
	(void)state;
	fixture f = make_fixture(2, 3, 2);
	f.def.example_count = 0, f.def.settings.damping = 0.5;
	const double strengths[] = { 10, 1e4, 1e12 }, target[3] = { 1, 1, 1 }, close[] = { 0.02, 0.005, 1e-6 };
	for (int s = 0; s < 3; ++s)
	{
		lm_match* body = make_body(&f.def, &f.host);
		lm_match_drag(body, 7, target, strengths[s]);
		for (int k = 0; k < 2400; ++k)
		{
			lm_match_step(body, 1.0 / 60, NULL, 0);
			double centre[3];
			lm_match_center(body, centre);
			assert_true(fabs(centre[0]) < 10 && fabs(centre[1]) < 10 && fabs(centre[2]) < 10);
		}
		double x[3 * 36];
		lm_match_positions(body, x);
		for (int k = 0; k < 3; ++k)
			assert_near(x[21 + k], 1, close[s]);
		lm_match_drag(body, 7, target, 0);
		assert_int_equal(body->handle_count, 0);
		assert_int_equal(lm_match_get_report(body).recovered, 0);
		lm_match_destroy(body);
	}
	free_fixture(&f);
}

static void test_push_gives_the_impulse(void** state)
{
	(void)state;
	fixture f = make_fixture(2, 3, 2);
	f.def.example_count = 0;
	lm_match* body = make_body(&f.def, &f.host);
	int32_t vertices[] = { 1, 20, 30 };
	const double impulse[3] = { 3, -1, 2 };
	lm_match_push(body, vertices, 3, impulse);
	double v[3 * 36], before[3], after[3];
	lm_match_velocities(body, v);
	assert_near(v[3], v[60], 1e-6); // shared by mass: the same velocity
	lm_match_center(body, before);
	for (int k = 0; k < 60; ++k)
		lm_match_step(body, 1.0 / 60, NULL, 0);
	lm_match_center(body, after);
	for (int k = 0; k < 3; ++k)
		assert_near(after[k] - before[k], impulse[k] / lm_match_mass(body), 1e-4);
	assert_near(lm_match_mass(body), 1000 * 0.2 * 0.3 * 0.2, 1e-3);
	lm_match_destroy(body);
	free_fixture(&f);
}

static void test_reading(void** state)
{
	(void)state;
	fixture f = make_fixture(2, 3, 2);
	f.def.examples = f.examples, f.def.locality = LM_MATCH_EACH;
	double start[3 * 36], origin[3];
	for (int k = 0; k < 108; ++k)
		start[k] = f.mesh->positions[k] + (k % 3 == 0 ? 5000 : 0);
	f.def.start = start, f.def.start_velocities = start;
	lm_match* body = make_body(&f.def, &f.host);
	double x[3 * 36];
	lm_match_positions(body, x);
	const float* floats = lm_match_floats(body, origin);
	for (int v = 0; v < 36; ++v)
		for (int k = 0; k < 3; ++k)
		{
			assert_near(x[3 * v + k], start[3 * v + k], 1e-7);
			assert_near(origin[k] + (double)floats[4 * v + k], start[3 * v + k], 1e-7);
		}
	lm_match_velocities(body, x);
	for (int k = 0; k < 108; ++k)
		assert_near(x[k], start[k], 5e-4);
	assert_int_equal(lm_match_vertex_count(body), 36);
	assert_int_equal(lm_match_weight_rows(body), 36);
	double weights[2];
	lm_match_weights(body, 35, weights);
	assert_near(weights[0], 1, 0);
	lm_match_report report = lm_match_get_report(body);
	assert_int_equal(report.region_count, 36);
	assert_int_equal(report.example_count, 1);
	lm_match_profile(body, true);
	lm_match_step(body, 1.0 / 60, NULL, 0);
	report = lm_match_get_report(body);
	assert_true(report.seconds_matching > 0 && report.seconds_projection > 0);
	assert_int_equal(report.steps, 1);
	lm_match_destroy(body);
	free_fixture(&f);
}

static double lowest(const lm_match* body)
{
	double *x = malloc((size_t)lm_match_vertex_count(body) * 24), low = INFINITY;
	lm_match_positions(body, x);
	for (int i = 0; i < lm_match_vertex_count(body); ++i)
		low = fmin(low, x[3 * i + 1]);
	free(x);
	return low;
}

// One body lands on the ground, the other on the first.
static void test_bodies_stack(void** state)
{
	(void)state;
	fixture f = make_fixture(3, 2, 3);
	f.def.example_count = 0, f.def.settings.gravity[1] = -9.81, f.def.settings.damping = 0.5;
	f.def.settings.frequency = 30;
	double start[3 * 48];
	lm_match* bodies[2];
	bodies[0] = make_body(&f.def, &f.host);
	for (int k = 0; k < 144; ++k)
		start[k] = f.mesh->positions[k] + (k % 3 == 1 ? 0.4 : 0.02);
	f.def.start = start;
	bodies[1] = make_body(&f.def, &f.host);
	lm_colliders* colliders = ground(&f.host);
	for (int k = 0; k < 600; ++k)
	{
		for (int b = 0; b < 2; ++b)
			lm_match_step(bodies[b], 1.0 / 240, colliders, k / 240.0);
		assert_int_equal(lm_match_collide(bodies, 2, 1.0 / 240, NULL), LM_OK);
	}
	assert_near(lowest(bodies[0]), -0.5, 0.02);
	assert_near(lowest(bodies[1]), -0.3, 0.05);
	lm_match_destroy(bodies[0]);
	lm_match_destroy(bodies[1]);
	lm_colliders_destroy(colliders);
	free_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_settings),
		cmocka_unit_test(test_bad_definitions),
		cmocka_unit_test(test_every_allocation_may_fail),
		cmocka_unit_test(test_hash_does_not_depend_on_threads),
		cmocka_unit_test(test_saved_state_continues_bit_for_bit),
		cmocka_unit_test(test_pins_hold_and_move),
		cmocka_unit_test(test_drag_of_any_strength),
		cmocka_unit_test(test_push_gives_the_impulse),
		cmocka_unit_test(test_reading),
		cmocka_unit_test(test_bodies_stack),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
