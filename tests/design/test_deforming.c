// Obstacles that deform: motions keep off them, and simulated bodies lie on them, as off and on rigid ones that move
// in the same way.
#include "test.h"

#include "contact/shapes.h"
#include "design/bar.h"
#include "design/motion.h"
#include "design/simulate.h"

#define FRAMES 241 // of 2 s

// A box of these half sides that is keyed at rest and moves and swells by its frames, or is keyed only.
typedef struct plate
{
	lm_mesh* mesh;
	double times[FRAMES], frames[FRAMES * 24];
	lm_collider_def def;
	lm_placement_key keys[FRAMES];
	lm_colliders* colliders;
} plate;

typedef lm_vec3 way(double time);

static plate* make_plate(lm_vec3 half, way* at, bool deforms)
{
	plate* p = calloc(1, sizeof *p);
	p->mesh = box_mesh(half.x, half.y, half.z);
	p->def = lm_collider_def_default();
	p->def.shape = LM_SHAPE_MESH, p->def.mesh = p->mesh;
	for (int k = 0; k < FRAMES; ++k)
	{
		p->times[k] = 2.0 * k / (FRAMES - 1);
		lm_vec3 place = at(p->times[k]);
		p->keys[k] = key_at(p->times[k], place.x, place.y, place.z);
		for (int v = 0; v < 8; ++v)
			lm_v3_store(p->frames + 24 * k, v, lm_add(place, lm_v3_at(p->mesh->positions, v)));
	}
	p->def.keys = p->keys, p->def.key_count = FRAMES;
	static const lm_placement_key origin = { .rotation = { 1, 0, 0, 0 } };
	if (deforms)
	{
		p->def.frames = (lm_collider_frames){ .count = FRAMES, .times = p->times, .positions = p->frames };
		p->def.keys = &origin, p->def.key_count = 1;
	}
	assert_int_equal(lm_colliders_create(&p->def, 1, &host, &p->colliders, NULL), LM_OK);
	return p;
}

static void drop_plate(plate* p)
{
	lm_colliders_destroy(p->colliders);
	lm_mesh_destroy(p->mesh);
	free(p);
}

// ---- motions

static lm_vec3 across(double time)
{
	return lm_v3(1.1, 1.2 - 0.8 * time, 0.1);
}

// Deepest that a vertex is in a box of half sides 0.2 on its way.
static double deepest(const lm_design_motion* m, double seconds)
{
	double depth = 0, z[3 * NODES], *x = malloc(sizeof(double) * 3 * (size_t)mesh->vertex_count);
	for (int step = 0; step <= 240; ++step)
	{
		lm_design_motion_nodes(m, 0, seconds * step / 240, z, NULL);
		lm_design_surface(model, z, 1, x, NULL);
		for (int32_t v = 0; v < mesh->vertex_count; ++v)
		{
			lm_vec3 d = lm_sub(lm_v3_at(x, v), across(seconds * step / 240));
			depth = fmax(depth, fmin(fmin(0.2 - fabs(d.x), 0.2 - fabs(d.y)), 0.2 - fabs(d.z)));
		}
	}
	free(x);
	return depth;
}

static lm_design_motion* solve(const lm_colliders* colliders, const lm_design_motion_key keys[2])
{
	lm_design_motion_object object = lm_design_motion_object_default();
	lm_design_motion_settings settings = lm_design_motion_settings_default();
	lm_design_motion* motion;
	object.model = model, object.keys = keys, object.key_count = 2, object.frames = 12, settings.seconds = 2;
	assert_int_equal(lm_design_motion_create(&object, 1, colliders, 0, &settings, &host, &motion, NULL), LM_OK);
	assert_int_equal(lm_design_motion_solve(motion, NULL), LM_OK);
	return motion;
}

// A box comes down on the way, at the time.
static void they_are_avoided(void** state)
{
	(void)state;
	double nodes[2][3 * NODES];
	lm_design_motion_key keys[2] = { { .positions = nodes[0] }, { .time = 2, .positions = nodes[1] } };
	lm_quat none = { 1, 0, 0, 0 };
	place(none, lm_v3(0, 0, 0), nodes[0]);
	place(none, lm_v3(2, 0, 0), nodes[1]);
	lm_design_motion* free_way = solve(NULL, keys);
	assert_true(deepest(free_way, 2) > 0.1); // it would go through it
	lm_design_motion_destroy(free_way);
	for (int deforms = 0; deforms < 2; ++deforms)
	{
		plate* p = make_plate(lm_v3(0.2, 0.2, 0.2), across, deforms);
		lm_design_motion* m = solve(p->colliders, keys);
		lm_design_motion_report r = lm_design_motion_get_report(m);
		assert_true(r.collision_free);
		assert_near(r.key_error, 0, 1e-12);
		assert_true(deepest(m, 2) < 0.01 * 0.6);
		lm_design_motion_destroy(m);
		drop_plate(p);
	}
}

