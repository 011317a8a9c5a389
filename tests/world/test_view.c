// Seeing a world: its description, marks, lines and colours. None of them changes it.
#include "worlds.h"

#include "world/fit.h"

#include <jansson.h>

static json_t* describe(const lm_world* world)
{
	lm_host host = lm_host_default();
	char* text = lm_world_describe(world);
	assert_non_null(text);
	json_error_t problem;
	json_t* json = json_loads(text, 0, &problem);
	if (json == NULL)
		fail_msg("line %d: %s", problem.line, problem.text);
	lm_text_free(&host, text);
	return json;
}

static json_t* item(const json_t* json, const char* list, int i)
{
	json_t* found = json_array_get(json_object_get(json, list), (size_t)i);
	assert_non_null(found);
	return found;
}

static json_t* setting(const json_t* object, const char* key)
{
	size_t i;
	json_t* found;
	json_array_foreach(json_object_get(object, "settings"), i, found)
	{
		if (strcmp(json_string_value(json_object_get(found, "key")), key) == 0)
			return found;
	}
	return NULL;
}

static double number(const json_t* json, const char* key)
{
	json_t* found = json_object_get(json, key);
	assert_true(json_is_number(found));
	return json_number_value(found);
}

static const char* text(const json_t* json, const char* key)
{
	assert_true(json_is_string(json_object_get(json, key)));
	return json_string_value(json_object_get(json, key));
}

static bool lists(const json_t* json, const char* key, const char* word)
{
	size_t i;
	json_t* found;
	json_array_foreach(json_object_get(json, key), i, found)
	{
		if (strcmp(json_string_value(found), word) == 0)
			return true;
	}
	return false;
}

// ---- descriptions ----

// Every key of every setting is there, and the numbers are in their range.
static void check_setting(const json_t* json)
{
	static const char* const keys[] = { "key",  "kind", "unit",  "help",  "usual",  "choices",
		                                "path", "live", "keyed", "value", "default" };
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i)
		if (json_object_get(json, keys[i]) == NULL)
			fail_msg("%s has no %s", text(json, "key"), keys[i]);
	const json_t* value = json_object_get(json, "value");
	bool given = json_is_number(value) && json_object_get(json, "low") != NULL && number(json, "low") < 1e300;
	if (given && !(json_number_value(value) >= number(json, "low") && json_number_value(value) <= number(json, "high")))
		assert_true(json_is_string(json_object_get(json, "usual"))); // 0 stands for what follows from something else
	assert_true(json_array_size(json_object_get(json, "path")) >= 3);
}

static void a_description_has_everything(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 1000, PARTS);
	uint64_t hash = lm_world_hash(world);
	json_t *json = describe(world), *again = describe(world), *block = item(json, "objects", BLOCK);
	assert_true(json_equal(json, again));
	assert_int_equal(json_array_size(json_object_get(json, "objects")), PARTS);
	for (int o = 0; o < PARTS; ++o)
		for (size_t i = 0; i < json_array_size(json_object_get(item(json, "objects", o), "settings")); ++i)
			check_setting(item(item(json, "objects", o), "settings", (int)i));
	assert_string_equal(text(block, "name"), "block");
	assert_string_equal(text(block, "engine"), "match");
	assert_near(number(block, "mass"), 27, 1e-6);
	assert_near(number(block, "size"), 0.3, 1e-9);
	json_t *beta = setting(block, "beta"), *path = json_pack("[s,i,s,s]", "objects", 0, "match", "beta");
	assert_true(json_equal(json_object_get(beta, "path"), path));
	assert_true(json_is_true(json_object_get(beta, "live")));
	assert_true(json_is_false(json_object_get(setting(block, "ring"), "live")));
	assert_near(number(beta, "value"), 0.995, 0);
	assert_near(number(beta, "default"), 0.995, 0);
	assert_string_equal(text(setting(block, "locality"), "kind"), "choice");
	assert_true(lists(setting(block, "locality"), "choices", "groups"));
	assert_string_equal(text(setting(block, "position"), "kind"), "vector");
	assert_true(json_is_false(json_object_get(setting(item(json, "objects", CLOTH), "self_contact"), "live")));
	assert_string_equal(text(item(block, "examples", 0), "name"), "example 1");
	assert_true(json_is_null(json_object_get(item(block, "examples", 0), "strength")));
	assert_true(json_is_true(json_object_get(json_object_get(block, "can"), "grab")));
	assert_true(json_is_false(json_object_get(json_object_get(block, "can"), "command")));
	assert_int_equal(json_array_size(json_object_get(json, "colliders")), 1);
	assert_string_equal(text(item(json, "colliders", 0), "shape"), "plane");
	assert_int_equal(lm_world_hash(world), hash);
	json_decref(path), json_decref(json), json_decref(again);
	lm_world_destroy(world);
}

