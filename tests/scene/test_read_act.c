// Objects of `act` in scenes: every key arrives, and every mistake gets one sentence at its place.
#include "test.h"

#include "everything.h"
#include "limber/world.h"

static lm_status parse(const char* text, lm_scene** scene, lm_problems* problems)
{
	lm_host host = lm_host_default();
	lm_scene_files files = fake_files();
	return lm_scene_parse("scene.json", text, strlen(text), &files, &host, scene, problems);
}

static void every_key_arrives(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_scene* scene = everything_scene(&host);
	const lm_scene_object* object = &scene->objects[4];
	const lm_scene_act* act = object->act;
	assert_near(object->density, 1, 0);
	assert_int_equal(act->kind, LM_ACT_SOLID2);
	const lm_act_settings* s = &act->settings;
	const double got[] = { s->material.stretch,   s->material.bend,
		                   s->material.volume,    s->damping,
		                   s->gravity[1],         s->friction,
		                   s->contact_stiffness,  s->contact_smoothing,
		                   s->friction_slack,     s->rest_material.stretch,
		                   s->rest_material.bend, s->rest_material.volume,
		                   s->parameter_weight,   s->change_weight,
		                   s->smallest_rest,      s->most_iterations,
		                   s->tolerance,          s->exact };
	const double want[] = { 3000, 3, 4000, 0.02, -5, 0.7, 1000, 0.01, 0.002, 7, 0.1, 8, 0.01, 0.02, 0.2, 20, 0.01, 1 };
	for (size_t i = 0; i < sizeof want / sizeof want[0]; ++i)
		assert_near(got[i], want[i], 0);
	assert_int_equal(act->control, LM_ACT_CAGE);
	assert_int_equal(act->cage->vertex_count, 4);
	assert_string_equal(act->cage_file, "ring.obj");
	assert_int_equal(act->command_count, 8);
	assert_int_equal(act->foot_count, 2);
	assert_string_equal(act->feet[0], "sole");
	assert_string_equal(act->trunk, "top");
	const lm_scene_command* c = act->commands;
	double value[3];
	lm_keyed_at(&c[0].path, 3, 1, value);
	assert_near(value[0], 0.5, 1e-12);
	assert_near(c[0].command.height_weight, 0.5, 0);
	assert_near(c[0].command.balance_weight, 0.1, 0);
	assert_near(c[0].command.weight, 2, 0);
	assert_near(c[0].end, 1, 0);
	lm_keyed_at(&c[1].velocity, 3, 1, value);
	assert_near(value[1], 1.5, 0);
	assert_int_equal(c[1].command.behaviour, LM_ACT_HOP);
	assert_near(c[1].command.crouch_seconds, 0.3, 0);
	assert_near(c[1].command.squat, 0.8, 0);
	assert_near(c[1].command.lean, -0.5, 0);
	assert_near(c[1].command.land_seconds, 0.1, 0);
	assert_true(c[2].command.has_place && !c[1].command.has_place);
	assert_near(c[2].command.place[0], 3, 0);
	assert_near(c[2].command.speed, 0.7, 0);
	assert_near(c[2].command.up, 2, 0);
	assert_int_equal(c[3].command.behaviour, LM_ACT_WALK);
	assert_near(c[3].command.step_seconds, 0.4, 0);
	assert_near(c[3].command.lift, 0.1, 0);
	assert_near(c[3].command.width, 0.3, 0);
	assert_near(c[3].command.turn, 0.5, 0);
	assert_int_equal(c[4].command.behaviour, LM_ACT_STAND);
	assert_near(c[4].command.balance_weight, 1, 0);
	assert_int_equal(c[5].command.behaviour, LM_ACT_ROLL);
	assert_int_equal(c[5].path.count, 1);
	assert_near(c[5].command.height_weight, 0.7, 0);
	assert_near(c[5].command.weight, 3, 0);
	assert_int_equal(c[6].command.behaviour, LM_ACT_CRAWL);
	assert_true(c[6].command.has_place);
	assert_near(c[6].command.step_seconds, 0.5, 0);
	assert_near(c[6].command.lift, 0.02, 0);
	assert_int_equal(c[7].command.behaviour, LM_ACT_SOMERSAULT);
	assert_near(c[7].command.turns, -1, 0);
	assert_near(lm_act_command_default(LM_ACT_CRAWL).lift, 0.015, 0);
	assert_near(lm_act_command_default(LM_ACT_GO).balance_weight, 0, 0);
	const lm_scene_goal* g = act->goals;
	assert_int_equal(act->goal_count, 2);
	assert_int_equal(g[0].count, 2);
	assert_int_equal(g[0].vertices[0], 2);
	assert_true(g[0].axes[0] && !g[0].axes[1] && !g[0].axes[2] && g[0].relative);
	assert_near(g[0].kp, 4, 0);
	assert_near(g[0].kd, 2, 0);
	assert_near(g[0].weight, 0.5, 0);
	assert_near(g[0].start, 0.5, 0);
	assert_near(g[0].end, 1.5, 0);
	assert_true(g[1].axes[0] && g[1].axes[1] && !g[1].axes[2]);
	assert_near(g[1].kp, 0, 0);
	act = scene->objects[5].act;
	assert_int_equal(act->control, LM_ACT_EXAMPLES);
	assert_int_equal(act->example_count, 2);
	assert_int_equal(act->examples[0].group, 0);
	assert_int_equal(act->examples[1].group, 1);
	assert_near(act->examples[0].mesh->positions[6], 0.2, 1e-12);
	assert_near(act->settings.gravity[1], -1.62, 0); // the scene's
	assert_int_equal(scene->objects[6].act->control, LM_ACT_CAGE);
	assert_int_equal(scene->objects[6].act->cage_vertices, 12);
	assert_int_equal(scene->objects[6].act->kind, LM_ACT_SOLID);
	lm_scene_destroy(scene);
}