static lm_vec3 low(double time)
{
	return lm_v3(0, time > 1 ? 0.4 : -2, 0);
}

// A key in one that is there at the key's time is refused.
static void keys_in_them_are_refused(void** state)
{
	(void)state;
	plate* p = make_plate(lm_v3(1, 0.3, 1), low, true);
	lm_design_motion_object object = lm_design_motion_object_default();
	lm_design_motion_settings settings = lm_design_motion_settings_default();
	lm_design_motion* motion;
	lm_error error = { 0 };
	lm_design_motion_key keys[2] = { { .positions = rest }, { .time = 0.5, .positions = rest } };
	object.model = model, object.keys = keys, object.key_count = 2, settings.seconds = 2;
	assert_int_equal(lm_design_motion_create(&object, 1, p->colliders, 0, &settings, &host, &motion, NULL), LM_OK);
	lm_design_motion_destroy(motion);
	keys[1].time = 1.5;
	assert_int_equal(lm_design_motion_create(&object, 1, p->colliders, 0, &settings, &host, &motion, &error),
	                 LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "inside an obstacle"));
	drop_plate(p);
}

// ---- simulation

static lm_vec3 rising(double time)
{
	return lm_v3(0.3 * time, 0.1 * time - 0.1, 0);
}

// Where a bar that lies on a plate is after 1.5 s.
static lm_vec3 carried(bool deforms)
{
	plate* p = make_plate(lm_v3(3, 0.1, 3), rising, deforms);
	lm_design_motion_object object = lm_design_motion_object_default();
	lm_design_motion_settings settings = lm_design_motion_settings_default();
	lm_design_dynamics dynamics = lm_design_dynamics_default();
	const double gravity[3] = { 0, -9.81, 0 }, h = 1.0 / 240;
	lm_design_motion* stage;
	lm_design_sim* sim;
	object.model = model, settings.seconds = 2, dynamics.frequency = 10;
	assert_int_equal(lm_design_motion_create_stage(&object, 1, p->colliders, 0, &settings, &host, &stage, NULL), LM_OK);
	assert_int_equal(lm_design_sim_create(stage, &dynamics, gravity, 0, &host, &sim, NULL), LM_OK);
	double y[3 * NODES], v[3 * NODES] = { 0 };
	for (int i = 0; i < NODES; ++i) // on its side
	{
		lm_vec3 r = lm_sub(lm_v3_at(model->nodes, i), model->middle);
		lm_v3_store(y, i, lm_add(lm_add(model->middle, lm_v3(0, -0.3, 0)), lm_v3(-r.y, r.x, r.z)));
	}
	lm_design_sim_release(sim, 0, y, v, h);
	assert_int_equal(lm_design_sim_settle(sim, 0, NULL), LM_OK);
	for (int k = 0; k < 360; ++k)
		assert_int_equal(lm_design_sim_step(sim, h, NULL), LM_OK);
	lm_vec3 middle = { 0, 0, 0 };
	for (int i = 0; i < NODES; ++i)
		middle = lm_add_scaled(middle, model->size / NODES, lm_v3_at(sim->bodies[0].y, i));
	lm_design_sim_destroy(sim);
	lm_design_motion_destroy(stage);
	drop_plate(p);
	return middle;
}

static void they_carry(void** state)
{
	(void)state;
	lm_vec3 keyed = carried(false), deforming = carried(true);
	assert_near(lm_distance(keyed, deforming), 0, 2e-3);
	lm_vec3 c = lm_add_scaled(model->center, model->size, model->middle);
	print_message("carried by %g along and to %g\n", deforming.x - c.x, deforming.y);
	assert_true(deforming.x - c.x > 0.25); // by friction
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(they_are_avoided), cmocka_unit_test(keys_in_them_are_refused),
		                                cmocka_unit_test(they_carry) };
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