static void behaviours_are_those_that_it_can_do(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 1000, PARTS);
	json_t *json = describe(world), *actor = item(json, "objects", ACTOR), *hop = item(json, "behaviours", LM_ACT_HOP);
	assert_true(lists(actor, "behaviours", "hop"));
	assert_false(lists(actor, "behaviours", "walk")); // it has no feet
	assert_int_equal(json_array_size(json_object_get(item(json, "objects", BLOCK), "behaviours")), 0);
	assert_string_equal(text(hop, "name"), "hop");
	bool squat = false, turn = false;
	for (size_t i = 0; i < json_array_size(json_object_get(hop, "keys")); ++i)
	{
		const json_t* key = item(hop, "keys", (int)i);
		if (strcmp(text(key, "key"), "velocity") == 0)
			assert_near(json_number_value(json_array_get(json_object_get(key, "value"), 1)), 1.5, 0);
		squat |= strcmp(text(key, "key"), "squat") == 0 && number(key, "value") == 0.85;
		turn |= strcmp(text(key, "key"), "turn") == 0;
	}
	assert_true(squat && !turn);
	json_decref(json);
	lm_world_destroy(world);
}

static void what_was_told_is_described(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 1000, PARTS);
	lm_command set = lm_command_default(LM_COMMAND_SET), example = lm_command_default(LM_COMMAND_EXAMPLE);
	strcpy(set.key, "damping"), set.value[0] = 1.25;
	example.example = 0, example.strength = 0.25;
	tell(world, &set), tell(world, &example);
	json_t *json = describe(world), *block = item(json, "objects", BLOCK);
	assert_near(number(setting(block, "damping"), "value"), 1.25, 0);
	assert_near(number(setting(block, "damping"), "default"), 0.1, 0);
	assert_near(number(item(block, "examples", 0), "strength"), 0.25, 0);
	json_decref(json);
	lm_world_destroy(world);
}

static void surfaces_and_numbers_are_in_their_order(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 1000, PARTS);
	json_t* json = describe(world);
	int32_t count = lm_world_number_count(world);
	lm_world_number* numbers = calloc((size_t)count, sizeof *numbers);
	lm_world_numbers(world, numbers);
	assert_int_equal(json_array_size(json_object_get(json, "numbers")), count);
	for (int32_t k = 0; k < count; ++k)
	{
		assert_string_equal(text(item(json, "numbers", k), "name"), numbers[k].name);
		assert_near(number(item(json, "numbers", k), "object"), numbers[k].object, 0);
		assert_true(isfinite(numbers[k].value));
	}
	free(numbers);
	assert_int_equal(json_array_size(json_object_get(json, "surfaces")), lm_world_surface_count(world));
	for (int32_t i = 0; i < lm_world_surface_count(world); ++i)
	{
		lm_world_surface_view view = lm_world_surface(world, i);
		assert_string_equal(text(item(json, "surfaces", i), "name"), view.name);
		assert_near(number(item(json, "surfaces", i), "vertices"), view.vertex_count, 0);
		assert_near(number(item(json, "surfaces", i), "collider"), i < PARTS ? -1 : 0, 0);
	}
	json_decref(json);
	lm_world_destroy(world);
}

// ---- the camera ----

