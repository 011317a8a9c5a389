// Scenes that are as they should be: every key arrives where it belongs, defaults are there, files are found.
#include "test.h"

#include "everything.h"
#include "limber/io.h"
#include "scene/scene.h"

#include <unistd.h>

static void print_problems(const lm_problems* problems)
{
	for (int32_t i = 0; i < problems->count; ++i)
	{
		char text[1400];
		lm_error_format(&problems->items[i], text, sizeof text);
		print_error("%s\n", text);
	}
}

static lm_scene* parse_with(const char* text, const lm_host* host)
{
	lm_scene_files files = fake_files();
	lm_scene* scene = NULL;
	lm_problems problems = { 0 };
	lm_status status = lm_scene_parse("scene.json", text, strlen(text), &files, host, &scene, &problems);
	print_problems(&problems);
	assert_int_equal(status, LM_OK);
	assert_int_equal(problems.count, 0);
	lm_problems_release(&problems);
	return scene;
}

static void assert_vector(const double* a, double x, double y, double z)
{
	assert_near(a[0], x, 1e-12);
	assert_near(a[1], y, 1e-12);
	assert_near(a[2], z, 1e-12);
}

static void assert_color(const float* a, double r, double g, double b)
{
	assert_near(a[0], r, 1e-6);
	assert_near(a[1], g, 1e-6);
	assert_near(a[2], b, 1e-6);
}

static void check_frame(const lm_scene* scene)
{
	assert_string_equal(scene->name, "everything");
	assert_string_equal(scene->path, "scene.json");
	assert_string_equal(scene->description, "Every key that there is.");
	assert_near(scene->fps, 30, 0);
	assert_near(scene->seconds, 2.5, 0);
	assert_vector(scene->gravity, 0, -1.62, 0);
	assert_false(scene->camera.automatic);
	assert_vector(scene->camera.eye, 3, 2, 5);
	assert_vector(scene->camera.target, 0, 0.5, 0);
	assert_vector(scene->camera.direction, 0, -1, -1);
	assert_near(scene->camera.fov, 40, 0);
	assert_near(scene->camera.zoom, 1.5, 0);
	assert_false(scene->camera.follow);
	assert_int_equal(scene->size[0], 640);
	assert_int_equal(scene->size[1], 360);
	assert_color(scene->background, 1, 1, 1);
}

static void check_colliders(const lm_scene* scene)
{
	assert_int_equal(scene->collider_count, 5);
	const lm_scene_collider* c = scene->colliders;
	assert_string_equal(c[0].name, "ground");
	assert_int_equal(c[0].def.shape, LM_SHAPE_PLANE);
	assert_near(c[0].def.friction, 0.8, 0);
	assert_near(c[0].def.restitution, 0.25, 0);
	assert_false(c[0].visible);
	assert_color(c[0].color, 1, 0, 0);
	assert_int_equal(c[0].def.key_count, 1);
	assert_vector(c[0].def.keys[0].position, 100, -1, 0);
	assert_near(c[0].def.keys[0].rotation[0], sqrt(0.5), 1e-12);
	assert_vector(c[0].def.keys[0].rotation + 1, 0, 0, sqrt(0.5));
	assert_int_equal(c[1].def.shape, LM_SHAPE_SPHERE);
	assert_near(c[1].def.radius, 0.5, 0);
	assert_true(c[1].visible);
	assert_int_equal(c[2].def.shape, LM_SHAPE_BOX);
	assert_vector(c[2].def.half, 1, 2, 3);
	assert_near(c[2].def.keys[0].rotation[0], 1, 0);
	assert_int_equal(c[3].def.shape, LM_SHAPE_CAPSULE);
	assert_near(c[3].def.half_length, 1, 0);
	assert_int_equal(c[3].def.key_count, 2);
	assert_vector(c[3].def.keys[0].position, 1, 1, 1);
	assert_near(c[3].def.keys[0].rotation[0], 1, 0);
	assert_near(c[3].def.keys[1].time, 1, 0);
	assert_vector(c[3].def.keys[1].position, 2, 2, 2);
	assert_vector(c[3].def.keys[1].rotation + 1, 1, 0, 0);
	assert_int_equal(c[4].def.shape, LM_SHAPE_MESH);
	assert_int_equal(c[4].def.mesh->triangle_count, 12);
	assert_vector(c[4].def.mesh->positions + 21, 2, 2, 2);
}

