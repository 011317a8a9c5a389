#include "soft.h"

static lm_contact_pairs* make_pairs(void)
{
	lm_host host = lm_host_default();
	lm_contact_pairs* pairs = NULL;
	assert_int_equal(lm_contact_pairs_create(&host, &pairs, NULL), LM_OK);
	return pairs;
}

static void free_softs(soft* s, int count)
{
	for (int k = 0; k < count; ++k)
		free_soft(&s[k]);
}

static float* copy_positions(const soft* s)
{
	size_t bytes = lm_particle_numbers(s->view.count) * sizeof(float);
	return memcpy(malloc(bytes), s->x, bytes);
}

static void give_random_velocities(soft* s, uint64_t* seed, double scale)
{
	for (int32_t i = 0; i < s->view.count; ++i)
		for (int k = 0; k < 3; ++k)
			s->v[lm_particle_place(i, k)] += (float)(scale * test_random(seed));
}

static void check_kept(momentum a, momentum b, double scale)
{
	assert_near(lm_distance(a.linear, b.linear), 0, 2e-6 * scale);
	assert_near(lm_distance(a.angular, b.angular), 0, 2e-6 * scale);
}

// Velocities and positions: the impulses at the positions before, and the shifts weighed by mass.
static void check_conservation(soft* s, int count, double h, double scale)
{
	lm_contact_pairs* pairs = make_pairs();
	const float* before[4];
	for (int k = 0; k < count; ++k)
		before[k] = copy_positions(&s[k]);
	momentum start = soft_momentum(s, count, before);
	double deepest[4];
	soft_resolve(pairs, s, count, false, h, 1, deepest);
	momentum end = soft_momentum(s, count, before);
	check_kept(start, end, scale);
	if (!(lm_distance(soft_mean(&s[0], s[0].x), soft_mean(&s[0], before[0])) > 1e-5)) // there was something to keep
		fail_msg("the bodies did not touch");
	lm_vec3 shift = { 0, 0, 0 }, turn = { 0, 0, 0 };
	for (int k = 0; k < count; ++k)
		for (int32_t i = 0; i < s[k].view.count; ++i)
		{
			lm_vec3 d = lm_sub(lm_particle_at(s[k].x, i), lm_particle_at(before[k], i));
			lm_vec3 x = lm_add(lm_particle_at(before[k], i), lm_v3_at(s[k].view.origin, 0));
			shift = lm_add_scaled(shift, 1 / s[k].inverse_mass[i], d);
			turn = lm_add_scaled(turn, 1 / s[k].inverse_mass[i], lm_cross(x, d));
		}
	assert_near(lm_length(shift), 0, 2e-6 * scale);
	assert_near(lm_length(turn), 0, 2e-6 * scale);
	assert_true(end.energy <= start.energy * (1 + 1e-6)); // contact takes energy or leaves it
	for (int k = 0; k < count; ++k)
		free((void*)before[k]);
	lm_contact_pairs_destroy(pairs);
}

static void test_momentum_of_solids(void** state)
{
	(void)state;
	uint64_t seed = 4;
	for (int run = 0; run < 20; ++run)
	{
		soft s[2] = { make_soft(grid_mesh(2, 2, 2, 0.5, 0, 0, 0), 3), make_soft(grid_mesh(1, 3, 2, 0.4, 0, 0, 0), 5) };
		double x = 0.3 * test_random(&seed), z = 0.3 * test_random(&seed);
		soft_shift(&s[1], x, 0.9 + 0.05 * test_random(&seed), z);
		soft_throw(&s[1], 1, -2, 0.5);
		give_random_velocities(&s[0], &seed, 0.3);
		give_random_velocities(&s[1], &seed, 0.3);
		if (run % 2)
			s[0].view.thickness = 0.05;
		s[0].view.restitution = run % 3 * 0.3;
		check_conservation(s, 2, 0.01, 10);
		free_softs(s, 2);
	}
}