// All that moves is in the picture, and it nearly fills it.
static void the_camera_sees_the_first_frame(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 1000, PARTS);
	step(world, 10); // later does not matter
	lm_camera camera = lm_world_camera(world);
	lm_view view = lm_view_of(&camera);
	lm_world* fresh = make_world(1, 1000, PARTS);
	double widest = 0;
	for (int32_t i = 0; i < PARTS; ++i)
	{
		lm_world_surface_view surface = lm_world_surface(fresh, i);
		for (int32_t v = 0; v < surface.vertex_count; ++v)
		{
			lm_vec3 d = lm_sub(lm_v3_at(surface.positions, v), view.eye);
			double depth = lm_dot(d, view.forward);
			assert_true(depth > 0);
			double x = lm_dot(d, view.right) / depth / view.tangent * 540 / 960;
			double y = lm_dot(d, view.up) / depth / view.tangent;
			assert_true(fabs(x) <= 1 && fabs(y) <= 1);
			widest = fmax(widest, fmax(fabs(x), fabs(y)));
		}
	}
	assert_true(widest > 0.9);
	assert_memory_equal(camera.eye, lm_world_camera(fresh).eye, sizeof camera.eye);
	lm_world_destroy(world), lm_world_destroy(fresh);
}

// ---- marks ----

static lm_world_marks_view marks_of(lm_world* world, int32_t object)
{
	lm_world_marks_view marks;
	lm_error error;
	if (lm_world_marks(world, object, &marks, &error) != LM_OK)
		fail_msg("%s", error.message);
	return marks;
}

// Seen from above, with z down, every corner turns to the left.
static void check_hull(const lm_world_marks_view* marks)
{
	for (int32_t i = 0; i < marks->support_count; ++i)
	{
		const double* a = marks->support + 3 * i;
		const double* b = marks->support + 3 * ((i + 1) % marks->support_count);
		for (int32_t k = 0; k < marks->contact_count; ++k)
		{
			const double* c = marks->contacts + 3 * k;
			assert_true((b[0] - a[0]) * (a[2] - c[2]) - (a[2] - b[2]) * (c[0] - a[0]) >= -1e-12);
		}
	}
}

static double number_now(const lm_world* world, const char* name)
{
	lm_world_number numbers[64];
	assert_true(lm_world_number_count(world) <= 64);
	lm_world_numbers(world, numbers);
	for (int32_t k = 0; k < lm_world_number_count(world); ++k)
		if (strcmp(numbers[k].name, name) == 0)
			return numbers[k].value;
	fail_msg("there is no number %s", name);
	return 0;
}

static void marks_of_a_falling_block(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 1000, BLOCK + 1);
	lm_world_marks_view marks = marks_of(world, BLOCK);
	assert_int_equal(marks.contact_count, 0);
	assert_int_equal(marks.support_count, 0);
	assert_near(marks.center[1], 0.65, 1e-6);
	assert_true(marks.has_ground);
	assert_near(marks.ground[0], marks.center[0], 0);
	assert_near(marks.ground[1], 0, 1e-4);
	assert_false(marks.has_goal);
	step(world, 48);
	marks = marks_of(world, BLOCK);
	assert_true(marks.contact_count >= 8); // of the sixteen below
	for (int32_t i = 0; i < marks.contact_count; ++i)
		assert_near(marks.contacts[3 * i + 1], 0, 1e-4);
	assert_true(marks.support_count >= 3 && marks.support_count <= marks.contact_count);
	check_hull(&marks);
	assert_near(number_now(world, "touching"), marks.contact_count, 0);
	lm_world_destroy(world);
}

// What lies on the ground is carried by it.
static void contact_carries_the_weight(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 1000, BLOCK + 1);
	step(world, 5);
	assert_near(number_now(world, "contact_force"), 0, 0); // in the air
	lm_command damping = lm_command_default(LM_COMMAND_SET);
	strcpy(damping.key, "damping"), damping.value[0] = 2;
	tell(world, &damping);
	step(world, 120);
	lm_snapshot* snapshot;
	lm_error error;
	assert_near(number_now(world, "contact_force"), 27 * 9.81, 0.05 * 27 * 9.81);
	assert_true(number_now(world, "strain") > 1e-4 && number_now(world, "strain") < 0.1);
	double force = number_now(world, "contact_force");
	assert_int_equal(lm_world_snapshot(world, &snapshot, &error), LM_OK);
	lm_world* other = make_world(1, 1000, BLOCK + 1);
	assert_int_equal(lm_world_restore(other, snapshot, &error), LM_OK);
	assert_near(number_now(other, "contact_force"), force, 0); // part of the state
	lm_snapshot_destroy(snapshot);
	lm_world_destroy(world), lm_world_destroy(other);
}

