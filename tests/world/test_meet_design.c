// Simulated bodies of `design` among bodies of other engines: they are pushed, push, carry and are carried; hands hold
// them; and they go on to their keys from where that has brought them.
#include "meeting.h"

#include "objects/design/guest.h"
#include "objects/design/play.h"
#include "objects/objects.h"
#include "objects/track/push.h"
#include "world/world.h"
#include "worlds.h"

static const char* const others[2] = { "match", "act" };

// Box on box: design holds friction by a smooth potential, so that it creeps a little, on its own kind, too.
static void they_rest_on_each_other(void** state)
{
	(void)state;
	for (int e = 0; e < 4; ++e)
	{
		meeting m = e & 1 ? meeting_default("design", others[e / 2]) : meeting_default(others[e / 2], "design");
		m.frequency = 200;
		rest r = run_meeting(&m, 1.5);
		print_message("%s on %s: depth %.4f drift %.5f rms %.1e height %.3f\n", m.upper, m.lower, r.depth, r.drift,
		              r.rms, r.height);
		assert_true(r.depth < 0.01 && r.drift < 0.03 && r.rms < 0.02);
		assert_true(r.height > 0.95 && r.height < 1.05);
	}
}

static double momentum_of(lm_world* world, int32_t b)
{
	lm_object* object = world->objects[b].object;
	lm_design_object* design = lm_object_design(object);
	if (design != NULL)
	{
		const lm_design_sim* sim = design->play->performance->sim;
		return lm_design_mass_of(design) * design->model->size * lm_design_sim_speed(sim, design->number).y;
	}
	int32_t count = object->engine->facts(object).point_count;
	double *v = malloc(24 * (size_t)count), sum = 0;
	object->engine->velocities(object, v);
	for (int32_t i = 0; i < count; ++i)
		sum += object->engine->mass_of(object, &i, 1) * v[3 * i + 1];
	free(v);
	return sum;
}

// Head-on at 1 m/s without gravity.
static void momentum_is_kept(void** state)
{
	(void)state;
	for (int e = 0; e < 4; ++e)
		for (int heavy = e == 2; heavy < 1 + (e == 2); ++heavy) // one case of each
		{
			meeting m = e & 1 ? meeting_default("design", others[e / 2]) : meeting_default(others[e / 2], "design");
			m.gravity = 0, m.no_ground = true, m.drop = 0.02, m.speed = 1, m.frequency = 200;
			m.upper_density = heavy ? 1000 : 100;
			lm_world* world = make_meeting(&m);
			assert_int_equal(lm_world_prepare(world, NULL), LM_OK);
			double before = momentum_of(world, 0) + momentum_of(world, 1), upper = momentum_of(world, 1);
			step(world, 13);
			double after = momentum_of(world, 0) + momentum_of(world, 1);
			print_message("%s on %s, %d:1: momentum off by %.1e; the lower has %.2f of it\n", m.upper, m.lower,
			              heavy ? 10 : 1, fabs(after / before - 1), momentum_of(world, 0) / after);
			assert_true(fabs(after / before - 1) < 0.01);
			assert_true(fabs(upper / before - 1) < 0.01 && momentum_of(world, 0) / after > 0.05);
			lm_world_destroy(world);
		}
}

// Designed until 0.25 s, simulated until 0.6 s, then on to a key at 1 s. A body of another engine flies at it in
// between.
static lm_world* make_visit(const char* engine, bool flies, int threads)
{
	lm_host host = lm_host_default();
	host.threads = threads;
	lm_scene* scene = lm_scene_create(&host);
	scene->fps = 24, scene->seconds = 1.25, scene->gravity[1] = 0;
	meeting m = meeting_default("design", engine);
	m.gravity = 0, m.frequency = 200;
	lm_scene_object* designed = add_meeting_body(scene, &m, "designed", "design", 100, false);
	designed->design->velocity_count = 0;
	designed->design->simulated->from = 0.25, designed->design->simulated->until = 0.6;
	lm_scene_design_key* keys = designed->design->keys = lm_scene_memory(scene, 3, sizeof *keys);
	designed->design->key_count = 3, designed->design->frames = 8;
	for (int k = 0; k < 3; ++k)
	{
		keys[k].time = k < 2 ? 0.25 * k : 1, keys[k].end = k < 2 ? 0.25 * k : 1.25;
		keys[k].has_position = true, keys[k].rotation[0] = 1;
	}
	lm_scene_object* visitor = add_meeting_body(scene, &m, "visitor", engine, 100, true);
	visitor->position[0] = flies ? -0.55 : -5, visitor->velocity[0] = 1;
	return world_of(scene);
}

