// Free simulation: parabolas, spin, vibration, rest, bouncing, bodies on bodies; whatever it is given, numbers stay
// numbers.
#include "test.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "design/shapes.h"
#include "design/simulate.h"

#define NODES 16

static lm_host host;
static lm_mesh* mesh;
static lm_design_model* model;

static int set_up(void** state)
{
	(void)state;
	host = lm_host_default();
	return test_bar_model(NODES, &host, &mesh, &model) ? 0 : 1;
}

static int tear_down(void** state)
{
	(void)state;
	lm_design_model_destroy(model);
	lm_mesh_destroy(mesh);
	return 0;
}

typedef struct world
{
	lm_design_motion* stage;
	lm_design_sim* sim;
	lm_colliders* ground;
} world;

static world make(int32_t count, bool with_ground, double gravity, lm_design_dynamics dynamics, int threads)
{
	lm_design_motion_object objects[4];
	lm_design_dynamics all[4];
	lm_host own = host;
	own.threads = threads;
	for (int i = 0; i < 4; ++i)
		objects[i] = lm_design_motion_object_default(), objects[i].model = model, all[i] = dynamics;
	lm_collider_def def = lm_collider_def_default();
	lm_placement_key key = { .rotation = { 1, 0, 0, 0 } };
	def.key_count = 1, def.keys = &key;
	world w = { 0 };
	if (with_ground)
		assert_int_equal(lm_colliders_create(&def, 1, &host, &w.ground, NULL), LM_OK);
	lm_design_motion_settings settings = lm_design_motion_settings_default();
	assert_int_equal(lm_design_motion_create_stage(objects, count, w.ground, 0, &settings, &own, &w.stage, NULL),
	                 LM_OK);
	assert_int_equal(lm_design_sim_create(w.stage, all, (double[3]){ 0, -gravity, 0 }, 0, &own, &w.sim, NULL), LM_OK);
	return w;
}

static void drop(world* w)
{
	lm_design_sim_destroy(w->sim);
	lm_design_motion_destroy(w->stage);
	lm_colliders_destroy(w->ground);
}

// Sets a body free at rest, turned about its middle and moved (own lengths), with velocities.
static void let_go(world* w, int32_t b, lm_quat q, lm_vec3 t, lm_vec3 linear, lm_vec3 angular, double h)
{
	double y[3 * NODES], v[3 * NODES];
	for (int i = 0; i < NODES; ++i)
	{
		lm_vec3 r = lm_quat_rotate(q, lm_sub(lm_v3_at(model->nodes, i), model->middle));
		lm_v3_store(y, i, lm_add(lm_add(model->middle, t), r));
		lm_v3_store(v, i, lm_add(linear, lm_cross(angular, r)));
	}
	lm_design_sim_release(w->sim, b, y, v, h);
	assert_int_equal(lm_design_sim_settle(w->sim, b, NULL), LM_OK);
}

static void steps(world* w, int count, double h)
{
	for (int k = 0; k < count; ++k)
		assert_int_equal(lm_design_sim_step(w->sim, h, NULL), LM_OK);
}

static lm_vec3 middle_of(const world* w, int32_t b)
{
	lm_vec3 c = { 0, 0, 0 };
	const lm_design_sim_body* body = &w->sim->bodies[b];
	for (int i = 0; i < NODES; ++i)
		for (int j = 0; j < NODES; ++j)
			c = lm_add_scaled(c, body->M[i * NODES + j], lm_v3_at(body->y, j));
	return c;
}

static double lowest(const world* w, int32_t b)
{
	double low = INFINITY, *x = malloc(24 * (size_t)mesh->vertex_count), nodes[3 * NODES];
	for (int i = 0; i < NODES; ++i)
		lm_v3_store(nodes, i, lm_add_scaled(model->center, model->size, lm_v3_at(w->sim->bodies[b].y, i)));
	lm_design_surface(model, nodes, 1, x, NULL);
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
		low = fmin(low, x[3 * v + 1]);
	free(x);
	return low;
}