static void models_take_the_elements_they_need(void** state)
{
	(void)state;
	const struct
	{
		const char* object;
		bool wrapped;
	} good[] = {
		{ "\"mesh\": \"rope.obj\", \"act\": { \"model\": \"curve\" }", false },
		{ "\"mesh\": \"square.obj\", \"act\": { \"model\": \"solid2\" }", false },
		{ "\"mesh\": \"sheet.obj\", \"act\": { \"model\": \"shell\" }", false },
		{ "\"mesh\": \"sheet.obj\", \"lattice\": false, \"act\": { \"model\": \"shell\" }", false },
		{ "\"mesh\": \"bar.msh\", \"act\": { \"model\": \"solid-green\" }", false },
		{ "\"mesh\": \"cube.obj\"", true },
	};
	for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i)
	{
		char text[1000];
		lm_scene* scene = NULL;
		lm_problems problems = { 0 };
		snprintf(text, sizeof text, "{\"limber\": 1, \"objects\": [{\"engine\": \"act\", %s}]}", good[i].object);
		lm_status status = parse(text, &scene, &problems);
		for (int32_t k = 0; k < problems.count; ++k)
			print_error("%s: %s\n", problems.items[k].where, problems.items[k].message);
		assert_int_equal(status, LM_OK);
		assert_true((scene->objects[0].mesh->tet_count > 0 && scene->objects[0].surface != NULL) == good[i].wrapped);
		lm_problems_release(&problems);
		lm_scene_destroy(scene);
	}
}

typedef struct mistake
{
	const char* object; // after the engine
	const char* where;  // below objects[0]
	const char* message;
} mistake;

static void expect(const mistake* m)
{
	char text[2000], where[100];
	lm_scene* scene = NULL;
	lm_problems problems = { 0 };
	snprintf(text, sizeof text, "{\"limber\": 1, \"objects\": [{\"engine\": \"act\", %s}]}", m->object);
	snprintf(where, sizeof where, "objects[0]%s", m->where);
	assert_int_equal(parse(text, &scene, &problems), LM_BAD_INPUT);
	for (int32_t k = 0; k < problems.count; ++k)
		if (problems.count != 1 || strcmp(problems.items[0].where, where) != 0)
			print_error("%s: %s: %s\n", m->object, problems.items[k].where, problems.items[k].message);
	assert_int_equal(problems.count, 1);
	assert_string_equal(problems.items[0].where, where);
	assert_string_equal(problems.items[0].message, m->message);
	lm_problems_release(&problems);
}

#define SQUARE "\"mesh\": \"square.obj\""