static void test_momentum_of_sheet_and_solid(void** state)
{
	(void)state;
	uint64_t seed = 9;
	for (int run = 0; run < 10; ++run)
	{
		soft s[2] = { make_soft(sheet_mesh(3, 0.8), 1), make_soft(grid_mesh(2, 2, 2, 0.3, -0.25, 0, -0.35), 3) };
		s[0].view.thickness = 0.03;
		soft_shift(&s[1], 0.1 * test_random(&seed), run % 2 ? 0.01 : -0.02, 0);
		soft_throw(&s[1], 1, -4, 0.5);
		give_random_velocities(&s[0], &seed, 0.2);
		check_conservation(s, 2, 0.01, 10);
		// all of the solid's bottom is kept above the sheet, also what had gone through
		for (int32_t i = 0; i < s[1].view.count; ++i)
			assert_true(s[1].x[lm_particle_place(i, 1)] > -0.02);
		free_softs(s, 2);
	}
}

static void test_momentum_with_own_origins(void** state)
{
	(void)state;
	soft s[2] = { make_soft(grid_mesh(2, 2, 2, 0.5, 0, 0, 0), 3), make_soft(grid_mesh(2, 2, 2, 0.5, 0, 0, 0), 3) };
	s[1].view.origin[0] = 0.1, s[1].view.origin[1] = 0.97, s[1].view.origin[2] = 0.2;
	soft_throw(&s[1], 0, -1, 0);
	check_conservation(s, 2, 0.01, 10);
	free_softs(s, 2);
}

static double lowest(const soft* s)
{
	double y = INFINITY;
	for (int32_t i = 0; i < s->view.count; ++i)
		y = fmin(y, s->x[lm_particle_place(i, 1)]);
	return y;
}

static double highest(const soft* s)
{
	double y = -INFINITY;
	for (int32_t i = 0; i < s->view.count; ++i)
		y = fmax(y, s->x[lm_particle_place(i, 1)]);
	return y;
}

static double fastest(const soft* s)
{
	double speed = 0;
	for (int32_t i = 0; i < s->view.count; ++i)
		speed = fmax(speed, lm_length(lm_particle_at(s->v, i)));
	return speed;
}

static lm_colliders* make_floor(void)
{
	lm_placement_key key = key_at(0, 0, 0, 0);
	return one_collider(lm_collider_def_default(), &key, 1);
}

static void step_all(lm_contact_pairs* pairs, soft* s, int count, lm_colliders* ground, double h, int threads,
                     double* deepest)
{
	for (int k = 0; k < count; ++k)
	{
		soft_step(&s[k], h, 9.81, 0.6);
		lm_contact_colliders(ground, &s[k].view, h, threads, NULL);
	}
	soft_resolve(pairs, s, count, false, h, threads, deepest);
}

// One box on another, a little to the side: they stay apart, calm, and where they were put.
static void test_stack_rests(void** state)
{
	(void)state;
	double thicknesses[2] = { 0, 0.01 };
	for (int run = 0; run < 2; ++run)
	{
		soft s[2] = { make_soft(grid_mesh(2, 2, 2, 0.25, 0, 0, 0), 10),
			          make_soft(grid_mesh(2, 2, 2, 0.25, 0.1, 0.51, 0.05), 10) };
		s[0].view.thickness = s[1].view.thickness = thicknesses[run];
		soft_shift(&s[0], 0, thicknesses[run], 0);
		soft_shift(&s[1], 0, 2 * thicknesses[run], 0);
		lm_contact_pairs* pairs = make_pairs();
		lm_colliders* ground = make_floor();
		lm_vec3 begin = soft_mean(&s[1], s[1].x);
		double deepest[2];
		for (int i = 0; i < 1200; ++i)
		{
			step_all(pairs, s, 2, ground, 1.0 / 240, 1, deepest);
			if (i < 480)
				continue;
			assert_true(fastest(&s[0]) < 0.05 && fastest(&s[1]) < 0.05);
			assert_true(lowest(&s[1]) - highest(&s[0]) > thicknesses[run] - 0.006);
			assert_true(deepest[0] < 0.004 && deepest[1] == deepest[0]);
		}
		lm_vec3 end = soft_mean(&s[1], s[1].x);
		assert_near(end.x, begin.x, 0.02);
		assert_near(end.z, begin.z, 0.02);
		free_softs(s, 2);
		lm_colliders_destroy(ground);
		lm_contact_pairs_destroy(pairs);
	}
}