static void free_flight_is_a_parabola_and_keeps_its_spin(void** state)
{
	(void)state;
	const double h = 1.0 / 120;
	world w = make(1, false, 9.81, lm_design_dynamics_default(), 1);
	lm_vec3 linear = { 3, 4, -1 }, angular = { 5, 1, 2 };
	let_go(&w, 0, lm_quat_identity(), lm_v3(0, 0, 0), linear, angular, h);
	lm_vec3 start = middle_of(&w, 0), gravity = { 0, -9.81 / model->size, 0 };
	lm_vec3 speed = lm_add(linear, lm_cross(angular, lm_sub(start, model->middle)));
	for (int k = 1; k <= 120; ++k)
	{
		steps(&w, 1, h);
		lm_vec3 wanted = lm_add(lm_add_scaled(start, k * h, speed), lm_scale(0.5 * k * k * h * h, gravity));
		assert_near(lm_distance(middle_of(&w, 0), wanted), 0, 1e-9);
	}
	double v[3 * NODES];
	lm_design_sim_velocity(w.sim, 0, NULL, v);
	lm_vec3 L = { 0, 0, 0 }, L0 = { 0, 0, 0 }, c = middle_of(&w, 0);
	for (int i = 0; i < NODES; ++i)
		for (int j = 0; j < NODES; ++j)
		{
			double m = w.sim->bodies[0].M[i * NODES + j];
			lm_vec3 r = lm_sub(lm_v3_at(model->nodes, i), start), s = lm_sub(lm_v3_at(model->nodes, j), start);
			L0 = lm_add_scaled(L0, m, lm_cross(r, lm_cross(angular, s)));
			L = lm_add_scaled(L, m, lm_cross(lm_sub(lm_v3_at(w.sim->bodies[0].y, i), c), lm_v3_at(v, j)));
		}
	assert_near(lm_distance(L, L0) / lm_length(L0), 0, 1e-3);
	drop(&w);
}

// The slowest vibration takes the time that was asked for, and decays as asked for.
static void it_vibrates_as_asked(void** state)
{
	(void)state;
	lm_design_dynamics dynamics = lm_design_dynamics_default();
	dynamics.frequency = 2, dynamics.damping = 0.05;
	lm_mesh* thin = test_cells((int[3]){ 1, 8, 1 }, 0.1, test_fill_all, &host);
	lm_design_model *thick_model = model, *thin_model; // of a thin one bending is the slowest
	lm_design_model_def def = lm_design_model_def_default();
	def.surface = thin, def.nodes = NODES, def.voxels = 1500;
	assert_int_equal(lm_design_model_create(&def, &host, &thin_model, NULL), LM_OK);
	model = thin_model;
	world w = make(1, false, 0, dynamics, 1);
	const double h = 1.0 / 240;
	let_go(&w, 0, lm_quat_identity(), lm_v3(0, 0, 0), lm_v3(0, 0, 0), lm_v3(0, 0, 0), h);
	lm_design_sim_body* body = &w.sim->bodies[0];
	for (int i = 0; i < NODES; ++i) // bends
	{
		double u = model->nodes[3 * i + 1] - model->middle.y;
		body->v[3 * i] += 0.5 * (u * u - 0.09);
	}
	double previous = 0, crossings = 0, last = 0, first = 0, most[2] = { 0, 0 };
	for (int k = 0; k < 480; ++k)
	{
		steps(&w, 1, h);
		double ends = 0, inner = 0; // how far the ends are bent out against the middle
		int end_count = 0, inner_count = 0;
		for (int i = 0; i < NODES; ++i)
		{
			double u = fabs(model->nodes[3 * i + 1] - model->middle.y);
			if (u > 0.35)
				ends += body->y[3 * i] - model->nodes[3 * i], ++end_count;
			if (u < 0.2)
				inner += body->y[3 * i] - model->nodes[3 * i], ++inner_count;
		}
		double bend = ends / end_count - inner / inner_count;
		if (k > 0 && previous * bend < 0)
		{
			crossings += 1;
			first = crossings == 1 ? k * h : first, last = k * h;
		}
		if (k >= 120) // by then the faster ones are gone
			most[k >= 300] = fmax(most[k >= 300], fabs(bend));
		previous = bend;
	}
	assert_near((crossings - 1) / (2 * (last - first)), 2, 0.05);
	double decay = most[1] / most[0], wanted = exp(-0.05 * 2 * 3.14159265 * 2 * 0.75);
	assert_true(decay > 0.75 * wanted && decay < 1.3 * wanted);
	drop(&w);
	lm_design_model_destroy(thin_model);
	lm_mesh_destroy(thin);
	model = thick_model;
}