static double place_of(lm_world* world, int32_t object, int axis)
{
	lm_world_surface_view view = lm_world_surface(world, object);
	double sum = 0;
	for (int32_t v = 0; v < view.vertex_count; ++v)
		sum += view.positions[3 * v + axis] / view.vertex_count;
	return sum;
}

static void what_is_pushed_comes_to_its_key(void** state)
{
	(void)state;
	for (int e = 0; e < 2; ++e)
	{
		lm_world *hit = make_visit(others[e], true, 1), *missed = make_visit(others[e], false, 1);
		step(hit, 6), step(missed, 6); // as designed so far
		assert_true(fabs(place_of(hit, 0, 0) - place_of(missed, 0, 0)) < 1e-12);
		step(hit, 8), step(missed, 8);
		double aside = place_of(hit, 0, 0) - place_of(missed, 0, 0);
		step(hit, 10), step(missed, 10);
		double back = place_of(hit, 0, 0) - place_of(missed, 0, 0);
		print_message("%s: pushed by %.4f m, off its key by %.1e m\n", others[e], aside, fabs(back));
		assert_true(aside > 0.03);
		assert_true(fabs(back) < 1e-9);
		step(hit, 6);
		lm_world_destroy(hit), lm_world_destroy(missed);
	}
}

// In the middle of contact, and of the simulated time.
static void the_same_for_any_threads_and_after_a_snapshot(void** state)
{
	(void)state;
	for (int e = 0; e < 1; ++e)
	{
		lm_world* worlds[4];
		for (int k = 0; k < 4; ++k)
			worlds[k] = make_visit(others[e], true, k == 1 ? 2 : k == 2 ? 4 : 1);
		for (int k = 0; k < 3; ++k)
			step(worlds[k], 11);
		lm_snapshot* snapshot;
		assert_int_equal(lm_world_snapshot(worlds[0], &snapshot, NULL), LM_OK);
		assert_int_equal(lm_world_restore(worlds[3], snapshot, NULL), LM_OK);
		for (int f = 0; f < 16; f += 4) // the second designed part begins
		{
			for (int k = 1; k < 4; ++k)
				assert_true(lm_world_hash(worlds[0]) == lm_world_hash(worlds[k]));
			for (int k = 0; k < 4; ++k)
				step(worlds[k], 4);
		}
		uint64_t end = lm_world_hash(worlds[0]);
		assert_int_equal(lm_world_restore(worlds[0], snapshot, NULL), LM_OK); // back from where all is found
		step(worlds[0], 16);
		assert_true(lm_world_hash(worlds[0]) == end);
		lm_snapshot_destroy(snapshot);
		for (int k = 0; k < 4; ++k)
			lm_world_destroy(worlds[k]);
	}
}