// Half of one box inside the other: they come apart, and not with a bang.
static void test_deep_overlap_separates(void** state)
{
	(void)state;
	soft s[2] = { make_soft(grid_mesh(3, 3, 3, 0.2, 0, 0, 0), 10),
		          make_soft(grid_mesh(3, 3, 3, 0.2, 0.05, 0.4, 0.03), 10) };
	lm_contact_pairs* pairs = make_pairs();
	double deepest[2] = { 0 }, speed = 0;
	for (int i = 0; i < 300; ++i)
	{
		for (int k = 0; k < 2; ++k)
			soft_step(&s[k], 1.0 / 60, 0, 0.6);
		soft_resolve(pairs, s, 2, false, 1.0 / 60, 1, deepest);
		speed = fmax(speed, fmax(fastest(&s[0]), fastest(&s[1])));
		for (int k = 0; k < 2; ++k)
			assert_true(isfinite(deepest[k]));
	}
	assert_true(deepest[0] < 0.002);
	print_message("deep overlap: fastest %.2f m/s\n", speed);
	assert_true(speed < 6);
	double drift = lm_length(soft_mean(&s[0], s[0].v));
	assert_true(drift < 1);
	free_softs(s, 2);
	lm_contact_pairs_destroy(pairs);
}

static void test_friction_between_bodies(void** state)
{
	(void)state;
	for (int rough = 0; rough < 2; ++rough)
	{
		soft s[2] = { make_soft(grid_mesh(4, 1, 2, 0.5, -1, 0, 0), 1000),
			          make_soft(grid_mesh(1, 1, 1, 0.5, 0, 0.5, 0.2), 5) };
		for (int32_t i = 0; i < s[0].view.count; ++i)
			s[0].inverse_mass[i] = 0; // pinned: a floor
		s[0].view.friction = s[1].view.friction = rough ? 0.4 : 0;
		soft_throw(&s[1], -1, 0, 0);
		lm_contact_pairs* pairs = make_pairs();
		double h = 1.0 / 240, slow = 0.1;
		for (int i = 0; i < (int)(slow / h + 0.5); ++i)
		{
			soft_step(&s[1], h, 9.81, 0.6);
			soft_resolve(pairs, s, 2, false, h, 1, NULL);
		}
		double expected = rough ? -1 + 0.4 * 9.81 * slow : -1;
		assert_near(soft_mean(&s[1], s[1].v).x, expected, 0.05);
		free_softs(s, 2);
		lm_contact_pairs_destroy(pairs);
	}
}

static void test_edges_do_not_pass(void** state)
{
	(void)state;
	// Two bars of one cell across, crossed, each turned by 45 degrees about its length: only edges meet edges.
	soft s[2] = { make_soft(grid_mesh(4, 1, 1, 0.4, -0.8, -0.2, -0.2), 4),
		          make_soft(grid_mesh(1, 1, 4, 0.4, -0.2, -0.2, -0.8), 4) };
	for (int k = 0; k < 2; ++k)
	{
		lm_quat turn = lm_quat_axis_angle(k ? lm_v3(0, 0, 1) : lm_v3(1, 0, 0), 0.785398);
		for (int32_t i = 0; i < s[k].view.count; ++i)
		{
			lm_vec3 p = lm_quat_rotate(turn, lm_particle_at(s[k].x, i));
			s[k].x[lm_particle_place(i, 0)] = (float)(p.x + (k ? 0.17 : 0)),
										s[k].x[lm_particle_place(i, 1)] = (float)(p.y + (k ? 0.62 : 0));
			s[k].x[lm_particle_place(i, 2)] = (float)(p.z + (k ? 0.11 : 0));
		}
	}
	soft_throw(&s[1], 0, -2, 0);
	lm_contact_pairs* pairs = make_pairs();
	for (int i = 0; i < 120; ++i)
	{
		for (int k = 0; k < 2; ++k)
			soft_step(&s[k], 1.0 / 120, 0, 0.6);
		soft_resolve(pairs, s, 2, false, 1.0 / 120, 1, NULL);
	}
	double gap = soft_mean(&s[1], s[1].x).y - soft_mean(&s[0], s[0].x).y;
	assert_true(gap > 0.4);
	free_softs(s, 2);
	lm_contact_pairs_destroy(pairs);
}

