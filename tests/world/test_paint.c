// Paint: from a shown surface to files, scenes and simulated vertices, and back; and scenes made for a mesh.
#include "worlds.h"

#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static const char* beside(const char* name)
{
	static char paths[4][160];
	static int next;
	next = (next + 1) % 4;
	snprintf(paths[next], sizeof paths[next], "%s/%s", folder, name);
	return paths[next];
}

static void write_text(const char* name, const char* text)
{
	lm_host host = lm_host_default();
	lm_error error;
	if (lm_text_write(beside(name), text, &host, &error) != LM_OK)
		fail_msg("%s", error.message);
}

// ---- meshes in files ----

// A slab of n x n x 1 cubes, all of whose vertices are on its surface, 1 m wide.
static lm_mesh* make_slab(const lm_host* host, int n)
{
	lm_error error;
	lm_mesh *block = test_block(host, n, n, 1, 1.0 / n), *slab;
	assert_int_equal(lm_mesh_extract_surface(block, &error), LM_OK);
	slab = lm_mesh_create(host, block->vertex_count, block->triangle_count, 0);
	memcpy(slab->positions, block->positions, 3 * (size_t)block->vertex_count * sizeof(double));
	memcpy(slab->triangles, block->triangles, 3 * (size_t)block->triangle_count * sizeof(int32_t));
	lm_mesh_destroy(block);
	return slab;
}

static void write_mesh(const char* name, const lm_mesh* mesh)
{
	lm_error error;
	if (lm_mesh_write(beside(name), mesh, NULL, &error) != LM_OK)
		fail_msg("%s", error.message);
}

// Rises from 0 to 1 between x = 0.4 and 0.6.
static double ramp(double x)
{
	return fmin(fmax((x - 0.4) / 0.2, 0), 1);
}

static lm_scene* read_scene(const char* text)
{
	lm_host host = lm_host_default();
	lm_scene* scene = NULL;
	lm_problems problems;
	write_text("scene.json", text);
	if (lm_scene_read(beside("scene.json"), &host, &scene, &problems) != LM_OK)
		fail_msg("%s: %s", problems.items[0].where, problems.items[0].message);
	lm_problems_release(&problems);
	return scene;
}

static void refuse_scene(const char* text, const char* where, const char* part)
{
	lm_host host = lm_host_default();
	lm_scene* scene = NULL;
	lm_problems problems;
	write_text("scene.json", text);
	assert_int_equal(lm_scene_read(beside("scene.json"), &host, &scene, &problems), LM_BAD_INPUT);
	if (strcmp(problems.items[0].where, where) != 0 || strstr(problems.items[0].message, part) == NULL)
		fail_msg("%s: %s", problems.items[0].where, problems.items[0].message);
	lm_problems_release(&problems);
}

static lm_world* read_world(const char* text)
{
	return world_of(read_scene(text));
}

static const lm_group* group_of(const lm_mesh* mesh, const char* name)
{
	int32_t found = lm_mesh_find_group(mesh, name);
	if (found < 0)
		fail_msg("no group %s", name);
	return &mesh->groups[found];
}

#define OBJECT "{ \"limber\": 1, \"objects\": [ { \"name\": \"slab\", \"engine\": \"match\", \"mesh\": \"slab.obj\""
#define LATTICE ", \"lattice\": { \"vertices\": 150 }"

// ---- in and out of files ----

// A world whose slab is painted by the ramp in `paint.json`; *values is its paint, freed by the caller.
static lm_world* paint_slab(const char* name, double** values)
{
	lm_host host = lm_host_default();
	lm_error error;
	lm_mesh* slab = make_slab(&host, 10);
	write_mesh("slab.obj", slab);
	*values = calloc((size_t)slab->vertex_count, sizeof **values);
	for (int32_t v = 0; v < slab->vertex_count; ++v)
		(*values)[v] = ramp(slab->positions[3 * v]);
	lm_mesh_destroy(slab);
	lm_world* world = read_world(OBJECT LATTICE " } ] }");
	if (lm_paint_write(world, 0, beside("paint.json"), name, *values, &error) != LM_OK)
		fail_msg("%s", error.message);
	return world;
}