// A grab holds it against its weight; let go, it falls. What is never simulated cannot be grabbed.
static void hands_hold_it(void** state)
{
	(void)state;
	meeting m = meeting_default("design", "design");
	m.no_ground = true, m.drop = 0.3;
	lm_world* world = make_meeting(&m);
	step(world, 1);
	lm_command grab = lm_command_default(LM_COMMAND_GRAB);
	grab.object = 1, grab.id = 7, grab.triangle = 0, grab.place[0] = 1, grab.radius = 0.06;
	assert_int_equal(lm_world_command(world, &grab, NULL), LM_OK);
	double before = place_of(world, 1, 1), free = place_of(world, 0, 1);
	step(world, 20);
	double held = before - place_of(world, 1, 1), fallen = free - place_of(world, 0, 1);
	print_message("held: %.3f m lower; the other has fallen by %.3f m\n", held, fallen);
	assert_true(held < 0.3 && fallen > 1.5);
	lm_command release = lm_command_default(LM_COMMAND_RELEASE);
	release.id = 7;
	assert_int_equal(lm_world_command(world, &release, NULL), LM_OK);
	step(world, 10);
	assert_true(before - place_of(world, 1, 1) > held + 0.2);
	lm_command push = lm_command_default(LM_COMMAND_PUSH);
	push.object = 1, push.triangle = 0, push.place[0] = 1, push.radius = 0.06;
	push.to[0] = lm_design_mass_of(lm_object_design(world->objects[1].object));
	double left = place_of(world, 1, 0);
	assert_int_equal(lm_world_command(world, &push, NULL), LM_OK);
	step(world, 15);
	print_message("pushed by 1 m/s for half a second: %.3f m\n", place_of(world, 1, 0) - left);
	assert_true(place_of(world, 1, 0) - left > 0.3);
	lm_world_destroy(world);
}

// A sheet falls onto one that floats: the two keep their momentum.
static void cloth_pushes_it(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_scene* scene = lm_scene_create(&host);
	scene->fps = 30, scene->seconds = 2, scene->gravity[1] = 0;
	meeting m = meeting_default("design", "design");
	m.gravity = 0;
	lm_scene_object* body = add_meeting_body(scene, &m, "body", "design", 100, true);
	body->design->velocities->linear[1] = 1;
	lm_scene_object* sheet = lm_scene_add_object(scene, "cloth", "track");
	sheet->mesh = make_sheet(&scene->host, 6, 0.06);
	sheet->density = 1;
	sheet->position[0] = -0.08, sheet->position[1] = 0.215, sheet->position[2] = 0.28;
	sheet->substeps = 2;
	sheet->track->settings.thickness = 0.01, sheet->track->settings.gravity[1] = 0;
	lm_world* world = world_of(scene);
	double first = 0, worst = 0, cloth = 0;
	for (int f = 0; f < 12; ++f)
	{
		step(world, 1);
		const lm_track* track = lm_world_track(world, 1);
		double v[3 * 49];
		lm_track_velocities(track, v);
		cloth = 0;
		for (int32_t i = 0; i < lm_track_vertex_count(track); ++i)
			cloth += lm_track_masses(track)[i] * v[3 * i + 1];
		double now = momentum_of(world, 0) + cloth + lm_object_track_bag(world->objects[1].object, 0)->wrench[1];
		first = f == 0 ? lm_design_mass_of(lm_object_design(world->objects[0].object)) : first;
		worst = fmax(worst, fabs(now - first) / first);
		assert_int_equal(lm_track_intersections(track), 0);
	}
	print_message("cloth: momentum off by %.1e, the cloth has %.3f of it\n", worst, cloth / first);
	assert_true(worst < 0.01 && cloth / first > 0.05);
	lm_world_destroy(world);
}

static void failing_allocations(void** state)
{
	(void)state;
	meeting m = meeting_default("match", "design");
	m.frequency = 200;
	for (int64_t n = 1;; n += 1 + 3 * n)
	{
		test_memory memory = { 0 };
		lm_host host = test_host(&memory);
		lm_world* world = make_meeting_with(&m, &host);
		memory.fail_at = memory.requests + n;
		lm_status status = LM_OK;
		for (int f = 0; f < 3 && status == LM_OK; ++f)
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
		cmocka_unit_test(they_rest_on_each_other),
		cmocka_unit_test(momentum_is_kept),
		cmocka_unit_test(what_is_pushed_comes_to_its_key),
		cmocka_unit_test(the_same_for_any_threads_and_after_a_snapshot),
		cmocka_unit_test(hands_hold_it),
		cmocka_unit_test(cloth_pushes_it),
		cmocka_unit_test(failing_allocations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
