// limber character: a scene in which a figure does something, with its rig, and a picture of the rig.
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"limber character MODEL [--do BEHAVIOUR]... --out SCENE.json [--height H] [--up y|z] [--forward AXIS] [--picture "
	"FILE.png]\n"
	"\n"
	"Makes a character of any closed figure (.obj, .ply, .stl) and writes a scene that `limber run` plays: the lattice "
	"that\n"
	"fits it, its settings, feet and trunk follow from the model. The scene is short; edit what you like.\n"
	"\n"
	"  --do BEHAVIOUR   stand, walk, trot, go, hop, jump or crouch, one after the other, four seconds each; default: "
	"what it can:\n"
	"                   walk with two or four feet, hop otherwise\n"
	"  --out SCENE      the scene to write; the model is named relative to it where it lies beside it\n"
	"  --height H       how high it shall be, metres; default 1\n"
	"  --up y|z         the axis of the model that points up; default y\n"
	"  --forward AXIS   that it faces along: x, -x, z or -z once y is up; default: found by feet and symmetry\n"
	"  --picture FILE   a picture of the rig (.png): lattice, feet (red left, blue right, paler hind), sole (yellow on "
	"a\n"
	"                   base), trunk (green) and an arrow forward\n";

static const char* const behaviours[] = { "stand", "walk", "trot", "go", "hop", "jump", "crouch" };
static const double seconds_each = 4;

typedef struct character
{
	const char *model, *out, *up, *picture;
	const char* forward; // NULL: as found
	double height;
	lm_facing facing;
	lm_mesh* surface; // upright, facing along x, of that height
	lm_fitted* fit;
} character;

// ---- the figure

static const char* forward_name(const character* c)
{
	if (c->forward != NULL)
		return c->forward;
	return c->facing.axis == 2 ? (c->facing.sign > 0 ? "z" : "-z") : c->facing.sign > 0 ? "x" : "-x";
}

static void turn_up(lm_mesh* mesh)
{
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		double *p = mesh->positions + 3 * (size_t)v, y = p[1];
		p[1] = p[2], p[2] = -y;
	}
}

// As the scene's reader will have it.
static void place(character* c)
{
	const char* forward = forward_name(c);
	double sign = forward[0] == '-' ? -1 : 1, low[3], high[3];
	bool along_z = strchr(forward, 'z') != NULL;
	for (int32_t v = 0; v < c->surface->vertex_count; ++v)
	{
		double *p = c->surface->positions + 3 * (size_t)v, x = p[0], z = p[2];
		p[0] = sign * (along_z ? z : x), p[2] = sign * (along_z ? -x : z);
	}
	lm_mesh_bounds(c->surface->positions, c->surface->vertex_count, low, high);
	double factor = c->height / fmax(high[1] - low[1], 1e-30);
	for (int64_t k = 0; k < 3 * (int64_t)c->surface->vertex_count; ++k)
	{
		int a = (int)(k % 3);
		c->surface->positions[k] = factor * (c->surface->positions[k] - (a == 1 ? low[1] : (low[a] + high[a]) / 2));
	}
}

static lm_status make_figure(character* c, const lm_host* host, lm_error* error)
{
	lm_lattice_settings lattice = lm_lattice_settings_default();
	lattice.vertices = LM_CHARACTER_VERTICES, lattice.legs = true;
	lm_status status = lm_mesh_read(c->model, host, &c->surface, error);
	if (status == LM_OK)
		status = lm_mesh_check(c->surface, c->model, error);
	if (status != LM_OK)
		return status;
	if (strcmp(c->up, "z") == 0)
		turn_up(c->surface);
	status = lm_figure_facing(c->surface, host, &c->facing, error);
	if (status != LM_OK)
		return status;
	place(c);
	return lm_fitted_create(c->surface, &lattice, host, &c->fit, error);
}

// ---- the scene

// The model as the scene names it: without its folder where both lie in the same, else from the root.
static bool name_model(const character* c, char* name, size_t size)
{
	char folder[4096], *whole = realpath(c->model, NULL);
	const char* slash = strrchr(c->out, '/');
	snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - c->out) : 1, slash != NULL ? c->out : ".");
	char* beside = realpath(folder, NULL);
	bool good = whole != NULL && beside != NULL;
	size_t length = good ? strlen(beside) : 0;
	bool same = good && strncmp(whole, beside, length) == 0 && whole[length] == '/' && !strchr(whole + length + 1, '/');
	if (good)
		snprintf(name, size, "%s", same ? whole + length + 1 : whole);
	free(whole);
	free(beside);
	return good;
}