static void check_actions(const lm_scene_object* o)
{
	assert_int_equal(o->pin_count, 3);
	assert_int_equal(o->pins[0].count, 4);
	assert_int_equal(o->pins[0].vertices[3], 6);
	assert_near(o->pins[0].start, 0.5, 0);
	assert_near(o->pins[0].end, 2, 0);
	double value[3];
	lm_keyed_at(&o->pins[0].offset, 3, 0.5, value);
	assert_vector(value, 0, 0.5, 0);
	assert_int_equal(o->pins[1].count, 2);
	assert_near(o->pins[1].end, -1, 0);
	lm_keyed_at(&o->pins[1].offset, 3, 7, value);
	assert_vector(value, 0, 0, 0);
	lm_keyed_at(&o->pins[2].target, 3, 0.5, value);
	assert_vector(value, 1, 3, 3);
	assert_int_equal(o->pins[2].offset_count, 2);
	assert_vector(o->pins[2].offsets + 3, 0, 0, -0.5);
	assert_int_equal(o->drag_count, 4);
	assert_int_equal(o->drags[2].count, 2);
	assert_near(o->drags[2].weights[1], 0.75, 0);
	assert_vector(o->drags[2].offsets + 3, 0, 1, 0);
	assert_int_equal(o->drags[3].count, 4);
	assert_int_equal(o->drags[3].vertices[3], 6);
	assert_int_equal(o->drags[3].weight_count, 0);
	assert_int_equal(o->drags[0].vertex, 5);
	assert_near(o->drags[0].strength, 50, 0);
	assert_near(o->drags[0].start, 0.25, 0);
	assert_near(o->drags[0].end, 0.75, 0);
	assert_int_equal(o->drags[1].vertex, 7);
	assert_near(o->drags[1].strength, 100, 0);
	lm_keyed_at(&o->drags[1].target, 3, 1, value);
	assert_vector(value, 0.5, 1, 1.5);
	assert_int_equal(o->touch_count, 2);
	assert_string_equal(o->touch[1], "sheet");
	assert_false(o->touch_off);
	assert_int_equal(o->push_count, 3);
	assert_int_equal(o->pushes[0].count, 4);
	assert_int_equal(o->pushes[0].vertices[0], 2);
	assert_near(o->pushes[0].time, 1, 0);
	assert_vector(o->pushes[0].impulse, 0, 10, 0);
	assert_int_equal(o->pushes[1].vertices[0], 7);
	assert_int_equal(o->pushes[2].count, 8);
	assert_true(o->pushes[2].by_velocity && !o->pushes[1].by_velocity);
	assert_near(o->pushes[2].velocity[2], 1, 0);
	assert_int_equal(o->pushes[2].vertices[7], 7);
}

static void check_match(const lm_scene_match* m)
{
	assert_near(m->settings.frequency, 20, 0);
	assert_near(m->settings.sag, 0.03, 0);
	assert_near(m->settings.damping, 0.5, 0);
	assert_near(m->settings.drag, 0.1, 0);
	assert_near(m->settings.beta, 0.9, 0);
	assert_near(m->settings.friction, 0.6, 0);
	assert_near(m->settings.restitution, 0.1, 0);
	assert_near(m->settings.thickness, 0.01, 0);
	assert_true(m->settings.self_contact);
	assert_vector(m->settings.gravity, 1, 2, 3);
	assert_int_equal(m->ring, 2);
	assert_int_equal(m->locality, LM_MATCH_GROUPS);
	assert_int_equal(m->descriptor, LM_MATCH_STRETCH);
	assert_int_equal(m->group_count, 2);
	assert_string_equal(m->groups[1], "right");
	assert_int_equal(m->example_count, 3);
	assert_string_equal(m->examples[0].file, "bar-moved.msh");
	assert_vector(m->examples[0].mesh->positions, 0, 2, 0);
	double strength;
	lm_keyed_at(&m->examples[0].strength, 1, 0.25, &strength);
	assert_near(strength, 0.25, 0);
	lm_keyed_at(&m->examples[1].strength, 1, 0.25, &strength);
	assert_near(strength, 1, 0);
	lm_keyed_at(&m->examples[2].strength, 1, 0.25, &strength);
	assert_near(strength, 0.5, 0);
}

