// Cloth pushes bodies of other engines.
#include "pressing.h"

static double momentum_of_body(lm_world* world)
{
	lm_object* object = world->objects[0].object;
	int32_t count = object->engine->facts(object).point_count;
	double *v = malloc(24 * (size_t)count), sum = 0;
	object->engine->velocities(object, v);
	for (int32_t i = 0; i < count; ++i)
		sum += object->engine->mass_of(object, &i, 1) * v[3 * i + 1];
	free(v);
	return sum;
}

static double momentum_of_cloth(lm_world* world)
{
	const lm_track* cloth = lm_world_track(world, 1);
	int32_t count = lm_track_vertex_count(cloth);
	double *v = malloc(24 * (size_t)count), sum = 0;
	lm_track_velocities(cloth, v);
	for (int32_t i = 0; i < count; ++i)
		sum += lm_track_masses(cloth)[i] * v[3 * i + 1];
	free(v);
	return sum;
}

static void momentum_is_kept(void** state)
{
	(void)state;
	const char* const engines[] = { "match", "act" };
	for (int e = 0; e < 2; ++e)
		for (int k = 0; k < 3; ++k)
		{
			pressing p = { .engine = engines[e], .body_mass = masses[k][0], .cloth_mass = masses[k][1], .speed = 1 };
			lm_world* world = make_pressing(&p);
			double first = momentum_of_body(world), worst = 0, cloth = 0;
			for (int f = 0; f < 15; ++f)
			{
				step(world, 1);
				cloth = momentum_of_cloth(world);
				double now = momentum_of_body(world) + cloth + bag_of(world)->wrench[1];
				worst = fmax(worst, fabs(now - first) / first);
				assert_int_equal(lm_track_intersections(lm_world_track(world, 1)), 0);
			}
			print_message("%s, %g kg on %g kg of cloth: momentum off by %.1e, the cloth has %.3f of it, %g lost\n",
			              engines[e], p.body_mass, p.cloth_mass, worst, cloth / first, bag_of(world)->lost);
			assert_true(worst < 1e-3);
			assert_true(cloth > 0);
			lm_world_destroy(world);
		}
}

// Without gravity of its own the body is accelerated by the weight of the cloth on it.
static void weight_is_felt(void** state)
{
	(void)state;
	const char* const engines[] = { "match", "act" };
	for (int e = 0; e < 2; ++e)
	{
		pressing p = { .engine = engines[e], .body_mass = 1, .cloth_mass = 0.5, .gravity = { 0, 2 } };
		lm_world* world = make_pressing(&p);
		step(world, 15);
		double now = momentum_of_body(world) + momentum_of_cloth(world) + bag_of(world)->wrench[1];
		double given = -0.5 * p.gravity[1] * p.cloth_mass;
		print_message("%s: %.4f of the weight's impulse, the body has %.3f\n", engines[e], now / given,
		              momentum_of_body(world) / given);
		assert_true(fabs(now / given - 1) < 0.01);
		assert_true(momentum_of_body(world) / given > 0.2);
		lm_world_destroy(world);
	}
}

static void nothing_explodes(void** state)
{
	(void)state;
	const char* const engines[] = { "match", "act" };
	for (int e = 0; e < 2; ++e)
		for (int k = 1; k < 3; ++k)
		{
			pressing p = { .engine = engines[e],
				           .body_mass = masses[k][0],
				           .cloth_mass = masses[k][1],
				           .gravity = { 9.81, 9.81 },
				           .ground = true };
			lm_world* world = make_pressing(&p);
			ways w = follow_body(world, 26);
			print_message("%s, %g kg under %g kg of cloth: up to %.3f m, %.3f m away, %g lost\n", engines[e],
			              p.body_mass, p.cloth_mass, w.highest, w.farthest, bag_of(world)->lost);
			assert_true(w.highest < 0.25 && w.farthest < 0.3);
			lm_world_destroy(world);
		}
}

static void the_same_for_any_threads_and_after_a_snapshot(void** state)
{
	(void)state;
	const char* const engines[] = { "match", "act" };
	for (int e = 0; e < 2; ++e)
	{
		pressing p = { .engine = engines[e], .body_mass = 1, .cloth_mass = 1, .gravity = { 0, 9.81 }, .threads = 1 };
		lm_world* worlds[3];
		for (int k = 0; k < 3; ++k)
		{
			p.threads = 1 << k;
			worlds[k] = make_pressing(&p);
			step(worlds[k], 5);
			assert_true(lm_world_hash(worlds[k]) == lm_world_hash(worlds[0]));
		}
		assert_true(bag_of(worlds[0])->wrench[1] < 0); // in the middle of it
		lm_snapshot* snapshot;
		assert_int_equal(lm_world_snapshot(worlds[0], &snapshot, NULL), LM_OK);
		p.threads = 1;
		lm_world* other = make_pressing(&p);
		assert_int_equal(lm_world_restore(other, snapshot, NULL), LM_OK);
		step(worlds[0], 4), step(other, 4);
		assert_true(lm_world_hash(worlds[0]) == lm_world_hash(other));
		bag_of(other)->wrench[1] *= 2; // it is part of the state
		assert_true(lm_world_hash(worlds[0]) != lm_world_hash(other));
		lm_snapshot_destroy(snapshot);
		lm_world_destroy(other);
		for (int k = 0; k < 3; ++k)
			lm_world_destroy(worlds[k]);
	}
}

static void damaged_bags_are_refused(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_blob blob;
	lm_blob_init(&blob, &host);
	lm_track_bag bag = { .wrench = { 1, NAN } }, loaded;
	lm_track_bag_save(&bag, &blob);
	lm_track_bag_load(&loaded, &blob);
	assert_true(blob.failed);
	lm_blob_release(&blob);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(momentum_is_kept),         cmocka_unit_test(weight_is_felt),
		cmocka_unit_test(nothing_explodes),         cmocka_unit_test(the_same_for_any_threads_and_after_a_snapshot),
		cmocka_unit_test(damaged_bags_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