// The goal is where its behaviour wants it: a place to go to, or over where it began to stand.
static void marks_of_a_character(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 1000, PARTS);
	lm_command stand = lm_command_default(LM_COMMAND_DO);
	stand.object = ACTOR, stand.act = lm_act_command_default(LM_ACT_GO);
	stand.act.has_place = true, stand.act.place[0] = 3.6;
	tell(world, &stand);
	lm_world_marks_view marks = marks_of(world, ACTOR);
	assert_true(marks.has_goal);
	assert_near(marks.goal[0], 3.6, 0);
	assert_near(marks.goal[1], marks.center[1], 0);
	stand.act = lm_act_command_default(LM_ACT_STAND);
	tell(world, &stand);
	step(world, 10);
	marks = marks_of(world, ACTOR);
	assert_true(marks.has_goal); // it stands over where it began to
	assert_near(marks.goal[0], 3.3, 0.1);
	assert_true(marks.contact_count > 0);
	assert_int_equal(marks.foot_count, 0);
	lm_world_destroy(world);
}

static void feet_are_where_their_vertices_are(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	lm_scene* scene = lm_scene_create(&host);
	assert_true(add_ground(scene));
	add_actor(scene);
	lm_scene_object* object = &scene->objects[0];
	assert_int_equal(lm_mesh_set_group(object->mesh, "left", (int32_t[]){ 0 }, 1, &error), LM_OK);
	assert_int_equal(lm_mesh_set_group(object->mesh, "right", (int32_t[]){ 2, 3 }, 2, &error), LM_OK);
	object->act->feet = lm_scene_memory(scene, 2, sizeof *object->act->feet);
	object->act->feet[0] = lm_scene_text(scene, "left"), object->act->feet[1] = lm_scene_text(scene, "right");
	object->act->foot_count = 2;
	lm_world* world;
	assert_int_equal(lm_world_create(scene, &host, &world, &error), LM_OK);
	lm_world_marks_view marks = marks_of(world, 0);
	assert_int_equal(marks.foot_count, 2);
	assert_near(marks.feet[0], 3, 1e-9);
	assert_true(marks.feet[3] > 3.4 && marks.feet[3] < 3.6); // between two vertices, by mass
	assert_near(marks.feet[4], 0, 1e-9);
	lm_world_destroy(world);
	lm_scene_destroy(scene);
}

// ---- lines ----

static void lines_are_the_edges(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 1000, PARTS);
	lm_error error;
	lm_world_lines_view lines;
	step(world, 3);
	lm_host host = lm_host_default();
	lm_mesh* mesh = test_block(&host, 3, 3, 3, 0.1);
	bool joined[64][64] = { { false } };
	int expected = 0;
	for (int32_t t = 0; t < mesh->tet_count; ++t)
		for (int i = 0; i < 4; ++i)
			for (int j = 0; j < 4; ++j)
			{
				int32_t a = mesh->tets[4 * t + i], b = mesh->tets[4 * t + j];
				expected += a < b && !joined[a][b];
				joined[a][b] = true;
			}
	lm_mesh_destroy(mesh);
	double points[3 * 64];
	lm_match_positions(lm_world_match(world, BLOCK), points);
	for (int again = 0; again < 2; ++again)
	{
		assert_int_equal(lm_world_lines(world, BLOCK, LM_LINES_LATTICE, &lines, &error), LM_OK);
		assert_int_equal(lines.count, expected);
		for (int32_t k = 0; k < 2 * lines.count; ++k)
		{
			bool found = false;
			for (int v = 0; v < 64; ++v)
				found |= memcmp(points + 3 * v, lines.ends + 3 * k, 3 * sizeof(double)) == 0;
			assert_true(found);
		}
	}
	assert_int_equal(lm_world_lines(world, BLOCK, LM_LINES_CAGE, &lines, &error), LM_OK);
	assert_int_equal(lines.count, 0);
	lm_world_destroy(world);
}

