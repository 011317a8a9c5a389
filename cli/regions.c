// limber regions: which vertices move together, drawn or listed.
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"limber regions SCENE.json --out FILE.png|FILE.json [--object NAME] [--vertex N] [--paths]\n"
	"\n"
	"Shows how the objects of a scene are divided for the engine. For `match`: the simulation "
	"mesh in the colours of the\n"
	"groups that share weights of the examples, and one region, the ring of a vertex, in orange "
	"around its red centre.\n"
	"For `track`: the cloth in the colours of the regions whose averages are matched.\n"
	"For `design`: every vertex in the colours of the nodes that move it; nodes dark.\n"
	"As .json: every region with its vertices; nodes with radius and coupling.\n"
	"\n"
	"  --object NAME   only this one\n"
	"  --vertex N      whose region is marked; default: the one nearest to the eye\n"
	"  --paths         of `design`: the nodes instead, and the ways within the body by which they "
	"are coupled;\n"
	"                  with --vertex only those of the node nearest to it\n";

// ---- listed -----------------------------------------------------------------------------------------------------

void print_text(FILE* file, const char* text)
{
	fputc('"', file);
	for (; *text != 0; ++text)
		if ((unsigned char)*text < 0x20)
			fprintf(file, "\\u%04x", (unsigned)*text);
		else
			fprintf(file, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
	fputc('"', file);
}

static void list_object(FILE* file, const char* name, const lm_match* body, int32_t* members)
{
	fprintf(file, "    { \"name\": ");
	print_text(file, name);
	fprintf(file, ", \"engine\": \"match\", \"weight_rows\": %d, \"regions\": [\n", lm_match_weight_rows(body));
	int32_t count = lm_match_vertex_count(body);
	for (int32_t v = 0; v < count; ++v)
	{
		int32_t size = lm_match_region(body, v, members);
		fprintf(file, "      { \"vertex\": %d, \"weight_row\": %d, \"vertices\": [", v, lm_match_weight_row(body, v));
		for (int32_t k = 0; k < size; ++k)
			fprintf(file, "%s%d", k > 0 ? ", " : "", members[k]);
		fprintf(file, "] }%s\n", v + 1 < count ? "," : "");
	}
	fprintf(file, "    ] }");
}

static void list_cloth(FILE* file, const char* name, const lm_track* cloth, int32_t* regions)
{
	fprintf(file, "    { \"name\": ");
	print_text(file, name);
	fprintf(file, ", \"engine\": \"track\", \"regions\": [\n");
	lm_track_regions(cloth, regions);
	int32_t count = lm_track_constraint_count(cloth), vertices = lm_track_vertex_count(cloth);
	for (int32_t r = 0; r < count; ++r)
	{
		fprintf(file, "      { \"region\": %d, \"vertices\": [", r);
		const char* comma = "";
		for (int32_t v = 0; v < vertices; ++v)
			if (regions[v] == r)
				fprintf(file, "%s%d", comma, v), comma = ", ";
		fprintf(file, "] }%s\n", r + 1 < count ? "," : "");
	}
	fprintf(file, "    ] }");
}

// Simulated vertices of an object that has regions, 0 for others.
static int32_t divided_vertices(const lm_scene* scene, lm_world* world, int32_t i)
{
	if (scene->objects[i].design != NULL)
		return scene->objects[i].mesh->vertex_count;
	const lm_match* body = lm_world_match(world, i);
	const lm_track* cloth = lm_world_track(world, i);
	return body != NULL ? lm_match_vertex_count(body) : cloth != NULL ? lm_track_vertex_count(cloth) : 0;
}

static int list_regions(const lm_scene* scene, lm_world* world, const char* only, const char* out, const lm_host* host)
{
	char* text = NULL;
	size_t length = 0;
	FILE* file = open_memstream(&text, &length);
	lm_error error = { .status = LM_NO_MEMORY, .message = "out of memory" };
	if (file == NULL)
		return report_error(&error);
	fprintf(file, "{ \"objects\": [\n");
	bool first = true, failed = false;
	for (int32_t i = 0; i < scene->object_count && !failed; ++i)
	{
		int32_t vertices = divided_vertices(scene, world, i);
		if (vertices == 0 || (only != NULL && strcmp(only, scene->objects[i].name) != 0))
			continue;
		int32_t* members = malloc(sizeof(int32_t) * (size_t)vertices);
		failed = members == NULL;
		fprintf(file, "%s", first ? "" : ",\n");
		if (!failed && scene->objects[i].design != NULL)
			failed = list_design(file, &scene->objects[i], host, &error) != LM_OK;
		else if (!failed && lm_world_match(world, i) != NULL)
			list_object(file, scene->objects[i].name, lm_world_match(world, i), members);
		else if (!failed)
			list_cloth(file, scene->objects[i].name, lm_world_track(world, i), members);
		free(members);
		first = false;
	}
	fprintf(file, "\n] }\n");
	failed = fclose(file) != 0 || failed;
	lm_status status = failed ? error.status : lm_text_write(out, text, host, &error);
	free(text);
	return status == LM_OK ? EXIT_GOOD : report_error(&error);
}

// ---- drawn ------------------------------------------------------------------------------------------------------

// A colour for each row, far from its neighbours': steps of the golden angle round the colour circle, pale.
void color_of_row(int32_t row, float color[3])
{
	double hue = 0.55 + 0.381966 * row;
	hue = 6 * (hue - (double)(int64_t)hue);
	double ramp = hue - (double)(int)hue, low = 0.25, high = 0.75;
	double up = low + (high - low) * ramp, down = high - (high - low) * ramp;
	const double table[6][3] = { { high, up, low },   { down, high, low }, { low, high, up },
		                         { low, down, high }, { up, low, high },   { high, low, down } };
	for (int c = 0; c < 3; ++c)
		color[c] = (float)table[(int)hue % 6][c];
}

typedef struct drawing
{
	lm_mesh* mesh; // simulation mesh with its surface, where the object starts
	float* colors;
} drawing;

static int32_t nearest_to_eye(const lm_mesh* mesh, const double direction[3])
{
	int32_t best = 0;
	double least = 1e300;
	for (int32_t k = 0; k < 3 * mesh->triangle_count; ++k)
	{
		const double* p = &mesh->positions[3 * (size_t)mesh->triangles[k]];
		double depth = p[0] * direction[0] + p[1] * direction[1] + p[2] * direction[2];
		if (depth < least)
			least = depth, best = mesh->triangles[k];
	}
	return best;
}

static void color_match(const lm_scene* scene, lm_match* body, long vertex, int32_t* members, drawing* result)
{
	lm_match_positions(body, result->mesh->positions);
	for (int32_t v = 0; v < result->mesh->vertex_count; ++v)
		color_of_row(lm_match_weight_row(body, v), &result->colors[3 * v]);
	int32_t marked = (int32_t)vertex;
	if (vertex < 0 || vertex >= result->mesh->vertex_count)
		marked = nearest_to_eye(result->mesh, scene->camera.direction);
	int32_t size = lm_match_region(body, marked, members);
	for (int32_t k = 0; k < size; ++k)
		memcpy(&result->colors[3 * members[k]], (float[]){ 0.9f, 0.3f, 0.02f }, 3 * sizeof(float));
	memcpy(&result->colors[3 * marked], (float[]){ 0.5f, 0, 0 }, 3 * sizeof(float));
}

static void color_track(const lm_track* cloth, int32_t* regions, drawing* result)
{
	lm_track_positions(cloth, result->mesh->positions);
	lm_track_regions(cloth, regions);
	for (int32_t v = 0; v < result->mesh->vertex_count; ++v)
	{
		memcpy(&result->colors[3 * v], (float[]){ 0.8f, 0.8f, 0.8f }, 3 * sizeof(float));
		if (regions[v] >= 0)
			color_of_row(regions[v], &result->colors[3 * v]);
	}
}

static lm_status prepare_drawing(const lm_scene* scene, lm_world* world, int32_t i, long vertex, const lm_host* host,
                                 drawing* result, lm_error* error)
{
	*error = (lm_error){ .status = LM_NO_MEMORY, .message = "out of memory" };
	size_t vertices = (size_t)divided_vertices(scene, world, i);
	result->mesh = lm_mesh_copy(scene->objects[i].mesh, host);
	result->colors = malloc(3 * sizeof(float) * vertices);
	int32_t* members = malloc(sizeof(int32_t) * vertices);
	lm_status status = LM_NO_MEMORY;
	if (result->mesh != NULL && result->colors != NULL && members != NULL)
		status = result->mesh->tet_count > 0 ? lm_mesh_extract_surface(result->mesh, error) : LM_OK;
	if (status == LM_OK && scene->objects[i].design != NULL)
		status = color_design(&scene->objects[i], vertex, host, result->colors, error);
	else if (status == LM_OK && lm_world_match(world, i) != NULL)
		color_match(scene, lm_world_match(world, i), vertex, members, result);
	else if (status == LM_OK)
		color_track(lm_world_track(world, i), members, result);
	free(members);
	return status;
}

// What is asked for.
typedef struct request
{
	const char *only, *out;
	long vertex;
	bool paths;
} request;

static lm_camera camera_of(const lm_scene* scene, const lm_render_settings* settings, const lm_surface* surfaces,
                           int32_t count)
{
	double low[3] = { 1e300, 1e300, 1e300 }, high[3] = { -1e300, -1e300, -1e300 };
	for (int32_t i = 0; i < count; ++i)
	{
		double a[3], b[3];
		lm_mesh_bounds(surfaces[i].positions, surfaces[i].vertex_count, a, b);
		for (int c = 0; c < 3; ++c)
			low[c] = a[c] < low[c] ? a[c] : low[c], high[c] = b[c] > high[c] ? b[c] : high[c];
	}
	return lm_camera_fit(low, high, scene->camera.direction, scene->camera.fov,
	                     (double)settings->width / settings->height);
}

// Nodes and paths of the objects of `design`, drawn[count], after their surfaces.
static lm_status add_paths(const lm_scene* scene, const request* r, const lm_camera* camera, const lm_host* host,
                           lm_surface* surfaces, int32_t* count, lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && i < scene->object_count; ++i)
		if (scene->objects[i].design != NULL && (r->only == NULL || strcmp(r->only, scene->objects[i].name) == 0))
		{
			status = make_paths(&scene->objects[i], r->vertex, camera, host, surfaces + *count, error);
			*count += 2;
		}
	return status;
}