// A long bar bent into a ring, its ends pushed into each other.
static void test_self_contact(void** state)
{
	(void)state;
	soft s = make_soft(grid_mesh(16, 1, 1, 0.2, 0, 0, 0), 4);
	double length = 3.2, pi = 3.14159265358979, turn = 2 * pi * 1.02; // a little more than round
	for (int32_t i = 0; i < s.view.count; ++i)
	{
		lm_vec3 r = lm_v3_at(s.mesh->positions, i);
		double angle = turn * (r.x / length), radius = length / (2 * pi) + r.y;
		s.x[lm_particle_place(i, 0)] = (float)(radius * sin(angle)),
								 s.x[lm_particle_place(i, 1)] = (float)(radius * cos(angle));
	}
	lm_contact_pairs* pairs = make_pairs();
	float* before = copy_positions(&s);
	double first = 0, last = 0;
	momentum start = soft_momentum(&s, 1, NULL);
	soft_resolve(pairs, &s, 1, false, 0.01, 1, &first);
	assert_memory_equal(before, s.x, lm_particle_numbers(s.view.count) * sizeof(float)); // switched off: untouched
	for (int i = 0; i < 30; ++i)
		soft_resolve(pairs, &s, 1, true, 0.01, 1, i == 0 ? &first : &last);
	assert_true(lm_distance(lm_particle_at(s.x, 0), lm_particle_at(before, 0)) > 1e-3);
	assert_true(last < 1e-3);
	momentum end = soft_momentum(&s, 1, NULL);
	check_kept(start, end, 1);
	free(before);
	// a body at rest does not meet itself
	soft rest = make_soft(grid_mesh(3, 3, 3, 0.2, 0, 0, 0), 4);
	before = copy_positions(&rest);
	soft_resolve(pairs, &rest, 1, true, 0.01, 1, &last);
	assert_memory_equal(before, rest.x, lm_particle_numbers(rest.view.count) * sizeof(float));
	free(before);
	free_soft(&rest);
	free_soft(&s);
	lm_contact_pairs_destroy(pairs);
}

static void test_sheet_falls_on_solid(void** state)
{
	(void)state;
	soft s[2] = { make_soft(sheet_mesh(8, 0.5), 0.5), make_soft(grid_mesh(2, 2, 2, 0.3, -0.3, -0.6, -0.3), 10) };
	for (int32_t i = 0; i < s[1].view.count; ++i)
		s[1].inverse_mass[i] = 0;
	s[0].view.thickness = 0.01;
	soft_shift(&s[0], 0, 0.3, 0);
	lm_contact_pairs* pairs = make_pairs();
	for (int i = 0; i < 200; ++i)
	{
		soft_step(&s[0], 1.0 / 60, 9.81, 0.6);
		soft_resolve(pairs, s, 2, false, 1.0 / 60, 1, NULL);
	}
	assert_near(soft_mean(&s[0], s[0].x).y, 0.01, 0.01);
	assert_true(fastest(&s[0]) < 0.3);
	free_softs(s, 2);
	lm_contact_pairs_destroy(pairs);
}

static void test_sheets_meet(void** state)
{
	(void)state;
	soft s[2] = { make_soft(sheet_mesh(4, 0.5), 1), make_soft(sheet_mesh(5, 0.4), 1) };
	soft_shift(&s[1], 0.03, 0.5, 0.02);
	soft_throw(&s[1], 0, -10, 0); // 17 cm in a step, with no thickness to speak of
	lm_contact_pairs* pairs = make_pairs();
	for (int i = 0; i < 30; ++i)
	{
		for (int k = 0; k < 2; ++k)
			soft_step(&s[k], 1.0 / 60, 0, 0.6);
		soft_resolve(pairs, s, 2, false, 1.0 / 60, 1, NULL);
	}
	assert_true(soft_mean(&s[1], s[1].x).y > soft_mean(&s[0], s[0].x).y - 1e-3);
	assert_near(soft_mean(&s[0], s[0].v).y + soft_mean(&s[1], s[1].v).y, -10, 1e-3);
	free_softs(s, 2);
	lm_contact_pairs_destroy(pairs);
}