// At the start the cage is the one at rest, placed; later it still lies around the body.
static void a_cage_goes_with_its_body(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	lm_scene* scene = lm_scene_create(&host);
	assert_true(add_ground(scene));
	add_actor(scene);
	scene->objects[0].act->control = LM_ACT_CAGE;
	scene->objects[0].act->cage_vertices = 8;
	double angle = 0.5;
	scene->objects[0].rotation[0] = cos(angle / 2), scene->objects[0].rotation[3] = sin(angle / 2);
	lm_world* world;
	assert_int_equal(lm_world_create(scene, &host, &world, &error), LM_OK);
	lm_world_lines_view lines;
	assert_int_equal(lm_world_lines(world, 0, LM_LINES_CAGE, &lines, &error), LM_OK);
	const lm_mesh* cage = lm_act_cage(lm_world_act(world, 0));
	assert_int_equal(lines.count, cage->vertex_count);
	for (int32_t v = 0; v < lines.count; ++v)
	{
		const double *c = cage->positions + 3 * v, *x = lines.ends + 6 * v;
		assert_near(x[0], 3 + cos(angle) * c[0] - sin(angle) * c[1], 1e-9);
		assert_near(x[1], sin(angle) * c[0] + cos(angle) * c[1], 1e-9);
		assert_near(x[2], 0, 1e-12);
	}
	step(world, 20);
	assert_int_equal(lm_world_lines(world, 0, LM_LINES_CAGE, &lines, &error), LM_OK);
	lm_world_surface_view surface = lm_world_surface(world, 0);
	double low = INFINITY, lowest = INFINITY;
	for (int32_t k = 0; k < 2 * lines.count; ++k)
		low = fmin(low, lines.ends[3 * k + 1]);
	for (int32_t v = 0; v < surface.vertex_count; ++v)
		lowest = fmin(lowest, surface.positions[3 * v + 1]);
	assert_true(low < lowest && low > lowest - 0.3);
	lm_world_destroy(world);
	lm_scene_destroy(scene);
}

// ---- colours ----

static lm_world_colors_view colors_of(lm_world* world, int32_t surface, const char* what)
{
	lm_world_colors_view colors;
	lm_error error;
	if (lm_world_colors(world, surface, what, &colors, &error) != LM_OK)
		fail_msg("%s: %s", what, error.message);
	assert_int_equal(colors.vertex_count, lm_world_surface(world, surface).vertex_count);
	return colors;
}

static void strain_is_red_where_it_is_longer(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 1000, BLOCK + 1);
	lm_world_colors_view colors = colors_of(world, BLOCK, "strain");
	for (int32_t k = 0; k < 3 * colors.vertex_count; ++k)
		assert_true(colors.rgb[k] > 235);
	assert_int_equal(colors.name_count, 3);
	assert_string_equal(colors.names[2], "20 % longer");
	for (int longer = 0; longer < 2; ++longer)
	{
		double points[3 * 64];
		lm_match_positions(lm_world_match(world, BLOCK), points);
		for (int k = 0; k < 3 * 64; ++k)
			points[k] *= longer ? 1.3 / 0.7 : 0.7; // then 30 % longer than at rest
		lm_match_set_positions(lm_world_match(world, BLOCK), points, NULL);
		colors = colors_of(world, BLOCK, "strain");
		assert_memory_equal(colors.rgb, colors.name_rgb + (longer ? 6 : 0), 3);
		assert_true(longer ? colors.rgb[0] > colors.rgb[2] : colors.rgb[0] < colors.rgb[2]);
	}
	lm_world_destroy(world);
}

