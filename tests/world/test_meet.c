// Bodies of `match` and `act` that touch each other: rest, momentum, softness, state.
#include "meeting.h"

#include "match/state.h"

// Boxes on each other; test_meet_long.c does so for longer, and at more mass ratios.
static void boxes_rest_on_each_other(void** state)
{
	(void)state;
	for (int e = 0; e < 2; ++e)
	{
		meeting m = e ? meeting_default("act", "match") : meeting_default("match", "act");
		m.frequency = 200, m.lower_density = e ? 100 : 10000;
		check_rest(&m, 4);
	}
}

// A soft, light body under a heavy one.
static void none_is_thrown(void** state)
{
	(void)state;
	for (int e = 0; e < 2; ++e)
	{
		meeting m = e ? meeting_default("act", "match") : meeting_default("match", "act");
		m.frequency = 20, m.ball = true, m.upper_density = 10000;
		check_not_thrown(&m);
	}
}

// Sum of m v of both bodies, along y.
static double momentum_of(lm_world* world)
{
	double sum = 0;
	for (int b = 0; b < 2; ++b)
	{
		lm_match* match = lm_world_match(world, b);
		lm_act* act = lm_world_act(world, b);
		int32_t count = match != NULL ? lm_match_vertex_count(match) : lm_act_vertex_count(act);
		double *v = malloc(24 * (size_t)count), *m = malloc(8 * (size_t)count);
		if (match != NULL)
		{
			lm_match_velocities(match, v), lm_match_masses(match, m);
			for (int32_t i = 0; i < count; ++i)
				sum += m[i] * v[3 * i + 1];
		}
		else
		{
			lm_act_velocities(act, v);
			for (int32_t i = 0; i < count; ++i)
				sum += lm_act_masses(act)[i] * v[3 * i + 1];
		}
		free(v), free(m);
	}
	return sum;
}

static void momentum_is_kept(void** state)
{
	(void)state;
	for (int r = -1; r <= 1; ++r)
		for (int e = r == 0; e < 2; ++e)
		{
			meeting m = e ? meeting_default("act", "match") : meeting_default("match", "act");
			m.gravity = 0, m.no_ground = true, m.drop = 0.02, m.speed = 1;
			m.upper_density = r > 0 ? 10000 : 100, m.lower_density = r < 0 ? 10000 : 100;
			lm_world* world = make_meeting(&m);
			double before = momentum_of(world), gap = INFINITY;
			for (int f = 0; f < 14; ++f)
			{
				assert_int_equal(lm_world_step(world, NULL), LM_OK);
				lm_world_surface_view low = lm_world_surface(world, 0), up = lm_world_surface(world, 1);
				gap = fmin(gap, up.positions[1] - low.positions[3 * 4 * 5 + 1]);
			}
			double after = momentum_of(world);
			print_message("%s on %s, %g:1: momentum off by %.1e, nearest %.4f\n", m.upper, m.lower,
			              m.upper_density / m.lower_density, fabs(after / before - 1), gap);
			assert_true(fabs(after / before - 1) < 0.01);
			lm_world_destroy(world);
		}
}

static lm_world* run_for(const meeting* m, int frames)
{
	lm_world* world = make_meeting(m);
	for (int f = 0; f < frames; ++f)
		assert_int_equal(lm_world_step(world, NULL), LM_OK);
	return world;
}

static void threads_make_no_difference(void** state)
{
	(void)state;
	meeting m = meeting_default("act", "match");
	m.drop = 0.02;
	uint64_t hash = 0;
	for (m.threads = 1; m.threads <= 4; m.threads *= 2)
	{
		lm_world* world = run_for(&m, 12);
		hash = hash == 0 ? lm_world_hash(world) : hash;
		assert_true(lm_world_hash(world) == hash);
		lm_world_destroy(world);
	}
}

// Saved in the middle of contact, and loaded into another world.
static void contact_is_part_of_the_state(void** state)
{
	(void)state;
	for (int e = 0; e < 2; ++e)
	{
		meeting m = e ? meeting_default("act", "match") : meeting_default("match", "act");
		lm_world *world = run_for(&m, 6), *other = make_meeting(&m);
		lm_snapshot* snapshot;
		assert_int_equal(lm_world_snapshot(world, &snapshot, NULL), LM_OK);
		assert_int_equal(lm_world_restore(other, snapshot, NULL), LM_OK);
		assert_true(lm_world_hash(world) == lm_world_hash(other));
		for (int f = 0; f < 5; ++f)
		{
			assert_int_equal(lm_world_step(world, NULL), LM_OK);
			assert_int_equal(lm_world_step(other, NULL), LM_OK);
			assert_true(lm_world_hash(world) == lm_world_hash(other));
		}
		lm_snapshot_destroy(snapshot);
		lm_world_destroy(world), lm_world_destroy(other);
	}
}

// A step that runs out of memory leaves everything as it was, and can be taken again.
static void failing_allocations(void** state)
{
	(void)state;
	meeting m = meeting_default("act", "match");
	for (int64_t n = 1;; n += 1 + n / 4)
	{
		test_memory memory = { 0 };
		lm_host host = test_host(&memory);
		lm_world* world = make_meeting_with(&m, &host);
		memory.fail_at = memory.requests + n;
		lm_status status = LM_OK;
		int f = 0;
		for (; f < 4 && status == LM_OK; ++f)
			status = lm_world_step(world, NULL);
		memory.fail_at = 0;
		assert_true(status == LM_OK || status == LM_NO_MEMORY);
		lm_world_destroy(world);
		assert_int_equal(memory.held, 0);
		if (status == LM_OK)
			break;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxes_rest_on_each_other),
		cmocka_unit_test(none_is_thrown),
		cmocka_unit_test(momentum_is_kept),
		cmocka_unit_test(threads_make_no_difference),
		cmocka_unit_test(contact_is_part_of_the_state),
		cmocka_unit_test(failing_allocations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