static void paint_comes_back(void** state)
{
	(void)state;
	double* values;
	lm_error error;
	remove(beside("paint.json"));
	lm_world* world = paint_slab("right", &values);
	int32_t count = lm_world_surface(world, 0).vertex_count;
	double *back = calloc((size_t)count, sizeof *back), *other = calloc((size_t)count, sizeof *other);
	other[7] = 2, other[8] = -1; // brought into 0 .. 1
	assert_int_equal(lm_paint_write(world, 0, beside("paint.json"), "other", other, &error), LM_OK);
	assert_int_equal(lm_paint_read(world, 0, beside("paint.json"), "right", back, &error), LM_OK);
	for (int32_t v = 0; v < count; ++v)
		assert_near(back[v], values[v], 5e-5);
	assert_int_equal(lm_paint_read(world, 0, beside("paint.json"), "other", back, &error), LM_OK);
	assert_true(back[7] == 1 && back[8] == 0 && back[6] == 0);
	assert_int_equal(lm_paint_write(world, 0, beside("paint.json"), "other", NULL, &error), LM_OK);
	assert_int_equal(lm_paint_read(world, 0, beside("paint.json"), "other", back, &error), LM_BAD_INPUT);
	assert_int_equal(lm_paint_read(world, 0, beside("paint.json"), "right", back, &error), LM_OK);
	free(values), free(back), free(other);
	lm_world_destroy(world);
}

// Of a plate one side is enough, of a ribbon any of its sides; both have the vertices of the mesh in the file.
static void bodies_in_the_plane_are_painted(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	for (int curve = 0; curve < 2; ++curve)
	{
		lm_scene* scene = lm_scene_create(&host);
		lm_scene_object* object = lm_scene_add_object(scene, "flat", "act");
		object->mesh = curve ? scene_ring(&host, 8, 1) : scene_rectangle(&host, 3, 3, 0.2);
		object->act->kind = curve ? LM_ACT_CURVE2 : LM_ACT_SOLID2;
		int32_t own = object->mesh->vertex_count;
		lm_world* world = world_of(scene);
		int32_t count = lm_world_surface(world, 0).vertex_count;
		assert_true(count > own);
		double *values = calloc((size_t)count, sizeof *values), *back = calloc((size_t)count, sizeof *back);
		values[curve ? 25 : 2] = 1; // vertex 2: its front, or a point of its ring
		remove(beside("flat.json"));
		assert_int_equal(lm_paint_write(world, 0, beside("flat.json"), "spot", values, &error), LM_OK);
		assert_int_equal(lm_paint_read(world, 0, beside("flat.json"), "spot", back, &error), LM_OK);
		if (curve)
			assert_true(back[20] == 1 && back[29] == 1 && back[19] == 0);
		else
			assert_true(back[2] == 1 && back[own + 2] == 1 && back[1] == 0);
		free(values), free(back);
		lm_world_destroy(world);
	}
}

static void wrong_paint_is_refused(void** state)
{
	(void)state;
	double* values;
	lm_error error;
	lm_world* world = paint_slab("right", &values);
	struct stat before, after;
	assert_int_equal(stat(beside("paint.json"), &before), 0);
	write_text("list.json", "[1, 2]");
	write_text("broken.json", "{ \"a\": [1, }");
	write_text("short.json", "{ \"a\": [1, 2], \"b\": [\"c\"], \"c\": 3 }");
	assert_int_equal(lm_paint_write(world, 1, beside("paint.json"), "a", values, &error), LM_BAD_INPUT);
	assert_int_equal(lm_paint_write(world, 0, beside("paint.json"), "", values, &error), LM_BAD_INPUT);
	assert_int_equal(lm_paint_write(world, 0, beside("paint.json"), "\xff", values, &error), LM_BAD_INPUT);
	assert_int_equal(lm_paint_write(world, 0, beside("list.json"), "a", values, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "must hold an object"));
	assert_int_equal(lm_paint_write(world, 0, beside("broken.json"), "a", values, &error), LM_BAD_INPUT);
	values[3] = NAN;
	assert_int_equal(lm_paint_write(world, 0, beside("paint.json"), "a", values, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "vertex 3 is not a number"));
	assert_int_equal(lm_paint_write(world, 0, "/dev/null/paint.json", "a", NULL, NULL), LM_IO_FAILED);
	assert_int_equal(stat(beside("paint.json"), &after), 0);
	assert_int_equal(after.st_size, before.st_size);
	static const char* const wrong[][3] = {
		{ "gone.json", "a", "No such file" },       { "paint.json", "left", "\"left\"" },
		{ "short.json", "a", "has 2 values" },      { "short.json", "b", "no number" },
		{ "short.json", "c", "no list" },           { "list.json", "a", "must hold" },
		{ "slab.obj", "a", "no group or property" }
	};
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
	{
		assert_int_equal(lm_paint_read(world, 0, beside(wrong[i][0]), wrong[i][1], values, &error), LM_BAD_INPUT);
		if (strstr(error.message, wrong[i][2]) == NULL)
			fail_msg("%s: %s", wrong[i][0], error.message);
	}
	assert_int_equal(lm_paint_read(world, -1, beside("paint.json"), "right", values, &error), LM_BAD_INPUT);
	assert_int_equal(lm_paint_of_group(world, 0, "left", values, &error), LM_BAD_INPUT);
	assert_int_equal(lm_paint_of_group(world, 7, "right", values, &error), LM_BAD_INPUT);
	free(values);
	lm_world_destroy(world);
}