static void regions_weights_and_groups_have_their_colours(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	lm_scene* scene = lm_scene_create(&host);
	add_block(scene, 1000);
	lm_scene_object* object = &scene->objects[0];
	int32_t left[32], half = 0;
	for (int32_t v = 0; v < 64; ++v)
		if (v % 4 < 2)
			left[half++] = v;
	assert_int_equal(lm_mesh_set_group(object->mesh, "left", left, half, &error), LM_OK);
	object->match->locality = LM_MATCH_GROUPS;
	object->match->groups = lm_scene_memory(scene, 1, sizeof *object->match->groups);
	object->match->groups[0] = lm_scene_text(scene, "left");
	object->match->group_count = 1;
	lm_world* world;
	assert_int_equal(lm_world_create(scene, &host, &world, &error), LM_OK);
	lm_world_colors_view colors = colors_of(world, 0, "regions");
	assert_int_equal(colors.name_count, 2);
	assert_memory_equal(colors.rgb, colors.name_rgb, 3);             // vertex 0 is on the left
	assert_memory_equal(colors.rgb + 3 * 3, colors.name_rgb + 3, 3); // vertex 3 is not
	colors = colors_of(world, 0, "groups");
	assert_string_equal(colors.names[0], "left");
	assert_memory_equal(colors.rgb, colors.name_rgb, 3);
	assert_memory_not_equal(colors.rgb + 3 * 3, colors.name_rgb, 3);
	colors = colors_of(world, 0, "groups:left");
	assert_memory_equal(colors.rgb, colors.name_rgb, 3);
	colors = colors_of(world, 0, "weights");
	assert_int_equal(colors.name_count, 2);
	assert_string_equal(colors.names[0], "rest");
	assert_string_equal(colors.names[1], "example 1");
	colors = colors_of(world, 0, "none");
	assert_int_equal(colors.name_count, 0);
	lm_world_destroy(world);
	lm_scene_destroy(scene);
}

static void what_cannot_be_seen_is_refused(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 1000, PARTS);
	lm_world_marks_view marks;
	lm_world_lines_view lines;
	lm_world_colors_view colors;
	static const struct
	{
		int32_t surface;
		const char *what, *part;
	} wrong[] = {
		{ -1, "none", "no surface -1" },         { PARTS + 1, "none", "the world has 4" },
		{ BLOCK, "strian", "\"strain\"" },       { BLOCK, "xyz", "there are none, regions" },
		{ BLOCK, "", "there are none" },         { BLOCK, "groups:", "no group \"\"" },
		{ BLOCK, "groups:left", "\"left\"" },    { ACTOR, "regions", "has no regions" },
		{ CLOTH, "weights", "has no examples" }, { PARTS, "strain", "is a collider" },
	};
	lm_error error;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
	{
		assert_int_equal(lm_world_colors(world, wrong[i].surface, wrong[i].what, &colors, &error), LM_BAD_INPUT);
		if (strstr(error.message, wrong[i].part) == NULL)
			fail_msg("%s: %s", wrong[i].what, error.message);
	}
	for (int32_t object = -1; object <= PARTS; object += PARTS + 1)
	{
		assert_int_equal(lm_world_marks(world, object, &marks, &error), LM_BAD_INPUT);
		assert_int_equal(lm_world_lines(world, object, LM_LINES_LATTICE, &lines, &error), LM_BAD_INPUT);
	}
	assert_int_equal(lm_world_lines(world, 0, (lm_world_line_kind)7, &lines, &error), LM_BAD_INPUT);
	assert_int_equal(lm_world_marks(world, -1, &marks, NULL), LM_BAD_INPUT);
	lm_world_destroy(world);
}

// ---- all of it ----