static void mistakes_of_models(void** state)
{
	(void)state;
	const mistake mistakes[] = {
		{ "\"mesh\": \"square.obj\", \"act\": { \"model\": \"curve\" }", ".mesh",
		  "has no lines, must have some for a curve: l lines of .obj" },
		{ "\"mesh\": \"rope.obj\", \"act\": { \"model\": \"shell\" }", ".mesh", "has no triangles, must have some" },
		{ "\"mesh\": \"bar.msh\", \"act\": { \"model\": \"shell\" }", ".mesh",
		  "has tetrahedra, must have only triangles for this model" },
		{ "\"mesh\": \"rope.obj\"", ".mesh", "has only lines, must have tetrahedra or triangles" },
		{ "\"mesh\": \"points.ply\"", ".mesh", "has only vertices, must have tetrahedra or triangles" },
		{ "\"mesh\": \"cube.obj\", \"lattice\": false", ".lattice", "is false, but the model needs tetrahedra" },
		{ SQUARE ", \"lattice\": { \"vertices\": 9 }, \"act\": { \"model\": \"solid2\" }", ".lattice",
		  "is given, but the model is simulated without one" },
		{ "\"mesh\": \"rope.obj\", \"surface\": \"cube.obj\", \"act\": { \"model\": \"curve\" }", ".surface",
		  "is given, but a curve is shown as it is" },
		{ SQUARE ", \"position\": [0, 0, 1], \"act\": { \"model\": \"solid2\" }", ".position",
		  "has z = 1, must have 0, because the body lies in the plane z = 0" },
		{ SQUARE ", \"velocity\": [0, 0, 1], \"act\": { \"model\": \"solid2\" }", ".velocity",
		  "has z = 1, must have 0, because the body lies in the plane z = 0" },
		{ SQUARE ", \"rotation\": [1, 1, 0, 0], \"act\": { \"model\": \"solid2\" }", ".rotation",
		  "must be about the z axis, because the body lies in the plane z = 0" },
		{ SQUARE ", \"angular_velocity\": [1, 0, 0], \"act\": { \"model\": \"solid2\" }", ".angular_velocity",
		  "must be about the z axis, because the body lies in the plane z = 0" },
		{ "\"mesh\": \"bar.msh\", \"act\": { \"stretch\": 0 }", ".act.stretch", "is 0, must be at least 1e-12" },
		{ "\"mesh\": \"bar.msh\", \"act\": { \"modle\": \"solid\" }", ".act.modle",
		  "the engine act has no such key; did you mean \"model\"?" },
	};
	for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i)
		expect(&mistakes[i]);
}

#define ACT(text) SQUARE ", \"act\": { \"model\": \"solid2\", " text " }"
#define FULL(text) ACT("\"control\": \"full\", " text)