static void object_name(const char* model, char* name, size_t size)
{
	const char* slash = strrchr(model, '/');
	const char* base = slash != NULL ? slash + 1 : model;
	snprintf(name, size, "%.*s", (int)strcspn(base, "."), base);
}

// speed: of sqrt(g H), so that figures of every height move alike.
static void write_command(FILE* file, const char* behaviour, double height, double start, double end)
{
	double speed = sqrt(9.81 * height), up = 0.48 * speed;
	fprintf(file, "\t\t\t\t\t{ \"do\": \"%s\"", behaviour);
	if (strcmp(behaviour, "walk") == 0 || strcmp(behaviour, "trot") == 0)
		fprintf(file, ", \"velocity\": [%.3g, 0, 0]", 0.1 * speed);
	else if (strcmp(behaviour, "go") == 0)
		fprintf(file, ", \"velocity\": [%.3g, 0, 0]", 0.15 * speed);
	else if (strcmp(behaviour, "hop") == 0)
		fprintf(file, ", \"velocity\": [%.3g, %.3g, 0]", 0.16 * speed, up);
	else if (strcmp(behaviour, "jump") == 0)
		fprintf(file, ", \"velocity\": [0, %.3g, 0]", up);
	fprintf(file, ", \"start\": %g, \"end\": %g }", start, end);
}

static int write_scene(const character* c, const char* const* done, int count, const lm_host* host)
{
	char model[4096], name[80], *text = NULL;
	size_t length = 0;
	FILE* file = open_memstream(&text, &length);
	lm_error error = { .status = LM_NO_MEMORY, .message = "out of memory" };
	if (file == NULL)
		return report_error(&error);
	if (!name_model(c, model, sizeof model))
		snprintf(model, sizeof model, "%.4000s", c->model);
	object_name(c->model, name, sizeof name);
	fprintf(file, "{\n\t\"limber\": 1,\n\t\"fps\": 25,\n\t\"seconds\": %g,\n", 0.5 + seconds_each * count);
	fprintf(file, "\t\"camera\": { \"direction\": [-0.5, -0.25, -1] },\n");
	fprintf(file, "\t\"colliders\": [{ \"name\": \"ground\", \"shape\": \"plane\", \"color\": \"#d9cbb5\" }],\n");
	fprintf(file, "\t\"objects\": [\n\t\t{\n\t\t\t\"name\": ");
	print_text(file, name);
	fprintf(file, ",\n\t\t\t\"engine\": \"act\",\n\t\t\t\"mesh\": ");
	print_text(file, model);
	fprintf(file, ",\n\t\t\t\"up\": \"%s\",\n\t\t\t\"forward\": \"%s\",\n\t\t\t\"height\": %g,\n", c->up,
	        forward_name(c), c->height);
	fprintf(file, "\t\t\t\"act\": {\n\t\t\t\t\"character\": true,\n");
	if (c->fit->foot_count > 0)
	{
		fprintf(file, "\t\t\t\t\"feet\": [");
		for (int32_t f = 0; f < c->fit->foot_count; ++f)
			fprintf(file, "%s\"%s\"", f > 0 ? ", " : "", c->fit->feet[f]);
		fprintf(file, "],\n");
	}
	fprintf(file, "\t\t\t\t\"commands\": [\n\t\t\t\t\t{ \"do\": \"stand\" }");
	for (int i = 0; i < count; ++i)
	{
		fprintf(file, ",\n");
		write_command(file, done[i], c->height, 0.5 + seconds_each * i, 0.5 + seconds_each * (i + 1));
	}
	fprintf(file, "\n\t\t\t\t]\n\t\t\t}\n\t\t}\n\t]\n}\n");
	bool failed = fclose(file) != 0;
	lm_status status = failed ? error.status : lm_text_write(c->out, text, host, &error);
	free(text);
	return status == LM_OK ? EXIT_GOOD : report_error(&error);
}

// ---- the picture

