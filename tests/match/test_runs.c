// Rings as runs: found whatever order the vertices come in, each member once, and the same motion as member by member.
#include "test.h"

#include "match/body.h"
#include "shapes.h"

// The mesh with its vertices in an order that looks random.
static lm_mesh* shuffled(const lm_mesh* mesh)
{
	lm_host host = lm_host_default();
	lm_mesh* copy = lm_mesh_copy(mesh, &host);
	int32_t n = mesh->vertex_count, *to = malloc(sizeof *to * (size_t)n);
	uint32_t seed = 1;
	for (int32_t i = 0; i < n; ++i)
		to[i] = i;
	for (int32_t i = n - 1; i > 0; --i)
	{
		seed = seed * 1664525u + 1013904223u;
		int32_t j = (int32_t)(seed >> 8) % (i + 1), keep = to[i];
		to[i] = to[j], to[j] = keep;
	}
	for (int32_t i = 0; i < n; ++i)
		lm_v3_store(copy->positions, to[i], lm_v3_at(mesh->positions, i));
	for (int64_t k = 0; k < 4 * (int64_t)mesh->tet_count; ++k)
		copy->tets[k] = to[mesh->tets[k]];
	for (int64_t k = 0; k < 3 * (int64_t)mesh->triangle_count; ++k)
		copy->triangles[k] = to[mesh->triangles[k]];
	free(to);
	return copy;
}

static lm_match* create(const lm_mesh* mesh, const double* example)
{
	lm_host host = lm_host_default();
	lm_match_def def = lm_match_def_default();
	def.mesh = mesh, def.examples = &example, def.example_count = example != NULL;
	def.settings.beta = 0.9;
	return make_body(&def, &host);
}

// Particle whose place this is, -1: none.
static int64_t particle_at(const lm_match* body, int64_t place)
{
	int64_t in_tile = place % LM_TILE - LM_LANES, i = place / LM_TILE * LM_CHUNK + in_tile;
	return in_tile >= 0 && in_tile < LM_CHUNK && i < body->count ? i : -1;
}

// Every member of every ring is in exactly one run, and no run has more.
static void check_runs(const lm_match* body)
{
	assert_true(body->by_runs);
	for (int32_t r = 0; r < body->count; ++r)
	{
		int32_t size = lm_match_ring_size(body, r), lane = r % LM_RUN, found = 0;
		const int32_t* start = body->run_starts + r / LM_RUN;
		for (int32_t k = start[0]; k < start[1]; ++k)
		{
			const lm_match_run* run = &body->runs[k];
			assert_true(run->lanes != 0);
			if (!(run->lanes >> lane & 1))
				continue;
			bool member = false;
			for (int32_t j = 0; j < size; ++j)
				member = member || lm_match_member(body, r, j) == particle_at(body, run->place + lane);
			assert_true(member);
			++found;
		}
		assert_int_equal(found, size);
	}
}

static void test_rows_are_found_in_any_order(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = grid_mesh(&host, 5, 16, 4, 0.1, 0.1, 0.1);
	lm_mesh* mixed = shuffled(mesh);
	lm_match *body = create(mesh, NULL), *again = create(mixed, NULL);
	check_runs(body);
	check_runs(again);
	// Not many more than a region has members.
	assert_true(body->run_count * LM_RUN < 2 * (int64_t)body->starts[body->count]);
	assert_true(again->run_count * LM_RUN < 2 * (int64_t)again->starts[again->count]);
	lm_match_destroy(body), lm_match_destroy(again);
	lm_mesh_destroy(mesh), lm_mesh_destroy(mixed);
}