static void mistakes_of_control(void** state)
{
	(void)state;
	const mistake mistakes[] = {
		{ ACT("\"control\": \"full\", \"cage_vertices\": 9"), ".act.cage_vertices",
		  "is given, but control is not \"cage\"" },
		{ ACT("\"control\": \"full\", \"cage\": \"ring.obj\""), ".act.cage", "is given, but control is not \"cage\"" },
		{ ACT("\"cage\": \"ring.obj\", \"cage_vertices\": 9"), ".act.cage_vertices",
		  "is given together with cage, which has its vertices already" },
		{ ACT("\"control\": \"full\", \"examples\": [\"square.obj\"]"), ".act.examples",
		  "is given, but control is not \"examples\"" },
		{ ACT("\"control\": \"examples\""), ".act.examples",
		  "is missing, must list poses, because control is \"examples\"" },
		{ ACT("\"examples\": [\"rope.obj\"]"), ".act.examples[0].mesh",
		  "has 3 vertices, the mesh has 4: an example pose must be the same mesh, moved" },
		{ ACT("\"cage\": \"none.obj\""), ".act.cage", "none.obj: cannot be opened: No such file or directory" },
		{ "\"mesh\": \"bar.msh\", \"act\": { \"cage\": \"ring.obj\" }", ".act.cage",
		  "has no triangles, must be a closed surface" },
		{ ACT("\"commands\": [{ \"do\": \"stand\" }]"), ".act.commands",
		  "is given, but control is \"passive\": a passive body cannot do anything" },
		{ ACT("\"goals\": [{ \"velocity\": [0, 1, 0] }]"), ".act.goals",
		  "is given, but control is \"passive\": a passive body cannot do anything" },
		{ FULL("\"commands\": [{ \"do\": \"go\" }]"), ".act.commands[0]",
		  "has neither velocity nor path nor to, must have one of them" },
		{ FULL("\"commands\": [{ \"do\": \"go\", \"velocity\": [1, 0, 0], \"to\": [1, 0, 0] }]"), ".act.commands[0]",
		  "has more than one of velocity, path and to, must have one of them" },
		{ FULL("\"commands\": [{ \"do\": \"hop\" }]"), ".act.commands[0]",
		  "has neither velocity nor to, must have one of them" },
		{ FULL("\"commands\": [{ \"do\": \"hop\", \"velocity\": [0, 1, 0], \"path\": [0, 0, 0] }]"),
		  ".act.commands[0].path", "is given, but means nothing for \"hop\"" },
		{ FULL("\"commands\": [{ \"do\": \"roll\", \"velocity\": [1, 0, 0], \"balance\": 1 }]"),
		  ".act.commands[0].balance", "is given, but means nothing for \"roll\"" },
		{ FULL("\"commands\": [{ \"do\": \"stand\", \"squat\": 0.5 }]"), ".act.commands[0].squat",
		  "is given, but means nothing for \"stand\"" },
		{ FULL("\"commands\": [{ \"do\": \"go\", \"velocity\": [1, 0, 0], \"speed\": 1 }]"), ".act.commands[0].speed",
		  "is given, but goes with to, which is not" },
		{ FULL("\"commands\": [{ \"do\": \"hop\", \"velocity\": [1, 0, 0], \"up\": 1 }]"), ".act.commands[0].up",
		  "is given, but goes with to, which is not; velocity has its own y" },
		{ FULL("\"commands\": [{ \"do\": \"stand\", \"start\": 2, \"end\": 1 }]"), ".act.commands[0].end",
		  "is 1, must be after the start at 2" },
		{ FULL("\"commands\": [{ \"do\": \"walk\", \"velocity\": [1, 0, 0] }]"), ".act.feet",
		  "must name two vertex groups, left to right, because it walks" },
		{ FULL("\"feet\": [\"top\", \"sole\"]"), ".act.feet[1]",
		  "is \"sole\", but the mesh has no such group; it has \"top\"" },
		{ FULL("\"feet\": [\"top\", \"top\"], \"commands\": [{ \"do\": \"walk\" }]"), ".act.commands[0]",
		  "has neither velocity nor path nor to, must have one of them" },
		{ FULL("\"feet\": [\"top\", \"top\"], \"commands\": [{ \"do\": \"trot\", \"velocity\": [1, 0, 0] }]"),
		  ".act.feet", "must be four of a character, because it trots" },
		{ FULL("\"goals\": [{ \"vertices\": [0, 4], \"velocity\": [0, 1, 0] }]"), ".act.goals[0].vertices[1]",
		  "is vertex 4, but the mesh has 4, counted from 0" },
		{ FULL("\"goals\": [{ \"group\": \"tpo\", \"velocity\": [0, 1, 0] }]"), ".act.goals[0].group",
		  "is \"tpo\", but the mesh has no such group; did you mean \"top\"?" },
		{ FULL("\"goals\": [{ \"axes\": \"xz\", \"velocity\": [0, 1, 0] }]"), ".act.goals[0].axes",
		  "is \"xz\", must be letters out of \"xy\"" },
		{ FULL("\"goals\": [{ \"weight\": 2 }]"), ".act.goals[0]",
		  "has neither position nor velocity, must have one of them or both" },
		{ FULL("\"goals\": [{ \"kp\": 2, \"velocity\": [0, 1, 0] }]"), ".act.goals[0].kp",
		  "is given, but there is no position" },
		{ FULL("\"goals\": [{ \"kd\": 0, \"velocity\": [0, 1, 0] }]"), ".act.goals[0].kd",
		  "is 0 and so is kp, one of them must be above 0" },
		{ FULL("\"goals\": [{ \"relative\": true, \"velocity\": [0, 1, 0] }]"), ".act.goals[0].relative",
		  "is given, but there is no position" },
	};
	for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i)
		expect(&mistakes[i]);
}

