// Bodies that meet, at the steps of a game: stacks, impacts, and what is left to lm_match_collide.
#include "shapes.h"

#include "base/blob.h"
#include "match/body.h"
#include "match/state.h"

#include "limber/contact.h"

#define FRAME (1.0 / 60)

typedef struct pile
{
	lm_host host;
	lm_mesh* mesh;
	lm_colliders* ground;
	lm_match* bodies[3];
	int count;
} pile;

// Blocks of 0.3 m x 0.2 m x 0.3 m above each other, each `aside` from the one below and `apart` above it.
static pile make_pile(int count, double frequency, double aside, double apart)
{
	pile p = { .host = lm_host_default(), .count = count };
	p.mesh = grid_mesh(&p.host, 3, 2, 3, 0.1, 0.1, 0.1);
	lm_collider_def plane = lm_collider_def_default();
	lm_placement_key key = { .rotation = { 1, 0, 0, 0 } };
	plane.key_count = 1, plane.keys = &key;
	assert_int_equal(lm_colliders_create(&plane, 1, &p.host, &p.ground, NULL), LM_OK);
	double* start = malloc((size_t)p.mesh->vertex_count * 24);
	lm_match_def def = lm_match_def_default();
	def.mesh = p.mesh, def.start = start;
	def.settings.frequency = frequency, def.settings.damping = 0.5;
	for (int i = 0; i < count; ++i)
	{
		for (int k = 0; k < 3 * p.mesh->vertex_count; ++k)
			start[k] = p.mesh->positions[k] + (k % 3 == 1 ? i * 0.2 + (i + 1) * apart : i * aside);
		p.bodies[i] = make_body(&def, &p.host);
	}
	free(start);
	return p;
}

static void free_pile(pile* p)
{
	for (int i = 0; i < p->count; ++i)
		lm_match_destroy(p->bodies[i]);
	lm_colliders_destroy(p->ground);
	lm_mesh_destroy(p->mesh);
}

static void advance(pile* p, int frame)
{
	for (int i = 0; i < p->count; ++i)
		lm_match_step(p->bodies[i], FRAME, p->ground, frame * FRAME);
	assert_int_equal(lm_match_collide(p->bodies, p->count, FRAME, NULL), LM_OK);
}

// Of motion and height, J.
static double energy(const pile* p)
{
	double sum = 0;
	for (int b = 0; b < p->count; ++b)
	{
		const lm_match* body = p->bodies[b];
		for (int64_t i = 0; i < body->count; ++i)
		{
			double square = 0;
			for (int k = 0; k < 3; ++k)
				square += (double)(body->v[lm_particle_place(i, k)] * body->v[lm_particle_place(i, k)]);
			sum += (double)body->mass[i] *
			       (square / 2 + 9.81 * (body->origin[1] + (double)body->x[lm_particle_place(i, 1)]));
		}
	}
	return sum;
}

static double height(const lm_match* body, int32_t vertex)
{
	return body->origin[1] + (double)body->x[lm_particle_place(body->to_inner[vertex], 1)];
}

// How far the lower of two blocks reaches into the upper, along the lines of their inner vertices.
static double overlap(const pile* p, int lower)
{
	double worst = 0;
	for (int i = 1; i <= 2; ++i)
		for (int k = 1; k <= 2; ++k)
		{
			int32_t bottom = (i * 3 + 0) * 4 + k, top = (i * 3 + 2) * 4 + k;
			worst = fmax(worst, height(p->bodies[lower], top) - height(p->bodies[lower + 1], bottom));
		}
	return worst;
}

static void watch_stack(double aside, double apart)
{
	pile p = make_pile(3, 60, aside, apart);
	double first = energy(&p), before[3][3], after[3];
	for (int frame = 0; frame < 600; ++frame)
	{
		advance(&p, frame);
		assert_true(energy(&p) < first + 0.01);
		for (int i = 0; i < 2; ++i)
			assert_true(overlap(&p, i) < 0.03 * 0.2);
		for (int i = 0; frame == 479 && i < 3; ++i)
			lm_match_center(p.bodies[i], before[i]);
	}
	for (int i = 0; i < 3; ++i)
	{
		lm_match_center(p.bodies[i], after);
		for (int k = 0; k < 3; ++k)
			assert_near(after[k], before[i][k], 5e-4); // it does not creep
		assert_near(after[1], 0.1 + 0.2 * i, 0.02);
		assert_true(lm_match_get_report(p.bodies[i]).max_penetration < 0.03 * 0.2);
	}
	free_pile(&p);
}

static void test_stack_of_three_at_a_games_step(void** state)
{
	(void)state;
	watch_stack(0.01, 0.01);
	watch_stack(0, 0); // flush: the rim of one lies on the side of the other
}