// ---- in scenes ----

#define RIGHT ", \"groups\": { \"right\": { \"weights\": \"paint.json\" } }"

static void paint_reaches_what_is_simulated(void** state)
{
	(void)state;
	double* values;
	lm_error error;
	lm_world_destroy(paint_slab("right", &values));
	lm_world* world = read_world(OBJECT LATTICE RIGHT ", \"pins\": [ { \"group\": \"right\" } ], \"match\": { "
	                                                  "\"groups\": [ \"right\" ] } } ] }");
	lm_scene* scene = read_scene(OBJECT LATTICE RIGHT " } ] }");
	const lm_mesh *mesh = scene->objects[0].mesh, *shown = scene->objects[0].surface;
	const lm_group* group = group_of(mesh, "right");
	assert_true(group->count > 20 && group->count < mesh->vertex_count - 20);
	assert_non_null(group->weights);
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
		assert_near(group->weights[v], ramp(mesh->positions[3 * v]), 0.6); // within a cell or so
	for (int32_t k = 0; k < group->count; ++k)
		assert_true(mesh->positions[3 * group->vertices[k]] > 0.4 && group->weights[group->vertices[k]] >= 0.5);
	double* back = calloc((size_t)shown->vertex_count, sizeof *back);
	assert_int_equal(lm_paint_of_group(world, 0, "right", back, &error), LM_OK);
	for (int32_t v = 0; v < shown->vertex_count; ++v)
		assert_near(back[v], values[v], 5e-5); // as it was painted, not as it was carried
	lm_world_colors_view colors;
	assert_int_equal(lm_world_colors(world, 0, "groups:right", &colors, &error), LM_OK);
	assert_memory_not_equal(colors.rgb, colors.name_rgb, 3);      // x = 0
	assert_memory_equal(colors.rgb + 3 * 10, colors.name_rgb, 3); // x = 1
	assert_int_equal(lm_match_weight_rows(lm_world_match(world, 0)), 2);
	step(world, 12);
	lm_world_surface_view view = lm_world_surface(world, 0);
	double held = view.positions[3 * 10 + 1], loose = view.positions[1]; // at x = 1 and x = 0
	assert_true(fabs(held) < 0.2 * fabs(loose) && loose < -1e-3);
	free(values), free(back);
	lm_scene_destroy(scene);
	lm_world_destroy(world);
}

// One vertex of the surface, far smaller than a cell of the lattice.
static void a_small_spot_is_not_lost(void** state)
{
	(void)state;
	double* values;
	lm_error error;
	lm_world* world = paint_slab("right", &values);
	memset(values, 0, (size_t)lm_world_surface(world, 0).vertex_count * sizeof *values);
	values[60] = 1;
	assert_int_equal(lm_paint_write(world, 0, beside("paint.json"), "spot", values, &error), LM_OK);
	lm_world_destroy(world);
	lm_scene* scene = read_scene("{ \"limber\": 1, \"objects\": [ { \"engine\": \"match\", \"mesh\": \"slab.obj\", "
	                             "\"lattice\": { \"vertices\": 30 }, \"groups\": { \"spot\": { \"weights\": "
	                             "\"paint.json\" } } } ] }");
	const lm_mesh *mesh = scene->objects[0].mesh, *shown = scene->objects[0].surface;
	const lm_group* group = group_of(mesh, "spot");
	assert_true(group->count >= 1 && group->count < 6);
	for (int32_t k = 0; k < group->count; ++k)
		for (int c = 0; c < 3; ++c)
			assert_near(mesh->positions[3 * group->vertices[k] + c], shown->positions[3 * 60 + c], 0.4);
	lm_scene_destroy(scene);
	free(values);
}