// Vertices moved at random have no rows, and their order is one of compact chunks.
static void test_without_rows(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = grid_mesh(&host, 6, 6, 6, 0.1, 0.1, 0.1);
	lm_mesh* mixed = shuffled(mesh);
	uint32_t seed = 7;
	for (int32_t k = 0; k < 3 * mixed->vertex_count; ++k)
	{
		seed = seed * 1664525u + 1013904223u;
		mixed->positions[k] += 0.02 * ((double)(seed >> 8) / 16777216 - 0.5);
	}
	lm_match* body = create(mixed, NULL);
	assert_false(body->by_runs);
	assert_null(body->runs);
	lm_match_destroy(body);
	lm_mesh_destroy(mesh), lm_mesh_destroy(mixed);
}

// Largest difference of positions after some steps, by runs and member by member, relative to the size.
static double difference(const lm_mesh* mesh, const double* example)
{
	lm_match *body = create(mesh, example), *other = create(mesh, example);
	assert_true(body->by_runs);
	other->by_runs = false;
	int32_t n = mesh->vertex_count, corner = 0;
	const double impulse[3] = { 1, 20, -3 };
	lm_match_push(body, &corner, 1, impulse), lm_match_push(other, &corner, 1, impulse);
	for (int k = 0; k < 30; ++k)
		lm_match_step(body, 1.0 / 60, NULL, k / 60.0), lm_match_step(other, 1.0 / 60, NULL, k / 60.0);
	double *x = malloc((size_t)n * 24), *y = malloc((size_t)n * 24), worst = 0, moved = 0;
	lm_match_positions(body, x), lm_match_positions(other, y);
	for (int32_t k = 0; k < 3 * n; ++k)
	{
		worst = fmax(worst, fabs(x[k] - y[k]) / body->size);
		moved = fmax(moved, fabs(x[k] - mesh->positions[k]) / body->size);
	}
	assert_true(moved > 0.01);
	free(x), free(y);
	lm_match_destroy(body), lm_match_destroy(other);
	return worst;
}

static void test_runs_and_members_agree(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	// More than one chunk, and a last block that is not full.
	lm_mesh* mesh = grid_mesh(&host, 4, 24, 3, 0.1, 0.1, 0.1);
	double *stretch = malloc((size_t)mesh->vertex_count * 24), *twist = twisted(mesh, 1);
	for (int32_t k = 0; k < 3 * mesh->vertex_count; ++k)
		stretch[k] = mesh->positions[k] * (k % 3 == 1 ? 1.2 : 0.9);
	assert_near(difference(mesh, NULL), 0, 1e-5);
	assert_near(difference(mesh, stretch), 0, 1e-5);
	assert_near(difference(mesh, twist), 0, 1e-5);
	free(stretch), free(twist);
	lm_mesh_destroy(mesh);
}

// A body so large that its maps are not all kept (waves.c), in one, two and three parts.
static void test_waves_of_any_number_agree(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = grid_mesh(&host, 60, 1, 63, 0.1, 0.1, 0.1);
	double* twist = twisted(mesh, 1);
	const double* example = twist;
	lm_match_def def = lm_match_def_default();
	def.mesh = mesh, def.examples = &example, def.example_count = 1;
	uint64_t first = 0;
	for (int threads = 1; threads <= 3; ++threads)
	{
		host.threads = threads;
		lm_match* body = make_body(&def, &host);
		assert_true(body->by_runs);
		assert_int_equal(body->wave_count, threads);
		assert_true(body->waves[0].mask + 1 < body->chunks);
		const int32_t end = 0;
		const double impulse[3] = { 1, 20, -3 };
		lm_match_push(body, &end, 1, impulse);
		for (int k = 0; k < 4; ++k)
			lm_match_step(body, 1.0 / 60, NULL, k / 60.0);
		if (threads == 1)
			first = lm_match_hash(body);
		assert_true(lm_match_hash(body) == first);
		lm_match_destroy(body);
	}
	free(twist);
	lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_found_in_any_order),
		cmocka_unit_test(test_without_rows),
		cmocka_unit_test(test_runs_and_members_agree),
		cmocka_unit_test(test_waves_of_any_number_agree),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