static void test_broken_shapes_do_no_harm(void** state)
{
	(void)state;
	for (int kind = 0; kind < 4; ++kind)
	{
		soft s[2] = { make_soft(grid_mesh(2, 2, 2, 0.5, 0, 0, 0), 3),
			          make_soft(grid_mesh(2, 2, 2, 0.5, 0.2, 0.2, 0.2), 3) };
		for (int32_t i = 0; i < s[0].view.count; ++i)
			for (int k = 0; k < 3; ++k)
			{
				float* x = &s[0].x[lm_particle_place(i, k)];
				if (kind == 0)
					*x = 0.5f; // a point
				else if (kind == 1 && k == 1)
					*x = 0.5f; // flat
				else if (kind == 2 && k == 0)
					*x = -*x + 1; // inside out
				else if (kind == 3)
					*x *= 1e18f; // enormous
			}
		lm_contact_pairs* pairs = make_pairs();
		double deepest[2];
		for (int i = 0; i < 3; ++i)
			soft_resolve(pairs, s, 2, true, 0.01, 1, deepest);
		for (int b = 0; b < 2; ++b)
		{
			assert_true(isfinite(deepest[b]));
			for (size_t i = 0; i < lm_particle_numbers(s[b].view.count); ++i)
				assert_true(isfinite(s[b].x[i]) && isfinite(s[b].v[i]));
			assert_true(fastest(&s[b]) < 1e-6);
		}
		s[1].x[5] = NAN; // not ours to make, but nothing else may catch it
		soft_resolve(pairs, s, 2, false, 0.01, 1, deepest);
		for (size_t i = 0; i < lm_particle_numbers(s[0].view.count); ++i)
			assert_true(isfinite(s[0].x[i]));
		free_softs(s, 2);
		lm_contact_pairs_destroy(pairs);
	}
}

#define PILE 10
#define PILE_STEPS 120

static void make_pile(soft* s)
{
	for (int k = 0; k < PILE; ++k)
	{
		// 5 x 5 x 9 = 225 particles
		s[k] = make_soft(grid_mesh(4, 4, 8, 0.1, 0, 0, 0), 10);
		soft_shift(&s[k], 0.42 * (k % 3) + 0.15 * (k / 3), 0.01 + 0.41 * (k / 3), 0.05 * (k % 4));
	}
}

// Of 45 pairs of bodies only neighbours, and of their thousands of samples only those near the other body (the most
// that was seen: 15 and 910).
static void expect_little_work(lm_pairs_work work)
{
	assert_true(work.body_pairs <= 18 && work.candidates <= 1100 && work.contacts <= work.candidates);
}

static void test_pile_takes_little_work_and_is_the_same(void** state)
{
	(void)state;
	float* first = NULL;
	int threads[3] = { 1, 2, 4 };
	for (int run = 0; run < 3; ++run)
	{
		soft s[PILE];
		make_pile(s);
		lm_contact_pairs* pairs = make_pairs();
		lm_colliders* ground = make_floor();
		double deepest[PILE], worst = 0;
		for (int i = 0; i < PILE_STEPS; ++i)
		{
			for (int k = 0; k < PILE; ++k)
			{
				soft_step(&s[k], 1.0 / 120, 9.81, 0.6);
				lm_contact_colliders(ground, &s[k].view, 1.0 / 120, threads[run], NULL);
			}
			soft_resolve(pairs, s, PILE, false, 1.0 / 120, threads[run], deepest);
			expect_little_work(lm_contact_pairs_work(pairs));
		}
		assert_true(lm_contact_pairs_work(pairs).contacts > 0);
		for (int k = 0; k < PILE; ++k)
			worst = fmax(worst, deepest[k]);
		assert_true(worst < 0.03);
		for (int k = 0; k < PILE; ++k)
			assert_true(fastest(&s[k]) < 5);
		if (!first)
			first = copy_positions(&s[7]);
		else
			assert_memory_equal(first, s[7].x, lm_particle_numbers(s[7].view.count) * sizeof(float));
		free_softs(s, PILE);
		lm_colliders_destroy(ground);
		lm_contact_pairs_destroy(pairs);
	}
	free(first);
}