static void wrong_paint_in_scenes_is_refused(void** state)
{
	(void)state;
	double* values;
	lm_world_destroy(paint_slab("right", &values));
	write_text("short.json", "{ \"right\": [1, 0.5], \"high\": [2], \"word\": [\"a\"], \"none\": [] }");
	static const char* const wrong[][3] = {
		{ "\"right\": { \"weights\": \"gone.json\" }", "objects[0].groups.right.weights", "No such file" },
		{ "\"right\": { \"weights\": \"short.json\" }", "objects[0].groups.right.weights",
		  "with 2 numbers, must have 242" },
		{ "\"high\": { \"weights\": \"short.json\" }", "objects[0].groups.high.weights", "between 0 and 1" },
		{ "\"word\": { \"weights\": \"short.json\" }", "objects[0].groups.word.weights", "no number" },
		{ "\"none\": { \"weights\": \"short.json\" }", "objects[0].groups.none.weights", "has no list" },
		{ "\"left\": { \"weights\": \"paint.json\" }", "objects[0].groups.left.weights", "has no list \"left\"" },
		{ "\"right\": { \"weights\": \"paint.json\", \"box\": [[0, 0, 0], [1, 1, 1]] }", "objects[0].groups.right",
		  "has several of" },
	};
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
	{
		char text[600];
		snprintf(text, sizeof text, "%s, \"groups\": { %s } } ] }", OBJECT, wrong[i][0]);
		refuse_scene(text, wrong[i][1], wrong[i][2]);
	}
	free(values);
}

// Test functions of `track` take the soft weights, from a file or from the group of that name.
static void regions_of_track_are_soft(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	lm_mesh* sheet = make_sheet(&host, 10, 0.1);
	write_mesh("sheet.obj", sheet);
	lm_points_writer* writer;
	assert_int_equal(lm_points_writer_open(beside("sheet.pc2"), sheet->vertex_count, 2, 24, &host, &writer, &error),
	                 LM_OK);
	for (int f = 0; f < 2; ++f)
		assert_int_equal(lm_points_writer_frame(writer, sheet->positions, &error), LM_OK);
	assert_int_equal(lm_points_writer_close(writer, &error), LM_OK);
	lm_world* world =
		read_world("{ \"limber\": 1, \"objects\": [ { \"engine\": \"track\", \"mesh\": \"sheet.obj\" } ] }");
	double* values = calloc((size_t)sheet->vertex_count, sizeof *values);
	for (int32_t v = 0; v < sheet->vertex_count; ++v)
		values[v] = ramp(sheet->positions[3 * v]);
	assert_int_equal(lm_paint_write(world, 0, beside("paint.json"), "soft", values, &error), LM_OK);
	lm_world_destroy(world);
	lm_scene* scene = read_scene(
		"{ \"limber\": 1, \"objects\": [ { \"engine\": \"track\", \"mesh\": \"sheet.obj\", \"groups\": { \"soft\": { "
		"\"weights\": \"paint.json\" } }, \"track\": { \"guide\": \"sheet.pc2\", \"paint\": [ \"soft\" ] } }, { "
		"\"name\": \"b\", \"engine\": \"track\", \"mesh\": \"sheet.obj\", \"position\": [0, 1, 0], \"track\": { "
		"\"guide\": \"sheet.pc2\", \"subdivide\": 1, \"paint\": [ { \"group\": \"soft\", \"weights\": \"paint.json\" "
		"} ] } } ] }");
	for (int i = 0; i < 2; ++i)
	{
		const lm_scene_object* object = &scene->objects[i];
		const lm_scene_paint* paint = &object->track->paint[0];
		int32_t half = 0;
		assert_true(paint->count > 0 && paint->count < object->mesh->vertex_count);
		for (int32_t k = 0; k < paint->count; ++k)
		{
			assert_near(paint->values[k], ramp(object->mesh->positions[3 * paint->vertices[k]]), 1e-4);
			half += paint->values[k] > 0.1 && paint->values[k] < 0.9;
		}
		assert_true(half > 0);
	}
	world = world_of(scene);
	lm_world_colors_view colors;
	assert_int_equal(lm_world_colors(world, 0, "regions", &colors, &error), LM_OK);
	assert_int_equal(colors.name_count, 1);
	assert_memory_equal(colors.rgb + 3 * 10, colors.name_rgb, 3); // x = 1
	assert_memory_not_equal(colors.rgb, colors.name_rgb, 3);
	lm_world_destroy(world);
	lm_mesh_destroy(sheet);
	free(values);
}