static void check_bar(const lm_scene_object* o)
{
	assert_string_equal(o->name, "bar");
	assert_string_equal(o->engine, "match");
	assert_string_equal(o->mesh_file, "bar.msh");
	assert_string_equal(o->surface_file, "cube.obj");
	assert_int_equal(o->mesh->tet_count, 6);
	assert_int_equal(o->mesh->triangle_count, 12);
	assert_vector(o->mesh->positions + 21, 2, 2, 2);
	assert_vector(o->surface->positions + 21, 2, 2, 2);
	assert_vector(o->start_pose->positions + 21, 2, 4, 2);
	assert_vector(o->position, 1, 2, 3);
	assert_near(o->rotation[2], 1, 0);
	assert_vector(o->velocity, 4, 5, 6);
	assert_vector(o->angular_velocity, 7, 8, 9);
	assert_near(o->density, 500, 0);
	assert_color(o->color, 0, 1, 0);
	assert_int_equal(o->substeps, 8);
	const lm_group* low = &o->mesh->groups[lm_mesh_find_group(o->mesh, "low")];
	assert_int_equal(low->count, 4);
	assert_int_equal(low->vertices[3], 5);
	assert_int_equal(o->mesh->groups[lm_mesh_find_group(o->mesh, "listed")].vertices[1], 2);
	assert_int_equal(o->mesh->groups[lm_mesh_find_group(o->mesh, "top")].vertices[1], 3);
	assert_int_equal(o->mesh->groups[lm_mesh_find_group(o->mesh, "right")].count, 2);
	check_actions(o);
	check_match(o->match);
}

static void every_key_arrives(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	size_t size;
	char* text = everything_text(&host, &size);
	lm_scene* scene = parse_with((const char*)text, &host);
	check_frame(scene);
	check_colliders(scene);
	assert_int_equal(scene->object_count, 12);
	check_bar(&scene->objects[0]);
	const lm_scene_object* wrapped = &scene->objects[1];
	assert_true(wrapped->mesh->tet_count > 0);
	assert_in_range(wrapped->mesh->vertex_count, 40, 90);
	assert_int_equal(wrapped->surface->vertex_count, 8);
	assert_vector(wrapped->match->settings.gravity, 0, -1.62, 0);
	assert_true(scene->objects[2].mesh->vertex_count > 20);
	assert_null(scene->objects[3].surface);
	assert_int_equal(scene->objects[3].mesh->triangle_count, 2);
	lm_scene_destroy(scene);
	lm_free(&host, text);
}

// The scene above would say nothing about a key that it does not have.
typedef struct seen_key
{
	const lm_table* table;
	int32_t number;
} seen_key;

static void note_keys(const lm_table* table, json_t* value, seen_key* seen, int* count)
{
	const char* name;
	json_t *member, *item;
	size_t i;
	json_object_foreach(value, name, member)
	{
		int32_t number = lm_table_find(table, name);
		assert_true(number >= 0);
		lm_key key = lm_table_key(table, number);
		seen[(*count)++] = (seen_key){ table, number };
		if (key.kind == LM_KEY_TABLE || key.kind == LM_KEY_POINTER)
			note_keys(key.table, member, seen, count);
		if (key.kind == LM_KEY_LIST)
			json_array_foreach(member, i, item) note_keys(key.table, item, seen, count);
		const char* other;
		if (key.kind == LM_KEY_MAP)
			json_object_foreach(member, other, item) note_keys(key.table, item, seen, count);
		if (key.kind == LM_KEY_ROTATION)
			note_keys(&lm_rotation_table, member, seen, count);
	}
}