// Dropped turned, it falls over, bounces and comes to rest; energy only goes down, and it never sinks in.
static void it_comes_to_rest_on_the_ground(void** state)
{
	(void)state;
	const double h = 1.0 / 240;
	world w = make(1, true, 9.81, lm_design_dynamics_default(), 1);
	let_go(&w, 0, lm_quat_axis_angle(lm_v3(1, 0.3, 0.4), 0.8), lm_v3(0, 1, 0), lm_v3(0, 0, 0), lm_v3(0, 0, 0), h);
	double energy = lm_design_sim_energy(w.sim, 0), least = energy, deepest = 0, fastest = 0;
	for (int k = 0; k < 600; ++k)
	{
		steps(&w, 1, h);
		double now = lm_design_sim_energy(w.sim, 0);
		assert_true(now < least + 0.01 * fabs(energy)); // contacts store a little
		least = fmin(least, now);
		deepest = fmax(deepest, -lowest(&w, 0) / model->size);
		if (k > 580)
			for (int i = 0; i < 3 * NODES; ++i)
				fastest = fmax(fastest, fabs(w.sim->bodies[0].v[i]));
	}
	assert_true(deepest < 0.01);
	assert_true(fastest < 0.05);
	assert_true(lowest(&w, 0) < 0.02 * model->size);
	drop(&w);
}

// A body at rest that touches the ground when it is set free does not jump.
static void it_does_not_jump_when_set_free_on_the_ground(void** state)
{
	(void)state;
	const double h = 1.0 / 240;
	world w = make(1, true, 9.81, lm_design_dynamics_default(), 1);
	let_go(&w, 0, lm_quat_identity(), lm_v3(0, -0.005, 0), lm_v3(0, 0, 0), lm_v3(0, 0, 0), h);
	double start = middle_of(&w, 0).y, highest = 0;
	for (int k = 0; k < 240; ++k)
	{
		steps(&w, 1, h);
		highest = fmax(highest, middle_of(&w, 0).y - start);
	}
	assert_true(highest < 0.02);
	drop(&w);
}

static uint64_t pile(int threads, double* pressed)
{
	const double h = 1.0 / 240;
	world w = make(3, true, 9.81, lm_design_dynamics_default(), threads);
	for (int b = 0; b < 3; ++b)
		let_go(&w, b, lm_quat_axis_angle(lm_v3(0, 0, 1), 1.5707963), lm_v3(0.02 * b, 0.5 * b - 0.2, 0.02 * b),
		       lm_v3(0, -1, 0), lm_v3(0, 0, 0), h);
	uint64_t hash = LM_HASH_START;
	*pressed = 0;
	for (int k = 0; k < 120; ++k)
	{
		steps(&w, 1, h);
		lm_design_pair_contacts contacts = { 0 };
		assert_true(lm_design_find_pair_contacts(w.stage, 0, w.sim->z, 0, &contacts));
		for (size_t t = 0; t < contacts.count; ++t)
			*pressed = fmax(*pressed, contacts.touches[t].depth);
		lm_free(&host, contacts.touches);
		lm_free(&host, contacts.node);
		lm_free(&host, contacts.phi);
	}
	for (int b = 0; b < 3; ++b)
	{
		assert_true(lowest(&w, b) > -0.01 * model->size);
		hash = lm_hash(hash, w.sim->bodies[b].y, sizeof(double) * 3 * NODES);
	}
	assert_true(middle_of(&w, 2).y > middle_of(&w, 0).y + 0.2); // one lies on the other
	drop(&w);
	return hash;
}