// ---- paint of other programs ----

static void write_ply(const char* name, const lm_mesh* mesh)
{
	FILE* file = fopen(beside(name), "w");
	fprintf(
		file,
		"ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\nproperty "
		"float nx\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nproperty float left_foot\nproperty "
		"double heat\nelement face %d\nproperty list uchar int vertex_indices\nend_header\n",
		mesh->vertex_count, mesh->triangle_count);
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		const double* x = mesh->positions + 3 * v;
		fprintf(file, "%.9g %.9g %.9g %d %d 255 0 %.9g %g\n", x[0], x[1], x[2], v % 2, (int)(255 * ramp(x[0]) + 0.5),
		        1 - x[1], 20 + x[2]);
	}
	for (int32_t t = 0; t < mesh->triangle_count; ++t)
		fprintf(file, "3 %d %d %d\n", mesh->triangles[3 * t], mesh->triangles[3 * t + 1], mesh->triangles[3 * t + 2]);
	fclose(file);
}

static void colours_of_ply_are_paint(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	lm_mesh *slab = make_slab(&host, 10), *read;
	write_mesh("slab.obj", slab);
	write_ply("painted.ply", slab);
	assert_int_equal(lm_mesh_read(beside("painted.ply"), &host, &read, &error), LM_OK);
	assert_int_equal(read->group_count, 2); // green and blue are the same everywhere, heat is above 1
	for (int32_t v = 0; v < read->vertex_count; ++v)
	{
		assert_near(group_of(read, "red")->weights[v], ramp(slab->positions[3 * v]), 0.003);
		assert_near(group_of(read, "left_foot")->weights[v], 1 - slab->positions[3 * v + 1], 1e-6);
	}
	lm_mesh* copy = lm_mesh_copy(read, &host);
	assert_memory_equal(group_of(copy, "red")->weights, group_of(read, "red")->weights,
	                    (size_t)read->vertex_count * sizeof(double));
	lm_mesh_destroy(copy), lm_mesh_destroy(read), lm_mesh_destroy(slab);

	// as the object's own mesh, and as a file of another one
	lm_scene* scene = read_scene(
		"{ \"limber\": 1, \"objects\": [ { \"engine\": \"match\", \"mesh\": \"painted.ply\" }, { \"name\": \"b\", "
		"\"engine\": \"match\", \"mesh\": \"slab.obj\", \"groups\": { \"right\": { \"file\": \"painted.ply\", "
		"\"group\": \"red\" } } } ] }");
	const lm_group *own = group_of(scene->objects[0].mesh, "red"), *other = group_of(scene->objects[1].mesh, "right");
	assert_true(own->count > 20 && own->weights != NULL && other->weights != NULL);
	assert_int_equal(own->count, other->count);
	lm_world* world = world_of(scene);
	double* values = calloc((size_t)lm_world_surface(world, 0).vertex_count, sizeof *values);
	assert_int_equal(lm_paint_read(world, 0, beside("painted.ply"), "red", values, &error), LM_OK);
	assert_true(values[0] == 0 && values[10] == 1);
	free(values);
	lm_world_destroy(world);
}