static void color_group(const lm_mesh* mesh, const char* name, const float color[3], float* colors)
{
	int32_t group = lm_mesh_find_group(mesh, name);
	for (int32_t k = 0; group >= 0 && k < mesh->groups[group].count; ++k)
		memcpy(colors + 3 * (size_t)mesh->groups[group].vertices[k], color, 3 * sizeof *color);
}

static void color_rig(const lm_fitted* fit, float* colors)
{
	static const float plain[3] = { 0.8f, 0.8f, 0.8f }, trunk[3] = { 0.5f, 0.75f, 0.5f },
					   sole[3] = { 0.9f, 0.75f, 0.1f };
	static const float feet[4][3] = {
		{ 0.9f, 0.45f, 0.4f }, { 0.8f, 0.1f, 0.08f }, { 0.45f, 0.5f, 0.9f }, { 0.1f, 0.15f, 0.8f }
	};
	for (int32_t v = 0; v < fit->mesh->vertex_count; ++v)
		memcpy(colors + 3 * (size_t)v, plain, sizeof plain);
	color_group(fit->mesh, "trunk", trunk, colors);
	color_group(fit->mesh, "sole", sole, colors);
	for (int32_t f = 0; f < fit->foot_count; ++f)
		color_group(fit->mesh, fit->feet[f], feet[fit->foot_count == 2 ? 2 * f + 1 : f], colors);
}

// On the ground in front of it.
static void make_arrow(const double low[3], const double high[3], double* positions)
{
	double x = high[0] + 0.1 * (high[1] - low[1]), size = 0.25 * (high[1] - low[1]), thick = 0.02 * size;
	const double corners[3][2] = { { 0, -0.5 }, { 0, 0.5 }, { 1, 0 } };
	for (int i = 0; i < 6; ++i)
	{
		positions[3 * i] = x + size * corners[i % 3][0];
		positions[3 * i + 1] = low[1] + (i < 3 ? 1 : 2) * thick;
		positions[3 * i + 2] = size * corners[i % 3][1];
	}
}

static int draw_rig(const character* c, const lm_host* host)
{
	static const int32_t arrow_triangles[24] = {
		0, 2, 1, 3, 4, 5, 0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4, 2, 0, 3, 2, 3, 5
	};
	double arrow[18], low[3], high[3], direction[3] = { -0.9, -0.4, -0.7 };
	lm_mesh* mesh = c->fit->mesh;
	lm_error error = { .status = LM_NO_MEMORY, .message = "out of memory" };
	float* colors = malloc(3 * (size_t)mesh->vertex_count * sizeof *colors);
	lm_status status = colors != NULL ? lm_mesh_extract_surface(mesh, &error) : LM_NO_MEMORY;
	if (status == LM_OK)
		color_rig(c->fit, colors);
	lm_mesh_bounds(mesh->positions, mesh->vertex_count, low, high);
	make_arrow(low, high, arrow);
	high[0] = fmax(high[0], arrow[6]);
	lm_surface surfaces[2] = { { .vertex_count = mesh->vertex_count,
		                         .positions = mesh->positions,
		                         .triangle_count = mesh->triangle_count,
		                         .triangles = mesh->triangles,
		                         .color = { 1, 1, 1 },
		                         .vertex_colors = colors,
		                         .flat = true,
		                         .edges = true },
		                       { .vertex_count = 6,
		                         .positions = arrow,
		                         .triangle_count = 8,
		                         .triangles = arrow_triangles,
		                         .color = { 0.05f, 0.05f, 0.05f },
		                         .flat = true } };
	lm_render_settings settings = lm_render_settings_default();
	settings.samples = 9;
	lm_camera camera = lm_camera_fit(low, high, direction, 30, (double)settings.width / settings.height);
	int code =
		status == LM_OK ? draw_surfaces(surfaces, 2, &camera, &settings, c->picture, host) : report_error(&error);
	free(colors);
	return code;
}

// ---- the verb

