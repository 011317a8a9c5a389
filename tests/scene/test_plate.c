// What bodies in the plane look like: plates and ribbons are closed, face outwards and follow their points.
#include "test.h"

#include "ground.h"
#include "limber/limber.h"
#include "world/plate.h"
#include "world/world.h"

static lm_mesh* ell(const lm_host* host) // three squares of side 1 in the shape of an L
{
	lm_mesh* mesh = lm_mesh_create(host, 8, 6, 0);
	if (mesh == NULL)
		return NULL;
	const double xyz[24] = { 0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 1, 1, 0, 2, 1, 0, 0, 2, 0, 1, 2, 0 };
	memcpy(mesh->positions, xyz, sizeof xyz);
	memcpy(mesh->triangles, (int32_t[]){ 0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4, 3, 4, 7, 3, 7, 6 }, 18 * sizeof(int32_t));
	return mesh;
}

static lm_mesh_facts facts_of(const lm_mesh* mesh)
{
	lm_host host = lm_host_default();
	lm_mesh_facts facts;
	assert_int_equal(lm_mesh_check(mesh, "x", NULL), LM_OK);
	assert_int_equal(lm_mesh_get_facts(mesh, &host, &facts, NULL), LM_OK);
	return facts;
}

static void plates_are_closed(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh *flat = ell(&host), *plate = NULL;
	assert_int_equal(lm_plate_create(flat, 0.1, &host, &plate, NULL), LM_OK);
	lm_mesh_facts facts = facts_of(plate);
	assert_true(facts.closed && facts.manifold);
	assert_near(facts.volume, 0.3, 1e-12);
	assert_near(facts.area, 2 * 3 + 8 * 0.1, 1e-12);
	for (int i = 0; i < 24; ++i)
		flat->positions[i] *= i % 3 < 2 ? 2 : 1;
	lm_plate_move(flat->positions, 8, 0.1, plate->positions);
	assert_near(facts_of(plate).volume, 1.2, 1e-12);
	lm_mesh_destroy(plate);
	lm_mesh_destroy(flat);
}

// An open polygon whose edges are listed backwards and forwards, and a closed one.
static void ribbons_are_closed(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int closed = 0; closed < 2; ++closed)
	{
		lm_mesh *curve = lm_mesh_create(&host, 5, 0, 0), *mesh = NULL;
		const double xyz[15] = { 0, 0, 0, 1, 0, 0, 1.5, 1, 0, 0.5, 1.7, 0, -0.5, 1, 0 };
		memcpy(curve->positions, xyz, sizeof xyz);
		const int32_t edges[10] = { 1, 0, 1, 2, 3, 2, 3, 4, 4, 0 };
		assert_int_equal(lm_mesh_set_edges(curve, edges, 4 + closed, NULL), LM_OK);
		lm_ribbon* ribbon = NULL;
		assert_int_equal(lm_ribbon_create(curve, 0.1, &host, &ribbon, &mesh, NULL), LM_OK);
		lm_mesh_facts facts = facts_of(mesh);
		assert_true(facts.closed && facts.manifold);
		assert_int_equal(facts.components, 1);
		assert_true(facts.volume > 0.005 && facts.volume < 0.03); // about length x ellipse, and not inside out
		double low = facts.low[1];
		for (int v = 0; v < 5; ++v)
			curve->positions[3 * v + 1] += 2;
		lm_ribbon_move(ribbon, curve->positions, mesh->positions);
		assert_near(facts_of(mesh).low[1], low + 2, 1e-12);
		lm_ribbon_destroy(ribbon);
		lm_mesh_destroy(mesh);
		lm_mesh_destroy(curve);
	}
}

// An L that hops by a command, and beside it a passive curve that falls.
static lm_scene* make_scene(const lm_host* host)
{
	lm_scene* scene = lm_scene_create(host);
	bool good = scene != NULL && add_ground(scene);
	lm_scene_object* actor = good ? lm_scene_add_object(scene, "actor", "act") : NULL;
	if (actor != NULL)
	{
		actor->mesh = ell(host);
		actor->act->kind = LM_ACT_SOLID2;
		actor->act->control = LM_ACT_FULL;
		lm_scene_command* command = actor->act->commands = lm_scene_memory(scene, 1, sizeof *command);
		good = actor->mesh != NULL && command != NULL;
		if (command != NULL)
		{
			actor->act->command_count = 1;
			command->command = lm_act_command_default(LM_ACT_HOP);
			command->command.has_place = true;
			command->command.place[0] = -1, command->command.speed = 0.5;
			command->end = -1;
		}
	}
	lm_scene_object* rope = good && actor != NULL ? lm_scene_add_object(scene, "rope", "act") : NULL;
	if (rope != NULL)
	{
		rope->mesh = lm_mesh_create(host, 3, 0, 0);
		rope->act->kind = LM_ACT_CURVE2;
		rope->position[0] = 4, rope->position[1] = 0.5;
		good = rope->mesh != NULL && lm_mesh_set_edges(rope->mesh, (int32_t[]){ 0, 1, 1, 2 }, 2, NULL) == LM_OK;
		for (int v = 0; good && v < 3; ++v)
			rope->mesh->positions[3 * v] = v;
	}
	if (rope != NULL && good)
		return scene;
	lm_scene_destroy(scene);
	return NULL;
}

static void worlds_show_and_measure_bodies_of_act(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_scene* scene = make_scene(&host);
	lm_world* world = NULL;
	lm_error error;
	if (lm_world_create(scene, &host, &world, &error) != LM_OK)
		fail_msg("%s", error.message);
	lm_scene_destroy(scene);
	assert_non_null(lm_world_act(world, 0));
	assert_null(lm_world_match(world, 0));
	for (int f = 0; f < 30; ++f)
		assert_int_equal(lm_world_step(world, NULL), LM_OK);
	for (int i = 0; i < 2; ++i)
	{
		lm_world_surface_view view = lm_world_surface(world, i);
		assert_true(view.triangle_count > 20);
		double low[3], high[3];
		lm_mesh_bounds(view.positions, view.vertex_count, low, high);
		assert_true(high[2] > 0.05 && fabs(low[2] + high[2]) < 1e-9); // in front of and behind the plane alike
		assert_true(low[1] > -0.1);
	}
	char* text = lm_world_statistics(world, 1);
	assert_non_null(strstr(text, "\"dofs\": 16"));
	assert_non_null(strstr(text, "\"friction_violation\""));
	lm_text_free(&host, text);
	lm_world_destroy(world);
}

static void every_allocation_may_fail(void** state)
{
	(void)state;
	for (int64_t n = 1;; n += 1 + n / 40)
	{
		test_memory memory = { .fail_at = n };
		lm_host host = test_host(&memory);
		lm_scene* scene = make_scene(&host);
		lm_world* world = NULL;
		lm_status status = scene != NULL ? lm_world_create(scene, &host, &world, NULL) : LM_NO_MEMORY;
		lm_scene_destroy(scene);
		for (int f = 0; status == LM_OK && f < 2; ++f)
			status = lm_world_step(world, NULL);
		lm_world_destroy(world);
		assert_int_equal(memory.held, 0);
		if (memory.requests < n)
		{
			assert_int_equal(status, LM_OK);
			break;
		}
		assert_true(status == LM_NO_MEMORY || status == LM_OK); // control keeps what it cannot improve
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plates_are_closed),
		cmocka_unit_test(ribbons_are_closed),
		cmocka_unit_test(worlds_show_and_measure_bodies_of_act),
		cmocka_unit_test(every_allocation_may_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