// Groups of faces of the surface that is shown, which is another mesh than the simulated one.
static void groups_of_another_surface_are_carried(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	lm_mesh* block = test_block(&host, 4, 4, 1, 0.25);
	assert_int_equal(lm_mesh_write(beside("block.msh"), block, NULL, &error), LM_OK);
	lm_mesh_destroy(block);
	lm_mesh* slab = make_slab(&host, 12);
	FILE* file = fopen(beside("grouped.obj"), "w");
	for (int32_t v = 0; v < slab->vertex_count; ++v) // a quarter as thick again as the block is
		fprintf(file, "v %.9g %.9g %.9g\n", slab->positions[3 * v], slab->positions[3 * v + 1],
		        3 * slab->positions[3 * v + 2]);
	for (int right = 0; right < 2; ++right)
	{
		fprintf(file, "g %s\n", right ? "right" : "left");
		for (int32_t t = 0; t < slab->triangle_count; ++t)
		{
			const int32_t* c = slab->triangles + 3 * t;
			double x = slab->positions[3 * c[0]] + slab->positions[3 * c[1]] + slab->positions[3 * c[2]];
			if ((x > 1.5) == right)
				fprintf(file, "f %d %d %d\n", c[0] + 1, c[1] + 1, c[2] + 1);
		}
	}
	fclose(file);
	lm_mesh_destroy(slab);
	lm_scene* scene = read_scene("{ \"limber\": 1, \"objects\": [ { \"engine\": \"match\", \"mesh\": \"block.msh\", "
	                             "\"surface\": \"grouped.obj\", \"pins\": [ { \"group\": \"right\" } ] } ] }");
	const lm_mesh* mesh = scene->objects[0].mesh;
	const lm_group* group = group_of(mesh, "right");
	assert_int_equal(scene->objects[0].pins[0].count, group->count);
	assert_true(group->count >= 20 && group->count <= 30); // of five columns of ten the last two, and the middle
	for (int32_t k = 0; k < group->count; ++k)
		assert_true(mesh->positions[3 * group->vertices[k]] > 0.4);
	lm_scene_destroy(scene);
}

// ---- scenes for meshes ----

static void any_mesh_stands_on_the_ground(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	static const double sizes[] = { 1, 404, 0.002, 8 };
	for (int i = 0; i < 4; ++i)
	{
		lm_mesh* slab = make_slab(&host, 6);
		for (int32_t k = 0; k < 3 * slab->vertex_count; ++k)
			slab->positions[k] = sizes[i] * (slab->positions[k] + 5); // far from the origin
		write_mesh("figure.obj", slab);
		lm_mesh_destroy(slab);
		char* text = lm_scene_text_for_mesh(beside("figure.obj"), &host, &error);
		if (text == NULL)
			fail_msg("%s", error.message);
		bool scaled = i == 1 || i == 2;
		assert_true((strstr(text, "scaled") != NULL) == scaled);
		lm_world* world = read_world(text);
		lm_text_free(&host, text);
		double expected = scaled ? 1 : sizes[i], low = INFINITY;
		lm_world_surface_view view = lm_world_surface(world, 0);
		double bottom[3], top[3];
		lm_mesh_bounds(view.positions, view.vertex_count, bottom, top);
		assert_near(top[0] - bottom[0], expected, 0.01 * expected);
		assert_near(top[0] + bottom[0], 0, 0.1 * expected);
		assert_near(bottom[1], 0, 1e-3 * expected);
		double start = height(world, 0);
		step(world, 30);
		view = lm_world_surface(world, 0);
		for (int32_t v = 0; v < view.vertex_count; ++v)
			low = fmin(low, view.positions[3 * v + 1]);
		assert_true(low > -0.01 * expected);
		assert_near(height(world, 0), start, 0.25 * expected); // it has not sunk down
		lm_world_destroy(world);
	}
}