static void expect_keys(const lm_table* table, const seen_key* seen, int count)
{
	for (int32_t k = 0; k < lm_table_count(table); ++k)
	{
		bool found = false;
		lm_key key = lm_table_key(table, k);
		for (int i = 0; i < count; ++i)
			found |= seen[i].table == table && seen[i].number == k;
		if (!found)
			fail_msg("everything.json lacks the key %s of %s", key.name, table->name);
		if (key.table != NULL)
			expect_keys(key.table, seen, count);
	}
}

static void the_scene_above_has_every_key(void** state)
{
	(void)state;
	json_t* root = json_load_file(LIMBER_SOURCE "/tests/scene/everything.json", 0, NULL);
	assert_non_null(root);
	seen_key seen[1000];
	int count = 0;
	note_keys(&lm_scene_table, root, seen, &count);
	expect_keys(&lm_scene_table, seen, count);
	expect_keys(&lm_rotation_table, seen, count);
	json_decref(root);
}

static void what_is_not_said_has_a_default(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_scene* scene = parse_with("{\"limber\": 1, \"colliders\": [{\"shape\": \"plane\"}],"
	                             "\"objects\": [{\"engine\": \"match\", \"mesh\": \"bar.msh\"}]}",
	                             &host);
	assert_string_equal(scene->name, "scene");
	assert_near(scene->fps, 24, 0);
	assert_vector(scene->gravity, 0, -9.81, 0);
	assert_true(scene->camera.automatic);
	assert_vector(scene->camera.direction, -0.5, -0.35, -1);
	assert_int_equal(scene->size[0], 960);
	assert_string_equal(scene->colliders[0].name, "collider0");
	assert_near(scene->colliders[0].def.friction, 0.5, 0);
	const lm_scene_object* o = &scene->objects[0];
	assert_string_equal(o->name, "object0");
	assert_string_equal(o->surface_file, "");
	assert_null(o->surface);
	assert_null(o->start_pose);
	assert_int_equal(o->substeps, 4);
	assert_near(o->density, 1000, 0);
	lm_match_def def = lm_match_def_default();
	assert_near(o->match->settings.frequency, def.settings.frequency, 0);
	assert_near(o->match->settings.beta, def.settings.beta, 0);
	assert_int_equal(o->match->ring, def.ring);
	assert_int_equal(o->match->locality, LM_MATCH_GLOBAL);
	lm_scene_destroy(scene);
}

static void groups_alone_mean_locality_groups(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	// a byte order mark is skipped, whole numbers may have a point
	lm_scene* scene = parse_with("\xef\xbb\xbf{\"limber\": 1.0, \"objects\": [{\"engine\": \"match\", \"mesh\": "
	                             "\"bar-moved.msh\", \"match\": {\"groups\": [\"upper\"]}}]}",
	                             &host);
	assert_int_equal(scene->objects[0].match->locality, LM_MATCH_GROUPS);
	lm_scene_destroy(scene);
}

static void every_allocation_may_fail(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	size_t size;
	char* text = everything_text(&host, &size);
	lm_scene_files files = fake_files();
	for (int64_t n = 1;; ++n)
	{
		test_memory memory = { .fail_at = n };
		lm_host failing = test_host(&memory);
		lm_scene* scene = NULL;
		lm_problems problems = { 0 };
		lm_status status = lm_scene_parse("scene.json", text, size, &files, &failing, &scene, &problems);
		lm_problems_release(&problems);
		lm_scene_destroy(scene);
		assert_int_equal(memory.held, 0);
		if (memory.requests < n)
		{
			assert_int_equal(status, LM_OK);
			break;
		}
		assert_int_equal(status, LM_NO_MEMORY);
		assert_null(scene);
	}
	lm_free(&host, text);
}

// ---- real files ----

