// The small parts of reading scenes: keyed values, colours, suggestions, scenes made by a program, wrapped surfaces.
#include "test.h"

#include "fake_files.h"
#include "format/color.h"
#include "format/suggest.h"
#include "math/quat.h"
#include "mesh/shapes.h"
#include "mesh/wrap.h"
#include "scene/scene.h"

static void keyed_values(void** state)
{
	(void)state;
	double times[] = { 1, 2, 4 }, values[] = { 10, -1, 20, -2, 0, -4 };
	lm_keyed keyed = { 3, times, values };
	const double expected[][3] = { { 0, 10, -1 }, { 1, 10, -1 },         { 1.5, 15, -1.5 },
		                           { 2, 20, -2 }, { 3, 10, -3 },         { 4, 0, -4 },
		                           { 9, 0, -4 },  { -INFINITY, 10, -1 }, { INFINITY, 0, -4 } };
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i)
	{
		double value[2];
		lm_keyed_at(&keyed, 2, expected[i][0], value);
		assert_near(value[0], expected[i][1], 1e-12);
		assert_near(value[1], expected[i][2], 1e-12);
	}
	// between equal keys it is they, to the bit
	double held_times[] = { 0, 0.7, 3 }, held[] = { 0.1, 1.0 / 3, 0.1, 1.0 / 3, 0.1, 7 };
	for (int i = 0; i <= 1000; ++i)
	{
		double value[2];
		lm_keyed_at(&(lm_keyed){ 3, held_times, held }, 2, 0.003 * i, value);
		assert_true(value[0] == 0.1 && (value[1] == 1.0 / 3 || 0.003 * i > 0.7));
	}
	double none[2] = { 5, 5 };
	lm_keyed_at(&(lm_keyed){ 0 }, 2, 1, none);
	assert_true(none[0] == 0 && none[1] == 0);
}

static void colours_go_both_ways(void** state)
{
	(void)state;
	float color[3];
	assert_true(lm_color_parse("#0080ff", color));
	assert_near(color[0], 0, 0);
	assert_near(color[1], 0.21586050, 1e-6);
	assert_near(color[2], 1, 0);
	for (int i = 0; i < 256; ++i)
	{
		char text[8], back[8];
		snprintf(text, sizeof text, "#%02x%02x%02x", i, 255 - i, (7 * i) & 255);
		assert_true(lm_color_parse(text, color));
		lm_color_format(color, back);
		assert_string_equal(back, text);
	}
	const char* wrong[] = { "", "#", "0080ff", "#0080f", "#0080fff", "#00 0ff", "#-080ff", "#0x80ff" };
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
		assert_false(lm_color_parse(wrong[i], color));
}

static const char* suggestion(const char* word, const char* const* candidates)
{
	lm_suggestion found = lm_suggest(word);
	for (; *candidates != NULL; ++candidates)
		lm_suggest_try(&found, *candidates);
	return found.best;
}

static void suggestions(void** state)
{
	(void)state;
	const char* const keys[] = { "frequency", "friction", "restitution", "beta", "ring", "end", NULL };
	assert_string_equal(suggestion("frequenzy", keys), "frequency");
	assert_string_equal(suggestion("freqeuncy", keys), "frequency");
	assert_string_equal(suggestion("fricton", keys), "friction");
	assert_string_equal(suggestion("Beta", keys), "beta");
	assert_string_equal(suggestion("rign", keys), "ring");
	assert_string_equal(suggestion("restititution", keys), "restitution");
	assert_null(suggestion("mass", keys));
	assert_null(suggestion("x", keys));
	assert_null(suggestion("", keys));
	assert_null(suggestion("a word so long that nobody would ever have meant any of the keys that there are", keys));
}

// ---- scenes made by a program ----

static lm_scene* build(const lm_host* host)
{
	lm_scene* scene = lm_scene_create(host);
	if (scene == NULL)
		return NULL;
	scene->gravity[1] = -2;
	bool good = true;
	for (int i = 0; i < 3 && good; ++i)
	{
		lm_scene_object* object = lm_scene_add_object(scene, i == 0 ? "a" : i == 1 ? "b" : "c", "match");
		good = object != NULL;
		if (!good)
			break;
		object->mesh = fake_bar(host);
		object->match->examples = lm_scene_memory(scene, 1, sizeof(lm_scene_example));
		good = object->mesh != NULL && object->match->examples != NULL;
		object->match->example_count = object->match->examples != NULL;
		lm_scene_collider* collider = lm_scene_add_collider(scene, "ground");
		good = good && collider != NULL;
		if (collider == NULL)
			break;
		collider->def.keys = lm_scene_memory(scene, 1, sizeof(lm_placement_key));
		collider->def.key_count = collider->def.keys != NULL;
		good = good && collider->def.keys != NULL;
	}
	if (good)
		return scene;
	lm_scene_destroy(scene);
	return NULL;
}