// surfaces has room for two more of each object.
static int draw(const lm_scene* scene, lm_surface* surfaces, int32_t count, const request* r, const lm_host* host)
{
	lm_error error = { .status = LM_NO_MEMORY, .message = "out of memory" };
	lm_render_settings settings = lm_film_settings_of(scene).render;
	settings.samples = 9;
	lm_camera camera = camera_of(scene, &settings, surfaces, count);
	int32_t bodies = count;
	lm_status status = r->paths ? add_paths(scene, r, &camera, host, surfaces, &count, &error) : LM_OK;
	int code =
		status == LM_OK ? draw_surfaces(surfaces, count, &camera, &settings, r->out, host) : report_error(&error);
	for (int32_t i = bodies; i < count; ++i)
	{
		free((void*)surfaces[i].positions);
		free((void*)surfaces[i].triangles);
	}
	return code;
}

static int draw_regions(const lm_scene* scene, lm_world* world, const request* r, const lm_host* host)
{
	lm_error error = { .status = LM_NO_MEMORY, .message = "out of memory" };
	drawing* drawings = calloc((size_t)scene->object_count, sizeof *drawings);
	lm_surface* surfaces = calloc(3 * (size_t)scene->object_count, sizeof *surfaces);
	lm_status status = drawings != NULL && surfaces != NULL ? LM_OK : LM_NO_MEMORY;
	int32_t count = 0;
	for (int32_t i = 0; status == LM_OK && i < scene->object_count; ++i)
	{
		if (divided_vertices(scene, world, i) == 0 ||
		    (r->only != NULL && strcmp(r->only, scene->objects[i].name) != 0) ||
		    (r->paths && scene->objects[i].design == NULL))
			continue;
		drawing* d = &drawings[count];
		status = prepare_drawing(scene, world, i, r->vertex, host, d, &error);
		if (status == LM_OK)
			surfaces[count++] = (lm_surface){ .vertex_count = d->mesh->vertex_count,
				                              .positions = d->mesh->positions,
				                              .triangle_count = d->mesh->triangle_count,
				                              .triangles = d->mesh->triangles,
				                              .color = { 0.75f, 0.75f, 0.75f },
				                              .vertex_colors = r->paths ? NULL : d->colors,
				                              .flat = !r->paths,
				                              .edges = !r->paths };
	}
	int code = status == LM_OK ? draw(scene, surfaces, count, r, host) : report_error(&error);
	for (int32_t i = 0; drawings != NULL && i < scene->object_count; ++i)
	{
		lm_mesh_destroy(drawings[i].mesh);
		free(drawings[i].colors);
	}
	free(drawings);
	free(surfaces);
	return code;
}