static void write_text(const char* folder, const char* name, const char* text)
{
	char path[300];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE* file = fopen(path, "wb");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static uint64_t fingerprint_of(const char* folder)
{
	char path[300];
	snprintf(path, sizeof path, "%s/a.scene.json", folder);
	lm_host host = lm_host_default();
	lm_scene* scene = NULL;
	lm_problems problems = { 0 };
	lm_status status = lm_scene_read(path, &host, &scene, &problems);
	print_problems(&problems);
	assert_int_equal(status, LM_OK);
	assert_string_equal(scene->name, "a.scene");
	assert_string_equal(scene->path, path);
	char mesh[300];
	snprintf(mesh, sizeof mesh, "%s/tet.node", folder);
	assert_string_equal(scene->objects[0].mesh_file, "tet.node");
	assert_string_equal(scene->files[0], mesh);
	assert_int_equal(scene->objects[0].mesh->tet_count, 1);
	uint64_t fingerprint = scene->fingerprint;
	lm_scene_destroy(scene);
	lm_problems_release(&problems);
	return fingerprint;
}

static void files_are_found_beside_the_scene_and_fingerprinted(void** state)
{
	(void)state;
	char folder[] = "/tmp/limber-scene-XXXXXX";
	assert_non_null(mkdtemp(folder));
	const char* scene = "{\"limber\": 1, \"objects\": [{\"engine\": \"match\", \"mesh\": \"tet.node\"}]}";
	write_text(folder, "a.scene.json", scene);
	write_text(folder, "tet.node", "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n");
	write_text(folder, "tet.ele", "1 4 0\n0 0 1 2 3\n");
	uint64_t first = fingerprint_of(folder);
	assert_true(fingerprint_of(folder) == first);
	// the same text in memory is the same scene, whether the file is there or not
	char path[100];
	lm_host host = lm_host_default();
	lm_scene* in_memory;
	lm_problems problems = { 0 };
	snprintf(path, sizeof path, "%s/not-there.json", folder);
	assert_int_equal(lm_scene_read_text(path, scene, strlen(scene), &host, &in_memory, &problems), LM_OK);
	assert_true(in_memory->fingerprint == first);
	assert_string_equal(in_memory->path, path);
	lm_scene_destroy(in_memory);
	write_text(folder, "tet.node", "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1.5\n");
	uint64_t second = fingerprint_of(folder);
	assert_true(second != first);
	write_text(folder, "tet.ele", "1 4 0\n0 0 1 2 3\n\n");
	uint64_t third = fingerprint_of(folder);
	assert_true(third != second);
	write_text(folder, "a.scene.json",
	           "{\"limber\": 1, \"objects\": [{ \"engine\": \"match\", \"mesh\": \"tet.node\"}]}");
	assert_true(fingerprint_of(folder) != third);
	char command[300];
	snprintf(command, sizeof command, "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

static void scene_files_that_cannot_be_read(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_scene* scene = NULL;
	lm_problems problems = { 0 };
	assert_int_equal(lm_scene_read("/nonexistent/scene.json", &host, &scene, &problems), LM_BAD_INPUT);
	assert_int_equal(problems.count, 1);
	assert_string_equal(problems.items[0].file, "/nonexistent/scene.json");
	assert_string_equal(problems.items[0].message, "cannot be opened: No such file or directory");
	lm_problems_release(&problems);
	assert_int_equal(lm_scene_read("/tmp", &host, &scene, &problems), LM_BAD_INPUT);
	lm_problems_release(&problems);
	assert_int_equal(lm_scene_read("/nonexistent/scene.json", &host, &scene, NULL), LM_BAD_INPUT);
	assert_null(scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_arrives),
		cmocka_unit_test(the_scene_above_has_every_key),
		cmocka_unit_test(what_is_not_said_has_a_default),
		cmocka_unit_test(groups_alone_mean_locality_groups),
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(files_are_found_beside_the_scene_and_fingerprinted),
		cmocka_unit_test(scene_files_that_cannot_be_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