static void scenes_made_by_a_program(void** state)
{
	(void)state;
	for (int64_t n = 1;; ++n)
	{
		test_memory memory = { .fail_at = n };
		lm_host host = test_host(&memory);
		lm_scene* scene = build(&host);
		if (scene != NULL)
		{
			assert_true(memory.requests < n);
			assert_int_equal(scene->object_count, 3);
			assert_int_equal(scene->collider_count, 3);
			assert_string_equal(scene->objects[2].name, "c");
			assert_string_equal(scene->objects[0].engine, "match");
			assert_near(scene->objects[1].match->settings.gravity[1], -2, 0);
			assert_near(scene->objects[1].rotation[0], 1, 0);
			assert_int_equal(scene->objects[0].substeps, 4);
			lm_scene_destroy(scene);
			assert_int_equal(memory.held, 0);
			break;
		}
		assert_int_equal(memory.held, 0);
	}
	lm_host host = lm_host_default();
	lm_scene* scene = lm_scene_create(&host);
	assert_null(lm_scene_add_object(scene, "other", "none")->match);
	lm_scene_destroy(scene);
	lm_scene_destroy(NULL);
}

// ---- wrapped surfaces ----

static lm_scene* wrapped(const char* match)
{
	char text[500];
	snprintf(text, sizeof text,
	         "{\"limber\": 1, \"objects\": [{\"engine\": \"match\", \"mesh\": \"cube.obj\", \"start\": "
	         "\"cube-turned.obj\", \"lattice\": {\"size\": 0.25}, \"groups\": {\"copied\": {\"file\": \"cube.obj\", "
	         "\"group\": \"front\"}}, \"match\": %s}]}",
	         match);
	lm_host host = lm_host_default();
	host.threads = 2;
	lm_scene_files files = fake_files();
	lm_scene* scene = NULL;
	lm_problems problems = { 0 };
	lm_status status = lm_scene_parse("scene.json", text, strlen(text), &files, &host, &scene, &problems);
	if (status != LM_OK)
		print_error("%s: %s\n", problems.items[0].where, problems.items[0].message);
	assert_int_equal(status, LM_OK);
	lm_problems_release(&problems);
	return scene;
}

// The pose of the surface is affine (turned and stretched): the lattice must follow it, inside and outside.
static void poses_of_the_surface_carry_the_lattice(void** state)
{
	(void)state;
	lm_scene* scene = wrapped("{\"examples\": [\"cube-turned.obj\"]}");
	const lm_scene_object* object = &scene->objects[0];
	assert_int_equal(object->match->examples[0].mesh->vertex_count, object->mesh->vertex_count);
	double worst = 0;
	for (int32_t v = 0; v < object->mesh->vertex_count; ++v)
	{
		lm_vec3 x = lm_v3_at(object->mesh->positions, v);
		lm_vec3 wanted = lm_v3(-x.y, 2 * x.x, x.z);
		worst = fmax(worst, lm_distance(lm_v3_at(object->match->examples[0].mesh->positions, v), wanted));
	}
	assert_near(worst, 0, 0.01);
	assert_memory_equal(object->start_pose->positions, object->match->examples[0].mesh->positions,
	                    sizeof(double) * 3 * (size_t)object->mesh->vertex_count);
	lm_scene_destroy(scene);
}

static void groups_of_the_surface_carry_over(void** state)
{
	(void)state;
	lm_scene* scene = wrapped("{\"groups\": [\"front\", \"back\"]}");
	const lm_mesh* mesh = scene->objects[0].mesh;
	assert_int_equal(mesh->group_count, 5); // and sole and trunk of a lattice that fits
	const lm_group* front = &mesh->groups[lm_mesh_find_group(mesh, "front")];
	const lm_group* back = &mesh->groups[lm_mesh_find_group(mesh, "back")];
	const lm_group* copied = &mesh->groups[lm_mesh_find_group(mesh, "copied")];
	assert_int_equal(front->count + back->count, mesh->vertex_count); // every vertex is nearest to one of them
	assert_int_equal(copied->count, front->count);
	assert_memory_equal(copied->vertices, front->vertices, sizeof(int32_t) * (size_t)front->count);
	for (int32_t i = 0; i < front->count; ++i)
		assert_true(mesh->positions[3 * front->vertices[i] + 2] > 0.24);
	for (int32_t i = 0; i < back->count; ++i)
		assert_true(mesh->positions[3 * back->vertices[i] + 2] < 0.76);
	lm_scene_destroy(scene);
}