static bool is_one_of(const char* word, const char* const* words, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

static int check_words(const arguments* a, const character* c)
{
	static const char* const axes[] = { "x", "-x", "z", "-z" };
	const char* out = option_value(a, "--out", 0);
	for (int i = 0; option_value(a, "--do", i) != NULL; ++i)
		if (!is_one_of(option_value(a, "--do", i), behaviours, sizeof behaviours / sizeof *behaviours))
			return usage_error("character",
			                   "%s: unknown behaviour; there are: stand, walk, trot, go, hop, jump, crouch",
			                   option_value(a, "--do", i));
	if (strcmp(c->up, "y") != 0 && strcmp(c->up, "z") != 0)
		return usage_error("character", "--up is %s, must be y or z", c->up);
	if (c->forward != NULL && !is_one_of(c->forward, axes, 4))
		return usage_error("character", "--forward is %s, must be x, -x, z or -z", c->forward);
	if (!path_ends(out, ".json"))
		return usage_error("character", "%s: unknown ending; a scene is written to .json", out);
	if (c->picture != NULL && !path_ends(c->picture, ".png"))
		return usage_error("character", "%s: unknown ending; the picture of a rig is written to .png", c->picture);
	int code = check_writable(out);
	return code == EXIT_GOOD && c->picture != NULL ? check_writable(c->picture) : code;
}

// What it does where nothing is said.
static int list_behaviours(const arguments* a, const lm_fitted* fit, const char** done)
{
	int count = 0;
	while (count < ARGUMENTS_MAX && option_value(a, "--do", count) != NULL)
		done[count] = option_value(a, "--do", count), count++;
	if (count == 0)
		done[count++] = fit->foot_count > 0 ? "walk" : "hop";
	return count;
}

static int make_character(const arguments* a, character* c)
{
	const char* done[ARGUMENTS_MAX];
	catch_interrupts(NOTHING_WRITTEN);
	lm_host host = command_host(false, 0, LM_SIMD_AUTO);
	lm_error error = { 0 };
	if (make_figure(c, &host, &error) != LM_OK)
	{
		if (error.file[0] == 0)
			snprintf(error.file, sizeof error.file, "%s", c->model);
		return report_error(&error);
	}
	end_progress();
	int count = list_behaviours(a, c->fit, done);
	for (int i = 0; i < count; ++i)
	{
		if (strcmp(done[i], "walk") == 0 && c->fit->foot_count == 0)
			return usage_error("character", "%s: stands on a base and has no feet to walk with; let it hop or go",
			                   c->model);
		if (strcmp(done[i], "trot") == 0 && c->fit->foot_count != 4)
			return usage_error("character", "%s: has not the four feet that a trot needs; let it %s", c->model,
			                   c->fit->foot_count == 0 ? "hop or go" : "walk");
	}
	int code = write_scene(c, done, count, &host);
	if (code == EXIT_GOOD && c->picture != NULL)
		code = draw_rig(c, &host);
	if (code == EXIT_GOOD)
		printf("%s: %d vertices, %s, faces along %s%s. Try: limber run %s --out film.mp4\n", c->out,
		       c->fit->mesh->vertex_count,
		       c->fit->foot_count == 2   ? "two feet"
		       : c->fit->foot_count == 4 ? "four feet"
		                                 : "no feet, a base",
		       forward_name(c),
		       c->forward != NULL || c->facing.certain ? "" : " (a guess: nothing tells; see --forward)", c->out);
	return code;
}

int verb_character(int count, char** words)
{
	static const option options[] = {
		{ "--do", "BEHAVIOUR", true }, { "--out", "FILE", false },     { "--height", "H", false },
		{ "--up", "AXIS", false },     { "--forward", "AXIS", false }, { "--picture", "FILE", false },
		{ "--help", NULL, false },
	};
	arguments a;
	if (!parse_arguments(count, words, "character", options, sizeof options / sizeof options[0], &a))
		return EXIT_BAD_INPUT;
	if (has_option(&a, "--help"))
		return fputs(help, stdout) < 0 ? EXIT_WORK_FAILED : EXIT_GOOD;
	character c = { .out = option_value(&a, "--out", 0),
		            .up = has_option(&a, "--up") ? option_value(&a, "--up", 0) : "y",
		            .forward = option_value(&a, "--forward", 0),
		            .picture = option_value(&a, "--picture", 0),
		            .height = 1 };
	if (a.plain_count != 1 || c.out == NULL)
		return wrong_files(&a, "one model, and --out SCENE.json");
	c.model = a.plain[0];
	if (!option_number(&a, "--height", 1e-6, 1e6, &c.height))
		return EXIT_BAD_INPUT;
	int code = check_words(&a, &c);
	if (code == EXIT_GOOD)
		code = make_character(&a, &c);
	lm_mesh_destroy(c.surface);
	lm_fitted_destroy(c.fit);
	return code;
}