// An invalid choice is one problem; what depends on it is not checked.
static void mistakes_of_choices(void** state)
{
	(void)state;
#define DO                                                                                                             \
	"must be one of \"go\", \"hop\", \"stand\", \"walk\", \"roll\", \"crawl\", \"crouch\", \"jump\", "                 \
	"\"trot\", \"somersault\""
#define MODEL "must be one of \"curve\", \"solid2\", \"shell\", \"solid\", \"solid-green\""
#define CONTROL "must be one of \"passive\", \"full\", \"cage\", \"examples\""
	const mistake mistakes[] = {
		{ FULL("\"commands\": [{ \"do\": \"stnad\" }]"), ".act.commands[0].do",
		  "is \"stnad\", " DO "; did you mean \"stand\"?" },
		{ FULL("\"commands\": [{ \"do\": \"juggle\", \"to\": [1, 0, 0], \"squat\": 0.5, \"lift\": 0.1 }]"),
		  ".act.commands[0].do", "is \"juggle\", " DO },
		{ FULL("\"commands\": [{ \"velocity\": [0, 1, 0], \"to\": [1, 0, 0] }]"), ".act.commands[0].do",
		  "is missing, " DO },
		{ FULL("\"commands\": [{ \"do\": [\"hop\"], \"crouch\": 1 }]"), ".act.commands[0].do", "is a list, " DO },
		{ "\"mesh\": \"rope.obj\", \"act\": { \"model\": \"rope\", \"cage\": \"ring.obj\" }", ".act.model",
		  "is \"rope\", " MODEL },
		{ SQUARE ", \"position\": [0, 0, 1], \"act\": { \"model\": 2, \"control\": \"full\", \"feet\": [\"top\", "
		         "\"top\"], \"commands\": [{ \"do\": \"walk\", \"to\": [1, 0, 0] }] }",
		  ".act.model", "is a number, " MODEL },
		{ "\"mesh\": \"cube.obj\", \"lattice\": { \"vertices\": 30 }, \"act\": { \"model\": \"jelly\" }", ".act.model",
		  "is \"jelly\", " MODEL },
		{ ACT("\"control\": \"all\", \"examples\": [\"square.obj\"], \"goals\": [{ \"velocity\": [0, 1, 0] }]"),
		  ".act.control", "is \"all\", " CONTROL },
		{ ACT("\"control\": \"cgae\", \"cage\": \"ring.obj\""), ".act.control",
		  "is \"cgae\", " CONTROL "; did you mean \"cage\"?" },
	};
	for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i)
		expect(&mistakes[i]);
}

// The fall of a passive bar of which the scene says nothing: its height over its scale after 25 frames.
static double drop_bar(double scale, const char* more, double* density, double* stretch)
{
	char text[512];
	snprintf(text, sizeof text,
	         "{\"limber\": 1, \"fps\": %.17g, \"colliders\": [{\"shape\": \"plane\"}], \"objects\": [{\"engine\": "
	         "\"act\", \"mesh\": \"bar.msh\", \"scale\": %g, \"position\": [0, %.17g, 0]%s}]}",
	         25 / sqrt(scale), scale, 1.02 * scale, more);
	lm_scene* scene = NULL;
	lm_problems problems = { 0 };
	if (parse(text, &scene, &problems) != LM_OK)
		fail_msg("%s", problems.items[0].message);
	*density = scene->objects[0].density, *stretch = scene->objects[0].act->settings.material.stretch;
	lm_host host = lm_host_default();
	lm_world* world;
	assert_int_equal(lm_world_create(scene, &host, &world, NULL), LM_OK);
	for (int f = 0; f < 25; ++f)
		assert_int_equal(lm_world_step(world, NULL), LM_OK);
	double centre[3];
	lm_act_center(lm_world_act(world, 0), centre);
	lm_world_destroy(world), lm_scene_destroy(scene);
	return centre[1] / scale;
}

// A body of default settings is as heavy as those of other engines, and is the same body at any size.
static void passive_bodies_follow_their_size(void** state)
{
	(void)state;
	double density, stretch, usual, large, one = drop_bar(1, "", &density, &usual);
	assert_near(density, 1000, 0);
	const double scales[2] = { 0.01, 100 };
	for (int k = 0; k < 2; ++k)
	{
		double other = drop_bar(scales[k], "", &density, &large);
		print_message("height %.6f at scale 1, %.6f at scale %g\n", one, other, scales[k]);
		assert_near(other, one, 1e-4);
		assert_near(large / usual, scales[k], 1e-9 * scales[k]);
	}
	drop_bar(1, ", \"density\": 2", &density, &stretch);
	assert_near(density, 2, 0);
	assert_near(stretch / usual, 0.002, 1e-9);
	drop_bar(1, ", \"act\": {\"stretch\": 3000}", &density, &stretch); // chosen: the rest is as it was
	assert_near(density, 1, 0);
	assert_near(stretch, 3000, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_arrives),   cmocka_unit_test(models_take_the_elements_they_need),
		cmocka_unit_test(mistakes_of_models),  cmocka_unit_test(mistakes_of_control),
		cmocka_unit_test(mistakes_of_choices), cmocka_unit_test(passive_bodies_follow_their_size),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