static void test_apart_takes_no_work(void** state)
{
	(void)state;
	soft s[PILE];
	make_pile(s);
	for (int k = 0; k < PILE; ++k)
		soft_shift(&s[k], 2.0 * k, 0, 0);
	test_memory memory = { 0 };
	lm_host host = test_host(&memory);
	lm_contact_pairs* pairs;
	assert_int_equal(lm_contact_pairs_create(&host, &pairs, NULL), LM_OK);
	soft_resolve(pairs, s, PILE, false, 0.01, 1, NULL);
	int64_t requests = memory.requests;
	for (int i = 0; i < 3; ++i)
		soft_resolve(pairs, s, PILE, false, 0.01, 1, NULL);
	lm_pairs_work work = lm_contact_pairs_work(pairs);
	assert_true(work.body_pairs == 0 && work.candidates == 0 && work.contacts == 0);
	assert_int_equal(memory.requests, requests); // no memory after the first
	free_softs(s, PILE);
	lm_contact_pairs_destroy(pairs);
	assert_int_equal(memory.held, 0);
}

static void test_memory_fails_in_turn(void** state)
{
	(void)state;
	soft s[2] = { make_soft(grid_mesh(2, 2, 2, 0.5, 0, 0, 0), 3), make_soft(grid_mesh(2, 2, 2, 0.5, 0.2, 0.9, 0), 3) };
	float* before = copy_positions(&s[0]);
	bool done = false;
	for (int64_t n = 1; !done; ++n)
	{
		test_memory memory = { .fail_at = n };
		lm_host host = test_host(&memory);
		lm_contact_body* bodies[2] = { NULL, NULL };
		lm_contact_pairs* pairs = NULL;
		lm_error error;
		lm_status status = lm_contact_body_create(s[0].mesh, &host, &bodies[0], &error);
		if (status == LM_OK)
			status = lm_contact_body_create(s[1].mesh, &host, &bodies[1], &error);
		if (status == LM_OK)
			status = lm_contact_pairs_create(&host, &pairs, &error);
		lm_particles views[2] = { s[0].view, s[1].view };
		if (status == LM_OK)
			status = lm_contact_pairs_resolve(pairs, bodies, views, NULL, 2, 0.01, 1, NULL, &error);
		done = status == LM_OK;
		assert_int_equal(status, done ? LM_OK : LM_NO_MEMORY);
		assert_true(!done || n > 20);
		bool same = memcmp(before, s[0].x, lm_particle_numbers(s[0].view.count) * sizeof(float)) == 0;
		assert_int_equal(same, !done);
		lm_contact_pairs_destroy(pairs);
		lm_contact_body_destroy(bodies[0]);
		lm_contact_body_destroy(bodies[1]);
		assert_int_equal(memory.held, 0);
	}
	free(before);
	free_softs(s, 2);
}

static void test_bad_bodies(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_contact_body* body = NULL;
	lm_error error;
	lm_mesh* points = lm_mesh_create(&host, 3, 0, 0);
	assert_int_equal(lm_contact_body_create(points, &host, &body, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "neither tetrahedra nor triangles"));
	lm_mesh_destroy(points);
	lm_mesh* grid = grid_mesh(1, 1, 1, 1, 0, 0, 0);
	grid->positions[3] = NAN;
	assert_int_equal(lm_contact_body_create(grid, &host, &body, &error), LM_BAD_INPUT);
	assert_null(body);
	lm_mesh_destroy(grid);
	lm_contact_body_destroy(NULL);
	lm_contact_pairs_destroy(NULL);
	lm_contact_pairs* pairs = make_pairs();
	assert_int_equal(lm_contact_pairs_resolve(pairs, &body, &(lm_particles){ 0 }, NULL, 0, 0.01, 1, NULL, &error),
	                 LM_OK);
	lm_contact_pairs_destroy(pairs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_momentum_of_solids),
		cmocka_unit_test(test_momentum_of_sheet_and_solid),
		cmocka_unit_test(test_momentum_with_own_origins),
		cmocka_unit_test(test_stack_rests),
		cmocka_unit_test(test_deep_overlap_separates),
		cmocka_unit_test(test_friction_between_bodies),
		cmocka_unit_test(test_edges_do_not_pass),
		cmocka_unit_test(test_self_contact),
		cmocka_unit_test(test_sheet_falls_on_solid),
		cmocka_unit_test(test_sheets_meet),
		cmocka_unit_test(test_broken_shapes_do_no_harm),
		cmocka_unit_test(test_pile_takes_little_work_and_is_the_same),
		cmocka_unit_test(test_apart_takes_no_work),
		cmocka_unit_test(test_memory_fails_in_turn),
		cmocka_unit_test(test_bad_bodies),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