static void what_is_no_mesh_gets_no_scene(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	write_text("points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
	write_text("empty.obj", "");
	write_text("spot.obj", "v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n");
	static const char* const wrong[] = { "gone.obj", "points.obj", "empty.obj", "spot.obj", "scene.json", "" };
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
	{
		error.message[0] = 0;
		assert_null(lm_scene_text_for_mesh(beside(wrong[i]), &host, &error));
		assert_int_equal(error.status, LM_BAD_INPUT);
		assert_true(error.message[0] != 0);
		assert_null(lm_scene_text_for_mesh(beside(wrong[i]), &host, NULL));
	}
	assert_null(lm_scene_text_for_mesh(beside("\xff.obj"), &host, &error));
	assert_non_null(strstr(error.message, "UTF-8"));
}

// ---- memory ----

static lm_status work(lm_world* world, int kind, const lm_host* host, double* values, lm_error* error)
{
	char* text;
	switch (kind)
	{
		case 0: return lm_paint_write(world, 0, beside("memory.json"), "right", values, error);
		case 1: return lm_paint_read(world, 0, beside("paint.json"), "right", values, error);
		case 2: return lm_paint_read(world, 0, beside("painted.ply"), "red", values, error);
		case 3: return lm_paint_of_group(world, 0, "right", values, error);
		default:
			text = lm_scene_text_for_mesh(beside("painted.ply"), host, error);
			lm_text_free(host, text);
			return text != NULL ? LM_OK : error->status;
	}
}

static void no_memory_is_said(void** state)
{
	(void)state;
	double* values;
	lm_world_destroy(paint_slab("right", &values));
	lm_host plain = lm_host_default();
	lm_mesh* slab = make_slab(&plain, 10);
	write_ply("painted.ply", slab);
	lm_mesh_destroy(slab);
	for (int kind = 0; kind < 5; ++kind)
	{
		test_memory memory = { 0 };
		lm_host host = test_host(&memory);
		lm_scene* scene = NULL;
		write_text("scene.json", OBJECT LATTICE RIGHT " } ] }");
		assert_int_equal(lm_scene_read(beside("scene.json"), &host, &scene, NULL), LM_OK);
		lm_world* world = world_of(scene);
		int64_t held = memory.held;
		lm_status status = LM_NO_MEMORY;
		int64_t n = 0;
		while (status != LM_OK)
		{
			lm_error error = { .status = LM_OK };
			n += 1 + n / 20;
			memory.fail_at = memory.requests + n;
			status = work(world, kind, &host, values, &error);
			if (status != LM_OK && status != LM_NO_MEMORY)
				fail_msg("%d: %s", kind, error.message);
			assert_int_equal(memory.held, held);
		}
		assert_true(n > 1);
		memory.fail_at = 0;
		lm_world_destroy(world);
		assert_int_equal(memory.held, 0);
	}
	free(values);
}

// A scene with paint, every allocation failing in turn.
static void no_memory_while_a_scene_is_read(void** state)
{
	(void)state;
	double* values;
	lm_world_destroy(paint_slab("right", &values));
	write_text("scene.json",
	           "{ \"limber\": 1, \"objects\": [ { \"engine\": \"match\", \"mesh\": \"slab.obj\", \"lattice\": { "
	           "\"fit\": false, \"vertices\": 30 }" RIGHT " } ] }");
	lm_status status = LM_NO_MEMORY;
	int64_t tried = 0;
	for (int64_t n = 1; status != LM_OK; n += 1 + n / 20) // there are thousands
	{
		test_memory memory = { .fail_at = n };
		lm_host host = test_host(&memory);
		lm_scene* scene = NULL;
		status = lm_scene_read(beside("scene.json"), &host, &scene, NULL);
		assert_true(status == LM_OK || status == LM_NO_MEMORY);
		lm_scene_destroy(scene);
		assert_int_equal(memory.held, 0);
		++tried;
	}
	assert_true(tried > 20);
	free(values);
}

// ---- all of it ----

static int make_folder(void** state)
{
	(void)state;
	strcpy(folder, "/tmp/limber-paint-XXXXXX");
	return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void** state)
{
	(void)state;
	static const char* const names[] = { "slab.obj",    "paint.json", "scene.json",  "flat.json",  "list.json",
		                                 "broken.json", "short.json", "sheet.obj",   "sheet.pc2",  "painted.ply",
		                                 "block.msh",   "figure.obj", "grouped.obj", "points.obj", "empty.obj",
		                                 "spot.obj",    "memory.json" };
	for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
		remove(beside(names[i]));
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paint_comes_back),
		cmocka_unit_test(bodies_in_the_plane_are_painted),
		cmocka_unit_test(wrong_paint_is_refused),
		cmocka_unit_test(paint_reaches_what_is_simulated),
		cmocka_unit_test(a_small_spot_is_not_lost),
		cmocka_unit_test(wrong_paint_in_scenes_is_refused),
		cmocka_unit_test(regions_of_track_are_soft),
		cmocka_unit_test(colours_of_ply_are_paint),
		cmocka_unit_test(groups_of_another_surface_are_carried),
		cmocka_unit_test(any_mesh_stands_on_the_ground),
		cmocka_unit_test(what_is_no_mesh_gets_no_scene),
		cmocka_unit_test(no_memory_is_said),
		cmocka_unit_test(no_memory_while_a_scene_is_read),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