static bool has_design(const lm_scene* scene, const char* only)
{
	for (int32_t i = 0; i < scene->object_count; ++i)
		if (scene->objects[i].design != NULL && (only == NULL || strcmp(only, scene->objects[i].name) == 0))
			return true;
	return false;
}

static int show(const arguments* a, const lm_scene* scene, const lm_host* host, const request* r)
{
	const char *only = r->only, *out = r->out;
	lm_world* world;
	lm_error error;
	if (lm_world_create(scene, host, &world, &error) != LM_OK)
		return report_error(&error);
	int code;
	int32_t largest = 0;
	for (int32_t i = 0; i < scene->object_count; ++i)
		if (only == NULL || strcmp(only, scene->objects[i].name) == 0)
			largest = divided_vertices(scene, world, i) > largest ? divided_vertices(scene, world, i) : largest;
	if (is_input(scene, out))
		code = usage_error("regions", "%s: is part of the scene and would be written over; choose another name", out);
	else if (only != NULL && lm_world_find_object(world, only) < 0)
		code = usage_error("regions", "%s: the scene has no such object; `limber info` names them", only);
	else if (r->paths && !has_design(scene, only))
		code = usage_error("regions", "%s: has no nodes; --paths is for objects of design",
		                   only != NULL ? only : a->plain[0]);
	else if (largest == 0)
		code = usage_error("regions", "%s: is moved as a whole: only objects of match, track and design have regions",
		                   only != NULL ? only : a->plain[0]);
	else if (r->vertex >= largest)
		code = usage_error("regions", "--vertex is %ld, but there are %d vertices, counted from 0", r->vertex, largest);
	else if (path_ends(out, ".png"))
		code = draw_regions(scene, world, r, host);
	else
		code = list_regions(scene, world, only, out, host);
	lm_world_destroy(world);
	return code;
}