// Two blocks meet in free flight: momentum stays.
static void test_impacts_keep_momentum(void** state)
{
	(void)state;
	pile p = make_pile(2, 30, 0.03, 0.1);
	double impulse[3] = { 0 }, first[3] = { 0 };
	for (int b = 0; b < 2; ++b)
	{
		lm_match_settings settings = lm_match_get_settings(p.bodies[b]);
		settings.gravity[1] = 0;
		assert_int_equal(lm_match_set_settings(p.bodies[b], &settings, NULL), LM_OK);
		for (int64_t i = 0; i < p.bodies[b]->count; ++i)
			p.bodies[b]->v[lm_particle_place(i, 1)] = b == 0 ? 3 : -1,
												p.bodies[b]->v[lm_particle_place(i, 0)] = b == 0 ? 0.5f : 0;
		lm_match_set_positions(p.bodies[b], NULL, NULL);
	}
	bool met = false;
	for (int frame = 0; frame < 60; ++frame)
	{
		memset(impulse, 0, sizeof impulse);
		for (int b = 0; b < 2; ++b)
			for (int64_t i = 0; i < p.bodies[b]->count; ++i)
				for (int k = 0; k < 3; ++k)
					impulse[k] += (double)p.bodies[b]->mass[i] * (double)p.bodies[b]->v[lm_particle_place(i, k)];
		if (frame == 0)
			memcpy(first, impulse, sizeof first);
		for (int k = 0; k < 3; ++k)
			assert_near(impulse[k], first[k], 1e-4 * fabs(first[1]));
		for (int b = 0; b < 2; ++b)
			lm_match_step(p.bodies[b], FRAME, NULL, 0);
		assert_int_equal(lm_match_collide(p.bodies, 2, FRAME, NULL), LM_OK);
		met = met || p.bodies[0]->near_steps > 0;
	}
	assert_true(met);
	double c0[3], c1[3];
	lm_match_center(p.bodies[0], c0);
	lm_match_center(p.bodies[1], c1);
	assert_true(c0[1] < c1[1]);
	free_pile(&p);
}

// A way of more than a block's thickness per step: they meet all the same.
static void test_fast_blocks_do_not_pass_through(void** state)
{
	(void)state;
	const double speeds[] = { 5, 20, 40 };
	for (int s = 0; s < 3; ++s)
	{
		pile p = make_pile(2, 60, 0.02, 2);
		for (int b = 0; b < 2; ++b)
		{
			lm_match_settings settings = lm_match_get_settings(p.bodies[b]);
			settings.gravity[1] = 0;
			assert_int_equal(lm_match_set_settings(p.bodies[b], &settings, NULL), LM_OK);
			for (int64_t i = 0; i < p.bodies[b]->count; ++i)
				p.bodies[b]->v[lm_particle_place(i, 1)] = (float)(b == 0 ? speeds[s] / 2 : -speeds[s] / 2);
			lm_match_set_positions(p.bodies[b], NULL, NULL);
		}
		for (int frame = 0; frame < 60; ++frame)
		{
			for (int b = 0; b < 2; ++b)
				lm_match_step(p.bodies[b], FRAME, NULL, 0);
			assert_int_equal(lm_match_collide(p.bodies, 2, FRAME, NULL), LM_OK);
		}
		double c0[3], c1[3];
		lm_match_center(p.bodies[0], c0);
		lm_match_center(p.bodies[1], c1);
		assert_true(c0[1] < c1[1]);
		free_pile(&p);
	}
}

// What a body leaves to lm_match_collide is taken when that is not called, and is not lost or taken twice.
static void test_steps_that_nobody_finished(void** state)
{
	(void)state;
	pile p = make_pile(2, 30, 0, 0);
	advance(&p, 0);
	assert_true(p.bodies[0]->near_steps > 1);
	int64_t steps = lm_match_get_report(p.bodies[0]).steps;
	lm_match_step(p.bodies[0], FRAME, NULL, 0);
	assert_int_equal(lm_match_get_report(p.bodies[0]).steps, steps);
	int32_t pending = p.bodies[0]->pending.steps;
	assert_true(pending > 1);
	lm_match_step(p.bodies[0], FRAME, NULL, 0);
	assert_int_equal(lm_match_get_report(p.bodies[0]).steps, steps + pending);
	assert_int_equal(lm_match_collide(p.bodies, 1, FRAME, NULL), LM_OK); // alone
	assert_int_equal(lm_match_get_report(p.bodies[0]).steps, steps + 2 * pending);
	assert_int_equal(p.bodies[0]->near_steps, 0);
	lm_match_step(p.bodies[0], FRAME, NULL, 0);
	assert_int_equal(p.bodies[0]->pending.steps, 0);
	free_pile(&p);
}

// A stack that is saved and loaded goes on bit for bit.
static void test_stacks_are_saved(void** state)
{
	(void)state;
	pile a = make_pile(2, 30, 0.01, 0.01), b = make_pile(2, 30, 0.01, 0.01);
	lm_blob blob;
	lm_blob_init(&blob, &a.host);
	for (int frame = 0; frame < 30; ++frame)
		advance(&a, frame);
	for (int i = 0; i < 2; ++i)
		lm_match_save(a.bodies[i], &blob);
	for (int i = 0; i < 2; ++i)
		assert_int_equal(lm_match_load(b.bodies[i], &blob, NULL), LM_OK);
	for (int frame = 30; frame < 60; ++frame)
		advance(&a, frame), advance(&b, frame);
	for (int i = 0; i < 2; ++i)
		assert_true(lm_match_hash(a.bodies[i]) == lm_match_hash(b.bodies[i]));
	lm_blob_release(&blob);
	free_pile(&a);
	free_pile(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stack_of_three_at_a_games_step),
		cmocka_unit_test(test_impacts_keep_momentum),
		cmocka_unit_test(test_fast_blocks_do_not_pass_through),
		cmocka_unit_test(test_steps_that_nobody_finished),
		cmocka_unit_test(test_stacks_are_saved),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