// A world that is looked at in every way goes on as one that is not.
static void looking_changes_nothing(void** state)
{
	(void)state;
	lm_world *seen = make_world(1, 1000, PARTS), *alone = make_world(2, 1000, PARTS);
	lm_error error;
	lm_world_number numbers[64];
	for (int f = 0; f < 12; ++f)
	{
		json_decref(describe(seen));
		for (int32_t i = 0; i < PARTS; ++i)
		{
			lm_world_lines_view lines;
			lm_world_colors_view colors;
			marks_of(seen, i);
			assert_int_equal(lm_world_lines(seen, i, LM_LINES_LATTICE, &lines, &error), LM_OK);
			assert_int_equal(lm_world_lines(seen, i, LM_LINES_CAGE, &lines, &error), LM_OK);
			assert_int_equal(lm_world_colors(seen, i, "strain", &colors, &error), LM_OK);
			uint8_t first[3] = { colors.rgb[0], colors.rgb[1], colors.rgb[2] };
			assert_int_equal(lm_world_colors(seen, i, "strain", &colors, &error), LM_OK);
			assert_memory_equal(first, colors.rgb, 3);
		}
		lm_world_numbers(seen, numbers);
		step(seen, 1), step(alone, 1);
		assert_int_equal(lm_world_hash(seen), lm_world_hash(alone));
	}
	lm_world_destroy(seen), lm_world_destroy(alone);
}

typedef enum look
{
	LOOK_DESCRIBE,
	LOOK_MARKS,
	LOOK_LATTICE,
	LOOK_REGIONS,
	LOOK_WEIGHTS,
	LOOK_GROUPS,
	LOOK_STRAIN,
	LOOKS
} look;

static lm_status look_at(lm_world* world, look kind, const lm_host* host, lm_error* error)
{
	static const char* const whats[LOOKS] = {
		[LOOK_REGIONS] = "regions", [LOOK_WEIGHTS] = "weights", [LOOK_GROUPS] = "groups", [LOOK_STRAIN] = "strain"
	};
	lm_world_marks_view marks;
	lm_world_lines_view lines;
	lm_world_colors_view colors;
	char* made;
	switch (kind)
	{
		case LOOK_DESCRIBE:
			made = lm_world_describe(world);
			lm_text_free(host, made);
			return made != NULL ? LM_OK : LM_NO_MEMORY;
		case LOOK_MARKS: return lm_world_marks(world, 0, &marks, error);
		case LOOK_LATTICE: return lm_world_lines(world, 0, LM_LINES_LATTICE, &lines, error);
		default: return lm_world_colors(world, 0, whats[kind], &colors, error);
	}
}

static void no_memory_is_said_and_harms_nothing(void** state)
{
	(void)state;
	for (look kind = 0; kind < LOOKS; ++kind)
	{
		test_memory memory = { 0 };
		lm_host host = test_host(&memory);
		lm_scene* scene = lm_scene_create(&host);
		add_block(scene, 1000);
		lm_world* world;
		lm_error error;
		assert_int_equal(lm_world_create(scene, &host, &world, &error), LM_OK);
		lm_scene_destroy(scene);
		lm_status status = LM_NO_MEMORY;
		int failures = 0;
		for (int64_t n = 1; status != LM_OK; ++n, ++failures)
		{
			memory.fail_at = memory.requests + n;
			status = look_at(world, kind, &host, &error);
			assert_true(status == LM_OK || status == LM_NO_MEMORY);
		}
		assert_true(failures > 1);
		memory.fail_at = 0;
		step(world, 1);
		lm_world_destroy(world);
		assert_int_equal(memory.held, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_description_has_everything),
		cmocka_unit_test(behaviours_are_those_that_it_can_do),
		cmocka_unit_test(what_was_told_is_described),
		cmocka_unit_test(surfaces_and_numbers_are_in_their_order),
		cmocka_unit_test(the_camera_sees_the_first_frame),
		cmocka_unit_test(marks_of_a_falling_block),
		cmocka_unit_test(contact_carries_the_weight),
		cmocka_unit_test(marks_of_a_character),
		cmocka_unit_test(feet_are_where_their_vertices_are),
		cmocka_unit_test(lines_are_the_edges),
		cmocka_unit_test(a_cage_goes_with_its_body),
		cmocka_unit_test(strain_is_red_where_it_is_longer),
		cmocka_unit_test(regions_weights_and_groups_have_their_colours),
		cmocka_unit_test(what_cannot_be_seen_is_refused),
		cmocka_unit_test(looking_changes_nothing),
		cmocka_unit_test(no_memory_is_said_and_harms_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