static void bodies_pile_up_the_same_for_any_threads(void** state)
{
	(void)state;
	double pressed;
	uint64_t one = pile(1, &pressed);
	assert_true(pressed < 0.01);
	assert_true(pile(2, &pressed) == one);
	assert_true(pile(4, &pressed) == one);
}

// Friction holds on a slope that is flatter than it, and does not on a steeper one.
static void friction_holds(void** state)
{
	(void)state;
	for (int steep = 0; steep < 2; ++steep)
	{
		lm_design_dynamics dynamics = lm_design_dynamics_default();
		dynamics.friction = 0.5, dynamics.frequency = 10;
		world w = make(1, true, 9.81, dynamics, 1);
		double angle = steep ? 0.8 : 0.3; // tan: 1.03, 0.31
		w.sim->gravity = lm_v3(9.81 * sin(angle), -9.81 * cos(angle), 0);
		let_go(&w, 0, lm_quat_axis_angle(lm_v3(0, 0, 1), 1.5707963), lm_v3(0, -0.32, 0), lm_v3(0, 0, 0), lm_v3(0, 0, 0),
		       1.0 / 240);
		steps(&w, 72, 1.0 / 240);
		double start = middle_of(&w, 0).x;
		steps(&w, 48, 1.0 / 240);
		double slid = middle_of(&w, 0).x - start;
		assert_true(steep ? slid > 0.1 : fabs(slid) < 0.02);
		drop(&w);
	}
}

// Nonsense in, numbers out.
static void nothing_is_ever_nan(void** state)
{
	(void)state;
	const double h = 1.0 / 60;
	for (int kind = 0; kind < 4; ++kind)
	{
		world w = make(2, true, 9.81, lm_design_dynamics_default(), 1);
		double y[3 * NODES], v[3 * NODES] = { 0 };
		for (int b = 0; b < 2; ++b)
		{
			for (int i = 0; i < NODES; ++i)
			{
				lm_vec3 x = lm_v3_at(model->nodes, i);
				x = kind == 0 ? lm_v3(0, 0, 0) : kind == 1 ? lm_v3(-x.x, x.y, x.z) : kind == 2 ? lm_scale(30, x) : x;
				lm_v3_store(y, i, x);
				lm_v3_store(v, i, kind == 3 ? lm_v3(1e4, -1e4 * (i % 3), 1e4 * b) : lm_v3(0, 0, 0));
			}
			lm_design_sim_release(w.sim, b, y, v, h);
			assert_int_equal(lm_design_sim_settle(w.sim, b, NULL), LM_OK);
		}
		for (int k = 0; k < 30; ++k)
		{
			steps(&w, 1, h);
			for (int b = 0; b < 2; ++b)
				for (int i = 0; i < 3 * NODES; ++i)
					assert_true(isfinite(w.sim->bodies[b].y[i]) && isfinite(w.sim->bodies[b].v[i]));
		}
		drop(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(free_flight_is_a_parabola_and_keeps_its_spin),
		cmocka_unit_test(it_vibrates_as_asked),
		cmocka_unit_test(it_comes_to_rest_on_the_ground),
		cmocka_unit_test(it_does_not_jump_when_set_free_on_the_ground),
		cmocka_unit_test(bodies_pile_up_the_same_for_any_threads),
		cmocka_unit_test(friction_holds),
		cmocka_unit_test(nothing_is_ever_nan),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