int verb_regions(int count, char** words)
{
	static const option options[] = {
		{ "--out", "FILE", false }, { "--object", "NAME", false }, { "--vertex", "N", false },
		{ "--paths", NULL, false }, { "--help", NULL, false },
	};
	arguments a;
	if (!parse_arguments(count, words, "regions", options, sizeof options / sizeof options[0], &a))
		return EXIT_BAD_INPUT;
	if (has_option(&a, "--help"))
		return fputs(help, stdout) < 0 ? EXIT_WORK_FAILED : EXIT_GOOD;
	const char* out = option_value(&a, "--out", 0);
	request r = {
		.only = option_value(&a, "--object", 0), .out = out, .vertex = -1, .paths = has_option(&a, "--paths")
	};
	if (a.plain_count != 1 || out == NULL)
		return wrong_files(&a, "one scene, and --out FILE");
	if (!path_ends(out, ".png") && !path_ends(out, ".json"))
		return usage_error("regions", "%s: unknown ending; .png draws and .json lists", out);
	if (r.paths && !path_ends(out, ".png"))
		return usage_error("regions", "%s: --paths draws, and needs .png; the list says what is coupled anyway", out);
	if (!option_integer(&a, "--vertex", 0, INT32_MAX, &r.vertex))
		return EXIT_BAD_INPUT;
	int code = check_writable(out);
	if (code != EXIT_GOOD)
		return code;
	catch_interrupts(NOTHING_WRITTEN);
	lm_host host = command_host(false, 0, LM_SIMD_AUTO);
	lm_scene* scene;
	code = read_scene(a.plain[0], &host, &scene);
	if (code != EXIT_GOOD)
		return code;
	code = show(&a, scene, &host, &r);
	lm_scene_destroy(scene);
	return code;
}