// A flat skin says nothing about the direction across it; the lattice must follow as if glued to it.
static void flat_surfaces_carry_rigidly(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh *skin = fake_points(&host, 4, 2, 0, 1000), *pose = fake_points(&host, 4, 2, 0, 1000),
			*mesh = fake_bar(&host);
	lm_quat turn = lm_quat_axis_angle(lm_v3(1, 2, 3), 1.1);
	for (int32_t v = 0; v < 4; ++v)
		lm_v3_store(pose->positions, v, lm_add(lm_quat_rotate(turn, lm_v3_at(skin->positions, v)), lm_v3(5, 6, 7)));
	for (int32_t v = 0; v < 8; ++v)
		mesh->positions[3 * v] += 1000;
	lm_mesh* carried = lm_wrap_pose(mesh, skin, pose, &host);
	for (int32_t v = 0; v < 8; ++v)
	{
		lm_vec3 wanted = lm_add(lm_quat_rotate(turn, lm_v3_at(mesh->positions, v)), lm_v3(5, 6, 7));
		assert_near(lm_distance(lm_v3_at(carried->positions, v), wanted), 0, 1e-9);
	}
	lm_mesh_destroy(carried);
	lm_mesh_destroy(mesh);
	lm_mesh_destroy(pose);
	lm_mesh_destroy(skin);
}

// A bar from x = 0 to 4, bent to a quarter of a circle about (0, -2.5) in x and y.
static lm_vec3 bend(lm_vec3 x)
{
	double angle = x.x / 4 * 1.5707963267948966, radius = 2.5 + x.y;
	return lm_v3(radius * sin(angle), radius * cos(angle) - 2.5, x.z);
}

static double tet_volume(const lm_mesh* mesh, const double* positions, int32_t t)
{
	const int32_t* tet = mesh->tets + 4 * t;
	lm_vec3 a = lm_v3_at(positions, tet[0]), b = lm_v3_at(positions, tet[1]);
	lm_vec3 c = lm_v3_at(positions, tet[2]), d = lm_v3_at(positions, tet[3]);
	return lm_dot(lm_cross(lm_sub(b, a), lm_sub(c, a)), lm_sub(d, a)) / 6;
}

static void bent_surfaces_bend_the_lattice(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	lm_mesh* skin = shape_block(&host, 32, 8, 8);
	for (int64_t i = 0; i < 3 * (int64_t)skin->vertex_count; ++i)
		skin->positions[i] /= 8;
	assert_int_equal(lm_mesh_extract_surface(skin, &error), LM_OK);
	skin->tet_count = 0;
	lm_mesh* pose = lm_mesh_copy(skin, &host);
	for (int32_t v = 0; v < pose->vertex_count; ++v)
		lm_v3_store(pose->positions, v, bend(lm_v3_at(skin->positions, v)));
	lm_mesh *mesh, *carried[2];
	lm_lattice_settings settings = { .vertices = 400, .inside = 0.5 };
	assert_int_equal(lm_lattice_create(skin, &settings, &host, &mesh, &error), LM_OK);
	for (int i = 0; i < 2; ++i)
	{
		host.threads = 1 + 3 * i;
		carried[i] = lm_wrap_pose(mesh, skin, pose, &host);
		assert_non_null(carried[i]);
	}
	assert_memory_equal(carried[0]->positions, carried[1]->positions, sizeof(double) * 3 * (size_t)mesh->vertex_count);
	double worst = 0, sum = 0;
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		double off = lm_distance(lm_v3_at(carried[0]->positions, v), bend(lm_v3_at(mesh->positions, v)));
		worst = fmax(worst, off), sum += off;
	}
	print_message("bend: off by %.4f at most, %.4f on average, of 4\n", worst, sum / mesh->vertex_count);
	assert_true(worst < 0.08 && sum / mesh->vertex_count < 0.02);
	for (int32_t t = 0; t < mesh->tet_count; ++t)
		assert_in_range((int)(100 * tet_volume(mesh, carried[0]->positions, t) / tet_volume(mesh, mesh->positions, t)),
		                50, 170);
	lm_mesh_destroy(carried[0]);
	lm_mesh_destroy(carried[1]);
	lm_mesh_destroy(mesh);
	lm_mesh_destroy(pose);
	lm_mesh_destroy(skin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keyed_values),
		cmocka_unit_test(colours_go_both_ways),
		cmocka_unit_test(suggestions),
		cmocka_unit_test(scenes_made_by_a_program),
		cmocka_unit_test(poses_of_the_surface_carry_the_lattice),
		cmocka_unit_test(groups_of_the_surface_carry_over),
		cmocka_unit_test(flat_surfaces_carry_rigidly),
		cmocka_unit_test(bent_surfaces_bend_the_lattice),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
